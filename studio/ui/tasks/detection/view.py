"""The parts of pages for boxes: answers, reports, insights of a run, and the task view."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from operator import attrgetter
from typing import TYPE_CHECKING, Final

from PySide6.QtCore import QCoreApplication, Qt
from PySide6.QtGui import QPixmap
from PySide6.QtWidgets import QWidget

from studio.engine.tasks.answer import Answer, Calibration
from studio.ui.charts.figure import Figure, FigureLine, Scale
from studio.ui.language import translated
from studio.ui.shared.dataset_pictures import Captioned, DatasetPictures, OverlayOf, PictureGrid
from studio.ui.shared.overlay import ColorKey
from studio.ui.tasks.detection.data import DetectionData, objects
from studio.ui.tasks.view import (
    AnswerT,
    AnswerView,
    CellImages,
    Chart,
    InsightView,
    OutputData,
    ReportView,
    TaskView,
    Together,
    ValidationInsight,
)
from studio.ui.theme.theme import Theme
from studio.ui.theme.tokens import ICON_SMALL, SPACE
from studio.ui.widgets.bars import BarLine
from studio.ui.widgets.figures import NO_VALUE, count, percent
from studio.ui.widgets.inputs import ComboBox
from studio.ui.widgets.labels import ElidedLabel, apart
from studio.ui.widgets.layout import hbox, vbox
from studio.ui.widgets.overlay import TAG_PARTS, BoxOverlay, PictureBox, picture_boxes, swatch
from studio.ui.widgets.table import Table
from studio.ui.widgets.table_model import FILL, Column
from studio.ui.widgets.tips import explain

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from studio.engine.evaluation.target_files import TargetEvaluation
    from studio.engine.tasks.curves import Curve
    from studio.engine.tasks.detection.matching import Outcome
    from studio.engine.tasks.detection.report import ReportsBoxes
    from studio.ui.widgets.canvas.editor import CanvasEditor

_tr = partial(QCoreApplication.translate, "tasks")

RIGHT_COLOR: Final = "#009e73"
MISSED_COLOR: Final = "#d55e00"
FALSE_COLOR: Final = "#56b4e9"
"""Green, orange and sky blue of Okabe and Ito: distinct for any color vision."""
RIGHT_BOX, MISSED_BOX, FALSE_BOX = range(3)
"""Classes of an overlay of errors: correct, missed and false boxes."""
MOST: Final = 100
"""Worst images that are shown."""
_POINTS: Final = 200
"""Points of a curve."""
_THUMB: Final = 144
_LEAST: Final = 300
_LETTERS: Final = 20
_FIGURE: Final = 76
_PREDICTED, _ERRORS, _WORST = range(3)
_MEASURED: Final = ("ap", "ap50", "precision", "recall")


def reporter_of_boxes() -> ReportsBoxes:
    """Return what measures boxes."""
    from studio.engine.tasks.detection.report import REPORTER  # noqa: PLC0415 - NumPy

    return REPORTER


class BoxAnswer(AnswerView):
    """Shows the number of objects of each class, and the boxes over the picture."""

    def headline(self, answer: Answer) -> str:
        """Return the number of objects."""
        return objects(len(answer.objects)) if answer.objects else _tr("No objects")

    def caption(self, answer: Answer) -> str:
        """Return the number of objects of each class, the most first."""
        counts = Counter(each.label for each in answer.objects).most_common()
        if not counts:
            return _tr("No objects")
        return " · ".join(f"{apart(label)} {count(number)}" for label, number in counts)

    def strongest(self, answer: Answer) -> tuple[str, float]:
        """Return the class and the score of the most confident object."""
        best = max(answer.objects, key=attrgetter("score"), default=None)
        return ("", 0.0) if best is None else (best.label, best.score)

    def at_score(self, answer: AnswerT, least_score: float | None) -> AnswerT:
        """Return the answer with the objects that have at least a score.

        Args:
            answer: The prediction for a picture.
            least_score: The score; None for the threshold of each class.
        """
        if least_score is None:
            return answer
        boxes = tuple(each.model_copy(update={"threshold": least_score}) for each in answer.boxes)
        return answer.model_copy(update={"boxes": boxes})

    def counts(self, answer: Answer) -> dict[str, int]:
        """Return the number of objects of each class."""
        found = dict.fromkeys(sorted(each.label for each in answer.scores), 0)
        return found | Counter(each.label for each in answer.objects)

    def lines(self, answer: Answer) -> list[BarLine]:
        """Return a line for each class that occurs, the most objects first."""
        counts = Counter(each.label for each in answer.objects).most_common()
        most = max((number for _, number in counts), default=1)
        return [
            BarLine(label, objects(number), number / most, is_strong=True)
            for label, number in counts
        ]

    def overlay(
        self, answer: Answer, names: Sequence[str], colors: Sequence[str]
    ) -> BoxOverlay | None:
        """Return the objects, and candidates with a lower score; see `AnswerView.overlay`."""
        places = {name: place for place, name in enumerate(names)}
        boxes = [
            PictureBox(
                places[each.label],
                each.left,
                each.top,
                each.right,
                each.bottom,
                each.score,
                each.threshold,
            )
            for each in answer.boxes
            if each.label in places
        ]
        return BoxOverlay(boxes, answer.size, names, colors)


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
    from studio.engine.tasks.prediction import FALSE, MISSED, RIGHT  # noqa: PLC0415 - NumPy

    boxes = []
    kinds = {RIGHT: RIGHT_BOX, FALSE: FALSE_BOX}
    rows = picture_boxes(found.detections, are_scored=True)
    for box, state, reason in zip(rows, found.states.tolist(), found.reasons, strict=True):
        if state in kinds and output in (None, box.label):
            text = _tag(names[box.label], box.score, reason)
            boxes.append(_recolored(box, kinds[state], text))
    for box, state in zip(picture_boxes(found.boxes), found.object_states.tolist(), strict=True):
        if state == MISSED and output in (None, box.label):
            boxes.append(_recolored(box, MISSED_BOX, names[box.label]))
    words = [_tr("right"), _tr("missed"), _tr("false")]
    return BoxOverlay(boxes, size, words, [RIGHT_COLOR, MISSED_COLOR, FALSE_COLOR])


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
    return PictureBox(label, box.left, box.top, box.right, box.bottom, text=text)


def error_key(parent: QWidget) -> ColorKey:
    """Make the key to the colors of `error_overlay`."""
    entries = (
        (RIGHT_COLOR, _tr("right")),
        (MISSED_COLOR, _tr("missed")),
        (FALSE_COLOR, _tr("false")),
    )
    return ColorKey(entries, parent)


class BoxReport(ReportView):
    """Shows the boxes that are right, false and missed."""

    shows_images = True

    def images_title(self) -> str:
        """Say what the images are sorted by."""
        return _tr("{name}: lowest F1 first")

    def images_key(self, parent: QWidget) -> QWidget:
        """Make the key to right, missed and false boxes."""
        return error_key(parent)

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
        self, evaluation: TargetEvaluation, output: int | None, kind: str
    ) -> CellImages:
        """Return the images with most boxes of a kind; see `ReportView.images_of_kind`."""
        outcomes = Outcomes(evaluation)
        numbers = [outcomes.number(index, output, kind) for index in range(len(evaluation.rows))]
        order = sorted(range(len(numbers)), key=lambda index: -numbers[index])
        chosen = [index for index in order if numbers[index]]
        texts = [boxes_text(numbers[index]) for index in chosen]
        return CellImages(chosen, texts, partial(outcomes.overlay, output, kind))

    def data(self, evaluation: TargetEvaluation, output: int) -> OutputData | None:  # noqa: ARG002
        """Return None: boxes have no number for each image."""
        return None

    def charts_of(self, evaluation: TargetEvaluation, output: int) -> list[Chart]:
        """Return precision by recall, and both by threshold; see `ReportView.charts_of`."""
        curves = evaluation.reporter.curves(evaluation.evidence)
        about = evaluation.report.outputs[output]
        if output >= len(curves) or not len(curves[output].scores):
            return []
        threshold = about.threshold
        return [
            Chart(_precision_recall(about.name, curves, output, threshold), is_apart=True),
            Chart(_by_threshold(about.name, curves[output], threshold), is_apart=True),
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

    def captions(
        self, evaluation: TargetEvaluation, output: int | None, indices: Sequence[int]
    ) -> list[tuple[str, bool]]:
        """Return the F1 of each image; see `ReportView.captions`."""
        if evaluation.targets is None:
            return []
        chosen = list(indices)
        errors = evaluation.reporter.errors(
            evaluation.evidence[chosen],
            evaluation.targets[chosen],
            output,
            evaluation.calibration,
        )
        return [(_f1(error), False) for error in errors.tolist()]

    def overlay_of(self, evaluation: TargetEvaluation, output: int | None) -> OverlayOf | None:
        """Return the right, missed and false boxes; see `ReportView.overlay_of`."""
        return partial(Outcomes(evaluation).overlay, output, "")

    def together(self, evaluation: TargetEvaluation) -> Together | None:
        """Return the objects by their true and their predicted class."""
        import numpy as np  # noqa: PLC0415 - not when the window starts

        confusion = evaluation.report.confusion
        if confusion is None:
            return None
        counts = np.array(confusion, np.int64)
        names = [each.name for each in evaluation.report.outputs]
        return Together(
            _tr("Object confusion"),
            _tr(
                "Rows: true classes. Columns: predicted ones. The last row counts boxes where "
                "nothing is, the last column missed objects. Click a cell to see its images."
            ),
            (_tr("True class"), _tr("Predicted class")),
            counts,
            counts.sum(axis=1),
            _tr("{number} of {whole} objects of “{row}” are predicted as “{column}” ({share})"),
            partial(_cell, evaluation),
            has_mistakes=True,
            names=(*names, _tr("background")),
        )


def boxes_text(number: int) -> str:
    """Return such as "3 boxes"."""
    return _tr("1 box") if number == 1 else _tr("{n} boxes").format(n=count(number))


def _f1(error: float) -> str:
    return _tr("F1 {value}").format(value=percent(1 - error, 0)) if error >= 0 else NO_VALUE


class Outcomes:
    """Outcomes of the boxes of each image of an evaluation; for any thread.

    Args:
        evaluation: The opened evaluation.
    """

    def __init__(self, evaluation: TargetEvaluation) -> None:
        self._evaluation = evaluation
        self._names = [each.name for each in evaluation.report.outputs]
        self._indices = {row: index for index, row in enumerate(evaluation.rows.tolist())}

    def of(self, index: int) -> Outcome | None:
        """Return the outcome of an image by its index; None where the dataset was deleted."""
        found = self._evaluation
        if found.store is None or found.store.boxes is None:
            return None
        truth = found.store.boxes[int(found.rows[index])]
        return reporter_of_boxes().outcome(
            found.outputs[index], truth, len(self._names), found.calibration
        )

    def number(self, index: int, output: int | None, kind: str) -> int:
        """Return the boxes of a kind in an image.

        Args:
            index: Index of the image.
            output: The class; None for all.
            kind: `right`, `missed`, or the reason of false detections.
        """
        found = self.of(index)
        return 0 if found is None else int(_is_of_kind(found, output, kind)[0].sum())

    def in_cell(self, index: int, cell: tuple[int, int]) -> int:
        """Return the objects of an image in a cell of the matrix of confusion.

        Args:
            index: Index of the image.
            cell: True and predicted class; the number of classes is none.
        """
        from studio.engine.tasks.detection.matching import confusion  # noqa: PLC0415 - NumPy

        found = self.of(index)
        return 0 if found is None else int(confusion(found, len(self._names))[cell])

    def overlay(self, output: int | None, kind: str, row: int) -> BoxOverlay | None:
        """Return the right, missed and false boxes over an image.

        Args:
            output: The class; None for all.
            kind: Only boxes of this kind, see `number`; empty for all.
            row: Row of the image in its dataset.
        """
        index, store = self._indices.get(row), self._evaluation.store
        found = None if index is None else self.of(index)
        if found is None or store is None:
            return None
        if kind:
            found = _only(found, output, kind)
        size = (store.recipe.width, store.recipe.height)
        return error_overlay(found, output, self._names, size)


def _is_of_kind(found: Outcome, output: int | None, kind: str) -> tuple[NDArray[np.bool_], bool]:
    """Return which boxes are of a kind, and True if they are objects rather than detections."""
    import numpy as np  # noqa: PLC0415 - not when the window starts

    from studio.engine.tasks.prediction import MISSED, RIGHT  # noqa: PLC0415 - NumPy

    are_objects = kind == "missed"
    rows = found.boxes if are_objects else found.detections
    if are_objects:
        chosen = found.object_states == MISSED
    elif kind == "right":
        chosen = found.states == RIGHT
    else:
        chosen = np.array([each == kind for each in found.reasons], np.bool_)
    if output is not None:
        chosen = chosen & (rows[:, 0] == output)
    return chosen, are_objects


def _only(found: Outcome, output: int | None, kind: str) -> Outcome:
    """Return an outcome with only the boxes of a kind; the objects that they are about stay."""
    chosen, are_objects = _is_of_kind(found, output, kind)
    if are_objects:
        return replace(
            found,
            detections=found.detections[:0],
            states=found.states[:0],
            reasons=(),
            boxes=found.boxes[chosen],
            object_states=found.object_states[chosen],
        )
    reasons = tuple(each for each, is_there in zip(found.reasons, chosen, strict=True) if is_there)
    return replace(
        found,
        detections=found.detections[chosen],
        states=found.states[chosen],
        reasons=reasons,
        boxes=found.boxes[:0],
        object_states=found.object_states[:0],
    )


def _cell(evaluation: TargetEvaluation, truth: int, predicted: int) -> CellImages:
    """Return the images with objects of a cell, those with the most first."""
    outcomes = Outcomes(evaluation)
    indices = range(len(evaluation.rows))
    numbers = {index: outcomes.in_cell(index, (truth, predicted)) for index in indices}
    found = sorted((index for index in indices if numbers[index]), key=lambda at: -numbers[at])
    texts = [objects(numbers[index]) for index in found]
    return CellImages(found, texts, partial(outcomes.overlay, None, ""))


def _precision_recall(
    name: str, curves: Sequence[Curve], output: int, threshold: float | None
) -> Figure:
    """Return the curve of a class over the faint curves of the others."""
    lines = []
    for index, curve in enumerate(curves):
        points = [(recall, precision) for recall, precision, _ in curve.points(_POINTS)]
        if points and index != output:
            lines.append(FigureLine("", points, 5, faint=True))
    shown = curves[output]
    points = [(recall, precision) for recall, precision, _ in shown.points(_POINTS)]
    lines.insert(0, FigureLine(name, points, 0))
    if threshold is not None:
        at = int((shown.scores >= threshold).sum()) - 1
        if at >= 0:
            place = (float(shown.recall[at]), float(shown.precision[at]))
            lines.append(FigureLine(_tr("threshold"), [place], 1, dots=True))
    return Figure(
        _tr("Precision by recall: {name}").format(name=name),
        Scale(_tr("Recall"), 0.0, 1.0, percent=True),
        Scale(_tr("Precision"), 0.0, 1.0, percent=True),
        lines,
    )


def _by_threshold(name: str, curve: Curve, threshold: float | None) -> Figure:
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
    if threshold is not None:
        upright = ((threshold, 0.0), (threshold, 1.0))
        lines.append(FigureLine(_tr("threshold"), upright, None, dashed=True))
    return Figure(
        _tr("By threshold: {name}").format(name=name),
        Scale(_tr("Lowest score"), 0.0, 1.0, percent=True),
        Scale("", 0.0, 1.0, percent=True),
        lines,
    )


@dataclass(frozen=True, slots=True)
class ClassFigures:
    """Metrics of a class; NaN where it does not occur.

    Attributes:
        output: Index of the class; None for all of them.
        name: The class, or a word for all of them.
        color: Color of the class as "#rrggbb"; empty for all.
        values: In the order of `_MEASURED`.
    """

    output: int | None
    name: str
    color: str
    values: tuple[float, ...]


class BoxInsights(InsightView):
    """Metrics of each class at the left, pictures with predicted boxes at the right."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._insight: ValidationInsight | None = None
        self.table = Table(
            _tr("Metrics of each class"), _columns(), self, key=attrgetter("output")
        )
        self.table.setMinimumWidth(_LEAST)
        self.box = ComboBox(self)
        self.box.addItems(
            [_tr("Samples: predicted boxes"), _tr("Samples: errors"), _tr("Worst images")]
        )
        self.box.setAccessibleName(_tr("Pictures"))
        self.box.setMinimumContentsLength(_LETTERS)
        explain(
            self.box,
            _tr("Samples are the same images in every epoch. Worst images have the lowest F1."),
        )
        self.line = ElidedLabel("", self, role="muted")
        self.grid = PictureGrid(theme, self)
        self.grid.set_thumb_size(_THUMB)
        self.grid.setAccessibleName(_tr("Images with boxes"))
        self.key = error_key(self)
        head = hbox(self.box, (self.line, 1), spacing=SPACE.m)
        right = vbox(head, self.key, (self.grid, 1), spacing=SPACE.xs)
        hbox((self.table, 1), (right, 1), owner=self, spacing=SPACE.l)
        self.table.row_chosen.connect(self._on_row)
        self.box.currentIndexChanged.connect(self._show_pictures)

    def show_insight(self, insight: ValidationInsight) -> None:
        """Show a validation; the chosen class and kind of pictures stay."""
        self._insight = insight
        self.table.show_rows(_figures(insight))
        if self.table.current is None:
            self.table.select(None)
        self._show_pictures()

    def repaint_pictures(self) -> None:
        """Show pictures in another style of their boxes."""
        self.grid.reload()

    def _on_row(self, _output: object) -> None:
        self._show_pictures()

    def _show_pictures(self, _kind: int = 0) -> None:
        insight, chosen = self._insight, self.table.current
        if insight is None or chosen is None:
            return
        kind, output, name = self.box.currentIndex(), chosen.output, chosen.name
        self.key.setVisible(kind == _ERRORS)
        if kind == _WORST:
            self.line.setText(_tr("{name}: lowest F1 first, true boxes").format(name=name))
            self.grid.show_images(_worst(insight, output), insight.pictures)
            return
        text = name if kind == _ERRORS else _tr("The same images in every epoch")
        self.line.setText(text)
        detections = _detections_of(insight)
        images = _samples(insight, output, list(detections))
        if kind == _ERRORS:
            wrong = partial(_errors_of, insight.pictures, detections, insight.names, output)
            self.grid.show_images(images, insight.pictures, wrong)
        else:
            predicted = partial(_predicted_of, insight, detections, output)
            self.grid.show_images(images, insight.pictures, predicted)


