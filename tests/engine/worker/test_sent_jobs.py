"""A run on another machine, whose agent is in this process: what travels, when, and how often."""

from __future__ import annotations

import io
import json
from collections.abc import Mapping
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
from studio.engine.jobs import commands
from studio.engine.jobs import queue as queue_module
from studio.engine.jobs.events import StateChanged
from studio.engine.jobs.executors import frames, host
from studio.engine.jobs.executors.frames import BrokenFrameError, read_frame, write_frame
from studio.engine.jobs.executors.handed_over import (
    HANDED_OVER,
    is_handed_over,
    place_of,
    split_machine,
    target_of,
)
from studio.engine.jobs.executors.host import Machine
from studio.engine.jobs.executors.ssh import ConnectionLostError, unreachable
from studio.engine.jobs.job import JOURNAL_FILE
from studio.engine.jobs.liveness import holding
from studio.engine.jobs.queue import JobQueue
from studio.engine.jobs.scheduling import WaitingJob, schedule
from studio.engine.jobs.states import State
from studio.engine.jobs.types import Requirements
from studio.engine.training import control
from studio.engine.training.history import RunHistory, RunJob
from studio.engine.training.plan import TrainingPlan
from studio.engine.worker.machines import sent_job
from studio.engine.worker.machines.agent import Agent, serve
from studio.engine.worker.machines.sent_job import SentJob
from studio.engine.worker.machines.store import ContentStore, hash_of
from studio.engine.workspace import RecordKind, Workspace

HOST = "gpu-box"


class Line:
    """A connection to an agent, which may break before a request."""

    def __init__(self, root: Path) -> None:
        self.agent = Agent(root)
        self.sent = 0
        self.keys: list[object] = []
        self.breaks_after = -1
        self.replies: dict[str, tuple[Any, bytes]] = {}

    def ask(
        self, method: str, arguments: Mapping[str, object], body: bytes = b""
    ) -> tuple[Any, bytes]:
        """As `AgentConnection.ask`; all that travels is plain data."""
        if method == "put":
            if self.breaks_after == 0:
                raise ConnectionLostError("The connection broke.")
            self.breaks_after -= 1
            self.sent += len(body)
            self.keys += [arguments["key"]] if arguments["is_last"] else []
        if method in self.replies:
            return self.replies[method]
        given = json.loads(json.dumps(dict(arguments)))
        result, data = self.agent.answer(method, given, body)
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
        commands.send(again.record.folder, "stop", again.history.attempt + 1)
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
    commands.send(job.record.folder, "stop", 2)
    with holding(job.record.folder):
        followed(sent, line)


def test_a_line_that_ends_the_job_comes_after_its_files(
    own: Own, line: Line, monkeypatch: pytest.MonkeyPatch
) -> None:
    job = starting(own, "run", epochs=1)
    with holding(job.record.folder):
        sent = SentJob(own.workspace, job, HOST)
        sent.bring(line, ignore)
        fetch = SentJob._fetch

        def watched(self: SentJob, agent: Any, name: str, to: str) -> bool:
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


@pytest.mark.parametrize("place", ["gpu-bx", "other:gpu:x", "gpu-bx:cpu"])
def test_a_slip_in_the_name_of_a_machine_pauses_no_run(
    own: Own,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    place: str,
) -> None:
    monkeypatch.setenv(host.VARIABLE, str(tmp_path / "machines.json"))
    host.store_machine(Machine(host="other", python="python3", folder="/there"))
    job = starting(own, "run")
    with holding(job.record.folder):
        call = caller(capsys, own.workspace.root)
        assert call("runs", "move", "run", "--to", place).mistake
        machine, device = target_of(place)
        with pytest.raises(StudioError):
            studio.open(own.workspace.root).runs["run"].move(machine, device=device or "auto")
    assert not (job.record.folder / commands.COMMANDS_FILE).exists()


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


@pytest.mark.parametrize("name", ["plan.json", "record.json", ".handed-over.json", "../x", "a/.b"])
def test_a_machine_decides_about_no_other_files_here(own: Own, line: Line, name: str) -> None:
    job = starting(own, "run", epochs=1)
    before = {path: path.read_bytes() for path in job.record.folder.glob("*.json")}
    with holding(job.record.folder):
        sent = SentJob(own.workspace, job, HOST)
        sent.bring(line, ignore)
        hostile = {"over": False, "journal": 0, "journal_at": sent._journal, "commands": 0}
        line.replies["poll"] = {**hostile, "files": {name: [1, 1]}}, b""
        line.replies["read"] = {"size": 1}, b"x"
        assert not sent.sync(line)
        line.replies.clear()
        commands.send(job.record.folder, "stop", 2)
        followed(sent, line)
    assert all(path.read_bytes() == content for path, content in before.items())


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
