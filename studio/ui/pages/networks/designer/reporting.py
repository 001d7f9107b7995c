"""Brings what the engine host finds to the drawing and the strip."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject

from studio.engine.errors import StudioError
from studio.engine.networks.hints import Hint, hints
from studio.engine.networks.spec import Examination
from studio.ui.pages.networks.designer import edits
from studio.ui.pages.networks.designer.advice import hint_lines, problem_lines, sentence
from studio.ui.pages.networks.designer.strip import Line

if TYPE_CHECKING:
    from studio.ui.pages.networks.designer.designer import Designer

MOST_HINTS = 6


class Reporting(QObject):
    """Keeps strip and canvas up to date, and lets the hints of the strip act."""

    def __init__(self, designer: Designer) -> None:
        super().__init__(designer)
        self._designer = designer
        self._failure: BaseException | None = None
        self._hints: list[Hint] = []
        self._lines: list[Line] = []
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
        self._hints = hints(drawing.spec, answer.network)[:MOST_HINTS]
        self._lines = [
            *problem_lines(answer, edits.ids_of(drawing.spec)),
            *hint_lines(self._hints, self.tr("Do it")),
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

    def _failure_line(self, error: BaseException) -> Line:
        text = self.tr("Shapes cannot be computed: the engine failed.")
        if isinstance(error, StudioError):
            text = sentence(error.message, error.hint)
        return Line("failure", "", text, self.tr("Try again"))

    def _state(self) -> str:
        drawing = self._designer.drawing
        if self._failure is not None:
            return self.tr("No figures")
        if drawing.is_stale:
            return self.tr("Computing…")
        problems = drawing.examination.problems if drawing.examination else ()
        serious = sum(problem.serious for problem in problems)
        if serious:
            return self.tr("{0} to put right").format(serious)
        return self.tr("Ready to train")

    def _why_not(self) -> str:
        examination = self._designer.drawing.examination
        if examination is not None and not examination.works:
            return self.tr("Put right what the strip below lists first.")
        return ""

    def _choose(self, node_id: str) -> None:
        self._designer.drawing.reveal(node_id)
        self._designer.view.jump(node_id)
        self._designer.view.setFocus()

    def _act(self, at: int) -> None:
        """Ask again after a failure, or do what a hint says."""
        if self._failure is not None:
            self._failure = None
            self._designer.examiner.again()
            return
        hint = self._hints[at - (len(self._lines) - len(self._hints))]
        drawing = self._designer.drawing
        drawing.change(hint.apply(drawing.spec), self.tr("Take a hint"))
        drawing.select(node for node in hint.nodes if node in edits.ids_of(drawing.spec))
