"""Looks at a network node by node, as Keras sees it, without its weights.

What Keras says of a layer depends only on the layer, its settings and the shapes that come in,
so it is asked once for each; a change of a drawing costs what follows it, and no more.
"""

from __future__ import annotations

import json
import math
from collections import OrderedDict
from collections.abc import Sequence

from studio.engine.compute.build import frozen_up_to, misfit, no_such_layer, wrong_output
from studio.engine.compute.fields import Field, joined
from studio.engine.compute.look import LayerFacts, Said, look
from studio.engine.errors import Problem, StudioError, raise_if_serious
from studio.engine.networks.checks import check
from studio.engine.networks.layers import LAYERS
from studio.engine.networks.parts import INNER, frozen_count
from studio.engine.networks.report import (
    FLOAT_BYTES,
    Examination,
    LayerReport,
    NetworkReport,
    NodeProblem,
    Shape,
)
from studio.engine.networks.spec import (
    INPUT,
    LayerNode,
    NetworkSpec,
    ancestors,
    topological_order,
    unplaceable,
)
from studio.engine.plans import Plan

REMEMBERED = 20_000
"""Layers of which the answer is kept; each is about 1 kB."""


class Examiner:
    """Answers what a drawing is made of, and remembers what Keras said of every layer."""

    def __init__(self) -> None:
        self._said: OrderedDict[tuple[object, ...], Said] = OrderedDict()

    def examine(self, spec: NetworkSpec) -> Examination:
        """Say all that can be said of a drawing; see `examine`."""
        return _Examined(self, spec).result()

    def ask(self, node: LayerNode, parameters: Plan, shapes: tuple[Shape, ...]) -> Said:
        """What Keras says of a node on tensors of some shapes, without the batch."""
        written = json.dumps(parameters.model_dump(mode="json"), sort_keys=True)
        key = (node.layer, written, shapes)
        if key not in self._said:
            self._said[key] = look(node, parameters, shapes)
            while len(self._said) > REMEMBERED:
                self._said.popitem(last=False)
        self._said.move_to_end(key)
        return self._said[key]


def examine(spec: NetworkSpec) -> Examination:
    """Say all that can be said of a drawing, finished or not; never raises for a bad one.

    Layers that do not depend on one with a problem are reported all the same.
    """
    return Examiner().examine(spec)


def inspect(spec: NetworkSpec) -> NetworkReport:
    """Shapes, weights and cost of every layer that the output depends on, as Keras finds them.

    Raises:
        StudioError: As for `build`.
    """
    raise_if_serious(check(spec))
    found = examine(spec)
    for problem in found.problems:
        if problem.serious:
            raise StudioError(problem.message, problem.hint, problem.node)
    layers = tuple(layer for layer in found.network.layers if layer.used)
    return found.network.model_copy(update={"layers": layers})


