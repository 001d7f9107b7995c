"""A labeling that is open: its pictures, the labels as they are now, and decisions about them."""

from __future__ import annotations

import contextlib
import secrets
import threading
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Self

from filelock import FileLock
from pydantic import BaseModel, ValidationError

from studio.engine.errors import BadDataError, StudioError
from studio.engine.files import read_failure, replacing
from studio.engine.labeling.confirmed import ConfirmedFolders, folder_added, outside_folder
from studio.engine.labeling.editors import editor_of
from studio.engine.labeling.items import Item, ItemLine
from studio.engine.labeling.journal import (
    DEFAULT_ANNOTATOR,
    ITEMS_NAME,
    LABELS_NAME,
    LINE,
    LOCK_NAME,
    AddClassLine,
    Change,
    ChangeClassLine,
    DecisionLine,
    Label,
    LabelState,
    Line,
    RedoLine,
    UndoLine,
)
from studio.engine.labeling.line_file import (
    LOCK_SECONDS,
    Flusher,
    LabelingBusyError,
    LineFile,
    appending,
)
from studio.engine.labeling.plan import (
    LabelClass,
    LabelingPlan,
    parsed_class,
    require_distinct,
    with_colors,
)
from studio.engine.labeling.values import (
    BoxesEdit,
    InstancesValue,
    MaskValue,
    Value,
    Via,
)
from studio.engine.workspace import Record, RecordKind, Workspace
from studio.engine.workspace.records import checked_word

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from studio.engine.tasks.annotations import Instances, Mask

SHOWN_FOLDERS: Final = 5
"""Folders that a message or question lists."""
MASKS: Final = "masks"
"""Folder of masks in the record."""
PICTURES: Final = "pictures"
"""Folder of captured pictures and frames of videos in the record."""


@dataclass(frozen=True, slots=True)
class Changed:
    """Changes that `refresh` found.

    Attributes:
        items: Pictures whose labels changed.
        added: Number of new pictures.
        classes: True if a class was added or changed.
    """

    items: frozenset[int] = frozenset()
    added: int = 0
    classes: bool = False


