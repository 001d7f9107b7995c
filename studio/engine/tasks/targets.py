"""What the images of a dataset are annotated with, and how a task makes numbers of it."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

Values = NDArray[Any]


@dataclass(frozen=True, slots=True)
class Annotated:
    """The annotations of images, as numbers.

    Attributes:
        names: Of the outputs of a network: classes, labels, or measured quantities; K.
        values: One row per image, shape (N, K).
        units: Of the outputs, K; empty texts where they have none.
        refused: Why an image is left out, by its place; its row of `values` means nothing.
    """

    names: tuple[str, ...]
    values: Values
    units: tuple[str, ...] = ()
    refused: dict[int, str] = field(default_factory=dict)


class Targets(ABC):
    """How a task reads annotations from the columns of a table.

    Attributes:
        dtype: Of the stored values.
        new_output: Value of all images for an output that is added; None where none can be.
    """

    dtype: np.dtype[Any]
    new_output: float | None = None

    @abstractmethod
    def refusal(self, value: float) -> str:
        """Return why an edit cannot give an image that value; empty if it can."""

    @abstractmethod
    def read(self, columns: Sequence[str], rows: Sequence[Sequence[str]]) -> Annotated:
        """Make numbers of a table.

        Args:
            columns: Names of the columns, those of path and split left out.
            rows: The cells of each image, N rows of as many texts as there are columns.

        Raises:
            StudioError: The table holds nothing that this task can use.
        """

    def usable(self, columns: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:  # noqa: ARG002
        """Return the columns that look like targets of this task, told from their cells.

        Args:
            columns: Names of the columns.
            rows: Some rows of a table, of as many texts as there are columns.
        """
        return []

    def is_evident(self, cells: Sequence[str]) -> bool:  # noqa: ARG002
        """Return True for cells that are targets of this task and nothing else."""
        return False

    @abstractmethod
    def has(self, values: Values, output: int) -> NDArray[np.bool_]:
        """Return which images an output is about, shape N: those with the label, or all."""

    @abstractmethod
    def traits(self, values: Values) -> NDArray[np.bool_]:
        """Return what should occur equally often in training, validation and test.

        Args:
            values: Targets, shape (N, K).

        Returns:
            Which image has which trait, shape (N, M).
        """
