"""Numbers of images: the numeric columns of a table, with units in their names."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from studio.engine.errors import StudioError
from studio.engine.tasks.targets import Annotated, Targets, Values, most_suspect

_UNIT = re.compile(r"(?P<name>.+?)\s*[\[(](?P<unit>[^\[\]()]+)[\])]")
_BINS = 10
_LARGEST = float(np.finfo(np.float32).max)
_NUMERIC_SHARE = 0.5
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
        return "" if fits else f"a target is a finite number; received {value}"

    def read(self, columns: Sequence[str], rows: Sequence[Sequence[str]]) -> Annotated:
        """Read every column whose cells are numbers; `height [cm]` names its unit.

        Raises:
            StudioError: No column holds numbers.
        """
        cells = [[_number(cell) for cell in row] for row in rows]
        table = np.array(cells, np.float64).reshape(len(rows), len(columns))
        # A column of remarks or names is no target; one of numbers may have a few bad cells.
        shares = np.isfinite(table).sum(axis=0) / max(len(rows), 1)
        numeric: list[int] = np.flatnonzero(shares > _NUMERIC_SHARE).tolist()
        if not numeric:
            raise StudioError(
                "The table has no column of numbers.",
                "Regression takes one column per quantity; a unit may follow in brackets, "
                "for example: weight [g].",
                "source",
            )
        named = [_UNIT.fullmatch(columns[column]) for column in numeric]
        names = tuple(
            match["name"] if match else columns[column]
            for match, column in zip(named, numeric, strict=True)
        )
        values = table[:, numeric].astype(np.float32)
        refused = {
            int(place): f'the column "{names[column]}" holds "{rows[place][numeric[column]]}", '
            "which is no number"
            for place, column in np.argwhere(~np.isfinite(values))[::-1]
        }
        units = tuple(match["unit"].strip() if match else "" for match in named)
        return Annotated(names, values, units, refused)

    def usable(self, columns: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
        """Return the columns of numbers."""
        return [
            name
            for place, name in enumerate(columns)
            if sum(math.isfinite(_number(row[place])) for row in rows) > _NUMERIC_SHARE * len(rows)
        ]

    def is_evident(self, cells: Sequence[str]) -> bool:
        """Return True for numbers of which some are not whole."""
        numbers = [_number(cell) for cell in cells]
        return all(map(math.isfinite, numbers)) and not all(n.is_integer() for n in numbers)

    def has(self, values: Values, output: int) -> NDArray[np.bool_]:  # noqa: ARG002
        """Return all images: each has every quantity."""
        return np.ones(len(values), np.bool_)

    def doubts(
        self, predicted: NDArray[np.float64], values: Values
    ) -> tuple[NDArray[np.int64], NDArray[np.int64]] | str:
        """Return numbers far from what is predicted, in robust standard deviations.

        The deviation is that of normal errors with the same 95th percentile. Quantities that
        simple models do not predict are not doubted. Measured with the 3,000 pictures of three
        digits: none is doubted as they are; with 60 numbers moved by three deviations, 21 of
        those and no other.
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

    def traits(self, values: Values) -> NDArray[np.bool_]:
        """Return in which tenth of its values each target of an image lies."""
        parts = []
        for column in values.T:
            edges = np.unique(np.quantile(column, np.linspace(0, 1, _BINS + 1)[1:-1]))
            tenth = np.searchsorted(edges, column, side="right")
            parts.append(tenth[:, None] == np.arange(len(edges) + 1))
        return np.concatenate(parts, axis=1)


def _number(cell: str) -> float:
    text = cell.strip()
    try:
        value = float(text)
    except ValueError:
        # 3,5 as Brazilians and most Europeans write it.
        try:
            value = float(text.replace(",", ".")) if text.count(",") == 1 else math.nan
        except ValueError:
            return math.nan
    return value if abs(value) <= _LARGEST else math.nan


TARGETS = NumberTargets()
