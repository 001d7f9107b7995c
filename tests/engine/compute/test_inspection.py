"""Examinations: figures that are published, drawings that are wrong, and what is remembered."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from helpers.sampling import sample
from studio.engine.compute.backends.prepare import prepare_backend
from studio.engine.errors import StudioError
from studio.engine.networks.builder import GraphBuilder
from studio.engine.networks.layers import LAYERS
from studio.engine.networks.layers.backbone import BACKBONES
from studio.engine.networks.spec import (
    HEAD,
    AuxiliaryHead,
    Examination,
    InputShape,
    LayerNode,
    LayerReport,
    NetworkSpec,
)
from studio.engine.networks.zoo import DRAWN, ZOO

prepare_backend("tensorflow", deterministic=False, seed=0, threads=None)

import keras  # noqa: E402 - after its backend is chosen
from keras.src.backend.common import global_state  # noqa: E402

from helpers.inspecting import inspect  # noqa: E402
from studio.engine.compute import inspection  # noqa: E402
from studio.engine.compute.build import build, without_weights  # noqa: E402
from studio.engine.compute.graph import multiply_adds  # noqa: E402
from studio.engine.compute.inspection import Examiner, examine  # noqa: E402


def _net(side: int = 16, channels: int = 3) -> GraphBuilder:
    shape = InputShape(height=side, width=side, channels=channels)
    return GraphBuilder("Test", shape, 4).add("rescaling", "scale")


def _headed(net: GraphBuilder) -> NetworkSpec:
    return net.add("flatten").add("dense", HEAD, units=4, activation="softmax").spec()


def _backbone(architecture: str, side: int) -> NetworkSpec:
    net = _net(side).add("backbone", "trunk", architecture=architecture)
    return _headed(net.add("global_average_pool"))


def _layer(found: Examination, name: str) -> LayerReport:
    return next(layer for layer in found.network.layers if layer.name == name)


@pytest.mark.parametrize(
    ("architecture", "layer", "size", "jump"),
    [
        # Araujo et al., Distill 2019, give 483 for ResNet-50; VGG-16's are widely published.
        ("vgg16", "block4_conv3", 92, 8),
        ("vgg16", "block5_conv3", 196, 16),
        ("vgg16", "block5_pool", 212, 32),
        ("resnet50", "conv4_block6_out", 291, 16),
        ("resnet50", "conv5_block3_out", 483, 32),
    ],
)
def test_receptive_fields_are_those_of_the_literature(
    architecture: str, layer: str, size: int, jump: int
) -> None:
    report = _layer(examine(_backbone(architecture, 224)), f"trunk-{layer}")

    assert report.receptive_field == (size, size)
    assert report.jump == (jump, jump)


@pytest.mark.slow
@pytest.mark.parametrize(
    "architecture",
    sample(
        [
            "mobilenet_v3_small",
            "efficientnet_v2_b0",
            "densenet121",
            "inception_v3",
            "xception",
            "convnext_tiny",
            "nasnet_mobile",
        ],
        1,
    ),
)
def test_backbones_are_examined_without_their_weights(architecture: str) -> None:
    """One of each kind; `test_backbone_parts` grows all of them, and counts their parameters."""
    backbone = BACKBONES[architecture]
    found = examine(_backbone(backbone.name, backbone.smallest))

    assert found.problems == ()
    assert found.nodes["trunk"].multiply_adds > 0
    assert 0 < found.nodes["trunk"].parameters <= backbone.parameters


def test_dilation_transposed_and_larger_images_change_the_field_of_view() -> None:
    net = _net(32).add("conv2d", "wide", kernel=3, dilation=4, padding="same")
    net.add("max_pool", "half", size=2)
    net.add("conv2d_transpose", "up", kernel=2, stride=2, filters=3)
    net.add("upsampling", "larger", size=2)

    nodes = examine(_headed(net)).nodes

    assert nodes["wide"].receptive_field == (9, 9)
    assert (nodes["half"].receptive_field, nodes["half"].jump) == ((10, 10), (2, 2))
    assert (nodes["up"].receptive_field, nodes["up"].jump) == ((10, 10), (1, 1))
    assert nodes["larger"].jump == (0.5, 0.5)


def test_a_window_that_is_not_square_shows_a_rectangular_part() -> None:
    net = _net().add("conv2d", "flat", kernel=1, kernel_width=7)

    assert examine(_headed(net)).nodes["flat"].receptive_field == (1, 7)


def test_where_branches_meet_the_larger_view_counts_and_behind_a_gate_all_is_seen() -> None:
    net = _net()
    net.add("conv2d", "small", filters=3, kernel=1, after="scale")
    net.add("conv2d", "large", filters=3, kernel=5, after="scale")
    net.add("add", "sum", after=("small", "large"))
    net.add("global_average_pool", "squeeze", keepdims=True)
    net.add("multiply", "gate", after=("squeeze", "sum"))
    net.add("max_pool", "half")

    nodes = examine(_headed(net)).nodes

    assert nodes["sum"].receptive_field == (5, 5)
    assert nodes["squeeze"].jump is None
    assert (nodes["gate"].receptive_field, nodes["gate"].jump) == ((16, 16), (1, 1))
    assert (nodes["half"].receptive_field, nodes["half"].jump) == ((16, 16), (2, 2))
    assert nodes[HEAD].receptive_field == (16, 16)
    assert nodes[HEAD].jump is None


def test_an_inspection_is_plain_data() -> None:
    data = json.loads(json.dumps(inspect(ZOO["lenet"].build((28, 28, 1), 10)).to_data()))

    first = next(layer for layer in data["layers"] if layer["node"] == "c1")
    assert first == {
        "name": "c1",
        "node": "c1",
        "type": "Conv2D",
        "input_shapes": [[28, 28, 1]],
        "output_shape": [28, 28, 6],
        "shape": [28, 28, 6],
        "parameters": 156,
        "trainable": 156,
        "multiply_adds": 28 * 28 * 150,
        "memory": 28 * 28 * 6 * 4,
        "receptive_field": [5, 5],
        "jump": [1, 1],
        "block": first["block"],
        "frozen": False,
    }
    assert data["parameters"] == {"total": 61_706, "trainable": 61_706}
    assert data["multiply_adds"] == 28 * 28 * 150 + 10 * 10 * 2400 + 48_000 + 10_080 + 840


@pytest.mark.parametrize(
    "name", sample([network.name for network in DRAWN], ("lenet", "mlp", "deeplab_v3_plus"))
)
def test_an_inspection_counts_what_building_makes(name: str) -> None:
    network = ZOO[name]
    height, width = (max(side, 9) for side in network.smallest)
    spec = network.build((height, width, 3), 3)

    report = inspect(spec)
    with without_weights():
        model = build(spec, seed=0)

    assert report.parameters == model.count_params()
    assert report.multiply_adds == multiply_adds(model)
    shapes = {layer.name: tuple(layer.output.shape[1:]) for layer in model.layers[1:]}
    shown = {layer.name: layer.output_shape for layer in report.layers}
    # Names of values inside of a backbone, which are no layers of the model.
    inside = {node.id for node in spec.nodes if node.layer == "inside_backbone"}
    assert {name: shape for name, shape in shown.items() if name not in inside} == shapes
    assert inside <= shown.keys()
    trainable = sum(keras.ops.size(weight) for weight in model.trainable_weights)
    assert report.trainable == int(trainable)


def test_running_statistics_and_frozen_nodes_are_not_trainable() -> None:
    spec = ZOO["small_cnn"].build((16, 16, 3), 10)
    report = inspect(spec)
    frozen = tuple(n.model_copy(update={"frozen": n.id != HEAD}) for n in spec.nodes)

    # Two running statistics for each channel of each of the six normalizations.
    assert report.parameters - report.trainable == 2 * 2 * (32 + 64 + 128)
    still = inspect(spec.model_copy(update={"nodes": frozen}))
    assert still.trainable == 128 * 10 + 10
    assert still.parameters == report.parameters
    assert still.trainable_share == pytest.approx(1290 / report.parameters)


@pytest.mark.thorough
def test_a_backbone_frozen_in_part_is_counted_in_part() -> None:
    spec = _backbone("mobilenet_v2", 32)
    free = examine(spec)

    def up_to(last: str) -> Examination:
        nodes = tuple(
            n.model_copy(update={"parameters": {**n.parameters, "frozen_up_to": last}})
            if n.id == "trunk"
            else n
            for n in spec.nodes
        )
        return examine(spec.model_copy(update={"nodes": nodes}))

    part = up_to("block_5")
    assert 0 < part.nodes["trunk"].trainable < free.nodes["trunk"].trainable
    assert _layer(part, "trunk-block_5_project").frozen
    assert not _layer(part, "trunk-block_6_expand").frozen
    assert not part.nodes["trunk"].frozen
    (problem,) = [p for p in up_to("block_99").problems if p.serious]
    assert problem.node == "trunk"


def test_recurrent_kernels_count_once_per_step() -> None:
    net = _net(10, 1).add("reshape", target_shape="10, -1").add("lstm", "rows", units=8)

    found = examine(_headed(net))

    assert found.nodes["rows"].multiply_adds == 10 * (10 * 4 * 8 + 8 * 4 * 8)
    assert found.problems == ()


def _broken() -> NetworkSpec:
    net = _net()
    net.add("conv2d", "bad", kernel=17, padding="valid", after="scale")
    net.add("activation", "behind", after="bad")
    net.add("conv2d", "good", after="scale")
    net.add("add", "join", after=("behind", "good"))
    return _headed(net)


def test_a_bad_layer_is_named_and_what_does_not_depend_on_it_is_examined() -> None:
    found = examine(_broken())

    (problem,) = found.problems
    assert problem.node == "bad"
    assert "16x16x3" in problem.message
    assert "\n" not in problem.message
    assert set(found.nodes) == {"scale", "good"}
    assert set(found.waiting) == {"behind", "join", "flatten_1", HEAD}
    assert not found.works


def _drawing(*nodes: LayerNode, output: str = HEAD) -> NetworkSpec:
    shape = InputShape(height=8, width=8, channels=1)
    return NetworkSpec(name="Drawn", input=shape, classes=3, nodes=nodes, output=output)


def _node(node_id: str, layer: str, *inputs: str, **parameters: Any) -> LayerNode:
    return LayerNode(id=node_id, layer=layer, inputs=inputs, parameters=parameters)


@pytest.mark.parametrize(
    ("spec", "blamed"),
    [
        (_drawing(), ""),
        (_drawing(_node("a", "flatten", "input")), ""),
        (_drawing(_node("a", "flatten")), "a"),
        (_drawing(_node("a", "flatten", "gone")), "a"),
        (_drawing(_node("a", "sing", "input")), "a"),
        (_drawing(_node("a", "conv2d", "input", kernel=0)), "a"),
        (_drawing(_node("a", "conv2d", "input", colour=0)), "a"),
        (_drawing(_node("a", "add", "input")), "a"),
        (_drawing(_node("a", "flatten", "input", "input")), "a"),
        (_drawing(_node("a", "relu", "b"), _node("b", "relu", "a")), "a"),
        (_drawing(_node("a", "flatten", "input"), _node("a", "flatten", "input")), "a"),
        (_drawing(_node("a", "keras", "input", class_name="Sing")), "a"),
        (_drawing(_node("a", "keras", "input", class_name="Conv2D")), "a"),
        (_drawing(_node("a", "dense", "input", units=3), output="a"), "a"),
    ],
)
def test_no_drawing_is_too_bad_to_be_examined(spec: NetworkSpec, blamed: str) -> None:
    found = examine(spec)

    assert blamed in {problem.node for problem in found.problems if problem.serious}
    assert set(found.nodes).isdisjoint(found.waiting)
    with pytest.raises(StudioError):
        inspect(spec)


@given(
    st.lists(
        st.tuples(
            st.sampled_from([name for name in LAYERS.names() if name != "backbone"]),
            st.lists(st.sampled_from(["input", "n0", "n1", "n2", "n3"]), max_size=3),
        ),
        max_size=5,
    )
)
def test_whatever_is_wired_is_examined(drawn: list[tuple[str, list[str]]]) -> None:
    nodes = [_node(f"n{i}", layer, *inputs) for i, (layer, inputs) in enumerate(drawn)]

    found = examine(_drawing(*nodes, output="n4"))

    assert Examination.model_validate_json(found.model_dump_json()) == found


def test_what_is_not_wired_in_is_reported_and_not_counted() -> None:
    net = _net()
    net.add("conv2d", "loose", after="scale").add("flatten", after="scale")
    net.add("dense", HEAD, units=4, activation="softmax")

    found = examine(net.spec())

    assert found.nodes["loose"].parameters == 3 * 3 * 3 * 32 + 32
    assert not found.nodes["loose"].used
    assert found.network.parameters == 16 * 16 * 3 * 4 + 4
    assert [(p.node, p.serious) for p in found.problems] == [("loose", False)]


def test_auxiliary_heads_are_examined_and_not_counted() -> None:
    net = _net()
    net.add("global_average_pool", "pool").add("dense", "side", units=5, activation="softmax")
    net.add("flatten", after="scale").add("dense", HEAD, units=4, activation="softmax")
    spec = net.spec().model_copy(update={"auxiliary": (AuxiliaryHead(node="side"),)})

    found = examine(spec)

    assert not found.nodes["side"].used
    assert "side" in {problem.node for problem in found.problems if problem.serious}


def test_a_changed_layer_costs_only_what_follows_it(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []
    inspect_node = inspection.inspect_node

    def counted(node: LayerNode, *rest: Any) -> Any:
        asked.append(node.id)
        return inspect_node(node, *rest)

    monkeypatch.setattr(inspection, "inspect_node", counted)
    examiner = Examiner()

    def drawing(kernel: int, filters: int) -> NetworkSpec:
        net = _net().add("conv2d", "a", filters=8).add("conv2d", "b", filters=8)
        return _headed(net.add("conv2d", "c", kernel=kernel, filters=filters).add("max_pool"))

    first = examiner.examine(drawing(3, 8))
    assert asked == ["scale", "a", "b", "max_pool_1", "flatten_1", HEAD]  # b and c are alike
    asked.clear()
    assert examiner.examine(drawing(3, 8)) == first
    assert asked == []
    examiner.examine(drawing(5, 8))
    assert asked == ["c"]  # what comes out has the same shape
    examiner.examine(drawing(5, 9))
    assert asked == ["c", "c", "max_pool_1", "flatten_1", HEAD]


def test_describing_creates_no_weights_and_leaves_nothing_behind() -> None:
    before = list(global_state.get_global_attribute("uninitialized_variables") or [])

    examine(_backbone("vgg16", 64))

    # Other tests of this process may have left some.
    after = list(global_state.get_global_attribute("uninitialized_variables") or [])
    assert [id(variable) for variable in after] == [id(variable) for variable in before]
    assert not keras.src.backend.common.stateless_scope.in_stateless_scope()
    dense = keras.layers.Dense(2)
    dense.build((None, 3))
    assert dense.get_weights()[0].shape == (3, 2)
