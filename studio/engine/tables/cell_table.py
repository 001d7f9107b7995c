"""Tables as rows of cells, whatever the kind of their file."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from studio.engine.errors import one_line, shortened
from studio.engine.messages import Text

EXAMINED: Final = 50
"""Number of the first rows that tell the shape of a table."""
_LONGEST_SHOWN: Final = 100
"""Characters of a row in a report."""
_IMAGE_ENDINGS = (
    *(".png", ".jpg", ".jpeg", ".jpe", ".jfif", ".bmp", ".gif", ".tif", ".tiff", ".webp"),
    *(".ppm", ".pgm", ".mpo", ".dcm", ".dicom", ".npy", ".btf", ".tf8", ".lsm", ".svs"),
)


class TableRow(NamedTuple):
    """A row of a table.

    Attributes:
        line: Line of the file where it begins, from 1.
        cells: Its cells without surrounding spaces.
    """

    line: int
    cells: tuple[str, ...]


class Unread(NamedTuple):
    """Lines of a table that cannot be read.

    Attributes:
        line: The first of them, from 1.
        shown: How the line begins.
        reason: A few words.
        lines: Number of lines.
    """

    line: int
    shown: str
    reason: Text
    lines: int = 1


@dataclass(frozen=True, slots=True)
class CellTable:
    """The content of a table.

    Attributes:
        delimiter: Character between two cells.
        rows: All rows that have cells, the header among them.
        unread: Lines that cannot be read.
        warnings: Sentences about assumptions.
        has_objects: True if rows are objects of images by the structure of the file.
    """

    delimiter: str
    rows: list[TableRow]
    unread: list[Unread] = field(default_factory=list)
    warnings: list[Text] = field(default_factory=list)
    has_objects: bool = False

    @property
    def width(self) -> int:
        """Number of cells of the widest of the first rows."""
        return max((len(row.cells) for row in self.rows[:EXAMINED]), default=0)


def is_image_name(cell: str) -> bool:
    """Return True for a text that ends as the name of an image does."""
    return cell.strip().casefold().endswith(_IMAGE_ENDINGS)


def joined_cells(cells: Sequence[str]) -> str:
    """Return the beginning of a row for a report."""
    return shortened(one_line(", ".join(cells)), _LONGEST_SHOWN)


def shown_line(text: str) -> str:
    """Return the beginning of a text for a report, in one line."""
    return shortened(one_line(text.strip()), _LONGEST_SHOWN)
