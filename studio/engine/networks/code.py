"""A network as plain Keras code that builds it without Studio.

One statement per layer, named like the layer, so that the code can be compared with the drawing.
Never imports Keras.
"""

from __future__ import annotations

import ast
import builtins
import dataclasses
import functools
import json
import keyword
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from studio.engine.errors import StudioError, raise_if_serious
from studio.engine.networks.backbones import (
    RotaryTransformer,
    Transformer,
    WindowTransformer,
)
from studio.engine.networks.fitting import nodes_in_full
from studio.engine.networks.heads import output_of
from studio.engine.networks.layers import LAYERS
from studio.engine.networks.layers.backbone import (
    BACKBONES,
    INSIDE_BACKBONE,
    BackboneParameters,
    InsideParameters,
)
from studio.engine.networks.layers.foreign import KerasParameters
from studio.engine.networks.layers.layer import INITIALIZERS
from studio.engine.networks.layers.shape import BOX_HEAD, RESIZE_LIKE, ResizeLikeParameters
from studio.engine.networks.parts import names_in
from studio.engine.networks.spec import (
    INPUT,
    INPUT_RANGE,
    LayerNode,
    NetworkSpec,
    ancestors,
    id_problems,
    topological_order,
)

# Python text of values and calls, in lines that people can read.

WIDTH = 99
_INDENT = "    "

_DEFAULTS: Mapping[str, object] = {
    "activation": "linear",
    "axis": -1,
    "bias_initializer": "zeros",
    "center": True,
    "data_format": "channels_last",
    "depth_multiplier": 1,
    "depthwise_initializer": "glorot_uniform",
    "dilation_rate": 1,
    "dropout": 0.0,
    "go_backwards": False,
    "groups": 1,
    "interpolation": "nearest",
    "keepdims": False,
    "kernel_initializer": "glorot_uniform",
    "merge_mode": "concat",
    "padding": "valid",
    "pointwise_initializer": "glorot_uniform",
    "recurrent_dropout": 0.0,
    "return_sequences": False,
    "scale": True,
    "strides": 1,
    "use_bias": True,
}
"""Defaults of Keras; a test compares them with Keras."""

_OTHERWISE = {"Activation", "GroupNormalization.groups", "MaxPooling2D.strides"}
_OTHERWISE |= {"AveragePooling2D.strides", "GroupNormalization.axis", "Rescaling"}
"""Layers, or arguments of one, with other defaults, or none."""

_FIRST = ("filters", "units", "kernel_size", "pool_size", "rate")


def is_default(keras_class: str, argument: str, value: object) -> bool:
    """Return True if a value is the default of an argument of a Keras layer.

    Args:
        keras_class: Name of the layer class.
        argument: Name of the argument.
        value: The value.
    """
    if {keras_class, f"{keras_class}.{argument}"} & _OTHERWISE or argument not in _DEFAULTS:
        return value is None
    default = _DEFAULTS[argument]
    return value is None or (type(value) is type(default) and value == default)


def call(keras_class: str, arguments: Mapping[str, object], indent: int = 0) -> str:
    """Return the text of a layer, without what Keras takes anyway.

    Args:
        keras_class: Name of a class of `keras.layers`.
        arguments: Its arguments; a dictionary is an inner layer, as Keras writes layers down.
        indent: Number of columns before and after it.
    """
    shown = {
        key: value for key, value in arguments.items() if not is_default(keras_class, key, value)
    }
    order = sorted(shown, key=lambda key: (_argument_index(key), list(shown).index(key)))
    parts = [f"{key}={_argument(shown[key])}" for key in order]
    line = f"layers.{keras_class}({', '.join(parts)})"
    if len(line) + indent <= WIDTH:
        return line
    inside = "".join(f"{_INDENT}{part},\n" for part in parts)
    return f"layers.{keras_class}(\n{inside})"


