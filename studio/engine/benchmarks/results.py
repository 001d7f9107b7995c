"""What came out of a study, cell by cell, and what follows from it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Final, Literal

from pydantic import BaseModel, ConfigDict

from studio.engine.benchmarks.plan import Spot, StudyPlan, spots_of

CellState = Literal["waiting", "running", "measured", "no_memory", "timed_out", "failed"]
OVER: tuple[CellState, ...] = ("measured", "no_memory", "timed_out", "failed")
"""What a cell is not measured again after."""

FAILED: tuple[CellState, ...] = ("no_memory", "timed_out", "failed")
"""What has no figures, and may have some at another try."""

CELLS_FOLDER = "cells"


class _Part(BaseModel):
    # In JSON, what is infinite could not be told from what nobody knows.
    model_config = ConfigDict(frozen=True, extra="ignore", allow_inf_nan=False)


class Figures(_Part):
    """What a cell measured; None for what nobody could tell.

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
        device_name: The device in words.
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


class Outcome(_Part):
    """How a cell ended; `figures` are there where it was measured, at least for some steps."""

    state: CellState
    reason: str = ""
    figures: Figures | None = None


class Cell(_Part):
    """A cell of a study: where it is, and how it stands."""

    number: int
    network: str
    backend: str
    precision: str
    device: str
    batch: int
    outcome: Outcome

    @classmethod
    def of(cls, number: int, spot: Spot, outcome: Outcome) -> Cell:
        """The cell of a place."""
        return cls(number=number, outcome=outcome, **spot._asdict())

    @property
    def spot(self) -> Spot:
        """Where it is."""
        return Spot(self.network, self.backend, self.precision, self.device, self.batch)

    @property
    def image_seconds(self) -> float | None:
        """Mean time per image, in seconds; None where nothing was measured."""
        figures = self.outcome.figures
        return None if figures is None else figures.step_seconds / self.batch

    @property
    def images_per_second(self) -> float | None:
        """The same the other way round."""
        seconds = self.image_seconds
        return 1 / seconds if seconds else None


def busiest_share(cells: Iterable[Cell]) -> float:
    """The largest share of the processors that other programs used during a measurement."""
    figures = [cell.outcome.figures for cell in cells]
    return max((each.others_share or 0 for each in figures if each is not None), default=0)


def cells_of(plan: StudyPlan, known: Mapping[int, Cell]) -> list[Cell]:
    """Every cell of a study; those of which nothing is known wait."""
    waits = Outcome(state="waiting")
    return [
        known.get(number) or Cell.of(number, spot, waits)
        for number, spot in enumerate(spots_of(plan))
    ]


def speed_ups(cells: Iterable[Cell], devices: Sequence[str]) -> dict[int, float]:
    """How many times as fast cells are as the same on the first device, by number.

    Cells without a measured counterpart have none.
    """
    measured = [cell for cell in cells if cell.image_seconds]
    base = {cell.spot: cell.image_seconds for cell in measured if cell.device == devices[0]}
    found = {}
    for cell in measured:
        seconds, first = cell.image_seconds, base.get(cell.spot._replace(device=devices[0]))
        if seconds and first:
            found[cell.number] = first / seconds
    return found


def counts_of(cells: Iterable[Cell]) -> dict[str, int]:
    """How many cells are in each state."""
    counts: dict[str, int] = {}
    for cell in cells:
        counts[cell.outcome.state] = counts.get(cell.outcome.state, 0) + 1
    return counts


KILLED: Final = -9
"""Exit code of a process that the system ended, which it does to the largest when memory runs out.
"""
KILLED_REASON: Final = "Its process was killed (signal 9): the system probably ran out of memory."


def outcome_file(folder: Path, number: int) -> Path:
    """Where the process of a cell leaves how it ended; the journal is what counts."""
    return folder / CELLS_FOLDER / f"{number:05}.json"


def steps_file(folder: Path, number: int) -> Path:
    """Where the process of a cell leaves loss and time of every step."""
    return folder / CELLS_FOLDER / f"{number:05}.csv"
