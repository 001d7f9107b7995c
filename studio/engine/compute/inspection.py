"""Looks at a network node by node, as Keras sees it, without its weights.

What Keras says of a layer depends only on the layer, its settings and the shapes that come in,
so it is asked once for each; a change of a drawing costs what follows it, and no more.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

import keras

from studio.engine.compute import build
from studio.engine.compute.graph import (
    IMAGES,
    Call,
    calls_of,
    functional,
    layer_multiply_adds,
    source_operation,
)
from studio.engine.compute.models import RecentlyUsed
from studio.engine.errors import Problem, StudioError
from studio.engine.networks.checks import check
from studio.engine.networks.fitting import read_inputs
from studio.engine.networks.layers import LAYERS
from studio.engine.networks.layers.backbone import BACKBONE, BackboneParameters, InsideParameters
from studio.engine.networks.layers.shape import BOX_HEAD
from studio.engine.networks.parts import INNER, frozen_count
from studio.engine.networks.spec import (
    FLOAT_BYTES,
    INPUT,
    Examination,
    LayerNode,
    LayerReport,
    NetworkReport,
    NetworkSpec,
    NodeProblem,
    Shape,
    ancestors,
    topological_order,
    unplaceable,
)
from studio.engine.plans import Plan

# Receptive fields: the part of the image that one value of a layer depends on.
#
# The recurrence of Araujo, Norris and Sim, "Computing receptive fields of convolutional neural
# networks", Distill 2019: with windows of k and steps of s, the size grows by (k - 1) times the
# distance of two values, and the distance grows by s. Where branches meet, the larger one counts.
# What normalization computes over an image is not counted, as nowhere in the literature.

Pair = tuple[float, float]

_ONE: Pair = (1.0, 1.0)


@dataclass(frozen=True, slots=True)
class Field:
    """Receptive field, down and across, in positions of the input.

    Attributes:
        size: Places that one value depends on; None for all there are.
        jump: Places from one value to the next; None if the grid is lost.
    """

    size: Pair | None = _ONE
    jump: Pair | None = _ONE

    def then(self, later: Field) -> Field:
        """This one, seen through a later one."""
        jump = None
        if self.jump is not None and later.jump is not None:
            jump = (self.jump[0] * later.jump[0], self.jump[1] * later.jump[1])
        if self.size is None or later.size is None:
            return Field(None, jump)
        if self.jump is None:
            return Field(None, None)
        down, across = (
            self.size[axis] + (later.size[axis] - 1) * self.jump[axis] for axis in (0, 1)
        )
        return Field((down, across), jump)


ALL = Field(None, None)


def joined(fields: Sequence[Field]) -> Field:
    """Combine the receptive fields of merged branches."""
    if not fields:
        return Field()
    sizes = [field.size for field in fields if field.size is not None]
    jumps = [field.jump for field in fields if field.jump is not None]
    return Field(_largest(sizes) if len(sizes) == len(fields) else None, _largest(jumps))


def field_of(layer: keras.Layer) -> Field:
    """Compute the receptive field of one layer, in positions of its input.

    Args:
        layer: A layer that was called, at least on symbolic tensors.
    """
    received = layer.input[0] if isinstance(layer.input, list) else layer.input
    if len(received.shape) != 4 or len(layer.output.shape) != 4:
        return ALL
    config = layer.get_config()
    kind = type(layer).__name__
    if kind.startswith("Global") or "Attention" in kind or kind in ("Reshape", "Permute"):
        return ALL
    if kind == "Conv2DTranspose":
        return _transposed(config)
    if kind == "UpSampling2D":
        high, wide = _pair(config["size"])
        blends = config["interpolation"] != "nearest"
        return Field((2.0, 2.0) if blends else _ONE, (1 / high, 1 / wide))
    if kind == "Resizing":
        return _resized(tuple(received.shape), tuple(layer.output.shape))
    window = config.get("kernel_size", config.get("pool_size"))
    return Field() if window is None else _windowed(config, _pair(window))


def _windowed(config: dict[str, object], window: Pair) -> Field:
    spread = _pair(config.get("dilation_rate", 1))
    stride = _pair(config.get("strides") or window)
    down, across = ((side - 1) * far + 1 for side, far in zip(window, spread, strict=True))
    return Field((down, across), stride)


def _transposed(config: dict[str, object]) -> Field:
    """Return the field of a transposed window: the inputs whose windows reach an output."""
    window, stride = _pair(config["kernel_size"]), _pair(config["strides"])
    down, across = (-(-side // step) for side, step in zip(window, stride, strict=True))
    return Field((down, across), (1 / stride[0], 1 / stride[1]))


def _resized(received: tuple[int, ...], given: tuple[int, ...]) -> Field:
    """Blends two neighbors, as bilinear resizing does."""
    return Field((2.0, 2.0), (received[1] / given[1], received[2] / given[2]))


def _pair(value: object) -> Pair:
    if isinstance(value, list | tuple):
        return (float(value[0]), float(value[-1]))
    if not isinstance(value, int | float):
        raise TypeError(f"a window is described by {value!r}")
    return (float(value), float(value))


def _largest(pairs: list[Pair]) -> Pair | None:
    if not pairs:
        return None
    return (max(down for down, _ in pairs), max(across for _, across in pairs))


# What Keras says of one node, without making its weights.


@dataclass(frozen=True, slots=True)
class LayerFacts:
    """Properties of one layer in Keras.

    The receptive fields, that of its output and `before` of what comes in, count from the node's
    input. `sources` are the inner names of the layers whose outputs it reads.
    """

    inner: str
    type: str
    received: tuple[Shape, ...]
    given: Shape
    parameters: int
    trainable: int
    multiply_adds: int
    field: Field
    before: Field
    sources: tuple[str, ...] = ()


Said = tuple[LayerFacts, ...] | str
"""The layers of a node, of which the last computes its output; or the error of Keras."""


def inspect_node(node: LayerNode, parameters: Plan, shapes: tuple[Shape, ...]) -> Said:
    """Return the output shape, parameters and errors of a node according to Keras.

    Args:
        node: The node.
        parameters: Its validated parameters.
        shapes: Shapes of its inputs, without the batch axis.
    """
    try:
        with build.without_weights():
            incoming = [keras.Input(shape, dtype="float32") for shape in shapes]
            if isinstance(parameters, BackboneParameters):
                grown = build.grow_backbone(node.id, parameters, incoming[0])
                return _inspect_inside(incoming, *grown)
            if node.layer == BOX_HEAD.name:
                return _inspect_inside(incoming, *build.grow_box_head(node.id, incoming))
            layer = build.make_layer(node.layer, parameters, "layer", incoming)
            build.call_layer(node.layer, layer, incoming)
            return (_said_of(layer, "", Field(), field_of(layer)),)
    except build.REFUSALS as error:
        return str(error) or type(error).__name__


def fields_of(calls: Sequence[Call]) -> list[Field]:
    """Compute the receptive field of the output of each call, in positions of the input.

    Args:
        calls: Calls of one model; see `calls_of`.
    """
    fields: list[Field] = []
    for call in calls:
        sources = [Field() if at == IMAGES else fields[at] for at in call.sources]
        fields.append(joined(sources).then(field_of(call.layer)))
    return fields


def _inspect_inside(
    incoming: list[keras.KerasTensor], layers: list[keras.Layer], output: keras.KerasTensor
) -> tuple[LayerFacts, ...]:
    calls, _ = calls_of(incoming, [output])
    by_tensor = {
        id(call.tensor): field for call, field in zip(calls, fields_of(calls), strict=True)
    }

    def said(layer: keras.Layer) -> LayerFacts:
        sources = build.incoming_of(layer)
        before = joined([by_tensor.get(id(each), Field()) for each in sources])
        after = by_tensor[id(_end_of(layer))]
        read = tuple(_inner_name(source_operation(each)) for each in sources)
        return replace(_said_of(layer, _inner_name(layer), before, after), sources=read)

    return tuple(map(said, layers))


def _inner_name(layer: keras.Layer) -> str:
    name: str = layer.name.partition(INNER)[2]
    return name


def _end_of(layer: keras.Layer) -> keras.KerasTensor:
    """Return the output of a layer; of a nested model, the output of its last layer."""
    return functional(layer).outputs[0] if isinstance(layer, keras.Model) else layer.output


def _said_of(layer: keras.Layer, inner: str, before: Field, seen: Field) -> LayerFacts:
    received = layer.input if isinstance(layer.input, list) else [layer.input]
    return LayerFacts(
        inner=inner,
        type=type(layer).__name__,
        received=tuple(tuple(tensor.shape[1:]) for tensor in received),
        given=tuple(layer.output.shape[1:]),
        parameters=layer.count_params(),
        trainable=sum(math.prod(weight.shape) for weight in layer.trainable_weights),
        multiply_adds=layer_multiply_adds(layer),
        field=seen,
        before=before,
    )


REMEMBERED = 20_000
"""Maximum number of cached layers; each takes about 1 kB."""


class Examiner:
    """Examines drawings, and caches what Keras reports about every layer."""

    def __init__(self) -> None:
        self._said = RecentlyUsed[Said](REMEMBERED)

    def examine(self, spec: NetworkSpec) -> Examination:
        """Examine a drawing; see `examine`."""
        return _Examined(self, spec).result()

    def ask(self, node: LayerNode, parameters: Plan, shapes: tuple[Shape, ...]) -> Said:
        """Return Keras' report about a node, from a cache if possible; see `inspect_node`.

        Args:
            node: The node.
            parameters: Its validated parameters.
            shapes: Shapes of its inputs, without the batch axis.
        """
        written = json.dumps(parameters.model_dump(mode="json"), sort_keys=True)
        key = (node.layer, written, shapes)
        return self._said.get(key, partial(inspect_node, node, parameters, shapes))


def examine(spec: NetworkSpec) -> Examination:
    """Examine a drawing, finished or not; never raises for an invalid one.

    Layers that do not depend on one with a problem are reported all the same.
    """
    return Examiner().examine(spec)


class _Examined:
    """One examination, node by node."""

    def __init__(self, examiner: Examiner, spec: NetworkSpec) -> None:
        self._examiner = examiner
        self._spec = spec
        size = spec.input
        self._shapes: dict[str, Shape] = {INPUT: (size.height, size.width, size.channels)}
        self._fields = {INPUT: Field()}
        self._inside: dict[str, tuple[LayerFacts, ...]] = {}
        self._read_inside: dict[str, tuple[str, ...]] = {}
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
            self._inspect(node)
        blamed = {problem.node for problem in self._problems}
        self._waiting += [node_id for node_id in stuck if node_id not in blamed]
        self._check_ends()
        for node_id, facts in self._inside.items():
            self._leave_out_unread(self._spec.node(node_id), facts)
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

    def _inspect(self, node: LayerNode) -> None:
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
        if isinstance(parameters, InsideParameters):
            self._look_inside(node, parameters)
            return
        shapes = tuple(self._shapes[source] for source in node.inputs)
        said = self._examiner.ask(node, parameters, shapes)
        if isinstance(said, str):
            self._blame(build.misfit(node, list(shapes), ValueError(said)))
            return
        self._note(node, said)

    def _look_inside(self, node: LayerNode, parameters: InsideParameters) -> None:
        """Note the shape of a layer of a backbone that was described before."""
        (source,) = node.inputs
        facts = {each.inner: each for each in self._inside.get(source, ())}
        if parameters.layer not in facts:
            paths = [f"{source}{INNER}{name}" for name in facts]
            self._blame(build.not_inside(node, parameters.layer, paths))
            return
        layer = facts[parameters.layer]
        given, seen, read = (
            (layer.received[0], layer.before, layer.sources)
            if parameters.side == "input"
            else (layer.given, layer.field, (layer.inner,))
        )
        self._read_inside[node.id] = read
        found = LayerFacts("", parameters.side.capitalize(), (given,), given, 0, 0, 0, seen, seen)
        before = [self._fields[each] for each in self._spec.node(source).inputs]
        self._note(node, (found,), before)

    def _leave_out_unread(self, node: LayerNode, facts: tuple[LayerFacts, ...]) -> None:
        """Mark the end of a backbone as unused if nothing reads it: it is not built."""
        if self._spec.output == node.id or node.id not in self._used:
            return
        used = (each for each in self._spec.nodes if each.id in self._used)
        readers = [each.id for each in used if node.id in each.inputs]
        if any(each not in self._read_inside for each in readers):
            return
        names = [name for each in readers for name in self._read_inside[each]]
        by_name = {each.inner: each for each in facts}
        read = {f"{node.id}{INNER}{name}" for name in _with_sources(by_name, names)}
        for at, report in enumerate(self._layers):
            if report.node == node.id and report.name not in read:
                self._layers[at] = report.model_copy(update={"used": False})
        built = [each for each in self._layers if each.node == node.id and each.used]
        self._nodes[node.id] = self._nodes[node.id].model_copy(update=_totals(built))

    def _note(
        self, node: LayerNode, said: tuple[LayerFacts, ...], before: Sequence[Field] | None = None
    ) -> None:
        """Report the layers of a node.

        Args:
            node: The node.
            said: Its layers.
            before: The fields that come in; None for those of its inputs.
        """
        incoming = joined(before or [self._fields[source] for source in read_inputs(node)])
        if node.layer == BACKBONE.name:
            self._inside[node.id] = said
        frozen = node.frozen
        reports = [self._report(node, layer, incoming, frozen=frozen) for layer in said]
        if last := build.frozen_up_to(node):
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
            self._blame(build.no_such_layer(node, last, names))
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
                error = build.wrong_output(self._spec, end, self._shapes[end])
                if error is not None:
                    self._blame(error)


def _with_sources(facts: Mapping[str, LayerFacts], names: Sequence[str]) -> set[str]:
    """Return layers inside of a backbone, and all layers that they depend on."""
    found: set[str] = set()
    waiting = list(names)
    while waiting:
        name = waiting.pop()
        if name in facts and name not in found:  # the input of the backbone is no layer of it
            found.add(name)
            waiting += facts[name].sources
    return found


def _summed(node: LayerNode, reports: Sequence[LayerReport]) -> LayerReport:
    """Return the layers of a backbone as one."""
    first, last = reports[0], reports[-1]
    return last.model_copy(
        update={
            "name": node.id,
            "type": LAYERS[node.layer].label,
            "input_shapes": first.input_shapes,
            **_totals(reports),
            "frozen": all(report.frozen for report in reports),
        }
    )


def _totals(reports: Sequence[LayerReport]) -> dict[str, int]:
    return {
        "parameters": sum(report.parameters for report in reports),
        "trainable": sum(report.trainable for report in reports),
        "multiply_adds": sum(report.multiply_adds for report in reports),
        "memory": sum(report.memory for report in reports),
    }


def _with_node(problem: Problem, ids: set[str]) -> NodeProblem:
    node, _, parameter = problem.where.partition(".")
    return NodeProblem(
        node=node if node in ids else "",
        parameter=parameter,
        message=problem.message,
        hint=problem.hint,
        serious=problem.serious,
    )
