"""Targets of the images of a dataset, and the widgets that filter and edit them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeVar

from PySide6.QtCore import QCoreApplication, QPoint, Signal
from PySide6.QtWidgets import QLabel, QLineEdit, QWidget

from studio.engine.datasets.edits import Edit
from studio.engine.tasks.task import Task
from studio.ui.tasks.output_picker import OutputPicker
from studio.ui.theme.theme import Theme
from studio.ui.theme.tokens import SPACE
from studio.ui.widgets.buttons import push_button
from studio.ui.widgets.inputs import ComboBox, DoubleSpinBox, SpinBox
from studio.ui.widgets.layout import STRETCH, Debounce, hbox
from studio.ui.widgets.tips import explain, name_control

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from studio.engine.datasets.box_table import BoxTable
    from studio.engine.datasets.recipe import DatasetRecipe
    from studio.engine.datasets.store import Store
    from studio.engine.datasets.survey import SurveyedOutput
    from studio.engine.tasks.targets import TargetArray

_tr = partial(QCoreApplication.translate, "tasks")


@dataclass(frozen=True, slots=True, eq=False)
class TargetTable:
    """The targets of all images of a version of a dataset.

    Attributes:
        task: Task of the dataset.
        names: Names of the classes, labels or quantities, K.
        units: Units of the quantities, K; empty if there are none.
        values: Class of each row, shape (N,), or targets of each row, shape (N, K).
        boxes: All boxes; None without boxes.
    """

    task: Task
    names: Sequence[str]
    units: Sequence[str]
    values: TargetArray
    boxes: BoxTable | None = None

    @classmethod
    def of_store(cls, store: Store) -> TargetTable:
        """Return the targets of an open dataset."""
        from studio.engine.datasets.box_table import BoxTable  # noqa: PLC0415 - NumPy

        boxes = BoxTable.of_store(store)
        return cls(store.task, store.classes, store.units, store.targets, boxes)

    def unit(self, output: int) -> str:
        """Return the unit of a quantity; empty where it has none."""
        return self.units[output] if output < len(self.units) else ""

    def having(self, output: int) -> NDArray[np.bool_]:
        """Return a mask of the images with a class, label or quantity, shape (N,)."""
        return self.task.targets.has(self.values, output)


Condition = Callable[[TargetTable], "NDArray[np.bool_]"]
"""True for images that a filter keeps, shape (N,)."""


def without_outputs(targets: TargetTable) -> NDArray[np.bool_]:
    """Return a mask of the images without any label or object, shape (N,)."""
    found: NDArray[np.bool_] = targets.values.max(axis=1, initial=0) == 0
    return found


@dataclass(frozen=True, slots=True)
class ImageChange:
    """An edit of selected images.

    Attributes:
        edits: Makes the edits, from rows as `overlay.rows_text` writes them.
        words: Describes what was done, given text such as "12 images".
    """

    edits: Callable[[str], list[Edit]]
    words: Callable[[str], str]


@dataclass(frozen=True, slots=True)
class ValueDistribution:
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

    @classmethod
    def of(cls, values: NDArray[Any], counts: Sequence[int] = ()) -> ValueDistribution:
        """Return the figures of values; zeros without values.

        Args:
            values: Shape (n,).
            counts: Images in each of the equal parts of the range.
        """
        if not len(values):
            return cls(0.0, 0.0, 0.0, 0.0, ())
        low, mean, high = (float(each) for each in (values.min(), values.mean(), values.max()))
        return cls(low, mean, high, float(values.std()), tuple(counts), float(values.sum()))


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
    """Filters images by their targets; this base class shows all.

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
        self.row = hbox(owner=self, spacing=SPACE.s)

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
        """Return a mask of the selected images; None for all."""
        return None


RangeField = QLineEdit | SpinBox | DoubleSpinBox
_LETTERS = 6
_TYPING_MS = 300


