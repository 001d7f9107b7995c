"""The workspace folder: creates, lists, renames, trashes and restores records."""

from __future__ import annotations

import contextlib
import errno
import os
import re
import secrets
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import ClassVar

from filelock import FileLock

from studio.engine import files
from studio.engine.errors import BadDataError, StudioError, did_you_mean
from studio.engine.messages import message
from studio.engine.workspace import location as layout
from studio.engine.workspace.records import (
    RECORD_FILE,
    Record,
    RecordInfo,
    RecordKind,
    checked_tags,
    checked_word,
)

TRASH = "trash"
LOCK_SECONDS = 30.0
MIRROR_FILE = "served.json"
"""File in a folder that is a copy of a workspace on a server."""
_NOT_WRITABLE = frozenset({errno.EROFS, errno.EACCES, errno.EPERM})


class InTrashError(BadDataError):
    """A record that is needed is in the trash.

    Attributes:
        record: The record there, for `Workspace.restore`.
    """

    def __init__(self, record: Record) -> None:
        super().__init__(
            'The {kind} "{record}" is in the trash.',
            "Restore it from the trash, then try again.",
            record.kind.value,
            kind=record.kind.label,
            record=record.name,
        )
        self.record = record


def is_mirror(root: Path) -> bool:
    """Return True if a folder is a copy of a workspace on a server, see `studio.engine.served`."""
    return (root / MIRROR_FILE).is_file()


def require_original(folder: Path) -> None:
    """Require that files of a record, or of a workspace, are not those of a copy.

    Args:
        folder: Folder of the record or of the workspace.

    Raises:
        StudioError: They are: changes would be lost.
    """
    for root in (folder, folder.parent.parent):
        if is_mirror(root):
            raise _is_copy(root)


def _is_copy(root: Path) -> StudioError:
    return StudioError(
        "{workspace} is a copy of a workspace on a server, and this changes files.",
        "Do it on the server, in the workspace itself.",
        str(root),
        workspace=root.name,
    )


