"""Audits of masks: planted faults are found, and nothing else is."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from audit_pictures import scene
from dataset_stores import make_store
from mask_pictures import Pixels, imported, mask_recipe, save

from studio.engine.datasets.audit.findings import AuditPlan, AuditReport
from studio.engine.datasets.audit.fixes import fix_finding
from studio.engine.datasets.audit.mask_checks import MASK_CHECKS, smallest_regions
from studio.engine.datasets.audit.run import audit_dataset
from studio.engine.datasets.samples import SAMPLES
from studio.engine.datasets.splits import SKIPPED
from studio.engine.datasets.store import Store
from studio.engine.progress import Cancelled, SilentProgress

SIDE = 32
COUNT = 12
EMPTY, SPECK, STRANGE, WRONG_SIZE, NO_PICTURE, LONELY = (
    *("empty", "speck", "strange", "wrong_size"),
    *("no_picture", "lonely"),
)
Change = Callable[[Pixels], None]


def add(root: Path, name: str, seed: int, change: Change | None = None) -> None:
    """Write a picture of its own, with half leaf and a quarter ground."""
    mask = np.zeros((SIDE, SIDE), np.uint8)
    mask[:16] = 1
    mask[20:, :16] = 2
    if change is not None:
        change(mask)
    save(scene(seed, SIDE), root / "images" / f"{name}.png")
    save(mask, root / "masks" / f"{name}.png")


def audited(root: Path, folder: Path, **values: object) -> AuditReport:
    names = {"class_names": ["background", "leaf", "stem"], "width": SIDE, "height": SIDE}
    imported(mask_recipe(root, **names), folder)
    return audit_dataset(folder, AuditPlan(dataset="d").changed(**values), SilentProgress())


@pytest.fixture
def root(tmp_path: Path) -> Path:
    for seed in range(COUNT):
        add(tmp_path / "in", f"{seed:03}", seed)
    return tmp_path / "in"


def paths(report: AuditReport, kind: str) -> list[str]:
    found = report.finding(kind)
    return [] if found is None else found.paths


def test_clean_masks_have_no_findings(root: Path, tmp_path: Path) -> None:
    report = audited(root, tmp_path / "d")
    assert set(MASK_CHECKS.names()) <= set(report.counts)
    assert {kind: report.counts[kind] for kind in MASK_CHECKS.names()} == dict.fromkeys(
        MASK_CHECKS.names(), 0
    )


def test_planted_faults_of_masks_are_found(root: Path, tmp_path: Path) -> None:
    def empty(mask: Pixels) -> None:
        mask[:] = 0
        mask[:4] = 255

    def speck(mask: Pixels) -> None:
        mask[18:20, 28:31] = 2

    def strange(mask: Pixels) -> None:
        mask[0, 0] = 77

    for seed, (name, change) in enumerate(
        [(EMPTY, empty), (SPECK, speck), (STRANGE, strange)], start=COUNT
    ):
        add(root, name, seed, change)
    save(scene(50, SIDE), root / "images" / f"{WRONG_SIZE}.png")
    save(np.zeros((SIDE, SIDE - 1), np.uint8), root / "masks" / f"{WRONG_SIZE}.png")
    save(scene(51, SIDE), root / "images" / f"{LONELY}.png")
    (root / "images" / "torn.png").write_bytes(b"\x89PNG\r\n\x1a\n and no more")
    save(np.zeros((SIDE, SIDE), np.uint8), root / "masks" / "torn.png")

    report = audited(root, tmp_path / "d")

    assert paths(report, "empty_masks") == [f"images/{EMPTY}.png"]
    assert paths(report, "tiny_regions") == [f"images/{SPECK}.png"]
    unusable = report.finding("unusable_masks")
    assert unusable is not None
    assert set(unusable.paths) == {f"images/{name}.png" for name in (STRANGE, WRONG_SIZE, LONELY)}
    assert unusable.rows == []
    assert unusable.actions == ()
    assert paths(report, "unreadable") == ["images/torn.png"]
    assert report.finding("pixel_imbalance") is None
    assert AuditReport.read(tmp_path / "d") == report

    fix_finding(tmp_path / "d", "empty_masks", "exclude")
    store = Store.open(tmp_path / "d")
    assert store.split[store.paths.index(f"images/{EMPTY}.png")] == SKIPPED


def test_what_counts_as_tiny_is_a_setting(root: Path, tmp_path: Path) -> None:
    def speck(mask: Pixels) -> None:
        mask[18, 28:31] = 1  # touches the stem nowhere
        mask[19, 31] = 1  # a corner is enough: four pixels

    add(root, SPECK, COUNT, speck)
    assert paths(audited(root, tmp_path / "a"), "tiny_regions") == [f"images/{SPECK}.png"]
    assert audited(root, tmp_path / "b", tiny_region_pixels=3).finding("tiny_regions") is None
    whole = audited(root, tmp_path / "c", tiny_region_pixels=SIDE * SIDE)
    assert len(paths(whole, "tiny_regions")) == COUNT + 1


def test_classes_with_few_training_pixels_are_found(root: Path, tmp_path: Path) -> None:
    def thin(mask: Pixels) -> None:
        mask[mask == 2] = 0
        mask[20:24, 0:5] = 2

    for seed in range(COUNT):
        add(root, f"{seed:03}", seed, thin)
    found = audited(root, tmp_path / "d").finding("pixel_imbalance")
    assert found is not None
    assert found.classes == ["stem"]
    assert found.count == 1
    # 20 of 1024 pixels; leaf has 512.
    assert '"stem" has 1.95% of the pixels, "leaf" has 50.0%' in found.message
    assert (
        audited(root, tmp_path / "e", pixel_imbalance_ratio=30).finding("pixel_imbalance") is None
    )


def test_the_background_does_not_make_other_classes_small(root: Path, tmp_path: Path) -> None:
    def small(mask: Pixels) -> None:
        mask[:] = 0
        mask[:4, :4] = 1
        mask[20:24, :4] = 2

    for seed in range(4 * COUNT):
        add(root, f"{seed:03}", seed, small if seed < COUNT else lambda mask: mask.fill(0))
    report = audited(root, tmp_path / "d", imbalance_ratio=2.0)
    assert report.finding("pixel_imbalance") is None
    assert report.finding("class_imbalance") is None


def test_the_sample_has_nothing_to_warn_of(tmp_path: Path) -> None:
    sample = SAMPLES["shapes_segmentation"]
    imported(sample.recipe(sample.write(tmp_path, SilentProgress())), tmp_path / "d")
    report = audit_dataset(tmp_path / "d", AuditPlan(dataset="d"), SilentProgress())
    assert [each.kind for each in report.findings if each.severity != "info"] == []


def test_datasets_without_masks_are_not_asked(tmp_path: Path) -> None:
    make_store(tmp_path, [scene(seed) for seed in range(12)], [0, 1] * 6)
    report = audit_dataset(tmp_path, AuditPlan(dataset="d"), SilentProgress())
    assert not set(MASK_CHECKS.names()) & set(report.counts)


def test_looking_at_masks_can_be_canceled(root: Path, tmp_path: Path) -> None:
    class Cancels(SilentProgress):
        def check(self) -> None:
            raise Cancelled

    store = imported(mask_recipe(root), tmp_path / "d")
    with pytest.raises(Cancelled):
        smallest_regions(store, store.rows("train"), Cancels())
