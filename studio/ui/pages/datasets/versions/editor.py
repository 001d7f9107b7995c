"""Edits of the dataset that is shown, one after the other, with undo and redo."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import numpy as np
from PySide6.QtCore import QCoreApplication, QObject, Signal
from PySide6.QtGui import QShortcut
from PySide6.QtWidgets import QWidget

from studio.engine.datasets.edits import (
    Edit,
    Exclude,
    Include,
    Move,
    RenameClass,
    SplitName,
    current_version,
)
from studio.engine.datasets.split_plan import SplitPlan
from studio.engine.errors import StudioError
from studio.ui.bridge.background import Background
from studio.ui.pages.commands import REDO, UNDO
from studio.ui.pages.datasets.auditing.audit import Fix, fix_images
from studio.ui.pages.datasets.messages import images, split_words
from studio.ui.pages.datasets.versions import history
from studio.ui.pages.datasets.versions.history import EditState, read_edit_state
from studio.ui.shortcuts import Shortcuts
from studio.ui.tasks import view_of
from studio.ui.tasks.data_view import Table
from studio.ui.tasks.targets import TargetChange, TargetTable
from studio.ui.theme.theme import Theme
from studio.ui.theme.tokens import SPACE
from studio.ui.widgets.buttons import icon_button
from studio.ui.widgets.figures import count, percent
from studio.ui.widgets.labels import apart
from studio.ui.widgets.layout import hbox
from studio.ui.widgets.notices import Notice

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from studio.engine.datasets.versions import SplitPreview

_tr = partial(QCoreApplication.translate, "datasets")


@dataclass(frozen=True, slots=True)
class Change:
    """What is to be done with the images that are chosen.

    Attributes:
        kind: What.
        split: The split to move to.
        target: The change of their targets.
    """

    kind: Literal["exclude", "include", "move", "target"]
    split: SplitName = "train"
    target: TargetChange | None = None

    def edits(self, rows: str) -> list[Edit]:
        """Make the edits that do it to rows, as `overlay.rows_text` writes them."""
        if self.kind == "exclude":
            return [Exclude(rows=rows)]
        if self.kind == "include":
            return [Include(rows=rows)]
        if self.target is not None:
            return self.target.edits(rows)
        return [Move(rows=rows, split=self.split)]


def change_images(folder: Path, change: Change, rows: NDArray[np.int64], note: str) -> EditState:
    """Do a change to rows as one step.

    Raises:
        StudioError: A row or a class is not there.
        DiskFullError: No space was left; nothing changed.
    """
    from studio.engine.datasets.overlay import rows_text  # noqa: PLC0415 - NumPy
    from studio.engine.datasets.versions import edit_dataset  # noqa: PLC0415

    edit_dataset(folder, change.edits(rows_text(rows)), note)
    return read_edit_state(folder)


def rename_output(folder: Path, output: int, name: str, note: str) -> EditState:
    """Rename a class, label or quantity, as one step.

    Args:
        folder: The dataset's folder.
        output: Its number.
        name: Its new name.
        note: What was done, for people.

    Raises:
        StudioError: The name cannot be used, or another one has it.
        DiskFullError: No space was left; nothing changed.
    """
    from studio.engine.datasets.versions import edit_dataset  # noqa: PLC0415 - NumPy

    edit_dataset(folder, [RenameClass(label=output, name=name)], note)
    return read_edit_state(folder)


def deal_images(folder: Path, plan: SplitPlan, note: str) -> EditState:
    """Deal all images to the splits anew, as one step.

    Raises:
        StudioError: The pattern of the plan finds no group.
        DiskFullError: No space was left; nothing changed.
    """
    from studio.engine.datasets.versions import split_again  # noqa: PLC0415 - NumPy

    split_again(folder, plan, note)
    return read_edit_state(folder)


def preview_split(folder: Path, plan: SplitPlan) -> tuple[SplitPreview, Table]:
    """Return what a new split changes, and how classes or targets are distributed over it.

    Args:
        folder: The dataset's folder.
        plan: What is asked.

    Raises:
        StudioError: The pattern of the plan matches no path, or the dataset cannot be read.
    """
    from studio.engine.datasets.store import Store  # noqa: PLC0415 - h5py takes 0.2 s
    from studio.engine.datasets.versions import preview_split as preview  # noqa: PLC0415 - NumPy

    found = preview(folder, plan)
    targets = TargetTable.of_store(Store.open(folder))
    return found, view_of(targets.task).balance(targets, found.split)


def take_back(folder: Path, version: int | None = None) -> EditState:
    """Take the last step back.

    Args:
        folder: The dataset's folder.
        version: Only if this is still the newest version.

    Raises:
        StudioError: Nothing is left to take back, or the dataset was changed since.
    """
    from studio.engine.datasets.versions import undo  # noqa: PLC0415 - NumPy

    if version is not None and current_version(folder) != version:
        raise StudioError(
            "The dataset was changed since.",
            "Undo in the list of its images takes back one step after the other.",
        )
    undo(folder)
    return read_edit_state(folder)


def bring_back(folder: Path) -> EditState:
    """Do the step again that was taken back last.

    Raises:
        StudioError: There is none.
    """
    from studio.engine.datasets.versions import redo  # noqa: PLC0415 - NumPy

    redo(folder)
    return read_edit_state(folder)


def go_back(folder: Path, version: int, note: str) -> EditState:
    """Have the dataset as it was in an older version, as a step that can be undone.

    Raises:
        StudioError: There is no such version, or the newest is the same.
        DiskFullError: No space was left; nothing changed.
    """
    from studio.engine.datasets.versions import restore  # noqa: PLC0415 - NumPy

    restore(folder, version, note)
    return read_edit_state(folder)


def changed(change: Change, number: int) -> str:
    """What was done: Moved 12 images to validation."""
    if change.target is not None:
        return change.target.words(images(number))
    words = {
        "exclude": _tr("Excluded {images}"),
        "include": _tr("Included {images} again"),
        "move": _tr("Moved {images} to {split}"),
    }
    return words[change.kind].format(images=images(number), split=split_words(change.split))


def renamed(old: str, new: str) -> str:
    """Renamed “tulip” to “rose”."""
    return _tr("Renamed “{old}” to “{new}”").format(old=apart(old), new=apart(new))


def split_anew(plan: SplitPlan) -> str:
    """What was done: Split again, stratified: 20 % validation, 10 % test."""
    if plan.method == "kfold":
        return _tr("Split again: fold {fold} of {folds}").format(fold=plan.fold, folds=plan.folds)
    words = {
        "stratified": _tr("Split again, stratified: {val} validation, {test} test"),
        "ratio": _tr("Split again, all images together: {val} validation, {test} test"),
        "group": _tr("Split again by group: {val} validation, {test} test"),
    }
    val, test = percent(plan.val_percent / 100, 0), percent(plan.test_percent / 100, 0)
    return words[plan.method].format(val=val, test=test)


class DatasetEditor(QObject):
    """Edits, undo and redo of one dataset; the user's files are never touched.

    Signals:
        changed: `state` or `is_busy` is another.
        edited: There is another version of the dataset in this folder.
        notice_wanted: A `Notice`.
    """

    changed = Signal()
    edited = Signal(object)
    notice_wanted = Signal(object)

    def __init__(self, background: Background, parent: QObject) -> None:
        super().__init__(parent)
        self._background = background
        self._folder: Path | None = None
        # Where the edits stand; None while that is not known.
        self.state: EditState | None = None
        # Whether an edit is being done; another one has to wait.
        self.is_busy: bool = False

    def open(self, folder: Path | None) -> None:
        """Edit another dataset from now on, or none."""
        self._folder = folder
        self.state = None
        self.is_busy = False
        self.changed.emit()
        if folder is not None:
            work = partial(read_edit_state, folder)
            self._background.run(self, work, partial(self._on_state, folder))

    def change(self, change: Change, rows: NDArray[np.int64], words: str) -> None:
        """Do something with images; `words` tell what was done, and stay with the step."""
        if len(rows):
            self._start(lambda folder: change_images(folder, change, rows, words), words)

    def rename(self, output: int, old: str, new: str) -> None:
        """Give a class, label or quantity another name.

        Args:
            output: Its number.
            old: Its name.
            new: Its new name.
        """
        words = renamed(old, new)
        self._start(lambda folder: rename_output(folder, output, new, words), words)

    def fix(self, fix: Fix) -> None:
        """Do what a finding of the audit offers; the step says what became of how many images."""
        self._start(lambda folder: fix_images(folder, fix), "")

    def preview_split(
        self, plan: SplitPlan, done: Callable[[tuple[SplitPreview, Table] | None], None]
    ) -> None:
        """Compute what a split would change; `done` receives None if it can't be made."""
        if self._folder is not None:
            work = partial(preview_split, self._folder, plan)
            self._background.run(self, work, done, lambda _error: done(None))

    def split(self, plan: SplitPlan) -> None:
        """Reassign all images to the splits."""
        words = split_anew(plan)
        self._start(lambda folder: deal_images(folder, plan, words), words)

    def go_back(self, version: int) -> None:
        """Have the dataset as it was in an older version."""
        words = history.went_back(version)
        self._start(lambda folder: go_back(folder, version, words), words)

    def reload(self) -> None:
        """Look again where the edits stand, because another program made some."""
        if self._folder is not None and not self.is_busy:
            work = partial(read_edit_state, self._folder)
            self._background.run(self, work, partial(self._on_foreign, self._folder))

    def undo(self) -> None:
        """Take the last step back."""
        if self.state and self.state.undo is not None:
            self._start(take_back, history.undone(self.state.undo), can_undo=False)

    def redo(self) -> None:
        """Do the step again that was undone last."""
        if self.state and self.state.redo is not None:
            self._start(bring_back, history.done_again(self.state.redo), can_undo=False)

    def _start(
        self, work: Callable[[Path], EditState], words: str, *, can_undo: bool = True
    ) -> None:
        folder = self._folder
        if self.is_busy or folder is None:
            return
        self.is_busy = True
        self.changed.emit()
        self._background.run(
            self,
            partial(work, folder),
            partial(self._on_done, folder, words, can_undo),
            partial(self._on_failed, folder),
        )

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
            number = count(state.version)
            self.notice_wanted.emit(
                Notice("info", text.format(n=number), key=f"edit:{folder.name}")
            )

    def _on_done(self, folder: Path, words: str, can_undo: bool, state: EditState) -> None:
        self._on_state(folder, state)
        key = f"edit:{folder.name}"
        action = partial(self._undo_step, folder, state.version) if can_undo else None
        text = self.tr("Undo") if can_undo else ""
        # What a fix did is known only afterwards.
        what = words or state.undo or ""
        self.notice_wanted.emit(Notice("info", what, "", key, text, action))
        self.edited.emit(folder)

    def _on_failed(self, folder: Path, error: BaseException) -> None:
        if folder == self._folder:
            self.is_busy = False
            self.changed.emit()
        self._background.failed.emit(error)

    def _undo_step(self, folder: Path, version: int) -> None:
        """What the button of a notice does, perhaps when another dataset is shown."""
        self._background.run(
            self,
            partial(take_back, folder, version),
            partial(self._on_done, folder, self.tr("The last change was undone."), False),
            partial(self._on_failed, folder),
        )


