"""Figures as rows of a name and a value, for inspector and strip."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QGridLayout, QLabel, QWidget

from studio.engine.networks.spec import Shape
from studio.ui.pages.networks.designer.items import size_text
from studio.ui.theme.tokens import SPACE
from studio.ui.widgets.figures import NO_VALUE, count, size

Row = tuple[str, str, str]
"""Name, value, explanation."""


class Facts(QWidget):
    """A table without lines."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._grid = QGridLayout(self)
        self._grid.setContentsMargins(0, 0, 0, 0)
        self._grid.setHorizontalSpacing(SPACE.m)
        self._grid.setVerticalSpacing(SPACE.xs)
        self._grid.setColumnStretch(1, 1)
        self._labels: list[tuple[QLabel, QLabel]] = []

    def show_rows(self, rows: Sequence[Row], *, stale: bool) -> None:
        """Show figures; stale ones are gray."""
        while len(self._labels) < len(rows):
            name, value = QLabel(self), QLabel(self)
            name.setProperty("role", "muted")
            value.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
            value.setFocusPolicy(Qt.FocusPolicy.NoFocus)
            value.setAlignment(Qt.AlignmentFlag.AlignRight)
            value.setWordWrap(True)
            line = len(self._labels)
            self._grid.addWidget(name, line, 0, Qt.AlignmentFlag.AlignTop)
            self._grid.addWidget(value, line, 1)
            self._labels.append((name, value))
        self.setVisible(bool(rows))
        for at, (name, value) in enumerate(self._labels):
            shown = at < len(rows)
            name.setVisible(shown)
            value.setVisible(shown)
            if shown:
                name.setText(rows[at][0])
                value.setText(rows[at][1])
                value.setEnabled(not stale)
                for label in (name, value):
                    label.setToolTip(rows[at][2])

    def text(self) -> str:
        """All that is shown, for tests and screen readers."""
        return "\n".join(
            f"{name.text()}: {value.text()}"
            for name, value in self._labels
            if name.isVisibleTo(self)
        )


def shapes_text(shapes: Sequence[Shape]) -> str:
    """Several shapes, one per line."""
    return "\n".join(size_text(shape) for shape in shapes) or NO_VALUE


def large(number: int) -> str:
    """A large number in three digits: 1.24 M; small ones are written out."""
    for unit, size_of_unit in (("G", 10**9), ("M", 10**6)):
        if number >= size_of_unit:
            digits = 2 if number < 10 * size_of_unit else 1
            return f"{number / size_of_unit:.{digits}f} {unit}"
    return count(number)


def memory_text(number_of_bytes: int) -> str:
    """Memory of what a layer gives out, for one image."""
    return size(number_of_bytes)