def _columns() -> list[Column[ClassFigures]]:
    specs = {spec.name: spec for spec in reporter_of_boxes().outputs}
    name: Column[ClassFigures] = Column(
        _tr("Class"),
        attrgetter("name"),
        value=attrgetter("name"),
        key="class",
        width=FILL,
        is_text=True,
        picture=_square,
    )
    return [
        name,
        *(
            Column(
                translated(specs[each].label),
                partial(_text, index),
                value=partial(_value, index),
                key=each,
                width=_FIGURE,
                tip=translated(specs[each].summary),
            )
            for index, each in enumerate(_MEASURED)
        ),
    ]


def _square(row: ClassFigures) -> QPixmap | None:
    return QPixmap.fromImage(swatch(row.color, ICON_SMALL)) if row.color else None


def _value(index: int, row: ClassFigures) -> float:
    return row.values[index]


def _text(index: int, row: ClassFigures) -> str:
    value = row.values[index]
    return NO_VALUE if math.isnan(value) else percent(value)


def _figures(insight: ValidationInsight) -> list[ClassFigures]:
    """Return the means over the classes, and the metrics of each class."""
    import numpy as np  # noqa: PLC0415 - the window starts without it

    found = reporter_of_boxes().measure(insight.found.outputs, insight.found.truth, Calibration())
    each = np.stack([found.outputs[name] for name in _MEASURED], axis=1)
    known = np.isfinite(each)
    sums = np.where(known, each, 0).sum(axis=0)
    means = np.divide(sums, known.sum(axis=0), out=np.full(len(sums), np.nan), where=known.any(0))
    rows = [ClassFigures(None, _tr("All classes"), "", tuple(means.tolist()))]
    colors = insight.colors or [""] * len(insight.names)
    classes = zip(insight.names, colors, each.tolist(), strict=True)
    for output, (name, color, values) in enumerate(classes):
        rows.append(ClassFigures(output, name, color, tuple(values)))
    return rows


