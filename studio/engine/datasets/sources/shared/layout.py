"""Classes and splits of images by the folders that they lie in.

All sources of class folders use it: folders on a disk, archives, buckets and web servers. Names
count only as far as the structure agrees with them: a class may be called "training".
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from studio.engine.datasets.sources.shared.folder_tree import (
    Body,
    Folder,
    Path,
    bodies_of,
    tree_of,
    wrapping,
)
from studio.engine.datasets.sources.shared.placement import Layout, listed
from studio.engine.datasets.sources.shared.session_folders import by_sessions
from studio.engine.datasets.sources.shared.split_folders import by_inner_splits, by_splits
from studio.engine.errors import StudioError
from studio.engine.files import composed, natural_key
from studio.engine.messages import Text, message
from studio.engine.tasks import TASKS
from studio.engine.tasks.split_words import named_splits
from studio.engine.tasks.task import Task


def folders_of(key: str) -> Path:
    """Return the folders of an image by its path; accents in one form.

    macOS writes accents apart from their letters: both forms are one folder.
    """
    return tuple(composed(key).split("/")[:-1])


def layout_of(folders: Sequence[Path], source: object) -> Layout:
    """Return the meaning of the folders of a source.

    Args:
        folders: The folder of each image, as `folders_of` returns it.
        source: The source, for messages.

    Raises:
        StudioError: The folders are splits without classes, or data for another task, or it cannot
            be decided which of them are splits.
    """
    if error := claimed(folders, source):
        raise error
    depth, root = wrapping(tree_of(folders))
    tops = {name: root.folders[name] for name in sorted(root.folders, key=natural_key)}
    bodies = bodies_of(tops)
    found = (
        by_splits(bodies, source)
        or by_inner_splits(tops, source)
        or by_sessions(bodies, source)
        or Layout("classes")
    )
    if found.kind == "classes":
        _refuse_repeated(tops, source)
    classes = _class_folders(found, bodies)
    return replace(found, depth=depth, warnings=[*found.warnings, *_warn_of_sub_folders(classes)])


def claimed(
    folders: Sequence[Path], source: object, task: Task | None = None
) -> StudioError | None:
    """Return the error of the task that some folders are for; None for class folders.

    Args:
        folders: The folder of each image, as `folders_of` returns it.
        source: The source, for messages.
        task: Task that was chosen, which needs no error.
    """
    _, root = wrapping(tree_of(folders))
    errors = (each.source.claims(root, source) for each in TASKS.values() if each is not task)
    return next((error for error in errors if error is not None), None)


def _refuse_repeated(tops: Mapping[str, Folder], source: object) -> None:
    """Refuse a class folder that consists of folders called like its siblings."""
    for name, top in tops.items():
        inner = frozenset(top.folders) if top.holds_folders else frozenset()
        common = inner & frozenset(tops) - {name}
        if len(common) > 1 and 2 * len(common) >= len(inner):
            raise StudioError(
                'In {source}, the folder "{folder}" contains folders that are called like '
                "those beside it ({classes}), so it is no class.",
                "Move the images of its folders into those beside it, or move it elsewhere.",
                "source",
                source=source,
                folder=name,
                classes=listed(common),
            )


def _class_folders(found: Layout, bodies: Mapping[str, Body]) -> Iterable[tuple[str, Folder]]:
    """Yield the class folders with their paths, except those of inner splits."""
    for top, body in bodies.items():
        path = "/".join((top, *body.wrappers))
        if found.kind == "classes":
            yield path, body.folder
        elif found.kind == "groups" and top not in found.left_out:
            yield from ((f"{path}/{name}", each) for name, each in body.folder.folders.items())


def _warn_of_sub_folders(classes: Iterable[tuple[str, Folder]]) -> Iterable[Text]:
    """Yield a sentence if class folders have several folders of images inside.

    Another one tells of those that are called like splits, which some class folders have and
    most have not.
    """
    inner, splits = list[str](), list[str]()
    for path, each in classes:
        paths = [f"{path}/{name}" for name in each.folders]
        named = named_splits(each.folders)
        kinds = {split.split for split in named.values()}
        if len(named) == len(paths) and "train" in kinds and len(kinds) > 1:
            splits += paths
        elif len(paths) > 1:
            inner += paths
    if splits:
        yield message(
            "Only some class folders have folders that are called like splits, such as {folders}. "
            "They are not used as splits: all images of these classes are divided at random. To "
            "keep them, give every class folder the same splits.",
            folders=listed(splits),
        )
    if inner:
        yield message(
            "{count:,} folders inside the class folders, such as {folder}, belong to the class "
            "of the folder above. If they are classes of their own, move them up.",
            one="{count:,} folder inside the class folders, {folder}, belongs to the class of the "
            "folder above. If it is a class of its own, move it up.",
            count=len(inner),
            folder=inner[0],
        )
