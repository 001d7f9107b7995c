"""Hints: found where they should be, with true figures, and applied to networks that work."""

from __future__ import annotations

from collections import Counter

import pytest

from studio.engine.compute.backends.prepare import prepare_backend
from studio.engine.networks.builder import GraphBuilder
from studio.engine.networks.checks import check
from studio.engine.networks.hints import HINTS, MAX_OF_A_RULE, Hint, hints
from studio.engine.networks.spec import HEAD, InputShape, NetworkSpec
from studio.engine.networks.zoo import ZOO

prepare_backend("tensorflow", deterministic=False, seed=0, threads=None)

from helpers.inspecting import inspect  # noqa: E402 - after the backend is chosen

SIDE = 16


def _net(channels: int = 64) -> GraphBuilder:
    shape = InputShape(height=SIDE, width=SIDE, channels=3)
    net = GraphBuilder("Test", shape, 4).add("rescaling")
    return net.add("conv2d", "stem", filters=channels, activation="relu")


def _headed(net: GraphBuilder) -> NetworkSpec:
    net.add("global_average_pool")
    return net.add("dense", HEAD, units=4, activation="softmax").spec()


def _found(spec: NetworkSpec) -> dict[str, Hint]:
    return {hint.rule: hint for hint in hints(spec, inspect(spec))}


def _taken(spec: NetworkSpec, hint: Hint) -> NetworkSpec:
    """The network with the hint taken: it checks, works, and has the promised weights."""
    before = inspect(spec)
    changed = hint.apply(spec)
    assert check(changed) == []
    after = inspect(changed)
    assert before.parameters - after.parameters == hint.saved
    return changed


@pytest.mark.parametrize(("kernel", "count"), [(5, 2), (7, 3), (9, 4)])
@pytest.mark.parametrize(("stride", "padding"), [(1, "valid"), (1, "same"), (2, "same")])
def test_a_large_window_becomes_small_ones(
    kernel: int, count: int, stride: int, padding: str
) -> None:
    net = _net().add(
        "conv2d", "wide", filters=64, kernel=kernel, stride=stride, padding=padding, block="a"
    )
    spec = _headed(net.add("activation", activation="relu"))
    hint = _found(spec)["small_windows"]

    changed = _taken(spec, hint)

    parts = [node for node in changed.nodes if node.id.startswith("wide")]
    assert [node.parameters["kernel"] for node in parts] == [3] * count
    assert [node.parameters["stride"] for node in parts] == [stride, *[1] * (count - 1)]
    assert [node.parameters["activation"] for node in parts] == [*["relu"] * (count - 1), "linear"]
    assert {node.block for node in parts} == {"a"}
    assert f"{9 * count}C² against {kernel * kernel}C²" in hint.text
    assert hint.before == kernel * kernel * 64 * 64 + 64
    assert hint.after == count * (9 * 64 * 64 + 64)


def test_figures_decide_and_not_the_window_alone() -> None:
    stem = GraphBuilder("Test", InputShape(height=SIDE, width=SIDE, channels=3), 4)
    stem.add("conv2d", "wide", filters=64, kernel=7, activation="relu")

    # Three windows of 3x3 have more weights here, since only three channels come in.
    assert "small_windows" not in _found(_headed(stem))


def test_strips_bottleneck_and_separable_save_as_documented() -> None:
    spec = _headed(_net().add("conv2d", "wide", filters=64, kernel=5, activation="relu"))
    found = _found(spec)

    strips = _taken(spec, found["strips"])
    narrow = _taken(spec, found["bottleneck"])
    separable = _taken(spec, found["separable"])

    kernels = [
        (n.parameters["kernel"], n.parameters["kernel_width"])
        for n in strips.nodes
        if n.id.startswith("wide")
    ]
    assert kernels == [(5, 1), (1, 5)]
    assert narrow.node("wide_part1").parameters["filters"] == 16
    assert narrow.node("wide").inputs == ("wide_part1",)
    assert separable.node("wide").layer == "separable_conv2d"


def test_a_huge_dense_layer_gets_pooling_and_dropout() -> None:
    net = _net().add("flatten", "flat").add("dense", "huge", units=64, activation="relu")
    spec = net.add("dense", HEAD, units=4, activation="softmax").spec()
    found = _found(spec)

    pooled = _taken(spec, found["global_pooling"])
    dropped = _taken(spec, found["dropout"])

    assert pooled.node("flat").layer == "global_average_pool"
    assert f"{SIDE}x{SIDE}x64" in found["global_pooling"].text
    assert "1.0 million" in found["global_pooling"].text
    assert dropped.node(HEAD).inputs == ("huge_dropout",)
    assert "dropout" not in _found(dropped)
    assert "global_pooling" not in _found(pooled)


def test_a_layer_that_advice_replaces_is_called_as_its_new_kind() -> None:
    net = _net().add("flatten", "flatten_1").add("dense", "huge", units=64, activation="relu")
    spec = net.add("dense", HEAD, units=4, activation="softmax").spec()
    pooled = _taken(spec, _found(spec)["global_pooling"])
    assert pooled.node("global_average_pool_1").layer == "global_average_pool"
    assert pooled.node("huge").inputs == ("global_average_pool_1",)


