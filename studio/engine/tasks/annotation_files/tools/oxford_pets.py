"""Lists of the Oxford-IIIT Pet dataset: name, class, species and breed of each picture."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import PurePosixPath
from typing import Final

from studio.engine.errors import BadDataError, StudioError
from studio.engine.files import natural_key
from studio.engine.messages import message
from studio.engine.progress import Progress
from studio.engine.tasks.annotation_files.pairs import PictureNames, unique
from studio.engine.tasks.annotation_files.texts import decoded
from studio.engine.tasks.annotation_files.tools.base import Drawings, DrawingTool, ToolDocument
from studio.engine.tasks.annotation_files.tools.shapes import DrawnPicture
from studio.engine.tasks.annotations import AnnotatedFiles, LeftOut, Tree
from studio.engine.tasks.split_words import split_of

PET_LISTS: Final = frozenset({"list.txt", "trainval.txt", "test.txt"})
_LINE = re.compile(r"(\S{1,200}_\d{1,9}) +(\d{1,3}) +([12]) +(\d{1,3})")
_HEAD = re.compile(rb"\A(#[^\n]*\n)*\S{1,200}_\d{1,9} +\d{1,3} +[12] +\d{1,3}\r?(\n|\Z)")
_MASKS: Final = "trimaps"
_QUESTION: Final = "breed"


class OxfordPetLists(DrawingTool):
    """The class of a picture is its breed, whose name is in the name of the picture.

    `trainval.txt` and `test.txt` say the splits, and `list.txt` has all pictures.
    """

    name = "oxford_pets"
    label = "Lists of the Oxford-IIIT Pet dataset"
    suffixes = (".txt",)
    labels = _HEAD
    hint = "Choose the folder with the folders images and annotations as the source."

    def is_own(self, head: bytes) -> bool:
        """See `DrawingTool.is_own`."""
        return _HEAD.match(head) is not None

    def paths(
        self,
        files: Tree,
        *,
        few: bool = False,  # noqa: ARG002 - there are three
    ) -> Iterator[str]:
        """Yield the paths of its lists, those of one split first; see `DrawingTool.paths`."""
        found = [path for path in files.paths if PurePosixPath(path).name in PET_LISTS]
        for path in sorted(found, key=lambda path: PurePosixPath(path).name == "list.txt"):
            try:
                if self.is_own(files.head(path)):
                    yield path
            except BadDataError:
                continue

    def parsed(
        self,
        data: bytes,
        path: str,
        names: PictureNames,  # noqa: ARG002 - of other tools
    ) -> ToolDocument:
        """Return the pictures of a list, labeled by their class; see `DrawingTool.parsed`."""
        stem = PurePosixPath(path).stem
        split = "train" if stem == "trainval" else split_of(stem)
        document = ToolDocument()
        for number, line in enumerate(decoded(data).splitlines(), 1):
            found = _LINE.fullmatch(line.strip())
            if found:
                picture = DrawnPicture(found[1], split=split)
                picture.labels = {_QUESTION: [found[2]]}
                document.pictures.append(picture)
            elif line.strip() and not line.startswith("#"):
                reason = message("line {line} is not a name and three numbers", line=number)
                document.problems.append(LeftOut(path, reason))
        return document

    def read(self, files: AnnotatedFiles, progress: Progress) -> Drawings:
        """Read the lists and find their pictures; see `DrawingTool.read`."""
        names = PictureNames(files)
        result = Drawings()
        listed: dict[str, DrawnPicture] = {}
        for path in self.paths(files.labels):
            progress.check()
            progress.advance(0, 0, "Reading the annotations")
            try:
                document = self.parsed(files.labels.read(path), path, names)
            except BadDataError as error:
                result.problems.append(LeftOut(path, error.message))
                continue
            result.problems += document.problems
            for picture in document.pictures:
                listed.setdefault(picture.name, picture)
        self._take(result, listed, files)
        return result

    def _take(
        self, result: Drawings, listed: Mapping[str, DrawnPicture], files: AnnotatedFiles
    ) -> None:
        """Give the listed entries to their pictures, and report what has no partner.

        Raises:
            StudioError: No picture is listed.
        """
        pictures = [path for path in files.images.pictures if _MASKS not in path.split("/")[:-1]]
        by_name = unique((PurePosixPath(path).stem, path) for path in pictures)
        classes = _class_names(listed)
        for name in sorted(listed, key=natural_key):
            drawn = listed[name]
            if (path := by_name.get(name)) is None:
                result.problems.append(
                    LeftOut(name, "it is in a list, but the image does not exist")
                )
                continue
            drawn.labels = {_QUESTION: [classes[each] for each in drawn.labels[_QUESTION]]}
            result.pictures[path] = drawn
        if not result.pictures:
            raise StudioError(
                "The lists of the Oxford-IIIT Pet dataset in {labels} name none of the images in "
                "{pictures}.",
                self.hint,
                "source",
                labels=files.labels.location,
                pictures=files.images.location,
            )
        result.problems += [
            LeftOut(path, "no list of the Oxford-IIIT Pet dataset names it")
            for path in pictures
            if path not in result.pictures
        ]
        if masks := len(files.images.pictures) - len(pictures):
            result.warnings.append(
                message(
                    "{count} images in folders called {folder} are masks, which are not used for "
                    "classes.",
                    one="An image in a folder called {folder} is a mask, which is not used for "
                    "classes.",
                    count=masks,
                    folder=_MASKS,
                )
            )


def _class_names(listed: Mapping[str, DrawnPicture]) -> dict[str, str]:
    """Return the names of the classes by their numbers: what the names of their pictures share.

    If that is not clear, the numbers are the names.
    """
    found: dict[str, set[str]] = {}
    for name, drawn in listed.items():
        found.setdefault(drawn.labels[_QUESTION][0], set()).add(name.rpartition("_")[0])
    breeds = [breed for mine in found.values() for breed in mine]
    is_clear = len(breeds) == len({*breeds}) == len(found)
    return {number: next(iter(mine)) if is_clear else number for number, mine in found.items()}
