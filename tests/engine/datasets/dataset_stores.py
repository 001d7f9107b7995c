"""Whole datasets made of arrays, without an import."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Literal

import numpy as np
from dataset_pictures import recipe
from numpy.typing import ArrayLike, NDArray

from studio.engine.datasets.encoding import encode
from studio.engine.datasets.splits import SPLIT_NAMES, TRAIN
from studio.engine.datasets.store import Store, StoreWriter
from studio.engine.datasets.summary import DatasetSummary, write_summary


def make_store(  # noqa: PLR0917
    folder: Path,
    images: Sequence[NDArray[np.uint8]] | NDArray[np.uint8],
    labels: ArrayLike,
    split: ArrayLike | None = None,
    paths: Sequence[str] | None = None,
    classes: Sequence[str] = ("a", "b", "c"),
    encoding: str = "raw",
    source_splits: Sequence[Literal["val", "test"]] = (),
) -> Store:
    """A finished dataset of H x W x C images; rows of split -1 are holes."""
    folder.mkdir(parents=True, exist_ok=True)
    height, width, channels = images[0].shape
    color = "gray" if channels == 1 else "rgb"
    size = {"width": width, "height": height}
    asked = recipe(folder / "pictures", **size, color=color, encoding=encoding)
    label_column = np.asarray(labels, np.int32)
    split_column = np.full(len(images), TRAIN) if split is None else np.asarray(split)
    names = [f"{classes[max(0, int(c))]}/{i}.png" for i, c in enumerate(label_column)]
    with StoreWriter.create(folder, asked, paths or names, classes, "f") as writer:
        for row in np.flatnonzero(split_column >= 0).tolist():
            writer.write(row, encode(images[row], asked), row.to_bytes(16, "little"))
        writer.finish(label_column, split_column.astype(np.int8), classes)
    store = Store.open(folder)
    summary = DatasetSummary(
        width=width,
        height=height,
        channels=channels,
        classes=list(classes),
        count=store.counts(),
        class_counts=store.class_counts(),
        skipped=int((split_column < 0).sum()),
        mean_color=[0.0] * channels,
        source_splits=list(source_splits),
    )
    write_summary(folder, summary)
    assert set(summary.count) == set(SPLIT_NAMES)
    return store


def plain(count: int, size: int = 2) -> NDArray[np.uint8]:
    """Images that no test reads."""
    return np.zeros((count, size, size, 1), np.uint8)
