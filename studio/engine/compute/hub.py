"""Detectors of KerasHub as networks of plain Keras layers, with their pretrained weights.

The answers of these detectors have other forms than those of the task: nine anchors for each
position (RetinaNet), or a list of queries (D-FINE). So their features are taken, and a new box
head is put on them. What is written needs no KerasHub: it is trained, resumed and exported like
any other network. Layers of KerasHub are laid flat: they add the layers inside of them.
"""

from __future__ import annotations

import importlib
import json
import re
import tempfile
import zipfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType
from typing import Any

import keras
import numpy as np

from studio.engine.compute.backends import keras_internals
from studio.engine.compute.build import BATCH_NORM_MOMENTUM, build
from studio.engine.compute.graph import calls_of, functional
from studio.engine.compute.read import HEAD_CLASSES, Ids, nodes_of
from studio.engine.documents import DAMAGED
from studio.engine.errors import BadDataError, StudioError, did_you_mean
from studio.engine.files import read_failure, replacing, user_path, writing
from studio.engine.installation import install_command
from studio.engine.messages import as_message, message
from studio.engine.networks.builder import GraphBuilder
from studio.engine.networks.layers.foreign import ForeignCodeError, refuse_foreign_code
from studio.engine.networks.layers.shape import RESIZE_LIKE, ResizeLikeParameters
from studio.engine.networks.library import DESCRIPTION, KERAS_MODEL, LABELS
from studio.engine.networks.spec import (
    HEAD_BLOCK,
    InputShape,
    LayerNode,
    NetworkSpec,
    PresetRequest,
    WrittenModel,
)
from studio.engine.networks.zoo.boxes import add_detector_head, add_level_heads
from studio.engine.tasks import first_task
from studio.engine.tasks.outputs import POSITIONS
from studio.engine.training.model_format import check_hdf5

_CONFIG, _CONVERTER = "config.json", "image_converter.json"
_LABELS = {"RetinaNetBackbone": "RetinaNet", "DFineBackbone": "D-FINE"}
"""Names of the detectors by the class of their backbones."""
_CONVERTERS = {
    "RetinaNetBackbone": "RetinaNetImageConverter",
    "DFineBackbone": "DFineImageConverter",
}
"""Classes of their image converters by the same."""

_SIDE = 512
"""Size of the images of the file; the network is fitted to those of its dataset."""

_FINEST = 8
"""Stride of the finest maps that are used, in pixels."""

_FILTERS, _DEPTH = 128, 2
"""Size of the new layers, as in the network `detector`."""

_STAGE = re.compile(r"(embedder|stage_\d+|stack\d+)_")
"""Prefix of the names of the layers of a stage."""

_PREPROCESSING = "preprocessing"
_PACKAGE, _HUB = "keras_hub", "keras_hub."
_UNREACHABLE = ("ConnectionError", "ConnectTimeout", "ReadTimeout")
"""Errors of requests, which is not installed without KerasHub."""

_SAVE = (
    "Choose the folder of a RetinaNet or D-FINE preset, which KerasHub writes with "
    "detector.save_to_preset(FOLDER)."
)


def import_preset(request: PresetRequest) -> WrittenModel:
    """Write a preset as an archive with a network and its weights, whole or not at all.

    Raises:
        BadDataError: The preset is damaged, or needs code.
        StudioError: KerasHub is not installed, there is no such preset, it cannot be downloaded or
            is not that of a RetinaNet or D-FINE, or the file cannot be written.
    """
    hub = _keras_hub()
    folder = user_path(request.preset)
    if folder.is_dir():
        _check_folder(folder)
        source, name = str(folder), folder.resolve().name
    else:
        source = name = _known_preset(hub, request.preset)
    backbone, converter = _loaded(hub, source, is_folder=folder.is_dir())
    spec, layers = _network(request.name or name, backbone, converter)
    model = build(spec, seed=0)
    for node_id, layer in layers.items():
        model.get_layer(node_id).set_weights(layer.get_weights())
    path = Path(request.path)
    _write(path, spec, model)
    return WrittenModel(path=str(path), parameters=model.count_params())


