"""The parts of pages that differ between tasks: reports, insights of a run, editors."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication
from PySide6.QtWidgets import QLayout, QWidget

from studio.engine.tasks.metric import with_unit
from studio.ui.charts.axes import AxisScale
from studio.ui.charts.figure import Figure, FigureLine
from studio.ui.shared.dataset_pictures import DatasetPictures, OverlayOf, PictureGrid
from studio.ui.tasks.data_view import DataView
from studio.ui.theme.theme import Theme
from studio.ui.theme.tokens import SPACE
from studio.ui.widgets.layout import Part, hbox, vbox

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from studio.engine.evaluation.evaluated_outputs import EvaluatedOutputs
    from studio.engine.training.history import MethodsCompared
    from studio.engine.training.insights import FixedPictureBoxes, PictureMasks, TargetAnswers
    from studio.ui.context import AppContext

_tr = partial(QCoreApplication.translate, "tasks")


@dataclass(frozen=True)
class OutputData:
    """Predictions of a model for one output, on all images of an evaluation.

    Attributes:
        name: Name of the label or quantity.
        unit: Unit of the quantity.
        outputs: Outputs of the model, shape (n,).
        targets: Shape (n,).
        threshold: From which probability on the label is given; None if there is none.
        margin: Half the width of the prediction interval; None if there is none.
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
        return with_unit(self.name, self.unit)


@dataclass(frozen=True)
class ImageChart:
    """A chart, and the image of each point of its first line.

    Attributes:
        figure: The figure.
        is_apart: True if it is shown in a separate tab, `ReportView.charts_title`.
        images: Position of the image of each point of the first line; empty if there are none.
    """

    figure: Figure
    images: Sequence[int] = ()
    is_apart: bool = False


def precision_by_recall(name: str, lines: Sequence[FigureLine]) -> Figure:
    """Return the chart of the precision of an output by its recall.

    Args:
        name: Name of the output.
        lines: Its curves.
    """
    title = _tr("Precision by recall: {name}").format(name=name)
    across = AxisScale(_tr("Recall"), 0.0, 1.0, percent=True)
    return Figure(title, across, AxisScale(_tr("Precision"), 0.0, 1.0, percent=True), lines)


def threshold_lines(threshold: float | None) -> list[FigureLine]:
    """Return an upright line at a threshold; none without one."""
    if threshold is None:
        return []
    upright = ((threshold, 0.0), (threshold, 1.0))
    return [FigureLine(_tr("threshold"), upright, None, dashed=True)]


@dataclass(frozen=True)
class CellImages:
    """Images of a cell of a matrix.

    Attributes:
        indices: Indices of the images in the evaluation.
        captions: A text for each; empty for the usual captions.
        overlay_of: Gives the regions over an image by its row in the dataset; None for none.
    """

    indices: Sequence[int]
    captions: Sequence[str] = ()
    overlay_of: OverlayOf | None = None


@dataclass(frozen=True)
class Together:
    """Frequencies of pairs of outputs.

    Attributes:
        title: The word on the tab.
        hint: Explanation in a sentence.
        axes: Names of rows and columns.
        counts: Counts of images or pixels, shape (K, K).
        totals: Totals of each row, K.
        cell: Text of a cell, with `{number}`, `{whole}`, `{row}`, `{column}` and `{share}`.
        images: Returns the images of a row and a column; called in background threads.
        has_mistakes: True if cells off the diagonal are errors.
        names: Names of rows and columns; empty for those of the outputs.
    """

    title: str
    hint: str
    axes: tuple[str, str]
    counts: NDArray[np.int64]
    totals: NDArray[np.int64]
    cell: str
    images: Callable[[int, int], CellImages]
    has_mistakes: bool = False
    names: Sequence[str] = ()


class ChartsHead(QWidget):
    """Widgets above the charts that are apart, about a whole evaluation."""

    def show_evaluation(self, evaluation: EvaluatedOutputs) -> None:
        """Show another evaluation."""


