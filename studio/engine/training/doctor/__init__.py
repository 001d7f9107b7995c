"""Finds what is wrong with a run, with the figures that say so and a plan that mends it.

Pure functions from figures to findings; imports neither Keras nor jobs. Each is conservative: it
keeps silent until there is enough evidence, since a run that is well must not be called ill.

To add an illness: 1. `<name>.py` with a function from `Signs` to a `Finding` or None and an
`Illness`; 2. one line below, after all that hide it. Window, command line and the conformance
tests (silent on healthy curves and on few epochs) follow by themselves.
"""

from __future__ import annotations

from studio.engine.registry import Registry
from studio.engine.training.doctor.dead_class import DEAD_CLASS
from studio.engine.training.doctor.divergence import DIVERGENCE
from studio.engine.training.doctor.flat_score import FLAT_SCORE
from studio.engine.training.doctor.no_skill import NO_SKILL
from studio.engine.training.doctor.over_fitting import OVER_FITTING
from studio.engine.training.doctor.plateau import PLATEAU
from studio.engine.training.doctor.rate_too_high import RATE_TOO_HIGH
from studio.engine.training.doctor.rate_too_low import RATE_TOO_LOW
from studio.engine.training.doctor.signs import Finding, Illness, Signs

__all__ = ["ILLNESSES", "Finding", "Illness", "Signs", "diagnose"]

ILLNESSES: Registry[Illness] = Registry(
    "illness",
    [
        DIVERGENCE,
        RATE_TOO_HIGH,
        RATE_TOO_LOW,
        OVER_FITTING,
        PLATEAU,
        NO_SKILL,
        FLAT_SCORE,
        DEAD_CLASS,
    ],
)
"""In the order in which they are told, the worst first."""


def diagnose(signs: Signs) -> tuple[Finding, ...]:
    """Everything that is wrong with a run; nothing where it is well, or too young to tell."""
    findings, hidden = [], set[str]()
    for illness in ILLNESSES:
        finding = None if illness.name in hidden else illness.find(signs)
        if finding is not None:
            findings.append(finding)
            hidden.update(illness.hides)
    return tuple(findings)
