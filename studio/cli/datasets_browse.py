"""`studio datasets browse|versions|export`: what a dataset holds, held, and hands out."""

from __future__ import annotations

import argparse
import operator
import re
import sys
from collections.abc import Container
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from studio.cli.options import NEWEST
from studio.cli.verb import BarProgress, Session, argument
from studio.engine.datasets.audit.findings import AuditReport
from studio.engine.datasets.box_table import SIZES, BoxTable
from studio.engine.datasets.edits import EditLine, read_edits
from studio.engine.datasets.export import all_splits, export_dataset, forms_of
from studio.engine.datasets.splits import SPLIT_NAMES
from studio.engine.datasets.store import Store
from studio.engine.datasets.versions import (
    CHANGES,
    compare_versions,
    excluded_rows,
    rows_of_paths,
)
from studio.engine.errors import StudioError, did_you_mean
from studio.engine.evaluation.evaluated_classes import predictions_of
from studio.engine.files import user_path
from studio.engine.jobs.job import Job
from studio.engine.training.plan import TrainingPlan
from studio.engine.workspace import Record, RecordKind

_COMPARE = {
    "=": operator.eq,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}
_RANGE = re.compile(r"(?P<low>\d{1,9})(?P<dash>-(?P<high>\d{1,9})?)?")
_CONDITION = re.compile(
    r"(?P<name>.+?)\s*(?P<how><=|>=|<|>|=)\s*(?P<value>[-+]?[0-9]*\.?[0-9]+(?:e[-+]?[0-9]+)?)"
    r"\s*(?P<unit>%?)",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class ChosenImages:
    """A dataset and the images that the options name; `rows` is None if they name nothing."""

    record: Record
    store: Store
    rows: NDArray[np.int64] | None


selection_options = (
    argument(
        "--class", dest="class_name", metavar="C", help="only images of a class, or with a label"
    ),
    argument(
        "--where",
        action="append",
        metavar="NAME>=VALUE",
        help="only images with such a number, label (=1, =0), pixels or percentage of a class "
        "(leaf>=25%%); repeatable",
    ),
    argument(
        "--objects",
        metavar="N",
        help="only images with this number of boxes (of --class, if given): 0, 3, 2-5 or 10-",
    ),
    argument(
        "--object-size",
        choices=SIZES,
        help="only images with boxes of a size, which --objects counts: small (under 32 px), "
        "large (from 96 px)",
    ),
    argument("--split", choices=SPLIT_NAMES, help="only images of a split"),
    argument("--finding", metavar="K", help="only images of a finding of the audit"),
    argument(
        "--run",
        dest="run_name",
        metavar="R",
        help="filter by the predictions of an evaluated run",
    ),
    argument("--predicted", metavar="C", help="with --run: only images predicted as this class"),
    argument("--wrong", action="store_true", help="with --run: only misclassified images"),
    argument("--search", metavar="TEXT", help="only images with this in their path"),
    argument("--excluded", action="store_true", help="list the excluded images instead"),
)
"""Add the options that name images."""


def completed_dataset(session: Session, what_for: str) -> Record:
    """Return the dataset named by `options.name`.

    Args:
        session: The command in progress.
        what_for: Purpose, for the error: `an audit`.

    Raises:
        StudioError: It does not exist, or its import is not completed.
    """
    record = session.workspace.find(RecordKind.DATASET, session.options.name)
    Job(record).require_completed(what_for)
    return record


def chosen_images(
    session: Session, record: Record, paths: list[str], version: int | None = None
) -> ChosenImages:
    """Return the images selected by the options, in the order of the dataset.

    Args:
        session: The command in progress.
        record: The dataset.
        paths: Paths of single images; empty for all.
        version: Version of the dataset; None for the newest.

    Raises:
        StudioError: An option names something that does not exist.
    """
    options = session.options
    store = Store.open(record.folder, version)
    filters = (
        options.class_name,
        options.split,
        options.finding,
        options.search,
        options.run_name,
        options.where,
        options.objects,
        options.object_size,
    )
    _require_model_for_predictions(options)
    if not paths and not options.excluded and all(value is None for value in filters):
        return ChosenImages(record, store, None)
    rows = excluded_rows(store) if options.excluded else np.flatnonzero(store.split >= 0)
    if paths:
        named = rows_of_paths(store, paths)
        rows = named if not options.excluded else np.intersect1d(rows, named)
    if options.objects is not None or options.object_size is not None:
        rows = rows[_has_objects(store, options)[rows]]
    elif options.class_name is not None:
        rows = rows[store.has_output(class_index(store, options.class_name))[rows]]
    for text in options.where or ():
        rows = rows[_meets(store, text)[rows]]
    if options.split is not None:
        shown = store.split if store.overlay is None else store.overlay.dealt
        rows = rows[shown[rows] == SPLIT_NAMES.index(options.split)]
    if options.finding is not None:
        rows = rows[np.isin(rows, _rows_of_finding(record, options.finding))]
    if options.run_name is not None:
        rows = rows[np.isin(rows, _rows_predicted(session, record, store))]
    if options.search is not None:
        requested = options.search.casefold()
        matches = [requested in store.paths[row].casefold() for row in rows.tolist()]
        rows = rows[np.array(matches, np.bool_)]
    return ChosenImages(record, store, rows)


def class_index(store: Store, name: str) -> int:
    """Return the index of a class, label or quantity.

    Args:
        store: The dataset.
        name: Its name.

    Raises:
        StudioError: No record has that name.
    """
    if name not in store.classes:
        what = store.task.output_names[0]
        raise StudioError(
            f'The dataset has no {what} "{name}".', did_you_mean(name, store.classes), "class"
        )
    return store.classes.index(name)


def _meets(store: Store, text: str) -> NDArray[np.bool_]:
    """Return a mask of the rows that meet a condition such as `mass>=2.5`, or `leaf>=25%`.

    Raises:
        StudioError: It is no condition, or the images have classes.
    """
    parts = _CONDITION.fullmatch(text)
    if parts is None:
        raise StudioError(
            f'"{text}" is not a condition.', "Use a condition such as mass>=2.5 or cat=1.", "where"
        )
    kind, table = store.task.targets, store.targets
    if table is None:
        raise StudioError("The images have classes, not numbers.", "Use --class.", "where")
    if parts["unit"]:
        percentages = kind.percentages(table)
        if percentages is None:
            raise StudioError(
                "Percentages are for the pixels of masks.", "Write the number itself.", "where"
            )
        table = percentages
    values = table[:, class_index(store, parts["name"].strip())]
    meets: NDArray[np.bool_] = _COMPARE[parts["how"]](values, float(parts["value"]))
    return meets


def _has_objects(store: Store, options: argparse.Namespace) -> NDArray[np.bool_]:
    """Return a mask of the rows with the number and size of boxes given by the options.

    Raises:
        StudioError: The images have no boxes, or the number is no range.
    """
    boxes = BoxTable.of_store(store)
    if boxes is None:
        raise StudioError("The images have no boxes.", "Use --where or --class.", "objects")
    output = None
    if options.class_name is not None:
        output = class_index(store, options.class_name)
    size = options.object_size or ""
    numbers = boxes.numbers(len(store.labels), output, size)
    if options.objects is None:
        return numbers > 0
    parts = _RANGE.fullmatch(options.objects.strip())
    if parts is None:
        raise StudioError(
            f'"{options.objects}" is not a number of boxes.', "Use 3, 2-5 or 10-.", "objects"
        )
    low = int(parts["low"])
    high = low if parts["dash"] is None else int(parts["high"] or sys.maxsize)
    return (numbers >= low) & (numbers <= high)


def _require_model_for_predictions(options: argparse.Namespace) -> None:
    if options.run_name is None and (options.predicted is not None or options.wrong):
        raise StudioError(
            "--predicted and --wrong need the model of a run.", "Name it with --run R.", "run"
        )


def _rows_predicted(session: Session, record: Record, store: Store) -> NDArray[np.int64]:
    """Return the images that the run's model took for what the options say."""
    options = session.options
    run = session.workspace.find(RecordKind.RUN, options.run_name)
    if Job(run).plan(TrainingPlan).dataset != record.id:
        raise StudioError(
            f'The run "{run.name}" was not trained on "{record.name}".',
            "Name a run of this dataset; studio runs list shows them.",
            "run",
        )
    predictions = predictions_of(session.workspace, run)
    if predictions is None:
        raise StudioError(
            f'The run "{run.name}" was never evaluated.',
            f"Try: studio evaluate {run.name} --split val",
            "run",
        )
    rows = predictions.rows
    if options.predicted is not None:
        rows = predictions.taken_for(class_index(store, options.predicted))
    return np.intersect1d(rows, predictions.wrong(store.labels)) if options.wrong else rows


def _rows_of_finding(record: Record, kind: str) -> list[int]:
    report = AuditReport.read(record.folder)
    if report is None:
        raise StudioError(
            "This dataset was never audited.",
            f"Try: studio datasets audit {record.name}",
            "finding",
        )
    finding = report.finding(kind)
    if finding is not None:
        return finding.rows
    if kind in report.counts:
        return []
    raise StudioError(
        f'There is no finding of audits called "{kind}".',
        did_you_mean(kind, report.counts),
        "finding",
    )


SHOWN = 50


browse_options = (
    argument("name", metavar="N", help="name of the dataset"),
    selection_options,
    NEWEST,
)


def browse(session: Session) -> object:
    """List the chosen images of a dataset."""
    record = completed_dataset(session, "browsing")
    chosen = chosen_images(session, record, [], session.options.version)
    store, rows = chosen.store, chosen.rows
    if rows is None:
        rows = (store.split >= 0).nonzero()[0]
    split = store.split if store.overlay is None else store.overlay.dealt
    # A million lines are useless on a screen.
    shown = rows if session.output.as_json else rows[:SHOWN]
    images = [
        {
            "path": store.paths[row],
            **store.annotation_document(row),
            "split": SPLIT_NAMES[int(split[row])],
            "row": row,
        }
        for row in shown.tolist()
    ]
    session.output.say(f"{record.name}, version {store.version}: {len(rows):,} images")
    session.output.table(
        ["path", store.task.annotation_name, "split"],
        [
            [str(entry["path"]), store.annotation(row), str(entry["split"])]
            for row, entry in zip(shown[:SHOWN].tolist(), images, strict=False)
        ],
    )
    if len(rows) > len(images):
        session.output.say(f"… and {len(rows) - len(images):,} more; --json lists all")
    return {
        "name": record.name,
        "version": store.version,
        "count": len(rows),
        "images": images,
    }


versions_options = (
    argument("name", metavar="N", help="name of the dataset"),
    argument(
        "--compare",
        nargs=2,
        type=int,
        metavar=("A", "B"),
        help="show the changes from version A to version B",
    ),
)


def versions(session: Session) -> object:
    """List the versions of a dataset, or compare two."""
    record = completed_dataset(session, "its versions")
    lines = read_edits(record.folder)
    if session.options.compare is not None:
        return _compare(session, record.folder, *session.options.compare)
    document = [_version(number, line) for number, line in enumerate(lines, 1)]
    session.output.say(f"{record.name}: version 0 is the dataset as imported")
    if document:
        session.output.table(
            ["version", "when", "what"],
            [[str(entry[key]) for key in ("version", "when", "what")] for entry in document],
        )
    return {"name": record.name, "version": len(lines), "versions": document}


def _version(number: int, line: EditLine) -> dict[str, object]:
    kinds = ", ".join(edit.kind.replace("_", " ") for edit in line.edits)
    what = line.action if line.action != "edit" else kinds
    when = datetime.fromtimestamp(line.t, UTC).isoformat(timespec="seconds")
    text = f"{what} ({line.note})" if line.note else what
    return {"version": number, "when": when, "what": text, "action": line.action}


def _compare(session: Session, folder: Path, before: int, after: int) -> object:
    store = Store.open(folder, before)
    change = compare_versions(store, Store.open(folder, after))
    document: dict[str, object] = {"before": before, "after": after}
    for key in CHANGES:
        paths = [store.paths[row] for row in getattr(change, key).tolist()]
        document[key] = paths
        session.output.say(f"{key}: {len(paths):,}")
    document |= {
        "added_classes": list(change.added_classes),
        "removed_classes": list(change.removed_classes),
        "renamed_classes": [list(pair) for pair in change.renamed_classes],
    }
    for old, new in change.renamed_classes:
        session.output.say(f'"{old}" is called "{new}"')
    return document


export_options = (
    argument("name", metavar="N", help="name of the dataset"),
    argument(
        "--format",
        metavar="FORMAT",
        help="folders, csv, npz, geojson; masks: also masks, voc, coco, labelme; "
        "boxes: also coco, voc, yolo, kitti [masks or coco where possible, otherwise folders]",
    ),
    argument("--split", choices=SPLIT_NAMES, help="only one split [all]"),
    NEWEST,
    argument("--to", required=True, metavar="DIR", help="destination folder"),
)


def _usual_form(forms: Container[str]) -> str:
    """Return the default format of an export."""
    return next(form for form in ("masks", "coco", "folders") if form in forms)


def export(session: Session) -> object:
    """Write the images of a dataset as folders, a table or arrays."""
    options = session.options
    record = completed_dataset(session, "an export")
    store = Store.open(record.folder, options.version)
    splits = [options.split] if options.split else all_splits(store)
    name = f"{record.name}-{options.split}" if options.split else record.name
    form = options.format or _usual_form(forms_of(store.task))
    to = user_path(options.to).absolute()
    with session.output.bar(f"Exporting {record.name}") as bar:
        path = export_dataset(store, form, splits, to, name, BarProgress(session.output, bar))
    count = sum(len(store.rows(split)) for split in splits)
    session.output.say(f"{count:,} images are in {path}")
    return {"path": str(path), "count": count, "version": store.version, "format": form}
