"""Counts of predicted objects, corrected by what a model misses and invents."""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence
from pathlib import Path

from studio.cli.verb import Session, figure
from studio.engine.csv_cells import CsvWriter
from studio.engine.errors import StudioError
from studio.engine.evaluation.counting import (
    CountCorrection,
    CountRow,
    corrections,
    count_rows,
    counted_evaluation,
)
from studio.engine.evaluation.report import EvaluationPlan
from studio.engine.evaluation.requests import find_evaluation, on_available_split
from studio.engine.evaluation.target_files import open_target_evaluation
from studio.engine.files import write_atomically
from studio.engine.inference.models import ModelSource
from studio.engine.inference.requests import ImagePrediction
from studio.engine.tasks import TASKS
from studio.engine.workspace import RecordKind

_HEADINGS = ("level", "name", "class", "images", "predicted", "estimate", "low", "high")
_MAX_PRINTED = 40


def require_objects(model: ModelSource) -> None:
    """Refuse to count with a model that finds no objects.

    Raises:
        StudioError: It is one.
    """
    task = TASKS[model.task]
    if task.reporter is None or not task.reporter.counts_objects:
        raise StudioError(
            f"--count needs a model that finds objects; {model.name} is for {task.label.lower()}.",
            "Leave --count out, or use a model of another task.",
            "count",
        )


def _labels(prediction: ImagePrediction) -> list[str]:
    """Return the class of each predicted object."""
    return [] if prediction.objects is None else [each.label for each in prediction.objects.given]


def counts(
    session: Session, model: ModelSource, predictions: Sequence[ImagePrediction]
) -> dict[str, object]:
    """Count the objects of predictions, print the counts, and return them as JSON data.

    Args:
        session: The command in progress; names the run.
        model: The model of the predictions.
        predictions: Predictions of images that could be read.
    """
    known = _corrections(session)
    rows = count_rows(
        [each.image for each in predictions],
        [_labels(each) for each in predictions],
        model.classes,
        known,
    )
    _print(session, rows, known)
    return {
        "counts": [each.model_dump(mode="json") for each in rows],
        "corrections": {name: each.model_dump(mode="json") for name, each in known.items()},
    }


def write_counts(path: Path, document: Mapping[str, object]) -> None:
    """Write counts as CSV.

    Args:
        path: The new file.
        document: Result of `counts`.
    """
    found = document["counts"]
    rows = [CountRow.model_validate(each) for each in found] if isinstance(found, list) else []
    write_atomically(path, _table(rows))


def _table(rows: Sequence[CountRow]) -> str:
    file = io.StringIO(newline="")
    table = CsvWriter(file)
    table.writerow(_HEADINGS)
    for each in rows:
        ends = [
            "" if value is None else f"{value:.2f}"
            for value in (each.estimate, each.low, each.high)
        ]
        table.writerow([each.level, each.name, each.label, each.images, each.predicted, *ends])
    return file.getvalue()


def _corrections(session: Session) -> dict[str, CountCorrection]:
    """Return the corrections that the newest evaluation of the run measures; none without one."""
    workspace, options = session.workspace, session.options
    name, _, checkpoint = options.name.rpartition("@")
    run = workspace.named(RecordKind.RUN, options.name)
    if run is not None:
        checkpoint = ""
    else:
        run = workspace.named(RecordKind.RUN, name)
    if run is None:
        session.output.note("The counts of a model file are not corrected: it has no evaluation.")
        return {}
    plan = EvaluationPlan.parse({"run": run.id, "checkpoint": checkpoint})
    record = find_evaluation(workspace, on_available_split(workspace, plan))
    if record is None:
        session.output.note(
            f"The counts are not corrected. Measure the run first: studio evaluate {options.name}"
        )
        return {}
    counted = counted_evaluation(
        open_target_evaluation(workspace, record.folder), options.threshold
    )
    return {} if counted is None else corrections(counted)


def _print(
    session: Session, rows: Sequence[CountRow], known: Mapping[str, CountCorrection]
) -> None:
    """Print the counts of folders, origins and all images, and how they agree with true ones."""
    shown = [each for each in rows if each.level != "image"]
    session.output.table(
        ["counted in", "class", "images", "predicted", "estimate", "95 % interval"],
        [
            [
                f"{each.level} {each.name}".strip(),
                each.label,
                f"{each.images:,}",
                f"{each.predicted:,}",
                "–" if each.estimate is None else figure(each.estimate),
                "–" if each.low is None or each.high is None else _interval(each.low, each.high),
            ]
            for each in shown[-_MAX_PRINTED:]
        ],
    )
    for name, each in known.items():
        agreement = each.agreement
        session.output.say(
            f"{name}: on {agreement.images:,} evaluated images, predicted counts differ from true "
            f"ones by {agreement.bias:+.2f} per image, 95 % of them by "
            f"{agreement.low:+.2f} to {agreement.high:+.2f}."
        )


def _interval(low: float, high: float) -> str:
    return f"{figure(low)} – {figure(high)}"
