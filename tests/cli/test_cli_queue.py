"""`studio queue`: what is where, and the order changed, in the words and the JSON of the verb."""

from __future__ import annotations

import getpass
from pathlib import Path

import pytest

from helpers.command_line import Call, caller
from helpers.runs import append_events, fake_run
from helpers.waiting import wait_until
from helpers.workers import ENDLESS, LaunchScripts
from studio.cli.verb import CommandOutput
from studio.engine.errors import StudioError
from studio.engine.evaluation.report import EvaluationPlan
from studio.engine.jobs import queue as queue_module
from studio.engine.jobs.device_claims import DeviceClaim
from studio.engine.jobs.devices import Device
from studio.engine.jobs.events import ProgressMade, StateChanged
from studio.engine.jobs.job import Job
from studio.engine.jobs.liveness import holding
from studio.engine.jobs.queue import JobQueue
from studio.engine.jobs.states import State
from studio.engine.jobs.trash import trash_failed
from studio.engine.sweeps.fields import parse_dimensions
from studio.engine.sweeps.history import TrialChanged, TrialRun
from studio.engine.sweeps.plan import SweepPlan
from studio.engine.training.plan import TrainingPlan
from studio.engine.workspace import RecordKind, Workspace

UNCLAIMED: dict[str, object] = {"free_memory": None, "users": []}
DEVICES = (Device("cpu", "4 cores", 8 << 30), Device("gpu:0", "A fake", 16 << 30))


@pytest.fixture
def call(
    capsys: pytest.CaptureFixture[str],
    workspace: Workspace,
    launch_scripts: LaunchScripts,
    monkeypatch: pytest.MonkeyPatch,
) -> Call:
    monkeypatch.setattr(queue_module, "machine_devices", lambda: DEVICES)
    launch_scripts(ENDLESS)
    queue = JobQueue(workspace)
    for name, device in (("a", "gpu"), ("b", "gpu:0"), ("c", "gpu:0"), ("d", "gpu:3")):
        queue.submit(TrainingPlan(dataset="none-000000", device=device), name)
    return caller(capsys, workspace.root)


def _waiting(call: Call) -> list[str]:
    jobs = call("queue", "list", "--json").document["jobs"]
    return [job["name"] for job in jobs if job["state"] == "queued"]


def test_what_is_where_and_what_waits(call: Call) -> None:
    document = call("queue", "list", "--json").document

    assert document["devices"] == [
        {"name": "cpu", "label": "4 cores", "memory": 8 << 30, "job": None, **UNCLAIMED},
        {"name": "gpu:0", "label": "A fake", "memory": 16 << 30, "job": "a", **UNCLAIMED},
    ]
    first, *waiting = document["jobs"]
    assert (first["name"], first["devices"], first["reason"]) == ("a", ["gpu:0"], "")
    assert first["state"] in ("starting", "running")
    assert [(job["name"], job["reason"]) for job in waiting] == [
        ("b", 'waits for gpu:0, in use by "a"'),
        ("c", 'waits for gpu:0, in use by "a"'),
        ("d", "waits for gpu:3, which this machine does not have"),
    ]

    said = call("queue", "list").out
    assert "on gpu:0" in said
    assert "which this machine does not have" in said
    assert "16 GB" in said


def test_the_order_is_changed(call: Call) -> None:
    assert _waiting(call) == ["b", "c", "d"]
    assert call("queue", "first", "d", "--json").document["name"] == "d"
    assert _waiting(call) == ["d", "b", "c"]
    assert "before c" in call("queue", "move", "d", "--before", "c").out
    assert _waiting(call) == ["b", "d", "c"]
    call("queue", "last", "b")
    assert _waiting(call) == ["d", "c", "b"]
    assert "cannot be moved" in call("queue", "first", "a").mistake


def test_hold_and_release(call: Call) -> None:
    call("queue", "list")
    assert call("queue", "hold", "b", "--json").document["held"] is True
    held = {job["name"]: job for job in call("queue", "list", "--json").document["jobs"]}["b"]
    assert held["held"] is True
    assert "on hold until" in held["reason"]
    assert call("queue", "release", "b", "--json").document["held"] is False


def test_cancel_what_waits_and_what_runs(call: Call, workspace: Workspace) -> None:
    call("queue", "list")
    assert call("queue", "cancel", "d", "--json").document["state"] == "stopped"
    assert _waiting(call) == ["b", "c"]

    run = Job(workspace.find(RecordKind.RUN, "a"))
    wait_until(lambda: run.refresh() or run.history.state == State.RUNNING, "it runs")
    assert "was asked to stop" in call("queue", "cancel", "a").out
    wait_until(lambda: run.refresh() and run.history.state == State.STOPPED, "it stops")


def test_unknown_and_ambiguous_names(call: Call, workspace: Workspace) -> None:
    assert "There are: a, b, c, d." in call("queue", "hold", "nobody").mistake
    JobQueue(workspace).submit(EvaluationPlan(run="none"), "b")
    said = call("queue", "hold", "b").mistake
    assert "evaluation:b" in said
    assert "run:b" in said
    assert call("queue", "hold", "run:b", "--json").document["held"] is True


