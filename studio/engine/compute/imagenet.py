"""Asks Keras where the ImageNet weights of a backbone are, and fetches them into the cache."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NoReturn

import keras
from keras.src.utils import file_utils

from studio.engine.compute.build import without_weights
from studio.engine.errors import StudioError
from studio.engine.networks.pretrained import BACKBONES, IMAGENET
from studio.engine.networks.pretrained.cache import WeightCache, WeightSource
from studio.engine.networks.spec import NetworkSpec
from studio.engine.progress import Progress


class _Asked(Exception):  # noqa: N818 - ends a call of Keras at the point of interest
    def __init__(self, file: str, address: str, digest: str) -> None:
        super().__init__(file)
        self.file, self.address, self.digest = file, address, digest


def weight_source(name: str) -> WeightSource:
    """Where the weights of a backbone without its head are, as the installed Keras has it.

    Keras has no table of that: it says it to its own downloader once the network is built. Here
    the network is built without numbers, in under a second, and the downloader only listens.

    Raises:
        StudioError: There is no such backbone.
    """
    backbone = BACKBONES[name]
    grow = getattr(keras.applications, backbone.keras_function)
    try:
        with (
            without_weights(),
            warnings.catch_warnings(),
            _listening(),
        ):
            warnings.simplefilter("ignore")  # it warns that it does not know our images
            grow(include_top=False, weights=IMAGENET)
    except _Asked as asked:
        return WeightSource(name=name, file=asked.file, address=asked.address, digest=asked.digest)
    raise RuntimeError(f"Keras built {name} without asking for weights.")


def fetch_imagenet(spec: NetworkSpec, progress: Progress) -> Path:
    """The file with the weights of the backbone of a network.

    Raises:
        StudioError: The network has no backbone, or several kinds, or the download fails.
        Cancelled: Somebody asked for the work to end.
    """
    kinds = {
        str(node.parameters["architecture"]) for node in spec.nodes if node.layer == "backbone"
    }
    if len(kinds) != 1:
        raise StudioError(
            f"There are no ImageNet weights for {spec.name}: it has "
            f"{'several kinds of' if kinds else 'no'} published backbone.",
            "Choose a network such as mobilenet_v2, or name a file with weights.",
            "weights",
        )
    progress.check()
    return WeightCache().fetch(weight_source(kinds.pop()), progress)


@contextmanager
def _listening() -> Iterator[None]:
    """Let Keras ask for files and get none."""
    usual = file_utils.get_file
    file_utils.get_file = _listen
    try:
        yield
    finally:
        file_utils.get_file = usual


def _listen(fname: str, origin: str, file_hash: str | None = None, **_: Any) -> NoReturn:  # noqa: ANN401
    raise _Asked(fname, origin, file_hash or "")
