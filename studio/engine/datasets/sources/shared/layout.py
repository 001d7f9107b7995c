"""What paths inside an archive say: the class and the split of each image."""

from __future__ import annotations

from collections.abc import Sequence

from studio.engine.datasets.sources.shared.names import split_of

Place = tuple[str | None, str | None]


def arrange(keys: Sequence[str]) -> list[Place]:
    """Class and split of each image, from the folders that it lies in.

    A folder that wraps everything is left out of account, as often as there is one. Where the
    outermost folders then are called train, val and test, they are the splits. The next folder
    is the class, however deep the image lies in it.

    Args:
        keys: Paths with forward slashes, folders and file.

    Returns:
        Class and split; the class is None for an image without a folder that says it.
    """
    folders = [key.split("/")[:-1] for key in keys]
    depth = _wrapping(folders)
    has_splits = _are_splits(folders, depth)
    return [_place(parts[depth:], has_splits=has_splits) for parts in folders]


def _wrapping(folders: list[list[str]]) -> int:
    """How many folders everything lies in, without those that must be classes.

    An image that is loose beside the folder that wraps the others has no class either way.
    """
    for depth in range(max(map(len, folders), default=0)):
        names = {parts[depth] for parts in folders if len(parts) > depth}
        if len(names) > 1:
            return depth
    return 0


def _are_splits(folders: list[list[str]], depth: int) -> bool:
    outer = {parts[depth] for parts in folders if len(parts) > depth}
    splits = {split_of(name) for name in outer}
    train = [
        parts for parts in folders if len(parts) > depth and split_of(parts[depth]) == "train"
    ]
    named = None not in splits and len(splits) >= 2 and bool(train)
    return named and all(len(parts) > depth + 1 for parts in train)


def _place(parts: list[str], *, has_splits: bool) -> Place:
    if not has_splits:
        return (parts[0] if parts else None), None
    split = split_of(parts[0]) if parts else None
    return (parts[1] if len(parts) > 1 else None), split
