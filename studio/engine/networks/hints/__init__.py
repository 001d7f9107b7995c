"""Hints: what would make a drawn network better, with its own figures. Never imports Keras.

Pure functions over a network and what Keras found out about it.

To add a rule: 1. write a function that yields `Hint`s and a `Rule` with it, in the file of its
kind or a new one; 2. list it below.
"""

from __future__ import annotations

from studio.engine.networks.hints.dense import DROPOUT, GLOBAL_POOLING
from studio.engine.networks.hints.habits import BIAS_BEFORE_NORM, MISSING_ACTIVATION
from studio.engine.networks.hints.hint import Drawing, Hint, Rule
from studio.engine.networks.hints.windows import BOTTLENECK, SEPARABLE, SMALL_WINDOWS, STRIPS
from studio.engine.networks.report import NetworkReport
from studio.engine.networks.spec import NetworkSpec
from studio.engine.registry import Registry

__all__ = ["HINTS", "MOST_OF_A_RULE", "Hint", "hints"]

HINTS: Registry[Rule] = Registry(
    "hint",
    [
        MISSING_ACTIVATION,
        GLOBAL_POOLING,
        DROPOUT,
        SMALL_WINDOWS,
        BOTTLENECK,
        STRIPS,
        SEPARABLE,
        BIAS_BEFORE_NORM,
    ],
)


MOST_OF_A_RULE = 3
"""A network of fifty convolutions needs no fifty hints: take the largest, and look again."""


def hints(spec: NetworkSpec, report: NetworkReport) -> list[Hint]:
    """The best hints for a network: mistakes first, then those that save most weights.

    Args:
        spec: The network.
        report: What Keras found out about it; layers that do not work may be missing.
    """
    drawing = Drawing.of(spec, report)
    mistakes, others = list[Hint](), list[Hint]()
    for rule in HINTS:
        found = sorted(rule.find(drawing), key=_by_saving)[:MOST_OF_A_RULE]
        (mistakes if rule.mistake else others).extend(found)
    return [*sorted(mistakes, key=_by_saving), *sorted(others, key=_by_saving)]


def _by_saving(hint: Hint) -> int:
    return -hint.saved
