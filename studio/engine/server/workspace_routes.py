"""Routes of a workspace: records, plans, jobs, events, predictions and downloads."""

from __future__ import annotations

import logging
import tempfile
import threading
from collections.abc import Callable, Iterator
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import Any, Final, Self, TypeVar

from pydantic import BaseModel, ConfigDict

from studio import __version__
from studio.engine.errors import DiskFullError, StudioError, raise_if_serious
from studio.engine.evaluation.report import EvaluationPlan
from studio.engine.evaluation.requests import on_available_split, request_evaluation
from studio.engine.exporting.certificate import files_of
from studio.engine.exporting.plan import ExportPlan
from studio.engine.exporting.requests import measured_folder, request_export, save_measured
from studio.engine.files import remove_folder, slug
from studio.engine.inference.models import model_of_run
from studio.engine.jobs import control
from studio.engine.jobs.host import EngineHost
from studio.engine.jobs.job import JOURNAL_FILE, Job
from studio.engine.jobs.launch import LOG_FILE
from studio.engine.jobs.queue import JobQueue
from studio.engine.jobs.states import State
from studio.engine.jobs.trash import request_trash
from studio.engine.jobs.types import JOB_KINDS, job_type
from studio.engine.labeling.project import Labeling
from studio.engine.listing import (
    Listed,
    dataset_row,
    evaluation_row,
    export_row,
    field_row,
    labeling_row,
    queue_row,
    run_document,
    run_row,
    sweep_document,
    sweep_row,
)
from studio.engine.networks.library import saved
from studio.engine.networks.zoo import ZOO
from studio.engine.plans import Plan, fields_of
from studio.engine.server.events import EventStreams, position
from studio.engine.server.mirroring import MIRRORED, ChangeFeed, change_route, copy_routes
from studio.engine.server.model_routes import HostedModel, model_routes
from studio.engine.server.routes import (
    CheckedRequest,
    Download,
    Parameter,
    Payload,
    RefusedError,
    Role,
    Route,
    Stream,
)
from studio.engine.server.submitting import JobBody, submit
from studio.engine.sweeps.history import SweepHistory
from studio.engine.training import control as run_control
from studio.engine.training.history import RunHistory, RunJob
from studio.engine.training.plan import TrainingPlan
from studio.engine.training.planner import Planner, PlanRequest, ReadModel
from studio.engine.training.requests import request_training, training_problems
from studio.engine.training.starting_weights import is_weights_file, with_available_weights
from studio.engine.training.summaries import run_summaries
from studio.engine.workspace import Record, RecordInfo, RecordKind, Workspace

DISPATCH_SECONDS: Final = 0.5
IDLE_SECONDS: Final = 600.0
"""Time without predictions after which the engine host gives its memory back."""
KINDS: Final = (
    RecordKind.DATASET,
    RecordKind.RUN,
    RecordKind.SWEEP,
    RecordKind.EVALUATION,
    RecordKind.EXPORT,
    RecordKind.LABELING,
)
MIRRORING: Final = 1
"""Version of the routes by which a window keeps a copy of the workspace."""
_WITH_FILES = (RecordKind.RUN, RecordKind.EVALUATION, RecordKind.EXPORT)
_LIMIT = Parameter("limit", "Number of records, the newest; 0 for all.", 0)
_WAIT = Parameter("wait", "no: end with the events so far.", "yes", choices=("yes", "no"))
_TAIL = Parameter("bytes", "Number of bytes at the end of the log.", 65536, 1, 2**24)
_log = logging.getLogger(__name__)


class PlanBody(BaseModel):
    """A training to plan; the fields have the meaning of `studio train`.

    Attributes:
        dataset: Name or id of a dataset; may be empty with `like`.
        network: Name of a network of Studio or of the workspace; empty for the recommended one.
        recipe: Name of a recipe; empty for none.
        preset: Name of a preset of settings; empty for none.
        augment: Name of a preset of augmentation; empty for none.
        like: Name or id of a run whose plan is the start; empty for none.
        plan: Fields of the training plan; they override the others.
    """

    model_config = ConfigDict(extra="forbid")

    dataset: str = ""
    network: str = ""
    recipe: str = ""
    preset: str = ""
    augment: str = ""
    like: str = ""
    plan: dict[str, Any] = {}


class RunBody(PlanBody):
    """A training to start; an empty name is that of the network, numbered."""

    name: str = ""


