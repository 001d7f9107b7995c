"""Opens the models of files from anywhere, describes them, and writes untrained ones.

Files are hostile until shown otherwise. The format is detected once from the content
(`training.model_format`), the description is looked through before anything is made of it, only
classes of Keras itself are made, and the weights are read by the loader of that very format.
"""

from __future__ import annotations

import contextlib
import copy
import json
import shutil
import tempfile
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import h5py
import keras

from studio.engine.compute.backends import keras_internals
from studio.engine.compute.backends.prepare import is_out_of_memory
from studio.engine.compute.build import REFUSALS, build, layer_class, without_weights
from studio.engine.compute.keras2 import converted, layers_in
from studio.engine.compute.read import read_model
from studio.engine.datasets.sources.shared.hdf5_file import attribute
from studio.engine.documents import DAMAGED
from studio.engine.errors import BadDataError, StudioError
from studio.engine.files import is_packed_too_tightly, replacing, writing
from studio.engine.messages import message
from studio.engine.networks.layers.foreign import (
    MODEL_CLASSES,
    ForeignCodeError,
    refuse_foreign_code,
)
from studio.engine.networks.spec import (
    ReadModelRequest,
    ReadNetwork,
    WriteModelRequest,
    WrittenModel,
)
from studio.engine.training import model_format
from studio.engine.training.weight_files import LARGEST_CONFIG

_RESAVE = (
    "Open it with the Keras that wrote it and save it again: model.save('model.keras') there, or "
    "only its weights, from which a network of the same layers can start."
)
_LARGEST_GROWTH = 4
"""Compression of `.keras` files: none, as in Keras, because weights hardly compress."""


@dataclass(frozen=True, slots=True)
class StoredModel:
    """The description of the model of a file, which is safe to be made.

    Attributes:
        path: The file.
        format: `KERAS` or `HDF5_MODEL`.
        config: Description of the model, as its loader takes it.
        version: Version of the Keras that wrote it; empty if unknown.
        loss: Name of the loss that it was trained with; empty if unknown.
    """

    path: Path
    format: model_format.ModelFormat
    config: dict[str, Any]
    version: str
    loss: str

    def make(self) -> keras.Model:
        """Make the model with new weights.

        Raises:
            StudioError: Keras cannot make it; names the layer.
        """
        try:
            model = self._made()
        except REFUSALS as error:
            if is_out_of_memory(error):
                raise
            raise StudioError(
                "{file} was written by Keras {version}, and Keras {installed} cannot load it: "
                "{reason}.",
                _RESAVE,
                "model",
                file=self.path.name,
                version=self.version or message("of an unknown version"),
                installed=keras.__version__,
                reason=_culprit(self.config),
            ) from error
        return model

    def _made(self) -> keras.Model:
        config = copy.deepcopy(self.config)  # Keras takes parts out of it
        if self.format == model_format.ModelFormat.KERAS:
            model = keras.saving.deserialize_keras_object(config, safe_mode=True)
        else:
            _put_input_first(config)
            model = keras_internals.legacy_model(config)
        if not isinstance(model, keras.Model):
            raise TypeError(f"it holds a {type(model).__name__} and no model")
        return model

    def load_weights(self, model: keras.Model) -> None:
        """Fill a model that `make` made.

        Raises:
            ValueError: The file links elsewhere, claims what it does not store, or its weights do
                not fit; among what else Keras and h5py raise for damaged files.
        """
        with _weights_of(self) as path:
            model_format.check_hdf5(path)
            if self.format == model_format.ModelFormat.KERAS:
                model.load_weights(path)
                return
            with h5py.File(path, "r") as file:
                keras_internals.load_legacy_weights(file["model_weights"], model)


def load_model(path: Path) -> keras.Model:
    """Open a whole model with its weights, never running code that came with it.

    Raises:
        BadDataError: It is gone, damaged, or of no known format.
        StudioError: It cannot be opened, with the reason.
    """
    return build_model(read_stored(path))


