"""Weights in files of any origin: their layers, and their values, read on demand.

Three layouts: weights of Keras 3 (`.weights.h5`), weights or whole models of Keras 2 (`.h5`), and
whole models of Keras 3 (`.keras`). Files are hostile until shown otherwise: nothing is unpickled,
nothing is read but what a layer asks for by its shape, and no link out of the file is followed.
"""

from __future__ import annotations

import contextlib
import json
import shutil
import tempfile
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import h5py
import numpy as np
from numpy.typing import NDArray

from studio.engine.datasets.sources.shared.hdf5_file import attribute, has_sound_heaps
from studio.engine.documents import DAMAGED
from studio.engine.errors import BadDataError
from studio.engine.files import is_packed_too_tightly
from studio.engine.hdf5 import children, find, find_dataset, require_honest_size
from studio.engine.messages import as_message, message
from studio.engine.networks.library import LABELS, WEIGHTS
from studio.engine.networks.spec import INPUT
from studio.engine.training.model_format import detect, is_foreign, refusal

MODEL_NAME = "network"
"""Name that `build` gives every model, to recognize our files."""

LARGEST_CONFIG = 64 * 2**20
"""Bytes of the configuration of a model in a file at most."""

_DEEPEST = 12
_MOST_GROUPS = 50_000
_SEEDS = "seed_generator"
_ATTENTION = ("query_dense", "key_dense", "value_dense", "output_dense")
"""Layers inside of an attention, in the order of its weights."""
_GROWTH, _GROWTH_OF_EXPORT, _SMALL = 2, 20, 2**20
"""Largest ratio of the size of unpacked weights to that of their file: for files of Keras, which
are not compressed, and for exports. The last number is the bytes that are allowed beyond it."""
_TOO_TIGHT = "its compression ratio is implausibly high"
_HINT = "Choose a .weights.h5, .h5 or .keras file that Keras wrote."


@dataclass(frozen=True, slots=True)
class StoredLayer:
    """A layer with weights, as a file holds it.

    Attributes:
        name: Name of the layer; empty if the file has none.
        key: Its kind and number among those of its kind, as Keras 3 addresses it; or empty.
        shapes: Shape of each of its weights.
        paths: Path of each in the file.
    """

    name: str
    key: str
    shapes: tuple[tuple[int, ...], ...]
    paths: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class WeightFile:
    """An open file with weights.

    Attributes:
        path: The file.
        layers: Its layers.
        is_ordered: True if the layers are in the order of the network.
        is_own: True if Studio wrote the model, so that its channels are red, green, blue.
    """

    path: Path
    layers: tuple[StoredLayer, ...]
    is_ordered: bool
    is_own: bool
    _file: h5py.File

    def read(self, layer: StoredLayer) -> list[NDArray[np.float32]]:
        """Return the weights of a layer.

        Raises:
            BadDataError: They are no finite numbers, lie outside of the file, or are damaged.
        """
        return [self._read(layer, path) for path in layer.paths]

    def _check(self, dataset: h5py.Dataset, name: str) -> None:
        try:
            require_honest_size(dataset)
        except BadDataError as error:
            text = message('"{weights}": {reason}', weights=name, reason=error.message)
            raise _refused(self.path, text) from error

    def _read(self, layer: StoredLayer, path: str) -> NDArray[np.float32]:
        name = layer.name or layer.key
        try:
            dataset = _dataset(self._file, path)
            if dataset.dtype.kind != "f":
                raise _refused(
                    self.path,
                    message(
                        '"{weights}" contains {dtype}, not real numbers',
                        weights=name,
                        dtype=dataset.dtype,
                    ),
                )
            self._check(dataset, name)
            values = np.asarray(dataset[()], np.float32)
        except (OSError, KeyError, ValueError, RuntimeError) as error:
            raise _refused(self.path, message('"{weights}" is damaged', weights=name)) from error
        if not np.isfinite(values).all():
            raise _refused(
                self.path,
                message('"{weights}" contains infinite or undefined values', weights=name),
            )
        return values


