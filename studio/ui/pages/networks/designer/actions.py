"""Everything that can be done in the designer, as actions: for toolbar, menus and keys."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Final

from PySide6.QtCore import QT_TRANSLATE_NOOP, QCoreApplication, Qt
from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import QWidget

from studio.ui.commands import Command, Keys, Reach
from studio.ui.shortcuts import Shortcuts
from studio.ui.theme.icons import set_icon
from studio.ui.theme.theme import Theme

_Key = QKeySequence.StandardKey


@dataclass(frozen=True, slots=True)
class ActionSpec:
    """One action.

    Attributes:
        name: Stable name.
        label: Shown words, translated in the context `designer`.
        icon: Name of its icon; empty for none.
        keys: Shortcut; None for none.
        on_canvas: The shortcut counts on the canvas alone, where text fields need it too.
    """

    name: str
    label: str
    icon: str = ""
    keys: Keys = None
    on_canvas: bool = False


ACTIONS: Final = (
    ActionSpec("undo", str(QT_TRANSLATE_NOOP("designer", "Undo")), "undo", _Key.Undo),
    ActionSpec("redo", str(QT_TRANSLATE_NOOP("designer", "Redo")), "redo", _Key.Redo),
    ActionSpec("cut", str(QT_TRANSLATE_NOOP("designer", "Cut")), "", _Key.Cut, on_canvas=True),
    ActionSpec(
        "copy", str(QT_TRANSLATE_NOOP("designer", "Copy")), "copy", _Key.Copy, on_canvas=True
    ),
    ActionSpec(
        "paste", str(QT_TRANSLATE_NOOP("designer", "Paste")), "", _Key.Paste, on_canvas=True
    ),
    ActionSpec("duplicate", str(QT_TRANSLATE_NOOP("designer", "Duplicate")), "", "Ctrl+D"),
    ActionSpec(
        "delete",
        str(QT_TRANSLATE_NOOP("designer", "Delete")),
        "trash",
        _Key.Delete,
        on_canvas=True,
    ),
    ActionSpec(
        "select_all",
        str(QT_TRANSLATE_NOOP("designer", "Select all")),
        "",
        _Key.SelectAll,
        on_canvas=True,
    ),
    ActionSpec("add", str(QT_TRANSLATE_NOOP("designer", "Add a layer")), "plus", "Ctrl+L"),
    ActionSpec("find", str(QT_TRANSLATE_NOOP("designer", "Find a layer")), "search", _Key.Find),
    ActionSpec("note", str(QT_TRANSLATE_NOOP("designer", "Add a note")), "comment"),
    ActionSpec("freeze", str(QT_TRANSLATE_NOOP("designer", "Freeze or unfreeze")), "lock", "F"),
    ActionSpec("freeze_to", str(QT_TRANSLATE_NOOP("designer", "Freeze all up to here")), ""),
    ActionSpec("group", str(QT_TRANSLATE_NOOP("designer", "Make a block")), "", "Ctrl+G"),
    ActionSpec("ungroup", str(QT_TRANSLATE_NOOP("designer", "Dissolve the block")), ""),
    ActionSpec("expand", str(QT_TRANSLATE_NOOP("designer", "Show the layers of backbones")), ""),
    ActionSpec("fold", str(QT_TRANSLATE_NOOP("designer", "Fold all blocks")), "fold"),
    ActionSpec("unfold", str(QT_TRANSLATE_NOOP("designer", "Unfold all blocks")), "unfold"),
    ActionSpec("down", str(QT_TRANSLATE_NOOP("designer", "Lay out downwards")), "layout"),
    ActionSpec("right", str(QT_TRANSLATE_NOOP("designer", "Lay out to the right")), ""),
    ActionSpec("zoom_in", str(QT_TRANSLATE_NOOP("designer", "Zoom in")), "zoom-in", _Key.ZoomIn),
    ActionSpec(
        "zoom_out", str(QT_TRANSLATE_NOOP("designer", "Zoom out")), "zoom-out", _Key.ZoomOut
    ),
    ActionSpec("zoom_one", str(QT_TRANSLATE_NOOP("designer", "Actual size")), "", "Ctrl+Shift+0"),
    ActionSpec("fit", str(QT_TRANSLATE_NOOP("designer", "Show all")), "fit", "Ctrl+Shift+9"),
    ActionSpec("save", str(QT_TRANSLATE_NOOP("designer", "Save")), "save", _Key.Save),
    ActionSpec("save_as", str(QT_TRANSLATE_NOOP("designer", "Save under another name")), ""),
    ActionSpec("revert", str(QT_TRANSLATE_NOOP("designer", "Discard changes")), "undo"),
    ActionSpec("open", str(QT_TRANSLATE_NOOP("designer", "Open a file…")), "folder-open"),
    ActionSpec(
        "open_known", str(QT_TRANSLATE_NOOP("designer", "Open a network…")), "networks", _Key.Open
    ),
    ActionSpec("new", str(QT_TRANSLATE_NOOP("designer", "New drawing")), "file"),
    ActionSpec("png", str(QT_TRANSLATE_NOOP("designer", "Picture (PNG)…")), ""),
    ActionSpec("svg", str(QT_TRANSLATE_NOOP("designer", "Drawing (SVG)…")), ""),
    ActionSpec("json", str(QT_TRANSLATE_NOOP("designer", "Network (JSON)…")), ""),
    ActionSpec("code", str(QT_TRANSLATE_NOOP("designer", "Keras code (Python)…")), "code"),
    ActionSpec("train", str(QT_TRANSLATE_NOOP("designer", "Train this")), "train"),
)

_IN_WINDOW: Final = ("undo", "redo")
"""Their keys count wherever the focus is while the designer is shown."""


def command_of(spec: ActionSpec) -> Command:
    """An action as a command, whose keys can be chosen."""
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
            on_canvas = spec.on_canvas or len(str(spec.keys)) == 1
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
        """Words and keys of an action, for the tooltip of its button."""
        action = self._by_name[name]
        keys = action.shortcut().toString(QKeySequence.SequenceFormat.NativeText)
        return f"{action.text()} ({keys})" if keys else action.text()

    def enable(self, name: str, *, enabled: bool, reason: str = "") -> None:
        """Switch an action off and say why, or on again."""
        self._reasons[name] = "" if enabled else reason
        self._by_name[name].setEnabled(enabled)
        self._show_tip(name)

    def _show_tip(self, name: str) -> None:
        """Buttons of the action take its tip over."""
        self._by_name[name].setToolTip(self._reasons.get(name) or self.tip(name))

    def _on_changed(self, name: str) -> None:
        """The user may have given it other keys; telling that changes it once more."""
        if self._by_name[name].toolTip() != (self._reasons.get(name) or self.tip(name)):
            self._show_tip(name)
