"""Objects of foreign HDF5 files, found without following a link.

A link can lead to any file of the computer or, on Windows, to a share that then receives the
user's credentials. A soft link can lead to such a link. So paths are resolved component by
component, and hard links only are followed. Datasets whose values lie in other files do not count.
"""

from __future__ import annotations

import math
import zlib
from collections.abc import Iterator

import h5py

from studio.engine.errors import BadDataError

LARGEST_CHUNK = 2**28
"""Bytes of a chunk at most, unpacked."""

_HARMLESS = 2**26
_LARGEST_GROWTH = 1100
"""Times that gzip makes anything larger at most, and a little."""
_LARGEST_CHUNK_OF_LZF = 2**24
_PIECE = 2**20
_GZIP, _SHUFFLE, _CHECKSUM, _LZF = 1, 2, 3, 32000
_KEEP_SIZE = {_SHUFFLE, _CHECKSUM}
_BOUNDED = {_GZIP, _LZF}


def find(group: h5py.Group, path: str) -> h5py.Group | h5py.Dataset | None:
    """Find an object inside the file.

    Args:
        group: The group that a relative path begins at.
        path: Names of groups, separated by slashes; a leading slash means the root of the file.

    Returns:
        The object; None if there is none, if a link leads to it, or if its values are elsewhere.
    """
    found: object = group.file["/"] if path.startswith("/") else group
    for name in path.split("/"):
        if name in ("", "."):
            continue
        if not isinstance(found, h5py.Group) or not is_hard_link(found, name):
            return None
        found = found[name]
    if isinstance(found, h5py.Dataset):
        return found if is_stored_here(found) else None
    return found if isinstance(found, h5py.Group) else None


def find_dataset(group: h5py.Group, path: str) -> h5py.Dataset | None:
    """Find a dataset inside the file; see `find`.

    Args:
        group: Group to start from.
        path: Path below it, separated by slashes.
    """
    found = find(group, path)
    return found if isinstance(found, h5py.Dataset) else None


def find_group(group: h5py.Group, path: str) -> h5py.Group:
    """Find a group inside the file; see `find`.

    Args:
        group: Group to start from.
        path: Path below it, separated by slashes.

    Raises:
        KeyError: There is none, or a link leads to it.
    """
    found = find(group, path)
    if not isinstance(found, h5py.Group):
        raise KeyError(path)
    return found


def children(group: h5py.Group) -> Iterator[tuple[str, h5py.Group | h5py.Dataset]]:
    """List the names and objects of a group that lie inside the file."""
    for name in group:
        found = find(group, name)
        if found is not None:
            yield name, found


def is_hard_link(group: h5py.Group, name: str) -> bool:
    """Return True if a name of a group refers to an object in the same file.

    Args:
        group: The group.
        name: Name in the group.
    """
    try:
        return isinstance(group.get(name, getlink=True), h5py.HardLink)
    except TypeError:  # a kind of link that programs define themselves
        return False


def is_stored_here(dataset: h5py.Dataset) -> bool:
    """Return True if the values of a dataset are in its file, not in others."""
    return not (dataset.external or dataset.is_virtual)


def require_honest_size(dataset: h5py.Dataset) -> None:
    """Refuse a dataset that would take far more memory than the file stores for it.

    Raises:
        BadDataError: Its values are not stored, unpack to far more than stored, lie in chunks
            that are too large, or are packed by a filter whose memory has no bound.
        OSError: It cannot be read.
    """
    claimed = dataset.dtype.itemsize * math.prod(dataset.shape or ())
    stored = dataset.id.get_storage_size()
    if claimed > max(_HARMLESS, _LARGEST_GROWTH * stored):
        raise BadDataError(
            "it claims {claimed:,.0f} MB, but only {stored:,.1f} MB are stored",
            claimed=claimed / 2**20,
            stored=stored / 2**20,
        )
    if dataset.chunks is None:
        return
    chunk = dataset.dtype.itemsize * math.prod(dataset.chunks)
    if chunk > LARGEST_CHUNK:
        raise BadDataError(
            "it is stored in chunks of more than {limit} MB", limit=LARGEST_CHUNK // 2**20
        )
    layout = dataset.id.get_create_plist()
    filters = [layout.get_filter(at)[0] for at in range(layout.get_nfilters())]
    packers = [number for number in filters if number not in _KEEP_SIZE]
    if not set(packers) <= _BOUNDED or len(packers) > 1:
        raise BadDataError("its compression is not supported; use gzip")
    if packers == [_LZF] and chunk > _LARGEST_CHUNK_OF_LZF:
        raise BadDataError("its chunks are too large for LZF; use gzip")
    if packers == [_GZIP]:
        _require_small_chunks(dataset, chunk)


def _require_small_chunks(dataset: h5py.Dataset, size: int) -> None:
    """Decompress a chunk in pieces with a size limit, which HDF5 does not have."""
    limit = max(2 * LARGEST_CHUNK, 2 * size)
    suspects: list[tuple[int, ...]] = []

    def check(chunk: h5py.h5d.StoreInfo) -> None:
        if not chunk.filter_mask and _LARGEST_GROWTH * chunk.size > limit:
            suspects.append(chunk.chunk_offset)

    dataset.id.chunk_iter(check)
    for offset in suspects:
        _, data = dataset.id.read_direct_chunk(offset)
        unpacker, total = zlib.decompressobj(), 0
        while data and total <= limit and not unpacker.eof:
            try:
                total += len(unpacker.decompress(data, _PIECE))
            except zlib.error as error:
                raise BadDataError("a chunk of it is damaged") from error
            data = unpacker.unconsumed_tail
        if total > limit:
            raise BadDataError("a chunk of it unpacks to far more than its size")
