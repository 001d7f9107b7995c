"""Predictions of further models for the same picture."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Final

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QMenu, QPushButton, QWidget

from studio.engine.errors import StudioError
from studio.engine.inference.models import ModelSource
from studio.engine.inference.predicting import predict_all
from studio.engine.inference.requests import ImagePrediction
from studio.engine.inference.sources import Picture
from studio.ui.bridge.request import PartSender, Request
from studio.ui.bridge.run_choices import MAX_LISTED, RunChoice, RunChoices
from studio.ui.bridge.run_chooser import RunChooser, find_run
from studio.ui.context import AppContext
from studio.ui.pages.predict import messages
from studio.ui.pages.predict.pictures import Failure, failure_of, scores_requested
from studio.ui.shared.part_views import bar_lines
from studio.ui.theme.icons import set_icon
from studio.ui.theme.theme import Theme
from studio.ui.theme.tokens import SPACE
from studio.ui.widgets.bars import ScoreBars
from studio.ui.widgets.buttons import icon_button
from studio.ui.widgets.labels import ElidedLabel
from studio.ui.widgets.layout import hbox, text_label, vbox
from studio.ui.widgets.tips import name_control

_MOST_MODELS: Final = 4
"""Models that are compared, the page's own among them; the engine keeps as many loaded."""
_MOST_CACHED: Final = 500
_LINES: Final = 3
_Result = ImagePrediction | Failure


class ModelComparison(QObject):
    """Asks the chosen models one after the other, each once per picture.

    Signals:
        changed: Other models were chosen, another picture is shown, or a model has predicted it.
    """

    changed = Signal()

    def __init__(
        self,
        context: AppContext,
        source: Callable[[RunChoice], ModelSource],
        parent: QObject | None = None,
    ) -> None:
        """Make it; `source` returns the model of a run and is called in other threads."""
        super().__init__(parent)
        self._context = context
        self._source = source
        self._models: list[RunChoice] = []
        self._picture: Path | None = None
        self._results: dict[tuple[Path, str], _Result] = {}
        self._request = Request(context.background, self)

    @property
    def models(self) -> list[RunChoice]:
        """The models beside the page's own."""
        return list(self._models)

    @property
    def is_full(self) -> bool:
        """True if no further model can be compared."""
        return len(self._models) >= _MOST_MODELS - 1

    def set_models(self, models: Sequence[RunChoice]) -> None:
        """Set the models to compare, up to the maximum number."""
        self._models = list(models)[: _MOST_MODELS - 1]
        self._ask()
        self.changed.emit()

    def set_compared(self, model: RunChoice, compared: bool) -> None:
        """Compare a model as well, or no longer."""
        others = [each for each in self._models if each.id != model.id]
        self.set_models([*others, model] if compared else others)

    def show_picture(self, picture: Path | None) -> None:
        """Ask about a picture, or about none."""
        if picture != self._picture:
            self._picture = picture
            self._ask()
            self.changed.emit()

    def forget(self) -> None:
        """Ask again: thresholds of the models may have changed."""
        if self._results:
            self._results.clear()
            self._ask()
            self.changed.emit()

    def results(self) -> list[tuple[RunChoice, _Result | None]]:
        """Return the prediction of each model for the picture; None while it is computed."""
        if self._picture is None:
            return []
        return [(model, self._results.get((self._picture, model.id))) for model in self._models]

    def _ask(self) -> None:
        self._request.drop()
        picture = self._picture
        if picture is None:
            return
        # A model that failed is asked again when the picture is shown again.
        self._results = {
            key: result
            for key, result in self._results.items()
            if key[0] == picture or not isinstance(result, Failure)
        }
        missing = [model for model in self._models if (picture, model.id) not in self._results]
        if not missing:
            return
        while len(self._results) > _MOST_CACHED:
            self._results.pop(next(iter(self._results)))
        work = partial(self._predict, picture, missing)
        self._request.stream(work, partial(self._on_result, picture))

    def _predict(
        self,
        picture: Path,
        models: Sequence[RunChoice],
        sender: PartSender[tuple[str, _Result]],
    ) -> None:
        """In another thread: ask each model; the failure of one does not concern the others."""
        for model in models:
            report = partial(_report_result, sender.send, model.id)
            listener = PredictionListener(report, sender.is_cancelled)
            try:
                source = self._source(model)
                pictures, top = [Picture(picture)], scores_requested(source)
                predict_all(self._context.engine, source, pictures, listener, top)
            except StudioError as error:
                sender.send((model.id, failure_of(error)))

    def _on_result(self, picture: Path, part: tuple[str, _Result]) -> None:
        model, result = part
        self._results[picture, model] = result
        self.changed.emit()


def _report_result(
    report: Callable[[tuple[str, _Result]], None],
    model: str,
    part: tuple[ImagePrediction, ...] | float | None,
) -> None:
    """Report the only prediction; the own model of the page reports progress and a restart."""
    if isinstance(part, tuple):
        report((model, part[0]))


class PredictionListener:
    """Reports from the requesting thread.

    Predictions, the finished fraction of a large picture, or None for a restart of the engine.

    Attributes:
        is_cancelled: Returns True if the predictions are no longer needed.
    """

    def __init__(
        self,
        report: Callable[[tuple[ImagePrediction, ...] | float | None], None],
        is_cancelled: Callable[[], bool],
    ) -> None:
        self._report = report
        self.is_cancelled = is_cancelled

    def received(self, predictions: Sequence[ImagePrediction]) -> None:
        """Report the next predictions."""
        self._report(tuple(predictions))

    def restarted(self) -> None:
        """Report that the engine died and was started again."""
        self._report(None)

    def advanced(self, fraction: float) -> None:
        """Report the finished fraction of a large picture."""
        self._report(fraction)


