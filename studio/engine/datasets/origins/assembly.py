"""Assembles the origins of decoded images: names, tiles, bursts and near-duplicates."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from studio.engine.datasets.groups import Groups, joined_groups, separate_groups, units_of
from studio.engine.datasets.origins.evidence import Evidence
from studio.engine.datasets.origins.kinds import OriginChoice
from studio.engine.datasets.origins.record import Origins

_BURSTS: Final = 0.2
"""Least fraction of the images that are in bursts, so that bursts are the origins."""


@dataclass(frozen=True, slots=True)
class RelatedImages:
    """N images that are related whatever their origins are; groups have the shape (N,).

    Attributes:
        pictures: Picture that each image is a tile of; empty for images that are no tiles.
        bursts: Images that a camera took within seconds.
        duplicates: Near-duplicates.
    """

    pictures: Sequence[str]
    bursts: Groups
    duplicates: Groups


def tile_groups(pictures: Sequence[str]) -> Groups:
    """Return the groups of tiles by their pictures; empty for images that are no tiles."""
    numbers = {name: index for index, name in enumerate(dict.fromkeys(filter(None, pictures)))}
    alone = separate_groups(len(pictures)) + len(numbers)
    return np.array(
        [numbers[name] if name else own for name, own in zip(pictures, alone, strict=True)],
        np.int64,
    )


def assembled_origins(evidence: Evidence, related: RelatedImages, choice: OriginChoice) -> Origins:
    """Return the origins of images.

    Tiles, bursts and near-duplicates stay together whatever the kind is. They are the origins
    if nothing else was recognized, or if the user chose them.

    Args:
        evidence: Origins that were recognized before the images were decoded.
        related: Groups of related images.
        choice: The requested kind.
    """
    count = len(evidence.names)
    if choice == "none":
        return Origins.none(count)
    tiles = tile_groups(related.pictures)
    together = joined_groups(tiles, related.bursts, related.duplicates)
    if evidence.kind != "none":
        return Origins.named(evidence.kind, evidence.names, together, evidence.column)
    unnamed = np.full(count, -1)
    if choice in ("auto", "burst") and _in_groups(related.bursts) > _BURSTS * count * (
        choice == "auto"
    ):
        names = _numbered("burst", related.bursts)
        return Origins.named("burst", names, together)
    if choice in ("auto", "tile") and _in_groups(tiles):
        return Origins.named("tile", related.pictures, together)
    if _in_groups(together):
        return Origins("near_duplicates", "", (), unnamed, together)
    return Origins.none(count)


def _in_groups(groups: Groups) -> int:
    """Return the number of images in groups of two or more."""
    sizes = units_of(groups).sizes
    return int(sizes[sizes > 1].sum())


def _numbered(word: str, groups: Groups) -> list[str]:
    """Return a name for the group of each image; empty for single images."""
    units = units_of(groups)
    number = np.cumsum(units.sizes > 1)
    return [
        f"{word} {number[unit]}" if units.sizes[unit] > 1 else ""
        for unit in units.unit_of.tolist()
    ]


def splittable_groups(groups: Groups) -> Groups:
    """Return the groups to split by: of a single group, each image by itself."""
    return separate_groups(len(groups)) if len(np.unique(groups)) < 2 else groups
