"""Reads the position of a picture on the earth from the tags of a GeoTIFF."""

from __future__ import annotations

import importlib
import importlib.util
import math
from typing import BinaryIO, Final

from tifffile import TiffFile, TiffPage

from studio.engine.pictures.info import Affine, Georeference
from studio.engine.pictures.pyramid_file import ExtraTag
from studio.engine.pictures.tiff_structure import check_structure

_SCALE, _POINTS, _MATRIX, _KEYS, _DOUBLES, _TEXTS = 33550, 33922, 34264, 34735, 34736, 34737
_POINT_TYPE, _RASTER_TYPE = 2, 1025
"""A value of `_RASTER_TYPE`: positions belong to centers of pixels; and the key of it."""
_EPSG_KEYS: Final = (3072, 2048)
"""Keys of a projected and of a geographic system, as numbers of EPSG."""
_USER_DEFINED: Final = 32767
_MOST_VALUES: Final = 4096
_ASCII, _SHORT, _DOUBLE = 2, 3, 12
"""TIFF's numbers of types of values."""


def georeference_of(page: TiffPage) -> Georeference | None:
    """Return the position of a page on the earth; None if it has none.

    Args:
        page: A `tifffile.TiffPage`.
    """
    transform = _transform_of(page)
    if transform is None:
        return None
    keys = _values(page, _KEYS)
    codes = dict(zip(keys[4::4], keys[7::4], strict=False)) if len(keys) >= 8 else {}
    if codes.get(_RASTER_TYPE) == _POINT_TYPE:
        a, b, c, d, e, f = transform
        transform = (a, b, c - (a + b) / 2, d, e, f - (d + e) / 2)
    return Georeference(_crs_of(page, codes), transform)


def position_tags(file: BinaryIO) -> tuple[ExtraTag, ...]:
    """Return the tags with the position of a GeoTIFF, to be written into files about it.

    Args:
        file: A TIFF file at its beginning.

    Raises:
        BadDataError: The file is damaged; the message is a reason.
    """
    check_structure(file)
    with TiffFile(file, name="", _multifile=False) as tiff:
        page = tiff.pages.first
        return _copied_tags(page) if georeference_of(page) is not None else ()


def _copied_tags(page: TiffPage) -> tuple[ExtraTag, ...]:
    numbers = ((_SCALE, _DOUBLE), (_POINTS, _DOUBLE), (_MATRIX, _DOUBLE), (_KEYS, _SHORT))
    found = [
        ExtraTag(tag, kind, tuple(int(each) if kind == _SHORT else each for each in values))
        for tag, kind in (*numbers, (_DOUBLES, _DOUBLE))
        if (values := _values(page, tag))
    ]
    text = page.tags.valueof(_TEXTS)
    if isinstance(text, str) and 0 < len(text) <= _MOST_VALUES:
        found.append(ExtraTag(_TEXTS, _ASCII, (text,)))
    return tuple(found)


def _values(page: TiffPage, tag: int) -> tuple[float, ...]:
    value = page.tags.valueof(tag)
    numbers = value if isinstance(value, tuple) and len(value) <= _MOST_VALUES else ()
    return tuple(each for each in numbers if isinstance(each, int | float))


def _transform_of(page: TiffPage) -> Affine | None:
    matrix, scale, points = (_values(page, tag) for tag in (_MATRIX, _SCALE, _POINTS))
    found: tuple[float, ...]
    if len(matrix) == 16:
        found = (*matrix[0:2], matrix[3], *matrix[4:6], matrix[7])
    elif len(scale) >= 2 and len(points) >= 6:
        column, row, _, x, y = points[:5]
        found = (scale[0], 0.0, x - column * scale[0], 0.0, -scale[1], y + row * scale[1])
    else:
        return None
    a, b, c, d, e, f = map(float, found)
    is_usable = all(map(math.isfinite, (a, b, c, d, e, f))) and a * e != b * d
    return (a, b, c, d, e, f) if is_usable else None


def _crs_of(page: TiffPage, codes: dict[float, float]) -> str:
    for key in _EPSG_KEYS:
        code = codes.get(key)
        if code is not None and 0 < code < _USER_DEFINED:
            return f"EPSG:{code:.0f}"
    return _well_known_text(page) if codes else ""


def _well_known_text(page: TiffPage) -> str:
    """Return a system without a number of EPSG; empty without the extra for it."""
    if importlib.util.find_spec("rasterio") is None:
        return ""
    text = page.tags.valueof(_TEXTS)
    module = importlib.import_module("studio.engine.pictures.coordinate_systems")
    found: str = module.well_known_text(
        [int(each) for each in _values(page, _KEYS)],
        _values(page, _DOUBLES),
        text if isinstance(text, str) and len(text) <= _MOST_VALUES else "",
    )
    return found
