"""The bar above the canvas."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Final

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QAction, QResizeEvent
from PySide6.QtWidgets import QFrame, QMenu, QToolButton, QWidget

from studio.ui.pages.commands import DESIGNER
from studio.ui.shortcuts import Shortcuts
from studio.ui.theme.icons import set_icon
from studio.ui.theme.theme import Theme
from studio.ui.theme.tokens import ICON, SPACE
from studio.ui.widgets.buttons import icon_button, push_button
from studio.ui.widgets.labels import ElidedLabel
from studio.ui.widgets.layout import hbox
from studio.ui.widgets.tips import allow, allow_action

_ON_CANVAS: Final = ("cut", "copy", "paste", "delete", "select_all")
"""Their keys count on the canvas alone, as text fields need them too."""
_IN_WINDOW: Final = ("undo", "redo")
"""Their keys count wherever the focus is while the designer is shown."""


class Actions:
    """The actions by name, each with what it does."""

    def __init__(
        self,
        owner: QWidget,
        canvas: QWidget,
        theme: Theme,
        shortcuts: Shortcuts,
        do: dict[str, Callable[[], object]],
    ) -> None:
        self._by_name: dict[str, QAction] = {}
        self._reasons: dict[str, str] = {}
        for command in DESIGNER:
            name = command.name.removeprefix("designer.")
            action = QAction(command.label(), owner)
            if command.icon:
                set_icon(action, command.icon, theme)
            shortcuts.bind(action, command)
            on_canvas = name in _ON_CANVAS or len(str(command.keys)) == 1
            context = Qt.ShortcutContext
            if on_canvas:
                action.setShortcutContext(context.WidgetShortcut)
            elif name not in _IN_WINDOW:
                action.setShortcutContext(context.WidgetWithChildrenShortcut)
            (canvas if on_canvas else owner).addAction(action)
            action.triggered.connect(do[name])
            self._by_name[name] = action
            action.changed.connect(partial(self._show_tip, name))
            self._show_tip(name)

    def __getitem__(self, name: str) -> QAction:
        return self._by_name[name]

    def allow(self, name: str, reason: str) -> None:
        """Enable an action, or disable it with a reason."""
        self._reasons[name] = reason
        self._show_tip(name)

    def _show_tip(self, name: str) -> None:
        """Update the tooltip of an action, which its buttons share; it names the keys."""
        allow_action(self._by_name[name], self._reasons.get(name, ""))


def fill_menu(menu: QMenu, actions: Actions, names: str) -> None:
    """Put actions into a menu.

    Args:
        menu: The menu.
        actions: The actions.
        names: Their names, with a dash for each line between them.
    """
    for name in names.split():
        if name == "-":
            menu.addSeparator()
        else:
            menu.addAction(actions[name])


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
        self.title = ElidedLabel(parent=self, role="section")
        self.scale = QToolButton(self)
        margins = (SPACE.m, SPACE.s, SPACE.m, SPACE.s)
        left = (self.back, SPACE.xs, (self.title, 1))
        self._row = hbox(*left, owner=self, spacing=2, margins=margins)
        self._add_buttons("undo", "redo")
        self._add_line()
        self._add_buttons("add", "find", "freeze")
        self._add_menu(
            "layout", self.tr("Arrange"), "down right - fold unfold - group ungroup expand - note"
        )
        self._add_line()
        self._add_buttons("zoom_out")
        self._add_scale()
        self._add_buttons("zoom_in", "fit")
        self._add_line()
        self._add_menu(
            "file",
            self.tr("File"),
            "new open_known open - save_as revert - png svg json code",
        )
        self._add_buttons("save")
        self._row.addSpacing(SPACE.s)
        text = self.tr("Train this")
        self.train = push_button(text, theme, kind="primary", icon="train", parent=self)
        self.train.clicked.connect(actions["train"].trigger)
        self._row.addWidget(self.train)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Show the names of the menus in a wide window."""
        styles = Qt.ToolButtonStyle
        is_wide = self.width() >= _WIDE
        for button in self._menus:
            button.setToolButtonStyle(
                styles.ToolButtonTextBesideIcon if is_wide else styles.ToolButtonIconOnly
            )
        super().resizeEvent(event)

    def show_title(self, name: str, *, dirty: bool) -> None:
        """Show the name of the network, and if it has unsaved changes."""
        self.title.setText(f"{name} •" if dirty else name)
        self.title.setAccessibleName(self.tr("{0}, not saved").format(name) if dirty else name)

    def show_scale(self, scale: float) -> None:
        """Show the zoom factor."""
        self.scale.setText(f"{scale * 100:.0f} %")

    def show_train(self, *, reason: str) -> None:
        """Enable training, or give the reason why it is not possible."""
        allow(self.train, reason, self.tr("Start a run with this network"))

    def _add_buttons(self, *names: str) -> None:
        for name in names:
            button = QToolButton(self)
            button.setProperty("kind", "quiet")
            button.setDefaultAction(self._actions[name])
            button.setAccessibleName(self._actions[name].text())
            button.setIconSize(QSize(ICON, ICON))
            button.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
            self._row.addWidget(button)

    def _add_menu(self, icon: str, text: str, names: str) -> None:
        button = icon_button(icon, text, self._theme, role="text", parent=self)
        button.setText(text)
        self._menus.append(button)
        menu = QMenu(button)
        fill_menu(menu, self._actions, names)
        button.setMenu(menu)
        button.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self._row.addWidget(button)

    def _add_scale(self) -> None:
        self.scale.setProperty("kind", "quiet")
        self.scale.setAccessibleName(self._actions["zoom_one"].text())
        self._actions["zoom_one"].changed.connect(self._show_scale_keys)
        self._show_scale_keys()
        self.scale.setFixedWidth(64)
        self.scale.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.scale.clicked.connect(self._actions["zoom_one"].trigger)
        self._row.addWidget(self.scale)

    def _show_scale_keys(self) -> None:
        self.scale.setToolTip(self._actions["zoom_one"].toolTip())

    def _add_line(self) -> None:
        line = QFrame(self)
        line.setFixedSize(1, 20)
        line.setStyleSheet("background: palette(mid);")
        self._row.addSpacing(SPACE.xs)
        self._row.addWidget(line)
        self._row.addSpacing(SPACE.xs)
