"""Targets of the images of a dataset, and the widgets that filter and edit them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QWidget

from studio.engine.datasets.edits import Edit
from studio.engine.tasks.task import Task
from studio.ui.theme.tokens import SPACE

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from studio.engine.datasets.box_table import BoxTable
    from studio.engine.datasets.recipe import DatasetRecipe
    from studio.engine.datasets.store import Store
    from studio.engine.datasets.survey import SurveyedOutput
    from studio.engine.tasks.targets import Values


@dataclass(frozen=True, slots=True, eq=False)
class TargetTable:
    """The targets of all images of a version of a dataset.

    Attributes:
        task: Task of the dataset.
        names: Names of the classes, labels or quantities, K.
        units: Units of the quantities, K; empty where there are none.
        values: Class of each row, shape (N,), or targets of each row, shape (N, K).
        boxes: All boxes; None without boxes.
    """

    task: Task
    names: Sequence[str]
    units: Sequence[str]
    values: Values
    boxes: BoxTable | None = None

    @classmethod
    def of_store(cls, store: Store) -> TargetTable:
        """Return the targets of an open dataset."""
        values = store.labels if store.targets is None else store.targets
        from studio.engine.datasets.box_table import BoxTable  # noqa: PLC0415 - NumPy

        boxes = BoxTable.of_store(store) if store.task.has_boxes else None
        return cls(store.task, store.classes, store.units, values, boxes)

    def unit(self, output: int) -> str:
        """Return the unit of a quantity; empty where it has none."""
        return self.units[output] if output < len(self.units) else ""

    def having(self, output: int) -> NDArray[np.bool_]:
        """Return which images are of a class, have a label or a quantity, shape N."""
        kind = self.task.targets
        if kind is None or self.values.ndim == 1:
            found: NDArray[np.bool_] = self.values == output
            return found
        return kind.has(self.values, output)


Condition = Callable[[TargetTable], "NDArray[np.bool_]"]
"""True for images that a filter keeps, shape (N,)."""


@dataclass(frozen=True, slots=True)
class TargetChange:
    """A change of the targets of images.

    Attributes:
        edits: Makes the edits, from rows as `overlay.rows_text` writes them.
        words: Describes what was done, given text such as "12 images".
    """

    edits: Callable[[str], list[Edit]]
    words: Callable[[str], str]


@dataclass(frozen=True, slots=True)
class OutputFigures:
    """Distribution of the values of a quantity over the images.

    Attributes:
        low: The smallest, in the unit of the quantity.
        mean: Mean of all images.
        high: The largest.
        deviation: Standard deviation.
        counts: Images in each of the equal parts of the range; parts hold equally many whole
            numbers.
        total: Sum over all images, of what is counted.
    """

    low: float
    mean: float
    high: float
    deviation: float
    counts: tuple[int, ...]
    total: float = 0.0


class RecipePart(QWidget):
    """Asks for the fields of an import that only a task has.

    Signals:
        changed: The user changed a field.
    """

    changed = Signal()

    def show_found(
        self,
        recipe: DatasetRecipe,
        outputs: Sequence[SurveyedOutput],
        fixed: Sequence[str],
    ) -> None:
        """Show the fields of a recipe, and what it found.

        Args:
            recipe: Recipe of the import.
            outputs: Classes, labels or quantities that were found.
            fixed: Fields whose values the files give.
        """

    def values(self) -> dict[str, object]:
        """Return the fields of the recipe."""
        return {}


class TargetFilter(QWidget):
    """Asks for images by their targets; this one asks for all.

    Attributes:
        below: Widget in a separate line below the filters; hidden while empty.

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
            names: Names of the outputs, K.
            units: Units of the outputs, K or none.
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
        change_requested: A `TargetChange`.
    """

    change_requested = Signal(object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.row = QHBoxLayout(self)
        self.row.setContentsMargins(0, 0, 0, 0)
        self.row.setSpacing(SPACE.s)

    def set_outputs(self, names: Sequence[str], units: Sequence[str]) -> None:
        """Offer these classes, labels or quantities.

        Args:
            names: Names of the outputs, K.
            units: Units of the outputs, K or none.
        """

    def allow(self, *, allowed: bool, reason: str) -> None:
        """Enable or disable the editor.

        Args:
            allowed: True to enable it.
            reason: Why it is disabled.
        """

    def show_chosen(self, targets: TargetTable, rows: NDArray[np.int64]) -> None:
        """Show what the selected images have.

        Args:
            targets: Targets of the whole dataset.
            rows: The selected images.
        """
