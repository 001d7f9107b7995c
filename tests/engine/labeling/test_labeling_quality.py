"""A second look at labels, and the agreement of two annotators."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from labeling_pictures import color_labeling
from sklearn.metrics import cohen_kappa_score

from studio.engine.errors import StudioError
from studio.engine.labeling.editors import boxes, masks
from studio.engine.labeling.editors.classes import kappa
from studio.engine.labeling.plan import LabelClass
from studio.engine.labeling.project import Labeling
from studio.engine.labeling.quality import (
    agreement,
    second_look,
)
from studio.engine.labeling.values import (
    EXCLUDED,
    BoxesValue,
    ClassValue,
    LabelsValue,
    NumbersValue,
    Value,
)
from studio.engine.workspace import Workspace


def test_hurried_labels_and_those_against_the_model(workspace: Workspace, tmp_path: Path) -> None:
    labeling = color_labeling(workspace, tmp_path / "in", 30)
    for item in range(20):
        labeling.label(item, ClassValue(index=0), "key", 0.1 if item == 7 else 2.0)
    labeling.label(21, ClassValue(index=0), "group", 0.01)
    found = second_look(labeling, {item: 0.03 if item in (3, 7) else 0.8 for item in range(20)})

    assert [(each.item, each.reason) for each in found] == [(3, "model"), (7, "model")]
    found = second_look(labeling, {3: 0.05})
    assert [(each.item, each.reason) for each in found] == [(3, "model"), (7, "fast")]
    assert found[1].seconds == 0.1


def people(labeling: Labeling) -> tuple[Labeling, Labeling]:
    return Labeling(labeling.record, "Ana"), Labeling(labeling.record, "Ben")


def test_kappa_of_classes(workspace: Workspace, tmp_path: Path) -> None:
    labeling = color_labeling(workspace, tmp_path / "in", 12)
    ana, ben = people(labeling)
    first = [0, 1, 2, 0, 1, 2, 0, 1, 2, 0]
    second = [0, 1, 2, 0, 1, 2, 0, 2, 1, 1]
    for item, (one, other) in enumerate(zip(first, second, strict=True)):
        ana.label(item, ClassValue(index=one))
        ben.label(item, ClassValue(index=other))
    ana.label(10, ClassValue(index=0))
    ana.label(11, EXCLUDED)
    ben.label(11, ClassValue(index=0))
    labeling.refresh()

    found = agreement(labeling, "Ana", "Ben")
    assert (found.count, found.measure) == (10, "kappa")
    assert found.value == pytest.approx(cohen_kappa_score(first, second))
    assert found.same == pytest.approx(0.7)
    assert [each.item for each in found.disagreements] == [7, 8, 9]
    with pytest.raises(StudioError, match="no annotator"):
        agreement(labeling, "Ana", "Bem")
    Labeling(labeling.record, "Carla").label(10, EXCLUDED)
    labeling.refresh()
    with pytest.raises(StudioError, match="no image in common"):
        agreement(labeling, "Ben", "Carla")


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=2, max_size=40))
def test_kappa_equals_that_of_scikit_learn(pairs: list[tuple[int, int]]) -> None:
    one, other = (np.array(part) for part in zip(*pairs, strict=True))
    found = kappa(one, other)
    if np.isfinite(found):
        assert found == pytest.approx(cohen_kappa_score(one, other))
    else:
        assert len(set(one.tolist()) | set(other.tolist())) == 1


@pytest.mark.parametrize(
    ("task", "one", "other", "alike", "measure"),
    [
        ("multi_label", LabelsValue.of([0, 1]), LabelsValue.of([1, 2]), 1 / 3, "kappa"),
        (
            "regression",
            NumbersValue(numbers=(1, 2, 3)),
            NumbersValue(numbers=(1, 2, 9)),
            None,
            "r2",
        ),
    ],
)
def test_other_values(
    workspace: Workspace,
    tmp_path: Path,
    task: str,
    one: Value,
    other: Value,
    alike: float | None,
    measure: str,
) -> None:
    labeling = color_labeling(workspace, tmp_path / "in", 3, task)
    ana, ben = people(labeling)
    for item in range(2):
        ana.label(item, one)
        ben.label(item, one if item else other)
    labeling.refresh()

    found = agreement(labeling, "Ana", "Ben")
    assert found.measure == measure
    assert [each.item for each in found.disagreements] == [0]
    assert found.same == 0.5
    if alike is not None:
        assert found.disagreements[0].agreement == pytest.approx(alike)


def test_masks_of_two_people(workspace: Workspace, tmp_path: Path) -> None:
    labeling = color_labeling(workspace, tmp_path / "in", 2, "segmentation")
    ana, ben = people(labeling)
    mask = np.zeros((16, 24), np.uint8)
    mask[:8] = 1
    ana.label(0, ana.write_mask(0, mask))
    ben.label(0, ben.write_mask(0, mask))
    mask[:4] = 0
    ana.label(1, ana.write_mask(1, mask))
    mask[:8] = 1
    ben.label(1, ben.write_mask(1, mask))
    labeling.refresh()

    found = agreement(labeling, "Ana", "Ben")
    assert found.measure == "mean_iou"
    assert [each.item for each in found.disagreements] == [1]
    assert found.disagreements[0].agreement == pytest.approx((0.5 + 8 / 12) / 2)
    assert found.same == 0.5


def test_boxes_are_matched_by_class_and_overlap() -> None:
    one = BoxesValue(boxes=((0, 0, 0, 10, 10, 0), (1, 20, 20, 30, 30, 0))).array()
    other = BoxesValue(boxes=((1, 20, 20, 30, 25, 0), (1, 0, 0, 10, 10, 0))).array()

    assert boxes.EDITOR.overlap(one, one) == 1
    assert boxes.EDITOR.overlap(one, other) == pytest.approx(0.5 / 3)
    assert boxes.EDITOR.overlap(one[:0], other) == 0
    assert boxes.EDITOR.overlap(one[:0], one[:0]) == 1


def test_ignored_pixels_count_nowhere() -> None:
    one = np.array([[0, 1, 255]], np.uint8)
    assert masks.EDITOR.overlap(one, np.array([[0, 1, 1]], np.uint8)) == 1
    assert masks.EDITOR.overlap(one, np.array([[0, 0, 1]], np.uint8)) == pytest.approx(0.25)
    assert masks.EDITOR.overlap(np.full_like(one, 255), one) == 1


def test_numbers_from_before_a_quantity_was_added(workspace: Workspace, tmp_path: Path) -> None:
    labeling = color_labeling(workspace, tmp_path / "in", 4, "regression", ("width",))
    ana, ben = people(labeling)
    for item in range(4):
        ana.label(item, NumbersValue(numbers=(float(item),)))
    labeling.add_class(LabelClass(name="height"))
    ben.refresh()
    for item in range(4):
        ben.label(item, NumbersValue(numbers=(float(item), 1.0)))

    labeling.refresh()

    found = agreement(labeling, "Ana", "Ben")
    assert found.count == 4
    assert np.isnan(found.value)
    assert np.isfinite([each.agreement for each in found.disagreements]).all()