def _keras_hub() -> ModuleType:
    try:
        return importlib.import_module("keras_hub")
    except ImportError as error:
        raise StudioError(
            "Presets need the package keras-hub, which cannot be imported: {reason}.",
            message("Install it: {command}", command=install_command("hub")),
            "preset",
            reason=str(error).rstrip("."),
        ) from error


# What a preset holds.


def _check_folder(folder: Path) -> None:
    """Look through a folder before anything is made of it.

    Raises:
        BadDataError: It is damaged, or needs code.
        StudioError: It is not the preset of a detector that Studio takes.
    """
    if not (folder / _CONFIG).is_file():
        raise StudioError(
            "{folder} is not a preset: {file} is missing.",
            _SAVE,
            "preset",
            folder=folder,
            file=_CONFIG,
        )
    if not (folder / _CONVERTER).is_file():
        raise StudioError(
            "The preset {folder} does not say how it scales pixels: {file} is missing.",
            "Save the detector with its preprocessor: detector.save_to_preset(FOLDER).",
            "preset",
            folder=folder,
            file=_CONVERTER,
        )
    try:
        configs = [
            json.loads((folder / name).read_text("utf-8")) for name in (_CONFIG, _CONVERTER)
        ]
        for config in configs:
            _refuse_foreign(config)
        for weights in folder.glob("*.h5"):
            check_hdf5(weights)
    except ForeignCodeError as error:
        raise _unusable(folder, error, error.hint) from error
    except DAMAGED as error:
        raise _unusable(folder, read_failure(error)) from error
    kind, converter = (
        each.get("class_name") if isinstance(each, dict) else None for each in configs
    )
    if kind in _LABELS and converter != _CONVERTERS[kind]:
        raise _unusable(folder, message("{file} is not that of its detector", file=_CONVERTER))
    if kind not in _LABELS:
        raise StudioError(
            "The preset {folder} is a {kind}, not the backbone of a RetinaNet or D-FINE.",
            _SAVE,
            "preset",
            folder=folder,
            kind=kind or message("model of another library"),
        )


def _refuse_foreign(config: object) -> None:
    """Refuse a configuration of anything but layers of Keras in backbones of KerasHub.

    Raises:
        ForeignCodeError: It needs code, or reads files.
    """
    if isinstance(config, Mapping):
        if "class_name" in config and not _is_of_hub(config):
            refuse_foreign_code(config)
            return
        for inside in config.values():
            _refuse_foreign(inside)
    elif isinstance(config, list):
        for inside in config:
            _refuse_foreign(inside)


def _is_of_hub(config: Mapping[str, object]) -> bool:
    """Return True for the configuration of a backbone or an image converter of KerasHub.

    Raises:
        ForeignCodeError: It names another registered class, which Keras would make instead.
    """
    name, module = str(config["class_name"]), str(config.get("module"))
    if not module.startswith(_HUB) or not name.endswith(("Backbone", "ImageConverter")):
        return False
    registered = config.get("registered_name")
    if registered != f"{_PACKAGE}>{name}":
        raise ForeignCodeError(
            message(
                "its {kind} is registered as {registered}",
                kind=name[:80],
                registered=repr(registered)[:80],
            ),
            _SAVE,
        )
    return True


def _unusable(preset: object, reason: object, hint: str = _SAVE) -> BadDataError:
    text = message("The preset {preset} cannot be used: {reason}.", preset=preset, reason=reason)
    return BadDataError(text, hint, "preset")


def _known_preset(hub: ModuleType, name: str) -> str:
    known = [each for kind in _LABELS for each in getattr(hub.models, kind).presets]
    if name in known:
        return name
    raise StudioError(
        'There is no folder and no preset of a detector "{name}".',
        did_you_mean(name, known),
        "preset",
        name=name,
    )