def literal(value: object) -> str:
    """Return a plain value; long lists go over several lines."""
    if isinstance(value, Mapping):
        return f"{{{', '.join(f'{literal(k)}: {literal(v)}' for k, v in value.items())}}}"
    if isinstance(value, list):
        line = f"[{', '.join(literal(each) for each in value)}]"
        return line if len(line) < WIDTH - 20 else _wrapped(value)
    if isinstance(value, tuple):
        same = len(value) == 2 and value[0] == value[1] and isinstance(value[0], int)
        return repr(value[0]) if same else repr(value)
    if isinstance(value, str):
        return "".join(map(_escaped, json.dumps(value, ensure_ascii=False)))
    if isinstance(value, float) and not math.isfinite(value):
        return f'float("{value}")'
    return repr(value)


def dictionary(value: Mapping[str, object]) -> str:
    """Return a dictionary of plain values, one key per line."""
    inside = "".join(f"{_INDENT}{literal(k)}: {literal(each)},\n" for k, each in value.items())
    return f"{{\n{inside}}}"


def one_line(text: str) -> str:
    """Clean a text so that it stays inside a comment or a docstring."""
    shown = "".join(char if char.isprintable() else " " for char in text)
    return " ".join(shown.split()).replace("\\", "/").replace('"', "'")


def _escaped(character: str) -> str:
    """Escape what an editor does not show, and halves of pairs that no file can hold."""
    return character if character.isprintable() else f"\\U{ord(character):08x}"


def _wrapped(values: Sequence[object]) -> str:
    lines, line = [], ""
    for part in (literal(each) for each in values):
        if line and len(line) + len(part) > WIDTH - 10:
            lines.append(line.rstrip())
            line = ""
        line += f"{part}, "
    inside = "".join(f"{_INDENT}{each}\n" for each in [*lines, line.rstrip()])
    return f"[\n{inside}]"


def _argument(value: object) -> str:
    if isinstance(value, Mapping) and isinstance(value.get("config"), Mapping):
        if value.get("module") == INITIALIZERS:
            settings = ", ".join(f"{k}={literal(each)}" for k, each in value["config"].items())
            return f"{INITIALIZERS}.{value['class_name']}({settings})"
        return call(str(value["class_name"]), value["config"])
    flat = getattr(value, "ravel", None)
    if flat is not None:  # an array of NumPy, which is not loaded here for others
        numbers = [float(str(number)) for number in flat()]
        shape = tuple(getattr(value, "shape", ()))
        return f'np.array({literal(numbers)}, "float32").reshape({shape!r})'
    return literal(value)


def _argument_index(argument: str) -> int:
    if argument in ("name", "dtype"):
        return len(_FIRST) + 1
    return _FIRST.index(argument) if argument in _FIRST else len(_FIRST)


_INSIDE_NETWORKS = {"LayerScale": "convnext", "CustomScaleLayer": "inception_resnet_v2"}
"""Layers that come with Keras and are in no list of layers, by their module."""

_RESERVED = frozenset(
    (
        *("keras", "layers", "np", "inputs", "model", "training_model", "grow", "freeze", "re"),
        *("inside", "resize_like", "box_head"),
        *(f"grow_{each.name}" for each in BACKBONES),
        "math",
        "name",
        *_INSIDE_NETWORKS,
        *keyword.kwlist,
        *keyword.softkwlist,
        *dir(builtins),
    )
)
"""Names that a variable of the code must not have."""

_GROW = '''

def grow(application, tensor, name, rename=False, **options):
    """Put a published network without its head on a tensor; its layers become the model's own."""
    before = keras.Model(keras.utils.get_source_inputs(tensor), tensor).layers
    names = [layer.name for layer in before]
    for layer in before:  # Keras makes up names that may be the same
        layer.name = f"before-{layer.name}"
    network = application(include_top=False, weights=None, input_tensor=tensor, **options)
    for layer, own in zip(before, names):
        layer.name = own
    added = [layer for layer in network.layers if all(layer is not old for old in before)]
    for layer in added:
        if rename:
            layer.name = f"{name}_{layer.name}"
        if isinstance(layer, layers.BatchNormalization):
            layer.momentum = 0.9  # with 0.99 the running statistics lag for thousands of steps
    return network.outputs[0], added
'''
_TRANSFORMERS: dict[type, str] = {
    Transformer: "vision_transformer",
    RotaryTransformer: "rotary_transformer",
    WindowTransformer: "window_transformer",
}
"""Modules of `compute` that are read as text, each with one function of its name: what Studio
builds is what the code builds."""


