"""`studio queue …`: what runs on which device, what waits and why; order, hold, cancel."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from studio.cli.options import given_options, plan_options
from studio.cli.verb import Session, Verb, argument
from studio.engine.errors import StudioError
from studio.engine.jobs import control
from studio.engine.jobs.device_claims import all_claims, workspace_key
from studio.engine.jobs.devices import gpu_memory
from studio.engine.jobs.job import Job
from studio.engine.jobs.queue import JobQueue, QueueEntry
from studio.engine.jobs.states import State
from studio.engine.jobs.trash import trash_failed
from studio.engine.jobs.types import JOB_KINDS
from studio.engine.listing import queue_row, waiting_reason
from studio.engine.plans import fields_of
from studio.engine.workspace import Limits, RecordKind, read_limits, write_limits


def _list(session: Session) -> object:
    session.queue.dispatch()
    entries = session.queue.entries()
    names = {entry.job.record.id: entry.job.record.name for entry in entries}
    jobs = [queue_row(entry, names) for entry in entries]
    devices = _devices(session.queue, entries)
    output = session.output
    output.table(
        ["device", "is", "memory", "free", "works on", "waiting"],
        [
            [
                device["name"],
                device["label"] or "–",
                _gigabytes(device["memory"]),
                _gigabytes(device["free_memory"]),
                _who(device["users"], has=True) or device["job"] or "–",
                _who(device["users"], has=False) or "–",
            ]
            for device in devices
        ],
    )
    if jobs:
        rows = [[str(job[key]) for key in ("name", "kind", "state")] for job in jobs]
        output.say("")
        output.table(
            ["job", "kind", "state", "where, or why not"],
            [[*row, _where(entry, names)] for row, entry in zip(rows, entries, strict=True)],
        )
    else:
        output.say("No job is waiting or running.")
    if session.queue.is_paused:
        output.say("The queue is paused. Resume it with: studio queue resume")
    return {"devices": devices, "jobs": jobs, "paused": session.queue.is_paused}


def _devices(queue: JobQueue, entries: Sequence[QueueEntry]) -> list[dict[str, Any]]:
    """Return the devices of this machine, and the jobs of all users that have or want them."""
    claims = [each.claim for each in all_claims()]
    own = workspace_key(queue.workspace.root)
    holders = {
        device: entry.job.record.name
        for entry in entries
        if entry.job.history.state.has_worker
        for device in entry.devices
    }
    found = []
    for device in queue.devices:
        memory = gpu_memory(device.name)
        users = [
            {
                **claim.model_dump(include={"user", "job", "kind", "since", "has"}),
                "own_workspace": claim.workspace == own,
            }
            for claim in claims
            if device.name in claim.devices
        ]
        found.append(
            {
                "name": device.name,
                "label": device.label,
                "memory": device.memory,
                "free_memory": None if memory is None else memory.free,
                "job": holders.get(device.name),
                "users": users,
            }
        )
    return found


def _gigabytes(size: int | None) -> str:
    return f"{size / 2**30:.0f} GB" if size else "–"


def _who(users: Sequence[dict[str, Any]], *, has: bool) -> str:
    """Return the jobs that have a device, or wait for it, with their users."""
    chosen = [each for each in users if each["has"] == has]
    return ", ".join(f"{each['job']} ({each['user']})" for each in chosen)


def _where(entry: QueueEntry, names: dict[str, str]) -> str:
    if reason := waiting_reason(entry, names):
        return reason
    on = f"on {' and '.join(entry.devices)}" if entry.devices else ""
    return f"starts next {on}".strip() if entry.job.history.state == State.QUEUED else on or "–"


def _find(session: Session, text: str) -> Job:
    """Return the waiting or running job with a name, an id, or a kind and name.

    Raises:
        StudioError: There is none, or there are several.
    """
    session.queue.dispatch()
    jobs = [entry.job for entry in session.queue.entries()]
    found = [job for job in jobs if text in _names(job)]
    if len(found) == 1:
        return found[0]
    if not found:
        raise StudioError(
            f'No job "{text}" waits or runs.',
            f"There are: {', '.join(job.record.name for job in jobs)}." if jobs else "",
        )
    kinds = ", ".join(f"{job.record.kind.value}:{text}" for job in found)
    raise StudioError(f'Several jobs are named "{text}".', f"Say which: {kinds}.")


def _names(job: Job) -> tuple[str, str, str]:
    name = job.record.name
    return name, job.record.id, f"{job.record.kind.value}:{name}"


def _change(
    change: Callable[[JobQueue, Job], None], said: str, session: Session
) -> dict[str, object]:
    job = _find(session, session.options.name)
    change(session.queue, job)
    return _report(session, job, said)


def _move(session: Session) -> object:
    job, other = _find(session, session.options.name), _find(session, session.options.before)
    control.move_before(session.queue, job, other)
    return _report(session, job, f"is now before {other.record.name}")


def _cancel(session: Session) -> object:
    job = _find(session, session.options.name)
    has_worker = job.history.state.has_worker
    session.queue.stop(job)
    return _report(
        session, job, "was asked to stop" if has_worker else "was removed from the queue"
    )


def _report(session: Session, job: Job, outcome: str) -> dict[str, object]:
    session.queue.dispatch()
    job.refresh()
    session.output.say(f"{job.record.name} {outcome}.")
    return {
        "name": job.record.name,
        "state": job.history.state.value,
        "held": job.history.held and job.history.state == State.QUEUED,
    }


_name_options = argument("name", metavar="R", help="name of the job; KIND:NAME if several have it")


_move_options = (
    _name_options,
    argument("--before", required=True, metavar="OTHER", help="waiting job to move it before"),
)


_limits_options = plan_options(Limits)


def _limits(session: Session) -> object:
    """Set what is given, then show all."""
    root = session.workspace.root
    limits = read_limits(root)
    given = given_options(session.options)
    if given:
        limits = limits.changed(**given)
        write_limits(root, limits)
        session.queue.dispatch()
    rows = []
    for field in fields_of(Limits):
        if field.level != "hidden":
            value = _limit_text(getattr(limits, field.name), field.unit)
            rows.append([field.name, value, field.help])
    session.output.table(["limit", "is", "means"], rows)
    return limits.model_dump(exclude={"version"})


def _limit_text(value: float | str, unit: str) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, bool):
        return "yes" if value else "no"
    return f"{value:g} {unit}".strip()


_pause_options = argument(
    "--running",
    action="store_true",
    help="also pause running runs and sweeps; resume them one by one",
)


def _pause(session: Session) -> object:
    queue = session.queue
    queue.set_paused(True)
    asked = control.pause_all(queue) if session.options.running else []
    names = [job.record.name for job in asked]
    session.output.say("The queue is paused. Running jobs continue; no others start.")
    if names:
        session.output.say(f"Asked to pause: {', '.join(names)}.")
    return {"paused": True, "asked_to_pause": names}


def _resume(session: Session) -> object:
    session.queue.set_paused(False)
    session.queue.dispatch()
    session.output.say("The queue is resumed.")
    return {"paused": False}


_failed_options = (
    argument("--kind", choices=[kind.value for kind in JOB_KINDS], help="only jobs of this kind"),
)


def _remove_failed(session: Session) -> object:
    """Move all failed jobs to the trash, from which they can be restored."""
    session.queue.dispatch()  # notices workers that died
    kind = session.options.kind
    trashed = trash_failed(session.queue, None if kind is None else RecordKind(kind))
    document = [{"kind": r.kind.value, "name": r.name, "id": r.id} for r in trashed]
    for row in document:
        session.output.say(f"The {row['kind']} {row['name']} was moved to the trash.")
    return document


def _verb(name: str, text: str, change: Callable[[JobQueue, Job], None], said: str) -> Verb:
    return Verb(name, text, _name_options, partial(_change, change, said))


VERBS = (
    Verb("list", "list running and waiting jobs, devices and reasons", run=_list),
    _verb("hold", "hold a waiting job", control.hold, "is on hold"),
    _verb("release", "release a held job", control.release, "may start"),
    _verb("first", "move a waiting job to the start", control.move_first, "is now first"),
    _verb("last", "move a waiting job to the end", control.move_last, "is now last"),
    Verb("move", "move a waiting job before another", _move_options, _move),
    Verb("pause", "pause the queue; running jobs continue", _pause_options, _pause),
    Verb("resume", "resume the queue", run=_resume),
    Verb("remove-failed", "move all failed jobs to the trash", _failed_options, _remove_failed),
    Verb(
        "limits", "show or set the limits of concurrent work and caches", _limits_options, _limits
    ),
    Verb("cancel", "remove a job from the queue, or stop it", _name_options, _cancel),
)
