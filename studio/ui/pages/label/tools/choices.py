"""Tools for one class, and for any number of labels: keys, names and clicks."""

from __future__ import annotations

from PySide6.QtWidgets import QWidget

from studio.engine.labeling.values import LabelsValue
from studio.ui.pages.label.tools.tools import EditTools


class ClassTools(EditTools):
    """A key, a name or a click gives the picture its class and shows the next one."""

    def choose(self, index: int) -> None:
        """Give the shown picture a class; see `EditTools.choose`."""
        (value,) = self.session.labeling.editor.with_class([None], index)
        self.session.decide(value, "key")

    def choose_named(self, name: str) -> None:
        """Give the shown picture a class as one call; see `EditTools.choose_named`."""
        if self.session.current >= 0:
            self.session.decide_named(name, self.canvas.setFocus)
        else:
            super().choose_named(name)


class LabelsTools(EditTools):
    """Keys, names and clicks mark labels; Enter decides."""

    def _make(self, parent: QWidget) -> None:
        super()._make(parent)
        self._marked: set[int] = set()
        self._is_touched = False

    @property
    def marked(self) -> set[int]:
        """Labels that are marked."""
        return self._marked

    def begin(self) -> None:
        """Mark the labels of another picture."""
        self._marked, self._is_touched = super().marked, False

    def choose(self, index: int) -> None:
        """Mark a label, or take the mark away; see `EditTools.choose`."""
        self._marked ^= {index}
        self._is_touched = True
        self.changed.emit()

    def confirm(self) -> bool:
        """Give the picture the marked labels; see `EditTools.confirm`."""
        decides = self._is_touched or self.session.proposal is None
        if decides:
            self.session.decide(LabelsValue.of(self._marked), "key")
        return decides
