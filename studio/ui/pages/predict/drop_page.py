"""A page that takes drops everywhere, and says over itself what would happen."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QMimeData, Qt
from PySide6.QtGui import QDragEnterEvent, QDragLeaveEvent, QDropEvent, QResizeEvent
from PySide6.QtWidgets import QLabel, QWidget

from studio.ui.context import AppContext
from studio.ui.pages.page import Page
from studio.ui.pages.predict.incoming import has_something
from studio.ui.widgets.drop_area import local_paths


class DropPage(Page):
    """Base of the prediction page; knows drags, not predictions."""

    def __init__(self, context: AppContext, parent: QWidget | None = None) -> None:
        super().__init__(context, parent)
        self._drop_hint = QLabel(self)
        self._drop_hint.setObjectName("dropOverlay")
        self._drop_hint.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self._drop_hint.setWordWrap(True)
        self._drop_hint.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self._drop_hint.hide()
        self.setAcceptDrops(True)

    def image_offer(self) -> str:
        """What dropping a picture without a file would do; empty: nothing."""
        return ""

    def take_data(self, data: QMimeData | None) -> bool:
        """Do what was offered for a drag; False when nothing came of it."""
        del data
        return False

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        """Say what dropping would do, anywhere on the page."""
        data = event.mimeData()
        text = ""
        if has_something(data):
            paths: list[Path] = local_paths(data)
            text = self.drop_offer(paths) if paths else self.image_offer()
        if text:
            self._hint(text)
            event.acceptProposedAction()
        else:
            event.ignore()

    def dragLeaveEvent(self, event: QDragLeaveEvent) -> None:
        """What was dragged has left."""
        self._hint("")
        super().dragLeaveEvent(event)

    def dropEvent(self, event: QDropEvent) -> None:
        """Take files, folders, or a picture from a browser."""
        self._hint("")
        if self.take_data(event.mimeData()):
            event.acceptProposedAction()
        else:
            event.ignore()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Keep the sentence over the page."""
        super().resizeEvent(event)
        self._drop_hint.setGeometry(self.rect())

    def _hint(self, text: str) -> None:
        self._drop_hint.setText(text)
        self._drop_hint.setVisible(bool(text))
        self._drop_hint.raise_()
