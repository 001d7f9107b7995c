"""The worker here of a run that a node of a Ray cluster trains.

It holds the lock of the job and computes nothing: it asks Ray for a node, starts the worker there,
and follows it. It alone talks to Ray, so the queue, the window and the sweep runner need
not know of it; when it ends, Ray ends what it began.
"""

from __future__ import annotations

import contextlib
import secrets
import signal
import threading
from collections.abc import Callable
from types import FrameType, ModuleType
from typing import Any, Concatenate

from studio import __version__
from studio.engine.errors import StudioError
from studio.engine.files import remove, write_atomically
from studio.engine.jobs import commands
from studio.engine.jobs.events import Note, StateChanged
from studio.engine.jobs.job import Ending, Job
from studio.engine.jobs.liveness import JobBusy, holding_there, why_lost
from studio.engine.jobs.queue import JobQueue
from studio.engine.jobs.states import State
from studio.engine.messages import Message, message
from studio.engine.progress import Cancelled
from studio.engine.training.plan import TrainingPlan
from studio.engine.worker.cluster.carried import CarriedRun
from studio.engine.worker.cluster.companions import Companions, NodeEndedError, apart
from studio.engine.worker.cluster.connection import (
    CARRIED,
    ClusterUnreachableError,
    Demand,
    connected,
    demand_of,
)
from studio.engine.worker.cluster.node import Ask, Node, P, T
from studio.engine.worker.failures import failed_by
from studio.engine.workspace import RecordKind, Workspace

POLL_SECONDS = 0.2
WAIT_SECONDS = 0.2
KEPT = "The results so far are kept."
NODE_COMMAND = ("-P", "-X", "faulthandler", "-m", "studio", "node")
"""Arguments by which a node starts a worker, after the name of its interpreter."""


def relay(workspace: Workspace, job: Job, place: str) -> None:  # noqa: ARG001 - one cluster
    """Run a locked job on a cluster; its journal records how it ended.

    Args:
        workspace: The workspace.
        job: A run whose lock this process holds.
        place: Name of the place; its address is in the plan.
    """
    plan = job.current_plan(TrainingPlan)
    line: ActorConnection | None = None
    try:
        with connected(plan.ray) as ray:
            line = ActorConnection(ray, job)
            outcome = _train_there(line, workspace, plan)
    except Cancelled:
        paused = line is not None and line.ending == "pause"
        state = State.PAUSED if paused else State.STOPPED
        outcome = StateChanged(
            state=state,
            attempt=job.history.attempt,
            reason=message(
                "It was {state} before a node of the cluster started it.", state=state.label
            ),
        )
    except ClusterUnreachableError as error:
        outcome = _lost(job, error.message, error.hint)
    except StudioError as error:
        outcome = failed_by(job, error)
    # Only now: the connection is closed, and nothing writes to the journal.
    try:
        with holding_there(job.record.folder):
            job.refresh()
            if job.history.state.has_worker:
                job.append(outcome)
    except JobBusy:
        return  # it is still alive; the queue notices when it ends


def _train_there(line: ActorConnection, workspace: Workspace, plan: TrainingPlan) -> StateChanged:
    """Train on a node.

    Returns:
        An error that its worker could not report itself.
    """
    job, ray = line.job, line.ray
    try:
        demand = _find_node(line, plan)
        with contextlib.ExitStack() as stack:
            carried: CarriedRun | None = None
            folder = str(job.record.folder)
            if not is_shared(line):
                carried = CarriedRun(line.ask, workspace, job, plan)
                stack.callback(carried.close)
                folder = carried.bring()
                (job.record.folder / CARRIED).touch()
            companions = Companions(count=plan.nodes)
            stack.callback(companions.close)
            if plan.nodes > 1:
                companions.address = line.ask(Node.meeting_point)

            def start(ask: Ask, there: str, group: str) -> None:
                attempt, gpus = job.history.attempt, demand.gpus > 0
                ask(Node.start, there, attempt, NODE_COMMAND, gpus=gpus, group=group)

            companions.bring(line.others, workspace, job, plan, start)
            start(line.ask, folder, companions.group_of(0))
            line.listens = False
            code = _follow(line, carried, companions)
            remove = not _runs_on_node(workspace)
            companions.leave(remove=remove)
            if carried is not None:
                line.ask(Node.leave, remove=remove)
    except NodeEndedError as error:
        return _lost(job, error.message, error.hint)
    except ray.exceptions.RayError as error:
        where = message("The Ray cluster")
        if line.others:
            where = message("A node of the Ray cluster")
        elif line.host:
            where = message("The node {host} of the Ray cluster", host=line.host)
        cause = getattr(error, "cause", None)
        if isinstance(cause, StudioError):  # a full disk there
            text = message("{place} reports: {reason}", place=where, reason=cause.message)
            raise StudioError(text, cause.hint) from error
        text = message("{place} died, or Ray ended the work on it.", place=where)
        return _lost(job, text, detail=str(error))
    return _lost(job, why_lost(code, job))


def is_shared(line: ActorConnection) -> bool:
    """Return True if the node sees the folder of the run under the same path."""
    path = line.job.record.folder / f".shared-{secrets.token_hex(6)}"
    token = secrets.token_hex(16)
    write_atomically(path, token)
    try:
        return line.ask(Node.sees, str(path), token)
    finally:
        remove(path)


