"""Planted faults are found, and nothing else is."""

from __future__ import annotations

import tracemalloc
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import pytest
from audit_pictures import (
    Pixels,
    blurred,
    brighter,
    compressed,
    cropped,
    darker,
    paler,
    scene,
)
from dataset_pictures import Listener
from dataset_stores import make_store
from PIL import Image

from studio.engine.datasets.audit.checks import CHECKS
from studio.engine.datasets.audit.duplicates import find_neighbors
from studio.engine.datasets.audit.findings import AuditPlan, AuditReport
from studio.engine.datasets.audit.measures import measure
from studio.engine.datasets.audit.name_checks import NAME_CHECKS
from studio.engine.datasets.audit.run import audit_dataset
from studio.engine.datasets.edits import Exclude
from studio.engine.datasets.sources.base import Skipped
from studio.engine.datasets.splits import SKIPPED, TEST, TRAIN, VAL
from studio.engine.datasets.store import FILE_NAME, Store
from studio.engine.datasets.summary import write_skipped
from studio.engine.datasets.versions import edit_dataset
from studio.engine.errors import BadDataError, StudioError
from studio.engine.progress import Cancelled, SilentProgress

SILENT = SilentProgress()
PLAN = AuditPlan(dataset="d")
PLAIN = 240


@dataclass
class Planted:
    """A dataset under construction, and what was put into it."""

    images: list[Pixels] = field(default_factory=list)
    labels: list[int] = field(default_factory=list)
    split: list[int] = field(default_factory=list)

    def add(self, image: Pixels, label: int = 0, split: int = TRAIN) -> int:
        self.images.append(image)
        self.labels.append(label)
        self.split.append(split)
        return len(self.images) - 1

    def plain(self, count: int) -> None:
        for seed in range(count):
            self.add(scene(seed), seed % 3, (TRAIN, TRAIN, TRAIN, VAL, TEST)[seed % 5])

    def audited(self, folder: Path, **values: object) -> AuditReport:
        make_store(folder, self.images, self.labels, self.split)
        return audit_dataset(folder, PLAN.changed(**values), SILENT)


def pairs_of(report: AuditReport, kind: str) -> set[tuple[int, int]]:
    finding = report.finding(kind)
    return set() if finding is None else {(min(p), max(p)) for p in finding.pairs}


def rows_of(report: AuditReport, kind: str) -> list[int]:
    finding = report.finding(kind)
    return [] if finding is None else finding.rows


def test_a_clean_dataset_has_no_findings(tmp_path: Path) -> None:
    planted = Planted()
    planted.plain(PLAIN)
    report = planted.audited(tmp_path)

    assert report.findings == []
    assert set(report.counts) | {"tiny", "label_errors"} == {
        *CHECKS.names(),
        *NAME_CHECKS.names(),
    }
    assert set(report.counts.values()) == {0}
    assert [entry.kind for entry in report.not_checked] == ["label_errors", "tiny"]
    assert report.images == PLAIN
    assert AuditReport.read(tmp_path) == report


def test_copies_leaks_and_conflicts_are_found_pair_by_pair(tmp_path: Path) -> None:
    planted = Planted()
    planted.plain(PLAIN)
    train = [row for row in range(PLAIN) if planted.split[row] == TRAIN]
    label, split = planted.labels, planted.split
    exact: set[tuple[int, int]] = set()
    near: set[tuple[int, int]] = set()
    changes = (compressed, cropped, brighter)
    for index, row in enumerate(train[:40]):
        copy = planted.images[row] if index % 4 == 0 else changes[index % 3](planted.images[row])
        new = planted.add(copy, label[row] if index % 5 else (label[row] + 1) % 3, index % 3)
        (exact if index % 4 == 0 else near).add((row, new))
    report = planted.audited(tmp_path)

    assert pairs_of(report, "exact_duplicates") == exact
    found = pairs_of(report, "near_duplicates")
    assert found <= near, "precision is 1"
    assert len(found) >= 0.95 * len(near)
    duplicates = exact | found
    assert pairs_of(report, "leakage") == {p for p in duplicates if split[p[0]] != split[p[1]]}
    assert pairs_of(report, "conflicting_labels") == {
        p for p in duplicates if label[p[0]] != label[p[1]]
    }
    leakage = report.finding("leakage")
    assert leakage is not None
    assert leakage.severity == "serious"
    assert leakage.count == len(leakage.pairs) == len(leakage.similarity)
    assert all(split[first] < split[second] for first, second in leakage.pairs)
    store = Store.open(tmp_path)
    assert leakage.paths == [store.paths[row] for row in leakage.rows]
    assert set(report.counts) >= {"leakage", "near_duplicates", "exact_duplicates"}