def test_dropout_comes_before_a_huge_last_layer() -> None:
    net = _net().add("flatten", "flat")
    spec = net.add("dense", HEAD, units=10, activation="softmax").spec()
    spec = spec.model_copy(update={"classes": 10})

    changed = _taken(spec, _found(spec)["dropout"])

    assert changed.node(HEAD).inputs == (f"{HEAD}_dropout",)
    assert changed.output == HEAD


def test_a_bias_before_batch_norm_is_waste() -> None:
    net = _net().add("conv2d", "conv", filters=64).add("batch_normalization", "norm")
    spec = _headed(net.add("activation", activation="relu"))

    hint = _found(spec)["bias_before_norm"]

    assert hint.saved == 64
    assert _taken(spec, hint).node("conv").parameters["use_bias"] is False


@pytest.mark.parametrize("between", ["", "batch_normalization", "average_pool"])
def test_convolutions_need_something_that_bends_between(between: str) -> None:
    net = _net().add("conv2d", "one", filters=8, use_bias=False)
    if between:
        net.add(between)
    spec = _headed(net.add("conv2d", "two", filters=8, activation="relu"))

    hint = _found(spec)["missing_activation"]
    changed = _taken(spec, hint)

    assert "5x5" in hint.text
    assert changed.node("two").inputs == ("two_relu",)
    assert "missing_activation" not in _found(changed)


def test_a_linear_bottleneck_and_frozen_layers_are_left_alone() -> None:
    net = _net().add("conv2d", "narrow", filters=8, kernel=1)
    spec = _headed(net.add("conv2d", "wide", filters=8, kernel=7, activation="relu"))
    frozen = tuple(node.model_copy(update={"frozen": True}) for node in spec.nodes)

    assert "missing_activation" not in _found(spec)
    assert "small_windows" in _found(spec)
    assert _found(spec.model_copy(update={"nodes": frozen})) == {}


@pytest.mark.parametrize("name", ["vgg16", "alexnet", "googlenet", "resnet18", "lenet", "pattern"])
def test_every_hint_for_the_zoo_can_be_taken(name: str) -> None:
    spec = ZOO[name].build(ZOO[name].default_input, 10)
    found = hints(spec, inspect(spec))

    assert found
    assert [hint.saved for hint in found] == sorted((h.saved for h in found), reverse=True)
    assert max(Counter(hint.rule for hint in found).values()) <= MAX_OF_A_RULE
    for hint in {each.rule: each for each in found}.values():
        _taken(spec, hint)


def test_what_good_networks_do_is_not_criticized() -> None:
    habits = {"missing_activation", "bias_before_norm"}
    for name in ("resnet50", "small_resnet_32", "squeezenet", "googlenet", "vgg16", "small_cnn"):
        spec = ZOO[name].build((64, 64, 3), 10)
        assert habits.isdisjoint(_found(spec)), name


def test_mistakes_come_first() -> None:
    net = _net().add("conv2d", "one", filters=64, kernel=7).add("conv2d", "two", filters=64)
    spec = _headed(net.add("batch_normalization").add("activation", activation="relu"))

    rules = [hint.rule for hint in hints(spec, inspect(spec))]

    assert rules[:2] == ["bias_before_norm", "missing_activation"]
    assert "small_windows" in rules[2:]


def test_pixels_are_not_averaged_away() -> None:
    mlp = ZOO["mlp"].build((28, 28, 1), 10)

    assert hints(mlp, inspect(mlp)) == []


@pytest.mark.parametrize("name", ["googlenet", "resnet50", "squeezenet"])
def test_what_is_squeezed_already_is_not_squeezed_again(name: str) -> None:
    spec = ZOO[name].build((64, 64, 3), 10)

    assert "bottleneck" not in _found(spec)


BOX_RULES = {"coarse_levels", "few_positions", "feature_pyramid"}


@pytest.mark.parametrize(
    ("name", "side", "rules"),
    [
        ("small_detector", 128, set()),
        ("small_detector", 64, {"few_positions"}),
        ("small_detector:finest=4", 64, set()),
        ("detector_light", 320, set()),
        ("ssdlite", 320, {"coarse_levels", "feature_pyramid"}),
        ("unet", 64, set()),
    ],
)
def test_detectors_that_miss_small_objects_get_hints(
    name: str, side: int, rules: set[str]
) -> None:
    found = _found(ZOO[name].build((side, side, 3), 4))

    assert found.keys() & BOX_RULES == rules
    if "coarse_levels" in rules:
        assert "16 pixels apart" in found["coarse_levels"].text
        with pytest.raises(TypeError):
            found["coarse_levels"].apply(ZOO[name].build((side, side, 3), 4))


def test_images_with_few_positions_are_enlarged() -> None:
    spec = ZOO["small_detector"].build((64, 96, 3), 4)
    hint = _found(spec)["few_positions"]

    changed = _taken(spec, hint)

    assert (changed.input.height, changed.input.width) == (128, 128)
    assert "12x8 positions" in hint.text
    assert "few_positions" not in _found(changed)


def test_a_hint_for_a_network_that_changed_is_refused() -> None:
    spec = _headed(_net().add("conv2d", "wide", filters=64, kernel=5, activation="relu"))
    other = _headed(_net())

    with pytest.raises(KeyError):
        _found(spec)["strips"].apply(other)


def test_every_rule_is_named_and_no_hint_comes_without_a_report() -> None:
    spec = ZOO["vgg16"].build((32, 32, 3), 10)
    empty = inspect(spec).model_copy(update={"layers": ()})

    assert all(rule.label for rule in HINTS)
    assert hints(spec, empty) == []
