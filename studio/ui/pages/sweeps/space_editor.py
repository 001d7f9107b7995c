"""The space of a sweep as editable rows."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QVBoxLayout, QWidget

from studio.engine.errors import Problem
from studio.engine.sweeps.fields import sweepable
from studio.engine.sweeps.plan import Dimension
from studio.ui.pages.sweeps.draft import FIRST_FIELD, Row, dimensions_of, usual_scale
from studio.ui.pages.sweeps.space_row import SpaceRow
from studio.ui.theme.theme import Theme
from studio.ui.theme.tokens import SPACE
from studio.ui.widgets.button import push_button
from studio.ui.widgets.explain import explain
from studio.ui.widgets.hint_label import HintLabel


class SpaceEditor(QWidget):
    """Rows of fields with their values; fields are added and removed.

    Signals:
        changed: The user has changed something.
    """

    changed = Signal()

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._rows: list[SpaceRow] = []
        self._fields = list(sweepable())
        self._networks: list[str] = []
        self.hint = HintLabel(parent=self)
        self.add_button = push_button(self.tr("Add a field"), theme, icon="plus", parent=self)
        self._column = QVBoxLayout()
        self._column.setSpacing(SPACE.m)
        whole = QVBoxLayout(self)
        whole.setContentsMargins(0, 0, 0, 0)
        whole.setSpacing(SPACE.m)
        whole.addLayout(self._column)
        whole.addWidget(self.hint)
        whole.addWidget(self.add_button)
        self.add_button.clicked.connect(self._on_add)
        explain(
            self.add_button,
            self.tr("Varies another setting too; all combinations are tried."),
        )

    @property
    def rows(self) -> Sequence[SpaceRow]:
        """The rows, from top to bottom."""
        return self._rows

    def set_rows(self, rows: Sequence[Row]) -> None:
        """Show other rows."""
        for row in list(self._rows):
            self._take(row)
        for each in rows:
            self._append(each)

    def offer_fields(self, fields: Sequence[str]) -> None:
        """List these fields in every row."""
        self._fields = list(fields)
        self._offer()

    def offer_networks(self, names: Sequence[str]) -> None:
        """List these networks besides those of the gallery, where networks vary."""
        self._networks = list(names)
        self._offer()

    def keep_fields(self, there: Sequence[str]) -> None:
        """Only values can be changed; `there` are those of each row so far."""
        for row, values in zip(self._rows, there, strict=True):
            row.keep_field(values)
        self.add_button.hide()

    def dimensions(self) -> tuple[Dimension, ...] | None:
        """What varies, or None while something is wrong; says beside the rows what."""
        found, problems = dimensions_of([row.row() for row in self._rows])
        for row, wrong in zip(self._rows, problems, strict=True):
            row.show_problems(wrong)
        empty = "" if self._rows else self.tr("Add a field that is to vary.")
        self.hint.show_text(empty, "help")
        return None if any(problems) or not self._rows else found

    def show_problems(self, problems: Sequence[Problem]) -> list[Problem]:
        """Show what was found elsewhere beside the rows it is about; gives back the rest."""
        names = [row.field_box.field for row in self._rows]
        for row, name in zip(self._rows, names, strict=True):
            row.show_problems([each for each in problems if each.where == name])
        return [each for each in problems if each.where not in names]

    def _offer(self) -> None:
        for row in self._rows:
            row.offer(self._fields, self._networks)

    def _append(self, row: Row) -> SpaceRow:
        made = SpaceRow(self._theme, self)
        made.offer(self._fields, self._networks)
        made.show_row(row)
        made.changed.connect(self.changed)
        made.removed.connect(partial(self._on_removed, made))
        self._rows.append(made)
        self._column.addWidget(made)
        return made

    def _take(self, row: SpaceRow) -> None:
        self._rows.remove(row)
        self._column.removeWidget(row)
        row.hide()
        row.deleteLater()

    def _on_add(self) -> None:
        taken = {row.field_box.field for row in self._rows}
        wanted = [FIRST_FIELD, "batch_size", *self._fields]
        name = next(each for each in wanted if each not in taken)
        made = self._append(Row(name, scale=usual_scale(name)))
        made.field_box.setFocus()
        self.changed.emit()

    def _on_removed(self, row: SpaceRow) -> None:
        self._take(row)
        self.changed.emit()