def _module_text(name: str) -> str:
    """Return a module behind its imports."""
    text = (Path(__file__).parents[1] / "compute" / f"{name}.py").read_text("utf-8")
    last = max(node.end_lineno or 0 for node in ast.parse(text).body if _is_import(node))
    return "".join(text.splitlines(keepends=True)[last:])


@functools.cache
def _names_of_transformers() -> frozenset[str]:
    """Return the names that the modules of transformers define or import."""
    found = set()
    for module in _TRANSFORMERS.values():
        for node in ast.parse(_module_text(module)).body:
            if isinstance(node, ast.FunctionDef):
                found.add(node.name)
            elif isinstance(node, ast.Assign):
                found |= {each.id for each in node.targets if isinstance(each, ast.Name)}
    return frozenset(found)


def _is_import(node: ast.stmt) -> bool:
    return isinstance(node, ast.Import | ast.ImportFrom)


def _transformer_code(names: Iterable[str]) -> Iterator[str]:
    """Return the functions of transformers, each called as those of Keras."""
    found = [(each, each.transformer) for each in map(BACKBONES.__getitem__, names)]
    transformers = [(each, sizes) for each, sizes in found if sizes is not None]
    modules = [_TRANSFORMERS[type(sizes)] for _, sizes in transformers]
    if modules:
        # The others call its functions.
        for module in dict.fromkeys(["vision_transformer", *modules]):
            yield _module_text(module)
    for backbone, transformer in transformers:
        sizes = dataclasses.asdict(transformer)
        del sizes["family"]
        yield f"\n\ndef grow_{backbone.name}(input_tensor, **_options):"
        yield f'{_INDENT}"""Return {one_line(backbone.label)} on a tensor."""'
        yield f"{_INDENT}return {_TRANSFORMERS[type(transformer)]}("
        yield f"{_INDENT * 2}input_tensor,"
        yield from (f"{_INDENT * 2}{name}={value!r}," for name, value in sizes.items())
        yield f"{_INDENT})"


_INSIDE = '''

def inside(grown, name, side):
    """Return the input or output of a layer of a published network."""
    layer = next(layer for layer in grown if layer.name == name)
    return layer.output if side == "output" else layer._inbound_nodes[0].input_tensors[0]
'''
_RESIZE_LIKE = '''

def resize_like(tensor, other, interpolation, name):
    """Make maps as large as others."""
    wanted, given = other.shape[1:3], tensor.shape[1:3]
    if all(large % small == 0 for large, small in zip(wanted, given)):
        factors = tuple(large // small for large, small in zip(wanted, given))
        return layers.UpSampling2D(factors, interpolation=interpolation, name=name)(tensor)
    return layers.Resizing(*wanted, interpolation=interpolation, name=name)(tensor)
'''
_BOX_HEAD = '''

def box_head(maps, name):
    """Join the maps of a detector, classes and distances level by level, to one list."""
    levels = []
    for at in range(0, len(maps), 2):
        level = f"{name}-level{at // 2 + 1}"
        both = layers.Concatenate(name=level, dtype="float32")(maps[at : at + 2])
        numbers = (-1, both.shape[-1])
        levels.append(layers.Reshape(numbers, name=f"{level}_positions", dtype="float32")(both))
    if len(levels) == 1:
        return levels[0]
    return layers.Concatenate(axis=1, name=f"{name}-positions", dtype="float32")(levels)
'''
_FREEZE = '''

def freeze(grown, last=""):
    """Let training leave layers alone, up to the last whose name begins as `last` says."""
    ends = [at for at, layer in enumerate(grown, 1) if re.match(last, layer.name)]
    for layer in grown[: ends[-1]]:
        layer.trainable = False
'''


def keras_code(spec: NetworkSpec) -> str:
    """Write the code of a network that checks.

    With the same weights, the code gives the same output. A backbone is written as a call of its
    function in `keras.applications`; to see its layers, expand the network first.

    Returns:
        A script that needs only Keras. It creates `model`, and `training_model` if there are
        auxiliary heads.

    Raises:
        StudioError: There is no such layer, a parameter does not fit, or an id is no identifier.
    """
    raise_if_serious(id_problems(spec))
    return "\n".join(_Script(spec).lines()) + "\n"


