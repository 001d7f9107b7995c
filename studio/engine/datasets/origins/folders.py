"""Origins by folders that look like sessions: days, patients, cameras, films."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Collection, Sequence
from typing import Final

from studio.engine.datasets.origins.names import name_classes
from studio.engine.tasks.split_words import says_nothing, split_of, words_in

SESSIONS: Final = frozenset(
    {
        *("batch", "cam", "camera", "day", "device", "fold", "group", "lote", "dia", "sessao"),
        *("part", "parte", "patient", "paciente", "round", "run", "scene", "sesion", "session"),
        *("site", "source", "subject", "take", "user", "week", "writer"),
    }
)
"""Words of folders that are sessions, also without a number."""
SESSION_WORDS: Final = SESSIONS | {
    *("film", "filme", "video", "clip", "movie", "sequence", "seq", "plate", "placa", "well"),
    *("stack", "slide", "case", "caso", "animal", "mouse", "fish", "field", "plant", "flight"),
}
"""Words of folders and cells that name an origin beside a number."""
DATE: Final = re.compile(r"\d{4}[-_. ]?\d\d[-_. ]?\d\d")
_LEAST_SIZE: Final = 2.0
_COVERED: Final = 0.8


def folder_names(keys: Sequence[str], classes: Sequence[str]) -> list[str]:
    """Return the folders of each image that are neither splits nor classes; empty for none.

    Args:
        keys: Paths of images in their source.
        classes: Class of each image; empty without one.
    """
    pairs = [(key.rpartition("/")[0], label) for key, label in zip(keys, classes, strict=True)]
    parts = {folder: tuple(folder.split("/")) for folder in dict.fromkeys(f for f, _ in pairs)}
    common = _common(list(parts.values()))
    names = {
        (folder, label): "/".join(
            part for part in parts[folder][common:] if part and not _says_nothing(part, label)
        )
        for folder, label in dict.fromkeys(pairs)
    }
    return [names[pair] for pair in pairs]


def proposed_folders(keys: Sequence[str], classes: Sequence[str]) -> list[str] | None:
    """Return the folder of each image if folders look like sessions.

    Args:
        keys: Paths of images in their source.
        classes: Class of each image; empty without one.
    """
    names = folder_names(keys, classes)
    sizes = Counter(name for name in names if name)
    images = sum(sizes.values())
    if len(sizes) < 2 or images < _COVERED * len(keys) or images < _LEAST_SIZE * len(sizes):
        return None
    if name_classes(names, classes):
        return None
    is_session = all(map(_is_session, sizes)) or are_counted(sizes)
    return names if is_session or _cross(names, classes) else None


def are_counted(names: Collection[str]) -> bool:
    """Return True for names that differ only in a number, as those of patients do."""
    words = {tuple(word for word in words_in(name) if not word.isdecimal()) for name in names}
    return len(words) == 1 and words != {()}


def _common(parents: Sequence[tuple[str, ...]]) -> int:
    """Return the number of folders that all images are in."""
    first, last = (min(parents), max(parents)) if parents else ((), ())
    same = [one == other for one, other in zip(first, last, strict=False)]
    return [*same, False].index(False)


def _says_nothing(folder: str, label: str) -> bool:
    return folder == label or split_of(folder) is not None or says_nothing(folder)


def _is_session(name: str) -> bool:
    """Return True for a date, or a name with a word of sessions and a number."""
    words = words_in(name)
    plain = {re.sub(r"\d+$", "", word) for word in words}
    has_number = any(letter.isdecimal() for letter in name)
    return DATE.search(name) is not None or (has_number and bool(plain & SESSION_WORDS))


def _cross(names: Sequence[str], classes: Sequence[str]) -> bool:
    """Return True if most classes are in several folders, and most folders have several classes.

    Then the folders divide the images in another way than the classes do.
    """
    folders: defaultdict[str, set[str]] = defaultdict(set)
    labels: defaultdict[str, set[str]] = defaultdict(set)
    for name, label in zip(names, classes, strict=True):
        if name and label:
            folders[label].add(name)
            labels[name].add(label)
    return all(
        groups and sum(len(each) > 1 for each in groups.values()) * 2 > len(groups)
        for groups in (folders, labels)
    )
