"""Folders that are called like splits, with class folders inside, or inside class folders."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Final

from studio.engine.datasets.sources.shared.folder_tree import (
    Body,
    Folder,
    Path,
    are_alike,
    shared_folders,
)
from studio.engine.datasets.sources.shared.placement import Layout, listed, refuse_unknown
from studio.engine.errors import StudioError
from studio.engine.files import natural_key
from studio.engine.messages import as_message, message
from studio.engine.tasks.split_words import (
    NamedSplit,
    named_splits,
    names_unlabeled,
    split_of,
)

_SPLIT_LABELS: Final = {"train": "training", "val": "validation", "test": "test"}


def by_splits(bodies: Mapping[str, Body], source: object) -> Layout | None:
    """Return the layout of folders that are called like splits; None if they are something else.

    Raises:
        StudioError: See `layout_of`.
    """
    named = named_splits(bodies)
    exact = {name: each for name, each in named.items() if split_of(name)}
    for candidates in (exact, _agreeing(named, bodies)):
        others = [name for name in bodies if name not in candidates]
        if _are_splits(candidates, others, bodies):
            _require_classes(candidates, bodies, source)
            _refuse_same(candidates, others, bodies, source)
            return _split_layout(candidates, others, bodies)
    return None


def _are_splits(
    named: Mapping[str, NamedSplit], others: Sequence[str], bodies: Mapping[str, Body]
) -> bool:
    """Return True if folders with names of splits are splits rather than classes."""
    unknown = [name for name in others if not names_unlabeled(name)]
    kinds: dict[str, frozenset[str]] = {}
    for name, each in named.items():
        kinds[each.split] = kinds.get(each.split, frozenset()) | bodies[name].classes
    if len(kinds) < 2 and not (kinds and others and not unknown):
        return False
    if not unknown:
        return True
    training = kinds.pop("train", frozenset())
    if any(are_alike(training, classes) for classes in kinds.values()):
        return True
    loose = [name for name in unknown if not bodies[name].classes]
    return bool(training) and len(loose) <= len(named)


def _agreeing(
    named: Mapping[str, NamedSplit], bodies: Mapping[str, Body]
) -> Mapping[str, NamedSplit]:
    """Return folders whose names contain splits beside other words, if something supports it.

    Either the other words are the same ("asl_train", "asl_test"; "trainA", "trainB", "testA",
    "testB"), or the folders inside are.
    """
    if len(named) < len(bodies):
        return {}
    words: dict[str, set[Path]] = {}
    for each in named.values():
        words.setdefault(each.split, set()).add(each.others)
    first = next(iter(words.values()), set())
    is_same = all(others == first for others in words.values())
    return named if is_same or shared_folders(bodies.values()) else {}


def _require_classes(
    named: Mapping[str, NamedSplit], bodies: Mapping[str, Body], source: object
) -> None:
    """Refuse splits without class folders, or without any for training."""
    if not any(bodies[name].classes for name in named):
        count = sum(bodies[name].folder.total for name in named)
        raise StudioError(
            "The folders {folders} in {source} are splits and contain {count:,} images, but "
            "no class folders.",
            "Put the images of each class into a separate folder inside each split, such as "
            "train/cat and train/dog; or import a table with paths and classes.",
            "source",
            folders=listed(named),
            source=source,
            count=count,
        )
    training = [name for name, each in named.items() if each.split == "train"]
    if not any(bodies[name].classes for name in training):
        raise StudioError(
            "The folders in {source} are splits ({splits}), but none of them contains class "
            "folders with training images.",
            'Call the folder with the training images "train", or import a folder that contains '
            "the class folders.",
            "source",
            source=source,
            splits=listed(named),
        )


def _refuse_same(
    named: Mapping[str, NamedSplit],
    others: Sequence[str],
    bodies: Mapping[str, Body],
    source: object,
) -> None:
    """Refuse a folder with the same classes as the splits, but without the name of a split."""
    known = frozenset().union(*(bodies[name].classes for name in named))
    unknown = [
        name
        for name in others
        if are_alike(bodies[name].classes, known) and not names_unlabeled(name)
    ]
    if unknown:
        refuse_unknown(named, unknown, bodies[unknown[0]].classes & known, source)


def _split_layout(
    named: Mapping[str, NamedSplit], others: Sequence[str], bodies: Mapping[str, Body]
) -> Layout:
    without = [name for name in named if not bodies[name].classes]
    left_out = dict.fromkeys(others, message("its folder is not one of the splits"))
    left_out |= dict.fromkeys(without, message("its split has no class folders"))
    warnings = [
        message(
            'The folder "{folder}" contains no class folders; its {count:,} images are left out.'
            if not bodies[name].classes
            else 'The folder "{folder}" is not called like a split; its {count:,} images are left '
            "out.",
            one='The folder "{folder}" contains no class folders; its only image is left out.'
            if not bodies[name].classes
            else 'The folder "{folder}" is not called like a split; its only image is left out.',
            folder=name,
            count=bodies[name].folder.total,
        )
        for name in left_out
    ]
    warnings += [
        message(
            'The folder "{folder}" is read as {split} images because of its name.',
            folder=name,
            split=as_message(_SPLIT_LABELS[each.split]),
        )
        for name, each in named.items()
        if each.is_assumed and name not in left_out
    ]
    return Layout(
        "groups",
        splits={name: each.split for name, each in named.items()},
        wrappers={name: body.wrappers for name, body in bodies.items()},
        left_out=left_out,
        warnings=warnings,
    )


def by_inner_splits(tops: Mapping[str, Folder], source: object) -> Layout | None:
    """Return the layout of class folders with the same splits inside each; None for others.

    Args:
        tops: The top folders.
        source: The source, for messages.

    Raises:
        StudioError: The splits have the same class folders in each: these are several datasets.
    """
    common = shared_folders(Body((), top) for top in tops.values())
    splits = {name: split for name in common if (split := split_of(name))}
    if "train" not in splits.values() or len(set(splits.values())) < 2:
        return None
    groups = [_classes_inside(top, splits) for top in tops.values()]
    if shared := shared_folders(Body((), each) for each in groups):
        raise StudioError(
            "The folders {folders} in {source} have splits of their own ({splits}) with the "
            "same classes ({classes}).",
            "Import one of them, or give the others as further sources.",
            "source",
            folders=listed(tops),
            source=source,
            splits=listed(splits),
            classes=listed(shared),
        )
    _refuse_own_classes(tops, splits, source)
    inner = {name for top in tops.values() for name in top.folders}
    splits = {name: split for name in inner if (split := split_of(name))}
    others = sorted(inner - set(splits), key=natural_key)
    warnings = [
        message(
            "The folders {splits} inside the class folders are read as splits.",
            splits=listed(splits),
        )
    ]
    warnings += [
        message(
            'The folders "{folder}" inside the class folders are not called like splits; their '
            "images are left out: {count:,}.",
            folder=name,
            count=sum(top.folders[name].total for top in tops.values() if name in top.folders),
        )
        for name in others
    ]
    reason = message("its folder is not one of the splits")
    return Layout(
        "inner_splits", splits=splits, left_out=dict.fromkeys(others, reason), warnings=warnings
    )


def _refuse_own_classes(
    tops: Mapping[str, Folder], splits: Collection[str], source: object
) -> None:
    """Refuse folders with splits that have the same class folders in each.

    Raises:
        StudioError: These are several datasets.
    """
    for name, top in tops.items():
        bodies = [Body((), top.folders[split]) for split in splits if split in top.folders]
        if shared := shared_folders(bodies):
            raise StudioError(
                'The folder "{folder}" in {source} has splits of its own ({splits}), with the '
                "same folders in each ({classes}). It looks like a dataset rather than a "
                "class.",
                "Import this folder. If it is a class, move its images directly into its splits.",
                "source",
                folder=name,
                source=source,
                splits=listed(splits),
                classes=listed(shared),
            )


def _classes_inside(top: Folder, splits: Collection[str]) -> Folder:
    """Return the class folders of all splits in a folder as one folder."""
    found = Folder()
    for split in splits:
        body = top.folders.get(split, Folder())
        if body.holds_folders:
            found.folders |= body.folders
            found.total += body.total
    return found
