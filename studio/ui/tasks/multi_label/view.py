"""The parts of pages for several labels per image: datasets, reports, insights."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from operator import attrgetter
from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication, Qt
from PySide6.QtWidgets import QCheckBox, QListWidgetItem, QWidget

from studio.engine.datasets.edits import AddClass, Edit, SetTarget
from studio.engine.tasks.task import Task
from studio.ui.charts.axes import AxisScale
from studio.ui.charts.figure import Figure, FigureLine
from studio.ui.shared.dataset_pictures import Captioned
from studio.ui.tasks.data_view import (
    DataView,
    DataWords,
    Fact,
    distribution_line,
    with_and_without,
)
from studio.ui.tasks.output_picker import OutputPicker, PickerWords
from studio.ui.tasks.targets import (
    Condition,
    ImageChange,
    NameEditor,
    OutputFilter,
    TargetEditor,
    TargetFilter,
    TargetTable,
    without_outputs,
)
from studio.ui.tasks.view import (
    CellImages,
    ImageChart,
    InsightView,
    OutputData,
    ReportView,
    TaskView,
    Together,
    ValidationInsight,
    precision_by_recall,
    threshold_lines,
)
from studio.ui.theme.theme import Theme
from studio.ui.widgets.figures import count, percent
from studio.ui.widgets.labels import apart
from studio.ui.widgets.layout import STRETCH, hbox, text_label
from studio.ui.widgets.table import Table
from studio.ui.widgets.table_model import FILL, Column
from studio.ui.widgets.tips import explain

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from studio.engine.evaluation.evaluated_outputs import EvaluatedOutputs
    from studio.engine.training.insights import TargetAnswers

_tr = partial(QCoreApplication.translate, "tasks")

_Words = Callable[[str, str], str]
_NONE = -1


class MultiLabelData(DataView):
    """Shows the labels of a dataset."""

    def words(self, task: Task) -> DataWords:
        """Return the texts about labels."""
        return DataWords(
            output=_tr("Label"),
            find=_tr("Find a label"),
            not_found=_tr("No name in {all} contains this text."),
            back=_tr("Back to the labels"),
            card=_tr("Label {name}, images: {count}"),
            card_help=_tr("Shows the images with this label."),
            distribution=_tr("Images per label"),
            changed=_tr("{images} with other labels"),
            added=_tr("New label “{name}”"),
            removed=_tr("The label “{name}” no longer exists"),
            renamed=_tr("A label was renamed to “{name}”"),
            rename=_tr("New name of the label “{name}”"),
            choice=_tr("Several labels per image"),
            choice_help=_tr("An image can show any number of things, such as a cat and a dog."),
        )

    def proposal(self, columns: str) -> str:
        """Name the columns of 0 and 1, or the one with lists."""
        return _tr(
            "Proposed because these columns hold 0 and 1, or lists of labels: {columns}."
        ).format(columns=columns)

    def heading(self) -> str:
        """Return the word for all outputs together."""
        return _tr("Labels")

    def outputs(self, number: int) -> str:
        """Return a text such as "10 labels"."""
        return _tr("1 label") if number == 1 else _tr("{n} labels").format(n=count(number))

    def caption(self, targets: TargetTable, row: int) -> str:
        """Return the labels of an image; see `DataView.caption`."""
        return ", ".join(_labels(targets, row)) or _tr("No labels")

    def groups(
        self, targets: TargetTable, rows: NDArray[np.int64], output: int
    ) -> tuple[NDArray[np.int32], tuple[str, ...]]:
        """Group images by a label; see `DataView.groups`."""
        return with_and_without(targets, rows, output)

    def facts(self, targets: TargetTable, row: int) -> list[Fact]:
        """Return the labels of an image; see `DataView.facts`."""
        return [(_tr("Labels"), _labels(targets, row) or (_tr("No labels"),))]

    def orders(self, names: Sequence[str]) -> list[tuple[str, str]]:
        """Offer the images with the most labels."""
        return [("labels", _tr("Most labels first"))]

    def order(self, targets: TargetTable, key: str) -> NDArray[np.int64] | None:
        """Return all rows, most labels first; see `DataView.order`."""
        import numpy as np  # noqa: PLC0415 - kept out of the start of the window

        if key != "labels":
            return None
        numbers = targets.values.sum(axis=1, dtype=np.int64)
        return np.argsort(-numbers, kind="stable").astype(np.int64)

    def filter(self, theme: Theme, parent: QWidget) -> TargetFilter:
        """Create the label filter; see `DataView.filter`."""
        return LabelFilter(parent)

    def editor(self, theme: Theme, parent: QWidget) -> TargetEditor:
        """Create the button that adds and removes labels; see `DataView.editor`."""
        return LabelEditor(theme, parent)


class LabelFilter(OutputFilter):
    """All images, those with or without a label, or those without any."""

    def __init__(self, parent: QWidget | None = None) -> None:
        first = ((_tr("All labels"), None), (_tr("No labels"), _NONE))
        super().__init__(_tr("Label"), first, parent)
        self.without = QCheckBox(_tr("Show the images without this label"), self.below)
        explain(self.without, _tr("Finds images with a missing label."))
        hbox(self.without, STRETCH, owner=self.below)
        self.without.clicked.connect(self.changed)

    def reset(self, output: int) -> None:
        """Ask for the images with a label; -1 is all images."""
        self.without.setChecked(False)
        super().reset(output)

    def condition(self) -> Condition | None:
        """Return a mask of the images that have the chosen label, or lack it."""
        output = self.box.currentData()
        if output is None:
            return None
        if output == _NONE:
            return without_outputs
        return partial(with_label, output, not self.without.isChecked())

    def _show_choice(self) -> None:
        self.below.setVisible(self.box.currentData() not in (None, _NONE))


class LabelPicker(OutputPicker):
    """A list of labels with a box to tick each; it stays open until the user looks elsewhere."""

    def __init__(self, parent: QWidget | None = None) -> None:
        words = PickerWords(
            names=_tr("Labels"),
            names_help=_tr("Checked labels: all selected images have them."),
            find=_tr("Find or add a label"),
            find_help=_tr("Lists the labels whose name contains the text."),
            new=_tr("New label “{name}”"),
            new_help=_tr("Adds the label to the dataset and gives it to the selected images."),
        )
        super().__init__(parent, words)
        # Where one click activates, a box would be ticked and emptied at once.
        self.list.itemActivated.disconnect(self._on_item)

    def set_names(self, names: Sequence[str]) -> None:
        """Offer other labels."""
        row = self.list.currentRow()
        super().set_names(names)
        for index in range(self.list.count()):
            # Not for Qt to tick: a click anywhere on the line does.
            item = self.list.item(index)
            item.setFlags(Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable)
            item.setCheckState(Qt.CheckState.Unchecked)
        self._filter(self.search.text())
        if 0 <= row < self.list.count() and not self.list.item(row).isHidden():
            self.list.setCurrentRow(row)

    def show_fractions(self, fractions: Sequence[float]) -> None:
        """Tick each label by the share of selected images that have it."""
        states = Qt.CheckState
        for index, share in enumerate(fractions[: self.list.count()]):
            state = states.Checked if share >= 1 else states.PartiallyChecked
            self.list.item(index).setCheckState(state if share > 0 else states.Unchecked)

    def is_ticked(self, index: int) -> bool:
        """Return True if all selected images have a label."""
        return self.list.item(index).checkState() == Qt.CheckState.Checked

    def _on_item(self, item: QListWidgetItem) -> None:
        self.chosen.emit(self.list.row(item))


class LabelEditor(NameEditor[LabelPicker]):
    """A button that opens the list of labels."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        tip = _tr("Add or remove labels")
        super().__init__(theme, _tr("Labels…"), tip, LabelPicker(), parent)

    def allow(self, *, allowed: bool, reason: str) -> None:
        """Enable or disable button and list; see `TargetEditor.allow`."""
        super().allow(allowed=allowed, reason=reason)
        self.button.setEnabled(allowed or self.picker.isVisible())
        self.picker.list.setEnabled(allowed)
        self.picker.new_button.setEnabled(allowed)

    def show_chosen(self, targets: TargetTable, rows: NDArray[np.int64]) -> None:
        """Check the labels of the selected images; see `TargetEditor.show_chosen`."""
        if len(rows):
            self.picker.show_fractions(targets.values[rows].mean(axis=0).tolist())

    def _on_chosen(self, label: int) -> None:
        given = not self.picker.is_ticked(label)
        words = _given if given else _taken
        self._set(label, self._names[label], 1.0 if given else 0.0, words)

    def _on_created(self, name: str) -> None:
        self._set(len(self._names), name, 1.0, _given, AddClass(name=name))

    def _set(self, label: int, name: str, value: float, words: _Words, *first: Edit) -> None:
        def edits(rows: str) -> list[Edit]:
            return [*first, SetTarget(rows=rows, output=label, value=value)]

        self.change_requested.emit(ImageChange(edits, partial(words, apart(name))))


