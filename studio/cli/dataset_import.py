"""`studio datasets import`: options of sources and recipe, and the progress of the import."""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Sequence
from functools import partial
from pathlib import Path

from studio.cli.dataset_view import describe
from studio.cli.following import elapsed, find_job, leave, wait_for
from studio.cli.import_report import print_report
from studio.cli.options import (
    DETACH,
    SET,
    add_task_option,
    assignments,
    given_options,
    plan_options,
    require_effect,
)
from studio.cli.verb import BarProgress, Session, argument
from studio.engine.datasets.import_report import read_import
from studio.engine.datasets.preview import preview_import
from studio.engine.datasets.recipe import DatasetRecipe
from studio.engine.datasets.requests import dataset_summary, recipe_to_add, request_import
from studio.engine.datasets.samples import SAMPLES
from studio.engine.datasets.sources import evident_task, explained, source_for
from studio.engine.datasets.sources.base import SourceOptions
from studio.engine.datasets.sources.drawn_labels import label_source
from studio.engine.datasets.suggestion import (
    other_task,
    suggest_recipe,
)
from studio.engine.datasets.summary import SUMMARY_NAME
from studio.engine.errors import StudioError
from studio.engine.files import slug, user_path
from studio.engine.jobs import control
from studio.engine.jobs.job import Job
from studio.engine.jobs.states import State
from studio.engine.tasks import DEFAULT_TASK, TASKS, named_task
from studio.engine.tasks.annotations import AnnotationOptions
from studio.engine.tasks.task import Task
from studio.engine.web import address
from studio.engine.workspace import RecordKind

_LOOKED_AT = 32
"""Masks that are read before the import itself."""
_PATH_FIELDS = (
    *("val_source", "test_source", "labels_file"),
    *("path_prefix", "val_path_prefix", "test_path_prefix"),
)


_recipe_options = (
    add_task_option,
    argument(
        "--labels",
        metavar="PATH",
        help="table with classes, labels or numbers of the images in SRC; or the place of their "
        "masks or boxes",
    ),
    argument(
        "--target-columns",
        metavar="A,B",
        help="columns with labels or numbers; units go in brackets: mass [g] [all usable ones]",
    ),
    argument(
        "--classes",
        metavar="A,B",
        help="names of the classes of masks or boxes, in their order [those of the annotations]",
    ),
    argument(
        "--good",
        metavar="CLASS",
        nargs="+",
        help="classes of good images; those of other classes have defects of that kind [none]",
    ),
    argument(
        "--colors",
        metavar="A,B",
        help="colors of the classes of masks or boxes as #rrggbb, in the same order",
    ),
    argument(
        "--size",
        metavar="WxH",
        help="size of the images [their median, at most 224x224; with objects 320x320, more if "
        "they are small, or tiles if small ones would be lost]",
    ),
    argument("--val", metavar="PERCENT", help="percentage of validation images [20]"),
    argument("--test", metavar="PERCENT", help="percentage of test images [10]"),
    argument("--only-classes", metavar="A,B", help="import these classes only"),
    argument("--only-splits", metavar="A,B", help="import these splits only: train, val, test"),
    argument(
        "--s3-endpoint",
        metavar="URL",
        help="server of s3:// addresses [Amazon]; credentials: AWS_ACCESS_KEY_ID or AWS_PROFILE",
    ),
    argument("--s3-region", metavar="NAME", help="region of s3:// addresses"),
    plan_options(DatasetRecipe, ("width", "height", "val_percent", "test_percent")),
    SET,
    DETACH,
)


run_import_options = (
    argument(
        "sources",
        metavar="SRC",
        nargs="+",
        help="folder of class folders, archive, list, file of arrays, dataset, https:// or s3:// "
        f"address, or sample: {', '.join(SAMPLES.names())}",
    ),
    argument("--name", help="name of the dataset [the folder's name]"),
    argument(
        "--preview",
        action="store_true",
        help="print what would be imported and what would be left out, and write nothing",
    ),
    argument(
        "--add-to",
        metavar="DATASET",
        help="copy images, splits and size of this dataset and add SRC",
    ),
    _recipe_options,
)


