"""Reads TIFF with `tifffile`: all compressions, planes, channels, pyramids, ImageJ and OME."""

from __future__ import annotations

import contextlib
import logging
import math
from collections.abc import Iterator
from typing import Any, BinaryIO, Final

import numpy as np
from numpy.typing import NDArray
from tifffile import TiffFile, TiffPage, TiffPageSeries

from studio.engine.arrays import Pixels
from studio.engine.errors import BadDataError
from studio.engine.messages import Text, message
from studio.engine.pictures.georeference import georeference_of
from studio.engine.pictures.info import PictureFile, PictureInfo, Window
from studio.engine.pictures.limits import (
    check_growth,
    check_parts,
    check_planes,
    check_size,
    size_of,
    stored_type,
    stored_values,
)
from studio.engine.pictures.ordinary import open_ordinary
from studio.engine.pictures.tiff_metadata import TiffMetadata, metadata_of
from studio.engine.pictures.tiff_series import (
    DataMask,
    are_single_pages,
    image_series,
    mask_series,
    unread_series,
)
from studio.engine.pictures.tiff_structure import check_structure
from studio.engine.pictures.tiff_windows import DecodedSegments, PageWindows, check_segments
from studio.engine.pictures.turns import is_sideways, turned
from studio.engine.pixel_format import MAX_CHANNELS

# Numbers of TIFF's tag PhotometricInterpretation.
_WHITE_IS_ZERO, _RGB, _PALETTE, _CMYK, _YCBCR, _LAB = 0, 2, 3, 5, 6, (8, 9, 10)
_ALPHAS: Final = (1, 2)
"""Numbers of TIFF's tag ExtraSamples that stand for an opacity."""
_ASSOCIATED: Final = 1
"""Number of TIFF's tag ExtraSamples for an opacity that the colors are multiplied by."""
_JPEG: Final = (6, 7)
"""Numbers of TIFF's tag Compression whose decoder returns red, green and blue."""
_NAMES_OF_AXES: Final = {"I": "page", "Q": "page"}


@contextlib.contextmanager
def open_file(file: BinaryIO) -> Iterator[PictureFile]:
    """Open a TIFF file.

    Args:
        file: The file at its beginning.
    """
    check_structure(file)
    logging.getLogger("tifffile").setLevel(logging.CRITICAL)  # it describes damage there
    size = size_of(file)
    with contextlib.ExitStack() as stack:
        tiff = stack.enter_context(_parsed(file))
        if not tiff.pages:
            raise BadDataError("the image has no pixels")
        _check_page(tiff.pages.first, file, size)
        if are_single_pages(tiff):
            file.seek(0)
            tiff = stack.enter_context(_parsed(file, is_shaped=False))
        page = image_series(tiff).keyframe
        if _is_for_pillow(page):
            if page.index != 0:
                raise BadDataError("its colors are read only on the first page of a file")
            file.seek(0)
            with open_ordinary(file) as picture:
                yield picture
            return
        yield TiffPicture(tiff, file, size)


def _parsed(file: BinaryIO, **flags: Any) -> TiffFile:  # noqa: ANN401 - those of tifffile
    # No kind whose planes lie in other files.
    flags |= {"is_ndtiff": False, "is_mmstack": False}
    return TiffFile(file, name="", _multifile=False, **flags)


def _check_page(page: TiffPage, file: BinaryIO, size: int) -> None:
    """Refuse a page that is too large, or whose type is not known."""
    itemsize = _dtype_of(page).itemsize
    parts = (page.tilelength, page.tilewidth, page.tiledepth, page.rowsperstrip)
    if not all(isinstance(each, int) for each in (*page.shaped, *parts, page.bitspersample)):
        raise BadDataError("the image is damaged or truncated")
    separate, depth, height, width, contiguous = page.shaped
    check_parts(width, height, separate * contiguous)
    if not PageWindows(page, file).is_possible:
        check_size(width, height, 1, itemsize * separate * contiguous)
    check_planes(depth)
    check_growth(page.size * itemsize, size)


def _dtype_of(page: TiffPage) -> np.dtype[Any]:
    if page.dtype is None:
        raise BadDataError("pixels of this type are not supported")
    return page.dtype


