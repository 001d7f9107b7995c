"""`studio datasets …`: import, list, show, delete."""

from __future__ import annotations

import argparse
from pathlib import Path

from studio.cli.following import elapsed, wait_for
from studio.cli.plan_options import add_plan_options, add_set_option, assignments, given_options
from studio.cli.verb import Session, Verb
from studio.engine.datasets.recipe import DatasetRecipe
from studio.engine.datasets.samples import SAMPLES
from studio.engine.datasets.suggestion import suggest_recipe
from studio.engine.datasets.summary import read_skipped, read_summary
from studio.engine.errors import StudioError
from studio.engine.files import slug
from studio.engine.jobs.job import Job
from studio.engine.jobs.requests import request_import, request_trash
from studio.engine.jobs.states import State
from studio.engine.progress import SilentProgress
from studio.engine.workspace import RecordKind

SHOWN_SKIPPED = 10


def _configure_import(parser: argparse.ArgumentParser) -> None:
    samples = ", ".join(SAMPLES.names())
    parser.add_argument(
        "source", metavar="SRC", help=f"a folder of class folders, or a sample: {samples}"
    )
    parser.add_argument("--name", help="what the dataset is called [the folder's name]")
    parser.add_argument("--size", metavar="WxH", help="size of the images [their median, ≤ 224]")
    parser.add_argument("--val", metavar="PERCENT", help="share for validation [20]")
    parser.add_argument("--test", metavar="PERCENT", help="share for the test [10]")
    add_plan_options(parser, DatasetRecipe, ("width", "height", "val_percent", "test_percent"))
    add_set_option(parser)
    parser.add_argument("--detach", action="store_true", help="return at once")


def recipe_from(session: Session) -> DatasetRecipe:
    """The recipe that the options of an import ask for.

    Raises:
        StudioError: The source is not there, or an option does not fit.
    """
    options = session.options
    recipe = _suggested(session, options.source)
    changes = given_options(options)
    if options.size is not None:
        changes["width"], changes["height"] = parse_size(options.size)
    for name, value in (("val_percent", options.val), ("test_percent", options.test)):
        if value is not None:
            changes[name] = value
    return recipe.changed(**(changes | assignments(options)))


def _suggested(session: Session, source: str) -> DatasetRecipe:
    path = Path(source).expanduser()
    if source in SAMPLES and not path.exists():
        sample = SAMPLES[source]
        folder = session.workspace.root / "samples"
        return sample.recipe(sample.write(folder, SilentProgress()))
    if not path.exists():
        raise StudioError(
            f"There is no file or folder {source}.",
            f"Check the path, or use one of the samples: {', '.join(SAMPLES.names())}.",
            "source",
        )
    return suggest_recipe(path)


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


def _import(session: Session) -> object:
    options = session.options
    recipe = recipe_from(session)
    name = options.name
    if name is None:
        wish = slug(Path(recipe.source).name, "dataset")
        name = session.workspace.unused_name(RecordKind.DATASET, wish)
    job = request_import(session.queue, recipe, name)
    if options.detach:
        session.queue.dispatch()
        job.refresh()
        session.output.say(f"{name} is {job.history.state.value}.")
        return {"name": name, "state": job.history.state.value}
    history = wait_for(session.queue, job, session.output, f"Importing {name}")
    if history.state != State.COMPLETED:
        session.output.say(f"{name} was {history.state.value}.")
        return {"name": name, "state": history.state.value, "count": 0, "skipped": 0}
    shown = _describe(session, name, job)
    session.output.note(f"Took {elapsed(history)}.")
    return {
        "name": name,
        "state": history.state.value,
        "count": history.result["count"],
        "skipped": history.result["skipped"],
        "classes": shown["classes"],
    }


def _show(session: Session) -> object:
    record = session.workspace.find(RecordKind.DATASET, session.options.name)
    job = Job(record)
    job.require_completed("showing it")
    return _describe(session, record.name, job)


def _describe(session: Session, name: str, job: Job) -> dict[str, object]:
    summary = read_summary(job.record.folder)
    skipped = read_skipped(job.record.folder)
    output = session.output
    color = "gray" if summary.channels == 1 else "color"
    output.say(
        f"{name}: {summary.total:,} images of {summary.width}x{summary.height}, {color}, "
        f"in {len(summary.classes)} classes"
    )
    counts = summary.class_counts
    output.table(
        ["class", "train", "val", "test"],
        [
            [label, *(f"{counts[split][index]:,}" for split in ("train", "val", "test"))]
            for index, label in enumerate(summary.classes)
        ],
    )
    if skipped:
        output.say(f"{len(skipped):,} files were left out:")
        for entry in skipped[:SHOWN_SKIPPED]:
            output.say(f"  {entry.path}: {entry.reason}")
        if len(skipped) > SHOWN_SKIPPED:
            output.say(f"  … and {len(skipped) - SHOWN_SKIPPED:,} more; --json lists all")
    return {
        "name": name,
        "id": job.record.id,
        "classes": summary.classes,
        "count": summary.count,
        "class_counts": counts,
        "width": summary.width,
        "height": summary.height,
        "channels": summary.channels,
        "skipped": [{"path": entry.path, "reason": entry.reason} for entry in skipped],
        "recipe": job.plan(DatasetRecipe).model_dump(mode="json"),
    }


def _list(session: Session) -> object:
    session.queue.dispatch()
    rows, document = [], []
    for record, info in session.workspace.infos(RecordKind.DATASET):
        job = Job(record)
        job.refresh()
        state = job.history.state
        entry: dict[str, object] = {"name": info.name, "id": record.id, "state": state.value}
        if state == State.COMPLETED:
            try:
                summary = read_summary(record.folder)
            except StudioError as error:
                session.output.note(f"{info.name} is left out: {error}")
                continue
            entry |= {"count": summary.total, "classes": len(summary.classes)}
        rows.append(
            [info.name, state.value, str(entry.get("count", "–")), str(entry.get("classes", "–"))]
        )
        document.append(entry)
    if rows:
        session.output.table(["name", "state", "images", "classes"], rows)
    else:
        session.output.say("No datasets yet. Try: studio datasets import digits")
    return document


def _delete(session: Session) -> object:
    record = session.workspace.find(RecordKind.DATASET, session.options.name)
    name = record.name
    request_trash(session.queue, record)
    session.output.say(f"{name} is in the trash of {session.workspace.root}.")
    return {"name": name, "state": "deleted"}


def _configure_name(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("name", metavar="NAME", help="name of the dataset")


DATASETS = Verb(
    "datasets",
    "import images and look at what was imported",
    verbs=(
        Verb(
            "import", "make a dataset from a folder of class folders", _configure_import, _import
        ),
        Verb("list", "list the datasets", run=_list),
        Verb("show", "show one dataset", _configure_name, _show),
        Verb("delete", "move a dataset to the trash", _configure_name, _delete),
    ),
)
