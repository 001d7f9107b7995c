"""Runs compared: figures of each, settings that differ, best values; folds; figures as CSV."""

from __future__ import annotations

import io
import itertools
import math
import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from studio.engine.csv_cells import CsvWriter
from studio.engine.files import replacing, writing
from studio.engine.proportions import LEVEL
from studio.engine.tasks import MEASURED_METRICS
from studio.engine.tasks.metric import MetricSpec
from studio.engine.tasks.task import Task
from studio.engine.training.history import EpochDone, RunHistory
from studio.engine.training.plan import TrainingPlan
from studio.engine.training.run_settings import Settings, differing, setting_value, settings_of


def values_of(history: RunHistory, metric: MetricSpec) -> Iterator[float]:
    """Yield every measured value of a metric, in no particular order.

    Args:
        history: The run.
        metric: The metric.
    """
    for epoch in history.epochs:
        yield epoch.value(metric.name)
    if metric.is_validation:
        for validation in history.validations:
            yield validation.value(metric.name)


def best_of(history: RunHistory, metric: MetricSpec) -> float:
    """Return the best value of a metric; NaN if it was not measured.

    Args:
        history: The run.
        metric: The metric.
    """
    return metric.best(values_of(history, metric))


def last_of(history: RunHistory, metric: MetricSpec) -> float:
    """Return the latest value of a metric; NaN if it was not measured.

    Args:
        history: The run.
        metric: The metric.
    """
    ends = history.measured if history.validations else history.epochs
    values = (end.value(metric.name) for end in reversed(ends))
    return next((value for value in values if math.isfinite(value)), math.nan)


def primary_metric(history: RunHistory) -> MetricSpec:
    """Return the metric that a run is known by: on validation images if it has such."""
    primary = history.task.metrics[0]
    is_validated = any(
        math.isfinite(each.value(primary.on_validation.name)) for each in history.epochs
    )
    return primary.on_validation if is_validated or not history.epochs else primary


def seconds_of(history: RunHistory, now: float | None = None) -> float:
    """Return the duration of a run so far, in seconds; NaN before it began.

    Args:
        history: The run.
        now: Current time in seconds since 1970; None for the clock.
    """
    spent = history.seconds_spent(now or time.time())
    return math.nan if spent is None else spent


@dataclass(frozen=True, slots=True)
class ComparedRun:
    """Protocol of a run that can be compared with others."""

    name: str
    plan: TrainingPlan
    history: RunHistory

    def settings(self) -> Settings:
        """Return all its settings, as they are after what was changed later."""
        return settings_of(self.plan, self.history.changes)

    def setting(self, name: str) -> object:
        """Return one of its settings; None where it has no such."""
        return setting_value(self.plan, self.history.changes, name)


@dataclass(frozen=True, slots=True)
class ComparisonRow:
    """One setting or figure of all runs.

    Attributes:
        name: Dotted name of the setting; name of the figure.
        values: One for each run, None or NaN where it has none.
        best: Places of the best values; empty for equal values.
    """

    name: str
    values: tuple[object, ...]
    best: frozenset[int] = frozenset()


@dataclass(frozen=True, slots=True)
class RunComparison:
    """Runs beside each other, each a column."""

    names: tuple[str, ...]
    settings: tuple[ComparisonRow, ...]
    figures: tuple[ComparisonRow, ...]


def compare(runs: Sequence[ComparedRun]) -> RunComparison:
    """Put runs beside each other: the settings that differ, metrics, epochs and time."""
    settings = [run.settings() for run in runs]
    lines = [
        ComparisonRow(name, tuple(run.setting(name) for run in runs))
        for name in differing(settings)
    ]
    # The loss of one task says nothing about that of another.
    are_alike = len({run.history.task.name for run in runs}) == 1
    figures = [
        line if are_alike else replace(line, best=frozenset())
        for metric in MEASURED_METRICS.values()
        for line in (
            _measured(f"best_{metric.name}", metric, [best_of(r.history, metric) for r in runs]),
            _measured(f"last_{metric.name}", metric, [last_of(r.history, metric) for r in runs]),
        )
        if any(math.isfinite(value) for value in line.values if isinstance(value, float))
    ]
    figures += [
        ComparisonRow("epochs", tuple(len(run.history.epochs) for run in runs)),
        _measured("seconds", _TIME, [seconds_of(run.history) for run in runs]),
    ]
    return RunComparison(tuple(run.name for run in runs), tuple(lines), tuple(figures))


_TIME = MetricSpec("seconds", "Time", "Time", higher_is_better=False)


def _measured(name: str, metric: MetricSpec, values: Sequence[float]) -> ComparisonRow:
    best = metric.best(values)
    indices = frozenset(index for index, value in enumerate(values) if value == best)
    # Where all are the same, or there is one alone, none is better than another.
    measured = sum(math.isfinite(value) for value in values)
    return ComparisonRow(name, tuple(values), indices if len(indices) < measured else frozenset())


@dataclass(frozen=True, slots=True)
class FoldSummary:
    """A metric over the folds of one cross-validation.

    Attributes:
        mean: Mean over the folds.
        deviation: Sample standard deviation; NaN for a single fold.
        low: Lower end of the 95 % interval of the mean.
        high: Upper end of the interval.
    """

    mean: float
    deviation: float
    low: float
    high: float


def summarize_folds(values: Sequence[float]) -> FoldSummary:
    """Average a metric over folds, with Student's t interval of the mean.

    The training sets of the folds overlap, so the interval is somewhat too narrow (Bengio and
    Grandvalet, "No Unbiased Estimator of the Variance of K-Fold Cross-Validation", 2004). For a
    fraction such as accuracy it is clipped to 0..1 when it is shown.

    Args:
        values: One finite value per fold.

    Raises:
        ValueError: There is no value.
    """
    if not values:
        raise ValueError("no fold was measured")
    # Imported here: scipy takes 0.2 s, and the command line imports this module for its options.
    from scipy.stats import t  # noqa: PLC0415

    count = len(values)
    mean = math.fsum(values) / count
    if count == 1:
        return FoldSummary(mean, math.nan, math.nan, math.nan)
    deviation = math.sqrt(math.fsum((value - mean) ** 2 for value in values) / (count - 1))
    half = float(t.ppf((1 + LEVEL) / 2, count - 1)) * deviation / math.sqrt(count)
    return FoldSummary(mean, deviation, mean - half, mean + half)


_FIGURES = ("learning_rate", "seconds", "images_per_second")
_CHUNK = 10_000


def epoch_columns(task: Task) -> tuple[str, ...]:
    """Return the columns of `epoch_rows`."""
    pairs = [(each.name, each.on_validation.name) for each in task.all_metrics]
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
    """Return the rows as text; lines end with a line feed."""
    return "".join(_chunks(rows))


def write_csv(path: Path, rows: Iterable[Sequence[object]]) -> None:
    """Write rows as CSV atomically.

    Args:
        path: File to write.
        rows: Cells of each row.

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
