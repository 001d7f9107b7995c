"""Does edits to the dataset that is shown, one after the other, and tells how they went."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from studio.engine.datasets.split_plan import SplitPlan
from studio.ui.bridge.background import Background
from studio.ui.pages.datasets import browsing_words, version_words
from studio.ui.pages.datasets.audit_work import Fix, fix_images
from studio.ui.pages.datasets.edit_work import (
    Change,
    EditState,
    bring_back,
    change_images,
    deal_images,
    preview_split,
    read_edit_state,
    rename_output,
    take_back,
)
from studio.ui.pages.datasets.version_work import go_back
from studio.ui.tasks.data_view import Table
from studio.ui.widgets.figures import count
from studio.ui.widgets.notice import Notice

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from studio.engine.datasets.versions import SplitPreview


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
        self._state: EditState | None = None
        self._busy = False

    @property
    def state(self) -> EditState | None:
        """Where the edits stand; None while that is not known."""
        return self._state

    @property
    def is_busy(self) -> bool:
        """Whether an edit is being done; another one has to wait."""
        return self._busy

    def open(self, folder: Path | None) -> None:
        """Edit another dataset from now on, or none."""
        self._folder = folder
        self._state = None
        self._busy = False
        self.changed.emit()
        if folder is not None:
            work = partial(read_edit_state, folder)
            self._background.run(self, work, partial(self._on_state, folder))

    def change(self, change: Change, rows: NDArray[np.int64], words: str) -> None:
        """Do something with images; `words` tell what was done, and stay with the step."""
        if self._folder is not None and len(rows):
            work = partial(change_images, self._folder, change, rows, words)
            self._start(work, words, can_undo=True)

    def rename(self, output: int, old: str, new: str) -> None:
        """Give a class, label or quantity another name.

        Args:
            output: Its number.
            old: Its name.
            new: Its new name.
        """
        if self._folder is not None:
            words = browsing_words.renamed(old, new)
            work = partial(rename_output, self._folder, output, new, words)
            self._start(work, words, can_undo=True)

    def fix(self, fix: Fix) -> None:
        """Do what a finding of the audit offers; the step says what became of how many images."""
        if self._folder is not None:
            self._start(partial(fix_images, self._folder, fix), "", can_undo=True)

    def preview_split(
        self, plan: SplitPlan, done: Callable[[tuple[SplitPreview, Table] | None], None]
    ) -> None:
        """Compute what a split would change; `done` receives None if it can't be made."""
        if self._folder is not None:
            work = partial(preview_split, self._folder, plan)
            self._background.run(self, work, done, lambda _error: done(None))

    def split(self, plan: SplitPlan) -> None:
        """Deal all images anew."""
        if self._folder is not None:
            words = browsing_words.split_anew(plan)
            self._start(partial(deal_images, self._folder, plan, words), words, can_undo=True)

    def go_back(self, version: int) -> None:
        """Have the dataset as it was in an older version."""
        if self._folder is not None:
            words = version_words.went_back(version)
            self._start(partial(go_back, self._folder, version, words), words, can_undo=True)

    def reload(self) -> None:
        """Look again where the edits stand, because another program made some."""
        if self._folder is not None and not self._busy:
            work = partial(read_edit_state, self._folder)
            self._background.run(self, work, partial(self._on_foreign, self._folder))

    def undo(self) -> None:
        """Take the last step back."""
        if self._folder is not None and self._state and self._state.undo is not None:
            words = version_words.undone(self._state.undo)
            self._start(partial(take_back, self._folder), words)

    def redo(self) -> None:
        """Do the step again that was undone last."""
        if self._folder is not None and self._state and self._state.redo is not None:
            words = version_words.done_again(self._state.redo)
            self._start(partial(bring_back, self._folder), words)

    def _start(self, work: Callable[[], EditState], words: str, *, can_undo: bool = False) -> None:
        folder = self._folder
        if self._busy or folder is None:
            return
        self._busy = True
        self.changed.emit()
        self._background.run(
            self,
            work,
            partial(self._on_done, folder, words, can_undo),
            partial(self._on_failed, folder),
        )

    def _on_state(self, folder: Path, state: EditState) -> None:
        if folder == self._folder:
            self._state = state
            self._busy = False
            self.changed.emit()

    def _on_foreign(self, folder: Path, state: EditState) -> None:
        is_news = self._state is None or self._state.version != state.version
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
            self._busy = False
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
