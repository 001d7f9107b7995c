"""A file of lines that several processes append to and a kill cannot spoil."""

from __future__ import annotations

import contextlib
import os
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Final

from filelock import FileLock, Timeout

from studio.engine.errors import BadDataError, StudioError
from studio.engine.files import disk_full_is_clear, flush_to_disk, read_failure
from studio.engine.messages import message

LOCK_SECONDS: Final = 30.0
_POLL_SECONDS: Final = 0.01


class LabelingBusyError(StudioError):
    """Another program or thread writes to a labeling and did not end in time."""

    def __init__(self, seconds: float) -> None:
        text = message(
            "Another Studio has been writing to this labeling for {seconds:.0f} seconds.",
            seconds=seconds,
        )
        super().__init__(text, "Wait for it to finish, then try again.")


class LineFile:
    """Reads what is new and appends whole lines; the file is open for these moments only.

    Args:
        path: The file, which need not exist.

    Attributes:
        lines: Number of lines that were read.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.lines = 0
        self._end = 0

    def read_new(self) -> Iterator[bytes]:
        """Yield the whole lines that were appended since the last call.

        A line counts as read when the next one is requested, so an invalid line is returned again.

        Raises:
            BadDataError: The file cannot be read.
        """
        try:
            if self.path.stat().st_size <= self._end:
                return
            with self.path.open("rb") as file:
                file.seek(self._end)
                data = file.read()
        except FileNotFoundError:
            return
        except OSError as error:
            raise BadDataError(
                "{file} cannot be read: {reason}.",
                "Check its disk.",
                str(self.path),
                file=self.path,
                reason=read_failure(error),
            ) from error
        for line in data[: data.rfind(b"\n") + 1].splitlines(keepends=True):
            yield line
            self._end += len(line)
            self.lines += line.endswith(b"\n")

    def append(self, data: bytes) -> None:
        """Append lines behind those that were read; cuts off what a killed writer left.

        For the holder of the lock only, after `read_new`. The bytes are with the operating system
        when it returns, so that they survive this process; `Flusher` puts them on the disk.

        Args:
            data: Whole lines, newlines included.

        Raises:
            DiskFullError: No space was left; the file ends with its last whole line.
        """
        flags = os.O_RDWR | os.O_CREAT | getattr(os, "O_BINARY", 0)
        with disk_full_is_clear(self.path):
            handle = os.open(self.path, flags, 0o644)
            try:
                if os.fstat(handle).st_size > self._end:
                    os.ftruncate(handle, self._end)
                os.lseek(handle, self._end, os.SEEK_SET)
                rest = data
                try:
                    while rest:
                        rest = rest[os.write(handle, rest) :]
                except OSError:
                    os.ftruncate(handle, self._end)
                    raise
            finally:
                os.close(handle)
        self._end += len(data)
        self.lines += data.count(b"\n")


@contextlib.contextmanager
def appending(lock: FileLock, seconds: float = LOCK_SECONDS) -> Iterator[None]:
    """Keep all other writers of a labeling away.

    Args:
        lock: The lock of the labeling.
        seconds: Maximum time to wait for them; 0 tries once.

    Raises:
        LabelingBusyError: Another one has kept us waiting.
    """
    try:
        held = lock.acquire(timeout=seconds, poll_interval=_POLL_SECONDS)
    except Timeout as error:
        raise LabelingBusyError(seconds) from error
    with held:
        yield


class Flusher:
    """Puts appended lines on the disk in a thread: a flush can take longer than a frame."""

    def __init__(self) -> None:
        self._guard = threading.Lock()
        self._pool: ThreadPoolExecutor | None = None
        self._waiting: set[Path] = set()
        self._error: OSError | None = None

    def flush_soon(self, path: Path) -> None:
        """Flush a file; several requests before it happens become one."""
        with self._guard:
            if path in self._waiting:
                return
            if self._pool is None:
                self._pool = ThreadPoolExecutor(1, "labeling-flush")
            self._waiting.add(path)
            self._pool.submit(self._flush, path)

    def check(self) -> None:
        """Raise the error of an earlier flush, once: what was written may be lost with the power.

        Raises:
            OSError: A file could not be flushed.
        """
        with self._guard:
            error, self._error = self._error, None
        if error is not None:
            raise error

    def close(self) -> None:
        """Wait until everything is on the disk.

        Raises:
            OSError: A file could not be flushed.
        """
        with self._guard:
            pool, self._pool = self._pool, None
        if pool is not None:
            pool.shutdown(wait=True)
        self.check()

    def _flush(self, path: Path) -> None:
        with self._guard:
            self._waiting.discard(path)
        try:
            flush_to_disk(path)
        except FileNotFoundError:
            return  # the record was moved to the trash
        except OSError as error:
            with self._guard:
                self._error = error
