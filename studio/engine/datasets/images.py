"""The pixels of a dataset as something that is read like an array, raw or encoded.

The file is opened for each read: between two reads nothing keeps it open, so that a dataset that
the window or the engine host shows can be deleted on Windows, too.
"""

from __future__ import annotations

import contextlib
import operator
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, Generic, Protocol, SupportsIndex, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

from studio.engine.arrays import BytePixels, Pixels
from studio.engine.datasets.encoding import decode
from studio.engine.datasets.schema import StoredColumn
from studio.engine.errors import BadDataError
from studio.engine.files import read_failure
from studio.engine.pixel_format import PixelType

Rows = SupportsIndex | slice | Sequence[int] | NDArray[np.integer[Any]] | NDArray[np.bool_]

Value = TypeVar("Value", bound=np.generic)

# Images that a thread takes at a time.
_SHARE = 8
# Below this many values, decoding is mostly Python, and threads only wait for each other.
_LEAST_VALUES = 64 * 64


class Images(Protocol):
    """All rows of a dataset, N x H x W x C: `images[row]`, `images[3:9]`, `images[rows]`.

    `RawImages` reads pixels, `EncodedImages` decodes.
    """

    def stays_mapped(self) -> contextlib.AbstractContextManager[None]:
        """Keep the file mapped in the block, see `MappedColumn`."""

    @property
    def shape(self) -> tuple[int, ...]:
        """N, H, W, C."""

    @property
    def ndim(self) -> int:
        """4."""

    @property
    def dtype(self) -> np.dtype[Any]:
        """uint8, uint16 or float32."""

    def __len__(self) -> int: ...

    def __getitem__(self, rows: Rows, /) -> NDArray[Any]: ...

    def __array__(self) -> NDArray[Any]: ...


