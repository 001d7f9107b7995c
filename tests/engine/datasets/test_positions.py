"""Positions on the earth of the images of a dataset."""

from __future__ import annotations

import json
from dataclasses import asdict, replace
from pathlib import Path

import numpy as np
import pytest
import tifffile
from dataset_pictures import Listener
from PIL import Image
from rasterio.warp import transform

from helpers.picture_kinds import geotiff
from studio.engine.datasets import survey
from studio.engine.datasets.export import all_splits, export_dataset
from studio.engine.datasets.importer import import_dataset
from studio.engine.datasets.recipe import DatasetRecipe
from studio.engine.datasets.sources.base import SourceImage
from studio.engine.datasets.store import Store
from studio.engine.errors import StudioError
from studio.engine.pictures.info import Georeference
from studio.engine.progress import SilentProgress
from studio.engine.tasks import TASKS

SILENT = SilentProgress()
WEST, NORTH, METERS = 500_000, 5_300_000, 10
"""Corner and side of a pixel of the files."""


def _imported(source: Path, to: Path, **options: object) -> Store:
    recipe = DatasetRecipe.model_validate(
        {"source": str(source), "val_percent": 0, "test_percent": 0} | options
    )
    import_dataset(recipe, to, SILENT)
    return Store.open(to)


def _meters(points: list[list[float]]) -> np.ndarray[tuple[int, int], np.dtype[np.float64]]:
    longitudes, latitudes = zip(*points, strict=True)
    east, north = transform("EPSG:4326", "EPSG:32633", longitudes, latitudes)[:2]
    return np.stack([east, north], axis=1)


def _features(store: Store, to: Path) -> list[dict[str, object]]:
    path = export_dataset(store, "geojson", all_splits(store), to, "d", SILENT)
    assert path.suffix == ".geojson"
    found: list[dict[str, object]] = json.loads(path.read_text())["features"]
    return found


@pytest.fixture
def fields(tmp_path: Path) -> Path:
    """A folder of two classes of pictures of 32 x 24 pixels, and one without a position."""
    for name in ("corn", "wheat"):
        (tmp_path / "fields" / name).mkdir(parents=True)
        (tmp_path / "fields" / name / "a.tif").write_bytes(geotiff(3, "uint8"))
    Image.fromarray(np.zeros((24, 32, 3), np.uint8)).save(tmp_path / "fields" / "corn" / "b.png")
    return tmp_path / "fields"


@pytest.mark.parametrize("resize", ["squash", "fill", "crop", "half_crop"])
def test_a_pixel_of_the_dataset_is_where_it_was(fields: Path, tmp_path: Path, resize: str) -> None:
    store = _imported(fields, tmp_path / "d", width=16, height=16, resize=resize)
    row = next(row for row, path in enumerate(store.paths) if path.endswith("corn/a.tif"))
    a, _, c, _, e, f = store.positions[row].transform

    assert store.positions[row].crs == "EPSG:32633"
    # The middle of the image is that of the picture, whatever is cut off or added.
    assert a * 8 + c == pytest.approx(WEST + 16 * METERS)
    assert e * 8 + f == pytest.approx(NORTH - 12 * METERS)
    width = {"squash": 32, "fill": 32, "crop": 24}.get(resize)
    if width is not None:
        assert a * 16 == pytest.approx(width * METERS)


def test_images_as_wholes_are_footprints(fields: Path, tmp_path: Path) -> None:
    store = _imported(fields, tmp_path / "d", width=32, height=24)
    assert len(store.positions) == 2

    found = _features(store, tmp_path / "out")

    assert {each["properties"]["annotation"] for each in found} == {"corn", "wheat"}  # type: ignore[index]
    corners = _meters(found[0]["geometry"]["coordinates"][0])  # type: ignore[index]
    assert corners.min(axis=0) == pytest.approx([WEST, NORTH - 24 * METERS], abs=0.01)
    assert corners.max(axis=0) == pytest.approx([WEST + 32 * METERS, NORTH], abs=0.01)


def test_a_dataset_of_a_dataset_keeps_positions(fields: Path, tmp_path: Path) -> None:
    first = _imported(fields, tmp_path / "d", width=32, height=24)

    again = _imported(tmp_path / "d", tmp_path / "again", width=16, height=12)

    assert len(again.positions) == 2
    for row, position in again.positions.items():
        assert position.transform == pytest.approx((20, 0, WEST, 0, -20, NORTH))
        assert again.paths[row].endswith("a.tif")
    assert first.positions != again.positions


def test_areas_of_masks_in_tiles_are_polygons(tmp_path: Path) -> None:
    for name in ("images", "masks"):
        (tmp_path / "s" / name).mkdir(parents=True)
    (tmp_path / "s" / "images" / "a.tif").write_bytes(geotiff(3, "uint8"))
    mask = np.zeros((24, 32), np.uint8)
    mask[2:12, 18:30] = 1
    mask[5:8, 21:25] = 0
    Image.fromarray(mask).save(tmp_path / "s" / "masks" / "a.png")
    store = _imported(
        tmp_path / "s", tmp_path / "d", task="segmentation", width=16, height=16, tile_size=16
    )

    found = [
        each
        for each in _features(store, tmp_path / "out")
        if each["properties"]["class"] == store.classes[1]  # type: ignore[index]
    ]

    assert len(store.positions) == 4
    area = found[0]  # the tiles below begin in row 8 and show a part of it again
    assert area["geometry"]["type"] == "Polygon"  # type: ignore[index]
    outer, hole = map(_meters, area["geometry"]["coordinates"])  # type: ignore[index]
    for ring, (left, top, right, bottom) in ((outer, (18, 2, 30, 12)), (hole, (21, 5, 25, 8))):
        low = [WEST + left * METERS, NORTH - bottom * METERS]
        assert ring.min(axis=0) == pytest.approx(low, abs=0.01)
        high = [WEST + right * METERS, NORTH - top * METERS]
        assert ring.max(axis=0) == pytest.approx(high, abs=0.01)