class Workspace:
    """A folder with everything that was imported, trained and exported.

    Attributes:
        root: The folder, as an absolute path.
        read_only: True if the folder cannot be written, so that records can only be read.
        computes_here: False if the jobs of the workspace run on another computer, which checks
            devices and packages itself.

    Thread and process safety: any number of processes may use one workspace. Creating, renaming,
    trashing and restoring take a lock file; a record appears atomically.
    """

    computes_here: ClassVar = True
    _RECORD_ID: ClassVar = re.compile(r"[a-z0-9][a-z0-9-]{0,100}")

    def __init__(self, root: Path, *, read_only: bool = False) -> None:
        self.root = root
        self.read_only = read_only
        self._lock = FileLock(root / ".workspace.lock", timeout=LOCK_SECONDS)

    @classmethod
    def open(cls, root: Path) -> Workspace:
        """Open a workspace folder, creating it if it does not exist.

        A workspace on a read-only disk, or of another user, is opened read-only.

        Raises:
            StudioError: The folder cannot be made or read, or belongs to something else.
        """
        root = files.user_path(root).absolute()
        if is_mirror(root):
            return cls(root, read_only=True)
        existed = layout.is_marked(root)
        try:
            with files.disk_full_is_clear(root):
                root.mkdir(parents=True, exist_ok=True)
                workspace = cls(root)
                with workspace._locked():
                    layout.prepare(root, tuple(kind.folder for kind in RecordKind))
                    for kind in RecordKind:
                        (root / kind.folder).mkdir(exist_ok=True)
        except OSError as error:
            if existed and error.errno in _NOT_WRITABLE and layout.is_current(root):
                return cls(root, read_only=True)
            raise StudioError(
                "The workspace {workspace} cannot be opened: {reason}.",
                "Choose a folder that you can write to.",
                str(root),
                workspace=root,
                reason=error.strerror or error,
            ) from error
        return workspace

    @property
    def title(self) -> str:
        """Name for display."""
        return self.root.name

    @property
    def place(self) -> str:
        """Location for display: the folder."""
        return str(self.root)

    def refusal(self, _kind: RecordKind) -> str:
        """Return why records of a kind cannot be made from here; empty if they can."""
        return ""

    @staticmethod
    def exists(root: Path) -> bool:
        """Return True if a folder is a workspace."""
        return layout.is_marked(files.user_path(root).absolute())

    def create(
        self,
        kind: RecordKind,
        name: str,
        plan: str,
        announce: Callable[[Record, bytes], None] | None = None,
        *,
        or_similar: bool = False,
        fill: Callable[[Path], None] | None = None,
    ) -> Record:
        """Create a record with a plan; it appears complete, under a unique name.

        Args:
            kind: Kind of the record.
            name: The name a person chose.
            plan: The plan as JSON.
            announce: Called with the record and its plan file just before it appears.
            or_similar: Number the name when it is taken, instead of refusing it.
            fill: Writes more files into the folder that it is given, before the record appears.

        Raises:
            StudioError: The name is not fit or already taken.
            DiskFullError: No space was left; nothing was made.
        """
        name = files.checked_name(name)
        with self._locked(), files.disk_full_is_clear(self.root):
            if or_similar:
                name = self.unused_name(kind, name)
            self.require_free(kind, name)
            folder = self._unused_folder(kind, name)
            record = Record(kind, folder)
            staging = folder.with_name(f".new-{folder.name}")
            staging.mkdir()
            try:
                info = RecordInfo(id=folder.name, kind=kind, name=name)
                files.write_atomically(staging / kind.plan_name, plan)
                files.write_atomically(
                    staging / RECORD_FILE, info.model_dump_json(indent=2) + "\n"
                )
                if fill is not None:
                    fill(staging)
                if announce is not None:
                    announce(record, plan.encode())
                files.move(staging, folder)
            except BaseException:
                files.remove_folder(staging, ignore_errors=True)
                raise
        return record

    def adopt(
        self, info: RecordInfo, fill: Callable[[Path], None], name: str | None = None
    ) -> Record:
        """Create a record from files of another workspace; it appears atomically.

        Args:
            info: Info of the record there; its id is kept if it is free here.
            fill: Writes all other files into the folder that it is given.
            name: Its name here; None for its own, numbered if that is taken.

        Raises:
            StudioError: The name is not valid or taken, or `fill` raised it.
            DiskFullError: No space was left; nothing was made.
        """
        staging = self.root / info.kind.folder / f".new-{secrets.token_hex(8)}"
        self.require_writable()
        staging.mkdir()
        try:
            fill(staging)
            with self._locked():
                own = files.checked_name(info.name) if name is None else name
                final = self.unused_name(info.kind, own) if name is None else name
                self.require_free(info.kind, final)
                folder = self.root / info.kind.folder / info.id
                is_valid = self._RECORD_ID.fullmatch(info.id) is not None
                if not is_valid or self._is_taken(folder):
                    folder = self._unused_folder(info.kind, final)
                named = info.model_copy(update={"id": folder.name, "name": final})
                files.write_atomically(
                    staging / RECORD_FILE, named.model_dump_json(indent=2) + "\n"
                )
                files.move(staging, folder)
        except BaseException:
            files.remove_folder(staging, ignore_errors=True)
            raise
        return Record(info.kind, folder)

    def records(self, kind: RecordKind) -> list[Record]:
        """Return all records of a kind, in no particular order."""
        folder = self.root / kind.folder
        if self.read_only and not folder.is_dir():  # of a kind that came with a later Studio
            return []
        with os.scandir(folder) as entries:
            return [
                Record(kind, Path(entry.path))
                for entry in entries
                if not entry.name.startswith(".") and entry.is_dir()
            ]

    def record(self, kind: RecordKind, record_id: str) -> Record | None:
        """Return the record with an id; None if it does not exist.

        Args:
            kind: Kind of the record.
            record_id: The id.
        """
        record = self.record_handle(kind, record_id)
        is_there = record is not None and (record.folder / RECORD_FILE).exists()
        return record if is_there else None

    def record_handle(self, kind: RecordKind, record_id: str) -> Record | None:
        """Return the record with an id, whether it exists or not; None if no record has such ids.

        Args:
            kind: Kind of the record.
            record_id: The id.
        """
        if not self._RECORD_ID.fullmatch(record_id):
            return None
        return Record(kind, self.root / kind.folder / record_id)

    def require(self, kind: RecordKind, record_id: str) -> Record:
        """Return the record with an id.

        Args:
            kind: Kind of the record.
            record_id: The id.

        Raises:
            InTrashError: It is in the trash.
            BadDataError: It does not exist.
        """
        record = self.record(kind, record_id)
        if record is None and (trashed := self.trashed_record(kind, record_id)) is not None:
            raise InTrashError(trashed)
        if record is None:
            what = message('There is no {kind} "{record}".', kind=kind.label, record=record_id)
            raise BadDataError(what, "It may still be in the trash.", kind.value)
        return record

    def trashed_record(self, kind: RecordKind, record_id: str) -> Record | None:
        """Return a record in the trash, or None.

        Args:
            kind: Kind of the record.
            record_id: The id that it had in the workspace, and has in the trash.
        """
        if not self._RECORD_ID.fullmatch(record_id):
            return None
        record = Record(kind, self.root / TRASH / kind.folder / record_id)
        return record if (record.folder / RECORD_FILE).exists() else None

    def find(self, kind: RecordKind, name: str) -> Record:
        """Find a record by its name, ignoring case, or by its id.

        Args:
            kind: Kind of the record.
            name: Name or id.

        Raises:
            StudioError: It does not exist; the hint names the closest one.
        """
        found = self.named(kind, name) or self.record(kind, name)
        if found is not None:
            return found
        known = [info.name for _, info in self.infos(kind)]
        hint = did_you_mean(name, known) or message(
            "This workspace contains no {kind} yet.", kind=kind.label
        )
        raise StudioError(
            'There is no {kind} called "{name}".', hint, kind.value, kind=kind.label, name=name
        )

    def named(self, kind: RecordKind, name: str) -> Record | None:
        """Return the record with a name, ignoring case, or None.

        Args:
            kind: Kind of the record.
            name: The name.
        """
        requested = files.one_form(name).casefold()
        begin = files.slug(name, kind.value)
        # Names are unique. A record that was not renamed has its name in its id: it comes first.
        for record in sorted(self.records(kind), key=lambda each: not each.id.startswith(begin)):
            with contextlib.suppress(StudioError):  # see `infos`
                if record.info().name.casefold() == requested:
                    return record
        return None

    def infos(self, kind: RecordKind) -> list[tuple[Record, RecordInfo]]:
        """Return all readable records of a kind with their infos, oldest first."""
        pairs = []
        for record in self.records(kind):
            try:
                pairs.append((record, record.info()))
            except StudioError:
                # A damaged record must not hide the others; opening it by name says what is wrong.
                continue
        return sorted(pairs, key=lambda pair: (pair[1].created, pair[1].id))

    def unused_name(self, kind: RecordKind, preferred: str) -> str:
        """Return a name with the first free number appended: `net`, `net-2` and so on.

        Args:
            kind: Kind of the record.
            preferred: Returned unchanged if it is free.
        """
        return files.free_name(preferred, (info.name for _, info in self.infos(kind)))

    def rename(self, record: Record, name: str) -> None:
        """Rename a record.

        Args:
            record: The record.
            name: Its new name.

        Raises:
            StudioError: The name is invalid or taken.
        """
        with self._locked():
            name = self.require_free(record.kind, name, besides=record)
            self._rewrite(record, record.info().model_copy(update={"name": name}))

    def annotate(
        self,
        record: Record,
        notes: str | None = None,
        tags: tuple[str, ...] | None = None,
        group: str | None = None,
    ) -> None:
        """Replace a record's notes, tags or group; None leaves a value unchanged.

        Args:
            record: The record.
            notes: Its notes.
            tags: Its tags.
            group: Its group; empty for none.

        Raises:
            StudioError: A tag or the group is invalid, or the record no longer exists.
        """
        update: dict[str, object] = {} if notes is None else {"notes": notes}
        if tags is not None:
            update["tags"] = checked_tags(tags)
        if group is not None:
            update["group"] = checked_word(group)
        with self._locked():
            self._rewrite(record, record.info().model_copy(update=update))

    def retag(self, record: Record, add: Iterable[str] = (), remove: Iterable[str] = ()) -> None:
        """Add and remove tags of a record; concurrent changes of other tags are preserved.

        Args:
            record: The record.
            add: Tags to add.
            remove: Tags to remove.

        Raises:
            StudioError: A tag is invalid, or the record no longer exists.
        """
        gone = {tag.casefold() for tag in checked_tags(remove)}
        with self._locked():
            info = record.info()
            remaining = [tag for tag in info.tags if tag.casefold() not in gone]
            update = {"tags": checked_tags([*remaining, *add])}
            self._rewrite(record, info.model_copy(update=update))

    def trash(self, record: Record) -> Record:
        """Move a record to the trash; return the record there, for `restore`."""
        with self._locked():
            target = self.root / TRASH / record.kind.folder / record.id
            target.parent.mkdir(parents=True, exist_ok=True)
            try:
                files.move(record.folder, target)
            except OSError as error:
                raise StudioError(
                    'The {kind} "{record}" cannot be moved to the trash: {reason}.',
                    "Close the programs that use its files and try again.",
                    kind=record.kind.label,
                    record=record.id,
                    reason=error.strerror or error,
                ) from error
            os.utime(target)  # the time of a folder in the trash is that of its deletion
        return Record(record.kind, target)

    def delete_forever(self, record: Record) -> None:
        """Remove a record of the trash from the disk; this cannot be undone.

        Raises:
            StudioError: It is not in the trash, or a program keeps one of its files open.
        """
        if record.folder.parent != self.root / TRASH / record.kind.folder:
            raise StudioError(
                'The {kind} "{record}" is not in the trash.',
                "Delete it first.",
                kind=record.kind.label,
                record=record.id,
            )
        with self._locked():
            try:
                files.remove_folder(record.folder)
            except OSError as error:
                raise StudioError(
                    'The {kind} "{record}" cannot be deleted: {reason}.',
                    "Close the programs that use its files and try again.",
                    kind=record.kind.label,
                    record=record.id,
                    reason=error.strerror or error,
                ) from error

    def trashed(self, kind: RecordKind) -> list[Record]:
        """Return the records of a kind that lie in the trash."""
        folder = self.root / TRASH / kind.folder
        if not folder.is_dir():
            return []
        return [Record(kind, path) for path in sorted(folder.iterdir()) if path.is_dir()]

    def restore(self, record: Record) -> Record:
        """Restore a record from the trash, under another name if its name is taken.

        Raises:
            StudioError: It is not in the trash.
        """
        with self._locked():
            if not record.folder.exists():
                raise StudioError(
                    'The {kind} "{record}" is not in the trash.',
                    "Another program may have restored or deleted it.",
                    kind=record.kind.label,
                    record=record.id,
                )
            info = record.info()
            name = self.unused_name(record.kind, info.name)
            restored = Record(record.kind, self.root / record.kind.folder / record.id)
            if name != info.name:
                self._rewrite(record, info.model_copy(update={"name": name}))
            files.move(record.folder, restored.folder)
        return restored

    def require_there(self) -> None:
        """Require the folder of the workspace: a lock would create an empty one.

        Raises:
            StudioError: The folder is missing.
        """
        if not self.root.is_dir():
            raise StudioError(
                "The workspace {workspace} no longer exists.",
                "Connect its disk or bring the folder back, or open another workspace.",
                str(self.root),
                workspace=self.root,
            )

    def require_writable(self) -> None:
        """Check that the workspace can be changed.

        Raises:
            StudioError: It was opened read-only.
        """
        if is_mirror(self.root):
            raise _is_copy(self.root)
        if self.read_only:
            raise StudioError(
                "The workspace {workspace} is read-only.",
                "Copy it to a folder that you can write to, and open the copy.",
                str(self.root),
                workspace=self.root,
            )

    @contextlib.contextmanager
    def _locked(self) -> Iterator[None]:
        self.require_there()
        self.require_writable()
        text = message(
            "Another Studio has kept the workspace {workspace} locked for {seconds:.0f} seconds.",
            workspace=self.root,
            seconds=LOCK_SECONDS,
        )
        with files.locked(self._lock, text):
            yield

    def require_free(self, kind: RecordKind, name: str, besides: Record | None = None) -> str:
        """Check a name for a record, and return it trimmed.

        Args:
            kind: Records of different kinds may share a name.
            name: The name as typed.
            besides: The record that is renamed; it may keep its name.

        Raises:
            StudioError: The name is not valid, or another record of that kind has it.
        """
        name = files.checked_name(name)
        for record, info in self.infos(kind):
            if info.name.casefold() == name.casefold() and record != besides:
                raise StudioError(
                    'The name "{name}" is already taken by another {kind}.',
                    message(
                        'Choose another, for example "{name}".', name=self.unused_name(kind, name)
                    ),
                    "name",
                    name=name,
                    kind=kind.label,
                )
        return name

    def _unused_folder(self, kind: RecordKind, name: str) -> Path:
        base = files.slug(name, kind.value)
        while True:
            folder = self.root / kind.folder / f"{base}-{secrets.token_hex(3)}"
            if not self._is_taken(folder):
                return folder

    def _is_taken(self, folder: Path) -> bool:
        """Return True if a record has that folder, or had it before it went to the trash."""
        trashed = self.root / TRASH / folder.parent.name / folder.name
        return folder.exists() or trashed.exists()

    def _rewrite(self, record: Record, info: RecordInfo) -> None:
        files.write_atomically(record.folder / RECORD_FILE, info.model_dump_json(indent=2) + "\n")
