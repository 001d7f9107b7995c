"""The bar above the canvas."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Final

from PySide6.QtCore import QCoreApplication, QSize, Qt, Signal
from PySide6.QtGui import QAction, QKeySequence, QResizeEvent
from PySide6.QtWidgets import QFrame, QMenu, QToolButton, QWidget

from studio.ui.commands import Command, Keys, Reach
from studio.ui.shortcuts import Shortcuts
from studio.ui.theme.icons import set_icon
from studio.ui.theme.theme import Theme
from studio.ui.theme.tokens import ICON, SPACE
from studio.ui.widgets.buttons import icon_button, push_button
from studio.ui.widgets.labels import ElidedLabel
from studio.ui.widgets.layout import hbox
from studio.ui.widgets.tips import allow

_Key = QKeySequence.StandardKey


@dataclass(frozen=True, slots=True)
class ActionSpec:
    """One action.

    Attributes:
        name: Stable name.
        label: Shown words, translated in the context `designer`.
        icon: Name of its icon; empty for none.
        keys: Shortcut; None for none.
    """

    name: str
    label: str
    icon: str = ""
    keys: Keys = None


ACTIONS: Final = (
    ActionSpec("undo", "Undo", "undo", _Key.Undo),
    ActionSpec("redo", "Redo", "redo", _Key.Redo),
    ActionSpec("cut", "Cut", "", _Key.Cut),
    ActionSpec("copy", "Copy", "copy", _Key.Copy),
    ActionSpec("paste", "Paste", "", _Key.Paste),
    ActionSpec("duplicate", "Duplicate", "", "Ctrl+D"),
    ActionSpec("delete", "Delete", "trash", _Key.Delete),
    ActionSpec("select_all", "Select all", "", _Key.SelectAll),
    ActionSpec("add", "Add a layer", "plus", "Ctrl+L"),
    ActionSpec("find", "Find a layer", "search", _Key.Find),
    ActionSpec("note", "Add a note", "comment"),
    ActionSpec("freeze", "Freeze or unfreeze", "lock", "F"),
    ActionSpec("freeze_to", "Freeze all up to here", ""),
    ActionSpec("group", "Make a block", "", "Ctrl+G"),
    ActionSpec("ungroup", "Dissolve the block", ""),
    ActionSpec("expand", "Show the layers of backbones", ""),
    ActionSpec("fold", "Fold all blocks", "fold"),
    ActionSpec("unfold", "Unfold all blocks", "unfold"),
    ActionSpec("down", "Lay out downwards", "layout"),
    ActionSpec("right", "Arrange from left to right", ""),
    ActionSpec("zoom_in", "Zoom in", "zoom-in", _Key.ZoomIn),
    ActionSpec("zoom_out", "Zoom out", "zoom-out", _Key.ZoomOut),
    ActionSpec("zoom_one", "Actual size", "", "Ctrl+Shift+0"),
    ActionSpec("fit", "Show all", "fit", "Ctrl+Shift+9"),
    ActionSpec("save", "Save", "save", _Key.Save),
    ActionSpec("save_as", "Save under another name", ""),
    ActionSpec("revert", "Discard changes", "undo"),
    ActionSpec("open", "Open a file…", "folder-open"),
    ActionSpec("open_known", "Open a network…", "networks", _Key.Open),
    ActionSpec("new", "New drawing", "file"),
    ActionSpec("png", "Picture (PNG)…", ""),
    ActionSpec("svg", "Drawing (SVG)…", ""),
    ActionSpec("json", "Network (JSON)…", ""),
    ActionSpec("code", "Keras code (Python)…", "code"),
    ActionSpec("train", "Train this", "train"),
)

_ON_CANVAS: Final = ("cut", "copy", "paste", "delete", "select_all")
"""Their keys count on the canvas alone, as text fields need them too."""
_IN_WINDOW: Final = ("undo", "redo")
"""Their keys count wherever the focus is while the designer is shown."""


def command_of(spec: ActionSpec) -> Command:
    """Return the command of an action, whose shortcut can be changed."""
    return Command(
        f"designer.{spec.name}",
        spec.label,
        spec.icon,
        spec.keys,
        page="networks",
        reach=Reach.PART,
        context="designer",
    )


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
        for spec in ACTIONS:
            action = QAction(QCoreApplication.translate("designer", spec.label), owner)
            if spec.icon:
                set_icon(action, spec.icon, theme)
            shortcuts.bind(action, command_of(spec))
            on_canvas = spec.name in _ON_CANVAS or len(str(spec.keys)) == 1
            context = Qt.ShortcutContext
            if on_canvas:
                action.setShortcutContext(context.WidgetShortcut)
            elif spec.name not in _IN_WINDOW:
                action.setShortcutContext(context.WidgetWithChildrenShortcut)
            (canvas if on_canvas else owner).addAction(action)
            action.triggered.connect(do[spec.name])
            self._by_name[spec.name] = action
            self._show_tip(spec.name)
            action.changed.connect(partial(self._on_changed, spec.name))

    def __getitem__(self, name: str) -> QAction:
        return self._by_name[name]

    def tip(self, name: str) -> str:
        """Return the text and shortcut of an action for its tooltip."""
        action = self._by_name[name]
        keys = action.shortcut().toString(QKeySequence.SequenceFormat.NativeText)
        return f"{action.text()} ({keys})" if keys else action.text()

    def enable(self, name: str, *, enabled: bool, reason: str = "") -> None:
        """Enable an action, or disable it with a reason."""
        self._reasons[name] = "" if enabled else reason
        self._by_name[name].setEnabled(enabled)
        self._show_tip(name)

    def _show_tip(self, name: str) -> None:
        """Set the tooltip of an action, which its buttons share."""
        self._by_name[name].setToolTip(self._reasons.get(name) or self.tip(name))

    def _on_changed(self, name: str) -> None:
        """Update the tooltip after the shortcut was changed."""
        if self._by_name[name].toolTip() != (self._reasons.get(name) or self.tip(name)):
            self._show_tip(name)


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
        both, icon = (
            Qt.ToolButtonStyle.ToolButtonTextBesideIcon,
            Qt.ToolButtonStyle.ToolButtonIconOnly,
        )
        for button in self._menus:
            button.setToolButtonStyle(both if self.width() >= _WIDE else icon)
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
