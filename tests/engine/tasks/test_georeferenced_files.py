"""Predictions for GeoTIFF pictures are written with their positions."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
import rasterio
from rasterio.warp import transform

from helpers.picture_kinds import geotiff
from studio.engine.tasks.annotations import IGNORE
from studio.engine.tasks.parts.class_map import ClassMap
from studio.engine.tasks.parts.files import PredictionWriter
from studio.engine.tasks.parts.objects import DetectedObject, Objects
from studio.engine.tasks.parts.prediction import Prediction

NAMES, COLORS = ["field", "house"], ["#00ff00", "#ff0000"]


@pytest.fixture
def field(tmp_path: Path) -> Path:
    """Return a picture of 32 x 24 pixels of 10 m, whose corner is at 500 km and 5300 km."""
    path = tmp_path / "field.tif"
    path.write_bytes(geotiff(4, "uint16"))
    return path


def test_boxes_become_polygons_in_degrees(tmp_path: Path, field: Path) -> None:
    house = DetectedObject(label="house", score=0.9, left=10, top=5, right=20, bottom=15)
    unsure = house.model_copy(update={"score": 0.1, "threshold": 0.5})
    writer = PredictionWriter(tmp_path / "out", {Objects: ["csv"]}, NAMES, COLORS)
    objects = Objects(candidates=(house, unsure), size=(32, 24))

    paths = writer.add(str(field), Prediction(objects=objects))

    (feature,) = json.loads(Path(paths["geojson"]).read_text())["features"]
    assert feature["properties"] == {"class": "house", "score": 0.9}
    (ring,) = feature["geometry"]["coordinates"]
    assert ring[0] == ring[-1]
    east, north = transform("EPSG:4326", "EPSG:32633", *zip(*ring[:-1], strict=True))[:2]
    assert east == pytest.approx([500_100, 500_100, 500_200, 500_200], abs=0.01)
    assert north == pytest.approx([5_299_950, 5_299_850, 5_299_850, 5_299_950], abs=0.01)


def test_masks_keep_the_position_of_the_picture(tmp_path: Path, field: Path) -> None:
    labels = np.zeros((24, 32), np.uint8)
    labels[5:15, 10:20], labels[0] = 1, IGNORE
    writer = PredictionWriter(tmp_path / "out", {ClassMap: ["index"]}, NAMES, COLORS)

    areas = ClassMap.of(labels, NAMES, COLORS)
    paths = writer.add(str(field), Prediction(class_map=areas))

    with rasterio.open(paths["geotiff"]) as mask, rasterio.open(field) as picture:
        assert mask.crs == picture.crs
        assert mask.transform == picture.transform
        assert mask.nodata == IGNORE
        assert np.array_equal(mask.read(1), labels)
        assert mask.colormap(1)[1][:3] == (255, 0, 0)


def test_other_pictures_have_no_such_files(tmp_path: Path) -> None:
    writer = PredictionWriter(tmp_path / "out", {Objects: ["csv"]}, NAMES, COLORS)

    for image in ("gone.tif", "https://example.org/a.tif"):
        assert writer.add(image, Prediction(objects=Objects(size=(32, 24)))) == {}


def test_holes_stay_holes_where_pixels_are_small(tmp_path: Path) -> None:
    path = tmp_path / "field.tif"
    path.write_bytes(geotiff(1, "uint8", transform=rasterio.Affine(0.1, 0, 5e5, 0, -0.1, 5.3e6)))
    outer = ((2.0, 2.0), (20.0, 2.0), (20.0, 20.0), (2.0, 20.0))
    hole = ((5.0, 5.0), (5.0, 9.0), (9.0, 9.0), (9.0, 5.0))
    house = DetectedObject(
        label="house", score=0.9, left=2, top=2, right=20, bottom=20, outline=(outer, hole)
    )
    writer = PredictionWriter(tmp_path / "out", {Objects: ["csv"]}, NAMES, COLORS)

    paths = writer.add(str(path), Prediction(objects=Objects(candidates=(house,), size=(32, 24))))

    (feature,) = json.loads(Path(paths["geojson"]).read_text())["features"]
    assert feature["geometry"]["type"] == "Polygon"
    assert len(feature["geometry"]["coordinates"]) == 2