@contextlib.contextmanager
def open_weights(path: Path) -> Iterator[WeightFile]:
    """Open a file with weights.

    Raises:
        BadDataError: It does not exist, or it is of no layout that we know; one clear line.
        StudioError: It is of another program.
    """
    if not path.is_file():
        raise BadDataError(
            "There is no weights file {file}.", "Check the path.", "weights", file=path
        )
    found = detect(path)
    if is_foreign(found):
        raise refusal(path, found)
    with contextlib.ExitStack() as stack:
        try:
            names: list[str] = []
            is_own, inner = False, path
            if zipfile.is_zipfile(path):
                folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="studio-")))
                inner = _out_of_export(path, folder)
                if zipfile.is_zipfile(inner):
                    names, is_own = _unpacked(inner, folder)
                    inner = folder / "model.weights.h5"
            if not has_sound_heaps(inner):
                raise _refused(path, "its texts are damaged")
            file = stack.enter_context(h5py.File(inner, "r"))
            layers, is_ordered = _layers_of(file)
        except DAMAGED as error:
            raise _refused(path, "it is damaged, or not a weights file") from error
        if names:
            indices = {name: at for at, name in enumerate(names)}
            layers.sort(key=lambda layer: indices.get(layer.name, len(indices)))
            is_ordered = True
        if not layers:
            raise _refused(path, "it contains no weights of layers")
        yield WeightFile(path, tuple(layers), is_ordered, is_own, file)


def _refused(path: Path, reason: str) -> BadDataError:
    return BadDataError(
        "The weights {file} cannot be used: {reason}.",
        _HINT,
        "weights",
        file=path,
        reason=as_message(reason),
    )


def _out_of_export(path: Path, folder: Path) -> Path:
    """Take the model out of an archive of Studio's; any other file is given back as it is."""
    with zipfile.ZipFile(path) as archive:
        there = set(archive.namelist())
        name = next((each for each in WEIGHTS if each in there), None)
        if LABELS not in there or name is None:
            return path
        size = archive.getinfo(name).file_size
        if is_packed_too_tightly(size, path, _GROWTH_OF_EXPORT, _SMALL):
            raise _refused(path, _TOO_TIGHT)
        target = folder / f"exported-{name}"
        with archive.open(name) as packed, target.open("wb") as out:
            shutil.copyfileobj(packed, out)
    return target


def _unpacked(path: Path, folder: Path) -> tuple[list[str], bool]:
    """Extract the weights from a `.keras` file.

    Returns:
        The names of its layers in the order of the network, and True if Studio wrote it.
    """
    with zipfile.ZipFile(path) as archive:
        if archive.getinfo("config.json").file_size > LARGEST_CONFIG:
            raise ValueError("the configuration is too large")
        config = json.loads(archive.read("config.json"))
        size = archive.getinfo("model.weights.h5").file_size
        if is_packed_too_tightly(size, path, _GROWTH, _SMALL):
            raise _refused(path, _TOO_TIGHT)
        with (
            archive.open("model.weights.h5") as packed,
            (folder / "model.weights.h5").open("wb") as out,
        ):
            shutil.copyfileobj(packed, out)
    names = list(_names_in(config, 0))
    return names, names[0] == MODEL_NAME and INPUT in names


def _names_in(config: object, depth: int) -> Iterator[str]:
    """Return the name of a model or layer of a configuration, and of all inside.

    Raises:
        ValueError: It is not what Keras writes.
    """
    inside = config.get("config") if isinstance(config, dict) else None
    layers = inside.get("layers", []) if isinstance(inside, dict) else None
    if not isinstance(inside, dict) or not isinstance(layers, list):
        raise ValueError("the configuration is not that of a model")  # noqa: TRY004 - of a file
    yield str(inside.get("name", ""))
    if depth < _DEEPEST:
        for layer in layers:
            yield from _names_in(layer, depth + 1)


def _layers_of(file: h5py.File) -> tuple[list[StoredLayer], bool]:
    inside = find(file, "model_weights")
    root = inside if isinstance(inside, h5py.Group) else file
    if "layer_names" in root.attrs or "layer_names0" in root.attrs:
        return list(_legacy_layers(root)), True
    return list(_grouped_layers(file)), False


