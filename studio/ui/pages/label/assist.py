"""Assistance: a model that learns in the background, the order of pictures, expected accuracy."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Final

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QWidget

from studio.engine.errors import StudioError
from studio.engine.labeling.proposals import FEWEST_LABELS, AssistStatus
from studio.ui.charts.figure import Figure, FigureChart, FigureLine, Scale
from studio.ui.language import translated
from studio.ui.pages.label.session import LabelSession
from studio.ui.theme.tokens import SPACE
from studio.ui.widgets.buttons import push_button
from studio.ui.widgets.figures import count
from studio.ui.widgets.inputs import ComboBox
from studio.ui.widgets.labels import HintLabel
from studio.ui.widgets.layout import Debounce, text_label, vbox
from studio.ui.widgets.tips import explain

if TYPE_CHECKING:
    from studio.engine.labeling.assist import Assistant

_PAUSE_MS: Final = 700
"""After a decision, until the model learns again."""
_EARLY: Final = FEWEST_LABELS // 2
"""Labels from which on features are computed, so that they are ready for the first proposals."""
_CHART_HEIGHT: Final = 190
_KINDS: Final = ("class", "labels", "numbers")


class AssistRunner(QObject):
    """Lets an assistant learn in another thread whenever labels changed.

    Args:
        session: The labeling; gets each `AssistStatus`, and the order of pictures.

    Signals:
        failed: Text of an error.
    """

    failed = Signal(str)

    def __init__(self, session: LabelSession) -> None:
        super().__init__(session)
        self._session = session
        self._assistant: Assistant | None = None
        self._is_running = False
        self._is_stale = False
        self._is_stopped = False
        self.order = "random"
        self._pause = Debounce(_PAUSE_MS, self._start, self)
        if session.labeling.kind in _KINDS:
            session.labels_changed.connect(self._on_changed)
            session.items_changed.connect(self._pause.start)
            session.context.background.closing.connect(self.stop)
            self._pause.start()

    @property
    def assistant(self) -> Assistant | None:
        """The assistant; None before it was needed."""
        return self._assistant

    def set_order(self, order: str) -> None:
        """Show the undecided pictures in another order; see `ordering.ordered`."""
        self.order = order
        self._reorder()
        self._pause.start()

    def stop(self) -> None:
        """Learn no more."""
        self._is_stopped = True
        self._pause.stop()

    def is_stopped(self) -> bool:
        """Return True once it has been stopped; called in the other thread."""
        return self._is_stopped

    def _on_changed(self, _items: object) -> None:
        self._pause.start()

    def _start(self) -> None:
        needs = self._session.labeling.labeled_count >= _EARLY or self.order == "diversity"
        if self._is_stopped or not needs:
            return
        if self._is_running:
            self._is_stale = True
            return
        self._is_running, self._is_stale = True, False
        work = partial(_learn, self)
        background = self._session.context.background
        background.stream(self, work, self._on_status, self._on_done, self._on_failed)

    def _on_status(self, part: tuple[Assistant, AssistStatus]) -> None:
        self._assistant, status = part
        self._session.set_assist(status)

    def _on_done(self, _nothing: object) -> None:
        self._is_running = False
        self._reorder()
        if self._is_stale:
            self._pause.start()

    def _on_failed(self, error: BaseException) -> None:
        self._is_running = False
        if isinstance(error, StudioError):
            self.failed.emit(translated(error.message))
        else:
            self._session.context.navigator.show_failure(error)

    def _reorder(self) -> None:
        work = partial(_ordered, self, self._session)
        self._session.context.background.run(self, work, self._session.set_order)


class AssistPanel(QWidget):
    """Order of the pictures, what the model does, and the expected accuracy.

    Signals:
        review_requested: Show the certain proposals in the grid.
    """

    review_requested = Signal()

    def __init__(self, session: LabelSession, runner: AssistRunner, parent: QWidget) -> None:
        super().__init__(parent)
        self._session = session
        self._runner = runner
        theme = session.context.theme
        self.order = ComboBox(self)
        self.order.setAccessibleName(self.tr("Order of the pictures"))
        for text, key in (
            (self.tr("Random order"), "random"),
            (self.tr("Least certain first"), "uncertainty"),
            (self.tr("Most different first"), "diversity"),
            (self.tr("As they were added"), "order"),
        ):
            self.order.addItem(text, key)
        explain(
            self.order,
            self.tr(
                "Which picture comes next. The least certain ones teach the model most; the most "
                "different ones show all kinds of pictures early."
            ),
        )
        self.state = text_label("", "caption", self, wraps=True)
        self.problem = HintLabel("", parent=self)
        self.chart = FigureChart(theme, self)
        self.chart.setFixedHeight(_CHART_HEIGHT)
        self.chart.hide()
        self.sentence = HintLabel("", parent=self)
        self.review_button = push_button(
            self.tr("Review certain proposals"),
            theme,
            icon="check",
            parent=self,
            tip=self.tr("Shows them in the grid, to accept many at once."),
            on_click=self.review_requested.emit,
        )
        self.review_button.hide()
        vbox(
            self.order,
            self.state,
            self.problem,
            self.review_button,
            self.chart,
            self.sentence,
            owner=self,
            spacing=SPACE.s,
        )
        self.order.currentIndexChanged.connect(self._on_order)
        session.assisted.connect(self._show)
        session.labels_changed.connect(self._on_labels)
        runner.failed.connect(self._on_failed)
        self._show(session.assist)

    def _on_order(self) -> None:
        self._runner.set_order(str(self.order.currentData()))

    def _on_failed(self, text: str) -> None:
        self.problem.show_text(text, "problem")

    def _on_labels(self, _items: object) -> None:
        self._show(self._session.assist)

    def _show(self, status: AssistStatus) -> None:
        labels = self._session.labeling.labeled_count
        proposals = [
            item for item in status.proposals if item not in self._session.labeling.labels
        ]
        if proposals:
            text = self.tr("{n} proposals from {labels} labels").format(
                n=count(len(proposals)), labels=count(status.labels)
            )
        elif labels < FEWEST_LABELS:
            text = self.tr("A model proposes labels after {n} more.").format(
                n=count(FEWEST_LABELS - labels)
            )
        elif status.total and status.done < status.total:
            text = self.tr("Preparing pictures: {done} of {total}").format(
                done=count(status.done), total=count(status.total)
            )
        else:
            text = translated(status.reason)
        self.state.setText(text)
        self.review_button.setVisible(bool(proposals))
        self._show_curve(status)

    def _show_curve(self, status: AssistStatus) -> None:
        points = status.curve.points
        self.chart.setVisible(len(points) > 1)
        self.sentence.show_text(status.curve.sentence)
        if len(points) < 2:
            return
        most = max(each.labels for each in points)
        line = FigureLine(
            "",
            [(float(each.labels), each.score) for each in points],
            dots=True,
            band=[(each.score - each.spread, each.score + each.spread) for each in points],
        )
        figure = Figure(
            self.tr("Expected accuracy"),
            Scale(self.tr("Labels"), 0.0, float(most)),
            Scale("", 0.0, 1.0, percent=True),
            [line],
        )
        self.chart.show_figure(figure)


def _learn(runner: AssistRunner, report: Callable[[object], None]) -> None:
    """Update the assistant until it knows all pictures; in another thread."""
    from studio.engine.labeling.assist import Assistant  # noqa: PLC0415 - imports NumPy

    session = runner._session  # noqa: SLF001 - its own work
    context = session.context
    assistant = runner.assistant or Assistant(session.labeling, context.workspace, context.engine)
    while not runner.is_stopped():
        status = assistant.update()
        report((assistant, status))
        if status.is_current:
            return


def _ordered(runner: AssistRunner, session: LabelSession) -> list[int]:
    from studio.engine.labeling.ordering import ordered  # noqa: PLC0415 - imports NumPy

    assistant = runner.assistant
    features = None if assistant is None else assistant.features()
    order = runner.order
    return ordered(session.labeling, order, session.assist, features, session.seed)  # type: ignore[arg-type]
