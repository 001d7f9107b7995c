"""Labels that another program kept from being written are stored apart, and added later."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from filelock import FileLock

from studio.engine.errors import BadDataError
from studio.engine.labeling.items import ItemLine
from studio.engine.labeling.journal import LOCK_NAME
from studio.engine.labeling.line_file import LabelingBusyError
from studio.engine.labeling.plan import LabelClass, LabelingPlan
from studio.engine.labeling.project import Labeling
from studio.engine.labeling.recovery import keeping, recover
from studio.engine.labeling.values import BoxesValue, ClassValue, LabelsValue, MaskValue, Value
from studio.engine.workspace import Workspace

Made = Callable[[str], Labeling]


@pytest.fixture
def made(workspace: Workspace) -> Made:
    """Make a labeling of four pictures and two classes."""

    def make(task: str) -> Labeling:
        classes = [LabelClass(name="cat"), LabelClass(name="dog")]
        labeling = Labeling.create(workspace, "pets", LabelingPlan(task=task, classes=classes))
        labeling.add_items(line_of(f"{number}.png") for number in range(4))
        return labeling

    return make


def line_of(name: str) -> ItemLine:
    return ItemLine(path=f"/somewhere/{name}", name=name, origin="folder", width=8, height=6)


def test_the_last_value_of_each_picture_is_kept(made: Made) -> None:
    labeling = made("classification")
    labeling.label(2, ClassValue(index=0))
    closing = Labeling(labeling.record)
    with FileLock(labeling.record.folder / LOCK_NAME), keeping(closing) as kept:
        closing.label([0, 1], ClassValue(index=1))
        closing.undo()
        closing.label(0, ClassValue(index=0))
        closing.label(2, None)
    assert kept.count == 2
    assert labeling.refresh().items == frozenset()
    found = recover(labeling)
    assert found.items == [0, 2]
    assert found.older == 0
    assert {item: label.value for item, label in labeling.labels.items()} == {
        0: ClassValue(index=0)
    }
    assert recover(labeling).items == []


def test_newer_labels_stay(made: Made) -> None:
    labeling = made("classification")
    closing = Labeling(labeling.record)
    with keeping(closing) as kept:
        closing.label([0, 1], ClassValue(index=1))
    assert kept.count == 2
    labeling.label(0, ClassValue(index=0))
    found = recover(labeling)
    assert found.items == [1]
    assert found.older == 1
    assert labeling.value_of(0) == ClassValue(index=0)


@pytest.mark.parametrize("task", ["classification", "multi_label", "detection", "segmentation"])
def test_classes_are_found_by_their_names(made: Made, task: str) -> None:
    labeling = made(task)
    closing = Labeling(labeling.record)
    with keeping(closing):
        bird = closing.class_named("bird")
        assert bird == 2
        if task == "segmentation":
            mask = np.full((6, 8), bird, np.uint8)
            closing.label(0, closing.write_mask(0, mask))
        else:
            values: dict[str, Value] = {
                "classification": ClassValue(index=bird),
                "multi_label": LabelsValue.of([0, bird]),
                "detection": BoxesValue(boxes=((bird, 1, 1, 5, 5, 0),)),
            }
            closing.label(0, values[task])
    labeling.class_named("fish")
    recover(labeling)
    assert labeling.names == ("cat", "dog", "fish", "bird")
    value = labeling.value_of(0)
    if isinstance(value, MaskValue):
        assert (labeling.read_mask(value) == 3).all()
    else:
        assert value in (
            ClassValue(index=3),
            LabelsValue.of([0, 3]),
            BoxesValue(boxes=((3, 1, 1, 5, 5, 0),)),
        )


def test_recovery_waits_for_the_lock_and_keeps_damaged_files(made: Made) -> None:
    labeling = made("classification")
    closing = Labeling(labeling.record)
    with keeping(closing):
        closing.label(0, ClassValue(index=1))
    with FileLock(labeling.record.folder / LOCK_NAME), pytest.raises(LabelingBusyError):
        recover(labeling)
    (path,) = labeling.record.folder.glob("unsaved-*.json")
    whole = path.read_bytes()
    path.write_bytes(whole[:20])
    with pytest.raises(BadDataError, match="Unsaved labels"):
        recover(labeling)
    path.write_bytes(whole)
    assert recover(labeling).items == [0]
