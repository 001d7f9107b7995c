"""The images of a split of a dataset, for other libraries."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from typing import TYPE_CHECKING, Any

from studio.api.libraries import library

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd
    import tensorflow as tf
    import torch
    from numpy.typing import NDArray

    from studio.api.datasets import Dataset
    from studio.engine.datasets.store import Store

_AT_ONCE = 256


class Split:
    """Images and labels of one split, read when they are needed.

    A label is the number of a class, `dataset.classes[label]`; for labels, quantities, masks and
    boxes it is an array: the row of the targets, or the mask or boxes of the image.

    Args:
        dataset: The dataset.
        name: Name of the split.
    """

    def __init__(self, dataset: Dataset, name: str) -> None:
        self.dataset = dataset
        self.name = name

    def __repr__(self) -> str:
        return f"<{self.name} images of {self.dataset.name}: {len(self)}>"

    @cached_property
    def store(self) -> Store:
        """The stored dataset."""
        # Loads NumPy and HDF5, which `import studio` must not.
        from studio.engine.datasets.store import Store  # noqa: PLC0415

        return Store.open(self.dataset.record.folder)

    @cached_property
    def rows(self) -> NDArray[np.int64]:
        """Its rows in the dataset, ascending, shape (n,)."""
        return self.store.rows(self.name)

    def __len__(self) -> int:
        return len(self.rows)

    def __getitem__(self, index: int) -> tuple[NDArray[Any], Any]:
        """Return pixels of shape (height, width, channels) and the label of an image."""
        row = self.rows[index]
        return self.store.images[row : row + 1][0], self.store.examples(self.rows[[index]])[0]

    def __iter__(self) -> Iterator[tuple[NDArray[Any], Any]]:
        for start in range(0, len(self), _AT_ONCE):
            rows = self.rows[start : start + _AT_ONCE]
            yield from zip(self.store.images[rows], self.store.examples(rows), strict=True)

    @property
    def paths(self) -> list[str]:
        """Paths of the images in the source of the import."""
        every = self.store.paths
        return [every[row] for row in self.rows]

    def to_numpy(self) -> tuple[NDArray[Any], NDArray[Any]]:
        """Return all pixels, shape (n, height, width, channels), and all labels."""
        return self.store.images[self.rows], self.store.examples(self.rows)

    def to_tf(self, batch_size: int = 32) -> tf.data.Dataset:
        """Return a dataset of `tf.data` with batches.

        Args:
            batch_size: Images of a batch.

        Raises:
            StudioError: TensorFlow is not installed.
        """
        tensorflow = library("tensorflow", "to_tf")
        pixels, label = self[0]
        signature = (
            tensorflow.TensorSpec(pixels.shape, pixels.dtype),
            tensorflow.TensorSpec(getattr(label, "shape", ()), getattr(label, "dtype", "int32")),
        )
        dataset: tf.data.Dataset = tensorflow.data.Dataset.from_generator(
            lambda: iter(self), output_signature=signature
        )
        return dataset.apply(tensorflow.data.experimental.assert_cardinality(len(self))).batch(
            batch_size
        )

    def to_torch(self) -> torch.utils.data.Dataset[Any]:
        """Return a dataset of PyTorch: pixels with the channels first, and the label.

        Raises:
            StudioError: PyTorch is not installed.
        """
        torch_ = library("torch", "to_torch")
        split = self

        class _Images(torch_.utils.data.Dataset):  # type: ignore[misc,name-defined]  # torch may be missing
            """Images of a split."""

            def __len__(self) -> int:
                return len(split)

            def __getitem__(self, index: int) -> tuple[Any, Any]:
                pixels, label = split[index]
                return torch_.from_numpy(pixels.transpose(2, 0, 1).copy()), label

        return _Images()


def to_pandas(dataset: Dataset) -> pd.DataFrame:
    """Return a data frame with path, split and label of each image; see `Dataset.to_pandas`."""
    pandas_ = library("pandas", "to_pandas")
    rows = []
    for name in dataset:
        split = dataset[name]
        store = split.store
        for row, path in zip(split.rows, split.paths, strict=True):
            rows.append({"path": path, "split": name, "label": store.annotation(int(row))})
    frame: pd.DataFrame = pandas_.DataFrame(rows, columns=["path", "split", "label"])
    return frame
