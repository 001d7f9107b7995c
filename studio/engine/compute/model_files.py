"""Reads the description out of a model's file from elsewhere, and writes untrained models.

Weights of files that are read are not touched.

Files are hostile until shown otherwise: only what describes the model is read, of bounded size,
and only classes of Keras itself are made from it, without weights.
"""

from __future__ import annotations

import json
import zipfile
from pathlib import Path
from typing import Any

import h5py
import keras
from keras.src.legacy.saving import saving_options, saving_utils

from studio.engine.compute.build import build
from studio.engine.compute.layers import (
    REFUSALS,
    first_sentence,
    without_weights,
)
from studio.engine.compute.read import read_model
from studio.engine.datasets.sources.shared.hdf5_heap import attribute, has_sound_heaps
from studio.engine.documents import DAMAGED
from studio.engine.errors import BadDataError, StudioError
from studio.engine.files import replacing
from studio.engine.networks.layers.foreign import refuse_foreign_code
from studio.engine.networks.report import (
    ReadModelRequest,
    ReadNetwork,
    WriteModelRequest,
    WrittenModel,
)
from studio.engine.training.weight_files import LARGEST_CONFIG

_SAVE_AGAIN = (
    "Open it with the Keras that wrote it and save it again: model.save('model.keras') there, or "
    "only its weights, from which a network of the same layers can start."
)


def read_file(path: Path) -> ReadNetwork:
    """Describe the model of a `.keras` or `.h5` file.

    Raises:
        BadDataError: There is no such file, or it is damaged or holds no model.
        StudioError: It holds only weights, code, or something that cannot be described.
    """
    if not path.is_file():
        raise BadDataError(f"There is no file {path}.", "Check the path.", "file")
    if zipfile.is_zipfile(path):
        config, version = _of_zip(path)
        legacy = False
    elif h5py.is_hdf5(path):
        config, version = _of_hdf5(path)
        legacy = True
    else:
        raise _damaged(path, "it is neither a .keras file nor a .h5 file")
    try:
        refuse_foreign_code(config)
        with without_weights():
            model = _made(config, legacy=legacy)
            read = read_model(model, path.stem)
    except StudioError as error:
        raise StudioError(f"{path.name}: {error.message}", error.hint, error.where) from error
    except REFUSALS as error:
        raise StudioError(
            f"{path.name} was written by Keras {version or 'of an unknown version'}, and Keras "
            f"{keras.__version__} cannot make the model of it: {first_sentence(error)}",
            _SAVE_AGAIN,
            "file",
        ) from error
    return read


def read(request: ReadModelRequest) -> ReadNetwork:
    """Answer what model a file holds; see `read_file`."""
    return read_file(Path(request.path))


def write(request: WriteModelRequest) -> WrittenModel:
    """Build a network with new random weights and save it, whole or not at all.

    Raises:
        StudioError: It cannot be built, or nothing can be written there.
    """
    path = Path(request.path)
    model = build(request.spec, seed=request.seed)
    try:
        with replacing(path) as partial:
            model.save(partial)
    except OSError as error:
        raise StudioError(
            f"Nothing can be written to {path}: {error.strerror or error}.",
            "Choose a file that you may write to.",
            "to",
        ) from error
    return WrittenModel(path=str(path), parameters=model.count_params())


def _made(config: dict[str, Any], *, legacy: bool) -> keras.Model:
    if legacy:
        _put_input_first(config)
        with saving_options.keras_option_scope(use_legacy_config=True):
            model = saving_utils.model_from_config(config)
    else:
        model = keras.saving.deserialize_keras_object(config, safe_mode=True)
    if not isinstance(model, keras.Model):
        raise TypeError(f"it holds a {type(model).__name__} and no model")
    return model


def _put_input_first(config: dict[str, Any]) -> None:
    """Give an old sequential model the input that its first layer only tells the size of."""
    layers = config["config"].get("layers") if config.get("class_name") == "Sequential" else None
    if not layers or layers[0].get("class_name") == "InputLayer":
        return
    shape = layers[0]["config"].pop("batch_input_shape", None)
    if shape is not None:
        settings = {"batch_shape": shape, "name": "input_layer"}
        layers.insert(0, {"class_name": "InputLayer", "config": settings})


def _of_zip(path: Path) -> tuple[dict[str, Any], str]:
    """What describes the model of a `.keras` file, and the version of Keras that wrote it."""
    try:
        with zipfile.ZipFile(path) as archive:
            if "config.json" not in archive.namelist():
                raise _damaged(path, "it is an archive without a model in it")
            config = _json(_entry(path, archive, "config.json"), path)
            version = ""
            if "metadata.json" in archive.namelist():
                about = json.loads(_entry(path, archive, "metadata.json"))
                version = str(about.get("keras_version", "")) if isinstance(about, dict) else ""
    except DAMAGED as error:
        raise _damaged(path, "it is damaged or cut off") from error
    config.pop("compile_config", None)  # how it was trained: of no use here, and may name code
    return config, version


def _entry(path: Path, archive: zipfile.ZipFile, name: str) -> bytes:
    if archive.getinfo(name).file_size > LARGEST_CONFIG:
        raise _damaged(path, "its description is larger than any model's")
    with archive.open(name) as file:
        return file.read(LARGEST_CONFIG)


def _of_hdf5(path: Path) -> tuple[dict[str, Any], str]:
    """What describes the model of a `.h5` file, and the version of Keras that wrote it."""
    try:
        if not has_sound_heaps(path):
            raise _damaged(path, "its texts are damaged")
        with h5py.File(path, "r") as file:
            attributes = {name: attribute(file, name) for name in file.attrs}
            groups = set(file)
    except DAMAGED as error:
        raise _damaged(path, "it is damaged or cut off") from error
    version = _text(attributes.get("keras_version", ""))
    if "model_config" in attributes:
        return _json(_text(attributes["model_config"]).encode(errors="replace"), path), version
    if "layer_names" in attributes or "layer_names0" in attributes or groups & {"layers", "vars"}:
        raise StudioError(
            f"{path.name} holds weights only, and not the layers that they belong to.",
            "Choose the network that they are of, and let it start from this file.",
            "file",
        )
    raise _damaged(path, "it is an HDF5 file without a model in it")


def _text(value: object) -> str:
    return value.decode("utf-8", "replace") if isinstance(value, bytes) else str(value)


def _json(data: bytes, path: Path) -> dict[str, Any]:
    if len(data) > LARGEST_CONFIG:
        raise _damaged(path, "its description is larger than any model's")
    try:
        found = json.loads(data)
    except (ValueError, RecursionError) as error:
        raise _damaged(path, "what describes its model is no JSON") from error
    if not isinstance(found, dict) or not isinstance(found.get("config"), dict):
        raise _damaged(path, "what describes its model is not what Keras writes")
    return found


def _damaged(path: Path, reason: str) -> BadDataError:
    return BadDataError(
        f"The model {path} cannot be read: {reason}.",
        "Choose a .keras or .h5 file of a whole model that Keras wrote.",
        "file",
    )
