"""All images of a dataset in a grid: filtered, sorted, looked at and edited."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, get_args

import numpy as np
from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QShortcut
from PySide6.QtWidgets import QMenu, QWidget

from studio.engine.datasets.audit.findings import Finding
from studio.engine.datasets.edits import SplitName
from studio.engine.datasets.summary import DatasetSummary
from studio.engine.tasks import TASKS
from studio.ui.bridge.background import Background
from studio.ui.pages.commands import BACK, EXCLUDE, FIND, LARGER, SMALLER
from studio.ui.pages.datasets import messages
from studio.ui.pages.datasets.browsing.bar import BrowserBar
from studio.ui.pages.datasets.browsing.details import ImageDetails
from studio.ui.pages.datasets.browsing.grid import BrowserGrid, ImageRows
from studio.ui.pages.datasets.browsing.pictures import DatasetImages, Selection
from studio.ui.pages.datasets.browsing.query import Picked
from studio.ui.pages.datasets.versions.editor import Change, DatasetEditor, UndoButtons, changed
from studio.ui.shortcuts import Shortcuts
from studio.ui.tasks import view_of
from studio.ui.tasks.data_view import DataView
from studio.ui.tasks.targets import TargetChange, TargetEditor
from studio.ui.theme.icons import set_icon
from studio.ui.theme.theme import Theme
from studio.ui.theme.tokens import SPACE
from studio.ui.widgets.bars import split_word
from studio.ui.widgets.buttons import push_button
from studio.ui.widgets.labels import ElidedLabel, HintLabel
from studio.ui.widgets.layout import hbox, replace_widget, text_label, vbox
from studio.ui.widgets.notices import Notice
from studio.ui.widgets.tips import explain

if TYPE_CHECKING:
    from numpy.typing import NDArray


class EditBar(QWidget):
    """A line of buttons.

    Signals:
        change_wanted: A `Change` for the selected images.
    """

    change_wanted = Signal(object)

    def __init__(
        self,
        theme: Theme,
        shortcuts: Shortcuts,
        editor: DatasetEditor,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._shortcuts = shortcuts
        self._editor = editor
        self._chosen = 0
        self._theme = theme
        self._left_out = False
        self.number = ElidedLabel("", self, role="muted")
        self.exclude_button = push_button("", theme, icon="hidden", parent=self)
        self.move_button = push_button(self.tr("Move to"), theme, parent=self)
        self.targets = TargetEditor(self)
        self._view: DataView | None = None
        menu = QMenu(self.move_button)
        for split in get_args(SplitName):
            action = menu.addAction(split_word(split))
            action.triggered.connect(partial(self._on_split, split))
        self.move_button.setMenu(menu)
        self.steps = UndoButtons(theme, shortcuts, editor, self)
        self.version = text_label("", "caption", self)
        self._row = hbox(
            (self.number, 1),
            self.exclude_button,
            self.targets,
            self.move_button,
            SPACE.s,
            self.steps,
            self.version,
            owner=self,
            spacing=SPACE.s,
        )
        self.exclude_button.clicked.connect(self.exclude)
        self.set_left_out(False)
        self.show_numbers(0, 0)
        editor.changed.connect(self._allow)

    def set_outputs(self, view: DataView, names: Sequence[str], units: Sequence[str]) -> None:
        """Offer what a task can change of images.

        Args:
            view: Of the task.
            names: Of the classes, labels or quantities, K.
            units: Of the quantities, K or none.
        """
        if view is not self._view:
            self._view = view
            old, self.targets = self.targets, view.editor(self._theme, self)
            replace_widget(self._row, old, self.targets)
            self.targets.change_wanted.connect(self._on_target)
        self.targets.set_outputs(names, units)

    def set_left_out(self, left_out: bool) -> None:
        """Whether the images in sight are left out, and so can be brought back."""
        self._left_out = left_out
        text = self.tr("Include") if left_out else self.tr("Exclude")
        self.exclude_button.setText(text)
        set_icon(self.exclude_button, "visible" if left_out else "hidden", self._theme, "text")

    def show_numbers(self, total: int, chosen: int) -> None:
        """Show how many images there are, and how many of them are selected."""
        self._chosen = chosen
        self.number.setText(
            messages.chosen_of(chosen, total) if chosen else messages.images(total)
        )
        self._allow()

    def _allow(self) -> None:
        """Enable what can be done now; say why the rest cannot."""
        state, busy, chosen = self._editor.state, self._editor.is_busy, self._chosen
        reason = self.tr("Select images first")
        if state is None or busy:
            reason = self.tr("Wait until the change before is done")
        ready = state is not None and not busy
        tips = {
            self.exclude_button: self.tr("Use them again")
            if self._left_out
            else self._shortcuts.tip(
                self.tr("Leave them out of every split. Your files stay as they are."), EXCLUDE
            ),
            self.move_button: self.tr("Put them into another split"),
        }
        for button, tip in tips.items():
            button.setEnabled(ready and chosen > 0)
            button.setToolTip(tip if button.isEnabled() else reason)
        self.targets.allow(allowed=ready and chosen > 0, reason=reason)
        number = 0 if state is None else state.version
        self.version.setText(messages.version(number))
        self.version.setToolTip(self.tr("Every change makes a version; 0 is what was imported."))

    def add_first(self, widget: QWidget) -> None:
        """Take a widget in at the left end."""
        self._row.insertWidget(0, widget)

    def exclude(self) -> None:
        """Leave the selected images out, or bring them back."""
        if self.exclude_button.isEnabled():
            self.change_wanted.emit(Change("include" if self._left_out else "exclude"))

    def _on_target(self, change: TargetChange) -> None:
        self.change_wanted.emit(Change("target", target=change))

    def _on_split(self, split: SplitName) -> None:
        self.change_wanted.emit(Change("move", split=split))


# A selection of more pieces than that is not put together again after an edit.
_MOST_PIECES = 5000


class ImageBrowser(QWidget):
    """A grid between filters, edits and the details of one image.

    Signals:
        back_requested: Show the classes again.
        listed: The images of the filters are in the grid.
    """

    back_requested = Signal()
    listed = Signal()

    def __init__(
        self,
        theme: Theme,
        background: Background,
        editor: DatasetEditor,
        shortcuts: Shortcuts,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._background = background
        self._shortcuts = shortcuts
        self._editor = editor
        self._pictures: DatasetImages | None = None
        self._asked = 0
        self._model: ImageRows | None = None
        self.bar = BrowserBar(theme, shortcuts, self)
        self.edit_bar = EditBar(theme, shortcuts, editor, self)
        self.nothing = HintLabel(parent=self)
        self.grid = BrowserGrid(theme, self)
        self.grid.setMinimumSize(QSize(160, 120))
        self.details = ImageDetails(theme, background, self)
        self._lay_out()
        self._connect()
        explain(
            self.grid,
            self.tr(
                "Select images to move, relabel or leave them out; your files are never changed."
            ),
        )

    def show_class(self, summary: DatasetSummary, pictures: DatasetImages, output: int) -> None:
        """Show the images of a class, label or quantity in all splits; -1 is all images."""
        self._take(summary, pictures)
        self.bar.reset(output)
        self._ask()

    def show_finding(
        self, summary: DatasetSummary, pictures: DatasetImages, finding: Finding
    ) -> None:
        """Show the images that a finding of the audit is about, in all classes and splits."""
        self._take(summary, pictures)
        self.bar.reset(-1, finding)
        self._ask()

    def show_picked(
        self, summary: DatasetSummary, pictures: DatasetImages, picked: Picked
    ) -> None:
        """Show some images, whatever their class and split, also those that are left out."""
        self._take(summary, pictures)
        self.bar.reset(-1, picked=picked)
        self._ask()

    def refresh(self, summary: DatasetSummary) -> None:
        """Show the newest version of the same dataset, as far as possible where it was."""
        if self._pictures is not None:
            self._take(summary, self._pictures)
            self._ask(keep=True)

    def clear(self) -> None:
        """Let go of the dataset."""
        self._asked += 1
        self._pictures = None
        self.details.clear()
        self._forget_model()

    def _take(self, summary: DatasetSummary, pictures: DatasetImages) -> None:
        if pictures is not self._pictures:
            self._forget_model()
        self._pictures = pictures
        task = TASKS[summary.task]
        view = view_of(task)
        self.bar.set_outputs(task, view, summary.classes, summary.units)
        self.edit_bar.set_outputs(view, summary.classes, summary.units)

    def _forget_model(self) -> None:
        if self._model is not None:
            self.grid.clear()
            self._model.deleteLater()
            self._model = None

    def _lay_out(self) -> None:
        left = vbox(self.nothing, (self.grid, 1), spacing=SPACE.s)
        middle = hbox((left, 1), self.details, spacing=SPACE.m)
        # Beside the filters there is no room for it: their words would be cut.
        self.edit_bar.add_first(self.bar.slider)
        vbox(self.bar, self.edit_bar, (middle, 1), owner=self, spacing=SPACE.s)

    def _connect(self) -> None:
        self.bar.back_button.clicked.connect(self.back_requested)
        self.bar.changed.connect(self._ask)
        self.bar.slider.valueChanged.connect(self.grid.set_thumb_size)
        self.grid.chosen_changed.connect(self._on_chosen)
        self.grid.zoom_wanted.connect(self.bar.zoom)
        self.grid.drag_refused.connect(self._on_drag_refused)
        self.edit_bar.change_wanted.connect(self._on_change)
        here, grid = (
            Qt.ShortcutContext.WidgetWithChildrenShortcut,
            Qt.ShortcutContext.WidgetShortcut,
        )
        for command, parent, context, slot in (
            (LARGER, self, here, partial(self.bar.zoom, 1)),
            (SMALLER, self, here, partial(self.bar.zoom, -1)),
            (FIND, self, here, self.bar.search.setFocus),
            (EXCLUDE, self.grid, grid, self.edit_bar.exclude),
            (BACK, self.grid, grid, self.back_requested.emit),
            (BACK, self.bar.search, grid, self._leave_search),
        ):
            shortcut = QShortcut(parent)
            self._shortcuts.bind(shortcut, command)
            shortcut.setContext(context)
            shortcut.activated.connect(slot)

    def _leave_search(self) -> None:
        """First forget what was typed, then go back to the images."""
        if self.bar.search.text():
            self.bar.search.clear()
        else:
            self.grid.setFocus()

    def _ask(self, *, keep: bool = False) -> None:
        if self._pictures is None:
            return
        self._asked += 1
        self._background.run(
            self,
            partial(self._pictures.select, self.bar.query()),
            partial(self._on_selection, self._asked, keep),
        )

    def _on_selection(self, asked: int, keep: bool, selection: Selection) -> None:
        if asked != self._asked or self._pictures is None:
            return  # the filters have changed since
        chosen = self.grid.chosen() if keep else None
        place, scrolled = self.grid.currentIndex().row(), self.grid.verticalScrollBar().value()
        if self._model is None:
            self._model = ImageRows(selection, self)
            self.grid.show_rows(self._model, self._pictures)
        self._model.take(selection, self.bar.query().answers)
        self.bar.targets.show_targets(selection.table.targets)
        self.grid.updateGeometries()
        if chosen is None:
            self.grid.scrollToTop()
            self._choose_first()
        else:
            if len(chosen):
                self._choose_again(chosen, place)
            self.grid.verticalScrollBar().setValue(scrolled)
        self.nothing.show_text("" if len(selection.rows) else messages.no_image(self.bar.query()))
        left_out = self.bar.query().is_left_out or selection.table.are_left_out(selection.rows)
        self.edit_bar.set_left_out(left_out)
        self._on_chosen()
        self.listed.emit()

    def _choose_first(self) -> None:
        """Of images that were picked, look at the one that the user pointed at."""
        import numpy as np  # noqa: PLC0415 - there is no dataset to look at without it

        picked = self.bar.query().picked
        if picked is not None and picked.first is not None and self._model is not None:
            self.grid.choose(np.flatnonzero(self._model.rows == picked.first))

    def _choose_again(self, chosen: NDArray[np.int64], place: int) -> None:
        """Select what was selected; where that is gone, what stands in its place now."""
        import numpy as np  # noqa: PLC0415 - there is no dataset to look at without it

        rows = self._model.rows if self._model is not None else chosen[:0]
        places = np.flatnonzero(np.isin(rows, chosen))
        if np.count_nonzero(np.diff(places) != 1) > _MOST_PIECES:
            return
        if not len(places) and len(rows):
            places = np.array([min(max(place, 0), len(rows) - 1)])
        self.grid.choose(places)

    def _on_chosen(self) -> None:
        model = self._model
        chosen = self.grid.count()
        self.edit_bar.show_numbers(0 if model is None else model.rowCount(), chosen)
        current = self.grid.currentIndex()
        if model is None or self._pictures is None or not chosen or not current.isValid():
            self.details.clear()
        else:
            self.details.show_row(self._pictures, int(model.rows[current.row()]))
        if model is not None:
            self.edit_bar.targets.show_chosen(model.selection.table.targets, self.grid.chosen())

    def _on_change(self, change: Change) -> None:
        rows = self.grid.chosen()
        self._editor.change(change, rows, changed(change, len(rows)))

    def _on_drag_refused(self, text: str) -> None:
        self._editor.notice_wanted.emit(Notice("info", text, key="drag"))