def with_label(output: int, having: bool, targets: TargetTable) -> NDArray[np.bool_]:
    """Return a mask of the images that have a label, or lack it, shape (N,).

    Args:
        output: Number of the label.
        having: False for the images that do not have it.
        targets: Targets of the dataset.
    """
    found = targets.having(output)
    return found if having else ~found


def _labels(targets: TargetTable, row: int) -> tuple[str, ...]:
    pairs = zip(targets.names, targets.values[row], strict=True)
    return tuple(name for name, value in pairs if value)


def _given(name: str, images: str) -> str:
    return _tr("Added the label “{name}” to {images}").format(images=images, name=name)


def _taken(name: str, images: str) -> str:
    return _tr("Removed the label “{name}” from {images}").format(images=images, name=name)


_HALF = 0.5
"""The threshold of the metrics while a network trains, and of targets."""
MOST = 200
"""Maximum number of shown pictures, the most confident mistakes first."""
_THUMB = 72
_LEAST = 300
_FIGURE = 68
"""Pixels of a column of figures; the names have the rest."""


@dataclass(frozen=True, slots=True)
class LabelCounts:
    """Numbers of right and wrong predictions of a label.

    Attributes:
        name: The label, or a word for all of them.
        tp: Images that have it and got it.
        fp: Images that got it and do not have it.
        fn: Images that have it and did not get it.
        tn: Images that neither have nor got it.
    """

    name: str
    tp: int
    fp: int
    fn: int
    tn: int

    @property
    def f1(self) -> float:
        """Harmonic mean of precision and recall; NaN if there is nothing to find."""
        total = 2 * self.tp + self.fp + self.fn
        return 2 * self.tp / total if total else math.nan


