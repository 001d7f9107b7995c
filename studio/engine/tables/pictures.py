"""Pictures that files name: by path, by name, without suffix or leading zeros, or as addresses."""

from __future__ import annotations

import contextlib
import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from enum import IntEnum
from pathlib import Path
from typing import NamedTuple
from urllib.parse import unquote, urlsplit

from studio.engine.errors import BadDataError
from studio.engine.files import composed
from studio.engine.messages import Text, message

_DIGITS = re.compile(r"\d{1,18}(?:\.0+)?", re.ASCII)
_PLAIN = re.compile(r"[^\\%:\u0080-\U0010ffff]*")
"""Names that have one spelling."""
_DEEPEST = 12
"""Folders of a path that are compared."""
_SHOWN = 3
_FEWEST_NUMBERS = 3


class Grade(IntEnum):
    """Ways in which a cell names a picture, the surest last."""

    NONE = 0
    CASE = 1
    """The same but for capital letters."""
    NUMBER = 2
    """The same number: 7 for 00007.jpg."""
    STEM = 3
    """The name without suffix: abc for abc.jpg."""
    PATH = 4
    """The name or the path."""


class Match(NamedTuple):
    """A picture that a cell names.

    Attributes:
        path: Its path.
        grade: How the cell names it.
    """

    path: str
    grade: Grade


class PictureIndex:
    """Finds pictures by what the cells of a table call them.

    Args:
        paths: Paths of all pictures with forward slashes, relative to one folder.
    """

    def __init__(self, paths: Iterable[str]) -> None:
        self._paths: dict[str, list[str]] = {}
        self._stems: dict[str, list[str]] = {}
        self._numbers: dict[int, list[str]] = {}
        self._folded: dict[str, list[str]] = {}
        for path in paths:
            names = [each.rpartition("/")[2] for each in spellings(path)]
            for name in dict.fromkeys(names):
                self._paths.setdefault(name, []).append(path)
            name = names[0]
            stem = name.rpartition(".")[0]
            self._stems.setdefault(stem, []).append(path)
            self._folded.setdefault(name.casefold(), []).append(path)
            if (number := _number(stem)) is not None:
                self._numbers.setdefault(number, []).append(path)

    def find(self, text: str, is_preferred: Callable[[str], bool]) -> Match | None:
        """Return the picture that a cell names; None if there is none.

        A path must be the end of the path of the picture.

        Args:
            text: The cell.
            is_preferred: Decides between pictures of one name by their paths.

        Raises:
            BadDataError: It may mean several pictures; the message is a reason.
        """
        for grade, found in self._of_spellings(text):
            # Two files may differ in the form of their accents alone.
            exact = [each for each in found if each.endswith(text)] or found
            paths = [each for each in exact if is_preferred(each)] or exact
            if len(paths) > 1:
                raise BadDataError(several(paths))
            if paths:
                return Match(paths[0], grade)
        return None

    def shift_warnings(self, cells: Iterable[str]) -> list[Text]:
        """Return a sentence if the numbers of a table are those of all pictures plus a constant.

        Args:
            cells: The cells that name pictures.
        """
        listed = {number for cell in set(cells) if (number := _number(cell)) is not None}
        both = listed & self._numbers.keys()
        if len(both) < _FEWEST_NUMBERS:
            return []
        shift = min(listed) - min(self._numbers)
        if not shift or listed != {number + shift for number in self._numbers}:
            return []
        first = min(both)
        return [
            message(
                "The table numbers the images from {listed} on, and their names from {named} on: "
                "{number} was read as {path}, and may be {other}.",
                listed=min(listed),
                named=min(self._numbers),
                number=first,
                path=self._numbers[first][0],
                other=self._numbers[first - shift][0],
            )
        ]

    def grade(self, text: str) -> Grade:
        """Return how a cell names pictures, be it one or several."""
        found = self._of_spellings(text)
        return next((grade for grade, paths in found if paths), Grade.NONE)

    def _of_spellings(self, text: str) -> Iterator[tuple[Grade, list[str]]]:
        for spelling in spellings(text):
            yield from self._candidates(spelling)

    def _candidates(self, text: str) -> Iterable[tuple[Grade, list[str]]]:
        folder, _, name = text.rpartition("/")
        if not name or text.count("/") > _DEEPEST:
            return
        yield Grade.PATH, _ending(self._paths.get(name, ()), folder)
        yield Grade.STEM, _ending(self._stems.get(name, ()), folder)
        stem, _, suffix = name.rpartition(".")
        yield Grade.NUMBER, _ending(self._numbered(name, ""), folder)
        if stem and suffix:
            yield Grade.NUMBER, _ending(self._numbered(stem, f".{suffix}"), folder)
        folded = self._folded.get(name.casefold(), ())
        yield Grade.CASE, _ending(folded, folder, ignores_case=True)

    def _numbered(self, text: str, suffix: str) -> Sequence[str]:
        number = _number(text)
        found = () if number is None else self._numbers.get(number, ())
        return [path for path in found if path.endswith(suffix)]


