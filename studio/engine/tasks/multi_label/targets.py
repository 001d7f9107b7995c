"""Labels of images: a column for each label, or one column that lists them."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import islice

import numpy as np
from numpy.typing import NDArray

from studio.engine.errors import StudioError, shortened
from studio.engine.files import natural_key
from studio.engine.messages import Text, as_message, message
from studio.engine.tables.cells import (
    NO,
    YES,
    class_names,
    is_missing,
    is_unreadable_list,
    list_in,
)
from studio.engine.tables.numbers import is_number, whole_number
from studio.engine.tasks.metric import SHARE
from studio.engine.tasks.multi_label.prediction import HALF
from studio.engine.tasks.targets import Annotated, TargetArray, Targets, most_suspect

_DELIMITERS = (";", "|", ",", " ")
_JOINED = re.compile(r"[+/&;|,]")
MAX_LABELS = 10_000
_SHOWN = 60
_FLAG_SHARE = 0.95
_FEWEST_DOUBTED = 10
"""Images with a label, and without it, so that it is doubted."""
_CONFIDENT = 0.9
_LIKELY = 0.7
"""Minimum balanced accuracy of a model whose predictions are compared with labels."""


class LabelTargets(Targets):
    """Labels of each image: 1 if it has the label, else 0; shape (N, labels)."""

    dtype = np.dtype(np.uint8)
    new_output = 0.0

    def refusal(self, value: float) -> str:
        """Return why a value is not valid for a label; empty if it is."""
        return (
            ""
            if value in (0, 1)
            else message("a label must be 0 or 1; received {value:g}", value=value)
        )

    def read(
        self,
        columns: Sequence[str],
        rows: Sequence[Sequence[str]],
        delimiter: str = "",  # noqa: ARG002 - of labels, not of numbers
    ) -> Annotated:
        """Read columns of 0 and 1, named as the labels, or a single column of lists.

        Lists are written "cat;dog", or as Python, NumPy and JSON do, see `tables.cells.list_in`.
        A missing value means 0, and no labels; a warning counts those beside a 0.

        Args:
            columns: Headings.
            rows: Cells of each row.
            delimiter: Not used.

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
        if len(columns) > 1 or _are_zeros_and_ones([row[0] for row in words]):
            return _of_columns(columns, words)
        return _of_lists(columns[0], [row[0] for row in words])

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

    def unused(self, columns: Sequence[str], rows: Sequence[Sequence[str]]) -> dict[str, Text]:
        """Return columns of 0 and 1 that are constant or have other values beside them.

        Args:
            columns: Headings.
            rows: Cells of each row.
        """
        cells = {name: [row[index] for row in rows] for index, name in enumerate(columns)}
        if sum(map(_are_flags, cells.values())) < 2:
            return {}
        others = {name: column for name, column in cells.items() if not _are_flags(column)}
        reasons = {name: _almost_flags(name, column) for name, column in others.items()}
        return {name: reason for name, reason in reasons.items() if reason}

    def is_evident(self, cells: Sequence[str]) -> bool:
        """Return True if cells list names, such as "cat;dog", that come again and again."""
        filled = [cell for cell in cells if not is_missing(cell)]
        lists = [list_in(cell) for cell in filled]
        if filled and all(values is not None for values in lists):
            return not any(map(is_number, (name for values in lists for name in values or ())))
        for delimiter in _DELIMITERS[:3]:
            if any(delimiter in cell for cell in filled):
                parts = [part.strip() for cell in filled for part in cell.split(delimiter)]
                return 2 * len(set(parts)) <= len(parts) and not any(map(is_number, filled))
        return False

    def has(self, values: TargetArray, output: int) -> NDArray[np.bool_]:
        """Return True for images with a label, shape (N,).

        Args:
            values: 0 or 1, shape (N, labels).
            output: Index of the label.
        """
        return np.equal(values[:, output], 1)

    def traits(self, values: TargetArray) -> NDArray[np.bool_]:
        """Return the labels themselves."""
        return values.astype(np.bool_)

    def doubts(
        self, predicted: NDArray[np.float64], values: TargetArray
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

    def document(self, names: Sequence[str], row: TargetArray) -> dict[str, object]:
        """Return the labels of an image as JSON data.

        Args:
            names: Names of all labels.
            row: 0 or 1, shape (labels,).
        """
        return {"labels": [names[label] for label in np.flatnonzero(row).tolist()]}

    def text(self, names: Sequence[str], units: Sequence[str], row: TargetArray) -> str:  # noqa: ARG002
        """Return the labels of an image as one line.

        Args:
            names: Names of all labels.
            units: Not used by this task.
            row: 0 or 1, shape (labels,).
        """
        return ", ".join(names[label] for label in np.flatnonzero(row).tolist()) or "no label"

    def figures(self, values: TargetArray) -> dict[str, NDArray[np.float64]]:
        """Return the share of the images that have each label."""
        return {SHARE: values.sum(axis=0) / max(len(values), 1)}


def _almost_flags(column: str, cells: Sequence[str]) -> Text:
    """Return why a column that mostly has 0 and 1 is no column of a label; empty for others."""
    words = [cell.strip().casefold() for cell in cells]
    filled = [word for word in words if not is_missing(word)]
    yes = sum(word in YES for word in filled)
    known = yes + sum(word in NO for word in filled)
    if not filled or (2 * known < len(filled) and not all(map(_is_fraction, filled))):
        return ""
    if known == len(filled):
        return message(
            'The column "{column}" was left out: all {count:,} values are {value}. To use it, '
            "name the columns of the labels (--target-columns).",
            column=column,
            count=len(filled),
            value=filled[0],
        )
    return message(
        'The column "{column}" was left out: {count:,} values are neither 0 nor 1, such as '
        "{value}. To use it, replace them, or remove the rows.",
        one='The column "{column}" was left out: a value is neither 0 nor 1: {value}. To use it, '
        "replace it, or remove the row.",
        column=column,
        count=len(filled) - known,
        value=shortened(next(word for word in filled if word not in YES | NO), _SHOWN),
    )


def _is_fraction(cell: str) -> bool:
    return is_number(cell) and cell[:2] in ("0", "0.", "0,", "1", "1.", "1,", ".")


def _are_signs(cells: Sequence[str]) -> bool:
    """Return True for a column of 1 and -1, as lists of attributes have them."""
    return {whole_number(cell) for cell in cells if not is_missing(cell)} == {-1, 1}


def _are_flags(cells: Sequence[str]) -> bool:
    if _are_signs(cells):
        return True
    words = [cell.strip().casefold() for cell in cells]
    yes = sum(word in YES for word in words)
    no = sum(word in NO or is_missing(word) for word in words)
    return yes > 0 and no > 0 and yes + no >= _FLAG_SHARE * len(words)


def _are_zeros_and_ones(cells: Sequence[str]) -> bool:
    return {whole_number(cell) for cell in cells if not is_missing(cell)} == {0, 1}


def _of_columns(columns: Sequence[str], rows: Sequence[Sequence[str]]) -> Annotated:
    values = np.zeros((len(rows), len(columns)), np.uint8)
    signs = {index for index in range(len(columns)) if _are_signs([row[index] for row in rows])}
    refused = {}
    missing: Counter[str] = Counter()
    has_no: set[str] = set()
    for index, row in enumerate(rows):
        for column, cell in enumerate(row):
            word = cell.casefold()
            if word in YES:
                values[index, column] = 1
            elif is_missing(word):
                missing[columns[column]] += 1
            elif word in NO or (column in signs and whole_number(word) == -1):
                has_no.add(columns[column])
            else:
                refused[index] = message(
                    'the column "{column}" contains "{value}" instead of 0 or 1',
                    column=columns[column],
                    value=cell,
                )
    if rows and len(refused) == len(rows):
        raise StudioError(
            "No image has 0 or 1 in all {count} columns of labels; of the first, {reason}.",
            "Choose the columns of the labels; on the command line with --target-columns.",
            "target_columns",
            count=len(columns),
            reason=as_message(refused[min(refused)]),
        )
    # Where a column marks labels alone, an empty cell is a no. Beside a 0 it may be unknown.
    unclear = {name: missing[name] for name in columns if missing[name] and name in has_no}
    warnings = _missing_warning(unclear) + _sign_warning([columns[each] for each in sorted(signs)])
    return Annotated(tuple(columns), values, refused=refused, warnings=warnings)


def _sign_warning(columns: Sequence[str]) -> tuple[Text, ...]:
    if not columns:
        return ()
    warning = message(
        '{count} columns of labels have 1 and -1, such as "{column}"; -1 was read as 0.',
        one='The column of labels "{column}" has 1 and -1; -1 was read as 0.',
        count=len(columns),
        column=columns[0],
    )
    return (warning,)


def _missing_warning(unclear: Mapping[str, int]) -> tuple[Text, ...]:
    if not unclear:
        return ()
    name, count = next(iter(unclear.items()))
    warning = message(
        "{count} empty cells of labels were read as 0, {first} of them in the column "
        '"{column}". If the labels of these images are unknown, remove their rows.',
        one='An empty cell of labels, in the column "{column}", was read as 0. If the labels of '
        "the image are unknown, remove its row.",
        count=sum(unclear.values()),
        first=count,
        column=name,
    )
    return (warning,)


def _of_lists(column: str, cells: Sequence[str]) -> Annotated:
    labels, refused, warnings = _lists(column, cells)
    names = sorted({name for row in labels for name in row}, key=natural_key)
    if not names or len(names) > MAX_LABELS:
        raise StudioError(
            "The table has {count} labels.",
            message(
                "It supports 1 to {limit:,} labels; separate several labels of an image by ;",
                limit=MAX_LABELS,
            ),
            "source",
            count=len(names),
        )
    number = {name: index for index, name in enumerate(names)}
    values = np.zeros((len(cells), len(names)), np.uint8)
    for index, row in enumerate(labels):
        values[index, [number[name] for name in row]] = 1
    warnings += _joined_warning(names)
    return Annotated(tuple(names), values, refused=refused, warnings=warnings)


def _joined_warning(names: Sequence[str]) -> tuple[Text, ...]:
    """Return a sentence if a label seems to be several of the others: "cat+dog" beside "cat"."""
    known = {*names}
    joined = [
        name for name in names if known & {*map(str.strip, _JOINED.split(name)[:99])} - {name}
    ]
    if not joined:
        return ()
    warning = message(
        '{count} labels look like several in one, such as "{name}". To separate them, write ; '
        "between labels.",
        one='The label "{name}" looks like several in one. To separate them, write ; between '
        "labels.",
        count=len(joined),
        name=joined[0],
    )
    return (warning,)


def _lists(
    column: str, cells: Sequence[str]
) -> tuple[list[list[str]], dict[int, str], tuple[Text, ...]]:
    """Return the labels of each cell, each once, why cells cannot be read, and warnings."""
    lists = ["" if is_missing(cell) else list_in(cell) for cell in cells]
    plain = [cell for cell, found in zip(cells, lists, strict=True) if found is None]
    delimiter = next((each for each in _DELIMITERS if any(each in cell for cell in plain)), ";")
    labels: list[list[str]] = []
    refused: dict[int, str] = {}
    for index, (cell, found) in enumerate(zip(cells, lists, strict=True)):
        if is_unreadable_list(cell):
            refused[index] = message(
                'the column "{column}" contains "{value}", which is not a list of labels',
                column=column,
                value=shortened(cell, _SHOWN),
            )
        parts = cell.split(delimiter) if found is None and index not in refused else found or ()
        labels.append(list(dict.fromkeys(filter(None, map(str.strip, parts)))))
    flat = iter(class_names([name for row in labels for name in row]))
    labels = [list(dict.fromkeys(islice(flat, len(row)))) for row in labels]
    return labels, refused, _space_warning(plain, delimiter)


def _space_warning(cells: Sequence[str], delimiter: str) -> tuple[Text, ...]:
    divided = [cell for cell in cells if delimiter in cell] if delimiter == " " else []
    if not divided or any(map(is_number, divided[0].split())):
        return ()
    warning = message(
        'Labels were separated at spaces in {count:,} cells, the first: "{cell}". If a name has '
        "spaces, separate several labels by ;",
        one='Labels were separated at spaces in the cell "{cell}". If a name has spaces, separate '
        "several labels by ;",
        count=len(divided),
        cell=shortened(divided[0], _SHOWN),
    )
    return (warning,)


TARGETS = LabelTargets()