class UndoButtons(QWidget):
    """Undo and redo of an editor; their tooltips say what."""

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
        self.undo_button = icon_button("undo", self.tr("Undo"), theme, parent=self)
        self.redo_button = icon_button("redo", self.tr("Redo"), theme, parent=self)
        self.undo_button.clicked.connect(editor.undo)
        self.redo_button.clicked.connect(editor.redo)
        hbox(self.undo_button, self.redo_button, owner=self, spacing=SPACE.s)
        editor.changed.connect(self._refresh)
        self._refresh()

    def _refresh(self) -> None:
        """Enable what can be done now; say what that is, or that there is nothing."""
        state = None if self._editor.is_busy else self._editor.state
        undo, redo = (None, None) if state is None else (state.undo, state.redo)
        self.undo_button.setEnabled(undo is not None)
        self.redo_button.setEnabled(redo is not None)
        self.undo_button.setToolTip(
            self.tr("Nothing to undo")
            if undo is None
            else self._shortcuts.tip(self.tr("Undo: {what}").format(what=undo), UNDO)
        )
        self.redo_button.setToolTip(
            self.tr("Nothing to redo")
            if redo is None
            else self._shortcuts.tip(self.tr("Redo: {what}").format(what=redo), REDO)
        )


def add_undo_keys(widget: QWidget, editor: DatasetEditor, shortcuts: Shortcuts) -> None:
    """The usual keys, wherever the focus is while the widget is shown."""
    for command, slot in ((UNDO, editor.undo), (REDO, editor.redo)):
        shortcut = QShortcut(widget)
        shortcuts.bind(shortcut, command)
        shortcut.activated.connect(slot)