def _loaded(hub: ModuleType, source: str, *, is_folder: bool) -> tuple[keras.Model, Any]:
    """Return the backbone of a preset with its weights, and its converter of images."""
    try:
        backbone = hub.models.Backbone.from_preset(source)
        return backbone, hub.layers.ImageConverter.from_preset(source)
    except (*DAMAGED, ImportError) as error:
        reason = (" ".join(str(error).split()) or type(error).__name__).rstrip(".")
        if is_folder:
            raise _unusable(source, reason) from error
        if type(error).__name__ in _UNREACHABLE:
            reason = as_message("there is no connection to kaggle.com")
        raise StudioError(
            "The preset {preset} could not be downloaded: {reason}.",
            "Download it elsewhere from kaggle.com/organizations/keras/models, unpack it and name "
            "its folder.",
            "preset",
            preset=source,
            reason=reason,
        ) from error


# From a preset to a network of plain layers.


def _network(
    name: str,
    backbone: keras.Model,
    converter: Any,  # noqa: ANN401 - of KerasHub
) -> tuple[NetworkSpec, dict[str, keras.Layer]]:
    """Return the network, and the layers with weights that its nodes come from."""
    kind = type(backbone).__name__
    images = keras.Input((_SIDE, _SIDE, 3), dtype="float32")
    with _laid_flat():
        maps = _maps(backbone, images)
        calls, ends = calls_of([images], list(maps.values()))
    for call in calls:
        if isinstance(call.layer, keras.layers.BatchNormalization):
            call.layer.momentum = BATCH_NORM_MOMENTUM
        if hasattr(call.layer, "kernel_initializer"):  # forms have no start values of KerasHub
            call.layer.kernel_initializer = keras.initializers.GlorotUniform()
    nodes = _in_stages(nodes_of(calls, [], Ids({_PREPROCESSING}))[0])
    levels = {stride: nodes[end].id for stride, end in zip(maps, ends, strict=True)}
    shape = InputShape(height=_SIDE, width=_SIDE, channels=3)
    net = GraphBuilder(f"{_LABELS[kind]} ({name})", shape, HEAD_CLASSES)
    net.add(
        "channel_scaling",
        _PREPROCESSING,
        scale=_numbers(converter.scale, 1.0),
        offset=_numbers(converter.offset, 0.0),
    )
    net.extend(_fitting_each_other(nodes), after=_PREPROCESSING)
    add_head = add_level_heads if kind == "RetinaNetBackbone" else add_detector_head
    add_head(net.in_block(HEAD_BLOCK), levels, _FILTERS, _DEPTH)
    spec = net.spec().model_copy(update={"task": first_task(POSITIONS).name})
    layers = ((node.id, call.layer) for node, call in zip(nodes, calls, strict=True))
    return spec, {node_id: each for node_id, each in layers if getattr(each, "weights", ())}


