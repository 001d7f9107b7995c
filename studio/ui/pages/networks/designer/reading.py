"""The drawing for those who go through it by keyboard or hear it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from studio.engine.errors import StudioError
from studio.engine.networks.spec import NetworkSpec, topological_order
from studio.ui.pages.networks.designer.stage import Stage

_MOST: Final = 8
"""Boxes that a description names."""


def reading_order(stage: Stage, spec: NetworkSpec) -> list[str]:
    """Keys of the boxes of layers, in the order of computation."""
    try:
        nodes = topological_order(spec)
    except StudioError:  # wires run in a circle
        nodes = spec.nodes
    return [key for key in stage.shown(node.id for node in nodes) if key in stage.boxes]


def description(stage: Stage, keys: Sequence[str]) -> str:
    """What some boxes say, in words."""
    looks = [stage.boxes[key].look for key in keys[:_MOST]]
    return ", ".join(f"{look.title} {look.detail}".strip() for look in looks)
