"""Verbs of `studio runs` that change a run, and its files."""

from __future__ import annotations

from studio.cli.following import find_job, pause_job, print_state, wait_for
from studio.cli.options import DETACH, FORCE, target_file
from studio.cli.record_edit import edit_verbs, find_records, records_options
from studio.cli.train import shared_options, train
from studio.cli.train_plan import asked_plan, plan_like, training_options
from studio.cli.trash import restore
from studio.cli.verb import Session, Verb, argument, counted
from studio.engine.errors import StudioError
from studio.engine.files import slug, user_path
from studio.engine.jobs.control import can_pause
from studio.engine.jobs.executors.handed_over import target_of
from studio.engine.jobs.job import Job
from studio.engine.jobs.states import State
from studio.engine.jobs.trash import find_trashed, request_trash
from studio.engine.training import control
from studio.engine.training.artifacts import checkpoints_of
from studio.engine.training.history import RunHistory, RunJob
from studio.engine.training.trained_models import remove_checkpoints
from studio.engine.training.transfer import SUFFIX, pack_run, unpack_run
from studio.engine.workspace import RecordKind


def find_run(session: Session) -> RunJob:
    """Return the named run, with workers that died noticed and its journal read."""
    return find_job(session, RecordKind.RUN).with_history(RunHistory)


def _pause(session: Session) -> object:
    return pause_job(session, find_run(session))


def _resume(session: Session) -> object:
    job = find_run(session)
    control.resume(session.queue, job, session.options.learning_rate)
    return _go_on(session, job)


def _extend(session: Session) -> object:
    job = find_run(session)
    control.extend(session.queue, job, session.options.epochs)
    return _go_on(session, job)


def _go_on(session: Session, job: Job) -> dict[str, str]:
    if session.options.detach:
        session.queue.dispatch()
        job.refresh()
    else:
        wait_for(session, job, f"Training {job.record.name}")
    return print_state(session, job)


def _move(session: Session) -> object:
    """Pause a run where it trains, and let it continue elsewhere."""
    job = find_run(session)
    machine, device = target_of(session.options.to)
    control.require_place(
        session.queue, job, machine, device
    )  # first: a slip must not stop a training
    if can_pause(job.history.state):
        pause_job(session, job)
    control.move(session.queue, job, machine, device)
    return {**_go_on(session, job), "machine": machine}


def _save(session: Session) -> object:
    job = find_run(session)
    control.save_now(job)
    session.output.say(f"{job.record.name} saves everything at its next step.")
    return {"name": job.record.name, "state": job.history.state.value}


def _rate(session: Session) -> object:
    job = find_run(session)
    rate = session.options.rate
    control.change_rate(job, rate)
    session.output.say(f"{job.record.name} takes {rate:g} at its next step.")
    return {"name": job.record.name, "state": job.history.state.value, "learning_rate": rate}


run_name = argument("name", metavar="R", help="name of the run")
"""Add the argument with the name of a run, for `find_run`."""


_rate_option = argument(
    "--learning-rate", type=float, help="new base learning rate for the remaining epochs"
)


_epochs_option = argument(
    "--epochs", type=int, required=True, metavar="E", help="number of additional epochs"
)


_rate_argument = (
    run_name,
    argument("rate", type=float, metavar="RATE", help="new learning rate"),
)


_move_options = (
    run_name,
    argument(
        "--to",
        required=True,
        metavar="HOST[:DEVICE]",
        help="machine, perhaps with a device: gpu-box:gpu:1; here, or gpu:1, for this computer",
    ),
    DETACH,
)


CONTROL = (
    Verb("pause", "save a checkpoint and free the device", run_name, _pause),
    Verb(
        "resume",
        "resume a run from its last checkpoint",
        (run_name, _rate_option, DETACH),
        _resume,
    ),
    Verb("move", "continue a run on another machine, or back here", _move_options, _move),
    Verb("extend", "add epochs to a run", (run_name, _epochs_option, DETACH), _extend),
    Verb("save", "save a checkpoint of a run now", run_name, _save),
    Verb("rate", "change the learning rate of a running training", _rate_argument, _rate),
)


# `studio runs tag|untag|note|group|rename|delete|restore`: what a person says of runs.


_options = records_options("run")


