"""Assistance: a model that learns in the background, the order of pictures, expected accuracy."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from functools import partial
from typing import Final

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QWidget

from studio.engine.errors import StudioError
from studio.engine.labeling.assist import Assistant
from studio.engine.labeling.ordering import Order, ordered
from studio.engine.labeling.propagate import propagated
from studio.engine.labeling.proposals import MIN_LABELS, AssistStatus, Proposal
from studio.ui.bridge.request import PartSender, Request
from studio.ui.charts.axes import AxisScale
from studio.ui.charts.figure import Figure, FigureChart, FigureLine
from studio.ui.language import translated
from studio.ui.pages.label.run_proposals import ProposerBox, RunProposals
from studio.ui.pages.label.session import LabelSession
from studio.ui.theme.tokens import SPACE
from studio.ui.widgets.buttons import push_button
from studio.ui.widgets.figures import count, counted
from studio.ui.widgets.inputs import ComboBox
from studio.ui.widgets.labels import HintLabel
from studio.ui.widgets.layout import Debounce, text_label, vbox
from studio.ui.widgets.tips import explain

_PAUSE_MS: Final = 700
"""After a decision, until the model learns again."""
_EARLY: Final = MIN_LABELS // 2
"""Labels from which on features are computed, so that they are ready for the first proposals."""
_CHART_HEIGHT: Final = 190


class AssistRunner(QObject):
    """Lets an assistant learn in another thread whenever labels changed.

    After each decision it learns at once on the features that are known, so that the other
    proposals follow; after a pause it computes missing features and the expected accuracy.

    Args:
        session: The labeling; gets each `AssistStatus`, and the order of pictures.

    Attributes:
        assistant: The assistant; None before it was needed.

    Signals:
        failed: Text of an error; empty once it has learned again.
    """

    failed = Signal(str)

    def __init__(self, session: LabelSession) -> None:
        super().__init__(session)
        self._session = session
        self.assistant: Assistant | None = None
        self._guard = threading.Lock()
        background = session.context.background
        self._learning = Request(background, self)
        self._relearning = Request(background, self)
        self._searching = Request(background, self)
        self._sorting = Request(background, self)
        self._is_stale = False
        self._is_outdated = False
        self._is_stopped = False
        self.order: Order = "random"
        self._pause = Debounce(_PAUSE_MS, self._start, self)
        if session.labeling.editor.learner is not None:
            session.labels_changed.connect(self._on_changed)
            session.items_changed.connect(self._pause.start)
            background.closing.connect(self.stop)
            self._pause.start()

    def obtain(self) -> Assistant:
        """Return the assistant, made if there is none; not in the window's thread."""
        with self._guard:
            if self.assistant is None:
                context, labeling = self._session.context, self._session.labeling
                self.assistant = Assistant(labeling, context.workspace, context.engine)
            return self.assistant

    def propagate(
        self,
        sources: Sequence[int],
        done: Callable[[list[Proposal]], None],
        failed: Callable[[], None],
    ) -> None:
        """Find the unlabeled pictures that are most like labeled ones.

        Args:
            sources: The labeled pictures whose labels are proposed for others.
            done: Called with the proposals, the most similar first.
            failed: Called if that fails; the error is shown.
        """
        work = partial(self._propagate, list(sources))
        on_error = partial(self._on_not_propagated, failed)
        self._searching.stream(work, done, failed=on_error)

    def _on_not_propagated(self, failed: Callable[[], None], error: BaseException) -> None:
        failed()
        self._on_error(error)

    def set_order(self, order: Order) -> None:
        """Show the undecided pictures in another order; see `ordering.ordered`."""
        self.order = order
        self._reorder()
        self._pause.start()

    def stop(self) -> None:
        """Learn no more."""
        self._is_stopped = True
        self._pause.stop()
        self._learning.stop()
        self._searching.stop()

    def _on_changed(self, _items: object) -> None:
        self._relearn()
        self._pause.start()

    def _relearn(self) -> None:
        assistant = self.assistant
        if assistant is None or self._is_stopped:
            return
        if self._relearning.is_running or self._learning.is_running:
            self._is_outdated = True
            return
        self._is_outdated = False
        self._relearning.run(assistant.relearn, self._on_relearned, self._on_error)

    def _on_relearned(self, status: AssistStatus) -> None:
        self._take(status)
        if self._is_outdated:
            self._relearn()
        elif self.order == "uncertainty":
            self._reorder()

    def _start(self) -> None:
        needs = self._session.labeling.labeled_count >= _EARLY or self.order == "diversity"
        if self._is_stopped or not needs:
            return
        if self._learning.is_running:
            self._is_stale = True
            return
        self._is_stale = False
        self._learning.stream(self._learn, self._take, self._on_done, self._on_error)

    def _take(self, status: AssistStatus) -> None:
        self.failed.emit("")
        self._session.set_assist(status)

    def _on_done(self, _nothing: object) -> None:
        self._reorder()
        if self._is_outdated:
            self._relearn()
        if self._is_stale:
            self._pause.start()

    def _on_error(self, error: BaseException) -> None:
        if isinstance(error, StudioError):
            self.failed.emit(translated(error.message))
        else:
            self._session.context.navigator.show_failure(error)

    def _reorder(self) -> None:
        self._sorting.run(self._ordered, self._session.set_order)

    # In other threads.

    def _learn(self, sender: PartSender[AssistStatus]) -> None:
        """Learn until the assistant knows all labels."""
        assistant = self.obtain()
        while not sender.is_cancelled():
            status = assistant.update()
            sender.send(status)
            if status.is_current:
                return

    def _propagate(self, sources: Sequence[int], sender: PartSender[list[Proposal]]) -> None:
        """Compute the features that are missing, and report proposals."""
        assistant = self.obtain()
        assistant.finish(sender.is_cancelled)
        if not sender.is_cancelled():
            sender.send(propagated(assistant.labeling, assistant.features(), sources))

    def _ordered(self) -> list[int]:
        """Return the unlabeled pictures in the chosen order."""
        session, assistant = self._session, self.assistant
        features = None if assistant is None else assistant.features()
        return ordered(session.labeling, self.order, session.assist, features, session.seed)


