"""The export formats as rows: what each is good for, its precisions, and what is known of it."""

from __future__ import annotations

from collections.abc import Callable, Collection

from PySide6.QtCore import QSignalBlocker, Signal
from PySide6.QtWidgets import QCheckBox, QLabel, QVBoxLayout, QWidget

from studio.engine.exporting.certificate import Certificate
from studio.engine.exporting.formats import FORMATS, ExportFormat, Variant
from studio.ui.engine_text import plan_text
from studio.ui.pages.export import messages
from studio.ui.theme.tokens import SPACE
from studio.ui.widgets.labels import HintLabel
from studio.ui.widgets.layout import FlowLayout


class FormatRow(QWidget):
    """One format: a box per precision, its use, and the figures of its newest file.

    Signals:
        changed: Another precision was chosen.
    """

    changed = Signal()

    def __init__(self, wanted: ExportFormat, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.format = wanted
        self.missing = wanted.missing()
        self.boxes = {each: self._box(each) for each in wanted.precisions}
        self._figures = HintLabel(parent=self)
        self._problem = HintLabel(parent=self)
        if self.missing:
            self._problem.show_text(messages.format_problem(wanted, self.missing), "advice")
        self._lay_out()
        self.show_certificate(None)

    def chosen(self) -> list[str]:
        """The variants that are ticked, as in plans."""
        name = self.format.name
        return [f"{name}:{each}" for each, box in self.boxes.items() if box.isChecked()]

    def tick(self, *, is_ticked: bool) -> None:
        """Choose all precisions that can be written here, or none."""
        for box in self.boxes.values():
            with QSignalBlocker(box):
                box.setChecked(is_ticked and box.isEnabled())
        self.changed.emit()

    def show_certificate(self, certificate: Certificate | None) -> None:
        """Show what was measured on the newest file of the chosen run in this format."""
        self._figures.show_text(messages.format_figures(certificate))

    def figures(self) -> str:
        """What is shown of that."""
        return self._figures.text()

    def _box(self, precision: str) -> QCheckBox:
        variant = Variant.parse(f"{self.format.name}:{precision}")
        box = QCheckBox(messages.precision_word(precision), self)
        box.setAccessibleName(variant.label)
        box.setToolTip(messages.precision_help(precision))
        if self.missing:
            box.setEnabled(False)
            box.setToolTip(messages.format_problem(self.format, self.missing))
        box.toggled.connect(self._on_toggled)
        return box

    def _on_toggled(self, _is_checked: bool) -> None:
        self.changed.emit()

    def _lay_out(self) -> None:
        label = QLabel(plan_text(self.format.label), self)
        label.setEnabled(not self.missing)
        boxes = QWidget(self)
        flow = FlowLayout(boxes, SPACE.m)
        for box in self.boxes.values():
            flow.addWidget(box)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(SPACE.xs)
        column.addWidget(label)
        column.addWidget(HintLabel(plan_text(self.format.summary), parent=self))
        column.addWidget(boxes)
        column.addWidget(self._figures)
        column.addWidget(self._problem)


class FormatRows(QWidget):
    """All formats; the first that can be written here is ticked.

    Signals:
        changed: Other formats were chosen.
    """

    changed = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.rows = [FormatRow(each, self) for each in FORMATS]
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(SPACE.m)
        usable = next((row for row in self.rows if not row.missing), None)
        if usable is not None:
            next(iter(usable.boxes.values())).setChecked(True)
        for row in self.rows:
            column.addWidget(row)
            row.changed.connect(self.changed)
        self.setAccessibleName(self.tr("Format"))

    def chosen(self) -> list[str]:
        """The chosen variants, as in plans; none when nothing is ticked."""
        return [name for row in self.rows for name in row.chosen()]

    def choose(self, variants: Collection[str]) -> None:
        """Tick these variants, as in plans, and no others."""
        for row in self.rows:
            for precision, box in row.boxes.items():
                box.setChecked(f"{row.format.name}:{precision}" in variants and box.isEnabled())

    def tick_all(self, *, is_ticked: bool) -> None:
        """Choose every way to hand a model on that can be written here, or none."""
        for row in self.rows:
            row.tick(is_ticked=is_ticked and row.format.is_model)

    def show_certificates(self, newest: Callable[[str], Certificate | None]) -> None:
        """Show the figures of each format; `newest` gives them by its name."""
        for row in self.rows:
            row.show_certificate(newest(row.format.name))
