"""Which layers of a network training leaves alone, and how fast the others learn.

Pure functions on the description; `studio.engine.compute.optimizers` does it to a Keras model.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable

from studio.engine.errors import StudioError
from studio.engine.networks.fitting import head_of
from studio.engine.networks.parts import INNER
from studio.engine.networks.spec import LayerNode, NetworkSpec, ancestors

NONE = "none"
ALL = "all"

_FASTEST = 1000.0


def with_freezing(spec: NetworkSpec, freeze: str) -> NetworkSpec:
    """The network with more of its layers frozen; what is frozen in it already stays so.

    The head is never frozen.

    Args:
        spec: The network.
        freeze: `NONE`; `ALL` but the head; or a block, a layer, or a layer or block inside a
            backbone (`conv4_block6`, or with several backbones `backbone_1-conv4_block6`):
            everything from the images up to and including it.

    Raises:
        StudioError: There is no such layer or block, or it belongs to the head; the hint lists
            what there is.
    """
    if freeze in ("", NONE):
        return spec
    head = head_of(spec)
    if freeze == ALL:
        return _frozen(spec, {node.id for node in spec.nodes} - head)
    chosen = [node.id for node in spec.nodes if freeze in (node.id, node.block)]
    if not chosen:
        return _inside(spec, freeze, head)
    if head.intersection(chosen):
        raise StudioError(
            f'"{freeze}" belongs to the head of {spec.name}, which is always trained.',
            _choices(freeze, spec),
            "freeze",
        )
    return _frozen(spec, {above for each in chosen for above in ancestors(spec, each)})


def with_rates(spec: NetworkSpec, backbone: float, head: float) -> NetworkSpec:
    """The network with the learning rates of its layers multiplied, those of its head apart."""
    if backbone == head == 1:
        return spec
    heads = head_of(spec)
    nodes = tuple(
        node.model_copy(
            update={"rate": min(_FASTEST, node.rate * (head if node.id in heads else backbone))}
        )
        for node in spec.nodes
    )
    return spec.model_copy(update={"nodes": nodes})


def freezable(spec: NetworkSpec) -> list[str]:
    """What `with_freezing` takes for this network: words, blocks, then layers, from the images on.

    Layers inside backbones are taken, too, but only Keras knows their names.
    """
    head = head_of(spec)
    body = [node for node in spec.nodes if node.id not in head]
    blocks = dict.fromkeys(node.block for node in body if node.block)
    return list(dict.fromkeys([NONE, ALL, *blocks, *(node.id for node in body)]))


def _choices(freeze: str, spec: NetworkSpec) -> str:
    names = freezable(spec)
    close = difflib.get_close_matches(freeze, names, n=1)
    meant = f'Did you mean "{close[0]}"? ' if close else ""
    return f"{meant}There are: {', '.join(names)}."


def _inside(spec: NetworkSpec, freeze: str, head: set[str]) -> NetworkSpec:
    """Freeze up to a layer inside a backbone; whether it is there is seen when it is built."""
    backbones = [n for n in spec.nodes if n.layer == "backbone" and n.id not in head]
    owner, sign, inner = freeze.partition(INNER)
    if not sign and len(backbones) == 1:
        owner, inner = backbones[0].id, freeze
    node = next((node for node in backbones if node.id == owner), None)
    if node is None or not inner:
        raise StudioError(
            f'{spec.name} has no layer or block "{freeze}" to freeze.',
            _choices(freeze, spec),
            "freeze",
        )
    before = {above for each in node.inputs for above in ancestors(spec, each)}
    partly = node.model_copy(update={"parameters": {**node.parameters, "frozen_up_to": inner}})
    nodes = tuple(partly if each is node else each for each in spec.nodes)
    return _frozen(spec.model_copy(update={"nodes": nodes}), before)


def _frozen(spec: NetworkSpec, ids: Iterable[str]) -> NetworkSpec:
    still = frozenset(ids)

    def settled(node: LayerNode) -> LayerNode:
        return node.model_copy(update={"frozen": True}) if node.id in still else node

    return spec.model_copy(update={"nodes": tuple(map(settled, spec.nodes))})
