"""Speed of the networks of the library on this machine, measured when it is asked for."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Final

from pydantic import BaseModel

from studio.engine.errors import StudioError
from studio.engine.jobs.host import EngineHost
from studio.engine.messages import as_message
from studio.engine.networks.backbones import BACKBONES
from studio.engine.networks.library import read_export
from studio.engine.networks.spec import NetworkSpec
from studio.engine.networks.zoo import ZOO
from studio.engine.networks.zoo.network import zoo_name_of
from studio.engine.pretrained.sources import SOURCES, PretrainedSource
from studio.engine.pretrained.speeds import MeasuredSpeed, write_speed
from studio.engine.pretrained.store import PretrainedStore

OPERATION: Final = "speed"
_CLASSES: Final = 10
"""Any number: the head takes no time."""


class SpeedRequest(BaseModel, frozen=True):
    """Measure the time of a network for one image.

    Attributes:
        spec: The network, at the size of the images.
    """

    spec: NetworkSpec


class SpeedAnswer(BaseModel, frozen=True):
    """Time of a network for one image.

    Attributes:
        milliseconds: Median.
        backend: Backend of Keras that computed it.
    """

    milliseconds: float
    backend: str


def measured_speed(host: EngineHost, source: PretrainedSource) -> MeasuredSpeed:
    """Measure the network of a source and store the result for this machine; takes seconds.

    The files of a backbone are not needed: random weights take the same time.

    Args:
        host: The engine host.
        source: The source.

    Raises:
        StudioError: The network of a detector was not made yet.
        DiskFullError: No space is left.
    """
    spec = _network_of(source)
    answer = host.ask(OPERATION, SpeedRequest(spec=spec), SpeedAnswer).result()
    found = MeasuredSpeed(
        milliseconds=answer.milliseconds,
        width=spec.input.width,
        height=spec.input.height,
        backend=answer.backend,
        measured=datetime.now(UTC),
    )
    write_speed(source.name, found)
    return found


def _network_of(source: PretrainedSource) -> NetworkSpec:
    backbone = source.backbone or (SOURCES[source.weights].backbone if source.weights else "")
    if backbone:
        side = BACKBONES[backbone].usual
        return ZOO[zoo_name_of(backbone)].build((side, side, 3), _CLASSES)
    path = PretrainedStore().network_path(source)
    if path.is_file():
        return read_export(path).spec
    raise StudioError(
        "{network} has no network on this machine that could be measured.",
        "Download it first; the network of a detector is made with its first use.",
        "name",
        network=as_message(source.label),
    )
