"""The zoo: networks that are ready to train. Never imports Keras.

To add a network: 1. write a `ZooNetwork` in `classic.py`, `deep.py` or, for a class of each pixel,
`masks.py`, for boxes, `boxes.py`, for outlines, `stars.py`, or, for masks of objects,
`object_masks.py`; 2. list it below. Gallery,
`--network`, inspection and the build-and-fit tests follow by themselves. Published backbones of
Keras come from `networks.backbones`.
"""

from __future__ import annotations

from studio.engine.errors import StudioError
from studio.engine.messages import as_message, message
from studio.engine.networks.zoo import (
    boxes,
    classic,
    deep,
    good_images,
    masks,
    object_masks,
    stars,
)
from studio.engine.networks.zoo.network import ZooNetwork, networks_of_backbones
from studio.engine.plug_ins import Kind
from studio.engine.registry import Registry


class Zoo(Registry[ZooNetwork]):
    """The networks by name; options may follow a name: `pattern:stages=2,dense=0`."""

    def __getitem__(self, name: str) -> ZooNetwork:
        """Return the network of that name, with its options.

        Raises:
            StudioError: It does not exist, or it has no such option.
        """
        base, colon, text = name.partition(":")
        network = super().__getitem__(base)
        if not colon:
            return network
        if network.options is None:
            raise StudioError(
                '{network} has no options; received "{options}".',
                message('Name it "{name}".', name=base),
                self.kind,
                network=as_message(network.label),
                options=text,
            )
        return network.options.vary(network.options.plan.changed(**_options(text)))

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and super().__contains__(name.partition(":")[0])


def _options(text: str) -> dict[str, str]:
    """Return the values of a text such as `stages=2,dense=0`."""
    pairs = [part.partition("=") for part in text.split(",") if part.strip()]
    for key, sign, _ in pairs:
        if not sign:
            raise StudioError(
                'options of a network have the form name=value; received "{option}".',
                'For example "pattern:stages=2,dense=0".',
                "network",
                option=key,
            )
    return {key.strip(): value.strip() for key, _, value in pairs}


DRAWN: tuple[ZooNetwork, ...] = (
    classic.LENET,
    classic.SMALL_CNN,
    *deep.SMALL_RESNETS,
    deep.MOBILENET_V2,
    deep.SQUEEZENET,
    *deep.RESNETS,
    deep.GOOGLENET,
    *deep.VGG,
    classic.NIN,
    classic.ALEXNET,
    classic.PATTERN,
    classic.ROW_LSTM,
    classic.MLP,
    classic.PERCEPTRON,
    masks.SMALL_UNET,
    masks.UNET,
    masks.PRETRAINED_UNET,
    masks.DEEPLAB,
    masks.LR_ASPP,
    masks.FCN_8S,
    masks.FCN_ALEXNET,
    boxes.DETECTOR_LIGHT,
    boxes.SMALL_DETECTOR,
    boxes.DETECTOR,
    boxes.SSDLITE,
    *good_images.NETWORKS,
    good_images.SMALL_PADIM,
    stars.STAR_UNET,
    stars.STAR_BACKBONE,
    object_masks.SMALL_MASKS,
    object_masks.MASK_BACKBONE,
)
"""The networks of the zoo that are drawn here."""

ZOO = Zoo(
    "network",
    [
        *DRAWN,
        *networks_of_backbones([network.name for network in DRAWN], {deep.MOBILENET_V2.name}),
    ],
    Kind("studio.networks", "network", ("label", "summary", "output", "build")),
)
