"""Which layers belong to a block: the one rule by which models, code and sliders freeze.

Blocks inside a backbone are told from the names that Keras publishes. Never imports Keras.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from studio.engine.errors import StudioError
from studio.engine.networks.spec import HEAD_BLOCK, NetworkSpec, topological_order

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
"""What ends a block of Inception and NASNet, whose other layers have no names that tell."""


def block_of(path: str) -> str:
    """The block that a layer belongs to by its name; empty when the name tells of none.

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
    """A name with nothing in it but letters, digits and underscores, a letter first."""
    text = re.sub(r"[^A-Za-z0-9_]+", "_", name).strip("_")
    return text if re.match(r"[A-Za-z]", text) else f"layer_{text}".rstrip("_")


def names_in(part: str) -> str:
    """The regular expression that the names of a part's layers match from their beginning.

    Args:
        part: A layer of a backbone; a block as `block_of` tells it; or several blocks, by what
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
    """How many layers of a backbone are frozen, up to and including one of them or a block.

    Args:
        names: Published names of its layers, in order.
        last: See `names_in`.

    Returns:
        0 when there is no such layer or block.
    """
    pattern = re.compile(names_in(last))
    return max((at for at, name in enumerate(names, 1) if pattern.match(name)), default=0)


def parts_of(spec: NetworkSpec) -> Parts:
    """What can be frozen one after another; without the head, which is new for every dataset."""
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
    """Names of the blocks before the head, from the images on.

    Where Keras names nothing but the layer that ends a block, it is that layer.
    """
    blocks = {node.block for node in spec.nodes}
    return [part for part in parts_of(spec) if part in blocks or _JOIN.fullmatch(part)]
