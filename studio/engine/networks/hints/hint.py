"""What a hint is, and what rules look at to find one."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import TypeVar

from studio.engine.networks.layers import LAYERS
from studio.engine.networks.report import LayerReport, NetworkReport
from studio.engine.networks.spec import JsonValue, LayerNode, NetworkSpec
from studio.engine.plans import Plan

P = TypeVar("P", bound=Plan)


@dataclass(frozen=True, slots=True)
class Hint:
    """One way to make a network better.

    Attributes:
        rule: Name of the rule that found it.
        nodes: Ids of the layers that it is about; the first is the one that changes.
        text: What to do and what it brings, with the figures of this network.
        before: Weights of the layers that change.
        after: Weights of what comes in their place.
        change: Does it, see `apply`.
    """

    rule: str
    nodes: tuple[str, ...]
    text: str
    before: int
    after: int
    change: Callable[[NetworkSpec], NetworkSpec]

    @property
    def saved(self) -> int:
        """Weights saved; negative where more are added."""
        return self.before - self.after

    def apply(self, spec: NetworkSpec) -> NetworkSpec:
        """The network with the hint taken; the one given stays as it is.

        Raises:
            KeyError: The layers are no longer there; look for hints again after every change.
        """
        return self.change(spec)


@dataclass(frozen=True, slots=True)
class Drawing:
    """A network and what Keras found out about it.

    Attributes:
        spec: The network.
        layers: What was found out, by id of the node; nodes that do not work are missing.
        readers: The nodes that take the output of each node.
        parameters: Weights of the whole network.
        multiply_adds: Multiply-adds of the whole network for one image.
    """

    spec: NetworkSpec
    layers: Mapping[str, LayerReport]
    readers: Mapping[str, tuple[LayerNode, ...]]
    parameters: int
    multiply_adds: int

    @classmethod
    def of(cls, spec: NetworkSpec, report: NetworkReport) -> Drawing:
        """Put a network and its report side by side."""
        readers: dict[str, tuple[LayerNode, ...]] = {}
        for node in spec.nodes:
            for source in set(node.inputs):
                readers[source] = (*readers.get(source, ()), node)
        layers = {layer.node: layer for layer in report.layers if layer.name == layer.node}
        return cls(spec, layers, readers, report.parameters, report.multiply_adds)

    def nodes(self, layer: str, parameters: type[P]) -> Iterable[tuple[LayerNode, P, LayerReport]]:
        """The nodes of one kind that work: node, its parameters, what was found out.

        Frozen ones are left out, since a change would throw their weights away.
        """
        for node in self.spec.nodes:
            found = self.layers.get(node.id)
            if node.layer != layer or node.frozen:
                continue
            if found is not None and found.used:
                values, _ = parameters.check(node.parameters)
                if values is not None:
                    yield node, values, found

    def share(self, found: LayerReport) -> float:
        """How much of the network one layer is, 0 to 1: of its weights or of its work."""
        return max(
            found.parameters / max(1, self.parameters),
            found.multiply_adds / max(1, self.multiply_adds),
        )


@dataclass(frozen=True, slots=True)
class Rule:
    """A kind of hint.

    Attributes:
        name: Stable name.
        label: Shown name.
        find: Finds its hints in a network.
        mistake: Whether it finds what hardly anybody means; such hints come first.
    """

    name: str
    label: str
    find: Callable[[Drawing], Iterable[Hint]]
    mistake: bool = False


def complete(layer: str, **values: JsonValue) -> dict[str, JsonValue]:
    """All parameters of a layer, defaults too."""
    return LAYERS[layer].parameters.parse(values).model_dump()


def replaced(spec: NetworkSpec, node_id: str, *nodes: LayerNode) -> NetworkSpec:
    """The network with other nodes in the place of one.

    Raises:
        KeyError: There is no such node.
    """
    spec.node(node_id)
    kept: list[LayerNode] = []
    for node in spec.nodes:
        kept.extend(nodes if node.id == node_id else (node,))
    return spec.model_copy(update={"nodes": tuple(kept)})


def new_id(spec: NetworkSpec, wanted: str) -> str:
    """The id that is wanted, with a number behind it when it is taken."""
    taken = {node.id for node in spec.nodes}
    number, name = 1, wanted
    while name in taken:
        number += 1
        name = f"{wanted}_{number}"
    return name


def chain(
    spec: NetworkSpec, node: LayerNode, layers: Iterable[tuple[str, dict[str, JsonValue]]]
) -> NetworkSpec:
    """The network with a chain of layers in the place of one.

    The last keeps its id, so that what reads it goes on doing so; all keep its block and rate.

    Args:
        spec: The network.
        node: The node whose place is taken.
        layers: Layer and parameters of each, in order.
    """
    links = list(layers)
    made: list[LayerNode] = []
    inputs = spec.node(node.id).inputs
    for place, (layer, parameters) in enumerate(links, start=1):
        is_last = place == len(links)
        name = node.id if is_last else new_id(spec, f"{node.id}_part{place}")
        made.append(
            node.model_copy(
                update={"id": name, "layer": layer, "parameters": parameters, "inputs": inputs}
            )
        )
        inputs = (name,)
    return replaced(spec, node.id, *made)


def amount(count: int) -> str:
    """A number of weights for a sentence: `1,728`, `82.9 thousand`, `102.8 million`."""
    for unit, name in ((1_000_000, "million"), (10_000, "thousand")):
        if count >= unit:
            return f"{count / (unit if unit > 10_000 else 1000):,.1f} {name}"
    return f"{count:,}"
