"""Pascal VOC as masks and boxes share it: lists of the splits, and the table of the classes."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path, PurePosixPath
from typing import Final

from studio.engine.errors import BadDataError
from studio.engine.files import composed
from studio.engine.messages import Text, message
from studio.engine.tables.pictures import spellings
from studio.engine.tasks.annotation_files.reports import Tally
from studio.engine.tasks.annotation_files.texts import decoded
from studio.engine.tasks.annotations import AnnotationWriter, LeftOut, Tree
from studio.engine.tasks.split_words import split_of

PICTURES: Final = "JPEGImages"
_SETS = "ImageSets"
_SPLITS = ("train", "val", "test")
_FLAGS = frozenset({"-1", "0", "1"})
_SUFFIX = re.compile(
    r"\.(jpe?g|jpe|jfif|png|bmp|gif|tiff?|webp|ppm|pgm|mpo|xml|txt)$", re.IGNORECASE
)


class VocWriter(AnnotationWriter):
    """Writes pictures into one folder, lists of the splits, and the classes as CVAT has them.

    Attributes:
        lists: Folder of the lists.
    """

    lists: str

    def __init__(self, folder: Path, names: Sequence[str], colors: Sequence[str]) -> None:
        super().__init__(folder, names, colors)
        self._listed: dict[str, list[str]] = {}

    def picture_path(self, name: str, split: str) -> str:  # noqa: ARG002 - lists tell the split
        """Return a path in the folder of pictures.

        Args:
            name: Name of the picture.
            split: Not used: lists tell it.
        """
        return f"{PICTURES}/{name}"

    def list_picture(self, picture: str, split: str) -> str:
        """Add a picture to the list of its split, and return its name without suffix.

        Args:
            picture: Its path relative to the folder.
            split: Its split.
        """
        name = PurePosixPath(picture).stem
        self._listed.setdefault(split, []).append(name)
        return name

    def finish(self) -> None:
        """Write the lists and the table."""
        folder = self.folder / self.lists
        folder.mkdir(parents=True)
        for split, names in self._listed.items():
            text = "".join(f"{name}\n" for name in names)
            (folder / f"{split}.txt").write_text(text, encoding="utf-8")
        lines = ["# label:color_rgb:parts:actions"]
        for name, color in zip(self.names, self.colors, strict=True):
            red, green, blue = bytes.fromhex(color[1:])
            lines.append(f"{name}:{red},{green},{blue}::")
        (self.folder / "labelmap.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")


def listed_splits(
    files: Tree,
    folder: str,
    is_known: Callable[[str], bool],
    problems: list[LeftOut],
    warnings: list[Text],
) -> dict[str, str]:
    """Return the split of each picture that a list names.

    An entry is the name of a picture, with or without suffix and folders, alone or followed by the
    flag of a class (1, 0 or -1) or other words. The lists are `train.txt` and its like in the
    folder, else those of classes (`cat_train.txt`), else those in `ImageSets` itself.

    Args:
        files: The files.
        folder: Folder of the lists.
        is_known: Returns True for what is above `ImageSets` and the name of a picture without
            suffix, if there is such a picture.
        problems: Receives the lists that cannot be read, and why.
        warnings: Receives what is conspicuous.

    Returns:
        The split by what is above `ImageSets` and the name of the picture without suffix.
    """
    found: dict[str, str] = {}
    in_several = Tally()
    for path, split in _lists(files, folder):
        root = f"/{path}".rpartition(f"/{_SETS}/")[0].lstrip("/")
        try:
            lines = decoded(files.read(path)).splitlines()
        except BadDataError as error:
            problems.append(LeftOut(path, error.message))
            continue
        for line in filter(None, map(str.strip, lines)):
            names = [composed(str(PurePosixPath(root) / name)) for name in _spellings(line)]
            if not names:
                continue
            name = next(filter(is_known, names), names[-1])
            if found.setdefault(name, split) != split:
                in_several.add(PurePosixPath(name).name)
    if in_several:
        warning = message(
            "{count} entries are in lists of several splits in {folder}, such as {first}; the "
            "first list is used.",
            one="{first} is in lists of several splits in {folder}; the first list is used.",
            count=in_several.count,
            folder=folder,
            first=in_several.first,
        )
        warnings.append(warning)
    return found


def _lists(files: Tree, folder: str) -> list[tuple[str, str]]:
    """Return the paths of lists, and the split of each: training images first."""
    inside = [
        PurePosixPath(path)
        for path in files.paths
        if path.casefold().endswith(".txt") and f"/{path}".find(f"/{_SETS}/") >= 0
    ]
    mine = [path for path in inside if f"/{path.parent}".endswith(f"/{folder}")]
    plain = [(path, split_of(path.stem)) for path in mine]
    of_classes = [(path, split_of(path.stem.rpartition("_")[2])) for path in mine]
    above = [(path, split_of(path.stem)) for path in inside if path.parent.name == _SETS]
    for lists in (plain, of_classes, above):
        if found := [(str(path), split) for path, split in lists if split is not None]:
            return sorted(found, key=lambda each: _SPLITS.index(each[1]))
    return []


def _spellings(line: str) -> Iterator[str]:
    """Yield what the name of the picture of an entry may be, the one for reports last."""
    whole = line.strip("\"'")
    first = whole.split()[:1]
    paths = [word for word in first if _SUFFIX.search(word)]
    entries = dict.fromkeys((whole, *paths, _without_flag(whole)))
    for entry in (spelling for each in entries for spelling in spellings(each)):
        name = entry.rpartition("/")[2]
        for each in (name, _SUFFIX.sub("", name)):
            if each.strip("."):
                yield each


def _without_flag(line: str) -> str:
    """Return an entry without the flag of a class at its end."""
    words = line.rsplit(None, 1)
    return words[0] if len(words) == 2 and words[1] in _FLAGS else line