def test_following_a_run_shows_why_it_waits(
    call: Call, workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = Job(workspace.find(RecordKind.RUN, "d"))
    note, reported = CommandOutput.note, []

    def note_and_stop(self: CommandOutput, text: str) -> None:
        note(self, text)
        if "waits" in text:
            reported.append(text)
            JobQueue(workspace).stop(run)

    monkeypatch.setattr(CommandOutput, "note", note_and_stop)

    said = call("runs", "follow", "d")

    assert reported == ["d waits for gpu:3, which this machine does not have."]
    assert reported[0] in said.err


def test_following_a_run_shows_that_another_program_has_its_device(
    call: Call, workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = Job(workspace.find(RecordKind.RUN, "d"))
    JobQueue(workspace).stop(run)
    starting = StateChanged(state=State.STARTING, attempt=1)
    busy = ProgressMade(done=0, total=0, what="Waits: cpu is in use by ana (b)")
    note, reported = CommandOutput.note, []

    def note_and_end(self: CommandOutput, text: str) -> None:
        note(self, text)
        if "Waits" in text:
            reported.append(text)
            append_events(run.record, [busy, StateChanged(state=State.STOPPED, attempt=1)])

    monkeypatch.setattr(CommandOutput, "note", note_and_end)
    with holding(run.record.folder):
        append_events(run.record, [starting, busy])
        said = call("runs", "follow", "d")

    assert reported == ["d: Waits: cpu is in use by ana (b)."]
    assert "d is stopped" in said.out


def test_an_empty_queue(capsys: pytest.CaptureFixture[str], workspace: Workspace) -> None:
    assert "No job is waiting or running." in caller(capsys, workspace.root)("queue", "list").out


def test_limits_are_set_and_obeyed(call: Call) -> None:
    assert call("queue", "limits", "--json").document["jobs_at_once"] == 0
    document = call("queue", "limits", "--jobs-at-once", "1", "--json").document
    assert document == {
        "jobs_at_once": 1,
        "feature_cache_size": 4.0,
        "keep_awake": True,
        "job_priority": "low",
    }

    jobs = call("queue", "list", "--json").document["jobs"]
    assert [job["reason"] for job in jobs] == ["", *['waits for its turn after "a"'] * 3]
    assert "cached image features" not in call("queue", "limits").out.splitlines()[0]
    assert call("queue", "limits", "--jobs-at-once", "many").code == 2
    assert call("queue", "limits", "--no-keep-awake", "--json").document["keep_awake"] is False
    assert "no" in call("queue", "limits").out.split()


def test_the_whole_queue_is_paused_and_resumed(call: Call, workspace: Workspace) -> None:
    assert call("queue", "pause", "--json").document == {"paused": True, "asked_to_pause": []}

    document = call("queue", "list", "--json").document
    assert document["paused"] is True
    assert {job["reason"] for job in document["jobs"]} == {"waits because the queue is paused"}
    assert "studio queue resume" in call("queue", "list").out
    assert call("queue", "pause").code == 0  # again

    assert call("queue", "resume", "--json").document == {"paused": False}
    first, *_ = call("queue", "list", "--json").document["jobs"]
    assert first["state"] in ("starting", "running")

    asked = call("queue", "pause", "--running", "--json").document
    assert asked["asked_to_pause"] == ["a"]
    run = Job(workspace.find(RecordKind.RUN, "a"))
    wait_until(lambda: run.refresh() and run.history.state.is_at_rest, "it is paused")
    JobQueue(workspace).dispatch()  # another process
    assert _waiting(call) == ["b", "c", "d"]
    assert call("queue", "resume").code == 0
    assert _waiting(call) == ["c", "d"]


def test_jobs_of_other_users_are_shown(call: Call, tmp_path: Path) -> None:
    other = Workspace.open(tmp_path / "other")
    job = JobQueue(other).submit(TrainingPlan(dataset="none"), "theirs")
    job.append(StateChanged(state=State.STARTING, attempt=1, devices=("gpu:0",)))
    with DeviceClaim(other, job) as claim:
        assert claim.attempt() == ""
        said = call("queue", "list")
        (user,) = call("queue", "list", "--json").document["devices"][1]["users"]
    assert f"theirs ({getpass.getuser()})" in said.out
    assert (user["job"], user["has"], user["own_workspace"]) == ("theirs", True, False)


def test_failed_jobs_are_removed_together(
    capsys: pytest.CaptureFixture[str], workspace: Workspace
) -> None:
    studio = caller(capsys, workspace.root)
    fake_run(workspace, "good", [0.5])
    for name in ("one", "two"):
        fake_run(workspace, name, [], State.FAILED)
    failed = JobQueue(workspace).submit(EvaluationPlan(run="none"), "three")
    append_events(failed.record, [StateChanged(state=State.FAILED)])

    assert studio("queue", "remove-failed", "--kind", "sweep").mistake.endswith("failed jobs.")
    removed = studio("queue", "remove-failed", "--kind", "run", "--json").document
    assert sorted(row["name"] for row in removed) == ["one", "two"]
    assert "evaluation three" in studio("queue", "remove-failed").out
    assert "no failed jobs" in studio("queue", "remove-failed").mistake

    assert [info.name for _, info in workspace.infos(RecordKind.RUN)] == ["good"]
    assert studio("trash", "restore", "one", "two").code == 0


def test_failed_runs_of_a_sweep_at_work_stay(workspace: Workspace) -> None:
    queue = JobQueue(workspace)
    run = fake_run(workspace, "trial", [], State.FAILED)
    dimensions = parse_dimensions(["learning_rate=0.1,0.01"])
    plan = SweepPlan(base=TrainingPlan(dataset="digits"), dimensions=dimensions)
    sweep = workspace.create(RecordKind.SWEEP, "sweep", plan.to_json())
    row = TrialChanged(
        number=0, values={}, state=State.FAILED, runs=(TrialRun(name="trial", id=run.id),)
    )
    append_events(sweep, [StateChanged(state=State.RUNNING), row])

    with pytest.raises(StudioError, match="no failed jobs"):
        trash_failed(queue)
    append_events(sweep, [StateChanged(state=State.COMPLETED)])
    assert [record.id for record in trash_failed(queue)] == [run.id]
