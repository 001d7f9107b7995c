"""Routes for windows that keep a copy of the workspace: what changed, and the files of records.

`GET /changes` sends the stamp of each record, then those that change. For a record whose stamp is
another one, a client asks `POST /KIND/NAME/copy` for what it lacks: the new lines of the journal,
and small files. Larger files are read in pieces.
"""

from __future__ import annotations

import asyncio
import base64
import contextlib
import json
import os
import time
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from pydantic import BaseModel, ConfigDict

from studio.engine.jobs.commands import COMMANDS_FILE
from studio.engine.jobs.job import JOURNAL_FILE
from studio.engine.jobs.queue import PAUSED_FILE
from studio.engine.server.events import EventStreams
from studio.engine.server.routes import (
    CheckedRequest,
    Parameter,
    Payload,
    RefusedError,
    Role,
    Route,
    Stream,
)
from studio.engine.training.parts import RESUME_FILE
from studio.engine.workspace import Record, RecordKind, Workspace

MIRRORED: Final = tuple(kind for kind in RecordKind if kind is not RecordKind.LABELING)
"""Kinds of records that are copied; the pictures of labelings stay."""
SCAN_SECONDS: Final = 0.25
"""Time between two looks at the workspace, while there are clients."""
_SCAN_SHARE: Final = 10
"""Minimum time between two looks, as a multiple of the duration of a look."""
HEARTBEAT_SECONDS: Final = 2.0
"""Time without changes after which a comment shows clients that the server lives."""
SMALL_BYTES: Final = 4 * 2**20
"""Files up to this size are copied with their record."""
REPLY_BYTES: Final = 8 * 2**20
"""Bytes of files in a reply, at most, and of lines; a client asks again for the rest."""
PIECE_BYTES: Final = 8 * 2**20
"""Bytes of a piece of a file."""
_STAMPED: Final = ("record.json", JOURNAL_FILE, "edits.jsonl", "network.json")
"""Files that change without a change of their folder."""
_LEFT_OUT: Final = frozenset({JOURNAL_FILE, COMMANDS_FILE, RESUME_FILE, "tensorboard"})
_Key = tuple[str, str]
_WAIT = Parameter("wait", "no: end after all records.", "yes", choices=("yes", "no"))
_FILE = Parameter("file", "Path of the file in the folder of the record, as `copy` lists it.")
_FROM = Parameter("from", "First byte.", 0)
_CHANGED = Parameter("changed", "Time of its last change, as `copy` lists it.", 0, high=2**63)


class CopyBody(BaseModel):
    """Files and lines of a record that a client has.

    Attributes:
        files: Size and time of the last change of each file, by path.
        journal: Bytes of the journal.
    """

    model_config = ConfigDict(extra="forbid")

    files: dict[str, tuple[int, int]] = {}
    journal: int = 0


class ChangeFeed:
    """Watches the records of a workspace while there are clients.

    Args:
        workspace: The workspace.
        streams: Streams of the same server; those of changes end when they end.
    """

    def __init__(self, workspace: Workspace, streams: EventStreams) -> None:
        self._workspace = workspace
        self._streams = streams
        self._stamps: dict[_Key, str] = {}
        self._is_paused = False
        self._clients = 0
        self._looked = asyncio.Event()
        self._task: asyncio.Task[None] | None = None

    async def follow(self, *, wait: bool) -> AsyncIterator[bytes]:
        """Yield all records with their stamps, then changes, as server-sent events.

        Args:
            wait: False to end after all records.
        """
        sent: dict[_Key, str] | None = None
        was_paused, quiet_since = False, time.monotonic()
        async with self._watching():
            while not self._streams.is_stopping():
                looked = self._looked
                await looked.wait()
                if self._streams.is_stopping():
                    return
                stamps, is_paused = self._stamps, self._is_paused
                if sent is None or stamps != sent or is_paused != was_paused:
                    yield _event(sent, stamps, is_paused)
                    sent, was_paused, quiet_since = stamps, is_paused, time.monotonic()
                    if not wait:
                        return
                elif time.monotonic() - quiet_since > HEARTBEAT_SECONDS:
                    quiet_since = time.monotonic()
                    yield b": no news\n\n"

    @contextlib.asynccontextmanager
    async def _watching(self) -> AsyncIterator[None]:
        self._clients += 1
        if self._task is None:
            self._looked = asyncio.Event()
            self._task = asyncio.create_task(self._watch())
        try:
            yield
        finally:
            self._clients -= 1

    async def _watch(self) -> None:
        try:
            while self._clients and not self._streams.is_stopping():
                begun = time.monotonic()
                try:
                    self._stamps = await asyncio.to_thread(stamps_of, self._workspace)
                except OSError:
                    pass  # the disk may come back; clients keep what they have until then
                else:
                    self._is_paused = (self._workspace.root / PAUSED_FILE).exists()
                    self._tell()
                took = time.monotonic() - begun
                await asyncio.sleep(max(SCAN_SECONDS, _SCAN_SHARE * took))
        finally:
            self._task = None
            self._tell()

    def _tell(self) -> None:
        looked, self._looked = self._looked, asyncio.Event()
        looked.set()


def stamps_of(workspace: Workspace) -> dict[_Key, str]:
    """Return a text for each record that changes when the record does, by kind and id."""
    return {
        (kind.value, record.id): stamp
        for kind in MIRRORED
        for record in workspace.records(kind)
        if (stamp := _stamp(record.folder))
    }


