"""Two processes that train one network together, each with a copy of the workspace; no Ray."""

from __future__ import annotations

import contextlib
import importlib.util
import shutil
import socket
import subprocess
import sys
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import pytest
from numpy.typing import NDArray

from helpers.digits import Digits
from helpers.processes import clean_environment
from helpers.train_plans import train_plans
from helpers.waiting import wait_until
from studio.engine.datasets.summary import read_summary
from studio.engine.errors import Problem, StudioError
from studio.engine.jobs import commands
from studio.engine.jobs.devices import RAY
from studio.engine.jobs.events import StateChanged
from studio.engine.jobs.process_group import VARIABLE, ProcessGroup, own_group
from studio.engine.jobs.queue import JobQueue
from studio.engine.jobs.states import State
from studio.engine.training.history import RunJob
from studio.engine.training.plan import TrainingPlan
from studio.engine.training.requests import check_training
from studio.engine.workspace import Record, RecordKind

_HAS_JAX = importlib.util.find_spec("jax") is not None
_PLAN: dict[str, Any] = {
    "network": "lenet",
    "backend": "jax",
    "device": "cpu",
    "threads": 1,
    "batch_size": 63,  # two processes cannot share it evenly
    "epochs": 3,
    "seed": 5,
}


class Pair:
    """A run in two copies of a workspace, one for each process."""

    def __init__(self, digits: Digits, folder: Path, **values: Any) -> None:
        plan = TrainingPlan(
            dataset=digits.dataset.record.id, nodes=2, ray="HOST:6379", **{**_PLAN, **values}
        )
        queue = JobQueue(digits.workspace)
        job = queue.submit(plan, "together", or_similar=True)
        self.attempt = 0
        self.folder = job.record.folder
        self.copy = folder / "copy" / "runs" / self.folder.name
        shutil.copytree(digits.workspace.root, folder / "copy", dirs_exist_ok=True)
        self.processes: list[subprocess.Popen[bytes]] = []

    @property
    def run(self) -> RunJob:
        """The run of the first process."""
        run = RunJob(Record(RecordKind.RUN, self.folder))
        run.refresh()
        return run

    def start(self) -> None:
        """Start an attempt in both."""
        self.attempt += 1
        if self.attempt > 1:
            shutil.rmtree(self.copy)
            shutil.copytree(self.folder, self.copy)
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            address = f"127.0.0.1:{free.getsockname()[1]}"
        self.processes = []
        for index, folder in enumerate((self.folder, self.copy)):
            job = RunJob(Record(RecordKind.RUN, folder))
            job.refresh()
            starting = StateChanged(state=State.STARTING, attempt=self.attempt, devices=(RAY,))
            job.append(starting)
            words = [sys.executable, "-m", "studio", "node", folder, self.attempt]
            group = {VARIABLE: str(ProcessGroup(address, 2, index))}
            process = subprocess.Popen(
                list(map(str, words)),
                env=clean_environment(**group),
                stdin=subprocess.PIPE,
                stdout=(folder / "output.txt").open("ab"),
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
            self.processes.append(process)

    def finish(self) -> None:
        """Wait until both have ended."""
        wait_until(
            lambda: all(each.poll() is not None for each in self.processes), "both ended", 240
        )

    def end(self) -> None:
        """Kill what is left."""
        for each in self.processes:
            with contextlib.suppress(ProcessLookupError):
                each.kill()
            each.wait()

    def weights(self) -> list[NDArray[Any]]:
        """The weights of the model that was kept."""

        found: list[NDArray[Any]] = []

        def keep(_name: str, item: object) -> None:
            if isinstance(item, h5py.Dataset):
                found.append(item[()])

        with (
            zipfile.ZipFile(self.folder / "model.keras") as archive,
            archive.open("model.weights.h5") as stream,
            h5py.File(stream) as file,
        ):
            file.visititems(keep)
        return found


@pytest.fixture
def pair(own_digits: Digits, tmp_path: Path) -> Iterator[Callable[..., Pair]]:
    made: list[Pair] = []

    def make(**values: Any) -> Pair:
        made.append(Pair(own_digits, tmp_path / str(len(made)), **values))
        return made[-1]

    yield make
    for each in made:
        each.end()


@pytest.mark.thorough
@pytest.mark.skipif(not _HAS_JAX, reason="no JAX here")
def test_two_processes_train_as_one_does_and_resume_after_a_kill(
    own_digits: Digits, pair: Callable[..., Pair]
) -> None:
    runs, _ = train_plans(own_digits.workspace.root, [("one", _PLAN)])
    whole = pair()
    whole.start()
    whole.finish()
    assert whole.run.history.state == State.COMPLETED, whole.run.history.reason
    together = whole.run.history

    # Measured: the largest difference is 1e-6 of a loss: gradients are summed in another order.
    losses = list(together.steps_of("loss"))
    assert losses == pytest.approx(runs["one"].losses, rel=1e-4, abs=1e-5)
    assert together.training is not None
    assert together.training.device.endswith("on each of 2 nodes")

    # The same once more, with the second process killed in the middle.
    broken = pair(checkpoint_interval_seconds=0, epochs=3)
    broken.start()
    wait_until(lambda: len(broken.run.history.epochs) >= 1, "an epoch is done", 240)
    broken.processes[1].kill()
    broken.processes[0].kill()
    broken.finish()
    assert broken.run.history.state.has_worker, "it could not say how it ended"
    broken.start()
    broken.finish()

    assert broken.run.history.state == State.COMPLETED, broken.run.history.reason
    for one, other in zip(whole.weights(), broken.weights(), strict=True):
        np.testing.assert_array_equal(one, other)


@pytest.mark.thorough
@pytest.mark.skipif(not _HAS_JAX, reason="no JAX here")
def test_a_request_to_pause_reaches_both_at_one_step(pair: Callable[..., Pair]) -> None:
    run = pair(epochs=2000)
    run.start()
    wait_until(lambda: len(run.run.history.epochs) >= 1, "an epoch is done", 240)

    commands.send(run.folder, "pause", 1)
    run.finish()

    assert run.run.history.state == State.PAUSED
    copy = RunJob(Record(RecordKind.RUN, run.copy))
    copy.refresh()
    assert copy.history.state == State.PAUSED
    assert copy.history.epochs[-1].step == run.run.history.epochs[-1].step
    assert [each.returncode for each in run.processes] == [0, 0]


def test_a_group_is_read_from_the_environment() -> None:
    group = ProcessGroup("10.0.0.7:41000", 3, 2)

    assert own_group({VARIABLE: str(group)}) == group
    assert own_group({VARIABLE: ""}) is None
    assert own_group({}) is None
    with pytest.raises(StudioError, match="not a group"):
        own_group({VARIABLE: "10.0.0.7:41000"})


def _problems(digits: Digits, **values: object) -> list[Problem]:
    plan = TrainingPlan.parse({"dataset": digits.dataset.record.id, **_PLAN, **values})
    found = check_training(plan, read_summary(digits.dataset.record.folder))
    return [problem for problem in found if problem.serious and problem.where == "nodes"]


def test_several_nodes_need_a_cluster_and_jax(digits: Digits) -> None:
    ray = {"ray": "HOST:6379"}

    assert not _problems(digits, nodes=2, **ray)
    assert "Ray cluster" in _problems(digits, nodes=2)[0].message
    assert "only JAX" in _problems(digits, nodes=2, backend="tensorflow", **ray)[0].message
