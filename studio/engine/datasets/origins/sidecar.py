"""A table of the origins of images beside exported files: `origins.csv`.

Formats of annotations have no place for the origin of an image. An import of a folder reads the
table, so that exports of datasets and labelings keep origins.
"""

from __future__ import annotations

import csv
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from studio.engine.csv_cells import CsvWriter, original
from studio.engine.errors import BadDataError
from studio.engine.files import flush_to_disk

SIDECAR_NAME: Final = "origins.csv"
_PATH: Final = "path"


def write_sidecar(folder: Path, heading: str, origins: Mapping[str, str]) -> None:
    """Write the origins of exported images; nothing without known origins.

    Args:
        folder: Folder of the export.
        heading: Heading of their column, see `heading_of`.
        origins: Origin of each image by its path in the folder; empty if it is unknown.
    """
    if not any(origins.values()):
        return
    path = folder / SIDECAR_NAME
    with path.open("w", newline="", encoding="utf-8", errors="surrogateescape") as file:
        table = CsvWriter(file)
        table.writerow([_PATH, heading])
        table.writerows([name, origin] for name, origin in origins.items())
    flush_to_disk(path)


def read_sidecar(folder: Path) -> tuple[str, dict[str, str]] | None:
    """Read the heading and the origins of the images of a folder; None without a table of Studio.

    Args:
        folder: The folder, or a file.

    Raises:
        BadDataError: The table cannot be read.
    """
    path = folder / SIDECAR_NAME
    if not path.is_file():
        return None
    try:
        with path.open(newline="", encoding="utf-8", errors="surrogateescape") as file:
            rows = [[original(cell) for cell in row] for row in csv.reader(file) if row]
    except (OSError, csv.Error) as error:
        raise BadDataError(
            "The table of origins {file} cannot be read: {reason}.",
            "Repair it, or move it to another folder.",
            "source",
            file=path,
            reason=error,
        ) from error
    if not rows or len(rows[0]) != 2 or rows[0][0] != _PATH:
        return None
    return rows[0][1], {row[0]: row[1] for row in rows[1:] if len(row) > 1}
