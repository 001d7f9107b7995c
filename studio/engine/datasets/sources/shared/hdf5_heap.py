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

from studio.engine.errors import BadDataError

_TEXT = struct.Struct("<IQI")
"""How an array names a text: its length, the address of its heap, its number in there."""
_HEAP = struct.Struct("<4sB3xQ")
_OBJECT = struct.Struct("<HHIQ")
_LARGEST_HEAP = 2**26
_BEGIN = b"GCOL\1\0\0\0"
_ALIGNED = 8
_MOST_VALUES = 2**20


def require_sound_texts(path: Path, dataset: h5py.Dataset) -> None:
    """Refuse an array of texts whose heaps are damaged; packed ones cannot be looked at.

    Raises:
        BadDataError: They are; the message is a short reason.
        OSError: The file cannot be read.
    """
    with path.open("rb") as file:
        size = path.stat().st_size
        heaps = {
            address
            for offset, length in _places(dataset)
            for address in _addresses(file, offset, length)
        }
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
    if low.get_create_plist().get_nfilters():
        return
    for number in range(low.get_num_chunks()):
        chunk = low.get_chunk_info(number)
        yield chunk.byte_offset, chunk.size


def _addresses(file: BinaryIO, offset: int, length: int) -> Iterator[int]:
    file.seek(offset)
    data = file.read(length)
    for _, address, _ in _TEXT.iter_unpack(data[: len(data) // _TEXT.size * _TEXT.size]):
        yield address


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
