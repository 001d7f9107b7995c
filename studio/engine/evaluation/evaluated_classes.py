"""Evaluations of classes: their files, and the figures computed from them on demand."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from io import BytesIO
from pathlib import Path
from typing import Any, BinaryIO, Self

import numpy as np
from numpy.typing import NDArray

from studio.engine.arrays import Rows
from studio.engine.datasets.store import Store
from studio.engine.documents import DAMAGED
from studio.engine.errors import BadDataError, StudioError
from studio.engine.evaluation import mcnemar
from studio.engine.evaluation.mcnemar import PairedComparison
from studio.engine.evaluation.measures import precision_recall_curve, ranked, roc_curve, thinned
from studio.engine.evaluation.opened import (
    EvaluationComparison,
    OpenedEvaluation,
    different_images,
)
from studio.engine.evaluation.outcomes import Probabilities
from studio.engine.evaluation.report import EvaluationPlan, Report
from studio.engine.evaluation.report_page import (
    EmbeddedPictures,
    html_page,
    json_document,
    json_text,
)
from studio.engine.evaluation.report_table import csv_text
from studio.engine.evaluation.reports import ReportKind
from studio.engine.files import open_arrays, replacing, write_atomically
from studio.engine.jobs.job import Job
from studio.engine.jobs.states import State
from studio.engine.training.insights import ValidationPredictions
from studio.engine.workspace import Record, RecordKind, Workspace

Curve = tuple[NDArray[np.float64], NDArray[np.float64]]
"""Horizontal and vertical coordinates."""
CurvePair = tuple[Curve, Curve]
"""ROC, and precision by recall."""
_COLUMNS = 32
"""Classes that are read at a time: the file of probabilities lies by image."""


@dataclass(frozen=True, slots=True)
class FrequentMistake:
    """A frequent mistake: this many images of a class were predicted as another."""

    truth: int
    predicted: int
    count: int


@dataclass(frozen=True)
class EvaluatedClasses(OpenedEvaluation):
    """An evaluation of classes.

    Attributes:
        folder: Folder of its record.
        answers: Predicted class of each image.
        dataset: Record of the dataset; None where it was deleted.
    """

    measuring = "studio.engine.compute.measured:measure_classes"

    folder: Path
    answers: ValidationPredictions
    dataset: Record | None = None

    @classmethod
    def of(cls, report: Report, workspace: Workspace, folder: Path) -> Self:
        """Read the predictions; see `OpenedEvaluation.of`."""
        dataset = workspace.record(RecordKind.DATASET, report.subject.dataset)
        return cls(report, folder, read_answers(folder), dataset)

    @cached_property
    def confusion(self) -> NDArray[np.int32]:
        """Images by true class (row) and predicted class (column), K x K."""
        return self.answers.confusion(len(self.report.classes))

    def compare(self, other: OpenedEvaluation) -> PairedComparison:
        """Compare by McNemar's test; see `OpenedEvaluation.compare`."""
        if not isinstance(other, EvaluatedClasses):
            raise different_images()
        return mcnemar.compare((self.report, self.answers), (other.report, other.answers))

    def document(self) -> dict[str, Any]:
        """Return all figures with matrix and curves; see `OpenedEvaluation.document`."""
        return json_document(self)

    def text(self, kind: ReportKind, comparison: EvaluationComparison | None = None) -> str:
        """Return the text of a file; see `OpenedEvaluation.text`."""
        if kind == "csv":
            return csv_text(self.report)
        if kind == "json":
            return json_text(self)
        paired = comparison if isinstance(comparison, PairedComparison) else None
        return html_page(self, self._pictures(), paired)

    def _pictures(self) -> EmbeddedPictures | None:
        """Return the images that were measured; None where the dataset is gone."""
        if self.dataset is None:
            return None
        try:
            store = Store.open(self.dataset.folder, self.report.subject.dataset_version)
        except StudioError:
            return None  # the figures are whole without them, and the page says so
        return EmbeddedPictures(store)

    def confusions(self, most: int) -> list[FrequentMistake]:
        """Return the most frequent mistakes, by falling number."""
        counts = self.confusion.copy()
        np.fill_diagonal(counts, 0)
        cells = np.flatnonzero(counts)
        order = cells[np.argsort(-counts.ravel()[cells], kind="stable")][:most]
        rows, columns = np.unravel_index(order, counts.shape)
        triples = zip(rows.tolist(), columns.tolist(), counts[rows, columns].tolist(), strict=True)
        return [FrequentMistake(*triple) for triple in triples]

    def confused_order(self) -> Rows:
        """Return the classes in an order that puts frequently confused ones side by side.

        The most confused pair begins; after each class comes the one of those left that shares
        the most mistakes with it, or else the one with the most mistakes.
        """
        counts = self.confusion.astype(np.int64)
        np.fill_diagonal(counts, 0)
        shared = counts + counts.T
        total = shared.sum(axis=1).astype(np.float64)
        left = np.ones(len(total), bool)
        order: list[int] = []
        for _ in range(len(total)):
            near = np.where(left, shared[order[-1]], -1) if order else np.zeros(len(total))
            nearest = int(near.argmax())
            if near[nearest] <= 0:
                nearest = int(np.where(left, total, -1).argmax())
            order.append(nearest)
            left[nearest] = False
        return np.array(order, np.int64)

    def surest_right(self, label: int, most: int) -> Rows:
        """Return the indices of correctly predicted images of a class, highest score first.

        Args:
            label: Index of the class.
            most: Greatest number of images.
        """
        return self.answers.cell(label, label)[:most]

    def surest_wrong(self, label: int, most: int) -> Rows:
        """Return the indices of misclassified images of a class, highest score first.

        Args:
            label: Index of the true class.
            most: Greatest number of images.
        """
        answers = self.answers
        wrong = np.flatnonzero((answers.truth == label) & (answers.predicted != label))
        order = np.argsort(-answers.scores[wrong], kind="stable")
        return wrong[order][:most].astype(np.int64)

    def curves(self, label: int, most: int = 201) -> CurvePair | None:
        """Return both curves of a class; None without positive or negative images.

        Args:
            label: Index of the class.
            most: Greatest number of points of a curve.

        Raises:
            BadDataError: The probabilities are missing or of other images.
        """
        return self._curves(label, np.asarray(self._table()[:, label]), most)

    def all_curves(self, most: int) -> Iterator[CurvePair | None]:
        """Return the curves of every class, in their order; see `curves`.

        Raises:
            BadDataError: The probabilities are missing, or of other images.
        """
        table = self._table()
        for first in range(0, table.shape[1], _COLUMNS):
            columns = np.ascontiguousarray(table[:, first : first + _COLUMNS].T)
            for label, column in enumerate(columns, first):
                yield self._curves(label, column, most)

    def _curves(self, label: int, scores: NDArray[np.floating], most: int) -> CurvePair | None:
        positive = self.answers.truth == label
        if positive.all() or not positive.any():
            return None
        ranks = ranked(scores, positive)
        return thinned(*roc_curve(ranks), most), thinned(*precision_recall_curve(ranks), most)

    def _table(self) -> Probabilities:
        table = open_probabilities(self.folder)
        if table.shape != (len(self.answers.rows), len(self.report.classes)):
            raise BadDataError(
                "The probabilities in {folder} belong to other images.",
                "Evaluate again.",
                folder=self.folder,
            )
        return table


