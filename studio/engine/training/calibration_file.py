"""What validation told of the outputs of a run's model: `calibration.json` in its folder."""

from __future__ import annotations

from pathlib import Path

from studio.engine.documents import read_document, write_document
from studio.engine.tasks.answer import Calibration

CALIBRATION_NAME = "calibration.json"


def write_calibration(folder: Path, calibration: Calibration) -> None:
    """Write it into the folder of a run.

    Raises:
        DiskFullError: No space was left.
    """
    write_document(folder / CALIBRATION_NAME, calibration)


def read_calibration(folder: Path) -> Calibration:
    """Return that of a run; an empty one where there is none.

    Raises:
        BadDataError: It is damaged.
    """
    path = folder / CALIBRATION_NAME
    return read_document(path, Calibration, "calibration", "Train again.") or Calibration()
