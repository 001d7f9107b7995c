"""The journal of a job: an append-only file that survives a torn line.

**Who may write.** Only the holder of the job's lock appends (`lock.py`), so there is one writer at
any moment. **Who may read.** Anybody, at any time: a reader remembers how far it has read and
takes whole lines only; the rest of a line that is being written is read next time.
"""

from __future__ import annotations

import os
from pathlib import Path

from studio.engine.files import disk_full_is_clear
from studio.engine.jobs.event import Event
from studio.engine.jobs.events import DamagedLine, Decode, encode

JOURNAL_FILE = "journal.jsonl"


class JournalWriter:
    """Appends whole lines. Opening cuts off a line that a killed writer left torn."""

    def __init__(self, path: Path) -> None:
        self.path = path
        flags = os.O_RDWR | os.O_CREAT | getattr(os, "O_BINARY", 0)
        self._handle = os.open(path, flags, 0o644)
        self._end = self._cut_torn_line()

    def append(self, event: Event, *, durable: bool = False) -> None:
        """Write one event as a line.

        Args:
            event: What happened.
            durable: Wait until the line is on the disk; for what must survive a power cut.

        Raises:
            DiskFullError: No space was left; the journal ends with the last whole line.
        """
        self.append_lines(encode(event), durable=durable)

    def append_lines(self, lines: bytes, *, durable: bool = False) -> None:
        """Write whole lines that were encoded elsewhere.

        Raises:
            DiskFullError: No space was left; the journal ends with the last whole line before.
        """
        with disk_full_is_clear(self.path):
            try:
                os.lseek(self._handle, self._end, os.SEEK_SET)
                written = os.write(self._handle, lines)
                while written < len(lines):
                    written += os.write(self._handle, lines[written:])
            except OSError:
                os.ftruncate(self._handle, self._end)
                raise
            self._end += len(lines)
            if durable:
                os.fsync(self._handle)

    def sync(self) -> None:
        """Wait until everything that was written so far is on the disk."""
        os.fsync(self._handle)

    def close(self) -> None:
        """Put everything on the disk and close the file."""
        os.fsync(self._handle)
        os.close(self._handle)

    def _cut_torn_line(self) -> int:
        size = os.lseek(self._handle, 0, os.SEEK_END)
        end, block = size, 4096
        while end > 0:
            start = max(0, end - block)
            os.lseek(self._handle, start, os.SEEK_SET)
            newline = os.read(self._handle, end - start).rfind(b"\n")
            if newline >= 0:
                end = start + newline + 1
                break
            end = start
        if end != size:
            os.ftruncate(self._handle, end)
        return end


class JournalReader:
    """Follows a journal from its beginning.

    Args:
        path: The journal.
        decode: Decodes its lines, see `events.decoder`.

    Attributes:
        damaged: How many whole lines were no events.
    """

    def __init__(self, path: Path, decode: Decode) -> None:
        self.path = path
        self._decode = decode
        self.damaged = 0
        self._offset = 0

    def read(self) -> list[Event]:
        """The events of all lines that were finished since the last call."""
        try:
            if self.path.stat().st_size <= self._offset:
                return []
            with self.path.open("rb") as file:
                file.seek(self._offset)
                data = file.read()
        except FileNotFoundError:
            return []
        end = data.rfind(b"\n") + 1
        self._offset += end
        events = []
        for line in data[:end].splitlines():
            try:
                event = self._decode(line)
            except DamagedLine:
                self.damaged += 1
                continue
            if event is not None:
                events.append(event)
        return events
