"""Annotations of the images of a dataset, and their conversion to numbers by a task."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from studio.engine.errors import StudioError
from studio.engine.messages import Text
from studio.engine.tasks.metric import with_unit

TargetArray = NDArray[Any]
_FIGURES: dict[str, Callable[..., Any]] = {
    "min": np.min,
    "mean": np.mean,
    "median": np.median,
    "max": np.max,
    "std": np.std,
}


@dataclass(frozen=True, slots=True)
class Annotated:
    """The annotations of images, as numbers.

    Attributes:
        names: Names of the outputs of a network: classes, labels, or measured quantities; K.
        values: One row per image, shape (N, K).
        units: Units of the outputs, K; empty texts where they have none.
        refused: Why an image is left out, by its index; its row of `values` is meaningless.
        colors: Colors of the classes of masks as "#rrggbb", K; empty if the data has none.
        warnings: Sentences about assumptions and conspicuous facts that a person should check.
    """

    names: tuple[str, ...]
    values: TargetArray
    units: tuple[str, ...] = ()
    refused: Mapping[int, str] = field(default_factory=dict)
    colors: tuple[str, ...] = ()
    warnings: tuple[Text, ...] = ()


def most_suspect(
    suspicion: NDArray[np.float64],
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return images by falling suspicion, and the most suspect output of each.

    Args:
        suspicion: Suspicion of each target, shape (N, K); 0 for none.
    """
    most = suspicion.max(axis=1, initial=0)
    order = np.argsort(-most, kind="stable")[: np.count_nonzero(most)].astype(np.int64)
    return order, suspicion[order].argmax(axis=1).astype(np.int64)


