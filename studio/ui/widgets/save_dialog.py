"""A dialog for a file to write."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtWidgets import QFileDialog, QWidget


def save_dialog(parent: QWidget, title: str, start: Path, kinds: str = "") -> QFileDialog:
    """Return a dialog that adds the suffix of the proposed name before it asks to replace a file.

    Args:
        parent: Window of the dialog.
        title: Title.
        start: Proposed file; a relative one is in the last folder.
        kinds: Patterns of files as Qt writes them; empty for all.
    """
    dialog = QFileDialog(parent, title)
    dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
    if kinds:
        dialog.setNameFilter(kinds)
    dialog.setDefaultSuffix(start.suffix)
    if start.is_absolute():
        dialog.setDirectory(str(start.parent))
    dialog.selectFile(start.name)
    return dialog


def ask_target(parent: QWidget, title: str, start: Path, kinds: str = "") -> Path | None:
    """Ask for a file to write, and before it replaces one; see `save_dialog`."""
    dialog = save_dialog(parent, title, start, kinds)
    chosen = dialog.selectedFiles() if dialog.exec() else []
    dialog.deleteLater()
    return Path(chosen[0]) if chosen else None
