"""Origins by file names that have a stem in common and a running number: film1_0001.png."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

from studio.engine.datasets.origins.kinds import OriginKind
from studio.engine.tasks.split_words import words_in

_WORD: Final = re.compile(r"[^\W\d_]+$")
_DIGITS: Final = "0123456789"
_SIGNS: Final = " _.-("
_LONGEST_NUMBER: Final = 12
_FRAME_WORDS: Final = frozenset({"f", "fr", "frame", "frames", "t", "time", "quadro"})
_PLANE_WORDS: Final = frozenset({"z", "slice", "plane", "page", "layer", "corte", "pagina"})
_VIDEO_WORDS: Final = frozenset(
    {
        *("film", "filme", "video", "vid", "clip", "movie", "mov", "seq", "sequence", "cam"),
        *("shot", "scene", "cena", "take", "gopr", "mvi"),
    }
)
_STACK_WORDS: Final = frozenset({"stack", "volume", "vol", "scan", "series", "pilha"})
_CAMERA_WORDS: Final = frozenset(
    {
        *("", "img", "image", "imagem", "dsc", "dscn", "dscf", "dcim", "pict", "picture", "photo"),
        *("foto", "p", "frame", "screenshot", "scan", "snap", "capture", "pxl", "wp"),
    }
)
_YEAR: Final = re.compile(r"(?:19|20)\d\d")
_TIME: Final = re.compile(r"(?:19|20)\d{6}[_\-T ]?\d{6,9}$")
_COVERED: Final = 0.8
"""Least fraction of the images that are in series of two or more."""
_MEAN_SIZE: Final = 3.0
"""Least mean number of images of a series."""
_REGULAR: Final = 0.8
"""Least fraction of the steps between numbers that are close to the usual step."""
_STEP: Final = 3
"""Largest step between numbers that is close, in usual steps."""


@dataclass(frozen=True, slots=True)
class NumberedName:
    """A file name that ends with a number.

    Attributes:
        stem: The part before the number; with its folder if it has no letter.
        word: The word at the number, such as "frame", in lower case; it is part of no stem.
        number: The number.
    """

    stem: str
    word: str
    number: int


def series_names(keys: Sequence[str]) -> list[str]:
    """Return the stem of each file name with a running number; empty for other names.

    Args:
        keys: Paths of images in their source.
    """
    return [name.stem if name else "" for name in _numbered(keys)]


def proposed_series(
    keys: Sequence[str], classes: Sequence[str]
) -> tuple[OriginKind, list[str]] | None:
    """Return the kind and name of the series of images, if the evidence is strong.

    Names with running numbers are frequent, so that a series counts only if its stem has a number
    of its own or a word for a film or a stack, if its numbers run, and if stems are no classes.

    Args:
        keys: Paths of images in their source.
        classes: Class of each image; empty without one.
    """
    numbered = _numbered(keys)
    members: defaultdict[str, list[NumberedName]] = defaultdict(list)
    for name in numbered:
        if name is not None:
            members[name.stem].append(name)
    series = {
        stem: found for stem, found in members.items() if len(found) > 1 and _is_distinct(stem)
    }
    images = sum(map(len, series.values()))
    if len(series) < 2 or images < _COVERED * len(keys) or images < _MEAN_SIZE * len(series):
        return None
    names = [name.stem if name and name.stem in series else "" for name in numbered]
    if not _run(series.values()) or name_classes(names, classes):
        return None
    return _kind(series), names


def name_classes(names: Sequence[str], classes: Sequence[str]) -> bool:
    """Return True if there is one origin for each class: then they are classes, not origins.

    Args:
        names: Origin of each image; empty for none.
        classes: Class of each image.
    """
    pairs = {(name, label) for name, label in zip(names, classes, strict=True) if name}
    return (
        len({label for _, label in pairs} - {""}) == len({name for name, _ in pairs}) == len(pairs)
    )


def _numbered(keys: Sequence[str]) -> list[NumberedName | None]:
    """Return the parts of each file name, without an ending that most of them have."""
    parts = [key.rpartition("/") for key in keys]
    stems = [name.rpartition(".")[0] or name for _, _, name in parts]
    ending = _common_ending(stems)
    return [
        _parsed(stem.removesuffix(ending) if ending else stem, folder)
        for stem, (folder, _, _) in zip(stems, parts, strict=True)
    ]


def _common_ending(stems: Sequence[str]) -> str:
    """Return the ending without a number that all names have, such as "_leftImg8bit"."""
    endings = {re.sub(r"^.*\d(?=[ _.\-][^\W\d])", "", stem) for stem in stems[:1000]}
    if len(endings) != 1:
        return ""
    (ending,) = endings
    return ending if all(ending != stem for stem in stems[:2]) else ""


def _parsed(stem: str, folder: str) -> NumberedName | None:
    """Return the parts of a file name without suffix; None without a running number."""
    text = stem.removesuffix(")")
    rest = text.rstrip(_DIGITS)
    number = text[len(rest) :]
    # The time of a photo, such as IMG_20260531_123005, is no running number.
    if not number or len(number) > _LONGEST_NUMBER or _TIME.search(stem):
        return None
    name = rest.rstrip(_SIGNS)
    found = _WORD.search(name)
    word = found[0].casefold() if found is not None else ""
    if found is not None and word in _FRAME_WORDS | _PLANE_WORDS:
        name = name[: found.start()].rstrip(_SIGNS)
    else:
        word = ""
    if name and not any(map(str.isalpha, name)):
        # A number alone may be counted in each folder, such as 1_01.png in "cats" and "dogs".
        name = f"{folder}/{name}"
    return NumberedName(name, word, int(number))


def _is_distinct(stem: str) -> bool:
    """Return True for a stem that is more than a word of a camera, a class or a year."""
    words = words_in(stem.rpartition("/")[2])
    if len(words) == 1 and (words[0] in _CAMERA_WORDS or _YEAR.fullmatch(words[0])):
        return False
    numbers = any(word.isdecimal() for word in words)
    return numbers or bool(set(words) & (_VIDEO_WORDS | _STACK_WORDS) and len(words) > 1)


def _run(series: Iterable[Sequence[NumberedName]]) -> bool:
    """Return True if the numbers of series follow each other in about equal steps."""
    close = steps = 0
    for members in series:
        numbers = sorted({member.number for member in members})
        gaps = sorted(after - before for before, after in pairwise(numbers))
        if gaps:
            usual = gaps[len(gaps) // 2]
            close += sum(gap <= _STEP * usual for gap in gaps)
            steps += len(gaps)
    return steps > 0 and close >= _REGULAR * steps


def _kind(series: Mapping[str, Sequence[NumberedName]]) -> OriginKind:
    """Return "video" or "stack" if most names contain a word for it, or else "file_names"."""
    kinds = Counter[OriginKind]()
    for stem, members in series.items():
        words = {re.sub(r"\d+$", "", word) for word in words_in(stem.rpartition("/")[2])}
        if members[0].word in _FRAME_WORDS or words & _VIDEO_WORDS:
            kinds["video"] += 1
        elif members[0].word in _PLANE_WORDS or words & _STACK_WORDS:
            kinds["stack"] += 1
        else:
            kinds["file_names"] += 1
    return kinds.most_common(1)[0][0]
