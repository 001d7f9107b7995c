"""Class names of labels in files, and limits for what a small file may claim."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from studio.engine.datasets.sources.base import SourceOptions
from studio.engine.errors import BadDataError, StudioError
from studio.engine.files import user_path

LARGEST_ROW = 2**28
"""Bytes of one image in an array."""

LONGEST_LABEL = 1000
"""Characters of a class name."""

LONGEST_NAME = 4096
"""Characters of a path in an archive."""

LARGEST_HEADER = 2**20
"""Bytes of what describes a file in an archive, or an array."""

_ALWAYS_PLAUSIBLE = 10_000


def require_plausible_count(count: int, path: Path) -> None:
    """Refuse a file that claims more images than it has bytes.

    Args:
        count: Images that the file claims.
        path: The file.

    Raises:
        BadDataError: It does; the message is a short reason.
        OSError: Its size cannot be read.
    """
    if count > max(_ALWAYS_PLAUSIBLE, path.stat().st_size):
        raise BadDataError(f"it claims {count:,} images, more than a file of its size can hold")


def checked_label(label: str) -> str:
    """Check a class name that a file holds.

    Raises:
        BadDataError: It is empty or too long; the message is a short reason.
    """
    if not label.strip():
        raise BadDataError("it has no label")
    if len(label) > LONGEST_LABEL:
        raise BadDataError(f"its label is longer than {LONGEST_LABEL:,} characters")
    return label


LARGEST_LIST = 2 * 2**30


def names_from(options: SourceOptions) -> list[str]:
    """The names that the labels file gives, or none where no file is named.

    Raises:
        StudioError: The file cannot be read, is not text, or names a class twice.
    """
    if not options.labels_file:
        return []
    path = user_path(options.labels_file)
    names = [line.strip() for line in text_of(path, "labels_file").splitlines()]
    while names and not names[-1]:
        names.pop()
    for number, name in enumerate(names, 1):
        if not name:
            raise StudioError(
                f"Line {number} of {path} is empty, so label {number - 1} has no name.",
                "Write one class name per line.",
                "labels_file",
            )
    doubles = [name for name, count in Counter(names).items() if count > 1]
    if doubles:
        raise StudioError(
            f'{path} names the class "{doubles[0]}" more than once.',
            "Write one class name per line, every one another.",
            "labels_file",
        )
    return names


def text_of(path: Path, where: str) -> str:
    r"""The content of a text file; `\udcXX` stands for bytes that are no UTF-8.

    Raises:
        StudioError: It cannot be read, or is not text.
    """
    try:
        if path.stat().st_size > LARGEST_LIST:
            raise StudioError(f"{path} is too large for a list.", "Check the path.", where)
        data = path.read_bytes()
    except OSError as error:
        raise StudioError(
            f"{path} cannot be read: {error.strerror or error}.", "Check the path.", where
        ) from error
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        data = data.decode("utf-16", "replace").encode()
    if b"\0" in data[:65536]:
        raise StudioError(f"{path} is not a text file.", "Choose a text file.", where)
    return data.decode("utf-8-sig", "surrogateescape")


def name_of(label: int, names: Sequence[str]) -> str:
    """The class name of a number: from the list where there is one, else the number itself.

    Raises:
        BadDataError: The number has no name; the message is a short reason.
    """
    if label < 0:
        raise BadDataError(f"the label {label} is negative")
    if not names:
        return str(label)
    if label >= len(names):
        raise BadDataError(f"the label {label} has no name: there are {len(names)} names")
    return checked_label(names[label])
