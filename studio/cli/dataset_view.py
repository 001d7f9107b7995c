"""`studio datasets show`: the classes and splits of a dataset, and what was left out."""

from __future__ import annotations

import numpy as np

from studio.cli.import_report import print_facts, print_left_out, print_warnings
from studio.cli.verb import Session, argument, figure, percent
from studio.engine.datasets.box_table import SIZES, BoxTable
from studio.engine.datasets.edits import current_version
from studio.engine.datasets.import_report import (
    format_document,
    left_out_documents,
    read_import,
)
from studio.engine.datasets.origins.counts import origin_facts
from studio.engine.datasets.recipe import DatasetRecipe
from studio.engine.datasets.requests import dataset_summary
from studio.engine.datasets.splits import SPLIT_NAMES
from studio.engine.datasets.store import Store
from studio.engine.datasets.summary import DatasetSummary, read_skipped
from studio.engine.jobs.job import Job
from studio.engine.pixel_format import PixelFormat
from studio.engine.tasks import TASKS
from studio.engine.tasks.metric import SHARE, with_unit
from studio.engine.workspace import RecordKind

run_options = argument("name", metavar="NAME", help="name of the dataset")


def run(session: Session) -> object:
    """Print a dataset, and return it as a document."""
    record = session.workspace.find(RecordKind.DATASET, session.options.name)
    job = Job(record)
    job.require_completed("showing it")
    return describe(session, record.name, job)


def describe(session: Session, name: str, job: Job) -> dict[str, object]:
    """Print a completed dataset and return it as JSON data.

    Args:
        session: The command in progress.
        name: Name of the dataset.
        job: Its import.
    """
    version = current_version(job.record.folder)
    summary = dataset_summary(job.record.folder, version)
    skipped = read_skipped(job.record.folder)
    output = session.output
    recipe = job.plan(DatasetRecipe)
    color = _color(summary.pixel_format)
    stored_as = {
        "raw": "",
        "png": ", as PNG",
        "jpeg": f", as JPEG of quality {recipe.jpeg_quality}",
    }
    what = TASKS[summary.task].output_names[len(summary.classes) != 1]
    output.say(
        f"{name}: {summary.total:,} images of {summary.width}x{summary.height}, {color}"
        f"{stored_as[recipe.encoding]}, {len(summary.classes):,} {what}"
        + (f", version {version}" if version else "")
    )
    figures = _figures(job, version)
    _print_outputs(session, summary, figures)
    boxes = _boxes(session, job, version)
    report = read_import(job.record.folder)
    print_left_out(output, skipped)
    if report is not None:
        print_facts(output, report)
        print_warnings(output, report)
    store = Store.open(job.record.folder, version)
    origins = origin_facts(store.origins, store.split)
    if version and origins.groups:
        output.say(f"Origins in version {version}: {origins.text}")
    return {
        "name": name,
        "id": job.record.id,
        "version": version,
        "task": summary.task,
        "classes": summary.classes,
        "units": summary.units,
        "colors": _colors(summary),
        "count": summary.count,
        "class_counts": summary.class_counts,
        "targets": {
            name: {key: values[index] for key, values in figures.items()}
            for index, name in enumerate(summary.classes if figures else ())
        },
        **boxes,
        **({} if report is None else report.facts()),
        "origins": origins.document(),
        **_region_numbers(summary, job, version),
        "splits": summary.count,
        "width": summary.width,
        "height": summary.height,
        "channels": summary.channels,
        "pixel_format": format_document(summary.pixel_format),
        "skipped": left_out_documents(skipped),
        "recipe": recipe.model_dump(mode="json"),
    }


def _color(pixels: PixelFormat) -> str:
    """Return channels, type and range of the pixels in a few words."""
    channels = "gray" if pixels.is_gray else "color" if pixels.is_rgb else ""
    channels = channels or f"{pixels.channels} channels"
    if pixels.is_standard:
        return channels
    found = format_document(pixels)
    own = "own range of each image"
    value_range = own if pixels.per_image else f"{found['low']} to {found['high']}"
    return f"{channels}, {pixels.dtype}, {value_range}"


def _colors(summary: DatasetSummary) -> list[str]:
    """Return the color of each class of masks or boxes as "#rrggbb"; nothing for other tasks."""
    return list(TASKS[summary.task].geometry.colors(summary.classes, summary.colors))


def _print_outputs(
    session: Session, summary: DatasetSummary, figures: dict[str, list[float]]
) -> None:
    """Print a line for each class, label or quantity."""
    counts = summary.class_counts
    splits: tuple[str, ...] = SPLIT_NAMES
    # Every image has each quantity, so that their counts say nothing.
    if figures and all(set(counts[name]) == {summary.count[name]} for name in SPLIT_NAMES):
        splits = ()
        session.output.say(", ".join(f"{summary.count[name]:,} {name}" for name in SPLIT_NAMES))
    rows = []
    colors = _colors(summary)
    for index, label in enumerate(summary.classes):
        unit = summary.units[index] if summary.units else ""
        rows.append(
            [
                with_unit(label, unit),
                *colors[index : index + 1],
                *(f"{counts[name][index]:,}" for name in splits),
                *(
                    percent(values[index]) if name == SHARE else figure(values[index])
                    for name, values in figures.items()
                ),
            ]
        )
    headers = [TASKS[summary.task].output_names[0], *(["color"] if colors else [])]
    session.output.table([*headers, *splits, *figures], rows)


def _boxes(session: Session, job: Job, version: int) -> dict[str, object]:
    """Print and return the numbers, sizes and shapes of boxes; nothing for other tasks."""
    store = Store.open(job.record.folder, version)
    boxes = BoxTable.of_store(store)
    if boxes is None:
        return {}
    figures = boxes.figures(np.flatnonzero(store.split >= 0))
    session.output.say(
        f"{figures['count']:,} boxes: " + ", ".join(f"{figures[s]:,} {s}" for s in SIZES)
    )
    rows = [
        [label, *(figure(value) for value in spread.values())]
        for label, name in (
            ("boxes per image", "per_image"),
            ("side [px]", "side"),
            ("width / height", "aspect_ratio"),
        )
        if isinstance(spread := figures[name], dict) and spread
    ]
    if rows:
        session.output.table(["", "min", "10 %", "median", "90 %", "max"], rows)
    return {"boxes": figures}


def _region_numbers(summary: DatasetSummary, job: Job, version: int) -> dict[str, object]:
    """Return the objects or pixels of each class in a version; nothing for other tasks."""
    store = Store.open(job.record.folder, version)
    if not store.task.geometry.by_unit(0):  # only images are counted
        return {}
    targets = store.targets[store.split >= 0]
    numbers = targets.sum(axis=0, dtype=np.int64).tolist()
    totals = store.task.targets.totals(summary.classes, targets)
    by_class = dict(zip(summary.classes, numbers, strict=True))
    return {**store.task.geometry.by_unit(by_class), **totals}


def _figures(job: Job, version: int) -> dict[str, list[float]]:
    """Return the distribution of the targets of each output; nothing for classes."""
    store = Store.open(job.record.folder, version)
    kind = store.task.targets
    return {
        name: values.tolist()
        for name, values in kind.figures(store.targets[store.split >= 0]).items()
    }
