"""Masks as files: PNG with a palette, colored PNG, and JSON of COCO."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from studio.engine.arrays import PixelClasses
from studio.engine.errors import UnwritableError
from studio.engine.pictures.pyramid_file import pyramid_file
from studio.engine.tasks.annotation_files.rle import decode, encode
from studio.engine.tasks.annotations import IGNORE
from studio.engine.tasks.parts import mask_images
from studio.engine.tasks.parts.class_map import ClassMap
from studio.engine.tasks.parts.class_map_files import COCO_NAME, ClassMapWriter
from studio.engine.tasks.parts.large_map import LargeMap
from studio.engine.tasks.parts.mask_images import palette_of, regions_of
from studio.engine.tasks.prediction import Meaning
from studio.engine.tasks.segmentation.prediction import PREDICTOR

NAMES = ("ground", "cat")
COLORS = ("#000000", "#ff8000")
LABELS = np.array([[0, 0, 1], [0, 1, 1], [0, 0, IGNORE]], np.uint8)


@pytest.fixture
def class_map() -> ClassMap:
    prediction = PREDICTOR.of_decoded(LABELS, LABELS.shape[::-1], Meaning(NAMES, colors=COLORS))
    assert prediction.class_map is not None
    return prediction.class_map


def test_a_prediction_holds_areas_and_the_mask(class_map: ClassMap) -> None:

    assert [(each.label, each.pixels) for each in class_map.areas] == [("ground", 5), ("cat", 3)]
    assert class_map.areas[1].share == pytest.approx(3 / 8)
    assert np.array_equal(class_map.classes(), LABELS)
    assert class_map.brief() == "ground 62%, cat 38%"
    assert class_map.document() == {
        "classes": [
            {"class": "ground", "pixels": 5, "share": 5 / 8},
            {"class": "cat", "pixels": 3, "share": 3 / 8},
        ]
    }
    assert class_map.cells()["pixels cat"] == 3
    assert class_map.lines() == ["   62.5%  ground  (5 px)", "   37.5%  cat  (3 px)"]


def test_files_of_every_kind_hold_the_mask(class_map: ClassMap, tmp_path: Path) -> None:
    writer = ClassMapWriter(tmp_path / "out", ("index", "color", "coco"), NAMES, COLORS)

    first = writer.add("a/x.jpg", class_map)
    second = writer.add("b/x.jpg", class_map)
    third = writer.add("c/X.jpg", class_map)
    (path,) = writer.finish()

    assert Path(first["mask"]).name == "x.png"
    assert Path(second["mask"]).name == "x-2.png"
    assert Path(third["mask"]).name == "X-3.png", "Windows and macOS would replace x.png by X.png"
    with Image.open(first["mask"]) as image:
        assert image.mode == "P"
        assert np.array_equal(np.array(image), LABELS)
        assert image.convert("RGB").getpixel((2, 0)) == (255, 128, 0)
    with Image.open(first["color"]) as image:
        assert image.mode == "RGB"
        assert image.getpixel((0, 0)) == (0, 0, 0)
    assert path.name == COCO_NAME
    document = json.loads(path.read_text("utf-8"))
    assert [each["file_name"] for each in document["images"]] == ["a/x.jpg", "b/x.jpg", "c/X.jpg"]
    assert [each["name"] for each in document["categories"]] == list(NAMES)
    region = next(
        each
        for each in document["annotations"]
        if each["image_id"] == 2 and each["category_id"] == 2
    )
    assert (region["area"], region["bbox"]) == (3, [1, 0, 2, 2])
    height, width = region["segmentation"]["size"]
    mask = decode((height, width), region["segmentation"]["counts"])
    assert np.array_equal(mask, LABELS == 1)


def _large(class_map: ClassMap, folder: Path) -> tuple[ClassMap, PixelClasses]:
    """Return a map with a file of several tiles, and the values in the file."""
    blocks = np.random.default_rng(0).choice(np.array([0, 1, IGNORE], np.uint8), (30, 60))
    labels: PixelClasses = np.kron(blocks, np.ones((23, 19), np.uint8))
    size = labels.shape[1], labels.shape[0]
    folder.mkdir(parents=True)
    palette = palette_of(COLORS)
    with pyramid_file(folder / "map.tif", size, labels.dtype, palette=palette) as writer:
        writer.add(labels[..., None])
    large = LargeMap(file=str(folder / "map.tif"), width=size[0], height=size[1])
    return class_map.of_large(large, [int((labels == each).sum()) for each in (0, 1)]), labels


def test_regions_of_a_large_picture_are_read_strip_by_strip(
    class_map: ClassMap, tmp_path: Path
) -> None:
    part, labels = _large(class_map, tmp_path / "out" / "map-1")
    writer = ClassMapWriter(tmp_path / "out", ("coco",), NAMES, COLORS)

    found = writer.add("x.tif", part)
    (path,) = writer.finish()

    assert Path(found["mask"]) == tmp_path / "out" / "x.tif"
    annotations = json.loads(path.read_text("utf-8"))["annotations"]
    expected = [region for label, region in regions_of(labels) if label != IGNORE]
    for annotation, region in zip(annotations, expected, strict=True):
        assert {key: annotation[key] for key in region} == region


def test_a_large_mask_of_noise_is_refused_with_what_to_do(
    class_map: ClassMap, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(mask_images, "MAX_CHANGES", 99)
    part, _ = _large(class_map, tmp_path / "out" / "map-1")
    writer = ClassMapWriter(tmp_path / "out", ("coco",), NAMES, COLORS)

    with pytest.raises(UnwritableError, match=r"too many for COCO. Leave out coco: .*x\.tif has"):
        writer.add("x.tif", part)


def test_regions_are_those_that_occur() -> None:
    assert [label for label, _ in regions_of(np.zeros((2, 2), np.uint8))] == [0]


def test_runs_are_written_as_the_tools_of_coco_write_them() -> None:
    """Made by pycocotools 2.0.11: `mask.encode(np.asfortranarray(m))` of this mask."""
    mask = np.zeros((5, 6), bool)
    mask[1:4, 2:5] = True

    assert encode(mask) == {"size": [5, 6], "counts": ";320004"}


@pytest.mark.parametrize("seed", range(5))
def test_runs_are_read_back(seed: int) -> None:
    mask = np.random.default_rng(seed).random((37, 23)) < (0.02, 0.5, 0.99, 0.0, 1.0)[seed]

    assert np.array_equal(decode((37, 23), str(encode(mask)["counts"])), mask)
