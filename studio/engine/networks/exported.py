"""Exports of Studio, read back: the network's description, and its weights where Keras reads them.

An export is a folder, or a `.zip` file of one, with `labels.json` and `network.json` in it. It may
come from anywhere: nothing in it is run, and of an archive single files of known names are read.
"""

from __future__ import annotations

import json
import zipfile
from dataclasses import dataclass
from pathlib import Path

from studio.engine.documents import DAMAGED
from studio.engine.errors import StudioError
from studio.engine.networks.library import LARGEST_FILE, parsed_network, read_network
from studio.engine.networks.spec import NetworkSpec

LABELS, DESCRIPTION = "labels.json", "network.json"
KERAS_MODEL, KERAS_WEIGHTS = "model.keras", "model.weights.h5"
WEIGHTS = (KERAS_MODEL, KERAS_WEIGHTS)
"""The files of an export from which a network can start; the first that is there is taken."""


@dataclass(frozen=True, slots=True)
class ExportedNetwork:
    """A network that was exported.

    Attributes:
        spec: Its description.
        weights: What a training plan names to start from them; empty where Keras cannot read them.
    """

    spec: NetworkSpec
    weights: str


def is_export(path: Path) -> bool:
    """Whether it is the folder of an export, or an archive of one, by what lies in it."""
    if path.is_dir():
        return (path / LABELS).is_file() and (path / DESCRIPTION).is_file()
    return path.is_file() and {LABELS, DESCRIPTION} <= set(_names(path))


def read_export(path: Path) -> ExportedNetwork:
    """Read what an export says of its network.

    Raises:
        StudioError: It is none, or damaged.
    """
    if not is_export(path):
        raise StudioError(
            f"{path} is no export of Studio's: there is no {LABELS} and {DESCRIPTION} in it.",
            "Choose the folder, or the .zip file, that Studio wrote.",
            "network",
        )
    if path.is_dir():
        return ExportedNetwork(read_network(path / DESCRIPTION), _weights(path))
    spec = _spec_in(path)
    has_weights = any(name in WEIGHTS for name in _names(path))
    return ExportedNetwork(spec, str(path.absolute()) if has_weights else "")


def weights_in(folder: Path) -> Path | None:
    """The file of an export's folder from which a network can start; None where there is none."""
    return next((folder / name for name in WEIGHTS if (folder / name).is_file()), None)


def _weights(folder: Path) -> str:
    found = weights_in(folder)
    return "" if found is None else str(found.absolute())


def _names(path: Path) -> list[str]:
    try:
        with zipfile.ZipFile(path) as archive:
            return archive.namelist()
    except DAMAGED:
        return []


def _spec_in(path: Path) -> NetworkSpec:
    try:
        with zipfile.ZipFile(path) as archive, archive.open(DESCRIPTION) as file:
            data = json.loads(file.read(LARGEST_FILE))
    except DAMAGED as error:
        raise StudioError(
            f"The export {path} cannot be read: {str(error) or 'it is cut off'}.",
            "Export it again.",
            "network",
        ) from error
    return parsed_network(data, path, "network")