class Targets(ABC):
    """Annotations of the images of a task as numbers: reading, edits, statistics, splits, text.

    Examples:
        >>> from studio.engine.tasks import named_task
        >>> targets = named_task("regression").targets
        >>> found = targets.read(["mass [g]"], [["12"], ["7.5"]])
        >>> found.names, found.units
        (('mass',), ('g',))
        >>> targets.text(found.names, found.units, found.values[0])
        'mass 12 g'

    Attributes:
        dtype: Dtype of the stored values.
        new_output: Value of all images for an added output; None if outputs cannot be added.
        in_file: True if a file of the dataset has them; False if its column of classes has them.
    """

    dtype: np.dtype[Any]
    new_output: float | None = None
    in_file: bool = True

    @abstractmethod
    def refusal(self, value: float) -> str:
        """Return why an edit cannot give an image that value; empty if it can."""

    def labels(self, values: TargetArray) -> NDArray[np.int32]:
        """Return the class of each image, shape (N,); 0 where images do not have a single one.

        Args:
            values: Targets, shape (N, K).
        """
        return np.zeros(len(values), np.int32)

    def relabel(
        self,
        values: TargetArray,  # noqa: ARG002 - of classes
        rows: NDArray[np.int64],  # noqa: ARG002
        label: int,  # noqa: ARG002
    ) -> None:
        """Give some images another class, in place.

        Args:
            values: Targets of all images, shape (N, K).
            rows: The images, shape (n,).
            label: Index of the class.

        Raises:
            StudioError: The images do not have a single class each.
        """
        raise StudioError(
            "The images of this dataset do not have a single class each.",
            "Change one of their labels or quantities.",
            "class",
        )

    def with_new_output(self, values: TargetArray) -> TargetArray:
        """Return the targets of all images with one more class or label, which no image has.

        Args:
            values: Targets of all images, shape (N, K).

        Raises:
            StudioError: Outputs cannot be added, see `new_output`.
        """
        if self.new_output is None:
            raise StudioError(
                "A quantity that was never measured cannot be added to the images.",
                "Import a table with a column for it.",
                "class",
            )
        new = np.full((len(values), 1), self.new_output, values.dtype)
        return np.concatenate([values, new], axis=1)

    def stored(
        self,
        annotated: Annotated,
        rows: Sequence[int],  # noqa: ARG002 - of classes
    ) -> Annotated:
        """Return the annotations of an imported dataset: all that were found, by default.

        Args:
            annotated: The annotations of all images that were found.
            rows: Indices of the images that become part of the dataset.
        """
        return annotated

    @abstractmethod
    def read(
        self, columns: Sequence[str], rows: Sequence[Sequence[str]], delimiter: str = ""
    ) -> Annotated:
        """Convert a table to targets.

        Args:
            columns: Names of the columns, those of path and split left out.
            rows: The cells of each image, N rows of as many texts as there are columns.
            delimiter: Character between the cells of the table; empty if unknown. Where it is a
                comma, a comma in a number may separate thousands.

        Raises:
            StudioError: The table has no targets for this task.
        """

    def usable(
        self,
        columns: Sequence[str],
        rows: Sequence[Sequence[str]],  # noqa: ARG002 - any column may be
    ) -> list[str]:
        """Return the columns that look like targets of this task, judged by their cells.

        Args:
            columns: Names of the columns.
            rows: Some rows of a table, of as many texts as there are columns.
        """
        return list(columns)

    def unused(
        self,
        columns: Sequence[str],  # noqa: ARG002 - for other tasks
        rows: Sequence[Sequence[str]],  # noqa: ARG002 - for other tasks
    ) -> dict[str, Text]:
        """Return columns that could be targets and are not used unless requested, and why.

        Args:
            columns: Names of the columns.
            rows: The rows of the table.
        """
        return {}

    def is_evident(self, cells: Sequence[str]) -> bool:  # noqa: ARG002
        """Return True for cells that are targets of this task and nothing else."""
        return False

    @abstractmethod
    def has(self, values: TargetArray, output: int) -> NDArray[np.bool_]:
        """Return True for images that an output applies to, shape (N,).

        Args:
            values: Targets, shape (N, outputs).
            output: Index of the output.
        """

    def counts(self, values: TargetArray, outputs: int) -> list[int]:
        """Return the number of images that each output applies to.

        Args:
            values: Targets, shape (N, outputs).
            outputs: Number of outputs.
        """
        return [int(self.has(values, output).sum()) for output in range(outputs)]

    def rows(self, values: TargetArray, outputs: int) -> list[NDArray[np.int64]]:
        """Return the indices of the images that each output applies to, ascending.

        Args:
            values: Targets, shape (N, outputs).
            outputs: Number of outputs.
        """
        return [np.flatnonzero(self.has(values, output)) for output in range(outputs)]

    @abstractmethod
    def traits(self, values: TargetArray) -> NDArray[np.bool_]:
        """Return the traits that should be equally frequent in training, validation and test.

        Args:
            values: Targets, shape (N, K).

        Returns:
            Traits of each image, bool, shape (N, M).
        """

    def split_traits(self, values: TargetArray) -> NDArray[np.bool_] | None:
        """Return the traits that splits distribute; None where they distribute `labels`.

        Args:
            values: Targets, shape (N, K).
        """
        return self.traits(values)

    def strata(self, values: TargetArray) -> NDArray[np.int32]:
        """Return the rarest trait of each image, or the number of traits where it has none.

        Args:
            values: Targets, shape (N, K).

        Returns:
            Shape (N,).
        """
        traits = self.traits(values)
        counts = np.append(traits.sum(axis=0), len(values) + 1)
        has = np.column_stack([traits, np.ones(len(values), np.bool_)])
        found: NDArray[np.int32] = np.where(has, counts, len(values) + 2).argmin(axis=1)
        return found.astype(np.int32)

    def doubts(
        self,
        predicted: NDArray[np.float64],  # noqa: ARG002 - for other tasks
        values: TargetArray,  # noqa: ARG002 - for other tasks
    ) -> tuple[NDArray[np.int64], NDArray[np.int64]] | str:
        """Return targets that are probably wrong, or why that is not known.

        Args:
            predicted: Out of fold, shape (N, K).
            values: Targets, shape (N, K).

        Returns:
            Images, each once and the most suspect first, and the output that each is about.
        """
        return "such targets cannot be predicted by simple models"

    def percentages(self, values: TargetArray) -> TargetArray | None:  # noqa: ARG002 - of masks
        """Return what percentage of an image each target is; None if it is no part of it.

        Args:
            values: Targets, shape (N, K).
        """
        return None

    def document(self, names: Sequence[str], row: TargetArray) -> dict[str, object]:
        """Return the targets of an image as JSON data.

        Args:
            names: Names of the outputs, K.
            row: Targets, shape (K,).
        """
        return {"values": dict(zip(names, row.tolist(), strict=True))}

    def text(self, names: Sequence[str], units: Sequence[str], row: TargetArray) -> str:
        """Return the targets of an image in a line.

        Args:
            names: Names of the outputs, K.
            units: Units of the outputs, K; empty where they have none.
            row: Targets, shape (K,).
        """
        units = units or [""] * len(names)
        return ", ".join(
            f"{name} {value:.4g} {unit}".rstrip()
            for name, value, unit in zip(names, row.tolist(), units, strict=True)
        )

    def table(
        self, names: Sequence[str], units: Sequence[str], values: TargetArray
    ) -> tuple[list[str], list[list[str]]]:
        """Return targets as a table that `read` makes the same targets of.

        Args:
            names: Names of the outputs, K.
            units: Units of the outputs, K; empty where they have none.
            values: Shape (N, K).

        Returns:
            Names of the columns, and the cells of each image.
        """
        units = units or [""] * len(names)
        columns = [with_unit(*each) for each in zip(names, units, strict=True)]
        # NumPy writes as few digits as are read back as the same number.
        return columns, [[str(value) for value in row] for row in values]

    def exported_table(
        self,
        names: Sequence[str],
        units: Sequence[str],
        values: TargetArray,
        splits: Sequence[str],
        rows: Sequence[int],  # noqa: ARG002 - of classes
    ) -> tuple[list[str], list[list[object]]]:
        """Return the table of an exported dataset without its paths.

        Args:
            names: Names of the outputs, K.
            units: Units of the outputs, K; empty where they have none.
            values: Targets of the images, shape (n, K).
            splits: Split of each image, n.
            rows: Row of each image in the dataset, n.

        Returns:
            Names of the columns, and the cells of each image.
        """
        columns, cells = self.table(names, units, values)
        return ["split", *columns], [
            [split, *row] for split, row in zip(splits, cells, strict=True)
        ]

    def arrays(self, values: TargetArray) -> dict[str, TargetArray]:
        """Return the arrays of targets in an exported file, by their names.

        Args:
            values: Targets of the images, shape (n, K).
        """
        return {"targets": values}

    def name_arrays(
        self, names: Sequence[str], units: Sequence[str]
    ) -> dict[str, NDArray[np.str_]]:
        """Return the arrays that name the outputs in an exported file, by their names.

        Args:
            names: Names of the outputs, K.
            units: Units of the outputs, K; empty where they have none.
        """
        return {
            "target_names": np.array(names),
            "target_units": np.array(units or [""] * len(names)),
        }

    def class_folders(self, names: Sequence[str]) -> Sequence[str]:  # noqa: ARG002 - of classes
        """Return the names of folders by `labels`; none if folders cannot tell all targets.

        Args:
            names: Names of the outputs, K.
        """
        return ()

    def class_names(self, names: Sequence[str], values: TargetArray) -> list[str]:  # noqa: ARG002
        """Return the name of the class of each image; empty where images have no single one.

        Args:
            names: Names of the outputs, K.
            values: Targets of the images, shape (n, K).
        """
        return [""] * len(values)

    def examples(self, values: TargetArray) -> TargetArray:
        """Return targets for other libraries: the row of each image, or its class, shape (n,).

        Args:
            values: Targets of the images, shape (n, K).
        """
        return values

    def totals(self, names: Sequence[str], values: TargetArray) -> dict[str, object]:  # noqa: ARG002
        """Return further facts about a dataset as JSON data; none by default.

        Args:
            names: Names of the outputs, K.
            values: Targets of all images, shape (N, K).
        """
        return {}

    def figures(self, values: TargetArray) -> dict[str, NDArray[np.float64]]:
        """Return the distribution of the targets of each output.

        Args:
            values: Shape (N, K).

        Returns:
            K figures by their names; NaN without images.
        """
        if not len(values):
            return dict.fromkeys(_FIGURES, np.full(values.shape[1], np.nan))
        exact = values.astype(np.float64)
        return {name: figure(exact, axis=0) for name, figure in _FIGURES.items()}


