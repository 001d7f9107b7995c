"""Asks for another name of a class, label or quantity, and renames it."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication
from PySide6.QtWidgets import QWidget

from studio.engine.datasets.summary import DatasetSummary
from studio.engine.tasks import TASKS
from studio.ui.pages.datasets.dataset_editor import DatasetEditor
from studio.ui.tasks import view_of
from studio.ui.theme.theme import Theme
from studio.ui.widgets.ask_value import AskValue
from studio.ui.widgets.names import apart


class Renaming(AskValue):
    """A panel with the name as it is."""

    def __init__(self, theme: Theme, editor: DatasetEditor, parent: QWidget) -> None:
        help_text = _tr("Runs that learned from it keep the old name.")
        super().__init__(theme, "", help_text, _tr("Rename"), parent)
        self._editor = editor
        self._output = 0
        self._name = ""
        self.given.connect(self._on_name)

    def rename(self, summary: DatasetSummary, output: int, below: QWidget) -> None:
        """Ask for a name.

        Args:
            summary: Of the dataset.
            output: Number of the class, label or quantity.
            below: Where the panel opens.
        """
        task = TASKS[summary.task]
        self._output, self._name = output, summary.classes[output]
        title = view_of(task).words(task).rename.format(name=apart(self._name))
        self.ask(below, self._name, title)

    def _on_name(self, name: str) -> None:
        if name.strip() != self._name:
            self._editor.rename(self._output, self._name, name.strip())


def _tr(text: str) -> str:
    return QCoreApplication.translate("datasets", text)
