"""A run on another machine, whose agent is in this process: what travels, when, and how often."""

from __future__ import annotations

import contextlib
import hashlib
import io
import json
import signal
import subprocess
import sys
import tarfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

import studio
from helpers import sweep_workers
from helpers.command_line import caller
from helpers.digits import do_here
from helpers.pictures import picture_folder, small_recipe
from helpers.waiting import wait_until
from studio.engine.errors import StudioError
from studio.engine.evaluation.report import EvaluationPlan
from studio.engine.jobs import commands
from studio.engine.jobs import queue as queue_module
from studio.engine.jobs.commands import CommandName
from studio.engine.jobs.devices import CPU, Device
from studio.engine.jobs.events import Event, QueueChanged, StateChanged, decoder, encode
from studio.engine.jobs.executors import capacity, frames, host, setup, ssh
from studio.engine.jobs.executors.frames import BrokenFrameError, read_frame, write_frame
from studio.engine.jobs.executors.handed_over import (
    HANDED_OVER,
    is_handed_over,
    place_of,
    split_machine,
    target_of,
)
from studio.engine.jobs.executors.host import Machine
from studio.engine.jobs.executors.launchers import PROCESS
from studio.engine.jobs.executors.ssh import ConnectionLostError, unreachable
from studio.engine.jobs.history import JobHistory
from studio.engine.jobs.job import JOURNAL_FILE, Job
from studio.engine.jobs.liveness import holding
from studio.engine.jobs.queue import JobQueue
from studio.engine.jobs.scheduling import WaitingJob, schedule, waiting_job
from studio.engine.jobs.states import State
from studio.engine.jobs.types import Requirements
from studio.engine.progress import Cancelled
from studio.engine.training import control
from studio.engine.training.history import RunHistory, RunJob
from studio.engine.training.plan import TrainingPlan
from studio.engine.worker.cluster.node import Stamp
from studio.engine.worker.machines import relay, sent_job
from studio.engine.worker.machines.agent import Agent, serve
from studio.engine.worker.machines.sent_job import SentJob
from studio.engine.worker.machines.store import ContentStore, hash_of
from studio.engine.workspace import RecordKind, Workspace

HOST = "gpu-box"