class OutputFilter(TargetFilter):
    """A box with all images, other conditions, and the classes, labels or quantities.

    Args:
        name: Name of the box.
        first: Text and data of the entries before the outputs, the first one for all images.
        parent: Parent widget.
    """

    def __init__(
        self,
        name: str,
        first: Sequence[tuple[str, int | None]],
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._first = first
        self._names: Sequence[str] = ()
        self.box = choice_box(name, self)
        self.row.addWidget(self.box, 1)
        self.box.activated.connect(self._on_chosen)

    def set_outputs(self, names: Sequence[str], units: Sequence[str]) -> None:
        """Offer the outputs and keep the choice; see `TargetFilter.set_outputs`."""
        self._names = tuple(names)
        outputs = ((name, output) for output, name in enumerate(names))
        self.box.set_entries((*self._first, *outputs))
        self._show_choice()

    def reset(self, output: int) -> None:
        """Ask for the images of an output; -1 is all images."""
        self.box.setCurrentIndex(0 if output < 0 else self.box.findData(output))
        self._clear()

    def _on_chosen(self) -> None:
        self._clear()
        self.changed.emit()

    def _clear(self) -> None:
        """Ask for all images of the chosen output."""
        self._show_choice()

    def _show_choice(self) -> None:
        """Show what else can be asked of the chosen output."""


class RangeFilter(OutputFilter):
    """An output, and a range of its values, its number or its area."""

    def _add_range(self, low: RangeField, high: RangeField, *more: QWidget) -> None:
        """Place the fields of the least and the most below the box, and others behind them."""
        self._name = QLabel(self.below)
        # One search after a pause, not one for each letter.
        self._typing = Debounce(_TYPING_MS, self.changed.emit, self)
        for field in (low, high):
            edited = field.textEdited if isinstance(field, QLineEdit) else field.valueChanged
            edited.connect(self._typing.start)
        dash = QLabel(_tr("to"), self.below)
        hbox(self._name, low, dash, high, *more, STRETCH, owner=self.below, spacing=SPACE.s)
        self._show_choice()

    def _clear(self) -> None:
        # The fields that were just reset are no reason for another search.
        self._typing.stop()
        super()._clear()


def choice_box(name: str, parent: QWidget) -> ComboBox:
    """Make a box for a few choices that may become narrow.

    Args:
        name: Its name.
        parent: Its owner.
    """
    box = ComboBox(parent)
    name_control(box, name)
    box.setMinimumContentsLength(_LETTERS)
    return box


def number_field(field: RangeField, name: str, help_text: str, width: int) -> None:
    """Name and explain the field of a range.

    Args:
        field: The field.
        name: Its name.
        help_text: Effect of its value.
        width: Its width in pixels.
    """
    field.setAccessibleName(name)
    field.setFixedWidth(width)
    explain(field, help_text)


class TargetEditor(QWidget):
    """Changes the targets of the selected images; this one changes nothing.

    Signals:
        change_requested: A `ImageChange`.
    """

    change_requested = Signal(object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.row = hbox(owner=self, spacing=SPACE.s)

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


class Popup(Protocol):
    """A list or a panel that a `PopupEditor` opens under its button."""

    def open_at(self, point: QPoint, /) -> None:
        """Show it with its upper left corner at a point of the screen."""


class PopupEditor(TargetEditor):
    """A button that opens a list or a field.

    Args:
        theme: The theme.
        text: Text of the button.
        tip: Its tooltip.
        popup: What it opens.
        parent: Parent widget.
    """

    def __init__(
        self, theme: Theme, text: str, tip: str, popup: Popup, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._tip = tip
        self._popup = popup
        self._names: Sequence[str] = ()
        self.button = push_button(text, theme, parent=self, on_click=self._on_clicked)
        self.row.addWidget(self.button)

    def allow(self, *, allowed: bool, reason: str) -> None:
        """Enable or disable the button; see `TargetEditor.allow`."""
        self.button.setEnabled(allowed)
        self.button.setToolTip(self._tip if allowed else reason)

    def _on_clicked(self) -> None:
        point = QPoint(0, self.button.height() + SPACE.xs)
        self._popup.open_at(self.button.mapToGlobal(point))


PickerT = TypeVar("PickerT", bound=OutputPicker)


class NameEditor(PopupEditor, Generic[PickerT]):
    """A button that opens a list of classes or labels, to which a name can be added."""

    def __init__(
        self, theme: Theme, text: str, tip: str, picker: PickerT, parent: QWidget | None
    ) -> None:
        super().__init__(theme, text, tip, picker, parent)
        self.picker = picker
        picker.setParent(self, picker.windowFlags())
        picker.chosen.connect(self._on_chosen)
        picker.created.connect(self._on_created)

    def set_outputs(self, names: Sequence[str], units: Sequence[str]) -> None:
        """Offer the names; see `TargetEditor.set_outputs`."""
        self._names = tuple(names)
        self.picker.set_names(names)

    def _on_chosen(self, output: int) -> None:
        raise NotImplementedError

    def _on_created(self, name: str) -> None:
        raise NotImplementedError
