"""Advice from benchmarks: which settings are faster, and how much a plan would gain."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime

from studio.engine.benchmarks.plan import CellKey, StudyPlan
from studio.engine.benchmarks.requests import studies_with
from studio.engine.benchmarks.results import Cell, busiest_share
from studio.engine.errors import StudioError
from studio.engine.jobs.devices import CPU, machine_devices, parse_device_request
from studio.engine.jobs.job import Job
from studio.engine.messages import joined, message
from studio.engine.timing import BUSY
from studio.engine.training.plan import TrainingPlan
from studio.engine.training.precision import FULL
from studio.engine.workspace import Workspace

NEARLY = 0.95
"""Fraction of the highest speed from which a result counts as fast: results vary that much."""


@dataclass(frozen=True, slots=True)
class BenchmarkAdvice:
    """Recommended settings for a network.

    Attributes:
        best: The cell with these settings.
        fastest: The cell with the most images per second; often the same.
        compared: Number of measured cells of the network.
        text: The reason, in a sentence or two.
    """

    best: Cell
    fastest: Cell
    compared: int
    text: str


def advise(cells: Iterable[Cell], network: str) -> BenchmarkAdvice | None:
    """Recommend settings for training a network; None if none of them was measured.

    Among cells nearly as fast as the fastest (`NEARLY`), 32-bit precision is preferred, since it
    needs no care about small gradients, and then the smaller batch, since smaller batches reach
    the same accuracy in fewer epochs and leave memory free.

    Args:
        cells: Cells of a training benchmark.
        network: Name of the network.
    """
    measured = [(cell.images_per_second, cell) for cell in cells if cell.network == network]
    timed = [(speed, cell) for speed, cell in measured if speed is not None]
    if not timed:
        return None
    most, fastest = max(timed, key=lambda each: each[0])
    fast = [(speed, cell) for speed, cell in timed if speed >= NEARLY * most]
    speed, best = min(fast, key=lambda each: (each[1].precision != FULL, each[1].batch, -each[0]))
    return BenchmarkAdvice(
        best, fastest, len(timed), _text(speed, best, most, fastest, len(timed))
    )


def _text(speed: float, best: Cell, most: float, fastest: Cell, count: int) -> str:
    measured = message(
        "{network}: {device} with {backend}, {precision} and batches of {batch_size}: "
        "{speed:,.10g} images per second, measured.",
        network=best.network,
        device=best.device,
        backend=best.backend,
        precision=best.precision,
        batch_size=best.batch,
        speed=_four_digits(speed),
    )
    if fastest.number != best.number:
        rank = message(
            "The fastest of {number} is {speed:,.10g} ({settings}), which is within {share:.0%}.",
            number=count,
            speed=_four_digits(most),
            settings=_short(fastest),
            share=1 - NEARLY,
        )
        return joined((measured, rank))
    if count > 1:
        return joined((measured, message("It is the fastest of {number}.", number=count)))
    return measured


def _four_digits(number: float) -> float:
    """Round to four significant digits, to be written without an exponent."""
    return float(f"{number:.4g}")


def _short(cell: Cell) -> str:
    return message(
        "{device}, {backend}, {precision}, batches of {batch_size}",
        device=cell.device,
        backend=cell.backend,
        precision=cell.precision,
        batch_size=cell.batch,
    )


# What a training would be faster with on this machine, from the studies of the workspace.

WORTH = 1.05
"""Smallest speed-up that is worth a word: measurements differ by less."""


@dataclass(frozen=True, slots=True)
class SpeedHint:
    """Settings with which a network was measured to train faster.

    Attributes:
        key: The settings.
        study: Name of the study.
        measured: Time of the measurement.
        gain: Speed-up over the settings of the plan; None if those were not measured.
    """

    key: CellKey
    study: str
    measured: datetime
    gain: float | None

    def values(self) -> dict[str, object]:
        """Return the fields of a training plan."""
        return {
            "device": self.key.device,
            "batch_size": self.key.batch,
            "precision": self.key.precision,
            "backend": self.key.backend,
        }


def speed_hint(workspace: Workspace, plan: TrainingPlan) -> SpeedHint | None:
    """Suggest faster settings for a plan; None without measurements or if it is fast already.

    Among several studies the newest counts; one with the images of the plan comes first. Cells on
    devices that this machine lacks are ignored, and so are cells that were measured while other
    programs were busy.

    Args:
        workspace: Holds the benchmarks.
        plan: The plan to speed up.
    """
    if plan.design is not None:
        return None  # a drawing has no name by which it was measured
    there = [device.name for device in machine_devices()]
    found = []
    for job, cells in studies_with(workspace, plan.network):
        usable = [cell for cell in cells if cell.device in there and busiest_share([cell]) <= BUSY]
        advice = advise(usable, plan.network)
        if advice is not None:
            found.append((job, usable, advice.best))
    found.sort(key=lambda each: each[0].plan(StudyPlan).dataset != plan.dataset)
    if not found:
        return None
    return _hint(*found[0], _cell_key_of(plan, there))


def _hint(job: Job, cells: Sequence[Cell], best: Cell, now: CellKey) -> SpeedHint | None:
    base = next((cell.images_per_second for cell in cells if cell.key == now), None)
    gain = best.images_per_second / base if base and best.images_per_second else None
    if best.key == now or (gain is not None and gain < WORTH):
        return None
    history = job.history
    at = history.ended_at or history.updated_at or 0.0
    return SpeedHint(
        key=best.key,
        study=job.record.name,
        measured=datetime.fromtimestamp(at).astimezone(),
        gain=gain,
    )


def _cell_key_of(plan: TrainingPlan, there: Sequence[str]) -> CellKey:
    """Return the study cell that corresponds to the settings of a plan."""
    try:
        request = parse_device_request(plan.device)
    except (ValueError, StudioError):
        return CellKey(plan.network, plan.backend, plan.precision, plan.device, plan.batch_size)
    gpus = [name for name in there if name != CPU]
    device = plan.device
    if request.kind == "auto" or (
        request.kind == "gpu" and request.count == 1 and not request.indices
    ):
        device = gpus[0] if gpus else CPU
    return CellKey(plan.network, plan.backend, plan.precision, device, plan.batch_size)
