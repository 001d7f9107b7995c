"""Networks that give boxes, and the layer that joins their maps."""

from __future__ import annotations

import json
import math
from pathlib import Path

import numpy as np
import pytest

from helpers.sampling import sample
from studio.engine.compute.backends.prepare import prepare_backend
from studio.engine.errors import StudioError
from studio.engine.networks.backbones import BACKBONES, stage_of
from studio.engine.networks.builder import GraphBuilder
from studio.engine.networks.catalog import new_network
from studio.engine.networks.checks import check
from studio.engine.networks.code import keras_code
from studio.engine.networks.fitting import class_layers, fitted, head_of
from studio.engine.networks.spec import HEAD, HEAD_BLOCK, InputShape, NetworkSpec
from studio.engine.networks.zoo import ZOO, boxes
from studio.engine.progress import SilentProgress
from studio.engine.tasks import TASKS, first_task
from studio.engine.tasks.boxes import boxes_of, positions_of, strides_of
from studio.engine.tasks.outputs import PIXELS, POSITIONS
from studio.engine.training.plan import TrainingPlan
from studio.engine.training.preprocessing import network_for
from studio.engine.workspace import Workspace

prepare_backend("tensorflow", deterministic=False, seed=0, threads=None)

import keras  # noqa: E402 - after its backend is chosen

from helpers.inspecting import built_both_ways  # noqa: E402
from studio.engine.compute.build import build, computing_in, without_weights  # noqa: E402
from studio.engine.compute.inspection import examine  # noqa: E402
from studio.engine.compute.read import expand, read_model  # noqa: E402
from studio.engine.compute.weights import load_weights  # noqa: E402

BOXES = first_task(POSITIONS)
NETWORKS = [network.name for network in ZOO if network.output == POSITIONS]
_A_FEW_BACKBONES = ("mobilenet_v2", "resnet50", "efficientnet_b0", "densenet121", "inception_v3")
"""Of both rules of rounding."""

STRIDES = {
    "detector": (8, 16, 32, 64),
    "detector_light": (8, 16, 32),
    "ssdlite": (16, 32, 64, 128, 256, 512),
    "small_detector": (8, 16, 32),
    "small_detector:finest=4": (4, 8, 16),
}
ON_BACKBONES = [
    f"{head}:backbone={backbone}"
    for head in ("detector", "detector_light", "ssdlite")
    for backbone in BACKBONES.names()
]
KEPT = ("detector:backbone=vgg16", "detector_light:backbone=xception")
FILE = (
    Path(__file__).resolve().parents[4]
    / "shared"
    / "models"
    / "mobilenet_v2_1.0_224_imagenet.weights.h5"
)
CLASSES = 4
PRIOR = 0.01


def _traced(spec: NetworkSpec) -> keras.Model:
    with without_weights():
        return build(spec, seed=0)


def _net(side: int = 32) -> GraphBuilder:
    return GraphBuilder("x", InputShape(height=side, width=side, channels=3), CLASSES)


def _as_boxes(net: GraphBuilder) -> NetworkSpec:
    return net.spec().model_copy(update={"task": BOXES.name})


def _maps(net: GraphBuilder, stride: int, **values: object) -> tuple[str, str]:
    """Add the maps of a level and return their ids."""
    net.add("max_pool", f"pool{stride}", after="input", size=stride, padding="same")
    settings = {"filters": CLASSES, "kernel": 1, "activation": "sigmoid", **values}
    net.add("conv2d", f"classes{stride}", **settings)  # type: ignore[arg-type]
    pool = f"pool{stride}"
    net.add("conv2d", f"sides{stride}", after=pool, filters=4, kernel=1, activation="softplus")
    return f"classes{stride}", f"sides{stride}"


@pytest.mark.parametrize("name", STRIDES)
@pytest.mark.parametrize("shape", [(96, 128, 3), (97, 131, 1)])
def test_the_output_has_the_positions_of_its_levels(
    name: str, shape: tuple[int, int, int]
) -> None:
    spec = ZOO[name].build(shape, CLASSES)

    assert spec.task == BOXES.name
    assert not check(spec)
    _, positions, numbers = _traced(spec).output_shape
    assert numbers == CLASSES + 4
    assert strides_of(positions, *shape[:2]) == STRIDES[name]


def test_every_network_for_boxes_is_tested() -> None:
    assert set(NETWORKS) <= set(STRIDES)