def _is_for_pillow(page: TiffPage) -> bool:
    """Return True for colors that only Pillow converts."""
    if page.photometric in _LAB:
        raise BadDataError("the color mode LAB is not supported")
    if page.photometric == _CMYK:
        return bool(page.dtype == np.uint8 and page.samplesperpixel == 4)
    return bool(page.photometric == _YCBCR and page.compression not in _JPEG)


class TiffPicture:
    """The image of a TIFF file in full size; see `PictureFile`.

    Args:
        tiff: The parsed file.
        file: The file.
        size: Bytes of the file.

    Attributes:
        info: Properties of the picture.
        levels: See `WindowedPicture.levels`.
    """

    def __init__(self, tiff: TiffFile, file: BinaryIO, size: int) -> None:
        self._tiff, self._file = tiff, file
        self._all_levels: list[TiffPageSeries] = image_series(tiff).levels
        self._series: TiffPageSeries = self._all_levels[0]
        self._page = self._series.keyframe
        _check_page(self._page, file, size)
        mask = mask_series(tiff)
        for each in [] if mask is None else mask.levels:
            _check_page(each.keyframe, file, size)
        self._mask = None if mask is None else DataMask(mask, file)
        self._dtype = _dtype_of(self._page)
        self._orientation = _orientation_of(self._page)
        self._outer = _Axes.around(self._series, self._page)
        self._inner = _Axes(self._page.axes, self._page.shape)
        self.metadata: TiffMetadata = metadata_of(tiff, self._page)
        self._palette = _palette_of(self._page)
        channels = 3 if self._palette is not None else self._outer.channels * self._inner.channels
        planes = self._outer.planes * self._inner.planes
        height, width = (
            dict(zip(self._page.axes, self._page.shape, strict=True))[a] for a in "YX"
        )
        if is_sideways(self._orientation):
            height, width = width, height
        dtype = "uint8" if self._palette is not None else stored_type(self._dtype)
        self._windows: dict[tuple[int, int], PageWindows] = {}
        self._kept = DecodedSegments()
        self.levels = self._readable_levels()
        if self.levels:
            check_parts(width, height, channels)
        else:
            check_size(width, height, channels, self._dtype.itemsize)
        check_planes(planes)
        axes = self._outer.plane_names + self._inner.plane_names
        described = self.metadata
        is_color = self._page.photometric in {_RGB, _YCBCR} and channels in {3, 4}
        is_named = len(described.channel_names) == channels and not is_color
        self.info = PictureInfo(
            "TIFF",
            width,
            height,
            channels,
            dtype,
            self._dtype.name if self._palette is None else dtype,
            planes,
            _axis_name(axes) if planes > 1 else "",
            channel_names=described.channel_names if is_named else (),
            has_alpha=_has_alpha(self._page, channels),
            significant_bits=described.significant_bits or _bits_of(self._page),
            pixel_size_um=described.pixel_size_um,
            window=described.window,
            # Positions are those of the stored pixels.
            georeference=None if self._orientation > 1 else georeference_of(self._page),
            notes=(*_notes_of(tiff, self._page), *described.notes),
        )

    def plane(self, number: int) -> Pixels:
        """See `PictureFile.plane`."""
        return self._finished(self._values(number), self._hidden())

    def window(self, number: int, window: Window, level: int = 0) -> Pixels:
        """See `WindowedPicture.window`."""
        return self._finished(
            self._stored_window(number, window, level), self._hidden(window, level)
        )

    def _stored_window(self, number: int, window: Window, level: int) -> NDArray[Any]:
        """Return a part of a plane as it is stored."""
        outer, _ = self._place_of(number)
        parts = [
            self._windows_of(level, self._outer.position(outer, channel)).read(*window)
            for channel in range(self._outer.channels)
        ]
        values = parts[0] if len(parts) == 1 else np.concatenate(parts, axis=-1)
        return self._colored(values)

    def missing_in(self, number: int, window: Window) -> NDArray[np.bool_] | None:
        """See `WindowedPicture.missing_in`."""
        hidden = self._hidden(window)
        if self.info.dtype == "float32":
            gone: NDArray[np.bool_] | None = ~np.isfinite(self.window(number, window))
        elif self.metadata.no_data is None:
            return hidden if hidden is not None and hidden.any() else None
        else:
            gone = self._without_data(self._stored_window(number, window, 0))
        return _joined(gone, hidden)

    def missing(self, number: int) -> NDArray[np.bool_] | None:
        """See `PictureFile.missing`."""
        hidden = self._hidden()
        if self.info.dtype == "float32":
            gone: NDArray[np.bool_] | None = np.logical_not(np.isfinite(self.plane(number)))
        elif self.metadata.no_data is None:  # nothing has to be decoded
            return hidden if hidden is not None and hidden.any() else None
        else:
            gone = self._without_data(self._values(number))
        return _joined(gone, hidden)

    def _hidden(self, window: Window | None = None, level: int = 0) -> NDArray[np.bool_] | None:
        """Return the pixels without data by the mask in the file, upright; None without one."""
        if self._mask is None:
            return None
        page = self._all_levels[level].keyframe
        found = self._mask.without_data((page.imagewidth, page.imagelength), window)
        if window is not None:  # a turned picture has no parts
            return found
        return turned(found[..., None], self._orientation)[..., 0]

    def _finished(self, stored: NDArray[Any], hidden: NDArray[np.bool_] | None) -> Pixels:
        """Return stored values with those for no data replaced, in the type of the picture."""
        gone = self._without_data(stored)
        if self.info.has_alpha and self._page.extrasamples[-1] == _ASSOCIATED:
            stored = _without_opacity(stored)
        values = stored_values(stored, self.info.dtype)
        for each in (gone, hidden):
            if each is not None:
                values[each] = np.nan if values.dtype.kind == "f" else 0
        return values

    def _without_data(self, values: NDArray[Any]) -> NDArray[np.bool_] | None:
        """Return the values that are the one for no data; None if there is no such value."""
        no_data = self.metadata.no_data
        if no_data is None or not math.isfinite(no_data) or self._palette is not None:
            return None
        if values.dtype.kind in "iu" and not _is_value_of(values.dtype, no_data):
            return None
        with np.errstate(over="ignore", invalid="ignore"):
            return np.asarray(values == np.float64(no_data).astype(values.dtype))

    def _values(self, number: int) -> NDArray[Any]:
        """Return a plane as it is stored, upright, shape (height, width, channels)."""
        info = self.info
        outer, inner = self._place_of(number)
        check_size(info.width, info.height, info.channels, self._dtype.itemsize)
        parts = []
        for channel in range(self._outer.channels):
            page = self._decoded(self._outer.position(outer, channel))
            parts.append(self._inner.taken(page, inner))
        values = parts[0] if len(parts) == 1 else np.concatenate(parts, axis=-1)
        return turned(self._colored(values), self._orientation)

    def _place_of(self, number: int) -> tuple[int, int]:
        """Return the number of a plane among pages, and that within a page."""
        if not 0 <= number < self.info.planes:
            raise BadDataError("the plane no longer exists")
        return divmod(number, self._inner.planes)

    def _colored(self, values: NDArray[Any]) -> NDArray[Any]:
        """Return values with the palette applied, the bright ones as large numbers, in bytes."""
        if self._palette is not None:
            values = self._palette[np.minimum(values[..., 0], len(self._palette) - 1)]
        elif self._page.photometric == _WHITE_IS_ZERO:
            values = _inverted(values, self._page.bitspersample)
        if values.dtype.kind == "b":
            values = values.astype(np.uint8) * np.uint8(255)
        return values

    def _readable_levels(self) -> list[tuple[int, int]]:
        """Return width and height of each level whose parts can be decoded alone."""
        is_turned = self._orientation not in {0, 1}
        if is_turned or self._inner.planes > 1 or len(self._series.pages) != self._outer.count:
            return []
        found = []
        for level, series in enumerate(self._all_levels):
            sides = dict(zip(series.keyframe.axes, series.keyframe.shape, strict=True))
            is_same = series.keyframe.dtype == self._page.dtype
            if len(series.pages) != self._outer.count or not is_same:
                break
            if not self._windows_of(level, 0).is_possible:
                break
            found.append((sides["X"], sides["Y"]))
        return found

    def _windows_of(self, level: int, position: int) -> PageWindows:
        """Return the parts of a page of a level."""
        known = self._windows.get((level, position))
        if known is None:
            page = self._all_levels[level].pages[position]
            if page is None:
                raise BadDataError("the plane is missing in the file")
            known = self._windows[level, position] = PageWindows(
                page.aspage(), self._file, self._kept
            )
            if known.is_possible:
                self._kept.reserve(known.row_bytes * self._outer.channels)
        return known

    def _decoded(self, position: int) -> NDArray[Any]:
        """Return a page of the series, of the shape of its axes."""
        pages = self._series.pages
        if len(pages) == self._outer.count:
            page = pages[position]
            if page is None:
                raise BadDataError("the plane is missing in the file")
            check_segments(page, self._page, self._file)
            found: NDArray[Any] = page.asarray(maxworkers=1)
            return found.reshape(self._page.shape)
        start = self._series.dataoffset
        if start is None:
            raise BadDataError("its planes cannot be read one by one")
        length = self._page.size * self._dtype.itemsize
        self._file.seek(start + position * length)
        data = self._file.read(length)
        if len(data) < length:
            raise BadDataError("the image is damaged or truncated")
        dtype = self._dtype.newbyteorder(self._tiff.byteorder)
        return np.frombuffer(data, dtype).reshape(self._page.shape).astype(self._dtype)


