"""Reading and comparing versions of a dataset. Everything here is called in background threads."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtGui import QImage

from studio.engine.datasets.edits import EditLine, read_edits
from studio.engine.errors import BadDataError
from studio.ui.pages.datasets import version_words
from studio.ui.pages.datasets.edit_work import EditState, read_edit_state
from studio.ui.pages.datasets.pictures import DatasetPictures
from studio.ui.pages.datasets.version_words import DifferenceKind
from studio.ui.tasks.data_view import DataWords

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

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
    lines, words = read_edits(folder), version_words.words_of(folder)
    done: list[EditLine] = []
    back: list[EditLine] = []
    versions = [VersionLine(0, _created(folder), "")]
    for number, line in enumerate(lines, 1):
        what = version_words.step(line, words)
        if line.action == "edit":
            done.append(line)
            back.clear()
        elif line.action == "undo" and done:
            back.append(done.pop())
            what = version_words.undone(version_words.step(back[-1], words))
        elif line.action == "redo" and back:
            done.append(back.pop())
            what = version_words.done_again(version_words.step(done[-1], words))
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
    words = version_words.words_of(folder)
    change = compare_versions(old, new)
    pictures = DatasetPictures(folder)
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
        version_words.class_changes(
            change.added_classes, change.removed_classes, change.renamed_classes, words
        ),
        words,
    )


def go_back(folder: Path, version: int, note: str) -> EditState:
    """Have the dataset as it was in an older version, as a step that can be undone.

    Raises:
        StudioError: There is no such version, or the newest is the same.
        DiskFullError: No space was left; nothing changed.
    """
    from studio.engine.datasets.versions import restore  # noqa: PLC0415 - NumPy

    restore(folder, version, note)
    return read_edit_state(folder)


def _samples(pictures: DatasetPictures, rows: NDArray[np.int64]) -> list[tuple[int, QImage]]:
    return [(row, pictures.tile(row)) for row in rows[:SAMPLES].tolist()]


def _created(folder: Path) -> float | None:
    from studio.engine.datasets.store import Store  # noqa: PLC0415 - h5py takes 0.2 s

    try:
        return datetime.fromisoformat(Store.open(folder, 0).created).timestamp()
    except (BadDataError, ValueError):
        return None
