"""The bars of an answer; a wrong one is put right by one click beside the class that is true."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from functools import partial

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QToolButton, QVBoxLayout, QWidget

from studio.ui.theme.theme import Theme
from studio.ui.theme.tokens import SPACE
from studio.ui.widgets.bars import BarLine, ScoreBars
from studio.ui.widgets.buttons import icon_button
from studio.ui.widgets.labels import apart


class AnswerBars(QWidget):
    """A bar for each likely class, and behind each but the first a check mark.

    Signals:
        chosen: The class that the picture has after all.
    """

    chosen = Signal(str)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._shown: tuple[object, ...] = ()
        self._names: list[str] = []
        self._rooms: list[QWidget] = []
        self.bars = ScoreBars(theme, self)
        self.checks: list[QToolButton] = []
        self._column = QVBoxLayout()
        self._column.setSpacing(0)
        self._column.addSpacing(self.bars.row_height)  # the first is what is wrong
        self._column.addStretch(1)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(SPACE.s)
        row.addWidget(self.bars, 1, Qt.AlignmentFlag.AlignTop)
        row.addLayout(self._column)

    def show_answer(
        self, lines: Sequence[BarLine], classes: Collection[str], corrected: str
    ) -> None:
        """Show the lines of an answer, that of the likeliest class first.

        Args:
            lines: Of the classes, labels or values.
            classes: Those that a picture can be given instead; a guess may be none of them.
            corrected: What was chosen for this picture already, or empty.
        """
        shown = tuple(lines), tuple(classes), corrected
        if shown == self._shown:
            return
        self._shown = shown
        self.bars.set_lines(lines)
        self._names = [line.name for line in lines[1:]]
        while len(self.checks) < len(self._names):
            self._add_check()
        for place, (check, room) in enumerate(zip(self.checks, self._rooms, strict=True)):
            name = self._names[place] if place < len(self._names) else ""
            room.setVisible(bool(name))
            check.setVisible(not corrected and name in classes)
            words = self.tr("It is {label}: put it into the review queue").format(
                label=apart(name)
            )
            check.setToolTip(words)
            check.setAccessibleName(words)

    def _add_check(self) -> None:
        # A row keeps its height while its button is hidden.
        room = QWidget(self)
        room.setFixedHeight(self.bars.row_height)
        check = icon_button("check", "", self._theme, parent=room)
        check.clicked.connect(partial(self._on_check, len(self.checks)))
        inside = QVBoxLayout(room)
        inside.setContentsMargins(0, 0, 0, 0)
        inside.addWidget(check, 0, Qt.AlignmentFlag.AlignTop)
        self._column.insertWidget(len(self.checks) + 1, room)
        self.checks.append(check)
        self._rooms.append(room)

    def _on_check(self, place: int, _checked: bool = False) -> None:
        self.chosen.emit(self._names[place])
