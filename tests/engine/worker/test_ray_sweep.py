"""Sweeps on a Ray cluster of two nodes on this machine, one of which is killed in the middle."""

from __future__ import annotations

import importlib.util
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from helpers.digits import do_here
from helpers.pictures import picture_folder, small_recipe
from helpers.processes import is_alive
from helpers.sweep_workers import CARRIED, EPOCH_SECONDS, NEVER_ENDS, launch
from helpers.sweeps import Stage
from helpers.waiting import wait_until
from helpers.workers import LaunchScripts
from studio.engine.jobs import control
from studio.engine.jobs import queue as queue_module
from studio.engine.jobs.liveness import is_held
from studio.engine.jobs.queue import JobQueue
from studio.engine.jobs.states import State
from studio.engine.training.history import RunJob
from studio.engine.training.plan import TrainingPlan
from studio.engine.training.requests import request_training
from studio.engine.workspace import RecordKind, Workspace

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(importlib.util.find_spec("ray") is None, reason="Ray is not installed"),
]
STORE_BYTES = 80 * 2**20
EPOCHS = 12


# The real worker, for a node that does as if it saw no folder of ours.
CARRIES = """
import sys
from pathlib import Path
from studio.engine.worker import main
from studio.engine.worker.cluster import relay

relay.is_shared = lambda _line: False
sys.exit(main.main(Path(sys.argv[1]), int(sys.argv[2])))
"""


@pytest.fixture
def stage(
    workspace: Workspace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Stage]:
    recipe = small_recipe(picture_folder(tmp_path / "pictures", per_class=20))
    dataset = do_here(workspace, recipe, "small")
    assert dataset.history.state == State.COMPLETED
    monkeypatch.setenv(EPOCH_SECONDS, "0.4")
    # Of the nodes, too; Ray's own sockets would have names too long for the system there.
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setenv("RAY_TMPDIR", "/tmp")
    monkeypatch.setenv("RAY_AUTH_MODE", "disabled")  # whatever the home of the user holds
    monkeypatch.setattr(queue_module, "launch_worker", launch)
    stage = Stage(workspace, JobQueue(workspace), dataset.record.id)
    yield stage
    stage.end_everything()


@pytest.fixture
def cluster(stage: Stage) -> Iterator[Any]:
    """A head with one core; its nodes get what the test has in its environment."""
    made = _head()
    yield made
    made.shutdown()


def _head(**more: object) -> Any:
    from ray.cluster_utils import Cluster

    return Cluster(
        initialize_head=True,
        head_node_args={
            "num_cpus": 1,
            "num_gpus": 0,
            "object_store_memory": STORE_BYTES,
            "include_dashboard": False,
            **more,
        },
    )


def _runs(stage: Stage) -> list[RunJob]:
    runs = [RunJob(record) for record, _ in stage.workspace.infos(RecordKind.RUN)]
    for run in runs:
        run.refresh()
    return runs


