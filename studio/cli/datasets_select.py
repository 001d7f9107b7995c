"""Which images of a dataset are meant: by path, class, split, finding or a part of the name."""

from __future__ import annotations

import argparse
import operator
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from studio.cli.verb import Session
from studio.engine.datasets.audit.findings import AuditReport
from studio.engine.errors import StudioError, did_you_mean
from studio.engine.jobs.job import Job
from studio.engine.training.plan import TrainingPlan
from studio.engine.workspace import Record, RecordKind

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from studio.engine.datasets.store import Store

SPLITS = ("train", "val", "test")
_COMPARE = {
    "=": operator.eq,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}
_CONDITION = re.compile(
    r"(?P<name>.+?)\s*(?P<how><=|>=|<|>|=)\s*(?P<value>[-+]?[0-9]*\.?[0-9]+(?:e[-+]?[0-9]+)?)",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Chosen:
    """A dataset and the images that the options name; `rows` is None where they name none."""

    record: Record
    store: Store
    rows: NDArray[np.int64] | None


def add_selection(parser: argparse.ArgumentParser) -> None:
    """Add the options that name images."""
    parser.add_argument(
        "--class", dest="class_name", metavar="C", help="only images of a class, or with a label"
    )
    parser.add_argument(
        "--where",
        action="append",
        metavar="NAME>=VALUE",
        help="only images with such a number (=, <, <=, >, >=), with a label (=1) or without it "
        "(=0); may be repeated",
    )
    parser.add_argument("--split", choices=SPLITS, help="only images of a split")
    parser.add_argument("--finding", metavar="K", help="only images of a finding of the audit")
    parser.add_argument(
        "--run",
        dest="run_name",
        metavar="R",
        help="choose by the predictions of a run (evaluate it first)",
    )
    parser.add_argument(
        "--predicted", metavar="C", help="with --run: only images predicted as a class"
    )
    parser.add_argument(
        "--wrong", action="store_true", help="with --run: only images predicted as a wrong class"
    )
    parser.add_argument("--search", metavar="TEXT", help="only images with this in their path")
    parser.add_argument(
        "--excluded", action="store_true", help="the excluded images instead of the others"
    )


def completed_dataset(session: Session, what_for: str) -> Record:
    """The dataset that `options.name` names.

    Raises:
        StudioError: There is none, or its import is not completed.
    """
    record = session.workspace.find(RecordKind.DATASET, session.options.name)
    Job(record).require_completed(what_for)
    return record


def chosen_images(
    session: Session, record: Record, paths: list[str], version: int | None = None
) -> Chosen:
    """The images that the options name, in the order of the dataset.

    Raises:
        StudioError: An option names something that is not there.
    """
    # Imported here: h5py takes 0.2 s, and most verbs do without it.
    import numpy as np  # noqa: PLC0415

    from studio.engine.datasets.store import Store  # noqa: PLC0415
    from studio.engine.datasets.versions import excluded_rows, rows_of_paths  # noqa: PLC0415

    options = session.options
    store = Store.open(record.folder, version)
    filters = (
        options.class_name,
        options.split,
        options.finding,
        options.search,
        options.run_name,
        options.where,
    )
    _refuse_predictions_of_nobody(options)
    if not paths and not options.excluded and all(value is None for value in filters):
        return Chosen(record, store, None)
    rows = excluded_rows(store) if options.excluded else np.flatnonzero(store.split >= 0)
    if paths:
        named = rows_of_paths(store, paths)
        rows = named if not options.excluded else np.intersect1d(rows, named)
    if options.class_name is not None:
        rows = rows[store.has_output(class_index(store, options.class_name))[rows]]
    for text in options.where or ():
        rows = rows[_meets(store, text)[rows]]
    if options.split is not None:
        shown = store.split if store.overlay is None else store.overlay.dealt
        rows = rows[shown[rows] == SPLITS.index(options.split)]
    if options.finding is not None:
        rows = rows[np.isin(rows, _rows_of_finding(record, options.finding))]
    if options.run_name is not None:
        rows = rows[np.isin(rows, _rows_predicted(session, record, store))]
    if options.search is not None:
        wanted = options.search.casefold()
        kept = [wanted in store.paths[row].casefold() for row in rows.tolist()]
        rows = rows[np.array(kept, np.bool_)]
    return Chosen(record, store, rows)


def class_index(store: Store, name: str) -> int:
    """Return the number of a class, label or quantity.

    Raises:
        StudioError: There is none of that name.
    """
    if name not in store.classes:
        what = store.task.output_names[0]
        raise StudioError(
            f'The dataset has no {what} "{name}".', did_you_mean(name, store.classes), "class"
        )
    return store.classes.index(name)


def _meets(store: Store, text: str) -> NDArray[np.bool_]:
    """Return which rows meet a condition such as `mass>=2.5`.

    Raises:
        StudioError: It is no condition, or the images have classes.
    """
    parts = _CONDITION.fullmatch(text)
    if parts is None:
        raise StudioError(
            f'"{text}" is no condition.', "Write one such as mass>=2.5 or cat=1.", "where"
        )
    if store.targets is None:
        raise StudioError("The images have classes, not numbers.", "Use --class.", "where")
    values = store.targets[:, class_index(store, parts["name"].strip())]
    meets: NDArray[np.bool_] = _COMPARE[parts["how"]](values, float(parts["value"]))
    return meets


def _refuse_predictions_of_nobody(options: argparse.Namespace) -> None:
    if options.run_name is None and (options.predicted is not None or options.wrong):
        raise StudioError(
            "--predicted and --wrong need the model of a run.", "Name it with --run R.", "run"
        )


def _rows_predicted(session: Session, record: Record, store: Store) -> NDArray[np.int64]:
    """The images that the run's model took for what the options say."""
    import numpy as np  # noqa: PLC0415

    from studio.engine.evaluation.opened import predictions_of  # noqa: PLC0415

    options = session.options
    run = session.workspace.find(RecordKind.RUN, options.run_name)
    if Job(run).plan(TrainingPlan).dataset != record.id:
        raise StudioError(
            f'The run "{run.name}" did not learn from "{record.name}".',
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
        f'An audit knows no finding "{kind}".', did_you_mean(kind, report.counts), "finding"
    )
