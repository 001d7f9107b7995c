"""A menu of classes: the likely ones, some others, and of many the rest by typing."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Final

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QInputDialog, QMenu, QWidget

MOST: Final = 30
"""Classes in the menu; among more one searches by typing."""


class ClassMenu(QMenu):
    """Filled when it opens.

    Signals:
        chosen: The name of a class.
    """

    chosen = Signal(str)

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._rest: list[str] = []

    def offer(self, classes: Sequence[str], likely: Sequence[str] = ()) -> list[str]:
        """Fill it; returns the classes that it shows.

        Args:
            classes: All that may be chosen.
            likely: Those of them that come first.
        """
        self.clear()
        self._rest = [name for name in classes if name not in likely]
        shown = [*likely, *self._rest[:MOST]]
        for place, name in enumerate(shown):
            if place == len(likely) > 0:
                self.addSeparator()
            # An & would underline the letter behind it.
            action = self.addAction(name.replace("&", "&&"))
            action.triggered.connect(partial(self._on_chosen, name))
        if len(self._rest) > MOST:
            self.addSeparator()
            self.addAction(self.tr("Another class…")).triggered.connect(self._on_other)
        return shown

    def _on_chosen(self, name: str, _checked: bool = False) -> None:
        self.chosen.emit(name)

    def _on_other(self, _checked: bool = False) -> None:
        title, label = self.tr("Correct the answer"), self.tr("The picture shows")
        name, is_sure = QInputDialog.getItem(self.parentWidget(), title, label, self._rest)
        if is_sure and name in self._rest:
            self.chosen.emit(name)