@pytest.mark.parametrize(
    ("change", "share"),
    [
        (lambda pixels: compressed(pixels, 35), 1.0),
        (lambda pixels: brighter(pixels, 0.8, -5), 1.0),
        (lambda pixels: cropped(pixels, 0.02), 1.0),
        (lambda pixels: compressed(cropped(brighter(pixels), 0.02), 70), 0.9),
    ],
)
def test_recall_of_near_duplicates(tmp_path: Path, change: object, share: float) -> None:
    assert callable(change)
    images = [scene(seed) for seed in range(300)]
    images += [change(image) for image in images[:100]]
    make_store(tmp_path, images, [0] * 400)
    report = audit_dataset(tmp_path, PLAN, SILENT)

    found = pairs_of(report, "near_duplicates") | pairs_of(report, "exact_duplicates")
    truth = {(row, row + 300) for row in range(100)}
    assert found <= truth
    assert len(found) >= share * 100


def test_stronger_crops_are_found_where_less_is_asked(tmp_path: Path) -> None:
    images = [scene(seed) for seed in range(300)]
    images += [cropped(image, 0.04) for image in images[:100]]
    make_store(tmp_path, images, [0] * 400)
    found = [
        pairs_of(audit_dataset(tmp_path, PLAN.changed(**values), SILENT), "near_duplicates")
        for values in ({}, {"near_similarity": 93, "near_bits": 14}, {"near_similarity": 100})
    ]

    assert found[0] < found[1] <= {(row, row + 300) for row in range(100)}
    assert len(found[1]) >= 60
    assert found[2] == set()


