"""Gives a network the output that a task needs: softmax, sigmoid, or numbers in real units."""

from __future__ import annotations

import json
from dataclasses import dataclass

from studio.engine.networks.checks import LINEAR, SCALING
from studio.engine.networks.fitting import without
from studio.engine.networks.layers import LAYERS
from studio.engine.networks.spec import HEAD_BLOCK, JsonValue, LayerNode, NetworkSpec
from studio.engine.tasks.task import Task

_UNITS = "_in_units"


@dataclass(frozen=True, slots=True)
class TargetScale:
    """Mean and standard deviation of each target over the training images, K numbers each."""

    mean: tuple[float, ...]
    deviation: tuple[float, ...]


def ending_for(spec: NetworkSpec, task: Task) -> NetworkSpec:
    """Return the network with the last activation of a task, before any scale of targets."""
    for node in spec.nodes:
        if node.id.endswith(_UNITS) and node.layer == SCALING:
            (source,) = node.inputs
            spec = _ending_in(without(spec, node.id), {node.id: source})
    ends = [spec.output, *(head.node for head in spec.auxiliary)]
    nodes = tuple(
        _activated(node, task.activation) if node.id in ends else node for node in spec.nodes
    )
    return spec.model_copy(update={"nodes": nodes, "task": task.name})


def answering(spec: NetworkSpec, task: Task, scale: TargetScale | None = None) -> NetworkSpec:
    """Return the network with the outputs of a task.

    A network for numbers ends in a layer that turns standardized outputs into real units, so that
    its exported files answer in them.

    Args:
        spec: A network for this task or another one.
        task: Names the activation of the last layer.
        scale: Of the targets, for tasks with numbers; None where only shapes matter.
    """
    spec = ending_for(spec, task)
    if task.activation != LINEAR:
        return spec
    ends = [spec.output, *(head.node for head in spec.auxiliary)]
    known = scale or TargetScale((0.0,) * spec.classes, (1.0,) * spec.classes)
    values: dict[str, JsonValue] = {
        "scale": ", ".join(map(repr, known.deviation)),
        "offset": ", ".join(map(repr, known.mean)),
    }
    added = tuple(
        LayerNode(
            id=f"{end}{_UNITS}",
            layer=SCALING,
            parameters=values,
            inputs=(end,),
            block=HEAD_BLOCK if spec.node(end).block == HEAD_BLOCK else "",
        )
        for end in ends
    )
    spec = spec.model_copy(update={"nodes": (*spec.nodes, *added)})
    return _ending_in(spec, {end: f"{end}{_UNITS}" for end in ends})


def _ending_in(spec: NetworkSpec, renamed: dict[str, str]) -> NetworkSpec:
    heads = tuple(
        head.model_copy(update={"node": renamed.get(head.node, head.node)})
        for head in spec.auxiliary
    )
    output = renamed.get(spec.output, spec.output)
    return spec.model_copy(update={"output": output, "auxiliary": heads})


def _activated(node: LayerNode, activation: str) -> LayerNode:
    """Return the last layer with another activation; one that has it already stays."""
    if node.layer == activation or node.parameters.get("activation") == activation:
        return node
    if node.layer in ("softmax", "activation"):
        values = LAYERS["activation"].parameters.parse({"activation": activation}).model_dump()
        return node.model_copy(update={"layer": "activation", "parameters": values})
    if node.layer == "keras":
        config = json.loads(str(node.parameters.get("config") or "{}"))
        if "activation" not in config:
            return node
        parameters = {**node.parameters, "config": json.dumps(config | {"activation": activation})}
        return node.model_copy(update={"parameters": parameters})
    return node.model_copy(update={"parameters": {**node.parameters, "activation": activation}})
