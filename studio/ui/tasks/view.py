"""The parts of pages that differ between tasks: answers, reports, insights of a run."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication
from PySide6.QtWidgets import QWidget

from studio.engine.tasks.answer import Answer, TargetValue
from studio.ui.charts.figure import Figure
from studio.ui.shared.dataset_pictures import DatasetPictures
from studio.ui.tasks.data_view import DataView
from studio.ui.theme.theme import Theme
from studio.ui.widgets.bars import BarLine
from studio.ui.widgets.figures import percent, significant

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from studio.engine.training.insights import TargetAnswers


class AnswerView:
    """Shows scores as bars, the highest first, and values with their intervals.

    Attributes:
        has_classes: True if an answer is one class, which can be right, or be corrected.
    """

    has_classes = False

    def headline(self, answer: Answer) -> str:
        """Return the answer in large type; empty where its lines say it better."""
        if answer.values:
            return value_text(answer.values[0]) if len(answer.values) == 1 else ""
        return _best(answer)

    def caption(self, answer: Answer) -> str:
        """Return the answer in one short line."""
        if answer.values:
            return " · ".join(value_text(each) for each in answer.values)
        return self.headline(answer)

    def lines(self, answer: Answer) -> list[BarLine]:
        """Return a line for each score or value."""
        scores = [
            BarLine(each.label, percent(each.score), each.score, is_strong=index == 0)
            for index, each in enumerate(answer.scores)
        ]
        return scores + [
            BarLine(each.name, _with_interval(each), is_strong=True) for each in answer.values
        ]


def value_text(value: TargetValue) -> str:
    """Return a value with its unit."""
    return f"{significant(value.value)} {value.unit}".strip()


def _with_interval(value: TargetValue) -> str:
    if value.low is None or value.high is None:
        return value_text(value)
    return f"{value_text(value)}  ({significant(value.low)} – {significant(value.high)})"


def _best(answer: Answer) -> str:
    if not answer.scores:
        return ""
    best = answer.scores[0]
    return f"{best.label} · {percent(best.score)}"


@dataclass(frozen=True)
class OutputData:
    """Predictions of a model for one output, on all images of an evaluation.

    Attributes:
        name: Of the label or quantity.
        unit: Of the quantity.
        outputs: Of the model, shape (n,).
        targets: Shape (n,).
        threshold: From which probability on the label is given; None where there is none.
        margin: Half the width of the prediction interval; None where there is none.
    """

    name: str
    unit: str
    outputs: NDArray[np.float32]
    targets: NDArray[np.float32]
    threshold: float | None = None
    margin: float | None = None

    @property
    def title(self) -> str:
        """Name and unit."""
        return f"{self.name} [{self.unit}]" if self.unit else self.name


@dataclass(frozen=True)
class Chart:
    """A chart, and the image of each point of its first line.

    Attributes:
        figure: What is drawn.
        is_apart: True if it is shown in a tab of its own, `ReportView.charts_title`.
        images: Position of the image of each point of the first line; empty where there are none.
    """

    figure: Figure
    images: Sequence[int] = ()
    is_apart: bool = False


@dataclass(frozen=True)
class Together:
    """Frequencies of pairs of outputs.

    Attributes:
        title: The word on the tab.
        hint: What it shows, in a sentence.
        axes: What the rows and the columns are.
        counts: Images, shape (K, K).
        totals: Images of each row, K.
        cell: Text of a cell, with `{number}`, `{whole}`, `{row}`, `{column}` and `{share}`.
        images: Returns the places of the images of a row and a column.
    """

    title: str
    hint: str
    axes: tuple[str, str]
    counts: NDArray[np.int64]
    totals: NDArray[np.int64]
    cell: str
    images: Callable[[int, int], NDArray[np.int64]]


class ReportView:
    """Shows the metrics alone."""

    def charts(self, data: OutputData) -> list[Chart]:  # noqa: ARG002 - of other views
        """Return the charts of an output, at most two below the table and two apart."""
        return []

    def charts_title(self) -> tuple[str, str]:
        """Return the word on the tab of the charts that are apart, and what they show."""
        return "", ""

    def images_title(self) -> str:
        """Return the title above the images of an output, with `{name}`."""
        return QCoreApplication.translate(
            "tasks", "{name}: largest errors first (predicted / true)"
        )

    def caption(self, data: OutputData, index: int) -> tuple[str, bool]:
        """Return the caption of an image, and True if its prediction is wrong.

        Args:
            data: Outputs and targets of one output.
            index: Index of the image.
        """
        return f"{data.outputs[index]:.4g} / {data.targets[index]:.4g}", False

    def together(
        self,
        outputs: NDArray[np.float32],  # noqa: ARG002 - of other views
        targets: NDArray[np.float32],  # noqa: ARG002
        thresholds: Sequence[float],  # noqa: ARG002
    ) -> Together | None:
        """Return how often outputs come together; None where that means nothing.

        Args:
            outputs: Shape (n, K).
            targets: Shape (n, K).
            thresholds: Of the outputs, K, or empty.
        """
        return None


@dataclass(frozen=True, slots=True)
class ValidationInsight:
    """One validation.

    Attributes:
        found: What the network gave.
        names: Of the labels or quantities, K of them.
        units: Of the quantities, K of them; empty texts where there are none.
        pictures: Where the rows of the images are.
    """

    found: TargetAnswers
    names: Sequence[str]
    units: Sequence[str]
    pictures: DatasetPictures


class InsightView(QWidget):
    """Shows one validation; what was chosen stays while another one is shown."""

    def show_insight(self, insight: ValidationInsight) -> None:
        """Show a validation."""
        raise NotImplementedError


class TaskView(DataView):
    """The view of a task.

    Every method has a plain default, so that a task of a plug-in is shown without a view of its
    own. Methods make widgets; modules of widgets are imported by the view of a task.

    Attributes:
        answer: View of predictions.
        report: View of evaluations on targets.
    """

    answer = AnswerView()
    report = ReportView()

    def insights_title(self) -> str:
        """Return the title of the validations of a run; empty if there is nothing to show."""
        return ""

    def insights(self, theme: Theme, parent: QWidget) -> InsightView | None:  # noqa: ARG002
        """Create the view of a run's validations; None if the task has none.

        Args:
            theme: The theme.
            parent: Parent widget.
        """
        return None