run_clone_options = (
    argument("dataset", metavar="DATASET", help="name of the dataset"),
    argument("--name", help="name of the new dataset [the old name, numbered]"),
    _recipe_options,
)


def recipe_from(session: Session, samples: Path | None = None) -> DatasetRecipe:
    """Return the recipe that the options of an import ask for.

    Args:
        session: The command in progress.
        samples: Folder for a sample that is imported; None for that of the workspace.

    Raises:
        StudioError: A source does not exist, or an option does not apply.
    """
    changes = _changes(session.options)
    _use_table(session.options, changes)
    _require_bucket(session.options, session.options.sources, changes)
    return _changed(session.options, _suggested(session, changes, samples), changes)


def _use_table(options: argparse.Namespace, changes: dict[str, object]) -> None:
    """Read `FOLDER --labels FILE` as the table, whose paths start at the folder.

    A file of an annotation tool finds the images by their names.

    Raises:
        StudioError: There are several sources, or another folder for the paths.
    """
    if options.labels is None:
        return
    location = address.written(user_path(options.labels))
    task = _read_as(options) or evident_task(user_path(options.sources[0]), location)
    reads_files = task is not None and task.source.reads("annotations")
    if reads_files or label_source(user_path(options.sources[0]), location) is not None:
        changes["annotations"] = location
        return
    if len(options.sources) > 1 or changes.get("path_prefix"):
        raise StudioError(
            "--labels takes one folder SRC, where the paths of the table start.",
            "Import one folder with one table; add others with --add-to.",
            "labels",
        )
    (folder,) = options.sources
    changes["path_prefix"] = address.written(user_path(folder))
    options.sources = [options.labels]


def run_clone(session: Session) -> object:
    """Import the sources of a dataset again, with its settings changed by options."""
    options = session.options
    record = session.workspace.find(RecordKind.DATASET, options.dataset)
    base = Job(record).plan(DatasetRecipe)
    changes = _changes(options)
    _require_bucket(options, [base.source, *base.more_sources], changes)
    recipe = _changed(options, base, changes)
    name = options.name or session.workspace.unused_name(RecordKind.DATASET, record.name)
    return _import(session, recipe, name)


def _changes(options: argparse.Namespace) -> dict[str, object]:
    """Return the fields of a recipe that were given as options."""
    changes = given_options(options)
    for name in _PATH_FIELDS:
        if changes.get(name):
            changes[name] = address.written(_with_server(str(changes[name]), options))
    return changes


def _changed(
    options: argparse.Namespace, recipe: DatasetRecipe, changes: dict[str, object]
) -> DatasetRecipe:
    """Return a recipe with everything changed that the options name."""
    changes |= _size(options)
    percentages = {"val_percent": options.val, "test_percent": options.test}
    changes |= {name: value for name, value in percentages.items() if value is not None}
    if options.task is not None:
        changes["task"] = named_task(options.task).name
    if options.good:
        changes["good_classes"] = options.good
    for name, value in (
        ("only_classes", options.only_classes),
        ("only_splits", options.only_splits),
        ("target_columns", options.target_columns),
        ("class_names", options.classes),
        ("class_colors", options.colors),
    ):
        if value is not None:
            changes[name] = [part.strip() for part in value.split(",") if part.strip()]
    changed = recipe.changed(**(changes | assignments(options)))
    if changed.tile_size not in (0, recipe.tile_size) and options.size is None:
        changed = changed.changed(width=changed.tile_size, height=changed.tile_size)
    task = TASKS[changed.task]
    for option, field, what in (
        ("--target-columns", "target_columns", "target columns"),
        ("--classes", "class_names", "annotations"),
        ("--colors", "class_colors", "annotations"),
        ("--good", "good_classes", "good classes"),
    ):
        if getattr(changed, field) and not task.source.reads(field):
            raise StudioError(
                f"{task.label} has no {what}.",
                f"Name the task with --task, or leave {option} out.",
                field,
            )
    require_effect(options, changed)
    return changed


def _size(options: argparse.Namespace) -> dict[str, int]:
    """Return width and height that were given as an option, by their fields."""
    if options.size is None:
        return {}
    return dict(zip(("width", "height"), parse_size(options.size), strict=True))


