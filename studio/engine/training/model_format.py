"""Formats of model files from anywhere, detected from their content and never from their name.

The format of a file is detected once and determines its loader: Keras chooses one by
the suffix, so that a file of two formats could be scanned as one and loaded as the other.
"""

from __future__ import annotations

import math
import zipfile
from collections.abc import Iterator
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

from studio.engine.documents import DAMAGED
from studio.engine.errors import BadDataError, StudioError
from studio.engine.files import is_packed_too_tightly
from studio.engine.messages import as_message
from studio.engine.networks.library import DESCRIPTION, LABELS, MODEL_FILES

if TYPE_CHECKING:
    import h5py

KERAS_CONFIG, KERAS_METADATA, KERAS_WEIGHTS = "config.json", "metadata.json", "model.weights.h5"
"""Entries of a `.keras` file."""

_HDF5_SIGNATURE = b"\x89HDF\r\n\x1a\n"
_MOST_OBJECTS = 50_000
_LARGEST_GROWTH = 20
_SMALL = 16 * 2**20
"""Claimed sizes of weights may be this many times the file, and this many bytes more."""

_OPENED = "Choose a complete Keras model: a .keras, .h5 or .hdf5 file."
_ORIGINAL = (
    "Predict or evaluate with it, or choose the original Keras model: a .keras, .h5 or .hdf5 file."
)


class ModelFormat(StrEnum):
    """Contents of a file."""

    KERAS = "keras"
    HDF5_MODEL = "hdf5-model"
    HDF5_WEIGHTS = "hdf5-weights"
    EXPORT = "export"
    SAVED_MODEL = "saved-model"
    ONNX = "onnx"
    OPENVINO = "openvino"
    TFLITE = "tflite"
    TORCH = "torch"
    SAFETENSORS = "safetensors"
    ARCHIVE = "archive"
    HDF5_DATA = "hdf5-data"
    UNKNOWN = "unknown"


MODELS = (ModelFormat.KERAS, ModelFormat.HDF5_MODEL)
"""Formats of whole models that can be opened."""

_REFUSALS: dict[ModelFormat, tuple[str, str]] = {
    ModelFormat.HDF5_WEIGHTS: (
        "{name} contains only weights, not the layers they belong to.",
        "Choose the network that they belong to, and start it from this file.",
    ),
    ModelFormat.EXPORT: ("{name} is a packed export.", "Unpack it first, and choose its folder."),
    ModelFormat.SAVED_MODEL: (
        "{name} is a TensorFlow SavedModel, which does not describe its layers.",
        "Load the original model in Python and save it again: model.save('model.keras').",
    ),
    ModelFormat.ONNX: (
        "{name} is an ONNX model, whose layers cannot be read.",
        _ORIGINAL,
    ),
    ModelFormat.OPENVINO: (
        "{name} is an OpenVINO model, whose layers cannot be read.",
        _ORIGINAL,
    ),
    ModelFormat.TFLITE: (
        "{name} is a LiteRT (TFLite) model, whose layers cannot be read.",
        _ORIGINAL,
    ),
    ModelFormat.TORCH: (
        "{name} is a PyTorch file, which can run code when opened; Studio does not open it.",
        "Rebuild the network with Keras, copy the weights in Python, and save a .keras file.",
    ),
    ModelFormat.SAFETENSORS: (
        "{name} is a safetensors file: weights without names of Keras layers.",
        "Copy the weights into a Keras model in Python, and save a .keras file.",
    ),
}


def detect(path: Path) -> ModelFormat:
    """Detect the format of a file or folder.

    Raises:
        BadDataError: It does not exist, or is of two formats at once.
    """
    if path.is_dir():
        is_saved = (path / "saved_model.pb").is_file() or (path / "saved_model.pbtxt").is_file()
        return ModelFormat.SAVED_MODEL if is_saved else ModelFormat.UNKNOWN
    if not path.is_file():
        raise BadDataError("There is no model file {path}.", "Check the path.", "model", path=path)
    try:
        return _detected(path)
    except DAMAGED:
        return ModelFormat.UNKNOWN


_RUNNABLE = (ModelFormat.ONNX, ModelFormat.OPENVINO, ModelFormat.TFLITE)
"""Formats that predict without showing their layers."""


def foreign_format(path: Path) -> str:
    """Return the format of a model file that predicts without its layers; empty for others.

    Raises:
        BadDataError: The file does not exist.
    """
    found = detect(path)
    return found.value if found in _RUNNABLE else ""


