"""Text files with a line for each box."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from studio.engine.errors import BadDataError
from studio.engine.progress import Progress
from studio.engine.tasks.annotation_files.pairs import Pairs, paired
from studio.engine.tasks.annotation_files.reports import unreadable
from studio.engine.tasks.annotation_files.shifted_numbers import require_same_numbers
from studio.engine.tasks.annotation_files.texts import decoded
from studio.engine.tasks.annotations import AnnotatedFiles, LeftOut, Tree

_LARGEST = 16 * 2**20
_EXAMINED = 50
_LINES_EXAMINED = 20
_FEWEST = 5
"""Words of a line with a box at least."""
_DECIMAL = re.compile(r"[+-]?\d+,\d+", re.ASCII)
_NUMBER = re.compile(r"[+-]?(\.?\d|nan\b|inf\b)", re.ASCII | re.IGNORECASE)
"""Beginning of a number."""
_OTHERS = frozenset({"readme", "license", "licence", "requirements", "classes", "labels", "names"})


def text_of(files: Tree, path: str) -> str:
    """Return the content of a text file.

    Args:
        files: The files.
        path: Path of the file.

    Raises:
        BadDataError: It cannot be read, or is too large; a short reason.
    """
    data = files.read(path)
    if len(data) > _LARGEST:
        raise BadDataError("it is larger than {limit} MB", limit=_LARGEST // 2**20)
    return decoded(data)


def text_files(files: Tree) -> list[str]:
    """Return the paths of text files, without those that usually contain something else."""
    return [
        path
        for path in files.paths
        if path.casefold().endswith(".txt")
        and path.rpartition("/")[2][:-4].casefold() not in _OTHERS
    ]


T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class PictureTexts(Generic[T]):
    """Text files of pictures.

    Attributes:
        pairs: Pictures and the files that belong to them; their problems also tell of files that
            cannot be read.
        found: What was read for each picture.
        unread: The file of each picture whose file was not read.
    """

    pairs: Pairs
    found: dict[str, T]
    unread: dict[str, str]


def read_texts(
    files: AnnotatedFiles,
    most: int,
    progress: Progress,
    parse: Callable[[str], T],
    is_box: Callable[[list[str]], bool],
) -> PictureTexts[T]:
    """Find the text files of pictures and read them; those without a picture are reported.

    Args:
        files: Pictures and annotations.
        most: Files to read; 0 for all of them.
        progress: Receives the progress and may cancel.
        parse: Returns the content of a file; raises `BadDataError` for a damaged one.
        is_box: Returns True if the words of a line describe a box.

    Raises:
        Cancelled: Through `progress`.
        StudioError: Numbers leave it unclear which file belongs to which picture.
    """
    pairs = paired(files, text_files(files.labels))
    matched = [(picture, path) for path, picture in pairs.picture_of.items()]
    require_same_numbers(matched, pairs.without_file, pairs.without_picture)
    pairs.problems += _without_picture(files.labels, pairs, is_box)
    found: dict[str, T] = {}
    paths = list(pairs.picture_of)
    read = paths[: most or None]
    for number, path in enumerate(read):
        if number % 100 == 0:
            progress.check()
            progress.advance(number, len(paths), "Reading the annotations")
        try:
            found[pairs.picture_of[path]] = parse(path)
        except BadDataError as error:
            pairs.problems.append(unreadable(path, error.message, pairs.picture_of[path]))
    return PictureTexts(
        pairs, found, {pairs.picture_of[path]: path for path in paths[len(read) :]}
    )


def _without_picture(
    files: Tree, pairs: Pairs, is_box: Callable[[list[str]], bool]
) -> Iterator[LeftOut]:
    """Yield a report for each annotation file that no picture belongs to.

    Those have boxes, or are beside files of pictures and have numbers, or nothing; other texts are
    no annotations.
    """
    folders = {path.rpartition("/")[0] for path in pairs.picture_of}
    for path in pairs.without_picture:
        try:
            lines = list(words_of(text_of(files, path)))
        except BadDataError as error:
            yield LeftOut(path, error.message)
            continue
        is_beside = path.rpartition("/")[0] in folders
        if looks_like(files, [path], is_box) or (is_beside and all(map(_has_numbers, lines))):
            yield LeftOut(path, "no image belongs to this annotation file", len(lines))


def _has_numbers(words: list[str]) -> bool:
    return sum(_NUMBER.match(word) is not None for word in words) > 1


def pairs_look_like(files: AnnotatedFiles, is_box: Callable[[list[str]], bool]) -> bool:
    """Return True if a text file that belongs to a picture has lines of boxes.

    Args:
        files: Pictures and annotations.
        is_box: Returns True if the words of a line describe a box.
    """
    pairs = paired(files, text_files(files.labels))
    return looks_like(files.labels, list(pairs.picture_of), is_box)


def looks_like(files: Tree, paths: Sequence[str], is_box: Callable[[list[str]], bool]) -> bool:
    """Return True if a text file has lines, and all of its first lines are boxes.

    Args:
        files: The files.
        paths: Text files; some of them are read.
        is_box: Returns True if the words of a line describe a box.
    """
    for path in paths[:: max(1, len(paths) // _EXAMINED)][:_EXAMINED]:
        try:
            head = files.head(path)
        except BadDataError:
            continue
        lines = list(words_of(decoded(head)))
        # The last line of a head may be cut off.
        lines = lines[: max(len(lines) - 1, 1)][:_LINES_EXAMINED]
        if lines and all(map(is_box, lines)):
            return True
    return False


def words_of(text: str) -> Iterator[list[str]]:
    """Yield the words of each line that has some."""
    return (words for _, words in numbered_words(text))


def numbered_words(text: str) -> Iterator[tuple[int, list[str]]]:
    """Yield the words of each line that has some, and its number from 1.

    They are separated by spaces, semicolons or commas. Decimal commas become points.
    """
    for number, line in enumerate(text.splitlines(), 1):
        if words := _words(line):
            yield number, words


def _words(line: str) -> list[str]:
    words = line.split()
    separator = next((mark for mark in ";," if mark in line), "")
    if separator and len(words) < _FEWEST:
        words = line.split(separator)
    words = [word.strip().strip(",;") for word in words]
    return [word.replace(",", ".") if _DECIMAL.fullmatch(word) else word for word in words if word]
