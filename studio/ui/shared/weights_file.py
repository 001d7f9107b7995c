"""The file dialog for weights."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QCoreApplication
from PySide6.QtWidgets import QFileDialog, QWidget


def ask_weights_file(parent: QWidget) -> Path | None:
    """The file of weights, or the model, that the user picks; None when nothing was picked."""
    name, _ = QFileDialog.getOpenFileName(
        parent, _tr("Weights or a model"), "", _tr("Weights (*.h5 *.hdf5 *.keras *.zip)")
    )
    return Path(name) if name else None


def _tr(text: str) -> str:
    return QCoreApplication.translate("weights_file", text)
