"""The filters over the grid of images, and how large the pictures are."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QComboBox, QHBoxLayout, QLineEdit, QSlider, QVBoxLayout, QWidget

from studio.engine.datasets.audit.findings import Finding
from studio.engine.tasks.task import Task
from studio.ui.engine_text import engine_text
from studio.ui.pages.commands import FIND, LARGER, SMALLER
from studio.ui.pages.datasets.auditing import messages as audit_messages
from studio.ui.pages.datasets.auditing.findings_bar import SeverityIcon
from studio.ui.pages.datasets.browsing.predictions import PredictionChip
from studio.ui.pages.datasets.browsing.query import LEFT_OUT, ImageQuery, Picked
from studio.ui.pages.datasets.messages import split_words
from studio.ui.shortcuts import Shortcuts
from studio.ui.tasks.data_view import DataView
from studio.ui.tasks.targets import TargetFilter
from studio.ui.theme.theme import Theme
from studio.ui.theme.tokens import SPACE, SPLIT_COLORS
from studio.ui.widgets.buttons import icon_button, push_button
from studio.ui.widgets.inputs import ComboBox
from studio.ui.widgets.labels import ElidedLabel
from studio.ui.widgets.layout import Debounce, fill, hbox
from studio.ui.widgets.tips import explain

if TYPE_CHECKING:
    from studio.engine.evaluation.opened import Predictions


class FindingChip(QWidget):
    """A line with a finding, or with images that were picked; hidden while there is neither.

    Signals:
        removed: All images are wanted again.
    """

    removed = Signal()

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        # The finding that is shown.
        self.finding: Finding | None = None
        # The images that were picked.
        self.picked: Picked | None = None
        self.icon = SeverityIcon(theme, self)
        self.button = push_button("", theme, icon="close", parent=self)
        self.button.clicked.connect(self._on_removed)
        self.line = ElidedLabel("", self, role="muted")
        hbox(self.icon, self.button, (self.line, 1), owner=self, spacing=SPACE.s)
        self.show_finding(None)
        explain(self.button, self.tr("Shows all images again."))

    def show_picked(self, picked: Picked) -> None:
        """Show images that were picked instead."""
        self.show_finding(None)
        self.picked = picked
        self.show()
        self.icon.set_mark("none", "")
        self.button.setText(picked.title)
        self.button.setToolTip(self.tr("Show all images again, not only these"))
        text = self.tr("{what}. Show all images").format(what=picked.title)
        self.button.setAccessibleName(text)
        self.line.setText(picked.line)

    def show_finding(self, finding: Finding | None) -> None:
        """Show another finding, or none."""
        self.finding = finding
        self.picked = None
        self.setVisible(finding is not None)
        if finding is None:
            return
        name = audit_messages.title(finding.kind)
        self.icon.set_mark(finding.severity, audit_messages.severity(finding.severity))
        self.button.setText(name)
        self.button.setToolTip(self.tr("Show all images again, not only those of this finding"))
        self.button.setAccessibleName(self.tr("Finding {what}. Show all images").format(what=name))
        self.line.setText(engine_text(finding.message))

    def _on_removed(self) -> None:
        self.show_finding(None)
        self.removed.emit()


SMALLEST, LARGEST, USUAL, STEP = 48, 256, 96, 16
_TYPING_MS = 150
_STRETCH = 3
# As imported and by name; then those of the task, by split, and what is offered for a while.
_FIRST_ORDERS = 2
_OFFERED = ("finding", "score")


class BrowserBar(QWidget):
    """Targets, split, file name and order; below them the finding, where there is one.

    The slider has no place here; whoever shows the bar gives it one.

    Signals:
        changed: Another query is wanted.
    """

    changed = Signal()

    def __init__(self, theme: Theme, shortcuts: Shortcuts, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._shortcuts = shortcuts
        self._theme = theme
        self._view: DataView | None = None
        self.back_button = icon_button("back", self.tr("Back to the overview"), theme, parent=self)
        self.targets = TargetFilter(self)
        self.split_box = _box(self.tr("Split"), self)
        self.order_box = _box(self.tr("Order"), self)
        self.search = QLineEdit(self)
        self.search.setPlaceholderText(self.tr("File name"))
        self.search.setAccessibleName(self.tr("Find images by file name"))
        self.search.setClearButtonEnabled(True)
        self.search.setMinimumWidth(56)
        self.slider = QSlider(Qt.Orientation.Horizontal, self)
        self.slider.setRange(SMALLEST, LARGEST)
        self.slider.setValue(USUAL)
        self.slider.setSingleStep(STEP)
        self.slider.setFixedWidth(64)
        self.slider.setAccessibleName(self.tr("Size of the pictures"))
        shortcuts.changed.connect(self._tell_keys)
        self._tell_keys()
        # One search after a pause, not one for each letter.
        self._typing = Debounce(_TYPING_MS, self.changed.emit, self)
        self.chip = FindingChip(theme, self)
        self.predictions = PredictionChip(theme, self)
        self.predictions_button = icon_button(
            "predict", self.tr("What a run took the images for…"), theme, parent=self
        )
        self._row = QHBoxLayout()
        self._column = QVBoxLayout(self)
        self._fill()
        self._lay_out()
        for box in (self.split_box, self.order_box):
            box.activated.connect(self.changed)
        self.search.textChanged.connect(self._typing.start)
        self.chip.removed.connect(self._on_finding_removed)
        self.predictions.changed.connect(self.changed)
        self.predictions.removed.connect(self._on_predictions_removed)

    def _tell_keys(self) -> None:
        """Say in the tips which keys do the same."""
        keys = self._shortcuts
        self.search.setToolTip(keys.tip(self.tr("Find images by a part of their path"), FIND))
        sizes = [keys.short_text(LARGER), keys.short_text(SMALLER), self.tr("Ctrl and the wheel")]
        self.slider.setToolTip(
            self.tr("Size of the pictures ({keys})").format(keys=", ".join(filter(None, sizes)))
        )

    def set_outputs(
        self, task: Task, view: DataView, names: Sequence[str], units: Sequence[str]
    ) -> None:
        """Offer filters and orders of a task; what is chosen stays where it is still there.

        Args:
            task: Of the dataset.
            view: Of the task.
            names: Of the classes, labels or quantities, K.
            units: Of the quantities, K or none.
        """
        if view is not self._view:
            self._view = view
            old, self.targets = self.targets, view.filter(self._theme, self)
            self._row.replaceWidget(old, self.targets)
            self._row.setStretchFactor(self.targets, _STRETCH)
            self._column.insertWidget(1, self.targets.below)
            for part in (old, old.below):
                part.hide()
                part.deleteLater()
            self.targets.changed.connect(self.changed)
            self.back_button.setAccessibleName(view.words(task).back)
            self.back_button.setToolTip(view.words(task).back)
            # What a run answered is compared with classes.
            self.predictions_button.setVisible(view.has_classes)
        self.targets.set_outputs(names, units)
        self._offer_orders(view.orders(names))
        self.predictions.set_classes(names)

    def _offer_orders(self, orders: Sequence[tuple[str, str]]) -> None:
        """Offer the orders by targets between those by name and by split."""
        chosen = self.order_box.currentData()
        while self.order_box.count() > _FIRST_ORDERS and self.order_box.itemData(
            _FIRST_ORDERS
        ) not in ("split", *_OFFERED):
            self.order_box.removeItem(_FIRST_ORDERS)
        for place, (key, text) in enumerate(orders, _FIRST_ORDERS):
            self.order_box.insertItem(place, text, key)
        self.order_box.setCurrentIndex(max(0, self.order_box.findData(chosen)))

    def reset(
        self, output: int, finding: Finding | None = None, picked: Picked | None = None
    ) -> None:
        """Ask for all images of an output, -1 being all of them, of a finding, or for some."""
        self._show_finding(finding)
        if picked is not None:
            self.chip.show_picked(picked)
        self.predictions.clear()
        self._offer("score", "")
        self.targets.reset(output)
        opening = "" if self._view is None or output < 0 else self._view.opening_order(output)
        if opening:
            self.order_box.setCurrentIndex(max(0, self.order_box.findData(opening)))
        self.split_box.setCurrentIndex(0)
        self.search.clear()
        self._typing.stop()

    def query(self) -> ImageQuery:
        """What is asked for."""
        return ImageQuery(
            target=self.targets.condition(),
            split=self.split_box.currentData(),
            text=self.search.text().strip(),
            order=self.order_box.currentData(),
            finding=self.chip.finding,
            answers=self.predictions.answers,
            picked=self.chip.picked,
        )

    def show_predictions(self, run: str, predictions: Predictions) -> None:
        """Ask for the mistakes of a run, the surest first."""
        self.predictions.show_predictions(run, predictions)
        self._offer("score", self.tr("Surest first"))
        self.changed.emit()

    def show_measuring(self, run: str) -> None:
        """Say that a run is being measured for its predictions; empty: none is any more."""
        if run:
            self.predictions.show_measuring(run)
        elif self.predictions.answers is None:
            self.predictions.clear()

    def zoom(self, steps: int) -> None:
        """Show the pictures larger, or smaller."""
        self.slider.setValue(self.slider.value() + steps * STEP)

    def _fill(self) -> None:
        self.split_box.addItem(self.tr("All splits"), None)
        for split in (*SPLIT_COLORS, LEFT_OUT):
            self.split_box.addItem(split_words(split), split)
        self.order_box.addItem(self.tr("As imported"), "import")
        self.order_box.addItem(self.tr("By name"), "name")
        self.order_box.addItem(self.tr("By split"), "split")

    def _lay_out(self) -> None:
        row = self._row
        row.setSpacing(SPACE.s)
        fill(
            row,
            self.back_button,
            (self.targets, _STRETCH),
            self.split_box,
            (self.search, _STRETCH),
            self.order_box,
            self.predictions_button,
        )
        column = self._column
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(SPACE.s)
        fill(column, row, self.chip, self.predictions)

    def _show_finding(self, finding: Finding | None) -> None:
        """Another finding, or none; its order is offered only with it, and is used at first."""
        self.chip.show_finding(finding)
        if finding is None:
            self._offer("finding", "")
        else:
            text = self.tr("By pair") if finding.pairs else self.tr("As found")
            self._offer("finding", text)

    def _offer(self, order: str, text: str) -> None:
        """Offer an order and use it; without a text, offer it no more."""
        place = self.order_box.findData(order)
        if text and place < 0:
            place = self.order_box.count()
            self.order_box.addItem(text, order)
        if text:
            self.order_box.setItemText(place, text)
            self.order_box.setCurrentIndex(place)
        elif place >= 0:
            if self.order_box.currentIndex() == place:
                self.order_box.setCurrentIndex(0)  # Qt would take its neighbor
            self.order_box.removeItem(place)

    def _on_predictions_removed(self) -> None:
        self._offer("score", "")
        self.changed.emit()

    def _on_finding_removed(self) -> None:
        self._show_finding(None)
        self.changed.emit()


def _box(name: str, parent: QWidget, letters: int = 0) -> QComboBox:
    """A choice with room for so many letters; with none given, for all its entries."""
    box = ComboBox(parent)
    box.setAccessibleName(name)
    box.setToolTip(name)
    box.setMinimumContentsLength(letters)
    if not letters:
        box.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToContents)
    return box
