"""Fills a network with weights from elsewhere: a file, an earlier run, ImageNet.

No layer is renamed. Weights are matched to layers by name; if names say nothing, because Keras
made them up, by order. The head is filled only where a plan asks for that, and what is not filled
stays random.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import keras
import numpy as np
from numpy.typing import NDArray

from studio.engine.compute.backends import keras_internals
from studio.engine.compute.build import node_of
from studio.engine.compute.presets import of_other_network, preset_values
from studio.engine.compute.resampling import resampled_grid
from studio.engine.compute.vision_transformer import PATCHES_LAYER, POSITIONS_LAYER
from studio.engine.errors import StudioError
from studio.engine.files import user_path
from studio.engine.jobs.events import Note
from studio.engine.jobs.job import JobContext
from studio.engine.messages import Message, joined, message
from studio.engine.networks.backbones import (
    BACKBONES,
    CAFFE_MEAN,
    IMAGENET,
)
from studio.engine.networks.catalog import backbone_of
from studio.engine.networks.fitting import COLOR, head_of
from studio.engine.networks.parts import INNER
from studio.engine.networks.spec import INPUT, NetworkSpec
from studio.engine.pretrained.sources import SOURCES
from studio.engine.pretrained.store import PretrainedStore
from studio.engine.progress import Progress
from studio.engine.training.history import LayerNote, WeightsLoaded
from studio.engine.training.passports import passport_of_weights
from studio.engine.training.plan import RUN_PREFIX, STARTING_WEIGHTS, TrainingPlan
from studio.engine.training.trained_models import model_file, run_with_model
from studio.engine.training.transformer_files import TransformerFile, transformer_file
from studio.engine.training.weight_files import StoredLayer, WeightFile, open_weights
from studio.engine.workspace import Workspace

# Which stored weights are those of which layer.

_MADE_UP = re.compile(
    r"(separable_|depthwise_)?conv(_)?[123]d(_transpose)?(_\d+)?|(batch|layer|group|unit)?_?"
    r"normalization(_\d+)?|dense(_\d+)?|lstm(_\d+)?|gru(_\d+)?|embedding(_\d+)?|layer(_\d+)?"
)
"""Names that Keras generates: they give the order of creation, not the position."""

OTHER_SHAPE = "the weights of that name have another shape"
NOT_FOUND = "there are no weights with this name or path"
NOT_NEEDED = "not used by any layer"


@dataclass(frozen=True, slots=True)
class TargetLayer:
    """A layer that looks for its weights.

    Attributes:
        name: Its name in the model.
        short: Its name inside a backbone; the same elsewhere.
        key: Its kind and number among those of its kind, as Keras 3 addresses it in files.
        shapes: Shape of each of its weights.
        layer: The layer itself.
    """

    name: str
    short: str
    key: str
    shapes: tuple[tuple[int, ...], ...]
    layer: keras.Layer

    @property
    def size(self) -> int:
        """Number of weights."""
        return sum(math.prod(shape) for shape in self.shapes)


@dataclass(slots=True)
class LayerMatch:
    """Layers that found their weights; reasons by name for the others."""

    pairs: list[tuple[TargetLayer, StoredLayer]] = field(default_factory=list)
    random: dict[str, str] = field(default_factory=dict)
    unused: dict[str, str] = field(default_factory=dict)


def match(
    targets: Sequence[TargetLayer],
    stored: Sequence[StoredLayer],
    *,
    is_ordered: bool,
    is_own: bool = False,
    in_order: bool = False,
) -> LayerMatch:
    """Find the weights of every layer.

    First by name, then by order and shape within what is left. Names that look as if Keras had
    made them up count only in files of our own, or if all layers find weights by name.

    Args:
        targets: The layers, in the order of the network.
        stored: The stored weights.
        is_ordered: True if it is in the order of its network; otherwise Keras' numbers are used.
        is_own: Studio wrote them, and so all names mean something.
        in_order: The weights are known to be of this very network: names say nothing.
    """
    useful = [layer for layer in stored if not _holds_means(layer)]
    if in_order and [layer.shapes for layer in useful] == [layer.shapes for layer in targets]:
        result = LayerMatch(list(zip(targets, useful, strict=True)))
    else:
        result = _by_name(targets, useful, made_up=True)
        if not is_own and len(result.pairs) < len(targets):
            result = _by_name(targets, useful, made_up=False)
        (_by_order if is_ordered else _by_key)(result, targets, useful)
    taken = {id(layer) for _, layer in result.pairs}
    done = {layer.name for layer, _ in result.pairs}
    for layer in targets:
        if layer.name not in done:
            result.random.setdefault(layer.name, NOT_FOUND)
    for each in stored:
        if id(each) not in taken:
            result.unused.setdefault(each.name or each.key, NOT_NEEDED)
    return result


def keys_of(model: keras.Model) -> dict[str, str]:
    """Return the key of each layer in a Keras 3 weights file, by the layer's name."""
    counts: dict[str, int] = {}
    keys = {}
    for layer in model.layers:
        kind = _snake_case(type(layer).__name__)
        number = counts.get(kind, 0)
        counts[kind] = number + 1
        keys[layer.name] = f"{kind}_{number}" if number else kind
    return keys