def _stamp(folder: Path) -> str:
    """Return the stamp of a record; empty if it is gone, or is no record."""
    try:
        parts = [os.stat(folder).st_mtime_ns]  # noqa: PTH116 - called for ten thousand records
    except OSError:
        return ""
    for name in _STAMPED:
        try:
            found = os.stat(f"{folder}/{name}")  # noqa: PTH116 - as above
        except OSError:
            if name == _STAMPED[0]:
                return ""
            continue
        parts += [found.st_size, found.st_mtime_ns]
    return "-".join(f"{each:x}" for each in parts)


def _event(sent: dict[_Key, str] | None, stamps: dict[_Key, str], is_paused: bool) -> bytes:
    known = {} if sent is None else sent
    changed = [[*key, stamp] for key, stamp in stamps.items() if known.get(key) != stamp]
    gone = [list(key) for key in known.keys() - stamps.keys()]
    document = {"all": sent is None, "records": changed, "gone": gone, "paused": is_paused}
    return b"data: %b\n\n" % json.dumps(document).encode()


def copied_files(folder: Path) -> dict[str, tuple[int, int]]:
    """Return size and time of the last change of the files of a record, by path.

    Locks, commands, hidden files and the state from which a run resumes are left out, and links.
    """
    return dict(_files_in(folder, ""))


def _files_in(folder: Path, prefix: str) -> Iterator[tuple[str, tuple[int, int]]]:
    try:
        with os.scandir(folder) as found:
            entries = sorted(found, key=lambda each: each.name)
    except FileNotFoundError:  # deleted meanwhile
        return
    for entry in entries:
        name = entry.name
        is_private = name.startswith(".") or name.endswith(".lock") or entry.is_symlink()
        if is_private or (not prefix and name in _LEFT_OUT):
            continue
        if entry.is_dir():
            yield from _files_in(Path(entry.path), f"{prefix}{name}/")
        elif entry.is_file():
            with contextlib.suppress(FileNotFoundError):
                found_now = entry.stat()
                yield f"{prefix}{name}", (found_now.st_size, found_now.st_mtime_ns)


def copy_routes(kind: RecordKind, find: Callable[[CheckedRequest], Record]) -> Sequence[Route]:
    """Return the routes with the files of records of a kind.

    Args:
        kind: The kind.
        find: Returns the record that a request names.
    """
    one, noun = f"/{kind.folder}/{{name}}", kind.value

    def copy(call: CheckedRequest) -> object:
        if not isinstance(call.fields, CopyBody):
            raise TypeError("the route has no body CopyBody")
        return _copy(find(call).folder, call.fields)

    def content(call: CheckedRequest) -> object:
        return Payload(_piece(find(call).folder, call.query), "application/octet-stream")

    return (
        Route(
            "POST",
            f"{one}/copy",
            Role.READ,
            f"Files and journal of a {noun} that a client lacks.",
            copy,
            body=CopyBody,
        ),
        Route(
            "GET",
            f"{one}/content",
            Role.READ,
            f"A piece of a file of a {noun}.",
            content,
            (_FILE, _FROM, _CHANGED),
            media_type="application/octet-stream",
        ),
    )


def change_route(feed: ChangeFeed) -> Route:
    """Return the route of the changes of a workspace."""
    return Route(
        "GET",
        "/changes",
        Role.READ,
        "Follow all records: their stamps, which change when a record does.",
        lambda call: Stream(feed.follow(wait=call.query["wait"] == "yes")),
        (_WAIT,),
        media_type="text/event-stream",
    )


def _copy(folder: Path, known: CopyBody) -> object:
    # The journal first: the files that its lines name are there already.
    lines, size = _lines(folder / JOURNAL_FILE, known.journal)
    files = copied_files(folder)
    lacking = [
        (about[0], path)
        for path, about in files.items()
        if about[0] <= SMALL_BYTES and known.files.get(path) != about
    ]
    contents: dict[str, str] = {}
    total = 0
    for length, path in sorted(lacking):
        total += length
        if contents and total > REPLY_BYTES:
            break
        with contextlib.suppress(FileNotFoundError):
            data = (folder / path).read_bytes()
            contents[path] = base64.b64encode(data).decode()
            files[path] = (len(data), files[path][1])
    return {
        "files": files,
        "contents": contents,
        "lines": base64.b64encode(lines).decode(),
        "journal": size,
        "complete": len(contents) == len(lacking) and known.journal + len(lines) >= size,
    }


def _lines(path: Path, start: int) -> tuple[bytes, int]:
    """Return whole lines of a journal from a byte on, and its bytes up to its last whole line."""
    try:
        with path.open("rb") as file:
            file.seek(start)
            data = file.read(REPLY_BYTES)
            more = path.stat().st_size > start + len(data)
    except FileNotFoundError:
        return b"", 0
    whole = data[: data.rfind(b"\n") + 1]
    return whole, start + len(whole) + more


def _piece(folder: Path, query: Mapping[str, Any]) -> bytes:
    """Return a piece of a file.

    Args:
        folder: Folder of the record.
        query: The checked parameters.

    Raises:
        RefusedError: There is no such file, or it has changed.
    """
    about = copied_files(folder).get(query["file"])
    if about is None:
        raise RefusedError(404, f"There is no file {query['file'][:80]!r}.")
    if about[1] != query["changed"]:
        raise RefusedError(409, "The file has changed.")
    try:
        with (folder / query["file"]).open("rb") as file:
            file.seek(query["from"])
            data: bytes = file.read(PIECE_BYTES)
            return data
    except FileNotFoundError as error:
        raise RefusedError(404, "The file no longer exists.") from error
