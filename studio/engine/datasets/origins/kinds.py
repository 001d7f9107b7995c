"""Kinds of origins, and the words for them. Never imports NumPy."""

from __future__ import annotations

from typing import Final, Literal

from studio.engine.messages import Message, message

OriginKind = Literal[
    "none",
    "video",
    "stack",
    "patient",
    "column",
    "file_names",
    "folder",
    "tile",
    "burst",
    "near_duplicates",
    "pattern",
]
OriginChoice = Literal[
    "auto",
    "video",
    "stack",
    "patient",
    "column",
    "file_names",
    "folder",
    "tile",
    "burst",
    "near_duplicates",
    "none",
]
ORIGINS_NAME: Final = "origins.json"
"""File of the kind and the names of the origins of a dataset."""
NAMED_KINDS: Final = ("video", "stack", "patient", "column", "file_names", "folder")
"""Kinds that are recognized before images are decoded; each origin has a name."""

UNNAMED_KINDS: Final = ("none", "near_duplicates")
"""Kinds that tell nothing about images of new origins."""

ORIGIN_LABELS: Final[dict[str, str]] = {
    "auto": "Recognize",
    "video": "Films",
    "stack": "Stacks",
    "patient": "Patients",
    "column": "Column of the table",
    "file_names": "Series of file names",
    "folder": "Folders",
    "tile": "Tiles of an image",
    "burst": "Bursts of a camera",
    "near_duplicates": "Near-duplicates",
    "none": "None: single images",
}


def images_of_origins(kind: OriginKind, images: int, count: int, column: str = "") -> Message:
    """Return the number of images and origins in words: "412 frames of 9 films".

    Args:
        kind: Kind of the origins.
        images: Number of images.
        count: Number of origins.
        column: Heading of the column, for "column".
    """
    return _texts(images, count, column)[kind]


def _texts(images: int, count: int, column: str) -> dict[OriginKind, Message]:
    """Return the words for each kind; see `images_of_origins`."""
    named: dict[OriginKind, Message] = {
        "none": message("{count:,} single images", one="{count:,} single image", count=images),
        "video": message(
            "{images:,} frames of {count:,} films",
            one="{images:,} frames of {count} film",
            images=images,
            count=count,
        ),
        "stack": message(
            "{images:,} planes of {count:,} stacks",
            one="{images:,} planes of {count} stack",
            images=images,
            count=count,
        ),
        "patient": message(
            "{images:,} images of {count:,} patients",
            one="{images:,} images of {count} patient",
            images=images,
            count=count,
        ),
        "column": message(
            "{images:,} images of {count:,} values of “{column}”",
            one="{images:,} images of {count} value of “{column}”",
            images=images,
            count=count,
            column=column,
        ),
        "file_names": message(
            "{images:,} images of {count:,} series of file names",
            one="{images:,} images of {count} series of file names",
            images=images,
            count=count,
        ),
        "folder": message(
            "{images:,} images of {count:,} folders",
            one="{images:,} images of {count} folder",
            images=images,
            count=count,
        ),
    }
    return named | _texts_of_related(images, count)


def _texts_of_related(images: int, count: int) -> dict[OriginKind, Message]:
    """Return the words for kinds that are found in the images themselves."""
    return {
        "tile": message(
            "{images:,} tiles of {count:,} images",
            one="{images:,} tiles of {count} image",
            images=images,
            count=count,
        ),
        "burst": message(
            "{images:,} images of {count:,} bursts",
            one="{images:,} images of {count} burst",
            images=images,
            count=count,
        ),
        "near_duplicates": message(
            "{count:,} groups of near-duplicates kept together ({images:,} images)",
            one="{count} group of near-duplicates kept together ({images:,} images)",
            images=images,
            count=count,
        ),
        "pattern": message(
            "{images:,} images of {count:,} groups",
            one="{images:,} images of {count} group",
            images=images,
            count=count,
        ),
    }


def unseen_origins(kind: OriginKind) -> Message:
    """Return the origins that a metric was measured on, in words: "unseen films"."""
    return _UNSEEN.get(kind, _UNSEEN["pattern"])


def known_origins(kind: OriginKind) -> Message:
    """Return the origins that training images have, too, in words: "known films"."""
    return _KNOWN.get(kind, _KNOWN["pattern"])


_KNOWN: Final = {
    "video": message("known films"),
    "stack": message("known stacks"),
    "patient": message("known patients"),
    "column": message("known groups of the table"),
    "file_names": message("known series of images"),
    "folder": message("known folders"),
    "tile": message("tiles of known images"),
    "burst": message("known bursts"),
    "pattern": message("known groups"),
}
_UNSEEN: Final = {
    "video": message("unseen films"),
    "stack": message("unseen stacks"),
    "patient": message("unseen patients"),
    "column": message("unseen groups of the table"),
    "file_names": message("unseen series of images"),
    "folder": message("unseen folders"),
    "tile": message("tiles of unseen images"),
    "burst": message("unseen bursts"),
    "near_duplicates": message("images without near-duplicates in training"),
    "pattern": message("unseen groups"),
}
