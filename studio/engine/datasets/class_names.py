"""Names of classes: one form of accents, and warnings about names that differ hardly."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Mapping
from dataclasses import replace

from studio.engine.datasets.sources.base import Scan
from studio.engine.files import composed, natural_key
from studio.engine.messages import Text, joined, message
from studio.engine.tasks.split_words import split_of

_EXAMPLES = 5
_INVISIBLE = re.compile(r"[\u200b-\u200f\u2060\ufeff\u00ad]+")


def compose_names(scan: Scan) -> None:
    """Give the names of classes and columns of a scan, and its cells, one form of accents.

    Classes whose names differ only in that become one. Those of masks and boxes stay as their
    files have them, which tell them apart; `gather` joins them.
    """
    known: dict[str, str] = {}
    for index, item in enumerate(scan.items):
        name = known.setdefault(item.class_name, composed(item.class_name))
        values = tuple(map(composed, item.values))
        if name != item.class_name or values != item.values:
            scan.items[index] = replace(item, class_name=name, values=values)
    scan.columns = tuple(map(composed, scan.columns))


def similar_names(names: Iterable[str]) -> list[list[str]]:
    """Return groups of names that differ only in case, spaces or forms of the same letters.

    Args:
        names: The names, each once.
    """
    groups: dict[str, list[str]] = {}
    for name in names:
        groups.setdefault(_plain(name), []).append(name)
    return [sorted(group, key=natural_key) for group in groups.values() if len(group) > 1]


def split_like(names: Iterable[str]) -> list[str]:
    """Return the classes that are called like splits: "train", "test set"."""
    return [name for name in names if split_of(name) is not None]


def class_name_warnings(counts: Mapping[str, int | None]) -> list[Text]:
    """Return a sentence for each kind of conspicuous names of classes.

    Args:
        counts: Number of images or objects by class; None where it is not known.
    """
    warnings: list[Text] = [
        message(
            "The classes {classes} differ only in case or spaces. If they are the same, give them "
            "one name in the source.",
            classes=joined([_with_count(name, counts[name]) for name in group[:_EXAMPLES]], ", "),
        )
        for group in similar_names(counts)
    ]
    splits = split_like(counts)
    if splits and 2 * len(splits) >= len(counts):
        warnings.append(
            message(
                "Classes are called like splits: {classes}. Check that they are not folders of "
                "training, validation or test images.",
                classes=", ".join(splits[:_EXAMPLES]),
            )
        )
    return warnings


def _plain(name: str) -> str:
    letters = unicodedata.normalize("NFKC", _INVISIBLE.sub("", name)).casefold()
    return " ".join(letters.split())


def _with_count(name: str, count: int | None) -> Text:
    if count is None:
        return f'"{name}"'
    return message('"{class_name}" ({count:,})', class_name=name, count=count)