def test_sorted_neighborhoods_find_what_comparing_all_with_all_finds(tmp_path: Path) -> None:
    images = [scene(seed // 2 if seed % 3 else seed, 32) for seed in range(900)]
    images = [brighter(image) if i % 2 else compressed(image) for i, image in enumerate(images)]
    measures = measure(make_store(tmp_path, images, [0] * 900), SILENT)
    found = find_neighbors(measures, np.arange(900), 10, 0.95, SILENT)

    bits = np.bitwise_count(measures.outline[:, None] ^ measures.outline[None, :])
    thumbs = measures.thumbs.astype(np.float32)
    thumbs /= np.linalg.norm(thumbs, axis=1, keepdims=True)
    tint = measures.channel_mean - measures.channel_mean.mean(axis=1, keepdims=True)
    apart = np.abs(tint[:, None] - tint[None, :]).max(axis=2)
    truth = (bits <= 10) & (thumbs @ thumbs.T >= found.asked) & (apart <= 24)
    first, second = np.nonzero(np.triu(truth, 1))
    expected = set(zip(first.tolist(), second.tolist(), strict=True))
    assert len(expected) > 100
    assert {(a, b) for a, b in found.pairs.tolist()} == expected
    assert not found.is_cut


def test_copies_of_copies_all_leak(tmp_path: Path) -> None:
    planted = Planted()
    planted.plain(60)
    stored = planted.add(scene(900), split=TRAIN)
    near = compressed(scene(900))
    rows = [planted.add(near, split=TEST), planted.add(near, split=TEST)]
    also = planted.add(scene(901), split=VAL)
    leak = planted.add(scene(901), split=TEST)
    report = planted.audited(tmp_path)

    assert pairs_of(report, "leakage") == {(stored, rows[0]), (stored, rows[1]), (also, leak)}
    assert pairs_of(report, "exact_duplicates") == {(rows[0], rows[1]), (also, leak)}


def test_images_with_little_content_are_found_and_classified(tmp_path: Path) -> None:
    planted = Planted()
    planted.plain(PLAIN)
    flat = np.full((48, 48, 3), 128, np.uint8)
    noisy = flat + np.random.default_rng(0).integers(0, 3, flat.shape).astype(np.uint8)
    expected = {
        "blank": [planted.add(flat), planted.add(noisy), planted.add(flat * 0)],
        "dark": [planted.add(darker(scene(seed))) for seed in (1000, 1001)],
        "bright": [planted.add(paler(scene(seed))) for seed in (1002, 1003)],
        "blurred": [planted.add(blurred(scene(seed))) for seed in (1004, 1005, 1006)],
    }
    report = planted.audited(tmp_path)

    assert {kind: rows_of(report, kind) for kind in expected} == expected
    assert {finding.kind for finding in report.findings} == set(expected)
    loose = planted.audited(tmp_path, dark_level=0, bright_level=255, blur_percent=0)
    assert {finding.kind for finding in loose.findings} == {"blank"}


def test_classes_that_are_small_or_missing(tmp_path: Path) -> None:
    labels = [0] * 30 + [1] * 6 + [2] * 3
    split = [TRAIN] * 25 + [VAL] * 5 + [TRAIN] * 5 + [VAL] + [VAL] * 3
    images = [scene(seed, 8) for seed in range(39)]
    make_store(tmp_path, images, labels, split)
    report = audit_dataset(tmp_path, PLAN, SILENT)

    missing, uneven = report.finding("missing_classes"), report.finding("class_imbalance")
    assert missing is not None
    assert uneven is not None
    assert (missing.classes, missing.severity) == (["c"], "serious")
    assert "train" in missing.message
    assert uneven.classes == ["b"]
    assert '"b" has 5, "a" has 25' in uneven.message
    calm = audit_dataset(tmp_path, PLAN.changed(imbalance_ratio=6), SILENT)
    assert calm.finding("class_imbalance") is None


@pytest.mark.parametrize(
    ("classes", "severity"),
    [
        (("train", "car", "bus"), "info"),
        (("treino", "car", "test set"), "warning"),
        (("a", "b", "c"), None),
    ],
)
def test_classes_that_are_called_like_splits(
    tmp_path: Path, classes: tuple[str, ...], severity: str | None
) -> None:
    planted = Planted()
    planted.plain(30)
    make_store(tmp_path, planted.images, planted.labels, planted.split, classes=classes)
    found = audit_dataset(tmp_path, PLAN, SILENT).finding("split_classes")
    assert (found and found.severity) == severity
    assert found is None or found.classes == [name for name in classes if name[0] == "t"]


def test_splits_that_coincide_with_classes(tmp_path: Path) -> None:
    images = [scene(seed, 8) for seed in range(12)]
    make_store(tmp_path, images, [0] * 6 + [1] * 6, [TRAIN] * 6 + [TEST] * 6)
    found = audit_dataset(tmp_path, PLAN, SILENT).finding("split_classes")
    assert found is not None
    assert (found.severity, found.classes) == ("serious", ["a", "b"])
    assert 'train "a", test "b"' in found.message


def test_classes_whose_names_differ_hardly(tmp_path: Path) -> None:
    images = [scene(seed, 8) for seed in range(9)]
    make_store(tmp_path, images, [0, 1, 2] * 3, [TRAIN] * 9, classes=("Gear", "gear ", "dog"))
    found = audit_dataset(tmp_path, PLAN, SILENT).finding("similar_classes")
    assert found is not None
    assert found.classes == ["Gear", "gear "]
    assert '"Gear" / "gear "' in found.message


def test_files_left_out_and_tiny_ones(tmp_path: Path) -> None:
    planted = Planted()
    planted.plain(40)
    store = make_store(tmp_path, planted.images, planted.labels, planted.split)
    root = Path(store.recipe.source)
    for row, path in enumerate(store.paths):
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        side = 12 if row in (3, 7) else 100
        if row != 11:
            Image.new("RGB", (side, side + 20)).save(root / path)
    write_skipped(tmp_path, [Skipped("a/broken.png", "the file is empty")])
    report = audit_dataset(tmp_path, PLAN, SILENT)

    unreadable = report.finding("unreadable")
    assert unreadable is not None
    assert (unreadable.paths, unreadable.rows) == (["a/broken.png"], [])
    assert "the file is empty" in unreadable.message
    assert rows_of(report, "tiny") == [3, 7]
    statistics = report.statistics
    assert statistics.width is not None
    assert statistics.height is not None
    assert (statistics.width.low, statistics.width.median) == (12, 100)
    assert statistics.height.high == 120
    blind = audit_dataset(tmp_path, PLAN.changed(look_at_files=False), SILENT)
    assert blind.statistics.width is None
    assert "tiny" not in blind.counts


@pytest.mark.parametrize("channels", [1, 3])
def test_figures_and_mean_images(tmp_path: Path, channels: int) -> None:
    images = np.stack([scene(seed, 9)[:, :, :channels] for seed in range(50)])
    split = np.array([TRAIN] * 30 + [TEST] * 18 + [SKIPPED] * 2)
    make_store(tmp_path, images, [0] * 48 + [-1] * 2, split)
    statistics = audit_dataset(tmp_path, PLAN, SILENT).statistics

    seen = images[:48].astype(np.float64)
    assert statistics.color_mean == pytest.approx(seen.mean(axis=(0, 1, 2)), abs=1e-3)
    assert statistics.color_deviation == pytest.approx(seen.std(axis=(0, 1, 2)), rel=1e-4)
    gray = seen @ ([0.299, 0.587, 0.114] if channels == 3 else [1.0])
    brightness = gray.mean(axis=(1, 2))
    assert statistics.brightness.low == pytest.approx(brightness.min(), abs=0.01)
    assert statistics.brightness.median == pytest.approx(np.median(brightness), abs=0.01)
    assert set(statistics.mean_images) == {"train", "test"}
    mean = np.asarray(Image.open(tmp_path / statistics.mean_images["test"]))
    expected = np.rint(seen[30:].mean(axis=0)).reshape(mean.shape)
    assert np.array_equal(mean, expected)


@pytest.mark.parametrize("shape", [(1, 1, 1), (2, 3, 3), (5, 2, 1), (300, 7, 3)])
def test_any_shape_can_be_audited(tmp_path: Path, shape: tuple[int, int, int]) -> None:
    random = np.random.default_rng(0)
    images = random.integers(0, 256, (30, *shape), np.uint8)
    make_store(tmp_path, images, [0, 1, 2] * 10)
    assert audit_dataset(tmp_path, PLAN, SILENT).images == 30


def test_excluded_files_are_not_read(tmp_path: Path) -> None:
    planted = Planted()
    planted.plain(30)
    copy = planted.add(planted.images[0])
    planted.audited(tmp_path)
    edit_dataset(tmp_path, [Exclude(rows=str(copy))])

    newest = audit_dataset(tmp_path, PLAN, SILENT)
    assert (newest.dataset_version, newest.images) == (1, 30)
    assert newest.finding("exact_duplicates") is None
    old = audit_dataset(tmp_path, PLAN.changed(dataset_version=0), SILENT)
    assert old.finding("exact_duplicates") is not None
    with pytest.raises(StudioError, match="versions 0 to 1"):
        audit_dataset(tmp_path, PLAN.changed(dataset_version=2), SILENT)
    edit_dataset(tmp_path, [Exclude(rows="0-30")])
    nothing = audit_dataset(tmp_path, PLAN, SILENT)
    assert nothing.images == 0
    assert nothing.statistics.mean_images == {}


def test_an_audit_changes_nothing_and_says_the_same_again(tmp_path: Path) -> None:
    planted = Planted()
    planted.plain(50)
    planted.add(compressed(planted.images[0]), split=TEST)
    first = planted.audited(tmp_path)
    data = (tmp_path / FILE_NAME).read_bytes()
    again = audit_dataset(tmp_path, PLAN, SILENT)

    assert first.model_dump(exclude={"created"}) == again.model_dump(exclude={"created"})
    assert (tmp_path / FILE_NAME).read_bytes() == data
    assert not list(tmp_path.glob("tmp*")), "the thumbnails are gone"


def test_cancelling_keeps_the_older_report(tmp_path: Path) -> None:
    planted = Planted()
    planted.plain(20)
    planted.audited(tmp_path)
    before = (tmp_path / AuditReport.FILE).read_bytes()
    listener = Listener()
    audit_dataset(tmp_path, PLAN, listener)
    steps = len(listener.steps)
    assert {what for _, _, what in listener.steps} == {
        "Checking every image",
        "Searching for duplicates",
        "Checking labels",
    }
    before = (tmp_path / AuditReport.FILE).read_bytes()
    for after in (0, 1, steps - 1):
        with pytest.raises(Cancelled):
            audit_dataset(tmp_path, PLAN, Listener(cancel_after=after))
    assert (tmp_path / AuditReport.FILE).read_bytes() == before


def test_reports_missing_or_damaged(tmp_path: Path) -> None:
    assert AuditReport.read(tmp_path) is None
    (tmp_path / AuditReport.FILE).write_text("{}")
    with pytest.raises(BadDataError, match="cannot be read"):
        AuditReport.read(tmp_path)


@pytest.mark.thorough
def test_memory_does_not_grow_with_the_images(tmp_path: Path) -> None:
    count, size = 20_000, 48
    base = np.stack([scene(seed, size) for seed in range(200)])
    random = np.random.default_rng(0)
    images = np.empty((count, size, size, 3), np.uint8)
    for start in range(0, count, 200):
        shift = random.integers(-40, 40, (200, 6, 6, 3)).repeat(8, axis=1).repeat(8, axis=2)
        images[start : start + 200] = np.clip(base + shift, 0, 255)
    images[-1] = images[0]
    make_store(tmp_path, images, [0] * count)
    size_of_all = images.nbytes
    del images
    tracemalloc.start()
    try:
        report = audit_dataset(tmp_path, PLAN, SILENT)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()

    assert (0, count - 1) in pairs_of(report, "exact_duplicates")
    assert size_of_all > 130 * 2**20
    assert peak < 120 * 2**20, f"{peak / 2**20:.0f} MB"
