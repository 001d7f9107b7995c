"""The menu of the workspaces that were open."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from PySide6.QtCore import QCoreApplication, Qt
from PySide6.QtWidgets import QMenu, QWidget

from studio.ui.context import AppContext
from studio.ui.navigation import OpenWorkspace


def workspace_menu(context: AppContext, parent: QWidget) -> QMenu:
    """Recent workspaces, the last one first, and the way to any other.

    One whose folder is gone is shown all the same, and says so: it may be on a disk that is not
    plugged in.
    """
    menu = QMenu(parent)
    menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    menu.setToolTipsVisible(True)
    for root in context.settings.recent_workspaces:
        is_open = root == context.workspace.root
        is_there = root.is_dir()
        text = _tr("{name} – {folder}").format(name=root.name, folder=root.parent)
        if is_open:
            text = _tr("{name} – open now").format(name=root.name)
        elif not is_there:
            text = _tr("{name} – {folder} is not there").format(name=root.name, folder=root.parent)
        action = menu.addAction(text.replace("&", "&&"))
        action.setEnabled(is_there and not is_open)
        action.setToolTip(str(root))
        action.triggered.connect(partial(_open, context, root))
    if context.settings.recent_workspaces:
        menu.addSeparator()
    menu.addAction(_tr("Choose a folder…")).triggered.connect(partial(_choose, context))
    return menu


def _open(context: AppContext, root: Path, _checked: bool = False) -> None:
    context.navigator.open(OpenWorkspace(root))


def _choose(context: AppContext, _checked: bool = False) -> None:
    context.navigator.open(OpenWorkspace())


def _tr(text: str) -> str:
    return QCoreApplication.translate("WorkspaceMenu", text)