def build_model(stored: StoredModel) -> keras.Model:
    """Make a model of a description, and fill it with the weights of its file.

    Raises:
        BadDataError: Its weights are damaged, missing or those of another model.
        StudioError: Keras cannot make it.
    """
    try:
        model = stored.make()
        stored.load_weights(model)
    except StudioError:
        raise
    except DAMAGED as error:
        if is_out_of_memory(error):
            raise model_format.damaged(stored.path, "it is larger than the memory") from error
        reason = "its weights are damaged, or do not fit its layers"
        raise model_format.damaged(stored.path, reason) from error
    except Exception as error:
        if not is_out_of_memory(error):
            raise
        raise model_format.damaged(stored.path, "it is larger than the memory") from error
    return model


def read_stored(path: Path) -> StoredModel:
    """Read the description of a model and check it.

    Raises:
        BadDataError: There is no such file, it is damaged, or it needs code.
        StudioError: It contains only weights, or is from another program.
    """
    found = model_format.require_model(path)
    if found == model_format.ModelFormat.KERAS:
        config, version, training = _of_zip(path)
    else:
        config, version, training = _of_hdf5(path)
    try:
        converted(config, version)
        refuse_foreign_code(config)
        _refuse_unknown(config)
    except ForeignCodeError as error:
        text = message("{file} cannot be opened: {reason}.", file=path.name, reason=error)
        raise BadDataError(text, error.hint, "model") from error
    except REFUSALS as error:
        raise model_format.damaged(path, "its description was not written by Keras") from error
    return StoredModel(path, found, config, version, _loss(training))


def read_file(path: Path) -> ReadNetwork:
    """Describe the model of a `.keras` or `.h5` file.

    Raises:
        BadDataError: There is no such file, or it is damaged or contains no model.
        StudioError: It holds only weights, code, or something that cannot be described.
    """
    stored = read_stored(path)
    try:
        with without_weights():
            return read_model(stored.make(), path.stem, loss=stored.loss)
    except BadDataError:
        raise
    except StudioError as error:
        has_name = path.name in error.message
        text = message("{file}: {reason}", file=path.name, reason=error.message)
        raise StudioError(error.message if has_name else text, error.hint, error.where) from error


def read(request: ReadModelRequest) -> ReadNetwork:
    """Answer what model a file holds; see `read_file`."""
    return read_file(Path(request.path))


def write(request: WriteModelRequest) -> WrittenModel:
    """Build a network with new random weights and save it atomically.

    Raises:
        StudioError: It cannot be built, or nothing can be written there.
    """
    path = Path(request.path)
    model = build(request.spec, seed=request.seed)
    with writing(path, "to"), replacing(path) as partial:
        model.save(partial)
    return WrittenModel(path=str(path), parameters=model.count_params())


@contextlib.contextmanager
def _weights_of(stored: StoredModel) -> Iterator[Path]:
    """Open the HDF5 file with the weights of a model."""
    if stored.format != model_format.ModelFormat.KERAS:
        yield stored.path
        return
    with tempfile.TemporaryDirectory(prefix="studio-") as folder:
        target = Path(folder, model_format.KERAS_WEIGHTS)
        with (
            zipfile.ZipFile(stored.path) as archive,
            archive.open(model_format.KERAS_WEIGHTS) as packed,
            target.open("wb") as out,
        ):
            shutil.copyfileobj(packed, out, 2**20)
        yield target


def _culprit(config: dict[str, Any]) -> str:
    """Return a description of the layer that Keras cannot build."""
    for layer in layers_in(config):
        settings, kind = layer.get("config"), str(layer.get("class_name"))
        found = layer_class(kind)
        if found is None or not isinstance(settings, dict) or kind == "InputLayer":
            continue
        try:
            with without_weights():
                found.from_config(copy.deepcopy(settings))
        except REFUSALS:
            return message(
                'the layer "{layer}" ({kind}) has settings of that version',
                layer=settings.get("name", ""),
                kind=kind,
            )
    return "its layers do not fit together"


