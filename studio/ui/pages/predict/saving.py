"""Saves what a model answered as a table."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Final

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QFileDialog, QWidget

from studio.engine.inference.table import write_table
from studio.ui.context import AppContext
from studio.ui.pages.predict import messages
from studio.ui.pages.predict.state import Batch
from studio.ui.widgets.notices import Notice

FOLDER_KEY: Final = "predict"


class AnswerSaver(QObject):
    """Asks for a file and writes it in another thread."""

    def __init__(self, context: AppContext, owner: QWidget) -> None:
        super().__init__(owner)
        self._context = context
        self._owner = owner

    def save(self, batch: Batch) -> None:
        """Ask where, and write the answers so far."""
        path = self._ask(f"{messages.batch_name(batch)}.csv")
        if path is None:
            return
        self._context.settings.set_folder(FOLDER_KEY, path.parent)
        predictions = tuple(batch.predictions)
        labels = [picture.label for picture in batch.pictures[: len(predictions)]]
        write = partial(write_table, path, predictions, batch.task.predictor, labels)
        self._context.background.run(self, write, partial(self._on_saved, path))

    def _on_saved(self, path: Path, _nothing: None) -> None:
        text = self.tr("The answers are in {file}.").format(file=path.name)
        self._context.navigator.notify(Notice("success", text, str(path.parent)))

    def _ask(self, name: str) -> Path | None:
        start = str(self._context.settings.folder(FOLDER_KEY) / name)
        chosen, _ = QFileDialog.getSaveFileName(
            self._owner, self.tr("Save the answers"), start, self.tr("Table (*.csv)")
        )
        path = Path(chosen)
        return None if not chosen else path if path.suffix else path.with_suffix(".csv")
