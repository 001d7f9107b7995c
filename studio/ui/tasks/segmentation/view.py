"""The parts of pages for a class per pixel: answers, reports, and the task view."""

from __future__ import annotations

import base64
from collections.abc import Sequence
from functools import partial
from io import BytesIO
from typing import TYPE_CHECKING, Final

from PySide6.QtCore import QCoreApplication
from PySide6.QtWidgets import QWidget

from studio.engine.tasks import TASKS
from studio.engine.tasks.annotations import IGNORE
from studio.engine.tasks.answer import Answer, ClassArea
from studio.engine.tasks.prediction import FALSE, IGNORED, MISSED, RIGHT, Reporter
from studio.ui.shared.dataset_pictures import DatasetPictures, OverlayOf
from studio.ui.shared.overlay import ColorKey
from studio.ui.tasks.region_insights import FALSE_COLOR, MISSED_COLOR, InsightWords, RegionInsights
from studio.ui.tasks.segmentation.data import SegmentationData, is_background
from studio.ui.tasks.view import (
    AnswerView,
    CellImages,
    InsightView,
    OutputData,
    ReportView,
    TaskView,
    Together,
    ValidationInsight,
)
from studio.ui.theme.theme import Theme
from studio.ui.widgets.bars import BarLine
from studio.ui.widgets.figures import NO_VALUE, count, percent
from studio.ui.widgets.labels import apart
from studio.ui.widgets.overlay import MaskOverlay, Overlay

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from studio.engine.evaluation.target_files import TargetEvaluation
    from studio.ui.widgets.canvas.editor import CanvasEditor

_tr = partial(QCoreApplication.translate, "tasks")


_THUMB: Final = 112
_MEASURED: Final = ("iou", "dice", "precision", "recall")
"""Metrics that counts of pixels are enough for; boundaries are compared by an evaluation."""


def reporter_of_masks() -> Reporter:
    """Return the reporter of masks.

    Raises:
        LookupError: No task has masks.
    """
    for task in TASKS.values():
        if task.has_masks and task.reporter is not None:
            return task.reporter
    raise LookupError("no task has masks")


def error_overlay(
    predicted: NDArray[np.uint8], truth: NDArray[np.uint8], output: int | None
) -> MaskOverlay:
    """Return an overlay of the missed and false pixels of a picture.

    Args:
        predicted: Class of each pixel, shape (H, W).
        truth: Class of each pixel, or `IGNORE`, shape (H, W).
        output: The class; None for all.
    """
    errors = reporter_of_masks().error_map(predicted, truth, output)
    if errors is None:
        raise TypeError("masks have error maps")
    errors = errors.copy()
    errors[errors == IGNORED] = IGNORE
    names = {RIGHT: _tr("right"), MISSED: _tr("missed"), FALSE: _tr("false")}
    colors = {RIGHT: "", MISSED: MISSED_COLOR, FALSE: FALSE_COLOR}
    return MaskOverlay(errors, list(names.values()), list(colors.values()))


def error_key(parent: QWidget | None) -> ColorKey:
    """Make the key to the colors of `error_overlay`."""
    return ColorKey(((MISSED_COLOR, _tr("missed")), (FALSE_COLOR, _tr("false"))), parent)


