"""Labels of images: a column for each label, or one column that lists them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from studio.engine.errors import StudioError
from studio.engine.files import natural_key
from studio.engine.messages import as_message, message
from studio.engine.tasks.metric import SHARE
from studio.engine.tasks.multi_label.prediction import HALF
from studio.engine.tasks.targets import Annotated, Targets, Values, most_suspect

_YES = frozenset({"1", "1.0", "true", "yes", "y", "x"})
_NO = frozenset({"", "0", "0.0", "false", "no", "n", "-"})
_DELIMITERS = (";", "|", ",", " ")
MOST_LABELS = 10_000
_FLAG_SHARE = 0.95
_FEWEST_DOUBTED = 10
"""Images with a label, and without it, so that it is doubted."""
_CONFIDENT = 0.9
_LIKELY = 0.7
"""Minimum balanced accuracy of a model whose predictions are compared with labels."""


class LabelTargets(Targets):
    """Which labels each image has: 0 or 1, shape (N, labels)."""

    dtype = np.dtype(np.uint8)
    new_output = 0.0

    def refusal(self, value: float) -> str:
        """Return why a value is not valid for a label; empty if it is."""
        return (
            ""
            if value in (0, 1)
            else message("a label must be 0 or 1; received {value:g}", value=value)
        )

    def read(self, columns: Sequence[str], rows: Sequence[Sequence[str]]) -> Annotated:
        """Read columns of 0 and 1, named as the labels, or a single column of lists.

        Args:
            columns: Headings.
            rows: Cells of each row.

        Raises:
            StudioError: There is no column or no label.
        """
        if not columns:
            raise StudioError(
                "The table has no column with labels.",
                "It takes a column per label with 0 or 1, or one column such as "
                '"cat;dog" with all labels of an image.',
                "source",
            )
        words = [[cell.strip() for cell in row] for row in rows]
        if len(columns) > 1 or {row[0] for row in words} == {"0", "1"}:
            return _of_columns(columns, words)
        return _of_lists([row[0] for row in words])

    def usable(self, columns: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
        """Return the columns of 0 and 1, or else the first column of lists.

        Args:
            columns: Headings.
            rows: Cells of each row.
        """
        cells = {name: [row[index] for row in rows] for index, name in enumerate(columns)}
        flags = [name for name, column in cells.items() if _are_flags(column)]
        lists = [name for name, column in cells.items() if self.is_evident(column)]
        return flags if len(flags) > 1 else lists[:1]

    def is_evident(self, cells: Sequence[str]) -> bool:
        """Return True if cells list names, such as "cat;dog", that come again and again."""
        for delimiter in _DELIMITERS[:3]:
            if any(delimiter in cell for cell in cells):
                parts = [part.strip() for cell in cells for part in cell.split(delimiter)]
                return 2 * len(set(parts)) <= len(parts) and not any(map(_is_number, cells))
        return False

    def has(self, values: Values, output: int) -> NDArray[np.bool_]:
        """Return True for images with a label, shape (N,).

        Args:
            values: 0 or 1, shape (N, labels).
            output: Index of the label.
        """
        return np.equal(values[:, output], 1)

    def traits(self, values: Values) -> NDArray[np.bool_]:
        """Return the labels themselves."""
        return values.astype(np.bool_)

    def doubts(
        self, predicted: NDArray[np.float64], values: Values
    ) -> tuple[NDArray[np.int64], NDArray[np.int64]] | str:
        """Return labels that are probably missing or wrong, by confident learning.

        A label is suspect if the opposite is nearly certain, and at least as probable as it is on
        average for images with the opposite label (Northcutt et al., "Confident learning:
        estimating uncertainty in dataset labels", 2021). Labels that simple models cannot predict
        are not doubted. Measured on 3,000 pictures of three digits: 27 labels are doubted; with 60
        wrong labels, 18 of these and 26 others.

        Args:
            predicted: Out-of-fold probabilities, shape (N, labels).
            values: 0 or 1, shape (N, labels).

        Returns:
            Rows and labels, the most suspect first; or the reason why there is no result.
        """
        truth, present = values > 0, np.clip(predicted, 0, 1)
        suspicion = np.zeros(predicted.shape)
        known = 0
        for label, (has, given) in enumerate(zip(truth.T, present.T, strict=True)):
            if min(has.sum(), (~has).sum()) < _FEWEST_DOUBTED:
                continue
            right = (given[has] > HALF).mean() + (given[~has] < HALF).mean()
            if right < 2 * _LIKELY:
                continue
            known += 1
            missing = ~has & (given >= max(_CONFIDENT, given[has].mean()))
            extra = has & (1 - given >= max(_CONFIDENT, 1 - given[~has].mean()))
            suspicion[:, label] = np.where(missing, given, 0) + np.where(extra, 1 - given, 0)
        if not known:
            return "simple models on small copies of the images recognize no label well enough"
        return most_suspect(suspicion)

    def document(self, names: Sequence[str], row: Values) -> dict[str, object]:
        """Return the labels of an image as JSON data.

        Args:
            names: Names of all labels.
            row: 0 or 1, shape (labels,).
        """
        return {"labels": [names[label] for label in np.flatnonzero(row).tolist()]}

    def text(self, names: Sequence[str], units: Sequence[str], row: Values) -> str:  # noqa: ARG002
        """Return the labels of an image as one line.

        Args:
            names: Names of all labels.
            units: Not used by this task.
            row: 0 or 1, shape (labels,).
        """
        return ", ".join(names[label] for label in np.flatnonzero(row).tolist()) or "no label"

    def figures(self, values: Values) -> dict[str, NDArray[np.float64]]:
        """Return the share of the images that have each label."""
        return {SHARE: values.sum(axis=0) / max(len(values), 1)}


def _are_flags(cells: Sequence[str]) -> bool:
    words = [cell.strip().casefold() for cell in cells]
    yes, no = (sum(word in known for word in words) for known in (_YES, _NO))
    return yes > 0 and no > 0 and yes + no >= _FLAG_SHARE * len(words)


def _is_number(cell: str) -> bool:
    return cell.strip().replace(",", "", 1).replace(".", "", 1).lstrip("-").isdecimal()


def _of_columns(columns: Sequence[str], rows: Sequence[Sequence[str]]) -> Annotated:
    values = np.zeros((len(rows), len(columns)), np.uint8)
    refused = {}
    for index, row in enumerate(rows):
        for column, cell in enumerate(row):
            word = cell.casefold()
            if word in _YES:
                values[index, column] = 1
            elif word not in _NO:
                refused[index] = message(
                    'the column "{column}" contains "{value}" instead of 0 or 1',
                    column=columns[column],
                    value=cell,
                )
    if rows and len(refused) == len(rows):
        raise StudioError(
            message(
                "No image has 0 or 1 in all {count} columns of labels; of the first, {reason}.",
                count=len(columns),
                reason=as_message(refused[min(refused)]),
            ),
            "Choose the columns of the labels; on the command line with --target-columns.",
            "target_columns",
        )
    return Annotated(tuple(columns), values, refused=refused)


def _of_lists(cells: Sequence[str]) -> Annotated:
    delimiter = next((each for each in _DELIMITERS if any(each in cell for cell in cells)), ";")
    labels = [
        list(dict.fromkeys(filter(None, (part.strip() for part in cell.split(delimiter)))))
        for cell in cells
    ]
    names = sorted({name for row in labels for name in row}, key=natural_key)
    if not names or len(names) > MOST_LABELS:
        raise StudioError(
            message("The table has {count} labels.", count=len(names)),
            message(
                "It supports 1 to {limit:,} labels; separate several labels of an image by ;",
                limit=MOST_LABELS,
            ),
            "source",
        )
    number = {name: index for index, name in enumerate(names)}
    values = np.zeros((len(cells), len(names)), np.uint8)
    for index, row in enumerate(labels):
        values[index, [number[name] for name in row]] = 1
    return Annotated(tuple(names), values)


TARGETS = LabelTargets()
