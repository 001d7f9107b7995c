"""A finished evaluation, opened: its figures, and what is counted from its answers on demand."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from studio.engine.errors import BadDataError
from studio.engine.evaluation.measures import precision_recall_curve, ranked, roc_curve, thinned
from studio.engine.evaluation.outcomes import Probabilities
from studio.engine.evaluation.predictions import open_probabilities, read_answers
from studio.engine.evaluation.report import Report, read_report
from studio.engine.training.insights import Answers

Places = NDArray[np.int64]
Curve = tuple[NDArray[np.float64], NDArray[np.float64]]
"""What goes across and what goes up."""
CurvePair = tuple[Curve, Curve]
"""ROC, and precision by recall."""
_COLUMNS = 32
"""Classes that are read at a time: the file of probabilities lies by image."""


@dataclass(frozen=True, slots=True)
class Confusion:
    """A frequent mistake: so many images of a class were taken for another."""

    truth: int
    predicted: int
    count: int


@dataclass(frozen=True)
class Evaluated:
    """An evaluation that is complete.

    Attributes:
        folder: Of its record.
        report: Its figures.
        answers: What each image was taken for.
    """

    folder: Path
    report: Report
    answers: Answers

    @cached_property
    def confusion(self) -> NDArray[np.int32]:
        """Images by true class (row) and predicted class (column), K x K."""
        return self.answers.confusion(len(self.report.classes))

    def confusions(self, most: int) -> list[Confusion]:
        """The most frequent mistakes, by falling number."""
        counts = self.confusion.copy()
        np.fill_diagonal(counts, 0)
        cells = np.flatnonzero(counts)
        order = cells[np.argsort(-counts.ravel()[cells], kind="stable")][:most]
        rows, columns = np.unravel_index(order, counts.shape)
        triples = zip(rows.tolist(), columns.tolist(), counts[rows, columns].tolist(), strict=True)
        return [Confusion(*triple) for triple in triples]

    def confused_order(self) -> Places:
        """The classes so that those that are taken for each other stand together.

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

    def surest_right(self, label: int, most: int) -> Places:
        """Places in the answers of a class's images that are right, the surest first."""
        return self.answers.cell(label, label)[:most]

    def surest_wrong(self, label: int, most: int) -> Places:
        """Places in the answers of a class's images that are wrong, the surest first."""
        answers = self.answers
        wrong = np.flatnonzero((answers.truth == label) & (answers.predicted != label))
        order = np.argsort(-answers.scores[wrong], kind="stable")
        return wrong[order][:most].astype(np.int64)

    def curves(self, label: int, most: int = 201) -> CurvePair | None:
        """ROC and precision-recall curve of a class; None where it, or what is not, is missing.

        Raises:
            BadDataError: The probabilities are missing, or of other images.
        """
        return self._curves(label, np.asarray(self._table()[:, label]), most)

    def all_curves(self, most: int) -> Iterator[CurvePair | None]:
        """The curves of every class, in their order; see `curves`.

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
                f"The probabilities in {self.folder} are of other images.", "Evaluate again."
            )
        return table


def open_evaluation(folder: Path) -> Evaluated:
    """Open the evaluation in the folder of a record.

    Raises:
        BadDataError: It is not complete, damaged, or of an older Studio.
    """
    report = read_report(folder)
    if report is None:
        raise BadDataError(
            "This evaluation has no report: it is not complete, or was made by an older Studio.",
            "Evaluate again.",
            str(folder),
        )
    return Evaluated(folder, report, read_answers(folder))