class RunPlanBody(BaseModel):
    """Work on a run; `plan` has fields of the plan, such as `split` or `variants`."""

    model_config = ConfigDict(extra="forbid")

    run: str
    plan: dict[str, Any] = {}


class RateBody(BaseModel):
    """A learning rate."""

    model_config = ConfigDict(extra="forbid")

    rate: float = 0.0


class ExtendBody(BaseModel):
    """Number of additional epochs."""

    model_config = ConfigDict(extra="forbid")

    extend: int = 0


class InfoBody(BaseModel):
    """New name, notes, group or tags of a record; None leaves a value unchanged.

    Attributes:
        name: Its name.
        notes: Its notes.
        group: Its group; empty for none.
        tags: All its tags.
        add_tags: Tags to add.
        remove_tags: Tags to remove.
    """

    model_config = ConfigDict(extra="forbid")

    name: str | None = None
    notes: str | None = None
    group: str | None = None
    tags: tuple[str, ...] | None = None
    add_tags: tuple[str, ...] = ()
    remove_tags: tuple[str, ...] = ()


BodyT = TypeVar("BodyT", bound=BaseModel)


class ServedWorkspace:
    """A workspace behind routes. Use it as a context: meanwhile it starts waiting jobs.

    Args:
        workspace: The workspace.

    Attributes:
        streams: The streams of events.
    """

    def __init__(self, workspace: Workspace) -> None:
        self.streams = EventStreams()
        self._workspace = workspace
        self._feed = ChangeFeed(workspace, self.streams)
        self._queue = JobQueue(workspace)
        self._guard = threading.RLock()  # one thread at a time uses the queue
        self._host = EngineHost(idle_seconds=IDLE_SECONDS)
        self._ending = threading.Event()
        self._dispatcher = threading.Thread(target=self._dispatch, name="queue", daemon=True)

    def __enter__(self) -> Self:
        self._dispatcher.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._ending.set()
        self._dispatcher.join()
        self._host.close()

    def _dispatch(self) -> None:
        said = ""
        while not self._ending.wait(DISPATCH_SECONDS):
            try:
                with self._guard:
                    self._queue.dispatch()
            except (OSError, StudioError) as error:  # the disk may come back
                if str(error) != said:  # once, not twice a second
                    said = str(error)
                    _log.error("Waiting jobs cannot be started: %s", said)

    def routes(self) -> tuple[Route, ...]:
        """Return all routes of the workspace."""
        found = [
            Route(
                "GET", "/workspace", Role.READ, "Name, version, role of the token.", self._facts
            ),
            Route("GET", "/queue", Role.READ, "Jobs that run and wait.", self._entries),
        ]
        for kind in KINDS:
            found += self._record_routes(kind)
        for each in MIRRORED:
            found += copy_routes(each, partial(self._find, each))
        found += [*self._queue_routes(), change_route(self._feed)]
        run = f"/{RecordKind.RUN.folder}"
        return (
            *found,
            Route(
                "POST",
                "/plans/runs",
                Role.RUN,
                "Complete and check a plan; nothing starts.",
                self._check,
                body=PlanBody,
            ),
            Route(
                "POST", run, Role.RUN, "Train a network.", self._train, body=RunBody, status=201
            ),
            Route(
                "POST",
                f"/{RecordKind.EVALUATION.folder}",
                Role.RUN,
                "Evaluate a run.",
                self._evaluate,
                body=RunPlanBody,
                status=201,
            ),
            Route(
                "POST",
                f"/{RecordKind.EXPORT.folder}",
                Role.RUN,
                "Export the model of a run; the files can be downloaded.",
                self._export,
                body=RunPlanBody,
                status=201,
            ),
            *model_routes(self._model, f"{run}/{{name}}"),
        )

    def _record_routes(self, kind: RecordKind) -> Iterator[Route]:
        """Yield the routes that records of a kind have."""
        all_, one, noun = f"/{kind.folder}", f"/{kind.folder}/{{name}}", kind.value
        listed, get = partial(self._list, kind), partial(self._get, kind)
        yield Route("GET", all_, Role.READ, f"List the {noun}s.", listed, (_LIMIT,))
        yield Route("GET", one, Role.READ, f"One {noun}.", get)
        if kind not in MIRRORED:
            yield from self._place_routes(kind)
            return
        fields = partial(_fields, job_type(kind).plan)
        yield Route(
            "GET", f"/plans/{kind.folder}", Role.READ, f"Fields of a {noun}'s plan.", fields
        )
        yield Route(
            "GET",
            f"{one}/events",
            Role.READ,
            f"Follow a {noun}: the events of its journal, until it rests.",
            partial(self._events, kind),
            (_WAIT,),
            media_type="text/event-stream",
        )
        log = partial(self._log_of, kind)
        text = "text/plain"
        yield Route("GET", f"{one}/log", Role.READ, "Log.", log, (_TAIL,), media_type=text)
        if kind in _WITH_FILES:
            yield Route(
                "GET",
                f"{one}/files/{{file}}",
                Role.READ,
                f"Download a file of a {noun}; its `downloads` name them.",
                partial(self._download, kind),
                media_type="application/octet-stream",
            )

    def _place_routes(self, kind: RecordKind) -> Iterator[Route]:
        """Yield the routes that rename, delete and restore records of a kind."""
        one, noun = f"/{kind.folder}/{{name}}", kind.value
        trash, restore = partial(self._trash, kind), partial(self._restore, kind)
        yield Route("DELETE", one, Role.ADMIN, f"Move a {noun} to the trash.", trash)
        text = f"Restore a {noun} from the trash, by its id."
        yield Route("POST", f"{one}/restore", Role.ADMIN, text, restore)
        change = partial(self._change_info, kind)
        text = f"Change name, notes, group or tags of a {noun}."
        yield Route("POST", f"{one}/info", Role.RUN, text, change, body=InfoBody)

    def _command_routes(self, kind: RecordKind) -> Iterator[Route]:
        """Yield the routes with commands for jobs of a kind."""
        one, noun = f"/{kind.folder}/{{name}}", kind.value
        stop, restart = partial(self._stop, kind), partial(self._restart, kind)
        yield Route("POST", f"{one}/stop", Role.RUN, f"Stop a {noun}; results stay.", stop)
        text = f"Put a {noun} that ended back into the queue."
        yield Route("POST", f"{one}/restart", Role.RUN, text, restart)
        for word, text, held in (("hold", "Hold", True), ("release", "Release", False)):
            hold = partial(self._hold, kind, held)
            yield Route("POST", f"{one}/{word}", Role.RUN, f"{text} a waiting {noun}.", hold)
        if job_type(kind).can_pause:
            pause, resume = partial(self._pause, kind), partial(self._resume, kind)
            yield Route("POST", f"{one}/pause", Role.RUN, f"Pause a {noun}.", pause)
            yield Route("POST", f"{one}/resume", Role.RUN, f"Resume a {noun}.", resume)

    def _queue_routes(self) -> Iterator[Route]:
        """Yield the routes that submit and command jobs of any kind."""
        for each in MIRRORED:
            yield from self._place_routes(each)
        for kind in JOB_KINDS:
            yield from self._command_routes(kind)
        text = "Start a job with a complete plan."
        yield Route("POST", "/jobs", Role.RUN, text, self._submit, body=JobBody, status=201)
        for word, text, paused in (("pause", "Pause", True), ("resume", "Resume", False)):
            switch = partial(self._switch_queue, paused)
            yield Route("POST", f"/queue/{word}", Role.ADMIN, f"{text} the whole queue.", switch)
        run, save, rate = f"/{RecordKind.RUN.folder}/{{name}}", self._save, self._rate
        yield Route("POST", f"{run}/save", Role.RUN, "Save a run that trains.", save)
        text = "Change the learning rate of a run that trains."
        yield Route("POST", f"{run}/rate", Role.RUN, text, rate, body=RateBody)
        text = "Train a run for more epochs."
        yield Route("POST", f"{run}/extend", Role.RUN, text, self._extend, body=ExtendBody)

    def _facts(self, call: CheckedRequest) -> object:
        workspace = self._workspace
        read_only = workspace.read_only
        about = {"name": workspace.root.name, "version": __version__, "read_only": read_only}
        devices = [asdict(each) for each in self._queue.devices]
        return about | {"role": call.role, "mirroring": MIRRORING, "devices": devices}

    def _entries(self, _call: CheckedRequest) -> object:
        with self._guard:
            self._queue.dispatch()
            entries = self._queue.entries()
        names = {entry.job.record.id: entry.job.record.name for entry in entries}
        jobs = [queue_row(entry, names) for entry in entries]
        return {"jobs": jobs, "paused": self._queue.is_paused}

    # Records.

    def _find(self, kind: RecordKind, call: CheckedRequest) -> Record:
        name = call.path["name"]
        found = self._workspace.record(kind, name) or self._workspace.named(kind, name)
        if found is None:
            raise RefusedError(404, f"There is no {kind.value} {name[:80]!r}.")
        return found

    def _run_of(self, name: str) -> Record:
        """Return the run that a body means.

        Its id comes first, as in addresses: another run may have been named like it.

        Raises:
            StudioError: It does not exist.
        """
        workspace = self._workspace
        return workspace.record(RecordKind.RUN, name) or workspace.find(RecordKind.RUN, name)

    def _job(self, kind: RecordKind, call: CheckedRequest) -> Job:
        return Job.read(self._find(kind, call))

    def _list(self, kind: RecordKind, call: CheckedRequest) -> object:
        left_out: list[str] = []
        rows = list(self._rows(kind, lambda name, why: left_out.append(f"{name}: {why}")))
        return {kind.folder: rows[-call.query["limit"] :], "left_out": left_out}

    def _rows(
        self, kind: RecordKind, leave_out: Callable[[str, StudioError], None]
    ) -> Iterator[Listed]:
        """Yield the records of a kind as lists show them, oldest first."""
        if kind is RecordKind.RUN:
            datasets = {
                each.id: info.name for each, info in self._workspace.infos(RecordKind.DATASET)
            }
            for each in run_summaries(self._workspace, leave_out):
                yield run_row(each, datasets.get(each.dataset, each.dataset))
            return
        for record, info in self._workspace.infos(kind):
            try:
                yield _row(record, info)
            except StudioError as error:
                leave_out(info.name, error)

    def _get(self, kind: RecordKind, call: CheckedRequest) -> object:
        record = self._find(kind, call)
        if kind is RecordKind.LABELING:
            return _row(record, record.info())
        job = Job.read(record)
        if kind is RecordKind.RUN:
            document = run_document(self._workspace, job.with_history(RunHistory))
        elif kind is RecordKind.SWEEP:
            document = sweep_document(self._workspace, job.with_history(SweepHistory))
        else:
            plan = job.plan(job.job_type.plan).model_dump(mode="json")
            document = _row(record, record.info()) | {"plan": plan}
        history = job.history
        return document | {
            "reason": history.reason,
            "hint": history.hint,
            "fraction": history.fraction,
            "downloads": list(_downloads(job)),
        }

    def _trash(self, kind: RecordKind, call: CheckedRequest) -> object:
        record = self._find(kind, call)
        name = record.name
        with self._guard:
            if kind is not RecordKind.LABELING:
                job = Job.read(record)
                if job.history.state == State.QUEUED:
                    self._queue.stop(job)
            request_trash(self._queue, record)
        return {"name": name, "state": "deleted"}

    def _restore(self, kind: RecordKind, call: CheckedRequest) -> object:
        name = call.path["name"]
        record = self._workspace.trashed_record(kind, name)
        if record is None:
            raise RefusedError(404, f"There is no {kind.value} {name[:80]!r} in the trash.")
        restored = self._workspace.restore(record)
        return {"name": restored.name, "id": restored.id}

    def _change_info(self, kind: RecordKind, call: CheckedRequest) -> object:
        body, workspace, record = _typed(call, InfoBody), self._workspace, self._find(kind, call)
        if body.name is not None:
            workspace.rename(record, body.name)
        if (body.notes, body.tags, body.group) != (None, None, None):
            workspace.annotate(record, body.notes, body.tags, body.group)
        if body.add_tags or body.remove_tags:
            workspace.retag(record, body.add_tags, body.remove_tags)
        return record.info().model_dump(mode="json")

    # Plans and jobs.

    def _submit(self, call: CheckedRequest) -> object:
        with self._guard:
            return self._begun(submit(self._queue, _typed(call, JobBody)))

    def _restart(self, kind: RecordKind, call: CheckedRequest) -> object:
        job = self._job(kind, call)
        with self._guard:
            self._queue.restart(job)
            return self._begun(job)

    def _hold(self, kind: RecordKind, held: bool, call: CheckedRequest) -> object:
        job = self._job(kind, call)
        with self._guard:
            (control.hold if held else control.release)(self._queue, job)
        return self._after(job)

    def _switch_queue(self, paused: bool, _call: CheckedRequest) -> object:
        with self._guard:
            self._queue.set_paused(paused)
        return {"paused": paused}

    def _run_job(self, call: CheckedRequest) -> RunJob:
        return self._job(RecordKind.RUN, call).with_history(RunHistory)

    def _save(self, call: CheckedRequest) -> object:
        job = self._run_job(call)
        run_control.save_now(job)
        return self._after(job)

    def _rate(self, call: CheckedRequest) -> object:
        job = self._run_job(call)
        run_control.change_rate(job, _typed(call, RateBody).rate)
        return self._after(job)

    def _extend(self, call: CheckedRequest) -> object:
        job = self._run_job(call)
        with self._guard:
            run_control.extend(self._queue, job, _typed(call, ExtendBody).extend)
            return self._begun(job)

    def _planned(self, call: CheckedRequest) -> TrainingPlan:
        body, workspace = _typed(call, PlanBody), self._workspace
        own = [each.name for each in saved(workspace)]
        if body.network and body.network not in ZOO and body.network not in own:
            raise RefusedError(400, f"There is no network {body.network[:80]!r}.")
        _refuse_places(body.plan, "ray", "mlflow")
        if is_weights_file(str(body.plan.get("weights", ""))):
            raise RefusedError(400, "weights must be imagenet or run:NAME; files are not read.")
        base: dict[str, object] = {}
        if body.like:
            run = self._run_of(body.like)
            plan = Job(run).plan(TrainingPlan)
            base = with_available_weights(plan, run.folder).model_dump(mode="json")
        request = PlanRequest(
            dataset=body.dataset,
            network=body.network,
            recipe=body.recipe,
            preset=body.preset,
            augment=body.augment,
            fields=body.plan,
            base=base,
        )
        return Planner(workspace, _read_no_model, _wait_for_no_import).plan(request)

    def _check(self, call: CheckedRequest) -> object:
        plan = self._planned(call)
        raise_if_serious(training_problems(self._workspace, plan))
        return plan.model_dump(mode="json")

    def _train(self, call: CheckedRequest) -> object:
        body, plan = _typed(call, RunBody), self._planned(call)
        with self._guard:
            name = body.name or self._workspace.unused_name(RecordKind.RUN, plan.network_name)
            return self._begun(request_training(self._queue, plan, name))

    def _evaluate(self, call: CheckedRequest) -> object:
        body = _typed(call, RunPlanBody)
        _refuse_places(body.plan, "model_file", "run")
        run = self._run_of(body.run)
        plan = EvaluationPlan.parse({**body.plan, "run": run.id})
        if "split" not in body.plan:
            plan = on_available_split(self._workspace, plan)
        with self._guard:
            return self._begun(request_evaluation(self._queue, plan))

    def _export(self, call: CheckedRequest) -> object:
        body = _typed(call, RunPlanBody)
        _refuse_places(body.plan, "to", "run")
        run = self._run_of(body.run)
        plan = ExportPlan.parse({**body.plan, "run": run.id})
        with self._guard:
            # Others may still download the files of earlier exports.
            return self._begun(request_export(self._queue, plan, keep_measured=True))

    def _begun(self, job: Job) -> object:
        self._queue.dispatch()
        return self._after(job)

    def _stop(self, kind: RecordKind, call: CheckedRequest) -> object:
        job = self._job(kind, call)
        with self._guard:
            self._queue.stop(job)
        return self._after(job)

    def _pause(self, kind: RecordKind, call: CheckedRequest) -> object:
        job = self._job(kind, call)
        with self._guard:
            control.pause(job)
        return self._after(job)

    def _resume(self, kind: RecordKind, call: CheckedRequest) -> object:
        job = self._job(kind, call)
        with self._guard:
            if kind is RecordKind.RUN:
                run_control.resume(self._queue, job.with_history(RunHistory))
            else:
                control.resume(self._queue, job)
            return self._begun(job)

    def _after(self, job: Job) -> object:
        job.refresh()
        return job.identity()

    # Events and files.

    def _events(self, kind: RecordKind, call: CheckedRequest) -> object:
        record = self._find(kind, call)
        _require_inside(record, JOURNAL_FILE)
        wait = call.query["wait"] == "yes"
        return Stream(self.streams.follow(record, position(record, call.last_event), wait=wait))

    def _log_of(self, kind: RecordKind, call: CheckedRequest) -> object:
        path = _require_inside(self._find(kind, call), LOG_FILE)
        try:
            with path.open("rb") as file:
                size = file.seek(0, 2)
                file.seek(max(0, size - call.query["bytes"]))
                return Payload(file.read(), "text/plain; charset=utf-8")
        except FileNotFoundError as error:
            raise RefusedError(404, "There is no log yet.") from error

    def _model(self, call: CheckedRequest) -> HostedModel:
        run = self._find(RecordKind.RUN, call)
        return HostedModel(self._host, model_of_run(self._workspace, run))

    def _download(self, kind: RecordKind, call: CheckedRequest) -> object:
        job, file = self._job(kind, call), call.path["file"]
        get = _downloads(job).get(file)
        if get is None:
            raise RefusedError(404, f"There is no file {file[:80]!r}.")
        return get()


