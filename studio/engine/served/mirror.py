"""A local folder with a copy of the records of a workspace on a server.

Only the follower of the mirror writes into it. Each record has a hidden file with the stamp of
its last copy and the size and time of its files on the server. A journal only grows: its length
here is what the next request continues from, so that no event is lost or repeated, whatever
breaks. A record appears when it is complete.
"""

from __future__ import annotations

import base64
import binascii
import os
import secrets
import threading
from collections.abc import Callable, Mapping
from pathlib import Path, PurePosixPath
from typing import Any, Final
from urllib.parse import quote, urlencode

from pydantic import BaseModel, ValidationError

from studio.engine.errors import StudioError
from studio.engine.files import (
    disk_full_is_clear,
    move,
    remove,
    remove_folder,
    replacing,
    require_space,
    write_atomically,
)
from studio.engine.jobs.devices import Device
from studio.engine.jobs.job import JOURNAL_FILE
from studio.engine.served.connection import RefusedByServerError, ServerConnection
from studio.engine.served.facts import ServedFacts
from studio.engine.workspace import Record, RecordKind, Workspace
from studio.engine.workspace.records import RECORD_FILE

COPY_FILE: Final = ".copy.json"
LARGE_BYTES: Final = 2**30
"""Files of datasets and exports up to this size are copied after all small ones."""
_COPIED_WHOLE: Final = (RecordKind.DATASET, RecordKind.EXPORT)
"""Kinds of records whose large files are copied: images that pages show, files that are saved."""
MIRRORING: Final = 1
"""Version of the routes that a server must offer."""
_CONFLICT, _MISSING = 409, 404


class CopyState(BaseModel):
    """State of the copy of a record.

    Attributes:
        stamp: Stamp of the record on the server when it was copied.
        files: Size and time of the last change of each file on the server, by path.
        copied: The same of the files that are here.
    """

    stamp: str = ""
    files: dict[str, tuple[int, int]] = {}
    copied: dict[str, tuple[int, int]] = {}


def facts_of(server: ServerConnection, *, insecure: bool = False) -> ServedFacts:
    """Ask a server what it serves.

    Args:
        server: Sends the requests.
        insecure: True if the user allowed to send the token without encryption.

    Raises:
        StudioError: The server does not answer, refuses the token, or does not fit this version.
    """
    found = server.facts()
    offered, version = found.get("mirroring", 0), str(found.get("version", "?"))
    if offered != MIRRORING:
        raise StudioError(
            "The server runs Studio {version}, which cannot be opened in this window.",
            "Update Studio on the server."
            if not isinstance(offered, int) or offered < MIRRORING
            else "Update Studio on this computer.",
            "url",
            version=version,
        )
    try:
        return ServedFacts(
            url=server.url,
            name=str(found["name"]),
            role=str(found["role"]),
            server_version=version,
            insecure=insecure,
            devices=tuple(Device(**each) for each in found.get("devices", ())),
        )
    except (TypeError, ValidationError) as error:
        raise server.foreign() from error