def require_model(path: Path) -> ModelFormat:
    """Detect the format of a whole model that can be opened.

    Raises:
        BadDataError: It does not exist, is damaged, or is of no known format.
        StudioError: It is of a format that cannot be opened; says which, and what to do.
    """
    found = refuse_other_formats(path)
    if found in MODELS:
        return found
    if found == ModelFormat.ARCHIVE:
        raise damaged(path, "it is an archive without a model in it")
    if found == ModelFormat.HDF5_DATA:
        raise damaged(path, "it is an HDF5 file without a model in it")
    raise damaged(path, "it is damaged, or not a Keras model")


def refuse_other_formats(path: Path) -> ModelFormat:
    """Detect the format of a file, and refuse one that is known and contains no model to open.

    Raises:
        BadDataError: It does not exist, or is of two formats at once.
        StudioError: It is of a format that cannot be opened; says which, and what to do.
    """
    found = detect(path)
    if found in _REFUSALS:
        raise refusal(path, found)
    return found


def refusal(path: Path, found: ModelFormat) -> StudioError:
    """Return the error for a file of a format that cannot be opened.

    Args:
        path: The file.
        found: Its format.
    """
    message, hint = _REFUSALS[found]
    return StudioError(message.format(name=path.name), hint, "model")


def is_model(path: Path) -> bool:
    """Return True for a path that is opened as a model, or rejected as one of another program.

    Raises:
        BadDataError: It is of two formats at once.
    """
    if path.suffix.lower() in MODEL_FILES:
        return True
    packed = (ModelFormat.EXPORT, ModelFormat.ARCHIVE, ModelFormat.UNKNOWN, ModelFormat.HDF5_DATA)
    return path.exists() and detect(path) not in packed


def is_foreign(found: ModelFormat) -> bool:
    """Return True for a format of another program, which holds nothing that Studio reads."""
    return found in _REFUSALS and found not in (ModelFormat.HDF5_WEIGHTS, ModelFormat.EXPORT)


def damaged(path: Path, reason: str) -> BadDataError:
    """Return the error for a file that cannot be read.

    Args:
        path: The file.
        reason: The cause, without a period.
    """
    return BadDataError(
        "The model {path} cannot be opened: {reason}.",
        _OPENED,
        "model",
        path=path,
        reason=as_message(reason),
    )


def check_hdf5(path: Path) -> None:
    """Check that an HDF5 file has nothing outside of itself and claims no more than it stores.

    Raises:
        ValueError: It links to other files, claims sizes that it does not store, or its texts
            are damaged.
        OSError: It is damaged.
    """
    import h5py  # noqa: PLC0415 - every verb starts through this module

    from studio.engine.datasets.sources.shared.hdf5_file import has_sound_heaps  # noqa: PLC0415
    from studio.engine.hdf5 import is_stored_here, require_honest_size  # noqa: PLC0415

    if not has_sound_heaps(path):
        raise ValueError("its texts are damaged")
    with h5py.File(path, "r") as file:
        claimed = 0
        for dataset in _datasets(file):
            if not is_stored_here(dataset):
                raise ValueError("it refers to other files")
            try:
                require_honest_size(dataset)
            except BadDataError as error:
                raise ValueError(error.message) from error
            claimed += math.prod(dataset.shape or ()) * dataset.dtype.itemsize
            if is_packed_too_tightly(claimed, path, _LARGEST_GROWTH, _SMALL):
                raise ValueError("it claims to be larger than it is")


def _datasets(file: h5py.File) -> Iterator[h5py.Dataset]:
    """Return all datasets, without following any link that leads elsewhere.

    Raises:
        ValueError: There is such a link, or there are too many objects.
    """
    import h5py  # noqa: PLC0415 - every verb starts through this module

    from studio.engine.hdf5 import is_hard_link  # noqa: PLC0415

    waiting: list[h5py.Group] = [file]
    seen: set[int] = set()
    while waiting:
        group = waiting.pop()
        for name in group:
            if not is_hard_link(group, name):
                raise ValueError("it contains links")
            found = group[name]
            address = h5py.h5o.get_info(found.id).addr
            if address in seen:
                continue
            seen.add(address)
            if len(seen) > _MOST_OBJECTS:
                raise ValueError("it has too many parts for a model")
            if isinstance(found, h5py.Group):
                waiting.append(found)
            elif isinstance(found, h5py.Dataset):
                yield found