def _suggested(
    session: Session, changes: dict[str, object], samples: Path | None
) -> DatasetRecipe:
    """Return a recipe that suits the sources, before the options change it."""
    options = session.options
    with session.output.bar("Inspecting the images") as bar:
        progress = BarProgress(session.output, bar)
        if options.add_to is not None:
            base = session.workspace.find(RecordKind.DATASET, options.add_to)
            Job(base).require_completed("adding to it")
            folders = [
                _location(session, source, progress, samples)[0] for source in options.sources
            ]
            counts = dataset_summary(base.folder).count
            return recipe_to_add(base.folder, Job(base).plan(DatasetRecipe), counts, folders)
        (first, recipe), *rest = [
            _location(session, source, progress, samples) for source in options.sources
        ]
        if recipe is None:
            annotations = str(changes.get("annotations", ""))
            task = _task(options, first, annotations)
            read_as = _read_as(options) or task
            known = SourceOptions(
                labels_file=str(changes.get("labels_file", "")),
                path_prefix=str(changes.get("path_prefix", "")),
                internal_addresses=bool(changes.get("internal_addresses", False)),
            ).for_task(
                read_as,
                partial(AnnotationOptions, most=_LOOKED_AT),
                is_part=bool(rest or options.good),
            )
            is_chosen = options.task or task.name != DEFAULT_TASK.name
            better = "" if is_chosen else other_task(first, known)
            try:
                source = source_for(first, read_as, annotations)
                chosen = {*changes, *assignments(options), *_size(options)}
                recipe = suggest_recipe(first, None, progress, known, source, chosen=chosen)
            except StudioError as error:
                reason = explained(error, first, annotations, task)
                raise reason.changed(hint=better) from error
            if better:
                session.output.note(better)
            recipe = recipe.changed(task=task.name)
        return recipe.changed(more_sources=_texts([path for path, _ in rest]))


def _requested_task(options: argparse.Namespace) -> Task | None:
    if options.task is None and options.good:
        return next(task for task in TASKS.values() if task.source.reads("good_classes"))
    return None if options.task is None else named_task(options.task)


def _read_as(options: argparse.Namespace) -> Task | None:
    """Return the task as whose images the sources are read; None if no option says it."""
    return DEFAULT_TASK if options.good else _requested_task(options)


def _task(options: argparse.Namespace, location: Path, annotations: str) -> Task:
    """Return the requested task, or that of a dataset or of annotations there.

    Raises:
        StudioError: There is no such task, or the dataset is for another one.
    """
    requested = _requested_task(options)
    if options.good or not (location / SUMMARY_NAME).is_file():
        return requested or evident_task(location, annotations) or DEFAULT_TASK
    task = TASKS[dataset_summary(location).task]
    if requested not in (None, task):
        raise StudioError(
            f"The dataset is for {task.label.lower()}; received --task {options.task}.",
            "Leave --task out.",
            "task",
        )
    return task


def _texts(paths: Sequence[Path]) -> list[str]:
    return [address.written(path) for path in paths]


def _with_server(location: str, options: argparse.Namespace) -> str:
    """Return a location; one in S3 with the requested server and region."""
    if address.address_of(location).startswith("s3:") and (
        options.s3_endpoint or options.s3_region
    ):
        return address.with_server(location, options.s3_endpoint or "", options.s3_region or "")
    return location


def _require_bucket(
    options: argparse.Namespace, sources: Sequence[str], changes: dict[str, object]
) -> None:
    """Refuse options of S3 that would be ignored."""
    locations = [*sources, *(str(changes.get(name, "")) for name in _PATH_FIELDS)]
    if any(address.address_of(location).startswith("s3:") for location in locations):
        return
    for name in ("s3_endpoint", "s3_region"):
        if getattr(options, name):
            raise StudioError(
                f"--{name.replace('_', '-')} has no effect: no address begins with s3://.",
                "Leave it out, or import s3://bucket/folder.",
                name,
            )