def counts_of(found: TargetAnswers, names: Sequence[str]) -> list[LabelCounts]:
    """Count right and wrong labels at a threshold of one half.

    Args:
        found: Predictions of the network.
        names: Names of the labels.
    """
    has, got = found.truth > 0, found.outputs >= _HALF
    kinds = (has & got, ~has & got, has & ~got, ~has & ~got)
    sums = [kind.sum(axis=0).tolist() for kind in kinds]
    return [LabelCounts(name, *each) for name, *each in zip(names, *sums, strict=True)]


def surest_mistakes(found: TargetAnswers, label: int | None) -> list[tuple[int, int]]:
    """Return wrong labels with their images, the most confident mistakes first.

    Args:
        found: Predictions of the network.
        label: Only this one; None for the worst label of each image.
    """
    import numpy as np  # noqa: PLC0415 - the window starts without it

    has = found.truth > 0
    wrong = np.where(has, 1 - found.outputs, found.outputs)
    wrong = np.where((found.outputs >= _HALF) != has, wrong, -1.0)
    labels = np.full(len(wrong), label) if label is not None else wrong.argmax(axis=1)
    worst = wrong[np.arange(len(wrong)), labels]
    order = np.argsort(-worst, kind="stable")[:MOST]
    return [(int(index), int(labels[index])) for index in order if worst[index] >= 0]


