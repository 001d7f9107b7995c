"""Opened evaluations, and the images of a cell, bar or row."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Generic, Self, TypeVar

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QLabel, QWidget

from studio.engine.evaluation.report import Certainty, EvaluatedModel, Report
from studio.engine.tasks import TASKS
from studio.engine.workspace import RecordKind, Workspace
from studio.ui.pages.evaluation import messages
from studio.ui.shared.dataset_pictures import (
    Captioned,
    DatasetPictures,
    OverlayOf,
    PictureGrid,
    captioned,
)
from studio.ui.tasks import view_of
from studio.ui.tasks.view import CellImages, OutputData, ReportView, Together
from studio.ui.theme.theme import Theme
from studio.ui.theme.tokens import SPACE
from studio.ui.widgets.buttons import icon_button
from studio.ui.widgets.figures import count
from studio.ui.widgets.layout import hbox, text_label, vbox
from studio.ui.widgets.table_model import FigureCell
from studio.ui.widgets.tips import explain

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from studio.engine.evaluation.evaluated_classes import EvaluatedClasses
    from studio.engine.evaluation.evaluated_outputs import EvaluatedOutputs  # noqa: F401 - a base below
    from studio.engine.evaluation.opened import OpenedEvaluation

Opened = TypeVar("Opened", bound="OpenedEvaluation")
MOST = 500
"""Most images shown for classes, the most confident errors first."""
MAX_OF_TARGETS = 200
"""Most images shown for labels and numbers, the largest errors first."""


class Drawer(QWidget):
    """Images of the clicked cell, bar or row.

    Signals:
        closed: The close button was pressed.
    """

    closed = Signal()

    def __init__(
        self,
        theme: Theme,
        parent: QWidget | None = None,
        *,
        thumb: int,
        width: int,
    ) -> None:
        super().__init__(parent)
        self._title = QLabel(self, wordWrap=True)
        self._nothing = text_label(self.tr("No images."), "muted", self)
        self.grid = PictureGrid(theme, self)
        self.grid.set_thumb_size(thumb)
        self.grid.setAccessibleName(self.tr("Images"))
        self.close_button = icon_button(
            "close", self.tr("Close"), theme, parent=self, on_click=self.closed.emit
        )
        top = hbox((self._title, 1), self.close_button, spacing=SPACE.s)
        margins = (SPACE.s, 0, 0, 0)
        vbox(top, self._nothing, (self.grid, 1), owner=self, spacing=SPACE.s, margins=margins)
        self.setMinimumWidth(width)
        explain(
            self.grid,
            self.tr("Images of the selected cell, bar or row. Double-click one to open it."),
        )

    def show_images(
        self,
        title: str,
        images: Sequence[Captioned],
        pictures: DatasetPictures,
        overlay_of: OverlayOf | None = None,
    ) -> None:
        """Show images of a dataset under a title.

        Args:
            title: Title, which states what they have in common.
            images: The images.
            pictures: Pictures of the dataset.
            overlay_of: Gives the regions over each picture; None for those of the dataset.
        """
        self._title.setText(title)
        self._nothing.setVisible(not images)
        self.grid.setVisible(bool(images))
        self.grid.show_images(images, pictures, overlay_of)

    def title(self) -> str:
        """Return the title."""
        return self._title.text()


@dataclass(frozen=True)
class OpenReport(ABC, Generic[Opened]):
    """Opened evaluation with what a panel shows of it; a panel names its subclass.

    Attributes:
        pictures: Images of its dataset.
        evaluation: The evaluation.
    """

    pictures: DatasetPictures
    evaluation: Opened

    @property
    def report(self) -> Report:
        """Metrics of the evaluation."""
        return self.evaluation.report

    @classmethod
    @abstractmethod
    def read(cls, workspace: Workspace, folder: Path) -> Self:
        """Open an evaluation, in a background thread.

        Args:
            workspace: Holds the dataset.
            folder: Folder of the record.

        Raises:
            BadDataError: The evaluation is damaged.
        """


@dataclass(frozen=True)
class OpenClasses(OpenReport["EvaluatedClasses"]):
    """Opened evaluation of classes.

    Attributes:
        order: Indices of the classes, confused ones next to each other, (C,).
        most_confused: The most frequent error (true class, predicted class), or None.
        class_rows: Table of the classes: name, metrics, and number of images.
    """

    order: NDArray[np.int64]
    most_confused: tuple[int, int] | None
    class_rows: Sequence[Sequence[FigureCell]]

    @classmethod
    def read(cls, workspace: Workspace, folder: Path) -> Self:
        """Open an evaluation; see `OpenReport.read`."""
        from studio.engine.evaluation.evaluated_classes import EvaluatedClasses  # noqa: PLC0415 - NumPy

        found = EvaluatedClasses.open(workspace, folder)
        worst = found.confusions(1)
        cell = (worst[0].truth, worst[0].predicted) if worst else None
        pictures = _pictures(workspace, found.report.subject)
        return cls(pictures, found, found.confused_order(), cell, _class_rows(found))

    @property
    def certainty(self) -> Certainty:
        """Confidence of the predictions."""
        if self.report.certainty is None:
            raise TypeError("classes are predicted without probabilities")
        return self.report.certainty

    def captioned(self, indices: NDArray[np.int64]) -> list[Captioned]:
        """Return images by their indices in the predictions, with the predictions as captions."""
        return captioned(self.evaluation.answers, self.report.classes, indices[:MOST])


@dataclass(frozen=True)
class OpenOutputs(OpenReport["EvaluatedOutputs"]):
    """Opened evaluation of labels, numbers, masks or boxes.

    Attributes:
        together: Co-occurrence of the outputs; None if it does not apply.
    """

    together: Together | None

    @classmethod
    def read(cls, workspace: Workspace, folder: Path) -> Self:
        """Open an evaluation; see `OpenReport.read`."""
        from studio.engine.evaluation.evaluated_outputs import EvaluatedOutputs  # noqa: PLC0415 - NumPy

        found = EvaluatedOutputs.open(workspace, folder)
        pictures = _pictures(workspace, found.report.subject)
        return cls(pictures, found, view_of(found.task).report.together(found))

    @cached_property
    def view(self) -> ReportView:
        """View of its task."""
        return view_of(TASKS[self.report.task]).report

    def data(self, output: int) -> OutputData | None:
        """Return the predictions of an output; None if there are none to draw."""
        return self.view.data(self.evaluation, output)

    def captioned(
        self, output: int | None, indices: Sequence[int], texts: Sequence[str] = ()
    ) -> list[Captioned]:
        """Return images by their indices, each with the prediction of an output.

        Args:
            output: The output; None for all classes of masks.
            indices: Indices of the images in the evaluation.
            texts: Captions instead of the predictions; empty for the predictions.
        """
        shown, outputs = indices[:MAX_OF_TARGETS], self.report.outputs
        name = "" if output is None else f"{outputs[output].name}: "
        captions = [(text, False) for text in texts[: len(shown)]]
        if shown and not captions:
            captions = self.view.captions(self.evaluation, output, shown)
        rows = self.evaluation.rows
        return [
            Captioned(int(rows[index]), caption, f"{name}{caption}", wrong=wrong)
            for index, (caption, wrong) in zip(shown, captions, strict=False)
        ]

    def images_of_kind(self, output: int | None, kind: str) -> CellImages:
        """Return images of a kind, see `ReportView.images_of_kind`; none without the dataset.

        Args:
            output: The output; None for all of them.
            kind: A key of `ReportView.image_kinds`.
        """
        if not self.evaluation.has_images:
            return CellImages(())
        return self.view.images_of_kind(self.evaluation, output, kind)


def _pictures(workspace: Workspace, subject: EvaluatedModel) -> DatasetPictures:
    record = workspace.record(RecordKind.DATASET, subject.dataset)
    return DatasetPictures(record.folder if record else None, subject.dataset_version)


def _class_rows(evaluated: EvaluatedClasses) -> list[list[FigureCell]]:
    rows = []
    for each in evaluated.report.outputs:
        row = [FigureCell(each.name, each.name.casefold())]
        for spec in evaluated.reporter.report_columns:
            found = each.metrics.get(spec.name), each.intervals.get(spec.name)
            row.append(messages.metric_cell(spec, *found))
        row.append(FigureCell(count(each.images), each.images))
        rows.append(row)
    return rows
