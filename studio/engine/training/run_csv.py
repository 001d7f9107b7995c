"""The figures of a run as comma-separated values: numbers with a point, empty where there is none.

Every epoch and every step is there: nothing is thinned away.
"""

from __future__ import annotations

import io
import itertools
import math
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from studio.engine.csv_cells import CsvWriter
from studio.engine.files import replacing, writing
from studio.engine.tasks.task import Task
from studio.engine.training.history import EpochDone, RunHistory

_FIGURES = ("learning_rate", "seconds", "images_per_second")
_CHUNK = 10_000


def epoch_columns(task: Task) -> tuple[str, ...]:
    """Return the columns of `epoch_rows`."""
    pairs = [(each.name, each.on_validation.name) for each in task.metrics]
    return ("epoch", "step", *itertools.chain(*pairs), *_FIGURES)


def epoch_rows(history: RunHistory) -> Iterator[Sequence[object]]:
    """Yield the heading, and a row for each epoch and each validation in the middle of one."""
    columns = epoch_columns(history.task)
    yield columns
    for each in history.measured:
        epoch = each.epoch if isinstance(each, EpochDone) else _short(each.epoch)
        metrics = [each.value(name) for name in columns[2 : -len(_FIGURES)]]
        yield epoch, each.step, *metrics, *(getattr(each, name, math.nan) for name in _FIGURES)


def step_rows(history: RunHistory) -> Iterator[Sequence[object]]:
    """Yield the heading, and a row for each step; `epoch` counts those done after it."""
    yield ("step", "epoch", *history.task.step_metrics)
    per_epoch = history.training.steps_per_epoch if history.training else 0
    series = [history.steps_of(name) for name in history.task.step_metrics]
    for step in range(1, history.step_count + 1):
        values = [each[step - 1] if step <= len(each) else math.nan for each in series]
        yield step, _short(step / per_epoch) if per_epoch else "", *values


def csv_text(rows: Iterable[Sequence[object]]) -> str:
    """Rows as text; lines end with a line feed."""
    return "".join(_chunks(rows))


def write_csv(path: Path, rows: Iterable[Sequence[object]]) -> None:
    """Write rows to a file, which appears whole or not at all.

    Raises:
        StudioError: The file cannot be written.
        DiskFullError: No space was left.
    """
    with (
        writing(path, "to"),
        replacing(path) as partial,
        partial.open("w", encoding="utf-8", newline="") as file,
    ):
        file.writelines(_chunks(rows))


def _chunks(rows: Iterable[Sequence[object]]) -> Iterator[str]:
    text = io.StringIO()
    writer = CsvWriter(text)
    for number, row in enumerate(rows, 1):
        writer.writerow(["" if isinstance(x, float) and math.isnan(x) else x for x in row])
        if number % _CHUNK == 0:
            yield text.getvalue()
            text.seek(0)
            text.truncate()
    yield text.getvalue()


def _short(epochs: float) -> float:
    return round(epochs, 6)
