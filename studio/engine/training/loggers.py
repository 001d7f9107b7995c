"""Loggers of other packages, which follow the events of runs, such as one for Weights & Biases.

To add one: a package with an entry point of the group `studio.loggers` that names a `Logger`.
"""

from __future__ import annotations

from pathlib import Path
from typing import Protocol

from studio.engine.jobs.events import Event
from studio.engine.jobs.states import State
from studio.engine.plug_ins import Kind
from studio.engine.registry import Registry
from studio.engine.training.plan import TrainingPlan


class RunLogger(Protocol):
    """Follows one run, in a separate thread; an error is reported once and stops nothing else."""

    def take(self, event: Event) -> None:
        """Pass an event on, such as `EpochDone`.

        Args:
            event: What happened.
        """

    def finish(self, state: State) -> None:
        """Pass on what is left.

        Args:
            state: How the training ended; `FAILED` if it did not.
        """


class Logger(Protocol):
    """A kind of logger.

    Examples:
        >>> class Lines:
        ...     name, label = "lines", "Lines of text"
        ...
        ...     def open(self, folder, plan):
        ...         return LinesOfRun(folder / "lines.txt")
        >>> class LinesOfRun(RunLogger):
        ...     def __init__(self, path):
        ...         self.path = path
        ...
        ...     def take(self, event):
        ...         self.path.write_text(event.event)
        ...
        ...     def finish(self, state):
        ...         self.path.write_text(state)
        >>> LOGGER = Lines()  # the entry point of the package names it
        >>> LOGGER.open(folder, plan=None).finish(State.COMPLETED)
        >>> (folder / "lines.txt").read_text()
        'completed'
    """

    name: str
    label: str

    def open(self, folder: Path, plan: TrainingPlan) -> RunLogger | None:
        """Return what follows a run; None if this logger does not want it.

        Args:
            folder: Folder of the record of the run.
            plan: Plan of the run.
        """


LOGGERS: Registry[Logger] = Registry(
    "logger", [], Kind("studio.loggers", "logger", ("label", "open"))
)
