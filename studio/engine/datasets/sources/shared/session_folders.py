"""Folders of sessions, such as days or patients, with the same class folders in each."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Final

from studio.engine.datasets.origins.folders import DATE, SESSIONS
from studio.engine.datasets.sources.shared.folder_tree import Body, shared_folders
from studio.engine.datasets.sources.shared.placement import Layout, listed, refuse_unknown
from studio.engine.messages import message
from studio.engine.tasks.split_words import says_nothing, split_of, words_in

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


def by_sessions(bodies: Mapping[str, Body], source: object) -> Layout | None:
    """Return the layout of sessions with the same class folders in each; None for others.

    Args:
        bodies: The top folders.
        source: The source, for messages.

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
        refuse_unknown(named, unknown, common, source)
    warning = message(
        "The folders {sessions} contain the same folders {classes}, which are read as classes; "
        "the outer ones are read as sessions. If the outer ones are the classes, move their "
        "images directly into them.",
        sessions=listed(bodies),
        classes=listed(common),
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
    is_session = bool(words) and (words[0] in SESSIONS or words[-1] in SESSIONS)
    return is_session or not words or says_nothing(name) or DATE.fullmatch(name) is not None