def _find_node(line: ActorConnection, plan: TrainingPlan) -> Demand:
    """Wait until Ray has placed the actor; gives what it has there.

    Raises:
        Cancelled: The job was asked to end meanwhile.
        StudioError: The node has no Studio, or another one.
    """
    ray, job = line.ray, line.job
    demand = demand_of(plan, ray.cluster_resources())
    alive = [each["Resources"] for each in ray.nodes() if each["Alive"]]
    fitting = sum(demand.fits(resources) for resources in alive)
    if fitting < plan.nodes:
        job.append(Note(level="warning", message=_too_few(fitting, plan.nodes, demand)))
    usual = {"num_cpus": demand.cores, "num_gpus": demand.gpus, "max_restarts": 0}
    actor = ray.remote(Node)
    nodes = [actor.options(**usual, **each).remote() for each in apart(demand, plan.nodes)]
    line.node = nodes[0]
    line.host = _greeted(line, line.ask)
    for each in nodes[1:]:
        ask = line.asking(each)
        line.others.append((ask, _greeted(line, ask)))
    return demand


def _too_few(fitting: int, needed: int, demand: Demand) -> Message:
    if needed == 1:
        return message(
            "No node of the cluster has {devices}: the run waits until one joins.",
            devices=demand.text,
        )
    return message(
        "The run needs {count} nodes with {devices}, and the cluster has {found}: it waits until "
        "more join.",
        count=needed,
        devices=demand.text,
        found=fitting,
    )


def _greeted(line: ActorConnection, ask: Ask) -> str:
    """Return the name of the machine of a node, which has the same Studio.

    Raises:
        Cancelled: The job was asked to end meanwhile.
        StudioError: The node has no Studio, or another one.
    """
    try:
        greeting = ask(Node.greet)
    except line.ray.exceptions.RayError as error:
        if "No module named" not in str(error):
            raise
        raise StudioError(
            "Studio is not installed on a node of the Ray cluster.",
            message("Install version {version} on all of its nodes.", version=__version__),
            "ray",
        ) from error
    if greeting.studio != __version__:
        raise StudioError(
            "The node {host} of the Ray cluster has Studio {remote}; this is {version}.",
            "Install the same version on all machines.",
            "ray",
            host=greeting.host,
            remote=greeting.studio,
            version=__version__,
        )
    return greeting.host


def _follow(line: ActorConnection, carried: CarriedRun | None, companions: Companions) -> int:
    """Copy the worker's output until it ends; return its exit code.

    Raises:
        NodeEndedError: Another node of the run ended before.
    """
    while True:
        line.pass_signal_on()
        try:
            code = line.ask(Node.exit_code) if carried is None else carried.poll()
            if code is None:
                companions.require_alive()
        except line.ray.exceptions.ActorUnavailableError:
            code = None  # the network; when the node is dead, Ray says so in time
        if code is not None:
            break
        line.rest()
    return code


def _runs_on_node(workspace: Workspace) -> bool:
    """Return True if a sweep runs: it may read the same files again, and cleans up itself."""
    entries = JobQueue(workspace).entries()
    jobs = (entry.job for entry in entries if entry.job.record.kind == RecordKind.SWEEP)
    return any(job.history.state.has_worker for job in jobs)


def _lost(job: Job, reason: str, hint: str = KEPT, detail: str = "") -> StateChanged:
    return StateChanged(
        state=State.LOST,
        attempt=job.history.attempt,
        reason=reason,
        hint=hint,
        detail=detail,
    )


class ActorConnection:
    """Our end of the line to the actor.

    Attributes:
        ray: The module.
        job: The run.
        node: The actor, once it was created.
        host: Name of its machine, once known.
        others: Asks the other nodes of a run that several train; the names of their machines.
        listens: True if commands are for us; the worker there listens for itself.
        ending: Ending requested meanwhile.
    """

    def __init__(self, ray: ModuleType, job: Job) -> None:
        self.ray = ray
        self.job = job
        self.node: Any = None
        self.host = ""
        self.others: list[tuple[Ask, str]] = []
        self.listens = True
        self.ending: Ending | None = None
        self._commands = commands.CommandReader(job.record.folder, job.history.attempt)
        self._is_signalled = self._is_passed_on = False
        self._pause = threading.Event()
        signal.signal(signal.SIGTERM, self._on_signal)

    def ask(
        self, method: Callable[Concatenate[Node, P], T], /, *args: P.args, **kwargs: P.kwargs
    ) -> T:
        """Call a method of the actor and wait for its result.

        Args:
            method: Method of `Node`.
            *args: Its arguments.
            **kwargs: Its keyword arguments.

        Raises:
            Cancelled: The job was asked to end before the actor was ready.
            ray.exceptions.RayError: The actor died or failed.
        """
        return self.asking(self.node)(method, *args, **kwargs)

    def asking(self, node: Any) -> Ask:  # noqa: ANN401 - an actor of Ray, which has no types
        """Return what asks an actor.

        Args:
            node: The actor.
        """

        def ask(
            method: Callable[Concatenate[Node, P], T], /, *args: P.args, **kwargs: P.kwargs
        ) -> T:
            answer = getattr(node, method.__name__).remote(*args, **kwargs)
            while True:
                ready, _ = self.ray.wait([answer], timeout=WAIT_SECONDS)
                if ready:
                    result: T = self.ray.get(answer)
                    return result
                if self.listens:
                    self._handle_requests()

        return ask

    def rest(self) -> None:
        """Wait for a moment."""
        self._pause.wait(POLL_SECONDS)

    def pass_signal_on(self) -> None:
        """Forward the system's request to end to the worker, once."""
        if self._is_signalled and not self._is_passed_on:
            commands.send(self.job.record.folder, "stop", self.job.history.attempt)
            self._is_passed_on = True

    def _handle_requests(self) -> None:
        names = {each.command for each in self._commands.poll()}
        if self._is_signalled or "stop" in names:
            self.ending = "stop"
        elif "pause" in names:
            self.ending = "pause"
        if self.ending is not None:
            raise Cancelled

    def _on_signal(self, _number: int, _frame: FrameType | None) -> None:
        self._is_signalled = True
