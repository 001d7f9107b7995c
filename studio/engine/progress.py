"""Progress reports and cancellation of long work, independent of its caller."""

from __future__ import annotations

from collections import deque
from typing import Protocol


class Cancelled(Exception):  # noqa: N818 - a request that was met, not an error
    """Raised inside long work when its cancellation was requested."""


class Progress(Protocol):
    """Receives the progress of long work. Calls are cheap: implementations throttle."""

    def advance(self, done: int, total: int, what: str) -> None:
        """Say how far the work is.

        Args:
            done: Finished units.
            total: All units; 0 while it is not known.
            what: Current step in a few words.
        """

    def warn(self, message: str) -> None:
        """Report a warning for the user; the work continues."""

    def check(self) -> None:
        """Raise if the work was cancelled.

        Raises:
            Cancelled: The job was asked to end.
        """


class SilentProgress:
    """Progress that is ignored, for tests and short work."""

    def advance(self, done: int, total: int, what: str) -> None:
        """Do nothing.

        Args:
            done: Finished units.
            total: All units.
            what: Name of the step.
        """

    def warn(self, message: str) -> None:
        """Say nothing."""

    def check(self) -> None:
        """Never cancel."""


# Progress is reported ten times a second; two seconds smooth it and still follow a change.
RATE_SECONDS = 2.0


class RateMeter:
    """Measures units per second over the last two seconds."""

    def __init__(self) -> None:
        self._seen: deque[tuple[float, int]] = deque()

    def reset(self) -> None:
        """Reset the meter."""
        self._seen.clear()

    def add(self, seconds: float, done: int) -> None:
        """Add a reading; a smaller one than before resets the meter.

        Args:
            seconds: Time on any clock.
            done: Finished units.
        """
        if self._seen and done < self._seen[-1][1]:
            self.reset()
        self._seen.append((seconds, done))
        while len(self._seen) > 2 and seconds - self._seen[0][0] > RATE_SECONDS:
            self._seen.popleft()

    @property
    def rate(self) -> float | None:
        """Units per second; None while unknown."""
        if len(self._seen) < 2:
            return None
        (start, first), (end, last) = self._seen[0], self._seen[-1]
        return (last - first) / (end - start) if end > start and last > first else None
