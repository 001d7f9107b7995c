"""Datasets with measured numbers of each image."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication, QLocale, QPoint, Qt, Signal
from PySide6.QtGui import QDoubleValidator
from PySide6.QtWidgets import QFrame, QLabel, QLineEdit, QWidget

from studio.engine.datasets.edits import Edit, SetTarget
from studio.engine.tasks.task import Task
from studio.ui.tasks.data_view import (
    DataView,
    DataWords,
    Distribution,
    TextRows,
    order_of,
    orders_of,
    quantity,
)
from studio.ui.tasks.output_table import OutputLine, OutputLines
from studio.ui.tasks.targets import (
    Condition,
    ImageChange,
    PopupEditor,
    RangeFilter,
    TargetEditor,
    TargetFilter,
    TargetTable,
    ValueDistribution,
)
from studio.ui.theme.theme import Theme
from studio.ui.theme.tokens import SPACE
from studio.ui.widgets.buttons import push_button
from studio.ui.widgets.figures import count, number
from studio.ui.widgets.inputs import ComboBox
from studio.ui.widgets.labels import apart
from studio.ui.widgets.layout import hbox, text_label, vbox
from studio.ui.widgets.table_model import FigureCell
from studio.ui.widgets.tips import explain

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from studio.engine.datasets.survey import SurveyedOutput

_tr = partial(QCoreApplication.translate, "tasks")

_BARS = 24
_GROUPS = 4
_FIELD = 80
_UP, _DOWN = "up", "down"


class RegressionData(DataView):
    """Shows the quantities of a dataset."""

    def words(self, task: Task) -> DataWords:
        """Return the words for quantities."""
        return DataWords(
            output=_tr("Quantity"),
            find=_tr("Find a quantity"),
            not_found=_tr("No name in {all} contains this text."),
            back=_tr("Back to the quantities"),
            card=_tr("Quantity {name}, images: {count}"),
            card_help=_tr("Shows the images from the lowest to the highest value."),
            distribution=_tr("Quantities"),
            changed=_tr("{images} with other values"),
            added=_tr("New quantity “{name}”"),
            removed=_tr("The quantity “{name}” no longer exists"),
            renamed=_tr("A quantity was renamed to “{name}”"),
            rename=_tr("New name of the quantity “{name}”"),
            choice=_tr("Numbers per image"),
            choice_help=_tr("Each image has one or more measured values, such as a weight."),
        )

    def proposal(self, columns: str) -> str:
        """Name the columns of numbers."""
        return _tr("Proposed because these columns hold numbers: {columns}.").format(
            columns=columns
        )

    def found(self, outputs: Sequence[SurveyedOutput], task: Task) -> TextRows:
        """Return mean and range of each quantity; see `DataView.found`."""
        headings = (self.words(task).output, _tr("Lowest"), _tr("Mean"), _tr("Highest"))
        rows = [
            (each.name, *(quantity(v, each.unit) for v in (each.low, each.mean, each.high)))
            for each in outputs
        ]
        return headings, rows

    def heading(self) -> str:
        """Return the word for all outputs together."""
        return _tr("Quantities")

    def outputs(self, number: int) -> str:
        """Return a text such as "2 quantities"."""
        if number == 1:
            return _tr("1 quantity")
        return _tr("{n} quantities").format(n=count(number))

    def caption(self, targets: TargetTable, row: int) -> str:
        """Return the values of an image with their units; see `DataView.caption`."""
        pairs = enumerate(targets.values[row].tolist())
        return " · ".join(quantity(value, targets.unit(output)) for output, value in pairs)

    def groups(
        self, targets: TargetTable, rows: NDArray[np.int64], output: int
    ) -> tuple[NDArray[np.int32], tuple[str, ...]]:
        """Group images by value into four groups of similar size; see `DataView.groups`."""
        import numpy as np  # noqa: PLC0415 - kept out of the start of the window

        values = targets.values[rows, output].astype(np.float64)
        ends = np.unique(np.quantile(values, np.linspace(0, 1, _GROUPS + 1)))
        found = np.searchsorted(ends[1:-1], values, side="right").astype(np.int32)
        pairs = zip(ends[:-1].tolist(), ends[1:].tolist(), strict=True)
        unit = targets.unit(output)
        names = [f"{number(low, 3)} – {quantity(high, unit)}" for low, high in pairs]
        return found, tuple(names or [quantity(float(ends[0]), unit)])

    def orders(self, names: Sequence[str]) -> list[tuple[str, str]]:
        """Offer each quantity, from its lowest value and from its highest."""
        ways = ((_UP, _tr("{name}, lowest first")), (_DOWN, _tr("{name}, highest first")))
        return orders_of(names, ways)

    def order(self, targets: TargetTable, key: str) -> NDArray[np.int64] | None:
        """Return all rows sorted by a quantity; see `DataView.order`."""
        import numpy as np  # noqa: PLC0415 - kept out of the start of the window

        found = order_of(targets, key, (_UP, _DOWN))
        if found is None:
            return None
        values = targets.values[:, found[0]]
        return np.argsort(values if found[1] == _UP else -values, kind="stable").astype(np.int64)

    def opening_order(self, output: int) -> str:
        """Show the images of a quantity from its lowest value."""
        return f"{output} {_UP}"

    def filter(self, theme: Theme, parent: QWidget) -> TargetFilter:
        """Create the range filter; see `DataView.filter`."""
        return ValueFilter(parent)

    def editor(self, theme: Theme, parent: QWidget) -> TargetEditor:
        """Create the button that corrects values; see `DataView.editor`."""
        return ValueEditor(theme, parent)

    def figures(
        self, targets: TargetTable, rows: NDArray[np.int64]
    ) -> tuple[ValueDistribution, ...]:
        """Return the distribution of each quantity; see `DataView.figures`."""
        import numpy as np  # noqa: PLC0415 - kept out of the start of the window

        found = []
        for column in targets.values[rows].astype(np.float64).T:
            if not len(column):
                found.append(ValueDistribution.of(column))
                continue
            low, high, bars = float(column.min()), float(column.max()), _BARS
            if (column == np.rint(column)).all():
                # Each bar holds as many whole numbers as the others.
                width = math.ceil((high - low + 1) / bars)
                bars = math.ceil((high - low + 1) / width)
                low, high = low - 0.5, low - 0.5 + bars * width
            counts, _ = np.histogram(column, bars, (low, high))
            found.append(ValueDistribution.of(column, counts.tolist()))
        return tuple(found)

    def showcase(
        self, targets: TargetTable, rows: NDArray[np.int64], output: int
    ) -> NDArray[np.int64]:
        """Choose images from the lowest to the highest value; see `DataView.showcase`."""
        ordered: NDArray[np.int64] = rows[targets.values[rows, output].argsort(kind="stable")]
        return ordered

    def lines(self, distribution: Distribution) -> OutputLines:
        """Return one line per quantity; see `DataView.lines`."""
        summary, lines = distribution.summary, []
        units = summary.units or [""] * len(summary.classes)
        for name, unit, figure in zip(summary.classes, units, distribution.figures, strict=False):
            cells = tuple(
                FigureCell(quantity(value, unit), value)
                for value in (figure.low, figure.mean, figure.high, figure.deviation)
            )
            text = _tr("{name}: {low} to {high}, mean {mean}").format(
                name=name, low=cells[0].text, high=cells[2].text, mean=cells[1].text
            )
            lines.append(OutputLine(name, cells, text, histogram=figure.counts))
        headings = (
            _tr("Quantity"),
            _tr("Distribution"),
            _tr("Lowest"),
            _tr("Mean"),
            _tr("Highest"),
            _tr("Std. dev."),
        )
        return OutputLines(headings, lines, sorted_by=None)

    def balance_heading(self, task: Task) -> str:
        """Return what `balance` compares."""
        return _tr("Mean ± standard deviation")

    def balance_column(self, targets: TargetTable, chosen: NDArray[np.bool_]) -> list[str]:
        """Return mean and standard deviation of each quantity; see `DataView.balance_column`."""
        values = targets.values[chosen].astype(float)
        if not len(values):
            return [""] * len(targets.names)
        pairs = zip(values.mean(axis=0).tolist(), values.std(axis=0).tolist(), strict=True)
        return [
            f"{quantity(mean, '')} ± {quantity(deviation, targets.unit(output))}"
            for output, (mean, deviation) in enumerate(pairs)
        ]


class _NumberField(QLineEdit):
    """A field for a number of the user's locale; empty for none."""

    def __init__(self, name: str, help_text: str, parent: QWidget) -> None:
        super().__init__(parent)
        self.setAccessibleName(name)
        explain(self, help_text)
        self.setValidator(QDoubleValidator(self))

    def number(self) -> float | None:
        """Return the typed number; None if there is none or it is incomplete."""
        value, is_number = QLocale().toDouble(self.text().strip())
        return value if is_number else None