class AssistPanel(QWidget):
    """Order of the pictures, what the model does, and the expected accuracy.

    Signals:
        review_requested: Show the certain proposals in the grid.
    """

    review_requested = Signal()

    def __init__(
        self,
        session: LabelSession,
        runner: AssistRunner,
        run_proposals: RunProposals,
        parent: QWidget,
    ) -> None:
        super().__init__(parent)
        self._session = session
        self._runner = runner
        self._run_proposals = run_proposals
        self._has_room = True
        theme = session.context.theme
        self.order = self._order_box()
        self.proposer = ProposerBox(session, run_proposals, self)
        self.state = text_label("", "caption", self, wraps=True)
        self.problem = HintLabel("", "problem", self)
        self.chart = FigureChart(theme, self)
        self.chart.setFixedHeight(_CHART_HEIGHT)
        self.chart.hide()
        self.sentence = HintLabel("", parent=self)
        tip = self.tr("Shows them in the grid, to accept many at once.")
        text = self.tr("Review certain proposals")
        self.review_button = push_button(text, theme, icon="check", parent=self, tip=tip)
        self.review_button.clicked.connect(self.review_requested)
        self.review_button.hide()
        upper = (self.order, self.proposer, self.state, self.problem, self.review_button)
        vbox(*upper, self.chart, self.sentence, owner=self, spacing=SPACE.s)
        self.order.currentIndexChanged.connect(self._on_order)
        for signal in (session.assisted, session.labels_changed, run_proposals.changed):
            signal.connect(self._show)
        runner.failed.connect(self.problem.show_text)
        self._show()

    def _order_box(self) -> ComboBox:
        orders = [
            (self.tr("Random order"), "random"),
            (self.tr("Least certain first"), "uncertainty"),
            (self.tr("Most different first"), "diversity"),
            (self.tr("As they were added"), "order"),
        ]
        # No model learns boxes and masks from a few pictures.
        offered = orders[::3] if self._session.is_drawn else orders
        box = ComboBox(self, self.tr("Order of the images"), offered)
        tip = self.tr(
            "Order of the images. The least certain ones teach the model most; the most "
            "different ones show all kinds of images early."
        )
        explain(box, tip)
        return box

    def _on_order(self) -> None:
        self._runner.set_order(self.order.currentData())

    def _show(self, _change: object = None) -> None:
        status = self._session.assist
        self.state.setText(self._state(status))
        self.state.setVisible(bool(self.state.text()))
        has_grid = self._session.labeling.editor.gives_classes
        found = self._session.open_status()
        certain = self._session.acceptable(found, 1)
        self.review_button.setVisible(has_grid and bool(certain))
        self._show_curve(status)

    def _state(self, status: AssistStatus) -> str:
        labels = self._session.labeling.labeled_count
        if self._session.uses_run or self._session.is_drawn:
            return self._run_proposals.text
        proposals = self._session.open_status().proposals
        if proposals:
            one = self.tr("1 proposal from {labels} labels")
            many = self.tr("{n} proposals from {labels} labels")
            return counted(len(proposals), one, many).format(labels=count(status.labels))
        if labels < MIN_LABELS:
            return self.tr("A model proposes labels after {n} more.").format(
                n=count(MIN_LABELS - labels)
            )
        if status.total and status.done < status.total:
            return self.tr("Preparing images: {done} of {total}").format(
                done=count(status.done), total=count(status.total)
            )
        return translated(status.reason)

    def set_has_room(self, has_room: bool) -> None:
        """Show the chart, or its sentence alone if there is no room for it.

        Args:
            has_room: True if there is room.
        """
        if has_room != self._has_room:
            self._has_room = has_room
            self._show_curve(self._session.assist)

    def _show_curve(self, status: AssistStatus) -> None:
        points = status.curve.points
        self.chart.setVisible(len(points) > 1 and self._has_room)
        self.sentence.show_text(status.curve.sentence)
        if len(points) < 2:
            return
        most = max(each.labels for each in points)
        dots = [(float(each.labels), each.score) for each in points]
        band = [(each.score - each.spread, each.score + each.spread) for each in points]
        line = FigureLine("", dots, dots=True, band=band)
        across, up = (
            AxisScale(self.tr("Labels"), 0.0, float(most)),
            AxisScale("", 0.0, 1.0, percent=True),
        )
        self.chart.show_figure(Figure(self.tr("Expected accuracy"), across, up, [line]))
