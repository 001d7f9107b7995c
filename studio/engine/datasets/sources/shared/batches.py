"""CIFAR's batches: labels and pixels from bytes, without trusting a pickle."""

from __future__ import annotations

import pickle
from io import BytesIO

import numpy as np
from numpy.typing import NDArray

from studio.engine.documents import DAMAGED_CONTENT
from studio.engine.errors import BadDataError

_PIXELS = 3 * 32 * 32
_DAMAGED = (*DAMAGED_CONTENT, pickle.UnpicklingError, ImportError)


def class_names(name: str, data: bytes) -> list[str]:
    """Names of the classes from a meta file; of CIFAR-100 the fine ones.

    Raises:
        BadDataError: It is damaged, or wants to run code.
    """
    if name.endswith(".txt"):
        return data.decode("utf-8", "replace").split()
    table = _unpickled(data)
    words = table.get("fine_label_names") or table.get("label_names")
    if not isinstance(words, list):
        raise BadDataError("it names no classes")
    return [_text(word) for word in words]


def labels_of(name: str, data: bytes) -> list[int]:
    """Label of each image of a batch; of CIFAR-100 the fine one.

    Raises:
        BadDataError: It is damaged, or wants to run code.
    """
    if name.endswith(".bin"):
        records = _records(name, data)
        fine: list[int] = records[:, records.shape[1] - _PIXELS - 1].tolist()
        return fine
    table = _unpickled(data)
    labels = table.get("fine_labels") or table.get("labels")
    if not isinstance(labels, list) or not all(type(label) is int for label in labels):
        raise BadDataError("it holds no labels")
    if len(labels) != len(_pixels_in(table)):
        raise BadDataError("it holds another number of labels than of images")
    return labels


def pixels_of(name: str, data: bytes) -> NDArray[np.uint8]:
    """Images of a batch, N x 32 x 32 x 3.

    Raises:
        BadDataError: It is damaged, or wants to run code.
    """
    flat = (
        _records(name, data)[:, -_PIXELS:]
        if name.endswith(".bin")
        else _pixels_in(_unpickled(data))
    )
    return flat.reshape(len(flat), 3, 32, 32).transpose(0, 2, 3, 1)


def _records(name: str, data: bytes) -> NDArray[np.uint8]:
    """One row per image: one label (CIFAR-10) or two (CIFAR-100: coarse, fine), then pixels."""
    size = _PIXELS + (1 if "batch" in name else 2)
    if len(data) % size or not data:
        raise BadDataError("the batch is cut off")
    return np.frombuffer(data, np.uint8).reshape(-1, size)


def _pixels_in(table: dict[str, object]) -> NDArray[np.uint8]:
    array = table.get("data")
    if not isinstance(array, _Array):
        raise BadDataError("it holds no images")
    return array.pixels()


def _unpickled(data: bytes) -> dict[str, object]:
    try:
        table = _Unpickler(BytesIO(data), encoding="bytes").load()
    except _DAMAGED as error:
        raise BadDataError("the batch is damaged or cut off") from error
    if not isinstance(table, dict):
        raise BadDataError("it is no batch of CIFAR's")
    return {_text(key): value for key, value in table.items()}


def _text(word: object) -> str:
    if isinstance(word, bytes):
        return word.decode("utf-8", "replace")
    if not isinstance(word, str):
        raise BadDataError("a name in it is no text")
    return word


class _Array:
    """What a pickled array consists of. Nothing of NumPy's is called before it is checked."""

    def __init__(self, *_arguments: object) -> None:
        self._state: object = None

    def __setstate__(self, state: object) -> None:
        self._state = state

    def pixels(self) -> NDArray[np.uint8]:
        match self._state:
            case (_, (int(rows), int(columns)), _Kind(name="u1"), False, bytes(data)):
                if columns == _PIXELS and len(data) == rows * columns:
                    return np.frombuffer(data, np.uint8).reshape(rows, columns)
        raise BadDataError("its images are not bytes of 32x32 pixels")


class _Kind:
    """What a pickled dtype is called."""

    def __init__(self, name: object = "", *_arguments: object) -> None:
        self.name = _text(name)

    def __setstate__(self, state: object) -> None:
        """Byte order and the like, which bytes have none of."""


def _encoded(text: object, _encoding: str = "latin1") -> bytes:
    """How Python 3 writes bytes into an old pickle."""
    if not isinstance(text, str):
        raise BadDataError("the batch is damaged")
    return text.encode("latin1")


# What CIFAR's pickles have no use for: code by other ways, and sizes that take all memory.
_REFUSED = (
    *(pickle.BYTEARRAY8, pickle.NEXT_BUFFER, pickle.READONLY_BUFFER, pickle.EXT1, pickle.EXT2),
    *(pickle.EXT4, pickle.PERSID, pickle.BINPERSID, pickle.INST, pickle.OBJ, pickle.NEWOBJ),
    pickle.NEWOBJ_EX,
)


class _Unpickler(pickle._Unpickler):  # noqa: SLF001 - the one in Python, see below
    """Builds lists, numbers and texts, and stand-ins for arrays. A pickle may name any function.

    The few names that CIFAR's pickles hold lead to harmless classes of this file; every other
    name ends the reading, so nothing that a file names is ever imported or called. It is the
    unpickler that is written in Python because that in C handles its memory wrongly on some
    damaged files (found by trying); a batch of 10,000 images takes 0.1 s.
    """

    dispatch = {  # noqa: RUF012 - as its base class has it; nobody changes it
        code: load
        for code, load in pickle._Unpickler.dispatch.items()  # noqa: SLF001 - as above
        if bytes([code]) not in _REFUSED
    }

    def find_class(self, module: str, name: str) -> object:
        """The stand-in for a name.

        Raises:
            BadDataError: The file names something else.
        """
        known = {
            ("numpy", "ndarray"): _Array,
            ("numpy", "dtype"): _Kind,
            ("numpy.core.multiarray", "_reconstruct"): _Array,
            ("numpy._core.multiarray", "_reconstruct"): _Array,
            ("_codecs", "encode"): _encoded,
        }
        if (module, name) not in known:
            raise BadDataError(f"it wants to run {module}.{name}, which no data set needs")
        return known[module, name]
