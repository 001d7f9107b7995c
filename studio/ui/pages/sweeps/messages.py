"""Texts of the sweeps page."""

from __future__ import annotations

import math
from functools import partial
from typing import Final

from PySide6.QtCore import QCoreApplication

from studio.engine.errors import Problem
from studio.engine.messages import in_sentence
from studio.engine.sweeps.fields import field_of
from studio.engine.sweeps.plan import OBJECTIVES
from studio.engine.tasks import MEASURED_METRICS
from studio.engine.training.run_settings import setting_label
from studio.ui.forms.setting_words import setting_words
from studio.ui.language import sentence, translated
from studio.ui.pages.sweeps.draft import DraftRow, Further, SweepOutlook
from studio.ui.pages.sweeps.facts import SweepFacts
from studio.ui.pages.sweeps.trial_row import (
    CURVE,
    FIELD,
    INTERVAL,
    NUMBER,
    OBJECTIVE,
    STATE,
    TIME,
    TrialRow,
)
from studio.ui.shared.training import expected_text
from studio.ui.widgets.figures import NO_VALUE, count, duration, percent, significant, size
from studio.ui.widgets.labels import state_word

_tr = partial(QCoreApplication.translate, "sweeps")

STAR = "★"


def field_label(name: str) -> str:
    """Return the label of a field; with its dotted name if it is in a part of the plan."""
    field = field_of(name)
    label = translated(field.label if field else setting_label(name))
    return f"{label} ({name})" if "." in name else label


def objective_label(name: str) -> str:
    """Return the label of an objective."""
    return translated(OBJECTIVES[name].label)


def heading(key: str) -> str:
    """Return the heading of a column of trials."""
    if key.startswith(FIELD):
        return translated(setting_label(key.removeprefix(FIELD)))
    if key.startswith(OBJECTIVE):
        return objective_label(key.removeprefix(OBJECTIVE))
    return {
        NUMBER: _tr("Trial"),
        STATE: _tr("State"),
        INTERVAL: _tr("95 % interval"),
        TIME: _tr("Time"),
        CURVE: _tr("Curve"),
    }[key]


def measured_text(name: str, value: float) -> str:
    """Format a value of an objective."""
    if not math.isfinite(value):
        return NO_VALUE
    if name == "parameters":
        return count(round(value))
    if name == "size":
        return size(round(value))
    if name == "seconds":
        return duration(value)
    metric = MEASURED_METRICS.get(name)
    is_share = metric is not None and metric.is_fraction
    return percent(value, 2) if is_share else significant(value)


def cell_text(row: TrialRow, key: str) -> str:
    """Return the text of a cell of the table of trials; empty for a curve."""
    value = row.value(key)
    if key.startswith(FIELD):
        return setting_words(key.removeprefix(FIELD), value)
    if key.startswith(OBJECTIVE):
        name = key.removeprefix(OBJECTIVE)
        return measured_text(name, value) if isinstance(value, float) else NO_VALUE
    if key == INTERVAL:
        return _interval_text(row.plan.objectives[0], value)
    if key == TIME:
        return duration(value) if isinstance(value, float) else NO_VALUE
    return {NUMBER: count(row.number), STATE: state_word(row.state.value)}.get(key, "")


def _interval_text(objective: str, value: object) -> str:
    if not isinstance(value, tuple):
        return NO_VALUE
    return _tr("{low} to {high}").format(
        low=measured_text(objective, value[0]), high=measured_text(objective, value[1])
    )


def values_text(row: TrialRow) -> str:
    """Return the varied values of a trial: “Learning rate 0.01, Batch size 32”."""
    pairs = [
        f"{translated(setting_label(name))} {setting_words(name, value)}"
        for name, value in row.event.values.items()
    ]
    return ", ".join(pairs)


def done_text(facts: SweepFacts) -> str:
    """Return the progress of a sweep: “12 of 40 trials”."""
    if facts.total is None:
        return _tr("{done} trials").format(done=count(facts.done))
    return _tr("{done} of {total} trials").format(done=count(facts.done), total=count(facts.total))


def best_text(facts: SweepFacts) -> str:
    """Return the result of the best trial in the first objective; empty without one."""
    if not facts.best_values:
        return ""
    return measured_text(facts.plan.objectives[0], facts.best_values[0])


def facts_text(facts: SweepFacts) -> str:
    """Return the summary of a sweep: progress, failed trials, the best trial."""
    words = [done_text(facts)]
    if facts.failed:
        one, many = _tr("1 failed"), _tr("{count} failed").format(count=count(facts.failed))
        words.append(one if facts.failed == 1 else many)
    if len(facts.best) > 1:
        words.append(_tr("{count} Pareto-optimal trials").format(count=count(len(facts.best))))
    elif facts.best:
        label = in_sentence(objective_label(facts.plan.objectives[0]))
        words.append(
            _tr("best {label} {value} in trial {number}").format(
                label=label, value=best_text(facts), number=count(facts.best[0])
            )
        )
    return " · ".join(words)


def runs_text(outlook: SweepOutlook) -> str:
    """Return the numbers of trials and runs of a planned sweep."""
    plan, trials = outlook.plan, outlook.trials
    if trials is None:
        return _tr("New trials start for {time}.").format(time=duration((plan.hours or 0) * 3600))
    words = _tr("1 trial") if trials == 1 else _tr("{n} trials").format(n=count(trials))
    if plan.seeds > 1:
        pattern = _tr("{trials} with {seeds} runs each: {runs} runs in total.")
        runs = count(trials * plan.seeds)
        return pattern.format(trials=words, seeds=count(plan.seeds), runs=runs)
    return _tr("{trials}, one run each.").format(trials=words)


_SHORT_RUN: Final = 60
"""Seconds of a run below which its rounded time says little."""


def time_text(outlook: SweepOutlook) -> str:
    """Return the estimated time of a sweep, and the basis of the estimate."""
    if outlook.per_run is None:
        return _tr("The time is unknown until the first trial is done.")
    per_run = expected_text(outlook.per_run)
    if outlook.total is None or outlook.trials is None:
        return _tr("Time of a run: {per_run}.").format(per_run=per_run)
    workers = outlook.plan.workers
    if outlook.per_run.seconds < _SHORT_RUN:  # rounded, it would contradict the total
        one, several = _tr("Time: {total}."), _tr("Time: {total}, {workers} runs at a time.")
    else:
        one = _tr("Time: {total}. Each run takes {per_run}, one after another.")
        several = _tr("Time: {total}. Each run takes {per_run}, {workers} at a time.")
    pattern = one if workers == 1 else several
    total = expected_text(outlook.total)
    return pattern.format(total=total, per_run=per_run, workers=count(workers))


def there_text(row: DraftRow) -> str:
    """Return the current values of a varied field."""
    if not row.is_range:
        return row.values
    return _tr("{low} to {high}").format(low=row.low, high=row.high)


def further_text(further: Further) -> str:
    """Return the number of trials and the time of a sweep after additions."""
    if further.total is None or further.left is None:
        return ""
    words = _tr("{total} trials in total, {left} remaining").format(
        total=count(further.total), left=count(further.left)
    )
    if further.time is None:
        return f"{words}."
    return _tr("{trials}: {time}.").format(trials=words, time=expected_text(further.time))


def problem_text(problem: Problem) -> str:
    """Return a problem as a sentence, followed by its hint."""
    return sentence(problem.message, problem.hint)
