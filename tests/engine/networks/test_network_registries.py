"""What every layer and every network of the zoo must be, without Keras."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from subprocess import run

import pytest

from studio.engine.errors import StudioError
from studio.engine.networks.checks import check
from studio.engine.networks.fitting import COLOR_NODE
from studio.engine.networks.layers import LAYERS
from studio.engine.networks.layers.backbone import BACKBONES
from studio.engine.networks.layers.layer import FAMILY_LABELS, Layer, Names
from studio.engine.networks.spec import HEAD, HEAD_BLOCK
from studio.engine.networks.zoo import ZOO
from studio.engine.networks.zoo.network import ZooNetwork
from studio.engine.plans import fields_of


def test_every_family_of_the_palette_has_layers() -> None:
    assert {layer.family for layer in LAYERS} == set(FAMILY_LABELS)


def _flat(names: Names) -> Iterator[str]:
    for name in names:
        if isinstance(name, str):
            yield name
        else:
            yield from _flat(name)


@pytest.mark.parametrize("layer", LAYERS, ids=lambda layer: layer.name)
def test_keras_settings_are_read_back(layer: Layer) -> None:
    if layer.name in ("subtract_mean", "whitening"):
        return  # Keras sees a rescaling and a layer normalization
    arguments = layer.keras_arguments(layer.parameters.parse({}))

    read = layer.parameters.parse(layer.values_from(arguments))

    assert layer.keras_arguments(read) == arguments


def test_settings_of_two_axes_are_read_back() -> None:
    conv, padding = LAYERS["conv2d"], LAYERS["zero_padding"]

    flat = conv.values_from({"kernel_size": [1, 7], "strides": (2, 2), "groups": 4})
    square = conv.values_from({"kernel_size": [3, 3]})
    border = padding.values_from({"padding": ((0, 1), (2, 3))})

    assert flat == {"kernel": 1, "kernel_width": 7, "stride": 2, "groups": 4}
    assert square == {"kernel": 3}
    assert border == {"top": 0, "bottom": 1, "left": 2, "right": 3}


@pytest.mark.parametrize(
    ("layer", "parameters"),
    [
        ("reshape", {"target_shape": "-1, -1"}),
        ("reshape", {"target_shape": "28, many"}),
        ("permute", {"dims": "1, 1, 2"}),
        ("channel_scaling", {"scale": "1, x"}),
        ("keras", {"class_name": "Lambda"}),
        ("keras", {"class_name": "os.system"}),
        ("keras", {"config": "[]"}),
        ("keras", {"config": "{"}),
    ],
)
def test_texts_that_are_not_what_they_should_be_are_refused(
    layer: str, parameters: dict[str, str]
) -> None:
    with pytest.raises(StudioError, match=r"received|holds code|no JSON"):
        LAYERS[layer].parameters.parse(parameters)


@pytest.mark.parametrize("layer", LAYERS, ids=lambda layer: layer.name)
def test_every_parameter_of_a_layer_acts_and_is_explained(layer: Layer) -> None:
    layer.parameters.parse({})  # all have defaults
    for field in fields_of(layer.parameters):
        assert field.label
        assert field.help.endswith(".")
        if field.choices:
            assert len(field.choice_labels) == len(field.choices)
    if layer.keras_class:
        reached = {name for names in layer.arguments.values() for name in _flat(names)}
        assert reached == set(layer.parameters.model_fields)


def test_every_backbone_can_be_chosen() -> None:
    architecture = fields_of(LAYERS["backbone"].parameters)[0]

    assert list(architecture.choices) == BACKBONES.names()


def test_several_parameters_make_one_argument() -> None:
    conv = LAYERS["conv2d"]

    square = conv.keras_arguments(conv.parameters.parse({"kernel": 5}))
    flat = conv.keras_arguments(conv.parameters.parse({"kernel": 1, "kernel_width": 7}))

    assert square["kernel_size"] == (5, 5)
    assert flat["kernel_size"] == (1, 7)


@pytest.mark.parametrize("network", ZOO, ids=lambda network: network.name)
def test_every_zoo_network_is_sound_and_scales_pixels_first(network: ZooNetwork) -> None:
    for channels in (1, 3, 5):
        height, width = network.smallest
        spec = network.build((height, width, channels), 2)
        assert check(spec) == []
        first = next(node for node in spec.nodes if node.id != COLOR_NODE)
        assert first.layer in ("rescaling", "subtract_mean", "channel_scaling")
        assert spec.output == HEAD
        assert spec.node(HEAD).block == HEAD_BLOCK
        assert not any(node.frozen for node in spec.nodes)


@pytest.mark.parametrize("network", ZOO, ids=lambda network: network.name)
def test_every_zoo_network_refuses_the_impossible(network: ZooNetwork) -> None:
    height, width = network.smallest
    good = network.default_input
    for shape in (
        (height - 1, width, good[2]),
        (height, width - 1, good[2]),
    ):
        with pytest.raises(StudioError, match="received"):
            network.build(shape, 10)


def test_descriptions_need_no_keras() -> None:
    code = (
        "import sys, studio.engine.networks.zoo, studio.engine.networks.checks, "
        "studio.engine.networks.spec, studio.engine.training.schedules, "
        "studio.engine.evaluation.outcomes\n"
        "sys.exit(any(m in sys.modules for m in ('keras', 'tensorflow', 'jax', 'torch')))"
    )

    assert run([sys.executable, "-c", code], check=False).returncode == 0
