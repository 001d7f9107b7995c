"""The answers of further models below the page's own: a name, a time and bars for each."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Final

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QLabel, QVBoxLayout, QWidget

from studio.engine.inference.questions import Prediction
from studio.ui.bridge.run_choices import RunChoice
from studio.ui.pages.predict import messages
from studio.ui.pages.predict.state import Failure, task_of
from studio.ui.tasks import view_of
from studio.ui.theme.theme import Theme
from studio.ui.theme.tokens import SPACE
from studio.ui.widgets.bars import ScoreBars
from studio.ui.widgets.buttons import icon_button
from studio.ui.widgets.labels import ElidedLabel

_SHOWN: Final = 3


class ModelAnswer(QWidget):
    """What one further model says.

    Signals:
        closed: It is not to be asked any more.
    """

    closed = Signal()

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.title = ElidedLabel("", self)
        self.title.setProperty("role", "section")
        self.close_button = icon_button("close", "", theme, parent=self)
        self.line = QLabel(self)
        self.line.setProperty("role", "caption")
        self.line.setWordWrap(True)
        self.bars = ScoreBars(theme, self, is_small=True)
        head = QHBoxLayout()
        head.setSpacing(SPACE.xs)
        head.addWidget(self.title, 1)
        head.addWidget(self.close_button)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(SPACE.xs)
        column.addLayout(head)
        column.addWidget(self.bars)
        column.addWidget(self.line)
        self.close_button.clicked.connect(self._on_close)

    def show_answer(self, model: RunChoice, answer: Prediction | Failure | None) -> None:
        """Show who answered what; None while it is waited for."""
        self.title.setText(model.name)
        word = self.tr("Do not ask {model}").format(model=model.name)
        self.close_button.setToolTip(word)
        self.close_button.setAccessibleName(word)
        view = view_of(task_of(model)).answer
        lines = view.lines(answer)[:_SHOWN] if isinstance(answer, Prediction) else []
        self.bars.set_lines(lines)
        self.bars.setVisible(bool(lines))
        self.line.setText(messages.beside_line(answer))

    def _on_close(self) -> None:
        self.closed.emit()


class ModelAnswers(QWidget):
    """One `ModelAnswer` for each model; takes no room while there is none.

    Signals:
        removed: The place of the model that is not to be asked any more.
    """

    removed = Signal(int)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._rows: list[ModelAnswer] = []
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 0, 0, 0)
        self._column.setSpacing(SPACE.m)
        self.hide()

    def show_answers(
        self, answers: Sequence[tuple[RunChoice, Prediction | Failure | None]]
    ) -> None:
        """Show these, in their order."""
        while len(self._rows) < len(answers):
            row = ModelAnswer(self._theme, self)
            row.closed.connect(partial(self._on_closed, len(self._rows)))
            self._rows.append(row)
            self._column.addWidget(row)
        for place, row in enumerate(self._rows):
            row.setVisible(place < len(answers))
        for row, (model, answer) in zip(self._rows, answers, strict=False):
            row.show_answer(model, answer)
        self.setVisible(bool(answers))

    def rows(self) -> list[ModelAnswer]:
        """Those that can be seen."""
        return [row for row in self._rows if not row.isHidden()]

    def _on_closed(self, place: int) -> None:
        self.removed.emit(place)
