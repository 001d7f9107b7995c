"""Wrong labels are found in real digits, and nothing is claimed where nothing is known."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from dataset_stores import make_store
from numpy.typing import NDArray
from PIL import Image
from sklearn.datasets import load_digits

from helpers.target_datasets import squares, target_recipe
from studio.engine.datasets.audit.findings import AuditPlan, AuditReport
from studio.engine.datasets.audit.fixes import fix_finding
from studio.engine.datasets.audit.label_errors import KIND
from studio.engine.datasets.audit.remaining import left_of
from studio.engine.datasets.audit.run import audit_dataset
from studio.engine.datasets.edits import SetTarget
from studio.engine.datasets.importer import import_dataset
from studio.engine.datasets.store import Store
from studio.engine.datasets.versions import edit_dataset
from studio.engine.progress import Cancelled, SilentProgress

PLAN = AuditPlan(dataset="d", near_similarity=100)
WRONG = 60


@pytest.fixture(scope="module")
def truth() -> NDArray[np.int64]:
    return np.asarray(load_digits().target, np.int64)


@pytest.fixture(scope="module")
def wrong() -> NDArray[np.int64]:
    return np.sort(np.random.default_rng(5).choice(1797, WRONG, replace=False))


@pytest.fixture
def digits(tmp_path: Path, truth: NDArray[np.int64], wrong: NDArray[np.int64]) -> Path:
    """The handwritten digits, 60 of them with a wrong label."""
    images = (load_digits().images * 15).astype(np.uint8)[..., np.newaxis]
    labels = truth.copy()
    labels[wrong] = (labels[wrong] + np.random.default_rng(6).integers(1, 10, WRONG)) % 10
    return _dataset(tmp_path / "digits", images, labels, 10)


def _dataset(
    folder: Path, images: NDArray[np.uint8], labels: NDArray[np.int64], classes: int
) -> Path:
    make_store(folder, images, labels, classes=[str(name) for name in range(classes)])
    return folder


class _Impatient(SilentProgress):
    """Cancels when labels are being predicted."""

    def __init__(self) -> None:
        self._enough = False

    def advance(self, done: int, total: int, what: str) -> None:
        self._enough = what == "Checking labels"

    def check(self) -> None:
        if self._enough:
            raise Cancelled


def _reason(report: AuditReport) -> str:
    return next(entry.reason for entry in report.not_checked if entry.kind == KIND)


def test_wrong_labels_of_digits_are_found(
    digits: Path, truth: NDArray[np.int64], wrong: NDArray[np.int64]
) -> None:
    finding = audit_dataset(digits, PLAN, SilentProgress()).finding(KIND)

    assert finding is not None
    found = np.array(finding.rows)
    assert np.isin(wrong, found).mean() >= 0.7, "recall"
    assert np.isin(found, wrong).mean() >= 0.85, "precision"
    suggested = np.array([int(name) for name in finding.classes])
    hits = np.isin(found, wrong)
    assert (suggested[hits] == truth[found[hits]]).mean() >= 0.9


@pytest.mark.thorough
def test_one_click_gives_every_image_its_suggested_class(
    digits: Path, truth: NDArray[np.int64], wrong: NDArray[np.int64]
) -> None:
    audit_dataset(digits, PLAN, SilentProgress())
    before = Store.open(digits)

    fix_finding(digits, KIND, "relabel", rows=wrong.tolist())

    after = Store.open(digits)
    assert (before.labels[wrong] == truth[wrong]).sum() == 0
    assert (after.labels[wrong] == truth[wrong]).mean() >= 0.7
    others = np.setdiff1d(np.arange(len(truth)), wrong)
    assert (after.labels[others] == truth[others]).all()


def test_true_labels_of_digits_are_not_doubted(tmp_path: Path, truth: NDArray[np.int64]) -> None:
    images = (load_digits().images * 15).astype(np.uint8)[..., np.newaxis]
    folder = _dataset(tmp_path / "true", images, truth, 10)

    report = audit_dataset(folder, PLAN, SilentProgress())

    assert report.finding(KIND) is None
    assert report.counts[KIND] == 0


def test_labels_by_chance_are_not_doubted(tmp_path: Path) -> None:
    generator = np.random.default_rng(0)
    images = generator.integers(0, 256, (200, 16, 16, 3), np.uint8)
    folder = _dataset(tmp_path / "noise", images, generator.integers(0, 4, 200), 4)

    report = audit_dataset(folder, PLAN, SilentProgress())

    assert report.finding(KIND) is None
    assert "a simple model on small copies of the images predicts only" in _reason(report)
    assert KIND not in report.counts


def test_small_classes_are_not_judged(tmp_path: Path) -> None:
    images = np.random.default_rng(0).integers(0, 256, (12, 16, 16, 1), np.uint8)
    folder = _dataset(tmp_path / "small", images, np.arange(12) % 3, 3)

    assert "fewer than two classes have 5 images" in _reason(
        audit_dataset(folder, PLAN, SilentProgress())
    )


def test_it_can_be_left_out_and_cancelled(digits: Path) -> None:
    without = PLAN.model_copy(update={"doubt_labels": False})
    assert "not requested" in _reason(audit_dataset(digits, without, SilentProgress()))

    with pytest.raises(Cancelled):
        audit_dataset(digits, PLAN, _Impatient())


def _halves(folder: Path, task: str, count: int = 160, **fields: object) -> Path:
    """Import gray pictures whose halves are bright or dark, with both as labels or as numbers."""
    random = np.random.default_rng(0)
    (folder / "pictures").mkdir(parents=True)
    lines = ["image,top,bottom"]
    for index in range(count):
        there = random.random(2) < 0.5
        pixels = random.integers(0, 60, (24, 24)).astype(np.uint8)
        pixels[:8] += 150 * np.uint8(there[0])
        pixels[16:] += 150 * np.uint8(there[1])
        pixels[8:12] = 255  # what is measured is relative to the contrast of a picture
        Image.fromarray(pixels).save(folder / "pictures" / f"{index:03}.png")
        values = (
            there.astype(int) if task == "multi_label" else (pixels[:8].mean(), there[1] + 0.5)
        )
        lines.append(f"{index:03}.png,{values[0]},{values[1]}")
    (folder / "table.csv").write_text("\n".join(lines) + "\n")
    (folder / "dataset").mkdir()
    tables = {task: folder / "table.csv"}
    recipe = target_recipe(tables, task, path_prefix=str(folder / "pictures"), **fields)
    import_dataset(recipe, folder / "dataset", SilentProgress())
    return folder / "dataset"


@pytest.mark.parametrize("task", ["multi_label", "regression"])
def test_wrong_targets_are_found_and_no_longer_when_they_are_corrected(
    tmp_path: Path, task: str
) -> None:
    folder = _halves(tmp_path, task)
    assert audit_dataset(folder, PLAN, SilentProgress()).finding(KIND) is None
    truth = Store.open(folder).targets
    wrong = [3, 40, 71, 100]
    moved = 1 - truth[:, 0] if task == "multi_label" else 230 - truth[:, 0]
    edits = [SetTarget(rows=str(row), output=0, value=float(moved[row])) for row in wrong]
    edit_dataset(folder, edits)

    finding = audit_dataset(folder, PLAN, SilentProgress()).finding(KIND)

    assert finding is not None
    found = [row for row in finding.rows if row in wrong]
    assert len(found) >= 3
    assert len(finding.rows) <= 5
    assert finding.classes[0] == "top"
    assert finding.actions == ("exclude",)
    assert f'{finding.paths[0]}, where "top" is' in finding.message
    audited = Store.open(folder)
    back = SetTarget(rows=str(found[0]), output=0, value=float(truth[found[0], 0]))
    edit_dataset(folder, [back])
    _, left = left_of(finding, Store.open(folder), audited)
    assert left.tolist() == sorted(set(finding.rows) - {found[0]})


def test_few_images_with_targets_are_not_doubted(tmp_path: Path) -> None:
    folder = tmp_path / "dataset"
    folder.mkdir()
    recipe = target_recipe(squares(tmp_path / "squares", 40), "regression")
    import_dataset(recipe, folder, SilentProgress())

    assert "fewer than 50 images" in _reason(audit_dataset(folder, PLAN, SilentProgress()))


def test_a_single_number_is_predicted(tmp_path: Path) -> None:
    folder = _halves(tmp_path, "regression", target_columns=["top"])
    wrong = SetTarget(rows="3", output=0, value=float(230 - Store.open(folder).targets[3, 0]))
    edit_dataset(folder, [wrong])

    finding = audit_dataset(folder, PLAN, SilentProgress()).finding(KIND)

    assert finding is not None
    assert 3 in finding.rows