def _row(record: Record, info: RecordInfo) -> Listed:
    """Return a record as lists show it."""
    if record.kind is RecordKind.LABELING:
        return labeling_row(Labeling(record))
    job = Job.read(record)
    if record.kind is RecordKind.SWEEP:
        return sweep_row(job.with_history(SweepHistory), info)
    return _JOB_ROWS[record.kind](job, info)


_JOB_ROWS: Final = {
    RecordKind.DATASET: dataset_row,
    RecordKind.EVALUATION: evaluation_row,
    RecordKind.EXPORT: export_row,
}


def _typed(call: CheckedRequest, kind: type[BodyT]) -> BodyT:
    if not isinstance(call.fields, kind):
        raise TypeError(f"the route has no body {kind.__name__}")
    return call.fields


def _require_inside(record: Record, name: str) -> Path:
    """Return the path of a file of a record.

    Raises:
        RefusedError: It is a link to a place elsewhere.
    """
    path = record.folder / name
    if not path.resolve().is_relative_to(record.folder.resolve()):
        raise RefusedError(404, f"{name} is not in the folder of {record.id}.")
    return path


def _refuse_places(plan: dict[str, Any], *names: str) -> None:
    """Refuse fields that name files, or other machines, of the server."""
    given = sorted(set(names) & plan.keys())
    if given:
        raise RefusedError(400, f"{given[0]} cannot be set over HTTP.")