def name_warnings(matches: Mapping[str, Match]) -> list[Text]:
    """Return sentences about pictures that were found by their number, or despite capital letters.

    Args:
        matches: The pictures by the cells that name them.
    """
    warnings: list[Text] = []
    if found := [(cell, each) for cell, each in matches.items() if each.grade is Grade.NUMBER]:
        warning = message(
            "{count} names of images were completed by leading zeros or a suffix, the first: "
            "{cell} is {path}.",
            one="The name of an image was completed by leading zeros or a suffix: {cell} is "
            "{path}.",
            count=len(found),
            cell=found[0][0],
            path=found[0][1].path,
        )
        warnings.append(warning)
    if found := [(cell, each) for cell, each in matches.items() if each.grade is Grade.CASE]:
        warnings.append(other_case(len(found), found[0][0], found[0][1].path))
    return warnings


def other_case(count: int, name: str, path: str) -> Text:
    """Return the sentence about names that differ from their files in capital letters.

    Args:
        count: Their number.
        name: The first of them.
        path: Its file.
    """
    return message(
        "{count} names of images differ from their files in capital letters, the first: "
        "{cell} is {path}.",
        one="The name of an image differs from its file in capital letters: {cell} is {path}.",
        count=count,
        cell=name,
        path=path,
    )


def spellings(name: str) -> list[str]:
    r"""Return the paths that the name of a picture in a file may mean, the likeliest first.

    Separators of Windows become slashes and accents have one form. A name with percent escapes may
    mean itself (`a%20b.jpg`) or what they stand for (`a b.jpg`), and of an address
    (`https://host/a.jpg?size=1`) the path counts.
    """
    if _PLAIN.fullmatch(name):
        return [name.removeprefix("./")]
    plain = composed(name.replace("\\", "/")).removeprefix("./")
    found = [plain]
    if "://" in plain:
        with contextlib.suppress(ValueError):
            found.append(urlsplit(plain).path)
    if "%" in plain:
        found += [composed(unquote(each).replace("\\", "/")) for each in found]
    return list(dict.fromkeys(found))


def _number(stem: str) -> int | None:
    return int(stem.partition(".")[0]) if _DIGITS.fullmatch(stem) else None


def _ending(paths: Sequence[str], folder: str, *, ignores_case: bool = False) -> list[str]:
    """Return the paths whose folders end with a folder."""
    if not folder:
        return list(paths)
    end = f"/{folder}"
    found = [(f"/{each.rpartition('/')[0]}", path) for path in paths for each in spellings(path)]
    if ignores_case:
        end = end.casefold()
        found = [(each.casefold(), path) for each, path in found]
    return list(dict.fromkeys(path for each, path in found if each.endswith(end)))


def several(paths: Sequence[str]) -> Text:
    """Return the reason why a name that may mean several pictures means none."""
    return message(
        "it may mean {count} images: {names}",
        count=len(paths),
        names=", ".join(sorted(paths)[:_SHOWN]),
    )


def pictures_below(folder: Path, is_picture: Callable[[str], bool], limit: int) -> list[str]:
    """Return the paths of the pictures in a folder and below, relative to it.

    Args:
        folder: The folder; hidden folders are left out, links to folders are followed once.
        is_picture: Returns True for the name of a picture.
        limit: Files to look at; beyond it, nothing is returned: what is unique is then unknown.
    """
    found: list[str] = []
    seen: set[str] = set()
    count = 0
    for parent, folders, names in os.walk(folder, followlinks=True):
        real = os.path.realpath(parent)
        is_new = real not in seen
        seen.add(real)
        folders[:] = sorted(name for name in folders if is_new and not name.startswith("."))
        count += len(names) + len(folders)
        if count > limit:
            return []
        below = Path(parent).relative_to(folder).as_posix()
        prefix = "" if below == "." else f"{below}/"
        found += [f"{prefix}{name}" for name in sorted(names) if is_new and is_picture(name)]
    return found