class MappedColumn:
    """A column of a file that is mapped into memory for each read, or for a while.

    Args:
        path: The file.
        column: The range of bytes in it, with its shape and type.
    """

    def __init__(self, path: Path, column: StoredColumn) -> None:
        self._path = path
        self._column = column
        self._mapped: NDArray[Any] | None = None

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of the column."""
        return self._column.shape

    @property
    def dtype(self) -> np.dtype[Any]:
        """Type of a value."""
        return self._column.dtype

    def values(self) -> NDArray[Any]:
        """Return the column; the file is open until the last view of it is dropped.

        Raises:
            BadDataError: The file is gone or cannot be read.
        """
        return self._map() if (mapped := self._mapped) is None else mapped

    @contextlib.contextmanager
    def stays_mapped(self) -> Iterator[None]:
        """Keep the file mapped in the block: small random reads are five to ten times faster.

        Raises:
            BadDataError: The file is gone or cannot be read.
        """
        self._mapped = self._map()
        try:
            yield
        finally:
            self._mapped = None

    def _map(self) -> NDArray[Any]:
        column = self._column
        try:
            values = np.memmap(
                self._path, column.dtype, "r", offset=column.offset, shape=column.shape
            )
        except FileNotFoundError as error:
            raise BadDataError(
                "The dataset was deleted.", "Restore it from the trash.", str(self._path)
            ) from error
        except (OSError, ValueError) as error:
            raise BadDataError(
                "The file {file} cannot be read: {reason}.",
                "Check its disk, or import the images again.",
                str(self._path),
                file=self._path.name,
                reason=read_failure(error),
            ) from error
        return values.view(np.ndarray)  # slices of a memmap cost ten times more


class RawRows(Generic[Value]):
    """Pixels, masks or boxes that are copied out of the file.

    Safe to read from several threads.

    Args:
        column: The column, N x H x W x C for pixels.
    """

    def __init__(self, column: MappedColumn) -> None:
        self._column = column
        self._edited: dict[int, NDArray[Value]] = {}

    def with_rows(self, edited: Mapping[int, NDArray[Value]]) -> RawRows[Value]:
        """Return the same with other values of some rows; the file stays as it is.

        Args:
            edited: The values by their rows.
        """
        other = RawRows[Value](self._column)
        other._edited = self._edited | dict(edited)
        return other

    def stays_mapped(self) -> contextlib.AbstractContextManager[None]:
        """Keep the file mapped in the block, see `MappedColumn`."""
        return self._column.stays_mapped()

    @property
    def shape(self) -> tuple[int, ...]:
        """N, and the shape of a row: H, W, C for pixels."""
        return self._column.shape

    @property
    def ndim(self) -> int:
        """4 for pixels in an intact file, 3 for masks and boxes."""
        return len(self.shape)

    @property
    def dtype(self) -> np.dtype[Value]:
        """Type of a value: that of the pixels, uint8 for masks, float32 for boxes."""
        return self._column.dtype

    def __len__(self) -> int:
        return self.shape[0]

    def __getitem__(self, rows: Rows, /) -> NDArray[Value]:
        """Read what belongs to a row, a slice, an array of rows or a mask of rows.

        Returns:
            A new array.

        Raises:
            BadDataError: The file is gone.
            IndexError: There is no such row.
        """
        found: NDArray[Value] = self._column.values()[rows]
        found = found if found.base is None else found.copy()
        if self._edited:
            self._put_edited(found, np.arange(len(self))[rows])
        return found

    def _put_edited(self, found: NDArray[Value], rows: NDArray[np.int64]) -> None:
        """Put the values of edited rows in place of those of the file.

        Args:
            found: Values of the file, shape (…, *row).
            rows: Their rows, shape (…).
        """
        for index in np.argwhere(np.isin(rows, list(self._edited))).tolist():
            found[tuple(index)] = self._edited[int(rows[tuple(index)])]

    def __array__(self, dtype: Any = None, *, copy: bool | None = None) -> NDArray[Value]:  # noqa: ANN401 - as NumPy says it
        """Return all rows at once; NumPy asks for it."""
        if copy is False:
            raise ValueError("rows are always copied out of their file")
        return self[:] if dtype is None else self[:].astype(dtype)


RawImages: TypeAlias = RawRows[Any]
"""Pixels."""


class EncodedImages:
    """Images that are decoded when requested, without a cache.

    Safe to read from several threads. A hole (see `schema`) is black, as it is in raw pixels.

    Args:
        data: The column of all encoded bytes.
        offsets: First byte and length of each row, shape (N, 2).
        shape: Height, width and channels of every image.
        named: Gives the name of a row, for the message when its bytes are damaged.
        dtype: NumPy's name of the type of a value.
    """

    def __init__(
        self,
        data: MappedColumn,
        offsets: NDArray[np.int64],
        shape: tuple[int, int, int],
        named: Callable[[int], str],
        dtype: PixelType = "uint8",
    ) -> None:
        self._data = data
        self._offsets = offsets
        self._shape = shape
        self._named = named
        self._dtype: PixelType = dtype
        # Starts no thread before it is needed, and ends them when the images are dropped.
        self._threads = os.cpu_count() or 1
        self._pool = ThreadPoolExecutor(self._threads, "images")

    def stays_mapped(self) -> contextlib.AbstractContextManager[None]:
        """Keep the file mapped in the block, see `MappedColumn`."""
        return self._data.stays_mapped()

    @property
    def shape(self) -> tuple[int, ...]:
        """N, H, W, C."""
        return (len(self), *self._shape)

    @property
    def ndim(self) -> int:
        """4."""
        return 4

    @property
    def dtype(self) -> np.dtype[Any]:
        """Type of a value."""
        return np.dtype(self._dtype)

    def __len__(self) -> int:
        return len(self._offsets)

    def __getitem__(self, rows: Rows, /) -> Pixels:
        """Decode the images of a row, of a slice, of an array of rows or of a mask.

        Returns:
            A new array, of the shape that the same index gives on raw pixels.

        Raises:
            BadDataError: The bytes of an image are damaged; names it.
            IndexError: There is no such row.
        """
        if isinstance(rows, slice):
            return self._gathered(np.arange(*rows.indices(len(self)), dtype=np.int64))
        if isinstance(rows, SupportsIndex) and not isinstance(rows, np.ndarray):
            row = int(self._checked(np.array([operator.index(rows)]))[0])
            return self._decoded(row, self._data.values())
        requested = np.asarray(rows)
        if requested.dtype == np.bool_:
            if requested.shape != (len(self),):
                raise IndexError(f"a mask has a value per row, {len(self)}, not {requested.shape}")
            return self._gathered(np.flatnonzero(requested))
        if requested.size and not np.issubdtype(requested.dtype, np.integer):
            raise IndexError(f"rows are whole numbers, not {requested.dtype}")
        found = self._gathered(self._checked(requested.astype(np.int64).ravel()))
        return found.reshape(*requested.shape, *self._shape)

    def __array__(self, dtype: Any = None, *, copy: bool | None = None) -> Pixels:  # noqa: ANN401 - as NumPy says it
        """Return all images at once; NumPy asks for it."""
        if copy is False:
            raise ValueError("encoded images are always decoded into a new array")
        return self[:] if dtype is None else self[:].astype(dtype)

    def check(self, used: NDArray[np.bool_]) -> None:
        """Compare the places of the images with the bytes that are there.

        Args:
            used: True for rows that are not holes, shape (N,).

        Raises:
            ValueError: An image that is used has no bytes, or lies outside of them.
        """
        start, length = self._offsets[:, 0], self._offsets[:, 1]
        total = self._data.shape[0]
        inside = (start >= 0) & (length >= 0) & (start <= total) & (length <= total - start)
        if not inside.all() or not length[used].all():
            raise ValueError("an image lies outside of the file")

    def _checked(self, rows: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the rows from 0, counted from the end where they were negative."""
        size = len(self)
        if rows.size and (rows.min() < -size or rows.max() >= size):
            raise IndexError(
                f"the rows are 0 to {size - 1}; received {rows.min()} to {rows.max()}"
            )
        return np.where(rows < 0, rows + size, rows)

    def _gathered(self, rows: NDArray[np.int64]) -> Pixels:
        images: Pixels = np.empty((len(rows), *self._shape), self.dtype)
        data = self._data.values()

        def fill(start: int, end: int) -> None:
            for at in range(start, end):
                images[at] = self._decoded(int(rows[at]), data)

        if len(rows) <= _SHARE or self._threads == 1 or np.prod(self._shape) < _LEAST_VALUES:
            fill(0, len(rows))
            return images
        starts = range(0, len(rows), _SHARE)
        ends = [min(start + _SHARE, len(rows)) for start in starts]
        for _ in self._pool.map(fill, starts, ends):
            pass  # an error of a thread is raised here
        return images

    def _decoded(self, row: int, data: BytePixels) -> Pixels:
        start, length = self._offsets[row].tolist()
        if not length:
            return np.zeros(self._shape, self.dtype)
        try:
            return decode(data[start : start + length], self._shape, self._dtype)
        except BadDataError as error:
            raise BadDataError(
                "The image {image} in row {row} of the dataset is damaged: {reason}.",
                "Import the images again, or exclude this one from the dataset.",
                self._named(row),
                image=self._named(row),
                row=row,
                reason=error.message,
            ) from error
