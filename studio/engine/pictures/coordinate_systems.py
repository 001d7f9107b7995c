"""Coordinate reference systems of GeoTIFF files, with `rasterio`."""

from __future__ import annotations

import io
from collections.abc import Sequence

import numpy as np
import rasterio
from rasterio.errors import RasterioError
from rasterio.io import MemoryFile
from tifffile import imwrite

_SCALE, _POINTS, _KEYS, _DOUBLES, _TEXTS = 33550, 33922, 34735, 34736, 34737


def well_known_text(keys: Sequence[int], doubles: Sequence[float], texts: str) -> str:
    """Return the text of the system that the tags of a GeoTIFF describe; empty if it is unknown.

    GDAL receives a file of one pixel with these tags, never the file itself.

    Args:
        keys: Values of the tag GeoKeyDirectory.
        doubles: Values of the tag GeoDoubleParams.
        texts: The tag GeoAsciiParams.
    """
    tags: list[tuple[int, str, int, object, bool]] = [
        (_SCALE, "d", 3, (1.0, 1.0, 0.0), True),
        (_POINTS, "d", 6, (0.0,) * 6, True),
        (_KEYS, "H", len(keys), tuple(each & 0xFFFF for each in keys), True),
    ]
    if doubles:
        tags.append((_DOUBLES, "d", len(doubles), tuple(doubles), True))
    if texts:
        tags.append((_TEXTS, "s", 0, texts, True))
    file = io.BytesIO()
    imwrite(file, np.zeros((1, 1), np.uint8), extratags=tags, metadata=None)
    try:
        with (
            rasterio.Env(CPL_CURL_ENABLE="NO", GDAL_DISABLE_READDIR_ON_OPEN="EMPTY_DIR"),
            MemoryFile(file.getvalue()) as memory,
            memory.open(driver="GTiff") as picture,
        ):
            return str(picture.crs.to_wkt()) if picture.crs else ""
    except RasterioError:
        return ""
