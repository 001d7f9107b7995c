r"""Edits of a dataset after its import: one line per step in `edits.jsonl`.

Nothing else of a dataset ever changes: not `images.h5`, not the journal of its import, and not
the user's files. A **version** is a number of lines: version 0 is the dataset as imported,
version 3 is what the first three lines make of it, for ever, because lines are only appended.
To undo and to redo are lines, too.

**Who may write.** The holder of `edits.lock`. **Who may read.** Any process: whole lines only; the
rest of a line that a killed writer left is ignored by readers, and cut by the next writer.

Never imports NumPy; `overlay` turns lines into arrays.
"""

from __future__ import annotations

import contextlib
import os
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Annotated, Literal

from filelock import FileLock
from pydantic import BaseModel, ConfigDict, Field, StringConstraints, TypeAdapter, ValidationError

from studio.engine.datasets.split_plan import SplitPlan
from studio.engine.errors import BadDataError, StudioError
from studio.engine.files import disk_full_is_clear, locked
from studio.engine.messages import message
from studio.engine.workspace import require_original

EDITS_NAME = "edits.jsonl"
LOCK_NAME = "edits.lock"
LOCK_SECONDS = 30.0
POLL_SECONDS = 0.4

_Mark = tuple[int, int] | None

# Row numbers as ranges: "0-99,105". See `overlay.rows_text`.
Rows = Annotated[str, StringConstraints(pattern=r"^\d{1,12}(-\d{1,12})?(,\d{1,12}(-\d{1,12})?)*$")]
SplitName = Literal["train", "val", "test"]