def _delete(session: Session) -> object:
    session.queue.dispatch()
    jobs = [Job(record) for record in find_records(session, RecordKind.RUN)]
    for job in jobs:
        job.refresh()
    names = [job.record.name for job in jobs]
    busy = [n for n, job in zip(names, jobs, strict=True) if job.history.state.has_worker]
    if busy:
        raise StudioError(
            f"Still running: {', '.join(busy)}.", "Stop them first: studio runs stop"
        )
    for name, job in zip(names, jobs, strict=True):
        if job.history.state == State.QUEUED:
            session.queue.stop(job)
        request_trash(session.queue, job.record)
        session.output.say(f"{name} is in the trash of {session.workspace.root}.")
    document = [{"name": name, "state": "deleted"} for name in names]
    return document[0] if len(document) == 1 else document


def _restore(session: Session) -> object:
    # All are looked for before any is moved.
    names = session.options.records
    found = [find_trashed(session.workspace, name, RecordKind.RUN) for name in names]
    document = []
    for restored in restore(session, list(dict.fromkeys(found))):
        job = Job.read(session.workspace.find(RecordKind.RUN, str(restored["id"])))
        document.append({"name": restored["name"], "state": job.history.state.value})
    return document


EDITS = (
    *edit_verbs(RecordKind.RUN),
    Verb("delete", "move runs to the trash", _options, _delete),
    Verb("restore", "restore runs from the trash", _options, _restore),
)


# `studio runs clone`: a new run with the plan of another, changed here and there.


_clone_options = (
    argument("source", metavar="R", help="name of the run to clone"),
    argument("--name", metavar="R", help="name of the new run [R, numbered]"),
    training_options("that of R", "that of R"),
    shared_options,
)


def _clone(session: Session) -> object:
    """Return the plan as it was requested, without the changes made while it ran."""
    record = session.workspace.find(RecordKind.RUN, session.options.source)
    base = plan_like(session, session.options.source)
    return train(session, asked_plan(session, base), record.name)


CLONE = Verb(
    "clone", "train again with the plan of a run and some changes", _clone_options, _clone
)


# `studio runs checkpoints|pack|unpack`: the files of a run.


_checkpoints_options = (
    run_name,
    argument(
        "--delete",
        type=float,
        action="append",
        default=[],
        metavar="EPOCH",
        help="delete the checkpoint of this epoch; may be repeated",
    ),
    argument("--keep-last", type=int, metavar="N", help="delete all checkpoints but the N newest"),
)


def _checkpoints(session: Session) -> object:
    options, job = session.options, find_run(session)
    before = checkpoints_of(job.history)
    requested = list(dict.fromkeys(options.delete))
    if options.keep_last is not None:
        if options.keep_last < 0:
            raise StudioError(f"--keep-last must be at least 0; received {options.keep_last}.")
        older = before[: len(before) - options.keep_last]
        requested += [epoch for epoch in older if epoch not in requested]
    if requested:
        remove_checkpoints(session.queue, job, requested)
        session.output.note(f"{counted(len(requested), 'checkpoint')} deleted.")
    left = checkpoints_of(job.history)
    if left:
        session.output.table(["epoch", "name"], [[f"{e:g}", _name(job, e)] for e in left])
    else:
        session.output.say(f"{job.record.name} has no checkpoints.")
    return {"name": job.record.name, "checkpoints": left, "deleted": requested}


def _name(job: Job, epoch: float) -> str:
    """Return a checkpoint as `predict`, `evaluate` and `--weights run:` take it."""
    return f"{job.record.name}@{epoch:g}"


_pack_options = (
    run_name,
    argument("--to", metavar="FILE", help=f"file to write [R{SUFFIX}]"),
    FORCE,
)


def _pack(session: Session) -> object:
    job = find_run(session)
    text = session.options.to or f"{slug(job.record.name, 'run')}{SUFFIX}"
    path = pack_run(session.workspace, job.record, target_file(session, text, "to"))
    size = path.stat().st_size
    session.output.say(f"{path}: {size / 1e6:,.1f} MB")
    return {"name": job.record.name, "path": str(path), "size_bytes": size}


_unpack_options = (
    argument("file", metavar="FILE", help="file that `studio runs pack` wrote"),
    argument("--name", metavar="R", help="name of the run [the stored name, numbered if taken]"),
)


def _unpack(session: Session) -> object:
    path = user_path(session.options.file).absolute()
    record = unpack_run(session.workspace, path, session.options.name)
    job = Job.read(record)
    state = job.history.state.value
    session.output.say(f"{record.name} was added; it is {state}.")
    return {"name": record.name, "id": record.id, "state": state}


FILES = (
    Verb(
        "checkpoints",
        "list or delete the checkpoints of a run",
        _checkpoints_options,
        _checkpoints,
    ),
    Verb("pack", "write a run to one file", _pack_options, _pack),
    Verb("unpack", "add a packed run to this workspace", _unpack_options, _unpack),
)
