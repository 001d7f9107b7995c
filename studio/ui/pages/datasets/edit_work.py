"""Editing a dataset from the window. Everything here is called in background threads."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from studio.engine.datasets.edits import (
    Edit,
    Exclude,
    Include,
    Move,
    RenameClass,
    SplitName,
    current_version,
    in_effect,
    read_edits,
    undone,
)
from studio.engine.datasets.split_plan import SplitPlan
from studio.engine.errors import StudioError
from studio.ui.pages.datasets import version_words
from studio.ui.tasks import view_of
from studio.ui.tasks.data_view import Table
from studio.ui.tasks.targets import TargetChange, TargetTable

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from studio.engine.datasets.versions import SplitPreview


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


@dataclass(frozen=True, slots=True)
class EditState:
    """Where the edits of a dataset stand.

    Attributes:
        version: The newest; 0 is the dataset as imported.
        undo: What undo would take back; None where nothing is left.
        redo: What redo would do again; None where nothing was undone.
    """

    version: int
    undo: str | None
    redo: str | None


def read_edit_state(folder: Path) -> EditState:
    """Where the edits stand.

    Raises:
        BadDataError: They are damaged.
    """
    lines = read_edits(folder)
    done, back = in_effect(lines), undone(lines)
    words = version_words.words_of(folder)
    undo = version_words.step(done[-1], words) if done else None
    redo = version_words.step(back[-1], words) if back else None
    return EditState(len(lines), undo, redo)


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