def _by_name(
    targets: Sequence[TargetLayer], stored: Sequence[StoredLayer], *, made_up: bool
) -> LayerMatch:
    names: dict[str, list[StoredLayer]] = {}
    for each in stored:
        if each.name and (made_up or not _MADE_UP.fullmatch(each.name)):
            names.setdefault(_plain(each.name), []).append(each)
    result = LayerMatch()
    for layer in targets:
        found = names.get(_plain(layer.name)) or names.get(_plain(layer.short)) or []
        if len(found) != 1:
            continue
        if found[0].shapes == layer.shapes:
            result.pairs.append((layer, found[0]))
        else:
            result.random[layer.name] = OTHER_SHAPE
            result.unused[found[0].name] = OTHER_SHAPE
    return result


def _by_order(
    result: LayerMatch, targets: Sequence[TargetLayer], stored: Sequence[StoredLayer]
) -> None:
    """Match layers from the images on while the shapes agree; the rest is another network."""
    for layer, each in zip(*_left(result, targets, stored), strict=False):
        if layer.shapes != each.shapes:
            break
        result.pairs.append((layer, each))


def _by_key(
    result: LayerMatch, targets: Sequence[TargetLayer], stored: Sequence[StoredLayer]
) -> None:
    layers, rest = _left(result, targets, stored)
    keys: dict[str, list[StoredLayer]] = {}
    for each in rest:
        keys.setdefault(each.key, []).append(each)
    for layer in layers:
        found = keys.get(layer.key, [])
        if len(found) == 1 and found[0].shapes == layer.shapes:
            result.pairs.append((layer, found[0]))


def _left(
    result: LayerMatch, targets: Iterable[TargetLayer], stored: Iterable[StoredLayer]
) -> tuple[list[TargetLayer], list[StoredLayer]]:
    taken = {id(each) for _, each in result.pairs}
    done = {layer.name for layer, _ in result.pairs} | result.random.keys()
    return (
        [layer for layer in targets if layer.name not in done],
        [each for each in stored if id(each) not in taken and each.name not in result.unused],
    )


def _holds_means(layer: StoredLayer) -> bool:
    return (layer.name or layer.key).rstrip("_0123456789") == "normalization"


def _plain(name: str) -> str:
    return re.sub(r"[^a-z0-9]+", "_", name.lower())


def _snake_case(name: str) -> str:
    parted = re.sub(r"(.)([A-Z][a-z]+)", r"\1_\2", name)
    return re.sub(r"([a-z])([A-Z])", r"\1_\2", parted).lower()


