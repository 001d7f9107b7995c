"""Interface of the tools whose files have shapes, and how their pictures are found."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import PurePosixPath

from studio.engine.errors import BadDataError, StudioError
from studio.engine.files import natural_key
from studio.engine.messages import Text, message
from studio.engine.progress import Progress
from studio.engine.tasks.annotation_files.pairs import PictureNames
from studio.engine.tasks.annotation_files.reports import shown, unreadable
from studio.engine.tasks.annotation_files.texts import as_utf8
from studio.engine.tasks.annotation_files.tools.shapes import DrawnPicture
from studio.engine.tasks.annotations import AnnotatedFiles, LeftOut, Remark, Tree
from studio.engine.tasks.split_words import split_in

_EXAMINED = 50
"""Number of files that are read to recognize a tool."""


@dataclass(slots=True)
class Drawings:
    """The shapes of all pictures.

    Attributes:
        pictures: Shapes of each picture by its path, in natural order.
        problems: Files, pictures and shapes that are left out, and why.
        warnings: Sentences about assumptions and conspicuous facts.
    """

    pictures: dict[str, DrawnPicture] = field(default_factory=dict)
    problems: list[LeftOut] = field(default_factory=list)
    warnings: list[Text] = field(default_factory=list)


@dataclass(slots=True)
class ToolDocument:
    """Content of a file.

    Attributes:
        pictures: Its pictures, in the order of the file.
        problems: What of it is left out, and why.
        warnings: Sentences about assumptions and conspicuous facts.
    """

    pictures: list[DrawnPicture] = field(default_factory=list)
    problems: list[LeftOut] = field(default_factory=list)
    warnings: list[Text] = field(default_factory=list)


class DrawingTool(ABC):
    """A tool for annotation whose files have shapes; boxes and masks are read from them.

    Attributes:
        name: Stable name, lower case.
        label: Name of its files as shown to a person.
        suffixes: Suffixes of its files, lower case.
        hint: What its files must contain, for errors.
        shapes: Occurs in files with shapes that have an area; None if there are none.
        outlines: Occurs in files with shapes that are not boxes; None if there are none.
        labels: Occurs in files with labels of whole pictures; None if there are none.
        is_for_one_picture: True if a file has one picture; its name says nothing about splits: a
            train is no training image.
    """

    name: str
    label: str
    suffixes: tuple[str, ...]
    hint: str
    shapes: re.Pattern[bytes] | None = None
    outlines: re.Pattern[bytes] | None = None
    labels: re.Pattern[bytes] | None = None
    is_for_one_picture = False

    @abstractmethod
    def is_own(self, head: bytes) -> bool:
        """Return True if a file begins as one of the tool does.

        Args:
            head: Its first 64 KB.
        """

    def has_shape(self, data: bytes) -> bool:
        """Return True if a file, or its beginning, has a shape with an area."""
        return self.shapes is not None and self.shapes.search(data) is not None

    def has_outline(self, data: bytes) -> bool:
        """Return True if a file, or its beginning, has a shape that is not a box."""
        return self.outlines is not None and self.outlines.search(data) is not None

    def has_label(self, data: bytes) -> bool:
        """Return True if a file, or its beginning, has labels of whole pictures."""
        return self.labels is not None and self.labels.search(data) is not None

    @abstractmethod
    def parsed(self, data: bytes, path: str, names: PictureNames) -> ToolDocument:
        """Return the content of a file.

        Args:
            data: The file.
            path: Its path.
            names: Finds the pictures.

        Raises:
            BadDataError: It is damaged; the message is a short reason.
            StudioError: It needs a decision of a person.
        """

    def find(self, names: PictureNames, picture: DrawnPicture, path: str) -> str | None:
        """Return the path of a picture that a file names; None without one.

        Args:
            names: Finds the pictures.
            picture: The picture.
            path: Path of the file.
        """
        return names.find(picture.name, path)

    def paths(self, files: Tree, *, few: bool = False) -> Iterator[str]:
        """Yield the paths of its files.

        Args:
            files: All files.
            few: True to examine only as many files as are needed to recognize the tool.
        """
        paths = [path for path in files.paths if path.casefold().endswith(self.suffixes)]
        for path in paths[: _EXAMINED if few else None]:
            try:
                if self.is_own(as_utf8(files.head(path))):
                    yield path
            except BadDataError:
                continue

    def accepts(self, files: Tree) -> bool:
        """Return True if one of the first files is of the tool."""
        return next(self.paths(files, few=True), None) is not None

    def has_shapes(self, files: Tree) -> bool:
        """Return True if one of the first files has a shape with an area."""
        return self._has(files, self.has_shape)

    def has_outlines(self, files: Tree) -> bool:
        """Return True if one of the first files has a shape that is not a box."""
        return self._has(files, self.has_outline)

    def has_labels(self, files: Tree) -> bool:
        """Return True if one of the first files has labels of whole pictures."""
        return self._has(files, self.has_label)

    def _has(self, files: Tree, is_in: Callable[[bytes], bool]) -> bool:
        """Return True for one of the first files; they are read as a whole if necessary."""
        for path in self.paths(files, few=True):
            try:
                if is_in(as_utf8(files.head(path))) or is_in(as_utf8(files.read(path))):
                    return True
            except BadDataError:
                continue
        return False

    def read(self, files: AnnotatedFiles, progress: Progress) -> Drawings:
        """Read all its files and find their pictures.

        Args:
            files: Pictures and annotations.
            progress: Receives the progress and may cancel.

        Raises:
            StudioError: None of its files can be used, or a person has to decide.
        """
        reading = _Reading(self, files)
        for number, path in enumerate(self.paths(files.labels)):
            progress.check()
            progress.advance(number, 0, "Reading the annotations")
            reading.add(path)
        return reading.finished()


class _Reading:
    """Collects the pictures of some files."""

    def __init__(self, tool: DrawingTool, files: AnnotatedFiles) -> None:
        self._tool = tool
        self._files = files
        self._names = PictureNames(files)
        self._found = Drawings()

    def add(self, path: str) -> None:
        """Read a file; if it is damaged, it is a problem."""
        try:
            data = self._files.labels.read(path)
            document = self._tool.parsed(data, path, self._names)
        except BadDataError as error:
            self._found.problems.append(unreadable(path, error.message, self._own_picture(path)))
            return
        self._found.problems += document.problems
        self._found.warnings += document.warnings
        for picture in document.pictures:
            self._add_picture(path, picture)

    def _own_picture(self, path: str) -> str | None:
        """Return the picture that a file belongs to by its name; None if it is for several."""
        if not self._tool.is_for_one_picture:
            return None
        return self._tool.find(self._names, DrawnPicture(PurePosixPath(path).stem), path)

    def _add_picture(self, path: str, drawn: DrawnPicture) -> None:
        picture = self._tool.find(self._names, drawn, path)
        if picture is None:
            reason = self._names.missing(drawn.name, path)
            self._found.problems.append(LeftOut(drawn.name, reason, drawn.count))
        elif picture in self._found.pictures:
            reason = message(
                "left out {count} shapes of another entry for the same image, in {file}",
                one="left out a shape of another entry for the same image, in {file}",
                count=drawn.count,
                file=path,
            )
            self._found.pictures[picture].others.append(Remark(reason, drawn.count))
        else:
            if not self._tool.is_for_one_picture:
                drawn.split = drawn.split or split_in(path)
            self._found.pictures[picture] = drawn

    def finished(self) -> Drawings:
        """Return everything that was read, and what has no annotation.

        Raises:
            StudioError: There is no picture.
        """
        found = self._found
        if not found.pictures:
            raise StudioError(self._nothing(), self._tool.hint, "source")
        found.warnings += self._names.warnings()
        known = found.pictures.keys() | {each.path for each in found.problems}
        missing = [path for path in self._files.images.pictures if path not in known]
        reason = message("no annotation of {tool} names it", tool=self._tool.label)
        found.problems += [LeftOut(path, reason) for path in missing]
        order = sorted(found.pictures, key=natural_key)
        found.pictures = {path: found.pictures[path] for path in order}
        return found

    def _nothing(self) -> Text:
        first = self._found.problems[0] if self._found.problems else None
        if first is None:
            return message(
                "None of the annotations of {tool} in {folder} can be used.",
                tool=self._tool.label,
                folder=self._files.labels.location,
            )
        return message(
            "None of the annotations of {tool} in {folder} can be used; the first problem: "
            "{file}: {reason}.",
            tool=self._tool.label,
            folder=self._files.labels.location,
            file=first.path,
            reason=first.reason,
        )


def unused_labels(drawings: Drawings) -> list[Text]:
    """Return a sentence about labels of whole pictures where shapes are read."""
    labels = [
        name
        for drawn in drawings.pictures.values()
        for found in drawn.labels.values()
        for name in found
    ]
    if not labels:
        return []
    return [
        message(
            "{count} labels of whole images, such as {first}, are not used: only shapes are.",
            one="A label of a whole image, {first}, is not used: only shapes are.",
            count=len(labels),
            first=shown(labels[0]),
        )
    ]


def matches_all(head: bytes, patterns: Sequence[re.Pattern[bytes]]) -> bool:
    """Return True if each pattern occurs in the beginning of a file.

    Args:
        head: The beginning.
        patterns: The patterns.
    """
    return all(pattern.search(head) for pattern in patterns)
