"""A dataset of a million images that takes no time to write: `images.h5` is full of holes."""

from __future__ import annotations

from pathlib import Path

import h5py
import numpy as np

from studio.engine.datasets.recipe import DatasetRecipe
from studio.engine.datasets.schema import FILE_NAME, columns_of, lay_out
from studio.engine.datasets.summary import DatasetSummary, write_summary

CLASSES = 10


def write_many(folder: Path, count: int, side: int = 8) -> DatasetSummary:
    """A finished dataset of black images called `class 3/000123.png`, in ten classes."""
    folder.mkdir(parents=True, exist_ok=True)
    recipe = DatasetRecipe(source=str(folder / "pictures"), width=side, height=side)
    names = [f"class {number}" for number in range(CLASSES)]
    texts = {"recipe": recipe.model_dump_json(), "created": "2026-01-01T00:00:00+00:00"}
    shape = (count, side, side, recipe.channels)
    skeleton = lay_out(shape, 18, (CLASSES, 7), {**texts, "fingerprint": "f"})
    path = folder / FILE_NAME
    with path.open("wb") as handle:
        handle.truncate(skeleton.size)
        for offset, piece in skeleton.pieces:
            handle.seek(offset)
            handle.write(piece)
    labels = (np.arange(count) * CLASSES // count).astype(np.int32)
    split = (np.arange(count) % 10 // 8).astype(np.int8)
    with h5py.File(path, "r+") as file:
        column = columns_of(file)["path"]
        file["labels"][:] = labels
        file["split"][:] = split
        file["classes"][:] = [name.encode() for name in names]
    numbers = np.strings.zfill(np.arange(count).astype("S"), 6)
    folders = np.strings.add(np.strings.add(b"class ", labels.astype("S")), b"/")
    # HDF5 would convert each text by itself.
    paths = np.memmap(path, "S18", "r+", offset=column.offset, shape=column.shape)
    paths[:] = np.strings.add(np.strings.add(folders, numbers), b".png")
    paths.flush()
    counts = {
        name: np.bincount(labels[split == index], minlength=CLASSES).tolist()
        for index, name in enumerate(("train", "val", "test"))
    }
    summary = DatasetSummary(
        width=side,
        height=side,
        channels=recipe.channels,
        classes=names,
        count={name: sum(numbers) for name, numbers in counts.items()},
        class_counts=counts,
        skipped=0,
        mean_color=[0.0] * recipe.channels,
    )
    write_summary(folder, summary)
    return summary
