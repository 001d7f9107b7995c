"""Files that the paths, names and numbers in a list mean."""

from __future__ import annotations

import os
import re
import stat
import unicodedata
from collections.abc import Iterator, Sequence
from functools import cached_property
from pathlib import Path, PureWindowsPath
from typing import Final

from studio.engine.datasets.sources.shared.names import looks_like_image
from studio.engine.errors import BadDataError
from studio.engine.messages import Text, message
from studio.engine.network_paths import is_network_path
from studio.engine.tables.pictures import Grade, Match, PictureIndex, pictures_below, spellings
from studio.engine.tasks.annotation_files.pairs import split_of_picture
from studio.engine.tasks.split_words import split_in

_MAX_FILES: Final = 500_000
_PLAIN = re.compile(r"[^\\%\u0080-\U0010ffff]*")
"""Paths that have one spelling."""
_SAMPLE = 200
_MOST = 0.5


class ListedFiles:
    """The files that a list names: by their paths, or else by what is unique below a folder.

    Args:
        base: Folder where relative paths start.
        split: Split that the name of the list says, or None; it decides between folders.

    An absolute path of this computer is followed; one that leads nowhere is searched below the
    folder by its end. Paths that lead out of the folder are pointed out.

    Attributes:
        completed: Files found by their number, or despite capital letters, by the cell.
        absolute: Absolute paths inside the folder, which were followed.
        moved: Files found by the ends of absolute paths, by the path.
        outside: Paths that lead out of the folder, which were followed.
    """

    def __init__(self, base: Path, split: str | None = None) -> None:
        self._base = base
        self._split = split
        self._by_index = False
        self._dropped = ""
        self.completed: dict[str, Match] = {}
        self.absolute: dict[str, None] = {}
        self.moved: dict[str, str] = {}
        self.outside: dict[str, None] = {}

    @cached_property
    def _index(self) -> PictureIndex:
        return PictureIndex(pictures_below(self._base, looks_like_image, _MAX_FILES))

    def grade(self, text: str) -> Grade:
        """Return how a cell names a file."""
        if is_address(text) or self._is_file(text):
            return Grade.PATH
        return self._index.grade(text) if self._by_index else Grade.NONE

    def search_names(self) -> None:
        """Find files by their names from now on, since most paths of the list lead nowhere."""
        self._by_index = True

    def choose(self, texts: Sequence[str]) -> None:
        """Search by names if most paths lead nowhere, without folders that all have in common.

        Args:
            texts: Paths of the list.
        """
        sample = texts[:: max(1, len(texts) // _SAMPLE)][:_SAMPLE]
        if sum(self.grade(text) >= Grade.PATH for text in sample) >= _MOST * len(sample):
            return
        self.search_names()
        plain = [text.replace("\\", "/") for text in sample]
        prefixes = _common_folders(plain)
        self._dropped = max(
            prefixes, key=lambda prefix: (self._known(plain, prefix), -len(prefix))
        )

    def _known(self, texts: Sequence[str], prefix: str) -> int:
        return sum(self._index.grade(text[len(prefix) :]) > Grade.NONE for text in texts)

    def find(self, path: str) -> tuple[Path, os.stat_result]:
        """Return a file and its facts.

        Args:
            path: Its path in the list.

        Raises:
            BadDataError: There is none, or there are several; the message is a short reason.
        """
        try:
            found_file = self._resolved(path)
        except BadDataError:
            if not self._by_index:
                raise
            found = self._index.find(
                path.replace("\\", "/").removeprefix(self._dropped), self._is_of_split
            )
            if found is None:
                raise
        else:
            is_absolute = _is_absolute(path)
            if (is_absolute or ".." in path) and not _is_inside(found_file[0], self._base):
                self.outside.setdefault(path)
            elif is_absolute:
                self.absolute.setdefault(path)
            return found_file
        if _is_absolute(path):
            self.moved[path] = found.path
        elif found.grade in (Grade.NUMBER, Grade.CASE):
            self.completed[path] = found
        return self._resolved(found.path)

    def shift_warnings(self, paths: Sequence[str]) -> list[Text]:
        """Return a sentence if numbers of the list may be those of other files.

        Args:
            paths: All paths, names and numbers of the list.
        """
        return self._index.shift_warnings(paths) if self._by_index else []

    def _is_of_split(self, path: str) -> bool:
        return self._split is not None and split_of_picture(path) == self._split

    def _is_file(self, text: str) -> bool:
        try:
            self._resolved(text)
        except BadDataError:
            return False
        return True

    def _resolved(self, path: str) -> tuple[Path, os.stat_result]:
        if is_network_path(path):
            raise BadDataError(
                "it is on another computer, and a path in a list is only followed on this one; "
                "copy the images, or choose their folder as the prefix"
            )
        file = self._base / path
        try:
            if not _PLAIN.fullmatch(path) and not file.exists():
                file = next(filter(Path.exists, self._other_spellings(path)), file)
            facts = file.stat()
        except (OSError, ValueError) as error:  # ValueError: a zero byte in the path
            reason = error.strerror if isinstance(error, OSError) else message("it is not a path")
            raise BadDataError("it cannot be read: {reason}", reason=reason) from error
        if not stat.S_ISREG(facts.st_mode):
            raise BadDataError("not a regular file")
        return file, facts

    def _other_spellings(self, path: str) -> Iterator[Path]:
        """Yield files that a path may mean that leads nowhere as it is written."""
        for spelling in spellings(path):
            if is_network_path(spelling):
                continue
            yield self._base / spelling
            if not spelling.isascii():
                yield _in_other_form(self._base, self._base / spelling)


def _is_absolute(path: str) -> bool:
    """Return True for an absolute path of this computer, or of one with another system."""
    is_own = path.startswith("/") or Path(path).is_absolute()
    return is_own or PureWindowsPath(path).is_absolute()


def _is_inside(path: str | Path, folder: Path) -> bool:
    """Return True if a path is below a folder."""
    return any(
        Path(real(path)).is_relative_to(real(folder)) for real in (_plain, os.path.realpath)
    )


def _plain(path: str | Path) -> str:
    return os.path.normpath(Path(path).absolute())


def _in_other_form(base: Path, file: Path) -> Path:
    """Return a path whose accents are in the form that the files below a folder have.

    Args:
        base: The folder.
        file: A path that does not exist.
    """
    here = base if file.is_relative_to(base) else Path(file.anchor)
    for name in file.relative_to(here).parts:
        forms = [here / unicodedata.normalize(form, name) for form in ("NFC", "NFD")]
        here = next((each for each in [here / name, *forms] if each.exists()), here / name)
    return here


def path_warnings(files: ListedFiles) -> Iterator[Text]:
    """Yield sentences about absolute paths of a list.

    Args:
        files: The files that the list names.
    """
    if files.absolute:
        yield message(
            "{count} paths of the list are absolute. They are inside the folder of the list or "
            "prefix, and were followed (first: {path}).",
            one="A path of the list is absolute. It is inside the folder of the list or prefix, "
            "and was followed: {path}.",
            count=len(files.absolute),
            path=next(iter(files.absolute)),
        )
    if files.outside:
        yield message(
            "{count} paths of the list lead out of its folder or the prefix, and were followed "
            "(first: {path}).",
            one="A path of the list leads out of its folder or the prefix, and was followed: "
            "{path}.",
            count=len(files.outside),
            path=next(iter(files.outside)),
        )
    if files.moved:
        path, file = next(iter(files.moved.items()))
        yield message(
            "{count} paths of the list are absolute and lead out of its folder. The images were "
            "found by the ends of the paths, the first: {path} is {file}.",
            one="A path of the list is absolute and leads out of its folder. The image was found "
            "by the end of the path: {path} is {file}.",
            count=len(files.moved),
            path=path,
            file=file,
        )


def _common_folders(paths: Sequence[str]) -> list[str]:
    """Return the beginnings of folders that all paths have in common, the shortest first."""
    found = [""]
    first = paths[0] if paths else ""
    for position, char in enumerate(first):
        prefix = first[: position + 1]
        if char == "/" and all(path.startswith(prefix) for path in paths):
            found.append(prefix)
    return found


def is_address(path: str) -> bool:
    """Return True if a path of a list looks like an address of the web rather than a file."""
    return "://" in path


def split_of_list(path: Path) -> str | None:
    """Return the split that the name of a list says, such as train.csv; or None."""
    return split_in(path.stem)
