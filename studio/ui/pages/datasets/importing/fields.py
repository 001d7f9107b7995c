"""Parts of the form of an import: name, places, task, classes, paths, and the preview."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from PySide6.QtCore import QObject, QPoint, QSignalBlocker, QSize, Qt, Signal
from PySide6.QtGui import QImage
from PySide6.QtWidgets import (
    QAbstractItemView,
    QButtonGroup,
    QCheckBox,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QListWidget,
    QListWidgetItem,
    QMenu,
    QRadioButton,
    QToolButton,
    QWidget,
)

from studio.engine.datasets.recipe import DatasetRecipe
from studio.engine.datasets.sources.list_file import SUFFIXES as LISTS
from studio.engine.datasets.sources.shared.members import SUFFIXES as ARCHIVES
from studio.engine.datasets.survey import SurveyedColumn, SurveyedLocation
from studio.engine.errors import Problem
from studio.engine.tasks import TASKS
from studio.engine.tasks.task import Task
from studio.engine.web.address import location_text
from studio.ui.forms.field_row import LABEL_WIDTH, FieldRow
from studio.ui.forms.plan_form import PlanForm
from studio.ui.language import translated
from studio.ui.pages.datasets import messages
from studio.ui.pages.datasets.importing.rules import name_problem
from studio.ui.pages.datasets.importing.survey import PREVIEWS, Found, Preview, PreviewedImage
from studio.ui.settings import Settings
from studio.ui.shared.file_dialogs import ask_file, ask_folder
from studio.ui.tasks import view_of
from studio.ui.tasks.output_picker import OutputPicker
from studio.ui.tasks.targets import RecipePart
from studio.ui.theme.stylesheet import restyle
from studio.ui.theme.theme import Theme
from studio.ui.theme.tokens import CONTROL_HEIGHT, ICON, SPACE, SPLIT_COLORS
from studio.ui.widgets.bars import split_word
from studio.ui.widgets.buttons import icon_button, push_button
from studio.ui.widgets.cards import Card
from studio.ui.widgets.figures import count
from studio.ui.widgets.labels import ElidedLabel, HintLabel, IconLabel
from studio.ui.widgets.layout import (
    STRETCH,
    FlowLayout,
    fill,
    grid_layout,
    hbox,
    remove_widget,
    text_label,
    vbox,
)
from studio.ui.widgets.overlay import OverlayStyle
from studio.ui.widgets.pictures import PictureView
from studio.ui.widgets.tips import allow, explain

LAST_FOLDER = "images"
_WIDTH = 360


class NameRow(QWidget):
    """A field for a name that is checked while it is typed.

    Signals:
        changed: The user has typed.
    """

    changed = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._taken: list[str] = []
        self.problem: Problem | None = None
        self.edit = QLineEdit(self)
        self.edit.setAccessibleName(self.tr("Name"))
        self.edit.setMaxLength(200)
        self.edit.setMaximumWidth(_WIDTH)
        self.edit.textEdited.connect(self._on_edit)
        self.hint = HintLabel(parent=self)
        label = QLabel(self.tr("Name"), self)
        label.setBuddy(self.edit)
        label.setFixedWidth(LABEL_WIDTH)
        label.setMinimumHeight(CONTROL_HEIGHT)
        right = vbox(self.edit, self.hint, spacing=2)
        first = (label, Qt.AlignmentFlag.AlignTop)
        hbox(first, (right, 100), STRETCH, owner=self, spacing=SPACE.m)
        explain(self.edit, self.tr("Name shown in lists. You can rename it later."))

    def set_name(self, name: str, taken: Sequence[str]) -> None:
        """Show a name, and set the names that are taken."""
        self.edit.setText(name)
        self.set_taken(taken)

    def set_taken(self, taken: Sequence[str]) -> None:
        """Set the names that are taken."""
        self._taken = list(taken)
        self.show_problem(name_problem(self.edit.text(), self._taken))

    def name(self) -> str:
        """Return the typed name."""
        return self.edit.text()

    def show_problem(self, problem: Problem | None) -> None:
        """Show a problem; None for none."""
        self.problem = problem
        text = "" if problem is None else f"{problem.message} {problem.hint}".strip()
        self.hint.show_text(text, "problem")
        restyle(self.edit, "wrong", problem is not None)

    def _on_edit(self) -> None:
        self.show_problem(name_problem(self.edit.text(), self._taken))
        self.changed.emit()


class LocationList(QWidget):
    """A line for each of several places, and a button to add one.

    Signals:
        removed: Number of a place to remove.
    """

    removed = Signal(int)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._rows: list[QWidget] = []
        self.remove_buttons: list[QToolButton] = []
        tip = self.tr("Adds images of another folder or file to the same import.")
        self.add_button = push_button(self.tr("Add another source…"), theme, icon="plus", tip=tip)
        self._lines = vbox(spacing=SPACE.xs)
        last = (self.add_button, Qt.AlignmentFlag.AlignLeft)
        vbox(self._lines, last, owner=self, spacing=SPACE.s)

    def show_locations(
        self, locations: Sequence[SurveyedLocation], names: Mapping[Path, str], fewest: int = 1
    ) -> None:
        """Show other places.

        Args:
            locations: All sources; the first one cannot be removed.
            names: Names of some, shown instead of their paths.
            fewest: Number of sources that must stay.
        """
        for row in self._rows:
            remove_widget(self._lines, row)
        self._rows, self.remove_buttons = [], []
        if len(locations) < 2:
            return
        for index, location in enumerate(locations):
            path = Path(location.path)
            name = names.get(path, "") or location_text(path)
            can_go = index > 0 and len(locations) > fewest
            row = self._row(index, name, messages.images(location.count), can_go=can_go)
            self._rows.append(row)
            self._lines.addWidget(row)

    def allow(self, *, allowed: bool) -> None:
        """Enable the buttons; they are disabled while the settings have errors."""
        why = "" if allowed else self.tr("Fix the marked fields first.")
        for button in (self.add_button, *self.remove_buttons):
            usual = button.accessibleName() or self.tr("More images will be added")
            allow(button, why, usual)

    def texts(self) -> list[tuple[str, ...]]:
        """Return the name and number of images of each place."""
        return [tuple(label.text() for label in row.findChildren(QLabel)) for row in self._rows]

    def _row(self, index: int, name: str, number: str, *, can_go: bool) -> QWidget:
        row = QWidget(self)
        label, images = ElidedLabel(name, row), text_label(number, "muted", row)
        line = hbox((label, 1), images, owner=row, spacing=SPACE.s)
        if can_go:
            text = self.tr("Remove the source {place}").format(place=name)
            button = icon_button("close", text, self._theme, parent=row)
            button.clicked.connect(partial(self.removed.emit, index))
            line.addWidget(button)
            self.remove_buttons.append(button)
        return row


# Fields, and the kinds of paths they accept.
_FIELDS = {
    "val_source": ("folder", "file"),
    "test_source": ("folder", "file"),
    "labels_file": ("file",),
    "path_prefix": ("folder",),
    "val_path_prefix": ("folder",),
    "test_path_prefix": ("folder",),
}
_PATH_WIDTH = 160
_ARRAYS = (".npz", ".h5", ".hdf5", ".parquet", "-ubyte", "-ubyte.gz")


def image_files_filter(all_images: str, all_files: str) -> str:
    """Return the filter of a file dialog for archives, lists and files of arrays."""
    patterns = " ".join(f"*{end}" for end in (*ARCHIVES, *sorted(LISTS), *_ARRAYS))
    return f"{all_images} ({patterns});;{all_files} (*)"


class PathButtons(QObject):
    """A button next to each path of a form, which opens a dialog for a folder or a file."""

    def __init__(self, form: PlanForm, theme: Theme, settings: Settings, parent: QWidget) -> None:
        super().__init__(parent)
        self._settings = settings
        self._form = form
        self._window = parent
        self._theme = theme
        self._reasons: dict[str, str] = {}
        self.buttons: dict[str, QToolButton] = {}
        form.each_row(self._add)

    def explain(self, name: str, reason: str) -> None:
        """Show the reason why a field and its button are disabled; empty if they are enabled."""
        self._reasons[name] = reason
        button = self.buttons.get(name)
        if button is not None:
            button.setToolTip(reason or self.tr("Choose…"))

    def choose(self, field: str, kind: str) -> None:
        """Let the user choose the path of a field."""
        ask = ask_file if kind == "file" else ask_folder
        title = self.tr("Choose a file") if kind == "file" else self.tr("Choose a folder")
        path = ask(self._window, title, self._settings, LAST_FOLDER)
        if path is not None:
            editor = self._form.editor(field)
            editor.set_value(str(path))
            editor.changed.emit()

    def _add(self, form_row: FieldRow) -> None:
        field, editor = form_row.flat.path, form_row.editor
        if field not in _FIELDS:
            return
        kinds = _FIELDS[field]
        button = icon_button("folder-open", self.tr("Choose…"), self._theme, parent=editor)
        label = translated(form_row.flat.field.label)
        button.setAccessibleName(self.tr("Choose: {label}").format(label=label))
        if len(kinds) == 1:
            button.clicked.connect(partial(self.choose, field, kinds[0]))
        else:
            menu = QMenu(button)
            menu.addAction(self.tr("A folder…"), partial(self.choose, field, "folder"))
            menu.addAction(self.tr("A file…"), partial(self.choose, field, "file"))
            button.setMenu(menu)
            button.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        editor.control.setMinimumWidth(_PATH_WIDTH)
        row = editor.layout()
        if isinstance(row, QHBoxLayout):
            row.insertWidget(1, button, 0, Qt.AlignmentFlag.AlignVCenter)
        self.buttons[field] = button
        self.explain(field, self._reasons.get(field, ""))


_ON, _OFF = Qt.CheckState.Checked, Qt.CheckState.Unchecked
_MOST_ROWS = 6
_ROW = 26


class TaskSection(Card):
    """A button for each task, and a list of columns to tick.

    Signals:
        changed: The user chose another task or other columns.
    """

    changed = Signal()

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__("", parent)
        self._theme = theme
        self.set_title(self.tr("What should a network learn?"))
        self._columns: Sequence[SurveyedColumn] = ()
        self._proposed = ""
        self._parts: dict[str, RecipePart] = {}
        self._shown: tuple[DatasetRecipe, Found] | None = None
        self.buttons: dict[str, QRadioButton] = {}
        self._group = QButtonGroup(self)
        self._choices = vbox(spacing=0)
        self.body.addLayout(self._choices)
        for name in TASKS:
            self._add_button(name)
        self.proposal = HintLabel(parent=self)
        self.columns_label = text_label(self.tr("Columns with the targets"), "muted", self)
        self.columns = QListWidget(self)
        self.columns.setAccessibleName(self.columns_label.text())
        self.columns.setSelectionMode(QAbstractItemView.SelectionMode.NoSelection)
        self.columns.setUniformItemSizes(True)
        explain(self.columns, self.tr("Selected columns of the table become targets."))
        self.columns.itemChanged.connect(self.changed)
        self.problem = HintLabel(tone="problem", parent=self)
        fill(self.body, self.proposal, self.columns_label, self.columns, self.problem)

    @property
    def task(self) -> Task:
        """The chosen task."""
        chosen = (name for name, button in self.buttons.items() if button.isChecked())
        return TASKS[next(chosen)]

    def show_found(self, recipe: DatasetRecipe, found: Found) -> None:
        """Show the columns of a table and the task and its fields of a recipe.

        Args:
            recipe: Names the task and the columns.
            found: Results of a search.
        """
        self._columns, self._shown = found.columns, (recipe, found)
        # Tasks of other packages are known by now to the process that read the table.
        for name in (recipe.task, *(task for column in found.columns for task in column.tasks)):
            self._add_button(name)
        if found.is_proposed:
            self._proposed = recipe.task
        self._allow(recipe.task)
        self.buttons[recipe.task].setChecked(True)
        self._fill(recipe.target_columns)
        self._propose(recipe)
        if self._part is not None:
            self._part.show_found(recipe, found.classes, found.fixed_fields)

    def values(self) -> dict[str, object]:
        """Return the fields of the recipe."""
        # What only another task has is left out.
        own: dict[str, object] = {"annotations": "", "class_names": [], "class_colors": []}
        own["good_classes"] = []
        if self._part is not None:
            own |= self._part.values()
        return {"task": self.task.name, "target_columns": self._ticked(), **own}

    @property
    def is_enough(self) -> bool:
        """True unless columns are needed and none is ticked."""
        return not self.task.source.columns or bool(self._ticked())

    @property
    def _part(self) -> RecipePart | None:
        """The fields that only the chosen task has; None if it has none."""
        name = self.task.name
        if name not in self._parts:
            part = view_of(self.task).recipe_part(self._theme, self)
            if part is None:
                return None
            self._parts[name] = part
            if self._shown is not None:
                # The files may hold the annotations of several tasks.
                recipe, found = self._shown
                part.show_found(recipe, found.classes, found.fixed_fields)
            part.changed.connect(self.changed)
            self.body.insertWidget(self.body.count() - 1, part)
        return self._parts[name]

    def _add_button(self, name: str) -> None:
        if name in self.buttons:
            return
        words = view_of(TASKS[name]).words(TASKS[name])
        button = QRadioButton(words.choice, self)
        explain(button, words.choice_help or translated(TASKS[name].label))
        button.setMinimumHeight(CONTROL_HEIGHT)
        button.clicked.connect(self._on_task)
        self._group.addButton(button)
        self.buttons[name] = button
        self._choices.addWidget(button)

    def _allow(self, chosen: str) -> None:
        for name, button in self.buttons.items():
            task = TASKS[name]
            fits = any(name in column.tasks for column in self._columns)
            reason = task.source.refusal(fits=fits, is_table=bool(self._columns))
            allow(button, "" if name == chosen else translated(reason))

    def _fill(self, ticked: Sequence[str]) -> None:
        for name, part in self._parts.items():
            part.setVisible(name == self.task.name)
        has_columns = self.task.source.columns and bool(self._columns)
        self.columns_label.setVisible(has_columns)
        self.columns.setVisible(has_columns)
        blocker = QSignalBlocker(self.columns)
        self.columns.clear()
        for column in self._columns if has_columns else ():
            examples = ", ".join(column.examples)
            item = QListWidgetItem(f"{column.name}:  {examples}" if examples else column.name)
            item.setData(Qt.ItemDataRole.UserRole, column.name)
            item.setToolTip(item.text())
            item.setFlags(Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsUserCheckable)
            is_requested = column.name in ticked if ticked else self.task.name in column.tasks
            item.setCheckState(_ON if is_requested else _OFF)
            self.columns.addItem(item)
        blocker.unblock()
        rows = min(max(1, self.columns.count()), _MOST_ROWS)
        row = max(_ROW, self.columns.sizeHintForRow(0))
        self.columns.setFixedHeight(rows * row + 2 * self.columns.frameWidth() + 2)

    def _propose(self, recipe: DatasetRecipe) -> None:
        """Show the reason for a task other than classification."""
        text = ""
        if self._proposed == recipe.task:
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
    """A search field above a list of check boxes; stays open until it loses the focus.

    Signals:
        changed: A box was ticked, or emptied.
    """

    changed = Signal()

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        # If one click activates, a box would be ticked and emptied at once.
        self.list.itemActivated.disconnect(self._on_item)
        self.list.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        tip = self.tr("Selects every class.")
        self.all_button = push_button(self.tr("All"), theme, kind="quiet", tip=tip)
        self.all_button.clicked.connect(partial(self._tick, _ON))
        tip = self.tr("Clears the selection of classes.")
        self.none_button = push_button(self.tr("None"), theme, kind="quiet", tip=tip)
        self.none_button.clicked.connect(partial(self._tick, _OFF))
        column = self.layout()
        if column is not None:
            column.addItem(hbox(self.all_button, self.none_button, STRETCH))

    def offer(self, names: Sequence[str], ticked: Collection[str]) -> None:
        """Offer these classes, some of them ticked."""
        self.set_names(names)
        for item in self._items():
            # Not for Qt to tick: a click anywhere on the line does.
            item.setFlags(Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable)
            item.setCheckState(_ON if item.text() in ticked else _OFF)

    def ticked(self) -> list[str]:
        """Return the ticked classes."""
        return [item.text() for item in self._items() if item.checkState() == _ON]

    def _items(self) -> list[QListWidgetItem]:
        return [self.list.item(row) for row in range(self.list.count())]

    def _on_item(self, item: QListWidgetItem) -> None:
        item.setCheckState(_OFF if item.checkState() == _ON else _ON)
        self.changed.emit()

    def _tick(self, state: Qt.CheckState) -> None:
        """Tick or untick the boxes that match the search."""
        for item in self._items():
            if not item.isHidden():
                item.setCheckState(state)
        self.changed.emit()


class OnlyRow(QWidget):
    """A button that opens the list of classes, and a box for each split that is there.

    A recipe without some classes no longer finds them, so those found before are offered until
    `forget`.

    Signals:
        changed: The user chose others.
    """

    changed = Signal()

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._classes: list[str] = []
        self._splits: set[str] = set()
        tip = self.tr("Choose the classes to import; without a choice, all are imported.")
        self.classes_button = push_button("", theme, icon="chevron-down", tip=tip)
        self.classes_button.clicked.connect(self._on_open)
        self.picker = ClassChecks(theme, self)
        self.boxes = {split: QCheckBox(split_word(split), self) for split in SPLIT_COLORS}
        # They wrap like words: next to the pictures there is room for few.
        row = FlowLayout(self)
        row.addWidget(self.classes_button)
        for box in self.boxes.values():
            explain(box, self.tr("Only images of selected splits are imported."))
            row.addWidget(box)
            box.setMinimumHeight(CONTROL_HEIGHT)
            box.clicked.connect(self._on_changed)
            box.hide()
        self.picker.changed.connect(self._on_changed)

    def forget(self) -> None:
        """Forget the classes and splits found before."""
        self._classes = []
        self._splits = set()

    def show_found(self, found: Found, requested: DatasetRecipe) -> None:
        """Offer the classes and splits found now and before.

        Args:
            found: By a recipe that may be older than the current one.
            requested: The current recipe, which defines the checked ones.
        """
        asked = found.recipe
        names = [each.name for each in found.classes]
        new = [name for name in names if name not in self._classes]
        classes = [*self._classes, *new] if asked.only_classes else names
        if classes != self._classes:
            self._classes = classes
            self.picker.offer(classes, requested.only_classes or classes)
        splits = self._splits | set(found.splits) if asked.only_splits else set(found.splits)
        if asked.only_splits and not self._splits:
            splits = set(SPLIT_COLORS)  # the splits that a recipe skips are not known
        if splits != self._splits:
            self._splits = splits
            for split, box in self.boxes.items():
                box.setVisible(split in splits)
                box.setChecked(split in (requested.only_splits or splits))
        self._refresh()

    @property
    def is_enough(self) -> bool:
        """True if at least two classes are ticked."""
        return len(self.picker.ticked()) >= 2

    def values(self) -> dict[str, Sequence[str]]:
        """Return the fields of the recipe; empty lists for everything."""
        ticked = self.picker.ticked()
        splits = [split for split in self.boxes if split in self._splits]
        requested = [split for split in splits if self.boxes[split].isChecked()]
        return {
            "only_classes": [] if len(ticked) == len(self._classes) else ticked,
            "only_splits": [] if requested == splits else requested,
        }

    def _refresh(self) -> None:
        ticked, total = len(self.picker.ticked()), len(self._classes)
        text = self.tr("{n} of {total} classes") if ticked != total else self.tr("All classes")
        text = text.format(n=count(ticked), total=count(total))
        self.classes_button.setText(text)
        known = [box for split, box in self.boxes.items() if split in self._splits]
        checked = [box for box in known if box.isChecked()]
        for split, box in self.boxes.items():
            is_last = checked == [box]
            box.setEnabled(not is_last)
            text = self.tr("Import the images of this split: {split}")
            text = self.tr("At least one split is needed") if is_last else text
            box.setToolTip(text.format(split=split_word(split)))

    def _on_open(self) -> None:
        corner = QPoint(0, self.classes_button.height())
        self.picker.open_at(self.classes_button.mapToGlobal(corner))

    def _on_changed(self) -> None:
        self._refresh()
        self.changed.emit()


SMALLEST, LARGEST = 86, 144


@dataclass(frozen=True, slots=True)
class _Line:
    before: PictureView
    arrow: QLabel
    after: PictureView
    caption: ElidedLabel
    size: QLabel

    def widgets(self) -> tuple[QWidget, ...]:
        return self.before, self.arrow, self.after, self.caption, self.size


class PreviewCard(Card):
    """Pairs of pictures under "Original" and "As the network sees it"."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__("", parent)
        self._theme = theme
        self.setAccessibleName(self.tr("Preview"))
        self._names: list[str] = []
        self._before_heading = _heading(self.tr("Original"), self)
        self._after_heading = _heading("", self)
        self._table = grid_layout(None, SPACE.s, widest=3)
        self._table.addWidget(self._before_heading, 0, 0)
        self._table.addWidget(self._after_heading, 0, 2)
        self._lines = [self._add_line(1 + 2 * index) for index in range(PREVIEWS)]
        fill(self.body, self._table, STRETCH)
        self.set_side(SMALLEST)

    def set_side(self, side: int) -> None:
        """Set the size of the pictures, in pixels."""
        side = max(SMALLEST, min(LARGEST, side))
        for line in self._lines:
            line.before.setFixedSize(QSize(side, side))
            line.after.setFixedSize(QSize(side, side))
        margins = self.body.contentsMargins()
        self.setFixedWidth(2 * side + ICON + 2 * SPACE.s + margins.left() + margins.right() + 2)

    def show_before(self, previews: Sequence[Preview]) -> None:
        """Show the original pictures."""
        self._names = [preview.caption for preview in previews]
        for index, line in enumerate(self._lines):
            for widget in line.widgets():
                widget.setVisible(index < len(previews))
        for line, preview in zip(self._lines, previews, strict=False):
            name, problem = preview.caption, preview.problem
            text = self.tr("An original image of {name}").format(name=name)
            line.before.set_image(preview.before, text)
            line.after.set_image(None)
            line.after.set_layer(None)
            line.caption.setText(f"{name}: {problem}" if problem else name)

    def set_heading(self, text: str) -> None:
        """Set the heading of the pictures at the right."""
        self._after_heading.setText(text)

    def show_after(self, results: Sequence[PreviewedImage]) -> None:
        """Show the results of the recipe, and their bytes if they are packed."""
        for line, name, result in zip(self._lines, self._names, results, strict=False):
            text = self.tr("The same image of {name} after the import").format(name=name)
            line.after.set_image(result.image, text)
            style = OverlayStyle()
            layer = None if result.overlay is None else result.overlay.layer(style)
            line.after.set_layer(layer, style.opacity)
            number = count(result.packed) if result.packed else ""
            line.size.setText(self.tr("{n} bytes").format(n=number) if number else "")

    def after_images(self) -> list[QImage]:
        """Return the pictures at the right."""
        return [line.after.image() for line in self._lines[: len(self._names)]]

    def sizes(self) -> list[str]:
        """Return the texts about their bytes."""
        return [line.size.text() for line in self._lines[: len(self._names)]]

    def _add_line(self, row: int) -> _Line:
        before, after = PictureView(self._theme, self), PictureView(self._theme, self)
        caption = ElidedLabel("", self, role="caption")
        arrow = IconLabel(self._theme, "forward", "muted", parent=self)
        line = _Line(before, arrow, after, caption, text_label("", "caption", self))
        words = hbox((line.caption, 1), line.size, spacing=SPACE.s)
        self._table.addWidget(line.before, row, 0)
        self._table.addWidget(line.arrow, row, 1, Qt.AlignmentFlag.AlignCenter)
        self._table.addWidget(line.after, row, 2)
        self._table.addLayout(words, row + 1, 0, 1, 3)
        return line


def _heading(text: str, parent: QWidget) -> QLabel:
    label = text_label(text, "caption", parent, wraps=True)
    # It wraps, because the pictures below are small.
    label.setAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignBottom)
    return label
