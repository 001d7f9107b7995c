"""What the names of files and folders say: an image, a split, something nobody means."""

from __future__ import annotations

from pathlib import PurePosixPath

from studio.engine.datasets.sources.base import IMAGE_SUFFIXES, safe_text

_JUNK = frozenset({"__macosx", "thumbs.db", "desktop.ini", "$recycle.bin"})
_SPLITS = {
    "train": "train",
    "training": "train",
    "val": "val",
    "valid": "val",
    "validation": "val",
    "dev": "val",
    "test": "test",
    "testing": "test",
}


def split_of(word: str) -> str | None:
    """The split that a folder, an array or a cell names, or None."""
    return _SPLITS.get(word.strip().casefold())


def is_hidden(name: str) -> bool:
    """Whether a file or folder is none that a person put there."""
    return name.startswith(".") or name.casefold() in _JUNK


def looks_like_image(name: str) -> bool:
    """Whether a file is called as an image is."""
    return PurePosixPath(name).suffix.casefold() in IMAGE_SUFFIXES


def not_an_image(name: str) -> str:
    """Why a file is left out whose name is not that of an image."""
    suffix = safe_text(PurePosixPath(name).suffix)
    return f'not a known image format: "{suffix}"' if suffix else "not an image"


def known_images() -> str:
    """A hint that lists the suffixes of images."""
    return f"Images are files that end in {', '.join(sorted(IMAGE_SUFFIXES))}."
