"""Predictions for pictures with a position on the earth: GeoJSON and georeferenced masks."""

from __future__ import annotations

import importlib
import importlib.util
import itertools
import json
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, Final

from studio.engine.arrays import PixelClasses
from studio.engine.errors import BadDataError
from studio.engine.pictures import open_picture
from studio.engine.pictures.formats import HEAD, is_tiff
from studio.engine.pictures.info import Georeference
from studio.engine.tasks.parts.object_shapes import geometry, rings_of
from studio.engine.tasks.parts.objects import DetectedObject, Ring

_MODULE: Final = "studio.engine.pictures.coordinate_systems"
_DECIMALS: Final = 8
"""Digits of a degree: about a millimeter."""


def georeference_of_file(image: str) -> Georeference | None:
    """Return the position of a picture on the earth; None if it has none.

    Args:
        image: Path or address of the picture.
    """
    if importlib.util.find_spec("rasterio") is None:
        return None
    path = Path(image)
    try:
        with path.open("rb") as file:
            if not is_tiff(file.read(HEAD)):
                return None
        with open_picture(path) as picture:
            found = picture.info.georeference
    except (OSError, ValueError, BadDataError):
        return None  # the address of a picture, or a file that is gone
    return found if found is not None and found.crs else None


def geojson(objects: Sequence[DetectedObject], georeference: Georeference) -> bytes:
    """Return objects as GeoJSON: an outline or box each, in degrees of WGS 84.

    Args:
        objects: The objects of a picture.
        georeference: Position of the picture.
    """
    features = [_feature(each, georeference) for each in objects]
    return json.dumps({"type": "FeatureCollection", "features": features}).encode()


def _feature(found: DetectedObject, georeference: Georeference) -> dict[str, object]:
    return feature({"class": found.label, "score": found.score}, rings_of(found), georeference)


def feature(
    properties: Mapping[str, object], rings: Sequence[Ring], georeference: Georeference
) -> dict[str, object]:
    """Return an outline of a picture as a feature of GeoJSON, in degrees of WGS 84.

    Args:
        properties: Attributes of the feature.
        rings: Rings around its parts and holes, in pixels of the picture.
        georeference: Position of the picture.
    """
    return {
        "type": "Feature",
        "properties": properties,
        "geometry": geometry(rings, partial(_in_degrees, georeference)),
    }


def _in_degrees(georeference: Georeference, rings: Sequence[Ring]) -> list[Ring]:
    points = [point for ring in rings for point in ring]
    degrees = _systems().degrees_of(georeference, points)
    rounded = iter([(round(x, _DECIMALS), round(y, _DECIMALS)) for x, y in degrees])
    return [tuple(itertools.islice(rounded, len(ring))) for ring in rings]


def georeferenced_mask(
    labels: PixelClasses, georeference: Georeference, names: Sequence[str], colors: Sequence[str]
) -> bytes:
    """Return a mask as a GeoTIFF.

    Args:
        labels: Class of each pixel, shape (height, width).
        georeference: Position of the picture.
        names: Names of the classes, K.
        colors: Colors of the classes as "#rrggbb", K, or none.
    """
    data: bytes = _systems().mask_file(labels, georeference, names, colors)
    return data


def _systems() -> Any:  # noqa: ANN401 - a module of another extra
    return importlib.import_module(_MODULE)