class Mirror:
    """The copy of a workspace; see the module.

    Args:
        root: Its folder.
        server: Sends the requests.
        large_found: Called with a record and a path whose file is to be copied later.
    """

    def __init__(
        self,
        root: Path,
        server: ServerConnection,
        large_found: Callable[[Record, str], None] = lambda _record, _path: None,
    ) -> None:
        self.root = root
        self.server = server
        self._large_found = large_found
        self._guard = threading.Lock()
        self._workspace = Workspace(root, read_only=True)

    def record(self, kind: str, record_id: str) -> Record:
        """Return a record that the server names, which need not be here.

        Args:
            kind: Name of the kind.
            record_id: The id.

        Raises:
            ValueError: One of them is invalid.
        """
        record = self._workspace.record_handle(RecordKind(kind), record_id)
        if record is None:
            raise ValueError(f"{record_id!r} is not the id of a record")
        return record

    def stamps(self) -> dict[Record, str]:
        """Return the stamps of the copies that are here."""
        found = {}
        for kind in RecordKind:
            for record in self._workspace.records(kind):
                found[record] = self.state(record).stamp
        return found

    def state(self, record: Record) -> CopyState:
        """Return the state of the copy of a record; an empty one if it is not here."""
        return _state(record.folder)

    def remove(self, record: Record) -> None:
        """Remove the copy of a record that the server no longer has."""
        remove_folder(record.folder, ignore_errors=True)

    def copy(self, record: Record, stamp: str) -> None:
        """Copy what changed of a record.

        Args:
            record: The record.
            stamp: Its stamp on the server, at the time of the request or before.

        Raises:
            StudioError: The server does not answer or refuses it, or the disk is full.
        """
        state = self.state(record)
        is_new = not (record.folder / RECORD_FILE).is_file()
        folder = record.folder
        if is_new:
            remove_folder(folder, ignore_errors=True)
            folder = folder.with_name(f".new-{secrets.token_hex(4)}")
            folder.mkdir(parents=True)
            state = CopyState()
        try:
            self._fill(record, folder, state)
            state.stamp = stamp
            with self._guard:
                for path, about in _state(folder).copied.items():  # large ones, by `fetch`
                    if state.files.get(path) == about:
                        state.copied[path] = about
                write_atomically(folder / COPY_FILE, state.model_dump_json())
            if is_new:
                move(folder, record.folder)
        except RefusedByServerError as error:
            if error.status != _MISSING:
                raise
            self.remove(record)
        finally:
            if is_new:
                remove_folder(folder, ignore_errors=True)
        for path in state.files.keys() - state.copied.keys():
            if record.kind in _COPIED_WHOLE and state.files[path][0] <= LARGE_BYTES:
                self._large_found(record, path)

    def _fill(self, record: Record, folder: Path, state: CopyState) -> None:
        journal = folder / JOURNAL_FILE
        while True:
            size = journal.stat().st_size if journal.exists() else 0
            body = {"files": state.copied, "journal": size}
            reply = _Reply.of(self.server.json("POST", f"{_address(record)}/copy", body))
            if reply is None:
                raise self.server.foreign()
            for path, data in reply.contents.items():
                target = folder / path
                target.parent.mkdir(parents=True, exist_ok=True)
                write_atomically(target, data)
                state.copied[path] = reply.files[path]
            for path in state.copied.keys() - reply.files.keys():
                remove(folder / path)
                del state.copied[path]
            state.files = reply.files
            if reply.lines:
                with disk_full_is_clear(journal), journal.open("ab") as file:
                    file.write(reply.lines)
            if reply.complete or not (reply.contents or reply.lines):
                return

    def fetch(
        self, record: Record, path: str, is_ended: Callable[[], bool] = lambda: False
    ) -> None:
        """Copy a large file, if the one that is here is not the one of the server.

        Args:
            record: Its record.
            path: Its path in the folder of the record.
            is_ended: Returns True if the file is no longer needed.

        Raises:
            StudioError: The server does not answer or refuses it, the disk is full, or the file
                changed meanwhile.
        """
        about = self.state(record).files.get(path)
        if about is None or self.state(record).copied.get(path) == about:
            return
        require_space(record.folder, about[0], path)
        with replacing(record.folder / path) as draft:
            if not self._download(record, path, about, draft, is_ended):
                raise StudioError(
                    "The file {file} changed while it was copied.", "Try again.", file=path
                )
        with self._guard:
            state = self.state(record)
            state.copied[path] = about
            write_atomically(record.folder / COPY_FILE, state.model_dump_json())
        # Followers of the record read it again.
        os.utime(record.folder / RECORD_FILE)

    def _download(
        self,
        record: Record,
        path: str,
        about: tuple[int, int],
        target: Path,
        is_ended: Callable[[], bool],
    ) -> bool:
        """Copy a file piece by piece; return False if it changed meanwhile, or is not needed."""
        size, changed = about
        with target.open("wb") as file:
            while file.tell() < size and not is_ended():
                query = urlencode({"file": path, "from": file.tell(), "changed": changed})
                try:
                    data = self.server.ask("GET", f"{_address(record)}/content?{query}")
                except RefusedByServerError as error:
                    if error.status in (_CONFLICT, _MISSING):
                        return False
                    raise
                if not data:
                    return False
                file.write(data)
            return file.tell() == size


class _Reply:
    """The files and lines in a reply, checked: a server may be anything."""

    def __init__(self, document: Mapping[str, Any]) -> None:
        self.files = {
            _checked_path(path): (int(size), int(changed))
            for path, (size, changed) in document["files"].items()
        }
        self.contents = {
            _checked_path(path): base64.b64decode(text)
            for path, text in document["contents"].items()
        }
        self.lines = base64.b64decode(document["lines"])
        self.complete = bool(document["complete"])
        if not self.contents.keys() <= self.files.keys():
            raise ValueError("contents of files that are not listed")

    @classmethod
    def of(cls, document: Any) -> _Reply | None:  # noqa: ANN401 - JSON
        """Return the reply, or None if it is not one."""
        try:
            return cls(document)
        except (LookupError, TypeError, ValueError, AttributeError, binascii.Error):
            return None


def _checked_path(text: str) -> str:
    """Return a path inside a record.

    Raises:
        ValueError: It leads elsewhere, or to a file that Studio uses itself.
    """
    parts = PurePosixPath(text).parts
    is_odd = any(part.startswith(".") or {"\\", ":", "\0"} & set(part) for part in parts)
    if not parts or text.startswith("/") or is_odd or "/".join(parts) != text:
        raise ValueError(f"{text!r} is not a path inside a record")
    if text == JOURNAL_FILE or text.endswith(".lock"):
        raise ValueError(f"{text!r} is not a file that is copied")
    return text


def _address(record: Record) -> str:
    return f"/{record.kind.folder}/{quote(record.id, safe='')}"


def _state(folder: Path) -> CopyState:
    try:
        return CopyState.model_validate_json((folder / COPY_FILE).read_bytes())
    except (OSError, ValidationError):
        return CopyState()
