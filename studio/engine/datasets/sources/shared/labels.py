"""Class names of labels in files, and limits for what a small file may claim."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from studio.engine.datasets.sources.base import SourceOptions
from studio.engine.errors import BadDataError, StudioError
from studio.engine.files import one_form, user_path
from studio.engine.tables.encoding import decoded

LARGEST_ROW = 2**28
"""Bytes of one image in an array."""

LONGEST_LABEL = 1000
"""Characters of a class name."""

MAX_DIGITS = 18
"""Digits of a label that is a number; Python converts no text of any length."""

LONGEST_NAME = 4096
"""Characters of a path in an archive."""

LARGEST_HEADER = 2**20
"""Bytes of what describes a file in an archive, or an array."""

LARGEST_LIST = 2**30
"""Bytes of a text file."""

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
        raise BadDataError(
            "it claims {count:,} images, more than a file of its size can hold", count=count
        )


def checked_label(label: str) -> str:
    """Check a class name that a file holds.

    Raises:
        BadDataError: It is empty or too long; the message is a short reason.
    """
    if not label.strip():
        raise BadDataError("it has no label")
    if len(label) > LONGEST_LABEL:
        raise BadDataError("its label is longer than {limit:,} characters", limit=LONGEST_LABEL)
    return label


def names_from(options: SourceOptions) -> list[str]:
    """Return the names that the labels file gives, or none where no file is named.

    Raises:
        StudioError: The file cannot be read, is not text, or names a class twice.
    """
    if not options.labels_file:
        return []
    path = user_path(options.labels_file)
    names = [one_form(line) for line in text_of(path, "labels_file").splitlines()]
    while names and not names[-1]:
        names.pop()
    for number, name in enumerate(names, 1):
        if not name:
            raise StudioError(
                "Line {number} of {file} is empty, so label {label} has no name.",
                "Write one class name per line.",
                "labels_file",
                number=number,
                file=path,
                label=number - 1,
            )
    doubles = [name for name, count in Counter(names).items() if count > 1]
    if doubles:
        raise StudioError(
            '{file} names the class "{class_name}" more than once.',
            "Write one class name per line, without duplicates.",
            "labels_file",
            file=path,
            class_name=doubles[0],
        )
    return names


def text_of(path: Path, where: str) -> str:
    """Return the content of a text file in any usual encoding, see `tables.encoding`.

    Args:
        path: The file.
        where: Field of the recipe that named it, for the error.

    Raises:
        StudioError: It cannot be read or is not text.
    """
    try:
        return decoded(bytes_of(path, where), path.name).text
    except BadDataError as error:
        raise StudioError(
            "{file} cannot be read: {reason}.",
            "Choose a text file.",
            where,
            file=path,
            reason=error.message,
        ) from error


def bytes_of(path: Path, where: str) -> bytes:
    """Return the bytes of a text file.

    Args:
        path: The file.
        where: Field of the recipe that named it, for the error.

    Raises:
        StudioError: It cannot be read, or is too large.
    """
    try:
        if path.stat().st_size > LARGEST_LIST:
            raise StudioError(
                "{file} is too large for a list.", "Check the path.", where, file=path
            )
        return path.read_bytes()
    except OSError as error:
        raise StudioError(
            "{file} cannot be read: {reason}.",
            "Check the path.",
            where,
            file=path,
            reason=error.strerror or error,
        ) from error


def name_of(label: int, names: Sequence[str]) -> str:
    """Return the class name of a label: from the list of names, or the number itself.

    Args:
        label: The label, a number.
        names: Names by number; may be empty.

    Raises:
        BadDataError: The number has no name; the message is a short reason.
    """
    if label < 0:
        raise BadDataError("the label {label} is negative", label=label)
    if not names:
        return str(label)
    if label >= len(names):
        raise BadDataError(
            "the label {label} has no name: there are {count} names", label=label, count=len(names)
        )
    return checked_label(names[label])
