"""Folders of good images and kinds of defects."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from studio.engine.datasets.recipe import DatasetRecipe
from studio.engine.datasets.sources import evident_task
from studio.engine.datasets.sources.annotated import FoundFiles
from studio.engine.errors import BadDataError, StudioError
from studio.engine.progress import SilentProgress
from studio.engine.tasks import TASKS
from studio.engine.tasks.annotations import AnnotationOptions, Annotations
from studio.engine.tasks.anomaly.formats import AnomalyFolders
from studio.engine.tasks.anomaly.geometry import GEOMETRY
from studio.engine.tasks.anomaly.targets import TARGETS, is_good

SIDE = 8


def write(root: Path, *paths: str, mark: bool = False) -> None:
    """Write gray pictures, or masks with one marked pixel."""
    pixels = np.zeros((SIDE, SIDE), np.uint8)
    pixels[2, 5] = 255 if mark else 0
    for path in paths:
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        Image.fromarray(pixels).save(root / path)


def read(root: Path) -> Annotations:
    """Read the folder."""
    files = FoundFiles(root).annotated
    return AnomalyFolders().read(files, AnnotationOptions(), SilentProgress())


@pytest.mark.parametrize("masks", ["ground_truth", "masks"])
@pytest.mark.parametrize("ending", ["", "_mask"])
def test_the_layout_of_mvtec_ad_is_read(tmp_path: Path, masks: str, ending: str) -> None:
    good = [f"train/good/{n}.png" for n in range(3)]
    write(tmp_path, *good, "test/good/0.png", "test/crack/0.png", "test/cut/0.png")
    write(tmp_path, f"{masks}/crack/0{ending}.png", mark=True)
    found = read(tmp_path)

    assert found.names == ("good", "crack", "cut")
    assert found.colors == GEOMETRY.colors(found.names)
    assert found.problems == []
    regions = {
        each.path: found.regions(each.annotation, (SIDE, SIDE))[0] for each in found.pictures
    }
    assert set(regions) == {*good, "test/crack/0.png", "test/cut/0.png", "test/good/0.png"}
    assert not regions["train/good/0.png"].any()
    assert regions["test/crack/0.png"].sum() == 1
    assert (regions["test/cut/0.png"] == 2).all()  # without a mask, all of it is the defect
    splits = {each.path: each.split for each in found.pictures}
    assert splits["test/cut/0.png"] == "test"
    assert evident_task(tmp_path) is TASKS["anomaly"]


def test_the_layout_of_mvtec_3d_is_read(tmp_path: Path) -> None:
    good = [f"train/good/rgb/{n}.png" for n in range(3)]
    write(tmp_path, *good, "test/good/rgb/0.png", "test/crack/rgb/0.png", "test/good/gt/0.png")
    write(tmp_path, *(f"{kind}/xyz/0.png" for kind in ("train/good", "test/good", "test/crack")))
    write(tmp_path, "test/crack/gt/0.png", mark=True)
    found = read(tmp_path)

    assert found.names == ("good", "crack")
    regions = {
        each.path: found.regions(each.annotation, (SIDE, SIDE))[0] for each in found.pictures
    }
    assert {path: int(mask.sum()) for path, mask in regions.items()} == {
        **dict.fromkeys([*good, "test/good/rgb/0.png"], 0),
        "test/crack/rgb/0.png": 1,
    }
    assert {each.path for each in found.problems} == {
        *("test/good/gt/0.png", "train/good/xyz/0.png", "test/good/xyz/0.png"),
        "test/crack/xyz/0.png",
    }
    assert evident_task(tmp_path) is TASKS["anomaly"]


def test_folders_called_as_those_of_mvtec_3d_may_be_kinds(tmp_path: Path) -> None:
    write(tmp_path, "train/good/0.png", "test/good/0.png", "test/rgb/0.png", "test/xyz/0.png")
    assert read(tmp_path).names == ("good", "rgb", "xyz")


def test_masks_in_a_folder_for_each_image_are_joined(tmp_path: Path) -> None:
    """The layout of MVTec LOCO."""
    write(tmp_path, *(f"train/good/{n:03}.png" for n in range(2)), "validation/good/000.png")
    write(tmp_path, "test/good/000.png")
    write(tmp_path, *(f"test/logical_anomalies/{n:03}.png" for n in range(3)))
    for number, pixels in {"000": [(0, 1), (0, 2)], "002": [(7, 7)]}.items():
        for index, pixel in enumerate(pixels):
            mask = np.zeros((SIDE, SIDE), np.uint8)
            mask[pixel] = 234
            path = tmp_path / "ground_truth/logical_anomalies" / number / f"{index:03}.png"
            path.parent.mkdir(parents=True, exist_ok=True)
            Image.fromarray(mask).save(path)
    assert evident_task(tmp_path) is TASKS["anomaly"]
    found = read(tmp_path)

    assert found.problems == []
    assert [str(each)[:8] for each in found.warnings] == ["1 image "]
    assert found.names == ("good", "logical_anomalies")
    marked = {
        each.path: np.argwhere(found.regions(each.annotation, (SIDE, SIDE))[0]).tolist()
        for each in found.pictures
        if "logical" in each.path
    }
    assert marked["test/logical_anomalies/000.png"] == [[0, 1], [0, 2]]
    assert len(marked["test/logical_anomalies/001.png"]) == SIDE * SIDE
    assert marked["test/logical_anomalies/002.png"] == [[7, 7]]
    splits = {each.path: each.split for each in found.pictures}
    assert splits["validation/good/000.png"] == "val"


def test_a_lone_folder_has_good_images(tmp_path: Path) -> None:
    write(tmp_path, *(f"parts/{n}.png" for n in range(4)))
    found = read(tmp_path)

    assert found.names == ("good", "defect")
    assert {each.annotation for each in found.pictures} == {"0:"}


def test_without_splits_defects_and_some_good_images_are_for_the_test(tmp_path: Path) -> None:
    write(tmp_path, *(f"OK/{n:02}.png" for n in range(20)), "bent/0.png")
    found = read(tmp_path)

    assert found.names == ("good", "bent")
    splits = [each.split for each in found.pictures]
    assert splits.count("test") == 5
    assert splits.count(None) == 16
    assert len(found.warnings) == 1


def test_masks_beside_kinds_are_evident(tmp_path: Path) -> None:
    write(tmp_path, "good/0.png", "bent/0.png")
    assert evident_task(tmp_path) is None
    write(tmp_path, "masks/bent/0.png", mark=True)
    assert evident_task(tmp_path) is TASKS["anomaly"]


def test_good_pixels_are_clear() -> None:
    colors = GEOMETRY.colors(("good", "bent", "cut"))
    assert colors[0] == "#000000"
    assert len(set(colors)) == 3


def test_folders_without_good_images_are_refused(tmp_path: Path) -> None:
    write(tmp_path, "left/0.png", "right/0.png")
    with pytest.raises(StudioError, match="good"):
        read(tmp_path)


def test_a_mask_that_marks_nothing_or_has_another_size_is_refused(tmp_path: Path) -> None:
    write(tmp_path, "good/0.png", "bent/0.png", "masks/bent/0.png")
    found = read(tmp_path)
    annotation = next(each.annotation for each in found.pictures if each.path == "bent/0.png")

    with pytest.raises(BadDataError, match="marks no defect"):
        found.regions(annotation, (SIDE, SIDE))
    with pytest.raises(BadDataError, match="8x8"):
        found.regions(annotation, (9, 9))


def test_a_mask_without_an_image_is_reported(tmp_path: Path) -> None:
    write(tmp_path, "good/0.png", "bent/0.png")
    write(tmp_path, "masks/bent/1.png", mark=True)

    assert [each.path for each in read(tmp_path).problems] == ["masks/bent/1.png"]


def test_a_tiny_defect_stays_a_defect_at_any_size() -> None:
    mask = np.zeros((512, 384), np.uint8)
    mask[301, 77] = 3
    framing = DatasetRecipe(source="", width=16, height=16)
    small = GEOMETRY.fitted(mask, (384, 512), None, framing)

    assert np.argwhere(small == 3).tolist() == [[9, 3]]
    counts = GEOMETRY.counts(small, 4)
    assert not is_good(counts[None])[0]
    assert TARGETS.document(("good", "a", "b", "c"), counts) == {
        "is_anomaly": True,
        "kinds": ["c"],
    }


def test_a_tiny_defect_is_placed_as_its_picture() -> None:
    mask = np.zeros((64, 128), np.uint8)
    mask[1, 100] = 1
    framing = DatasetRecipe(source="", width=16, height=16, resize="fill")
    small = GEOMETRY.fitted(mask, (128, 64), None, framing)
    assert np.argwhere(small == 1).tolist() == [[4, 12]]  # not in the border above

    cut = framing.model_copy(update={"resize": "crop"})
    assert not GEOMETRY.fitted(mask, (128, 64), None, cut).any()


def test_several_products_are_refused(tmp_path: Path) -> None:
    write(tmp_path, "bottle/train/good/0.png", "bottle/test/cut/0.png")
    assert read(tmp_path).names == ("good", "cut")
    write(tmp_path, "cable/train/good/0.png", "cable/test/cut/0.png")
    with pytest.raises(StudioError, match="2 products: bottle, cable"):
        read(tmp_path)


def test_masks_belong_to_images_of_their_own_folder(tmp_path: Path) -> None:
    write(tmp_path, "good/0.png", "monday/test/cut/0.png", "tuesday/test/cut/0.png")
    masks = [f"{day}/masks/cut/0.png" for day in ("monday", "tuesday")]
    write(tmp_path, *masks, "tuesday/masks/cut/0_mask.png", mark=True)
    found = read(tmp_path)

    annotations = {each.path: each.annotation for each in found.pictures}
    assert annotations["monday/test/cut/0.png"] == f"1:{masks[0]}"
    assert annotations["tuesday/test/cut/0.png"] == f"1:{masks[1]}"
    assert [each.path for each in found.problems] == ["tuesday/masks/cut/0_mask.png"]


def test_splits_may_be_inside_of_kinds(tmp_path: Path) -> None:
    write(tmp_path, "good/train/0.png", "broken/test/1.png")
    write(tmp_path, "masks/broken/1.png", mark=True)
    found = read(tmp_path)

    assert {each.path: each.annotation for each in found.pictures} == {
        "good/train/0.png": "0:",
        "broken/test/1.png": "1:masks/broken/1.png",
    }
    assert found.names == ("good", "broken")


def test_test_images_of_no_kind_are_not_good(tmp_path: Path) -> None:
    write(tmp_path, "parts/train/good/0.png", "parts/test/0.png", "parts/test/good/1.png")
    found = read(tmp_path)

    assert [each.path for each in found.problems] == ["parts/test/0.png"]
    assert len(found.pictures) == 2


@pytest.mark.parametrize(("name", "high"), [("0.jpg", 255), ("0.png", 1)])
def test_compression_of_a_mask_is_no_defect(tmp_path: Path, name: str, high: int) -> None:
    write(tmp_path, "good/0.png")
    pixels = np.zeros((32, 32), np.uint8)
    pixels[5:16, 7:18] = high
    for path in (f"bent/{name}", f"masks/bent/{name}"):
        (tmp_path / path).parent.mkdir(parents=True)
        Image.fromarray(pixels).save(tmp_path / path, quality=40)
    found = read(tmp_path)
    annotation = next(each.annotation for each in found.pictures if "bent" in each.path)

    mask = found.regions(annotation, (32, 32))[0]
    assert np.array_equal(mask, pixels > 0)


def test_the_brighter_half_of_a_blurred_mask_is_the_defect(tmp_path: Path) -> None:
    write(tmp_path, "good/0.png")
    pixels = np.tile(np.arange(0, 256, 5).astype(np.uint8), (52, 1))
    for path in ("bent/0.png", "masks/bent/0.png"):
        (tmp_path / path).parent.mkdir(parents=True)
        Image.fromarray(pixels).save(tmp_path / path)
    found = read(tmp_path)
    annotation = next(each.annotation for each in found.pictures if "bent" in each.path)
    assert np.array_equal(found.regions(annotation, (52, 52))[0], pixels >= 128)
