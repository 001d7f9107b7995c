"""Measures outputs against targets, with intervals."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from studio.engine.evaluation.measures import RANK_BUDGET, draws
from studio.engine.evaluation.outcomes import no_images
from studio.engine.evaluation.report import LEVEL, Interval, Subject
from studio.engine.evaluation.target_report import OutputFigures, TargetReport
from studio.engine.progress import Progress
from studio.engine.tasks.prediction import Meaning, Outputs
from studio.engine.tasks.report import Figures
from studio.engine.tasks.task import Task

_EVERY = 10


@dataclass(frozen=True, slots=True)
class Answered:
    """Everything that a report on targets is made of.

    Attributes:
        task: Declares and computes the metrics.
        subject: What was measured.
        meaning: Of the outputs.
        outputs: Shape (n, K).
        targets: Shape (n, K).
    """

    task: Task
    subject: Subject
    meaning: Meaning
    outputs: Outputs
    targets: NDArray[Any]


def make_target_report(
    answered: Answered, resamples: int, seed: int, progress: Progress
) -> TargetReport:
    """Compute all metrics and their intervals by percentile bootstrap over the images.

    Args:
        answered: What was measured.
        resamples: How often images are drawn anew, at most; 0 for no intervals.
        seed: Of the draws.
        progress: Who listens, and may cancel.

    Raises:
        BadDataError: There are no images.
        Cancelled: Through `progress`.
    """
    task, meaning = answered.task, answered.meaning
    outputs, targets = answered.outputs, answered.targets
    reporter = task.reporter
    if reporter is None:
        raise TypeError(f"{task.name} has no targets")
    if not len(outputs):
        raise no_images()
    found = reporter.measure(outputs, targets, meaning.calibration)
    rounds = min(resamples, max(1, RANK_BUDGET // (outputs.size * reporter.cost)))
    drawn: list[Figures] = []
    for at, places in enumerate(draws(len(outputs), rounds, seed)):
        if at % _EVERY == 0:
            progress.advance(at, rounds, "Computing intervals")
        drawn.append(reporter.measure(outputs[places], targets[places], meaning.calibration))
    kind = task.targets
    counts = [
        int(kind.has(targets, place).sum()) if kind is not None else len(targets)
        for place in range(len(meaning.names))
    ]
    return TargetReport(
        task=task.name,
        subject=answered.subject,
        count=len(outputs),
        metrics={name: _known(value) for name, value in found.whole.items()},
        intervals=_intervals({name: [each.whole[name] for each in drawn] for name in found.whole}),
        outputs=tuple(
            OutputFigures(
                name=name,
                unit=meaning.units[place] if meaning.units else "",
                images=counts[place],
                threshold=_at(meaning.calibration.thresholds, place),
                margin=_at(meaning.calibration.margins, place),
                metrics={key: _known(values[place]) for key, values in found.outputs.items()},
                intervals=_intervals(
                    {key: [each.outputs[key][place] for each in drawn] for key in found.outputs}
                ),
            )
            for place, name in enumerate(meaning.names)
        ),
        resamples=rounds,
        seed=seed,
    )


def _at(values: Sequence[float], place: int) -> float | None:
    return values[place] if values else None


def _known(value: float) -> float | None:
    return float(value) if math.isfinite(value) else None


def _intervals(values: dict[str, list[float]]) -> dict[str, Interval]:
    """Return the percentiles of each metric over the resamples in which it can be measured."""
    found = {}
    ends = (50 * (1 - LEVEL), 50 * (1 + LEVEL))
    for name, drawn in values.items():
        finite = [value for value in drawn if math.isfinite(value)]
        if finite:
            low, high = np.percentile(finite, ends).tolist()
            found[name] = (low, high)
    return found
