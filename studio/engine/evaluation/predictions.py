"""What a model took each image for, kept beside the figures of its evaluation.

With them images can be looked for by their prediction without the model; see
`jobs.predictions`.
"""

from __future__ import annotations

import zipfile
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from studio.engine.errors import BadDataError
from studio.engine.files import write_atomically

PREDICTIONS_FILE = "predictions.npz"


@dataclass(frozen=True, slots=True)
class Predictions:
    """The first answer of a model for some images of a dataset.

    Attributes:
        rows: Rows of the images in their dataset, ascending, int64, N.
        classes: What each was taken for, int32, N.
        scores: How sure the model was, 0 to 1, float32, N.
    """

    rows: NDArray[np.int64]
    classes: NDArray[np.int32]
    scores: NDArray[np.float32]

    def answer(self, row: int) -> tuple[int, float] | None:
        """The class that an image was taken for and its score; None where it was not looked at."""
        place = int(np.searchsorted(self.rows, row))
        if place == len(self.rows) or self.rows[place] != row:
            return None
        return int(self.classes[place]), float(self.scores[place])

    def wrong(self, labels: NDArray[np.integer]) -> NDArray[np.int64]:
        """Rows that were taken for another class, the surest mistakes first.

        Args:
            labels: The classes of all images of the dataset.
        """
        return self.surest_first(labels[self.rows] != self.classes)

    def surest_first(self, which: NDArray[np.bool_]) -> NDArray[np.int64]:
        """Rows of some of the images, shape N, by falling score."""
        chosen = np.flatnonzero(which)
        order = np.argsort(-self.scores[chosen], kind="stable")
        rows: NDArray[np.int64] = self.rows[chosen[order]]
        return rows

    def taken_for(self, label: int) -> NDArray[np.int64]:
        """Rows that were taken for a class, ascending."""
        rows: NDArray[np.int64] = self.rows[self.classes == label]
        return rows


def write_predictions(folder: Path, predictions: Predictions) -> Path:
    """Write `predictions.npz` into the folder of an evaluation.

    Raises:
        DiskFullError: No space was left.
    """
    data = BytesIO()
    np.savez_compressed(
        data, rows=predictions.rows, classes=predictions.classes, scores=predictions.scores
    )
    path = folder / PREDICTIONS_FILE
    write_atomically(path, data.getvalue())
    return path


def read_predictions(folder: Path) -> Predictions:
    """Read what `write_predictions` wrote.

    Raises:
        BadDataError: It is missing or damaged.
    """
    path = folder / PREDICTIONS_FILE
    try:
        with np.load(path, allow_pickle=False) as file:
            columns = [file[name] for name in ("rows", "classes", "scores")]
    except (OSError, ValueError, KeyError, EOFError, zipfile.BadZipFile) as error:
        raise _damaged(path) from error
    rows, classes, scores = columns
    if not (rows.ndim == 1 and rows.shape == classes.shape == scores.shape):
        raise _damaged(path)
    return Predictions(rows.astype(np.int64), classes.astype(np.int32), scores.astype(np.float32))


def _damaged(path: Path) -> BadDataError:
    return BadDataError(
        f"The predictions in {path} cannot be read.", "Evaluate the run again.", str(path)
    )
