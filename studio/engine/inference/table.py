"""Predictions for many pictures as a table, and the number of correct ones."""

from __future__ import annotations

import csv
import io
import itertools
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from studio.engine.csv_cells import CsvWriter, original
from studio.engine.files import write_atomically, writing
from studio.engine.inference.requests import ImagePrediction

if TYPE_CHECKING:
    from studio.engine.tasks.prediction import Predictor


@dataclass(frozen=True, slots=True)
class CorrectTally:
    """Counts of correct predictions.

    Attributes:
        right: Number of pictures whose known class was predicted.
        known: Number of pictures with a known class and a prediction.
        unreadable: Number of pictures without a prediction.
    """

    right: int = 0
    known: int = 0
    unreadable: int = 0

    @property
    def accuracy(self) -> float | None:
        """Share of right predictions, 0 to 1; None where no class is known."""
        return self.right / self.known if self.known else None

    def plus(self, pairs: Iterable[tuple[ImagePrediction, str]]) -> CorrectTally:
        """Add predictions with the known class of each, empty where it is not known."""
        right, known, unreadable = self.right, self.known, self.unreadable
        for prediction, label in pairs:
            verdict = is_right(prediction, label)
            right += verdict is True
            known += verdict is not None
            unreadable += bool(prediction.error)
        return CorrectTally(right, known, unreadable)


def is_right(prediction: ImagePrediction, label: str) -> bool | None:
    """Return True if the top prediction is the known class; None if either is missing.

    Args:
        prediction: The prediction.
        label: The known class; empty if there is none.
    """
    best = prediction.class_scores[:1]
    return best[0].label == label if label and best else None


def as_csv(
    predictions: Sequence[ImagePrediction], predictor: Predictor, labels: Sequence[str] = ()
) -> str:
    """Return a table with a line per picture, numbers with a point and nothing rounded.

    The columns are `image`, those of the task, for example `class,score`, then `class_2,score_2`
    and so on; after them `label,right` where the class of any picture is known (`right` is 1, 0 or
    empty), `differences` from the training images and `warnings` where any prediction has one,
    and `error` where any picture has no prediction.

    Args:
        predictions: The predictions.
        predictor: Predictor of the model; names the first columns.
        labels: The known class of each, empty where it is not known; none at all for none known.
    """
    known = list(labels) if any(labels) else []
    has_errors = any(prediction.error for prediction in predictions)
    has_differences = any(map(_differences, predictions))
    has_warnings = any(prediction.warnings for prediction in predictions)
    rows = [prediction.cells() for prediction in predictions]
    columns = list(dict.fromkeys([*predictor.columns, *itertools.chain(*rows)]))
    text = io.StringIO()
    writer = CsvWriter(text)
    extra = ["label", "right"] if known else []
    extra += ["differences"] * has_differences
    extra += ["warnings"] * has_warnings + ["error"] * has_errors
    writer.writerow(["image", *columns, *extra])
    for index, prediction in enumerate(predictions):
        cells = [rows[index].get(column, "") for column in columns]
        if known:
            verdict = is_right(prediction, known[index])
            cells += [known[index], "" if verdict is None else int(verdict)]
        cells += [_differences(prediction)] * has_differences
        cells += [" ".join(prediction.warnings)] * has_warnings + [prediction.error] * has_errors
        writer.writerow([prediction.image, *cells])
    return text.getvalue()


class TableWriter:
    """Appends predictions to a table, which is written again only when there are new columns.

    The columns are `image`, those of the predictions, `differences`, `warnings` and `error`.

    Args:
        path: File to write; its first predictions replace what is there.
        predictor: Predictor of the model; names the first columns.
    """

    def __init__(self, path: Path, predictor: Predictor) -> None:
        self._path = path
        self._columns = list(predictor.columns)
        self._is_begun = False

    def add(self, predictions: Sequence[ImagePrediction]) -> None:
        """Append predictions.

        Raises:
            StudioError: The file cannot be written.
        """
        rows = [prediction.cells() for prediction in predictions]
        known = set(self._columns)
        new = [name for name in dict.fromkeys(itertools.chain(*rows)) if name not in known]
        text = io.StringIO()
        writer = CsvWriter(text)
        with writing(self._path, "csv"):
            if new or not self._is_begun:
                self._add_columns(new)
            for cells, each in zip(rows, predictions, strict=True):
                values = [cells.get(name, "") for name in self._columns]
                extra = [_differences(each), " ".join(each.warnings), each.error]
                writer.writerow([each.image, *values, *extra])
            with self._path.open("ab") as file:
                file.write(text.getvalue().encode("utf-8", "backslashreplace"))

    def _add_columns(self, names: Sequence[str]) -> None:
        """Write the table with more columns."""
        before = 1 + len(self._columns)
        self._columns += names
        text = io.StringIO()
        writer = CsvWriter(text)
        writer.writerow(["image", *self._columns, "differences", "warnings", "error"])
        if self._is_begun:
            with self._path.open(encoding="utf-8", newline="") as file:
                rows = itertools.islice(csv.reader(file), 1, None)
                for row in rows:
                    cells = [original(cell) for cell in row]
                    writer.writerow([*cells[:before], *[""] * len(names), *cells[before:]])
        write_atomically(self._path, text.getvalue().encode("utf-8", "backslashreplace"))
        self._is_begun = True


def _differences(prediction: ImagePrediction) -> str:
    familiarity = prediction.familiarity
    if familiarity is None:
        return ""
    return " ".join(str.__str__(each.text) for each in familiarity.differences)


def write_table(
    path: Path,
    predictions: Sequence[ImagePrediction],
    predictor: Predictor,
    labels: Sequence[str],
) -> None:
    """Write predictions as CSV; see `as_csv`.

    Args:
        path: File to write.
        predictions: One per picture.
        predictor: Predictor of the model.
        labels: Known class of each picture; empty if there is none.

    Raises:
        StudioError: The file cannot be written.
    """
    text = as_csv(predictions, predictor, labels)
    with writing(path, "csv"):
        write_atomically(path, text.encode("utf-8", "backslashreplace"))
