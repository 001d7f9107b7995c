"""Evaluations of masks: worst images with error maps, and the confusion of pixels."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication
from PySide6.QtWidgets import QWidget

from studio.ui.shared.dataset_pictures import OverlayOf
from studio.ui.tasks.segmentation.insights import MISSED_COLOR, error_key, error_overlay
from studio.ui.tasks.view import CellImages, OutputData, ReportView, Together
from studio.ui.widgets.figures import NO_VALUE, count, percent
from studio.ui.widgets.overlay import Overlay

if TYPE_CHECKING:
    from studio.engine.evaluation.target_files import TargetEvaluation

_tr = partial(QCoreApplication.translate, "masks")


class MaskReport(ReportView):
    """Shows the pixels that are wrong."""

    shows_images = True

    def images_title(self) -> str:
        """Say what the images are sorted by."""
        return _tr("{name}: lowest IoU first")

    def images_key(self, parent: QWidget) -> QWidget:
        """Make the key to missed and false pixels."""
        return error_key(parent)

    def data(self, evaluation: TargetEvaluation, output: int) -> OutputData | None:  # noqa: ARG002
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
    return Overlay(labels.astype("uint8"), ["", _tr("pixels of the cell")], ["", MISSED_COLOR])
