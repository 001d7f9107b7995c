"""Writes `images.h5` and the regions beside it row by row, so that a killed import continues."""

from __future__ import annotations

import contextlib
import errno
import io
import json
import os
import threading
from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Self

import h5py
import numpy as np
from numpy.typing import NDArray

from studio.engine import files
from studio.engine.arrays import Pixels
from studio.engine.datasets.encoding import decode
from studio.engine.datasets.origins.bursts import Capture
from studio.engine.datasets.picture_values import PixelFacts
from studio.engine.datasets.pixel_log import PixelLog, RowFacts
from studio.engine.datasets.recipe import DatasetRecipe
from studio.engine.datasets.regions import RegionFiles
from studio.engine.datasets.schema import (
    FILE_NAME,
    HASH_BYTES,
    StoredColumn,
    columns_of,
    grown,
    lay_out,
)
from studio.engine.datasets.splits import SPLIT_NAMES
from studio.engine.errors import BadDataError, DiskFullError
from studio.engine.messages import as_message, from_json, to_json
from studio.engine.pictures.info import Georeference
from studio.engine.tasks import TASKS
from studio.engine.tasks.annotations import Regions, Remark
from studio.engine.tasks.targets import TargetArray, Targets

TARGETS_NAME = "targets.npy"
REMARKS_NAME = "remarks.jsonl" + files.PARTIAL
"""Remarks of an unfinished import about its rows."""


def read_targets(
    folder: Path, kind: Targets, labels: NDArray[np.int32], outputs: int
) -> TargetArray:
    """Return the targets of all rows, shape (rows, outputs), read-only.

    Args:
        folder: Folder of the dataset.
        kind: Kind of targets of the task.
        labels: The column of classes of the dataset, which is the target where it has no others.
        outputs: Number of classes, labels or quantities.

    Raises:
        BadDataError: The file is missing, damaged or of another dataset.
    """
    values, shape = labels[:, None], (len(labels), 1)
    if kind.in_file:
        values, shape = _targets_in(folder), (len(labels), outputs)
    if values.shape != shape or values.dtype != kind.dtype:
        path = folder / TARGETS_NAME
        raise BadDataError(
            "{file} contains {dtype} of shape {shape}; the dataset has {expected_dtype} of "
            "shape {expected_shape}.",
            "Import the images again.",
            str(path),
            file=path,
            dtype=values.dtype,
            shape=values.shape,
            expected_dtype=kind.dtype,
            expected_shape=shape,
        )
    values.setflags(write=False)
    return values


def write_targets(folder: Path, kind: Targets, values: TargetArray) -> None:
    """Write the targets of all rows, unless the column of classes has them.

    Args:
        folder: Folder of the dataset.
        kind: Kind of targets of the task.
        values: Shape (rows, outputs).

    Raises:
        DiskFullError: No space was left.
    """
    if kind.in_file:
        files.write_array(folder / TARGETS_NAME, values)


def _targets_in(folder: Path) -> TargetArray:
    path = folder / TARGETS_NAME
    try:
        values: TargetArray = np.load(io.BytesIO(path.read_bytes()), allow_pickle=False)
    except (OSError, ValueError, EOFError) as error:
        reason = files.read_failure(error)
        raise BadDataError(
            "The targets of the dataset in {folder} cannot be read: {reason}.",
            "Import the images again.",
            str(path),
            folder=folder,
            reason=as_message(reason),
        ) from error
    return values


def class_counts(
    kind: Targets,
    values: TargetArray,
    split: NDArray[np.int8],
    outputs: int,
) -> dict[str, list[int]]:
    """Count the images of each split by class, label or quantity.

    Args:
        kind: Targets of the task.
        values: Targets of each row, shape (N, outputs).
        split: Split of each row, shape N.
        outputs: Number of classes, labels or quantities.
    """
    return {
        name: kind.counts(values[split == index], outputs)
        for index, name in enumerate(SPLIT_NAMES)
    }


# The open file of an import: its columns, written and read in place, with clear errors.


