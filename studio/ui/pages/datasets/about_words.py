"""What an import was asked to do and what came of it, as lines of name and text."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication, QDateTime, QLocale

from studio.engine.datasets.recipe import DatasetRecipe
from studio.engine.datasets.summary import DatasetSummary
from studio.engine.plans import FieldKind, PlanField, fields_of
from studio.engine.tasks import TASKS
from studio.ui.bridge.jobs import JobEntry
from studio.ui.engine_text import plan_text
from studio.ui.pages.datasets.messages import images
from studio.ui.tasks import view_of
from studio.ui.widgets.figures import count, duration, percent

Lines = list[tuple[str, str]]


def import_line(entry: JobEntry) -> str:
    """2026-11-20 19:03, in 12 s."""
    history = entry.history
    ended = history.ended_at or entry.info.created.timestamp()
    moment = QDateTime.fromSecsSinceEpoch(round(ended))
    when = QLocale().toString(moment, QLocale.FormatType.ShortFormat)
    if history.started_at is None or history.ended_at is None:
        return when
    took = duration(history.ended_at - history.started_at)
    return _tr("{when}, in {time}").format(when=when, time=took)


def recipe_lines(recipe: DatasetRecipe) -> Lines:
    """The settings of an import; those for experts only where they are not the usual ones."""
    values = recipe.model_dump()
    lines = []
    for field in fields_of(DatasetRecipe):
        value = values[field.name]
        usual = field.level == "expert" and value == field.default and field.name != "encoding"
        if field.level != "hidden" and not usual:
            lines.append((plan_text(field.label), _value(field, value)))
    task = TASKS[recipe.task]
    lines.insert(0, (_tr("Task"), view_of(task).words(task).choice))
    if recipe.target_columns:
        lines.insert(1, (_tr("Columns with the targets"), ", ".join(recipe.target_columns)))
    places = "\n".join(recipe.more_sources)
    return [*lines, (_tr("More images"), places)] if places else lines


def split_lines(summary: DatasetSummary) -> dict[str, str]:
    """Images of validation and test as they are now, in place of the percentages asked for."""
    total = max(1, summary.total)
    lines = {}
    for split, label in (("val", "Validation"), ("test", "Test")):
        number = summary.count[split]
        lines[plan_text(label)] = f"{images(number)} ({percent(number / total, 0)})"
    return lines


def _value(field: PlanField, value: object) -> str:
    if field.kind == FieldKind.CHOICE:
        return plan_text(field.choice_labels[field.choices.index(str(value))])
    if isinstance(value, int):
        text = count(value)
    elif isinstance(value, float):
        text = QLocale().toString(value, "g", 6)
    else:
        text = str(value)
    return f"{text}\N{NO-BREAK SPACE}{plan_text(field.unit)}" if field.unit else text


def _tr(text: str) -> str:
    return QCoreApplication.translate("datasets", text)
