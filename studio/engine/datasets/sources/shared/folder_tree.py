"""Folders of images as a tree of counts, built from paths; what a folder is by its contents."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from studio.engine.tasks.split_words import says_nothing, split_of

Path = tuple[str, ...]


@dataclass(slots=True)
class Folder:
    """A folder with images somewhere below it.

    Attributes:
        images: Number of images directly inside.
        total: Number of images inside and below.
        folders: The folders inside, by name.
    """

    images: int = 0
    total: int = 0
    folders: dict[str, Folder] = field(default_factory=dict)

    @property
    def holds_folders(self) -> bool:
        """True if most of its images lie in folders inside."""
        return bool(self.folders) and 2 * self.images <= self.total


@dataclass(frozen=True, slots=True)
class Body:
    """The folder that holds the classes of a split or session.

    Attributes:
        wrappers: Names of the folders from the outer one to it.
        folder: The folder itself.
    """

    wrappers: Path
    folder: Folder

    @property
    def classes(self) -> frozenset[str]:
        """Names of its class folders; none if its images lie directly inside."""
        return frozenset(self.folder.folders) if self.folder.holds_folders else frozenset()


def tree_of(folders: Iterable[Path]) -> Folder:
    """Return the tree of the folders of images, one path for each image."""
    root = Folder()
    for path, count in Counter(folders).items():
        root.total += count
        here = root
        for name in path:
            here = here.folders.setdefault(name, Folder())
            here.total += count
        here.images += count
    return root


def wrapping(root: Folder) -> tuple[int, Folder]:
    """Return the number of folders around everything, and the innermost one of them.

    Archives often have a folder around all. Images that are loose beside it have no class either
    way. A single class is not passed over.
    """
    here, depth = root, 0
    while len(here.folders) == 1 and here.holds_folders:
        (here,) = here.folders.values()
        depth += 1
    return (depth, here) if here.holds_folders else (0, root)


def bodies_of(tops: Mapping[str, Folder]) -> dict[str, Body]:
    """Return the folder with the classes of each split or session.

    Archives that were packed one by one have a folder of the same name inside: "seg_test" in
    "seg_test". It is passed over, unless another split has a class of that name.

    Args:
        tops: The folders of the splits or sessions.
    """
    known = {name for top in tops.values() if len(top.folders) > 1 for name in top.folders}
    return {name: _body(name, top, known) for name, top in tops.items()}


def _body(name: str, top: Folder, known: set[str]) -> Body:
    wrappers: list[str] = []
    here = top
    while len(here.folders) == 1 and here.holds_folders:
        ((inner, folder),) = here.folders.items()
        is_named = inner == name or split_of(inner) is not None or says_nothing(inner)
        if inner in known or not (is_named or folder.holds_folders):
            break
        wrappers.append(inner)
        here = folder
    return Body(tuple(wrappers), here)


def shared_folders(bodies: Iterable[Body]) -> frozenset[str]:
    """Return the class folders that most of several splits or sessions have; empty for others.

    They are shared if there are at least two, and if each split or session consists mostly of
    them.

    Args:
        bodies: The splits or sessions.
    """
    groups = [body.classes for body in bodies]
    counts = Counter(name for group in groups for name in group)
    common = frozenset(name for name, count in counts.items() if 2 * count > len(groups))
    is_shared = len(groups) > 1 and len(common) > 1
    mostly = all(group and 2 * len(group & common) >= len(group) for group in groups)
    return common if is_shared and mostly else frozenset()


def are_alike(first: frozenset[str], second: frozenset[str]) -> bool:
    """Return True if one of two splits has at least half of the classes of the other.

    Args:
        first: Names of the classes of the first.
        second: Those of the second.
    """
    common = len(first & second)
    return common > 0 and 2 * common >= min(len(first), len(second))
