"""Class names for labels that are numbers, as DIGITS and others keep them in a text file."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from studio.engine.datasets.sources.base import SourceOptions
from studio.engine.datasets.sources.shared.limits import checked_label
from studio.engine.errors import BadDataError, StudioError
from studio.engine.files import user_path

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
