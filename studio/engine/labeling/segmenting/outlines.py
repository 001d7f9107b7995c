"""Outlines all boxes of a labeling: a new labeling of objects with the same pictures."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Final

import numpy as np

from studio.engine.errors import StudioError
from studio.engine.jobs.host import EngineHost
from studio.engine.labeling.editors import editor_of
from studio.engine.labeling.editors.instances import EDITOR
from studio.engine.labeling.items import Item, ItemLine
from studio.engine.labeling.plan import LabelingPlan
from studio.engine.labeling.project import Labeling
from studio.engine.labeling.segmenting.requests import (
    SEGMENT,
    ObjectPrompt,
    SegmentAnswer,
    SegmentModel,
    SegmentPicture,
    SegmentRequest,
)
from studio.engine.labeling.values import Box
from studio.engine.messages import as_message, message
from studio.engine.progress import Progress
from studio.engine.tasks import TASKS
from studio.engine.tasks.annotations import Instances
from studio.engine.tasks.boxes import BOTTOM, CLASS, CROWD, FLAGS, LEFT, RIGHT, TOP, VALUES, areas
from studio.engine.tasks.instance_labels import CLASSES
from studio.engine.workspace import Workspace

_PART: Final = 32
"""Boxes of one request: work can be stopped, and reports its progress, after each."""


@dataclass(frozen=True, slots=True)
class OutlinedBoxes:
    """Result of outlining a labeling.

    Attributes:
        labeling: The new labeling.
        images: Number of its labeled pictures.
        objects: Number of outlined objects.
        missing: Number of boxes in which nothing was found; they are left out.
        crowds: Number of boxes of crowds, which are no single objects and left out.
    """

    labeling: Labeling
    images: int
    objects: int
    missing: int
    crowds: int


def outline_boxes(
    labeling: Labeling,
    workspace: Workspace,
    name: str,
    host: EngineHost,
    model: SegmentModel,
    progress: Progress,
) -> OutlinedBoxes:
    """Make a labeling of objects from the boxes of another one.

    Where objects overlap, the smaller box keeps the pixels. Pictures are finished one by one:
    those before an error or a cancellation stay labeled, the others are there without a label;
    without any labeled picture no labeling is left.

    Args:
        labeling: The labeling with boxes.
        workspace: Its workspace.
        name: Name of the new one.
        host: The process that outlines objects, see `host`.
        model: The model.
        progress: Receives the number of boxes, and may cancel.

    Raises:
        StudioError: It has no boxes, the name is taken, or the model or a picture cannot be used.
        DiskFullError: No space was left.
        Cancelled: Through `progress`.
    """
    found_boxes = {item: each.value.object_boxes() for item, each in labeling.labels.items()}
    boxes = {item: each for item, each in found_boxes.items() if each is not None}
    if not boxes:
        raise StudioError(
            "The labeling {name} has no boxes to outline: it is for {task:lower}.",
            "Choose a labeling with boxes.",
            "labeling",
            name=labeling.record.name,
            task=as_message(labeling.task.label),
        )
    task = next(each.name for each in TASKS.values() if editor_of(each) is EDITOR)
    plan = LabelingPlan(task=task, classes=list(labeling.classes))
    made = Labeling.create(workspace, name, plan, labeling.annotator)
    items = [labeling.items[number] for number in sorted(boxes)]
    total = sum(len(boxes[item.index]) for item in items)
    counts = np.zeros(3, np.int64)
    try:
        made.add_items(_line(labeling, item) for item in items)
        for number, item in enumerate(items):
            advance = partial(_advance, progress, total, int(counts.sum()))
            advance(0)
            labels, found = _outlined(labeling, item, boxes[item.index], host, model, advance)
            made.label(number, made.write_mask(number, labels), "proposal")
            counts += found
        progress.advance(total, total, message("Outlining"))
    except BaseException:
        made.close()
        if not made.labeled_count:
            with contextlib.suppress(StudioError):  # the error before it is the one to show
                workspace.delete_forever(workspace.trash(made.record))
        raise
    return OutlinedBoxes(made, len(items), *counts.tolist())


def _advance(progress: Progress, total: int, before: int, done: int) -> None:
    progress.check()
    progress.advance(before + done, total, message("Outlining"))


def _line(labeling: Labeling, item: Item) -> ItemLine:
    path = str(labeling.file_of(item.index))
    return ItemLine(**{**item.model_dump(exclude={"index"}), "path": path})


def _outlined(
    labeling: Labeling,
    item: Item,
    boxes: Sequence[Box],
    host: EngineHost,
    model: SegmentModel,
    advance: Callable[[int], None],
) -> tuple[Instances, tuple[int, int, int]]:
    """Return the label image of a picture, and the numbers of objects, misses and crowds."""
    from studio.engine.datasets.display import read_display  # noqa: PLC0415 - reads a file

    rows = np.array(boxes, np.float32).reshape(-1, VALUES)
    is_crowd = rows[:, FLAGS].astype(int) & CROWD > 0
    kept = rows[~is_crowd]
    kept = kept[np.argsort(areas(kept[:, LEFT:FLAGS]), kind="stable")]
    picture = SegmentPicture(
        path=str(labeling.file_of(item.index)),
        width=item.width,
        height=item.height,
        display=read_display(labeling.record.folder),
    )
    labels: Instances = np.zeros((item.height, item.width), np.int32)
    objects = 0
    for start in range(0, len(kept), _PART):
        advance(start)
        part = kept[start : start + _PART]
        prompts = tuple(
            ObjectPrompt(box=(row[LEFT], row[TOP], row[RIGHT], row[BOTTOM]))
            for row in part.tolist()
        )
        request = SegmentRequest(model=model, picture=picture, prompts=prompts)
        answer = host.ask(SEGMENT, request, SegmentAnswer).result()
        for row, mask in zip(part, answer.masks, strict=True):
            patch = mask.patch()
            if patch is None:
                continue
            height, width = patch.inside.shape
            place = labels[patch.top : patch.top + height, patch.left : patch.left + width]
            free = patch.inside & (place == 0)
            if free.any():
                objects += 1
                place[free] = objects * CLASSES + int(row[CLASS])
    return labels, (objects, len(kept) - objects, int(is_crowd.sum()))
