"""Progress reports and cancellation of long work, independent of its caller."""

from __future__ import annotations

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