class RegionCounts(Targets):
    """Base of targets that count what an image has of each class: int32, shape (N, K).

    They come from masks or boxes, never from a table; statistics of images are about the
    classes in them.
    """

    dtype = np.dtype(np.int32)
    new_output = 0.0

    def usable(
        self,
        columns: Sequence[str],  # noqa: ARG002 - none holds regions
        rows: Sequence[Sequence[str]],  # noqa: ARG002
    ) -> list[str]:
        """Return no column: regions come from annotation files; see `Targets.usable`."""
        return []

    def read(
        self,
        columns: Sequence[str],
        rows: Sequence[Sequence[str]],
        delimiter: str = "",  # noqa: ARG002
    ) -> Annotated:
        """Refuse a table: it has one row for each image.

        Args:
            columns: Names of the columns.
            rows: Cells of each row.
            delimiter: Not used.

        Raises:
            StudioError: Always.
        """
        raise StudioError(
            "A table ({columns} columns, {rows} rows) with one row for each image contains "
            "no masks and no boxes.",
            "Import the folder with the images and the annotation files.",
            "source",
            columns=len(columns),
            rows=len(rows),
        )

    def doubts(
        self,
        predicted: NDArray[np.float64],  # noqa: ARG002 - of regions nothing is predicted here
        values: TargetArray,  # noqa: ARG002
    ) -> tuple[NDArray[np.int64], NDArray[np.int64]] | str:
        """Return the reason why wrong regions cannot be found; see `Targets.doubts`."""
        return "baseline models on small copies of the images cannot predict masks or boxes"

    def has(self, values: TargetArray, output: int) -> NDArray[np.bool_]:
        """Return True for images that have the class, shape (N,).

        Args:
            values: Counts of each class, shape (N, K).
            output: Index of the class.
        """
        return np.greater(values[:, output], 0)

    def traits(self, values: TargetArray) -> NDArray[np.bool_]:
        """Return a mask of the classes that occur in each image."""
        return np.greater(values, 0)
