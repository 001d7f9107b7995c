"""`studio datasets …`: its verbs; list and delete."""

from __future__ import annotations

from studio.cli.record_edit import edit_verbs
from studio.cli.verb import Session, Verb, argument, counted
from studio.engine.errors import StudioError
from studio.engine.jobs.job import Job
from studio.engine.jobs.trash import request_trash
from studio.engine.listing import dataset_row
from studio.engine.training.trained_models import runs_trained_on
from studio.engine.workspace import RecordKind

SHOWN_RUNS = 10


_list_options = argument(
    "--group", metavar="G", help="only datasets of this group; '' for those without a group"
)


def _list(session: Session) -> object:
    session.queue.dispatch()
    rows, document = [], []
    group = session.options.group
    for record, info in session.workspace.infos(RecordKind.DATASET):
        if group is not None and info.group.casefold() != group.casefold():
            continue
        job = Job.read(record)
        try:
            entry = dataset_row(job, info)
        except StudioError as error:
            session.output.note(f"{info.name} is left out: {error}")
            continue
        counts = [str(entry.get(key, "–")) for key in ("task", "count", "classes")]
        rows.append(
            [info.name, job.history.state.value, *counts, info.group, ", ".join(info.tags)]
        )
        document.append(entry)
    if rows:
        headers = ["name", "state", "task", "images", "outputs", "group", "tags"]
        session.output.table(headers, rows)
    elif session.options.group is not None:
        session.output.say(f'No dataset is in the group "{session.options.group}".')
    else:
        session.output.say("No datasets yet. Try: studio datasets import digits")
    return document


def _delete(session: Session) -> object:
    record = session.workspace.find(RecordKind.DATASET, session.options.name)
    name = record.name
    runs = [run.name for run in runs_trained_on(session.workspace, record)]
    request_trash(session.queue, record)
    session.output.say(
        f"{name} was moved to the trash. Restore it with: studio trash restore {name}"
    )
    if runs:
        shown = ", ".join(runs[:SHOWN_RUNS]) + (", …" if len(runs) > SHOWN_RUNS else "")
        session.output.say(
            f"{counted(len(runs), 'run')} trained on it can still predict and export: {shown}"
        )
    return {"name": name, "state": "deleted", "runs": runs}


_name_options = argument("name", metavar="NAME", help="name of the dataset")


VERBS = (
    Verb(
        "import",
        "import a dataset from folders, archives, lists or arrays",
        source="dataset_import:run_import",
    ),
    Verb("list", "list the datasets", _list_options, _list),
    Verb("show", "show one dataset", source="dataset_view:run"),
    Verb(
        "audit",
        "find duplicates, leakage, label errors and poor images",
        source="datasets_audit:run",
    ),
    Verb(
        "browse",
        "list images by class, label, split, finding or name",
        source="datasets_browse:browse",
    ),
    Verb(
        "edit",
        "exclude, relabel, set targets, move or resplit images; restore, undo and redo",
        source="datasets_edit:run",
    ),
    Verb(
        "versions",
        "list the versions of a dataset, or compare two",
        source="datasets_browse:versions",
    ),
    Verb("export", "write folders, a table, arrays or masks", source="datasets_browse:export"),
    Verb(
        "clone", "import again with the settings of a dataset", source="dataset_import:run_clone"
    ),
    *edit_verbs(RecordKind.DATASET),
    Verb("resume", "continue a stopped or failed import", source="dataset_import:resume"),
    Verb("delete", "move a dataset to the trash", _name_options, _delete),
)
