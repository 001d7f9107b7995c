"""Runs that SLURM starts: real processes and journals, no Keras, and a SLURM of one node."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psutil
import pytest

from helpers import sweep_workers
from helpers.command_line import caller
from helpers.digits import do_here
from helpers.fake_slurm import FakeSlurm
from helpers.pictures import picture_folder, small_recipe
from helpers.waiting import wait_until
from studio.engine.errors import StudioError
from studio.engine.jobs import commands
from studio.engine.jobs import queue as queue_module
from studio.engine.jobs.commands import CommandName
from studio.engine.jobs.events import StateChanged
from studio.engine.jobs.executors import host
from studio.engine.jobs.executors.handed_over import HANDED_OVER
from studio.engine.jobs.executors.host import Machine
from studio.engine.jobs.executors.launchers import PROCESS, SlurmOptions, read_launcher
from studio.engine.jobs.job import JOURNAL_FILE, Job
from studio.engine.jobs.liveness import holding
from studio.engine.jobs.queue import JobQueue
from studio.engine.jobs.states import State
from studio.engine.training.history import RunHistory, RunJob
from studio.engine.training.plan import TrainingPlan
from studio.engine.worker.machines.agent import Agent
from studio.engine.worker.machines.sent_job import SentJob
from studio.engine.worker.slurm import programs
from studio.engine.worker.slurm.script import job_script, requested_gpus, sbatch_options
from studio.engine.workspace import Workspace

HOST = "cluster"
OPTIONS = SlurmOptions(partition="gpu", account="lab", time="1-00:00:00", gpus="a100:1")


@dataclass(frozen=True, slots=True)
class Cluster:
    """A workspace here, and the machine that submits jobs, whose agent is in this process."""

    workspace: Workspace
    dataset: str
    slurm: FakeSlurm
    agent: Agent
    root: Path

    def ask(
        self, method: str, arguments: Mapping[str, object], body: bytes = b""
    ) -> tuple[Any, bytes]:
        """As `AgentConnection.ask`; all that travels is plain data."""
        result, data = self.agent.answer(method, json.loads(json.dumps(dict(arguments))), body)
        return json.loads(json.dumps(result)), data

    def starting(self, name: str, **values: object) -> RunJob:
        """A run that the queue here has just given to the machine."""
        plan = TrainingPlan(dataset=self.dataset, machine=HOST).changed(**values)
        job = JobQueue(self.workspace).submit(plan, name).with_history(RunHistory)
        job.append(StateChanged(state=State.STARTING, attempt=1, devices=(f"{HOST}:auto",)))
        return job

    def brought(self, job: RunJob) -> SentJob:
        """The run there, in the queue of the machine."""
        sent = SentJob(self.workspace, job, HOST)
        sent.bring(self, lambda _done, _total: None, OPTIONS)
        return sent

    def there(self, job: RunJob) -> Path:
        """The folder of the run there."""
        (folder,) = self.root.glob(f"workspaces/*/runs/{job.record.id}")
        return folder


@pytest.fixture
def cluster(
    workspace: Workspace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Cluster]:
    monkeypatch.setattr(queue_module, "launch_worker", sweep_workers.launch)
    monkeypatch.setenv(sweep_workers.EPOCH_SECONDS, "0.01")
    home = tmp_path / "home"
    home.mkdir()
    monkeypatch.setenv("HOME", str(home))
    queue_module.machine_key.cache_clear()  # its file is below the home folder
    recipe = small_recipe(picture_folder(tmp_path / "pictures"))
    dataset = do_here(workspace, recipe, "small").record.id
    slurm = FakeSlurm(tmp_path / "slurm", home)
    root = tmp_path / "it's $HOME % there"
    try:
        yield Cluster(workspace, dataset, slurm, Agent(root), root)
    finally:
        queue_module.machine_key.cache_clear()
        slurm.close()
        for process in psutil.process_iter():
            with contextlib.suppress(psutil.Error):
                if any(str(tmp_path) in word for word in process.cmdline()):
                    process.kill()


def followed(cluster: Cluster, sent: SentJob, job: RunJob) -> None:
    """Follow a run to its end there."""
    wait_until(lambda: sent.sync(cluster), "it is over there", 120)
    job.refresh()


def waits_for(cluster: Cluster, sent: SentJob, job: RunJob, state: State) -> None:
    """Follow a run until it is in a state."""

    def is_there() -> bool:
        sent.sync(cluster)
        job.refresh()
        return job.history.state is state

    wait_until(is_there, f"it is {state}", 120)


def test_a_run_waits_in_slurm_and_trains_on_a_node(cluster: Cluster) -> None:
    cluster.slurm.set("hold", "Priority")
    job = cluster.starting("my run", epochs=3, device="gpus:2")
    with holding(job.record.folder):
        sent = cluster.brought(job)

        def says() -> str:
            sent.sync(cluster)
            job.refresh()
            return "" if job.history.progress is None else job.history.progress.what

        wait_until(lambda: says() == "Waits in SLURM: Priority", "the reason is known", 120)
        assert job.history.state.has_worker
        cluster.slurm.clear("hold")
        followed(cluster, sent, job)
    assert job.history.state is State.COMPLETED, job.history.reason
    assert [epoch.epoch for epoch in job.history.epochs] == [1, 2, 3]
    assert job.history.devices == (f"{HOST}:slurm",)
    assert (job.record.folder / sweep_workers.LOG).read_text().split() == ["1", "2", "3"]
    (number,) = cluster.slurm.jobs()
    words = cluster.slurm.words(number)
    assert {"--partition=gpu", "--account=lab", "--time=1-00:00:00"} < set(words)
    assert {"--gres=gpu:a100:2", "--no-requeue", "--signal=B:USR1@120"} < set(words)
    assert "--job-name=studio-my-run" in words
    handed_over = cluster.there(job) / HANDED_OVER
    wait_until(lambda: not handed_over.exists(), "the submitting process has left")


@pytest.mark.parametrize(
    ("ends", "state", "text"),
    [
        ("TIMEOUT", State.PAUSED, "reached its time limit"),
        ("TIMEOUT now", State.LOST, "reached its time limit"),
        ("CANCELLED", State.PAUSED, "The SLURM job 1001 was canceled."),
        ("OUT_OF_MEMORY", State.FAILED, "more memory than"),
        ("NODE_FAIL", State.LOST, "The node of the SLURM job 1001 failed"),
        ("FAILED", State.LOST, "ended before its work was done (FAILED"),
    ],
)
@pytest.mark.parametrize("is_purged", [False, True])
def test_an_end_by_slurm_is_the_end_of_the_run(
    cluster: Cluster, ends: str, state: State, text: str, is_purged: bool
) -> None:
    if is_purged:
        cluster.slurm.set("purged")
    job = cluster.starting("run", batch_size=sweep_workers.NEVER_ENDS)
    with holding(job.record.folder):
        sent = cluster.brought(job)
        waits_for(cluster, sent, job, State.RUNNING)
        cluster.slurm.set("1001.end", ends)
        followed(cluster, sent, job)
    assert (job.history.state, text in job.history.reason) == (state, True), job.history.reason


def test_a_job_that_vanishes_without_accounts_is_lost(cluster: Cluster) -> None:
    cluster.slurm.set("purged")
    cluster.slurm.set("no_accounting")
    job = cluster.starting("run", batch_size=sweep_workers.NEVER_ENDS)
    with holding(job.record.folder):
        sent = cluster.brought(job)
        waits_for(cluster, sent, job, State.RUNNING)
        cluster.slurm.set("1001.end", "NODE_FAIL")
        followed(cluster, sent, job)
    assert job.history.state is State.LOST
    assert "no longer in the queue" in job.history.reason


@pytest.mark.parametrize("is_running", [False, True])
@pytest.mark.parametrize(("name", "state"), [("stop", State.STOPPED), ("pause", State.PAUSED)])
def test_a_request_to_end_ends_the_job_of_slurm(
    cluster: Cluster, name: CommandName, state: State, is_running: bool
) -> None:
    if not is_running:
        cluster.slurm.set("hold", "Resources")
    job = cluster.starting("run", batch_size=sweep_workers.NEVER_ENDS)
    with holding(job.record.folder):
        sent = cluster.brought(job)
        wait_until(lambda: sent.sync(cluster) or cluster.slurm.jobs(), "it is submitted", 120)
        if is_running:
            waits_for(cluster, sent, job, State.RUNNING)
        commands.send(job.record.folder, name, 1)
        followed(cluster, sent, job)
    assert job.history.state is state
    wait_until(lambda: cluster.slurm.state("1001") in programs.OVER, "it is over in SLURM")
    assert (cluster.slurm.state("1001") == "CANCELLED") == (not is_running)


def test_a_job_that_is_canceled_in_slurm_is_stopped(cluster: Cluster) -> None:
    cluster.slurm.set("hold", "Resources")
    job = cluster.starting("run", epochs=1)
    with holding(job.record.folder):
        sent = cluster.brought(job)
        wait_until(lambda: sent.sync(cluster) or cluster.slurm.jobs(), "it is submitted", 120)
        cluster.slurm.set("1001.end", "CANCELLED")
        followed(cluster, sent, job)
    assert (job.history.state, job.history.reason) == (
        State.STOPPED,
        "The SLURM job 1001 was canceled.",
    )


def test_a_refusal_of_slurm_is_said(cluster: Cluster) -> None:
    cluster.slurm.set("refuse", "Invalid account or account/partition combination specified")
    job = cluster.starting("run", epochs=1)
    with holding(job.record.folder):
        followed(cluster, cluster.brought(job), job)
    assert (job.history.state, job.history.category) == (State.FAILED, "user")
    assert job.history.reason.startswith("sbatch: Invalid account or account/partition")
    assert cluster.slurm.jobs() == []


def test_a_queue_that_does_not_answer_is_asked_again(cluster: Cluster) -> None:
    cluster.slurm.set("hold", "Priority")
    cluster.slurm.set("down", "Unable to contact slurm controller (connect failure)")
    job = cluster.starting("run", epochs=2)
    with holding(job.record.folder):
        sent = cluster.brought(job)

        def says() -> str:
            sent.sync(cluster)
            job.refresh()
            return "" if job.history.progress is None else job.history.progress.what

        wait_until(lambda: "Unable to contact" in says(), "it is reported", 120)
        cluster.slurm.clear_all()
        followed(cluster, sent, job)
    assert job.history.state is State.COMPLETED, job.history.reason


def test_before_its_time_limit_a_run_pauses_and_continues_in_the_next_job(
    cluster: Cluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(sweep_workers.EPOCH_SECONDS, "0.05")
    job = cluster.starting("run", epochs=60)
    with holding(job.record.folder):
        sent = cluster.brought(job)

        def has_trained() -> bool:
            sent.sync(cluster)
            job.refresh()
            return len(job.history.epochs) > 2

        wait_until(has_trained, "it has trained", 120)
        cluster.slurm.set("1001.warn")
        followed(cluster, sent, job)
    assert job.history.state is State.COMPLETED, job.history.reason
    assert (job.history.attempt, cluster.slurm.jobs()) == (2, ["1001", "1002"])
    epochs = (job.record.folder / sweep_workers.LOG).read_text().split()
    assert epochs == [str(epoch) for epoch in range(1, 61)]
    journal = (job.record.folder / JOURNAL_FILE).read_text()
    assert "it continues in the next one" in journal


@pytest.mark.parametrize("ends", ["PREEMPTED", "PREEMPTED now"])
@pytest.mark.parametrize("is_running", [True, False])
def test_a_run_that_makes_room_for_another_job_continues_in_the_next_one(
    cluster: Cluster, monkeypatch: pytest.MonkeyPatch, ends: str, is_running: bool
) -> None:
    monkeypatch.setenv(sweep_workers.EPOCH_SECONDS, "0.05")
    if not is_running:
        cluster.slurm.set("hold", "Resources")
    job = cluster.starting("run", epochs=60)
    with holding(job.record.folder):
        sent = cluster.brought(job)

        def is_ready() -> bool:
            sent.sync(cluster)
            job.refresh()
            return len(job.history.epochs) > 2 if is_running else bool(cluster.slurm.jobs())

        wait_until(is_ready, "it has begun", 120)
        cluster.slurm.set("1001.end", ends)
        wait_until(lambda: sent.sync(cluster) or len(cluster.slurm.jobs()) > 1, "the next", 120)
        cluster.slurm.clear_all()
        followed(cluster, sent, job)
    assert job.history.state is State.COMPLETED, job.history.reason
    assert (job.history.attempt, cluster.slurm.jobs()) == (2, ["1001", "1002"])
    epochs = (job.record.folder / sweep_workers.LOG).read_text().split()
    assert epochs == [str(epoch) for epoch in range(1, 61)]
    journal = (job.record.folder / JOURNAL_FILE).read_text()
    assert "job of higher priority; it continues in the next one" in journal


@pytest.mark.parametrize(("name", "state"), [("stop", State.STOPPED), ("pause", State.PAUSED)])
def test_a_request_to_end_counts_although_the_job_makes_room(
    cluster: Cluster, name: CommandName, state: State
) -> None:
    job = cluster.starting("run", batch_size=sweep_workers.NEVER_ENDS)
    with holding(job.record.folder):
        sent = cluster.brought(job)
        waits_for(cluster, sent, job, State.RUNNING)
        (worker,) = (
            each
            for each in psutil.process_iter(["cmdline"])
            if sweep_workers.SLURM in (each.info["cmdline"] or [])
        )
        worker.suspend()  # it never sees the request
        commands.send(job.record.folder, name, 1)
        sent.sync(cluster)
        cluster.slurm.set("1001.end", "PREEMPTED now")
        followed(cluster, sent, job)
    assert (job.history.state, cluster.slurm.jobs()) == (state, ["1001"])


def test_a_time_limit_without_progress_is_no_endless_loop(cluster: Cluster) -> None:
    job = cluster.starting("run", batch_size=sweep_workers.NEVER_ENDS)
    with holding(job.record.folder):
        sent = cluster.brought(job)
        waits_for(cluster, sent, job, State.RUNNING)
        cluster.slurm.set("1001.warn")
        followed(cluster, sent, job)
    assert (job.history.state, cluster.slurm.jobs()) == (State.PAUSED, ["1001"])
    assert "--time" in job.history.hint


def test_a_job_is_followed_again_after_the_submitting_process_died(cluster: Cluster) -> None:
    job = cluster.starting("run", batch_size=sweep_workers.NEVER_ENDS)
    with holding(job.record.folder):
        sent = cluster.brought(job)
        waits_for(cluster, sent, job, State.RUNNING)
        folder = str(cluster.there(job))
        (follower,) = [
            each
            for each in psutil.process_iter(["cmdline"])
            if folder in (each.info["cmdline"] or []) and "slurm" not in each.info["cmdline"]
        ]
        follower.kill()
        follower.wait()
        commands.send(job.record.folder, "stop", 1)
        followed(cluster, sent, job)
    assert job.history.state is State.STOPPED
    assert cluster.slurm.jobs() == ["1001"]


def test_the_machine_reports_slurm_as_its_device(cluster: Cluster) -> None:
    facts, _ = cluster.ask("greet", {"launcher": OPTIONS.model_dump()})
    (device,) = facts["devices"]
    assert (device["name"], device["label"], device["jobs"]) == ("slurm", "slurm 24.11.5", 0)
    here, _ = cluster.ask("greet", {"launcher": PROCESS.model_dump()})
    assert here["devices"][0]["name"] == "cpu"


def test_a_machine_without_slurm_says_so(
    cluster: Cluster, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    with pytest.raises(StudioError, match="There is no SLURM: squeue"):
        cluster.ask("greet", {"launcher": OPTIONS.model_dump()})


@pytest.mark.parametrize("name", ["slurm", "ray", "here"])
def test_no_machine_has_the_name_of_another_place(name: str) -> None:
    with pytest.raises(StudioError, match="another meaning"):
        host.checked_host(name)


HOSTILE = ("gpu;touch x", "$(touch x)", "a b", "`x`", "gpu\ntouch x", "-x", "gpu'", 'gpu"', "a|b")


@pytest.mark.parametrize("name", ["partition", "account", "time", "gpus", "memory"])
@pytest.mark.parametrize("value", HOSTILE)
def test_no_option_of_slurm_holds_signs_of_the_shell(name: str, value: str) -> None:
    with pytest.raises(StudioError, match=f"option {name} of SLURM"):
        read_launcher({"kind": "slurm", name: value})


def test_extra_lines_are_single_lines() -> None:
    with pytest.raises(StudioError):
        read_launcher({"kind": "slurm", "lines": ("module load cuda\nrm x",)})
    with pytest.raises(StudioError, match="no option partition"):
        read_launcher({"kind": "process", "partition": "gpu"})
    options = SlurmOptions(lines=("module load cuda", "#SBATCH --qos=high"))
    lines = job_script(options, Path("/home/me"), 1, "auto").splitlines()
    assert lines[:3] == ["#!/bin/bash -l", "#SBATCH --qos=high", "module load cuda"]


def test_a_hostile_path_or_name_runs_nothing(tmp_path: Path) -> None:
    folder = tmp_path / "'; touch x; '$(touch y)\"`touch z`" / "runs" / "run"
    folder.mkdir(parents=True)
    script = tmp_path / "script.sh"
    text = job_script(SlurmOptions(), folder, 1, "cpu")
    script.write_text(text.replace(" -m studio ", " -c 'import sys; print(sys.argv[2])' "))
    done = subprocess.run(
        ["/bin/bash", str(script)],
        cwd=tmp_path,
        env={**os.environ, "HOME": str(tmp_path)},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.strip() == str(folder)
    assert sorted(path.name for path in tmp_path.iterdir()) == [folder.parts[-3], "script.sh"]
    (name, *_) = sbatch_options(SlurmOptions(), folder, "a$(b) c\nd'", "auto")
    assert name == "--job-name=studio-a--b--c-d-"


@pytest.mark.parametrize(
    ("usual", "device", "gpus"),
    [
        ("", "auto", ""),
        ("2", "auto", "gpu:2"),
        ("a100:2", "gpu", "gpu:a100:1"),
        ("", "gpu:1", "gpu:2"),
        ("4", "cpu:2", ""),
    ],
)
def test_the_device_of_a_run_decides_about_gpus(usual: str, device: str, gpus: str) -> None:
    assert requested_gpus(usual, device) == gpus


def test_the_launcher_is_stored_with_the_machine(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv(host.VARIABLE, str(tmp_path / "machines.json"))
    host.store_machine(Machine(host=HOST, python="python3", folder="/there", launcher=OPTIONS))
    assert host.find_machine(HOST).launcher == OPTIONS
    (tmp_path / "machines.json").write_text(
        '{"machines": [{"host": "old", "python": "python3", "folder": "/there"}]}'
    )
    assert host.find_machine("old").launcher == PROCESS
    call = caller(capsys, tmp_path / "workspace")
    words = ("machines", "add", HOST, "--launcher", "slurm", "--partition", "a;b")
    assert "'a;b' is not a value of the option partition" in call(*words).mistake
    assert "no option gpus" in call("machines", "add", HOST, "--gpus", "1").mistake


def test_a_signal_that_ends_the_relay_leaves_the_job(cluster: Cluster) -> None:
    cluster.slurm.set("hold", "Priority")
    job = cluster.starting("run", epochs=1)
    with holding(job.record.folder):
        sent = cluster.brought(job)
        wait_until(lambda: sent.sync(cluster) or cluster.slurm.jobs(), "it is submitted", 120)
        there = Job.read(job.record)
        wait_until((cluster.there(job) / HANDED_OVER).exists, "it is noted", 120)
        for each in psutil.process_iter(["cmdline"]):
            if str(cluster.there(job)) in (each.info["cmdline"] or []):
                each.send_signal(signal.SIGTERM)
                each.wait()
        assert there.history.state.has_worker
        cluster.slurm.clear("hold")
        followed(cluster, sent, job)
    assert job.history.state is State.COMPLETED, job.history.reason
    assert cluster.slurm.jobs() == ["1001"]
