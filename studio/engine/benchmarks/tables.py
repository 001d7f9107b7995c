"""Studies as CSV, out and in again: one's own, and those of other machines.

The columns are those of a study of 2017: `network, mode, batch, step, loss, time` with a line per
step, and `network, mode, batch, avg_time` with a line per cell. Times are seconds of a step, the
steps of a cell are counted from 1. A mode is `device/backend/precision`; of other tables, whose
modes are words such as `gpu`, the device alone is known.
"""

from __future__ import annotations

import csv
import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple, TextIO

from studio.engine.benchmarks.plan import Spot
from studio.engine.benchmarks.results import Cell, steps_file
from studio.engine.csv_cells import CsvWriter, original
from studio.engine.errors import BadDataError, StudioError
from studio.engine.files import read_failure, write_atomically

STEP_COLUMNS = ("network", "mode", "batch", "step", "loss", "time")
AVERAGE_COLUMNS = ("network", "mode", "batch", "avg_time")
STEPS_NAME, AVERAGES_NAME = "steps.csv", "averages.csv"


class Step(NamedTuple):
    """A training step: its number from 1, its loss (NaN for none), its time in seconds."""

    number: int
    loss: float
    seconds: float


@dataclass(frozen=True, slots=True)
class Beside:
    """A cell of another machine.

    Attributes:
        machine: What it is called: the name of its file.
        spot: Where in a study it would be; what the table does not say is empty.
        step_seconds: Mean time of a step.
    """

    machine: str
    spot: Spot
    step_seconds: float

    @property
    def image_seconds(self) -> float:
        """Mean time per image, in seconds."""
        return self.step_seconds / self.spot.batch


def write_steps(path: Path, steps: Iterable[Step]) -> None:
    """Write the steps of one cell.

    Raises:
        DiskFullError: No space was left.
    """
    lines = ["step,loss,time", *(f"{n},{loss:.9g},{seconds:.9g}" for n, loss, seconds in steps)]
    write_atomically(path, "\n".join(lines) + "\n")


def read_steps(folder: Path, number: int) -> list[Step]:
    """The steps of a cell of the study in a folder; none where there are none.

    Raises:
        BadDataError: The file is damaged.
    """
    path = steps_file(folder, number)
    if not path.exists():
        return []
    try:
        with path.open(encoding="utf-8", newline="") as file:
            return [
                Step(int(row["step"]), float(row["loss"]), float(row["time"]))
                for row in csv.DictReader(file)
            ]
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise BadDataError(
            f"The steps in {path} cannot be read.", "Measure the cell again.", str(path)
        ) from error


def write_tables(folder: Path, cells: Iterable[Cell], target: Path) -> tuple[Path, Path]:
    """Write both tables of a study.

    Args:
        folder: The study.
        cells: Its cells; those that were not measured are left out.
        target: The folder to write to; it is made.

    Returns:
        The files.

    Raises:
        StudioError: They cannot be written.
    """
    measured = [cell for cell in cells if cell.outcome.figures is not None]
    steps, averages = target / STEPS_NAME, target / AVERAGES_NAME
    try:
        target.mkdir(parents=True, exist_ok=True)
        with steps.open("w", encoding="utf-8", newline="") as file:
            _write(file, STEP_COLUMNS, _step_rows(folder, measured))
        with averages.open("w", encoding="utf-8", newline="") as file:
            _write(file, AVERAGE_COLUMNS, _average_rows(measured))
    except OSError as error:
        raise StudioError(
            f"The tables cannot be written to {target}: {error.strerror or error}.",
            "Choose another folder.",
            str(target),
        ) from error
    return steps, averages


def _write(file: TextIO, columns: Iterable[str], rows: Iterable[Iterable[object]]) -> None:
    writer = CsvWriter(file)
    writer.writerow(columns)
    writer.writerows(rows)


def _step_rows(folder: Path, cells: Iterable[Cell]) -> Iterator[tuple[object, ...]]:
    for cell in cells:
        head = cell.network, cell.spot.mode, cell.batch
        for step in read_steps(folder, cell.number):
            loss = "" if math.isnan(step.loss) else f"{step.loss:.9g}"
            yield (*head, step.number, loss, f"{step.seconds:.9g}")


def _average_rows(cells: Iterable[Cell]) -> Iterator[tuple[object, ...]]:
    for cell in cells:
        if cell.outcome.figures is not None:
            seconds = cell.outcome.figures.step_seconds
            yield cell.network, cell.spot.mode, cell.batch, f"{seconds:.9g}"


def read_beside(path: Path) -> list[Beside]:
    """The cells of another machine, from either of its tables, in the order of the file.

    Raises:
        StudioError: It is no such table; the message names the line.
    """
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            rows = csv.DictReader(file, skipinitialspace=True)
            columns = [name.strip() for name in rows.fieldnames or ()]
            rows.fieldnames = columns
            time = next((name for name in ("avg_time", "time") if name in columns), "")
            if not time or not {"network", "mode", "batch"} <= set(columns):
                raise StudioError(
                    f"{path.name} is no table of a benchmark: its columns are "
                    f"{', '.join(columns) or 'none'}.",
                    f"It needs {', '.join(AVERAGE_COLUMNS)} or {', '.join(STEP_COLUMNS)}.",
                    str(path),
                )
            return _means(path.stem, rows, time, path)
    except (OSError, UnicodeDecodeError) as error:
        raise StudioError(
            f"{path} cannot be read: {read_failure(error)}.", "Check the path."
        ) from error


def _means(machine: str, rows: csv.DictReader[str], time: str, path: Path) -> list[Beside]:
    times: dict[Spot, list[float]] = {}
    for row in rows:
        try:
            spot = _spot(original(row["network"].strip()), row["mode"], int(row["batch"]))
            seconds = _above_zero(float(row[time]))
        except (AttributeError, TypeError, ValueError) as error:
            raise StudioError(
                f"Line {rows.line_num} of {path.name} holds no batch size and time: "
                f"{','.join(map(str, row.values()))}.",
                "Both are numbers above 0; times are seconds.",
                str(path),
            ) from error
        times.setdefault(spot, []).append(seconds)
    return [Beside(machine, spot, sum(each) / len(each)) for spot, each in times.items()]


def _spot(network: str, mode: str, batch: int) -> Spot:
    _above_zero(batch)
    device, backend, precision = (*(part.strip() for part in mode.split("/")), "", "", "")[:3]
    return Spot(network, backend, precision, device, batch)


def _above_zero(value: float) -> float:
    if not (math.isfinite(value) and value > 0):
        raise ValueError(value)
    return value