def _texts(group: h5py.Group, name: str) -> list[str]:
    """Return a list of names, which Keras cuts into several attributes when it is long."""
    parts = [name] if name in group.attrs else []
    while f"{name}{len(parts)}" in group.attrs and name not in group.attrs:
        parts.append(f"{name}{len(parts)}")
    values = [value for part in parts for value in attribute(group, part)]
    return [value.decode() if isinstance(value, bytes) else str(value) for value in values]


def _legacy_layers(root: h5py.Group) -> Iterator[StoredLayer]:
    """Keras 2: a list of layers, and in the group of each a list of its weights."""
    for name in _texts(root, "layer_names"):
        group = find(root, name)
        if not isinstance(group, h5py.Group):
            raise ValueError(f"{name} lies outside of the file")  # noqa: TRY004 - of a file
        folders: dict[str, list[str]] = {}
        for weight in _texts(group, "weight_names"):
            folders.setdefault(weight.rpartition("/")[0], []).append(weight)
        for folder, weights in folders.items():
            # A model inside a model is one layer with the weights of all of its own.
            own = name if len(folders) == 1 else folder.rpartition("/")[2]
            yield _stored(root, own, "", [f"{group.name}/{weight}" for weight in weights])


def _grouped_layers(file: h5py.File) -> Iterator[StoredLayer]:
    """Keras 3: a group per layer, its weights by number in `vars`, perhaps of a cell inside."""
    waiting, seen = [("", 0)], 0
    while waiting:
        path, depth = waiting.pop(0)
        seen += 1
        if seen > _MOST_GROUPS or depth > _DEEPEST:
            raise ValueError("groups form a cycle")
        group = find(file, path)
        if not isinstance(group, h5py.Group):
            raise ValueError(f"{path} lies outside of the file")  # noqa: TRY004 - of a file
        inside = dict(children(group))
        parts = _ATTENTION if set(_ATTENTION) <= set(inside) else ()
        waiting += [
            (f"{path}/{name}", depth + 1)
            for name, each in inside.items()
            if isinstance(each, h5py.Group) and name not in ("vars", _SEEDS, *parts)
        ]
        if parts:
            yield _attention(file, path)
            continue
        variables = inside.get("vars")
        if isinstance(variables, h5py.Group) and len(variables):
            is_cell = path.rpartition("/")[2] == "cell"
            owner = path.rpartition("/")[0] if is_cell else path
            of_owner = find(file, f"{owner}/vars")
            holder = of_owner if isinstance(of_owner, h5py.Group) else variables
            named = attribute(holder, "name") if "name" in holder.attrs else ""
            paths = [f"{path}/vars/{at}" for at in sorted(variables, key=int)]
            yield _stored(file, str(named), owner.rpartition("/")[2], paths)


def _attention(file: h5py.File, path: str) -> StoredLayer:
    """Return the layer of an attention, whose weights are those of four layers inside."""
    paths = []
    for part in _ATTENTION:
        variables = find(file, f"{path}/{part}/vars")
        if not isinstance(variables, h5py.Group):
            raise ValueError(f"{path}/{part} has no weights")  # noqa: TRY004 - of a file
        paths += [f"{path}/{part}/vars/{at}" for at in sorted(variables, key=int)]
    holder = find(file, f"{path}/vars")
    has_name = isinstance(holder, h5py.Group) and "name" in holder.attrs
    name = str(attribute(holder, "name")) if has_name else ""
    return _stored(file, name, path.rpartition("/")[2], paths)


def _stored(file: h5py.Group, name: str, key: str, paths: list[str]) -> StoredLayer:
    shapes = []
    for path in paths:
        dataset = _dataset(file, path)
        shapes.append(tuple(int(side) for side in dataset.shape))
    return StoredLayer(name, key, tuple(shapes), tuple(paths))


def _dataset(file: h5py.Group, path: str) -> h5py.Dataset:
    """Find the values of a weight.

    Raises:
        ValueError: There are none, or a link leads out of the file.
    """
    found = find_dataset(file, path)
    if found is None:
        raise ValueError(f"{path} lies outside of the file")
    return found
