"""The sentences of the versions of a dataset."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Literal

from PySide6.QtCore import QCoreApplication

from studio.engine.datasets.edits import Edit, EditLine, Restore
from studio.engine.datasets.summary import read_summary
from studio.engine.tasks import TASKS
from studio.ui.pages.datasets.messages import images
from studio.ui.tasks import view_of
from studio.ui.tasks.data_view import DataWords
from studio.ui.widgets.figures import count
from studio.ui.widgets.names import apart
from studio.ui.widgets.split_bar import split_word

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


def _tr(text: str) -> str:
    return QCoreApplication.translate("datasets", text)
