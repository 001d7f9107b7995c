"""Objects of foreign HDF5 files, found without following a link.

A link can lead to any file of the computer or, on Windows, to a share that then receives the
user's credentials. A soft link can lead to such a link. So paths are resolved component by
component, and hard links only are followed. Datasets whose values lie in other files do not count.
"""

from __future__ import annotations

from collections.abc import Iterator

import h5py


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
        if not isinstance(found, h5py.Group) or not _is_hard(found, name):
            return None
        found = found[name]
    if isinstance(found, h5py.Dataset):
        return None if found.external or found.is_virtual else found
    return found if isinstance(found, h5py.Group) else None


def find_dataset(group: h5py.Group, path: str) -> h5py.Dataset | None:
    """Find a dataset inside the file; see `find`."""
    found = find(group, path)
    return found if isinstance(found, h5py.Dataset) else None


def children(group: h5py.Group) -> Iterator[tuple[str, h5py.Group | h5py.Dataset]]:
    """List the names and objects of a group that lie inside the file."""
    for name in group:
        found = find(group, name)
        if found is not None:
            yield name, found


def _is_hard(group: h5py.Group, name: str) -> bool:
    try:
        return isinstance(group.get(name, getlink=True), h5py.HardLink)
    except TypeError:  # a kind of link that programs define themselves
        return False
