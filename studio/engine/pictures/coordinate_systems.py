"""Coordinate reference systems of GeoTIFF files, with `rasterio`."""

from __future__ import annotations

import io
from collections.abc import Sequence

import numpy as np
import rasterio
from rasterio import Affine
from rasterio.errors import CRSError, RasterioError
from rasterio.io import MemoryFile
from rasterio.warp import transform
from tifffile import imwrite

from studio.engine.arrays import PixelClasses
from studio.engine.errors import BadDataError
from studio.engine.pictures.info import Georeference

_WGS_84 = "EPSG:4326"
_NO_CLASS = 255
"""Value of pixels without a class."""
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


def degrees_of(
    georeference: Georeference, points: Sequence[tuple[float, float]]
) -> list[tuple[float, float]]:
    """Return longitude and latitude of points of a picture, in degrees of WGS 84.

    Args:
        georeference: Position of the picture.
        points: Columns and rows.

    Raises:
        BadDataError: The coordinate reference system is not known.
    """
    a, b, c, d, e, f = georeference.transform
    across = [a * x + b * y + c for x, y in points]
    up = [d * x + e * y + f for x, y in points]
    try:
        longitudes, latitudes = transform(georeference.crs, _WGS_84, across, up)[:2]
    except (RasterioError, CRSError) as error:
        raise BadDataError("its coordinate reference system is not known") from error
    return list(zip(longitudes, latitudes, strict=True))


def mask_file(
    labels: PixelClasses, georeference: Georeference, names: Sequence[str], colors: Sequence[str]
) -> bytes:
    """Return a mask as a GeoTIFF with a palette; pixels without a class have no data.

    Args:
        labels: Class of each pixel, shape (height, width).
        georeference: Position of the picture.
        names: Names of the classes, K.
        colors: Colors of the classes as "#rrggbb", K, or none.

    Raises:
        BadDataError: The coordinate reference system is not known.
    """
    height, width = labels.shape
    try:
        with MemoryFile() as memory:
            with memory.open(
                driver="GTiff",
                width=width,
                height=height,
                count=1,
                dtype="uint8",
                crs=georeference.crs,
                transform=Affine(*georeference.transform),
                nodata=_NO_CLASS,
                compress="deflate",
            ) as picture:
                picture.write(labels, 1)
                picture.write_colormap(1, dict(enumerate(map(_rgb, colors))))
                picture.update_tags(1, **{f"class_{i}": name for i, name in enumerate(names)})
            return bytes(memory.read())
    except (RasterioError, CRSError) as error:
        raise BadDataError("its coordinate reference system is not known") from error


def _rgb(color: str) -> tuple[int, int, int]:
    red, green, blue = bytes.fromhex(color.removeprefix("#"))
    return red, green, blue