@pytest.mark.parametrize("name", sample(ON_BACKBONES, KEPT))
def test_heads_work_on_every_backbone(name: str) -> None:
    side = max(ZOO[name].smallest[0], 64) + 5
    spec = ZOO[name].build((side, side, 3), 3)

    _, positions, _ = _traced(spec).output_shape

    assert strides_of(positions, side, side) == STRIDES[name.partition(":")[0]]
    assert not [problem for problem in examine(spec).problems if problem.serious]


@pytest.mark.parametrize("name", sample(BACKBONES.names(), _A_FEW_BACKBONES))
def test_maps_of_backbones_that_are_not_fitted_are_rounded_up(name: str) -> None:
    if not name.startswith(boxes.ROUNDED_UP):
        spec = ZOO[f"detector:backbone={name}"].build((96, 96, 3), 2)
        assert any(node.id == "fitted8" for node in spec.nodes)
        return
    height, width = 97, 131
    net = GraphBuilder("x", InputShape(height=height, width=width, channels=3), 2)
    net.add("backbone", "trunk", architecture=name)
    for stride in (8, 16):
        net.add("inside_backbone", f"at{stride}", after="trunk", place=stage_of(name, stride))

    nodes = examine(net.spec()).nodes

    for stride, node in ((8, "at8"), (16, "at16"), (32, "trunk")):
        size = (math.ceil(height / stride), math.ceil(width / stride))
        assert nodes[node].output_shape[:2] == size


@pytest.mark.parametrize("name", ["small_detector", "detector_light"])
def test_scores_start_at_one_percent_and_boxes_with_four_strides(name: str) -> None:
    model = build(ZOO[name].build((64, 64, 3), CLASSES), seed=0)
    images = np.random.default_rng(0).integers(0, 256, (2, 64, 64, 3), np.uint8)

    outputs = np.asarray(model(images, training=True))

    scores, sides = outputs[..., :-4], outputs[..., -4:]
    assert np.median(scores) == pytest.approx(PRIOR, rel=0.3)
    assert scores.max() < 5 * PRIOR
    assert np.median(sides) == pytest.approx(2, rel=0.2)


def test_positions_come_row_by_row_and_level_by_level() -> None:
    """The output of one map of known values is that of `boxes.positions_of`."""
    net = _net(16)
    net.add("box_head", HEAD, after=(*_maps(net, 4), *_maps(net, 8)))
    model = build(_as_boxes(net), seed=0)
    for stride in (4, 8):
        classes, sides = (model.get_layer(f"{kind}{stride}") for kind in ("classes", "sides"))
        classes.set_weights([np.ones((1, 1, 3, CLASSES)) / 3, np.arange(CLASSES) - 5.0])
        sides.set_weights([np.zeros((1, 1, 3, 4)), np.zeros(4)])
    # Each pixel has the number of its row and column, so that pooling gives the last of them.
    rows, columns = np.mgrid[:16, :16]
    images = np.repeat((rows + 0.1 * columns)[None, ..., None], 3, axis=3)

    outputs = np.asarray(model(images.astype(np.float32)))

    places = positions_of(outputs.shape[1], 16, 16)
    last = places[:, :2] + places[:, 2:] / 2 - 1
    expected = last[:, 1] + 0.1 * last[:, 0]
    logits = np.log(outputs[0, :, 0] / (1 - outputs[0, :, 0]))
    assert np.allclose(logits, expected - 5, atol=1e-2)
    corners = boxes_of(outputs, 16, 16)[0]
    assert np.allclose((corners[:, :2] + corners[:, 2:]) / 2, places[:, :2], atol=1e-4)


def test_a_box_head_is_examined_like_the_built_layer() -> None:
    spec = ZOO["detector_light"].build((96, 128, 3), CLASSES)

    examined = examine(spec)
    model = _traced(spec)

    assert examined.works, examined.problems
    assert examined.nodes[HEAD].output_shape == model.output_shape[1:]
    assert examined.nodes[HEAD].parameters == 0
    assert examined.network.parameters == model.count_params()


def test_an_exported_model_has_only_layers_of_keras(tmp_path: Path) -> None:
    model = build(ZOO["small_detector"].build((64, 64, 3), CLASSES), seed=0)
    images = np.random.default_rng(0).integers(0, 256, (1, 64, 64, 3), np.uint8)
    model.save(tmp_path / "model.keras")

    again = keras.saving.load_model(tmp_path / "model.keras", safe_mode=True)

    assert all(type(layer).__module__.startswith("keras.") for layer in again.layers)
    same = np.asarray(model(images, training=False))
    assert np.allclose(np.asarray(again(images, training=False)), same, atol=1e-5)


