"""Classification of file and folder names: images, splits, hidden files."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path, PurePosixPath

from studio.engine.datasets.sources import base
from studio.engine.datasets.sources.base import IMAGE_SUFFIXES, safe_text
from studio.engine.errors import StudioError
from studio.engine.files import natural_key
from studio.engine.messages import message
from studio.engine.tasks.annotations import split_of
from studio.engine.web.address import address_of

ClassAndSplit = tuple[str | None, str | None]


def arrange(keys: Sequence[str]) -> list[ClassAndSplit]:
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
    return [_class_and_split(parts[depth:], has_splits=has_splits) for parts in folders]


def take_found(
    path: Path, scan: base.Scan, found: Sequence[base.Item], options: base.SourceOptions
) -> None:
    """Add images to a scan, by class and split derived from their keys.

    Args:
        path: The source.
        scan: Receives the images.
        found: The images.
        options: The required number of classes.

    Raises:
        StudioError: There are too few classes.
    """
    indices = arrange([item.key for item in found])
    for item, (class_name, split) in zip(found, indices, strict=True):
        if class_name is None:
            scan.problems.append(base.Skipped(item.key, "it is not in a class folder"))
        else:
            scan.items.append(replace(item, class_name=class_name, split=split))
    scan.items.sort(key=lambda item: (natural_key(item.class_name), natural_key(item.key)))
    if found and not scan.items:
        raise StudioError(
            message(
                "{source} contains {count} images, but no class folders.",
                source=address_of(path) or path,
                count=len(found),
            ),
            "Put the images of each class into a separate folder.",
            "source",
        )
    base.complete_scan(path, scan, options, known_images())


def _wrapping(folders: list[list[str]]) -> int:
    """Count the folders around everything, without those that must be classes.

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


def _class_and_split(parts: list[str], *, has_splits: bool) -> ClassAndSplit:
    if not has_splits:
        return (parts[0] if parts else None), None
    split = split_of(parts[0]) if parts else None
    return (parts[1] if len(parts) > 1 else None), split


_JUNK = frozenset({"__macosx", "thumbs.db", "desktop.ini", "$recycle.bin"})


def is_hidden(name: str) -> bool:
    """Return True for hidden and system files and folders."""
    return name.startswith(".") or name.casefold() in _JUNK


def looks_like_image(name: str) -> bool:
    """Return True if a file has the name of an image."""
    return PurePosixPath(name).suffix.casefold() in IMAGE_SUFFIXES


def not_an_image(name: str) -> str:
    """Why a file is left out whose name is not that of an image."""
    suffix = safe_text(PurePosixPath(name).suffix)
    return (
        message('unsupported image format: "{suffix}"', suffix=suffix)
        if suffix
        else "not an image"
    )


def known_images() -> str:
    """Return a hint that lists the suffixes of images."""
    return message(
        "Images are files that end in {suffixes}.", suffixes=", ".join(sorted(IMAGE_SUFFIXES))
    )