class Labeling:
    """An open labeling.

    Thread and process safety: any thread may call it, and any number of processes may label the
    same record. Each call that writes reads first what others wrote, appends one line and returns
    when the operating system has it, within a millisecond or so: a kill afterwards loses nothing,
    a kill before it nothing but that decision.

    Args:
        record: The record.
        annotator: Name of the person who labels; empty for one who needs none.
        independent: Show only the labels of this annotator, so that the agreement of two can be
            measured; otherwise the newest label of anyone counts.

    Raises:
        StudioError: The plan or a file cannot be read, or the name of the annotator is not valid.
    """

    def __init__(
        self, record: Record, annotator: str = DEFAULT_ANNOTATOR, *, independent: bool = False
    ) -> None:
        self.record = record
        self.plan = _read_plan(record)
        self.task = self.plan.task_type
        self.editor = editor_of(self.task)
        self.annotator = checked_word(annotator)
        self.independent = independent
        self._guard = threading.RLock()
        self._lock = FileLock(record.folder / LOCK_NAME, timeout=LOCK_SECONDS)
        self._state = LabelState(self.plan.classes)
        self._items: list[Item] = []
        self._confirmed = ConfirmedFolders(record)
        self._unconfirmed: set[str] = set()
        self._item_file = LineFile(record.folder / ITEMS_NAME)
        self._label_file = LineFile(record.folder / LABELS_NAME)
        self._flusher = Flusher()
        self._is_in_memory = False
        self.refresh()

    @classmethod
    def create(
        cls,
        workspace: Workspace,
        name: str,
        plan: LabelingPlan,
        annotator: str = DEFAULT_ANNOTATOR,
        *,
        or_similar: bool = False,
    ) -> Self:
        """Create a labeling without pictures; see `sources` to add them.

        Args:
            workspace: The workspace.
            name: Its name.
            plan: Task and first classes.
            annotator: See the class.
            or_similar: Number the name if it is taken, instead of refusing it.

        Raises:
            StudioError: The name is not valid or taken.
        """
        record = workspace.create(RecordKind.LABELING, name, plan.to_json(), or_similar=or_similar)
        return cls(record, annotator)

    @classmethod
    def find(cls, workspace: Workspace, name: str, annotator: str = DEFAULT_ANNOTATOR) -> Self:
        """Open a labeling by its name or id.

        Args:
            workspace: The workspace.
            name: Name or id.
            annotator: See the class.

        Raises:
            StudioError: It does not exist or cannot be read.
        """
        return cls(workspace.find(RecordKind.LABELING, name), annotator)

    def close(self) -> None:
        """Put everything on the disk."""
        self._flusher.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    # What there is.

    @property
    def items(self) -> Sequence[Item]:
        """All pictures; index them by `Item.index`."""
        return self._items

    @property
    def classes(self) -> tuple[LabelClass, ...]:
        """Current classes, labels or quantities, each with a color."""
        return with_colors(self._state.classes)

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the classes."""
        return tuple(each.name for each in self._state.classes)

    @property
    def labels(self) -> Mapping[int, Label]:
        """Labels that count for this annotator, by picture: see `independent`.

        It is a live view: copy it before other threads may label.
        """
        if self.independent:
            return self._state.labels_by(self.annotator)
        return self._state.newest

    @property
    def annotators(self) -> list[str]:
        """Annotators who decided something."""
        return self._state.annotators

    def labels_by(self, annotator: str) -> Mapping[int, Label]:
        """Return the labels that an annotator gave, by picture."""
        return self._state.labels_by(annotator)

    def label_of(self, item: int) -> Label | None:
        """Return the label of a picture with how it came about; None if it is undecided."""
        return self.labels.get(item)

    def value_of(self, item: int) -> Value | None:
        """Return the value of a picture; None if it is undecided."""
        label = self.labels.get(item)
        return None if label is None else label.value

    def caption(self, value: Value | None) -> str:
        """Return a value in a few letters; empty for none, and for pictures that are left out."""
        if value is None or value.is_excluded:
            return ""
        return self.editor.caption(self.classes, value)

    def undecided(self) -> list[int]:
        """Return the numbers of the pictures without a label, ascending."""
        labels = self.labels
        return [index for index in range(len(self._items)) if index not in labels]

    def excluded(self) -> list[int]:
        """Return the numbers of the pictures that are left out, ascending."""
        labels = sorted(self.labels.items())
        return [item for item, label in labels if label.value.is_excluded]

    def of_class(self, index: int) -> list[int]:
        """Return the numbers of the pictures with a class or label, ascending."""
        labels = sorted(self.labels.items())
        return [item for item, label in labels if index in label.value.classes]

    @property
    def labeled_count(self) -> int:
        """Number of labeled pictures; excluded ones count."""
        return len(self.labels)

    @property
    def version(self) -> int:
        """Number of lines of the journal; changes with every decision, undo and class."""
        return self._label_file.lines

    def counts(self) -> list[int]:
        """Return the number of pictures with each class or label, or a box or pixel of it.

        Masks are not opened: their pictures are not counted.
        """
        found = [0] * len(self._state.classes)
        for label in list(self.labels.values()):
            for index in label.value.classes:
                if index < len(found):
                    found[index] += 1
        return found

    def file_of(self, item: int) -> Path:
        """Return the file of a picture.

        Raises:
            StudioError: It has an invalid path, or is in a folder that was not confirmed.
        """
        found = self._items[item]
        folder = outside_folder(found.path)
        if folder is not None and not self._confirmed.covers(folder):
            raise self.unconfirmed_error([folder])
        return found.file(self.record)

    @property
    def unconfirmed_folders(self) -> list[str]:
        """Folders outside of the record that this user did not add or confirm on this computer.

        Their pictures are not opened before: see `confirmed`.
        """
        return sorted(each for each in self._unconfirmed if not self._confirmed.covers(each))

    def confirm_folders(self, folders: Iterable[str]) -> None:
        """Allow to open pictures in folders outside of the record.

        Raises:
            DiskFullError: No space was left.
        """
        with self._guard:
            self._confirmed.add(folders)

    def unconfirmed_error(self, folders: Sequence[str]) -> StudioError:
        """Return the error about folders that were not confirmed."""
        shown = ", ".join(folders[:SHOWN_FOLDERS]) + (", …" if folders[SHOWN_FOLDERS:] else "")
        return StudioError(
            "The labeling refers to images in folders that were not added on this "
            "computer: {folders}.",
            "Open them only if you trust the labeling. On the command line, add --trust-folders.",
            "labeling",
            folders=shown,
        )

    # Reading and writing the files.

    def refresh(self) -> Changed:
        """Read what other processes wrote.

        Raises:
            BadDataError: A file cannot be read, or a line of `items.jsonl` is damaged.
        """
        with self._guard:
            before = len(self._items)
            self._read_items()
            classes = list(self._state.classes)
            items = {each for line in self._label_file.read_new() for each in self._apply(line)}
            is_changed = classes != self._state.classes
            return Changed(frozenset(items), len(self._items) - before, is_changed)

    @contextlib.contextmanager
    def held(self, seconds: float = LOCK_SECONDS) -> Iterator[None]:
        """Keep other threads and programs from writing, for a few calls of this thread.

        Args:
            seconds: Maximum time to wait for each of both; 0 tries once and never waits.

        Raises:
            LabelingBusyError: Another one has been writing all the time.
        """
        if not self._guard.acquire(timeout=seconds):
            raise LabelingBusyError(seconds)
        try:
            with self._appending(seconds):
                yield
        finally:
            self._guard.release()

    @contextlib.contextmanager
    def in_memory(self) -> Iterator[None]:
        """Write no line of this thread, and wait for no other program; see `recovery`."""
        with self._guard:
            self._is_in_memory = True
            try:
                yield
            finally:
                self._is_in_memory = False

    def _appending(self, seconds: float = LOCK_SECONDS) -> AbstractContextManager[None]:
        return nullcontext() if self._is_in_memory else appending(self._lock, seconds)

    def decide(
        self, changes: Sequence[Change], via: Via, seconds: float | None = None
    ) -> tuple[int, ...]:
        """Give pictures values, as one decision that is undone as one.

        Args:
            changes: New values; None takes one away.
            via: How the decision was made.
            seconds: Time that it took.

        Returns:
            The pictures; without changes none, and nothing is written.

        Raises:
            StudioError: A value does not fit the task, or names a class or picture that does not
                exist.
            DiskFullError: No space was left; nothing changed.
        """
        with self._guard:
            if not changes:
                return ()
            for change in changes:
                self._check(change)
            return self._write(
                DecisionLine(by=self.annotator, changes=tuple(changes), via=via, seconds=seconds)
            )

    def replay(self, line: DecisionLine) -> tuple[int, ...]:
        """Write a decision that was made earlier, perhaps by another annotator; see `decide`."""
        with self._guard:
            for change in line.changes:
                self._check(change)
            return self._write(line)

    def label(
        self,
        items: int | Iterable[int],
        value: Value | None,
        via: Via = "key",
        seconds: float | None = None,
    ) -> tuple[int, ...]:
        """Give pictures the same value; see `decide`.

        Args:
            items: Number of a picture, or several.
            value: The value; None takes it away.
            via: How the decision was made.
            seconds: Time that it took.
        """
        numbers = (items,) if isinstance(items, int) else tuple(items)
        return self.decide([Change(item=item, value=value) for item in numbers], via, seconds)

    def undo(self) -> tuple[int, ...]:
        """Take back the last decision of this annotator; returns its pictures, perhaps none."""
        with self._guard, self._appending():
            self.refresh()
            if not self._state.undoable(self.annotator):
                return ()
            return self._write(UndoLine(by=self.annotator))

    def redo(self) -> tuple[int, ...]:
        """Bring back the decision that was undone last; returns its pictures, perhaps none."""
        with self._guard, self._appending():
            self.refresh()
            if not self._state.redoable(self.annotator):
                return ()
            return self._write(RedoLine(by=self.annotator))

    @property
    def can_undo(self) -> bool:
        """True if there is a decision to take back."""
        return bool(self._state.undoable(self.annotator))

    @property
    def can_redo(self) -> bool:
        """True if there is a decision to bring back."""
        return bool(self._state.redoable(self.annotator))

    def add_class(self, added: LabelClass) -> int:
        """Add a class, label or quantity; returns its index, or that of one of the same name.

        Raises:
            StudioError: There are too many.
            DiskFullError: No space was left; nothing changed.
        """
        with self._guard, self._appending():
            self.refresh()
            known = [name.casefold() for name in self.names]
            if added.name.casefold() in known:
                return known.index(added.name.casefold())
            self._require_names([*self.names, added.name])
            self._write(AddClassLine(by=self.annotator, added=added))
            return len(self._state.classes) - 1

    def change_class(self, index: int, changed: LabelClass) -> None:
        """Give a class another name, color or unit.

        Args:
            index: Its index.
            changed: The new class.

        Raises:
            StudioError: There is no such class, or another one has that name.
            DiskFullError: No space was left; nothing changed.
        """
        with self._guard, self._appending():
            self.refresh()
            names = list(self.names)
            self._require_class(index)
            names[index] = changed.name
            self._require_names(names)
            self._write(ChangeClassLine(by=self.annotator, index=index, changed=changed))

    def class_index(self, name: str) -> int | None:
        """Return the index of the class of a name, ignoring case; None if there is none."""
        known = [each.casefold() for each in self.names]
        requested = " ".join(name.split()).casefold()
        return known.index(requested) if requested in known else None

    def class_named(self, text: str) -> int:
        """Return the index of a class by its name, ignoring case; a new one is added.

        Args:
            text: See `parsed_class`.

        Raises:
            StudioError: The name cannot be used, or there are too many classes.
            DiskFullError: No space was left; nothing changed.
        """
        known = self.class_index(text)
        return (
            self.add_class(parsed_class(text, has_units=self.editor.has_units))
            if known is None
            else known
        )

    def add_items(self, lines: Iterable[ItemLine]) -> range:
        """Add pictures; see `sources`, which checks them and leaves out duplicates.

        Args:
            lines: Their lines.

        Returns:
            Their numbers.

        Raises:
            DiskFullError: No space was left; nothing was added.
        """
        with self._guard, appending(self._lock):
            self._read_items()
            first = len(self._items)
            made = list(lines)
            if made:
                # First: another process must not see pictures in unconfirmed folders.
                self._confirmed.add(filter(None, map(folder_added, made)))
                self._item_file.append(b"".join(map(_encoded, made)))
                self._flusher.flush_soon(self._item_file.path)
            self._items.extend(
                Item(**line.model_dump(), index=first + number) for number, line in enumerate(made)
            )
            return range(first, len(self._items))

    # Masks.

    def write_mask(self, item: int, mask: Mask | Instances) -> MaskValue | InstancesValue:
        """Write a mask or label image as a new file of the record, and return its value.

        Takes a tenth of a second for a photograph of 12 million pixels: not in the window's
        thread.

        Args:
            item: Number of the picture.
            mask: Value of each pixel as `Editor.pixels` says, shape (height, width).

        Raises:
            StudioError: It does not have the size of the picture, or has a class that does not
                exist.
            DiskFullError: No space was left.
        """
        self._require_item(item)
        picture, pixels = self._items[item], self.editor.pixels
        if mask.ndim != 2 or mask.dtype != pixels.dtype:
            raise StudioError(
                "The mask has one value of the type {expected} for each pixel; received {shape} "
                "{type}.",
                "Give the index of a class for each pixel.",
                "value",
                expected=pixels.dtype,
                shape=" x ".join(map(str, mask.shape)),
                type=str(mask.dtype),
            )
        if mask.shape != (picture.height, picture.width):
            raise StudioError(
                "The mask has {width}x{height} pixels, but its image has "
                "{picture_width}x{picture_height}.",
                "Draw it again on the image.",
                width=mask.shape[1],
                height=mask.shape[0],
                picture_width=picture.width,
                picture_height=picture.height,
            )
        if (highest := pixels.highest_class(mask)) >= 0:
            self._require_class(highest)
        relative = f"{MASKS}/{item:06d}-{secrets.token_hex(4)}{pixels.suffix}"
        with replacing(self.record.folder / relative) as draft:
            pixels.save(mask, draft, [each.color for each in self.classes])
        return pixels.value(relative, mask)

    def read_mask(self, value: MaskValue | InstancesValue) -> NDArray[Any]:
        """Return a mask or label image, see `Editor.pixels`, shape (height, width).

        Raises:
            StudioError: The file is not in the record, or cannot be read.
        """
        import numpy as np  # noqa: PLC0415 - `studio label` starts without it
        from PIL import Image  # noqa: PLC0415

        path, pixels = self.record.file(value.file), self.editor.pixels
        try:
            with Image.open(path, formats=(pixels.form,)) as image:
                return np.array(image, pixels.dtype)
        except (OSError, ValueError, SyntaxError) as error:
            raise BadDataError(
                "The mask {file} cannot be read: {reason}.",
                "Draw it again, or restore the file from a backup.",
                str(path),
                file=path,
                reason=read_failure(error),
            ) from error

    # Internals.

    def _read_items(self) -> None:
        for line in self._item_file.read_new():
            number = len(self._items)
            try:
                read = ItemLine.model_validate_json(line)
            except ValidationError as error:
                raise BadDataError(
                    "Line {number} of {file} is damaged.",
                    "Restore the file from a backup.",
                    str(self._item_file.path),
                    number=number + 1,
                    file=self._item_file.path,
                ) from error
            self._items.append(Item(**read.model_dump(), index=number))
            folder = outside_folder(read.path)
            if folder is not None:
                self._unconfirmed.add(folder)

    def _apply(self, line: bytes) -> tuple[int, ...]:
        try:
            read = LINE.validate_json(line)
        except ValidationError:
            self._state.damaged += 1
            return ()
        return self._state.apply(read)

    def _write(self, line: Line) -> tuple[int, ...]:
        if self._is_in_memory:
            return self._state.apply(line)
        self._flusher.check()
        with self._appending():
            self.refresh()
            if isinstance(line, DecisionLine):
                line = self._state.compact(line)
            self._label_file.append(_encoded(line))
            self._flusher.flush_soon(self._label_file.path)
            return self._state.apply(line)

    def _require_item(self, item: int) -> None:
        if not 0 <= item < len(self._items):
            raise StudioError(
                "There is no image {number}; the labeling has {count}.",
                "Images are counted from 0.",
                "item",
                number=item,
                count=len(self._items),
            )

    def _check(self, change: Change) -> None:
        self._require_item(change.item)
        value = change.value
        if value is None or value.is_excluded:
            return
        if isinstance(value, BoxesEdit) or value.kind != self.editor.kind:
            raise StudioError(
                "The images of this labeling get values of the kind {kind}; received {received}.",
                where="value",
                kind=self.editor.kind,
                received=value.kind,
            )
        for index in value.classes:
            self._require_class(index)
        misfit = self.editor.misfit(self, value)
        if misfit is not None:
            raise misfit

    def _require_class(self, index: int) -> None:
        if not 0 <= index < len(self._state.classes):
            raise StudioError(
                "There is no class {index}; the labeling has {count}.",
                "Classes are counted from 0. Add the class first.",
                "class",
                index=index,
                count=len(self._state.classes),
            )

    def _require_names(self, names: list[str]) -> None:
        try:
            require_distinct(names)
        except ValueError as error:
            raise StudioError(
                "The class cannot be added: {reason}.",
                "Choose another name.",
                "class",
                reason=error,
            ) from error


def _encoded(line: BaseModel) -> bytes:
    return line.model_dump_json(exclude_none=False).encode() + b"\n"


def _read_plan(record: Record) -> LabelingPlan:
    try:
        text = record.plan_file.read_text(encoding="utf-8")
    except (OSError, UnicodeError) as error:
        raise BadDataError(
            "The plan {file} cannot be read: {reason}.",
            "Restore the file from a backup.",
            str(record.plan_file),
            file=record.plan_file,
            reason=read_failure(error),
        ) from error
    return LabelingPlan.model_validate_json(text)


class MaskWriter:
    """Writes drawn masks one after another, so that an older one never replaces a newer one.

    Thread safety: any thread may call.
    """

    def __init__(self, labeling: Labeling) -> None:
        self._labeling = labeling
        self._guard = threading.Lock()
        self._writing = threading.Lock()
        self._waiting: dict[int, NDArray[Any]] = {}

    def put(self, item: int, mask: NDArray[Any]) -> None:
        """Store a pending mask, written by the next `write_all`; it replaces an earlier one.

        Args:
            item: Number of the picture.
            mask: See `Labeling.write_mask`.
        """
        with self._guard:
            self._waiting[item] = mask

    def drop(self, item: int) -> None:
        """Discard the pending mask of a picture."""
        with self._guard:
            self._waiting.pop(item, None)

    def get(self, item: int) -> NDArray[Any] | None:
        """Return the unsaved mask of a picture."""
        with self._guard:
            return self._waiting.get(item)

    def write_all(self) -> list[int]:
        """Write all pending masks, and return the pictures."""
        written: list[int] = []
        with self._writing:
            while True:
                with self._guard:
                    if not self._waiting:
                        return written
                    item, mask = next(iter(self._waiting.items()))
                value = self._labeling.write_mask(item, mask)
                with self._guard:
                    if item in self._waiting:
                        self._labeling.label(item, value, "drawn")
                        written.append(item)
                    # Not before: it is either here or the value of the picture.
                    if self._waiting.get(item) is mask:
                        del self._waiting[item]
