"""Evaluations of the workspace as the page shows them, without Qt."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from studio.engine.documents import REPORT
from studio.engine.evaluation.report import EvaluationPlan
from studio.engine.jobs.states import State
from studio.engine.tasks import DEFAULT_TASK, known_task
from studio.engine.training.plan import TrainingPlan
from studio.ui.documents.record import JobSummary, RecordDocument, summary_values
from studio.ui.language import translated
from studio.ui.widgets.figures import metric_text


@dataclass(frozen=True, slots=True, kw_only=True)
class EvaluationSummary(JobSummary):
    """Evaluation job as the page shows it.

    Attributes:
        folder: Folder of the record.
        model: Name of the model, with its checkpoint.
        run: Id of its run; empty for a file.
        dataset: Id of the dataset; empty if the run was deleted.
        split: Evaluated split.
        figure: Main metric with its name, as text; empty until it is known.
        task: Task of the model, once it is known.
        has_report: True if a report exists.
    """

    folder: Path
    model: str
    run: str
    dataset: str
    split: str
    figure: str = ""
    task: str = DEFAULT_TASK.name
    has_report: bool = False

    @property
    def title(self) -> str:
        """The model with its main metric."""
        return " · ".join(filter(None, (self.model, self.figure)))


def evaluation(
    entry: RecordDocument, run: RecordDocument | None = None
) -> EvaluationSummary | None:
    """Return a record as the page shows it; None if it is not an evaluation.

    Args:
        entry: The record.
        run: Its run; without one, the name of the record is shown.
    """
    plan, history = entry.plan, entry.history
    if not isinstance(plan, EvaluationPlan):
        return None
    name = Path(plan.model_file).stem if plan.model_file else entry.name
    dataset = plan.dataset
    if run is not None and isinstance(run.plan, TrainingPlan):
        name, dataset = run.name, dataset or run.plan.dataset
    return EvaluationSummary(
        **summary_values(entry),
        folder=entry.record.folder,
        model=f"{name} @ {plan.checkpoint}" if plan.checkpoint else name,
        run=plan.run,
        dataset=dataset,
        split=plan.split,
        figure=_figure(history.result),
        task=str(history.result.get("task", DEFAULT_TASK.name)),
        has_report=entry.state == State.COMPLETED and REPORT in history.artifacts,
    )


def _figure(result: Mapping[str, Any]) -> str:
    task = known_task(str(result.get("task", "")))
    metric = task.metrics[0]
    value = result.get("metrics", result).get(metric.name)
    if not isinstance(value, float):
        return ""
    return f"{translated(metric.label)} {metric_text(metric, value)}"


def rivals(
    evaluations: Sequence[EvaluationSummary], shown: EvaluationSummary
) -> list[EvaluationSummary]:
    """Return the evaluations to compare with: complete, of the same split and task."""
    return [
        each
        for each in evaluations
        if each.id != shown.id
        and each.has_report
        and (each.split, each.task) == (shown.split, shown.task)
    ]
