"""Examination of a drawing by the engine host, and the strip that shows what it finds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Final

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtWidgets import (
    QPushButton,
    QScrollArea,
    QWidget,
)

from studio.engine.errors import StudioError
from studio.engine.inference.requests import examine
from studio.engine.jobs.host import EngineHost
from studio.engine.networks import edits
from studio.engine.networks.edits import CLASSES
from studio.engine.networks.hints import Hint, hints
from studio.engine.networks.spec import Examination, NetworkSpec
from studio.ui.bridge.background import Background
from studio.ui.language import sentence, translated
from studio.ui.theme.theme import Theme
from studio.ui.theme.tokens import ICON_SMALL, SPACE, Role
from studio.ui.widgets.buttons import push_button
from studio.ui.widgets.figures import count, large, percent, size
from studio.ui.widgets.labels import ElidedLabel, IconLabel
from studio.ui.widgets.layout import Debounce, hbox, scrolled, text_label, vbox
from studio.ui.widgets.tips import allow

if TYPE_CHECKING:
    from studio.ui.pages.networks.designer.designer import Designer


PAUSE_MS: Final = 120
"""A change that comes sooner than this after another is asked about together with it."""


class DrawingExaminer(QObject):
    """Keeps an examination of the newest drawing.

    Signals:
        answered: An `Examination` of the current drawing arrived.
        failed: It could not be made; carries the exception.
        asked: The displayed figures are now out of date.
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
        self._requested: NetworkSpec | None = None
        self._sent: NetworkSpec | None = None
        self._busy = False
        self._timer = Debounce(PAUSE_MS, self._send, self)

    @property
    def is_busy(self) -> bool:
        """True while an examination is pending."""
        return self._busy or self._timer.isActive()

    def inspect(self, spec: NetworkSpec) -> None:
        """Examine a drawing, unless only positions and notes have changed."""
        requested = spec.model_copy(update={"positions": {}, "comments": ()})
        if requested == self._requested:
            return
        self._requested = requested
        self.asked.emit()
        self._timer.start()

    def forget(self) -> None:
        """Examine the next drawing even if it has not changed."""
        self._requested = None

    def retry(self) -> None:
        """Examine again after a failure."""
        if self._requested is not None and not self.is_busy:
            self.asked.emit()
            self._timer.start()

    def _send(self) -> None:
        if self._busy or self._requested is None:
            return
        self._busy = True
        self._sent = self._requested
        ask = partial(examine, self._engine, self._requested)
        self._background.ask(self, ask, self._on_answer, self._on_failure)

    def _on_answer(self, answer: Examination) -> None:
        if self._is_last():
            self.answered.emit(answer)

    def _on_failure(self, error: BaseException) -> None:
        if self._is_last():
            self.failed.emit(error)

    def _is_last(self) -> bool:
        """Return True if nothing else was requested meanwhile; otherwise send the request."""
        self._busy = False
        if self._sent == self._requested:
            return True
        self._send()
        return False


def problem_lines(examination: Examination, known: set[str]) -> list[ReportLine]:
    """Return a line for each problem, serious ones first."""
    problems = sorted(examination.problems, key=lambda problem: not problem.serious)
    return [
        ReportLine(
            "problem" if problem.serious else "advice",
            problem.node if problem.node in known else "",
            sentence(problem.message, problem.hint),
        )
        for problem in problems
        if problem.node != CLASSES
    ]


def hint_lines(hints: list[Hint], action: str) -> list[ReportLine]:
    """Return a line for each hint, with a button that applies it where that can be done."""
    return [
        ReportLine("hint", hint.nodes[0], translated(hint.text), action if hint.change else "")
        for hint in hints
    ]


_ROW: Final = 28
_SHOWN: Final = 2
"""Lines that there is room for, always: the canvas must not move under a hand that draws. More
are scrolled to."""


