"""How one dataset is shown: its classes, its splits, and what was left out."""

from __future__ import annotations

from studio.cli.output import counted
from studio.cli.verb import Session
from studio.engine.datasets.edits import current_version
from studio.engine.datasets.recipe import DatasetRecipe
from studio.engine.datasets.requests import dataset_summary
from studio.engine.datasets.summary import read_skipped
from studio.engine.jobs.job import Job
from studio.engine.tasks import TASKS

SHOWN_SKIPPED = 10


def describe(session: Session, name: str, job: Job) -> dict[str, object]:
    """Print a completed dataset, and return it as a document."""
    version = current_version(job.record.folder)
    summary = dataset_summary(job.record.folder, version)
    skipped = read_skipped(job.record.folder)
    output = session.output
    recipe = job.plan(DatasetRecipe)
    color = "gray" if summary.channels == 1 else "color"
    kept = {"raw": "", "png": ", as PNG", "jpeg": f", as JPEG of quality {recipe.jpeg_quality}"}
    singular, plural = TASKS[summary.task].output_names
    outputs = f"{len(summary.classes):,} {singular if len(summary.classes) == 1 else plural}"
    output.say(
        f"{name}: {summary.total:,} images of {summary.width}x{summary.height}, {color}"
        f"{kept[recipe.encoding]}, {outputs}" + (f", version {version}" if version else "")
    )
    counts = summary.class_counts
    output.table(
        [singular, "train", "val", "test"],
        [
            [label, *(f"{counts[split][index]:,}" for split in ("train", "val", "test"))]
            for index, label in enumerate(summary.classes)
        ],
    )
    if skipped:
        output.say(f"{counted(len(skipped), 'file')} left out:")
        for entry in skipped[:SHOWN_SKIPPED]:
            line = f", line {entry.line}" if entry.line else ""
            output.say(f"  {entry.path}{line}: {entry.reason}")
        if len(skipped) > SHOWN_SKIPPED:
            output.say(f"  … and {len(skipped) - SHOWN_SKIPPED:,} more; --json lists all")
    return {
        "name": name,
        "id": job.record.id,
        "version": version,
        "task": summary.task,
        "classes": summary.classes,
        "units": summary.units,
        "count": summary.count,
        "class_counts": counts,
        "width": summary.width,
        "height": summary.height,
        "channels": summary.channels,
        "skipped": [
            {"path": entry.path, "reason": entry.reason}
            | ({"line": entry.line} if entry.line else {})
            for entry in skipped
        ],
        "recipe": recipe.model_dump(mode="json"),
    }
