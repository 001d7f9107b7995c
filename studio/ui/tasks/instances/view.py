"""The parts of pages for objects with outlines: datasets, reports, insights of a run."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Final

from PySide6.QtCore import QCoreApplication
from PySide6.QtWidgets import QWidget

from studio.engine.tasks.calibration import Calibration
from studio.engine.tasks.prediction import FALSE, MISSED, RIGHT
from studio.engine.tasks.task import Task
from studio.ui.charts.axes import AxisScale
from studio.ui.charts.figure import Figure, FigureLine
from studio.ui.shared.dataset_pictures import OverlayOf
from studio.ui.tasks.data_view import DataWords, class_words
from studio.ui.tasks.detection.data import BoxFields, DetectionData, objects
from studio.ui.tasks.detection.view import BoxReport, error_overlay, reason_word
from studio.ui.tasks.region_fields import RegionWords
from studio.ui.tasks.region_results import RegionInsights, ResultWords, error_colors
from studio.ui.tasks.targets import RecipePart
from studio.ui.tasks.view import (
    CellImages,
    ImageChart,
    InsightView,
    TaskView,
    ValidationInsight,
)
from studio.ui.theme.theme import Theme
from studio.ui.widgets.figures import percent
from studio.ui.widgets.outlines import OutlineOverlay
from studio.ui.widgets.overlay import TAG_PARTS, BoxOverlay, PictureBox

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from studio.engine.evaluation.evaluated_outputs import EvaluatedOutputs
    from studio.engine.tasks.detection.matching import Outcome
    from studio.engine.tasks.instances.matching import ComparedStars
    from studio.engine.tasks.instances.report import ReportsInstances
    from studio.engine.tasks.parts.objects import Ring

_tr = partial(QCoreApplication.translate, "tasks")
_MERGED: Final = "merged"
_SPLIT: Final = "split"


@dataclass(frozen=True, slots=True)
class PictureErrors:
    """Predicted and true objects of an image, and what is wrong about them.

    Attributes:
        compared: Overlaps of the predicted and true objects.
        outcome: Which of them are right, false and missed.
        labels: Label image of the true objects, shape (height, width).
    """

    compared: ComparedStars
    outcome: Outcome
    labels: NDArray[np.int32]

    def chosen(self, kind: str, output: int | None) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
        """Return True for the predictions and for the objects of a kind.

        Args:
            kind: A key of `InstanceReport.image_kinds`; empty for all but ignored ones.
            output: The class; None for all.
        """
        import numpy as np  # noqa: PLC0415 - the window starts without it

        found = self.outcome
        rows, states = found.detections, found.states
        of_kind = np.array([each == kind for each in found.reasons], np.bool_)
        missed = (found.object_states == MISSED) & (kind in ("", "missed"))
        if kind == "right":
            of_kind = states == RIGHT
        elif kind in (_MERGED, _SPLIT):
            of_kind = self._merged() if kind == _MERGED else self._split()
        elif not kind:
            of_kind = (states == RIGHT) | (states == FALSE)
        if output is not None:
            of_kind = of_kind & (rows[:, 0] == output)
            missed &= found.boxes[:, 0] == output
        return of_kind, missed

    def _merged(self) -> NDArray[np.bool_]:
        """Return True for predictions that cover at least half of several objects."""
        from studio.engine.tasks.instances.matching import HALF  # noqa: PLC0415 - NumPy

        merged: NDArray[np.bool_] = (self.compared.covered >= HALF).sum(axis=1) > 1
        return merged

    def _split(self) -> NDArray[np.bool_]:
        """Return True for predictions of which several lie in one object by at least half."""
        from studio.engine.tasks.instances.matching import HALF  # noqa: PLC0415 - NumPy

        inside = self.compared.within >= HALF
        split: NDArray[np.bool_] = (inside & (inside.sum(axis=0) > 1)).any(axis=1)
        return split

    def overlay(self, kind: str, output: int | None, names: Sequence[str]) -> OutlineOverlay:
        """Return the outlines of a kind: right, false and missed ones in their colors.

        Args:
            kind: See `chosen`.
            output: The class; None for all.
            names: Names of the classes, K.
        """
        from studio.engine.tasks.instance_labels import instance_table  # noqa: PLC0415 - NumPy
        from studio.engine.tasks.parts.outlines import traced  # noqa: PLC0415

        predicted, missed = self.chosen(kind, output)
        found = self.outcome
        rows = found.detections
        rings, shown = traced(self.compared.shown), []
        for index in predicted.nonzero()[0].tolist():
            label, *sides, score = rows[index, :6].tolist()
            parts = [names[int(label)], percent(score, 0), reason_word(found.reasons[index])]
            is_right = found.states[index] == RIGHT
            state, text = RIGHT if is_right else FALSE, TAG_PARTS.join(filter(None, parts))
            shown.append(_region(state, sides, rings[index + 1], text))
        outlines, table = traced(self.labels), instance_table(self.labels)
        known = zip(table.values.tolist(), table.boxes.tolist(), missed.tolist(), strict=False)
        for value, sides, is_missed in known:
            if is_missed:
                shown.append(_region(MISSED, sides, outlines[value], names[value & 255]))
        colors, height_width = error_colors(shows_right=True), self.labels.shape
        size = height_width[::-1]
        return OutlineOverlay(shown, size, list(colors), list(colors.values()))


def _region(
    state: int, sides: Sequence[float], outline: tuple[Ring, ...], text: str
) -> PictureBox:
    left, top, right, bottom = sides
    return PictureBox(state, left, top, right, bottom, text=text, outline=outline)


class OutlineFields(BoxFields):
    """The place of the annotation files, and the table of the classes."""

    def words(self) -> RegionWords:
        """Return the texts about outlines."""
        return RegionWords(
            regions=_tr("Outlines"),
            elsewhere=_tr("Outlines elsewhere…"),
            elsewhere_help=_tr(
                "Chooses the folder or file of the outlines (label images, COCO, YOLO or masks of "
                "single objects) if they are not in the image folder."
            ),
            folder=_tr("Annotation folder…"),
            choose_folder=_tr("Choose the annotation folder"),
            classes=_tr("Classes of the objects"),
            fixed_color=_tr("The annotation files give the color of the class."),
        )


class InstanceData(DetectionData):
    """Shows the outlines of a dataset."""

    def words(self, task: Task) -> DataWords:
        """Return the words for classes of objects."""
        return class_words(
            card_help=_tr("Shows the images that contain this class."),
            distribution=_tr("Objects per class"),
            changed=_tr("{images} with changed outlines"),
            choice=_tr("Outlines of objects (instances)"),
            choice_help=_tr("Each image has any number of objects, each with its own pixels."),
        )

    def proposal(self, columns: str) -> str:
        """Return why an import proposes instances."""
        return _tr("Proposed because annotation files with outlines of objects were found.")

    def recipe_part(self, theme: Theme, parent: QWidget) -> RecipePart:
        """Create the fields for annotations and classes; see `DataView.recipe_part`."""
        return OutlineFields(theme, parent)


class InstanceReport(BoxReport):
    """Shows the outlines that are right, false and missed."""

    measured = ("mask_ap", "mask_ap50", "precision", "recall")

    @property
    def reporter(self) -> ReportsInstances:
        """Measures outlines."""
        from studio.engine.tasks.instances.report import REPORTER  # noqa: PLC0415 - NumPy

        return REPORTER

    def words(self) -> ResultWords:
        """Return the texts about outlines."""
        return ResultWords(
            samples=_tr("Samples: predicted objects"),
            samples_help=_tr(
                "Samples are the same images in every epoch. Worst images have the lowest F1."
            ),
            pictures=_tr("Images with objects"),
            worst=_tr("{name}: lowest F1 first, true objects"),
            confusion=_tr("Object confusion"),
            confusion_hint=_tr(
                "Rows: true classes. Columns: predicted ones. The last row counts outlines where "
                "nothing is, the last column missed objects. Click a cell to see its images."
            ),
            confusion_cell=_tr(
                "{number} of {whole} objects of “{row}” are predicted as “{column}” ({share})"
            ),
        )

    def image_kinds(self) -> list[tuple[str, str]]:
        """Offer the images with errors of a kind."""
        return [
            ("", _tr("Most errors")),
            ("right", _tr("Right outlines")),
            ("missed", _tr("Missed objects")),
            (_MERGED, _tr("Merged: one outline for several objects")),
            (_SPLIT, _tr("Split: several outlines for one object")),
            ("background", _tr("False: no object")),
            ("class", _tr("False: other class")),
            ("sides", _tr("False: inaccurate outlines")),
            ("duplicate", _tr("False: duplicate outlines")),
        ]

    def images_of_kind(
        self, evaluation: EvaluatedOutputs, output: int | None, kind: str
    ) -> CellImages:
        """Return the images with most outlines of a kind; see `ReportView.images_of_kind`."""
        numbers = []
        for row in evaluation.rows.tolist():
            found = self.errors_of(evaluation, row)
            chosen = () if found is None else found.chosen(kind, output)
            numbers.append(sum(int(each.sum()) for each in chosen))
        order = sorted(range(len(numbers)), key=lambda index: -numbers[index])
        shown = [index for index in order if numbers[index]]
        texts = [objects(numbers[index]) for index in shown]
        return CellImages(shown, texts, partial(self._outlines, evaluation, output, kind))

    def charts_of(self, evaluation: EvaluatedOutputs, output: int) -> list[ImageChart]:
        """Return precision by recall, and F1 by overlap; see `ReportView.charts_of`."""
        precision = super().charts_of(evaluation, output)[:1]
        return [*precision, ImageChart(self._by_overlap(evaluation, output), is_apart=True)]

    def charts_title(self) -> tuple[str, str]:
        """Return the title of the tab of the curves."""
        return (
            _tr("Precision and overlap"),
            _tr(
                "Left: for outlines that overlap their object by at least 50 %. Right: F1 and the "
                "share of matched objects by the overlap (IoU) that a match needs."
            ),
        )

    def _by_overlap(self, evaluation: EvaluatedOutputs, output: int) -> Figure:
        from studio.engine.tasks.boxes import OVERLAPS  # noqa: PLC0415 - NumPy
        from studio.engine.tasks.detection.report import thresholds_of  # noqa: PLC0415
        from studio.engine.tasks.instances.report import Counts  # noqa: PLC0415

        about = evaluation.report.outputs
        thresholds = thresholds_of(evaluation.calibration, len(about))
        counts = Counts.of(evaluation.evidence, thresholds)
        right, given = counts.right[:, output].sum(axis=0), counts.given[:, output].sum(axis=0)
        total = given + counts.objects[:, output].sum()
        f1, matched = 2 * right / total.clip(1), right / (total - right).clip(1)
        lines = [
            FigureLine(name, list(zip(OVERLAPS, values.tolist(), strict=True)), index, dots=True)
            for index, (name, values) in enumerate(
                ((_tr("F1"), f1), (_tr("matched: TP / (TP + FP + FN)"), matched))
            )
        ]
        title = _tr("F1 by overlap: {name}").format(name=about[output].name)
        across = AxisScale(_tr("Overlap (IoU)"), OVERLAPS[0], 1.0, percent=True)
        return Figure(title, across, AxisScale("", 0.0, 1.0, percent=True), lines)

    def overlay_of(self, evaluation: EvaluatedOutputs, output: int | None) -> OverlayOf | None:
        """Return the right, missed and false outlines; see `ReportView.overlay_of`."""
        return partial(self._outlines, evaluation, output, "")

    def errors_of(self, evaluation: EvaluatedOutputs, row: int) -> PictureErrors | None:
        """Return what is wrong about an image; None where the dataset was deleted.

        Args:
            evaluation: Evaluation of the images.
            row: Row of the image in its dataset.
        """
        from studio.engine.tasks.detection import matching  # noqa: PLC0415 - NumPy
        from studio.engine.tasks.detection.report import thresholds_of  # noqa: PLC0415
        from studio.engine.tasks.instances.matching import compared  # noqa: PLC0415

        pair = evaluation.pair(row)
        if pair is None:
            return None
        decoded, labels = pair
        thresholds = thresholds_of(evaluation.calibration, len(evaluation.report.outputs))
        image = compared(matching.given(decoded, thresholds), labels)
        outcome = matching.outcome_of(image.rows, image.objects, image.pairs)
        return PictureErrors(image, outcome, labels)

    def _outlines(
        self, evaluation: EvaluatedOutputs, output: int | None, kind: str, row: int
    ) -> OutlineOverlay | None:
        found = self.errors_of(evaluation, row)
        names = [each.name for each in evaluation.report.outputs]
        return None if found is None else found.overlay(kind, output, names)

    def sample_errors(
        self, insight: ValidationInsight, output: int | None, row: int
    ) -> BoxOverlay | None:
        """Return the boxes around right, missed and false outlines; see `TaskView.sample_errors`.

        Insights hold boxes around outlines, since those of all stars would be large.
        """
        from studio.engine.tasks.detection.report import REPORTER  # noqa: PLC0415 - NumPy

        pictures, names = insight.pictures, insight.names
        found, truth = self.samples(insight).get(row), pictures.boxes(row)
        size = pictures.size()
        if found is None or truth is None or size is None:
            return None
        outcome = REPORTER.outcome(found, truth, len(names), Calibration())
        return error_overlay(outcome, output, names, size)


class InstanceView(InstanceData, TaskView):
    """Shows objects with outlines."""

    report = InstanceReport()

    def insights_title(self) -> str:
        """Return the title of the tab of validations."""
        return _tr("Objects")

    def insights(self, theme: Theme, parent: QWidget) -> InsightView:
        """Create the view of a run's validations; see `TaskView.insights`."""
        return RegionInsights(theme, self.report, parent)


VIEW: Final = InstanceView()
"""The view, named by the task."""
