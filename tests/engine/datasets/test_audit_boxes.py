"""Audits of datasets with boxes."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
from box_pictures import NAMES as PICTURE_NAMES
from box_pictures import box_folder, box_recipe, imported
from dataset_pictures import Listener

from studio.engine.datasets.audit.box_checks import BOX_CHECKS, has_duplicates, is_image_sized
from studio.engine.datasets.audit.box_errors import PredictedBoxes
from studio.engine.datasets.audit.findings import AuditPlan, AuditReport
from studio.engine.datasets.audit.fixes import fix_finding
from studio.engine.datasets.audit.label_errors import KIND
from studio.engine.datasets.audit.remaining import left_of, preview_fix
from studio.engine.datasets.audit.run import audit_dataset
from studio.engine.datasets.box_table import BoxTable
from studio.engine.datasets.edits import RemoveObjects
from studio.engine.datasets.store import Store
from studio.engine.datasets.versions import edit_dataset, undo
from studio.engine.tasks.boxes import empty
from studio.engine.tasks.calibration import Calibration
from studio.engine.tasks.decoding import MOST


def audited(folder: Path, **plan: object) -> AuditReport:
    fields = {"dataset": "d", "doubt_labels": False} | plan
    return audit_dataset(folder, AuditPlan.parse(fields), Listener())


def changed(root: Path, image: int, box: list[float], **fields: object) -> None:
    """Add a box to a picture."""
    file = root / "annotations.json"
    document = json.loads(file.read_text())
    one = {"id": len(document["annotations"]) + 90000, "image_id": image, "category_id": 1}
    document["annotations"].append(one | {"bbox": box} | fields)
    file.write_text(json.dumps(document))


def paths(report: AuditReport, kind: str) -> list[str]:
    finding = report.finding(kind)
    return [] if finding is None else finding.paths


def test_a_sound_dataset_has_no_finding_but_its_empty_images(tmp_path: Path) -> None:
    imported(box_recipe(box_folder(tmp_path / "in", 20)), tmp_path / "d")
    report = audited(tmp_path / "d", tiny_box_pixels=2, few_boxes=3)
    found = {kind for kind in BOX_CHECKS.names() if report.counts[kind]}
    assert found == {"images_without_objects"}
    assert paths(report, "images_without_objects") == [
        f"images/{index:03}.png" for index in range(20) if index % 5 == 4
    ]


def test_doubtful_boxes_are_found(tmp_path: Path) -> None:
    root = box_folder(tmp_path / "in", 20)
    changed(root, 3, [0, 0, 32, 32])
    changed(root, 6, [3, 3, 1, 8])
    changed(root, 7, [40, 40, 5, 5])
    changed(root, 8, [0, 0, 32, 32], iscrowd=1)
    imported(box_recipe(root), tmp_path / "d")
    report = audited(tmp_path / "d", tiny_box_pixels=1, few_boxes=1000)
    assert paths(report, "image_sized_boxes") == ["images/003.png"]
    assert paths(report, "tiny_boxes") == ["images/006.png"]
    assert paths(report, "lost_boxes") == ["images/007.png"]
    few = report.finding("few_boxes")
    assert few is not None
    assert few.count == 3


def test_duplicates_and_image_sized_boxes_are_found_by_overlap() -> None:
    boxes = np.array([[0, 1, 1, 11, 11, 0], [0, 1, 1, 11, 11.5, 0]], np.float32)
    assert has_duplicates(boxes, (20, 20))
    boxes[1, 0] = 1
    assert not has_duplicates(boxes, (20, 20))
    assert not is_image_sized(boxes, (20, 20))
    assert is_image_sized(boxes, (10, 10))


def test_one_box_of_each_pair_of_duplicates_is_removed_and_comes_back_by_undo(
    tmp_path: Path,
) -> None:
    root, folder = box_folder(tmp_path / "in", 20), tmp_path / "d"
    known = json.loads((root / "annotations.json").read_text())["annotations"]
    first = {each["image_id"]: each for each in reversed(known)}
    for image, factor in ((3, 1.02), (3, 1.03), (7, 1.02)):
        left, top, width, height = first[image]["bbox"]
        again = [left, top, width * factor, height]
        changed(root, image, again, category_id=first[image]["category_id"])
    before = imported(box_recipe(root), folder)
    report = audited(folder)
    finding = report.finding("duplicate_boxes")
    assert finding is not None
    assert finding.actions == ("deduplicate",)
    rows = finding.rows
    seen = preview_fix(folder, "duplicate_boxes", "deduplicate", None)
    assert [each.row for each in seen] == rows
    assert sorted(int(each.before) - int(each.after) for each in seen) == [1, 2]

    fix_finding(folder, "duplicate_boxes", "deduplicate")

    after = Store.open(folder)
    lost = before.targets.sum(axis=1) - after.targets.sum(axis=1)
    assert sorted(lost[lost > 0].tolist()) == [1, 2]
    assert lost.nonzero()[0].tolist() == sorted(rows)
    assert np.array_equal(after.split, before.split)
    left = left_of(finding, after)
    assert (left[0], list(left[1])) == (0, [])
    for read in (rows[0], slice(rows[0], rows[0] + 1), np.array(rows), after.split >= 0):
        found = np.reshape(after.required_regions[read], (-1, *after.required_regions.shape[1:]))
        assert not any(has_duplicates(each[each[:, 0] >= 0], (32, 32)) for each in found)
    boxes, fewer = BoxTable.of_store(before), BoxTable.of_store(after)
    assert boxes is not None
    assert fewer is not None
    assert len(boxes.image) - len(fewer.image) == 3
    assert audited(folder).finding("duplicate_boxes") is None

    undo(folder)
    assert np.array_equal(Store.open(folder).required_regions[:], before.required_regions[:])


def test_a_second_removal_counts_from_the_imported_boxes(tmp_path: Path) -> None:
    imported(box_recipe(box_folder(tmp_path / "in", 20)), tmp_path / "d")
    store = Store.open(tmp_path / "d")
    row = int(store.targets.sum(axis=1).argmax())
    boxes = store.required_regions[row]
    edit_dataset(tmp_path / "d", [RemoveObjects(rows=str(row), places="0")])
    edit_dataset(tmp_path / "d", [RemoveObjects(rows=str(row), places="1")])
    found = Store.open(tmp_path / "d").required_regions[row]
    assert np.array_equal(found[: len(boxes) - 2], boxes[2:])
    assert (found[len(boxes) - 2 :, 0] < 0).all()


def predicted(store: Store, rows: list[int], *more: tuple[int, list[float]]) -> PredictedBoxes:
    """Boxes as they are labeled, with a score of 0.8, and more (row, detection) of images."""
    detections = empty(len(rows), MOST)
    for at, row in enumerate(rows):
        own = store.required_regions[row]
        own = own[own[:, 0] >= 0]
        own[:, 5] = 0.8
        added = np.array([box for of, box in more if of == row], np.float32).reshape(-1, 6)
        found = np.concatenate([added, own])
        found = found[np.argsort(-found[:, 5], kind="stable")]
        detections[at, : len(found)] = found
    return PredictedBoxes(np.array(rows), detections, Calibration())


def doubted(folder: Path, *parts: PredictedBoxes) -> AuditReport:
    plan = AuditPlan(dataset="d", few_boxes=0, tiny_box_pixels=0)
    return audit_dataset(folder, plan, Listener(), lambda _: parts)


ERRORS = ("missing_boxes", "wrong_box_classes", "unseen_boxes")


def test_predictions_show_missing_and_wrong_boxes(tmp_path: Path) -> None:
    store = imported(box_recipe(box_folder(tmp_path / "in", 20)), tmp_path / "d")
    rows = np.flatnonzero(~store.is_empty).tolist()
    empty_row = int(np.flatnonzero(store.is_empty)[0])
    first = store.required_regions[rows[1]][0]
    other = (int(first[0]) + 1) % 3
    part = predicted(
        store,
        [*rows, empty_row],
        (empty_row, [1, 2, 3, 20, 22, 0.9]),
        (empty_row, [2, 24, 24, 30, 30, 0.79]),  # less than the right ones have
        (rows[1], [other, *first[1:5], 0.95]),
        (rows[2], [other, *store.required_regions[rows[2]][0, 1:5], 0.6]),
    )
    unseen = store.required_regions[rows[3]][0]
    at = part.detections[3]
    at[np.all(at[:, 1:5] == unseen[1:5], axis=1)] = [1, 0, 0, 1, 1, 0.01]

    report = doubted(tmp_path / "d", part)

    missing, wrong, not_seen = (report.finding(kind) for kind in ERRORS)
    assert missing is not None
    assert (missing.rows, missing.count, missing.severity) == ([empty_row], 1, "warning")
    (box,) = missing.boxes[0]
    assert (box.box, box.label, box.predicted) == ((2, 3, 20, 22), "", PICTURE_NAMES[1])
    assert f'"{PICTURE_NAMES[1]}", predicted with 90%' in missing.message
    assert wrong is not None
    assert wrong.rows == [rows[1]]
    (box,) = wrong.boxes[0]
    names = PICTURE_NAMES[int(first[0])], PICTURE_NAMES[other]
    assert (box.label, box.predicted, box.score) == (*names, 0.95)
    assert not_seen is not None
    assert (not_seen.rows, not_seen.severity) == ([rows[3]], "info")
    assert not_seen.boxes[0][0].label == PICTURE_NAMES[int(unseen[0])]
    assert [report.counts[kind] for kind in ERRORS] == [1, 1, 1]
    assert KIND not in report.counts
    assert AuditReport.read(tmp_path / "d") == report


def test_right_predictions_doubt_nothing(tmp_path: Path) -> None:
    root = box_folder(tmp_path / "in", 10)
    changed(root, 4, [0, 0, 32, 32], iscrowd=1)
    changed(root, 5, [0, 0, 10, 10], ignore=1)
    store = imported(box_recipe(root), tmp_path / "d")
    crowd, difficult = (store.paths.index(f"images/{at:03}.png") for at in (4, 5))
    part = predicted(
        store, list(range(10)), (crowd, [0, 3, 3, 9, 9, 0.9]), (difficult, [1, 0, 0, 10, 10, 0.9])
    )

    report = doubted(tmp_path / "d", part)

    assert [report.counts[kind] for kind in ERRORS] == [0, 0, 0]


def test_without_predictions_boxes_are_not_doubted(tmp_path: Path) -> None:
    imported(box_recipe(box_folder(tmp_path / "in", 5)), tmp_path / "d")

    report = audited(tmp_path / "d", doubt_labels=True)

    (entry,) = [each for each in report.not_checked if each.kind == KIND]
    assert "no model was evaluated" in entry.reason
    assert not set(ERRORS) & report.counts.keys()


def test_splits_with_other_numbers_of_boxes_are_found(tmp_path: Path) -> None:
    one, other = box_folder(tmp_path / "one", 30, most=2), box_folder(tmp_path / "two", 30, most=9)
    recipe = box_recipe(one, test_source=str(other), val_percent=20)
    imported(recipe, tmp_path / "d")
    found = audited(tmp_path / "d").finding("boxes_per_split")
    assert found is not None
    assert "test images" in found.message


def test_the_table_of_boxes_counts_and_measures_them(tmp_path: Path) -> None:
    root = box_folder(tmp_path / "in", 10)
    changed(root, 3, [0, 0, 32, 32])
    changed(root, 3, [0, 0, 32, 16], iscrowd=1)
    imported(box_recipe(root), tmp_path / "d")
    store = Store.open(tmp_path / "d")
    table = BoxTable.of_store(store)
    assert table is not None
    assert np.array_equal(table.numbers(10), store.targets.sum(axis=1))
    assert np.array_equal(table.numbers(10, 1), store.targets[:, 1])
    at = store.paths.index("images/003.png")
    assert table.numbers(10, 0, "medium").tolist() == [int(row == at) for row in range(10)]
    figures = table.figures(np.arange(10))
    assert figures["count"] == store.targets.sum()
    assert (figures["medium"], figures["large"]) == (1, 0)
    side = figures["side"]
    assert isinstance(side, dict)
    assert side["max"] == 32
