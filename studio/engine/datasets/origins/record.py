"""Origins of the images of a dataset, as it stores them: `origins.json` and `origins.npy`."""

from __future__ import annotations

import io
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Final, get_args

import numpy as np
from numpy.typing import NDArray

from studio.engine.datasets.groups import Groups, joined_groups, separate_groups, units_of
from studio.engine.datasets.origins.kinds import ORIGINS_NAME, OriginKind
from studio.engine.errors import BadDataError, StudioError
from studio.engine.files import read_failure, write_array, write_atomically
from studio.engine.messages import Message, as_message, message

COLUMNS_NAME: Final = "origins.npy"
"""Number of the name and group of related images of each row, int64, shape (N, 2)."""
_LARGEST: Final = 0.5
"""Largest fraction of the images that related images may join into one group."""


@dataclass(frozen=True, eq=False)
class Origins:
    """Origins of N images.

    Attributes:
        kind: Kind of the origins; "none" if each image has its own.
        column: Heading of the column of a table, for the kind "column".
        names: Names of origins; empty for kinds whose origins have no names.
        name_of: Index into `names`, -1 for images without a known origin, shape (N,).
        related: Group of near-duplicates, tiles and images of a burst, shape (N,).
    """

    kind: OriginKind
    column: str
    names: tuple[str, ...]
    name_of: NDArray[np.int64]
    related: Groups

    @classmethod
    def none(cls, count: int) -> Origins:
        """Return origins of images that have nothing in common."""
        return cls("none", "", (), np.full(count, -1), separate_groups(count))

    @classmethod
    def named(
        cls, kind: OriginKind, names: Sequence[str], related: Groups, column: str = ""
    ) -> Origins:
        """Return origins by their names.

        Args:
            kind: Their kind.
            names: Name of the origin of each image; empty if it is unknown.
            related: See `Origins`.
            column: See `Origins`.
        """
        known = {name: index for index, name in enumerate(dict.fromkeys(filter(None, names)))}
        name_of = np.array([known.get(name, -1) for name in names], np.int64)
        return cls(kind, column, tuple(known), name_of, related)

    @cached_property
    def groups(self) -> Groups:
        """Group of each image, shape (N,); images of a group belong in the same split.

        Origins that have related images are one group, unless most images would be in it: films
        of one camera may all contain the same empty scene.
        """
        unknown = self.name_of < 0
        named = np.where(unknown, len(self.names) + self.related, self.name_of)
        joined = joined_groups(named, self.related)
        allowed = max(_LARGEST * len(named), units_of(named).sizes.max(initial=0))
        groups = joined if units_of(joined).sizes.max(initial=0) <= allowed else named
        return units_of(groups).unit_of.astype(np.int64)

    @cached_property
    def labels(self) -> NDArray[np.int64]:
        """Origin of each image for counts: its name, or else its group; shape (N,)."""
        known = self.name_of >= 0
        return np.where(known, self.name_of, len(self.names) + self.groups)

    def name(self, row: int) -> str:
        """Return the name of the origin of an image; empty if it is unknown or has no name."""
        index = int(self.name_of[row])
        return self.names[index] if index >= 0 else ""


def origins_by_pattern(paths: Sequence[str], pattern: str, related: Groups) -> Origins:
    """Return the origins that a regular expression finds in the paths of images.

    Args:
        paths: Paths of the images; empty for rows that are left out.
        pattern: Its first group, or the whole match, is the name of the origin.
        related: See `Origins`.

    Raises:
        StudioError: The pattern matches no path.
    """
    expression = re.compile(pattern)
    part = 1 if expression.groups else 0
    found = (expression.search(path) for path in paths)
    # An empty match is a name, too.
    names = ["" if each is None else each.group(part) or "-" for each in found]
    if paths and not any(names):
        raise StudioError(
            'The pattern "{pattern}" matches no path; one of them is "{path}".',
            "Change the pattern so that it matches the part of the name that images of a group "
            "share.",
            "pattern",
            pattern=pattern,
            path=next(filter(None, paths), ""),
        )
    return Origins.named("pattern", names, related)


def write_origins(folder: Path, origins: Origins) -> None:
    """Write the origins of the images of a dataset, if they have any.

    Args:
        folder: Folder of the dataset.
        origins: The origins.

    Raises:
        DiskFullError: No space was left.
    """
    if origins.kind == "none":
        return
    write_array(folder / COLUMNS_NAME, np.stack([origins.name_of, origins.related], axis=1))
    document = {"kind": origins.kind, "column": origins.column, "names": origins.names}
    text = json.dumps(document, indent=1, ensure_ascii=False)
    write_atomically(folder / ORIGINS_NAME, text + "\n")


def read_origins(folder: Path, count: int) -> Origins:
    """Read the origins of the images of a dataset.

    Args:
        folder: Folder of the dataset.
        count: Number of images of the dataset.

    Raises:
        BadDataError: The files are damaged or of another dataset.
    """
    path = folder / ORIGINS_NAME
    try:
        document = json.loads(path.read_bytes())
        columns = np.load(io.BytesIO((folder / COLUMNS_NAME).read_bytes()), allow_pickle=False)
    except FileNotFoundError:
        return Origins.none(count)
    except (OSError, ValueError, EOFError) as error:
        raise _damaged(path, as_message(read_failure(error))) from error
    if columns.shape != (count, 2) or columns.dtype != np.int64:
        reason = message(
            "it has {dtype} of shape {shape}", dtype=columns.dtype, shape=columns.shape
        )
        raise _damaged(path, reason)
    if not _is_valid(document) or columns[:, 0].max(initial=-1) >= len(document["names"]):
        raise _damaged(path, message("it has other names"))
    return Origins(
        document["kind"],
        document["column"],
        tuple(document["names"]),
        columns[:, 0],
        columns[:, 1],
    )


def _is_valid(document: object) -> bool:
    return (
        isinstance(document, Mapping)
        and document.get("kind") in get_args(OriginKind)
        and isinstance(document.get("column"), str)
        and isinstance(document.get("names"), list)
        and all(isinstance(name, str) for name in document["names"])
    )


def _damaged(path: Path, reason: Message) -> BadDataError:
    return BadDataError(
        "The origins of images in {file} cannot be read: {reason}.",
        "Import the images again.",
        str(path),
        file=path,
        reason=reason,
    )