class CompareButton(QPushButton):
    """Opens a menu of the other runs; the checked ones predict as well."""

    def __init__(
        self,
        context: AppContext,
        chooser: RunChooser,
        comparison: ModelComparison,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._jobs = context.jobs
        self._chooser = chooser
        self._comparison = comparison
        self.setText(self.tr("Compare"))
        self.setToolTip(self.tr("Show the predictions of other models for the same image"))
        self.setProperty("kind", "normal")
        self.setAutoDefault(False)
        set_icon(self, "sweeps", context.theme)
        self._menu = QMenu(self)
        self._menu.setToolTipsVisible(True)
        self._menu.aboutToShow.connect(self.fill)
        self.setMenu(self._menu)
        chooser.changed.connect(self._on_model)

    def choices(self) -> list[RunChoice]:
        """Return the runs in the menu: the compared ones, and the newest."""
        return self._offered(RunChoices.of(self._jobs))

    def fill(self) -> list[str]:
        """Put the runs into the menu and return their names."""
        self._menu.clear()
        compared = {model.id for model in self._comparison.models}
        is_full = self._comparison.is_full
        runs = RunChoices.of(self._jobs)
        for choice in self._offered(runs):
            # An & would underline the letter behind it.
            action = self._menu.addAction(choice.name.replace("&", "&&"))
            action.setCheckable(True)
            action.setChecked(choice.id in compared)
            if is_full and choice.id not in compared:
                action.setEnabled(False)
                tip = self.tr("At most {count} models at a time.").format(count=_MOST_MODELS)
                action.setToolTip(tip)
            action.toggled.connect(partial(self._comparison.set_compared, choice))
        if not self._menu.actions():
            self._menu.addAction(self.tr("There is no other run with a model")).setEnabled(False)
        if len(runs) > MAX_LISTED:
            self._menu.addSeparator()
            another = self._menu.addAction(self.tr("Another run…"))
            another.setEnabled(not is_full)
            another.triggered.connect(self._on_another)
        return [action.text() for action in self._menu.actions() if not action.isSeparator()]

    def _offered(self, runs: RunChoices) -> list[RunChoice]:
        compared = self._comparison.models
        ids = {model.id for model in compared}
        newest = runs.first(MAX_LISTED)
        offered = [*compared, *(each for each in newest if each.id not in ids)]
        return [choice for choice in offered if self._can_be_asked(choice)]

    def _can_be_asked(self, choice: RunChoice) -> bool:
        current = self._chooser.choice()
        return choice.is_usable and (current is None or choice.id != current.id)

    def _on_another(self, _checked: bool = False) -> None:
        find_run(self._jobs, self, self._on_found)

    def _on_found(self, choice: RunChoice) -> None:
        if self._can_be_asked(choice):
            self._comparison.set_compared(choice, True)

    def _on_model(self, _choice: RunChoice | None) -> None:
        """Drop the page's own model and deleted runs, and take renamed ones."""
        runs = RunChoices.of(self._jobs)
        now = [runs.get(model.id) for model in self._comparison.models]
        choices = [choice for choice in now if choice is not None and self._can_be_asked(choice)]
        if choices != self._comparison.models:
            self._comparison.set_models(choices)


class ModelPredictions(QWidget):
    """The predictions of the compared models; takes no room while there is none."""

    def __init__(
        self, comparison: ModelComparison, theme: Theme, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._comparison = comparison
        self._theme = theme
        self._rows: list[ModelPrediction] = []
        self._column = vbox(owner=self, spacing=SPACE.m)
        self.hide()
        comparison.changed.connect(self._refresh)

    def rows(self) -> list[ModelPrediction]:
        """Return the visible ones."""
        return [row for row in self._rows if not row.isHidden()]

    def _refresh(self) -> None:
        results = self._comparison.results()
        while len(self._rows) < len(results):
            row = ModelPrediction(self._theme, self)
            row.close_button.clicked.connect(partial(self._on_closed, len(self._rows)))
            self._rows.append(row)
            self._column.addWidget(row)
        for index, row in enumerate(self._rows):
            row.setVisible(index < len(results))
        for row, (model, result) in zip(self._rows, results, strict=False):
            row.show_prediction(model, result)
        self.setVisible(bool(results))

    def _on_closed(self, index: int, _checked: bool = False) -> None:
        self._comparison.set_compared(self._comparison.models[index], False)


class ModelPrediction(QWidget):
    """The prediction of one further model: a name, bars, and a time."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.title = ElidedLabel("", self, role="section")
        self.close_button = icon_button("close", "", theme, parent=self)
        self.line = text_label("", "caption", self, wraps=True)
        self.bars = ScoreBars(theme, self, is_small=True)
        head = hbox((self.title, 1), self.close_button, spacing=SPACE.xs)
        vbox(head, self.bars, self.line, owner=self, spacing=SPACE.xs)

    def show_prediction(self, model: RunChoice, result: _Result | None) -> None:
        """Show the prediction of a model; None while it is computed."""
        self.title.setText(model.name)
        text = self.tr("Remove {model} from the comparison").format(model=model.name)
        name_control(self.close_button, text)
        lines = bar_lines(result)[:_LINES] if isinstance(result, ImagePrediction) else []
        self.bars.set_lines(lines)
        self.bars.setVisible(bool(lines))
        self.line.setText(messages.comparison_line(result))