class _Axes:
    """Axes of an array: which of them are planes and which are channels.

    Args:
        axes: A letter for each axis, as `tifffile` names them.
        shape: Its lengths.
    """

    def __init__(self, axes: str, shape: tuple[int, ...]) -> None:
        self.axes, self.shape = axes, shape
        lengths = dict(zip(axes, shape, strict=True))
        # More channels than any picture has: planes that a program declared as channels.
        are_channels = {"S"} | ({"C"} if lengths.get("C", 1) <= MAX_CHANNELS else set())
        self._channel_axes = [i for i, name in enumerate(axes) if name in are_channels]
        self._plane_axes = [
            i for i, name in enumerate(axes) if name not in are_channels and name not in "YX"
        ]

    @classmethod
    def around(cls, series: TiffPageSeries, page: TiffPage) -> _Axes:
        """Return the axes of a series that lie around those of its pages."""
        axes, shape = series.get_axes(squeeze=False), series.get_shape(squeeze=False)
        for at in range(len(shape), -1, -1):
            if math.prod(shape[at:]) == page.size and not {"Y", "X"} & {
                name for name, length in zip(axes[:at], shape[:at], strict=True) if length > 1
            }:
                return cls(axes[:at].replace("Y", "Q").replace("X", "Q"), shape[:at])
        raise BadDataError("the image is damaged or truncated")

    @property
    def count(self) -> int:
        return math.prod(self.shape)

    @property
    def channels(self) -> int:
        return math.prod(self.shape[i] for i in self._channel_axes)

    @property
    def planes(self) -> int:
        return math.prod(self.shape[i] for i in self._plane_axes)

    @property
    def plane_names(self) -> str:
        return "".join(self.axes[i] for i in self._plane_axes if self.shape[i] > 1)

    def _index(self, plane: int, channel: int) -> list[int]:
        found = [0] * len(self.shape)
        for axes, number in ((self._plane_axes, plane), (self._channel_axes, channel)):
            lengths = [self.shape[i] for i in axes]
            for i, at in zip(axes, np.unravel_index(number, lengths or [1]), strict=False):
                found[i] = int(at)
        return found

    def position(self, plane: int, channel: int) -> int:
        """Return the number of the page with a channel of a plane."""
        index = self._index(plane, channel)
        return int(np.ravel_multi_index(index, self.shape)) if index else 0

    def taken(self, values: NDArray[Any], plane: int) -> NDArray[Any]:
        """Return a plane of a page, shape (height, width, channels)."""
        index = self._index(plane, 0)
        chosen: list[int | slice] = [slice(None)] * values.ndim
        for i in self._plane_axes:
            chosen[i] = index[i]
        left = [i for i in range(values.ndim) if i not in self._plane_axes]
        names = [self.axes[i] for i in left]
        picked = values[tuple(chosen)]
        order = [names.index("Y"), names.index("X")]
        order += [i for i in range(len(names)) if i not in order]
        picked = picked.transpose(order)
        return picked.reshape(*picked.shape[:2], -1)


