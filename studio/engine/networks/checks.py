"""Everything that is wrong with a network, all at once, without Keras.

Shapes are not checked here: Keras knows them, see `studio.engine.compute.build`.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator

from studio.engine.errors import Problem, did_you_mean
from studio.engine.networks.layers import LAYERS
from studio.engine.networks.spec import (
    INPUT,
    LayerNode,
    NetworkSpec,
    ancestors,
    unplaceable,
)

_ID = re.compile(r"[A-Za-z][A-Za-z0-9_]*")


def check(spec: NetworkSpec) -> list[Problem]:
    """Say everything that is wrong with a network; `where` is `node` or `node.parameter`."""
    return [
        *_id_problems(spec),
        *(problem for node in spec.nodes for problem in _node_problems(spec, node)),
        *_circle_problems(spec),
        *_output_problems(spec),
    ]


def _id_problems(spec: NetworkSpec) -> Iterator[Problem]:
    for node_id, count in Counter(node.id for node in spec.nodes).items():
        if count > 1:
            yield Problem(
                node_id, f'{count} layers have the id "{node_id}".', "Give each its own id."
            )
        if node_id == INPUT or not _ID.fullmatch(node_id):
            yield Problem(
                node_id,
                f'a layer cannot have the id "{node_id}".',
                "An id is a letter, then letters, digits and underscores; "
                f'"{INPUT}" stands for the images.',
            )


def _node_problems(spec: NetworkSpec, node: LayerNode) -> Iterator[Problem]:
    known = {INPUT, *(other.id for other in spec.nodes)}
    for source in node.inputs:
        if source not in known:
            yield Problem(
                node.id,
                f'it takes the output of "{source}", which does not exist.',
                did_you_mean(source, known - {node.id}),
            )
    if node.layer not in LAYERS:
        yield Problem(
            node.id,
            f'there is no layer called "{node.layer}".',
            did_you_mean(node.layer, LAYERS.names()),
        )
        return
    layer = LAYERS[node.layer]
    wanted = "at least 2 inputs" if layer.joins else "1 input"
    if len(node.inputs) != 1 if not layer.joins else len(node.inputs) < 2:
        yield Problem(
            node.id,
            f"{layer.label} takes {wanted}; it has {len(node.inputs)}.",
            "Draw or remove wires.",
        )
    _, problems = layer.parameters.check(node.parameters)
    for problem in problems:
        where = f"{node.id}.{problem.where}" if problem.where else node.id
        yield Problem(where, problem.message, problem.hint)


def _circle_problems(spec: NetworkSpec) -> Iterator[Problem]:
    known = {INPUT, *(node.id for node in spec.nodes)}
    stuck = unplaceable(spec)
    dangling = any(source not in known for node in spec.nodes for source in node.inputs)
    if stuck and not dangling:
        yield Problem(
            stuck[0],
            f"the wires run in a circle through {', '.join(stuck)}.",
            "Remove the wire that closes the circle.",
        )


def _output_problems(spec: NetworkSpec) -> Iterator[Problem]:
    ids = [node.id for node in spec.nodes]
    if spec.output not in ids:
        yield Problem(
            "output",
            f'the network ends in "{spec.output}", which does not exist.',
            did_you_mean(spec.output, ids) or "Add a dense layer with softmax.",
        )
        return
    last = spec.node(spec.output)
    if last.layer in LAYERS and last.parameters.get("activation") != "softmax":
        yield Problem(
            last.id,
            "the last layer does not give probabilities.",
            f"End in a dense layer of {spec.classes} units with the activation softmax.",
        )
    used = ancestors(spec, spec.output)
    for node_id in dict.fromkeys(ids):
        if node_id not in used:
            yield Problem(
                node_id,
                "nothing leads from it to the output, so it is left out.",
                "Wire it in or remove it.",
                serious=False,
            )
