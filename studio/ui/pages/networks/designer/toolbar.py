"""The bar above the canvas."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QMenu, QToolButton, QWidget

from studio.ui.pages.networks.designer.actions import Actions
from studio.ui.theme.icons import set_icon
from studio.ui.theme.theme import Theme
from studio.ui.theme.tokens import ICON, SPACE
from studio.ui.widgets.button import icon_button, push_button
from studio.ui.widgets.elided_label import ElidedLabel

_WIDE = 1200


class Toolbar(QWidget):
    """Back, name, what can be done, and "Train this".

    Signals:
        left: Back to all networks.
    """

    left = Signal()

    def __init__(self, actions: Actions, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._actions = actions
        self._theme = theme
        self._menus: list[QToolButton] = []
        self.back = icon_button("back", self.tr("Back to all networks"), theme, parent=self)
        self.back.clicked.connect(self.left)
        self.title = ElidedLabel(parent=self)
        self.title.setProperty("role", "section")
        self.scale = QToolButton(self)
        self._row = QHBoxLayout(self)
        self._row.setContentsMargins(SPACE.m, SPACE.s, SPACE.m, SPACE.s)
        self._row.setSpacing(2)
        self._row.addWidget(self.back)
        self._row.addSpacing(SPACE.xs)
        self._row.addWidget(self.title, 1)
        self._add_buttons("undo", "redo")
        self._add_line()
        self._add_buttons("add", "find", "freeze")
        self._add_menu(
            "layout",
            self.tr("Arrange"),
            ("down", "right", "", "fold", "unfold", "", "group", "ungroup", "expand", "", "note"),
        )
        self._add_line()
        self._add_buttons("zoom_out")
        self._add_scale()
        self._add_buttons("zoom_in", "fit")
        self._add_line()
        self._add_menu(
            "file",
            self.tr("File"),
            (
                "new",
                "open_known",
                "open",
                "",
                "save_as",
                "revert",
                "",
                "png",
                "svg",
                "json",
                "code",
            ),
        )
        self._add_buttons("save")
        self._row.addSpacing(SPACE.s)
        self.train = push_button(self.tr("Train this"), theme, kind="primary", parent=self)
        set_icon(self.train, "train", theme, "on_accent")
        self.train.clicked.connect(actions["train"].trigger)
        self._row.addWidget(self.train)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """In a wide window the menus show their names."""
        both, icon = (
            Qt.ToolButtonStyle.ToolButtonTextBesideIcon,
            Qt.ToolButtonStyle.ToolButtonIconOnly,
        )
        for button in self._menus:
            button.setToolButtonStyle(both if self.width() >= _WIDE else icon)
        super().resizeEvent(event)

    def show_title(self, name: str, *, dirty: bool) -> None:
        """Show what is drawn, and whether it is kept."""
        self.title.setText(f"{name} •" if dirty else name)
        self.title.setAccessibleName(self.tr("{0}, not saved").format(name) if dirty else name)

    def show_scale(self, scale: float) -> None:
        """Show how large everything is."""
        self.scale.setText(f"{scale * 100:.0f} %")

    def show_train(self, *, reason: str) -> None:
        """Let it be trained, or say why not."""
        self.train.setEnabled(not reason)
        self.train.setToolTip(reason or self.tr("Start a run with this network"))

    def _add_buttons(self, *names: str) -> None:
        for name in names:
            button = QToolButton(self)
            button.setProperty("kind", "quiet")
            button.setDefaultAction(self._actions[name])
            button.setAccessibleName(self._actions[name].text())
            button.setIconSize(QSize(ICON, ICON))
            button.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
            self._row.addWidget(button)

    def _add_menu(self, icon: str, text: str, names: tuple[str, ...]) -> None:
        button = icon_button(icon, text, self._theme, role="text", parent=self)
        button.setText(text)
        self._menus.append(button)
        menu = QMenu(button)
        for name in names:
            if name:
                menu.addAction(self._actions[name])
            else:
                menu.addSeparator()
        button.setMenu(menu)
        button.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self._row.addWidget(button)

    def _add_scale(self) -> None:
        self.scale.setProperty("kind", "quiet")
        self.scale.setAccessibleName(self._actions["zoom_one"].text())
        self._actions["zoom_one"].changed.connect(self._tell_scale_keys)
        self._tell_scale_keys()
        self.scale.setFixedWidth(64)
        self.scale.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.scale.clicked.connect(self._actions["zoom_one"].trigger)
        self._row.addWidget(self.scale)

    def _tell_scale_keys(self) -> None:
        self.scale.setToolTip(self._actions["zoom_one"].toolTip())

    def _add_line(self) -> None:
        line = QFrame(self)
        line.setFixedSize(1, 20)
        line.setStyleSheet("background: palette(mid);")
        self._row.addSpacing(SPACE.xs)
        self._row.addWidget(line)
        self._row.addSpacing(SPACE.xs)