MIN_SHARE = 0.5
"""Share of the weights below the head that must be found; with less it is another network."""

_FOLDED_VARIANCE = 0.01
"""Folded variances are 1 less the epsilon of the layer."""


def start_from(
    context: JobContext, plan: TrainingPlan, model: keras.Model, spec: NetworkSpec
) -> None:
    """Load the initial weights of a plan and journal which layers received them.

    Args:
        context: The running job.
        plan: Plan of the run.
        model: The built network.
        spec: Its description.

    Raises:
        StudioError: The weights do not exist or fit too little of the network.
        BadDataError: The file cannot be used.
        Cancelled: The job was asked to end during the download.
    """
    if plan.weights:
        found = load_weights(
            model,
            spec,
            plan.weights,
            context.workspace,
            context,
            with_head=plan.keep_head,
            copy=context.folder / STARTING_WEIGHTS,
        )
        context.emit(found, durable=True)
        if found.averaged_channels:
            context.emit(Note(message=averaged_note(found.averaged_channels)))
        if freeze_folded(model):
            context.emit(
                Note(
                    message="Batch normalization is folded into the layers before it in these "
                    "weights, so these layers keep their statistics while the others are trained."
                )
            )


def averaged_note(channels: int) -> Message:
    """Return what happens to weights of color images in a network for other images.

    Args:
        channels: Number of channels of the images.
    """
    return message(
        "The weights were trained on color images. The first layer uses the mean of their red, "
        "green and blue kernels, times 3/{channels}, for each of the {channels} channels.",
        channels=channels,
    )


def freeze_folded(model: keras.Model) -> int:
    """Keep layers of batch normalization as they are whose statistics are folded.

    Converted weights have mean 0 and variance 1, and the bias of the layer before as `beta`:
    statistics of batches in their place would change every activation. New layers look different:
    their `beta` is 0.

    Args:
        model: The network with its weights, before it is compiled.

    Returns:
        How many layers were frozen for that.
    """
    frozen = 0
    for layer in model.layers:
        if not isinstance(layer, keras.layers.BatchNormalization) or layer.beta is None:
            continue
        mean = keras.ops.convert_to_numpy(layer.moving_mean)
        variance = keras.ops.convert_to_numpy(layer.moving_variance)
        beta = keras.ops.convert_to_numpy(layer.beta)
        if not mean.any() and np.allclose(variance, 1, atol=_FOLDED_VARIANCE) and beta.any():
            frozen += layer.trainable
            layer.trainable = False
    return frozen


def load_weights(
    model: keras.Model,
    spec: NetworkSpec,
    source: str,
    workspace: Workspace,
    progress: Progress,
    *,
    with_head: bool = False,
    copy: Path | None = None,
) -> WeightsLoaded:
    """Load weights into a network that was built from a description.

    Args:
        model: The network.
        spec: Its description.
        source: `IMAGENET`, `run:ID`, or the path of a file.
        workspace: Workspace of the runs.
        progress: Receives the progress of a download and may cancel.
        with_head: True if the head is filled, too; otherwise it is left alone.
        copy: A copy of the file, which is read in its place if there is one.

    Raises:
        StudioError: The weights are missing, or fit too few layers of the network.
        BadDataError: The file cannot be used.
        Cancelled: The job was asked to end.
    """
    if source == IMAGENET:
        path = fetch_imagenet(spec, progress)
    elif source.startswith(RUN_PREFIX):
        path = _model_of(source.removeprefix(RUN_PREFIX), workspace)
    elif copy is not None and copy.is_file():
        path = copy
    else:
        path = user_path(source)
    targets = needed_layers(model, set() if with_head else head_of(spec))
    if not targets:  # the network is nothing but a head
        targets = needed_layers(model, set())
    transformer = transformer_file(path)
    if transformer is not None:
        loaded = _load_transformer(source, path, transformer, model, spec, targets)
    else:
        loaded = _load_file(source, path, model, spec, targets)
    passport = passport_of_weights(source, path, backbone_of(spec), workspace)
    return loaded.model_copy(update={"passport": passport})


