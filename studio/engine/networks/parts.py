"""Layers of a block: the one rule by which models, code and sliders freeze.

Blocks inside a backbone are recognized by the names that Keras publishes. Never imports Keras.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Sequence

from studio.engine.errors import StudioError
from studio.engine.messages import joined, message
from studio.engine.networks.fitting import head_of
from studio.engine.networks.spec import (
    HEAD_BLOCK,
    LayerNode,
    NetworkSpec,
    ancestors,
    topological_order,
)

NONE = "none"
ALL = "all"

_FASTEST = 1000.0


def with_freezing(spec: NetworkSpec, freeze: str) -> NetworkSpec:
    """Return the network with more of its layers frozen; what is frozen in it already stays so.

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
            '"{layer}" belongs to the head of {backbone}, which is always trained.',
            _choices(freeze, spec),
            "freeze",
            layer=freeze,
            backbone=spec.name,
        )
    return _frozen(spec, {above for each in chosen for above in ancestors(spec, each)})


def with_rates(spec: NetworkSpec, backbone: float, head: float) -> NetworkSpec:
    """Return the network with scaled learning rates of its layers.

    Args:
        spec: The network.
        backbone: Factor for all layers before the head.
        head: Factor for the layers of the head.
    """
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
    """Return the values that `with_freezing` accepts: words, blocks, layers, from the input on.

    Layers inside backbones are taken, too, but only Keras knows their names.
    """
    head = head_of(spec)
    body = [node for node in spec.nodes if node.id not in head]
    blocks = dict.fromkeys(node.block for node in body if node.block)
    return list(dict.fromkeys([NONE, ALL, *blocks, *(node.id for node in body)]))


def _choices(freeze: str, spec: NetworkSpec) -> str:
    names = freezable(spec)
    close = difflib.get_close_matches(freeze, names, n=1)
    meant = message('Did you mean "{name}"?', name=close[0]) if close else ""
    return joined((meant, message("Available: {layers}.", layers=", ".join(names))))


def _inside(spec: NetworkSpec, freeze: str, head: set[str]) -> NetworkSpec:
    """Freeze up to a layer inside a backbone; whether it is there is seen when it is built."""
    backbones = [n for n in spec.nodes if n.layer == "backbone" and n.id not in head]
    owner, sign, inner = freeze.partition(INNER)
    if not sign and len(backbones) == 1:
        owner, inner = backbones[0].id, freeze
    node = next((node for node in backbones if node.id == owner), None)
    if node is None or not inner:
        raise StudioError(
            '{backbone} has no layer or block "{layer}" to freeze.',
            _choices(freeze, spec),
            "freeze",
            backbone=spec.name,
            layer=freeze,
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


INNER = "-"
"""Between the id of a backbone's node and the name of a layer in it; no id holds it."""

Parts = dict[str, tuple[str, ...]]
"""Ids of layers by block, or by the layer's own id where it is in none."""

_CONVNEXT = "convnext_[a-z]+_"
_BLOCKS = tuple(
    re.compile(pattern)
    for pattern in (
        r"(conv\d+_block\d+)_",  # ResNet, DenseNet
        rf"(?:{_CONVNEXT})?(stage_?\d+_block_?\d+)_",
        r"(block\d+_\d+)_",  # Inception-ResNet
        r"(block_?\d+[a-z]?)_",  # VGG, MobileNetV2, EfficientNet, Xception
        r"(expanded_conv(?:_\d+)?)_",  # MobileNetV2 and V3
        r"(fire\d+)[/_]",  # SqueezeNet
        r"(inception_\d+[a-z])[/_]",  # GoogLeNet
        r"(mixed_\d+[a-z])_",  # Inception-ResNet
        r"(stage_?\d+)_",
        r"(conv\d+|pool\d+|stem|top)_",
    )
)
_SEPARABLE = re.compile(r"conv_(?:dw|pw|pad)_(\d+)(?:_|$)")  # MobileNet
_JOIN = re.compile(r"mixed\d+|mixed_\d+[a-z]|(?:normal|reduction)_concat_\w+")
"""Last layers of blocks in Inception and NASNet, whose other names are not informative."""


def block_of(path: str) -> str:
    """Return the block of a layer by its name; empty if the name contains none.

    Args:
        path: Its name, after the names of the models around it, each with a slash.
    """
    name = path.rpartition(INNER)[2]
    parts = name.split("/")
    for part in ("/".join(parts[at:]) for at in range(len(parts))):
        for pattern in _BLOCKS:
            found = pattern.match(part)
            if found:
                return clean(found[1])
    separable = _SEPARABLE.match(name.rpartition("/")[2])
    if separable:
        return f"conv_{separable[1]}"
    around = name.rpartition("/")[0]
    return clean(around) if around else ""


def clean(name: str) -> str:
    """Return a name with nothing in it but letters, digits and underscores, a letter first."""
    text = re.sub(r"[^A-Za-z0-9_]+", "_", name).strip("_")
    return text if re.match(r"[A-Za-z]", text) else f"layer_{text}".rstrip("_")


def names_in(part: str) -> str:
    """Return the regular expression that the names of a part's layers match from their beginning.

    Args:
        part: A layer of a backbone; a block as returned by `block_of`; or several blocks, by what
            their names begin with before a sign `_` or one letter (`conv4`, `block4`).
    """
    if _JOIN.fullmatch(part):
        return f"{part}$"  # `mixed9_1` of Inception comes after `mixed9`
    separable = re.fullmatch(r"conv_(\d+)", part)
    if separable:
        return f"conv_(?:dw_|pw_|pad_)?{separable[1]}(?:_|$)"
    # `block4` is `block4a` and `block4b`; `expanded_conv` is not `expanded_conv_1`.
    after = "[a-z]?" if part[-1:].isdigit() else "(?!_[0-9]+(?:_|$))"
    return f"(?:{_CONVNEXT})?{re.escape(part)}{after}(?:_|$)"


def frozen_count(names: Sequence[str], last: str) -> int:
    """Count the frozen layers of a backbone, up to and including one of them or a block.

    Args:
        names: Published names of its layers, in order.
        last: See `names_in`.

    Returns:
        0 when there is no such layer or block.
    """
    pattern = re.compile(names_in(last))
    return max((at for at, name in enumerate(names, 1) if pattern.match(name)), default=0)


def parts_of(spec: NetworkSpec) -> Parts:
    """Return the parts that can be frozen one after another, without the head."""
    try:
        nodes = topological_order(spec)
    except StudioError:  # wires run in a circle
        nodes = spec.nodes
    parts: dict[str, list[str]] = {}
    for node in nodes:
        if node.block != HEAD_BLOCK and node.id != spec.output:
            parts.setdefault(node.block or node.id, []).append(node.id)
    return {name: tuple(ids) for name, ids in parts.items()}


def blocks_of(spec: NetworkSpec) -> list[str]:
    """Return the names of the blocks before the head, from the images on.

    Where Keras names nothing but the layer that ends a block, it is that layer.
    """
    blocks = {node.block for node in spec.nodes}
    return [part for part in parts_of(spec) if part in blocks or _JOIN.fullmatch(part)]
