"""Results of a study per cell, and the comparisons derived from them."""

from __future__ import annotations

import csv
import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Literal, NamedTuple, Self, TextIO

from pydantic import BaseModel, ConfigDict

from studio.engine.benchmarks.plan import CellKey, StudyPlan, cell_keys
from studio.engine.csv_cells import CsvWriter, original
from studio.engine.errors import BadDataError, StudioError
from studio.engine.files import read_failure, write_atomically, writing
from studio.engine.messages import Text, message

CellState = Literal["waiting", "running", "measured", "no_memory", "timed_out", "failed"]
OVER: tuple[CellState, ...] = ("measured", "no_memory", "timed_out", "failed")
"""States after which a cell is not measured again."""

FAILED: tuple[CellState, ...] = ("no_memory", "timed_out", "failed")
"""Outcomes without figures that may succeed when measured again."""

CELLS_FOLDER = "cells"


class _Part(BaseModel):
    # In JSON, infinity could not be distinguished from an unknown value.
    model_config = ConfigDict(frozen=True, extra="ignore", allow_inf_nan=False)


class CellFigures(_Part):
    """Measurements of a cell; None for unknown values.

    Attributes:
        steps: Training steps that were timed, after the warm-up.
        step_seconds: Mean time of a step, from images in the machine's memory to the loss.
        median_step_seconds: The median of the same.
        warm_up_seconds: The first steps, which compile; not in the times above.
        epoch_losses: Mean loss of every epoch that was begun.
        process_bytes: Most memory that the process had while the steps were timed.
        device_bytes: The same of the GPU's memory.
        utilization: Mean of the percent of the time in which the GPU computed.
        power: Mean power of the GPU, in watts.
        peak_power: The highest that was seen, in watts.
        others_share: Share of the processors that other programs used meanwhile, 0 to 1.
        device_name: Description of the device.
    """

    steps: int
    step_seconds: float
    median_step_seconds: float
    warm_up_seconds: float
    epoch_losses: tuple[float | None, ...] = ()
    process_bytes: int | None = None
    device_bytes: int | None = None
    utilization: float | None = None
    power: float | None = None
    peak_power: float | None = None
    others_share: float | None = None
    device_name: str = ""


class CellOutcome(_Part):
    """Outcome of a cell; `figures` is set if at least some steps were measured."""

    state: CellState
    reason: Text = ""
    figures: CellFigures | None = None


class CellMeasurement(_Part):
    """One entry of a benchmark; subclasses add what is measured.

    Attributes:
        outcome: Outcome, or current state.
    """

    outcome: Any

    @property
    def is_over(self) -> bool:
        """True if it will not be measured again automatically."""
        return self.outcome.state in OVER

    def reset(self) -> Self:
        """Return the same, not measured yet."""
        return self.model_copy(update={"outcome": type(self.outcome)(state="waiting")})


class Cell(CellMeasurement):
    """A cell of a study: its position and its state."""

    number: int
    network: str
    backend: str
    precision: str
    device: str
    batch: int
    outcome: CellOutcome

    @classmethod
    def of(cls, number: int, key: CellKey, outcome: CellOutcome) -> Cell:
        """Create the cell of a key.

        Args:
            number: Position in the study, from 0.
            key: Settings of the cell.
            outcome: State and figures.
        """
        return cls(number=number, outcome=outcome, **key._asdict())

    @property
    def key(self) -> CellKey:
        """Key of the cell."""
        return CellKey(self.network, self.backend, self.precision, self.device, self.batch)

    @property
    def image_seconds(self) -> float | None:
        """Mean time per image, in seconds; None before the first measurement."""
        figures = self.outcome.figures
        return None if figures is None else figures.step_seconds / self.batch

    @property
    def images_per_second(self) -> float | None:
        """The same the other way round."""
        seconds = self.image_seconds
        return 1 / seconds if seconds else None


def busiest_share(measured: Iterable[CellMeasurement]) -> float:
    """Return the largest share of the processors that other programs used during a measurement."""
    figures = [each.outcome.figures for each in measured]
    return max((each.others_share or 0 for each in figures if each is not None), default=0)


