"""Keeps a mirror in step with its server, in threads of its own."""

from __future__ import annotations

import json
import queue
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final, Literal

from filelock import FileLock, Timeout

from studio.engine.errors import StudioError
from studio.engine.served.connection import LOST, NotAnsweringError, ServerConnection
from studio.engine.served.facts import ServedFacts, write_facts
from studio.engine.served.mirror import Mirror, facts_of
from studio.engine.workspace import Record, RecordKind

RETRY_SECONDS: Final = (0.5, 1.0, 2.0, 5.0)
"""Pauses before a lost server is asked again; the last one repeats."""
SILENCE_SECONDS: Final = 12.0
"""Time without a sign of life, which the server sends every two seconds, until it counts as lost.
"""
_LOCK_SECONDS: Final = 0.5
_LOCK_FILE: Final = ".mirror.lock"
_FIRST: Final = (RecordKind.DATASET, RecordKind.NETWORK, RecordKind.RUN, RecordKind.SWEEP)
"""Kinds that are copied before the others: others refer to them."""

LinkState = Literal["connecting", "waiting", "copying", "connected", "away", "failed"]


@dataclass(frozen=True, slots=True)
class LinkStatus:
    """State of the connection to a server.

    Attributes:
        state: "connecting" before the first answer, "waiting" while another window writes,
            "copying" while records are copied, "connected", "away" if the server does not answer,
            "failed" if it refuses the token, does not fit, or the copy cannot be written.
        since: Time of the change to this state, in seconds since 1970.
        done: Records that were copied.
        total: Records to copy.
        error: What is wrong; None if nothing is.
        facts: What is known of the server.
        is_queue_paused: True if the queue of the server is paused.
    """

    state: LinkState
    since: float
    facts: ServedFacts
    done: int = 0
    total: int = 0
    error: StudioError | None = None
    is_queue_paused: bool = False


class ServerFollower:
    """Follows a server and writes its records into a mirror.

    Of several processes with the same mirror, one writes; the others wait, and take over.

    Args:
        server: Sends the requests.
        root: Folder of the mirror.
        facts: What is known of the server.

    Attributes:
        status: State of the connection.
        mirror: The mirror.
    """

    def __init__(self, server: ServerConnection, root: Path, facts: ServedFacts) -> None:
        self.status = LinkStatus("connecting", time.time(), facts)
        self.mirror = Mirror(root, server, self._copy_later)
        self._server = server
        self._listeners: list[Callable[[LinkStatus], None]] = []
        self._ended = threading.Event()
        self._large: queue.SimpleQueue[tuple[Record, str] | None] = queue.SimpleQueue()
        self._threads = [
            threading.Thread(target=self._run, name="served changes", daemon=True),
            threading.Thread(target=self._copy_large, name="served files", daemon=True),
        ]

    def add_listener(self, listener: Callable[[LinkStatus], None]) -> None:
        """Call a listener with each new status, in a thread of the follower."""
        self._listeners.append(listener)

    def start(self) -> None:
        """Begin to follow."""
        for thread in self._threads:
            thread.start()

    def close(self) -> None:
        """End soon; returns at once."""
        self._ended.set()
        self._large.put(None)

    def _copy_later(self, record: Record, path: str) -> None:
        self._large.put((record, path))

    # The thread of changes.

    def _run(self) -> None:
        lock = FileLock(self.mirror.root / _LOCK_FILE)
        while not self._ended.is_set():
            try:
                with lock.acquire(timeout=_LOCK_SECONDS):
                    self._follow()
            except Timeout:
                self._show("waiting")
            except OSError as error:
                self._fail("failed", _unwritable(error))
                self._ended.wait(RETRY_SECONDS[-1])

    def _follow(self) -> None:
        failures = 0
        while not self._ended.is_set():
            try:
                facts = facts_of(self._server, insecure=self.status.facts.insecure)
                write_facts(self.mirror.root, facts)
                self.status = replace(self.status, facts=facts)
                failures = 0
                self._read_changes()
            except StudioError as error:
                self._fail("away" if isinstance(error, NotAnsweringError) else "failed", error)
            except (ValueError, LookupError, TypeError):
                self._fail("failed", self._server.foreign())
            except LOST as error:
                self._fail("away", self._server.unreachable(error))
            self._ended.wait(RETRY_SECONDS[min(failures, len(RETRY_SECONDS) - 1)])
            failures += 1

    def _fail(self, state: LinkState, error: StudioError) -> None:
        if not self._ended.is_set():
            self._show(state, error=error)

    def _read_changes(self) -> None:
        for event in self._server.events("/changes", timeout=SILENCE_SECONDS):
            if self._ended.is_set():
                return
            if event.data:
                self._apply(json.loads(event.data))
        raise ConnectionResetError("the server ended")

    def _apply(self, change: Mapping[str, Any]) -> None:
        mirror = self.mirror
        stamps = {mirror.record(kind, name): str(stamp) for kind, name, stamp in change["records"]}
        if change["all"]:
            known = mirror.stamps()
            gone = known.keys() - stamps.keys()
            stamps = {each: stamp for each, stamp in stamps.items() if known.get(each) != stamp}
        else:
            gone = {mirror.record(kind, name) for kind, name in change["gone"]}
        for record in gone:
            mirror.remove(record)
        paused = bool(change["paused"])
        records = sorted(stamps, key=_order)
        for done, record in enumerate(records):
            if self._ended.is_set():
                return
            if len(records) > 1:
                self._show("copying", done=done, total=len(records), is_queue_paused=paused)
            self._copy(record, stamps[record])
        self._show("connected", is_queue_paused=paused)

    def _copy(self, record: Record, stamp: str) -> None:
        try:
            self.mirror.copy(record, stamp)
        except OSError as error:  # of the disk: those of the connection are StudioErrors
            raise _unwritable(error) from error

    def _show(self, state: LinkState, **parts: Any) -> None:  # noqa: ANN401 - of `LinkStatus`
        """Replace the status: counts and error are those given, the rest stays."""
        before = self.status
        since = before.since if before.state == state else time.time()
        usual = {"done": 0, "total": 0, "error": None}
        self.status = replace(before, state=state, since=since, **{**usual, **parts})
        if self.status != before:
            for listener in self._listeners:
                listener(self.status)

    # The thread of large files.

    def _copy_large(self) -> None:
        while (found := self._large.get()) is not None and not self._ended.is_set():
            record, path = found
            try:
                self.mirror.fetch(record, path, self._ended.is_set)
            except (StudioError, OSError):
                # The record changed or went, which is copied again, or the server is away.
                self._ended.wait(RETRY_SECONDS[-1])
                if record.folder.is_dir() and self._is_lacking(record, path):
                    self._large.put(found)

    def _is_lacking(self, record: Record, path: str) -> bool:
        state = self.mirror.state(record)
        return path in state.files and state.copied.get(path) != state.files[path]


def _order(record: Record) -> tuple[int, str]:
    kinds = (*_FIRST, *(kind for kind in RecordKind if kind not in _FIRST))
    return kinds.index(record.kind), record.id


def _unwritable(error: OSError) -> StudioError:
    return StudioError(
        "The copy of the served workspace cannot be written: {reason}.",
        "Check that the disk has space; Studio keeps trying.",
        reason=error.strerror or error,
    )
