"""Pictures and masks that belong together, matched by their names."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import takewhile
from pathlib import PurePosixPath
from typing import Any

from studio.engine.files import composed
from studio.engine.messages import Text, message
from studio.engine.tasks.annotations import AnnotatedFiles, LeftOut
from studio.engine.tasks.segmentation.mask_places import (
    MASK_WORDS,
    PICTURE_WORDS,
    SEPARATORS,
    Key,
    by_products,
    fields_of_view,
    folder_key,
    is_camvid,
    pairs_of_x,
    separated,
    words_of,
)

_CELLPOSE = "_cp"
"""Between the name of a picture and "masks", as Cellpose writes it."""
_CAMVID = "l"
"""Word at the end of masks of CamVid: `a_L.png`."""
_SUFFIXES = (".png", ".jpg", ".jpeg", ".bmp", ".gif", ".tif", ".tiff", ".webp", ".ppm", ".pgm")
_NEARLY_ALL = 0.9
"""Fraction of the files that a rule must match if it is no usual one."""
_FEW = 0.1
"""Fraction of the files that usual rules may match before another rule is tried."""
_MOST_WORDS = 20
_FIRST_WORD = re.compile(r"([^\W\d_]+)[\W_]*(?=.)")
_DIGITS = re.compile(r"\d+")

_Rule = Callable[[str], str]


@dataclass(frozen=True, slots=True)
class NamedMask:
    """One of several masks of a picture.

    Attributes:
        path: Its path.
        word: Class that its name or its folder names; empty if it has none.
        observer: Person who drew it, as its name or folder has it; empty if it has none.
        is_own: True if it lies in the folder of its picture, so that its name need not say it.
    """

    path: str
    word: str = ""
    observer: str = ""
    is_own: bool = False


@dataclass(slots=True)
class MaskPairs:
    """Pictures and masks that belong together.

    Attributes:
        pairs: Path of each picture, and of its mask.
        parts: Masks of each picture, if pictures have several; else empty. See `mask_groups`.
        pictures: Pictures without mask.
        masks: Masks without picture.
        problems: Files that are left out because another one has the same name.
        warnings: What was assumed.
    """

    pairs: list[tuple[str, str]] = field(default_factory=list)
    parts: dict[str, list[NamedMask]] = field(default_factory=dict)
    pictures: list[str] = field(default_factory=list)
    masks: list[str] = field(default_factory=list)
    problems: list[LeftOut] = field(default_factory=list)
    warnings: list[Text] = field(default_factory=list)


def pair_usual(files: AnnotatedFiles) -> MaskPairs:
    """Pair pictures and masks file by file: the same name, or one with a word such as "mask".

    Args:
        files: Pictures and masks.
    """
    pictures, masks = separated(files)
    views, others = fields_of_view(masks), {*by_products([*pictures, *masks])}
    result = MaskPairs(
        pictures=[path for path in pictures if path not in others],
        masks=[path for path in masks if path not in views and path not in others],
    )
    reason = message("it is a file that Cellpose writes beside the masks")
    result.problems = [
        LeftOut(path, reason) for path in dict.fromkeys([*pictures, *masks]) if path in others
    ]
    result.problems += [
        LeftOut(path, message("it is a field of view; the masks are in {folder}", folder=folder))
        for path, folder in views.items()
    ]
    result.pairs = pairs_of_x(result.masks, result.pictures) if files.are_together else []
    remove_paired(result)
    is_apart = not files.are_together or (masks and all(map(is_camvid, masks)))
    with_folders = (True, False) if is_apart else (True,)
    for mask_rule, picture_rule in _USUAL:
        for has_folders in with_folders:
            _match(result, mask_rule, picture_rule, has_folders=has_folders)
    return result


def pair_unusual(result: MaskPairs) -> None:
    """Pair files by other rules if the usual ones match hardly any of them.

    Such are the same numbers, or names that differ in what they begin or end with. A rule must
    match nearly all files, and each only once.
    """
    total = len(result.pairs) + min(len(result.pictures), len(result.masks))
    if len(result.pairs) <= _FEW * total:
        _match_whole(result)


def report_duplicates(result: MaskPairs) -> None:
    """Move files with the name of a paired one to the problems."""
    result.pictures = _without_duplicates(result, result.pictures, 0)
    result.masks = _without_duplicates(result, result.masks, 1)


def mask_names(picture: str) -> str:
    """Return names that the mask of a picture can have, for a message."""
    path = PurePosixPath(picture)
    stem = path.stem
    return f"{stem}.png, {stem}_mask.png, mask_{stem}.png, {path.name}.png"


def stem_of(path: str) -> str:
    """Return the name of a file for comparison: composed, lower case, without suffix."""
    return _stem(_name(path))


def bare_names(mask: str) -> set[str]:
    """Return the names that the picture of a mask can have, without suffix."""
    name = _name(mask)
    return {rule(name) for rule in (_stem, _bare, _MASK_END, _MASK_START)}


# Rules: what a picture and its mask have in common.


@lru_cache(2**18)
def _name(path: str) -> str:
    return composed(path.rpartition("/")[2]).casefold()


def _whole(name: str) -> str:
    return name


def _stem(name: str) -> str:
    head, _, suffix = name.rpartition(".")
    return head if head and suffix else name


def _bare(name: str) -> str:
    """Return a stem without the suffix of the picture: that of "a.jpg.png" is "a"."""
    return _unsuffixed(_stem(name))


def _unsuffixed(stem: str) -> str:
    return _stem(stem) if stem.endswith(_SUFFIXES) else stem


def _without_end(words: frozenset[str]) -> _Rule:
    """Return a rule that removes a word at the end: "a_mask" becomes "a"."""

    def rule(name: str) -> str:
        stem = _bare(name)
        word = words_of(stem)[-1]
        head = stem.removesuffix(word).rstrip(SEPARATORS)
        if word in MASK_WORDS:
            head = head.removesuffix(_CELLPOSE)
        return _unsuffixed(head) if head and word in words else stem

    return rule


def _without_start(words: frozenset[str]) -> _Rule:
    """Return a rule that removes a word at the beginning: "mask_a" and "mask0" to "a" and "0"."""

    def rule(name: str) -> str:
        stem = _bare(name)
        found = _FIRST_WORD.match(stem)
        return stem[found.end() :] if found and found[1] in words else stem

    return rule


_MASK_END, _MASK_START = _without_end(MASK_WORDS | {_CAMVID}), _without_start(MASK_WORDS)
_PICTURE_END, _PICTURE_START = _without_end(PICTURE_WORDS), _without_start(PICTURE_WORDS)
_USUAL: tuple[tuple[_Rule, _Rule], ...] = (
    (_stem, _whole),  # a.jpg.png is of a.jpg, also beside a.png
    (_stem, _stem),
    (_MASK_END, _stem),
    (_stem, _PICTURE_END),
    (_MASK_END, _PICTURE_END),
    (_bare, _stem),
    (_MASK_START, _stem),
    (_stem, _PICTURE_START),
    (_MASK_START, _PICTURE_START),
    (_MASK_END, _PICTURE_START),
    (_MASK_START, _PICTURE_END),
)
"""Rules for the name of a mask and of its picture, the most certain first."""


def _numbered(name: str) -> str:
    """Return a name without words of pictures and masks, and without zeros before numbers."""
    shortened = name
    for rule in (_MASK_END, _PICTURE_END, _MASK_START, _PICTURE_START):
        shortened = rule(f"{shortened}.png" if shortened is not name else name)
    return _DIGITS.sub(_without_zeros, shortened)


def _numbers(name: str) -> str:
    """Return the numbers in a name, without zeros before them."""
    return " ".join(map(_without_zeros, _DIGITS.finditer(_bare(name))))


def _without_zeros(number: re.Match[str]) -> str:
    return number[0].lstrip("0") or "0"


def _match(
    result: MaskPairs, mask_rule: _Rule, picture_rule: _Rule, *, has_folders: bool = True
) -> None:
    """Pair files that a rule matches; of several the first, if they lie in the same folder."""
    pictures = _by_key(result.pictures, picture_rule, has_folders=has_folders)
    masks = _by_key(result.masks, mask_rule, has_folders=has_folders)
    for key in pictures.keys() & masks.keys():
        is_clear = len(pictures[key]) == len(masks[key]) == 1
        if is_clear or (has_folders and mask_rule is picture_rule):
            result.pairs.append((pictures[key][0], masks[key][0]))
    remove_paired(result)


def _match_whole(result: MaskPairs) -> None:
    """Pair files by the first rule that matches nearly all of them, each only once."""
    for rule, is_affix in ((_numbered, False), (None, True), (_numbers, False)):
        mask_rule = rule or _without_common(result.masks)
        picture_rule = rule or _without_common(result.pictures)
        pictures = _by_key(result.pictures, picture_rule)
        masks = _by_key(result.masks, mask_rule)
        common = [key for key in pictures if key[-1] and key in masks]
        is_clear = all(len(pictures[key]) == len(masks[key]) == 1 for key in common)
        least = _NEARLY_ALL * min(len(result.pictures), len(result.masks))
        if len(common) < max(2, least) or not is_clear:
            continue
        found = [(pictures[key][0], masks[key][0]) for key in common]
        result.pairs += found
        remove_paired(result)
        facts: dict[str, Any] = {"count": len(found), "image": found[0][0], "mask": found[0][1]}
        result.warnings.append(_assumption(facts, is_affix=is_affix))
        result.warnings += _words_of_masks(found)
        return


def _words_of_masks(pairs: Sequence[tuple[str, str]]) -> list[Text]:
    """Point out words that only some masks have in their names, which may be classes.

    Args:
        pairs: Path of each picture, and of its mask.
    """
    words = Counter(
        " ".join(filter(None, re.split(r"[\W\d_]+", _bare(_name(mask))))) for _, mask in pairs
    )
    named = {word for picture, _ in pairs for word in words_of(_bare(_name(picture)))}
    found = [word for word in sorted(words) if word and word not in named]
    if not 2 <= len(found) <= _MOST_WORDS or min(words.values()) < 2:
        return []
    return [
        message(
            "The names of the masks have the words {words}, which were not read as classes. If "
            "they are, end the name of each mask with its image and class (a_road.png).",
            words=", ".join(found[:_MOST_WORDS]),
        )
    ]


def _assumption(facts: dict[str, Any], *, is_affix: bool) -> Text:
    if is_affix:
        return message(
            "{count} images and masks were paired by the part of their names in which they "
            "differ, for example {image} with {mask}.",
            one="{count} image and its mask were paired by the part of their names in which they "
            "differ: {image} with {mask}.",
            **facts,
        )
    return message(
        "{count} images and masks were paired by the numbers in their names, for example {image} "
        "with {mask}.",
        one="{count} image and its mask were paired by the numbers in their names: {image} with "
        "{mask}.",
        **facts,
    )


def _without_common(paths: Sequence[str]) -> _Rule:
    """Return a rule that removes what all names begin and end with, except numbers."""
    stems = [_bare(_name(path)) for path in paths]
    start = re.sub(r"\d+$", "", _common_start(stems))
    ends = [stem[len(start) :][::-1] for stem in stems]
    end = re.sub(r"\d+$", "", _common_start(ends))
    return lambda name: _bare(name)[len(start) :].removesuffix(end[::-1])


def _common_start(texts: Sequence[str]) -> str:
    """Return what all texts begin with; of the first and the last one in their order suffices."""
    low, high = min(texts), max(texts)
    same = takewhile(lambda pair: pair[0] == pair[1], zip(low, high, strict=False))
    return "".join(character for character, _ in same)


def _by_key(
    paths: Iterable[str], rule: _Rule, *, has_folders: bool = True
) -> dict[Key, list[str]]:
    found: dict[Key, list[str]] = {}
    for path in paths:
        folders = folder_key(path) if has_folders else ()
        found.setdefault((*folders, rule(_name(path))), []).append(path)
    return found


def remove_paired(result: MaskPairs) -> None:
    """Remove the pictures and masks of pairs from those that are left."""
    pictures, masks = {pair[0] for pair in result.pairs}, {pair[1] for pair in result.pairs}
    result.pictures = [path for path in result.pictures if path not in pictures]
    result.masks = [path for path in result.masks if path not in masks]


def _without_duplicates(result: MaskPairs, paths: Iterable[str], place: int) -> list[str]:
    named = {_file_key(pair[place]): pair[place] for pair in result.pairs}
    left: list[str] = []
    for path in paths:
        same = named.get(_file_key(path))
        if same is None:
            left.append(path)
        else:
            reason = message("it has the same name as {file}", file=same)
            result.problems.append(LeftOut(path, reason))
    return left


def _file_key(path: str) -> Key:
    return (*folder_key(path), stem_of(path))
