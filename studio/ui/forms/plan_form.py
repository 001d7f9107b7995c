"""A form built from a plan class that shows problems of its values immediately."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QVBoxLayout, QWidget

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
        self._rows: dict[str, FieldRow] = {}
        column = QVBoxLayout(self)
        flats = flat_fields(self.document.plan_class, names)
        usual = [flat for flat in flats if not flat.is_expert]
        self._add_rows(column, usual, compact=compact)
        # The Tab key goes through widgets in the order in which they are made.
        self.more = MoreLine(theme, with_switch=not compact, parent=self)
        self._expert_part = QWidget(self)
        self._whole = HintLabel(parent=self)
        self._lay_out(column, [flat for flat in flats if flat.is_expert], compact=compact)
        for row in self._rows.values():
            if not row.flat.field.required:
                row.editor.set_value(row.flat.field.default)
            row.editor.changed.connect(partial(self._edited, row))
        self.more.toggled.connect(self._expert_part.setVisible)
        self._expert_part.setVisible(self.more.is_open)
        self.document.show({path: _shown_value(row) for path, row in self._rows.items()})
        self.document.observe(self._show_document)
        self._show_document()

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
        return self._rows[name].editor

    def row(self, name: str) -> FieldRow:
        """Return the whole row of a field, with its label, note and hint.

        Raises:
            KeyError: The form does not show such a field.
        """
        return self._rows[name]

    def names(self) -> list[str]:
        """Dotted names of all fields shown, in order."""
        return list(self._rows)

    def is_expert_shown(self) -> bool:
        """Return True if "More" is open."""
        return self.more.is_open

    def set_expert_shown(self, *, shown: bool) -> None:
        """Open or close "More"."""
        self.more.set_open(shown=shown)

    def _lay_out(self, column: QVBoxLayout, expert: list[FlatField], *, compact: bool) -> None:
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(SPACE.m)
        column.addWidget(self.more)
        inner = vbox(owner=self._expert_part, spacing=SPACE.m)
        self._add_rows(inner, expert, compact=compact)
        self.more.setVisible(bool(expert))
        column.addWidget(self._expert_part)
        column.addWidget(self._whole)

    def _add_rows(self, column: QVBoxLayout, flats: list[FlatField], *, compact: bool) -> None:
        group = ""
        for flat in gathered(flats):
            if flat.group != group:
                group = flat.group
                self._add_heading(column, group)
            row = FieldRow(flat, self._theme, compact=compact, parent=self)
            if flat.is_nested:
                row.indent(SPACE.l)
            if flat.field.applicable_when is not None and not compact:
                row.put_note_below()
            self._rows[flat.path] = row
            column.addWidget(row)

    def _add_heading(self, column: QVBoxLayout, text: str) -> None:
        if not text:
            return
        label = text_label(translated(text), "section", self)
        if column.count():
            label.setContentsMargins(0, SPACE.s, 0, 0)
        column.addWidget(label)

    def _edited(self, row: FieldRow) -> None:
        self.document.put(row.flat.path, row.editor.value())
        self.changed.emit()

    def _show_document(self) -> None:
        for path, row in self._rows.items():
            value, _ = self.document.value(path)
            if row.editor.value() != value:
                row.editor.set_value(value)
            self._show_disabled(path)
        self._show_problems(self.document.problems)

    def _show_disabled(self, path: str) -> None:
        """Disable a field that was switched off or has no effect, and show the reason."""
        idle = self.document.without_effect.get(path, "")
        reason = self._refused.get(path) or translated(idle)
        if reason != self._disabled.get(path, ""):
            self._disabled[path] = reason
            self._rows[path].editor.setEnabled(not reason)
            self._rows[path].show_note(reason)

    def _show_problems(self, problems: Sequence[Problem]) -> None:
        by_row: dict[str, Problem] = {}
        rest: list[Problem] = []
        for problem in problems:
            path = closest_path(problem.where, self._rows)
            if path is not None:
                by_row.setdefault(path, problem)
            elif self._is_own(problem.where):
                rest.append(problem)
        for path, row in self._rows.items():
            row.show_problem(by_row.get(path))
        lines = [sentence(problem.message, problem.hint) for problem in rest]
        serious = any(problem.serious for problem in rest)
        self._whole.show_text("\n".join(lines), "problem" if serious else "advice")
        if any(self._rows[path].flat.is_expert for path in by_row):
            self.set_expert_shown(shown=True)

    def _is_own(self, where: str) -> bool:
        """Return False for a field that its page or another form shows."""
        is_shown = closest_path(where, self.document.shown) is not None
        return not where or (self.document.value(where)[1] and not is_shown)


def _shown_value(row: FieldRow) -> object:
    field = row.flat.field
    return row.editor.value() if field.required else field.default
