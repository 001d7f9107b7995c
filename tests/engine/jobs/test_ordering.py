"""Order, holding and devices of the real queue, with small workers on GPUs that are not there."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

import pytest

from helpers.processes import run_together
from helpers.waiting import wait_until
from helpers.workers import ENDLESS, LaunchScripts
from studio.engine.errors import StudioError
from studio.engine.jobs import control
from studio.engine.jobs.devices import CPU, Device, environment_for, gpu_name
from studio.engine.jobs.job import Job
from studio.engine.jobs.launch import launch_worker
from studio.engine.jobs.queue import JobQueue
from studio.engine.jobs.scheduling import Why
from studio.engine.jobs.states import State
from studio.engine.training.plan import TrainingPlan
from studio.engine.workspace import Workspace

GPUS = [Device(CPU), *(Device(gpu_name(index), "A fake", 8 << 30) for index in range(2))]


@pytest.fixture
def queue(workspace: Workspace) -> JobQueue:
    return JobQueue(workspace, GPUS)


def _submit(queue: JobQueue, *devices: str) -> list[Job]:
    plans = [TrainingPlan(dataset="none-000000", device=device) for device in devices]
    return [queue.submit(plan, f"r{index}") for index, plan in enumerate(plans)]


def _state(job: Job) -> State:
    job.refresh()
    return job.history.state


def _order(queue: JobQueue) -> list[str]:
    return [entry.job.record.name for entry in queue.entries() if entry.job.history.attempt == 0]


def test_runs_start_on_the_devices_that_they_need(
    queue: JobQueue, launch_scripts: LaunchScripts
) -> None:
    launcher = launch_scripts(ENDLESS)
    first, second, both, cpu = _submit(queue, "gpu:1", "auto", "gpus:2", "cpu")

    queue.dispatch()

    assert launcher.devices == [("gpu:1",), ("gpu:0",), ("cpu",)]
    assert [_state(job).has_worker for job in (first, second, both, cpu)] == [1, 1, 0, 1]
    assert second.history.devices == ("gpu:0",)
    entries = {entry.job.record.id: entry for entry in queue.entries()}
    assert entries[first.record.id].devices == ("gpu:1",)
    wait = entries[both.record.id].wait
    assert wait is not None
    assert wait.why == Why.BUSY
    assert set(wait.jobs) == {first.record.id, second.record.id}

    wait_until(lambda: _state(first) == _state(second) == State.RUNNING, "both run")
    queue.stop(first)
    queue.stop(second)

    def both_started() -> bool:
        queue.dispatch()
        return _state(both).has_worker

    wait_until(both_started, "both GPUs are free")
    assert both.history.devices == ("gpu:0", "gpu:1")


def test_a_run_for_a_missing_device_waits_with_a_reason(
    queue: JobQueue, launch_scripts: LaunchScripts
) -> None:
    launcher = launch_scripts(ENDLESS)
    _submit(queue, "gpu:3")

    queue.dispatch()

    assert launcher.started == []
    waits = [entry.wait.text(str) for entry in queue.entries() if entry.wait is not None]
    assert waits == ["waits for gpu:3, which this machine does not have"]


def test_order_is_changed_and_outlives_the_queue(queue: JobQueue, workspace: Workspace) -> None:
    jobs = _submit(queue, *["gpu:3"] * 4)
    assert _order(queue) == ["r0", "r1", "r2", "r3"]

    control.move_first(queue, jobs[2])
    assert _order(queue) == ["r2", "r0", "r1", "r3"]
    control.move_last(queue, jobs[0])
    assert _order(queue) == ["r2", "r1", "r3", "r0"]
    control.move_before(queue, jobs[3], jobs[1])
    assert _order(JobQueue(workspace, GPUS)) == ["r2", "r3", "r1", "r0"]

    # Whatever is asked for now comes last.
    queue.submit(TrainingPlan(dataset="none-000000", device="gpu:3"), "new")
    assert _order(queue)[-1] == "new"


def test_there_is_always_room_between_two(queue: JobQueue) -> None:
    jobs = _submit(queue, *["gpu:3"] * 3)
    # Every move halves the room before the last one: a float has 52 halves.
    for _ in range(40):
        control.move_before(queue, jobs[0], jobs[2])
        assert _order(queue) == ["r1", "r0", "r2"]
        control.move_before(queue, jobs[1], jobs[2])
        assert _order(queue) == ["r0", "r1", "r2"]
    queue.submit(TrainingPlan(dataset="none-000000", device="gpu:3"), "new")
    assert _order(queue)[-1] == "new"


def test_the_order_decides_who_starts(queue: JobQueue, launch_scripts: LaunchScripts) -> None:
    launcher = launch_scripts(ENDLESS)
    jobs = _submit(queue, "cpu", "cpu")
    control.move_first(queue, jobs[1])

    queue.dispatch()

    assert launcher.started == [(jobs[1].record.folder, 1)]


def test_who_is_held_lets_others_go_first_until_it_is_released(
    queue: JobQueue, workspace: Workspace, launch_scripts: LaunchScripts
) -> None:
    launcher = launch_scripts(ENDLESS)
    held, other = _submit(queue, "gpu:0", "gpu:0")
    control.hold(queue, held)

    JobQueue(workspace, GPUS).dispatch()
    assert launcher.started == [(other.record.folder, 1)]
    assert [entry.wait.why for entry in queue.entries() if entry.wait] == [Why.HELD]

    control.release(queue, held)
    assert [entry.wait.why for entry in queue.entries() if entry.wait] == [Why.BUSY]


def test_who_is_started_again_is_last_and_not_held(queue: JobQueue) -> None:
    jobs = _submit(queue, "gpu:3", "gpu:3")
    control.move_first(queue, jobs[1])
    control.hold(queue, jobs[1])
    queue.stop(jobs[1])
    queue.restart(jobs[1])
    assert _order(queue) == ["r0", "r1"]
    assert not jobs[1].history.held


def test_only_what_waits_can_be_moved_or_held(
    queue: JobQueue, launch_scripts: LaunchScripts
) -> None:
    launch_scripts(ENDLESS)
    running, waiting, stopped = _submit(queue, "cpu", "cpu", "cpu")
    queue.stop(stopped)
    queue.dispatch()
    wait_until(lambda: _state(running) == State.RUNNING, "it runs")

    with pytest.raises(StudioError, match='"r0" is running, so it cannot be moved'):
        control.move_first(queue, running)
    with pytest.raises(StudioError, match='"r2" is stopped, so it cannot be put on hold'):
        control.hold(queue, stopped)
    with pytest.raises(StudioError, match='"r0" is running, so nothing can be moved before it'):
        control.move_before(queue, waiting, running)
    with pytest.raises(StudioError, match="is in use"):
        control.hold(queue, running)
    with pytest.raises(StudioError, match="before itself"):
        control.move_before(queue, waiting, waiting)


_DISPATCH = """
import sys
from pathlib import Path
from studio.engine.jobs import queue as queue_module
from studio.engine.jobs.devices import Device
from studio.engine.jobs.queue import JobQueue
from studio.engine.workspace import Workspace
from helpers.workers import Launcher, NEVER_STARTS
launcher = Launcher(NEVER_STARTS)
queue_module.launch_worker = launcher
devices = [Device("cpu"), Device("gpu:0"), Device("gpu:1")]
queue = JobQueue(Workspace.open(Path(sys.argv[1])), devices)
print("ready")
sys.stdin.readline()
for _ in range(50):
    queue.dispatch()
