"""Networks that a person drew or brought along, kept in the workspace, and how one is named.

A saved network is a record with a `network.json` in it.
"""

from __future__ import annotations

import json
import zipfile
from dataclasses import dataclass
from pathlib import Path

from studio.engine.documents import DAMAGED
from studio.engine.errors import StudioError, did_you_mean, raise_if_serious
from studio.engine.files import read_failure, user_path, write_atomically
from studio.engine.messages import message
from studio.engine.networks.spec import NetworkSpec, id_problems
from studio.engine.networks.zoo import ZOO
from studio.engine.workspace import Record, RecordKind, Workspace

LABELS, DESCRIPTION = "labels.json", "network.json"
KERAS_MODEL, KERAS_WEIGHTS = "model.keras", "model.weights.h5"
WEIGHTS = (KERAS_MODEL, KERAS_WEIGHTS)
"""The files of an export from which a network can start; the first that is there is taken."""


@dataclass(frozen=True, slots=True)
class ExportedNetwork:
    """A network that was exported.

    Attributes:
        spec: Its description.
        weights: Their name in training plans; empty if Keras cannot read them.
    """

    spec: NetworkSpec
    weights: str


def is_export(path: Path) -> bool:
    """Return True if it is the folder of an export, or an archive of one, by its contents."""
    if path.is_dir():
        return (path / LABELS).is_file() and (path / DESCRIPTION).is_file()
    return path.is_file() and {LABELS, DESCRIPTION} <= set(_names(path))


def read_export(path: Path) -> ExportedNetwork:
    """Read what an export says of its network.

    Raises:
        StudioError: It is not a network, or damaged.
    """
    if not is_export(path):
        raise StudioError(
            "{file} is not an export of Studio: {labels} and {description} are missing.",
            "Choose the folder, or the .zip file, that Studio wrote.",
            "network",
            file=path,
            labels=LABELS,
            description=DESCRIPTION,
        )
    if path.is_dir():
        return ExportedNetwork(read_network(path / DESCRIPTION), _weights(path))
    spec = _spec_in(path)
    has_weights = any(name in WEIGHTS for name in _names(path))
    return ExportedNetwork(spec, str(path.absolute()) if has_weights else "")


def weights_in(folder: Path) -> Path | None:
    """Return the file of an export from which a network can start; None if there is none."""
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
            "The export {file} cannot be read: {reason}.",
            "Export it again.",
            "network",
            file=path,
            reason=str(error) or message("it is truncated"),
        ) from error
    return parsed_network(data, path, "network")


LARGEST_FILE = 32 * 2**20
"""Bytes of a network's file at most; the largest of Keras has under one million."""

MODEL_FILES = (".keras", ".h5", ".hdf5")
"""Endings of the files of Keras models."""


@dataclass(frozen=True, slots=True)
class SavedNetwork:
    """A network of the workspace."""

    record: Record
    name: str
    spec: NetworkSpec

    @property
    def id(self) -> str:
        """The record's id, which never changes."""
        return self.record.id


@dataclass(frozen=True, slots=True)
class NetworkChoice:
    """Values of a training plan that name a network: its `network` and `design`.

    Attributes:
        network: Name of a network of the zoo, or what a drawn one is called.
        design: The drawn one; None for the zoo.
    """

    network: str
    design: NetworkSpec | None


def saved(workspace: Workspace) -> list[SavedNetwork]:
    """Return the saved networks, oldest first; those that cannot be read are left out."""
    found = []
    for record, info in workspace.infos(RecordKind.NETWORK):
        try:
            found.append(_read(record, info.name))
        except StudioError:
            # A damaged one must not hide the others; loading it by name says what is wrong.
            continue
    return found


def save(workspace: Workspace, spec: NetworkSpec, name: str) -> SavedNetwork:
    """Save a network under a new name.

    Args:
        workspace: The workspace.
        spec: The network.
        name: Its name.

    Raises:
        StudioError: The name is invalid or taken.
        DiskFullError: No space was left; nothing was saved.
    """
    spec = spec.model_copy(update={"name": name.strip()})
    record = workspace.create(RecordKind.NETWORK, name, spec.to_json())
    return SavedNetwork(record, record.name, spec)