def _joined(
    gone: NDArray[np.bool_] | None, hidden: NDArray[np.bool_] | None
) -> NDArray[np.bool_] | None:
    """Return pixels without data in all channels, or by the mask; None if there are none.

    Args:
        gone: Values without data, shape (height, width, channels).
        hidden: Pixels without data by the mask, shape (height, width).
    """
    found = None if gone is None else np.asarray(gone.all(axis=-1))
    if hidden is not None:
        found = hidden if found is None else found | hidden
    return found if found is not None and found.any() else None


def _axis_name(axes: str) -> str:
    return _NAMES_OF_AXES.get(axes, axes)


def _orientation_of(page: TiffPage) -> int:
    value = page.tags.valueof(274, default=1)
    return value if isinstance(value, int) else 1


def _palette_of(page: TiffPage) -> NDArray[np.uint8] | None:
    """Return the colors of the values of a page, shape (values, 3); None if it has no palette."""
    if page.photometric != _PALETTE or page.colormap is None or page.samplesperpixel != 1:
        return None
    if page.is_imagej or page.is_ome:  # colors of the display, not of the picture
        return None
    colors = np.asarray(page.colormap).T
    if colors.ndim != 2 or colors.shape[1] != 3:
        raise BadDataError("the image is damaged or truncated")
    shift = 8 if colors.max(initial=0) > 255 else 0  # as libtiff does
    return np.ascontiguousarray((colors >> shift).astype(np.uint8))


