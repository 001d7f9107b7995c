"""A real run that SLURM starts on a machine behind a real `sshd`, in two jobs; it moves back."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from helpers.command_line import caller
from helpers.digits import Digits, run_to_end
from helpers.fake_slurm import FakeSlurm
from helpers.resuming import assert_same, plan_of
from helpers.ssh_machine import HOST, ssh_machine
from helpers.waiting import wait_until
from studio.engine.jobs.control import pause
from studio.engine.jobs.queue import JobQueue
from studio.engine.jobs.states import State
from studio.engine.training import control
from studio.engine.training.history import RunHistory


@pytest.mark.thorough
@pytest.mark.usefixtures("real_starts")
def test_a_time_limit_changes_no_bit(
    own_digits: Digits,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    own, queue = own_digits, JobQueue(own_digits.workspace)
    values = {"epochs": 150, "device": "cpu"}
    here = queue.submit(plan_of(own, **values), "here").with_history(RunHistory)
    run_to_end(queue, here)
    with ssh_machine(tmp_path / "m", monkeypatch) as machine:
        slurm = FakeSlurm(tmp_path / "slurm", machine.home)
        slurm.set("hold", "Priority")
        call = caller(capsys, own.workspace.root)
        words = ("--python", sys.executable, "--launcher", "slurm", "--partition", "gpu")
        (added,) = call("machines", "add", HOST, *words, "--json").document["machines"]
        assert [each["label"] for each in added["devices"]] == ["slurm 24.11.5"]
        job = queue.submit(plan_of(own, machine=HOST, **values), "there").with_history(RunHistory)

        def shown() -> object:
            queue.dispatch()
            return call("queue", "list", "--json").document["jobs"][0]["reason"]

        wait_until(lambda: shown() == "Waits in SLURM: Priority", "it waits in SLURM", 240)
        slurm.clear("hold")

        def epochs() -> int:
            queue.dispatch()
            job.refresh()
            assert job.history.state not in (State.FAILED, State.COMPLETED), job.history.reason
            return len(job.history.epochs)

        wait_until(lambda: epochs() >= 2, "it trains there", 240)
        slurm.set("1001.warn")
        wait_until(lambda: epochs() and "1002" in slurm.jobs(), "the next job is submitted", 240)
        before = len(job.history.epochs)
        wait_until(lambda: epochs() > before, "the next job continues", 240)
        pause(job)
        run_to_end(queue, job)
        assert (job.history.state, job.history.attempt) == (State.PAUSED, 2), job.history.reason
        control.move(queue, job, "", "cpu")
        run_to_end(queue, job)
        slurm.close()
    assert_same(here, job)
