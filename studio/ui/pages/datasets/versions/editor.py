"""Edits of the dataset that is shown, with undo and redo, and the buttons for them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import get_args

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QCoreApplication, QObject, Signal
from PySide6.QtGui import QShortcut
from PySide6.QtWidgets import QMenu, QWidget

from studio.engine.datasets import versions
from studio.engine.datasets.audit.findings import Action
from studio.engine.datasets.audit.remaining import fix_finding
from studio.engine.datasets.edits import (
    Edit,
    EditLine,
    Exclude,
    Include,
    Move,
    RenameClass,
    Restore,
    SplitName,
    current_version,
    in_effect,
    read_edits,
)
from studio.engine.datasets.edits import undone as undone_lines
from studio.engine.datasets.overlay import rows_text
from studio.engine.datasets.split_plan import SplitPlan
from studio.engine.datasets.store import Store
from studio.engine.datasets.summary import read_summary
from studio.engine.datasets.versions import SplitPreview
from studio.engine.errors import StudioError
from studio.engine.tasks import TASKS
from studio.ui.bridge.background import Background
from studio.ui.bridge.request import Request
from studio.ui.pages.commands import EXCLUDE, REDO, UNDO
from studio.ui.pages.datasets import messages
from studio.ui.pages.datasets.auditing import messages as audit_messages
from studio.ui.pages.datasets.messages import images
from studio.ui.shortcuts import Shortcuts
from studio.ui.tasks import view_of
from studio.ui.tasks.data_view import DataView, DataWords, TextRows
from studio.ui.tasks.targets import ImageChange, TargetEditor, TargetTable
from studio.ui.theme.icons import set_icon
from studio.ui.theme.theme import Theme
from studio.ui.theme.tokens import SPACE
from studio.ui.widgets.bars import split_word
from studio.ui.widgets.buttons import icon_button, push_button
from studio.ui.widgets.figures import count, percent
from studio.ui.widgets.labels import ElidedLabel, apart
from studio.ui.widgets.layout import flow, hbox, replace_widget, text_label
from studio.ui.widgets.notices import Notice
from studio.ui.widgets.tips import allow, explain

_tr = partial(QCoreApplication.translate, "datasets")


@dataclass(frozen=True, slots=True)
class EditState:
    """The newest version of a dataset, and its neighbors in the history.

    Attributes:
        version: The newest; 0 is the dataset as imported.
        undo: Description of the step that undo takes back; None if there is none.
        redo: Description of the step that redo repeats; None if there is none.
    """

    version: int
    undo: str | None
    redo: str | None


def words_of(folder: Path) -> DataWords:
    """Return the words of the task of a dataset.

    Raises:
        BadDataError: Its summary cannot be read.
    """
    task = TASKS[read_summary(folder).task]
    return view_of(task).words(task)


def read_edit_state(folder: Path) -> EditState:
    """Read the version and the history of a dataset.

    Raises:
        BadDataError: The edits are damaged.
    """
    lines = read_edits(folder)
    done, back = in_effect(lines), undone_lines(lines)
    words = words_of(folder)
    undo = step(done[-1], words) if done else None
    redo = step(back[-1], words) if back else None
    return EditState(len(lines), undo, redo)


def step(line: EditLine, words: DataWords) -> str:
    """Describe a step by the note of its author, or else by its edits."""
    return line.note or ", ".join(_edit(edit, words) for edit in line.edits)


def undone(what: str) -> str:
    """Describe an undo: Undone: Excluded 12 images."""
    return _tr("Undone: {what}").format(what=what)


def redone_text(what: str) -> str:
    """Describe a redo: Done again: Excluded 12 images."""
    return _tr("Done again: {what}").format(what=what)


def _went_back(version: int) -> str:
    return _tr("Went back to version {n}").format(n=count(version))


def _edit(edit: Edit | Restore, words: DataWords) -> str:
    if edit.kind == "restore":
        return _went_back(edit.version)
    if edit.kind == "resplit":
        return _tr("Split again")
    if edit.kind == "add_class":
        return words.added.format(name=apart(edit.name))
    if edit.kind == "rename_class":
        return words.renamed.format(name=apart(edit.name))
    texts = {
        "exclude": _tr("Excluded {images}"),
        "include": _tr("Included {images} again"),
        "relabel": _tr("Relabeled {images}"),
        "confirm": _tr("Confirmed the labels of {images}"),
        "remove_objects": _tr("Removed boxes of {images}"),
        "move": _tr("Moved {images}"),
        "set_target": _tr("Changed the targets of {images}"),
    }
    pairs = (part.partition("-") for part in edit.rows.split(","))  # such as 0-99,105
    number = sum(int(last or first) - int(first) + 1 for first, _, last in pairs)
    return texts[edit.kind].format(images=images(number))


@dataclass(frozen=True, slots=True)
class Fix:
    """An action that a finding of an audit offers.

    Attributes:
        kind: Kind of the finding.
        action: One of its actions.
        label: For `relabel`: the new class of the images.
    """

    kind: str
    action: Action
    label: int | None = None


def fix_images(folder: Path, fix: Fix) -> EditState:
    """Apply a fix of the newest audit; see `fix_finding`."""
    note = partial(audit_messages.fixed, fix.kind, fix.action)
    fix_finding(folder, fix.kind, fix.action, fix.label, note)
    return read_edit_state(folder)


def preview_split(folder: Path, plan: SplitPlan) -> tuple[SplitPreview, TextRows]:
    """Compute the effect of a new split, and the distribution of classes or targets over it.

    Raises:
        StudioError: The pattern of the plan matches no path, or the dataset cannot be read.
    """
    found = versions.preview_split(folder, plan)
    targets = TargetTable.of_store(Store.open(folder))
    return found, view_of(targets.task).balance(targets, found.split)


def resplit_text(plan: SplitPlan) -> str:
    """Describe a split: Split again, stratified: 20 % validation, 10 % test."""
    if plan.method == "kfold":
        return _tr("Split again: fold {fold} of {folds}").format(fold=plan.fold, folds=plan.folds)
    words = {
        "stratified": _tr("Split again, stratified: {val} validation, {test} test"),
        "ratio": _tr("Split again, all images together: {val} validation, {test} test"),
    }
    if not plan.by_origin:
        words["stratified"] = _tr("Split again, image by image: {val} validation, {test} test")
    val, test = percent(plan.val_percent / 100, 0), percent(plan.test_percent / 100, 0)
    return words[plan.method].format(val=val, test=test)


def _undo_if(folder: Path, version: int) -> None:
    """Take the last step back if a version is still the newest.

    Raises:
        StudioError: The dataset was changed since.
    """
    if current_version(folder) != version:
        raise StudioError(
            "The dataset has changed since.",
            "Undo in the list of its images reverts one step at a time.",
        )
    versions.undo(folder)


class DatasetEditor(QObject):
    """Edits, undo and redo of one dataset; the files of the user are never changed.

    Signals:
        changed: `state` or `is_busy` changed.
        edited: Folder of a dataset that has a new version.
        notice_requested: A `Notice`.
    """

    changed = Signal()
    edited = Signal(object)
    notice_requested = Signal(object)

    def __init__(self, background: Background, parent: QObject) -> None:
        super().__init__(parent)
        self._background = background
        self._previews = Request(background, self)
        self._folder: Path | None = None
        # None until it is read.
        self.state: EditState | None = None
        # True during an edit; there is one at a time.
        self.is_busy: bool = False

    @property
    def is_ready(self) -> bool:
        """True if the dataset can be edited now."""
        return self.state is not None and not self.is_busy

    def open(self, folder: Path | None) -> None:
        """Switch to another dataset, or to none."""
        self._folder = folder
        self.state = None
        self.is_busy = False
        self.changed.emit()
        if folder is not None:
            work = partial(read_edit_state, folder)
            self._background.run(self, work, partial(self._on_state, folder))

    def reload(self) -> None:
        """Read the state again, because another program edited the dataset."""
        if self._folder is not None and not self.is_busy:
            work = partial(read_edit_state, self._folder)
            self._background.run(self, work, partial(self._on_foreign, self._folder))

    def change(
        self, change: ImageChange, rows: NDArray[np.int64], *, notifies: bool = True
    ) -> None:
        """Edit images.

        Args:
            change: The edit.
            rows: Their rows in the dataset.
            notifies: False if the caller says itself what was done.
        """
        words = change.words(images(len(rows)))
        if len(rows):
            work = partial(_change, change=change, rows=rows, words=words)
            self._start(work, words, notifies=notifies)

    def rename(self, output: int, old: str, new: str) -> None:
        """Rename a class, label or quantity.

        Args:
            output: Its number.
            old: Its name.
            new: Its new name.
        """
        words = _tr("Renamed “{old}” to “{new}”").format(old=apart(old), new=apart(new))
        edits = [RenameClass(label=output, name=new)]
        self._start(partial(versions.edit_dataset, edits=edits, note=words), words)

    def fix(self, fix: Fix) -> None:
        """Apply a fix of a finding; the note of the step says how many images it changed."""
        self._start(partial(fix_images, fix=fix), "")

    def split(self, plan: SplitPlan) -> None:
        """Reassign all images to the splits."""
        words = resplit_text(plan)
        self._start(partial(versions.resplit_dataset, plan=plan, note=words), words)

    def preview_split(
        self,
        plan: SplitPlan,
        done: Callable[[tuple[SplitPreview, TextRows]], None],
        refused: Callable[[BaseException], None],
    ) -> None:
        """Compute the effect of a split; a later call makes this one stale.

        Args:
            plan: The split.
            done: Receives the effect.
            refused: Receives the error if the split cannot be made.
        """
        if self._folder is not None:
            work = partial(preview_split, self._folder, plan)
            self._previews.run(work, done, refused)

    def go_back(self, version: int) -> None:
        """Restore an older version, as a step that can be undone."""
        words = _went_back(version)
        self._start(partial(versions.restore, version=version, note=words), words)

    def undo(self, *, notifies: bool = True) -> None:
        """Undo the last step.

        Args:
            notifies: False if the caller says itself what was done.
        """
        if self.state and self.state.undo is not None:
            words = undone(self.state.undo)
            self._start(versions.undo, words, can_undo=False, notifies=notifies)

    def redo(self) -> None:
        """Repeat the step that was undone last."""
        if self.state and self.state.redo is not None:
            self._start(versions.redo, redone_text(self.state.redo), can_undo=False)

    def _start(
        self,
        work: Callable[[Path], object],
        words: str,
        *,
        can_undo: bool = True,
        notifies: bool = True,
    ) -> None:
        """Edit in the background, unless an edit is under way."""
        if self._folder is not None and not self.is_busy:
            self.is_busy = True
            self.changed.emit()
            self._run(self._folder, work, words, can_undo=can_undo, notifies=notifies)

    def _run(
        self,
        folder: Path,
        work: Callable[[Path], object],
        words: str,
        *,
        can_undo: bool,
        notifies: bool = True,
    ) -> None:
        done, failed = partial(self._on_done, folder, words, can_undo, notifies), self._on_failed
        self._background.run(self, partial(_edited, folder, work), done, partial(failed, folder))

    def _on_state(self, folder: Path, state: EditState) -> None:
        if folder == self._folder:
            self.state = state
            self.is_busy = False
            self.changed.emit()

    def _on_foreign(self, folder: Path, state: EditState) -> None:
        is_news = self.state is None or self.state.version != state.version
        self._on_state(folder, state)
        if is_news and folder == self._folder:
            text = self.tr("Another program changed the dataset: version {n}.")
            text = text.format(n=count(state.version))
            self.notice_requested.emit(Notice("info", text, key=f"edit:{folder.name}"))

    def _on_done(
        self, folder: Path, words: str, can_undo: bool, notifies: bool, state: EditState
    ) -> None:
        self._on_state(folder, state)
        if notifies:
            self._notify(folder, words, state, can_undo=can_undo)
        self.edited.emit(folder)

    def _notify(self, folder: Path, words: str, state: EditState, *, can_undo: bool) -> None:
        action = partial(self._undo_step, folder, state.version) if can_undo else None
        button = self.tr("Undo") if can_undo else ""
        # The effect of a fix is known only afterwards.
        text = words or state.undo or ""
        self.notice_requested.emit(Notice("info", text, "", f"edit:{folder.name}", button, action))

    def _on_failed(self, folder: Path, error: BaseException) -> None:
        if folder == self._folder:
            self.is_busy = False
            self.changed.emit()
        self._background.failed.emit(error)

    def _undo_step(self, folder: Path, version: int) -> None:
        """Undo from a notice, perhaps while another dataset is shown."""
        words = self.tr("The last change was undone.")
        self._run(folder, partial(_undo_if, version=version), words, can_undo=False)


def _change(folder: Path, change: ImageChange, rows: NDArray[np.int64], words: str) -> None:
    versions.edit_dataset(folder, change.edits(rows_text(rows)), words)


def _edited(folder: Path, work: Callable[[Path], object]) -> EditState:
    work(folder)
    return read_edit_state(folder)


class UndoButtons(QWidget):
    """Undo and redo of an editor; their tooltips name the step."""

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
        self.undo_button = icon_button("undo", self.tr("Undo"), theme, on_click=editor.undo)
        self.redo_button = icon_button("redo", self.tr("Redo"), theme, on_click=editor.redo)
        hbox(self.undo_button, self.redo_button, owner=self, spacing=SPACE.s)
        editor.changed.connect(self._refresh)
        self._refresh()

    def _refresh(self) -> None:
        """Enable what is possible now."""
        state = None if self._editor.is_busy else self._editor.state
        undo, redo = (None, None) if state is None else (state.undo, state.redo)
        for button, step, command, pattern, nothing in (
            (self.undo_button, undo, UNDO, self.tr("Undo: {what}"), self.tr("Nothing to undo")),
            (self.redo_button, redo, REDO, self.tr("Redo: {what}"), self.tr("Nothing to redo")),
        ):
            tip = self._shortcuts.tip(pattern.format(what=step), command)
            allow(button, nothing if step is None else "", tip)


def add_undo_keys(widget: QWidget, editor: DatasetEditor, shortcuts: Shortcuts) -> None:
    """Bind the keys of undo and redo, wherever the focus is while the widget is shown."""
    for command, slot in ((UNDO, editor.undo), (REDO, editor.redo)):
        shortcut = QShortcut(widget)
        shortcuts.bind(shortcut, command)
        shortcut.activated.connect(slot)


class EditBar(QWidget):
    """The buttons that edit the selected images.

    Signals:
        change_requested: An `ImageChange` of the selected images.
    """

    change_requested = Signal(object)

    def __init__(
        self,
        theme: Theme,
        shortcuts: Shortcuts,
        editor: DatasetEditor,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._theme = theme
        self._shortcuts = shortcuts
        self._editor = editor
        self._chosen = 0
        self._left_out = False
        self._view: DataView | None = None
        self.number = ElidedLabel("", self, role="muted")
        self.exclude_button = push_button("", theme, icon="hidden", on_click=self.exclude)
        self.move_button = push_button(self.tr("Move to"), theme, parent=self)
        menu = QMenu(self.move_button)
        for split in get_args(SplitName):
            action = menu.addAction(split_word(split))
            action.triggered.connect(partial(self._on_split, split))
        self.move_button.setMenu(menu)
        self.targets = TargetEditor(self)
        self.steps = UndoButtons(theme, shortcuts, editor, self)
        self.version = text_label("", "caption", self)
        explain(self.version, self.tr("Every edit makes a version. Version 0 is the import."))
        buttons = (self.exclude_button, self.targets, self.move_button)
        # The number comes last: no button moves when it gets longer.
        self._row = flow(*buttons, self.steps, self.version, self.number)
        self.setLayout(self._row)
        self.set_left_out(False)
        self.show_numbers(0, 0)
        editor.changed.connect(self._allow)

    def set_outputs(self, view: DataView, names: Sequence[str], units: Sequence[str]) -> None:
        """Offer the changes of targets that a task has.

        Args:
            view: View of the task.
            names: Names of the classes, labels or quantities, K.
            units: Units of the quantities, K or none.
        """
        if view is not self._view:
            self._view = view
            old, self.targets = self.targets, view.editor(self._theme, self)
            replace_widget(self._row, old, self.targets)
            self.targets.change_requested.connect(self.change_requested)
        self.targets.set_outputs(names, units)

    def set_left_out(self, left_out: bool) -> None:
        """Offer to include the images shown, if they are excluded."""
        self._left_out = left_out
        text = self.tr("Include") if left_out else self.tr("Exclude")
        self.exclude_button.setText(text)
        set_icon(self.exclude_button, "visible" if left_out else "hidden", self._theme, "text")

    def show_numbers(self, total: int, chosen: int) -> None:
        """Show the number of images, and of those that are selected."""
        self._chosen = chosen
        self.number.setText(messages.chosen_of(chosen, total) if chosen else images(total))
        self._allow()

    def add_first(self, widget: QWidget) -> None:
        """Insert a widget at the left."""
        self._row.insert(0, widget)

    def exclude(self) -> None:
        """Exclude the selected images, or include them again."""
        if not self.exclude_button.isEnabled():
            return
        edit: type[Exclude | Include] = Include if self._left_out else Exclude
        text = _tr("Included {images} again") if self._left_out else _tr("Excluded {images}")
        change = ImageChange(
            lambda rows: [edit(rows=rows)], lambda number: text.format(images=number)
        )
        self.change_requested.emit(change)

    def _allow(self) -> None:
        """Enable the possible edits; tooltips give the reason for the others."""
        reason = "" if self._chosen else self.tr("Select images first")
        if not self._editor.is_ready:
            reason = self.tr("Wait until the previous edit is done")
        tip = self.tr("Use them again")
        if not self._left_out:
            text = self.tr("Exclude them from every split. Your files are not changed.")
            tip = self._shortcuts.tip(text, EXCLUDE)
        allow(self.exclude_button, reason, tip)
        allow(self.move_button, reason, self.tr("Put them into another split"))
        self.targets.allow(allowed=not reason, reason=reason)
        state = self._editor.state
        self.version.setText(messages.version(0 if state is None else state.version))

    def _on_split(self, split: SplitName) -> None:
        text = _tr("Moved {images} to {split}")
        change = ImageChange(
            lambda rows: [Move(rows=rows, split=split)],
            lambda number: text.format(images=number, split=split_word(split)),
        )
        self.change_requested.emit(change)