class _Examined:
    """One examination, node by node."""

    def __init__(self, examiner: Examiner, spec: NetworkSpec) -> None:
        self._examiner = examiner
        self._spec = spec
        size = spec.input
        self._shapes: dict[str, Shape] = {INPUT: (size.height, size.width, size.channels)}
        self._fields = {INPUT: Field()}
        self._layers: list[LayerReport] = []
        self._nodes: dict[str, LayerReport] = {}
        self._ids = {node.id for node in spec.nodes}
        self._problems = [_with_node(problem, self._ids) for problem in check(spec)]
        self._waiting: list[str] = []
        ends_there = spec.output in self._ids
        self._used = ancestors(spec, spec.output) if ends_there else self._ids

    def result(self) -> Examination:
        stuck = set(unplaceable(self._spec))
        placed = tuple(node for node in self._spec.nodes if node.id not in stuck)
        for node in topological_order(self._spec.model_copy(update={"nodes": placed})):
            self._look_at(node)
        blamed = {problem.node for problem in self._problems}
        self._waiting += [node_id for node_id in stuck if node_id not in blamed]
        self._check_ends()
        network = NetworkReport(
            name=self._spec.name,
            input_shape=self._shapes[INPUT],
            classes=self._spec.classes,
            layers=tuple(self._layers),
        )
        return Examination(
            network=network,
            nodes=self._nodes,
            problems=tuple(self._problems),
            waiting=tuple(self._waiting),
        )

    def _look_at(self, node: LayerNode) -> None:
        if any(source not in self._shapes for source in node.inputs):
            self._waiting.append(node.id)
            return
        if not node.inputs or node.layer not in LAYERS:
            return
        layer = LAYERS[node.layer]
        parameters, _ = layer.parameters.check(node.parameters)
        wrong_count = len(node.inputs) > 1 and not (layer.joins or layer.any_inputs)
        if parameters is None or wrong_count or (layer.joins and len(node.inputs) == 1):
            return
        shapes = tuple(self._shapes[source] for source in node.inputs)
        said = self._examiner.ask(node, parameters, shapes)
        if isinstance(said, str):
            self._blame(misfit(node, list(shapes), ValueError(said)))
            return
        self._note(node, said)

    def _note(self, node: LayerNode, said: tuple[LayerFacts, ...]) -> None:
        incoming = joined([self._fields[source] for source in node.inputs])
        frozen = node.frozen
        reports = [self._report(node, layer, incoming, frozen=frozen) for layer in said]
        if last := frozen_up_to(node):
            reports = self._partly_frozen(node, reports, last)
        self._layers += reports
        self._shapes[node.id] = said[-1].given
        self._fields[node.id] = incoming.then(said[-1].field)
        self._nodes[node.id] = reports[0] if len(said) == 1 else _summed(node, reports)

    def _report(
        self, node: LayerNode, layer: LayerFacts, incoming: Field, *, frozen: bool
    ) -> LayerReport:
        seen = incoming.then(layer.field)
        size = seen.size or (self._spec.input.height, self._spec.input.width)
        return LayerReport(
            name=f"{node.id}{INNER}{layer.inner}" if layer.inner else node.id,
            node=node.id,
            type=layer.type,
            input_shapes=layer.received,
            output_shape=layer.given,
            parameters=layer.parameters,
            trainable=0 if frozen else layer.trainable,
            multiply_adds=layer.multiply_adds,
            memory=FLOAT_BYTES * math.prod(side for side in layer.given if side),
            receptive_field=(math.ceil(size[0]), math.ceil(size[1])),
            jump=seen.jump,
            block=node.block,
            frozen=frozen,
            used=node.id in self._used,
        )

    def _partly_frozen(
        self, node: LayerNode, reports: list[LayerReport], last: str
    ) -> list[LayerReport]:
        names = [report.name.partition(INNER)[2] for report in reports]
        count = frozen_count(names, last)
        if count == 0:
            self._blame(no_such_layer(node, last, names))
        still = {"frozen": True, "trainable": 0}
        return [r.model_copy(update=still) if i < count else r for i, r in enumerate(reports)]

    def _blame(self, error: StudioError) -> None:
        self._problems.append(
            NodeProblem(node=error.where, message=error.message, hint=error.hint)
        )

    def _check_ends(self) -> None:
        blamed = {problem.node for problem in self._problems if problem.serious}
        for end in (self._spec.output, *(head.node for head in self._spec.auxiliary)):
            if end in self._nodes and end not in blamed:
                error = wrong_output(self._spec, end, self._shapes[end])
                if error is not None:
                    self._blame(error)


def _summed(node: LayerNode, reports: Sequence[LayerReport]) -> LayerReport:
    """The layers of a backbone as one."""
    first, last = reports[0], reports[-1]
    return last.model_copy(
        update={
            "name": node.id,
            "type": LAYERS[node.layer].label,
            "input_shapes": first.input_shapes,
            "parameters": sum(report.parameters for report in reports),
            "trainable": sum(report.trainable for report in reports),
            "multiply_adds": sum(report.multiply_adds for report in reports),
            "memory": sum(report.memory for report in reports),
            "frozen": all(report.frozen for report in reports),
        }
    )


def _with_node(problem: Problem, ids: set[str]) -> NodeProblem:
    node, _, parameter = problem.where.partition(".")
    return NodeProblem(
        node=node if node in ids else "",
        parameter=parameter,
        message=problem.message,
        hint=problem.hint,
        serious=problem.serious,
    )
