"""Classification datasets whose good classes are named."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

import studio
from studio.engine.datasets.recipe import DatasetRecipe
from studio.engine.datasets.store import Store
from studio.engine.errors import StudioError
from studio.engine.tasks.annotations import AnnotatedPicture
from studio.engine.tasks.anomaly.good_classes import kinds_of_classes

COUNTS = {"plain": 12, "shiny": 8, "crack": 3, "dent": 2}


@pytest.fixture(scope="module")
def classes(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("classes")
    random = np.random.default_rng(0)
    for name, count in COUNTS.items():
        (folder / name).mkdir()
        for index in range(count):
            pixels = random.integers(0, 255, (20, 20, 3), dtype=np.uint8)
            Image.fromarray(pixels).save(folder / name / f"{index}.png")
    return folder


def test_images_of_other_classes_have_defects_of_that_kind(classes: Path, tmp_path: Path) -> None:
    workspace = studio.open(tmp_path / "workspace")
    dataset = workspace.datasets.import_folder(
        classes, task="anomaly", name="parts", good_classes=["plain", "shiny"], width=20, height=20
    )
    store = Store.open(dataset.record.folder)
    assert store.classes == ["good", "crack", "dent"]
    kinds = np.where(store.targets[:, 1:].any(axis=1), 1, 0)
    assert kinds.sum() == COUNTS["crack"] + COUNTS["dent"]
    assert (store.split[kinds == 1] == 2).all(), "defects are for the test alone"
    good = store.split[kinds == 0]
    assert len(good) == COUNTS["plain"] + COUNTS["shiny"]
    assert (good == 2).sum() == 4
    assert (good == 1).any()
    paths = np.array(store.paths)
    assert all(path.split("/")[0] in {"crack", "dent"} for path in paths[kinds == 1])
    text = " ".join(
        map(
            str,
            workspace.datasets.preview(
                classes, task="anomaly", good_classes=["plain", "shiny"]
            ).warnings,
        )
    )
    assert "Images with defects (5) and good images (4) are moved to the test" in text


def test_a_dataset_of_studio_can_be_the_source(classes: Path, tmp_path: Path) -> None:
    workspace = studio.open(tmp_path / "workspace")
    first = workspace.datasets.import_folder(classes, name="classes", width=20, height=20)
    dataset = workspace.datasets.import_folder(
        first.record.folder, task="anomaly", name="parts", good_classes=["plain", "shiny"]
    )
    store, before = Store.open(dataset.record.folder), Store.open(first.record.folder)
    assert len(store.images) == sum(COUNTS.values())
    good = ~store.targets[:, 1:].any(axis=1)
    split_of = dict(zip(before.paths, before.split.tolist(), strict=True))
    for row in np.flatnonzero(good).tolist():
        assert store.split[row] == split_of[store.paths[row]]
    assert not (store.split[~good] == 0).any()


def test_classes_are_limited_before_they_become_kinds(classes: Path, tmp_path: Path) -> None:
    workspace = studio.open(tmp_path / "workspace")
    report = workspace.datasets.preview(
        classes, good_classes=["plain", "shiny"], max_per_class=6, min_per_class=3
    )
    assert report.count == 6 + 6 + 3
    assert list(report.classes) == ["good", "crack"]


def test_good_images_of_an_origin_stay_together() -> None:
    origins = "a" * 9 + "b" * 9 + "c" * 2
    images = [AnnotatedPicture(f"{i}.png", "plain", None, o) for i, o in enumerate(origins)]
    found = kinds_of_classes([*images, AnnotatedPicture("x.png", "crack")], ["plain"])
    assert [each.origin for each in found.pictures if each.split == "test"] == ["c", "c", ""]
    alone = [replace(each, origin="a") for each in images]
    found = kinds_of_classes([*alone, AnnotatedPicture("x.png", "crack")], ["plain"])
    assert [each.split for each in found.pictures].count("test") == 5
    assert "of one origin" in str(found.warnings[0])


def test_a_class_that_does_not_exist_is_named() -> None:
    images = [AnnotatedPicture("a.png", "plain"), AnnotatedPicture("b.png", "crack")]
    with pytest.raises(StudioError, match=r"no class “fine”.*crack, plain"):
        kinds_of_classes(images, ["fine"])


def test_good_images_cannot_be_a_kind_of_defect() -> None:
    images = [AnnotatedPicture("a.png", "plain"), AnnotatedPicture("b.png", "good")]
    with pytest.raises(StudioError, match="would become a kind of defect"):
        kinds_of_classes(images, ["plain"])


def test_images_with_classes_are_not_cut_into_tiles() -> None:
    with pytest.raises(StudioError, match="which tile has the defect"):
        DatasetRecipe.parse(
            {"source": "x", "task": "anomaly", "good_classes": ["a"], "tile_size": 32}
        )
