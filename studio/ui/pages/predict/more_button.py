"""Further ways in: the web, the webcam, a region of the screen."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QMenu, QToolButton, QWidget

from studio.ui.pages.predict import multimedia, screen_picker
from studio.ui.theme.icons import set_icon
from studio.ui.theme.theme import Theme


class MoreButton(QToolButton):
    """Opens a menu; what cannot be used now says why.

    Signals:
        address_requested: Classify a picture of the web.
        camera_requested: Classify what the webcam shows.
        screen_requested: Classify a region of the screen.
    """

    address_requested = Signal()
    camera_requested = Signal()
    screen_requested = Signal()

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("kind", "quiet")
        set_icon(self, "more", theme)
        self.setToolTip(self.tr("Web, webcam, screen"))
        self.setAccessibleName(self.tr("More ways to choose a picture"))
        self.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        menu = QMenu(self)
        menu.setToolTipsVisible(True)
        self.web_action = menu.addAction(self.tr("From the web…"))
        self.camera_action = menu.addAction(self.tr("Webcam…"))
        self.screen_action = menu.addAction(self.tr("Region of the screen"))
        self.setMenu(menu)
        menu.aboutToShow.connect(self.refresh)
        self.web_action.triggered.connect(self._on_web)
        self.camera_action.triggered.connect(self._on_camera)
        self.screen_action.triggered.connect(self._on_screen)

    def refresh(self) -> None:
        """See what can be used now."""
        _explain(self.camera_action, multimedia.missing())
        _explain(self.screen_action, screen_picker.unavailable())

    def _on_web(self) -> None:
        self.address_requested.emit()

    def _on_camera(self) -> None:
        self.camera_requested.emit()

    def _on_screen(self) -> None:
        self.screen_requested.emit()


def _explain(action: QAction, reason: str) -> None:
    action.setEnabled(not reason)
    action.setToolTip(reason)
