"""Search space of a sweep: a row for each field, and the form that adds values."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import groupby

from PySide6.QtCore import QCoreApplication, Qt, Signal
from PySide6.QtGui import QAction, QFont, QMouseEvent, QStandardItem, QStandardItemModel
from PySide6.QtWidgets import QComboBox, QCompleter, QLabel, QLineEdit, QMenu, QToolButton, QWidget

from studio.engine.errors import Problem
from studio.engine.jobs.states import State
from studio.engine.sweeps.fields import NETWORK, sweepable
from studio.engine.sweeps.history import SweepJob
from studio.engine.sweeps.plan import Dimension, SweepPlan
from studio.engine.sweeps.requests import extend
from studio.ui.bridge.request import Request
from studio.ui.context import AppContext
from studio.ui.documents.record import SweepDocument
from studio.ui.forms.plan_form import PlanForm
from studio.ui.language import sentence, translated
from studio.ui.pages.sweeps.draft import (
    ADDED_FIELDS,
    Additions,
    DraftRow,
    Further,
    additions,
    can_be_range,
    choices_of,
    dimensions_of,
    example,
    find_more,
    first_row,
    first_values,
    row_of,
    rows_to_add_to,
    ticked,
    usual_scale,
    words_of,
)
from studio.ui.pages.sweeps.messages import field_label, further_text, there_text
from studio.ui.theme.icons import set_icon
from studio.ui.theme.theme import Theme
from studio.ui.theme.tokens import SPACE
from studio.ui.widgets.buttons import icon_button, push_button
from studio.ui.widgets.cards import Card
from studio.ui.widgets.inputs import ComboBox
from studio.ui.widgets.labels import ElidedLabel, HintLabel
from studio.ui.widgets.layout import STRETCH, Debounce, fill, hbox, remove_widget, text_label, vbox
from studio.ui.widgets.tips import allow, explain

BUDGET = ("trials", "hours")
SETTLE_MS = 150


class AddValues(Card):
    """Form that adds values of varied fields, trials or hours to a sweep.

    Signals:
        closed: The user added something or canceled.
    """

    closed = Signal()

    def __init__(self, context: AppContext, parent: QWidget | None = None) -> None:
        super().__init__("", parent)
        self.set_title(self.tr("Add to this sweep"))
        self._context = context
        self._entry: SweepDocument
        self._plan: SweepPlan
        theme = context.theme
        self.space = SpaceEditor(theme, self)
        self.budget = PlanForm(SweepPlan, BUDGET, theme=theme, compact=True, parent=self)
        self.forecast = QLabel(self, wordWrap=True)
        self._estimating = Request(context.background, self)
        # The estimate is updated after a pause in typing.
        self._settle = Debounce(SETTLE_MS, self._inspect, self)
        self.problem = HintLabel("", "problem", self)
        button = partial(push_button, theme=theme, parent=self)
        tip = self.tr("Adds the new values and keeps all existing trials.")
        self.add_button = button(self.tr("Add"), kind="primary", tip=tip, on_click=self._on_add)
        tip = self.tr("Leaves the sweep unchanged.")
        self.cancel_button = button(self.tr("Cancel"), tip=tip, on_click=self.closed.emit)
        kept = self.tr("Existing trials are kept. A finished sweep continues.")
        about = text_label(kept, "muted", self, wraps=True)
        row = hbox(self.add_button, self.cancel_button, STRETCH, spacing=SPACE.s)
        fill(self.body, about, self.space, self.budget, self.forecast, self.problem, row, STRETCH)
        self.space.changed.connect(self._on_edited)
        self.budget.changed.connect(self._on_edited)

    def show_sweep(self, entry: SweepDocument, plan: SweepPlan) -> None:
        """Show a sweep with its current plan."""
        self._entry, self._plan = entry, plan
        self.space.set_rows(rows_to_add_to(plan))
        self.space.pin_fields([there_text(row_of(each)) for each in plan.dimensions])
        self.budget.set_values({"trials": plan.trials, "hours": plan.hours})
        self.problem.show_text("")
        self._on_edited()

    def _asked(self) -> Additions:
        rows = [each.row() for each in self.space.rows]
        budget = self.budget.values()
        trials, hours = budget["trials"], budget["hours"]
        return additions(self._plan, rows, trials, hours)

    def _on_edited(self) -> None:
        asked = self._asked()
        self.problem.show_text("")
        for row, wrong in zip(self.space.rows, asked.problems, strict=True):
            row.show_problems(wrong)
        self.budget.show_problems(asked.refused)
        why_not = ""
        wrong_budget = any(each.where in BUDGET for each in self.budget.problems())
        if any(asked.problems) or asked.refused or wrong_budget:
            why_not = self.tr("Fix the marked fields first.")
        elif not asked.is_something:
            why_not = self.tr("Enter values, trials or hours to add.")
        allow(self.add_button, why_not)
        self._settle.start()

    def _inspect(self) -> None:
        """Estimate the sweep with the current additions."""
        self._estimating.drop()
        if not self.add_button.isEnabled():
            self.forecast.setText("")
            return
        trials = self._entry.history.trials.values()
        over = sum(each.state != State.RUNNING for each in trials)
        work = partial(find_more, self._context.workspace, self._plan, self._asked(), over)
        self._estimating.run(work, self._on_outlook)

    def _on_outlook(self, further: Further | None) -> None:
        self.forecast.setText("" if further is None else further_text(further))

    def _on_add(self) -> None:
        asked, job = self._asked(), SweepJob(self._entry.record)
        additions = (asked.dimensions, asked.trials, asked.hours)
        work = partial(extend, self._context.jobs.queue, job, *additions)
        allow(self.add_button, self.tr("Requested"))
        self._context.background.run(self, work, self._on_added, self._on_refused)

    def _on_added(self, _nothing: object) -> None:
        self._context.jobs.wake()
        self.closed.emit()

    def _on_refused(self, error: BaseException) -> None:
        self._on_edited()
        self.problem.show_text(str(error), "problem")


class _StayingMenu(QMenu):
    """A menu that stays open while entries are checked."""

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """Check or uncheck the entry under the pointer."""
        # None beside all entries, which the stubs do not say.
        action: QAction | None = self.actionAt(event.position().toPoint())
        if action is not None:
            action.trigger()
        else:
            super().mouseReleaseEvent(event)


class ChoiceMenu(QToolButton):
    """Button with a menu of values; hidden if a field has no list of values.

    Signals:
        ticked: The checked values, a list in the order of the menu.
    """

    ticked = Signal(list)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._menu = _StayingMenu(self)
        self._menu.triggered.connect(self._on_triggered)
        self.setProperty("kind", "quiet")
        self.setToolTip(self.tr("Choose from a list"))
        self.setAccessibleName(self.tr("Choose from a list"))
        set_icon(self, "list", theme, "muted")
        self.setMenu(self._menu)
        self.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)

    def set_choices(self, choices: Sequence[tuple[str, str]]) -> None:
        """Offer these values with their labels; an empty list hides the button."""
        self._menu.clear()
        for value, label in choices:
            action = self._menu.addAction(label)
            action.setData(value)
            action.setCheckable(True)
        self.setVisible(bool(choices))

    def tick(self, values: Sequence[str]) -> None:
        """Check these values and no others."""
        for action in self._menu.actions():
            action.setChecked(action.data() in values)

    def _on_triggered(self, _action: QAction) -> None:
        ticked = [each.data() for each in self._menu.actions() if each.isChecked()]
        self.ticked.emit(ticked)


class FieldBox(QComboBox):
    """Chooser of a field, with search by any part of its label or dotted name.

    Signals:
        chosen: The user chose another field.
    """

    chosen = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._line = QLineEdit(self)
        self.setLineEdit(self._line)
        self.setInsertPolicy(QComboBox.InsertPolicy.NoInsert)
        self.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self.setMinimumContentsLength(12)
        self.setMaxVisibleItems(20)
        self._fields: list[str] = []
        self.offer(list(sweepable()))
        self.setAccessibleName(self.tr("Varied field"))
        self._line.setAccessibleName(self.tr("Search the fields"))
        self._line.setPlaceholderText(self.tr("Search the fields"))
        self.activated.connect(self._on_activated)
        self._line.editingFinished.connect(self._on_typed)

    @property
    def field(self) -> str:
        """The dotted name of the field."""
        return str(self.currentData())

    def choose(self, field: str) -> None:
        """Show a field, also one that is not offered otherwise."""
        if self.findData(field) < 0:
            self._fill([*self._fields, field])
        self.setCurrentIndex(self.findData(field))
        self._show_whole()

    def offer(self, names: Sequence[str]) -> None:
        """List these fields; the current one stays even if it is not among them."""
        if list(names) == self._fields:
            return
        chosen = self.field if self._fields else names[0]
        self._fields = list(names)
        self._fill(names)
        self.choose(chosen)

    def _fill(self, names: Iterable[str]) -> None:
        model = QStandardItemModel(self)
        labels: list[str] = []
        for part, found in _by_part(names):
            model.appendRow(_heading(part))
            named = ((field_label(each), each) for each in found)
            for label, name in sorted(named, key=lambda item: item[0].casefold()):
                item = QStandardItem(label)
                item.setData(name, Qt.ItemDataRole.UserRole)
                model.appendRow(item)
                labels.append(label)
        self.setModel(model)
        # Headings are not completions.
        completer = QCompleter(labels, self)
        completer.setCaseSensitivity(Qt.CaseSensitivity.CaseInsensitive)
        completer.setCompletionMode(QCompleter.CompletionMode.PopupCompletion)
        completer.setFilterMode(Qt.MatchFlag.MatchContains)
        self.setCompleter(completer)

    def _on_activated(self, _index: int) -> None:
        self._show_whole()
        self.chosen.emit()

    def _on_typed(self) -> None:
        """Restore the last field if the text is not the label of a field."""
        found = self.findText(self._line.text(), Qt.MatchFlag.MatchFixedString)
        if found != self.currentIndex() and self.itemData(found) is not None:
            self.setCurrentIndex(found)
            self.chosen.emit()
        self._show_whole()

    def _show_whole(self) -> None:
        self._line.setText(self.itemText(self.currentIndex()))
        self._line.setCursorPosition(0)
        self.setToolTip(self.itemText(self.currentIndex()))


def _by_part(names: Iterable[str]) -> Iterator[tuple[str, list[str]]]:
    """Group dotted names by the part of the plan, those of the plan itself first."""
    ordered = sorted(names, key=_sort_key)
    for part, found in groupby(ordered, key=_part):
        yield part, list(found)


def _part(name: str) -> str:
    return name.rpartition(".")[0]


def _sort_key(name: str) -> tuple[int, str]:
    part = _part(name)
    return (list(_titles()).index(part) if part in _titles() else len(_titles())), part


def _title(part: str) -> str:
    kind, _, layer = part.partition(".")
    if kind == NETWORK and layer:
        return QCoreApplication.translate("sweeps", "Layer {name}").format(name=layer)
    return _titles().get(part, part)


def _heading(part: str) -> QStandardItem:
    item = QStandardItem(_title(part))
    item.setFlags(Qt.ItemFlag.NoItemFlags)
    font = QFont()
    font.setBold(True)
    item.setFont(font)
    return item


def _titles() -> dict[str, str]:
    """Return the titles of the parts of a plan, in their order."""
    return {
        "": QCoreApplication.translate("sweeps", "Training"),
        "optimizer_options": QCoreApplication.translate("sweeps", "Optimizer"),
        "schedule_options": QCoreApplication.translate("sweeps", "Schedule of the learning rate"),
        "augmentation": QCoreApplication.translate("sweeps", "Augmentation"),
        "dataset": QCoreApplication.translate("sweeps", "Images of the dataset"),
    }


_END_WIDTH, _SCALE_WIDTH, _FORM_WIDTH = 56, 108, 124


class SpaceRow(QWidget):
    """Edits one dimension and shows its problems.

    Attributes:
        base: Values of the plan of all runs, by dotted name; another field starts around them.

    Signals:
        changed: The user changed something.
        removed: The user removed the row.
    """

    changed = Signal()
    removed = Signal()

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._is_pinned = False
        self._networks: list[str] = []
        self.base: Mapping[str, object] = {}
        self.field_box = FieldBox(self)
        self.form_box = ComboBox(self, self.tr("Values or a range"))
        self.form_box.set_entries([(self.tr("Values"), False), (self.tr("Range"), True)])
        self.form_box.setFixedWidth(_FORM_WIDTH)
        self.remove_button = icon_button("close", self.tr("Remove the field"), theme, parent=self)
        self.values = self._line(self.tr("Values"), "")
        self.choices = ChoiceMenu(theme, self)
        self.low = self._line(self.tr("From"), self.tr("From"))
        self.high = self._line(self.tr("To"), self.tr("To"))
        self.scale = ComboBox(self, self.tr("Scale"))
        self.scale.set_entries([(self.tr("Linear"), "linear"), (self.tr("Log"), "log")])
        self.scale.setFixedWidth(_SCALE_WIDTH)
        self.step = self._line(self.tr("Step"), self.tr("Step"))
        self.count = self._line(self.tr("Number of values"), self.tr("Count"))
        self.there = ElidedLabel("", self, role="caption")
        self.there.hide()
        self.hint = HintLabel(parent=self)
        self._edits = (self.values, self.low, self.high, self.step, self.count)
        self._range = QWidget(self)
        self._lay_out()
        self._connect()
        self._show_form()
        explain(
            self.scale,
            self.tr("On a log scale, 0.001 to 0.01 gets as many values as 0.01 to 0.1."),
        )

    def row(self) -> DraftRow:
        """Return the row as it was typed."""
        return DraftRow(
            self.field_box.field,
            self.values.text(),
            bool(self.form_box.currentData()),
            self.low.text(),
            self.high.text(),
            str(self.scale.currentData()),
            self.step.text() if self.step.isEnabled() else "",
            self.count.text(),
        )

    def show_row(self, row: DraftRow) -> None:
        """Show a row."""
        self.field_box.choose(row.field)
        self.form_box.choose(row.is_range)
        self.scale.choose(row.scale)
        texts = (row.values, row.low, row.high, row.step, row.count)
        for edit, text in zip(self._edits, texts, strict=True):
            edit.setText(text)
        self._show_form()

    def offer(self, fields: Sequence[str], networks: Sequence[str]) -> None:
        """List these fields, and these networks besides those of the gallery."""
        self._networks = list(networks)
        self.field_box.offer(fields)
        self._show_choices()

    def pin_field(self, there: str) -> None:
        """Keep the field so that only values can be added; `there` are the current values."""
        self._is_pinned = True
        self.there.setText(self.tr("Current values: {values}").format(values=there))
        self.there.show()
        self.field_box.setEnabled(False)
        self.field_box.setToolTip(self.tr("The sweep already varies this field."))
        self.remove_button.hide()
        for part in (self.scale, self.step, self.count):
            part.hide()
        self._show_form()

    def show_problems(self, problems: Sequence[Problem]) -> None:
        """Show problems; an empty list clears them."""
        serious = any(each.serious for each in problems)
        text = "\n".join(sentence(each.message, each.hint) for each in problems)
        self.hint.show_text(text, "problem" if serious else "advice")

    def _line(self, name: str, shown: str) -> QLineEdit:
        edit = QLineEdit(self, placeholderText=shown)
        edit.setAccessibleName(name)
        edit.setToolTip(name)
        return edit

    def _lay_out(self) -> None:
        first = hbox((self.field_box, 1), self.form_box, self.remove_button, spacing=SPACE.s)
        ends = hbox(owner=self._range, spacing=SPACE.s)
        for edit in (self.low, self.high, self.step, self.count):
            edit.setMinimumWidth(_END_WIDTH)
            ends.addWidget(edit, 1)
        ends.insertWidget(2, self.scale)
        listed = hbox((self.values, 1), self.choices, spacing=SPACE.s)
        vbox(first, self.there, listed, self._range, self.hint, owner=self, spacing=SPACE.s)

    def _connect(self) -> None:
        self.field_box.chosen.connect(self._on_field)
        self.form_box.activated.connect(self._on_form)
        self.scale.activated.connect(self._on_form)
        self.remove_button.clicked.connect(self.removed)
        for edit in self._edits:
            edit.textEdited.connect(self.changed)
        self.values.textChanged.connect(self._on_values)
        self.choices.ticked.connect(self._on_ticked)

    def _on_field(self) -> None:
        self.values.setText(first_values(self.field_box.field, self.base))
        self.scale.choose(usual_scale(self.field_box.field))
        self._on_form()

    def _on_form(self, _index: int = 0) -> None:
        self._show_form()
        self.changed.emit()

    def _on_values(self, text: str) -> None:
        self.choices.tick(words_of(text))

    def _on_ticked(self, chosen: list[str]) -> None:
        known = [value for value, _ in self._choices()]
        self.values.setText(ticked(self.values.text(), known, chosen))
        self.changed.emit()

    def _choices(self) -> list[tuple[str, str]]:
        field = self.field_box.field
        own = self._networks if field == NETWORK else []
        known = [(value, translated(label)) for value, label in choices_of(field)]
        return [*((name, name) for name in own), *known]

    def _show_choices(self) -> None:
        self.choices.set_choices(self._choices())
        self.choices.tick(words_of(self.values.text()))

    def _show_form(self) -> None:
        may = can_be_range(self.field_box.field)
        if not may:
            self.form_box.setCurrentIndex(0)
        why_not = (
            self.tr("Can't be changed after the sweep has started.")
            if may
            else self.tr("Ranges are only for numbers.")
        )
        allow(self.form_box, why_not if self._is_pinned or not may else "")
        is_range = bool(self.form_box.currentData())
        self.values.setVisible(not is_range)
        self._range.setVisible(is_range)
        self._show_choices()
        self.values.setPlaceholderText(
            self.tr("For example {values}").format(values=example(self.field_box.field))
        )
        is_log = self.scale.currentData() == "log"
        why_not = self.tr("A logarithmic range has no step.") if is_log else ""
        allow(self.step, why_not, self.tr("Step"))


class SpaceEditor(QWidget):
    """Edits the search space: rows of fields that can be added and removed.

    Signals:
        changed: The user changed something.
    """

    changed = Signal()

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._rows: list[SpaceRow] = []
        self._fields = list(sweepable())
        self._networks: list[str] = []
        self._base: Mapping[str, object] = {}
        self._idle: Collection[str] = ()
        self._suggested: DraftRow | None = None
        self.hint = HintLabel(parent=self)
        tip = self.tr("Varies another setting. A grid tries all combinations.")
        self.add_button = push_button(
            self.tr("Add a field"), theme, icon="plus", parent=self, tip=tip, on_click=self._on_add
        )
        self._column = vbox(spacing=SPACE.m)
        vbox(self._column, self.hint, self.add_button, owner=self, spacing=SPACE.m)

    @property
    def rows(self) -> Sequence[SpaceRow]:
        """The rows, from top to bottom."""
        return self._rows

    def set_rows(self, rows: Sequence[DraftRow]) -> None:
        """Show other rows."""
        for row in list(self._rows):
            self._take(row)
        for each in rows:
            self._append(each)

    def offer_fields(self, fields: Sequence[str]) -> None:
        """List these fields in every row."""
        self._fields = list(fields)
        self._offer()

    def set_base(self, values: Mapping[str, object], idle: Collection[str] = ()) -> None:
        """Set the values of the plan of all runs, around which new fields start.

        A row that was suggested for another plan, and not changed, makes room for another one.

        Args:
            values: The plan as nested plain data.
            idle: Fields without effect in it.
        """
        self._base, self._idle = values, idle
        for row in self._rows:
            row.base = values
        if [row.row() for row in self._rows] == [self._suggested]:
            self.suggest_row()

    def suggest_row(self) -> None:
        """Show the field alone that a new sweep starts with."""
        self._suggested = first_row(self._base, self._idle)
        if [row.row() for row in self._rows] != [self._suggested]:
            self.set_rows([self._suggested])

    def offer_networks(self, names: Sequence[str]) -> None:
        """Offer these networks besides those of the gallery."""
        self._networks = list(names)
        self._offer()

    def pin_fields(self, there: Sequence[str]) -> None:
        """Lock the fields, so that only values can be added; `there` has those of each row."""
        for row, values in zip(self._rows, there, strict=True):
            row.pin_field(values)
        self.add_button.hide()

    def dimensions(self) -> tuple[Dimension, ...] | None:
        """Return the dimensions, or None while there are errors, which the rows show."""
        found, problems = dimensions_of([row.row() for row in self._rows])
        for row, wrong in zip(self._rows, problems, strict=True):
            row.show_problems(wrong)
        empty = "" if self._rows else self.tr("Add a field to vary.")
        self.hint.show_text(empty, "help")
        return None if any(problems) or not self._rows else found

    def show_problems(self, problems: Sequence[Problem]) -> list[Problem]:
        """Show problems next to their rows and return those of other fields."""
        names = [row.field_box.field for row in self._rows]
        for row, name in zip(self._rows, names, strict=True):
            row.show_problems([each for each in problems if each.where == name])
        return [each for each in problems if each.where not in names]

    def _offer(self) -> None:
        for row in self._rows:
            row.offer(self._fields, self._networks)

    def _append(self, row: DraftRow) -> SpaceRow:
        made = SpaceRow(self._theme, self)
        made.offer(self._fields, self._networks)
        made.base = self._base
        made.show_row(row)
        made.changed.connect(self.changed)
        made.removed.connect(partial(self._on_removed, made))
        self._rows.append(made)
        self._column.addWidget(made)
        return made

    def _take(self, row: SpaceRow) -> None:
        self._rows.remove(row)
        remove_widget(self._column, row)

    def _on_add(self) -> None:
        taken = {row.field_box.field for row in self._rows}
        left = [each for each in (*ADDED_FIELDS, *self._fields) if each not in taken]
        name = next((each for each in left if each not in self._idle), left[0])
        values = first_values(name, self._base)
        made = self._append(DraftRow(name, values, scale=usual_scale(name)))
        made.field_box.setFocus()
        self.changed.emit()

    def _on_removed(self, row: SpaceRow) -> None:
        self._take(row)
        self.changed.emit()
