"""Writes `images.h5` row by row, so that a killed import can be continued."""

from __future__ import annotations

import contextlib
import errno
import io
import os
from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path
from types import TracebackType
from typing import Self

import h5py
import numpy as np
from numpy.typing import NDArray

from studio.engine.datasets.recipe import DatasetRecipe
from studio.engine.datasets.schema import FILE_NAME, HASH_BYTES, Column, columns_of, lay_out
from studio.engine.errors import DiskFullError
from studio.engine.files import PARTIAL, disk_full_is_clear, require_space

# A kill loses at most this many rows of work. Smaller costs: each time waits for the disk.
ROWS_BETWEEN_FLUSHES = 1024
_TEXTS_AT_ONCE = 65536


class StoreWriter:
    """The rows of one import. Made by `create` or `resume`; `finish` makes it a dataset.

    Pixels are written through an ordinary file handle at the column's offset, never through a
    memory map: a full disk is then an error that can be shown, and not a bus error that ends the
    process. A row counts as done only when its pixels are on the disk.

    Attributes:
        path: The partial file.
    """

    def __init__(self, path: Path, columns: dict[str, Column]) -> None:
        self.path = path
        self._columns = columns
        rows = columns["images"].shape[0]
        self._status = np.zeros(rows, np.uint8)
        self._hashes = np.zeros((rows, HASH_BYTES), np.uint8)
        self._waiting: list[int] = []
        self._handle: io.FileIO = path.open("r+b", buffering=0)

    @classmethod
    def create(
        cls,
        folder: Path,
        recipe: DatasetRecipe,
        paths: Sequence[str],
        classes: Sequence[str],
        fingerprint: str,
    ) -> Self:
        """Start a partial file anew, in place of any other.

        Args:
            folder: The dataset's folder; must exist.
            recipe: What was asked; gives the shape of a row.
            paths: One per row.
            classes: All class names; `finish` may drop some.
            fingerprint: Names the recipe and the files, for `resume`.

        Raises:
            DiskFullError: The whole dataset will not fit.
        """
        path = partial_path(folder)
        path.unlink(missing_ok=True)
        texts = {"path": _encoded(paths), "classes": _encoded(classes)}
        longest = {name: max(map(len, column), default=1) for name, column in texts.items()}
        shape = (len(paths), recipe.height, recipe.width, recipe.channels)
        skeleton = lay_out(
            shape,
            longest["path"],
            (len(classes), longest["classes"]),
            {
                "recipe": recipe.model_dump_json(),
                "created": datetime.now(UTC).isoformat(timespec="seconds"),
                "fingerprint": fingerprint,
            },
        )
        require_space(folder, skeleton.size, "The dataset")
        with _clear_errors(path), path.open("wb") as handle:
            handle.truncate(skeleton.size)
            for offset, piece in skeleton.pieces:
                handle.seek(offset)
                handle.write(piece)
        writer = cls(path, _columns_in(path))
        for name, column in texts.items():
            writer._write_texts(name, column)
        return writer

    @classmethod
    def resume(cls, folder: Path, fingerprint: str) -> Self | None:
        """Go on with a partial file, or None when there is none for this fingerprint."""
        path = partial_path(folder)
        if not path.exists():
            return None
        try:
            columns = _columns_in(path)
            with h5py.File(path, "r", locking=False) as file:
                if str(file.attrs.get("fingerprint", "")) != fingerprint:
                    return None
                status, hashes = file["status"][:], file["hash"][:]
        except (OSError, ValueError, RuntimeError):
            return None  # killed while it was laid out, or not ours: it is made anew
        if max(column.end for column in columns.values()) > path.stat().st_size:
            return None
        writer = cls(path, columns)
        writer._status[:] = status
        writer._hashes[:] = hashes
        require_space(folder, writer.missing_bytes, "The rest of the dataset")
        return writer

    @property
    def done(self) -> NDArray[np.bool_]:
        """Which rows are written, shape N."""
        written: NDArray[np.bool_] = self._status == 1
        return written

    @property
    def missing_bytes(self) -> int:
        """Bytes of pixels that are still to be written."""
        return int((~self.done).sum()) * self._columns["images"].row_bytes

    def pixels(self, row: int) -> NDArray[np.uint8]:
        """Read a row that is done back, H x W x C."""
        column = self._columns["images"]
        self._handle.seek(column.offset + row * column.row_bytes)
        data = bytearray(column.row_bytes)
        view = memoryview(data)
        while view and (count := self._handle.readinto(view)):
            view = view[count:]
        return np.frombuffer(data, np.uint8).reshape(column.shape[1:])

    def write(self, row: int, pixels: NDArray[np.uint8], digest: bytes) -> None:
        """Write one image, H x W x C, and the hash of its encoded bytes.

        Raises:
            DiskFullError: No space was left; what was done before stays done.
        """
        column = self._columns["images"]
        if pixels.shape != column.shape[1:] or pixels.dtype != np.uint8:
            raise ValueError(
                f"a row is uint8 {column.shape[1:]}, not {pixels.dtype} {pixels.shape}"
            )
        self._write("images", row, np.ascontiguousarray(pixels))
        self._hashes[row] = np.frombuffer(digest, np.uint8)
        self._waiting.append(row)
        if len(self._waiting) >= ROWS_BETWEEN_FLUSHES:
            self.flush()

    def flush(self) -> None:
        """Put the rows on the disk, and only then say that they are done.

        Raises:
            DiskFullError: No space was left.
        """
        if not self._waiting:
            return
        self._sync()
        self._status[self._waiting] = 1
        first, last = min(self._waiting), max(self._waiting) + 1
        self._write("hash", first, self._hashes[first:last])
        self._write("status", first, self._status[first:last])
        self._waiting.clear()

    def finish(
        self, labels: NDArray[np.int32], split: NDArray[np.int8], classes: Sequence[str]
    ) -> None:
        """Write what the rows mean, and let the partial file become the dataset.

        Args:
            labels: Index into `classes`, shape N; -1 in holes.
            split: Shape N; -1 in holes.
            classes: At most as many as were given to `create`.

        Raises:
            DiskFullError: No space was left; the partial file stays.
        """
        self.flush()
        self._write("labels", 0, labels.astype("<i4"))
        self._write("split", 0, split.astype(np.int8))
        unused = self._columns["classes"].shape[0] - len(classes)
        self._write_texts("classes", [*_encoded(classes), *[b""] * unused])
        self._sync()
        self._handle.close()
        self.path.replace(self.path.with_name(FILE_NAME))

    def discard(self) -> None:
        """Close and delete the partial file."""
        self._handle.close()
        self.path.unlink(missing_ok=True)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Close. What was written stays for `resume`, unless `finish` or `discard` came first."""
        if self._handle.closed:
            return
        # The first error is the one to show: on a full disk the flush would fail again.
        with contextlib.suppress(OSError, DiskFullError):
            self.flush()
        self._handle.close()

    def _write_texts(self, name: str, texts: list[bytes]) -> None:
        for start in range(0, len(texts), _TEXTS_AT_ONCE):
            part = texts[start : start + _TEXTS_AT_ONCE]
            self._write(name, start, np.array(part, dtype=self._columns[name].dtype))

    def _write(self, name: str, row: int, values: NDArray[np.generic]) -> None:
        column = self._columns[name]
        data = np.ascontiguousarray(values).reshape(-1).view(np.uint8).data
        with _clear_errors(self.path):
            self._handle.seek(column.offset + row * column.row_bytes)
            while data:  # an unbuffered write may take a part only
                data = data[self._handle.write(data) :]

    def _sync(self) -> None:
        with _clear_errors(self.path):
            os.fsync(self._handle.fileno())


def partial_path(folder: Path) -> Path:
    """Where an import writes until it is finished."""
    return folder / (FILE_NAME + PARTIAL)


def _columns_in(path: Path) -> dict[str, Column]:
    with h5py.File(path, "r", locking=False) as file:
        return columns_of(file)


def _encoded(texts: Iterable[str]) -> list[bytes]:
    return [text.encode("utf-8", "surrogateescape") for text in texts]


@contextlib.contextmanager
def _clear_errors(path: Path) -> Iterator[None]:
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