class Line:
    """A connection to an agent, which may break before a request."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.agent = Agent(root)
        self.sent = 0
        self.keys: list[object] = []
        self.breaks_after = -1
        self.asked: list[str] = []
        self.loses = False
        self.breaks_at = ""
        self.arrives = True
        self.replies: dict[str, tuple[Any, bytes]] = {}

    def ask(
        self, method: str, arguments: Mapping[str, object], body: bytes = b""
    ) -> tuple[Any, bytes]:
        """As `AgentConnection.ask`; all that travels is plain data."""
        self.asked.append(method)
        if method == "place" and self.loses:
            self.loses = False
            for path in (self.root / "store").glob("[0-9a-f]*"):
                path.unlink()
        if method == "put":
            if self.breaks_after == 0:
                raise ConnectionLostError("The connection broke.")
            self.breaks_after -= 1
            self.sent += len(body)
            self.keys += [arguments["key"]] if arguments["is_last"] else []
        if method in self.replies:
            return self.replies[method]
        given = json.loads(json.dumps(dict(arguments)))
        is_broken = method == self.breaks_at
        if is_broken:
            self.breaks_at = ""
        if is_broken and not self.arrives:
            raise ConnectionLostError("The connection broke.")
        result, data = self.agent.answer(method, given, body)
        if is_broken:
            raise ConnectionLostError("The connection broke.")
        return json.loads(json.dumps(result)), data


@pytest.fixture
def line(tmp_path: Path) -> Line:
    return Line(tmp_path / "there")


@dataclass(frozen=True, slots=True)
class Own:
    """A workspace with a small dataset, whose workers compute nothing."""

    workspace: Workspace
    dataset: str


@pytest.fixture
def own(workspace: Workspace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Own:
    monkeypatch.setattr(queue_module, "launch_worker", sweep_workers.launch)
    monkeypatch.setenv(sweep_workers.EPOCH_SECONDS, "0.01")
    recipe = small_recipe(picture_folder(tmp_path / "pictures"))
    return Own(workspace, do_here(workspace, recipe, "small").record.id)


def starting(own: Own, name: str, **values: object) -> RunJob:
    """A run that the queue here has just given to the machine."""
    plan = TrainingPlan(dataset=own.dataset, machine=HOST, device="cpu").changed(**values)
    job = JobQueue(own.workspace).submit(plan, name).with_history(RunHistory)
    job.append(StateChanged(state=State.STARTING, attempt=1, devices=(f"{HOST}:cpu",)))
    return job


def followed(sent: SentJob, line: Line) -> None:
    wait_until(lambda: sent.sync(line), "it is over there")


def ignore(_done: int, _total: int) -> None:
    pass


def contents(folder: Path) -> dict[Path, bytes]:
    return {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_a_run_trains_there_and_is_here(own: Own, line: Line) -> None:
    job = starting(own, "first", epochs=3)
    with holding(job.record.folder):
        sent = SentJob(own.workspace, job, HOST)
        sent.bring(line, ignore)
        assert is_handed_over(job.record.folder)
        brought = line.sent
        followed(SentJob(own.workspace, RunJob.read(job.record), HOST), line)
    job.refresh()

    assert job.history.state is State.COMPLETED, job.history.reason
    assert job.history.devices == (f"{HOST}:cpu",)
    assert [epoch.epoch for epoch in job.history.epochs] == [1, 2, 3]
    assert (job.record.folder / "epochs.log").read_text().split() == ["1", "2", "3"]
    assert not is_handed_over(job.record.folder)
    files = (own.workspace.root / "datasets" / own.dataset).rglob("*")
    size = sum(path.stat().st_size for path in files if path.is_file())
    assert brought > size > 0

    again = starting(own, "second", epochs=1)
    with holding(again.record.folder):
        SentJob(own.workspace, again, HOST).bring(line, ignore)
        commands.send(again.record.folder, "stop", again.history.attempt)
        followed(SentJob(own.workspace, RunJob.read(again.record), HOST), line)
    assert len(line.keys) == len(set(line.keys))  # no content travels twice


def test_a_broken_copy_is_continued(own: Own, line: Line, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sent_job, "PIECE_BYTES", 256)
    job = starting(own, "run", epochs=1)
    totals: list[int] = []
    line.breaks_after = 5
    with pytest.raises(ConnectionLostError):
        SentJob(own.workspace, job, HOST).bring(line, lambda _, all_: totals.append(all_))
    before, line.breaks_after = line.sent, -1
    sent = SentJob(own.workspace, job, HOST)
    sent.bring(line, lambda _, all_: totals.append(all_))
    assert before > 0
    # The journal, which grows meanwhile, is not counted.
    assert totals[0] == before + totals[-1] <= line.sent
    commands.send(job.record.folder, "stop", job.history.attempt)
    with holding(job.record.folder):
        followed(sent, line)


@pytest.mark.parametrize("is_queued", [False, True])
@pytest.mark.parametrize(("name", "state"), [("stop", State.STOPPED), ("pause", State.PAUSED)])
def test_a_request_to_end_reaches_the_other_machine(
    own: Own, line: Line, name: CommandName, state: State, is_queued: bool
) -> None:
    job = starting(own, "run", batch_size=sweep_workers.NEVER_ENDS)
    with holding(job.record.folder):
        sent = SentJob(own.workspace, job, HOST)
        line.agent._queue(sent._key).set_paused(is_queued)
        sent.bring(line, ignore)
        commands.send(job.record.folder, name, job.history.attempt)
        followed(sent, line)
    job.refresh()
    assert job.history.state is state
    assert job.history.attempt == 1


def test_a_run_that_is_to_stop_does_not_begin_there(own: Own, line: Line) -> None:
    first, second = starting(own, "first", epochs=1), starting(own, "second", epochs=1)
    with holding(first.record.folder):
        sent = SentJob(own.workspace, first, HOST)
        sent.bring(line, ignore)
        followed(sent, line)
    asked: list[str] = []
    line.asked = asked
    relayed = relay._Relay(own.workspace, second, HOST)
    commands.send(second.record.folder, "stop", second.history.attempt)
    with holding(second.record.folder), pytest.raises(Cancelled):
        relayed._sent.bring(line, relayed._on_sent)
    assert second.history.state is State.STOPPED
    assert "begin" not in asked


def test_a_job_that_the_queue_there_takes_back_is_not_started_here() -> None:
    line = encode(StateChanged(state=State.QUEUED, attempt=1))
    event = decoder()(sent_job._with_machine(line, HOST))
    assert isinstance(event, StateChanged)
    assert event.state is State.STARTING
    assert place_of(event.devices) == HOST


class Pieces:
    """A machine that answers with given parts of a file."""

    def __init__(self, *replies: tuple[int, int, bytes]) -> None:
        self._replies = list(replies)

    def ask(self, *_: object) -> tuple[Any, bytes]:
        size, time, piece = self._replies.pop(0)
        return {"size": size, "time": time}, piece


@pytest.mark.parametrize(
    ("replies", "content"),
    [
        ([(-1, 0, b"")], b"good"),
        ([(4, 1, b"ab"), (4, 2, b"cd")], b"good"),
        ([(4, 1, b"ab"), (5, 1, b"cde")], b"good"),
        ([(4, 1, b"ab"), (4, 1, b"")], b"good"),
        ([(4, 1, b"ab"), (-1, 0, b"")], b"good"),
        ([(4, 1, b"ab"), (4, 1, b"cd")], b"abcd"),
        ([(0, 1, b"")], b""),
    ],
)
def test_a_file_that_is_replaced_while_it_is_read_stays_as_it_was(
    own: Own, replies: list[tuple[int, int, bytes]], content: bytes
) -> None:
    job = starting(own, "run")
    path = job.record.folder / "model"
    path.write_bytes(b"good")
    fetched = SentJob(own.workspace, job, HOST)._fetch(Pieces(*replies), "model", "model")
    assert path.read_bytes() == content
    assert fetched == (None if content == b"good" else (len(content), 1))


def test_content_that_another_job_has_just_used_is_sent_again(own: Own, line: Line) -> None:
    job = starting(own, "run", epochs=1)
    line.loses = True
    with holding(job.record.folder):
        sent = SentJob(own.workspace, job, HOST)
        sent.bring(line, ignore)
        followed(sent, line)
    job.refresh()
    assert job.history.state is State.COMPLETED


def test_two_senders_of_a_file_complete_each_other(tmp_path: Path) -> None:
    store = ContentStore(tmp_path / "store")
    key = hashlib.sha256(b"abcdef").hexdigest()
    store.add(key, 0, b"abc", is_last=False)
    store.add(key, 0, b"ab", is_last=False)  # the other one begins
    assert store.received(key) == 3
    store.add(key, 2, b"cdef", is_last=True)
    store.add(key, 3, b"def", is_last=True)
    assert store.received(key) == -1

    first, second = tmp_path / "first", tmp_path / "second"
    assert store.place(first, {"a": key}, {}, stay=False) == []
    assert store.place(second, {"a": key}, {}, stay=False) == [key]  # the first used it
    assert not second.exists()
    files = {"a": key, "b": key}
    assert store.place(first, files, {"a": key}, stay=True) == []  # it is in the folder
    assert [path.read_bytes() for path in sorted(first.iterdir())] == [b"abcdef"] * 2


def test_a_program_that_another_process_brings_first_stays(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    final = tmp_path / "programs" / "key"

    def run_there(_host: str, script: str, data: bytes = b"") -> str:
        if data:
            final.mkdir(parents=True)
            (final / ".complete").touch()
        done = subprocess.run(["sh", "-c", script], input=data, capture_output=True, check=True)
        return done.stdout.decode()

    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w:gz"):
        pass
    monkeypatch.setattr(setup, "run_there", run_there)
    monkeypatch.setattr(setup, "program_key", lambda: "key")
    monkeypatch.setattr(setup, "packed_program", packed.getvalue)
    machine = Machine(host="box", python="python3", folder=str(tmp_path))
    assert setup.bring_program(machine) == str(final)
    assert [path.name for path in final.parent.iterdir()] == ["key"]
    assert [path.name for path in final.iterdir()] == [".complete"]


class Connections:
    """Connections of a relay, one after another: each is an agent or an error."""

    def __init__(self, patch: pytest.MonkeyPatch, *found: Line | Exception) -> None:
        self._found = list(found)
        patch.setattr(relay._Relay, "_connection", lambda _: self._next())
        patch.setattr(relay, "RETRY_SECONDS", (0.0,))
        patch.setattr(relay, "POLL_SECONDS", 0.01)
        patch.setattr(signal, "signal", lambda *_: None)

    @contextlib.contextmanager
    def _next(self) -> Iterator[Line]:
        found = self._found.pop(0)
        if isinstance(found, Exception):
            raise found
        yield found


LOST = ConnectionLostError("The machine cannot be reached.")


def test_a_break_is_reported_and_no_line_is_lost_or_repeated(
    own: Own, line: Line, monkeypatch: pytest.MonkeyPatch
) -> None:
    job = starting(own, "run", epochs=3)
    with holding(job.record.folder):
        sent = SentJob(own.workspace, job, HOST)
        sent.bring(line, ignore)
        sent.sync(line)
        Connections(monkeypatch, LOST, LOST, Cancelled())  # this process has to end, too
        relay.relay(own.workspace, job, HOST)
        job.refresh()
        assert job.history.progress is not None
        assert job.history.progress.what == "gpu-box cannot be reached; the job continues there"
        assert job.history.state.has_worker
        Connections(monkeypatch, line)
        relay.relay(own.workspace, RunJob.read(job.record), HOST)
    job.refresh()
    assert job.history.state is State.COMPLETED, job.history.reason
    assert [epoch.epoch for epoch in job.history.epochs] == [1, 2, 3]
    assert (job.record.folder / JOURNAL_FILE).read_text().count('"epoch":2,') == 1


@pytest.mark.parametrize("arrives", [True, False])
@pytest.mark.parametrize("is_same_process", [True, False])
def test_a_reply_that_is_lost_leaves_no_job_alone(
    own: Own,
    line: Line,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    arrives: bool,
    is_same_process: bool,
) -> None:
    """The connection breaks before or after the machine has queued the job, which runs once."""
    monkeypatch.setenv(host.VARIABLE, str(tmp_path / "machines.json"))
    host.store_machine(Machine(host=HOST, python="python3", folder="/there"))
    job = starting(own, "run", epochs=3)
    line.breaks_at, line.arrives = "begin", arrives
    with holding(job.record.folder):
        if is_same_process:
            Connections(monkeypatch, line, LOST, line)
            relay.relay(own.workspace, job, HOST)
        else:
            with pytest.raises(ConnectionLostError):
                SentJob(own.workspace, job, HOST).bring(line, ignore)
            assert is_handed_over(job.record.folder)  # so the queue follows it again
            Connections(monkeypatch, line)
            relay.relay(own.workspace, RunJob.read(job.record), HOST)
    job.refresh()
    assert job.history.state is State.COMPLETED, job.history.reason
    assert [epoch.epoch for epoch in job.history.epochs] == [1, 2, 3]
    assert (job.record.folder / "epochs.log").read_text().split() == ["1", "2", "3"]
    (there,) = line.root.glob(f"workspaces/*/runs/{job.record.id}/journal.jsonl")
    assert there.read_text().count('"queued"') == 1


def test_a_machine_that_was_killed_before_it_queued_a_job_queues_it(own: Own, line: Line) -> None:
    job = starting(own, "run", epochs=1)
    with holding(job.record.folder):
        sent = SentJob(own.workspace, job, HOST)
        with pytest.MonkeyPatch.context() as patch:
            append = Job.append

            def killed(self: Job, *events: Event) -> None:
                if any(isinstance(each, QueueChanged) for each in events):
                    raise ConnectionLostError("killed")
                append(self, *events)

            patch.setattr(Job, "append", killed)
            with pytest.raises(ConnectionLostError):
                sent.bring(line, ignore)
        sent.begin(line, PROCESS)
        followed(sent, line)
    job.refresh()
    assert job.history.state is State.COMPLETED, job.history.reason


def test_a_job_on_a_machine_that_is_gone_can_be_ended(
    own: Own, line: Line, monkeypatch: pytest.MonkeyPatch
) -> None:
    job = starting(own, "run", batch_size=sweep_workers.NEVER_ENDS)
    with holding(job.record.folder):
        sent = SentJob(own.workspace, job, HOST)
        sent.bring(line, ignore)
        commands.send(job.record.folder, "stop", job.history.attempt)
        Connections(monkeypatch, *[LOST] * relay.MIN_FAILURES)
        relay.relay(own.workspace, job, HOST)
    job.refresh()
    assert job.history.state is State.LOST
    assert not is_handed_over(job.record.folder)
    sent.stop(line)


def test_a_bad_answer_ends_the_job_on_both_sides(
    own: Own, line: Line, monkeypatch: pytest.MonkeyPatch
) -> None:
    job = starting(own, "run", batch_size=sweep_workers.NEVER_ENDS)
    with holding(job.record.folder):
        sent = SentJob(own.workspace, job, HOST)
        sent.bring(line, ignore)
        line.replies["poll"] = {}, b""
        Connections(monkeypatch, line, line)
        relay.relay(own.workspace, job, HOST)
    job.refresh()
    assert (job.history.state, job.history.category) == (State.FAILED, "user")
    assert "cannot be followed" in job.history.reason
    there = line.agent._job(sent._key, f"runs/{job.record.id}")

    def is_over() -> bool:
        there.refresh()
        return there.history.state.is_at_rest

    wait_until(is_over, "it has stopped there")


@pytest.mark.parametrize(
    ("code", "text"),
    [(1, "did not start on box: No module"), (255, "cannot be reached: No module")],
)
def test_a_program_that_fails_is_not_a_machine_that_is_gone(
    monkeypatch: pytest.MonkeyPatch, code: int, text: str
) -> None:
    script = f"import sys; print('No module named keras', file=sys.stderr); sys.exit({code})"
    monkeypatch.setattr(ssh, "ssh_words", lambda _: [sys.executable, "-c"])
    monkeypatch.setattr(ssh, "agent_script", lambda *_: script)
    machine = Machine(host="box", python="python3", folder="/there")
    with (
        ssh.AgentConnection(machine, "/code") as agent,
        pytest.raises(ConnectionLostError, match=text) as raised,
    ):
        agent.ask("greet", {})
    assert ("machines add box" in raised.value.hint) == (code == 1)


def test_a_line_that_ends_the_job_comes_after_its_files(
    own: Own, line: Line, monkeypatch: pytest.MonkeyPatch
) -> None:
    job = starting(own, "run", epochs=1)
    with holding(job.record.folder):
        sent = SentJob(own.workspace, job, HOST)
        sent.bring(line, ignore)
        fetch = SentJob._fetch

        def watched(self: SentJob, agent: Any, name: str, to: str) -> Stamp | None:
            assert RunJob.read(job.record).history.state is not State.COMPLETED, name
            return fetch(self, agent, name, to)

        monkeypatch.setattr(SentJob, "_fetch", watched)
        followed(sent, line)
    journal = (job.record.folder / JOURNAL_FILE).read_bytes()
    assert journal.count(b'"completed"') == 1


def test_the_queue_does_not_give_up_a_job_that_continues_there(own: Own) -> None:
    job = starting(own, "run")
    (job.record.folder / HANDED_OVER).write_text("{}")
    job.append(StateChanged(state=State.RUNNING, attempt=2, t=1.0))
    queue = JobQueue(own.workspace)
    started: list[tuple[Path, int]] = []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(
            "studio.engine.jobs.queue.launch_worker",
            lambda folder, attempt, _: started.append((folder, attempt)),
        )
        with pytest.raises(AttributeError):
            queue.dispatch()  # the stand-in gives no process
    assert started == [(job.record.folder, 2)]
    job.refresh()
    assert job.history.state is State.RUNNING


def test_a_run_moves_only_to_a_machine_that_is_known(
    own: Own, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(host.VARIABLE, str(tmp_path / "machines.json"))
    job = starting(own, "run")
    job.append(StateChanged(state=State.PAUSED, attempt=1))
    queue = JobQueue(own.workspace)
    with pytest.raises(StudioError, match="not known"):
        control.move(queue, job, "other")
    host.store_machine(Machine(host="other", python="python3", folder="/there"))
    control.move(queue, job, "other", "gpu:1")
    plan = job.current_plan(TrainingPlan)
    assert (plan.machine, plan.device, job.history.state) == ("other", "gpu:1", State.QUEUED)
    queue.stop(job)


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("gpu-box", ("gpu-box", "")),
        ("gpu-box:gpu:1", ("gpu-box", "gpu:1")),
        ("gpu:1", ("", "gpu:1")),
        ("cpu", ("", "cpu")),
        ("auto", ("", "auto")),
        ("here", ("", "")),
        ("here:cpu", ("", "cpu")),
    ],
)
def test_a_move_goes_to_a_machine_or_a_device_here(text: str, place: tuple[str, str]) -> None:
    assert target_of(text) == place


@pytest.mark.parametrize("place", ["gpu-bx", "gpu-bx:cpu", "other:gpu:9", "gpu:9", "away"])
def test_a_place_that_is_not_there_pauses_no_run(
    own: Own,
    line: Line,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    place: str,
) -> None:
    monkeypatch.setenv(host.VARIABLE, str(tmp_path / "machines.json"))
    for name in ("other", "away"):
        host.store_machine(Machine(host=name, python="python3", folder="/there"))

    def connection(machine: Machine, _code: str) -> contextlib.nullcontext[Line]:
        if machine.host == "away":
            raise LOST
        return contextlib.nullcontext(line)

    monkeypatch.setattr(capacity, "AgentConnection", connection)
    monkeypatch.setattr(capacity, "bring_program", lambda _: "")
    job = starting(own, "run")
    with holding(job.record.folder):
        call = caller(capsys, own.workspace.root)
        assert call("runs", "move", "run", "--to", place).mistake
        machine, device = target_of(place)
        with pytest.raises(StudioError):
            studio.open(own.workspace.root).runs["run"].move(machine, device=device or "auto")
    assert not (job.record.folder / commands.COMMANDS_FILE).exists()


def test_a_device_that_is_not_there_is_refused_there(own: Own, line: Line) -> None:
    job = starting(own, "run", device="gpus:60")
    with (
        holding(job.record.folder),
        pytest.raises(StudioError, match="no known GPUs; received gpus:60"),
    ):
        SentJob(own.workspace, job, HOST).bring(line, ignore)


@pytest.mark.parametrize(
    ("text", "machine", "device"),
    [
        ("gpu-box:gpu:0", "gpu-box", "gpu:0"),
        ("me@box:auto", "me@box", "auto"),
        ("box:", "box", "auto"),
        ("gpu:0,1", "", "gpu:0,1"),
        ("CPU:2", "", "CPU:2"),
        ("auto", "", "auto"),
    ],
)
def test_a_device_may_name_its_machine(text: str, machine: str, device: str) -> None:
    assert split_machine(text) == (machine, device)
    plan = TrainingPlan(dataset="d").changed(device=text)
    assert (plan.machine, plan.device) == (machine, device)


def test_jobs_on_machines_take_no_device_here() -> None:
    waiting = [
        WaitingJob(RecordKind.RUN, name, Requirements(place=f"{HOST}:gpu")) for name in "ab"
    ]
    verdicts = schedule(waiting, [], [], most=1)
    assert [each.devices for each in verdicts] == [(f"{HOST}:gpu",)] * 2
    assert place_of(verdicts[0].devices) == HOST
    assert place_of(("gpu:0", "cpu")) == ""


def test_an_evaluation_elsewhere_takes_no_turn_of_those_here() -> None:
    there = EvaluationPlan(run="r", device=f"{HOST}:gpu:1")
    assert (there.machine, there.device) == (HOST, "gpu:1")
    jobs = [
        waiting_job(RecordKind.EVALUATION, str(number), plan, JobHistory())
        for number, plan in enumerate((there, there, EvaluationPlan(run="r", device="cpu")))
    ]
    verdicts = schedule(jobs, [], [Device(CPU)])
    assert [each.devices for each in verdicts] == [(f"{HOST}:gpu:1",)] * 2 + [("cpu",)]
    with pytest.raises(StudioError, match="on this computer"):
        EvaluationPlan.parse({"model_file": "/m.keras", "dataset": "d", "machine": HOST})
    with pytest.raises(StudioError, match="not a device"):
        EvaluationPlan.parse({"run": "r", "device": "gpu;1"})


@pytest.mark.parametrize(
    "name",
    [
        *("plan.json", "record.json", ".handed-over.json", "../x", "a/.b", "plan.json/"),
        *("PLAN.JSON", "journal.jsonl/", "plan.json.", "plan.json ", "worker.lock", "X.LOCK"),
        *("a\\b", "plan.json:x", "PLAN~1.JSO", "x/../plan.json", "plan\u200c.json", "/x", "aux"),
    ],
)
def test_a_machine_decides_about_no_other_files_here(own: Own, line: Line, name: str) -> None:
    job = starting(own, "run", epochs=1)
    with holding(job.record.folder):
        sent = SentJob(own.workspace, job, HOST)
        sent.bring(line, ignore)
        before = contents(job.record.folder)
        hostile = {"over": False, "journal": 0, "journal_at": sent._journal, "commands": 0}
        line.replies["poll"] = {**hostile, "files": {name: [1, 1]}}, b""
        line.replies["read"] = {"size": 1, "time": 1}, b"x"
        assert not sent.sync(line)
        handed_over = job.record.folder / HANDED_OVER
        assert contents(job.record.folder) | {handed_over: b""} == before | {handed_over: b""}
        line.replies.clear()
        commands.send(job.record.folder, "stop", job.history.attempt)
        followed(sent, line)


@pytest.mark.parametrize("name", ["-oProxyCommand=x", "a b", "", "a;b", "$(x)", "a\nb"])
def test_no_option_or_command_is_a_host(name: str) -> None:
    with pytest.raises(StudioError, match="not a machine"):
        host.checked_host(name)


def test_errors_of_ssh_say_what_to_do() -> None:
    denied = unreachable("box", "me@box: Permission denied (publickey,password).")
    assert "ssh-copy-id box" in denied.hint
    assert "compare the key" in unreachable("box", "Host key verification failed.").hint


def test_the_agent_refuses_what_leads_outside(tmp_path: Path) -> None:
    agent = Agent(tmp_path / "there")
    key = {"workspace": "0" * 16}
    for record in ("runs/../../x", "runs/", "else/a", "runs/a/b", "/etc/passwd"):
        with pytest.raises(StudioError):
            agent.answer("missing", {**key, "record": record, "keys": []}, b"")
    with pytest.raises(StudioError):
        agent.answer("missing", {"workspace": "..", "record": "runs/a", "keys": []}, b"")
    with pytest.raises(StudioError):
        agent.answer("put", {"key": "../x", "offset": 0, "is_last": True}, b"")
    with pytest.raises(StudioError):
        agent.answer("read", {**key, "record": "runs/a", "name": "../b", "offset": 0}, b"")
    files = {"../x": hash_of(Path(__file__))}
    with pytest.raises(StudioError):
        agent.answer("place", {**key, "record": "runs/a", "files": files, "stay": False}, b"")


def test_content_that_is_not_what_its_hash_says_is_refused(tmp_path: Path) -> None:
    store = ContentStore(tmp_path)
    with pytest.raises(StudioError, match="changed"):
        store.add("0" * 64, 0, b"other", is_last=True)
    assert store.received("0" * 64) == 0


def test_an_agent_survives_requests_that_are_wrong(tmp_path: Path) -> None:
    requests, replies = io.BytesIO(), io.BytesIO()
    for head in ({"method": "nothing", "arguments": {}}, {"method": "poll", "arguments": {}}, {}):
        write_frame(requests, head)
    requests.seek(0)
    serve(Agent(tmp_path / "there"), requests, replies)
    replies.seek(0)
    errors = [read_frame(replies)[0]["error"] for _ in range(3)]
    assert 'no request "nothing"' in errors[0]
    for broken in (b"", b"{}\n", b"[]\n", b'{"size": -1}\n', b'{"size": 9}\nshort', b"[" * 9999):
        with pytest.raises(BrokenFrameError):
            read_frame(io.BytesIO(broken))
    assert frames.MAX_BODY_BYTES > frames.PIECE_BYTES