def _refuse_unknown(config: dict[str, Any]) -> None:
    """Refuse custom layers: an old description names no module."""
    for layer in layers_in(config):
        kind = layer.get("class_name")
        if isinstance(kind, str) and layer_class(kind) is None and kind not in MODEL_CLASSES:
            name = layer["config"].get("name", "") if isinstance(layer.get("config"), dict) else ""
            raise ForeignCodeError(
                message(
                    'the layer "{layer}" is a {kind}, which is not part of Keras {version}',
                    layer=name,
                    kind=kind,
                    version=keras.__version__,
                ),
                "Replace it with Keras layers in Python, and save the model again.",
            )


def _put_input_first(config: dict[str, Any]) -> None:
    """Add the input layer that an old sequential model lacks."""
    layers = config["config"].get("layers") if config.get("class_name") == "Sequential" else None
    if not layers or layers[0].get("class_name") == "InputLayer":
        return
    shape = layers[0]["config"].pop("batch_input_shape", None)
    if shape is not None:
        settings = {"batch_shape": shape, "name": "input_layer"}
        layers.insert(0, {"class_name": "InputLayer", "config": settings})


def _of_zip(path: Path) -> tuple[dict[str, Any], str, object]:
    """Return configuration, version of Keras and compile settings of a `.keras` file."""
    try:
        with zipfile.ZipFile(path) as archive:
            sizes = [entry.file_size for entry in archive.infolist()]
            config = _json(_entry(path, archive, model_format.KERAS_CONFIG), path)
            if is_packed_too_tightly(sum(sizes), path, _LARGEST_GROWTH, LARGEST_CONFIG):
                raise model_format.damaged(path, "its compression ratio is implausibly high")
            version = ""
            if model_format.KERAS_METADATA in archive.namelist():
                about = json.loads(_entry(path, archive, model_format.KERAS_METADATA))
                version = str(about.get("keras_version", "")) if isinstance(about, dict) else ""
    except DAMAGED as error:
        raise model_format.damaged(path, "it is damaged or truncated") from error
    training = config.pop("compile_config", None)  # of no use here, and it may name code
    return config, version, training


def _entry(path: Path, archive: zipfile.ZipFile, name: str) -> bytes:
    if archive.getinfo(name).file_size > LARGEST_CONFIG:
        raise model_format.damaged(path, "its description is larger than any model's")
    with archive.open(name) as file:
        return file.read(LARGEST_CONFIG)


def _of_hdf5(path: Path) -> tuple[dict[str, Any], str, object]:
    """Return the same of an HDF5 file of a whole model."""
    try:
        model_format.check_hdf5(path)
        with h5py.File(path, "r") as file:
            found = {
                name: attribute(file, name)
                for name in ("model_config", "keras_version", "training_config")
                if name in file.attrs
            }
    except DAMAGED as error:
        raise model_format.damaged(path, "it is damaged or truncated") from error
    config = _json(_text(found["model_config"]).encode(errors="replace"), path)
    try:
        training = json.loads(_text(found.get("training_config", "null")))
    except (ValueError, RecursionError):
        training = None
    return config, _text(found.get("keras_version", "")), training


def _loss(training: object) -> str:
    """Return the name of the loss in the compile settings of a model."""
    loss = training.get("loss") if isinstance(training, dict) else None
    if isinstance(loss, dict):
        inside = loss.get("config")
        loss = inside.get("name", loss.get("class_name")) if isinstance(inside, dict) else inside
    return loss if isinstance(loss, str) else ""


def _text(value: object) -> str:
    return value.decode("utf-8", "replace") if isinstance(value, bytes) else str(value)


def _json(data: bytes, path: Path) -> dict[str, Any]:
    if len(data) > LARGEST_CONFIG:
        raise model_format.damaged(path, "its description is larger than any model's")
    try:
        found = json.loads(data)
    except (ValueError, RecursionError) as error:
        raise model_format.damaged(
            path, "the description of its model is not valid JSON"
        ) from error
    if not isinstance(found, dict) or not isinstance(found.get("config"), dict | list):
        raise model_format.damaged(path, "the description of its model was not written by Keras")
    return found
