"""What every tab of a report is."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from studio.ui.context import AppContext
from studio.ui.pages.evaluation.work import Opened


class ReportTab(QWidget):
    """Shows a part of a report.

    Signals:
        images_wanted: A sentence, and the places of images in the answers.
        failed: Something could not be written; carries the `StudioError`.
    """

    images_wanted = Signal(str, object)
    failed = Signal(object)

    def __init__(self, context: AppContext, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.context = context
        self.opened: Opened | None = None

    @classmethod
    def title(cls) -> str:
        """The word on the tab."""
        raise NotImplementedError

    def show_opened(self, opened: Opened) -> None:
        """Show another report."""
        self.opened = opened
        self.refresh()

    def refresh(self) -> None:
        """Show what there is in `opened`."""
        raise NotImplementedError
