"""The zoo: networks that are ready to train. Never imports Keras.

To add a network: 1. write `<name>.py` with a `ZooNetwork`; 2. list it below. Gallery, `--network`,
inspection and the build-and-fit tests follow by themselves. Published backbones of Keras come from
`networks.pretrained`.
"""

from __future__ import annotations

from studio.engine.errors import StudioError
from studio.engine.networks.zoo.alexnet import ALEXNET
from studio.engine.networks.zoo.googlenet import GOOGLENET
from studio.engine.networks.zoo.lenet import LENET
from studio.engine.networks.zoo.mlp import MLP
from studio.engine.networks.zoo.mobilenet_v2 import MOBILENET_V2
from studio.engine.networks.zoo.network import ZooNetwork
from studio.engine.networks.zoo.nin import NIN
from studio.engine.networks.zoo.pattern import PATTERN
from studio.engine.networks.zoo.perceptron import PERCEPTRON
from studio.engine.networks.zoo.pretrained import networks_of_backbones
from studio.engine.networks.zoo.resnet18 import RESNET18
from studio.engine.networks.zoo.resnet34 import RESNET34
from studio.engine.networks.zoo.resnet50 import RESNET50
from studio.engine.networks.zoo.row_lstm import ROW_LSTM
from studio.engine.networks.zoo.small_cnn import SMALL_CNN
from studio.engine.networks.zoo.small_resnet_32 import SMALL_RESNET_32
from studio.engine.networks.zoo.small_resnet_64 import SMALL_RESNET_64
from studio.engine.networks.zoo.squeezenet import SQUEEZENET
from studio.engine.networks.zoo.vgg11 import VGG11
from studio.engine.networks.zoo.vgg16 import VGG16
from studio.engine.networks.zoo.vgg19 import VGG19
from studio.engine.registry import Registry


class Zoo(Registry[ZooNetwork]):
    """The networks by name; a name may go on with options: `pattern:stages=2,dense=0`."""

    def __getitem__(self, name: str) -> ZooNetwork:
        """The network of that name, with its options.

        Raises:
            StudioError: There is none, or it has no such option.
        """
        base, colon, text = name.partition(":")
        network = super().__getitem__(base)
        if not colon:
            return network
        if network.options is None:
            raise StudioError(
                f'{network.label} has no options; received "{text}".',
                f'Name it "{base}".',
                self.kind,
            )
        return network.options.vary(network.options.plan.changed(**_options(text)))

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and super().__contains__(name.partition(":")[0])


def _options(text: str) -> dict[str, str]:
    """The values of a text such as `stages=2,dense=0`."""
    pairs = [part.partition("=") for part in text.split(",") if part.strip()]
    for key, sign, _ in pairs:
        if not sign:
            raise StudioError(
                f'an option of a network is written name=value; received "{key}".',
                'For example "pattern:stages=2,dense=0".',
                "network",
            )
    return {key.strip(): value.strip() for key, _, value in pairs}


DRAWN: tuple[ZooNetwork, ...] = (
    LENET,
    SMALL_CNN,
    SMALL_RESNET_32,
    SMALL_RESNET_64,
    MOBILENET_V2,
    SQUEEZENET,
    RESNET18,
    RESNET34,
    RESNET50,
    GOOGLENET,
    VGG11,
    VGG16,
    VGG19,
    NIN,
    ALEXNET,
    PATTERN,
    ROW_LSTM,
    MLP,
    PERCEPTRON,
)
"""The networks of the zoo that are drawn here, one file each."""

ZOO = Zoo(
    "network",
    [*DRAWN, *networks_of_backbones([network.name for network in DRAWN], {MOBILENET_V2.name})],
)