def _errors(insight: ValidationInsight, output: int | None) -> NDArray[np.float64]:
    found = insight.found
    return reporter_of_boxes().errors(found.outputs, found.truth, output)


def _worst(insight: ValidationInsight, output: int | None) -> list[Captioned]:
    import numpy as np  # noqa: PLC0415 - the window starts without it

    wrong = _errors(insight, output)
    order = np.argsort(-wrong, kind="stable")[:MOST]
    rows = insight.found.rows
    return [
        _captioned(int(rows[index]), float(wrong[index])) for index in order if wrong[index] >= 0
    ]


def _samples(
    insight: ValidationInsight, output: int | None, rows: Sequence[int]
) -> list[Captioned]:
    """Return the fixed pictures with their F1, where it is known."""
    wrong = dict(zip(insight.found.rows.tolist(), _errors(insight, output).tolist(), strict=True))
    return [_captioned(row, wrong.get(row, -1.0)) for row in rows]


def _captioned(row: int, wrong: float) -> Captioned:
    return Captioned(row, _f1(wrong), _f1(wrong))


def _detections_of(insight: ValidationInsight) -> dict[int, NDArray[np.float32]]:
    boxes = insight.boxes
    return {} if boxes is None else dict(zip(boxes.rows.tolist(), boxes.detections, strict=True))


