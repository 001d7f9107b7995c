"""Detection of the bottleneck of a training from its time measurements, with advice."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal, Protocol

Part = Literal["waiting", "computing", "validating", "writing"]
PARTS: tuple[Part, ...] = ("waiting", "computing", "validating", "writing")

MUCH: dict[Part, float] = {"waiting": 0.2, "validating": 0.35, "writing": 0.1}
"""Shares from which a part that is not the training itself is worth a change."""
IDLE_GPU = 50.0
"""Load in percent below which a busy GPU is underused."""


class ActivityTimes(Protocol):
    """Time per activity since the last sample, in seconds; NaN for not known."""

    @property
    def waiting(self) -> float: ...  # noqa: D102
    @property
    def computing(self) -> float: ...  # noqa: D102
    @property
    def validating(self) -> float: ...  # noqa: D102
    @property
    def writing(self) -> float: ...  # noqa: D102
    @property
    def gpus(self) -> Iterable[Gpu]: ...  # noqa: D102


class Gpu(Protocol):
    """A GPU at that moment."""

    @property
    def utilization(self) -> float: ...  # noqa: D102


@dataclass(frozen=True, slots=True)
class Bottleneck:
    """Bottleneck of a training.

    Attributes:
        name: The part that is worth a change first; `"computing"` where all is as it should be.
        share: Its share of the time, 0 to 1.
        advice: Suggestion in a sentence.
        is_fine: True if there is nothing to fix.
    """

    name: Part
    share: float
    advice: str
    is_fine: bool = False


_ADVICE: dict[Part, str] = {
    "waiting": "The CPU cannot prepare the images fast enough. Use less augmentation, store raw "
    "pixels instead of PNG or JPEG, or allow more CPU threads.",
    "validating": "Validate less often, or with fewer images.",
    "writing": "Save less often, keep fewer checkpoints, or use a faster disk.",
    "computing": "Most time is spent in the network itself, as expected. Use a smaller network, "
    "smaller images or a faster device.",
}
_IDLE = "The GPU is underused: use larger batches, or several runs at the same time."


def fractions(samples: Iterable[ActivityTimes]) -> dict[Part, float]:
    """Return the share of each part of the time that is known, 0 to 1; empty without any."""
    spent = dict.fromkeys(PARTS, 0.0)
    for sample in samples:
        for part in PARTS:
            seconds = getattr(sample, part)
            if math.isfinite(seconds):
                spent[part] += seconds
    total = sum(spent.values())
    return {part: seconds / total for part, seconds in spent.items()} if total > 0 else {}


def bottleneck(samples: Iterable[ActivityTimes]) -> Bottleneck | None:
    """Find the bottleneck of a training.

    The part that lies furthest above what is usual for it is named, in relation to that; otherwise
    training computes, which it is there for.

    Args:
        samples: Samples of a period of time.

    Returns:
        None if that time is unknown.
    """
    known = list(samples)
    found = fractions(known)
    if not found:
        return None
    worst = max(MUCH, key=lambda part: found[part] / MUCH[part])
    if found[worst] >= MUCH[worst]:
        return Bottleneck(worst, found[worst], _ADVICE[worst])
    busy = [
        gpu.utilization
        for sample in known
        for gpu in sample.gpus
        if math.isfinite(gpu.utilization)
    ]
    if busy and sum(busy) / len(busy) < IDLE_GPU:
        return Bottleneck("computing", found["computing"], _IDLE)
    return Bottleneck("computing", found["computing"], _ADVICE["computing"], is_fine=True)
