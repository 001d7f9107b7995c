"""A run whose files are carried to a node and back: the node's side in this process, no Ray."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Concatenate

import pytest

from helpers.digits import do_here
from helpers.pictures import picture_folder, small_recipe
from helpers.sweep_workers import EPOCH_SECONDS, NEVER_ENDS, NODE
from helpers.sweep_workers import __file__ as worker
from helpers.waiting import wait_until
from studio.engine.errors import StudioError
from studio.engine.jobs import commands
from studio.engine.jobs.devices import RAY
from studio.engine.jobs.events import StateChanged
from studio.engine.jobs.job import JournalWriter
from studio.engine.jobs.liveness import is_held
from studio.engine.jobs.queue import JobQueue
from studio.engine.jobs.states import State
from studio.engine.training.history import RunHistory, RunJob
from studio.engine.training.plan import STARTING_WEIGHTS, TrainingPlan
from studio.engine.worker.cluster.carried import CarriedRun
from studio.engine.worker.cluster.connection import remove_all_copies
from studio.engine.worker.cluster.node import Ask, Node, P, T, inside
from studio.engine.workspace import Record, RecordKind, Workspace


class Remote:
    """A workspace, and a node with a temporary folder of its own."""

    def __init__(self, workspace: Workspace, dataset: str) -> None:
        self.workspace = workspace
        self.dataset = dataset
        self.node = Node()
        self.asked: list[str] = []
        self.meanwhile: Callable[[], None] = lambda: None

    def carried(self, batch_size: int, weights: str = "") -> tuple[RunJob, CarriedRun]:
        """A run that is about to start, and what carries it."""
        plan = TrainingPlan(dataset=self.dataset, batch_size=batch_size, epochs=3, weights=weights)
        job = (
            JobQueue(self.workspace)
            .submit(plan, f"run {batch_size} ü", or_similar=True)
            .with_history(RunHistory)
        )
        job.append(StateChanged(state=State.STARTING, attempt=1, devices=(RAY,)))
        (job.record.folder / "resume.npz").write_bytes(b"what it goes on from")
        return job, CarriedRun(self.ask, self.workspace, job, plan)

    @property
    def ask(self) -> Ask:
        def ask(
            method: Callable[Concatenate[Node, P], T], /, *args: P.args, **kwargs: P.kwargs
        ) -> T:
            self.asked.append(method.__name__)
            answer = method(self.node, *args, **kwargs)
            self.meanwhile()
            return answer

        return ask

    def end(self) -> None:
        """Let the worker there end, as the death of its actor does."""
        process = self.node._process
        if process is not None and process.stdin is not None:
            process.stdin.close()
            process.wait()


@pytest.fixture
def remote(
    workspace: Workspace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Remote]:
    there = tmp_path / "there"
    there.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(there))
    monkeypatch.setenv(EPOCH_SECONDS, "0.01")
    dataset = do_here(workspace, small_recipe(picture_folder(tmp_path / "pictures")), "small")
    assert dataset.history.state == State.COMPLETED
    remote = Remote(workspace, dataset.record.id)
    yield remote
    remote.end()


def _follow(carried: CarriedRun) -> int:
    codes: list[int] = []

    def ended() -> bool:
        code = carried.poll()
        codes.extend([] if code is None else [code])
        return code is not None

    wait_until(ended, "the worker there is over")
    return codes[-1]


def test_a_run_is_trained_there_and_is_here(remote: Remote) -> None:
    job, carried = remote.carried(2)
    with closing(carried):
        folder = carried.bring()
        there = Path(folder)
        assert (there / "resume.npz").read_bytes() == b"what it goes on from"
        assert not there.is_relative_to(remote.workspace.root)
        remote.node.start(folder, 1, (worker, NODE), gpus=False)
        assert _follow(carried) == 0
    job.refresh()

    assert job.history.state == State.COMPLETED
    assert [epoch.epoch for epoch in job.history.epochs] == [1, 2, 3]
    assert job.damaged_lines == 0
    assert (job.record.folder / "model").read_bytes() == b"00"
    assert (job.record.folder / "epochs.log").read_text().split() == ["1", "2", "3"]
    # What was brought and did not change is not carried back.
    assert (job.record.folder / "resume.npz").stat().st_mtime_ns < (
        job.record.folder / "model"
    ).stat().st_mtime_ns
    remote.node.tidy()
    assert not there.exists()


def test_the_dataset_is_brought_once(remote: Remote) -> None:
    for batch_size in (2, 4):
        _, carried = remote.carried(batch_size)
        with closing(carried):
            carried.bring()

    assert remote.asked.count("open_folder") == 4
    assert remote.asked.count("close_folder") == 3


def test_what_was_brought_goes_with_the_last_who_uses_it(remote: Remote) -> None:
    _, carried = remote.carried(2)
    other = Node()
    with closing(carried):
        there = Path(carried.bring())
    root = there.parent.parent
    assert other.make_room(root.name) == str(root)

    assert remove_all_copies() == 0, "two use it"
    remote.node.leave(remove=True)
    assert (root / "datasets" / remote.dataset).exists(), "the other reads it"
    other.leave(remove=False)
    assert root.exists(), "another run needs it"
    assert remove_all_copies() == 1
    assert not root.exists()


def test_a_file_of_weights_is_brought(remote: Remote, tmp_path: Path) -> None:
    weights = tmp_path / "weights ü.h5"
    weights.write_bytes(b"numbers")
    for _ in range(2):
        job, carried = remote.carried(2, weights=str(weights))
        with closing(carried):
            there = Path(carried.bring())
        brought = Path(RunJob(Record(RecordKind.RUN, there)).plan(TrainingPlan).weights)
        assert brought.is_relative_to(there.parent.parent)
        assert brought.read_bytes() == b"numbers"
        assert job.plan(TrainingPlan).weights == str(weights), "here it stays what it was"
    assert remote.asked.count("close_folder") == 4, "dataset and weights once, and two runs"

    job, carried = remote.carried(2, weights=str(weights))
    weights.rename(job.record.folder / STARTING_WEIGHTS)
    with closing(carried):
        there = Path(carried.bring())
    brought = Path(RunJob(Record(RecordKind.RUN, there)).plan(TrainingPlan).weights)
    assert brought.read_bytes() == b"numbers"
    assert not (there / STARTING_WEIGHTS).exists(), "it is there only once"

    _, carried = remote.carried(2, weights=str(weights))
    with closing(carried), pytest.raises(StudioError, match="no file"):
        carried.bring()


def test_commands_are_carried_to_it(remote: Remote) -> None:
    job, carried = remote.carried(NEVER_ENDS)
    with closing(carried):
        remote.node.start(carried.bring(), 1, (worker, NODE), gpus=False)
        commands.send(job.record.folder, "stop", 1)
        assert _follow(carried) == 0
    job.refresh()

    assert job.history.state == State.STOPPED


def test_the_worker_ends_with_the_actor(remote: Remote) -> None:
    job, carried = remote.carried(NEVER_ENDS)
    with closing(carried):
        there = Path(carried.bring())
        remote.node.start(str(there), 1, (worker, NODE), gpus=False)

        def runs() -> bool:
            carried.poll()
            job.refresh()
            return job.history.state == State.RUNNING

        wait_until(runs, "it runs")
        assert is_held(there)
        remote.end()

    assert remote.node.exit_code() == 1
    assert not is_held(there)


def test_a_file_that_is_replaced_is_read_as_it_was(remote: Remote, tmp_path: Path) -> None:
    _, carried = remote.carried(2)
    with closing(carried):
        folder = Path(carried.bring())
    remote.node._folder = folder
    (folder / "best").write_bytes(b"old")
    assert remote.node.read("best", 0, 2) == b"ol"
    (tmp_path / "new").write_bytes(b"new")
    (tmp_path / "new").replace(folder / "best")

    assert remote.node.read("best", 2, 2) == b"d"
    assert remote.node.read("best", 0, 2) == b"ne"
    assert remote.node.read("gone", 0, 2) is None


def test_no_state_comes_that_is_ahead_of_the_journal(
    remote: Remote, monkeypatch: pytest.MonkeyPatch
) -> None:
    job, carried = remote.carried(2)
    journal, state = job.record.folder / "journal.jsonl", job.record.folder / "resume.npz"
    with closing(carried):
        there = remote.node._folder = Path(carried.bring())
        state.write_text("0")
        brought = journal.read_bytes()
        epochs = 0

        def train() -> None:
            """As fast as can be: an epoch is reported and saved on request."""
            nonlocal epochs
            epochs += 1
            with (there / "journal.jsonl").open("a") as lines:
                lines.write(f"{epochs}\n")
            (there / "resume.npz").write_text(str(epochs))

        train()
        remote.meanwhile = train
        for _ in range(4):
            before = state.read_text()
            carried.poll()
            reported = journal.read_bytes().removeprefix(brought).split()
            assert int(state.read_text()) <= int(reported[-1]), "nothing reports what is between"
        assert int(state.read_text()) > int(before), "the newest comes all the time"
        assert [int(each) for each in reported] == list(range(1, len(reported) + 1))

        remote.meanwhile = lambda: None
        with closing(JournalWriter(there / "journal.jsonl")) as writer:
            writer.append(StateChanged(state=State.PAUSED))
        states = []
        for code in (None, 0):
            monkeypatch.setattr(remote.node, "exit_code", lambda code=code: code)
            assert carried.poll() == code
            job.refresh()
            states.append(job.history.state)
        # Before its end its checkpoint may not be here yet.
        assert states == [State.STARTING, State.PAUSED]
        assert int(state.read_text()) == epochs


@pytest.mark.parametrize("name", ["../other", "/etc/passwd", "a/../../b", "."])
def test_nothing_is_written_outside(tmp_path: Path, name: str) -> None:
    assert inside(tmp_path, "a/../b") == tmp_path / "b"
    with pytest.raises(StudioError, match="is not inside"):
        inside(tmp_path, name)