def cells_of(plan: StudyPlan, known: Mapping[int, Cell]) -> list[Cell]:
    """Return all cells of a study; those without a result are waiting.

    Args:
        plan: The study.
        known: Cells that were measured or failed, by their number.
    """
    waits = CellOutcome(state="waiting")
    return [
        known.get(number) or Cell.of(number, key, waits)
        for number, key in enumerate(cell_keys(plan))
    ]


def speed_ups(cells: Iterable[Cell], devices: Sequence[str]) -> dict[int, float]:
    """Return the speed-up of cells over the same cell on the first device, by number.

    Cells without a measured counterpart have none.

    Args:
        cells: Cells of one study.
        devices: Devices of the study; the first one is the reference.
    """
    measured = [cell for cell in cells if cell.image_seconds]
    base = {cell.key: cell.image_seconds for cell in measured if cell.device == devices[0]}
    found = {}
    for cell in measured:
        seconds, first = cell.image_seconds, base.get(cell.key._replace(device=devices[0]))
        if seconds and first:
            found[cell.number] = first / seconds
    return found


def counts_of(measurements: Iterable[CellMeasurement]) -> dict[str, int]:
    """Return the number of measurements in each state."""
    return dict(Counter(each.outcome.state for each in measurements))


KILLED: Final = -9
"""Exit code of a process that the system killed, as it does when memory runs out."""
KILLED_REASON: Final = "Its process was killed (signal 9): the system probably ran out of memory."


def outcome_file(folder: Path, number: int) -> Path:
    """Return the file where a cell's process writes its outcome; the journal is authoritative.

    Args:
        folder: Folder of the study.
        number: Number of the cell.
    """
    return folder / CELLS_FOLDER / f"{number:05}.json"


def steps_file(folder: Path, number: int) -> Path:
    """Return the file where a cell's process writes loss and time of every step.

    Args:
        folder: Folder of the study.
        number: Number of the cell.
    """
    return folder / CELLS_FOLDER / f"{number:05}.csv"


# Studies as CSV, out and in again: one's own, and those of other machines.
#
# The columns are those of a study of 2017: `network, mode, batch, step, loss, time` with a line
# per step, and `network, mode, batch, avg_time` with a line per cell. Times are seconds of a step,
# the steps of a cell are counted from 1. A mode is `device/backend/precision`; of other tables,
# whose modes are words such as `gpu`, the device alone is known.

STEP_COLUMNS = ("network", "mode", "batch", "step", "loss", "time")
AVERAGE_COLUMNS = ("network", "mode", "batch", "avg_time")
STEPS_NAME, AVERAGES_NAME = "steps.csv", "averages.csv"


class MeasuredStep(NamedTuple):
    """A training step: its number from 1, its loss (NaN for none), its time in seconds."""

    number: int
    loss: float
    seconds: float


@dataclass(frozen=True, slots=True)
class Beside:
    """A cell of another machine.

    Attributes:
        machine: Name of the machine, which is that of its file.
        key: The cell of a study that it corresponds to; unknown parts are empty.
        step_seconds: Mean time of a step.
    """

    machine: str
    key: CellKey
    step_seconds: float

    @property
    def image_seconds(self) -> float:
        """Mean time per image, in seconds."""
        return self.step_seconds / self.key.batch


def write_steps(path: Path, steps: Iterable[MeasuredStep]) -> None:
    """Write the steps of one cell as CSV.

    Args:
        path: File to write.
        steps: Number, loss and time in seconds of each step.

    Raises:
        DiskFullError: No space was left.
    """
    lines = ["step,loss,time", *(f"{n},{loss:.9g},{seconds:.9g}" for n, loss, seconds in steps)]
    write_atomically(path, "\n".join(lines) + "\n")