class ColumnFile:
    """A file whose columns are ranges of bytes; no HDF5 is involved once it is laid out.

    Attributes:
        path: The file.
        columns: The columns.
        handle: The file, unbuffered.
    """

    def __init__(self, path: Path, columns: dict[str, StoredColumn]) -> None:
        self.path = path
        self.columns = columns
        self._reading = threading.Lock()
        self.handle: io.FileIO = path.open("r+b", buffering=0)

    def write(self, name: str, row: int, values: NDArray[np.generic]) -> None:
        """Write consecutive values of a column.

        Args:
            name: Name of the column.
            row: First row.
            values: The values.

        Raises:
            DiskFullError: No space was left.
        """
        column = self.columns[name]
        data = np.ascontiguousarray(values).reshape(-1).view(np.uint8).data
        self.put(column.offset + row * column.row_bytes, data)

    def put(self, offset: int, data: memoryview) -> None:
        """Write bytes.

        Args:
            offset: Position of the first byte.
            data: The bytes.

        Raises:
            DiskFullError: No space was left.
        """
        with clear_errors(self.path):
            self.handle.seek(offset)
            while data:  # an unbuffered write may take a part only
                data = data[self.handle.write(data) :]

    def read(self, name: str, row: int, rows: int = 1) -> NDArray[np.uint8]:
        """Read consecutive rows of a column as flat bytes; thread-safe while nothing is written.

        Args:
            name: Name of the column.
            row: First row.
            rows: Number of rows.
        """
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


class _RegionFile:
    """The open file of the masks or boxes of an import.

    Attributes:
        rows: How they are stored.
        column: Where they lie in the file.
        file: The file.
    """

    def __init__(self, folder: Path, kind: RegionFiles, column: StoredColumn) -> None:
        self.rows = kind.rows
        self.column = column
        self.file = ColumnFile(folder / kind.file_name, {kind.rows.name: column})

    def write_row(self, row: int, regions: Regions) -> None:
        """Write the regions of an image.

        Args:
            row: Which.
            regions: Its mask, or its boxes without empty places.

        Raises:
            DiskFullError: No space was left.
        """
        stored = self.rows.row(regions, self.column.shape[1:])
        self.file.write(self.rows.name, row, stored)

    def read_row(self, row: int) -> Regions:
        """Read the regions of an image back, boxes without empty places."""
        stored = self.file.read(self.rows.name, row).view(self.rows.dtype)
        return self.rows.regions(stored.reshape(self.column.shape[1:]))

    def clear(self, rows: NDArray[np.int64]) -> None:
        """Write that images without a row in the dataset have no regions.

        Raises:
            DiskFullError: No space was left.
        """
        nothing = self.rows.nothing(self.column.shape[1:])
        if nothing.any():  # zeros are there already, and take no space
            for row in rows.tolist():
                self.file.write(self.rows.name, row, nothing)
            self.file.sync()


@contextlib.contextmanager
def clear_errors(path: Path) -> Iterator[None]:
    """Full disks, and disks that cannot hold a file of this size, as errors for the user."""
    with files.disk_full_is_clear(path):
        try:
            yield
        except OSError as error:
            if error.errno != errno.EFBIG:
                raise
            raise DiskFullError(
                "This disk cannot hold a file as large as {file} will be.",
                "Choose smaller images, or a workspace on another disk.",
                str(path),
                file=path.name,
            ) from error


# A kill loses at most this many rows of work. Smaller costs: each time waits for the disk.
ROWS_BETWEEN_FLUSHES = 1024
_TEXTS_AT_ONCE = 65536


