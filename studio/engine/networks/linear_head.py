"""The same features with the simplest head: one dense layer, as linear classifiers have it."""

from __future__ import annotations

from studio.engine.errors import StudioError
from studio.engine.networks.fitting import head_of
from studio.engine.networks.layers import LAYERS
from studio.engine.networks.spec import (
    HEAD,
    HEAD_BLOCK,
    INPUT,
    JsonValue,
    LayerNode,
    NetworkSpec,
    ancestors,
)

POOL = "head_pool"
"""Id of the layer that takes the mean over a grid of features."""

# A head that begins with features of this kind gets a grid of them.
_TAKE_GRIDS = {
    "conv2d",
    "depthwise_conv2d",
    "separable_conv2d",
    "max_pool",
    "average_pool",
    "global_average_pool",
    "global_max_pool",
    "flatten",
    "Conv2D",
    "MaxPooling2D",
    "AveragePooling2D",
    "GlobalAveragePooling2D",
    "GlobalMaxPooling2D",
    "Flatten",
}


def with_linear_head(spec: NetworkSpec) -> NetworkSpec:
    """The network with a dense layer and a softmax in the place of its head.

    A grid of features is averaged first. Auxiliary heads go, too: nothing is trained behind them.

    Raises:
        StudioError: Features from several layers go into the head.
    """
    head = head_of(spec)
    body = [node for node in spec.nodes if node.id not in head]
    main = ancestors(spec, spec.output) & head
    members = [node for node in spec.nodes if node.id in main]
    sources = {source for node in members for source in node.inputs if source not in head}
    if len(sources) != 1 or sources == {INPUT}:
        raise StudioError(
            f"The head of {spec.name} takes features from {len(sources - {INPUT})} layers, "
            "so no linear classifier can stand in its place.",
            'Let "gradient" train the head, or choose another network.',
            "head_solver",
        )
    (source,) = sources
    added = []
    if _takes_grid(members):
        added.append(_node(POOL, "global_average_pool", source, {}))
        source = POOL
    dense: dict[str, JsonValue] = {"units": spec.classes, "activation": "softmax"}
    added.append(_node(HEAD, "dense", source, dense))
    kept = {node.id for node in body}
    return spec.model_copy(
        update={
            "nodes": (*body, *added),
            "output": HEAD,
            "auxiliary": (),
            "positions": {id_: at for id_, at in spec.positions.items() if id_ in kept},
        }
    )


def _takes_grid(head: list[LayerNode]) -> bool:
    kinds = {
        str(node.parameters.get("class_name")) if node.layer == "keras" else node.layer
        for node in head
    }
    return bool(kinds & _TAKE_GRIDS)


def _node(node_id: str, layer: str, source: str, parameters: dict[str, JsonValue]) -> LayerNode:
    complete = LAYERS[layer].parameters.parse(parameters).model_dump()
    return LayerNode(
        id=node_id, layer=layer, parameters=complete, inputs=(source,), block=HEAD_BLOCK
    )
