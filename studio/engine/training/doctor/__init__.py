"""Diagnoses of a run: problems with evidence and the plan that fixes them.

Pure functions from figures to findings; no Keras. They are conservative: without enough evidence
there is no finding, since a healthy run must not be called faulty.

To add a diagnosis: 1. a function from `TrainingHistory` to a `RunFinding` or None and a
`Diagnosis` in `optimization.py` or `results.py`; 2. one line below, after all that hide it.
Window, command line and the conformance tests (no finding on healthy curves and on few epochs)
need no change.
"""

from __future__ import annotations

from studio.engine.registry import Registry
from studio.engine.training.doctor.optimization import (
    DIVERGENCE,
    PLATEAU,
    RATE_TOO_HIGH,
    RATE_TOO_LOW,
)
from studio.engine.training.doctor.results import (
    COMMON_ORIGINS,
    DEAD_CLASS,
    FLAT_SCORE,
    NO_SKILL,
    ONE_CLASS,
    OVER_FITTING,
)
from studio.engine.training.doctor.training_history import (
    Diagnosis,
    RunDataset,
    RunFinding,
    TrainingHistory,
    run_dataset,
)

__all__ = [
    "DIAGNOSES",
    "Diagnosis",
    "RunDataset",
    "RunFinding",
    "TrainingHistory",
    "diagnose",
    "run_dataset",
]

DIAGNOSES: Registry[Diagnosis] = Registry(
    "diagnosis",
    [
        COMMON_ORIGINS,
        DIVERGENCE,
        RATE_TOO_HIGH,
        RATE_TOO_LOW,
        OVER_FITTING,
        PLATEAU,
        ONE_CLASS,
        NO_SKILL,
        FLAT_SCORE,
        DEAD_CLASS,
    ],
)
"""In order of severity, the worst first."""


def diagnose(history: TrainingHistory) -> tuple[RunFinding, ...]:
    """Return the diagnoses of a run; empty if it is fine or too short to judge."""
    findings, hidden = [], set[str]()
    for diagnosis in DIAGNOSES:
        finding = None if diagnosis.name in hidden else diagnosis.find(history)
        if finding is not None:
            findings.append(finding)
            hidden.update(diagnosis.hides)
    return tuple(findings)
