"""Reads `model.weights.h5` of presets that KerasHub wrote, without KerasHub."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import h5py
import numpy as np
from numpy.typing import NDArray

from studio.engine.documents import DAMAGED
from studio.engine.errors import BadDataError
from studio.engine.files import read_failure
from studio.engine.hdf5 import find, find_dataset, require_honest_size
from studio.engine.messages import message
from studio.engine.training.model_format import check_hdf5

Values = NDArray[np.float32]
LayerValues = dict[str, list[Values]]
"""Weights of each layer of a transformer by its name, in the order of Keras."""


@contextmanager
def open_preset(path: Path, field: str) -> Iterator[h5py.File]:
    """Open the weights of a preset; what is read inside of the block may be damaged.

    Args:
        path: The file.
        field: Name of the setting that it comes from.

    Raises:
        BadDataError: The file is damaged, or a weight is missing.
    """
    try:
        check_hdf5(path)
        with h5py.File(path, "r") as file:
            yield file
    except (*DAMAGED, LookupError, RuntimeError) as error:
        raise BadDataError(
            "The weights {file} cannot be used: {reason}.",
            "Fetch the file again.",
            field,
            file=path,
            reason=read_failure(error),
        ) from error


@dataclass(frozen=True, slots=True)
class PresetReader:
    """Reads values below a path.

    Attributes:
        file: The open file.
        root: The path, with a slash at its end.
    """

    file: h5py.File
    root: str

    def below(self, path: str) -> PresetReader:
        """Return a reader of what lies below a path."""
        return PresetReader(self.file, f"{self.root}{path}/")

    def has(self, path: str) -> bool:
        """Return True if there is something below a path."""
        return find(self.file, f"{self.root}{path}") is not None

    def value(self, path: str, number: int = 0) -> Values:
        """Return a weight of a layer.

        Args:
            path: Path of the layer, with a slash at its end; may be empty.
            number: Number of the weight.

        Raises:
            KeyError: It is missing.
            BadDataError: Its size is not honest.
            ValueError: It contains infinite or undefined values.
        """
        values = np.asarray(self._dataset(path, number, "f")[()], np.float32)
        if not np.isfinite(values).all():
            raise ValueError(
                message('"{weights}" contains infinite or undefined values', weights=path)
            )
        return values

    def indices(self, path: str, number: int) -> NDArray[np.int64]:
        """Return whole numbers that are stored with a layer.

        Args:
            path: As in `value`.
            number: As in `value`.
        """
        return np.asarray(self._dataset(path, number, "iu")[()], np.int64)

    def _dataset(self, path: str, number: int, kinds: str) -> h5py.Dataset:
        name = f"{self.root}{path}vars/{number}"
        dataset = find_dataset(self.file, name)
        if dataset is None or dataset.dtype.kind not in kinds:
            raise KeyError(name)
        require_honest_size(dataset)
        return dataset

    def pair(self, path: str) -> list[Values]:
        """Return the two weights of a layer."""
        return [self.value(f"{path}/"), self.value(f"{path}/", 1)]

    def attention(self, path: str, scale: Values | float = 1.0) -> list[Values]:
        """Return the weights of an attention.

        Args:
            path: Path of the attention.
            scale: Factor of each feature of its output.
        """
        names = ("query_dense", "key_dense", "value_dense")
        found = [value for name in names for value in self.pair(f"{path}/{name}")]
        return [*found, *(value * scale for value in self.pair(f"{path}/output_dense"))]


def added(values: Values) -> list[Values]:
    """Return the weights of a layer that adds values: a scale of 1 for each feature, and these."""
    return [np.ones(values.shape[-1], np.float32), values]