print(" ".join(name for devices in launcher.devices for name in devices) or "none")
sys.stdin.readline()
launcher.close()
"""


def test_two_dispatchers_at_once_give_every_device_once(
    queue: JobQueue, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(path for path in sys.path if path))
    _submit(queue, *["gpu"] * 4, "cpu", "cpu")
    root = str(queue.workspace.root)

    answers = run_together(_DISPATCH, [(root,), (root,)])

    given = [name for answer in answers for name in answer.split() if name != "none"]
    assert sorted(given) == ["cpu", "gpu:0", "gpu:1"]


@pytest.mark.parametrize(
    ("environ", "devices", "seen"),
    [
        ({}, (), None),
        ({}, ("cpu",), ""),
        ({}, ("gpu:0", "gpu:2"), "0,2"),
        ({"CUDA_VISIBLE_DEVICES": "1"}, (), "1"),
        ({"CUDA_VISIBLE_DEVICES": "1"}, ("cpu",), ""),
    ],
)
def test_what_a_worker_and_those_that_it_starts_see(
    environ: dict[str, str], devices: tuple[str, ...], seen: str | None
) -> None:
    inside = environment_for(environ, devices)
    assert inside.get("CUDA_VISIBLE_DEVICES") == seen
    # A worker starts others when it ends: they see what the user lets them see.
    again = environment_for(inside, ())
    assert again.get("CUDA_VISIBLE_DEVICES") == environ.get("CUDA_VISIBLE_DEVICES")


def test_a_real_worker_sees_its_gpus_alone(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    show = "import json, os; print(json.dumps(dict(os.environ)))"
    monkeypatch.setattr(
        "studio.engine.jobs.launch.command", lambda *_words: [sys.executable, "-c", show]
    )
    folder = Path(workspace.root / "somewhere")
    folder.mkdir()
    assert launch_worker(folder, 1, ("gpu:1",)).wait(60) == 0
    seen = json.loads((folder / "worker.log").read_text())
    assert seen["CUDA_VISIBLE_DEVICES"] == "1"
    assert seen["CUDA_DEVICE_ORDER"] == "PCI_BUS_ID"