def _columns() -> tuple[Column[LabelCounts], ...]:
    tp = _tr("True positives: images with the label for which it was predicted")
    fn = _tr("False negatives: images with the label for which it was not predicted")
    fp = _tr("False positives: images without the label for which it was predicted")
    tn = _tr("True negatives: images without the label for which it was not predicted")
    kinds = (
        ("tp", _tr("TP"), tp),
        ("fn", _tr("FN"), fn),
        ("fp", _tr("FP"), fp),
        ("tn", _tr("TN"), tn),
    )
    return (
        Column(
            _tr("Label"),
            attrgetter("name"),
            width=FILL,
            tip=_tr("Of the dataset"),
            is_text=True,
        ),
        *(_count_column(*each) for each in kinds),
        Column(
            _tr("F1"),
            lambda row: percent(row.f1),
            value=attrgetter("f1"),
            width=_FIGURE,
            tip=_tr("Harmonic mean of precision and recall at a threshold of 0.5"),
        ),
    )


def _count_column(name: str, heading: str, tip: str) -> Column[LabelCounts]:
    return Column(
        heading,
        lambda row: count(getattr(row, name)),
        value=attrgetter(name),
        width=_FIGURE,
        tip=tip,
    )


class LabelInsights(InsightView):
    """Counts of each label at the left, pictures of the most confident mistakes at the right."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(theme, _THUMB, parent)
        self.table = Table(
            _tr("Correct and wrong labels"), _columns(), self, key=attrgetter("name")
        )
        self.table.setMinimumWidth(_LEAST)
        self.heading = text_label("", "section", self)
        self.none_left = text_label(
            _tr("No mistakes: all predictions are correct."), "muted", self
        )
        self._lay_out(self.table, self.heading, self.none_left)
        self.table.row_chosen.connect(self._show_mistakes)

    def show_insight(self, insight: ValidationInsight) -> None:
        """Show a validation; the chosen label stays."""
        self._insight = insight
        each = counts_of(insight.found, insight.names)
        sums = zip(*((row.tp, row.fp, row.fn, row.tn) for row in each), strict=True)
        self.table.show_rows([LabelCounts(_tr("All labels"), *map(sum, sums)), *each])
        if self.table.current is None:
            self.table.selectRow(0)
        self._show_mistakes()

    def _show_mistakes(self) -> None:
        insight, row = self._insight, self.table.current
        if insight is None:
            return
        is_label = row is not None and row.name in insight.names
        label = insight.names.index(row.name) if row is not None and is_label else None
        images = [
            self._captioned(insight, *each) for each in surest_mistakes(insight.found, label)
        ]
        heading = (
            _tr("Most confident mistakes")
            if label is None
            else _tr("Most confident mistakes for “{name}”").format(name=insight.names[label])
        )
        self.heading.setText(heading)
        self.grid.setAccessibleName(heading)
        self.none_left.setVisible(not images)
        self.grid.setVisible(bool(images))
        self.grid.show_images(images, insight.pictures)

    def _captioned(self, insight: ValidationInsight, index: int, label: int) -> Captioned:
        name, score = insight.names[label], float(insight.found.outputs[index, label])
        is_missed = insight.found.truth[index, label] > 0
        pattern = (
            _tr("with “{name}”, predicted with only {score}")
            if is_missed
            else _tr("without “{name}”, predicted with {score}")
        )
        whole = pattern.format(name=name, score=percent(score))
        caption = f"{name}: {percent(score, 0)}"
        return Captioned(int(insight.found.rows[index]), caption, whole, wrong=True)


_BINS = 20


class LabelReport(ReportView):
    """Shows how well a label is predicted."""

    def charts(self, data: OutputData) -> list[ImageChart]:
        """Return precision by recall, and how scores are distributed."""
        import numpy as np  # noqa: PLC0415 - not when the window starts

        from studio.engine.evaluation.measures import (  # noqa: PLC0415 - NumPy
            precision_recall_curve,
            ranked,
        )

        there = data.targets > _HALF
        drawn = []
        if there.any():
            recall, precision = precision_recall_curve(ranked(data.outputs, there))
            points = list(zip(recall[1:].tolist(), precision[1:].tolist(), strict=True))
            drawn.append(FigureLine("", points, 0))
        given = data.outputs >= (_HALF if data.threshold is None else data.threshold)
        if drawn and given.any():
            at = (float(given[there].mean()), float(there[given].mean()))
            drawn.append(FigureLine(_tr("threshold"), [at], 1, dots=True))
        edges = np.linspace(0, 1, _BINS + 1)
        middles = (edges[1:] + edges[:-1]) / 2
        lines = [
            distribution_line(_tr("with the label"), data.outputs[there], edges, middles, 0),
            distribution_line(_tr("without it"), data.outputs[~there], edges, middles, 1),
            *threshold_lines(data.threshold),
        ]
        scores = AxisScale(_tr("Score"), 0.0, 1.0, percent=True)
        images = AxisScale(_tr("Share of images"), 0.0, 1.0, percent=True)
        return [
            ImageChart(precision_by_recall(data.name, drawn)),
            ImageChart(Figure(_tr("Scores of images"), scores, images, lines)),
        ]

    def images_title(self) -> str:
        """Say what the captions mean."""
        return _tr("“{name}”: largest errors first (score; ✓ if the image has the label)")

    def caption(self, data: OutputData, index: int) -> tuple[str, bool]:
        """Return the score, and True if the prediction is wrong; see `ReportView.caption`."""
        threshold = _HALF if data.threshold is None else data.threshold
        score, there = float(data.outputs[index]), float(data.targets[index]) > _HALF
        return f"{percent(score)} {'✓' if there else '✗'}", (score >= threshold) != there

    def together(self, evaluation: EvaluatedOutputs) -> Together | None:
        """Count how often labels are predicted for images of each label."""
        import numpy as np  # noqa: PLC0415 - not when the window starts

        if not evaluation.has_images:
            return None
        outputs, targets = evaluation.outputs, evaluation.targets
        thresholds = evaluation.calibration.thresholds or (_HALF,) * outputs.shape[1]
        given = (outputs >= np.array(thresholds)).astype(np.int64)
        there = (targets > _HALF).astype(np.int64)

        def images(row: int, column: int) -> CellImages:
            indices = np.flatnonzero(there[:, row] & given[:, column])
            surest: NDArray[np.int64] = np.argsort(-outputs[indices, column], kind="stable")
            return CellImages(indices[surest].tolist())

        return Together(
            _tr("Co-occurrence"),
            _tr("Rows: true labels. Columns: predicted labels."),
            (_tr("True label"), _tr("Predicted label")),
            there.T @ given,
            there.sum(axis=0),
            _tr("“{column}” was predicted for {number} of {whole} images with “{row}” ({share})"),
            images,
        )


class MultiLabelView(MultiLabelData, TaskView):
    """Shows several labels per image."""

    report = LabelReport()

    def insights_title(self) -> str:
        """Return the title of the tab of a run."""
        return _tr("Labels")

    def insights(self, theme: Theme, parent: QWidget) -> InsightView:
        """Create the tab of a run; see `TaskView.insights`."""
        return LabelInsights(theme, parent)


VIEW = MultiLabelView()
