"""Writing annotations as a table beside the pictures."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import ClassVar

from studio.engine.csv_cells import CsvWriter
from studio.engine.tasks.annotation_files.classes import write_classes
from studio.engine.tasks.annotations import AnnotationWriter


class AnnotationTableWriter(AnnotationWriter):
    """Base of writers of a table with a row for each object; `add` appends to `rows`.

    Pictures without objects have a row, too, whose other cells are empty.

    Attributes:
        table: Name of the file.
        columns: Names of the columns; the first ones are the path and the split of the picture.
        rows: The rows so far.
    """

    table: ClassVar[str]
    columns: ClassVar[tuple[str, ...]]

    def __init__(self, folder: Path, names: Sequence[str], colors: Sequence[str]) -> None:
        super().__init__(folder, names, colors)
        self.rows: list[list[object]] = []

    def picture_path(self, name: str, split: str) -> str:
        """Return a path in the folder of a split; see `AnnotationWriter.picture_path`."""
        return f"images/{split}/{name}"

    def add_nothing(self, picture: str, split: str) -> None:
        """Append the row of a picture without objects.

        Args:
            picture: Its path relative to the folder.
            split: Its split.
        """
        self.rows.append([picture, split, *[""] * (len(self.columns) - 2)])

    def finish(self) -> None:
        """Write the table, and a line with the color and the name of each class."""
        with (self.folder / self.table).open("w", newline="", encoding="utf-8") as file:
            table = CsvWriter(file)
            table.writerow(self.columns)
            table.writerows(self.rows)
        write_classes(self.folder, self.names, self.colors)