def _load_file(
    source: str, path: Path, model: keras.Model, spec: NetworkSpec, targets: list[TargetLayer]
) -> WeightsLoaded:
    """Fill a network from a file of Keras or Studio.

    Raises:
        StudioError: The weights fit too few layers of the network.
        BadDataError: The file cannot be used.
    """
    with open_weights(path) as file:
        found = _found(file, targets, _other_stems(model), in_order=source == IMAGENET)
        _refuse_stranger(file, found, targets, spec)
        reverse = set() if file.is_own else _first_of_caffe(model, spec)
        _fill(file, found.pairs, reverse)
    return WeightsLoaded(
        source=source,
        loaded=tuple(layer.name for layer, _ in found.pairs),
        parameters=sum(layer.size for layer, _ in found.pairs),
        random=tuple(LayerNote(name=name, reason=why) for name, why in found.random.items()),
        unused=tuple(LayerNote(name=name, reason=why) for name, why in found.unused.items()),
        reversed_channels=bool(reverse.intersection(layer.name for layer, _ in found.pairs)),
        averaged_channels=spec.input.channels if any(map(_is_averaged, found.pairs)) else 0,
    )


def _load_transformer(
    source: str,
    path: Path,
    found: TransformerFile,
    model: keras.Model,
    spec: NetworkSpec,
    targets: list[TargetLayer],
) -> WeightsLoaded:
    """Fill the vision transformer of a network from a file of KerasHub.

    Raises:
        StudioError: The network has another backbone, or none.
        BadDataError: The file is damaged.
    """
    node = next((node for node in spec.nodes if node.layer == "backbone"), None)
    backbone = None if node is None else BACKBONES[str(node.parameters["architecture"])]
    if node is None or backbone is None or backbone.transformer is None:
        raise of_other_network(path, found, spec.name)
    grid = model.get_layer(f"{node.id}{INNER}{PATCHES_LAYER}").output.shape[1:3]
    values = preset_values(path, found, backbone, grid)
    pairs = [(each, values[each.short]) for each in targets if each.short in values]
    averaged = 0
    for each, arrays in pairs:
        for variable, value in zip(each.layer.weights, arrays, strict=True):
            is_other = value.ndim == 4 and value.shape != tuple(variable.shape)
            variable.assign(_averaged(value, variable.shape[2]) if is_other else value)
            averaged = spec.input.channels if is_other else averaged
    names = {each.name for each, _ in pairs}
    return WeightsLoaded(
        source=source,
        loaded=tuple(each.name for each, _ in pairs),
        parameters=sum(each.size for each, _ in pairs),
        random=tuple(
            LayerNote(name=each.name, reason=NOT_FOUND)
            for each in targets
            if each.name not in names
        ),
        unused=(),
        reversed_channels=False,
        averaged_channels=averaged,
    )


def _found(
    file: WeightFile, targets: list[TargetLayer], stems: set[str], *, in_order: bool
) -> LayerMatch:
    """Find the weights of layers, with first kernels for color if the file has none that fit."""
    targets = [_of_grid(each, file) for each in targets]
    options = [targets]
    if any(layer.name in stems for layer in targets):
        options.append([_of_color(each) if each.name in stems else each for each in targets])
    matches = [
        match(
            each,
            file.layers,
            is_ordered=file.is_ordered,
            is_own=file.is_own,
            in_order=in_order,
        )
        for each in options
    ]
    return max(matches, key=lambda found: len(found.pairs))