PREDICTIONS_FILE = "predictions.npz"
PROBABILITIES_FILE = "probabilities.npy"
MAX_EXACT = 64_000_000
"""Up to this many probabilities they are kept in 32 bits, beyond in 16."""


@dataclass(frozen=True, slots=True)
class Predictions:
    """The first answer of a model for some images of a dataset.

    Attributes:
        rows: Rows of the images in their dataset, ascending, int64, N.
        classes: Predicted class of each, int32, shape (N,).
        scores: Confidence of the model, 0 to 1, float32, shape (N,).
    """

    rows: NDArray[np.int64]
    classes: NDArray[np.int32]
    scores: NDArray[np.float32]

    def answer(self, row: int) -> tuple[int, float] | None:
        """Return the predicted class of an image and its score; None if it was not evaluated."""
        index = int(np.searchsorted(self.rows, row))
        if index == len(self.rows) or self.rows[index] != row:
            return None
        return int(self.classes[index]), float(self.scores[index])

    def wrong(self, labels: NDArray[np.integer]) -> NDArray[np.int64]:
        """Return the rows of misclassified images, the most confident first.

        Args:
            labels: The classes of all images of the dataset.
        """
        return self.surest_first(labels[self.rows] != self.classes)

    def surest_first(self, which: NDArray[np.bool_]) -> NDArray[np.int64]:
        """Return the rows of some of the images, shape N, by falling score."""
        chosen = np.flatnonzero(which)
        order = np.argsort(-self.scores[chosen], kind="stable")
        rows: NDArray[np.int64] = self.rows[chosen[order]]
        return rows

    def taken_for(self, label: int) -> NDArray[np.int64]:
        """Return the rows predicted as a class, ascending."""
        rows: NDArray[np.int64] = self.rows[self.classes == label]
        return rows


def write_predictions(
    folder: Path,
    predictions: Predictions,
    truth: NDArray[np.int32] | None = None,
    groups: Rows | None = None,
) -> Path:
    """Write `predictions.npz` into the folder of an evaluation.

    Args:
        folder: Folder to write to.
        predictions: Predictions of N images.
        truth: The classes that they were measured against, N; for `read_answers`.
        groups: Group of each image by its origin, shape (N,); None if all differ.

    Raises:
        DiskFullError: No space was left.
    """
    columns = {
        "rows": predictions.rows,
        "classes": predictions.classes,
        "scores": predictions.scores,
        **({} if truth is None else {"truth": truth}),
        **({} if groups is None else {"groups": groups}),
    }
    data = BytesIO()
    np.savez_compressed(data, **columns)  # type: ignore[arg-type]  # it takes them all by name
    path = folder / PREDICTIONS_FILE
    write_atomically(path, data.getvalue())
    return path