def test_boxes_and_objects_have_outlines() -> None:
    boxes = np.array([(1, 2, 3, 8, 9, 0), (-1, 0, 0, 0, 0, 0)], np.float32)
    labels = np.zeros((10, 12), np.int32)
    labels[2:5, 3:7], labels[6:9, 1:4] = 1 * 256 + 1, 2 * 256 + 0

    ((label, (corners,)),) = TASKS["detection"].geometry.outlines(boxes)
    found = dict(TASKS["instances"].geometry.outlines(labels))

    assert label == 1
    assert set(corners) == {(2, 3), (8, 3), (8, 9), (2, 9)}
    assert set(found) == {0, 1}
    assert set(found[1][0]) == {(3, 2), (7, 2), (7, 5), (3, 5)}
    assert TASKS["classification"].geometry.outlines(labels) == []


def test_a_dataset_without_positions_says_what_to_do(tmp_path: Path) -> None:
    for name in ("a", "b"):
        (tmp_path / "s" / name).mkdir(parents=True)
        Image.fromarray(np.full((8, 8), len(name), np.uint8)).save(tmp_path / "s" / name / "x.png")
    store = _imported(tmp_path / "s", tmp_path / "d", width=8, height=8)

    assert store.positions == {}
    with pytest.raises(StudioError, match="position on the earth"):
        export_dataset(store, "geojson", all_splits(store), tmp_path / "out", "d", SILENT)


def test_images_of_several_files_keep_the_position(tmp_path: Path) -> None:
    for name in ("corn", "wheat"):
        (tmp_path / "s" / name).mkdir(parents=True)
        tifffile.imwrite(tmp_path / "s" / name / "a_B02.tif", np.zeros((24, 32), np.uint16))
        for band in ("B03", "B04"):
            (tmp_path / "s" / name / f"a_{band}.tif").write_bytes(geotiff(1, "uint16"))
    ends = "_B02,_B03,_B04"
    store = _imported(
        tmp_path / "s", tmp_path / "d", width=16, height=12, color="all", channel_files=ends
    )

    assert set(store.positions) == {0, 1}
    for position in store.positions.values():
        assert position.crs == "EPSG:32633"
        assert position.transform == pytest.approx((20, 0, WEST, 0, -20, NORTH))


def _segmented(to: Path, crs: str, classes: str) -> Store:
    """Import two pictures with a mask each, the second one in a system of its own."""
    for name in ("images", "masks"):
        (to / "s" / name).mkdir(parents=True)
    mask = np.zeros((24, 32), np.uint8)
    mask[2:12, 18:30] = 1
    for name, own in (("a", "EPSG:32633"), ("b", crs)):
        (to / "s" / "images" / f"{name}.tif").write_bytes(geotiff(3, "uint8", crs=own))
        Image.fromarray(mask).save(to / "s" / "masks" / f"{name}.png")
    (to / "s" / "classes.txt").write_text(classes)
    labels = str(to / "s" / "classes.txt")
    return _imported(
        to / "s", to / "d", task="segmentation", width=32, height=24, labels_file=labels
    )


@pytest.mark.parametrize(
    ("first", "expected"), [("Background", {"house"}), ("ground", {"ground", "house"})]
)
def test_the_background_is_no_feature(tmp_path: Path, first: str, expected: set[str]) -> None:
    store = _segmented(tmp_path, "EPSG:32633", f"{first}\nhouse\n")
    found = _features(store, tmp_path / "out")
    assert {each["properties"]["class"] for each in found} == expected  # type: ignore[index]
    assert TASKS["anomaly"].geometry.background_classes(["good", "scratch"]) == {0}
    assert TASKS["instances"].geometry.background_classes(["background"]) == frozenset()


def test_images_in_an_unknown_system_are_left_out(tmp_path: Path) -> None:
    store = _segmented(tmp_path, "EPSG:32633", "background\nhouse\n")
    row = next(row for row, path in enumerate(store.paths) if path.endswith("b.tif"))
    store.positions[row] = replace(store.positions[row], crs="EPSG:99999")
    listener = Listener()

    path = export_dataset(store, "geojson", all_splits(store), tmp_path / "out", "d", listener)

    (found,) = json.loads(path.read_text())["features"]
    assert found["properties"]["image"].endswith("a.tif")
    (warning,) = map(str, listener.warnings)
    assert f"system of {store.paths[row]} is not known" in warning

    for crs in ("EPSG:99999", ""):
        for each, position in store.positions.items():
            store.positions[each] = replace(position, crs=crs)
        with pytest.raises(StudioError, match="systems of the images are not known") as caught:
            export_dataset(store, "geojson", all_splits(store), tmp_path / "out", "d", SILENT)
        assert "Import the dataset again" in caught.value.hint


def test_a_known_position_survives_json() -> None:
    known = Georeference("EPSG:32633", (10, 0, WEST, 0, -10, NORTH)), (32, 24)
    item = SourceImage("a", "b", None, 1, 1, known_position=known)
    assert survey._item(json.loads(json.dumps(asdict(item)))) == item
