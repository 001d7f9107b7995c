"""The choice of the task of an import, and of the columns of a table that hold the targets."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QAbstractItemView,
    QButtonGroup,
    QLabel,
    QListWidget,
    QListWidgetItem,
    QRadioButton,
    QVBoxLayout,
    QWidget,
)

from studio.engine.datasets.recipe import DatasetRecipe
from studio.engine.datasets.survey import SurveyedColumn
from studio.engine.tasks import TASKS
from studio.engine.tasks.task import Task
from studio.ui.engine_text import plan_text
from studio.ui.tasks import view_of
from studio.ui.theme.tokens import CONTROL_HEIGHT
from studio.ui.widgets.card import Card
from studio.ui.widgets.explain import explain
from studio.ui.widgets.hint_label import HintLabel

_ON, _OFF = Qt.CheckState.Checked, Qt.CheckState.Unchecked
_MOST_ROWS = 6
_ROW = 26


class TaskSection(Card):
    """A button for each task, and a list of columns to tick.

    Signals:
        changed: The user wants another task, or other columns.
    """

    changed = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("", parent)
        self.set_title(self.tr("What should a network learn?"))
        self._columns: Sequence[SurveyedColumn] = ()
        self._proposed = ""
        self.buttons: dict[str, QRadioButton] = {}
        self._group = QButtonGroup(self)
        choices = QVBoxLayout()
        choices.setSpacing(0)
        self.body.addLayout(choices)
        self._choices = choices
        for name in TASKS:
            self._add_button(name)
        self.proposal = HintLabel(parent=self)
        self.columns_label = QLabel(self.tr("Columns with the targets"), self)
        self.columns_label.setProperty("role", "muted")
        self.columns = QListWidget(self)
        self.columns.setAccessibleName(self.columns_label.text())
        self.columns.setSelectionMode(QAbstractItemView.SelectionMode.NoSelection)
        self.columns.setUniformItemSizes(True)
        explain(self.columns, self.tr("Ticked columns of the table become targets."))
        self.columns.itemChanged.connect(self._on_column)
        self.problem = HintLabel(parent=self)
        for part in (self.proposal, self.columns_label, self.columns, self.problem):
            self.body.addWidget(part)

    @property
    def task(self) -> Task:
        """The chosen task."""
        chosen = (name for name, button in self.buttons.items() if button.isChecked())
        return TASKS[next(chosen)]

    def show_found(
        self, recipe: DatasetRecipe, columns: Sequence[SurveyedColumn], *, is_proposed: bool
    ) -> None:
        """Show what a table offers, and what of it a recipe wants.

        Args:
            recipe: Names the task and the columns.
            columns: Of the table; none where the images come without one.
            is_proposed: The task was chosen by Studio, not by the user.
        """
        self._columns = columns
        # Tasks of other packages are known by now to the process that read the table.
        for name in (recipe.task, *(task for column in columns for task in column.tasks)):
            self._add_button(name)
        if is_proposed:
            self._proposed = recipe.task
        self._allow(recipe.task)
        self.buttons[recipe.task].setChecked(True)
        self._fill(recipe.target_columns)
        self._propose(recipe)

    def values(self) -> dict[str, object]:
        """Return the fields of the recipe."""
        return {"task": self.task.name, "target_columns": self._ticked()}

    @property
    def is_enough(self) -> bool:
        """True unless columns are needed and none is ticked."""
        return view_of(self.task).has_classes or bool(self._ticked())

    def show_problem(self, text: str) -> None:
        """Show why the targets cannot be read; empty for no reason."""
        self.problem.show_text(text, "problem")

    def _add_button(self, name: str) -> None:
        if name in self.buttons:
            return
        words = view_of(TASKS[name]).words(TASKS[name])
        button = QRadioButton(words.choice, self)
        explain(button, words.choice_help or plan_text(TASKS[name].label))
        button.setMinimumHeight(CONTROL_HEIGHT)
        button.clicked.connect(self._on_task)
        self._group.addButton(button)
        self.buttons[name] = button
        self._choices.addWidget(button)

    def _allow(self, chosen: str) -> None:
        for name, button in self.buttons.items():
            task = TASKS[name]
            view = view_of(task)
            fits = view.has_classes or any(name in column.tasks for column in self._columns)
            reason = ""
            if not fits and name != chosen:
                reason = self.tr("The table has no column that looks like that.")
                if not self._columns:
                    reason = self.tr(
                        "Needs a file with the targets of each image: a table (CSV, TSV, "
                        "Parquet) or arrays (HDF5, NPZ). Choose it instead of a folder."
                    )
            button.setEnabled(not reason)
            button.setToolTip(reason or button.whatsThis())

    def _fill(self, ticked: Sequence[str]) -> None:
        has_columns = not view_of(self.task).has_classes and bool(self._columns)
        self.columns_label.setVisible(has_columns)
        self.columns.setVisible(has_columns)
        self.columns.blockSignals(True)
        self.columns.clear()
        for column in self._columns if has_columns else ():
            examples = ", ".join(column.examples)
            item = QListWidgetItem(f"{column.name}:  {examples}" if examples else column.name)
            item.setData(Qt.ItemDataRole.UserRole, column.name)
            item.setToolTip(item.text())
            item.setFlags(Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsUserCheckable)
            is_wanted = column.name in ticked if ticked else self.task.name in column.tasks
            item.setCheckState(_ON if is_wanted else _OFF)
            self.columns.addItem(item)
        self.columns.blockSignals(False)
        rows = min(max(1, self.columns.count()), _MOST_ROWS)
        row = max(_ROW, self.columns.sizeHintForRow(0))
        self.columns.setFixedHeight(rows * row + 2 * self.columns.frameWidth() + 2)

    def _propose(self, recipe: DatasetRecipe) -> None:
        """Say why another task than the usual one is chosen."""
        text = ""
        if self._proposed == recipe.task and not view_of(TASKS[recipe.task]).has_classes:
            names = ", ".join(recipe.target_columns)
            text = view_of(TASKS[recipe.task]).proposal(names)
        self.proposal.show_text(text, "advice")

    def _ticked(self) -> list[str]:
        items = (self.columns.item(row) for row in range(self.columns.count()))
        role = Qt.ItemDataRole.UserRole
        return [str(item.data(role)) for item in items if item.checkState() == _ON]

    def _on_task(self) -> None:
        self._proposed = ""
        self.proposal.show_text("")
        self._fill(())
        self.changed.emit()

    def _on_column(self) -> None:
        self.changed.emit()
