"""Part of a drawing as text, for the clipboard; what comes back is not trusted. Free of Qt."""

from __future__ import annotations

import json
import math
from collections.abc import Collection
from typing import Final, Literal

from pydantic import Field

from studio.engine.errors import StudioError
from studio.engine.networks.layers import LAYERS
from studio.engine.networks.spec import HEAD_BLOCK, INPUT, LayerNode, NetworkSpec, is_id
from studio.engine.plans import Plan
from studio.ui.pages.networks.designer import edits
from studio.ui.pages.networks.designer.picture import FARTHEST

LONGEST: Final = 4_000_000
"""Characters; DenseNet-121, with its 430 layers, takes about 250,000."""
MOST_NODES: Final = 2000
PASTE_STEP: Final = 24.0


class Fragment(Plan):
    """Layers that were copied, with the wires among them and their places.

    Attributes:
        studio: Says what this is, so that other text is not taken for it.
        nodes: The layers; inputs from other layers may be among theirs.
        positions: Their places.
    """

    studio: Literal["network layers"] = "network layers"
    nodes: tuple[LayerNode, ...] = Field(max_length=MOST_NODES)
    positions: dict[str, tuple[float, float]] = Field(default_factory=dict)


def copied(spec: NetworkSpec, ids: Collection[str]) -> str:
    """Return layers as text; empty for none."""
    nodes = tuple(node for node in spec.nodes if node.id in set(ids))
    if not nodes:
        return ""
    places = {node.id: spec.positions[node.id] for node in nodes if node.id in spec.positions}
    return Fragment(nodes=nodes, positions=places).to_json()


def read(text: str) -> Fragment:
    """Read copied layers, or all layers of a network, from a text.

    Raises:
        StudioError: It holds neither, or layers that do not exist or do not check.
    """
    if len(text) > LONGEST:
        raise _foreign("it is too long")
    try:
        data = json.loads(text)
    except (ValueError, RecursionError):
        raise _foreign("it is not JSON") from None
    if not isinstance(data, dict):
        raise _foreign("it is no JSON object")
    if "studio" not in data and "output" in data:
        spec = NetworkSpec.parse(data)
        fragment = Fragment(nodes=spec.nodes, positions=spec.positions)
    else:
        fragment = Fragment.parse(data)
    _refuse_unusable(fragment)
    return fragment


def pasted(
    spec: NetworkSpec, fragment: Fragment, at: edits.Place | None
) -> tuple[NetworkSpec, list[str]]:
    """Add copied layers, and return the network and the new ids.

    Wires among them and from the images are kept, those from other layers are not: an id of
    another drawing may mean something else here. Blocks get a name of their own.

    Args:
        spec: The drawing.
        fragment: What was copied.
        at: Where the upper left corner goes; beside the originals when None.
    """
    taken = edits.ids_of(spec)
    names: dict[str, str] = {}
    for node in fragment.nodes:
        names[node.id] = edits.free_id(node.id, taken) if node.id in taken else node.id
        taken.add(names[node.id])
    blocks = _block_names(spec, fragment)
    nodes = [
        node.model_copy(
            update={
                "id": names[node.id],
                "block": blocks.get(node.block, node.block),
                "inputs": tuple(
                    names.get(source, source)
                    for source in node.inputs
                    if source in names or source == INPUT
                ),
            }
        )
        for node in fragment.nodes
    ]
    places = _places(fragment, at)
    moved = {names[key]: place for key, place in places.items()}
    return edits.with_nodes(spec, nodes, moved), [node.id for node in nodes]


def _places(fragment: Fragment, at: edits.Place | None) -> dict[str, edits.Place]:
    ids = {node.id for node in fragment.nodes}
    places = {
        key: place
        for key, place in fragment.positions.items()
        if key in ids and all(math.isfinite(side) and abs(side) < FARTHEST for side in place)
    }
    if not places:
        return {}
    left = min(x for x, _ in places.values())
    top = min(y for _, y in places.values())
    to_x, to_y = at or (left + PASTE_STEP, top + PASTE_STEP)
    return {key: (x - left + to_x, y - top + to_y) for key, (x, y) in places.items()}


def _block_names(spec: NetworkSpec, fragment: Fragment) -> dict[str, str]:
    """Return new names for existing blocks, except the head."""
    taken = set(edits.blocks_of(spec))
    names: dict[str, str] = {}
    for node in fragment.nodes:
        if node.block in taken and node.block not in names and node.block != HEAD_BLOCK:
            names[node.block] = edits.free_id(node.block, taken | set(names.values()))
    return names


def _refuse_unusable(fragment: Fragment) -> None:
    ids = [node.id for node in fragment.nodes]
    if len(set(ids)) < len(ids) or INPUT in ids:
        raise _foreign("several layers have the same id")
    for node in fragment.nodes:
        if not is_id(node.id):
            raise _foreign(f'"{node.id[:40]}" is no id of a layer')
        LAYERS[node.layer].parameters.parse(node.parameters)


def _foreign(reason: str) -> StudioError:
    return StudioError(
        f"What is on the clipboard cannot be pasted: {reason}.",
        "Copy layers in a designer of Studio, or the JSON of a network.",
    )