def _predicted_of(
    insight: ValidationInsight,
    detections: dict[int, NDArray[np.float32]],
    output: int | None,
    row: int,
) -> BoxOverlay | None:
    from studio.engine.tasks.detection.report import THRESHOLD  # noqa: PLC0415 - NumPy

    found, size = detections.get(row), insight.pictures.size()
    if found is None or size is None:
        return None
    boxes = [
        each
        for each in picture_boxes(found, are_scored=True)
        if (each.score or 0.0) >= THRESHOLD and output in (None, each.label)
    ]
    return BoxOverlay(boxes, size, insight.names, insight.colors)


def _errors_of(
    pictures: DatasetPictures,
    detections: dict[int, NDArray[np.float32]],
    names: Sequence[str],
    output: int | None,
    row: int,
) -> BoxOverlay | None:
    found, truth, size = detections.get(row), pictures.boxes(row), pictures.size()
    if found is None or truth is None or size is None:
        return None
    outcome = reporter_of_boxes().outcome(found, truth, len(names), Calibration())
    return error_overlay(outcome, output, names, size)


class DetectionView(DetectionData, TaskView):
    """Shows boxes of objects."""

    answer = BoxAnswer()
    report = BoxReport()

    def insights_title(self) -> str:
        """Return the title of the tab of a run."""
        return _tr("Boxes")

    def insights(self, theme: Theme, parent: QWidget) -> InsightView:
        """Create the tab of a run; see `TaskView.insights`."""
        return BoxInsights(theme, parent)

    def drawing_editor(self, theme: Theme, parent: QWidget) -> CanvasEditor:
        """Create the editor of boxes; see `TaskView.drawing_editor`."""
        from studio.engine.tasks.boxes import CROWD, DIFFICULT, MOST_BOXES  # noqa: PLC0415
        from studio.ui.widgets.canvas.editor import BoxEditor  # noqa: PLC0415 - imports NumPy

        flags = (
            (DIFFICULT, _tr("Difficult"), "?", Qt.Key.Key_D),
            (CROWD, _tr("Crowd"), "+", Qt.Key.Key_R),
        )
        return BoxEditor(theme, MOST_BOXES, flags, parent)


VIEW = DetectionView()
