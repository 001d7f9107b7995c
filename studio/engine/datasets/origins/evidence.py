"""Proposes the origins of images that were found, before they are decoded.

Each kind of evidence is a function; the first kind with strong evidence is used. A kind that the
user chose needs no strong evidence, only two origins.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from studio.engine.datasets.origins.folders import folder_names, proposed_folders
from studio.engine.datasets.origins.kinds import (
    NAMED_KINDS,
    ORIGIN_LABELS,
    OriginChoice,
    OriginKind,
)
from studio.engine.datasets.origins.names import proposed_series, series_names
from studio.engine.errors import StudioError
from studio.engine.messages import message


@dataclass(frozen=True, slots=True)
class ImagesFound:
    """Images of a source, before they are decoded.

    Attributes:
        keys: Path of each image in its source.
        classes: Class of each image; empty without one.
        given: Origin of each image as the source states it; empty if it states none.
        given_kind: Kind of these origins.
        column: Heading of the column that they are from; empty for others.
    """

    keys: Sequence[str]
    classes: Sequence[str]
    given: Sequence[str]
    given_kind: OriginKind
    column: str = ""


@dataclass(frozen=True, slots=True)
class Evidence:
    """Origins that were recognized.

    Attributes:
        kind: Their kind; "none" if nothing was recognized.
        names: Origin of each image; empty for images without.
        column: Heading of the column of a table.
    """

    kind: OriginKind
    names: Sequence[str]
    column: str = ""


def recognize_origins(images: ImagesFound, choice: OriginChoice) -> Evidence:
    """Return the origins of the images of a source.

    Args:
        images: The images.
        choice: The requested kind; "auto" for the kind with the strongest evidence.

    Raises:
        StudioError: There are no origins of the requested kind.
    """
    nothing = Evidence("none", [""] * len(images.keys))
    if choice == "auto":
        proposals = (_given(images), _series(images), _folders(images))
        return next((each for each in proposals if each is not None), nothing)
    if choice not in NAMED_KINDS:
        return nothing
    found = _chosen(images, choice)
    if found is None or not any(found.names):
        raise StudioError(
            "No origins of the kind “{kind}” were recognized.",
            "Choose another kind of origins, or “none” for single images.",
            "origins",
            kind=message(ORIGIN_LABELS[choice]),
        )
    return found


def _given(images: ImagesFound) -> Evidence | None:
    """Return origins that the source itself states, such as those of a dataset or a column."""
    if not any(images.given):
        return None
    return Evidence(images.given_kind, images.given, images.column)


def _series(images: ImagesFound) -> Evidence | None:
    """Return films, stacks and series by file names with running numbers."""
    found = proposed_series(images.keys, images.classes)
    return None if found is None else Evidence(*found)


def _folders(images: ImagesFound) -> Evidence | None:
    """Return folders that look like sessions."""
    found = proposed_folders(images.keys, images.classes)
    return None if found is None else Evidence("folder", found)


def _chosen(images: ImagesFound, kind: OriginChoice) -> Evidence | None:
    """Return origins of a kind that the user chose, however weak the evidence is."""
    is_column = kind == "column" and bool(images.column)
    if any(images.given) and (kind == images.given_kind or is_column):
        return _given(images)
    if kind == "folder":
        return Evidence("folder", folder_names(images.keys, images.classes))
    series = _series(images)
    if kind == "file_names":
        return series or Evidence("file_names", series_names(images.keys))
    return series if series is not None and series.kind == kind else None
