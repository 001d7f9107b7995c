"""The events of a job as server-sent events: the lines of its journal, as they are written.

The id of an event is the number of bytes up to the end of its line. A client that was cut off
sends the last id it received (`Last-Event-ID`), and gets the rest: also from a server that was
started since, as all is in the journal. One task reads each journal that is followed, whatever the
number of clients.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from studio.engine.files import appended_lines
from studio.engine.jobs.job import JOURNAL_FILE, Job
from studio.engine.server.routes import RefusedError
from studio.engine.workspace import Record

POLL_SECONDS: Final = 0.1
HEARTBEAT_SECONDS: Final = 15.0
"""Time without events after which a comment shows proxies and clients that the server lives."""
CHUNK: Final = 256 * 1024
"""Bytes of a journal that are read for a client at a time."""


@dataclass(slots=True)
class _Watched:
    """A journal that clients follow.

    Attributes:
        job: Its job, as of the last poll.
        is_over: True if the job was at rest, or deleted, at the last poll.
        grown: Set, and replaced, when the journal has grown or the job is over.
        clients: Number of clients.
        task: Reads the journal.
    """

    job: Job
    is_over: bool = False
    grown: asyncio.Event = field(default_factory=asyncio.Event)
    clients: int = 0
    task: asyncio.Task[None] | None = None


class EventStreams:
    """Streams of the events of jobs.

    Attributes:
        is_stopping: Returns True when the server ends; then all streams end.
    """

    def __init__(self) -> None:
        self.is_stopping: Callable[[], bool] = lambda: False
        self._watched: dict[Path, _Watched] = {}

    async def follow(self, record: Record, offset: int, *, wait: bool) -> AsyncIterator[bytes]:
        """Yield the events of a job after a position, until the job is at rest.

        Args:
            record: Record of the job.
            offset: Bytes of the journal that the client has, see `position`.
            wait: False to end with the events that there are.
        """
        path = record.folder / JOURNAL_FILE
        async with self._watching(record) as watched:
            while not self.is_stopping():
                # Before reading: what is written from now on sets it.
                grown, is_over, known = watched.grown, watched.is_over, watched.job.offset
                lines, offset = await asyncio.to_thread(_encoded, path, offset)
                if lines:
                    yield lines
                elif (is_over and offset >= known) or (not wait and offset <= known):
                    # Otherwise the job is not read as far: its state is older than the events.
                    yield _end(watched.job)
                    return
                else:
                    yield await _until(grown)

    @contextlib.asynccontextmanager
    async def _watching(self, record: Record) -> AsyncIterator[_Watched]:
        watched = self._watched.get(record.folder)
        if watched is None:
            watched = self._watched[record.folder] = _Watched(Job(record))
            watched.task = asyncio.create_task(self._watch(watched))
        watched.clients += 1
        try:
            yield watched
        finally:
            watched.clients -= 1

    async def _watch(self, watched: _Watched) -> None:
        """Read the journal again and again while there are clients."""
        job = watched.job
        try:
            while watched.clients:
                events = await asyncio.to_thread(job.refresh)
                is_over = _is_over(job)
                if events or is_over != watched.is_over or self.is_stopping():
                    watched.is_over = is_over
                    grown, watched.grown = watched.grown, asyncio.Event()
                    grown.set()
                await asyncio.sleep(POLL_SECONDS)
        finally:
            del self._watched[job.record.folder]
            watched.is_over = True  # if the journal cannot be read: what was read is all
            watched.grown.set()


def position(record: Record, text: str) -> int:
    """Return the offset in a journal after the event with an id.

    Args:
        record: Record of the job.
        text: The header `Last-Event-ID`; empty or 0 for the beginning.

    Raises:
        RefusedError: It is not the id of an event of this journal.
    """
    if text in ("", "0"):
        return 0
    offset = int(text) if text.isdecimal() and len(text) < 16 else -1
    with contextlib.suppress(OSError), (record.folder / JOURNAL_FILE).open("rb") as file:
        if offset > 0 and file.seek(offset - 1) == offset - 1 and file.read(1) == b"\n":
            return offset
    raise RefusedError(400, f"This job has no event {text[:80]!r}.")


def _encoded(path: Path, offset: int) -> tuple[bytes, int]:
    """Return the next lines as events, and the offset after them."""
    lines, end = appended_lines(path, offset, CHUNK)
    events = []
    for line in lines:
        offset += len(line) + 1
        # A carriage return would end the line of the event; JSON contains none.
        events.append(b"id: %d\ndata: %b\n\n" % (offset, line.replace(b"\r", b" ")))
    return b"".join(events), end


def _end(job: Job) -> bytes:
    """Return the last event, which has no id: it is not in the journal."""
    state = job.history.state.value if job.record.folder.exists() else "deleted"
    return b"event: end\ndata: %b\n\n" % json.dumps({"state": state}).encode()


def _is_over(job: Job) -> bool:
    return job.history.state.is_at_rest or not job.record.folder.exists()


async def _until(grown: asyncio.Event) -> bytes:
    """Wait for new lines, and return what to send meanwhile: nothing, or a comment."""
    try:
        async with asyncio.timeout(HEARTBEAT_SECONDS):
            await grown.wait()
    except TimeoutError:
        return b": no news\n\n"
    return b""
