"""The points of a map, and the file that stores them."""

from __future__ import annotations

import io
import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from studio.engine.csv_cells import CsvWriter
from studio.engine.datasets.splits import SPLIT_NAMES
from studio.engine.documents import DAMAGED
from studio.engine.errors import BadDataError
from studio.engine.files import open_arrays, replacing

EMBEDDING_FILE = "embedding.npz"
_COLUMNS = ("rows", "points", "features", "labels", "splits", "predictions", "scores")


@dataclass(frozen=True, slots=True)
class Embedding:
    """Features of images at one layer of a model, and their positions on a map.

    Attributes:
        rows: Rows of the dataset, ascending, int64, N.
        points: Positions on the map, float32, shape (N, 2).
        features: Outputs of the layer, float32, shape (N, D).
        labels: Class of each image, int32, N.
        splits: Index into `SPLIT_NAMES`, int8, N.
        predictions: Predicted class of each image, index into `outputs`, int32, shape (N,).
        scores: Confidence, 0 to 1, float32, shape (N,).
        classes: Names of the classes of the dataset.
        outputs: Names of the classes of the model.
        paths: Path of each image.
        layer: Path of the layer.
        method: `pca` or `tsne`.
        explained: For PCA the fractions of the variance that the two axes explain; else none.
        has_predictions: False if the images have other targets than one class; `labels`,
            `predictions` and `scores` mean nothing then.
    """

    rows: NDArray[np.int64]
    points: NDArray[np.float32]
    features: NDArray[np.float32]
    labels: NDArray[np.int32]
    splits: NDArray[np.int8]
    predictions: NDArray[np.int32]
    scores: NDArray[np.float32]
    classes: tuple[str, ...]
    outputs: tuple[str, ...]
    paths: tuple[str, ...]
    layer: str
    method: str
    explained: tuple[float, ...] = ()
    has_predictions: bool = True

    def right(self) -> NDArray[np.bool_] | None:
        """Mask of correct predictions, shape (N,); None if the model's classes differ."""
        if not self.has_predictions or not set(self.classes) <= set(self.outputs):
            return None
        own = np.array([self.outputs.index(name) for name in self.classes])
        answers: NDArray[np.bool_] = own[self.labels] == self.predictions
        return answers


def write_embedding(path: Path, embedding: Embedding) -> None:
    """Write an embedding atomically as an NPZ file of plain arrays.

    Besides the columns of `Embedding` it holds `about`, a JSON text with the rest.

    Args:
        path: File to write.
        embedding: The content.

    Raises:
        DiskFullError: No space was left.
        OSError: The file cannot be written.
    """
    about = {
        "classes": embedding.classes,
        "outputs": embedding.outputs,
        "layer": embedding.layer,
        "method": embedding.method,
        "explained": embedding.explained,
        "has_classes": embedding.has_predictions,
    }
    columns = {name: getattr(embedding, name) for name in _COLUMNS}
    paths = np.array(embedding.paths, dtype=np.str_)
    with replacing(path) as partial, partial.open("wb") as file:
        np.savez(
            file, **columns, paths=paths, about=np.array(json.dumps(about)), allow_pickle=False
        )


def read_embedding(path: Path) -> Embedding:
    """Read what `write_embedding` wrote.

    Raises:
        BadDataError: It is missing or damaged.
    """
    try:
        with open_arrays(path) as file:
            columns = {name: file[name] for name in _COLUMNS}
            paths = tuple(file["paths"].tolist())
            about = json.loads(str(file["about"]))
            found = Embedding(
                **columns,
                paths=paths,
                classes=tuple(about["classes"]),
                outputs=tuple(about["outputs"]),
                layer=str(about["layer"]),
                method=str(about["method"]),
                explained=tuple(map(float, about["explained"])),
                has_predictions=bool(about.get("has_classes", True)),
            )
            _check(found)
    except DAMAGED as error:
        raise BadDataError(
            "The map in {path} cannot be read.", "Compute it again.", str(path), path=path
        ) from error
    return found


def write_csv(path: Path, embedding: Embedding) -> None:
    """Write one line per image: coordinates, classes and features.

    Args:
        path: File to write.
        embedding: The content.

    Raises:
        DiskFullError: No space was left.
        OSError: The file cannot be written.
    """
    width = embedding.features.shape[1]
    head = ["row", "path", "split", "class", "prediction", "score", "x", "y"]
    with replacing(path) as partial, partial.open("wb") as file:
        file.write(_line([*head, *(f"f{number}" for number in range(width))]))
        for at in range(len(embedding.rows)):
            file.write(_line(_cells(embedding, at)))


def _cells(embedding: Embedding, at: int) -> list[object]:
    names: tuple[object, ...] = ("", "")
    if embedding.has_predictions:
        names = (
            embedding.classes[embedding.labels[at]],
            embedding.outputs[embedding.predictions[at]],
        )
    return [
        int(embedding.rows[at]),
        embedding.paths[at],
        SPLIT_NAMES[embedding.splits[at]],
        *names,
        f"{embedding.scores[at]:.7g}" if embedding.has_predictions else "",
        *(f"{value:.7g}" for value in embedding.points[at]),
        *(f"{value:.7g}" for value in embedding.features[at]),
    ]


def _line(cells: Sequence[object]) -> bytes:
    text = io.StringIO()
    CsvWriter(text).writerow(cells)
    return text.getvalue().encode("utf-8", "backslashreplace")


def _check(found: Embedding) -> None:
    count = len(found.rows)
    one_each = (found.labels, found.splits, found.predictions, found.scores, found.paths)
    if any(len(each) != count for each in one_each):
        raise ValueError("the columns do not have the same length")
    if found.points.shape != (count, 2) or found.features.ndim != 2:
        raise ValueError("the points are not two-dimensional")
    for values, names in ((found.labels, found.classes), (found.predictions, found.outputs)):
        if count and not 0 <= values.min() <= values.max() < len(names):
            raise ValueError("a class has no name")