def _detected(path: Path) -> ModelFormat:
    with path.open("rb") as file:
        # Class names are often packed into an archive behind the model.
        if _is_tflite(file.read(8)):
            return ModelFormat.TFLITE
        signature = _hdf5_offset(file, path.stat().st_size)
        if zipfile.is_zipfile(path):
            if signature is not None and signature != _stored_weights(path):
                raise damaged(path, "it is a zip archive and an HDF5 file at once")
            return _of_archive(path)
        if signature is not None:
            return _of_hdf5(path)
        file.seek(0)
        return _of_bytes(file, path.stat().st_size)


def _is_tflite(head: bytes) -> bool:
    return head[4:8] == b"TFL3"


def _hdf5_offset(file: BinaryIO, size: int) -> int | None:
    """Offset of the signature of HDF5, which may follow a block of 512 bytes, 1024, and so on."""
    at = 0
    while at < size:
        file.seek(at)
        if file.read(len(_HDF5_SIGNATURE)) == _HDF5_SIGNATURE:
            return at
        at = max(512, 2 * at)
    return None


def _stored_weights(path: Path) -> int | None:
    """Offset of the weights of a `.keras` file, which are an HDF5 file inside the archive."""
    with zipfile.ZipFile(path) as archive, path.open("rb") as file:
        if KERAS_WEIGHTS not in archive.namelist():
            return None
        at = archive.getinfo(KERAS_WEIGHTS).header_offset
        file.seek(at + 26)
        name, extra = file.read(2), file.read(2)
        return at + 30 + int.from_bytes(name, "little") + int.from_bytes(extra, "little")


def _of_archive(path: Path) -> ModelFormat:
    with zipfile.ZipFile(path) as archive:
        names = set(archive.namelist())
    if {LABELS, DESCRIPTION} <= names:
        return ModelFormat.EXPORT
    if KERAS_CONFIG in names:
        return ModelFormat.KERAS
    of_torch = ("data.pkl", "constants.pkl", "archive_format", ".format_version")
    if any(name.rpartition("/")[2] in of_torch for name in names):
        return ModelFormat.TORCH
    return ModelFormat.ARCHIVE


def _of_hdf5(path: Path) -> ModelFormat:
    import h5py  # noqa: PLC0415 - every verb starts through this module

    with h5py.File(path, "r") as file:
        attributes, groups = set(file.attrs), set(file)
    if "model_config" in attributes:
        return ModelFormat.HDF5_MODEL
    if attributes & {"layer_names", "layer_names0"} or groups & {
        "layers",
        "vars",
        "model_weights",
    }:
        return ModelFormat.HDF5_WEIGHTS
    return ModelFormat.HDF5_DATA


def _of_bytes(file: BinaryIO, size: int) -> ModelFormat:
    head = file.read(16)
    if head[:1] == b"\x80" and head[1:2] in (b"\x02", b"\x03", b"\x04", b"\x05"):
        return ModelFormat.TORCH
    if head[8:9] == b"{" and 0 < int.from_bytes(head[:8], "little") < size:
        return ModelFormat.SAFETENSORS
    if head.startswith(b"<?xml") and b"<net " in file.read(256):
        return ModelFormat.OPENVINO
    file.seek(0)
    return _of_protobuf(file, size)


def _of_protobuf(file: BinaryIO, size: int) -> ModelFormat:
    fields = _protobuf_fields(file, size)
    if fields.get(1) == 0 and fields.get(7) == 2:  # ir_version and graph
        return ModelFormat.ONNX
    if fields.get(1) == 0 and fields.get(2) == 2 and len(fields) == 2:  # schema and graphs
        return ModelFormat.SAVED_MODEL
    return ModelFormat.UNKNOWN


def _protobuf_fields(file: BinaryIO, size: int) -> dict[int, int]:
    """Wire types of the fields of a protocol buffer, by number; empty if it is not one."""
    fields: dict[int, int] = {}
    while file.tell() < size:
        key = _varint(file)
        if key is None:
            return {}
        number, kind = key >> 3, key & 7
        length = {1: 8, 5: 4}.get(kind, 0)
        if kind in (0, 2):
            value = _varint(file)
            if value is None:
                return {}
            length = value if kind == 2 else 0
        if not number or kind not in (0, 1, 2, 5) or file.tell() + length > size:
            return {}
        fields[number] = kind
        if len(fields) > 30:
            return {}
        file.seek(length, 1)
    return fields


def _varint(file: BinaryIO) -> int | None:
    value = 0
    for shift in range(0, 70, 7):
        byte = file.read(1)
        if not byte:
            return None
        value |= (byte[0] & 0x7F) << shift
        if not byte[0] & 0x80:
            return value
    return None
