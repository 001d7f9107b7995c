"""The widgets that filter images by their targets and edit them; tasks extend them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QWidget

from studio.ui.tasks.targets import Condition, TargetTable
from studio.ui.theme.tokens import SPACE

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


class TargetFilter(QWidget):
    """Asks for images by their targets; this one asks for all.

    Attributes:
        below: What is shown in a line of its own below the filters; hidden while there is nothing.

    Signals:
        changed: Other images are wanted.
    """

    changed = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.below = QWidget(parent)
        self.below.hide()
        self.row = QHBoxLayout(self)
        self.row.setContentsMargins(0, 0, 0, 0)
        self.row.setSpacing(SPACE.s)

    def set_outputs(self, names: Sequence[str], units: Sequence[str]) -> None:
        """Offer these classes, labels or quantities; what is chosen stays where it can.

        Args:
            names: Of the outputs, K.
            units: Of the outputs, K or none.
        """

    def show_targets(self, targets: TargetTable) -> None:
        """Show what values there are to ask for."""

    def reset(self, output: int) -> None:
        """Ask for the images of an output; -1 is all images."""

    def condition(self) -> Condition | None:
        """Return which images are wanted; None is all."""
        return None


class TargetEditor(QWidget):
    """Changes the targets of the selected images; this one changes nothing.

    Signals:
        change_wanted: A `TargetChange`.
    """

    change_wanted = Signal(object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.row = QHBoxLayout(self)
        self.row.setContentsMargins(0, 0, 0, 0)
        self.row.setSpacing(SPACE.s)

    def set_outputs(self, names: Sequence[str], units: Sequence[str]) -> None:
        """Offer these classes, labels or quantities.

        Args:
            names: Of the outputs, K.
            units: Of the outputs, K or none.
        """

    def allow(self, *, allowed: bool, reason: str) -> None:
        """Enable it, or say why nothing can be changed now."""

    def show_chosen(self, targets: TargetTable, rows: NDArray[np.int64]) -> None:
        """Show what the selected images have.

        Args:
            targets: Of the whole dataset.
            rows: The selected images.
        """
