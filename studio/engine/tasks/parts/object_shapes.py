"""Objects as GeoJSON in pixels, as ImageJ regions and as label images."""

from __future__ import annotations

import importlib
import importlib.util
import io
import json
import zipfile
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

import numpy as np
from PIL import Image

from studio.engine.errors import StudioError, UnwritableError
from studio.engine.installation import install_command
from studio.engine.tasks.parts.measurements import Measurements
from studio.engine.tasks.parts.objects import DetectedObject, Objects, Ring
from studio.engine.tasks.parts.outlines import label_image, polygons_of

_MOST_16_BIT: Final = 2**16 - 1
_MOST_PIXELS: Final = 2**28
"""Pixels of a label image: it is made in memory."""
_IMAGEJ_LAST: Final = 2**15 - 1
"""Last position that regions of ImageJ can have: their boxes have 16 bits."""
_GRAY: Final = "#808080"
# Steps of the outline of an ImageJ region with several rings.
_MOVE, _LINE, _CLOSE = 0.0, 1.0, 4.0


def rings_of(found: DetectedObject) -> tuple[Ring, ...]:
    """Return the outline of an object, or its box."""
    left, top, right, bottom = found.corners
    box = ((left, top), (left, bottom), (right, bottom), (right, top))
    return found.outline or (box,)


def geometry(
    rings: Sequence[Ring], place: Callable[[Sequence[Ring]], Sequence[Ring]] | None = None
) -> dict[str, object]:
    """Return an outline as a geometry of GeoJSON: parts counterclockwise, holes clockwise.

    Args:
        rings: Rings around its parts and holes, in pixels.
        place: Returns the rings of a part in the coordinates that are written; None for pixels.
    """
    # In pixels, because holes are found by a distance in pixels.
    parts = polygons_of(rings)
    polygons = [
        [
            _closed(ring, is_hole=number > 0)
            for number, ring in enumerate(part if place is None else place(part))
        ]
        for part in parts
    ]
    if len(polygons) == 1:
        return {"type": "Polygon", "coordinates": polygons[0]}
    return {"type": "MultiPolygon", "coordinates": polygons}


def _closed(ring: Ring, *, is_hole: bool) -> list[tuple[float, float]]:
    x, y = np.array(ring, np.float64).T
    doubled_area = float(np.dot(x, np.roll(y, -1)) - np.dot(y, np.roll(x, -1)))
    points = [*ring] if (doubled_area > 0) != is_hole else [*reversed(ring)]
    return [*points, points[0]]


def qupath_geojson(
    objects: Sequence[DetectedObject],
    measurements: Sequence[Measurements | None],
    colors: Mapping[str, str],
) -> bytes:
    """Return objects as GeoJSON in pixels that QuPath opens as detections.

    Args:
        objects: The objects of a picture.
        measurements: Measurements of each object.
        colors: Colors of the classes as "#rrggbb" by their names.
    """
    features = [
        {
            "type": "Feature",
            "geometry": geometry(rings_of(each)),
            "properties": {
                "objectType": "detection",
                "classification": {
                    "name": each.label,
                    "color": list(bytes.fromhex((colors.get(each.label) or _GRAY)[1:])),
                },
                "measurements": _named(each.score, measured),
            },
        }
        for each, measured in zip(objects, measurements, strict=True)
    ]
    return json.dumps({"type": "FeatureCollection", "features": features}).encode()


def _named(score: float, found: Measurements | None) -> dict[str, float]:
    names = {"Score": score}
    if found is None:
        return names
    means = {f"Mean {number}": value for number, value in enumerate(found.means, 1)}
    return names | {
        "Area px^2": found.area,
        "Perimeter px": found.perimeter,
        "Equivalent diameter px": found.equivalent_diameter,
        "Eccentricity": found.eccentricity,
        **means,
    }


def label_file(objects: Objects) -> bytes:
    """Return a label image as TIFF: the number of the object of each pixel, from 1.

    Pixels have 16 bits, or 32 if there are more than 65,535 objects.

    Args:
        objects: Objects with outlines.

    Raises:
        UnwritableError: The picture is too large.
    """
    width, height = objects.size
    if width * height > _MOST_PIXELS:
        raise UnwritableError(
            "Label images of {width:,} × {height:,} pixels are not written; at most {limit:,} "
            "pixels are.",
            "Use geojson or coco.",
            "objects",
            width=width,
            height=height,
            limit=_MOST_PIXELS,
        )
    given = objects.given
    labels = label_image([each.outline for each in given], objects.size)
    dtype = np.uint16 if len(given) <= _MOST_16_BIT else np.int32
    file = io.BytesIO()
    Image.fromarray(labels.astype(dtype)).save(file, "TIFF", compression="tiff_adobe_deflate")
    return file.getvalue()


def require_imagej() -> None:
    """Refuse to write regions of ImageJ where the package for them is missing.

    Raises:
        StudioError: It is.
    """
    if importlib.util.find_spec("roifile") is None:
        raise StudioError(
            "Regions of ImageJ are written by a package that is not installed.",
            install_command("microscopy"),
        )


def imagej_regions(objects: Sequence[DetectedObject]) -> bytes:
    """Return objects as a ZIP archive of ImageJ regions, which its ROI manager opens.

    Args:
        objects: The objects of a picture.

    Raises:
        UnwritableError: One lies too far to the right or down.
    """
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for number, each in enumerate(objects, 1):
            name = f"{number:05d}-{_ascii(each.label)}"
            archive.writestr(f"{name}.roi", _region(name, rings_of(each)))
    return file.getvalue()


def _ascii(name: str) -> str:
    """Return a name of an entry of an archive without letters that separate folders."""
    return "".join(each if each.isalnum() or each in "-_ " else "_" for each in name)


def _region(name: str, rings: Sequence[Ring]) -> bytes:
    roifile: Any = importlib.import_module("roifile")
    data: bytes
    last = max(side for ring in rings for point in ring for side in point)
    if last > _IMAGEJ_LAST:
        raise UnwritableError(
            "Regions of ImageJ end at pixel {limit:,}, but an object reaches {position:,}.",
            "Use geojson or coco.",
            "objects",
            limit=_IMAGEJ_LAST,
            position=round(last),
        )
    if len(rings) > 1:
        data = _compound(roifile, name, rings).tobytes()
        return data
    corners = np.array(rings[0], np.float64)
    are_whole = bool((corners == corners.round()).all())
    corners = corners.astype(np.int32 if are_whole else np.float32)
    region = roifile.ImagejRoi.frompoints(corners, name=name)
    region.roitype = roifile.ROI_TYPE.POLYGON
    data = region.tobytes()
    return data


def _compound(roifile: Any, name: str, rings: Sequence[Ring]) -> Any:  # noqa: ANN401 - of an extra
    """Return a region with parts and holes: moves, lines, and the end of each ring."""
    steps: list[float] = []
    for ring in rings:
        for kind, (x, y) in zip([_MOVE, *[_LINE] * (len(ring) - 1)], ring, strict=True):
            steps += (kind, x, y)
        steps.append(_CLOSE)
    points = np.array([point for ring in rings for point in ring])
    (left, top), (right, bottom) = points.min(axis=0), points.max(axis=0)
    return roifile.ImagejRoi(
        roitype=roifile.ROI_TYPE.RECT,  # the type of compound regions
        name=name,
        left=int(np.floor(left)),
        top=int(np.floor(top)),
        right=int(np.ceil(right)),
        bottom=int(np.ceil(bottom)),
        shape_roi_size=len(steps),
        multi_coordinates=np.array(steps, np.float32),
    )
