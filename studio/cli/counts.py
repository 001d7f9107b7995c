"""Counts of predicted objects, corrected by what a model misses and invents."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from studio.cli.verb import Session, figure
from studio.engine.errors import StudioError
from studio.engine.evaluation.counting import (
    CountCorrection,
    CountedImage,
    CountRow,
    corrections_of_run,
    count_rows,
    counts_table,
)
from studio.engine.files import write_atomically
from studio.engine.inference.models import ModelSource
from studio.engine.inference.requests import ImagePrediction
from studio.engine.inference.sources import Picture
from studio.engine.tasks import TASKS
from studio.engine.workspace import RecordKind

_MAX_PRINTED = 40


def require_objects(model: ModelSource) -> None:
    """Refuse to count with a model that finds no objects.

    Raises:
        StudioError: It is one.
    """
    task = TASKS[model.task]
    if not task.reporter.counts_objects:
        raise StudioError(
            f"--count needs a model that finds objects; {model.name} is for {task.label.lower()}.",
            "Leave --count out, or use a model of another task.",
            "count",
        )


def _counted(prediction: ImagePrediction, picture: Picture) -> CountedImage:
    objects = () if prediction.objects is None else prediction.objects.given
    return CountedImage(prediction.image, [each.label for each in objects], picture.seconds)


def counts(
    session: Session,
    model: ModelSource,
    pictures: Sequence[Picture],
    predictions: Sequence[ImagePrediction],
) -> dict[str, object]:
    """Count the objects of predictions, print the counts, and return them as JSON data.

    Args:
        session: The command in progress; names the run.
        model: The model of the predictions.
        pictures: The images.
        predictions: Their predictions; those of images that could not be read are left out.
    """
    known = _corrections(session)
    images = [
        _counted(prediction, picture)
        for picture, prediction in zip(pictures, predictions, strict=True)
        if not prediction.error
    ]
    rows = count_rows(images, model.classes, known)
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
    write_atomically(path, counts_table(rows))


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
    found = corrections_of_run(workspace, run.id, checkpoint, options.threshold)
    if found is None:
        session.output.note(
            f"The counts are not corrected. Measure the run first: studio evaluate {options.name}"
        )
    return found or {}


def _print(
    session: Session, rows: Sequence[CountRow], known: Mapping[str, CountCorrection]
) -> None:
    """Print the counts of folders, origins and all images, and how they agree with true ones."""
    shown = [each for each in rows if each.level not in ("image", "second")]
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
