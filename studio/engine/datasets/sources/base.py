"""What every source of images offers, and what it finds."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO, Protocol

from studio.engine.progress import Progress

IMAGE_SUFFIXES = frozenset(
    {".png", ".jpg", ".jpeg", ".bmp", ".gif", ".tif", ".tiff", ".webp", ".ppm", ".pgm"}
)


@dataclass(frozen=True, slots=True)
class Item:
    """One image that a source found and nobody has opened yet.

    Attributes:
        key: What names the image inside its source, with forward slashes: `"cat/a 1.png"`.
        class_name: The class, exactly as the source writes it.
        split: `"train"`, `"val"` or `"test"` where the source decides it, otherwise None.
        size: Bytes, where cheaply known; -1 otherwise.
        modified_ns: Time of the last change, where known. With `size` it tells a continued import
            that the file is still the one it was.
    """

    key: str
    class_name: str
    split: str | None
    size: int = -1
    modified_ns: int = 0


@dataclass(frozen=True, slots=True)
class Skipped:
    """One file that is left out, and why. Both texts can be shown and written as JSON.

    Attributes:
        path: The file, relative to its source.
        reason: A few words, for example `"the file is empty"`.
    """

    path: str
    reason: str


@dataclass(slots=True)
class Scan:
    """Everything that a source found.

    Attributes:
        items: The images, in an order that depends on names alone, classes together.
        problems: What looked like an image and is none, and folders that cannot be read.
    """

    items: list[Item] = field(default_factory=list)
    problems: list[Skipped] = field(default_factory=list)

    def classes(self) -> list[str]:
        """Names of the classes, sorted as a person would."""
        return sorted({item.class_name for item in self.items}, key=natural_key)


class Source(Protocol):
    """An input format. Has no state: one object serves every import."""

    @property
    def name(self) -> str:
        """Stable name, lower case."""

    @property
    def label(self) -> str:
        """Name as shown to a person."""

    def accepts(self, path: Path) -> bool:
        """Whether this source is meant for `path`; looks only, reads nothing large."""

    def scan(self, path: Path, progress: Progress) -> Scan:
        """Find every image below `path` without decoding any.

        Raises:
            StudioError: Nothing usable is there; the message says what is.
            Cancelled: Through `progress`.
        """

    def open(self, path: Path, item: Item) -> BinaryIO:
        """Open the encoded bytes of one image. Called from several threads.

        Raises:
            OSError: It cannot be read.
        """


def natural_key(name: str) -> tuple[tuple[tuple[int, int, str], ...], str]:
    """Key that sorts `img2` before `img10` and ignores case; the name itself breaks ties."""
    parts = re.split(r"([0-9]+)", name.casefold())
    return tuple((0, int(p), "") if p.isdecimal() else (1, 0, p) for p in parts if p), name


def safe_text(text: str) -> str:
    r"""The text with bytes that are no UTF-8 written as `\xff`, fit for JSON and for a screen."""
    return text.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")
