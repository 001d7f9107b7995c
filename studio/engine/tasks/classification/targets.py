"""Classes of images as targets: one column with the index of the class."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from studio.engine.errors import StudioError
from studio.engine.tasks.targets import Annotated, TargetArray, Targets


class ClassTargets(Targets):
    """One class for each image, which is the column `labels` of a dataset."""

    dtype = np.dtype(np.int32)
    new_output = 0.0
    in_file = False

    def refusal(self, value: float) -> str:  # noqa: ARG002 - no number is a class
        """Return why no number can be set: an image gets another class."""
        return "each image has one class"

    def labels(self, values: TargetArray) -> NDArray[np.int32]:
        """Return the class of each image; see `Targets.labels`."""
        found: NDArray[np.int32] = values[:, 0]
        return found

    def relabel(self, values: TargetArray, rows: NDArray[np.int64], label: int) -> None:
        """Give some images another class; see `Targets.relabel`."""
        values[rows, 0] = label

    def with_new_output(self, values: TargetArray) -> TargetArray:
        """Return the classes as they are: no image has the new one."""
        return values

    def stored(self, annotated: Annotated, rows: Sequence[int]) -> Annotated:
        """Leave out classes without images; see `Targets.stored`."""
        present, labels = np.unique(annotated.values[rows, 0], return_inverse=True)
        values = np.full_like(annotated.values, -1)
        values[rows, 0] = labels
        names = tuple(annotated.names[each] for each in present.tolist())
        return replace(annotated, names=names, values=values)

    def usable(
        self,
        columns: Sequence[str],  # noqa: ARG002 - classes have their own column
        rows: Sequence[Sequence[str]],  # noqa: ARG002
    ) -> list[str]:
        """Return no column: classes are read by all sources; see `Targets.usable`."""
        return []

    def read(
        self,
        columns: Sequence[str],
        rows: Sequence[Sequence[str]],
        delimiter: str = "",  # noqa: ARG002 - of tables of numbers
    ) -> Annotated:
        """Refuse a table of targets; see `Targets.read`.

        Raises:
            StudioError: Always.
        """
        raise StudioError(
            "A table ({columns} columns, {rows} rows) was read for targets; each image of this "
            "task has one class.",
            "Choose another task.",
            "task",
            columns=len(columns),
            rows=len(rows),
        )

    def has(self, values: TargetArray, output: int) -> NDArray[np.bool_]:
        """Return True for the images of a class; see `Targets.has`."""
        found: NDArray[np.bool_] = values[:, 0] == output
        return found

    def counts(self, values: TargetArray, outputs: int) -> list[int]:
        """Return the images of each class; see `Targets.counts`."""
        found: list[int] = np.bincount(values[:, 0], minlength=outputs).tolist()
        return found

    def rows(self, values: TargetArray, outputs: int) -> list[NDArray[np.int64]]:
        """Return the images of each class; see `Targets.rows`."""
        order = np.argsort(values[:, 0], kind="stable")
        return np.split(order, np.cumsum(self.counts(values, outputs))[:-1])

    def traits(self, values: TargetArray) -> NDArray[np.bool_]:
        """Return a mask of the class of each image; see `Targets.traits`."""
        found: NDArray[np.bool_] = values == np.arange(values.max(initial=-1) + 1)
        return found

    def split_traits(self, values: TargetArray) -> None:
        """Return None: splits distribute classes one by one; see `Targets.split_traits`."""

    def strata(self, values: TargetArray) -> NDArray[np.int32]:
        """Return the class of each image; see `Targets.strata`."""
        return values[:, 0].astype(np.int32)

    def document(self, names: Sequence[str], row: TargetArray) -> dict[str, object]:
        """Return the class of an image; see `Targets.document`."""
        return {"class": names[int(row[0])]}

    def text(self, names: Sequence[str], units: Sequence[str], row: TargetArray) -> str:  # noqa: ARG002
        """Return the class of an image; see `Targets.text`."""
        return names[int(row[0])]

    def table(
        self,
        names: Sequence[str],
        units: Sequence[str],  # noqa: ARG002 - of quantities
        values: TargetArray,
    ) -> tuple[list[str], list[list[str]]]:
        """Return the column of classes; see `Targets.table`."""
        return ["label"], [[name] for name in self.class_names(names, values)]

    def exported_table(
        self,
        names: Sequence[str],
        units: Sequence[str],  # noqa: ARG002 - of quantities
        values: TargetArray,
        splits: Sequence[str],
        rows: Sequence[int],
    ) -> tuple[list[str], list[list[object]]]:
        """Return class, split, index of the class and row; see `Targets.exported_table`."""
        labels = values[:, 0].tolist()
        columns = (self.class_names(names, values), splits, labels, rows)
        headings = ["label", "split", "class_index", "row"]
        return headings, [list(cells) for cells in zip(*columns, strict=True)]

    def arrays(self, values: TargetArray) -> dict[str, TargetArray]:
        """Return the class of each image; see `Targets.arrays`."""
        return {"labels": self.labels(values)}

    def name_arrays(
        self,
        names: Sequence[str],
        units: Sequence[str],  # noqa: ARG002 - of quantities
    ) -> dict[str, NDArray[np.str_]]:
        """Return the names of the classes; see `Targets.name_arrays`."""
        return {"class_names": np.array(names)}

    def class_folders(self, names: Sequence[str]) -> Sequence[str]:
        """Return the names of the classes; see `Targets.class_folders`."""
        return names

    def class_names(self, names: Sequence[str], values: TargetArray) -> list[str]:
        """Return the class of each image; see `Targets.class_names`."""
        return [names[label] for label in values[:, 0].tolist()]

    def examples(self, values: TargetArray) -> TargetArray:
        """Return the class of each image; see `Targets.examples`."""
        return self.labels(values)

    def figures(self, values: TargetArray) -> dict[str, NDArray[np.float64]]:  # noqa: ARG002
        """Return nothing: classes have no distribution of numbers; see `Targets.figures`."""
        return {}


TARGETS = ClassTargets()
