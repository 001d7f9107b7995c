"""A page of the window: how many runs of the workspace there are."""

from __future__ import annotations

from PySide6.QtWidgets import QLabel, QVBoxLayout, QWidget

from studio.engine.workspace import RecordKind
from studio.ui.context import AppContext
from studio.ui.pages import PageSpec
from studio.ui.pages.page import Page


class View(Page):
    """Shows the number of runs, counted in another thread."""

    def __init__(self, context: AppContext, parent: QWidget | None = None) -> None:
        super().__init__(context, parent)
        self.text = QLabel(self)
        QVBoxLayout(self).addWidget(self.text)
        context.background.run(self, self._count, self._show)

    def _count(self) -> int:
        return len(list(self.context.workspace.records(RecordKind.RUN)))

    def _show(self, runs: int) -> None:
        self.text.setText(f"{runs} runs in this shift")


PAGE = PageSpec("shift", "Shift", "Ctrl+Alt+S", "clock", package="scanner_plug_ins.shift_page")
