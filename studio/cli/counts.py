"""Counts of predicted objects, corrected by what a model misses and invents."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from studio.cli.verb import Session, figure
from studio.engine.errors import StudioError
from studio.engine.evaluation.counting import (
    CountedImage,
    CountRow,
    MeasuredCorrections,
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
    read = [
        (picture, prediction)
        for picture, prediction in zip(pictures, predictions, strict=True)
        if not prediction.error
    ]
    measured = _corrections(session, [picture.path for picture, _ in read])
    known = {} if measured is None else measured.by_class
    images = [_counted(prediction, picture) for picture, prediction in read]
    rows = count_rows(images, model.classes, known)
    _print(session, rows, measured)
    return {
        "counts": [each.model_dump(mode="json") for each in rows],
        "corrections": {name: each.model_dump(mode="json") for name, each in known.items()},
        "corrected_by": None if measured is None else measured.document(),
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


def _corrections(session: Session, counted: Sequence[Path]) -> MeasuredCorrections | None:
    """Return the corrections that the newest evaluation of the run measures; None without one.

    Args:
        session: The command in progress; names the run.
        counted: Paths of the counted images.
    """
    workspace, options = session.workspace, session.options
    name, _, checkpoint = options.name.rpartition("@")
    run = workspace.named(RecordKind.RUN, options.name)
    if run is not None:
        checkpoint = ""
    else:
        run = workspace.named(RecordKind.RUN, name)
    if run is None:
        session.output.note("The counts of a model file are not corrected: it has no evaluation.")
        return None
    found = corrections_of_run(workspace, run.id, counted, checkpoint, options.threshold)
    if found is None:
        session.output.note(
            f"The counts are not corrected. Measure the run first: studio evaluate {options.name}"
        )
    return found


def _print(
    session: Session, rows: Sequence[CountRow], measured: MeasuredCorrections | None
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
    if measured is None:
        return
    session.output.say(_source_text(measured))
    for name, each in measured.by_class.items():
        agreement = each.agreement
        session.output.say(
            f"{name}: on {agreement.images:,} evaluated images, predicted counts differ from true "
            f"ones by {agreement.bias:+.2f} per image, 95 % of them by "
            f"{agreement.low:+.2f} to {agreement.high:+.2f}."
        )


def _source_text(measured: MeasuredCorrections) -> str:
    """Return which images the corrections were measured on."""
    split = {"test": "test", "val": "validation"}[measured.split]
    left_out = (
        f" Left out, because they are also counted: {measured.left_out:,}."
        if measured.left_out
        else ""
    )
    if not measured.by_class:
        return f"The counts are not corrected: too few {split} images were evaluated.{left_out}"
    return (
        f"Estimates are corrected by precision and recall on {measured.images:,} {split} images."
        f"{left_out}"
    )


def _interval(low: float, high: float) -> str:
    return f"{figure(low)} – {figure(high)}"
