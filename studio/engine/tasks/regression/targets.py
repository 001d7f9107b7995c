"""Numbers as targets: their columns in a table, predictions with intervals, and metrics."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from studio.engine.errors import StudioError, shortened
from studio.engine.messages import Text, message
from studio.engine.tables.cells import is_missing
from studio.engine.tables.columns import are_dates, numbers_rows
from studio.engine.tables.numbers import is_number, number_columns, whole_number, without_unit
from studio.engine.tasks.calibration import Calibration
from studio.engine.tasks.parts.prediction import Prediction
from studio.engine.tasks.parts.values import NamedValue, Values
from studio.engine.tasks.prediction import Figures, Meaning, Outputs, Predictor, Reporter
from studio.engine.tasks.regression.task import MAE, R2, RMSE
from studio.engine.tasks.targets import Annotated, TargetArray, Targets, most_suspect


class ReportsNumbers(Reporter):
    """Measures each quantity in its unit; those of the whole are means over the quantities."""

    whole = (MAE, RMSE, R2)
    outputs = (MAE, RMSE, R2)

    def measure(
        self,
        outputs: Outputs,
        targets: NDArray[Any],
        calibration: Calibration,  # noqa: ARG002
    ) -> Figures:
        """Compute all metrics; R² of a constant quantity is NaN.

        Args:
            outputs: Predicted values, shape (N, quantities).
            targets: True values, shape (N, quantities).
            calibration: Margins of the predictions.
        """
        truth = targets.astype(np.float64)
        error = outputs.astype(np.float64) - truth
        squared = (error**2).mean(axis=0)
        variance = truth.var(axis=0)
        r2 = 1 - np.divide(
            squared, variance, out=np.full(len(squared), np.nan), where=variance > 0
        )
        each = {MAE.name: np.abs(error).mean(axis=0), RMSE.name: np.sqrt(squared), R2.name: r2}
        whole = {
            name: float(values[np.isfinite(values)].mean())
            if np.isfinite(values).any()
            else np.nan
            for name, values in each.items()
        }
        return Figures(whole, each)


REPORTER = ReportsNumbers()


_LEVEL = 0.95


class PredictsNumbers(Predictor):
    """Predicts the value of each quantity."""

    parts = (Values,)
    calibrates = True

    def calibrated(
        self,
        outputs: Outputs,
        targets: NDArray[Any],
        count: int,  # noqa: ARG002 - of boxes
    ) -> Calibration:
        """Compute the margin that contains the absolute errors of 95 % of the validation images.

        The margin is the quantile of split conformal prediction (J. Lei et al., "Distribution-free
        predictive inference for regression", JASA 2018): the value of a new image of the same kind
        lies inside with at least that probability. Too few images give no margins.

        Args:
            outputs: Predicted values of the validation images, shape (N, quantities).
            targets: True values, shape (N, quantities).
            count: Not used by this task.
        """
        images = len(outputs)
        rank = math.ceil((images + 1) * _LEVEL)
        if rank > images:
            return Calibration(level=_LEVEL, images=images)
        errors = np.sort(np.abs(outputs.astype(np.float64) - targets), axis=0)
        margins = tuple(errors[rank - 1].tolist())
        return Calibration(margins=margins, level=_LEVEL, images=images)

    def predictions(
        self,
        outputs: Outputs,
        meaning: Meaning,
        top: int,  # noqa: ARG002 - of classes
    ) -> list[Prediction]:
        """Return every quantity of each image.

        Args:
            outputs: Predicted values, shape (n, quantities).
            meaning: Names, units and margins.
            top: Not used by this task.
        """
        return [Prediction(values=Values(quantities=_quantities(row, meaning))) for row in outputs]


def _quantities(row: Outputs, meaning: Meaning) -> tuple[NamedValue, ...]:
    margins = meaning.calibration.margins
    found = []
    for index, name in enumerate(meaning.names):
        value = float(row[index])
        margin = margins[index] if margins else None
        found.append(
            NamedValue(
                name=name,
                value=value,
                low=None if margin is None else value - margin,
                high=None if margin is None else value + margin,
                unit=meaning.units[index] if meaning.units else "",
            )
        )
    return tuple(found)


PREDICTOR = PredictsNumbers()


_UNIT = re.compile(r"(?P<name>.+?)\s*[\[(](?P<unit>[^\[\]()]+)[\])]")
_QUANTITY = re.compile(r"[-+]?[\d.,]*\d")
"""Beginning of a number, perhaps with a unit behind it."""
_BINS = 10
_LARGEST = float(np.finfo(np.float32).max)
_NUMERIC_SHARE = 0.5
_PLACEHOLDERS = [10.0**digits - 1 for digits in range(2, 8)]
"""Numbers that stand for missing values in old tables, such as 999."""
_FAR_PLACEHOLDER = 2.0
"""Ranges of the other numbers from which on such a number is none of them."""
_REPEATED_PLACEHOLDER = 0.1
"""The same where it occurs several times."""
_SHOWN = 60
_FEWEST_CONSTANT = 5
_MAX_ROUNDING = 0.001
"""Rounding error of numbers, as a share of their deviation, above which it is pointed out."""
_PREDICTED = 0.5
"""Usual error, as a share of the deviation of a quantity, below which it is doubted."""
_FAR = 6.0
"""Deviations of the errors from which on a number is suspect: hardly one in a million by chance,
but errors of simple models have long tails."""


class NumberTargets(Targets):
    """Measured quantities of each image: float32, shape (N, quantities)."""

    dtype = np.dtype(np.float32)

    def refusal(self, value: float) -> str:
        """Return why a value cannot be stored; empty if it can."""
        fits = abs(value) <= _LARGEST
        return (
            ""
            if fits
            else message("a target must be a finite number; received {value}", value=value)
        )

    def read(
        self, columns: Sequence[str], rows: Sequence[Sequence[str]], delimiter: str = ""
    ) -> Annotated:
        """Read columns of numbers; a heading such as `height [cm]` names its unit.

        Args:
            columns: Headings.
            rows: Cells of each row.
            delimiter: Character between the cells of the table; see `tables.numbers`.

        Raises:
            StudioError: A column has no numbers.
        """
        plain = [without_unit([row[index] for row in rows]) for index in range(len(columns))]
        cells = [column for column, _ in plain]
        if not any(_has_numbers(column) for column in cells):
            raise _without_numbers(columns, cells)
        for name, column in zip(columns, cells, strict=True):
            if not any(map(is_number, column)):
                raise _without_numbers([name], [column])
        found = number_columns(cells, columns, delimiter)
        named = [_UNIT.fullmatch(column) for column in columns]
        names = tuple(
            match["name"] if match else column
            for match, column in zip(named, columns, strict=True)
        )
        table = np.array([each.values for each in found], np.float64).T
        values = np.where(np.abs(table) <= _LARGEST, table, np.nan).astype(np.float32)
        refused = {
            int(index): _refusal(names[column], rows[index][column])
            for index, column in np.argwhere(~np.isfinite(values))[::-1]
        }
        units = tuple(
            match["unit"].strip() if match else unit
            for match, (_, unit) in zip(named, plain, strict=True)
        )
        warnings = tuple(each.warning for each in found if each.warning)
        warnings += tuple(
            _rounded(name)
            for name, exact, column in zip(names, table.T, values.T, strict=True)
            if _loses_precision(exact, column)
        )
        warnings += tuple(
            warning
            for name, column in zip(names, values.T, strict=True)
            for warning in _placeholders(name, column)
        )
        return Annotated(names, values, units, refused, warnings=warnings)

    def usable(self, columns: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
        """Return the columns of numbers that are not half empty and do not number the rows.

        Args:
            columns: Headings.
            rows: Cells of each row.
        """
        unused = self.unused(columns, rows)
        return [
            name
            for index, name in enumerate(columns)
            if name not in unused and _has_numbers(without_unit([row[index] for row in rows])[0])
        ]

    def unused(self, columns: Sequence[str], rows: Sequence[Sequence[str]]) -> dict[str, Text]:
        """Return columns of numbers that cannot all be read, are half empty or number the rows.

        See `Targets.unused`.

        Args:
            columns: Headings.
            rows: Cells of each row.
        """
        cells = {
            name: without_unit([row[index] for row in rows])[0]
            for index, name in enumerate(columns)
        }
        numeric = {name: column for name, column in cells.items() if _has_numbers(column)}
        found = {
            name: _mixed(name, column)
            for name, column in cells.items()
            if name not in numeric and _begin_with_numbers(column)
        }
        for name, column in numeric.items():
            numbers = sum(map(is_number, column))
            if numbers <= _NUMERIC_SHARE * len(rows):
                found[name] = _half_empty(name, len(rows) - numbers, len(rows))
            elif numbers_rows(name, column, by_name_only=len(numeric) == 1):
                found[name] = message(
                    'The column "{column}" numbers the rows, and is not learned as a quantity. To '
                    "use it, name it as target column (--target-columns).",
                    column=name,
                )
            elif _is_constant(column) and len(numeric) > 1:
                found[name] = message(
                    'The column "{column}" has the same number in all rows, and is not learned '
                    "as a quantity. To use it, name it as target column (--target-columns).",
                    column=name,
                )
            elif are_dates(column):
                found[name] = message(
                    'The column "{column}" has dates, and is not learned as a quantity. To use '
                    "it, name it as target column (--target-columns).",
                    column=name,
                )
        return found

    def is_evident(self, cells: Sequence[str]) -> bool:
        """Return True for numbers of which some are not whole."""
        filled = [cell for cell in cells if not is_missing(cell)]
        return (
            bool(filled)
            and all(map(is_number, filled))
            and any(whole_number(cell) is None for cell in filled)
        )

    def has(self, values: TargetArray, output: int) -> NDArray[np.bool_]:  # noqa: ARG002
        """Return True for every image: each one has every quantity.

        Args:
            values: Shape (N, quantities).
            output: Index of the quantity.
        """
        return np.ones(len(values), np.bool_)

    def doubts(
        self, predicted: NDArray[np.float64], values: TargetArray
    ) -> tuple[NDArray[np.int64], NDArray[np.int64]] | str:
        """Return values far from their predictions, in robust standard deviations.

        The deviation is that of normal errors with the same 95th percentile. Quantities that
        simple models cannot predict are not doubted. Measured on 3,000 pictures of three digits:
        no value is doubted; with 60 values shifted by three deviations, 21 of these and no other.

        Args:
            predicted: Out-of-fold predictions, shape (N, quantities).
            values: True values, shape (N, quantities).

        Returns:
            Rows and quantities, the most suspect first; or the reason why there is no result.
        """
        truth = values.astype(np.float64)
        error = predicted - truth
        spread = truth.std(axis=0)
        usual = np.quantile(np.abs(error), 0.95, axis=0) / 1.96
        known = (spread > 0) & (usual < _PREDICTED * spread)
        if not known.any():
            return "simple models on small copies of the images predict no quantity well enough"
        far = np.abs(error) / np.maximum(usual, 1e-9 * spread + np.finfo(float).tiny)
        return most_suspect(np.where(known & (far > _FAR), far, 0))

    def traits(self, values: TargetArray) -> NDArray[np.bool_]:
        """Return in which tenth of its values each target of an image lies."""
        parts = []
        for column in values.T:
            edges = np.unique(np.quantile(column, np.linspace(0, 1, _BINS + 1)[1:-1]))
            tenth = np.searchsorted(edges, column, side="right")
            parts.append(tenth[:, None] == np.arange(len(edges) + 1))
        return np.concatenate(parts, axis=1)


def _has_numbers(cells: Sequence[str]) -> bool:
    """Return True if most cells that are not empty are numbers, as in no column of remarks."""
    filled = [cell for cell in cells if not is_missing(cell)]
    return sum(map(is_number, filled)) > _NUMERIC_SHARE * len(filled)


def _is_constant(cells: Sequence[str]) -> bool:
    """Return True if all of several cells that are not empty are the same."""
    filled = [cell.strip() for cell in cells if not is_missing(cell)]
    return len(filled) >= _FEWEST_CONSTANT and len({*filled}) == 1


def _begin_with_numbers(cells: Sequence[str]) -> bool:
    """Return True if most cells that are not empty begin like a number with another unit each."""
    filled = [cell for cell in cells if not is_missing(cell)]
    return sum(_QUANTITY.match(cell.strip()) is not None for cell in filled) > len(filled) / 2


def _loses_precision(exact: NDArray[np.float64], stored: NDArray[np.float32]) -> bool:
    """Return True if numbers of 32 bits differ from those of a table by a part of their spread."""
    known = np.isfinite(stored)
    error = np.abs(stored[known] - exact[known]).max(initial=0)
    return bool(error > _MAX_ROUNDING * exact[known].std() > 0)


def _rounded(column: str) -> Text:
    return message(
        'The numbers of the column "{column}" differ so little from each other that 32 bits do '
        "not tell them apart. Subtract a constant from them.",
        column=column,
    )


def _placeholders(column: str, values: NDArray[np.float32]) -> Iterator[Text]:
    """Yield a sentence about numbers such as -999 that are far from all others."""
    known = values[np.isfinite(values)]
    is_placeholder = np.isin(np.abs(known), _PLACEHOLDERS)
    others = known[~is_placeholder]
    if len(others) < 2:
        return
    low, high = float(others.min()), float(others.max())
    for value, count in zip(*np.unique(known[is_placeholder], return_counts=True), strict=True):
        far = _FAR_PLACEHOLDER if count == 1 else _REPEATED_PLACEHOLDER
        if max(low - value, value - high) > far * (high - low):
            yield message(
                'The column "{column}" has the number {value:g} {count:,} times, far from all '
                "others. If it stands for a missing value, empty these cells.",
                one='The column "{column}" has the number {value:g}, far from all others. If it '
                "stands for a missing value, empty this cell.",
                count=int(count),
                column=column,
                value=float(value),
            )


def _mixed(column: str, cells: Sequence[str]) -> Text:
    first = next(cell for cell in cells if _QUANTITY.match(cell.strip()))
    return message(
        'The column "{column}" is not used: most of its cells are no numbers with the same unit, '
        "such as {cell}.",
        column=column,
        cell=repr(first.strip()[:40]),
    )


def _refusal(column: str, cell: str) -> Text:
    if not cell.strip():
        return message('the column "{column}" is empty', column=column)
    return message(
        'the column "{column}" contains "{value}", which is not a number',
        column=column,
        value=shortened(cell, _SHOWN),
    )


def _half_empty(name: str, without: int, count: int) -> str:
    return message(
        'The column "{column}" was left out: {without} of {count} cells are empty or no numbers. '
        "To use it, name it as target column (--target-columns); images without a number are "
        "then left out.",
        column=name,
        without=without,
        count=count,
    )


def _without_numbers(columns: Sequence[str], cells: Sequence[Sequence[str]]) -> StudioError:
    filled = [cell for column in cells for cell in column if not is_missing(cell)]
    first = next((cell for cell in filled if not is_number(cell)), next(iter(filled), ""))
    if len(columns) != 1:
        reason = message("The table has no column of numbers.")
    elif first:
        reason = message(
            'The table has no column of numbers: "{column}" contains "{value}".',
            column=columns[0],
            value=shortened(first, _SHOWN),
        )
    else:
        reason = message(
            'The table has no column of numbers: "{column}" is empty.', column=columns[0]
        )
    return StudioError(
        reason,
        "Regression takes one column per quantity; a unit may follow in brackets, for example: "
        "weight [g].",
        "target_columns",
    )


TARGETS = NumberTargets()