class ValueFilter(RangeFilter):
    """All images, or those whose value of a quantity lies in a range."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(_tr("Quantity"), ((_tr("All values"), None),), parent)
        self._units: list[str] = []
        self._ranges: list[tuple[float, float]] = []
        self._unit = QLabel(self.below)
        self.low = _NumberField(
            _tr("Lowest value"), _tr("Hides images with a lower value."), self.below
        )
        self.high = _NumberField(
            _tr("Highest value"), _tr("Hides images with a higher value."), self.below
        )
        for field in (self.low, self.high):
            field.setFixedWidth(_FIELD)
        self._add_range(self.low, self.high, self._unit)

    def set_outputs(self, names: Sequence[str], units: Sequence[str]) -> None:
        """Set the quantities; see `TargetFilter.set_outputs`."""
        self._units = list(units) or [""] * len(names)
        super().set_outputs(names, units)

    def show_targets(self, targets: TargetTable) -> None:
        """Show the lowest and highest values in the empty fields."""
        if len(targets.values):
            lows, highs = targets.values.min(axis=0), targets.values.max(axis=0)
            self._ranges = list(zip(lows.tolist(), highs.tolist(), strict=True))
            self._show_choice()

    def condition(self) -> Condition | None:
        """Return a mask of the images with a value in the range."""
        output, low, high = self.box.currentData(), self.low.number(), self.high.number()
        if output is None or (low is None and high is None):
            return None
        return partial(in_range, output, low, high)

    def _clear(self) -> None:
        self.low.clear()
        self.high.clear()
        super()._clear()

    def _show_choice(self) -> None:
        output = self.box.currentData()
        self.below.setVisible(output is not None)
        if output is not None:
            self._name.setText(_tr("{name} from").format(name=apart(self._names[output])))
            self._unit.setText(self._units[output])
        if output is not None and output < len(self._ranges):
            for field, value in zip((self.low, self.high), self._ranges[output], strict=True):
                field.setPlaceholderText(number(value, 4))


class ValuePanel(QFrame):
    """Asks for the value of a quantity; closes when the user looks elsewhere.

    Signals:
        given: Number of the quantity, and its value.
    """

    given = Signal(int, float)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent, Qt.WindowType.Popup)
        self._units: list[str] = []
        self._now: list[tuple[float, float]] = []
        self.setProperty("card", True)
        self.box = ComboBox(self)
        self.box.setAccessibleName(_tr("Quantity"))
        self.now = text_label("", "caption", self)
        self.field = _NumberField(_tr("Value"), _tr("New value of all selected images."), self)
        self.unit = QLabel(self)
        self.button = push_button(_tr("Set"), theme, kind="primary", parent=self)
        explain(self.button, _tr("Sets the value of all selected images; Undo restores it."))
        vbox(
            self.box,
            self.now,
            hbox((self.field, 1), self.unit, self.button, spacing=SPACE.s),
            owner=self,
            spacing=SPACE.s,
            margins=SPACE.m,
        )
        self.box.activated.connect(self._on_quantity)
        self.field.textChanged.connect(self._allow)
        self.field.returnPressed.connect(self._on_given)
        self.button.clicked.connect(self._on_given)
        self._allow()

    def set_outputs(self, names: Sequence[str], units: Sequence[str]) -> None:
        """Set the quantities.

        Args:
            names: Their names.
            units: Their units; empty for none.
        """
        chosen = self.box.currentIndex()
        self._units = list(units) or [""] * len(names)
        self.box.clear()
        self.box.addItems(list(names))
        self.box.setCurrentIndex(chosen if 0 <= chosen < len(names) else 0)

    def show_ranges(self, ranges: Sequence[tuple[float, float]]) -> None:
        """Show the lowest and highest values of the selected images."""
        self._now = list(ranges)
        self._on_quantity()

    def open_at(self, point: QPoint) -> None:
        """Show it with its upper left corner at a point of the screen."""
        self._on_quantity()
        self.adjustSize()
        self.move(point)
        self.show()
        self.field.setFocus()

    def _on_quantity(self) -> None:
        output = self.box.currentIndex()
        if not 0 <= output < len(self._now):
            return
        unit, (low, high) = self._units[output], self._now[output]
        text = _tr("Now {value}").format(value=quantity(low, unit))
        if low != high:
            text = _tr("Now {low} to {high}").format(
                low=quantity(low, ""), high=quantity(high, unit)
            )
        self.now.setText(text)
        self.unit.setText(unit)
        self.field.setText(number(low) if low == high else "")
        self.field.selectAll()

    def _allow(self) -> None:
        is_number = self.field.number() is not None
        self.button.setEnabled(is_number)
        self.button.setToolTip("" if is_number else _tr("Enter a number first"))

    def _on_given(self) -> None:
        value = self.field.number()
        if value is not None:
            self.hide()
            self.given.emit(self.box.currentIndex(), value)


class ValueEditor(PopupEditor):
    """A button that opens the field for a value."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        self.panel = ValuePanel(theme)
        tip = _tr("Correct one of their values")
        super().__init__(theme, _tr("Set value…"), tip, self.panel, parent)
        self.panel.setParent(self, self.panel.windowFlags())
        self._units: list[str] = []
        self.panel.given.connect(self._on_given)

    def set_outputs(self, names: Sequence[str], units: Sequence[str]) -> None:
        """Set the quantities; see `TargetEditor.set_outputs`."""
        self._names, self._units = tuple(names), list(units) or [""] * len(names)
        self.panel.set_outputs(names, units)

    def show_chosen(self, targets: TargetTable, rows: NDArray[np.int64]) -> None:
        """Show the values of the selected images; see `TargetEditor.show_chosen`."""
        if len(rows):
            values = targets.values[rows]
            lows, highs = values.min(axis=0).tolist(), values.max(axis=0).tolist()
            self.panel.show_ranges(list(zip(lows, highs, strict=True)))

    def _on_given(self, output: int, value: float) -> None:
        def edits(rows: str) -> list[Edit]:
            return [SetTarget(rows=rows, output=output, value=value)]

        text = quantity(value, self._units[output])
        words = partial(_set, apart(self._names[output]), text)
        self.change_requested.emit(ImageChange(edits, words))


def in_range(
    output: int, low: float | None, high: float | None, targets: TargetTable
) -> NDArray[np.bool_]:
    """Return a mask of the images with a value in a range, shape (N,).

    Args:
        output: Number of the quantity.
        low: The lowest value; None for no limit.
        high: The highest value; None for no limit.
        targets: Targets of the dataset.
    """
    values = targets.values[:, output]
    inside: NDArray[np.bool_] = targets.having(output)
    if low is not None:
        inside &= values >= low
    if high is not None:
        inside &= values <= high
    return inside


def _set(name: str, value: str, images: str) -> str:
    return _tr("Set {name} of {images} to {value}").format(name=name, value=value, images=images)
