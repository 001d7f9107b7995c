"""Everything that is wrong with a network, all at once, without Keras.

Shapes are not checked here: Keras knows them, see `studio.engine.compute.build`.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

from studio.engine.errors import Problem, did_you_mean
from studio.engine.messages import as_message, message
from studio.engine.networks.heads import head_of
from studio.engine.networks.layers import LAYERS
from studio.engine.networks.layers.backbone import BACKBONE, INSIDE_BACKBONE
from studio.engine.networks.layers.layer import Layer
from studio.engine.networks.layers.shape import BOX_HEAD
from studio.engine.networks.spec import (
    INPUT,
    LayerNode,
    NetworkSpec,
    ancestors,
    id_problems,
    unplaceable,
)
from studio.engine.tasks import known_task
from studio.engine.tasks.task import Task

LINEAR = "linear"
SCALING = "channel_scaling"
"""The layer that turns standardized numbers into the units of the targets."""


def check(spec: NetworkSpec) -> list[Problem]:
    """Say everything that is wrong with a network; `where` is `node` or `node.parameter`."""
    known = frozenset((INPUT, *(node.id for node in spec.nodes)))
    return [
        *id_problems(spec),
        *(problem for node in spec.nodes for problem in _node_problems(spec, node, known)),
        *_circle_problems(spec),
        *_output_problems(spec),
        *_auxiliary_problems(spec),
        *_training_problems(spec),
    ]


def _node_problems(spec: NetworkSpec, node: LayerNode, known: frozenset[str]) -> Iterator[Problem]:
    for source in node.inputs:
        if source not in known:
            yield Problem(
                node.id,
                message('it takes the output of "{layer}", which does not exist.', layer=source),
                did_you_mean(source, known - {node.id}),
            )
    if node.layer not in LAYERS:
        yield Problem(
            node.id,
            message('there is no layer called "{kind}".', kind=node.layer),
            did_you_mean(node.layer, LAYERS.names()),
        )
        return
    layer = LAYERS[node.layer]
    fewest, most, requested = _inputs_of(layer)
    if not fewest <= len(node.inputs) <= most:
        yield Problem(
            node.id,
            message(
                "{layer} expects {expected}; it has {count}.",
                layer=as_message(layer.label),
                expected=as_message(requested),
                count=len(node.inputs),
            ),
            "Draw or remove wires.",
        )
    elif layer.name == BOX_HEAD.name and len(node.inputs) % 2:
        yield Problem(
            node.id,
            message(
                "{layer} expects pairs of inputs; it has {count}.",
                layer=as_message(layer.label),
                count=len(node.inputs),
            ),
            "Connect a map of classes and a map of distances for each level.",
        )
    if layer.name == INSIDE_BACKBONE.name:
        sources = [each for each in spec.nodes if each.id in node.inputs]
        if any(each.layer != BACKBONE.name for each in sources) or INPUT in node.inputs:
            yield Problem(
                node.id,
                message(
                    "it needs a backbone as its input, but {layer} is not a backbone.",
                    layer=node.inputs[0],
                ),
                "Connect it to a backbone.",
            )
    _, problems = layer.parameters.check(node.parameters)
    for problem in problems:
        where = f"{node.id}.{problem.where}" if problem.where else node.id
        yield Problem(where, problem.message, problem.hint)


def _inputs_of(layer: Layer) -> tuple[int, float, str]:
    """Return the fewest and the most inputs that a layer takes, and how to say so."""
    if layer.any_inputs:
        return 1, math.inf, "at least 1 input"
    return (2, math.inf, "at least 2 inputs") if layer.joins else (1, 1, "1 input")


def _circle_problems(spec: NetworkSpec) -> Iterator[Problem]:
    known = {INPUT, *(node.id for node in spec.nodes)}
    stuck = unplaceable(spec)
    dangling = any(source not in known for node in spec.nodes for source in node.inputs)
    if stuck and not dangling:
        yield Problem(
            stuck[0],
            message("the connections form a cycle through {layers}.", layers=", ".join(stuck)),
            "Remove the wire that closes the cycle.",
        )


def _output_problems(spec: NetworkSpec) -> Iterator[Problem]:
    ids = [node.id for node in spec.nodes]
    if spec.output not in ids:
        yield Problem(
            "output",
            message('the network ends in "{layer}", which does not exist.', layer=spec.output),
            did_you_mean(spec.output, ids) or "Add a dense layer with softmax.",
        )
        return
    if not _may_answer(spec, spec.node(spec.output)):
        yield Problem(
            spec.output,
            message(
                "the last layer does not give {answers}.", answers=as_message(_task(spec).answers)
            ),
            _required_output(spec),
        )
    if spec.classes < _task(spec).min_outputs:
        yield Problem(
            "classes",
            message(
                "{task} needs at least {number} {outputs}; received {received}.",
                task=as_message(_task(spec).label),
                number=_task(spec).min_outputs,
                outputs=as_message(_task(spec).output_names[1]),
                received=spec.classes,
            ),
        )
    ends = (spec.output, *(head.node for head in spec.auxiliary))
    used = {node_id for end in ends for node_id in ancestors(spec, end)}
    for node_id in dict.fromkeys(ids):
        if node_id not in used:
            yield Problem(
                node_id,
                "it is not connected to the output, so it is ignored.",
                "Connect it or remove it.",
                serious=False,
            )


def _auxiliary_problems(spec: NetworkSpec) -> Iterator[Problem]:
    ids = [node.id for node in spec.nodes]
    for index, head in enumerate(spec.auxiliary):
        if head.node not in ids:
            yield Problem(
                f"auxiliary.{index}",
                message(
                    'an auxiliary output is "{layer}", which does not exist.', layer=head.node
                ),
                did_you_mean(head.node, ids) or "Remove the auxiliary output.",
            )
        elif head.node == spec.output or head.node in [h.node for h in spec.auxiliary[:index]]:
            yield Problem(
                head.node,
                "it is already an output of the network, so it cannot be an auxiliary one.",
                "Remove the auxiliary output.",
            )
        elif not _may_answer(spec, spec.node(head.node)):
            yield Problem(
                head.node,
                message(
                    "an auxiliary output that does not give {answers}.",
                    answers=as_message(_task(spec).answers),
                ),
                _required_output(spec),
            )


def _training_problems(spec: NetworkSpec) -> Iterator[Problem]:
    """Advice only: what is frozen or slow still computes."""
    if spec.nodes and all(node.frozen for node in spec.nodes):
        yield Problem(
            "",
            "every layer is frozen, so training would change nothing.",
            "Unfreeze the last layers.",
            serious=False,
        )
    still = [node.id for node in spec.nodes if node.rate == 0 and not node.frozen]
    if still:
        yield Problem(
            still[0],
            message(
                "the learning-rate factor of {layers} is 0, but the running statistics of batch "
                "normalization still change.",
                layers=", ".join(still),
            ),
            "Freeze the layers that should not change.",
            serious=False,
        )


def _task(spec: NetworkSpec) -> Task:
    return known_task(spec.task)


def _required_output(spec: NetworkSpec) -> str:
    task = _task(spec)
    return head_of(task).requirement(spec, task.activation)


def _may_answer(spec: NetworkSpec, node: LayerNode) -> bool:
    """Return True if a layer ends in the activation of the task, or if only Keras knows."""
    task = _task(spec)
    return node.layer not in LAYERS or head_of(task).may_end(spec, node, task.activation)
