"""The strip below the canvas: totals, what is wrong and where, and what could be better."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QHBoxLayout,
    QLabel,
    QPushButton,
    QScrollArea,
    QVBoxLayout,
    QWidget,
)

from studio.engine.networks.spec import Examination
from studio.ui.pages.networks.designer.facts import large, memory_text
from studio.ui.theme.icons import pixmap
from studio.ui.theme.theme import Theme
from studio.ui.theme.tokens import ICON_SMALL, SPACE, Role
from studio.ui.widgets.button import push_button
from studio.ui.widgets.elided_label import ElidedLabel
from studio.ui.widgets.figures import count, percent

_ROW: Final = 28
_SHOWN: Final = 2
"""Lines that there is room for, always: the canvas must not move under a hand that draws. More
are scrolled to."""


@dataclass(frozen=True, slots=True)
class Line:
    """One entry of the list.

    Attributes:
        kind: `problem`, `advice`, `hint` or `failure`.
        node: Id of the layer that it belongs to; empty for the whole.
        text: What is to be said.
        action: Word on its button; no button when empty.
    """

    kind: str
    node: str
    text: str
    action: str = ""


_ICONS: Final[dict[str, tuple[str, Role]]] = {
    "problem": ("error", "bad"),
    "advice": ("warning", "warn"),
    "hint": ("hint", "accent"),
    "failure": ("lost", "bad"),
}


class Strip(QWidget):
    """Totals and a short list.

    Signals:
        chosen: A line was pressed: id of its layer.
        acted: The button of a line was pressed: its place in the list.
    """

    chosen = Signal(str)
    acted = Signal(int)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._lines: tuple[Line, ...] = ()
        self.rows: list[StripRow] = []
        self.totals = ElidedLabel(parent=self)
        self.state = QLabel(self)
        self.state.setProperty("role", "caption")
        self._list = QWidget()
        self._list.setProperty("plain", True)
        self._column = QVBoxLayout(self._list)
        self._column.setContentsMargins(SPACE.m, 0, SPACE.m, SPACE.xs)
        self._column.setSpacing(0)
        self._column.setAlignment(Qt.AlignmentFlag.AlignTop)
        self._scroll = QScrollArea(self)
        self._scroll.setWidget(self._list)
        self._scroll.setWidgetResizable(True)
        self._scroll.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self._scroll.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._scroll.setFixedHeight(_ROW * _SHOWN + SPACE.s)
        self._nothing = QLabel(self._list)
        self._nothing.setProperty("role", "caption")
        self._nothing.setFixedHeight(_ROW)
        self._nothing.setIndent(SPACE.xs)
        self._column.addWidget(self._nothing)
        top = QHBoxLayout()
        top.setContentsMargins(SPACE.l, SPACE.s, SPACE.l, SPACE.s)
        top.setSpacing(SPACE.l)
        top.addWidget(self.totals, 1)
        top.addWidget(self.state)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        self.state.setMinimumHeight(self.totals.sizeHint().height())
        column.addLayout(top)
        column.addWidget(self._scroll)
        theme.changed.connect(self._paint_icons)

    def show_totals(self, examination: Examination | None, *, stale: bool) -> None:
        """Show the figures of the whole network; stale ones are gray."""
        self.totals.setEnabled(not stale)
        if examination is None:
            self.totals.setText("")
            self._nothing.setText("")
            return
        self._nothing.setText(self.tr("Nothing to put right, and no hints."))
        network = examination.network
        words = (
            self.tr("{0} parameters") if examination.works else self.tr("{0} parameters so far")
        )
        parts = [
            words.format(count(network.parameters)),
            self.tr("{0} of them learn").format(percent(network.trainable_share, 0)),
            self.tr("{0} multiply-adds per image").format(large(network.multiply_adds)),
            self.tr("{0} of outputs per image").format(memory_text(network.memory)),
        ]
        self.totals.setText("  ·  ".join(parts))

    def show_lines(self, lines: Sequence[Line], state: str) -> None:
        """Show what is wrong and what could be better, in the same room however much it is."""
        self.state.setText(state)
        self._nothing.setVisible(not lines)
        if tuple(lines) == self._lines:
            return
        self._lines = tuple(lines)
        for row in self.rows:
            row.setParent(None)
            row.deleteLater()
        self.rows = []
        for at, line in enumerate(lines):
            row = StripRow(line, self._theme, self._list)
            row.chosen.connect(self.chosen)
            row.acted.connect(self._act)
            row.setProperty("at", at)
            self._column.addWidget(row)
            self.rows.append(row)

    def let_act(self, *, now: bool) -> None:
        """Whether the buttons of the lines act; not while the figures are out of date."""
        for row in self.rows:
            if row.action_button is not None:
                row.action_button.setEnabled(now)
                row.action_button.setToolTip("" if now else self.tr("Shapes are being computed"))

    def texts(self) -> list[str]:
        """What the list says, line by line."""
        return [f"{line.node}: {line.text}" if line.node else line.text for line in self._lines]

    def _act(self) -> None:
        row = self.sender()
        if isinstance(row, StripRow):
            self.acted.emit(int(row.property("at")))

    def _paint_icons(self) -> None:
        for row in self.rows:
            row.paint_icon()


class StripRow(QWidget):
    """One line: icon, layer, text, button."""

    chosen = Signal(str)
    acted = Signal()

    def __init__(self, line: Line, theme: Theme, parent: QWidget) -> None:
        super().__init__(parent)
        self._line = line
        self._theme = theme
        self.setFixedHeight(_ROW)
        self._icon = QLabel(self)
        self._icon.setFixedSize(ICON_SMALL, ICON_SMALL)
        self.text = ElidedLabel(line.text, self)
        row = QHBoxLayout(self)
        row.setContentsMargins(SPACE.xs, 0, SPACE.xs, 0)
        row.setSpacing(SPACE.s)
        row.addWidget(self._icon)
        if line.node:
            self.node_button = push_button(line.node, theme, kind="quiet", parent=self)
            self.node_button.setStyleSheet("padding: 1px 6px; min-height: 18px; font-weight: 600;")
            self.node_button.setToolTip(self.tr("Show this layer"))
            self.node_button.setAccessibleName(self.tr("Show {0}").format(line.node))
            self.node_button.clicked.connect(self._choose)
            row.addWidget(self.node_button)
        row.addWidget(self.text, 1)
        self.action_button: QPushButton | None = None
        if line.action:
            self.action_button = push_button(line.action, theme, parent=self)
            self.action_button.setStyleSheet("padding: 1px 10px; min-height: 18px;")
            self.action_button.setAccessibleName(f"{line.action}: {line.text}")
            self.action_button.clicked.connect(self.acted)
            row.addWidget(self.action_button)
        self.paint_icon()

    def paint_icon(self) -> None:
        """Draw the icon in the color of now."""
        name, role = _ICONS[self._line.kind]
        self._icon.setPixmap(pixmap(name, self._theme, role, ICON_SMALL))

    def mouseReleaseEvent(self, event: object) -> None:
        """A press anywhere shows the layer."""
        del event
        self._choose()

    def _choose(self) -> None:
        if self._line.node:
            self.chosen.emit(self._line.node)
