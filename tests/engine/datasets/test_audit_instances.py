"""Audits of objects with masks, and the sample of touching cells."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from studio.engine.datasets.audit.findings import AuditPlan, AuditReport
from studio.engine.datasets.audit.run import audit_dataset
from studio.engine.datasets.importer import import_dataset
from studio.engine.datasets.recipe import DatasetRecipe
from studio.engine.datasets.samples import SAMPLES
from studio.engine.datasets.sources import drawn_touching, evident_task
from studio.engine.datasets.store import Store
from studio.engine.progress import SilentProgress
from studio.engine.tasks.annotations import Instances

SIDE = 64
COUNT = 12


def numbers(index: int) -> Instances:
    """Return four objects of 36 pixels each, far from the border."""
    found = np.zeros((SIDE, SIDE), np.int32)
    for at in range(4):
        left = 6 + 13 * at
        found[20 + index % 3 : 26 + index % 3, left : left + 6] = at + 1
    return found


def write(folder: Path, every: list[Instances]) -> Path:
    random = np.random.default_rng(0)
    for name in ("images", "labels"):
        (folder / name).mkdir(parents=True)
    for index, each in enumerate(every):
        pixels = random.integers(0, 255, (8, 8, 3)).astype(np.uint8)
        image = Image.fromarray(pixels).resize((SIDE, SIDE))
        image.save(folder / "images" / f"{index}.png")
        Image.fromarray(each.astype(np.uint16)).save(folder / "labels" / f"{index}.png")
    return folder


def audited(folder: Path, every: list[Instances]) -> AuditReport:
    source = write(folder / "in", every)
    recipe = DatasetRecipe.parse(
        {"task": "instances", "source": str(source), "width": SIDE, "height": SIDE}
    )
    import_dataset(recipe, folder / "d", SilentProgress())
    return audit_dataset(folder / "d", AuditPlan(dataset="d"), SilentProgress())


def kinds(report: AuditReport) -> dict[str, int]:
    return {each.kind: each.count for each in report.findings}


def test_planted_faults_are_found_and_nothing_else(tmp_path: Path) -> None:
    every = [numbers(index) for index in range(COUNT)]
    usual = kinds(audited(tmp_path / "fine", every))
    own = {"tiny_regions", "scattered_objects", "huge_objects", "border_objects"}
    assert not own & usual.keys()

    every[0][50, 50] = 1  # a speck of the first object, far away
    every[1][30:62, 2:62] = 4
    every[2][:] = 0
    every[3] = np.where(every[3] == 2, 0, every[3])
    every[3][40:42, 40:42] = 2
    found = kinds(audited(tmp_path / "bad", every))
    assert found["scattered_objects"] == 1
    assert found["huge_objects"] == 1
    assert found["images_without_objects"] == 1
    assert found["tiny_regions"] == 2
    assert "border_objects" not in found


def test_objects_at_borders_are_counted(tmp_path: Path) -> None:
    every = [np.roll(numbers(index), -22, axis=0) for index in range(COUNT)]
    report = audited(tmp_path, every)
    finding = next(each for each in report.findings if each.kind == "border_objects")
    assert finding.count == 4 * COUNT


def test_label_images_suggest_the_task(tmp_path: Path) -> None:
    every = [np.where(numbers(0) > 0, numbers(0) + 9 * at, 0) for at in range(8)]
    task = evident_task(write(tmp_path / "objects", every))
    assert task is not None
    assert task.name == "instances"
    every = [np.minimum(numbers(at), 2) for at in range(8)]
    task = evident_task(write(tmp_path / "classes", every))
    assert task is not None
    assert task.name == "segmentation"


@pytest.fixture
def few_slides(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(drawn_touching, "SLIDES", 6)
    monkeypatch.setattr(drawn_touching, "FIELDS", 2)


@pytest.mark.usefixtures("few_slides")
def test_the_sample_has_cells_that_touch_and_keeps_slides_together(tmp_path: Path) -> None:
    sample = SAMPLES["touching_cells"]
    one, other = (sample.write(tmp_path / name, SilentProgress()) for name in ("a", "b"))
    files = sorted(path.relative_to(one) for path in one.rglob("*.*"))
    assert all((one / path).read_bytes() == (other / path).read_bytes() for path in files)
    import_dataset(sample.recipe(one), tmp_path / "d", SilentProgress())
    store = Store.open(tmp_path / "d")
    assert store.classes == ["round", "spindle"]
    assert store.targets.sum(axis=0).min() > 20
    splits: dict[str, set[int]] = {}
    for row, split in enumerate(store.split.tolist()):
        splits.setdefault(store.origins.name(row), set()).add(split)
    assert len(splits) == 6
    assert all(len(each) == 1 for each in splits.values())
    labels = store.required_regions[0]
    across = (labels[:, 1:] > 0) & (labels[:, :-1] > 0) & (labels[:, 1:] != labels[:, :-1])
    assert across.sum() > 5
