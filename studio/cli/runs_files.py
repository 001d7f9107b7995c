"""`studio runs checkpoints|pack|unpack`: the files of a run."""

from __future__ import annotations

import argparse

from studio.cli.output import counted
from studio.cli.runs_control import find_run, name_of_run
from studio.cli.targets import add_force_option, target_file
from studio.cli.verb import Session, Verb
from studio.engine.errors import StudioError
from studio.engine.files import slug, user_path
from studio.engine.jobs.job import Job
from studio.engine.training.artifacts import checkpoints_of
from studio.engine.training.trained_models import remove_checkpoints
from studio.engine.training.transfer import SUFFIX, pack_run, unpack_run


def _configure_checkpoints(parser: argparse.ArgumentParser) -> None:
    name_of_run(parser)
    parser.add_argument(
        "--delete",
        type=float,
        action="append",
        default=[],
        metavar="EPOCH",
        help="delete the checkpoint of this epoch; may be repeated",
    )
    parser.add_argument(
        "--keep-last", type=int, metavar="N", help="delete all checkpoints but the N newest"
    )


def _checkpoints(session: Session) -> object:
    options, job = session.options, find_run(session)
    before = checkpoints_of(job.history)
    wanted = list(dict.fromkeys(options.delete))
    if options.keep_last is not None:
        if options.keep_last < 0:
            raise StudioError(f"--keep-last must be at least 0; received {options.keep_last}.")
        older = before[: len(before) - options.keep_last]
        wanted += [epoch for epoch in older if epoch not in wanted]
    if wanted:
        remove_checkpoints(session.queue, job, wanted)
        session.output.note(f"{counted(len(wanted), 'checkpoint')} deleted.")
    left = checkpoints_of(job.history)
    if left:
        session.output.table(["epoch", "name"], [[f"{e:g}", _name(job, e)] for e in left])
    else:
        session.output.say(f"{job.record.name} has no checkpoints.")
    return {"name": job.record.name, "checkpoints": left, "deleted": wanted}


def _name(job: Job, epoch: float) -> str:
    """Return a checkpoint as `predict`, `evaluate` and `--weights run:` take it."""
    return f"{job.record.name}@{epoch:g}"


def _configure_pack(parser: argparse.ArgumentParser) -> None:
    name_of_run(parser)
    parser.add_argument("--to", metavar="FILE", help=f"file to write [R{SUFFIX}]")
    add_force_option(parser)


def _pack(session: Session) -> object:
    job = find_run(session)
    text = session.options.to or f"{slug(job.record.name, 'run')}{SUFFIX}"
    path = pack_run(session.workspace, job.record, target_file(session, text, "to"))
    size = path.stat().st_size
    session.output.say(f"{path}: {size / 1e6:,.1f} MB")
    return {"name": job.record.name, "path": str(path), "size_bytes": size}


def _configure_unpack(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("file", metavar="FILE", help="file that `studio runs pack` wrote")
    parser.add_argument("--name", metavar="R", help="name of the run [its own, numbered if taken]")


def _unpack(session: Session) -> object:
    path = user_path(session.options.file).absolute()
    record = unpack_run(session.workspace, path, session.options.name)
    job = Job(record)
    job.refresh()
    state = job.history.state.value
    session.output.say(f"{record.name} was added; it is {state}.")
    return {"name": record.name, "id": record.id, "state": state}


FILES = (
    Verb(
        "checkpoints",
        "list or delete the checkpoints of a run",
        _configure_checkpoints,
        _checkpoints,
    ),
    Verb("pack", "write a run into one file, to move it", _configure_pack, _pack),
    Verb("unpack", "add a packed run to this workspace", _configure_unpack, _unpack),
)
