"""Networks that give a class for each pixel, and the layers that they need."""

from __future__ import annotations

import numpy as np
import pytest

from helpers.sampling import sample
from studio.engine.compute.backends.prepare import prepare_backend
from studio.engine.errors import StudioError
from studio.engine.networks.backbones import BACKBONES, STAGES, stage_of
from studio.engine.networks.builder import GraphBuilder
from studio.engine.networks.checks import check
from studio.engine.networks.fitting import fitted, head_of
from studio.engine.networks.spec import HEAD, INPUT, InputShape, NetworkSpec
from studio.engine.networks.zoo import ZOO
from studio.engine.tasks import TASKS, first_task
from studio.engine.tasks.outputs import PIXELS
from studio.engine.training.plan import TrainingPlan
from studio.engine.training.preprocessing import network_for

prepare_backend("tensorflow", deterministic=False, seed=0, threads=None)

import keras  # noqa: E402 - after its backend is chosen

from helpers.inspecting import built_both_ways  # noqa: E402
from studio.engine.compute.build import build, without_weights  # noqa: E402
from studio.engine.compute.inspection import examine  # noqa: E402
from studio.engine.compute.layer_table import stages_of  # noqa: E402
from studio.engine.compute.read import expand  # noqa: E402

MASKS = first_task(PIXELS)
NETWORKS = [network.name for network in ZOO if network.output == PIXELS]
ON_BACKBONES = [
    f"{head}:backbone={backbone}"
    for head in ("deeplab_v3_plus", "lr_aspp")
    for backbone in BACKBONES.names()
]
KEPT = ("deeplab_v3_plus:backbone=mobilenet_v2", "lr_aspp:backbone=xception")


def _traced(spec: NetworkSpec) -> keras.Model:
    with without_weights():
        return build(spec, seed=0)


def _trainable(model: keras.Model) -> int:
    moving = sum(int(np.prod(w.shape)) for w in model.non_trainable_weights if w.shape)
    return int(model.count_params()) - moving


@pytest.mark.parametrize("name", NETWORKS)
@pytest.mark.parametrize("shape", [(96, 128, 3), (97, 131, 1)])
def test_the_output_is_as_large_as_the_image(name: str, shape: tuple[int, int, int]) -> None:
    spec = ZOO[name].build(shape, 4)

    assert spec.task == MASKS.name
    assert not check(spec)
    assert _traced(spec).output_shape == (None, *shape[:2], 4)


@pytest.mark.parametrize("name", sample(ON_BACKBONES, KEPT))
def test_heads_work_on_every_backbone(name: str) -> None:
    side = max(ZOO[name].smallest[0], 64) + 5

    assert _traced(ZOO[name].build((side, side, 3), 3)).output_shape == (None, side, side, 3)


def test_unet_has_the_weights_of_its_authors() -> None:
    model = _traced(ZOO["unet"].build((572, 572, 1), 2))

    assert model.count_params() == 31_030_658


def test_light_head_on_mobilenet_v3_has_the_weights_of_torchvision() -> None:
    model = _traced(ZOO["lr_aspp"].build((224, 224, 3), 21))

    assert _trainable(model) == 3_221_538


@pytest.mark.parametrize(("name", "field"), [("fcn_alexnet", 355), ("fcn_8s", 404)])
def test_coarse_maps_see_as_much_of_the_image_as_published(name: str, field: int) -> None:
    """J. Long et al., CVPR 2015, table 1."""
    examined = examine(ZOO[name].build((512, 512, 3), 21))

    assert examined.nodes["fc6"].receptive_field == (field, field)
    assert examined.nodes["fc6"].jump == (32.0, 32.0)


def test_stages_lie_as_far_apart_as_they_should() -> None:
    for backbone in BACKBONES:
        begins_with_4 = backbone.name.startswith("convnext")
        strides = STAGES[begins_with_4:] if backbone.transformer is None else (4, 8, 16)
        assert all(stage_of(backbone.name, stride) for stride in strides)


@pytest.mark.parametrize("name", sample(BACKBONES.names(), ("mobilenet_v2", "convnext_tiny")))
def test_the_table_of_stages_is_that_of_keras(name: str) -> None:
    assert stages_of(BACKBONES[name]) == {
        str(stride): place for stride in STAGES if (place := stage_of(name, stride))
    }