class MaskInsights(RegionInsights):
    """Metrics of each class, and pictures with predicted masks."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        words = InsightWords(
            samples=_tr("Samples: predicted masks"),
            help=_tr(
                "Samples are the same images in every epoch. Worst images have the lowest IoU."
            ),
            pictures=_tr("Images with masks"),
            worst=_tr("{name}: lowest IoU first, true masks"),
        )
        key, reporter = error_key(parent), reporter_of_masks()
        super().__init__(theme, reporter, _MEASURED, words, key, _THUMB, parent)

    def sample_rows(self, insight: ValidationInsight) -> Sequence[int]:
        """Return the fixed pictures; see `RegionInsights.sample_rows`."""
        return list(_masks_of(insight))

    def predicted(self, insight: ValidationInsight, output: int | None) -> OverlayOf:
        """Return the predicted masks; see `RegionInsights.predicted`."""
        return partial(_predicted_of, insight, _masks_of(insight))

    def errors(self, insight: ValidationInsight, output: int | None) -> OverlayOf:
        """Return missed and false pixels; see `RegionInsights.errors`."""
        return partial(_errors_of, insight.pictures, _masks_of(insight), output)

    def caption(self, error: float) -> str:
        """Return the IoU of a picture."""
        return _iou(error)


def _masks_of(insight: ValidationInsight) -> dict[int, NDArray[np.uint8]]:
    masks = insight.masks
    return {} if masks is None else dict(zip(masks.rows.tolist(), masks.labels, strict=True))


def _predicted_of(
    insight: ValidationInsight, masks: dict[int, NDArray[np.uint8]], row: int
) -> Overlay | None:
    found = masks.get(row)
    return None if found is None else MaskOverlay(found, insight.names, insight.colors)


def _errors_of(
    pictures: DatasetPictures, masks: dict[int, NDArray[np.uint8]], output: int | None, row: int
) -> Overlay | None:
    found, truth = masks.get(row), pictures.overlay(row)
    if found is None or not isinstance(truth, MaskOverlay):
        return None
    return error_overlay(found, truth.labels, output)


class MaskAnswer(AnswerView):
    """Shows the area of each class, and the mask over the picture."""

    def headline(self, answer: Answer) -> str:
        """Return the object with the largest area."""
        areas = _objects(answer)
        if not areas:
            return _tr("Only background")
        return f"{apart(areas[0].label)} {percent(areas[0].share)}"

    def caption(self, answer: Answer) -> str:
        """Return the object with the largest area."""
        return self.headline(answer)

    def strongest(self, answer: Answer) -> tuple[str, float]:
        """Return the object with the largest area, and its share of the pixels."""
        areas = _objects(answer)
        return (areas[0].label, areas[0].share) if areas else ("", 0.0)

    def lines(self, answer: Answer) -> list[BarLine]:
        """Return a line for each class that occurs, the largest area first."""
        there = [each for each in answer.areas if each.pixels]
        return [
            BarLine(
                each.label,
                _tr("{share} · {n} px").format(share=percent(each.share), n=count(each.pixels)),
                each.share,
                is_strong=not is_background(each.label),
            )
            for each in sorted(there, key=lambda each: -each.pixels)
        ]

    def overlay(
        self, answer: Answer, names: Sequence[str], colors: Sequence[str]
    ) -> Overlay | None:
        """Return the mask in the colors of its palette; see `AnswerView.overlay`."""
        if not answer.mask:
            return None
        import numpy as np  # noqa: PLC0415 - the window starts without it
        from PIL import Image  # noqa: PLC0415

        with Image.open(BytesIO(base64.b64decode(answer.mask)), formats=("PNG",)) as image:
            labels = np.array(image, np.uint8)
            palette = image.getpalette("RGB") or []
        own = [each.label for each in answer.areas]
        shades = [
            f"#{bytes(palette[3 * index : 3 * index + 3]).hex()}" for index in range(len(own))
        ]
        return MaskOverlay(labels, own, shades)


def _objects(answer: Answer) -> list[ClassArea]:
    """Return the areas of what is no background, the largest first."""
    there = [each for each in answer.areas if each.pixels and not is_background(each.label)]
    return sorted(there, key=lambda each: -each.pixels)


class MaskReport(ReportView):
    """Shows the pixels that are wrong."""

    shows_images = True

    def images_title(self) -> str:
        """Return the title about the order of the images."""
        return _tr("{name}: lowest IoU first")

    def images_key(self, parent: QWidget) -> QWidget:
        """Make the key to missed and false pixels."""
        return error_key(parent)

    def data(self, evaluation: TargetEvaluation, output: int) -> OutputData | None:
        """Return None: masks have no number for each image."""
        return None

    def captions(
        self, evaluation: TargetEvaluation, output: int | None, indices: Sequence[int]
    ) -> list[tuple[str, bool]]:
        """Return the IoU of each image; see `ReportView.captions`."""
        if evaluation.targets is None:
            return []
        chosen = list(indices)
        errors = evaluation.reporter.errors(
            evaluation.evidence[chosen], evaluation.targets[chosen], output
        )
        return [(_iou(error), False) for error in errors.tolist()]

    def overlay_of(self, evaluation: TargetEvaluation, output: int | None) -> OverlayOf | None:
        """Return the marks of missed and false pixels; see `ReportView.overlay_of`."""
        indices = {row: index for index, row in enumerate(evaluation.rows.tolist())}
        return partial(_errors, evaluation, indices, output)

    def together(self, evaluation: TargetEvaluation) -> Together | None:
        """Return the pixels by their true and their predicted class."""
        import numpy as np  # noqa: PLC0415 - not when the window starts

        confusion = evaluation.report.confusion
        if confusion is None:
            return None
        counts = np.array(confusion, np.int64)
        return Together(
            _tr("Pixel confusion"),
            _tr("Rows: true classes. Columns: predicted ones. Click a cell to see its images."),
            (_tr("True class"), _tr("Predicted class")),
            counts,
            counts.sum(axis=1),
            _tr("{number} of {whole} pixels of “{row}” are predicted as “{column}” ({share})"),
            partial(_cell, evaluation),
            has_mistakes=True,
        )


def _iou(error: float) -> str:
    return _tr("IoU {value}").format(value=percent(1 - error)) if error >= 0 else NO_VALUE


def _errors(
    evaluation: TargetEvaluation, indices: dict[int, int], output: int | None, row: int
) -> Overlay | None:
    store, index = evaluation.store, indices.get(row)
    if store is None or store.masks is None or index is None:
        return None
    return error_overlay(evaluation.outputs[index], store.masks[row], output)


def _cell(evaluation: TargetEvaluation, truth: int, predicted: int) -> CellImages:
    """Return the images with pixels of a cell, those with the most first."""
    found, pixels = evaluation.cell(truth, predicted)
    indices = {row: index for index, row in enumerate(evaluation.rows.tolist())}
    texts = [_tr("{n} px").format(n=count(number)) for number in pixels.tolist()]
    mark = partial(_marked, evaluation, indices, truth, predicted)
    return CellImages(found.tolist(), texts, mark)


def _marked(
    evaluation: TargetEvaluation, indices: dict[int, int], truth: int, predicted: int, row: int
) -> Overlay | None:
    """Return the pixels of a class that were predicted as another one."""
    store, index = evaluation.store, indices.get(row)
    if store is None or store.masks is None or index is None:
        return None
    labels = (store.masks[row] == truth) & (evaluation.outputs[index] == predicted)
    names = ["", _tr("pixels of the cell")]
    return MaskOverlay(labels.astype("uint8"), names, ["", MISSED_COLOR])


class SegmentationView(SegmentationData, TaskView):
    """Shows a class for each pixel."""

    answer = MaskAnswer()
    report = MaskReport()

    def insights_title(self) -> str:
        """Return the title of the tab of a run."""
        return _tr("Masks")

    def insights(self, theme: Theme, parent: QWidget) -> InsightView:
        """Create the tab of a run; see `TaskView.insights`."""
        return MaskInsights(theme, parent)

    def drawing_editor(self, theme: Theme, parent: QWidget) -> CanvasEditor:
        """Create the editor of masks; see `TaskView.drawing_editor`."""
        from studio.ui.widgets.canvas.editor import MaskEditor  # noqa: PLC0415 - imports NumPy

        return MaskEditor(theme, IGNORE, parent)


VIEW = SegmentationView()
