"""Asks the engine host about a drawing: newest wins, one question at a time."""

from __future__ import annotations

from concurrent.futures import Future
from functools import partial
from typing import Final

from PySide6.QtCore import QObject, Signal

from studio.engine.inference.questions import examine
from studio.engine.jobs.host import EngineHost
from studio.engine.networks.spec import Examination, NetworkSpec
from studio.ui.bridge.background import Background
from studio.ui.widgets.layout import Debounce

PAUSE_MS: Final = 120
"""A change that comes sooner than this after another is asked about together with it."""


class Examiner(QObject):
    """Keeps an examination of the newest drawing.

    Signals:
        answered: An `Examination` came for the drawing as it is now.
        failed: There is none; carries the exception.
        asked: The figures on show are out of date from now on.
    """

    answered = Signal(object)
    failed = Signal(object)
    asked = Signal()

    def __init__(
        self, engine: EngineHost, background: Background, parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self._engine = engine
        self._background = background
        self._wanted: NetworkSpec | None = None
        self._sent: NetworkSpec | None = None
        self._busy = False
        self._timer = Debounce(PAUSE_MS, self._send, self)

    @property
    def is_busy(self) -> bool:
        """Whether an answer is still to come."""
        return self._busy or self._timer.isActive()

    def look(self, spec: NetworkSpec) -> None:
        """Ask about a drawing, unless it is the one last asked about but for places and notes."""
        wanted = spec.model_copy(update={"positions": {}, "comments": ()})
        if wanted == self._wanted:
            return
        self._wanted = wanted
        self.asked.emit()
        self._timer.start()

    def forget(self) -> None:
        """Ask the next time, whatever was asked before."""
        self._wanted = None

    def again(self) -> None:
        """Ask once more, after a failure."""
        if self._wanted is not None and not self.is_busy:
            self.asked.emit()
            self._timer.start()

    def _send(self) -> None:
        if self._busy or self._wanted is None:
            return
        self._busy = True
        self._sent = self._wanted
        # Writing a large network down and starting the host take a moment.
        ask = partial(examine, self._engine, self._wanted)
        self._background.run(self, ask, self._follow, self._on_failure)

    def _follow(self, answer: Future[Examination]) -> None:
        self._background.follow(self, answer, self._on_answer, self._on_failure)

    def _on_answer(self, answer: Examination) -> None:
        self._busy = False
        if self._sent != self._wanted:
            self._send()
            return
        self.answered.emit(answer)

    def _on_failure(self, error: BaseException) -> None:
        self._busy = False
        if self._sent != self._wanted:
            self._send()
            return
        self.failed.emit(error)