def read_predictions(folder: Path) -> Predictions:
    """Read what `write_predictions` wrote.

    Raises:
        BadDataError: It is missing or damaged.
    """
    rows, classes, scores = _columns(folder, "rows", "classes", "scores")
    return Predictions(rows.astype(np.int64), classes.astype(np.int32), scores.astype(np.float32))


def read_answers(folder: Path) -> ValidationPredictions:
    """Read the prediction of each image, with its true class.

    Raises:
        BadDataError: It is missing or damaged, or of a Studio that did not keep the classes.
    """
    names = ("rows", "truth", "classes", "scores")
    rows, truth, classes, scores, *groups = _columns(folder, *names, optional=("groups",))
    return ValidationPredictions(
        rows.astype(np.int64),
        truth.astype(np.int32),
        classes.astype(np.int32),
        scores.astype(np.float32),
        len(rows),
        groups[0].astype(np.int64) if groups else None,
    )


class RowFile:
    """Takes rows of an array batch by batch; see `writing_rows`."""

    def __init__(self, file: BinaryIO, count: int, dtype: np.dtype[Any] | None) -> None:
        self._file = file
        self._count = count
        self._dtype = dtype
        self._has_header = False

    def add(self, rows: NDArray[Any]) -> None:
        """Write the next rows."""
        values = np.ascontiguousarray(rows, self._dtype)
        if not self._has_header:
            shape = (self._count, *values.shape[1:])
            header = {"descr": values.dtype.str, "fortran_order": False, "shape": shape}
            np.lib.format.write_array_header_1_0(self._file, header)
            self._has_header = True
        self._file.write(values.tobytes())


@contextlib.contextmanager
def writing_rows(path: Path, count: int, dtype: np.dtype[Any] | None = None) -> Iterator[RowFile]:
    """Write a `.npy` file of an array; it appears when the block ends without an error.

    Args:
        path: The file.
        count: Number of rows, at least one.
        dtype: Type of the values; None for that of the rows.

    Raises:
        DiskFullError: No space was left.
    """
    with replacing(path) as partial, partial.open("wb") as file:
        yield RowFile(file, count, dtype)


def writing_probabilities(
    folder: Path, count: int, classes: int
) -> contextlib.AbstractContextManager[RowFile]:
    """Write `probabilities.npy`; see `writing_rows`.

    Args:
        folder: Record of the evaluation.
        count: Number of rows.
        classes: Number of columns.
    """
    exact = count * classes <= MAX_EXACT
    dtype = np.dtype(np.float32 if exact else np.float16)
    return writing_rows(folder / PROBABILITIES_FILE, count, dtype)


def open_probabilities(folder: Path) -> Probabilities:
    """Return all probabilities, N x K, in the order of the answers; read where they lie.

    Raises:
        BadDataError: They are missing or damaged.
    """
    path = folder / PROBABILITIES_FILE
    try:
        table: Probabilities = np.load(path, mmap_mode="r", allow_pickle=False)
    except DAMAGED as error:
        raise _damaged(path) from error
    if table.ndim != 2 or not np.issubdtype(table.dtype, np.floating):
        raise _damaged(path)
    return table


def _columns(
    folder: Path, *names: str, optional: tuple[str, ...] = ()
) -> list[NDArray[np.generic]]:
    path = folder / PREDICTIONS_FILE
    try:
        with open_arrays(path) as file:
            present = (*names, *(name for name in optional if name in file))
            columns: list[NDArray[np.generic]] = [file[name] for name in present]
    except DAMAGED as error:
        raise _damaged(path) from error
    shape = columns[0].shape
    if len(shape) != 1 or any(column.shape != shape for column in columns):
        raise _damaged(path)
    return columns


def _damaged(path: Path) -> BadDataError:
    return BadDataError(
        "The predictions in {path} cannot be read.",
        "Evaluate the run again.",
        str(path),
        path=path,
    )


# Finds what the model of a run took images for, among the evaluations of a workspace.

PREDICTIONS = "predictions"
"""Name of the artifact of an evaluation."""


def _created(record: Record) -> datetime:
    return record.info().created


def predictions_of(workspace: Workspace, run: Record) -> Predictions | None:
    """Return the predictions of the model of a run, from the newest evaluation of each split.

    Args:
        workspace: Holds the evaluations.
        run: Record of the run.

    Returns:
        The predictions; None if the run was never evaluated.

    Raises:
        BadDataError: A file of predictions is damaged.
    """
    newest: dict[str, Record] = {}
    for record in sorted(workspace.records(RecordKind.EVALUATION), key=_created):
        job = Job(record)
        plan = job.plan(EvaluationPlan)
        if not plan.is_of(run.id):
            continue
        job.refresh()
        if job.history.state == State.COMPLETED and PREDICTIONS in job.history.artifacts:
            newest[plan.split] = record
    if not newest:
        return None
    # All are of the version that the run was trained on, where a row is in one split only.
    parts = [read_predictions(record.folder) for record in newest.values()]
    rows = np.concatenate([part.rows for part in parts])
    order = np.argsort(rows)
    return Predictions(
        rows[order],
        np.concatenate([part.classes for part in parts])[order],
        np.concatenate([part.scores for part in parts])[order],
    )
