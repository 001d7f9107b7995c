"""Choice of the task, its columns, and the classes and splits that are imported."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from PySide6.QtCore import QPoint, Qt, Signal
from PySide6.QtWidgets import (
    QAbstractItemView,
    QButtonGroup,
    QCheckBox,
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
from studio.ui.pages.datasets.importing.survey import Found
from studio.ui.tasks import view_of
from studio.ui.tasks.output_picker import OutputPicker
from studio.ui.theme.theme import Theme
from studio.ui.theme.tokens import CONTROL_HEIGHT, SPLIT_COLORS
from studio.ui.widgets.bars import split_word
from studio.ui.widgets.buttons import push_button
from studio.ui.widgets.cards import Card
from studio.ui.widgets.figures import count
from studio.ui.widgets.labels import HintLabel
from studio.ui.widgets.layout import STRETCH, FlowLayout, hbox, text_label
from studio.ui.widgets.tips import explain

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
        self.columns_label = text_label(self.tr("Columns with the targets"), "muted", self)
        self.columns = QListWidget(self)
        self.columns.setAccessibleName(self.columns_label.text())
        self.columns.setSelectionMode(QAbstractItemView.SelectionMode.NoSelection)
        self.columns.setUniformItemSizes(True)
        explain(self.columns, self.tr("Ticked columns of the table become targets."))
        self.columns.itemChanged.connect(self.changed)
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


class ClassChecks(OutputPicker):
    """A search field over a list of boxes to tick; stays open until the user looks elsewhere.

    Signals:
        changed: A box was ticked, or emptied.
    """

    changed = Signal()

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        # Where one click activates, a box would be ticked and emptied at once.
        self.list.itemActivated.disconnect(self._on_item)
        self.list.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.all_button = push_button(self.tr("All"), theme, kind="quiet", parent=self)
        self.none_button = push_button(self.tr("None"), theme, kind="quiet", parent=self)
        self.all_button.clicked.connect(self._on_all)
        self.none_button.clicked.connect(self._on_none)
        row = hbox(self.all_button, self.none_button, STRETCH)
        column = self.layout()
        if column is not None:
            column.addItem(row)
        explain(self.all_button, self.tr("Ticks every class."))
        explain(self.none_button, self.tr("Ticks no class, to begin with a few."))

    def offer(self, names: Sequence[str], ticked: Collection[str]) -> None:
        """Offer these classes, some of them ticked."""
        self.set_names(names)
        for item in self._items():
            # Not for Qt to tick: a click anywhere on the line does.
            item.setFlags(Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable)
            item.setCheckState(_ON if item.text() in ticked else _OFF)

    def ticked(self) -> list[str]:
        """The classes that are wanted."""
        return [item.text() for item in self._items() if item.checkState() == _ON]

    def _items(self) -> list[QListWidgetItem]:
        return [self.list.item(row) for row in range(self.list.count())]

    def _on_item(self, item: QListWidgetItem) -> None:
        item.setCheckState(_OFF if item.checkState() == _ON else _ON)
        self.changed.emit()

    def _on_all(self) -> None:
        self._tick(_ON)

    def _on_none(self) -> None:
        self._tick(_OFF)

    def _tick(self, state: Qt.CheckState) -> None:
        """Tick, or empty, the boxes that the search leaves."""
        for item in self._items():
            if not item.isHidden():
                item.setCheckState(state)
        self.changed.emit()


class OnlyRow(QWidget):
    """A button that opens the list of classes, and a box for each split that is there.

    A recipe that leaves classes out does not find them any more; so those that were found once
    are kept and offered until `forget`.

    Signals:
        changed: The user wants others.
    """

    changed = Signal()

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._classes: list[str] = []
        self._splits: set[str] = set()
        self.classes_button = push_button("", theme, icon="chevron-down", parent=self)
        self.classes_button.setToolTip(self.tr("Choose the classes that are imported"))
        self.picker = ClassChecks(theme, self)
        self.boxes = {split: QCheckBox(split_word(split), self) for split in SPLIT_COLORS}
        # In lines like words: beside the pictures there is room for few.
        row = FlowLayout(self)
        row.addWidget(self.classes_button)
        for box in self.boxes.values():
            explain(box, self.tr("Only images of ticked splits are imported."))
            row.addWidget(box)
            box.setMinimumHeight(CONTROL_HEIGHT)
            box.clicked.connect(self._on_changed)
            box.hide()
        self.classes_button.clicked.connect(self._on_open)
        self.picker.changed.connect(self._on_changed)
        explain(
            self.classes_button,
            self.tr("Choose which classes are imported; all of them if you choose nothing."),
        )

    def forget(self) -> None:
        """Other images are looked for."""
        self._classes = []
        self._splits = set()

    def show_found(self, found: Found, wanted: DatasetRecipe) -> None:
        """Offer what was found, and what was before with other settings.

        Args:
            found: By a recipe that may be older than the one that is wanted now.
            wanted: Says what is ticked.
        """
        asked = found.recipe
        names = [each.name for each in found.classes]
        new = [name for name in names if name not in self._classes]
        classes = [*self._classes, *new] if asked.only_classes else names
        if classes != self._classes:
            self._classes = classes
            self.picker.offer(classes, wanted.only_classes or classes)
        splits = self._splits | set(found.splits) if asked.only_splits else set(found.splits)
        if asked.only_splits and not self._splits:
            splits = set(SPLIT_COLORS)  # known from a recipe alone: what it leaves out is not
        if splits != self._splits:
            self._splits = splits
            for split, box in self.boxes.items():
                box.setVisible(split in splits)
                box.setChecked(split in (wanted.only_splits or splits))
        self._refresh()

    @property
    def is_enough(self) -> bool:
        """Whether two classes at least are wanted."""
        return len(self.picker.ticked()) >= 2

    def values(self) -> dict[str, Sequence[str]]:
        """The fields of the recipe; empty lists where everything is wanted."""
        ticked = self.picker.ticked()
        splits = [split for split in self.boxes if split in self._splits]
        wanted = [split for split in splits if self.boxes[split].isChecked()]
        return {
            "only_classes": [] if len(ticked) == len(self._classes) else ticked,
            "only_splits": [] if wanted == splits else wanted,
        }

    def _refresh(self) -> None:
        ticked, known = len(self.picker.ticked()), len(self._classes)
        text = self.tr("All classes")
        if ticked != known:
            text = self.tr("{n} of {total} classes").format(n=count(ticked), total=count(known))
        self.classes_button.setText(text)
        checked = [box for split, box in self.boxes.items() if self._is_wanted(split)]
        for split, box in self.boxes.items():
            is_last = checked == [box]
            box.setEnabled(not is_last)
            text = self.tr("Take the images of this split: {split}")
            text = self.tr("One split has to stay") if is_last else text
            box.setToolTip(text.format(split=split_word(split)))

    def _is_wanted(self, split: str) -> bool:
        return split in self._splits and self.boxes[split].isChecked()

    def _on_open(self) -> None:
        corner = QPoint(0, self.classes_button.height())
        self.picker.open_at(self.classes_button.mapToGlobal(corner))

    def _on_changed(self) -> None:
        self._refresh()
        self.changed.emit()
