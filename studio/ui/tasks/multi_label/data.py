"""Datasets whose images have several labels each, or none."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication, Qt
from PySide6.QtWidgets import QCheckBox, QListWidgetItem, QWidget

from studio.engine.datasets.edits import AddClass, Edit, SetTarget
from studio.engine.tasks.task import Task
from studio.ui.tasks.data_view import DataView, DataWords, Fact, with_and_without
from studio.ui.tasks.output_picker import OutputPicker, PickerWords
from studio.ui.tasks.targets import (
    Condition,
    NameEditor,
    OutputFilter,
    TargetChange,
    TargetEditor,
    TargetFilter,
    TargetTable,
)
from studio.ui.theme.theme import Theme
from studio.ui.widgets.figures import count
from studio.ui.widgets.labels import apart
from studio.ui.widgets.layout import STRETCH, hbox
from studio.ui.widgets.tips import explain

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_tr = partial(QCoreApplication.translate, "tasks")

_Words = Callable[[str, str], str]
_NONE = -1


class MultiLabelData(DataView):
    """Shows the labels of a dataset."""

    def words(self, task: Task) -> DataWords:
        """Return the texts about labels."""
        return DataWords(
            output=_tr("Label"),
            find=_tr("Find a label"),
            not_found=_tr("No name in {all} contains this text."),
            back=_tr("Back to the labels"),
            card=_tr("Label {name}, {count} images"),
            card_help=_tr("Shows the images with this label."),
            distribution=_tr("Images per label"),
            changed=_tr("{images} with other labels"),
            added=_tr("New label “{name}”"),
            removed=_tr("The label “{name}” no longer exists"),
            renamed=_tr("A label was renamed to “{name}”"),
            rename=_tr("New name of the label “{name}”"),
            choice=_tr("Several labels per image"),
            choice_help=_tr("An image can show any number of things, such as a cat and a dog."),
        )

    def proposal(self, columns: str) -> str:
        """Name the columns of 0 and 1, or the one with lists."""
        return _tr(
            "Proposed because these columns hold 0 and 1, or lists of labels: {columns}."
        ).format(columns=columns)

    def heading(self) -> str:
        """Return the word for all outputs together."""
        return _tr("Labels")

    def outputs(self, number: int) -> str:
        """Return a text such as "10 labels"."""
        return _tr("1 label") if number == 1 else _tr("{n} labels").format(n=count(number))

    def caption(self, targets: TargetTable, row: int) -> str:
        """Return the labels of an image; see `DataView.caption`."""
        return ", ".join(_labels(targets, row)) or _tr("No labels")

    def groups(
        self, targets: TargetTable, rows: NDArray[np.int64], output: int
    ) -> tuple[NDArray[np.int32], tuple[str, ...]]:
        """Group images by a label; see `DataView.groups`."""
        return with_and_without(targets, rows, output)

    def facts(self, targets: TargetTable, row: int) -> list[Fact]:
        """Return the labels of an image; see `DataView.facts`."""
        return [(_tr("Labels"), _labels(targets, row) or (_tr("No labels"),))]

    def orders(self, names: Sequence[str]) -> list[tuple[str, str]]:
        """Offer the images with the most labels."""
        return [("labels", _tr("Most labels first"))]

    def order(self, targets: TargetTable, key: str) -> NDArray[np.int64] | None:
        """Return all rows, most labels first; see `DataView.order`."""
        import numpy as np  # noqa: PLC0415 - kept out of the start of the window

        if key != "labels":
            return None
        numbers = targets.values.sum(axis=1, dtype=np.int64)
        return np.argsort(-numbers, kind="stable").astype(np.int64)

    def filter(self, theme: Theme, parent: QWidget) -> TargetFilter:
        """Create the label filter; see `DataView.filter`."""
        return LabelFilter(parent)

    def editor(self, theme: Theme, parent: QWidget) -> TargetEditor:
        """Create the button that adds and removes labels; see `DataView.editor`."""
        return LabelEditor(theme, parent)


class LabelFilter(OutputFilter):
    """All images, those with or without a label, or those without any."""

    def __init__(self, parent: QWidget | None = None) -> None:
        first = ((_tr("All labels"), None), (_tr("No labels"), _NONE))
        super().__init__(_tr("Label"), first, parent)
        self.without = QCheckBox(_tr("Show the images without this label"), self.below)
        explain(self.without, _tr("Finds images with a missing label."))
        hbox(self.without, STRETCH, owner=self.below)
        self.without.clicked.connect(self.changed)

    def reset(self, output: int) -> None:
        """Ask for the images with a label; -1 is all images."""
        self.without.setChecked(False)
        super().reset(output)

    def condition(self) -> Condition | None:
        """Return a mask of the images that have the chosen label, or lack it."""
        output = self.box.currentData()
        if output is None:
            return None
        if output == _NONE:
            return without_labels
        return partial(with_label, output, not self.without.isChecked())

    def _show_choice(self) -> None:
        self.below.setVisible(self.box.currentData() not in (None, _NONE))


class LabelPicker(OutputPicker):
    """A list of labels with a box to tick each; it stays open until the user looks elsewhere."""

    def __init__(self, parent: QWidget | None = None) -> None:
        words = PickerWords(
            names=_tr("Labels"),
            names_help=_tr("Checked labels: all selected images have them."),
            find=_tr("Find or add a label"),
            find_help=_tr("Lists the labels whose name contains the text."),
            new=_tr("New label “{name}”"),
            new_help=_tr("Adds the label to the dataset and gives it to the selected images."),
        )
        super().__init__(parent, words)
        # Where one click activates, a box would be ticked and emptied at once.
        self.list.itemActivated.disconnect(self._on_item)

    def set_names(self, names: Sequence[str]) -> None:
        """Offer other labels."""
        row = self.list.currentRow()
        super().set_names(names)
        for index in range(self.list.count()):
            # Not for Qt to tick: a click anywhere on the line does.
            item = self.list.item(index)
            item.setFlags(Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable)
            item.setCheckState(Qt.CheckState.Unchecked)
        self._filter(self.search.text())
        if 0 <= row < self.list.count() and not self.list.item(row).isHidden():
            self.list.setCurrentRow(row)

    def show_fractions(self, fractions: Sequence[float]) -> None:
        """Tick each label by the share of selected images that have it."""
        states = Qt.CheckState
        for index, share in enumerate(fractions[: self.list.count()]):
            state = states.Checked if share >= 1 else states.PartiallyChecked
            self.list.item(index).setCheckState(state if share > 0 else states.Unchecked)

    def is_ticked(self, index: int) -> bool:
        """Return True if all selected images have a label."""
        return self.list.item(index).checkState() == Qt.CheckState.Checked

    def _on_item(self, item: QListWidgetItem) -> None:
        self.chosen.emit(self.list.row(item))


class LabelEditor(NameEditor[LabelPicker]):
    """A button that opens the list of labels."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        tip = _tr("Add or remove labels")
        super().__init__(theme, _tr("Labels…"), tip, LabelPicker(), parent)

    def allow(self, *, allowed: bool, reason: str) -> None:
        """Enable or disable button and list; see `TargetEditor.allow`."""
        super().allow(allowed=allowed, reason=reason)
        self.button.setEnabled(allowed or self.picker.isVisible())
        self.picker.list.setEnabled(allowed)
        self.picker.new_button.setEnabled(allowed)

    def show_chosen(self, targets: TargetTable, rows: NDArray[np.int64]) -> None:
        """Check the labels of the selected images; see `TargetEditor.show_chosen`."""
        if len(rows):
            self.picker.show_fractions(targets.values[rows].mean(axis=0).tolist())

    def _on_chosen(self, label: int) -> None:
        given = not self.picker.is_ticked(label)
        words = _given if given else _taken
        self._set(label, self._names[label], 1.0 if given else 0.0, words)

    def _on_created(self, name: str) -> None:
        self._set(len(self._names), name, 1.0, _given, AddClass(name=name))

    def _set(self, label: int, name: str, value: float, words: _Words, *first: Edit) -> None:
        def edits(rows: str) -> list[Edit]:
            return [*first, SetTarget(rows=rows, output=label, value=value)]

        self.change_requested.emit(TargetChange(edits, partial(words, apart(name))))


def with_label(output: int, having: bool, targets: TargetTable) -> NDArray[np.bool_]:
    """Return a mask of the images that have a label, or lack it, shape (N,).

    Args:
        output: Number of the label.
        having: False for the images that do not have it.
        targets: Targets of the dataset.
    """
    found = targets.having(output)
    return found if having else ~found


def without_labels(targets: TargetTable) -> NDArray[np.bool_]:
    """Return a mask of the images without any label, shape (N,)."""
    given: NDArray[np.bool_] = targets.values.max(axis=1, initial=0) > 0
    return ~given


def _labels(targets: TargetTable, row: int) -> tuple[str, ...]:
    pairs = zip(targets.names, targets.values[row], strict=True)
    return tuple(name for name, value in pairs if value)


def _given(name: str, images: str) -> str:
    return _tr("Added the label “{name}” to {images}").format(images=images, name=name)


def _taken(name: str, images: str) -> str:
    return _tr("Removed the label “{name}” from {images}").format(images=images, name=name)
