"""The parts of pages for boxes: reports, insights of a run, and the task view."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from itertools import compress
from typing import TYPE_CHECKING, Final

from PySide6.QtCore import QCoreApplication
from PySide6.QtWidgets import QWidget

from studio.engine.tasks.calibration import Calibration
from studio.engine.tasks.prediction import FALSE, MISSED, RIGHT
from studio.ui.charts.axes import AxisScale
from studio.ui.charts.figure import Figure, FigureLine
from studio.ui.shared.dataset_pictures import OverlayOf
from studio.ui.tasks.detection.data import DetectionData, objects
from studio.ui.tasks.region_results import (
    RegionInsights,
    RegionReport,
    ResultWords,
    error_colors,
)
from studio.ui.tasks.view import (
    CellImages,
    ImageChart,
    InsightView,
    TaskView,
    ValidationInsight,
    precision_by_recall,
    threshold_lines,
)
from studio.ui.theme.theme import Theme
from studio.ui.widgets.figures import NO_VALUE, count, percent
from studio.ui.widgets.overlay import TAG_PARTS, BoxOverlay, PictureBox, picture_boxes

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from studio.engine.evaluation.evaluated_outputs import EvaluatedOutputs
    from studio.engine.tasks.curves import PrecisionRecallCurve
    from studio.engine.tasks.detection.matching import Outcome
    from studio.engine.tasks.detection.report import ReportsBoxes

_tr = partial(QCoreApplication.translate, "tasks")

_POINTS: Final = 200
"""Points of a curve."""


def error_overlay(
    found: Outcome, output: int | None, names: Sequence[str], size: tuple[int, int]
) -> BoxOverlay:
    """Return the right and false boxes and the missed objects of a picture.

    Args:
        found: The outcome of the picture.
        output: The class; None for all.
        names: Names of the classes, K.
        size: Width and height of the picture in pixels.
    """
    boxes = []
    rows = picture_boxes(found.detections, are_scored=True)
    for box, state, reason in zip(rows, found.states.tolist(), found.reasons, strict=True):
        if state in (RIGHT, FALSE) and output in (None, box.label):
            text = _tag(names[box.label], box.score, reason)
            boxes.append(_recolored(box, state, text))
    for box, state in zip(picture_boxes(found.boxes), found.object_states.tolist(), strict=True):
        if state == MISSED and output in (None, box.label):
            boxes.append(_recolored(box, MISSED, names[box.label]))
    colors = error_colors(shows_right=True)
    return BoxOverlay(boxes, size, list(colors), list(colors.values()))


def _tag(name: str, score: float | None, reason: str) -> str:
    parts = [name, "" if score is None else percent(score, 0), reason_word(reason)]
    return TAG_PARTS.join(filter(None, parts))


def reason_word(reason: str) -> str:
    """Return why a detection is false; empty for other detections."""
    words = {
        "duplicate": _tr("duplicate"),
        "class": _tr("other class"),
        "sides": _tr("inaccurate"),
        "background": _tr("no object"),
    }
    return words.get(reason, "")


def _recolored(box: PictureBox, label: int, text: str) -> PictureBox:
    # With its score: the chosen threshold hides it as it hides other predictions.
    sides = (box.left, box.top, box.right, box.bottom)
    return PictureBox(label, *sides, box.score, box.threshold, text=text)


class BoxReport(RegionReport):
    """Shows the boxes that are right, false and missed."""

    measured = ("ap", "ap50", "precision", "recall")
    thumb = 144
    shows_right = True

    @property
    def reporter(self) -> ReportsBoxes:
        """Measures boxes."""
        from studio.engine.tasks.detection.report import REPORTER  # noqa: PLC0415 - NumPy

        return REPORTER

    def words(self) -> ResultWords:
        """Return the texts about boxes."""
        return ResultWords(
            samples=_tr("Samples: predicted boxes"),
            samples_help=_tr(
                "Samples are the same images in every epoch. Worst images have the lowest F1."
            ),
            pictures=_tr("Images with boxes"),
            worst=_tr("{name}: lowest F1 first, true boxes"),
            confusion=_tr("Object confusion"),
            confusion_hint=_tr(
                "Rows: true classes. Columns: predicted ones. The last row counts boxes where "
                "nothing is, the last column missed objects. Click a cell to see its images."
            ),
            confusion_cell=_tr(
                "{number} of {whole} objects of “{row}” are predicted as “{column}” ({share})"
            ),
        )

    def images_title(self) -> str:
        """Say what the images are sorted by."""
        return _tr("{name}: lowest F1 first")

    def error_text(self, error: float) -> str:
        """Return the F1 of an image; see `RegionReport.error_text`."""
        return _tr("F1 {value}").format(value=percent(1 - error, 0)) if error >= 0 else NO_VALUE

    def image_kinds(self) -> list[tuple[str, str]]:
        """Offer the images with errors of a kind."""
        return [
            ("", _tr("Most errors")),
            ("right", _tr("Right boxes")),
            ("missed", _tr("Missed objects")),
            ("background", _tr("False: no object")),
            ("class", _tr("False: other class")),
            ("sides", _tr("False: inaccurate sides")),
            ("duplicate", _tr("False: duplicate boxes")),
        ]

    def images_of_kind(
        self, evaluation: EvaluatedOutputs, output: int | None, kind: str
    ) -> CellImages:
        """Return the images with most boxes of a kind; see `ReportView.images_of_kind`."""
        numbers = [
            0 if found is None else sum(int(each.sum()) for each in _of_kind(found, output, kind))
            for found in map(partial(self.outcome, evaluation), evaluation.rows.tolist())
        ]
        order = sorted(range(len(numbers)), key=lambda index: -numbers[index])
        chosen = [index for index in order if numbers[index]]
        texts = [boxes_text(numbers[index]) for index in chosen]
        return CellImages(chosen, texts, partial(self._errors, evaluation, output, kind))

    def charts_of(self, evaluation: EvaluatedOutputs, output: int) -> list[ImageChart]:
        """Return precision by recall, and both by threshold; see `ReportView.charts_of`."""
        curves = evaluation.reporter.curves(evaluation.evidence)
        about = evaluation.report.outputs[output]
        if output >= len(curves) or not len(curves[output].scores):
            return []
        threshold = about.threshold
        return [
            ImageChart(_precision_recall(about.name, curves, output, threshold), is_apart=True),
            ImageChart(_by_threshold(about.name, curves[output], threshold), is_apart=True),
        ]

    def charts_title(self) -> tuple[str, str]:
        """Return the title of the tab of the curves."""
        return (
            _tr("Precision and recall"),
            _tr(
                "For boxes that overlap their object by at least 50 %. The threshold is tuned on "
                "validation images for the highest F1."
            ),
        )

    def overlay_of(self, evaluation: EvaluatedOutputs, output: int | None) -> OverlayOf | None:
        """Return the right, missed and false boxes; see `ReportView.overlay_of`."""
        return partial(self._errors, evaluation, output, "")

    def cell_images(self, evaluation: EvaluatedOutputs, truth: int, predicted: int) -> CellImages:
        """Return the images with objects of a cell; see `RegionReport.cell_images`."""
        found, numbers = evaluation.cell(truth, predicted)
        texts = [objects(number) for number in numbers.tolist()]
        return CellImages(found.tolist(), texts, self.overlay_of(evaluation, None))

    def outcome(self, evaluation: EvaluatedOutputs, row: int) -> Outcome | None:
        """Return the outcome of an image; None where the dataset was deleted.

        Args:
            evaluation: Evaluation of the images.
            row: Row of the image in its dataset.
        """
        pair, classes = evaluation.pair(row), len(evaluation.report.outputs)
        if pair is None:
            return None
        return self.reporter.outcome(*pair, classes, evaluation.calibration)

    def samples(self, insight: ValidationInsight) -> dict[int, NDArray[np.float32]]:
        """Return the predicted boxes; see `RegionReport.samples`."""
        boxes = insight.boxes
        if boxes is None:
            return {}
        return dict(zip(boxes.rows.tolist(), boxes.detections, strict=True))

    def sample_regions(
        self, insight: ValidationInsight, output: int | None, row: int
    ) -> BoxOverlay | None:
        """Return the predicted boxes of a picture; see `RegionReport.sample_regions`."""
        from studio.engine.tasks.detection.report import THRESHOLD  # noqa: PLC0415 - NumPy

        found, size = self.samples(insight).get(row), insight.pictures.size()
        if found is None or size is None:
            return None
        boxes = [
            each
            for each in picture_boxes(found, are_scored=True)
            if (each.score or 0.0) >= THRESHOLD and output in (None, each.label)
        ]
        return BoxOverlay(boxes, size, insight.names, insight.colors)

    def sample_errors(
        self, insight: ValidationInsight, output: int | None, row: int
    ) -> BoxOverlay | None:
        """Return right, missed and false boxes; see `RegionReport.sample_errors`."""
        pictures, names = insight.pictures, insight.names
        found, truth = self.samples(insight).get(row), pictures.boxes(row)
        size = pictures.size()
        if found is None or truth is None or size is None:
            return None
        outcome = self.reporter.outcome(found, truth, len(names), Calibration())
        return error_overlay(outcome, output, names, size)

    def _errors(
        self, evaluation: EvaluatedOutputs, output: int | None, kind: str, row: int
    ) -> BoxOverlay | None:
        """Return the right, missed and false boxes over an image, or only those of a kind."""
        found, store = self.outcome(evaluation, row), evaluation.store
        if found is None or store is None:
            return None
        names = [each.name for each in evaluation.report.outputs]
        size = (store.recipe.width, store.recipe.height)
        return error_overlay(_only(found, output, kind) if kind else found, output, names, size)


def boxes_text(number: int) -> str:
    """Return such as "3 boxes"."""
    return _tr("1 box") if number == 1 else _tr("{n} boxes").format(n=count(number))


def _of_kind(
    found: Outcome, output: int | None, kind: str
) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Return masks of the detections and of the objects of a kind."""
    import numpy as np  # noqa: PLC0415 - not when the window starts

    detections = np.array([each == kind for each in found.reasons], np.bool_)
    if kind == "right":
        detections = found.states == RIGHT
    objects = (found.object_states == MISSED) & (kind == "missed")
    if output is not None:
        detections = detections & (found.detections[:, 0] == output)
        objects = objects & (found.boxes[:, 0] == output)
    return detections, objects


