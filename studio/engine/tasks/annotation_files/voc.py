"""Pascal VOC as masks and boxes share it: lists of the splits, and the table of the classes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path, PurePosixPath
from typing import Final

from studio.engine.errors import BadDataError
from studio.engine.tasks.annotations import AnnotationWriter, LeftOut, Tree

PICTURES: Final = "JPEGImages"
_SPLITS = ("train", "val", "test")


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


def listed_splits(files: Tree, folder: str, problems: list[LeftOut]) -> Iterator[tuple[str, str]]:
    """Yield each picture that a list names, and its split.

    Args:
        files: The files.
        folder: Folder of the lists.
        problems: Receives the lists that cannot be read, and why.

    Yields:
        What is above the folder and the name of the picture, without suffix, and its split.
    """
    for path in files.paths:
        place = PurePosixPath(path)
        if place.stem not in _SPLITS or not f"/{place.parent}".endswith(f"/{folder}"):
            continue
        try:
            text = files.read(path).decode("utf-8", "replace")
        except BadDataError as error:
            problems.append(LeftOut(path, error.message))
            continue
        root = place.parent.parents[folder.count("/")]
        for line in text.splitlines():
            if name := line.strip():
                yield str(root / name), place.stem
