"""Versions of a dataset: the steps between them, comparison of two, and sentences for both."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import numpy as np
from PySide6.QtCore import QCoreApplication
from PySide6.QtGui import QImage

from studio.engine.datasets.edits import Edit, EditLine, Restore, in_effect, read_edits
from studio.engine.datasets.edits import undone as undone_lines
from studio.engine.datasets.summary import read_summary
from studio.engine.errors import BadDataError
from studio.engine.tasks import TASKS
from studio.ui.pages.datasets.browsing.pictures import DatasetImages
from studio.ui.pages.datasets.messages import images
from studio.ui.tasks import view_of
from studio.ui.tasks.data_view import DataWords
from studio.ui.widgets.bars import split_word
from studio.ui.widgets.figures import count
from studio.ui.widgets.labels import apart

if TYPE_CHECKING:
    from numpy.typing import NDArray

_tr = partial(QCoreApplication.translate, "datasets")

DifferenceKind = Literal["excluded", "included", "relabeled", "moved"]


def words_of(folder: Path) -> DataWords:
    """Return the words of the task of a dataset.

    Raises:
        BadDataError: Its summary cannot be read.
    """
    task = TASKS[read_summary(folder).task]
    return view_of(task).words(task)


def step(line: EditLine, words: DataWords) -> str:
    """What a step did: what its author wrote, or else what its edits say."""
    if line.note:
        return line.note
    return ", ".join(_edit(edit, words) for edit in line.edits)


def undone(what: str) -> str:
    """Undone: Excluded 12 images."""
    return _tr("Undone: {what}").format(what=what)


def done_again(what: str) -> str:
    """Done again: Excluded 12 images."""
    return _tr("Done again: {what}").format(what=what)


def went_back(version: int) -> str:
    """Went back to version 3."""
    return _tr("Went back to version {n}").format(n=count(version))


def difference(kind: DifferenceKind, number: int, words: DataWords) -> str:
    """12 images were left out."""
    texts = {
        "excluded": _tr("{images} left out"),
        "included": _tr("{images} brought back"),
        "relabeled": words.changed,
        "moved": _tr("{images} in another split"),
    }
    return texts[kind].format(images=images(number))


def difference_between(before: int, after: int) -> str:
    """From version 2 to version 5."""
    return _tr("From version {old} to version {new}").format(old=count(before), new=count(after))


def count_change(split: str, before: int, after: int) -> str:
    """Training 1,200 → 1,188 (-12)."""
    word = split_word(split)
    if before == after:
        return _tr("{split} {n}, as before").format(split=word, n=count(after))
    sign = "+" if after > before else "\N{MINUS SIGN}"
    return _tr("{split} {old} → {new} ({change})").format(
        split=word, old=count(before), new=count(after), change=sign + count(abs(after - before))
    )


def class_changes(
    added: Sequence[str],
    removed: Sequence[str],
    renamed: Sequence[tuple[str, str]],
    words: DataWords,
) -> str:
    """A line for each class that came, went, or is called otherwise."""
    lines = [words.added.format(name=apart(name)) for name in added]
    lines += [words.removed.format(name=apart(name)) for name in removed]
    lines += [_tr("“{old}” is called “{new}”").format(old=old, new=new) for old, new in renamed]
    return "\n".join(lines)


def _edit(edit: Edit | Restore, words: DataWords) -> str:
    if edit.kind == "restore":
        return went_back(edit.version)
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
        "move": _tr("Moved {images}"),
        "set_target": _tr("Changed the targets of {images}"),
    }
    return texts[edit.kind].format(images=images(_number(edit.rows)))


def _number(rows: str) -> int:
    """How many rows such a text names: `0-99,105`."""
    pairs = (part.partition("-") for part in rows.split(","))
    return sum(int(last or first) - int(first) + 1 for first, _, last in pairs)


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
    done, back = in_effect(lines), undone_lines(lines)
    words = words_of(folder)
    undo = step(done[-1], words) if done else None
    redo = step(back[-1], words) if back else None
    return EditState(len(lines), undo, redo)


SAMPLES = 8


@dataclass(frozen=True, slots=True)
class VersionLine:
    """One version: its number, when it was made (seconds since 1970), and what was done."""

    number: int
    when: float | None
    what: str


@dataclass(frozen=True, slots=True, eq=False)
class Difference:
    """Images that are not the same in two versions, by their rows, and a few to look at."""

    kind: DifferenceKind
    rows: NDArray[np.int64]
    samples: list[tuple[int, QImage]]


@dataclass(frozen=True, slots=True, eq=False)
class Comparison:
    """What is different in version `after` from version `before`.

    Attributes:
        counts: Images of each split, before and after.
        differences: Those there are.
        classes: A line for each class that came, went, or is called otherwise.
        words: Of the task of the dataset.
    """

    before: int
    after: int
    counts: dict[str, tuple[int, int]]
    differences: list[Difference]
    classes: str
    words: DataWords


def read_versions(folder: Path) -> list[VersionLine]:
    """All versions, from the dataset as imported to the newest.

    Raises:
        BadDataError: The edits are damaged.
    """
    lines, words = read_edits(folder), words_of(folder)
    done: list[EditLine] = []
    back: list[EditLine] = []
    versions = [VersionLine(0, _created(folder), "")]
    for number, line in enumerate(lines, 1):
        what = step(line, words)
        if line.action == "edit":
            done.append(line)
            back.clear()
        elif line.action == "undo" and done:
            back.append(done.pop())
            what = undone(step(back[-1], words))
        elif line.action == "redo" and back:
            done.append(back.pop())
            what = done_again(step(done[-1], words))
        versions.append(VersionLine(number, line.t, what))
    return versions


def compare(folder: Path, before: int, after: int) -> Comparison:
    """What is different in one version from another.

    Raises:
        StudioError: There is no such version, or the dataset cannot be read.
    """
    from studio.engine.datasets.store import Store  # noqa: PLC0415 - h5py takes 0.2 s
    from studio.engine.datasets.versions import compare_versions  # noqa: PLC0415

    old, new = Store.open(folder, before), Store.open(folder, after)
    words = words_of(folder)
    change = compare_versions(old, new)
    pictures = DatasetImages(folder)
    groups: list[tuple[DifferenceKind, NDArray[np.int64]]] = [
        ("excluded", change.excluded),
        ("included", change.included),
        ("relabeled", change.relabeled),
        ("moved", change.moved),
    ]
    olds, news = old.counts(), new.counts()
    return Comparison(
        before,
        after,
        {split: (olds[split], news[split]) for split in news},
        [Difference(kind, rows, _samples(pictures, rows)) for kind, rows in groups if len(rows)],
        class_changes(change.added_classes, change.removed_classes, change.renamed_classes, words),
        words,
    )


def _samples(pictures: DatasetImages, rows: NDArray[np.int64]) -> list[tuple[int, QImage]]:
    return [(row, pictures.tile(row)) for row in rows[:SAMPLES].tolist()]


def _created(folder: Path) -> float | None:
    from studio.engine.datasets.store import Store  # noqa: PLC0415 - h5py takes 0.2 s

    try:
        return datetime.fromisoformat(Store.open(folder, 0).created).timestamp()
    except (BadDataError, ValueError):
        return None
