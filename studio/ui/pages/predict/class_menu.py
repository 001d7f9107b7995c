"""A menu of classes; where there are many, one searches by typing."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Final

from PySide6.QtCore import QCoreApplication, Signal
from PySide6.QtWidgets import QInputDialog, QMenu, QWidget

_MOST: Final = 30
"""Classes in the menu; a thousand of them would take as long to make as a dozen frames."""


class ClassMenu(QMenu):
    """The likeliest classes first, then the others; filled whenever it is opened.

    Signals:
        chosen: The name of a class.
    """

    chosen = Signal(str)

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._classes: Sequence[str] = ()
        self._guesses: Sequence[str] = ()
        self.aboutToShow.connect(self.fill)

    def offer(self, classes: Sequence[str], guesses: Sequence[str] = ()) -> None:
        """Take the classes from here; the first of the guesses is what is wrong."""
        self._classes, self._guesses = classes, guesses

    def fill(self) -> list[str]:
        """Put the classes of now into the menu; returns them."""
        self.clear()
        likely = [name for name in self._guesses[1:] if name in self._classes]
        rest = [name for name in self._classes if name not in self._guesses]
        self._add(likely)
        if likely and rest:
            self.addSeparator()
        self._add(rest[:_MOST])
        if len(rest) > _MOST:
            self.addSeparator()
            self.addAction(_tr("Another class…")).triggered.connect(self._on_other)
        return [*likely, *rest[:_MOST]]

    def _add(self, names: Sequence[str]) -> None:
        for name in names:
            # An & would underline the letter behind it.
            action = self.addAction(name.replace("&", "&&"))
            action.triggered.connect(partial(self._on_chosen, name))

    def _on_chosen(self, name: str, _checked: bool = False) -> None:
        self.chosen.emit(name)

    def _on_other(self, _checked: bool = False) -> None:
        title, question = _tr("Correct the answer"), _tr("The picture shows")
        name, is_sure = QInputDialog.getItem(
            self.parentWidget(), title, question, list(self._classes)
        )
        if is_sure and name in self._classes:
            self.chosen.emit(name)


def _tr(text: str) -> str:
    return QCoreApplication.translate("CorrectRow", text)