class StoreWriter:
    """The rows of one import. Made by `create` or `resume`; `finish` makes it a dataset.

    Images are written through an ordinary file handle, never through a memory map: a full disk is
    then an error that can be shown, and not a bus error that ends the process. Raw pixels have
    their place at the column's offset; encoded images go one behind the other at the end of the
    file. A row counts as done only when its image, and its mask or boxes, are on the disk.

    Attributes:
        path: The partial file.
    """

    def __init__(
        self,
        path: Path,
        columns: dict[str, StoredColumn],
        recipe: DatasetRecipe,
        regions: tuple[RegionFiles, StoredColumn] | None = None,
    ) -> None:
        self.path = path
        self._file = ColumnFile(path, columns)
        self._regions: _RegionFile | None = None
        if regions is not None:
            self._regions = _RegionFile(path.parent, *regions)
        self._image_shape = recipe.height, recipe.width, recipe.channels
        self._pixel_type = recipe.pixel_format.dtype
        self._is_encoded = "bytes" in columns
        rows = columns["status"].shape[0]
        self._offsets = np.zeros((rows if self._is_encoded else 0, 2), np.int64)
        self._end = 0
        self._status = np.zeros(rows, np.uint8)
        self._hashes = np.zeros((rows, HASH_BYTES), np.uint8)
        self._waiting: list[int] = []
        self._remarks_path = path.with_name(REMARKS_NAME)
        self._remarks: dict[int, tuple[Remark, ...]] = {}
        self._new_remarks = b""
        self._pixel_log = PixelLog()

    @classmethod
    def create(
        cls,
        folder: Path,
        recipe: DatasetRecipe,
        paths: Sequence[str],
        classes: Sequence[str],
        fingerprint: str,
        max_boxes: int = 1,
    ) -> Self:
        """Create a partial file, replacing any other.

        Args:
            folder: The dataset's folder; must exist.
            recipe: The recipe, which determines the shape of a row.
            paths: One per row.
            classes: All class names; `finish` may drop some.
            fingerprint: Names the recipe and the files, for `resume`.
            max_boxes: Boxes of the image that has the most, where the task has boxes.

        Raises:
            DiskFullError: The whole dataset will not fit; no file stays open.
        """
        path, kind = partial_path(folder), RegionFiles.of(TASKS[recipe.task])
        files.remove(path)
        files.remove(folder / REMARKS_NAME)
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
            None if recipe.encoding == "raw" else 0,
            recipe.pixel_format.dtype,
        )
        regions_shape, regions_bytes = (0, 0, 0), 0
        if kind is not None:
            regions_shape = kind.shape(shape, max(1, max_boxes))
            regions_bytes = kind.size(regions_shape)
            files.remove(folder / kind.file_name)
        # The size of encoded images is unknown; the disk may turn out to be full later.
        files.require_space(folder, skeleton.size + regions_bytes, "The dataset")
        regions = None
        if kind is not None:
            regions_path = folder / kind.file_name
            with clear_errors(regions_path), regions_path.open("wb") as handle:
                handle.write(kind.header(regions_shape))
                handle.truncate(handle.tell() + regions_bytes)
            regions = kind, kind.column(regions_path, regions_shape)
        with clear_errors(path), path.open("wb") as handle:
            handle.truncate(skeleton.size)
            for offset, piece in skeleton.pieces:
                handle.seek(offset)
                handle.write(piece)
        with h5py.File(path, "r", locking=False) as file:
            writer = cls(path, columns_of(file), recipe, regions)
        with writer._closed_on_error():
            for name, column in texts.items():
                writer._write_texts(name, column)
        return writer

    @classmethod
    def resume(cls, folder: Path, fingerprint: str) -> Self | None:
        """Continue a partial file; None if there is none with this fingerprint.

        Args:
            folder: Folder of the dataset.
            fingerprint: Identifies recipe and images.
        """
        path = partial_path(folder)
        if not path.exists():
            return None
        try:
            with h5py.File(path, "r", locking=False) as file:
                if str(file.attrs.get("fingerprint", "")) != fingerprint:
                    return None
                columns = columns_of(file)
                status, hashes = file["status"][:], file["hash"][:]
                offsets = file["place"][:] if "place" in columns else None
                recipe = DatasetRecipe.model_validate_json(file.attrs["recipe"])
            kind, regions = RegionFiles.of(TASKS[recipe.task]), None
            if kind is not None:
                shape = kind.shape((len(status), recipe.height, recipe.width), 0)
                regions = kind, kind.column(folder / kind.file_name, shape)
        except (OSError, ValueError, RuntimeError):
            return None  # killed during setup, or not ours: it is created again
        size = path.stat().st_size
        if max(column.end for column in columns.values()) > size:
            return None
        writer = cls(path, columns, recipe, regions)
        with writer._closed_on_error():
            return writer if writer._takes_up(status, hashes, offsets, size) else None

    @property
    def done(self) -> NDArray[np.bool_]:
        """True for each row that is written, shape (N,)."""
        written: NDArray[np.bool_] = self._status == 1
        return written

    @property
    def remarks(self) -> dict[int, tuple[Remark, ...]]:
        """Remarks about the annotations of rows that are done, by row."""
        return {row: self._remarks[row] for row in sorted(self._remarks) if self._status[row]}

    def pixel_facts(self, row: int) -> PixelFacts | None:
        """Return the number format that the image of a row has in its source, if it is known."""
        return self._pixel_log.formats.get(row)

    def capture(self, row: int) -> Capture | None:
        """Return when and with which camera the image of a row was taken, if it is known."""
        return self._pixel_log.captures.get(row)

    @property
    def positions(self) -> dict[int, Georeference]:
        """Positions of the images of rows on the earth, of those that are known."""
        return self._pixel_log.positions

    @property
    def missing_bytes(self) -> int:
        """Bytes that are still to be written, without those of encoded images."""
        row_bytes = 0 if self._is_encoded else self._file.columns["images"].row_bytes
        if self._regions is not None:
            row_bytes += self._regions.column.row_bytes
        return int((~self.done).sum()) * row_bytes

    def pixels(self, row: int) -> Pixels:
        """Read a row that is done back, H x W x C. Several threads may, while none writes.

        Raises:
            BadDataError: Its bytes were damaged on the disk.
        """
        if not self._is_encoded:
            flat: Pixels = self._file.read("images", row).view(self._pixel_type)
            return flat.reshape(self._image_shape)
        start, length = self._offsets[row].tolist()
        try:
            data = self._file.read("bytes", start, length)
            return decode(data, self._image_shape, self._pixel_type)
        except BadDataError as error:
            raise BadDataError(
                "The partial import is damaged in row {row}: {reason}.",
                "Delete this import and start it again.",
                str(self.path),
                row=row,
                reason=error.message,
            ) from error

    def regions(self, row: int) -> Regions:
        """Read the mask or the boxes of a row that is done back; as `pixels`."""
        return self._required_regions.read_row(row)

    @property
    def _required_regions(self) -> _RegionFile:
        if self._regions is None:
            raise ValueError("the images of this dataset have neither masks nor boxes")
        return self._regions

    def write(
        self,
        row: int,
        stored: Pixels,
        digest: bytes,
        regions: Regions | None = None,
        remarks: Sequence[Remark] = (),
        facts: RowFacts | None = None,
    ) -> None:
        """Write one image and the hash of its source's encoded bytes.

        Args:
            row: Which; none is written twice.
            stored: Result of `encoding.encode`: H x W x C, or encoded bytes.
            digest: The hash.
            regions: Mask or boxes of the image, where the task has them.
            remarks: What is left out of its annotation, or changed.
            facts: Facts about the image in its source.

        Raises:
            DiskFullError: No space was left; what was done before stays done.
        """
        shape = (max(1, stored.size),) if self._is_encoded else self._image_shape
        dtype = "uint8" if self._is_encoded else self._pixel_type
        if stored.shape != shape or stored.dtype != dtype:
            raise ValueError(f"a row is {dtype} {shape}, not {stored.dtype} {stored.shape}")
        if regions is not None:
            self._required_regions.write_row(row, regions)
        elif self._regions is not None:
            raise ValueError(f"every image needs its {self._regions.rows.name}")
        if self._is_encoded:
            self._file.write("bytes", self._end, stored)
            self._offsets[row] = self._end, stored.size
            self._end += stored.size
        else:
            self._file.write("images", row, stored)
        self._hashes[row] = np.frombuffer(digest, np.uint8)
        if remarks:
            self._remarks[row] = tuple(remarks)
            reasons = [[to_json(each.reason), each.objects] for each in remarks]
            line = json.dumps([row, reasons]) + "\n"
            self._new_remarks += line.encode()
        if facts is not None:
            self._pixel_log.add(row, facts)
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
        first, last = min(self._waiting), max(self._waiting) + 1
        self._file.write("hash", first, self._hashes[first:last])
        if self._is_encoded:
            self._file.write("place", first, self._offsets[first:last].astype("<i8"))
        self._file.sync()
        if self._regions is not None:
            self._regions.file.sync()
        if lines := self._new_remarks + self._pixel_log.new_lines():
            path = self._remarks_path
            with clear_errors(path), path.open("ab") as file:
                file.write(lines)
                file.flush()
                os.fsync(file.fileno())
            self._new_remarks = b""
        self._status[self._waiting] = 1
        self._file.write("status", first, self._status[first:last])
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
        if self._regions is not None:
            self._regions.clear(np.flatnonzero(~self.done))
        self._file.write("labels", 0, labels.astype("<i4"))
        self._file.write("split", 0, split.astype(np.int8))
        unused = self._file.columns["classes"].shape[0] - len(classes)
        self._write_texts("classes", [*_encoded(classes), *[b""] * unused])
        if self._is_encoded:
            self._declare_bytes()
        self._file.sync()
        self._close()
        files.move(self.path, self.path.with_name(FILE_NAME))
        files.remove(self._remarks_path)

    def discard(self) -> None:
        """Close and delete the partial file."""
        self._close()
        files.remove(self.path)
        files.remove(self._remarks_path)
        if self._regions is not None:
            files.remove(self._regions.file.path)

    def _close(self) -> None:
        self._file.handle.close()
        if self._regions is not None:
            self._regions.file.handle.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_error: object) -> None:
        """Close. Keep the written data for `resume`, unless `finish` or `discard` was called."""
        if self._file.handle.closed:
            return
        # The first error is the one to show: on a full disk the flush would fail again.
        with contextlib.suppress(OSError, DiskFullError):
            self.flush()
        self._close()

    def _takes_up(
        self,
        status: NDArray[np.uint8],
        hashes: NDArray[np.uint8],
        indices: NDArray[np.int64] | None,
        size: int,
    ) -> bool:
        """Continue from the state in a file; closed, and False, where it is shorter than that."""
        self._status[:] = status
        self._hashes[:] = hashes
        self._take_up_notes()
        if indices is not None:
            # What a kill left of rows that were not done yet is written over.
            self._offsets[self.done] = indices[self.done]
            self._end = int(self._offsets.sum(axis=1).max(initial=0))
            if self._file.columns["bytes"].offset + self._end > size:
                self._close()
                return False
        files.require_space(self.path.parent, self.missing_bytes, "The rest of the dataset")
        return True

    def _take_up_notes(self) -> None:
        """Read the notes of an earlier attempt, and remove an incomplete last line.

        Rows that it did not finish are decoded again, with the same notes.
        """
        path = self._remarks_path
        if not path.exists():
            return
        whole = path.read_bytes()
        whole = whole[: whole.rfind(b"\n") + 1]
        os.truncate(path, len(whole))  # the next line would be appended to its rest
        for line in map(json.loads, whole.splitlines()):
            if isinstance(line, dict):
                self._pixel_log.restore(line)
                continue
            row, facts = line
            self._remarks[row] = tuple(
                Remark(from_json(reason), objects) for reason, objects in facts
            )

    @contextlib.contextmanager
    def _closed_on_error(self) -> Iterator[None]:
        """Until the caller has it and closes it itself."""
        try:
            yield
        except BaseException:
            self._close()
            raise

    def _declare_bytes(self) -> None:
        """Truncate the file after the last image and store the number of bytes in HDF5."""
        self._file.write("place", 0, self._offsets.astype("<i8"))
        with h5py.File(self.path, "r", locking=False) as file:
            size, pieces = grown(file, self._end)
        self._file.cut(size)
        for offset, piece in pieces:
            self._file.put(offset, memoryview(piece))

    def _write_texts(self, name: str, texts: list[bytes]) -> None:
        for start in range(0, len(texts), _TEXTS_AT_ONCE):
            part = texts[start : start + _TEXTS_AT_ONCE]
            self._file.write(name, start, np.array(part, dtype=self._file.columns[name].dtype))


def partial_path(folder: Path) -> Path:
    """Return the path that an import writes to until it is finished."""
    return folder / (FILE_NAME + files.PARTIAL)


def _encoded(texts: Iterable[str]) -> list[bytes]:
    return [text.encode("utf-8", "surrogateescape") for text in texts]
