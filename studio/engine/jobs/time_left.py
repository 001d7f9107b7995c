"""Time until a job ends, by the speed in its journal: the only source of "time left".

The first reading counts as preparation, such as compiling. Nothing is estimated until the speed
was measured for some seconds and has settled: no figure is better than one that will jump.
"""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass, field
from itertools import pairwise

MIN_SECONDS = 2.0
"""Time that a speed must be measured for."""

MIN_READINGS = 4

STEADY = 1.5
"""Largest ratio of the speeds of two halves of the measured time that counts as steady."""

SURE_AT = 0.1
"""Fraction of the work after which an unsteady speed is used, too."""

_MOST_READINGS = 128


@dataclass(slots=True)
class WorkRate:
    """Speed of a piece of work.

    Attributes:
        readings: Seconds on any clock and units done, in order, thinned out as they grow.
    """

    readings: list[tuple[float, int]] = field(default_factory=list)

    def reset(self) -> None:
        """Forget all readings."""
        self.readings.clear()

    def add(self, seconds: float, done: int) -> None:
        """Add a reading; one that lies before the last one resets the throughput.

        Args:
            seconds: Time on any clock.
            done: Finished units.
        """
        if self.readings and (seconds < self.readings[-1][0] or done < self.readings[-1][1]):
            self.reset()
        if len(self.readings) >= _MOST_READINGS:
            # The first two stay: the time between them is that of the preparation.
            self.readings[2:] = self.readings[3::2]
        self.readings.append((seconds, done))

    def seconds_per_unit(self, total: int) -> float | None:
        """Return the time of a unit at the current speed; None while it is unknown.

        Args:
            total: All units.
        """
        measured = self.readings[1:]
        if len(measured) < MIN_READINGS - 1 or measured[-1][0] - measured[0][0] < MIN_SECONDS:
            return None
        middle = (measured[0][0] + measured[-1][0]) / 2
        at = min(max(1, bisect_left(measured, (middle, 0))), len(measured) - 2)
        early, late = _slope(measured[0], measured[at]), _slope(measured[at], measured[-1])
        is_sure = measured[-1][1] >= SURE_AT * total
        if early is None or late is None:
            return _slope(measured[0], measured[-1]) if is_sure else None
        is_steady = max(early, late) <= STEADY * min(early, late)
        return late if is_steady or is_sure else None

    def gap(self) -> float:
        """Return the mean time between two of the last readings, in seconds."""
        last = self.readings[-5:]
        gaps = [after[0] - before[0] for before, after in pairwise(last)]
        return sum(gaps) / len(gaps) if gaps else 0.0

    def seconds_left(self, total: int, now: float) -> float | None:
        """Return the seconds until all units are done; None while unknown.

        Args:
            total: All units.
            now: Current time on the clock of the readings.
        """
        each = self.seconds_per_unit(total)
        if each is None or now < self.readings[-1][0]:
            return None
        remaining = each * max(0, total - self.readings[-1][1])
        return counted_down(remaining, now - self.readings[-1][0], self.gap())


def counted_down(remaining: float, waited: float, gap: float) -> float:
    """Return the seconds that remain some time after the last reading.

    Work that reports nothing for longer than usual is not about to end.

    Args:
        remaining: Seconds that remained at the last reading.
        waited: Seconds since then.
        gap: Usual seconds between two readings.
    """
    return max(0.0, remaining - min(waited, 2 * gap))


def _slope(before: tuple[float, int], after: tuple[float, int]) -> float | None:
    """Return the seconds of a unit between two readings; None if nothing was done."""
    done = after[1] - before[1]
    return (after[0] - before[0]) / done if done > 0 else None


_STEPS = ((10, 5), (60, 10), (600, 60), (3_600, 300), (36_000, 900), (172_800, 3_600))
"""Up to how many seconds a time is rounded to which."""
_DAY = 86_400


def rounded_time(seconds: float) -> int:
    """Round estimated seconds to what is known: 47 s to 50 s, 34 min to 35 min; at least 5 s."""
    step = next((step for limit, step in _STEPS if seconds < limit), _DAY // 2)
    return max(5, round(seconds / step) * step)
