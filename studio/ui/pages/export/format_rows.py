"""The export formats as rows: what each is good for, and what is known of it."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QSize, Signal
from PySide6.QtWidgets import QButtonGroup, QHBoxLayout, QLabel, QRadioButton, QVBoxLayout, QWidget

from studio.engine.exporting.certificate import Certificate
from studio.engine.exporting.formats import FORMATS, ExportFormat
from studio.ui.pages.export import messages
from studio.ui.theme.icons import pixmap
from studio.ui.theme.theme import Theme
from studio.ui.theme.tokens import ICON_SMALL, SPACE
from studio.ui.widgets.hint_label import HintLabel

_INDENT = 24


class FormatRow(QWidget):
    """One format: a button to choose it, its use, and the figures of its newest file."""

    def __init__(self, theme: Theme, wanted: ExportFormat, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.format = wanted
        self._theme = theme
        self.missing = wanted.missing()
        self.button = QRadioButton(wanted.label, self)
        self.button.setAccessibleDescription(wanted.summary)
        self._summary = HintLabel(wanted.summary, parent=self)
        self._tick = QLabel(self)
        self._tick.setFixedSize(QSize(ICON_SMALL, ICON_SMALL))
        self._figures = HintLabel(parent=self)
        self._problem = HintLabel(parent=self)
        if self.missing:
            self.button.setEnabled(False)
            text = messages.format_problem(wanted, self.missing)
            self.button.setToolTip(text)
            self._problem.show_text(text, "advice")
        self._lay_out()
        theme.changed.connect(self._draw)
        self._draw()
        self.show_certificate(None)

    def show_certificate(self, certificate: Certificate | None) -> None:
        """Show what was measured on the newest file of the chosen run in this format."""
        self._figures.show_text(messages.format_figures(certificate))
        self._tick.setVisible(certificate is not None)

    def figures(self) -> str:
        """What is shown of that."""
        return self._figures.text()

    def _lay_out(self) -> None:
        figures = QHBoxLayout()
        figures.setSpacing(SPACE.xs)
        figures.addWidget(self._tick)
        figures.addWidget(self._figures, 1)
        words = QVBoxLayout()
        words.setContentsMargins(_INDENT, 0, 0, 0)
        words.setSpacing(SPACE.xs)
        words.addWidget(self._summary)
        words.addLayout(figures)
        words.addWidget(self._problem)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(SPACE.xs)
        column.addWidget(self.button)
        column.addLayout(words)

    def _draw(self) -> None:
        self._tick.setPixmap(pixmap("check", self._theme, "good", ICON_SMALL))


class FormatRows(QWidget):
    """All formats; one that can be written here is chosen.

    Signals:
        changed: Another format was chosen.
    """

    changed = Signal()

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._group = QButtonGroup(self)
        self.rows = [FormatRow(theme, each, self) for each in FORMATS]
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(SPACE.m)
        for row in self.rows:
            self._group.addButton(row.button)
            column.addWidget(row)
        usable = next((row for row in self.rows if not row.missing), None)
        if usable is not None:
            usable.button.setChecked(True)
        self._group.buttonToggled.connect(self._on_toggled)
        self.setAccessibleName(self.tr("Format"))

    def chosen(self) -> str:
        """Name of the chosen format; empty when none can be written here."""
        return next((row.format.name for row in self.rows if row.button.isChecked()), "")

    def show_certificates(self, newest: Callable[[str], Certificate | None]) -> None:
        """Show the figures of each format; `newest` gives them by its name."""
        for row in self.rows:
            row.show_certificate(newest(row.format.name))

    def _on_toggled(self, *_: object) -> None:
        self.changed.emit()