def read_steps(folder: Path, number: int) -> list[MeasuredStep]:
    """Return the steps of a cell; empty without a file.

    Args:
        folder: Folder of the study.
        number: Number of the cell.

    Raises:
        BadDataError: The file is damaged.
    """
    path = steps_file(folder, number)
    if not path.exists():
        return []
    try:
        with path.open(encoding="utf-8", newline="") as file:
            return [
                MeasuredStep(int(row["step"]), float(row["loss"]), float(row["time"]))
                for row in csv.DictReader(file)
            ]
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise BadDataError(
            "The steps in {path} cannot be read.", "Measure the cell again.", str(path), path=path
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
    with writing(target, "to"):
        target.mkdir(parents=True, exist_ok=True)
        with steps.open("w", encoding="utf-8", newline="") as file:
            _write(file, STEP_COLUMNS, _step_rows(folder, measured))
        with averages.open("w", encoding="utf-8", newline="") as file:
            _write(file, AVERAGE_COLUMNS, _average_rows(measured))
    return steps, averages


def _write(file: TextIO, columns: Iterable[str], rows: Iterable[Iterable[object]]) -> None:
    writer = CsvWriter(file)
    writer.writerow(columns)
    writer.writerows(rows)


def _step_rows(folder: Path, cells: Iterable[Cell]) -> Iterator[tuple[object, ...]]:
    for cell in cells:
        head = cell.network, cell.key.mode, cell.batch
        for step in read_steps(folder, cell.number):
            loss = "" if math.isnan(step.loss) else f"{step.loss:.9g}"
            yield (*head, step.number, loss, f"{step.seconds:.9g}")


def _average_rows(cells: Iterable[Cell]) -> Iterator[tuple[object, ...]]:
    for cell in cells:
        if cell.outcome.figures is not None:
            seconds = cell.outcome.figures.step_seconds
            yield cell.network, cell.key.mode, cell.batch, f"{seconds:.9g}"


def read_beside(path: Path) -> list[Beside]:
    """Return the cells of another machine, from either of its tables, in the order of the file.

    Raises:
        StudioError: It is not such a table; the message names the line.
    """
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            rows = csv.DictReader(file, skipinitialspace=True)
            columns = [name.strip() for name in rows.fieldnames or ()]
            rows.fieldnames = columns
            time = next((name for name in ("avg_time", "time") if name in columns), "")
            if not time or not {"network", "mode", "batch"} <= set(columns):
                raise StudioError(
                    "{file} is not a table of a benchmark: its columns are {columns}.",
                    message(
                        "It needs {average_columns} or {step_columns}.",
                        average_columns=", ".join(AVERAGE_COLUMNS),
                        step_columns=", ".join(STEP_COLUMNS),
                    ),
                    str(path),
                    file=path.name,
                    columns=", ".join(columns) or message("none"),
                )
            return _means(path.stem, rows, time, path)
    except (OSError, UnicodeDecodeError) as error:
        raise StudioError(
            "{path} cannot be read: {reason}.",
            "Check the path.",
            path=path,
            reason=read_failure(error),
        ) from error


def _means(machine: str, rows: csv.DictReader[str], time: str, path: Path) -> list[Beside]:
    times: dict[CellKey, list[float]] = {}
    for row in rows:
        try:
            key = _cell_key(original(row["network"].strip()), row["mode"], int(row["batch"]))
            seconds = _above_zero(float(row[time]))
        except (AttributeError, TypeError, ValueError) as error:
            raise StudioError(
                "Line {line} of {file} has no valid batch size and time: {values}.",
                "Both must be numbers above 0; times are in seconds.",
                str(path),
                line=rows.line_num,
                file=path.name,
                values=",".join(map(str, row.values())),
            ) from error
        times.setdefault(key, []).append(seconds)
    return [Beside(machine, key, sum(each) / len(each)) for key, each in times.items()]


def _cell_key(network: str, mode: str, batch: int) -> CellKey:
    _above_zero(batch)
    device, backend, precision = (*(part.strip() for part in mode.split("/")), "", "", "")[:3]
    return CellKey(network, backend, precision, device, batch)


def _above_zero(value: float) -> float:
    if not (math.isfinite(value) and value > 0):
        raise ValueError(value)
    return value
