"""Images and labels in arrays, under any of their usual names."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Any, Final, Protocol

import numpy as np
from numpy.typing import NDArray

from studio.engine.datasets.origins.columns import kind_of_column
from studio.engine.datasets.picture_values import array_file
from studio.engine.datasets.sources import base
from studio.engine.datasets.sources.shared.labels import (
    LARGEST_ROW,
    LONGEST_LABEL,
    checked_label,
    name_of,
    names_from,
    require_plausible_count,
)
from studio.engine.errors import BadDataError, StudioError
from studio.engine.messages import Text, message
from studio.engine.pixel_format import MAX_CHANNELS, PixelType
from studio.engine.progress import Progress
from studio.engine.tasks.metric import with_unit
from studio.engine.tasks.split_words import split_of

_IMAGES = ("x", "images", "image", "data", "pixels", "features", "imgs")
_LABELS = ("y", "labels", "label", "targets", "target", "classes", "class")
_NAMES = ("class_names", "label_names", "target_names", "classes", "names", "columns")
_UNITS = ("target_units", "units")
_ORIGINS = ("origins", "origin", "groups", "group", "patients", "patient", "videos", "video")
_MOST_COLORS: Final = 4
"""Channels of a picture at most: color and opacity."""
ORIGIN_HEADING: Final = "origin_heading"
"""Array with the heading of the origins, from which an import knows their kind."""
_LARGEST_SIDE = 16384
_MOST_ROWS = 20_000_000
_MOST_BYTES = 2**30
_MOST_ORIGINS = 2**28
"""Bytes of an array of origins."""
_LARGEST_LABEL_ROW = 2**20
_BYTES_OF_A_CHARACTER = 4
_SHOWN_ARRAYS = 6


@dataclass(frozen=True, slots=True)
class ArrayInfo:
    """Shape and type of one array, unread."""

    shape: tuple[int, ...]
    dtype: np.dtype[Any]


class ArrayFile(Protocol):
    """An open file of named arrays."""

    @property
    def arrays(self) -> Mapping[str, ArrayInfo]:
        """Arrays of the file by name; names of groups are separated by slashes."""

    def check(self, name: str) -> None:
        """Refuse an array that claims far more than is stored."""

    def whole(self, name: str) -> NDArray[Any]:
        """Return a small array."""

    def chunks(self, name: str) -> Iterator[NDArray[Any]]:
        """Return a large array from its beginning, some rows at a time."""


@dataclass(frozen=True, slots=True)
class Pair:
    """An array of images, that of their labels, and the split that the names say."""

    images: str
    labels: str
    split: str | None


def pairs_in(arrays: Mapping[str, ArrayInfo]) -> list[Pair]:
    """Pair images with labels: `x` and `y`, `x_train` and `y_train`, `test/images`, and so on.

    Images whose labels have another name otherwise, as in `scan/raw/images` and `scan/labels`,
    belong to the labels of their split and number, if there is only one such array, and no other
    array of images that it may belong to.
    """
    fitting = {
        name: _labels_of(arrays, name)
        for name, info in arrays.items()
        if _parsed(name, _IMAGES)[1] and len(info.shape) in {3, 4}
    }
    takers = Counter(chain.from_iterable(fitting.values()))
    found = []
    for name, labels in fitting.items():
        rest, _, split = _parsed(name, _IMAGES)
        own = [each for each in labels if _parsed(each, _LABELS)[0] == rest]
        if own or (len(labels) == 1 and takers[labels[0]] == 1):
            found.append(Pair(name, (own or labels)[0], split))
    order = {"train": 0, "val": 1, "test": 2}
    return sorted(found, key=lambda pair: order.get(pair.split or "", 3))


def _labels_of(arrays: Mapping[str, ArrayInfo], images: str) -> list[str]:
    """Return the arrays that may be the labels of some images: as many, of the same split."""
    count, split = arrays[images].shape[:1], _parsed(images, _IMAGES)[2]
    found = []
    for name, info in arrays.items():
        _, word, own_split = _parsed(name, _LABELS)
        is_small = info.shape[:1] == count and len(info.shape) <= 2
        if word and name != images and own_split == split and is_small:
            found.append(name)
    return found


def _parsed(name: str, words: Sequence[str]) -> tuple[tuple[str, ...], str, str | None]:
    """Return the other parts of a name, the part with its content, and the split."""
    word, split, rest = "", None, []
    for part in name.casefold().replace("/", "_").replace("-", "_").split("_"):
        if split is None and split_of(part):
            split = split_of(part)
        elif not word and part in words:
            word = part
        elif part:
            rest.append(part)
    return tuple(rest), word, split


def scan_arrays(
    path: Path, file: ArrayFile, progress: Progress, options: base.SourceOptions
) -> base.Scan:
    """List the images of every pair of arrays.

    Args:
        path: The source.
        file: Its open file.
        progress: Receives the progress and may cancel.
        options: Classes and columns of the recipe.

    Raises:
        StudioError: There is no pair, or too few classes.
    """
    pairs = pairs_in(file.arrays)
    if not pairs:
        raise _no_pairs(path, file)
    names = names_from(options) or _texts_in(file, _NAMES)
    scan = base.Scan(split_origin="array names")
    modified = base.modified_at(path)
    for pair in pairs:
        progress.advance(len(scan.items), 0, "Reading labels")
        progress.check()
        try:
            require_plausible_count(file.arrays[pair.images].shape[0], path)
            file.check(pair.images)
            first = len(scan.items)
            if options.columns:
                _add_targets(scan, file, pair, names, modified)
            else:
                _add_pair(scan, file, pair, names, modified)
            _add_origins(scan, file, pair, first)
        except BadDataError as error:
            scan.problems.append(base.Skipped(base.safe_text(pair.images), error.message))
    scan.problems += _without_labels(file, pairs)
    scan.warnings += _unread_images(file.arrays, pairs)
    base.complete_scan(path, scan, options, "Every image needs a valid label.")
    return scan


def _without_labels(file: ArrayFile, pairs: Sequence[Pair]) -> list[base.Skipped]:
    """Return arrays that are called like images and have no labels."""
    used = {name for pair in pairs for name in (pair.images, pair.labels)}
    return [
        base.Skipped(
            base.safe_text(name),
            message("no array of {count:,} labels belongs to its images", count=info.shape[0]),
        )
        for name, info in file.arrays.items()
        if name not in used and len(info.shape) in {3, 4} and _parsed(name, _IMAGES)[1]
    ]


def _unread_images(arrays: Mapping[str, ArrayInfo], pairs: Sequence[Pair]) -> list[Text]:
    """Return a sentence about arrays that may be images, or masks of them, and are not read."""
    read = {pair.images for pair in pairs} | {pair.labels for pair in pairs}
    unread = [
        f"{base.safe_text(name)} {info.shape}"
        for name, info in arrays.items()
        if name not in read and len(info.shape) >= 3 and not _parsed(name, _IMAGES)[1]
    ]
    if not unread:
        return []
    return [
        message(
            "{count} arrays of the file are not read, as no labels belong to them: {arrays}",
            one="One array of the file is not read, as no labels belong to it: {arrays}",
            count=len(unread),
            arrays=", ".join(unread[:_SHOWN_ARRAYS]) + ("…" if unread[_SHOWN_ARRAYS:] else ""),
        )
    ]


def _add_origins(scan: base.Scan, file: ArrayFile, pair: Pair, first: int) -> None:
    """Add the origins of the images of a pair, if the file has an array of them.

    Args:
        scan: Has the images.
        file: The file.
        pair: Arrays of the images.
        first: Index of the first image of the pair.
    """
    name = _origins_of(file.arrays, pair)
    if name is None:
        return
    values = file.whole(name)
    if values.dtype.kind == "S":
        values = np.char.decode(values, "utf-8", "replace")
    origins = values.astype(np.str_).tolist()
    scan.items[first:] = [
        replace(item, origin=origins[item.position]) for item in scan.items[first:]
    ]
    heading = next(iter(_texts_in(file, (ORIGIN_HEADING,))), "")
    scan.origin_column = heading or name.rpartition("/")[2]
    scan.origin_kind = kind_of_column(scan.origin_column)


def _origins_of(arrays: Mapping[str, ArrayInfo], pair: Pair) -> str | None:
    """Return the array with the origin of each image of a pair: texts or whole numbers."""
    rest, _, split = _parsed(pair.images, _IMAGES)
    count = arrays[pair.images].shape[0]
    for name, info in arrays.items():
        other, word, other_split = _parsed(name, _ORIGINS)
        is_own = word and (other, other_split) == (rest, split) and info.shape == (count,)
        is_small = info.dtype.itemsize * count <= _MOST_ORIGINS
        if is_own and is_small and info.dtype.kind in "USiu":
            return name
    return None


def read_arrays(
    file: ArrayFile, items: Sequence[base.SourceImage]
) -> Iterator[tuple[int, base.Fetch]]:
    """Read every array once; see `Source.read`."""
    requested = base.rows_by_file(items)
    for name, indices in requested.items():
        if name in file.arrays:
            yield from base.completed(_read_array(file, name, indices), indices.values())


def _read_array(
    file: ArrayFile, name: str, indices: dict[int, int]
) -> Iterator[tuple[int, base.Fetch]]:
    is_turned = _has_channels_first(file.arrays[name].shape)
    values = _Values(file, name)
    start, last = 0, max(indices)
    for chunk in file.chunks(name):
        for row in range(len(chunk)):
            if start + row in indices:
                pixels = chunk[row].transpose(1, 2, 0) if is_turned else chunk[row]
                yield indices[start + row], partial(values.picture, pixels.copy())
        start += len(chunk)
        if start > last:
            break


class _Values:
    """Type of pixels that keeps the values of an array, the same for all of its images.

    Truth values, also those written as the numbers 0 and 1, become black and white. Other numbers
    than bytes and unsigned ones of 16 bits are scanned once: if all of them are whole, the
    smallest type holds them, otherwise fractions.
    """

    def __init__(self, file: ArrayFile, name: str) -> None:
        source = file.arrays[name].dtype
        self._is_truth = source.kind == "b"
        self._dtype: np.dtype[Any] = np.dtype(np.uint8)
        if source == np.uint16 or source.newbyteorder("=") == np.uint16:
            self._dtype = np.dtype(np.uint16)
        elif source not in (np.bool_, np.uint8):
            smallest = _smallest_type(file, name)
            self._is_truth = smallest is None
            self._dtype = np.dtype(smallest or np.uint8)

    def picture(self, pixels: NDArray[Any]) -> bytes:
        """Return an image as a file: a picture of 8 bits, or an array."""
        values = pixels.astype(self._dtype)
        if self._is_truth:
            values *= 255
        channels = values.shape[2] if values.ndim == 3 else 1
        is_picture = self._dtype == np.uint8 and channels in {1, 3}
        return picture(values) if is_picture else array_file(values)


def _smallest_type(file: ArrayFile, name: str) -> PixelType | None:
    """Return the smallest type of pixels that keeps all values; None if all are 0 or 1."""
    low, high, is_whole = 0.0, 0.0, True
    for chunk in file.chunks(name):
        finite = chunk[np.isfinite(chunk)].astype(np.float64)
        is_whole = is_whole and finite.size == chunk.size and bool((finite % 1 == 0).all())
        low, high = min(low, float(finite.min(initial=0))), max(high, float(finite.max(initial=0)))
    if not is_whole or low < 0:
        return "float32"
    if high <= 1:
        return None
    fitting: list[PixelType] = ["uint8", "uint16"]
    return next((each for each in fitting if high <= np.iinfo(each).max), "float32")


def _add_pair(
    scan: base.Scan, file: ArrayFile, pair: Pair, names: Sequence[str], modified: int
) -> None:
    size = _image_bytes(file.arrays[pair.images])
    for index, label in enumerate(_labels(file, pair.labels)):
        key = f"{pair.images}/{index}"
        try:
            name = name_of(label, names) if isinstance(label, int) else _checked(str(label))
        except BadDataError as error:
            scan.problems.append(base.Skipped(base.safe_text(key), error.message))
        else:
            scan.items.append(base.SourceImage(key, name, pair.split, size, modified, index))


def _add_targets(
    scan: base.Scan, file: ArrayFile, pair: Pair, names: Sequence[str], modified: int
) -> None:
    """List images with the cells of their targets, a column for each output.

    Raises:
        BadDataError: The targets have other columns than the first ones, or none that can be read.
    """
    size = _image_bytes(file.arrays[pair.images])
    columns = _target_columns(file, pair.labels, names)
    if scan.columns and columns != scan.columns:
        raise BadDataError(
            "its targets are {columns}; those of the first array are {expected}",
            columns=", ".join(columns),
            expected=", ".join(scan.columns),
        )
    for index, values in enumerate(_cells(file, pair.labels)):
        key = f"{pair.images}/{index}"
        scan.items.append(
            base.SourceImage(key, "", pair.split, size, modified, index, values=values)
        )
    scan.columns = columns


def _target_columns(file: ArrayFile, array: str, names: Sequence[str]) -> tuple[str, ...]:
    """Return the names of the outputs, with their units in brackets."""
    shape = file.arrays[array].shape
    count = math.prod(shape[1:])
    if not names and count == 1:
        names = [_parsed(array, _LABELS)[1]]
    if not names:
        raise BadDataError(
            "its {count} columns of targets have no names; add an array "
            "target_names, or a labels file with a name per line",
            count=count,
        )
    if len(names) != count:
        raise BadDataError(
            "it has {count} columns of targets and {names} names for them",
            count=count,
            names=len(names),
        )
    if len(set(names)) < count or not all(name.strip() for name in names):
        raise BadDataError("the names of its targets are empty or repeated")
    units = _texts_in(file, _UNITS) or [""] * count
    if len(units) != count:
        raise BadDataError(
            "it has {count} columns of targets and {units} units for them",
            count=count,
            units=len(units),
        )
    return tuple(_checked(with_unit(*each)) for each in zip(names, units, strict=True))


def _cells(file: ArrayFile, name: str) -> Iterator[tuple[str, ...]]:
    """Yield the targets of each image as texts."""
    info = file.arrays[name]
    if info.dtype.kind in "OSU" and math.prod(info.shape[1:]) == 1:
        yield from ((_word(value),) for value in _small(file, name).reshape(-1).tolist())
        return
    row = info.dtype.itemsize * math.prod(info.shape[1:])
    if row > _LARGEST_LABEL_ROW or info.dtype.kind not in "buif":
        raise BadDataError(
            "its targets are {dtype} instead of numbers, or too many", dtype=info.dtype
        )
    for chunk in file.chunks(name):
        rows = chunk.reshape(len(chunk), -1)
        rows = rows.astype(np.uint8) if rows.dtype.kind == "b" else rows
        # As few digits as are read back as the same number of this type.
        yield from (tuple(str(value) for value in row) for row in rows)


def _has_channels_first(shape: tuple[int, ...]) -> bool:
    """Return True if the second of four axes is that of channels: it is shorter than the last one.

    Args:
        shape: Lengths of the axes of several images.
    """
    if len(shape) != 4 or shape[3] <= _MOST_COLORS:
        return False
    looks_square = shape[1] == shape[2] and shape[3] <= MAX_CHANNELS
    return shape[1] <= _MOST_COLORS or (
        shape[1] < shape[3] and shape[1] <= MAX_CHANNELS and not looks_square
    )


def _image_bytes(info: ArrayInfo) -> int:
    _require_images(info)
    return info.dtype.itemsize * math.prod(info.shape[1:])


def _require_images(info: ArrayInfo) -> None:
    shape = (info.shape[0], *info.shape[2:], info.shape[1])
    shape = shape if _has_channels_first(info.shape) else info.shape
    channels = shape[3] if len(shape) == 4 else 1
    if not 0 < channels <= MAX_CHANNELS or not all(
        0 < side <= _LARGEST_SIDE for side in shape[1:3]
    ):
        raise BadDataError("an array of shape {shape} contains no images", shape=info.shape)
    if shape[0] > _MOST_ROWS:
        raise BadDataError("it claims {count} images, more than are supported", count=shape[0])
    if info.dtype.itemsize * math.prod(info.shape[1:]) > LARGEST_ROW:
        raise BadDataError("an image in it takes more than {limit} MB", limit=LARGEST_ROW // 2**20)
    if info.dtype.kind not in "buif":
        raise BadDataError("values of type {dtype} are not pixels", dtype=info.dtype)


def _labels(file: ArrayFile, name: str) -> list[int] | list[str]:
    info = file.arrays[name]
    if len(info.shape) == 2 and info.shape[1] > 1:  # one column per class
        row = info.dtype.itemsize * info.shape[1]
        if row > _LARGEST_LABEL_ROW or info.dtype.kind not in "buif":
            raise BadDataError("its labels are too large")
        return [label for chunk in file.chunks(name) for label in _marked(chunk)]
    values = _small(file, name).reshape(-1)
    if values.dtype.kind in "OSU":
        return [_word(value) for value in values.tolist()]
    if values.dtype.kind not in "buif" or not np.array_equal(values, np.rint(values)):
        raise BadDataError("its labels are neither names nor whole numbers")
    return [int(label) for label in values]


def _marked(rows: NDArray[Any]) -> list[int]:
    """Return the only class that each row marks.

    Raises:
        BadDataError: A row marks several classes, or none; the message is a short reason.
    """
    is_clear = (np.count_nonzero(rows, axis=1) == 1) & (rows.max(axis=1) == 1)
    if not is_clear.all():
        raise BadDataError(
            "its labels have a column for each class, but not exactly one 1 in each row; for "
            "several labels of an image choose the task multi_label, for probabilities regression"
        )
    found: list[int] = rows.argmax(axis=1).tolist()
    return found


def _small(file: ArrayFile, name: str) -> NDArray[Any]:
    """Read labels or names as a whole."""
    info = file.arrays[name]
    is_text = info.dtype.kind in "SU"
    if is_text and info.dtype.itemsize > _BYTES_OF_A_CHARACTER * LONGEST_LABEL:
        raise BadDataError("its labels are longer than {limit:,} characters", limit=LONGEST_LABEL)
    if info.dtype.itemsize * math.prod(info.shape) > _MOST_BYTES:
        raise BadDataError("its labels are too large")
    return file.whole(name)


def _texts_in(file: ArrayFile, names: Sequence[str]) -> list[str]:
    """Return the texts of the first array that has one of some names."""
    for requested in names:
        for name, info in file.arrays.items():
            is_text = info.dtype.kind in "OSU" and len(info.shape) == 1
            if name.casefold().rpartition("/")[2] == requested and is_text:
                return [_word(value) for value in _small(file, name).tolist()]
    return []


def _word(value: object) -> str:
    return value.decode("utf-8", "replace") if isinstance(value, bytes) else str(value)


def _checked(label: str) -> str:
    return base.safe_text(checked_label(label))


def _no_pairs(path: Path, file: ArrayFile) -> StudioError:
    shown = [f"{name} {info.shape}" for name, info in list(file.arrays.items())[:_SHOWN_ARRAYS]]
    return StudioError(
        "{file} contains no images with labels; its arrays are {arrays}.",
        "Name the arrays x and y, x_train and y_train and so on, or images and labels: N x H x W "
        "or N x H x W x C, and N labels or N x K targets. Arrays of Python objects are not "
        "supported.",
        "source",
        file=path,
        arrays=", ".join(shown) or message("no arrays"),
    )


# Pixels as files.


def picture(pixels: NDArray[np.generic]) -> bytes:
    """Return an image of 8 bits as a lossless file: PGM or PPM, which are fast.

    Args:
        pixels: uint8, H x W or H x W x C with 1 (gray) or 3 channels.

    Raises:
        BadDataError: It has another shape.
    """
    if pixels.ndim == 3 and pixels.shape[2] == 1:
        pixels = pixels[:, :, 0]
    if pixels.ndim == 2 or (pixels.ndim == 3 and pixels.shape[2] == 3):
        return _portable(pixels)
    raise BadDataError("images of shape {shape} are not supported", shape=pixels.shape)


def _portable(pixels: NDArray[np.generic]) -> bytes:
    kind = "P5" if pixels.ndim == 2 else "P6"
    return f"{kind} {pixels.shape[1]} {pixels.shape[0]} 255\n".encode() + pixels.tobytes()