def _of_grid(layer: TargetLayer, file: WeightFile) -> TargetLayer:
    """Return a layer of positions with the grid that a file has."""
    if layer.short != POSITIONS_LAYER:
        return layer
    stored = next((each for each in file.layers if each.name == layer.name), None)
    if stored is None or [len(shape) for shape in stored.shapes] != [1, 3]:
        return layer
    is_alike = stored.shapes[1][-1] == layer.shapes[1][-1]
    return replace(layer, shapes=stored.shapes) if is_alike else layer


def _of_color(layer: TargetLayer) -> TargetLayer:
    """Return a first layer as a file of weights for color images has it."""
    kernel, *rest = layer.shapes
    return replace(layer, shapes=((*kernel[:-2], COLOR, kernel[-1]), *rest))


def _is_averaged(pair: tuple[TargetLayer, StoredLayer]) -> bool:
    targets, stored = pair
    if targets.short == POSITIONS_LAYER:
        return False
    return tuple(targets.layer.weights[0].shape) != stored.shapes[0]


def _averaged(kernel: NDArray[np.float32], channels: int) -> NDArray[np.float32]:
    """Return a kernel for other channels, shape (height, width, channels, filters).

    Each channel has the mean of the kernels of red, green and blue, times 3 / channels: the same
    output for an image whose channels are all equal.
    """
    total = kernel.sum(axis=2, keepdims=True) / channels
    return np.repeat(total, channels, axis=2)


def _model_of(run: str, workspace: Workspace) -> Path:
    run_id, _, checkpoint = run.partition("@")
    return model_file(run_with_model(workspace, run_id), checkpoint)


def needed_layers(model: keras.Model, head: set[str]) -> list[TargetLayer]:
    """Return the layers that have weights and are not part of the head, in the order of Keras.

    Args:
        model: The network.
        head: Ids of the nodes of its head.
    """
    keys = keys_of(model)
    return [
        TargetLayer(
            name=name,
            short=name.rpartition(INNER)[2].rpartition("/")[2],
            key=keys.get(name, ""),
            shapes=tuple(tuple(weight.shape) for weight in layer.weights),
            layer=layer,
        )
        for outer in model.layers
        if node_of(outer) not in head
        for name, layer in _leaves(outer, outer.name)
        if layer.weights and not _is_preprocessing(layer)
    ]


def _leaves(layer: keras.Layer, name: str) -> Iterator[tuple[str, keras.Layer]]:
    """Return a layer, or those of a model inside a model."""
    if not isinstance(layer, keras.Model):
        yield name, layer
        return
    for inner in layer.layers:
        yield from _leaves(inner, f"{name}/{inner.name}")


def _is_preprocessing(layer: keras.Layer) -> bool:
    """Some backbones of Keras hold their means as weights; here that is a node before them."""
    return isinstance(layer, keras.layers.Normalization)


def _refuse_stranger(
    file: WeightFile, found: LayerMatch, targets: list[TargetLayer], spec: NetworkSpec
) -> None:
    total = sum(layer.size for layer in targets)
    loaded = sum(layer.size for layer, _ in found.pairs)
    if total and loaded >= MIN_SHARE * total:
        return
    missed = next((layer for layer in targets if layer.name in found.random), None)
    first = file.layers[0]
    fit = message(
        "The weights {file} fit {fitting} of the {layers} layers of {network}.",
        file=file.path,
        fitting=len(found.pairs),
        layers=len(targets),
        network=spec.name,
    )
    begins = message(
        'The file begins with "{layer}", {shapes}, and has {number} layers.',
        layer=first.name or first.key,
        shapes=_shapes(first.shapes),
        number=len(file.layers),
    )
    needed = (
        ""
        if missed is None
        else message('"{layer}" needs {shapes}.', layer=missed.name, shapes=_shapes(missed.shapes))
    )
    raise StudioError(
        joined((fit, needed, begins)),
        "Choose the network that these weights belong to, or other weights.",
        "weights",
    )


def _shapes(shapes: tuple[tuple[int, ...], ...]) -> str:
    return ", ".join("x".join(map(str, shape)) or "1" for shape in shapes)


