"""Lists of the splits beside folders of masks: `train.txt` with a name or path on each line."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import PurePosixPath

from studio.engine.errors import BadDataError
from studio.engine.messages import Text, message
from studio.engine.tasks.annotation_files.texts import decoded
from studio.engine.tasks.annotations import AnnotatedFiles, AnnotatedPicture
from studio.engine.tasks.segmentation.mask_places import words_of
from studio.engine.tasks.segmentation.name_pairs import stem_of
from studio.engine.tasks.split_words import split_of

_SUFFIX = ".txt"
_TRAINVAL = "trainval"
_NEARLY_ALL = 0.9
"""Fraction of the entries of a list that must be pictures."""
_MAX_BYTES = 2**26
_MAX_DEPTH = 4
_ORDER = ("train", "val", "test")


def with_listed_splits(
    pictures: Sequence[AnnotatedPicture], files: AnnotatedFiles
) -> tuple[list[AnnotatedPicture], list[Text]]:
    """Return pictures with the splits that lists say, unless folders say them.

    Args:
        pictures: Pictures with masks.
        files: The pictures and masks.

    Returns:
        The pictures, and a sentence about the lists.
    """
    if any(split_of(part) for each in pictures for part in each.path.split("/")[:-1]):
        return [*pictures], []
    known = {stem_of(each.path) for each in pictures}
    splits: dict[str, str] = {}
    read: list[str] = []
    for path, split, names in _lists(files):
        mine = [name for name in names if name in known]
        if mine and len(mine) >= _NEARLY_ALL * len(names):
            read.append(path)
            for name in mine:
                splits.setdefault(name, split)
    if "train" not in splits.values() or len({*splits.values()}) < 2:
        return [*pictures], []
    warning = message(
        "The splits were read from the lists {lists}, which name {count} of {total} images.",
        lists=", ".join(read),
        count=sum(stem_of(each.path) in splits for each in pictures),
        total=len(pictures),
    )
    return [replace(each, split=splits.get(stem_of(each.path))) for each in pictures], [warning]


def _lists(files: AnnotatedFiles) -> Iterator[tuple[str, str, list[str]]]:
    """Yield the path, the split and the names of lists: those of one split before "trainval"."""
    found: list[tuple[int, str, str]] = []
    trees = {id(tree): tree for tree in (files.labels, files.images)}
    for tree in trees.values():
        for path in tree.paths:
            if path.casefold().endswith(_SUFFIX) and path.count("/") < _MAX_DEPTH:
                stem = PurePosixPath(path).stem
                is_both = words_of(stem) == [_TRAINVAL]
                if split := "train" if is_both else split_of(stem):
                    found.append((3 if is_both else _ORDER.index(split), path, split))
        for _, path, split in sorted(found):
            try:
                data = tree.read(path)
            except BadDataError:
                continue
            if len(data) <= _MAX_BYTES:
                yield path, split, _names(decoded(data))
        found.clear()


def _names(text: str) -> list[str]:
    lines = (line.split() for line in text.splitlines() if not line.startswith("#"))
    return [stem_of(words[0].replace("\\", "/")) for words in lines if words]
