"""Dialogs that ask for files and folders, and begin where the last one of their kind ended."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtWidgets import QFileDialog, QWidget

from studio.ui.settings import Settings
from studio.ui.widgets.save_dialog import ask_target


def ask_folder(parent: QWidget, title: str, settings: Settings, key: str) -> Path | None:
    """Ask for a folder and remember it.

    Args:
        parent: Window of the dialog.
        title: Title.
        settings: Stores the folder.
        key: Purpose of the folder, its name in the settings.
    """
    chosen = QFileDialog.getExistingDirectory(parent, title, str(settings.folder(key)))
    return _remembered(chosen, settings, key, is_folder=True)


def ask_file(
    parent: QWidget, title: str, settings: Settings, key: str, kinds: str = ""
) -> Path | None:
    """Ask for an existing file and remember its folder.

    Args:
        parent: Window of the dialog.
        title: Title.
        settings: Stores the folder.
        key: Purpose of the folder, its name in the settings.
        kinds: Patterns of files as Qt writes them.
    """
    chosen, _ = QFileDialog.getOpenFileName(parent, title, str(settings.folder(key)), kinds)
    return _remembered(chosen, settings, key)


def ask_files(
    parent: QWidget, title: str, settings: Settings, key: str, kinds: str = ""
) -> list[Path]:
    """Ask for existing files and remember their folder; see `ask_file`."""
    chosen, _ = QFileDialog.getOpenFileNames(parent, title, str(settings.folder(key)), kinds)
    _remembered(chosen[0] if chosen else "", settings, key)
    return [Path(name) for name in chosen]


def ask_new_file(
    parent: QWidget, title: str, settings: Settings, key: str, name: str, kinds: str
) -> Path | None:
    """Ask for a file to write, with the suffix of the proposed one unless another is typed.

    Args:
        parent: Window of the dialog.
        title: Title.
        settings: Stores the folder.
        key: Purpose of the folder, its name in the settings.
        name: Proposed name.
        kinds: Patterns of files as Qt writes them.
    """
    path = ask_target(parent, title, settings.folder(key) / name, kinds)
    return _remembered(str(path or ""), settings, key)


def _remembered(
    chosen: str, settings: Settings, key: str, *, is_folder: bool = False
) -> Path | None:
    if not chosen:
        return None
    path = Path(chosen)
    settings.set_folder(key, path if is_folder else path.parent)
    return path
