"""Trials of a sweep as a journal tells them, made up without training."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from studio.engine.jobs.states import State
from studio.engine.sweeps.fields import parse_dimensions
from studio.engine.sweeps.history import TrialChanged
from studio.engine.sweeps.plan import SweepPlan
from studio.ui.charts.sweeps.data import SweepTrials, sweep_trials

VARIED = (
    "learning_rate=1e-5..0.1:log",
    "batch_size=8,16,32",
    "optimizer=sgd,adam",
    "epochs=5..50",
)


def sweep_plan(
    objectives: Sequence[str] = ("val_accuracy", "size"), vary: Sequence[str] = VARIED
) -> SweepPlan:
    """A random sweep."""
    return SweepPlan.parse(
        {
            "base": {"dataset": "d"},
            "dimensions": [each.model_dump() for each in parse_dimensions(vary)],
            "sampler": "random",
            "trials": 100_000,
            "objectives": list(objectives),
        }
    )


def row(
    number: int,
    measured: Sequence[float],
    values: Mapping[str, Any] | None = None,
    state: State = State.COMPLETED,
) -> TrialChanged:
    """A row of the journal."""
    found = {"learning_rate": 0.01, "batch_size": 8, "optimizer": "sgd", "epochs": 5}
    return TrialChanged(
        number=number, values={**found, **(values or {})}, state=state, measured=tuple(measured)
    )


def random_rows(count: int, objectives: int = 2) -> dict[int, TrialChanged]:
    """Trials whose accuracy hangs on the learning rate alone, and size on nothing."""
    random = np.random.default_rng(0)
    rates = 10 ** random.uniform(-5, -1, count)
    accuracy = 0.95 - 0.08 * (np.log10(rates) + 3) ** 2 + random.normal(0, 0.01, count)
    sizes = random.integers(1_000_000, 9_000_000, count)
    return {
        number: row(
            number,
            (float(accuracy[number]), float(sizes[number]))[:objectives],
            {
                "learning_rate": float(rates[number]),
                "batch_size": int(random.choice([8, 16, 32])),
                "optimizer": str(random.choice(["sgd", "adam"])),
                "epochs": int(random.integers(5, 51)),
            },
        )
        for number in range(count)
    }


def random_trials(count: int) -> SweepTrials:
    """The same, as the charts take them."""
    return sweep_trials(sweep_plan(), random_rows(count))
