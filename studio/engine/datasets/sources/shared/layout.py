"""Classes and splits of images by the folders that they lie in.

All sources of class folders use it: folders on a disk, archives, buckets and web servers. Names
count only as far as the structure agrees with them: a class may be called "training".
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final, Literal, NamedTuple

from studio.engine.datasets.sources.shared.folder_tree import (
    Body,
    Folder,
    Path,
    are_alike,
    bodies_of,
    shared_folders,
    tree_of,
    wrapping,
)
from studio.engine.errors import StudioError
from studio.engine.files import composed, natural_key
from studio.engine.messages import Text, as_message, message
from studio.engine.tasks.split_words import (
    NamedSplit,
    named_splits,
    names_unlabeled,
    says_nothing,
    split_of,
    words_in,
)

_OUTSIDE: Final = "it is outside the class folders and so has no class"
_EXAMPLES: Final = 5
_DATE: Final = re.compile(r"\d{4}[-_. ]?\d\d[-_. ]?\d\d")
_SESSIONS: Final = frozenset(
    {
        *("batch", "cam", "camera", "day", "device", "fold", "group", "lote", "dia", "sessao"),
        *("part", "parte", "patient", "paciente", "round", "run", "scene", "sesion", "session"),
        *("site", "source", "subject", "take", "user", "week", "writer"),
    }
)
_CLASS_WORDS: Final = ("class", "classe", "clase", "cls", "label", "category", "categoria")
_PARTS: Final = frozenset(
    {
        "annotation",
        "annotations",
        "box",
        "boxes",
        "depth",
        "label",
        "labels",
        "mask",
        "masks",
        "rgb",
    }
)
_SPLIT_LABELS: Final = {"train": "training", "val": "validation", "test": "test"}


class Placement(NamedTuple):
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

    def place(self, folders: Path) -> Placement:
        """Return class and split of the images in a folder, given by its path."""
        parts = folders[self.depth :]
        if not parts:
            return Placement(None, None, _OUTSIDE)
        if self.kind == "classes":
            return Placement(parts[0])
        if self.kind == "inner_splits":
            return self._in_class(parts)
        top, inner = parts[0], parts[1:]
        if top in self.left_out:
            return Placement(None, None, self.left_out[top])
        wrappers = self.wrappers.get(top, ())
        if inner[: len(wrappers)] != wrappers or len(inner) == len(wrappers):
            return Placement(None, self.splits.get(top), _OUTSIDE)
        return Placement(inner[len(wrappers)], self.splits.get(top))

    def _in_class(self, parts: Path) -> Placement:
        inner = parts[1] if len(parts) > 1 else ""
        if inner in self.left_out:
            return Placement(None, None, self.left_out[inner])
        return Placement(parts[0], self.splits.get(inner))


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
        StudioError: The folders are splits without classes, or it cannot be decided which of
            them are splits.
    """
    depth, root = wrapping(tree_of(folders))
    tops = {name: root.folders[name] for name in sorted(root.folders, key=natural_key)}
    bodies = bodies_of(tops)
    found = (
        _by_splits(bodies, source)
        or _by_inner_splits(tops, source)
        or _by_sessions(bodies, source)
        or Layout("classes")
    )
    if found.kind == "classes":
        _refuse_repeated(tops, source)
    classes = _class_folders(found, bodies)
    return replace(found, depth=depth, warnings=[*found.warnings, *_warn_of_sub_folders(classes)])


def _refuse_repeated(tops: Mapping[str, Folder], source: object) -> None:
    """Refuse a class folder that consists of folders called like its siblings."""
    for name, top in tops.items():
        inner = frozenset(top.folders) if top.has_classes else frozenset()
        common = inner & frozenset(tops) - {name}
        if len(common) > 1 and 2 * len(common) >= len(inner):
            raise StudioError(
                'In {source}, the folder "{folder}" contains folders that are called like '
                "those beside it ({classes}), so it is no class.",
                "Move the images of its folders into those beside it, or move it elsewhere.",
                "source",
                source=source,
                folder=name,
                classes=_listed(common),
            )


def _by_splits(bodies: Mapping[str, Body], source: object) -> Layout | None:
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
            _refuse_unknown(candidates, others, bodies, source)
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
            folders=_listed(named),
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
            splits=_listed(named),
        )