class _Edit(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Exclude(_Edit):
    """Leave images out of every split."""

    kind: Literal["exclude"] = "exclude"
    rows: Rows


class Include(_Edit):
    """Bring images back that were left out, into the split that they had."""

    kind: Literal["include"] = "include"
    rows: Rows


class Relabel(_Edit):
    """Give images another class; `label` is its index."""

    kind: Literal["relabel"] = "relabel"
    rows: Rows
    label: int = Field(ge=0)


class Confirm(_Edit):
    """Say that the labels of images were checked and are right: audits no longer doubt them."""

    kind: Literal["confirm"] = "confirm"
    rows: Rows


class RemoveObjects(_Edit):
    """Remove objects of one image, such as boxes.

    Attributes:
        rows: The image.
        places: Indices of the objects among those that were imported.
    """

    kind: Literal["remove_objects"] = "remove_objects"
    rows: Rows
    places: Rows


class SetTarget(_Edit):
    """Give images another value of a label or quantity.

    Attributes:
        output: Its index among the labels or quantities of the dataset.
        value: 1 or 0 for a label.
    """

    kind: Literal["set_target"] = "set_target"
    rows: Rows
    output: int = Field(ge=0)
    value: float = Field(allow_inf_nan=False)


class Move(_Edit):
    """Put images into another split."""

    kind: Literal["move"] = "move"
    rows: Rows
    split: SplitName


class Resplit(_Edit):
    """Deal all images again.

    Attributes:
        plan: The requested plan.
        dealt: The resulting split, one int8 per row, deflated, in base 64. Stored so that old
            versions stay the same if a later Studio splits differently.
    """

    kind: Literal["resplit"] = "resplit"
    plan: SplitPlan
    dealt: str


class AddClass(_Edit):
    """Add a class, without images, behind the others."""

    kind: Literal["add_class"] = "add_class"
    name: str


class RenameClass(_Edit):
    """Renames a class; `label` is its index."""

    kind: Literal["rename_class"] = "rename_class"
    label: int = Field(ge=0)
    name: str


class Restore(_Edit):
    """Have everything again as it was in an older version.

    A step like others: what came in between stays in the file, and undo takes it back.
    """

    kind: Literal["restore"] = "restore"
    version: int = Field(ge=0)


Edit = (
    Exclude
    | Include
    | Relabel
    | Confirm
    | RemoveObjects
    | SetTarget
    | Move
    | Resplit
    | AddClass
    | RenameClass
)


class EditLine(BaseModel, frozen=True):
    """One step: edits that belong together, or taking a step back, or doing it again.

    Attributes:
        edits: The edits in order; empty for undo and redo.
        note: Why, for people: `"exclude 12 duplicates"`.
        t: Seconds since 1970, UTC.
    """

    action: Literal["edit", "undo", "redo"] = "edit"
    edits: tuple[Annotated[Edit | Restore, Field(discriminator="kind")], ...] = ()
    note: str = ""
    t: float = Field(default_factory=time.time)


_LINE: TypeAdapter[EditLine] = TypeAdapter(EditLine)


def current_version(folder: Path) -> int:
    """Return the newest version of the dataset in `folder`; 0 when nothing was changed."""
    return _content(folder).count(b"\n")


def read_edits(folder: Path, version: int | None = None) -> list[EditLine]:
    """Read the edits of a dataset.

    Args:
        folder: Folder of the dataset.
        version: Last edit to read; None for all.

    Raises:
        StudioError: There is no such version.
        BadDataError: A line is damaged or was written by a newer Studio.
    """
    lines = _content(folder).split(b"\n")[:-1]
    if version is not None and not 0 <= version <= len(lines):
        raise StudioError(
            "This dataset has the versions 0 to {newest}; received {version}.",
            "Version 0 is the dataset as it was imported.",
            "version",
            newest=len(lines),
            version=version,
        )
    return [_line(folder, index, line) for index, line in enumerate(lines[:version], 1)]


def in_effect(lines: Sequence[EditLine]) -> list[EditLine]:
    """Return the steps that count at the end of `lines`: those that were not undone, in order."""
    return _replayed(lines)[0]


def edits_in_effect(lines: Sequence[EditLine]) -> list[Edit]:
    """Return the edits that turn the imported dataset into that of the last line, in order.

    Where steps go back to an older version, that is what led to it, and what came after the step.
    """
    after: list[Edit] = []
    while True:
        here: list[Edit] = []
        older: int | None = None
        for edit in (edit for line in in_effect(lines) for edit in line.edits):
            if isinstance(edit, Restore):
                older = edit.version
                here = []
            else:
                here.append(edit)
        after = here + after
        if older is None:
            return after
        lines = lines[:older]


def undone(lines: Sequence[EditLine]) -> list[EditLine]:
    """Return the steps that `redo` would bring back, the next one last."""
    return _replayed(lines)[1]


def steps(lines: Sequence[EditLine]) -> list[EditLine]:
    """Return the step that each line makes, takes back or repeats."""
    return _replayed(lines)[2]


@contextlib.contextmanager
def editing(folder: Path) -> Iterator[None]:
    """Keep all other writers away.

    Raises:
        StudioError: Another one has kept us waiting.
    """
    require_original(folder)
    lock = FileLock(folder / LOCK_NAME, timeout=LOCK_SECONDS)
    with locked(
        lock,
        message(
            "Another Studio has been editing this dataset for {seconds:.0f} seconds.",
            seconds=LOCK_SECONDS,
        ),
    ):
        yield


def append_line(folder: Path, line: EditLine) -> int:
    """Append an edit; call it inside `editing` only.

    Args:
        folder: Folder of the dataset.
        line: The edit.

    Returns:
        The new version of the dataset.

    Raises:
        DiskFullError: No space was left; the file ends with its last complete line.
    """
    path = folder / EDITS_NAME
    data = line.model_dump_json().encode() + b"\n"
    flags = os.O_RDWR | os.O_CREAT | getattr(os, "O_BINARY", 0)
    whole = _content(folder)
    end = whole.rfind(b"\n") + 1
    with disk_full_is_clear(path):
        handle = os.open(path, flags, 0o644)
        try:
            os.ftruncate(handle, end)  # what a killed writer left of its line
            os.lseek(handle, end, os.SEEK_SET)
            _write(handle, data, end)
            os.fsync(handle)
        finally:
            os.close(handle)
    return whole.count(b"\n") + 1


def _write(handle: int, data: bytes, end: int) -> None:
    try:
        while data:
            data = data[os.write(handle, data) :]
    except OSError:
        os.ftruncate(handle, end)
        raise


def _content(folder: Path) -> bytes:
    try:
        return (folder / EDITS_NAME).read_bytes()
    except FileNotFoundError:
        return b""


def _line(folder: Path, number: int, line: bytes) -> EditLine:
    try:
        read = _LINE.validate_json(line)
    except ValidationError as error:
        newer = any(detail["type"] == "union_tag_invalid" for detail in error.errors())
        raise _unreadable(folder, number, newer=newer) from error
    if any(isinstance(edit, Restore) and edit.version >= number for edit in read.edits):
        raise _unreadable(folder, number, newer=False)
    return read


def _unreadable(folder: Path, number: int, *, newer: bool) -> BadDataError:
    return BadDataError(
        "Line {number} of {file} was written by a newer Studio."
        if newer
        else "Line {number} of {file} is damaged.",
        "Update Studio."
        if newer
        else message(
            "Version {version} can still be used; or restore the file from a backup.",
            version=number - 1,
        ),
        str(folder / EDITS_NAME),
        number=number,
        file=folder / EDITS_NAME,
    )


def _replayed(
    lines: Sequence[EditLine],
) -> tuple[list[EditLine], list[EditLine], list[EditLine]]:
    """Return the steps that count, those that were undone, and the step of each line."""
    done: list[EditLine] = []
    back: list[EditLine] = []
    meant: list[EditLine] = []
    for line in lines:
        step = line
        if line.action == "edit":
            done.append(line)
            back.clear()
        elif line.action == "undo" and done:
            step = done.pop()
            back.append(step)
        elif line.action == "redo" and back:
            step = back.pop()
            done.append(step)
        meant.append(step)
    return done, back, meant


class EditFollower:
    """Detects edits of datasets, by this window or by another program.

    A thread checks the size of each `edits.jsonl`; the thread of the window never reads the disk.

    Args:
        notify: Receives a folder and the version of its dataset; also at the first check. Must not
            keep its owner alive.
    """

    def __init__(self, notify: Callable[[Path, int], None]) -> None:
        self.stop = threading.Event()
        self._notify = notify
        self._marks: dict[Path, _Mark | str] = {}
        self._guard = threading.Lock()
        self._thread: threading.Thread | None = None

    def follow(self, folder: Path) -> None:
        """Start to follow a dataset, or check it once more."""
        with self._guard:
            self._marks[folder] = "new"
        if self._thread is None and not self.stop.is_set():
            self._thread = threading.Thread(target=self._run, name="edits", daemon=True)
            self._thread.start()

    def forget(self, folder: Path) -> None:
        """Stop following a dataset."""
        with self._guard:
            self._marks.pop(folder, None)

    def close(self) -> None:
        """Stop following all datasets."""
        self.stop.set()
        if self._thread is not None:
            self._thread.join()

    def _run(self) -> None:
        while not self.stop.wait(POLL_SECONDS):
            with self._guard:
                marks = dict(self._marks)
            for folder, before in marks.items():
                mark = _mark(folder)
                if mark != before and not self.stop.is_set():
                    self._take(folder, before, mark)

    def _take(self, folder: Path, before: _Mark | str, mark: _Mark) -> None:
        with self._guard:
            if self._marks.get(folder, mark) == before:
                self._marks[folder] = mark
        try:
            version = current_version(folder)
        except OSError:
            return  # opening it shows the reason
        if not self.stop.is_set():
            self._notify(folder, version)


def _mark(folder: Path) -> _Mark:
    """Return the size and time of the edits; None if there are none."""
    try:
        state = (folder / EDITS_NAME).stat()
    except OSError:
        return None
    return state.st_size, state.st_mtime_ns