def test_the_output_stays_exact_in_16_bits() -> None:
    with computing_in("mixed_bfloat16"):
        model = build(ZOO["small_detector"].build((64, 64, 3), CLASSES), seed=0)

    exact = [layer.name for layer in model.layers if layer.compute_dtype == "float32"]
    assert {"classes8", "sides32", "predictions-positions"} <= set(exact)
    assert model.output.dtype == "float32"


@pytest.mark.parametrize("name", ["small_detector", "detector", "ssdlite"])
def test_other_sizes_and_classes_fit(name: str) -> None:
    spec = fitted(ZOO[name].build((96, 96, 3), CLASSES), (70, 90, 1), 7)

    _, positions, numbers = _traced(spec).output_shape

    assert (strides_of(positions, 70, 90), numbers) == (STRIDES[name], 11)
    layers = class_layers(spec, spec.output)
    assert {node.id for node in layers} == {f"classes{stride}" for stride in STRIDES[name]}
    assert {node.parameters["filters"] for node in layers} == {7}


def test_heads_are_new_and_backbones_are_not() -> None:
    spec = ZOO["detector_light"].build((96, 96, 3), CLASSES)
    small = ZOO["small_detector"].build((96, 96, 3), CLASSES)
    bare = small.model_copy(
        update={"nodes": tuple(n.model_copy(update={"block": ""}) for n in small.nodes)}
    )

    assert {"backbone_1", "rescaling_1"}.isdisjoint(head_of(spec))
    assert {"inside8", "lateral8_conv", "sides32", HEAD} <= head_of(spec)
    assert "merged8_conv" not in head_of(small)
    assert {"classes8", "sides8", "sides8_1_conv", HEAD} <= head_of(bare)
    assert "merged8_conv" not in head_of(bare)


@pytest.mark.parametrize("freeze", ["all", "block_6"])
def test_the_backbone_freezes_up_to_a_stage(freeze: str) -> None:
    plan = TrainingPlan(dataset="d", network="detector_light", freeze=freeze)

    model = _traced(network_for(plan, (64, 64, 3), CLASSES, task=BOXES))

    still = {layer.name for layer in model.layers if layer.weights and not layer.trainable}
    assert "backbone_1-block_6_project" in still
    assert ("backbone_1-block_7_project" in still) == (freeze == "all")
    assert not any(name.startswith(("lateral", "classes")) for name in still)


@pytest.mark.skipif(not FILE.is_file(), reason="the shared files are not here")
@pytest.mark.parametrize("name", ["detector_light", "ssdlite"])
def test_weights_of_imagenet_fill_the_backbone(name: str, tmp_path: Path) -> None:
    spec = ZOO[name].build((64, 64, 3), CLASSES)
    model = build(spec, seed=0)
    before = model.get_layer("backbone_1-block_6_expand").get_weights()[0]
    workspace = Workspace.open(tmp_path / "w")

    found = load_weights(model, spec, str(FILE), workspace, SilentProgress())

    assert found.random == ()
    after = model.get_layer("backbone_1-block_6_expand").get_weights()[0]
    assert not np.array_equal(before, after)


@pytest.mark.parametrize(
    "name", sample(["small_detector", "detector:backbone=vgg16", "detector_light"], 2)
)
def test_code_builds_the_same_network(name: str) -> None:
    spec = ZOO[name].build((70, 64, 3), CLASSES)
    model, other = built_both_ways(spec)
    starts = [
        each.get_layer("classes8").get_config()["bias_initializer"] for each in (model, other)
    ]
    assert starts[0] == starts[1]


@pytest.mark.parametrize("name", sample(["small_detector", "ssdlite", "detector_light"]))
def test_what_is_built_is_read_back(name: str) -> None:
    spec = expand(ZOO[name].build((96, 96, 3), 3))

    read = read_model(_traced(spec))

    assert check(read.spec) == []
    assert (read.spec.task, read.spec.classes, read.spec.output) == (BOXES.name, 3, HEAD)
    assert read.spec.node(HEAD).inputs == spec.node(HEAD).inputs
    assert set(read.names) == {node.id for node in read.spec.nodes}
    heads = {node.id for node in read.spec.nodes if node.block == HEAD_BLOCK}
    assert heads == {HEAD, *spec.node(HEAD).inputs}
    start = read.spec.node(spec.node(HEAD).inputs[0]).parameters
    assert start == spec.node(spec.node(HEAD).inputs[0]).parameters
    assert _traced(read.spec).output_shape == _traced(spec).output_shape


