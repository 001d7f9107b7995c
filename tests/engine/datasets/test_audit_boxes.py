"""Audits of datasets with boxes."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
from box_pictures import box_folder, box_recipe, imported
from dataset_pictures import Listener

from studio.engine.datasets.audit.box_checks import BOX_CHECKS, has_duplicates, is_image_sized
from studio.engine.datasets.audit.findings import AuditPlan, AuditReport
from studio.engine.datasets.audit.run import audit_dataset
from studio.engine.datasets.box_table import BoxTable
from studio.engine.datasets.store import Store


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
    assert np.array_equal(table.numbers(10), store.required_targets.sum(axis=1))
    assert np.array_equal(table.numbers(10, 1), store.required_targets[:, 1])
    at = store.paths.index("images/003.png")
    assert table.numbers(10, 0, "medium").tolist() == [int(row == at) for row in range(10)]
    figures = table.figures(np.arange(10))
    assert figures["count"] == store.required_targets.sum()
    assert (figures["medium"], figures["large"]) == (1, 0)
    side = figures["side"]
    assert isinstance(side, dict)
    assert side["max"] == 32