def _read_no_model(path: Path) -> ReadModel:
    raise RefusedError(400, f"{path.name} is a file; files are not read over HTTP.")


def _wait_for_no_import(job: Job) -> object:
    text = f"{job.record.name} is still imported. Name a network, or wait."
    raise RefusedError(409, text)


def _fields(plan: type[Plan], _call: CheckedRequest) -> object:
    return {"fields": [field_row(each) for each in fields_of(plan)]}


def _downloads(job: Job) -> dict[str, Callable[[], Download]]:
    """Return the files of a job by their names: artifacts, and exports packed as .zip.

    Nothing of a request becomes part of a path: names are looked up here.
    """
    folder, found = job.record.folder, dict[str, Callable[[], Download]]()
    if job.record.kind not in _WITH_FILES:
        return found
    for path in job.history.artifacts.values():
        file = folder / path
        if file.is_file() and file.resolve().is_relative_to(folder.resolve()):
            title = f"{slug(job.record.name, job.record.kind.value)}-{file.name}"
            found[file.name] = partial(Download, file, title)
    if job.record.kind is RecordKind.EXPORT:
        for each in files_of(job.history.result):
            if measured_folder(folder, each) is not None:
                found[f"{each.format}-{each.precision}.zip"] = partial(_packed, job, each.name)
    return found


def _packed(job: Job, name: str) -> Download:
    """Pack a measured file of an export.

    Raises:
        RefusedError: It no longer exists, or contains links.
        DiskFullError: No space was left.
    """
    files = [each for each in files_of(job.history.result) if each.name == name]
    to = Path(tempfile.mkdtemp(prefix="studio-serve-"))
    try:
        (path,) = save_measured(job.record.folder, files[:1], to, archive="zip")
    except BaseException as error:
        remove_folder(to, ignore_errors=True)
        if isinstance(error, StudioError) and not isinstance(error, DiskFullError):
            raise RefusedError(404, error.message) from error
        raise
    return Download(path, path.name, to)