@dataclass(frozen=True, slots=True)
class ReportLine:
    """One entry of the list.

    Attributes:
        kind: `problem`, `advice`, `hint` or `failure`.
        node: Id of the layer that it belongs to; empty for the whole.
        text: The text.
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
        self._lines: tuple[ReportLine, ...] = ()
        self.rows: list[StripRow] = []
        self.totals = ElidedLabel(parent=self)
        self.state = text_label("", "caption", self)
        self._list = QWidget()
        margins = (SPACE.m, 0, SPACE.m, SPACE.xs)
        self._column = vbox(owner=self._list, spacing=0, margins=margins)
        self._column.setAlignment(Qt.AlignmentFlag.AlignTop)
        self._scroll = QScrollArea(self)
        scrolled(self._scroll, self._list)
        self._scroll.setFixedHeight(_ROW * _SHOWN + SPACE.s)
        self._nothing = text_label("", "caption", self._list)
        self._nothing.setFixedHeight(_ROW)
        self._nothing.setIndent(SPACE.xs)
        self._column.addWidget(self._nothing)
        margins = (SPACE.l, SPACE.s, SPACE.l, SPACE.s)
        top = hbox((self.totals, 1), self.state, spacing=SPACE.l, margins=margins)
        self.state.setMinimumHeight(self.totals.sizeHint().height())
        vbox(top, self._scroll, owner=self, spacing=0)

    def show_totals(self, examination: Examination | None, *, stale: bool) -> None:
        """Show the figures of the whole network; outdated ones are gray."""
        self.totals.setEnabled(not stale)
        if examination is None:
            self.totals.setText("")
            self._nothing.setText("")
            return
        self._nothing.setText(self.tr("No problems found."))
        network = examination.network
        words = self.tr("{0} parameters")
        if not examination.works:
            words = self.tr("{0} parameters so far")
        parts = [
            words.format(count(network.parameters)),
            self.tr("{0} trainable").format(percent(network.trainable_share, 0)),
            self.tr("{0} multiply-adds per image").format(large(network.multiply_adds)),
            self.tr("{0} of activations per image").format(size(network.memory)),
        ]
        self.totals.setText("  ·  ".join(parts))

    def show_lines(self, lines: Sequence[ReportLine], state: str) -> None:
        """Show problems and hints; the height stays the same."""
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
            row.acted.connect(partial(self.acted.emit, at))
            self._column.addWidget(row)
            self.rows.append(row)

    def let_act(self, *, now: bool) -> None:
        """Enable the buttons of the lines; disabled while the figures are out of date."""
        for row in self.rows:
            if row.action_button is not None:
                allow(row.action_button, "" if now else self.tr("Shapes are being computed"))

    def texts(self) -> list[str]:
        """Return the text of each line."""
        return [f"{line.node}: {line.text}" if line.node else line.text for line in self._lines]


class StripRow(QWidget):
    """One line: icon, layer, text, button."""

    chosen = Signal(str)
    acted = Signal()

    def __init__(self, line: ReportLine, theme: Theme, parent: QWidget) -> None:
        super().__init__(parent)
        self._line = line
        self.setFixedHeight(_ROW)
        icon = IconLabel(theme, *_ICONS[line.kind], ICON_SMALL, self)
        icon.setFixedSize(ICON_SMALL, ICON_SMALL)
        self.text = ElidedLabel(line.text, self)
        row = hbox(icon, owner=self, spacing=SPACE.s, margins=(SPACE.xs, 0, SPACE.xs, 0))
        if line.node:
            tip = self.tr("Show this layer")
            self.node_button = push_button(
                line.node, theme, kind="quiet", tip=tip, on_click=self._choose
            )
            self.node_button.setStyleSheet("padding: 1px 6px; min-height: 18px; font-weight: 600;")
            self.node_button.setAccessibleName(self.tr("Show {0}").format(line.node))
            row.addWidget(self.node_button)
        row.addWidget(self.text, 1)
        self.action_button: QPushButton | None = None
        if line.action:
            self.action_button = push_button(line.action, theme, parent=self)
            self.action_button.setStyleSheet("padding: 1px 10px; min-height: 18px;")
            self.action_button.setAccessibleName(f"{line.action}: {line.text}")
            self.action_button.clicked.connect(self.acted)
            row.addWidget(self.action_button)

    def mouseReleaseEvent(self, event: object) -> None:
        """Show the layer on a click anywhere."""
        del event
        self._choose()

    def _choose(self) -> None:
        if self._line.node:
            self.chosen.emit(self._line.node)


MAX_HINTS = 6


class Reporting(QObject):
    """Keeps strip and canvas up to date, and lets the hints of the strip act."""

    def __init__(self, designer: Designer) -> None:
        super().__init__(designer)
        self._designer = designer
        self._failure: BaseException | None = None
        self._hints: list[Hint] = []
        self._lines: list[ReportLine] = []
        examiner = designer.examiner
        examiner.asked.connect(self._on_asked)
        examiner.answered.connect(self._on_answer)
        examiner.failed.connect(self._on_failure)
        designer.strip.chosen.connect(self._choose)
        designer.strip.acted.connect(self._act)

    def _on_asked(self) -> None:
        self._designer.drawing.show_examination(None, stale=True)
        self._show()

    def _on_answer(self, answer: Examination) -> None:
        self._failure = None
        drawing = self._designer.drawing
        drawing.show_examination(answer, stale=False)
        self._hints = hints(drawing.spec, answer.network)[:MAX_HINTS]
        self._lines = [
            *problem_lines(answer, edits.ids_of(drawing.spec)),
            *hint_lines(self._hints, self.tr("Apply")),
        ]
        self._show()

    def _on_failure(self, error: BaseException) -> None:
        self._failure = error
        self._show()

    def _show(self) -> None:
        designer = self._designer
        drawing, strip = designer.drawing, designer.strip
        strip.show_totals(drawing.examination, stale=drawing.is_stale)
        failed = self._failure
        lines = self._lines if failed is None else [self._failure_line(failed)]
        strip.show_lines(lines, self._state())
        strip.let_act(now=failed is not None or not drawing.is_stale)
        designer.toolbar.show_train(reason=self._why_not())

    def _failure_line(self, error: BaseException) -> ReportLine:
        text = self.tr("Shapes cannot be computed: the engine failed.")
        if isinstance(error, StudioError):
            text = sentence(error.message, error.hint)
        return ReportLine("failure", "", text, self.tr("Try again"))

    def _state(self) -> str:
        drawing = self._designer.drawing
        if self._failure is not None:
            return self.tr("No figures")
        if drawing.is_stale:
            return self.tr("Computing…")
        problems = drawing.examination.problems if drawing.examination else ()
        serious = sum(problem.serious for problem in problems)
        if serious:
            return self.tr("1 error") if serious == 1 else self.tr("{0} errors").format(serious)
        return self.tr("Ready to train")

    def _why_not(self) -> str:
        examination = self._designer.drawing.examination
        if examination is not None and not examination.works:
            return self.tr("Fix the errors listed below first.")
        return ""

    def _choose(self, node_id: str) -> None:
        self._designer.drawing.reveal(node_id)
        self._designer.view.jump(node_id)
        self._designer.view.setFocus()

    def _act(self, at: int) -> None:
        """Examine again after a failure, or apply a hint."""
        if self._failure is not None:
            self._failure = None
            self._designer.examiner.retry()
            return
        hint = self._hints[at - (len(self._lines) - len(self._hints))]
        drawing = self._designer.drawing
        drawing.change(hint.apply(drawing.spec), self.tr("Apply a hint"))
        drawing.select(node for node in hint.nodes if node in edits.ids_of(drawing.spec))
