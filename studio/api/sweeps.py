"""Sweeps over hyperparameters."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from studio.api.records import RecordView
from studio.engine.errors import StudioError
from studio.engine.sweeps.history import SweepHistory
from studio.engine.sweeps.rows import best_of_sweep

if TYPE_CHECKING:
    from studio.api.runs import Run


class Sweep(RecordView):
    """A sweep: many runs of one plan.

    Examples:
        >>> values = {"learning_rate": (1e-3, 1e-2)}
        >>> sweep = workspace.sweep(dataset, "small_cnn", vary=values, epochs=1)
        >>> [trial["learning_rate"] for trial in sweep.trials]
        [0.001, 0.01]
        >>> sweep.best.state
        'completed'
    """

    @property
    def trials(self) -> list[dict[str, Any]]:
        """The values of each trial, its state, what was measured, and the names of its runs."""
        job = self.job.with_history(SweepHistory)
        job.refresh()
        return [
            {
                "number": number,
                **trial.values,
                "state": trial.state.value,
                "measured": list(trial.measured),
                "runs": [run.name for run in trial.runs],
            }
            for number, trial in sorted(job.history.trials.items())
        ]

    @property
    def best(self) -> Run | None:
        """The first run of the best trial so far; None before one has ended."""
        job = self.job.with_history(SweepHistory)
        job.refresh()
        numbers = best_of_sweep(job)
        if not numbers:
            return None
        return self.workspace.runs[job.history.trials[numbers[0]].runs[0].name]


def values_text(field: str, values: object) -> str:
    """Return the values of a field as on the command line.

    Args:
        field: Name of the field.
        values: A text, a number, or a list or tuple of them.

    Raises:
        StudioError: They are something else.
    """
    several = values if isinstance(values, list | tuple) else (values,)
    for value in several:
        if not isinstance(value, str | int | float):
            raise StudioError(
                f"The values of {field} must be a list of numbers or texts; received "
                f"{type(value).__name__}.",
                'For example: vary={"batch_size": (16, 32)}.',
                "vary",
            )
    texts = [str(value).lower() if isinstance(value, bool) else str(value) for value in several]
    return ",".join(texts)
