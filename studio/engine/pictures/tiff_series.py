"""Chooses the image among the series of a TIFF file, and finds the mask that belongs to it."""

from __future__ import annotations

from typing import BinaryIO

import numpy as np
from numpy.typing import NDArray
from tifffile import TiffFile, TiffPageSeries

from studio.engine.pictures.info import Window
from studio.engine.pictures.tiff_windows import DecodedSegments, PageWindows, check_segments


def are_single_pages(tiff: TiffFile) -> bool:
    """Return True if each series of a file is one page of the same size and type.

    `tifffile` writes them if it is called once for each page of a stack.
    """
    kinds = {(each.shape, str(each.dtype), each.keyframe.photometric) for each in tiff.series}
    is_plain = all(
        each.shape == each.keyframe.shape and len(each.pages) == 1 and not _is_part(each)
        for each in tiff.series
    )
    return bool(tiff.is_shaped) and len(tiff.series) > 1 and is_plain and len(kinds) == 1


def image_series(tiff: TiffFile) -> TiffPageSeries:
    """Return the first series that is neither a preview nor a mask of another one."""
    return next((each for each in tiff.series if not _is_part(each)), tiff.series[0])


def unread_series(tiff: TiffFile) -> int:
    """Return the number of images of a file that are not read."""
    image = image_series(tiff)
    mask = mask_series(tiff)
    return sum(each is not image and each is not mask for each in tiff.series)


def mask_series(tiff: TiffFile) -> TiffPageSeries | None:
    """Return the mask of the pixels with data, as GDAL writes it; None if there is none."""
    image = image_series(tiff).keyframe
    size = image.imagelength, image.imagewidth
    for each in tiff.series:
        page = each.keyframe
        if page.is_mask and not page.is_reduced and (page.imagelength, page.imagewidth) == size:
            return each if page.samplesperpixel == 1 and page.imagedepth == 1 else None
    return None


def _is_part(series: TiffPageSeries) -> bool:
    return bool(series.keyframe.is_reduced or series.keyframe.is_mask)


class DataMask:
    """Pixels of an image that have no data, by the mask in its file.

    Args:
        series: The mask with its smaller copies.
        file: The file.
    """

    def __init__(self, series: TiffPageSeries, file: BinaryIO) -> None:
        self._file = file
        self._decoded = DecodedSegments()
        self._levels = {
            (each.keyframe.imagewidth, each.keyframe.imagelength): each.keyframe
            for each in series.levels
        }
        self._full = next(iter(self._levels))

    def without_data(
        self, size: tuple[int, int], window: Window | None = None
    ) -> NDArray[np.bool_]:
        """Return True for pixels without data, shape (height, width), as they are stored.

        Where the mask has no such level, the nearest pixels of the whole mask are taken.

        Args:
            size: Width and height of the level of the image.
            window: A part of it; None for all of it.
        """
        page = self._levels.get(size)
        if page is None:
            return self._sampled(size, window or (0, 0, *size))
        windows = PageWindows(page, self._file, self._decoded)
        if windows.is_possible:
            has_data = windows.read(*(window or (0, 0, *size)))[..., 0]
        else:
            check_segments(page, page, self._file)
            has_data = page.asarray(maxworkers=1).reshape(size[::-1])
            if window is not None:
                left, top, width, height = window
                has_data = has_data[top : top + height, left : left + width]
        return np.asarray(has_data == 0)

    def _sampled(self, size: tuple[int, int], window: Window) -> NDArray[np.bool_]:
        """Return the pixels without data of a part of a level that the mask lacks."""
        full = self._full
        left, top, width, height = window
        columns = (np.arange(left, left + width) * 2 + 1) * full[0] // (2 * size[0])
        rows = (np.arange(top, top + height) * 2 + 1) * full[1] // (2 * size[1])
        first = int(columns[0]), int(rows[0])
        covered = (*first, int(columns[-1]) + 1 - first[0], int(rows[-1]) + 1 - first[1])
        return self.without_data(full, covered)[rows - first[1]][:, columns - first[0]]