def _only(found: Outcome, output: int | None, kind: str) -> Outcome:
    """Return an outcome with only the boxes of a kind."""
    detections, objects = _of_kind(found, output, kind)
    return replace(
        found,
        detections=found.detections[detections],
        states=found.states[detections],
        reasons=tuple(compress(found.reasons, detections)),
        boxes=found.boxes[objects],
        object_states=found.object_states[objects],
    )


def _precision_recall(
    name: str, curves: Sequence[PrecisionRecallCurve], output: int, threshold: float | None
) -> Figure:
    """Return the curve of a class over the faint curves of the others."""
    drawn = [
        [(recall, precision) for recall, precision, _ in each.points(_POINTS)] for each in curves
    ]
    others = [points for at, points in enumerate(drawn) if points and at != output]
    faint = (FigureLine("", points, 5, faint=True) for points in others)
    lines, shown = [FigureLine(name, drawn[output], 0), *faint], curves[output]
    if threshold is not None:
        at = int((shown.scores >= threshold).sum()) - 1
        if at >= 0:
            place = (float(shown.recall[at]), float(shown.precision[at]))
            lines.append(FigureLine(_tr("threshold"), [place], 1, dots=True))
    return precision_by_recall(name, lines)


def _by_threshold(name: str, curve: PrecisionRecallCurve, threshold: float | None) -> Figure:
    """Return precision, recall and F1 by the least score."""
    import numpy as np  # noqa: PLC0415 - not when the window starts

    least = np.linspace(0.0, float(curve.scores[0]), _POINTS)
    at = np.array([(curve.scores >= each).sum() for each in least]) - 1
    scores = least.tolist()
    kinds = (
        (_tr("Precision"), curve.precision),
        (_tr("Recall"), curve.recall),
        (_tr("F1"), curve.f1),
    )
    lines = [
        FigureLine(word, list(zip(scores, values[at].tolist(), strict=True)), index)
        for index, (word, values) in enumerate(kinds)
    ]
    lines += threshold_lines(threshold)
    return Figure(
        _tr("By threshold: {name}").format(name=name),
        AxisScale(_tr("Lowest score"), 0.0, 1.0, percent=True),
        AxisScale("", 0.0, 1.0, percent=True),
        lines,
    )


class DetectionView(DetectionData, TaskView):
    """Shows boxes of objects."""

    report = BoxReport()

    def insights_title(self) -> str:
        """Return the title of the tab of a run."""
        return _tr("Boxes")

    def insights(self, theme: Theme, parent: QWidget) -> InsightView:
        """Create the tab of a run; see `TaskView.insights`."""
        return RegionInsights(theme, self.report, parent)


VIEW = DetectionView()