def _fill(
    file: WeightFile, pairs: list[tuple[TargetLayer, StoredLayer]], reverse: set[str]
) -> None:
    """Read everything before anything is changed, so that a damaged file changes nothing."""
    read = [(targets, file.read(stored)) for targets, stored in pairs]
    for targets, values in read:
        for variable, value in zip(targets.layer.weights, values, strict=True):
            is_kernel = value.ndim == 4
            if is_kernel and value.shape != tuple(variable.shape):
                variable.assign(_averaged(value, variable.shape[2]))
            elif targets.short == POSITIONS_LAYER and value.shape != tuple(variable.shape):
                variable.assign(resampled_grid(value, tuple(variable.shape[:2])))
            elif is_kernel and targets.name in reverse:
                variable.assign(np.flip(value, axis=2))
            else:
                variable.assign(value)


def _first_of_caffe(model: keras.Model, spec: NetworkSpec) -> set[str]:
    """Return the names of the first convolutions of a network that takes colors as Caffe did.

    Its weights elsewhere expect blue, green, red; ours take red, green, blue, and so the input
    channels of these kernels are turned around.
    """
    if not any(_subtracts_caffe_mean(node.parameters.get("mean")) for node in spec.nodes):
        return set()
    return {each.name for each in _first_layers(model) if each.weights[0].shape[-2] == COLOR}


def _other_stems(model: keras.Model) -> set[str]:
    """Return the names of the first convolutions of a network whose images are not color."""
    channels = model.input_shape[-1]
    return {
        layer.name
        for layer in _first_layers(model)
        if isinstance(layer, keras.layers.Conv2D)
        and layer.groups == 1
        and channels != COLOR
        and layer.kernel.shape[2] == channels
    }


def _first_layers(model: keras.Model) -> list[keras.Layer]:
    """Return the layers with weights that the image comes to first."""
    first, waiting, seen = [], [INPUT], set[str]()
    readers = _readers(model)
    while waiting:
        for layer in readers.get(waiting.pop(), ()):
            if layer.name in seen:
                continue
            seen.add(layer.name)
            if layer.weights and not _is_preprocessing(layer):
                first.append(layer)
            else:
                waiting.append(layer.name)
    return first


def _subtracts_caffe_mean(mean: object) -> bool:
    return (
        isinstance(mean, tuple)
        and len(mean) == len(CAFFE_MEAN)
        and all(
            isinstance(one, float) and math.isclose(one, other, abs_tol=0.01)
            for one, other in zip(mean, CAFFE_MEAN, strict=True)
        )
    )


def _readers(model: keras.Model) -> dict[str, list[keras.Layer]]:
    """Return the layers that take the output of each layer."""
    readers: dict[str, list[keras.Layer]] = {}
    for layer in model.layers:
        for node in keras_internals.nodes_of(layer):
            for source in node.parent_nodes:
                readers.setdefault(source.operation.name, []).append(layer)
    return readers


def fetch_imagenet(spec: NetworkSpec, progress: Progress) -> Path:
    """Return the file with the published weights of a network's backbone, downloaded if necessary.

    Args:
        spec: The network.
        progress: Receives the progress and may cancel.

    Raises:
        StudioError: The network does not have exactly one kind of backbone, or the download fails.
        Cancelled: The job was asked to end.
    """
    kinds = {
        str(node.parameters["architecture"]) for node in spec.nodes if node.layer == "backbone"
    }
    if len(kinds) != 1:
        raise StudioError(
            "There are no ImageNet weights for {network}: it has several kinds of published "
            "backbone."
            if kinds
            else "There are no ImageNet weights for {network}: it has no published backbone.",
            "Choose a network such as mobilenet_v2, or name a file with weights.",
            "weights",
            network=spec.name,
        )
    progress.check()
    source = SOURCES[kinds.pop()]
    return PretrainedStore().fetch(source, progress) / source.files[-1].name
