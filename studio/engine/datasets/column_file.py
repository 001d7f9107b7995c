"""The open file of an import: its columns, written and read in place, with clear errors."""

from __future__ import annotations

import contextlib
import errno
import io
import os
import threading
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from studio.engine.datasets.schema import Column
from studio.engine.errors import DiskFullError
from studio.engine.files import disk_full_is_clear


class ColumnFile:
    """A file whose columns are ranges of bytes; no HDF5 is involved once it is laid out.

    Attributes:
        path: The file.
        columns: What stands where.
        handle: The file, unbuffered.
    """

    def __init__(self, path: Path, columns: dict[str, Column]) -> None:
        self.path = path
        self.columns = columns
        self._reading = threading.Lock()
        self.handle: io.FileIO = path.open("r+b", buffering=0)

    def write(self, name: str, row: int, values: NDArray[np.generic]) -> None:
        """Write values of a column from a row on.

        Raises:
            DiskFullError: No space was left.
        """
        column = self.columns[name]
        data = np.ascontiguousarray(values).reshape(-1).view(np.uint8).data
        self.put(column.offset + row * column.row_bytes, data)

    def put(self, offset: int, data: memoryview) -> None:
        """Write bytes.

        Raises:
            DiskFullError: No space was left.
        """
        with clear_errors(self.path):
            self.handle.seek(offset)
            while data:  # an unbuffered write may take a part only
                data = data[self.handle.write(data) :]

    def read(self, name: str, row: int, rows: int = 1) -> NDArray[np.uint8]:
        """Bytes of some rows of a column, flat. Several threads may read while none writes."""
        column = self.columns[name]
        data = np.zeros(rows * column.row_bytes, np.uint8)
        view = data.data
        with self._reading:
            self.handle.seek(column.offset + row * column.row_bytes)
            while view and (count := self.handle.readinto(view)):
                view = view[count:]
        return data

    def cut(self, size: int) -> None:
        """Give the file that length."""
        with clear_errors(self.path):
            self.handle.truncate(size)

    def sync(self) -> None:
        """Wait until the disk has everything.

        Raises:
            DiskFullError: No space was left.
        """
        with clear_errors(self.path):
            os.fsync(self.handle.fileno())


@contextlib.contextmanager
def clear_errors(path: Path) -> Iterator[None]:
    """Full disks, and disks that cannot hold a file of this size, as errors for the user."""
    with disk_full_is_clear(path):
        try:
            yield
        except OSError as error:
            if error.errno != errno.EFBIG:
                raise
            raise DiskFullError(
                f"This disk cannot hold a file as large as {path.name} will be.",
                "Choose smaller images, or a workspace on another disk.",
                str(path),
            ) from error
