"""What can be added to a drawing: layers and blocks, from their registries. Free of Qt."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Final

from studio.engine.networks.blocks import BLOCKS
from studio.engine.networks.layers import LAYERS
from studio.engine.networks.layers.layer import FAMILY_LABELS
from studio.ui.pages.networks.designer.additions import BLOCK_CHOICE

BLOCK_GROUP: Final = "Blocks"
HIDDEN: Final = frozenset({"keras", "subtract_mean"})
"""Layers that files bring along and that nobody draws: they hold data, not settings."""


@dataclass(frozen=True, slots=True)
class Choice:
    """Something that can be added.

    Attributes:
        name: Name in its registry; blocks have a prefix.
        label: Shown name.
        help: One line: what it does.
        family: For color and icon.
        group: Name of its group in the palette.
    """

    name: str
    label: str
    help: str
    family: str
    group: str


@cache
def choices() -> tuple[Choice, ...]:
    """Everything, group by group."""
    by_family: dict[str, list[Choice]] = {family: [] for family in FAMILY_LABELS}
    for layer in LAYERS:
        if layer.name not in HIDDEN:
            group = FAMILY_LABELS[layer.family]
            choice = Choice(layer.name, layer.label, layer.summary, layer.family, group)
            by_family[layer.family].append(choice)
    blocks = [
        Choice(BLOCK_CHOICE + block.name, block.label, block.summary, "block", BLOCK_GROUP)
        for block in BLOCKS
    ]
    return (*(choice for family in by_family.values() for choice in family), *blocks)


def matching(words: str, among: tuple[Choice, ...]) -> list[Choice]:
    """What a person may mean: all words occur in it; labels that begin so come first."""
    wanted = words.casefold().split()
    found = [
        choice
        for choice in among
        if all(
            word in f"{choice.label} {choice.name} {choice.group} {choice.help}".casefold()
            for word in wanted
        )
    ]
    first = " ".join(wanted)
    return sorted(
        found,
        key=lambda choice: (
            not choice.label.casefold().startswith(first),
            first not in choice.label.casefold(),
        ),
    )