def _maps(backbone: keras.Model, images: keras.KerasTensor) -> dict[int, keras.KerasTensor]:
    """Return the maps of a backbone by their strides in pixels, the finest first."""
    if type(backbone).__name__ == "RetinaNetBackbone":
        found = backbone(images).values()
    else:
        # Not all stages are outputs of it: the smallest D-FINE leaves out the stride of 8.
        stages = backbone.backbone
        if not hasattr(stages, "encoder_layer"):
            raise StudioError(
                "The backbone of the D-FINE is a {kind}; only HGNetV2 is supported.",
                _SAVE,
                "preset",
                kind=type(stages).__name__,
            )
        found = stages.encoder_layer(stages.embedder_layer(images))
    maps = {images.shape[1] // each.shape[1]: each for each in found}
    return {stride: maps[stride] for stride in sorted(maps) if stride >= _FINEST}


@contextmanager
def _laid_flat() -> Iterator[None]:
    """Let layers of KerasHub that are called in the block add the layers inside of them."""
    usual = keras.layers.Layer.__call__

    def call(layer: keras.Layer, *args: Any, **kwargs: Any) -> Any:  # noqa: ANN401 - any layer
        kind = type(layer).__name__
        if kind == "HGNetV2LearnableAffineBlock":
            scale, offset = (float(weight.numpy()) for weight in (layer.scale, layer.bias))
            return usual(keras.layers.Rescaling(scale, offset, name=layer.name), *args)
        if kind == "Identity" or (kind == "ZeroPadding2D" and not np.any(layer.padding)):
            return args[0]
        if kind == "Conv2D" and 1 < layer.groups == layer.filters:
            return _depthwise(layer, args[0], usual)
        if isinstance(layer, keras.Model):
            # Its `call` would also convert the inputs, which is an operation of the graph.
            return keras_internals.run_graph(functional(layer), args[0], lambda inner: inner)
        if type(layer).__module__.startswith(_HUB):
            return layer.call(*args, **kwargs)
        return usual(layer, *args, **kwargs)

    keras.layers.Layer.__call__ = call
    try:
        yield
    finally:
        keras.layers.Layer.__call__ = usual


def _depthwise(
    layer: keras.layers.Conv2D, incoming: keras.KerasTensor, call: Callable[..., Any]
) -> Any:  # noqa: ANN401 - a symbolic tensor
    """Call a depthwise convolution in place of one with a group for each channel.

    Args:
        layer: The convolution with groups.
        incoming: Its input.
        call: Calls a layer.
    """
    config = layer.get_config()
    names = ("name", "kernel_size", "strides", "padding", "dilation_rate", "use_bias")
    made = keras.layers.DepthwiseConv2D(**{name: config[name] for name in names})
    outgoing = call(made, incoming)
    kernel, *bias = layer.get_weights()
    made.set_weights([np.swapaxes(kernel, 2, 3), *bias])
    return outgoing


def _numbers(value: object, usual: float) -> str:
    """Return a scale or offset of pixels, of one or three numbers, as a network says it."""
    numbers = np.ravel(np.asarray(usual if value is None else value, np.float64))
    return ", ".join(f"{number:.9g}" for number in numbers)


def _in_stages(nodes: list[LayerNode]) -> list[LayerNode]:
    """Return the nodes with short ids, and stages as blocks, by which they can be frozen."""
    ids, blocks = {}, {}
    for node in nodes:
        found = _STAGE.search(node.id)
        ids[node.id] = node.id if found is None else node.id[found.start() :]
        blocks[node.id] = node.block if found is None else found[1]
    return [
        node.model_copy(
            update={
                "id": ids[node.id],
                "block": blocks[node.id],
                "inputs": tuple(ids.get(source, source) for source in node.inputs),
            }
        )
        for node in nodes
    ]


def _fitting_each_other(nodes: list[LayerNode]) -> list[LayerNode]:
    """Return the nodes with enlarged maps as large as those that they are added to.

    KerasHub doubles them, which only fits images whose sides are multiples of the largest stride.
    """
    like = {
        each: next(other for other in node.inputs if other != each)
        for node in nodes
        if node.layer == "add"
        for each in node.inputs
    }
    parameters = ResizeLikeParameters(interpolation="nearest").model_dump()
    return [
        node.model_copy(
            update={
                "layer": RESIZE_LIKE,
                "parameters": parameters,
                "inputs": (*node.inputs, like[node.id]),
            }
        )
        if node.layer == "upsampling"
        else node
        for node in nodes
    ]


def _write(path: Path, spec: NetworkSpec, model: keras.Model) -> None:
    """Write a network with weights in the form of an export; it has no labels yet."""
    with (
        writing(path, "to"),
        replacing(path) as partial,
        tempfile.TemporaryDirectory(prefix="studio-") as folder,
        zipfile.ZipFile(partial, "w") as archive,
    ):
        inner = Path(folder) / KERAS_MODEL
        model.save(inner)
        archive.write(inner, KERAS_MODEL)
        archive.writestr(DESCRIPTION, spec.to_json())
        archive.writestr(LABELS, "{}")