def update(workspace: Workspace, name: str, spec: NetworkSpec) -> SavedNetwork:
    """Put a network in the place of a saved one, which keeps its name.

    Args:
        workspace: Workspace of the network.
        name: Name or id of the saved one.
        spec: The current network.

    Raises:
        StudioError: There is no such network.
        DiskFullError: No space was left; the saved one is untouched.
    """
    record = workspace.find(RecordKind.NETWORK, name)
    spec = spec.model_copy(update={"name": record.name})
    write_atomically(record.plan_file, spec.to_json())
    return SavedNetwork(record, record.name, spec)


def load(workspace: Workspace, name: str) -> SavedNetwork:
    """Return a saved network.

    Args:
        workspace: The workspace.
        name: Name or id.

    Raises:
        StudioError: It does not exist, or its file is damaged.
    """
    record = workspace.find(RecordKind.NETWORK, name)
    return _read(record, record.name)


def _read(record: Record, name: str) -> SavedNetwork:
    """Return the network of a record, with the name of the record."""
    spec = read_network(record.plan_file)
    return SavedNetwork(record, name, spec.model_copy(update={"name": name}))


def rename(workspace: Workspace, name: str, new: str) -> SavedNetwork:
    """Rename a saved network.

    Args:
        workspace: The workspace.
        name: Name or id.
        new: New name.

    Raises:
        StudioError: There is no such network, or the new name is invalid or taken.
    """
    record = workspace.find(RecordKind.NETWORK, name)
    workspace.rename(record, new)
    return load(workspace, record.id)


def resolve(workspace: Workspace, text: str) -> NetworkChoice:
    """Return the network that a person means by a word or a path.

    Args:
        workspace: Workspace of saved networks.
        text: Name of a network of the zoo, name or id of a saved one, or a JSON file.

    Raises:
        StudioError: It is none of these, or the file cannot be read.
    """
    if text in ZOO:
        return NetworkChoice(text, None)
    names = [network.name for network in saved(workspace)]
    if text in names or workspace.record(RecordKind.NETWORK, text) is not None:
        network = load(workspace, text)
        return NetworkChoice(network.name, network.spec)
    path = user_path(text)
    if path.suffix.lower() in MODEL_FILES:
        raise StudioError(
            '"{file}" is a Keras model, not the description of a network.',
            message("Convert it first: studio networks convert {file}", file=text),
            "network",
            file=text,
        )
    if path.suffix or path.is_file():
        spec = read_network(path)
        return NetworkChoice(spec.name, spec)
    raise StudioError(
        'There is no network "{name}", in the zoo, in the workspace or as a file.',
        did_you_mean(text, [*ZOO.names(), *names]),
        "network",
        name=text,
    )


def read_network(path: Path) -> NetworkSpec:
    """Read a network's JSON file from any source.

    Raises:
        StudioError: It is gone, no JSON of at most `LARGEST_FILE` bytes, or not a network.
    """
    try:
        with path.open("rb") as file:
            data = json.loads(file.read(LARGEST_FILE))
    except (OSError, ValueError, RecursionError) as error:
        raise StudioError(
            "The network {file} cannot be read: {reason}.",
            "Choose a JSON file that Studio wrote.",
            str(path),
            file=path,
            reason=read_failure(error),
        ) from error
    return parsed_network(data, path, str(path))


def parsed_network(data: object, path: Path, where: str) -> NetworkSpec:
    """Check the data of a network's file.

    Args:
        data: The content of the file, read from JSON.
        path: The file, for the message.
        where: The field that named the file.

    Raises:
        StudioError: It does not describe a network, or an id cannot be the name of a layer.
    """
    try:
        spec = NetworkSpec.parse(data)
        raise_if_serious(id_problems(spec))
    except StudioError as error:
        raise StudioError(
            "{file} does not describe a network: {reason}",
            error.hint,
            where,
            file=path,
            reason=error.message,
        ) from error
    return spec
