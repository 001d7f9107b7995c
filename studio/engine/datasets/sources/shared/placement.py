"""Meaning of the folders of a source: class and split of the images in each."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, Literal, NamedTuple

from studio.engine.datasets.sources.shared.folder_tree import Path
from studio.engine.errors import StudioError
from studio.engine.files import natural_key
from studio.engine.messages import Text, message

OUTSIDE: Final = "it is outside the class folders and so has no class"
_EXAMPLES: Final = 5


class ClassAndSplit(NamedTuple):
    """Class and split of an image.

    Attributes:
        class_name: The class; None if the image is left out.
        split: `"train"`, `"val"` or `"test"`; None if the folders do not say it.
        reason: Why the image is left out.
    """

    class_name: str | None
    split: str | None = None
    reason: Text = ""


@dataclass(frozen=True, slots=True)
class Layout:
    """The meaning of the folders of a source.

    Attributes:
        kind: "classes": the top folders are classes. "groups": they are splits or sessions, with
            class folders inside. "inner_splits": they are classes with splits inside.
        depth: Number of folders around everything.
        splits: Split of each top folder, or for "inner_splits" of each folder inside them.
        wrappers: Names of more folders between a top folder and its classes.
        left_out: Reason why the images of a top folder, or of one inside a class, are left out.
        warnings: Assumptions that a person should check.
    """

    kind: Literal["classes", "groups", "inner_splits"]
    depth: int = 0
    splits: Mapping[str, str] = field(default_factory=dict)
    wrappers: Mapping[str, Path] = field(default_factory=dict)
    left_out: Mapping[str, Text] = field(default_factory=dict)
    warnings: Sequence[Text] = ()

    def place(self, folders: Path) -> ClassAndSplit:
        """Return class and split of the images in a folder, given by its path."""
        parts = folders[self.depth :]
        if not parts:
            return ClassAndSplit(None, None, OUTSIDE)
        if self.kind == "classes":
            return ClassAndSplit(parts[0])
        if self.kind == "inner_splits":
            return self._in_class(parts)
        top, inner = parts[0], parts[1:]
        if top in self.left_out:
            return ClassAndSplit(None, None, self.left_out[top])
        wrappers = self.wrappers.get(top, ())
        if inner[: len(wrappers)] != wrappers or len(inner) == len(wrappers):
            return ClassAndSplit(None, self.splits.get(top), OUTSIDE)
        return ClassAndSplit(inner[len(wrappers)], self.splits.get(top))

    def _in_class(self, parts: Path) -> ClassAndSplit:
        inner = parts[1] if len(parts) > 1 else ""
        if inner in self.left_out:
            return ClassAndSplit(None, None, self.left_out[inner])
        return ClassAndSplit(parts[0], self.splits.get(inner))


def refuse_unknown(
    named: Collection[str], unknown: Sequence[str], classes: Collection[str], source: object
) -> None:
    """Refuse a folder that has the class folders of splits, but not the name of one.

    Args:
        named: Folders with names of splits.
        unknown: Folders with other names.
        classes: Common class folders.
        source: The source, for messages.

    Raises:
        StudioError: Always.
    """
    raise StudioError(
        message(
            'In {source}, {splits} are called like splits; "{folder}" is not, but contains the '
            "same folders ({classes}).",
            one='In {source}, {splits} is called like a split; "{folder}" is not, but contains '
            "the same folders ({classes}).",
            count=len(named),
            source=source,
            splits=listed(named),
            folder=unknown[0],
            classes=listed(classes),
        ),
        "Call it train, val or test, or move it elsewhere. If the top folders are classes, move "
        "their images directly into them.",
        "source",
    )


def listed(names: Iterable[str]) -> str:
    """Return the first names in natural order, for a message."""
    shown = sorted(names, key=natural_key)
    ending = ", …" if len(shown) > _EXAMPLES else ""
    return ", ".join(shown[:_EXAMPLES]) + ending
