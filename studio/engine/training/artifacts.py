"""Names of what a run keeps: its model, its checkpoints, and its latency."""

from __future__ import annotations

from pathlib import Path

from studio.engine.documents import read_document, write_document
from studio.engine.jobs.history import JobHistory
from studio.engine.tasks.calibration import Calibration

MODEL_ARTIFACT = "model"
LATENCY = "latency_ms"
"""Key in the result of a run: median milliseconds for one image, if that was to be measured."""

_CHECKPOINT = "checkpoint-"


def checkpoint_artifact(epoch: float) -> str:
    """Return the name of the artifact with the weights after some epochs, to 0.01 epochs."""
    return f"{_CHECKPOINT}{round(epoch, 2):g}"


def checkpoints_of(history: JobHistory) -> list[float]:
    """Return the epochs after which weights of a run were kept, ascending."""
    names = [name for name in history.artifacts if name.startswith(_CHECKPOINT)]
    return sorted(float(name.removeprefix(_CHECKPOINT)) for name in names)


# Calibration of a model's outputs on validation images: `calibration.json` in the run's folder.

CALIBRATION_NAME = "calibration.json"


def write_calibration(folder: Path, calibration: Calibration) -> None:
    """Write the calibration of a run.

    Args:
        folder: Folder of the run.
        calibration: The calibration.

    Raises:
        DiskFullError: No space was left.
    """
    write_document(folder / CALIBRATION_NAME, calibration)


def calibration_time(folder: Path) -> int:
    """Return when the calibration of a run was written, in nanoseconds; 0 if there is none."""
    try:
        return (folder / CALIBRATION_NAME).stat().st_mtime_ns
    except OSError:
        return 0


def read_calibration(folder: Path) -> Calibration:
    """Return that of a run; an empty one if there is none.

    Raises:
        BadDataError: It is damaged.
    """
    path = folder / CALIBRATION_NAME
    return read_document(path, Calibration, "calibration", "Train again.") or Calibration()