def _has_alpha(page: TiffPage, channels: int) -> bool:
    kinds = page.extrasamples
    is_color = page.photometric == _RGB and channels == 4
    is_gray = page.photometric != _RGB and channels == 2 and page.samplesperpixel == 2
    return bool(kinds) and kinds[-1] in _ALPHAS and (is_color or is_gray)


def _bits_of(page: TiffPage) -> int:
    """Return the declared bits of a value if they are not those of its type."""
    bits = page.bitspersample
    dtype = _dtype_of(page)
    return int(bits) if dtype.kind == "u" and 1 < bits < dtype.itemsize * 8 else 0


def _is_value_of(dtype: np.dtype[Any], number: float) -> bool:
    """Return True for a number that a type of whole numbers holds."""
    limits = np.iinfo(dtype)
    return number.is_integer() and limits.min <= number <= limits.max


def _without_opacity(values: NDArray[Any]) -> NDArray[Any]:
    """Divide colors by the opacity, the last channel, that they were multiplied by."""
    has_fractions = values.dtype.kind == "f"
    full = 1.0 if has_fractions else float(np.iinfo(values.dtype).max)
    opacity = values[..., -1:].astype(np.float64)
    colors = values[..., :-1] * full
    colors = np.divide(colors, opacity, out=np.zeros_like(colors), where=opacity > 0)
    if not has_fractions:
        colors = np.rint(np.minimum(colors, full))
    return np.concatenate([colors.astype(values.dtype), values[..., -1:]], axis=-1)


def _inverted(values: NDArray[Any], bits: int) -> NDArray[Any]:
    if values.dtype.kind == "b":
        return np.asarray(np.logical_not(values))
    if values.dtype.kind == "u":
        largest = (1 << min(bits, values.dtype.itemsize * 8)) - 1
        return np.asarray(np.subtract(values.dtype.type(largest), values))
    if values.dtype.kind == "i":
        return np.asarray(np.invert(values))  # the range is symmetric about -1/2
    return values


def _notes_of(tiff: TiffFile, page: TiffPage) -> tuple[Text, ...]:
    """Return sentences about images of a file that are not read, and about unusual channels."""
    found: list[Text] = []
    others = unread_series(tiff)
    if others > 0:
        found.append(
            message(
                "{count:,} more images of another size or type in the file are not read.",
                one="One more image of another size or type in the file is not read.",
                count=others,
            )
        )
    if page.photometric == _CMYK:
        found.append(message("Its channels are inks (CMYK), not red, green and blue."))
    return tuple(found)
