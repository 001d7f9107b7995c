"""A logger that writes a line of text for each epoch."""

from __future__ import annotations

from pathlib import Path

from studio.engine.jobs.events import Event
from studio.engine.jobs.states import State
from studio.engine.training.history import EpochDone
from studio.engine.training.plan import TrainingPlan


class LinesOfRun:
    """Writes the lines of one run."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def take(self, event: Event) -> None:
        """Write the loss of an epoch."""
        if isinstance(event, EpochDone):
            self._write(f"{event.epoch}: {event.metrics['loss']:.3f}")

    def finish(self, state: State) -> None:
        """Write how it ended."""
        self._write(state.value)

    def _write(self, line: str) -> None:
        with self._path.open("a", encoding="utf-8") as file:
            file.write(f"{line}\n")


class Lines:
    """Logs every run but those of perceptrons."""

    name, label = "lines", "Lines of text"

    def open(self, folder: Path, plan: TrainingPlan) -> LinesOfRun | None:
        """Return a logger into the folder of the run; none for perceptrons."""
        return None if plan.network == "perceptron" else LinesOfRun(folder / "lines.txt")


LOGGER = Lines()