def _refuse_unknown(
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
        _refuse(named, unknown, bodies[unknown[0]].classes & known, source)


def _refuse(
    named: Collection[str], unknown: Sequence[str], classes: Collection[str], source: object
) -> None:
    raise StudioError(
        message(
            'In {source}, {splits} are called like splits; "{folder}" is not, but contains the '
            "same folders ({classes}).",
            one='In {source}, {splits} is called like a split; "{folder}" is not, but contains '
            "the same folders ({classes}).",
            count=len(named),
            source=source,
            splits=_listed(named),
            folder=unknown[0],
            classes=_listed(classes),
        ),
        "Call it train, val or test, or move it elsewhere. If the top folders are classes, move "
        "their images directly into them.",
        "source",
    )


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


def _by_inner_splits(tops: Mapping[str, Folder], source: object) -> Layout | None:
    """Return the layout of class folders with the same splits inside each; None for others.

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
            folders=_listed(tops),
            source=source,
            splits=_listed(splits),
            classes=_listed(shared),
        )
    _refuse_own_classes(tops, splits, source)
    inner = {name for top in tops.values() for name in top.folders}
    splits = {name: split for name in inner if (split := split_of(name))}
    others = sorted(inner - set(splits), key=natural_key)
    warnings = [
        message(
            "The folders {splits} inside the class folders are read as splits.",
            splits=_listed(splits),
        )
    ]
    warnings += [
        message(
            'The folders "{folder}" inside the class folders are not called like splits; their '
            "{count:,} images are left out.",
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
                splits=_listed(splits),
                classes=_listed(shared),
            )


def _classes_inside(top: Folder, splits: Collection[str]) -> Folder:
    """Return the class folders of all splits in a folder as one folder."""
    found = Folder()
    for split in splits:
        body = top.folders.get(split, Folder())
        if body.has_classes:
            found.folders |= body.folders
            found.total += body.total
    return found


def _by_sessions(bodies: Mapping[str, Body], source: object) -> Layout | None:
    """Return the layout of sessions with the same class folders in each; None for others.

    Raises:
        StudioError: Some of them are called like splits.
    """
    common = shared_folders(bodies.values())
    is_counted = _are_counted(common) and not _are_counted(bodies)
    if not common or is_counted or all(map(_is_no_class, common)):
        return None
    named = [name for name in bodies if split_of(name)]
    unknown = [name for name in bodies if name not in named]
    if named and unknown:
        _refuse(named, unknown, common, source)
    warning = message(
        "The folders {sessions} contain the same folders {classes}, which are read as classes; "
        "the outer ones are read as sessions. If the outer ones are the classes, move their "
        "images directly into them.",
        sessions=_listed(bodies),
        classes=_listed(common),
    )
    wrappers = {name: body.wrappers for name, body in bodies.items()}
    return Layout("groups", wrappers=wrappers, warnings=[warning])


def _are_counted(names: Collection[str]) -> bool:
    """Return True for names that differ only in a number, as those of writers or batches do."""
    words = {tuple(word for word in words_in(name) if not word.isdecimal()) for name in names}
    return len(words) == 1 and not {(), *((word,) for word in _CLASS_WORDS)} & words


def _is_no_class(name: str) -> bool:
    """Return True for the name of a session, or of any folder of images: "day 2", "masks"."""
    words = [word for word in words_in(name) if word not in _PARTS]
    is_session = bool(words) and (words[0] in _SESSIONS or words[-1] in _SESSIONS)
    return is_session or not words or says_nothing(name) or _DATE.fullmatch(name) is not None


def _class_folders(found: Layout, bodies: Mapping[str, Body]) -> Iterable[tuple[str, Folder]]:
    """Yield the class folders with their paths, except those of inner splits."""
    for top, body in bodies.items():
        path = "/".join((top, *body.wrappers))
        if found.kind == "classes":
            yield path, body.folder
        elif found.kind == "groups" and top not in found.left_out:
            yield from ((f"{path}/{name}", each) for name, each in body.folder.folders.items())


def _warn_of_sub_folders(classes: Iterable[tuple[str, Folder]]) -> Iterable[Text]:
    """Yield a sentence if class folders have several folders of images inside."""
    inner = [
        f"{path}/{name}"
        for path, each in classes
        if len(each.folders) > 1
        for name in each.folders
    ]
    if inner:
        yield message(
            "{count:,} folders inside the class folders, such as {folder}, belong to the class "
            "of the folder above. If they are classes of their own, move them up.",
            count=len(inner),
            folder=inner[0],
        )


def _listed(names: Iterable[str]) -> str:
    shown = sorted(names, key=natural_key)
    ending = ", …" if len(shown) > _EXAMPLES else ""
    return ", ".join(shown[:_EXAMPLES]) + ending