def test_inside_a_backbone_is_examined_like_the_built_layer() -> None:
    spec = ZOO["deeplab_v3_plus"].build((96, 96, 3), 4)

    examined = examine(spec)

    assert examined.works, examined.problems
    inside = examined.nodes["inside4"]
    assert inside.output_shape == (24, 24, 24)
    assert inside.parameters == 0
    assert inside.jump == (4.0, 4.0)
    assert examined.nodes["inside16"].output_shape == (6, 6, 96)
    assert examined.nodes[HEAD].output_shape == (96, 96, 4)


def test_unknown_layers_of_backbones_are_reported() -> None:
    spec = ZOO["deeplab_v3_plus"].build((96, 96, 3), 4)
    nodes = tuple(
        node.model_copy(update={"parameters": {"place": "block_12_ad"}})
        if node.id == "inside16"
        else node
        for node in spec.nodes
    )
    wrong = spec.model_copy(update={"nodes": nodes})

    with pytest.raises(StudioError, match='has no layer "block_12_ad"') as caught:
        build(wrong, seed=0)

    assert "block_12_add" in caught.value.hint
    (problem,) = (each for each in examine(wrong).problems if each.serious)
    assert (problem.node, problem.message) == ("inside16", caught.value.message)


def test_only_backbones_have_an_inside() -> None:
    net = GraphBuilder("x", InputShape(height=8, width=8, channels=3), 2)
    net.add("conv2d", "first").add("inside_backbone", "taken", place="a")
    net.add("conv2d", HEAD, filters=2, activation="softmax")
    spec = net.spec().model_copy(update={"task": MASKS.name})

    assert [each.where for each in check(spec) if each.serious] == ["taken"]


def test_a_network_of_one_answer_per_image_is_refused_for_masks() -> None:
    plan = TrainingPlan(dataset="d", network="lenet")
    with pytest.raises(StudioError, match="one result for each image") as caught:
        network_for(plan, (64, 64, 3), 4, task=MASKS)
    assert "small_unet" in caught.value.hint

    with pytest.raises(StudioError, match="predicts masks"):
        network_for(plan.changed(network="unet"), (64, 64, 3), 4)


def test_a_drawing_that_does_not_end_at_full_size_is_refused() -> None:
    net = GraphBuilder("x", InputShape(height=8, width=8, channels=3), 2)
    net.add("conv2d", HEAD, filters=2, stride=2, activation="softmax")
    spec = net.spec().model_copy(update={"task": MASKS.name})

    with pytest.raises(StudioError, match="4x4x2; a class for each pixel requires 8x8x2"):
        build(spec, seed=0)


@pytest.mark.parametrize("interpolation", ["nearest", "bilinear"])
@pytest.mark.parametrize("size", [(8, 8), (9, 7)])
def test_maps_are_resized_like_others(interpolation: str, size: tuple[int, int]) -> None:
    net = GraphBuilder("x", InputShape(height=size[0], width=size[1], channels=1), 2)
    net.add("max_pool", padding="same").add(
        "resize_like", after=("max_pool_1", INPUT), interpolation=interpolation
    )
    net.add("conv2d", HEAD, filters=2, activation="softmax")
    spec = net.spec().model_copy(update={"task": MASKS.name})

    assert build(spec, seed=0).output_shape == (None, *size, 2)
    assert examine(spec).works


@pytest.mark.parametrize("name", ["small_unet", "deeplab_v3_plus", "fcn_8s"])
def test_other_sizes_and_classes_fit(name: str) -> None:
    spec = fitted(ZOO[name].build((96, 96, 3), 4), (70, 90, 1), 7)

    assert _traced(spec).output_shape == (None, 70, 90, 7)


def test_heads_are_new_and_backbones_are_not() -> None:
    spec = ZOO["lr_aspp"].build((96, 96, 3), 4)

    assert {"backbone_1", "rescaling_1"}.isdisjoint(head_of(spec))
    assert {"gate", "inside8", HEAD} <= head_of(spec)


@pytest.mark.parametrize("name", ["small_unet", "lr_aspp:backbone=mobilenet_v2"])
def test_code_builds_the_same_network(name: str) -> None:
    spec = ZOO[name].build((70, 64, 3), 4)
    built_both_ways(spec)


def test_a_backbone_with_taps_expands_to_layers() -> None:
    spec = ZOO["deeplab_v3_plus"].build((64, 64, 3), 4)

    expanded = expand(spec)

    assert "backbone" not in {node.layer for node in expanded.nodes}
    assert not check(expanded)
    same = _traced(expanded)
    assert same.output_shape == (None, 64, 64, 4)
    assert same.count_params() == _traced(spec).count_params()


def test_every_task_has_networks() -> None:
    for task in TASKS.values():
        assert any(network.output == task.output for network in ZOO)