def _location(
    session: Session, source: str, progress: BarProgress, samples: Path | None
) -> tuple[Path, DatasetRecipe | None]:
    """Resolve a source, and return the recipe too if it is a sample."""
    text = _with_server(source, session.options)
    if address.address_of(text):
        return Path(text), None
    path = user_path(text)
    if path.exists():
        return path, None
    if source in SAMPLES:
        sample = SAMPLES[source]
        folder = sample.write(samples or session.workspace.root / "samples", progress)
        return folder, sample.recipe(folder)
    # A preview creates no workspace.
    record = None
    if samples is None or session.has_workspace:
        record = session.workspace.named(RecordKind.DATASET, source)
    if record is not None:
        Job(record).require_completed("importing from it")
        return record.folder, None
    raise StudioError(
        f"There is no file, folder or dataset {source}.",
        f"Check the path, or use one of the samples: {', '.join(SAMPLES.names())}.",
        "source",
    )


def parse_size(text: str) -> tuple[int, int]:
    """Width and height from `WxH`, or one number for a square.

    Raises:
        StudioError: It is not of that form.
    """
    parts = text.lower().replace("×", "x").split("x")
    numbers = [int(part) for part in parts if part.strip().isascii() and part.strip().isdigit()]
    if len(numbers) != len(parts) or len(parts) not in (1, 2):
        raise StudioError(
            f'A size is written WIDTHxHEIGHT; received "{text}".', "For example 28x28.", "size"
        )
    return numbers[0], numbers[-1]


def run_import(session: Session) -> object:
    """Import, and print the result."""
    options = session.options
    if options.preview:
        return _preview(session)
    name = options.name
    if name is not None:  # refused before the images are read
        name = session.workspace.require_free(RecordKind.DATASET, name)
    recipe = recipe_from(session)
    if name is None:
        preferred = slug(_preferred_name(options, recipe), "dataset")
        name = session.workspace.unused_name(RecordKind.DATASET, preferred)
    return _import(session, recipe, name)


def _preview(session: Session) -> object:
    """Print what would be imported, without writing anything into the workspace."""
    with tempfile.TemporaryDirectory() as samples:
        recipe = recipe_from(session, Path(samples))
        with session.output.bar("Examining the images") as bar:
            report = preview_import(recipe, BarProgress(session.output, bar))
    print_report(session.output, report)
    return report.document()


def _import(session: Session, recipe: DatasetRecipe, name: str) -> object:
    job = request_import(session.queue, recipe, name)
    if session.options.detach:
        return leave(session, job, name) | {"name": name}
    wait_for(session, job, f"Importing {name}")
    return _imported(session, job)


resume_options = argument("name", metavar="NAME", help="name of the dataset")


def resume(session: Session) -> object:
    """Continue an import that was stopped, failed or lost its process."""
    job = find_job(session, RecordKind.DATASET)
    control.resume(session.queue, job)
    wait_for(session, job, f"Importing {job.record.name}")
    return _imported(session, job)


def _imported(session: Session, job: Job) -> dict[str, object]:
    """Print the outcome of an import that ended; the result is its JSON document."""
    name, history = job.record.name, job.history
    if history.state != State.COMPLETED:
        session.output.say(
            f"{name} was {history.state.value}. Continue it with: studio datasets resume {name}"
        )
        return {"name": name, "state": history.state.value, "count": 0, "skipped": 0}
    shown = describe(session, name, job)
    report = read_import(job.record.folder)
    session.output.note(f"Took {elapsed(history)}.")
    return {
        "name": name,
        "state": history.state.value,
        "task": shown["task"],
        "units": shown["units"],
        "count": history.result["count"],
        "skipped": history.result["skipped"],
        "classes": shown["classes"],
        **({"kinds": shown["kinds"]} if "kinds" in shown else {}),
        **({} if report is None else report.facts()),
    }


def _preferred_name(options: argparse.Namespace, recipe: DatasetRecipe) -> str:
    """Return a name that reminds of where the images come from."""
    first = str(options.add_to or options.sources[0])
    is_path = options.add_to is None and (address.address_of(first) or user_path(first).exists())
    return address.short_name(recipe.source).partition(".")[0] if is_path else first
