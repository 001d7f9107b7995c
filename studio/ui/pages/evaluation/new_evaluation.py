"""Left column of the page: what is evaluated, and the evaluations of the workspace."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Final

from PySide6.QtCore import QSignalBlocker, Qt, Signal
from PySide6.QtWidgets import (
    QAbstractItemView,
    QCheckBox,
    QFileDialog,
    QLayout,
    QListWidget,
    QListWidgetItem,
    QWidget,
)

from studio.engine.evaluation.report import EvaluationPlan
from studio.engine.jobs.states import State
from studio.engine.tasks import DEFAULT_TASK, TASKS
from studio.engine.workspace import RecordKind
from studio.ui.bridge.run_choices import RunChoice
from studio.ui.bridge.run_chooser import RunChooser
from studio.ui.context import AppContext
from studio.ui.pages.evaluation import messages
from studio.ui.pages.evaluation.state import Evaluation
from studio.ui.shared.jobs import show_start
from studio.ui.theme.tokens import SPACE
from studio.ui.widgets.buttons import icon_button, push_button
from studio.ui.widgets.cards import Card
from studio.ui.widgets.figures import significant
from studio.ui.widgets.inputs import ComboBox
from studio.ui.widgets.labels import ElidedLabel, ElidingDelegate, HintLabel, state_word
from studio.ui.widgets.layout import fill, hbox, text_label
from studio.ui.widgets.tips import explain


class EarlierList(QListWidget):
    """Select one to see its report.

    Signals:
        picked: Id of the evaluation that is wanted.
    """

    picked = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._known: list[tuple[str, str]] = []
        self.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.setItemDelegate(ElidingDelegate(self))
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setAccessibleName(self.tr("All evaluations"))
        self.itemSelectionChanged.connect(self._on_selection)

    def show_evaluations(self, evaluations: Sequence[Evaluation], current: str) -> None:
        """Show these, with that id selected."""
        known = [(each.id, _text(each)) for each in evaluations]
        with QSignalBlocker(self):
            if known != self._known:
                self._known = known
                self.clear()
                for _, text in known:
                    item = QListWidgetItem(text)
                    item.setToolTip(text)
                    self.addItem(item)
            ids = [record_id for record_id, _ in known]
            if current in ids:
                self.setCurrentRow(ids.index(current))

    def texts(self) -> list[str]:
        """What is shown."""
        return [text for _, text in self._known]

    def _on_selection(self) -> None:
        row = self.currentRow()
        if 0 <= row < len(self._known):
            self.picked.emit(self._known[row][0])


def _text(evaluation: Evaluation) -> str:
    words = [evaluation.model, messages.split_name(evaluation.split)]
    words.append(evaluation.figure or state_word(evaluation.state.value))
    return " · ".join(words)


CHOICE_KEY: Final = "evaluation/run"
SPLITS: Final = ("test", "val", "train")


class OrderCard(Card):
    """Collects what is wanted.

    Signals:
        ordered: The `EvaluationPlan` to carry out.
    """

    ordered = Signal(object)

    def __init__(self, context: AppContext, parent: QWidget | None = None) -> None:
        super().__init__("", parent)
        self._context = context
        self._is_asking = False
        self._file: Path | None = None
        theme = context.theme
        self.chooser = RunChooser(context.jobs, context.settings, CHOICE_KEY, self)
        self.chooser.setMinimumContentsLength(12)
        self.moment = _combo(self.tr("Checkpoint"), self)
        self.file_button = push_button(self.tr("Model file…"), theme, icon="folder", parent=self)
        self.file_name = ElidedLabel("", self)
        self.back_button = icon_button(
            "close", self.tr("Choose a run instead"), theme, parent=self
        )
        self.dataset = _combo(self.tr("Dataset"), self)
        self.split = _combo(self.tr("Images"), self)
        for split in SPLITS:
            self.split.addItem(messages.split_name(split), split)
        self.robustness = QCheckBox(self.tr("Robustness"), self)
        self.robustness.setToolTip(
            self.tr("Also on blurred, noisy, compressed, turned, darkened and covered images.")
        )
        self.problem = HintLabel(parent=self)
        self.button = push_button(
            self.tr("Evaluate"), theme, kind="primary", icon="evaluate", parent=self
        )
        self._lay_out()
        self._connect()
        self.setAccessibleName(self.tr("What is evaluated"))
        self._fill_datasets()
        self._refresh()
        self._explain()

    def _explain(self) -> None:
        explain(
            self.button,
            self.tr("Lets the model answer for each image and compares that with the truth."),
        )
        explain(
            self.dataset,
            self.tr(
                "Which images it is measured on; others than its own tell how it does elsewhere."
            ),
        )
        explain(self.file_button, self.tr("Measures a Keras model that was trained elsewhere."))
        explain(self.moment, self.tr("The weights of which epoch are measured."))
        explain(
            self.split,
            self.tr("Test images were never learned from, so they tell the truth."),
        )

    def use_file(self, path: Path) -> None:
        """Measure a model file instead of a run."""
        self._file = path
        self._refresh()

    def set_asking(self, *, is_asking: bool) -> None:
        """Whether an order is on its way; another one waits for that."""
        self._is_asking = is_asking
        self._refresh()

    def show_problem(self, text: str) -> None:
        """Say what was wrong with the order; an empty text takes it back."""
        self.problem.show_text(text, "problem")

    def _refresh(self) -> None:
        choice = self.chooser.choice()
        self._fill_moments(choice)
        of_file = self._file is not None
        self.file_name.setText(self._file.name if self._file is not None else "")
        for widget in (self.file_name, self.back_button):
            widget.setVisible(of_file)
        self.chooser.setVisible(not of_file)
        self.file_button.setVisible(not of_file)
        self.moment.setVisible(not of_file and self.moment.count() > 1)
        task = TASKS[choice.recipe.task] if choice is not None and choice.recipe else DEFAULT_TASK
        self.robustness.setVisible(of_file or not task.has_targets)
        reason = self._why_not(choice)
        self.button.setEnabled(not reason)
        show_start(self.button, self.tr("Evaluate"), is_asked=self._is_asking)
        self.button.setToolTip(reason)

    def _why_not(self, choice: RunChoice | None) -> str:
        """Return why Evaluate cannot be pressed; empty if it can."""
        if self._file is None and choice is None:
            return self.tr("Train a network first, or choose a model file.")
        if self._file is not None and not self.dataset.currentData():
            return self.tr("Choose the dataset that the model file is measured on.")
        return self.tr("The evaluation is being prepared.") if self._is_asking else ""

    def _fill_moments(self, choice: RunChoice | None) -> None:
        epochs = () if choice is None else choice.checkpoints
        wanted = ["", *(f"{epoch:g}" for epoch in epochs)]
        if wanted == [self.moment.itemData(row) for row in range(self.moment.count())]:
            return
        with QSignalBlocker(self.moment):
            self.moment.clear()
            self.moment.addItem(self.tr("The model as it is kept"), "")
            for epoch in epochs:
                text = self.tr("After epoch {epoch}").format(epoch=significant(epoch, 3))
                self.moment.addItem(text, f"{epoch:g}")

    def _fill_datasets(self) -> None:
        jobs = self._context.jobs
        entries = [
            each for each in jobs.entries(RecordKind.DATASET) if each.state == State.COMPLETED
        ]
        found = [("", self.tr("The dataset of the run"))]
        found += [(each.record.id, each.name) for each in entries]
        rows = range(self.dataset.count())
        if found == [(self.dataset.itemData(row), self.dataset.itemText(row)) for row in rows]:
            return
        now = self.dataset.currentData()
        with QSignalBlocker(self.dataset):
            self.dataset.clear()
            for record_id, name in found:
                self.dataset.addItem(name, record_id)
            self.dataset.setCurrentIndex(max(0, self.dataset.findData(now)))

    def _on_listed(self, kinds: frozenset[RecordKind]) -> None:
        if RecordKind.DATASET in kinds:
            self._fill_datasets()
            self._refresh()

    def _on_change(self, *_: object) -> None:
        self.show_problem("")
        self._refresh()

    def _on_back(self) -> None:
        self._file = None
        self._on_change()

    def _on_file(self) -> None:
        kinds = self.tr("Keras models (*.keras *.h5 *.hdf5)")
        chosen, _ = QFileDialog.getOpenFileName(self, self.tr("Choose a model"), "", kinds)
        if chosen:
            self.use_file(Path(chosen))

    def _on_evaluate(self) -> None:
        choice = self.chooser.choice()
        if not self.button.isEnabled():
            return
        wanted: dict[str, object] = {
            "dataset": self.dataset.currentData(),
            "split": self.split.currentData(),
            "robustness": self.robustness.isChecked() and not self.robustness.isHidden(),
        }
        if self._file is not None:
            wanted["model_file"] = str(self._file)
        elif choice is not None:
            wanted |= {"run": choice.id, "moment": self.moment.currentData() or ""}
        self.show_problem("")
        self.ordered.emit(EvaluationPlan.parse(wanted))

    def _connect(self) -> None:
        self._context.jobs.listed.connect(self._on_listed)
        self.chooser.changed.connect(self._on_change)
        for combo in (self.dataset, self.split, self.moment):
            combo.activated.connect(self._on_change)
        self.file_button.clicked.connect(self._on_file)
        self.back_button.clicked.connect(self._on_back)
        self.button.clicked.connect(self._on_evaluate)

    def _lay_out(self) -> None:
        self.body.setContentsMargins(SPACE.m, SPACE.m, SPACE.m, SPACE.m)
        self.body.setSpacing(SPACE.s)
        parts: tuple[QWidget | QLayout, ...] = (
            text_label(self.tr("Model"), "caption", self),
            self.chooser,
            self.moment,
            hbox((self.file_name, 1), self.back_button, spacing=SPACE.xs),
            self.file_button,
            text_label(self.tr("Images"), "caption", self),
            *(self.dataset, self.split, self.robustness, self.problem, self.button),
        )
        fill(self.body, *parts)


def _combo(name: str, parent: QWidget) -> ComboBox:
    combo = ComboBox(parent)
    combo.setAccessibleName(name)
    return combo
