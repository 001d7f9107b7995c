"""Looks at the texts of a foreign HDF5 file before its library does.

Texts of any length lie in heaps beside the array. Of a damaged heap, the library in C reads the
same object for ever, and nothing in Python, the window included, goes on meanwhile. (HDF5 File
Format Specification 3.0, III.E "Global Heap".)
"""

from __future__ import annotations

import math
import mmap
import struct
from collections.abc import Iterator
from pathlib import Path
from typing import Any, BinaryIO

import h5py
import numpy as np
from numpy.typing import NDArray

from studio.engine.errors import BadDataError

_TEXT = struct.Struct("<IQI")
"""How an array names a text: its length, the address of its heap, its number in there."""
_HEAP = struct.Struct("<4sB3xQ")
_OBJECT = struct.Struct("<HHIQ")
_LARGEST_HEAP = 2**26
_BEGIN = b"GCOL\1\0\0\0"
_ALIGNED = 8
_MOST_VALUES = 2**20
_MOST_BYTES = 2**27


def texts_of(path: Path, dataset: h5py.Dataset) -> NDArray[Any]:
    """Read an array of texts, after a look at their heaps.

    Raises:
        BadDataError: They are damaged, or far longer than labels are; a short reason.
        OSError: The file cannot be read.
    """
    if dataset.chunks is not None and dataset.id.get_create_plist().get_nfilters():
        return _one_by_one(dataset)
    _require_sound_texts(path, dataset)
    texts: NDArray[Any] = dataset[:]
    return texts


def _one_by_one(dataset: h5py.Dataset) -> NDArray[Any]:
    """Read packed texts, whose heaps cannot be looked at: a short file may name one text often."""
    texts = np.empty(len(dataset), object)
    length = 0
    for row in range(len(dataset)):
        value = dataset[row]
        length += len(value) if isinstance(value, bytes | str) else 0
        if length > _MOST_BYTES:
            raise BadDataError("its texts are too long")
        texts[row] = value
    return texts


def _require_sound_texts(path: Path, dataset: h5py.Dataset) -> None:
    with path.open("rb") as file:
        size, total = path.stat().st_size, 0
        heaps = {0}
        for offset, stored in _places(dataset):
            for length, address in _references(file, offset, stored):
                heaps.add(address)
                total += length
                if total > _MOST_BYTES:
                    raise BadDataError("its texts are too long", where=str(path))
        for address in heaps - {0}:
            if not _is_sound(file, address, size):
                raise BadDataError("its texts are damaged", where=str(path))


def has_sound_heaps(path: Path) -> bool:
    """Whether all heaps of a file are whole, also those that texts of attributes are in.

    Where these lie, h5py does not tell, so all bytes are looked through; that other bytes pass for
    a heap is less likely than once in a billion files of a gigabyte.

    Raises:
        OSError: The file cannot be read.
    """
    size = path.stat().st_size
    if not size:
        return True
    with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
        address = data.find(_BEGIN)
        while address >= 0:
            if address % _ALIGNED == 0 and not _is_sound(file, address, size):
                return False
            address = data.find(_BEGIN, address + 1)
    return True


def attribute(holder: h5py.Group, name: str) -> Any:  # noqa: ANN401 - whatever type the file has
    """The value of an attribute.

    Raises:
        KeyError: There is none of that name.
        ValueError: It claims more values than anybody wrote; the library would look for all.
        OSError: It cannot be read.
    """
    if math.prod(holder.attrs.get_id(name).shape or ()) > _MOST_VALUES:
        raise ValueError(f"the attribute {name} is damaged")
    return holder.attrs[name]


def _places(dataset: h5py.Dataset) -> Iterator[tuple[int, int]]:
    """Where the names of the texts lie in the file, and how many bytes they are."""
    low = dataset.id
    if dataset.chunks is None:
        offset = low.get_offset()
        if offset is not None:
            yield offset, math.prod(dataset.shape) * _TEXT.size
        return
    for number in range(low.get_num_chunks()):
        chunk = low.get_chunk_info(number)
        yield chunk.byte_offset, chunk.size


def _references(file: BinaryIO, offset: int, length: int) -> Iterator[tuple[int, int]]:
    """Length of each text, and the address of its heap."""
    file.seek(offset)
    data = file.read(length)
    for size, address, _ in _TEXT.iter_unpack(data[: len(data) // _TEXT.size * _TEXT.size]):
        yield size, address


def _is_sound(file: BinaryIO, address: int, size: int) -> bool:
    """Whether every object of a heap leads to the next, and the last to its end."""
    if address + _HEAP.size > size:
        return False
    file.seek(address)
    signature, version, length = _HEAP.unpack(file.read(_HEAP.size))
    fits = _HEAP.size <= length <= min(size - address, _LARGEST_HEAP)
    if signature != b"GCOL" or version != 1 or not fits:
        return False
    file.seek(address)
    heap, place = file.read(length), _HEAP.size
    while place + _OBJECT.size <= len(heap):
        number, _, _, of = _OBJECT.unpack_from(heap, place)
        # Number 0 is what is left over, its header included; the others begin at eight bytes.
        step = of if number == 0 else _OBJECT.size + (of + 7) // 8 * 8
        if step < _OBJECT.size or place + step > len(heap):
            return False
        place += step
    return True