@pytest.mark.parametrize("carried", [False, True], ids=["shared", "carried"])
def test_a_node_that_is_killed_loses_no_trial(
    stage: Stage, cluster: Any, carried: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if carried:
        monkeypatch.setenv(CARRIED, "1")
    other = cluster.add_node(num_cpus=1, num_gpus=0, object_store_memory=STORE_BYTES)
    rates = ",".join(str(0.1 / 2**number) for number in range(8))
    plan = stage.plan(f"learning_rate={rates}", epochs=EPOCHS, workers=2)
    plan = plan.changed(**{"base.ray": cluster.address})
    job = stage.begin(plan)
    stage.reach(
        job,
        lambda _: sum(len(run.history.epochs) >= 2 for run in _runs(stage)) == 2,
        "both nodes train",
    )
    brought = list(tmp_path.glob("studio-cluster-*/*/datasets/small-*"))
    assert len(brought) == carried, "once to this machine, however many runs read it"

    cluster.remove_node(other, allow_graceful=False)
    history = stage.finish(job)

    assert history.state == State.COMPLETED, history.reason
    rows = [row for _, row in sorted(history.trials.items())]
    assert [row.state for row in rows] == [State.COMPLETED] * 8
    assert {run.history.devices for run in _runs(stage)} == {("ray",)}
    attempts = [run.history.attempt for run in _runs(stage)]
    assert sorted(attempts) == [*[1] * 7, 2], "one run was on the node that died"
    for (name, epochs), attempt in zip(stage.trained(), attempts, strict=True):
        assert sorted(set(epochs)) == list(range(1, EPOCHS + 1)), name
        assert len(epochs) <= EPOCHS + attempt - 1, "what was reported before the death is kept"
    assert all((run.record.folder / "model").exists() for run in _runs(stage))
    assert not list(tmp_path.glob("studio-cluster-*/*/*")), "it is gone with the sweep"


def test_a_training_is_paused_remotely_and_resumes_from_the_returned_checkpoint(
    stage: Stage, cluster: Any, launch_scripts: LaunchScripts
) -> None:
    launch_scripts(CARRIES)
    plan = TrainingPlan(
        dataset=stage.dataset, network="mlp", epochs=4000, threads=1, ray=cluster.address
    )
    run = request_training(stage.queue, plan, "R")
    stage.reach(run, lambda history: len(history.epochs) >= 2, "it trains there")
    control.pause(run)
    assert stage.finish(run).state == State.PAUSED
    done = len(run.history.epochs)
    assert (run.record.folder / "resume.npz").exists()
    wait_until(lambda: not is_held(run.record.folder), "its worker here has left the cluster")
    control.resume(stage.queue, run)
    stage.reach(run, lambda history: len(history.epochs) > done, "it continues")
    stage.queue.stop(run)

    assert stage.finish(run).state == State.STOPPED
    assert [each.epoch for each in run.history.epochs] == list(
        range(1, len(run.history.epochs) + 1)
    )
    assert run.history.attempt == 2
    assert (run.record.folder / "model.keras").exists()


@pytest.mark.thorough
@pytest.mark.skipif(importlib.util.find_spec("jax") is None, reason="no JAX here")
def test_two_nodes_train_one_network_and_it_survives_the_death_of_one(
    stage: Stage, cluster: Any, launch_scripts: LaunchScripts
) -> None:
    launch_scripts(CARRIES)
    plan = TrainingPlan(
        dataset=stage.dataset,
        network="mlp",
        backend="jax",
        device="cpu",
        batch_size=15,
        epochs=40,
        threads=1,
        checkpoint_interval_seconds=0,
        nodes=2,
        ray=cluster.address,
    )
    run = request_training(stage.queue, plan, "R")
    stage.reach(run, lambda history: history.notes, "it waits for a second node", 120)
    assert "needs 2 nodes" in run.history.notes[-1].message
    other = cluster.add_node(num_cpus=1, num_gpus=0, object_store_memory=STORE_BYTES)
    stage.reach(run, lambda history: history.saved, "both train", 240)
    assert run.history.training is not None
    assert run.history.training.device.endswith("on each of 2 nodes")

    cluster.remove_node(other, allow_graceful=False)
    history = stage.finish(run, 240)
    assert history.state == State.LOST
    assert "node" in history.reason
    done = len(run.history.epochs)
    cluster.add_node(num_cpus=1, num_gpus=0, object_store_memory=STORE_BYTES)
    control.resume(stage.queue, run)

    assert stage.finish(run, 240).state == State.COMPLETED, run.history.reason
    assert done < 40
    assert [each.epoch for each in run.history.epochs] == list(range(1, 41))
    assert run.history.training.first_step > 1, "it continued from its last checkpoint"
    assert (run.record.folder / "model.keras").exists()


def test_a_killed_local_worker_leaves_no_remote_worker(stage: Stage, cluster: Any) -> None:
    plan = TrainingPlan(
        dataset=stage.dataset, network="mlp", batch_size=NEVER_ENDS, ray=cluster.address
    )
    run = request_training(stage.queue, plan, "R")
    stage.reach(run, lambda history: history.state == State.RUNNING, "it trains there")
    assert run.history.started is not None
    there = run.history.started.pid
    here = stage.queue._children[run.record.folder].process
    assert is_alive(there)
    assert here.pid != there

    here.kill()

    assert stage.finish(run).state == State.LOST
    assert not is_alive(there), "it could still write to the journal"


def test_a_run_that_waits_for_a_node_can_be_stopped(stage: Stage, cluster: Any) -> None:
    plan = TrainingPlan(dataset=stage.dataset, network="mlp", threads=64, ray=cluster.address)
    run = request_training(stage.queue, plan, "R")
    stage.reach(run, lambda history: history.notes, "it says why it waits")

    stage.queue.stop(run)

    assert stage.finish(run).state == State.STOPPED
    assert "64 cores" in run.history.notes[-1].message


def test_a_lost_cluster_holds_the_sweep_until_it_answers_again(stage: Stage) -> None:
    first = _head()
    address = first.address
    port = int(address.rpartition(":")[2])
    plan = stage.plan("learning_rate=0.1,0.05,0.01", epochs=EPOCHS)
    job = stage.begin(plan.changed(**{"base.ray": address}))
    stage.reach(job, lambda _: any(run.history.epochs for run in _runs(stage)), "it trains")

    first.shutdown()
    stage.reach(job, lambda history: history.notes, "it says that it waits", 120)
    second = _head(gcs_server_port=port)
    try:
        history = stage.finish(job, 120)
    finally:
        second.shutdown()

    assert history.state == State.COMPLETED, history.reason
    assert [row.state for row in history.trials.values()] == [State.COMPLETED] * 3
    (note,) = history.notes
    assert note.message == (
        f"The Ray cluster at {address} does not answer. The sweep waits for it; "
        "then its runs continue from their last checkpoints."
    )
    for name, epochs in stage.trained():
        assert sorted(set(epochs)) == list(range(1, EPOCHS + 1)), name


def test_an_unreachable_cluster_ends_the_sweep_before_its_first_trial(stage: Stage) -> None:
    plan = stage.plan("learning_rate=0.1,0.01").changed(**{"base.ray": "127.0.0.1:1"})
    history = stage.finish(stage.begin(plan))

    assert history.state == State.FAILED
    assert "no Ray cluster at 127.0.0.1:1" in history.reason
    assert "ray start --head" in history.hint
    assert history.trials == {}
