"""A run on a machine behind a real `sshd`: connection and processes die; it moves back."""

from __future__ import annotations

import contextlib
import getpass
from pathlib import Path

import psutil
import pytest

from helpers.command_line import caller
from helpers.digits import Digits, run_to_end
from helpers.resuming import assert_same, plan_of
from helpers.ssh_machine import HOST, OWN, SECOND, SshMachine, ssh_machine
from helpers.waiting import wait_until
from studio.engine.jobs.control import pause
from studio.engine.jobs.queue import JobQueue
from studio.engine.jobs.states import State
from studio.engine.training import control
from studio.engine.training.history import RunHistory

EPOCHS = 400


def _machines(own: Digits, capsys: pytest.CaptureFixture[str], *words: str) -> dict[str, object]:
    document = caller(capsys, own.workspace.root)("machines", *words, "--json").document
    (machine,) = document["machines"]
    assert isinstance(machine, dict)
    return machine


def _inodes(machine: SshMachine) -> dict[Path, int]:
    files = machine.folder.glob("workspaces/*/datasets/*/**/*")
    return {path: path.stat().st_ino for path in files if path.is_file()}


def _followers(own: Digits) -> list[psutil.Process]:
    """The processes here that follow jobs of a workspace."""
    found = []
    for process in psutil.process_iter():
        with contextlib.suppress(psutil.Error):
            words = process.cmdline()
            root = str(own.workspace.root / "runs")
            if "worker" in words and any(word.startswith(root) for word in words):
                found.append(process)
    return found


@pytest.mark.thorough
@pytest.mark.parametrize("account", [OWN, SECOND])
@pytest.mark.usefixtures("real_starts")
def test_it_survives_everything_and_is_the_same_bit_for_bit(  # noqa: PLR0915 - one story
    own_digits: Digits,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    account: str,
) -> None:
    own, queue = own_digits, JobQueue(own_digits.workspace)
    values = {"epochs": EPOCHS, "checkpoint_interval_seconds": 1.0, "device": "cpu"}
    here = queue.submit(plan_of(own, **values), "here").with_history(RunHistory)
    run_to_end(queue, here)
    with ssh_machine(tmp_path / "m", monkeypatch, account) as machine:
        _machines(own, capsys, "add", HOST, "--python", str(machine.python))
        plan = plan_of(own, machine=HOST, **values)
        job = queue.submit(plan, "there").with_history(RunHistory)

        def epochs() -> int:
            queue.dispatch()
            job.refresh()
            assert job.history.state not in (State.FAILED, State.COMPLETED), job.history.reason
            return len(job.history.epochs)

        wait_until(lambda: epochs() >= 2, "it trains there", 240)
        (worker,) = machine.workers()
        assert (worker.username() != getpass.getuser()) == (account == SECOND)
        worker.suspend()
        inodes = _inodes(machine)
        assert inodes

        machine.cut()  # the network fails; this side connects again
        worker.resume()
        before = epochs()
        wait_until(lambda: epochs() > before + 1, "the connection is back", 240)

        worker.suspend()
        (follower,) = _followers(own)
        follower.kill()  # the laptop dies, and its window
        machine.cut()
        worker.resume()
        journal = next(machine.folder.glob("workspaces/*/runs/*/journal.jsonl"))
        size = journal.stat().st_size
        wait_until(lambda: journal.stat().st_size > size + 2000, "it trains alone", 240)
        before = epochs()
        wait_until(lambda: epochs() > before + 1, "it is followed again", 240)

        worker.kill()
        wait_until(lambda: epochs() >= 0 and job.history.state is State.LOST, "lost", 240)
        control.resume(queue, job)
        wait_until(lambda: epochs() and job.history.state is State.RUNNING, "it continues", 240)
        pause(job)
        run_to_end(queue, job)
        assert job.history.state is State.PAUSED, job.history.reason
        assert _inodes(machine) == inodes  # nothing was copied twice
        control.move(queue, job, "", "cpu")
        run_to_end(queue, job)
    assert job.history.devices == ("cpu",)
    assert_same(here, job)


@pytest.mark.thorough
@pytest.mark.usefixtures("real_starts")
def test_a_run_is_evaluated_there(
    own_run: Digits,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    call = caller(capsys, own_run.workspace.root)
    with ssh_machine(tmp_path / "m", monkeypatch) as machine:
        _machines(own_run, capsys, "add", HOST, "--python", str(machine.python))
        words = ("evaluate", own_run.run.record.name, "--json")
        there = call(*words, "--device", f"{HOST}:cpu").document
        assert list(machine.folder.glob("workspaces/*/evaluations/*/report.json"))
        assert "not known" in call("evaluate", words[1], "--device", "gpu-bx:cpu").mistake
    here = call(*words, "--device", "cpu").document
    assert there["metrics"] == pytest.approx(here["metrics"], rel=1e-5)
    assert there["confusion_matrix"] == here["confusion_matrix"]


@pytest.mark.parametrize("account", [OWN, SECOND])
def test_a_machine_is_added_checked_and_removed(
    own_digits: Digits,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    account: str,
) -> None:
    with ssh_machine(tmp_path / "m", monkeypatch, account) as machine:
        assert _machines(own_digits, capsys, "check", HOST)["state"] == "not added"
        call = caller(capsys, own_digits.workspace.root)
        assert "Confirm with --yes" in call("machines", "add", HOST).mistake
        assert not machine.folder.exists()
        added = _machines(own_digits, capsys, "add", HOST, "--python", str(machine.python))
        assert added["state"] == "ready"
        assert _machines(own_digits, capsys, "list", "--check")["devices"] == added["devices"]
        assert _machines(own_digits, capsys, "check", HOST)["state"] == "ready"
        assert _machines(own_digits, capsys, "remove", HOST, "--files")["state"] == "removed"
        assert not (machine.folder / "store").exists()
        assert "not known" in call("machines", "remove", HOST).mistake
    host_gone = caller(capsys, own_digits.workspace.root)("machines", "check", HOST)
    assert "cannot be reached" in host_gone.mistake
