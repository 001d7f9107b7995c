"""Addresses and checksums of the weights of Keras, for `assets/pretrained/keras.json`.

Run it as a program after Keras was updated, or a backbone was added.
"""

from __future__ import annotations

import json
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NoReturn

import keras

from studio.engine.assets import asset
from studio.engine.compute.backends import keras_internals
from studio.engine.compute.build import without_weights
from studio.engine.files import write_atomically
from studio.engine.networks.backbones import BACKBONES, IMAGENET, WeightSource


class _Asked(Exception):  # noqa: N818 - ends a call of Keras at the point of interest
    def __init__(self, file: str, address: str, digest: str) -> None:
        super().__init__(file)
        self.file, self.address, self.digest = file, address, digest


def weight_source(name: str) -> WeightSource:
    """Return the source of a backbone's weights without its head, as installed Keras has it.

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


@contextmanager
def _listening() -> Iterator[None]:
    """Let Keras ask for files and get none."""
    with keras_internals.replaced_downloads(_listen):
        yield


def _listen(fname: str, origin: str, file_hash: str | None = None, **_: Any) -> NoReturn:  # noqa: ANN401
    raise _Asked(fname, origin, file_hash or "")


def write_files() -> None:
    """Write the files of all backbones of Keras, one per line."""
    rows = []
    for backbone in BACKBONES:
        if backbone.transformer is None:
            found = weight_source(backbone.name)
            file = {"name": found.file, "address": found.address, "digest": found.digest}
            rows.append(f"{json.dumps(backbone.name)}: {json.dumps(file)}")
    target = asset("pretrained/keras.json")
    write_atomically(target, "{\n" + ",\n".join(rows) + "\n}\n")


if __name__ == "__main__":
    write_files()
