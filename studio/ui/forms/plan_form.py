"""A form built from a plan class that shows problems of its values immediately."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import Any

from PySide6.QtCore import Signal
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QWidget

from studio.engine.errors import Problem
from studio.engine.plans import Plan
from studio.ui.documents.plan import PlanDocument
from studio.ui.forms.editors import FieldEditor
from studio.ui.forms.field_row import FieldRow
from studio.ui.forms.flat_fields import (
    FlatField,
    closest_path,
    flat_fields,
    gathered,
)
from studio.ui.forms.more_line import MoreLine
from studio.ui.language import sentence, translated
from studio.ui.theme.theme import Theme
from studio.ui.theme.tokens import SPACE
from studio.ui.widgets.labels import HintLabel
from studio.ui.widgets.layout import text_label, vbox


class PlanForm(QWidget):
    """Editors for the fields of a plan, or for some of them.

    Basic fields come first; expert ones open below them behind "More", so nothing above moves;
    for experts (`Theme.is_expert`) they are open from the start.
    Both have the headings given by the plan (`plan_field(group=…)`).
    Fields of plans inside the plan have dotted names. The values are in a document, together with
    those of fields that the form does not show (hidden fields, fields left out by `names`).
    Fields that have no effect are disabled, with the reason.

    Rows are made when they are first shown or asked for: those behind "More" would be half of the
    time in which a page opens.

    Args:
        plan: The plan, or the document of one that other forms show, too.
        names: Only these fields, in this order; all that are not hidden when left out.
        theme: The theme.
        compact: Help in tooltips instead of under each field.

    Attributes:
        document: The plan that is edited.

    Signals:
        changed: The user has changed something; not emitted by `set_values`.
    """

    changed = Signal()

    def __init__(
        self,
        plan: type[Plan] | PlanDocument[Any],
        names: Sequence[str] | None = None,
        *,
        theme: Theme,
        compact: bool = False,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self.document = plan if isinstance(plan, PlanDocument) else PlanDocument(plan)
        self._theme = theme
        # Fields that were switched off, and why; those without effect are known to the document.
        self._refused: dict[str, str] = {}
        self._disabled: dict[str, str] = {}
        self._problems: Sequence[Problem] = ()
        self._rows: dict[str, FieldRow] = {}
        self._prepare: list[Callable[[FieldRow], object]] = []
        self._is_compact = compact
        flats = flat_fields(self.document.plan_class, names)
        usual = gathered(flat for flat in flats if not flat.is_expert)
        expert = gathered(flat for flat in flats if flat.is_expert)
        self._flats = {flat.path: flat for flat in (*usual, *expert)}
        self._usual_part = _Rows(usual, self)
        self.more = MoreLine(theme, with_switch=not compact, parent=self)
        self._expert_part = _Rows(expert, self)
        self._whole = HintLabel(parent=self)
        self._lay_out()
        self.more.toggled.connect(self._show_expert)
        self._expert_part.setVisible(self.more.is_open)
        self.document.show({path: self._first_value(path) for path in self._flats})
        self.document.observe(self._show_document)
        self._show_document()

    def showEvent(self, event: QShowEvent) -> None:
        """Make the rows that are shown."""
        super().showEvent(event)
        self._make(self._usual_part)
        self._show_expert(shown=self.more.is_open)

    def values(self) -> dict[str, object]:
        """Return the plan as nested plain data, including fields that the form does not show."""
        return self.document.values()

    def set_values(self, values: Plan | Mapping[str, object]) -> None:
        """Show other values; fields that are not among them stay as they are."""
        self.document.set_values(values)

    def plan(self) -> Plan | None:
        """Return the plan, or None while something is wrong."""
        plan: Plan | None = self.document.plan
        return plan

    def problems(self) -> list[Problem]:
        """Return everything that is wrong, as the plan's own check says it."""
        return list(self.document.problems)

    def show_problems(self, problems: Sequence[Problem]) -> None:
        """Show problems found elsewhere beside the plan's own, until the next edit."""
        self._show_problems([*self.document.problems, *problems])

    def set_field_enabled(self, name: str, *, enabled: bool, reason: str = "") -> None:
        """Enable or disable a field.

        Args:
            name: Dotted name of the field.
            enabled: True to enable it.
            reason: Why it is disabled, for its tooltip.

        Raises:
            KeyError: The form does not show the field.
        """
        self._refused[name] = "" if enabled else reason
        self._show_disabled(name)

    def editor(self, name: str) -> FieldEditor:
        """Return the editor of a field; `.control` is the widget with the focus.

        Raises:
            KeyError: The form does not show such a field.
        """
        return self.row(name).editor

    def row(self, name: str) -> FieldRow:
        """Return the whole row of a field, with its label, note and hint.

        Raises:
            KeyError: The form does not show such a field.
        """
        if name not in self._rows:
            is_expert = self._flats[name].is_expert
            self._make(self._expert_part if is_expert else self._usual_part)
        return self._rows[name]

    def each_row(self, prepare: Callable[[FieldRow], object]) -> None:
        """Call a function with each row: now, or as soon as the row is made."""
        self._prepare.append(prepare)
        for row in self.made_rows():
            prepare(row)

    def made_rows(self) -> Iterable[FieldRow]:
        """Return the rows that are made already."""
        return list(self._rows.values())

    def names(self) -> list[str]:
        """Dotted names of all fields shown, in order."""
        return list(self._flats)

    def is_expert_shown(self) -> bool:
        """Return True if "More" is open."""
        return self.more.is_open

    def set_expert_shown(self, *, shown: bool) -> None:
        """Open or close "More"."""
        self.more.set_open(shown=shown)

    def _lay_out(self) -> None:
        usual, expert = self._usual_part, self._expert_part
        vbox(usual, self.more, expert, self._whole, owner=self, spacing=SPACE.m)
        usual.setVisible(bool(usual.flats))
        self.more.setVisible(bool(expert.flats))

    def _show_expert(self, shown: bool) -> None:
        if shown and self.isVisible():
            self._make(self._expert_part)
        self._expert_part.setVisible(shown)

    def _make(self, part: _Rows) -> None:
        """Make the rows of a part, with what the document says of their fields."""
        if part.is_made:
            return
        part.is_made = True
        group = ""
        for flat in part.flats:
            if flat.group != group:
                group = flat.group
                part.add_heading(group)
            part.add(self._make_row(flat, part))
        self._show_values()
        self._show_problems(self._problems)

    def _make_row(self, flat: FlatField, part: QWidget) -> FieldRow:
        row = FieldRow(flat, self._theme, compact=self._is_compact, parent=part)
        if flat.is_nested:
            row.indent(SPACE.l)
        if flat.field.applicable_when is not None and not self._is_compact:
            row.put_note_below()
        self._rows[flat.path] = row
        for prepare in self._prepare:
            prepare(row)
        row.editor.changed.connect(partial(self._edited, row))
        return row

    def _first_value(self, path: str) -> object:
        """Return the default of a field, or what its editor begins with if it has none."""
        field = self._flats[path].field
        return self.row(path).editor.value() if field.required else field.default

    def _edited(self, row: FieldRow) -> None:
        self.document.put(row.flat.path, row.editor.value())
        self.changed.emit()

    def _show_document(self) -> None:
        self._show_values()
        self._show_problems(self.document.problems)

    def _show_values(self) -> None:
        for path, row in self._rows.items():
            value, is_known = self.document.value(path)
            if is_known and row.editor.value() != value:
                row.editor.set_value(value)
            self._show_disabled(path)

    def _show_disabled(self, path: str) -> None:
        """Disable a field that was switched off or has no effect, and show the reason."""
        if path not in self._rows:
            if path not in self._flats:
                raise KeyError(path)
            return
        idle = self.document.without_effect.get(path, "")
        reason = self._refused.get(path) or translated(idle)
        if reason != self._disabled.get(path, ""):
            self._disabled[path] = reason
            self._rows[path].editor.setEnabled(not reason)
            self._rows[path].show_note(reason)

    def _show_problems(self, problems: Sequence[Problem]) -> None:
        self._problems = problems
        by_row: dict[str, Problem] = {}
        rest: list[Problem] = []
        for problem in problems:
            path = closest_path(problem.where, self._flats)
            if path is not None:
                by_row.setdefault(path, problem)
            elif self._is_own(problem.where):
                rest.append(problem)
        if any(self._flats[path].is_expert for path in by_row) and not self.more.is_open:
            self.set_expert_shown(shown=True)
        for path, row in self._rows.items():
            row.show_problem(by_row.get(path))
        lines = [sentence(problem.message, problem.hint) for problem in rest]
        serious = any(problem.serious for problem in rest)
        self._whole.show_text("\n".join(lines), "problem" if serious else "advice")

    def _is_own(self, where: str) -> bool:
        """Return False for a field that its page or another form shows."""
        is_shown = closest_path(where, self.document.shown) is not None
        return not where or (self.document.value(where)[1] and not is_shown)


class _Rows(QWidget):
    """The room of some rows, which may not be made yet."""

    def __init__(self, flats: Sequence[FlatField], parent: QWidget) -> None:
        super().__init__(parent)
        self.flats = flats
        self.is_made = False
        self.column = vbox(owner=self, spacing=SPACE.m)

    def add_heading(self, text: str) -> None:
        """Add the heading of a group; an empty one takes no room."""
        if not text:
            return
        label = text_label(translated(text), "section", self)
        if self.column.count():
            label.setContentsMargins(0, SPACE.s, 0, 0)
        self.add(label)

    def add(self, widget: QWidget) -> None:
        """Add a widget at the end; Qt would show it one turn of the event loop later."""
        self.column.addWidget(widget)
        widget.show()
