"""Dialogs that ask for files and folders, and begin where the last one of their kind ended."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtWidgets import QFileDialog, QWidget

from studio.ui.settings import Settings
from studio.ui.widgets.save_dialog import ask_target


def choose_folder(parent: QWidget, title: str, start: str = "") -> Path | None:
    """Ask for a folder.

    Args:
        parent: Window of the dialog.
        title: Title.
        start: Folder to begin at.
    """
    chosen = QFileDialog.getExistingDirectory(parent, title, start)
    return Path(chosen) if chosen else None


def choose_file(parent: QWidget, title: str, start: str = "", kinds: str = "") -> Path | None:
    """Ask for an existing file.

    Args:
        parent: Window of the dialog.
        title: Title.
        start: Folder or file to begin at.
        kinds: Patterns of files as Qt writes them.
    """
    chosen, _ = QFileDialog.getOpenFileName(parent, title, start, kinds)
    return Path(chosen) if chosen else None


def ask_folder(parent: QWidget, title: str, settings: Settings, key: str) -> Path | None:
    """Ask for a folder and remember it.

    Args:
        parent: Window of the dialog.
        title: Title.
        settings: Stores the folder.
        key: Purpose of the folder, its name in the settings.
    """
    chosen = choose_folder(parent, title, str(settings.folder(key)))
    if chosen is not None:
        settings.set_folder(key, chosen)
    return chosen


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
    chosen = choose_file(parent, title, str(settings.folder(key)), kinds)
    return _remembered(chosen, settings, key)


def ask_files(
    parent: QWidget, title: str, settings: Settings, key: str, kinds: str = ""
) -> list[Path]:
    """Ask for existing files and remember their folder; see `ask_file`."""
    chosen, _ = QFileDialog.getOpenFileNames(parent, title, str(settings.folder(key)), kinds)
    paths = [Path(name) for name in chosen]
    _remembered(paths[0] if paths else None, settings, key)
    return paths


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
    return _remembered(path, settings, key)


def _remembered(chosen: Path | None, settings: Settings, key: str) -> Path | None:
    if chosen is not None:
        settings.set_folder(key, chosen.parent)
    return chosen
