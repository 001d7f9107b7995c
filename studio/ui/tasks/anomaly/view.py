"""The parts of pages for anomaly detection: datasets, reports, and the task view."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication
from PySide6.QtWidgets import QWidget

from studio.engine.tasks.task import Task
from studio.ui.charts.axes import AxisScale
from studio.ui.charts.figure import DIAGONAL, Figure, FigureLine
from studio.ui.shared.dataset_pictures import OverlayOf
from studio.ui.tasks.anomaly.good_classes import GoodClasses
from studio.ui.tasks.anomaly.methods import MethodsView, score_histogram
from studio.ui.tasks.data_view import DataWords, Fact, class_words
from studio.ui.tasks.segmentation.view import SegmentationData
from studio.ui.tasks.targets import RecipePart, TargetTable
from studio.ui.tasks.view import (
    CellImages,
    ChartsHead,
    FitView,
    ImageChart,
    OutputData,
    ReportView,
    TaskView,
    precision_by_recall,
)
from studio.ui.theme.theme import Theme
from studio.ui.widgets.figures import significant
from studio.ui.widgets.heat_overlay import HeatMapOverlay
from studio.ui.widgets.labels import apart

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from studio.engine.evaluation.evaluated_outputs import EvaluatedOutputs
    from studio.ui.context import AppContext

    Scores = NDArray[np.floating]

_MISSED, _ALARMS = "missed", "alarms"
_tr = partial(QCoreApplication.translate, "tasks")


class AnomalyReport(ReportView):
    """Shows heat maps of the images on the wrong side of the threshold, and the thresholds."""

    shows_images = True

    def images_title(self) -> str:
        """Return the title about the order of the images."""
        return _tr("{name}: largest errors first (score / threshold)")

    def data(self, evaluation: EvaluatedOutputs, output: int) -> OutputData | None:
        """Return the scores of the images; the target of a kind is 1. See `ReportView.data`."""
        about = evaluation.report.outputs[output]
        scores = evaluation.evidence[:, 0, 0]
        found = evaluation.targets[:, 1:] if output == 0 else evaluation.targets[:, [output]]
        truth = (found.sum(axis=1) > 0).astype("float32")
        return OutputData(about.name, "", scores, truth, about.threshold)

    def captions(
        self, evaluation: EvaluatedOutputs, output: int | None, indices: Sequence[int]
    ) -> list[tuple[str, bool]]:
        """Return the score of each image and the threshold; see `ReportView.captions`."""
        data = self.data(evaluation, 0)
        return [] if data is None else [self.caption(data, index) for index in indices]

    def caption(self, data: OutputData, index: int) -> tuple[str, bool]:
        """Return score and threshold, True for a wrong verdict; see `ReportView.caption`."""
        limit = 1.0 if data.threshold is None else data.threshold
        score = float(data.outputs[index])
        is_wrong = (score >= limit) != bool(data.targets[index])
        return f"{significant(score, 3)} / {significant(limit, 3)}", is_wrong

    def overlay_of(self, evaluation: EvaluatedOutputs, output: int | None) -> OverlayOf | None:
        """Return the heat maps; see `ReportView.overlay_of`."""
        return partial(_heat_map, evaluation, _limit(evaluation))

    def image_kinds(self) -> list[tuple[str, str]]:
        """Offer missed defects and false alarms; see `ReportView.image_kinds`."""
        return [
            ("", _tr("Largest errors")),
            (_MISSED, _tr("Missed defects")),
            (_ALARMS, _tr("False alarms")),
        ]

    def images_of_kind(
        self, evaluation: EvaluatedOutputs, output: int | None, kind: str
    ) -> CellImages:
        """Return missed defects or false alarms, the worst first; see `ReportView`."""
        scores, limit = evaluation.evidence[:, 0, 0], _limit(evaluation)
        kinds = evaluation.targets[:, 1:] > 0
        if kind == _ALARMS:
            chosen, order = ~kinds.any(axis=1) & (scores >= limit), -scores
        else:
            among = kinds[:, output - 1] if output else kinds.any(axis=1)
            chosen, order = among & (scores < limit), scores
        indices = chosen.nonzero()[0]
        worst = indices[order[indices].argsort(kind="stable")].tolist()
        texts = [text for text, _ in self.captions(evaluation, output, worst)]
        return CellImages(worst, texts, self.overlay_of(evaluation, output))

    def charts_title(self) -> tuple[str, str]:
        """Return the title of the tab of thresholds."""
        return (
            _tr("Threshold"),
            _tr("Scores of good images and defects, and what other thresholds would give."),
        )

    def chart_names(self, names: Sequence[str]) -> list[str]:
        """Return the kinds of defects; the charts of good images are of all kinds."""
        return [_tr("All defects"), *names[1:]]

    def charts_head(self, context: AppContext, parent: QWidget) -> ChartsHead | None:
        """Create the choice of a threshold; see `ReportView.charts_head`."""
        from studio.ui.tasks.anomaly.threshold_panel import ThresholdPanel  # noqa: PLC0415

        return ThresholdPanel(context, parent)

    def charts_of(self, evaluation: EvaluatedOutputs, output: int) -> list[ImageChart]:
        """Return histogram, ROC, and precision by recall; see `ReportView.charts_of`."""
        if not evaluation.has_images:
            return []
        evidence, targets, _ = evaluation.measured
        scores, kinds = evidence[:, 0, 0], targets[:, 1:] > 0
        good = scores[~kinds.any(axis=1)]
        defects = scores[kinds.any(axis=1) if output == 0 else kinds[:, output - 1]]
        limit = evaluation.report.outputs[output].threshold
        found = [score_histogram(good, defects, limit, _tr("defects"))]
        if len(good) and len(defects):
            found += _curves(good, defects)
        if len(good):
            found.append(_alarms(good, defects))
        return [ImageChart(each, is_apart=True) for each in found]


def _limit(evaluation: EvaluatedOutputs) -> float:
    """Return the score from which on an image has a defect."""
    return (evaluation.calibration.thresholds or (1.0,))[-1]


def _heat_map(evaluation: EvaluatedOutputs, limit: float, row: int) -> HeatMapOverlay | None:
    """Return the heat map of an image by its row; None where the dataset was deleted."""
    pair = evaluation.pair(row)
    if pair is None:
        return None
    return HeatMapOverlay(pair[0], 0.0, max(2 * limit, float(pair[0].max())), limit)


def _curves(good: Scores, defects: Scores) -> list[Figure]:
    """Return the ROC curve, and precision by recall."""
    from studio.engine.tasks.anomaly.thresholds import curve_of  # noqa: PLC0415 - NumPy

    curve = curve_of(good, defects)
    recall = curve.recall.tolist()
    roc = [(0.0, 0.0), *zip(curve.false_alarms.tolist(), recall, strict=True)]
    across = AxisScale(_tr("False alarms"), 0.0, 1.0, percent=True)
    up = AxisScale(_tr("Defects found"), 0.0, 1.0, percent=True)
    precision = list(zip(recall, curve.precision.tolist(), strict=True))
    return [
        Figure(_tr("ROC curve"), across, up, (FigureLine("", roc), DIAGONAL)),
        precision_by_recall(_tr("defects"), (FigureLine("", precision),)),
    ]


def _alarms(good: Scores, defects: Scores) -> Figure:
    """Return the threshold for each allowed fraction of false alarms, with the interval of it."""
    from studio.engine.tasks.anomaly.thresholds import choices  # noqa: PLC0415 - NumPy

    found = choices(good, defects)
    alarms = FigureLine(
        _tr("false alarms (95 % interval)"),
        [(each.threshold, each.false_alarms) for each in found],
        0,
        dots=True,
        band=[(each.low, each.high) for each in found],
    )
    recall = [(each.threshold, each.recall) for each in found if each.recall is not None]
    lines = [alarms, *([FigureLine(_tr("defects found"), recall, 1, dots=True)] if recall else [])]
    limits = [each.threshold for each in found]
    across = AxisScale(_tr("Threshold"), 0.95 * min(limits), 1.05 * max(limits))
    up = AxisScale(_tr("Share of the images"), 0.0, 1.0, percent=True)
    return Figure(_tr("Other thresholds"), across, up, lines)


class AnomalyView(SegmentationData, TaskView):
    """Shows good images and kinds of defects."""

    report = AnomalyReport()

    def fit_title(self) -> str:
        """Return the title of the tab of a run; see `TaskView.fit_title`."""
        return _tr("Methods")

    def fit(self, theme: Theme, parent: QWidget) -> FitView:
        """Create the tab of a run; see `TaskView.fit`."""
        return MethodsView(theme, parent)

    def words(self, task: Task) -> DataWords:
        """Return the words for kinds of defects."""
        return class_words(
            card_help=_tr("Shows the images of this kind."),
            distribution=_tr("Good images and defects"),
            changed=_tr("{images} with changed masks"),
            choice=_tr("Find defects (anomaly detection)"),
            choice_help=_tr("Learns from good images only. Defects are needed only to measure."),
        )

    def proposal(self, columns: str) -> str:
        """Return why an import proposes anomaly detection."""
        return _tr("All training images are good. Defects are needed only to measure.")

    def recipe_part(self, theme: Theme, parent: QWidget) -> RecipePart | None:
        """Create the field for good classes; see `DataView.recipe_part`."""
        return GoodClasses(parent)

    def class_examples(self) -> str:
        """Return kinds of defects; see `DataView.class_examples`."""
        return _tr("scratch\ndent")

    def caption(self, targets: TargetTable, row: int) -> str:
        """Return the kinds of defects, or the name of good images; see `DataView.caption`."""
        return ", ".join(apart(each) for each in _kinds(targets, row))

    def facts(self, targets: TargetTable, row: int) -> list[Fact]:
        """Return the kinds of defects of an image; see `DataView.facts`."""
        return [(_tr("Kind"), self.caption(targets, row))]


def _kinds(targets: TargetTable, row: int) -> Sequence[str]:
    """Return the kinds of defects of an image; the first class for a good one."""
    names = targets.names
    found = [name for name, n in zip(names[1:], targets.values[row][1:], strict=True) if n]
    return found or [names[0]]


VIEW = AnomalyView()
