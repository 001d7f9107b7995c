"""Text files with a line for each box."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from studio.engine.errors import BadDataError
from studio.engine.messages import message
from studio.engine.tasks.annotations import Tree

_LARGEST = 16 * 2**20
_EXAMINED = 50
_LINES_EXAMINED = 20
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
        raise BadDataError(message("it is larger than {limit} MB", limit=_LARGEST // 2**20))
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        return data.decode("utf-16", "replace")
    return data.decode("utf-8-sig", "replace")


def text_files(files: Tree) -> list[str]:
    """Return the paths of text files, without those that usually contain something else."""
    return [
        path
        for path in files.paths
        if path.casefold().endswith(".txt")
        and path.rpartition("/")[2][:-4].casefold() not in _OTHERS
    ]


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
        lines = list(words_of(head.decode("utf-8-sig", "replace")[:_LARGEST]))
        # The last line of a head may be cut off.
        lines = lines[: max(len(lines) - 1, 1)][:_LINES_EXAMINED]
        if lines and all(map(is_box, lines)):
            return True
    return False


def words_of(text: str) -> Iterator[list[str]]:
    """Yield the words of each line that has some."""
    return (words for line in text.splitlines() if (words := line.split()))