class ReportView:
    """Shows only the metrics.

    Attributes:
        panel: Module and class of the panel that shows an evaluation.
        shows_images: True if the images with the largest errors are below the metrics, in
            place of charts.
    """

    panel = "studio.ui.pages.evaluation.report:OutputsPanel"
    shows_images = False

    def charts(self, data: OutputData) -> list[ImageChart]:
        """Return the charts of an output, at most two below the table and two apart."""
        return []

    def charts_of(self, evaluation: EvaluatedOutputs, output: int) -> list[ImageChart]:
        """Return the charts of an output of an evaluation; called in background threads.

        The dataset may have been deleted.

        Args:
            evaluation: Evaluation of the images.
            output: Index of the output.
        """
        data = self.data(evaluation, output) if evaluation.has_images else None
        return [] if data is None else self.charts(data)

    def image_kinds(self) -> list[tuple[str, str]]:
        """Return kinds of images that can be shown in place of the largest errors.

        Returns:
            A key and words for each, the largest errors first with an empty key; none where
            only these are shown.
        """
        return []

    def images_of_kind(
        self, evaluation: EvaluatedOutputs, output: int | None, kind: str
    ) -> CellImages:
        """Return images of a kind; called in background threads.

        Args:
            evaluation: The opened evaluation.
            output: Number of the output; None for all.
            kind: A key of `image_kinds`.
        """
        return CellImages(())

    def charts_title(self) -> tuple[str, str]:
        """Return the word on the tab of the charts that are apart, and what they show."""
        return "", ""

    def chart_names(self, names: Sequence[str]) -> list[str]:
        """Return what the charts that are apart are of.

        Args:
            names: Names of the outputs, in their order.
        """
        return list(names)

    def charts_head(self, context: AppContext, parent: QWidget) -> ChartsHead | None:
        """Create the widgets above the charts that are apart; None for none.

        Args:
            context: Background, theme and workspace.
            parent: Parent widget.
        """
        return None

    def images_title(self) -> str:
        """Return the title above the images of an output, with `{name}`."""
        return _tr("{name}: largest errors first (predicted / true)")

    def images_key(self, parent: QWidget) -> QWidget | None:
        """Make the key to the colors over the images with the largest errors; None for none."""
        return None

    def caption(self, data: OutputData, index: int) -> tuple[str, bool]:
        """Return the caption of an image, and True if its prediction is wrong.

        Args:
            data: Outputs and targets of one output.
            index: Index of the image.
        """
        return f"{data.outputs[index]:.4g} / {data.targets[index]:.4g}", False

    def data(self, evaluation: EvaluatedOutputs, output: int) -> OutputData | None:
        """Return the predictions of an output; None if it has no number for each image."""
        about = evaluation.report.outputs[output]
        predicted = evaluation.outputs[:, output]
        truth = evaluation.targets[:, output].astype("float32")
        return OutputData(about.name, about.unit, predicted, truth, about.threshold, about.margin)

    def captions(
        self, evaluation: EvaluatedOutputs, output: int | None, indices: Sequence[int]
    ) -> list[tuple[str, bool]]:
        """Return the captions of images, each with True if its prediction is wrong.

        Args:
            evaluation: Evaluation of the images.
            output: Index of the output; None for all, for masks.
            indices: Indices of the images in the evaluation.
        """
        data = None if output is None else self.data(evaluation, output)
        return [] if data is None else [self.caption(data, index) for index in indices]

    def overlay_of(self, evaluation: EvaluatedOutputs, output: int | None) -> OverlayOf | None:
        """Return a function that maps rows to the regions over their images; None for none.

        Args:
            evaluation: The opened evaluation.
            output: Number of the output; None for all.
        """
        return None

    def together(self, evaluation: EvaluatedOutputs) -> Together | None:
        """Return how often outputs come together; None if that is undefined."""
        return None


@dataclass(frozen=True, slots=True)
class ValidationInsight:
    """One validation.

    Attributes:
        found: Predictions of the network.
        names: Names of the labels or quantities, K of them.
        units: Units of the quantities, K of them; empty texts if there are none.
        pictures: Pictures of the dataset.
        colors: Colors of the classes of masks or boxes, K of them; empty texts without these.
        masks: Predicted masks of the fixed pictures; None without masks.
        boxes: Predicted boxes of the fixed pictures; None without boxes.
    """

    found: TargetAnswers
    names: Sequence[str]
    units: Sequence[str]
    pictures: DatasetPictures
    colors: Sequence[str] = ()
    masks: PictureMasks | None = None
    boxes: FixedPictureBoxes | None = None


class InsightView(QWidget):
    """Shows one validation; what was chosen stays while another one is shown.

    Args:
        theme: The theme.
        thumb: Side of its pictures in pixels.
        parent: Parent widget.
    """

    def __init__(self, theme: Theme, thumb: int, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme, self._thumb = theme, thumb
        self._insight: ValidationInsight | None = None

    def show_insight(self, insight: ValidationInsight) -> None:
        """Show a validation."""
        raise NotImplementedError

    def repaint_pictures(self) -> None:
        """Show pictures in another style of their regions."""
        self.grid.reload()

    def _lay_out(self, left: QWidget | QLayout, *above: Part) -> None:
        """Place figures at the left, and other parts above the pictures at the right.

        The pictures are made here: Tab visits widgets in the order in which they are made.
        """
        self.grid = PictureGrid(self._theme, self)
        self.grid.set_thumb_size(self._thumb)
        right = vbox(*above, (self.grid, 1), spacing=SPACE.xs)
        hbox((left, 1), (right, 1), owner=self, spacing=SPACE.l)


class FitView(QWidget):
    """Shows what a fit without steps compared.

    Attributes:
        found: What is shown; None at first.
    """

    found: MethodsCompared | None = None

    def show_fit(self, found: MethodsCompared, pictures: DatasetPictures) -> None:
        """Show the methods of a run.

        Args:
            found: The methods, and the scores of the chosen one.
            pictures: Pictures of the dataset.
        """
        raise NotImplementedError


class TaskView(DataView):
    """The view of a task.

    Every method has a plain default, so that a task of a plug-in is shown without its own
    view. Methods create widgets; the view of a task imports the modules of widgets.

    Attributes:
        report: View of evaluations.
        class_insights: True if runs show the predicted class of images, with a confusion matrix.
    """

    report = ReportView()
    class_insights = False

    def insights_title(self) -> str:
        """Return the title of the validations of a run; empty if there is nothing to show."""
        return ""

    def insights(self, theme: Theme, parent: QWidget) -> InsightView | None:
        """Create the view of a run's validations; None if the task has none.

        Args:
            theme: The theme.
            parent: Parent widget.
        """
        return None

    def fit_title(self) -> str:
        """Return the title of what a fit without steps compared; empty if there is none."""
        return ""

    def fit(self, theme: Theme, parent: QWidget) -> FitView | None:
        """Create the view of what a fit without steps compared; None if the task has none.

        Args:
            theme: The theme.
            parent: Parent widget.
        """
        return None