def test_one_level_is_read_back() -> None:
    net = _net(64)
    net.add("box_head", HEAD, after=_maps(net, 8))

    read = read_model(build(_as_boxes(net), seed=0))

    assert read.spec.node(read.spec.output).layer == "box_head"
    assert _traced(read.spec).output_shape == (None, 64, CLASSES + 4)


def test_lists_of_numbers_that_are_no_boxes_are_refused() -> None:
    inputs = keras.Input((32, 32, 3))
    outputs = keras.layers.Reshape((-1, 3))(inputs)

    with pytest.raises(StudioError, match="outputs 1024x3"):
        read_model(keras.Model(inputs, outputs))


def test_levels_that_are_none_are_refused() -> None:
    net = _net()
    net.add("box_head", HEAD, after=(*_maps(net, 8), *_maps(net, 32)))

    with pytest.raises(StudioError, match="17 positions, which fit no levels") as caught:
        build(_as_boxes(net), seed=0)

    assert caught.value.where == HEAD
    (problem,) = (each for each in examine(_as_boxes(net)).problems if each.serious)
    assert problem.message == caught.value.message


def test_maps_of_different_sizes_are_refused() -> None:
    net = _net()
    first, second = _maps(net, 8), _maps(net, 16)
    net.add("box_head", HEAD, after=(first[0], second[1]))

    with pytest.raises(StudioError, match="two maps of level 1 have different sizes"):
        build(_as_boxes(net), seed=0)


def test_maps_without_four_distances_are_refused() -> None:
    net = _net()
    classes, _ = _maps(net, 8)
    net.add("conv2d", "three", after="pool8", filters=3, kernel=1, activation="softplus")
    net.add("box_head", HEAD, after=(classes, "three"))

    with pytest.raises(StudioError, match="second map of level 1 must have at least 4 channels"):
        build(_as_boxes(net), seed=0)


def test_a_map_too_many_is_reported() -> None:
    net = _net()
    net.add("box_head", HEAD, after=(*_maps(net, 8), _maps(net, 16)[0]))

    (problem,) = (each for each in check(_as_boxes(net)) if each.serious)

    assert problem.where == HEAD
    assert "it has 3" in problem.message


@pytest.mark.parametrize(
    ("classes", "sides"), [("softmax", "softplus"), ("sigmoid", "linear"), ("linear", "relu")]
)
def test_wrong_activations_are_reported(classes: str, sides: str) -> None:
    net = _net()
    net.add("conv2d", "classes", filters=CLASSES, activation=classes)
    net.add("conv2d", "sides", after="input", filters=4, activation=sides)
    net.add("box_head", HEAD, after=("classes", "sides"))

    (problem,) = (each for each in check(_as_boxes(net)) if each.serious)

    assert problem.where == HEAD
    assert "sigmoid" in problem.hint
    assert "softplus" in problem.hint


def test_other_networks_are_refused_for_boxes() -> None:
    plan = TrainingPlan(dataset="d", network="lenet")
    with pytest.raises(StudioError, match="one result for each image; detection needs boxes"):
        network_for(plan, (64, 64, 3), 4, task=BOXES)
    with pytest.raises(StudioError, match="predicts boxes"):
        network_for(plan.changed(network="small_detector"), (64, 64, 3), 4)
    masks = first_task(PIXELS)
    with pytest.raises(StudioError, match=r"predicts boxes; .* needs masks"):
        network_for(plan.changed(network="ssdlite"), (64, 64, 3), 4, task=masks)


@pytest.mark.parametrize("name", TASKS)
def test_the_smallest_network_of_a_task_is_valid(name: str) -> None:
    spec = new_network("mine", InputShape(height=28, width=28, channels=1), 10, TASKS[name])

    examined = examine(spec)

    assert spec.task == name
    assert check(spec) == []
    assert examined.works, examined.problems


def test_the_start_of_a_bias_is_part_of_a_layer() -> None:
    net = _net(8).add("conv2d", "first", filters=2, bias_start=-1.5)
    net.add("flatten").add("dense", HEAD, units=CLASSES, activation="softmax")
    model = build(net.spec(), seed=0)

    assert model.get_layer("first").get_weights()[1].tolist() == [-1.5, -1.5]
    assert "bias_initializer=keras.initializers.Constant(value=-1.5)" in keras_code(net.spec())
    assert read_model(model).spec.node("first").parameters["bias_start"] == -1.5
    assert json.loads(model.to_json())["config"]
