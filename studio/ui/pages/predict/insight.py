"""Why the model said that: a heat map over the picture."""

from __future__ import annotations

import threading
from functools import partial
from pathlib import Path

from PySide6.QtCore import QObject, Signal

from studio.engine.errors import StudioError
from studio.ui.bridge.run_choices import RunChoice
from studio.ui.context import AppContext
from studio.ui.pages.predict.classifier import Classifier
from studio.ui.pages.predict.insight_work import Heat, heat_map
from studio.ui.pages.predict.state import Failure, failure_of

_Key = tuple[Path, str, str]


class Insight(QObject):
    """Asks for the heat map of the picture that is shown and answered, while that is switched on.

    Signals:
        heat_changed: There is another heat map, or none.
    """

    heat_changed = Signal()

    def __init__(
        self, context: AppContext, classifier: Classifier, parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self._context = context
        self._classifier = classifier
        self._model: RunChoice | None = None
        self._picture: Path | None = None
        self._output = ""
        self._wants_heat = False
        self._heat_for: _Key | None = None
        self._heat_ended = threading.Event()
        self.heat: Heat | Failure | None = None
        context.background.closing.connect(self._end)

    def want(self, *, heat: bool) -> None:
        """Switch it on or off."""
        self._wants_heat = heat
        self._ask()

    def show_picture(self, model: RunChoice | None, picture: Path | None, output: str) -> None:
        """Explain another picture, or none; only one that has an answer.

        Args:
            model: Whose answer is explained.
            picture: File of the picture.
            output: Name of the class, label or quantity that is explained.
        """
        self._model, self._picture, self._output = model, picture, output
        self._ask()

    def show_output(self, output: str) -> None:
        """Explain another class, label or quantity."""
        self._output = output
        self._ask()

    def _key(self) -> _Key | None:
        if self._model is None or self._picture is None:
            return None
        return self._picture, self._model.id, self._output

    def _ask(self) -> None:
        heat = self._key() if self._wants_heat else None
        if heat != self._heat_for:
            self._heat_for, self.heat = heat, None
            self._ask_heat()
            self.heat_changed.emit()

    def _ask_heat(self) -> None:
        self._heat_ended.set()
        if self._heat_for is None or self._model is None:
            return
        self._heat_ended = ended = threading.Event()
        work = partial(self._heat_work, self._model, self._heat_for, ended)
        done = partial(self._on_heat, self._heat_for)
        self._context.background.run(self, work, done, done)

    def _heat_work(self, model: RunChoice, key: _Key, ended: threading.Event) -> Heat | None:
        picture, _, output = key
        return heat_map(self._context, self._classifier.source(model), picture, output, ended)

    def _on_heat(self, key: _Key, found: Heat | BaseException | None) -> None:
        if key != self._heat_for:
            return
        self.heat = self._told(found) if isinstance(found, BaseException) else found
        self.heat_changed.emit()

    def _told(self, error: BaseException) -> Failure:
        if not isinstance(error, StudioError):
            self._context.navigator.show_failure(error)
        return failure_of(error)

    def _end(self) -> None:
        self._heat_ended.set()
