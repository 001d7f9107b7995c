"""The wires of a drawing: which there are, which may be, and every change of them. Free of Qt."""

from __future__ import annotations

from typing import Final

from studio.engine.errors import StudioError
from studio.engine.networks.layers import LAYERS
from studio.engine.networks.spec import INPUT, LayerNode, NetworkSpec, ancestors
from studio.ui.pages.networks.designer.edits import ids_of, replaced

CLASSES: Final = "@classes"
"""Where the drawing ends: a wire to it makes its source the output. No node can have this id."""

Wire = tuple[str, str]


def wires_of(spec: NetworkSpec) -> list[tuple[str, str]]:
    """All wires as (source, target), the one to the classes last; dangling ones left out."""
    known = ids_of(spec)
    found = [(source, node.id) for node in spec.nodes for source in node.inputs if source in known]
    return [*found, (spec.output, CLASSES)] if spec.output in known else found


def wire(spec: NetworkSpec, source: str, target: str) -> NetworkSpec:
    """Lead the output of a node into another; a layer of one input lets go of what it had.

    Raises:
        StudioError: The wire would close a circle, or leads nowhere.
    """
    reason = refusal(spec, source, target)
    if reason:
        raise StudioError(reason, "Draw the wire somewhere else.", target)
    if target == CLASSES:
        return spec.model_copy(update={"output": source})
    node = spec.node(target)
    if source in node.inputs:
        return spec
    inputs = (*node.inputs, source) if takes_several(node) else (source,)
    return replaced(spec, {target: node.model_copy(update={"inputs": inputs})})


def refusal(spec: NetworkSpec, source: str, target: str) -> str:
    """Why no wire may run from one to the other; empty where it may."""
    known = ids_of(spec)
    if source not in known or (target not in known and target != CLASSES) or target == INPUT:
        return f'No wire can run from "{source}" to "{target}".'
    if target == CLASSES:
        return "The images alone are no network." if source == INPUT else ""
    if target in ancestors(spec, source):
        return f'A wire from "{source}" to "{target}" would close a circle.'
    return ""


def targets(spec: NetworkSpec, source: str) -> set[str]:
    """Ids to which a wire from a node may run."""
    if source == INPUT:
        return {node.id for node in spec.nodes}
    if source not in ids_of(spec):
        return set()
    return (ids_of(spec) | {CLASSES}) - ancestors(spec, source) - {INPUT}


def takes_several(node: LayerNode) -> bool:
    """Whether a node joins branches."""
    return node.layer in LAYERS and LAYERS[node.layer].joins


def unwire(spec: NetworkSpec, source: str, target: str) -> NetworkSpec:
    """Take a wire away; the one to the classes stays, as a network must end somewhere."""
    if target == CLASSES or target not in ids_of(spec) - {INPUT}:
        return spec
    node = spec.node(target)
    inputs = tuple(other for other in node.inputs if other != source)
    return replaced(spec, {target: node.model_copy(update={"inputs": inputs})})