class _Script:
    def __init__(self, spec: NetworkSpec) -> None:
        self._spec = spec
        ends = [spec.output, *(head.node for head in spec.auxiliary)]
        known = {node.id for node in spec.nodes}
        for end in ends:
            if end not in known:
                raise StudioError(
                    'The network "{network}" has no layer "{layer}", which is to be an output.',
                    "Choose another layer as the output.",
                    end,
                    network=spec.name,
                    layer=end,
                )
        used = {node_id for end in ends for node_id in ancestors(spec, end)}
        self._ends = ends
        self._nodes = [node for node in topological_order(spec) if node.id in used]
        self._exact = nodes_in_full(self._nodes, ends)
        self._variables = _variables(self._nodes)
        self._backbones = [node for node in self._nodes if node.layer == "backbone"]
        self._architectures = sorted(
            {str(node.parameters["architecture"]) for node in self._backbones}
        )
        self._freezes = any(
            node.frozen or node.parameters.get("frozen_up_to") for node in self._backbones
        )

    @property
    def _answer(self) -> str:
        return output_of(self._spec).meaning

    def lines(self) -> Iterator[str]:
        before = ["", *(node.block for node in self._nodes)]
        pairs = zip(self._nodes, before, strict=False)
        body = [line for node, block in pairs for line in self._node(node, block)]
        spec, size = self._spec, self._spec.input
        yield f'"""{one_line(spec.name)}, for images of {size} and {spec.classes} classes.'
        yield ""
        values = "of the dataset" if INPUT_RANGE in self._variables else "0 to 255"
        yield f"The model takes raw pixels, {values}, and gives a probability for {self._answer}."
        yield 'Written by Studio; needs Keras 3 only."""'
        yield ""
        helpers = list(self._helpers())
        needed = {"re": self._freezes, "math": any("math." in text for text in helpers)}
        plain = [f"import {module}" for module in sorted(needed) if needed[module]]
        yield from [*plain, ""] if plain else []
        yield "import keras"
        if any("np.array(" in line for line in body):
            yield "import numpy as np"
        yield "from keras import layers"
        for name, module in _INSIDE_NETWORKS.items():
            if any(f" = {name}." in line for line in body):
                yield f"from keras.src.applications.{module} import {name}"
        yield from helpers
        yield ""
        shape = f"({size.height}, {size.width}, {size.channels})"
        yield f'inputs = keras.Input({shape}, dtype="float32", name="{INPUT}")'
        yield from body
        yield ""
        yield f'model = keras.Model(inputs, {self._variables[self._spec.output]}, name="network")'
        yield from self._training_model()
        yield from self._frozen()
        yield from self._rates()

    def _helpers(self) -> Iterator[str]:
        kinds = {node.layer for node in self._nodes}
        texts = [
            "\n".join(_transformer_code(self._architectures)),
            *([_GROW] if self._backbones else []),
            *([_INSIDE] if INSIDE_BACKBONE.name in kinds else []),
            *([_FREEZE] if self._freezes else []),
            *([_RESIZE_LIKE] if RESIZE_LIKE in kinds else []),
            *([_BOX_HEAD] if BOX_HEAD.name in kinds else []),
        ]
        for text in filter(None, texts):
            yield from text.rstrip("\n").split("\n")
        if any(texts):
            yield ""

    def _node(self, node: LayerNode, block: str) -> Iterator[str]:
        """Return the lines of a layer that follows one of that block."""
        if node.block and node.block != block:
            yield ""
            yield f"# {one_line(node.block)}"
        elif not node.block and block:
            yield ""
        parameters = LAYERS[node.layer].parameters.parse(node.parameters)
        if isinstance(parameters, BackboneParameters):
            yield from self._backbone(node, parameters)
            return
        incoming = [self._variables[source] for source in node.inputs]
        if isinstance(parameters, InsideParameters):
            name = self._inner_name(node.inputs[0], parameters.layer)
            variable, side = self._variables[node.id], literal(parameters.side)
            yield f"{variable} = inside({incoming[0]}_layers, {literal(name)}, {side})"
            return
        if isinstance(parameters, ResizeLikeParameters):
            given = [*incoming, literal(parameters.interpolation), literal(node.id)]
            yield f"{self._variables[node.id]} = resize_like({', '.join(given)})"
            return
        if node.layer == BOX_HEAD.name:
            yield f"{self._variables[node.id]} = box_head("
            yield f"{_INDENT}["
            yield from (f"{_INDENT * 2}{source}," for source in incoming)
            yield f"{_INDENT}],"
            yield f"{_INDENT}{literal(node.id)},"
            yield ")"
            return
        put_on = f"[{', '.join(incoming)}]" if len(incoming) > 1 else incoming[0]
        if isinstance(parameters, KerasParameters):
            settings = parameters.settings | {"name": node.id}
            module = "" if parameters.class_name in _INSIDE_NETWORKS else "layers."
            made = f"{module}{parameters.class_name}.from_config({dictionary(settings)})"
        else:
            layer = LAYERS[node.layer]
            put_on += "".join(f", {key}={literal(v)}" for key, v in layer.call_arguments.items())
            arguments = layer.keras_arguments(parameters) | {"name": node.id}
            if node.id in self._exact:
                arguments["dtype"] = "float32"
            around = len(f"{self._variables[node.id]} = ({put_on})")
            made = call(layer.keras_class, arguments, around)
        yield from f"{self._variables[node.id]} = {made}({put_on})".split("\n")

    def _backbone(self, node: LayerNode, parameters: BackboneParameters) -> Iterator[str]:
        backbone = BACKBONES[parameters.architecture]
        variable = self._variables[node.id]
        function = f"keras.applications.{backbone.keras_function}"
        if backbone.transformer is not None:
            function = f"grow_{backbone.name}"
        source = self._variables[node.inputs[0]]
        options = ""
        if len(self._backbones) > 1:
            options += ", rename=True"
        if backbone.switches_preprocessing:
            options += ", include_preprocessing=False"
        yield f"# {backbone.label} without its head."
        yield f'{variable}, {variable}_layers = grow({function}, {source}, "{node.id}"{options})'
        last = str(node.parameters.get("frozen_up_to") or "")
        if node.frozen:
            yield f"freeze({variable}_layers)"
        elif last:
            name = self._inner_name(node.id, names_in(last))
            yield f"freeze({variable}_layers, last={literal(name)})"

    def _inner_name(self, backbone: str, layer: str) -> str:
        """Return the name that the code gives a layer inside a backbone."""
        return f"{backbone}_{layer}" if len(self._backbones) > 1 else layer

    def _training_model(self) -> Iterator[str]:
        if not self._spec.auxiliary:
            return
        ends = ", ".join(self._variables[end] for end in self._ends)
        weights = [1.0, *(head.weight for head in self._spec.auxiliary)]
        yield ""
        yield "# Auxiliary heads help training only. Compile this one with"
        yield f"# loss_weights={weights}, fit it, and use `model`, which shares its weights."
        yield f"training_model = keras.Model(inputs, [{ends}])"

    def _frozen(self) -> Iterator[str]:
        frozen = [n.id for n in self._nodes if n.frozen and n.layer != "backbone"]
        if frozen:
            yield ""
            yield "# Training leaves these alone."
            yield f"for name in {literal(frozen)}:"
            yield "    model.get_layer(name).trainable = False"

    def _rates(self) -> Iterator[str]:
        rates: dict[float, list[str]] = {}
        for node in self._nodes:
            if not math.isclose(node.rate, 1) and not node.frozen:
                rates.setdefault(node.rate, []).append(node.id)
        if rates:
            yield ""
            yield "# In Studio, the learning rate of these layers was multiplied:"
            for rate, ids in rates.items():
                yield f"# {rate:g} for {', '.join(ids)}"


def _variables(nodes: Sequence[LayerNode]) -> dict[str, str]:
    """Variable of each node; where its id is reserved or taken, underscores follow it."""
    taken = set(_RESERVED | _names_of_transformers())
    names = {INPUT: "inputs"}
    for node in nodes:
        name = node.id
        while name in taken or (node.layer == "backbone" and f"{name}_layers" in taken):
            name += "_"
        names[node.id] = name
        taken |= {name, f"{name}_layers"} if node.layer == "backbone" else {name}
    return names
