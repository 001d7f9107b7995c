"""Summaries of runs: stored while their files stay the same, and equal to what journals say."""

from __future__ import annotations

from pathlib import Path

import pytest

from helpers.runs import append_events, fake_run
from studio.engine.errors import StudioError
from studio.engine.jobs.events import Amended, Event
from studio.engine.jobs.job import Job
from studio.engine.jobs.states import State
from studio.engine.training import summaries
from studio.engine.training.summaries import RunSummary, run_summaries
from studio.engine.workspace import Workspace


def _none_left_out(name: str, error: StudioError) -> None:
    raise AssertionError(name, error)


@pytest.fixture
def read(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The ids of the runs whose journals are read from now on."""
    names: list[str] = []
    refresh = Job.refresh

    def noted(job: Job) -> list[Event]:
        names.append(job.record.id)
        return refresh(job)

    monkeypatch.setattr(Job, "refresh", noted)
    return names


def listed(workspace: Workspace) -> dict[str, RunSummary]:
    return {each.info.name: each for each in run_summaries(workspace, _none_left_out)}


def test_a_summary_says_what_its_files_say(workspace: Workspace) -> None:
    record = fake_run(workspace, "a", [0.5, 0.7, 0.6], seconds=2, learning_rate=0.01)
    append_events(record, [Amended(changes={"optimizer_options.weight_decay": 0.1})])

    for _ in range(2):  # as read, and as stored
        summary = listed(workspace)["a"]
        assert (summary.state, summary.epochs, summary.seconds) == (State.COMPLETED, 3, 6.0)
        assert summary.best_value("val_accuracy") == 0.7
        assert summary.settings["learning_rate"] == 0.01
        assert summary.settings["optimizer_options.weight_decay"] == 0.1


def test_only_changed_journals_are_read_again(workspace: Workspace, read: list[str]) -> None:
    first, second = (fake_run(workspace, name, [0.5]) for name in ("a", "b"))
    going = fake_run(workspace, "c", [0.5], State.RUNNING)
    listed(workspace)
    read.clear()

    workspace.rename(first, "z")
    append_events(second, [Amended(changes={"learning_rate": 0.5})])

    assert set(listed(workspace)) == {"z", "b", "c"}
    assert set(read) == {first.id, second.id, going.id}
    read.clear()
    workspace.trash(second)
    assert set(listed(workspace)) == {"z", "c"}
    assert read == [going.id]


@pytest.mark.parametrize("content", [b"", b"[1]", b'{"key": "old", "runs": {}}', b"[" * 10**5])
def test_a_foreign_or_damaged_file_is_replaced(
    workspace: Workspace, read: list[str], content: bytes
) -> None:
    record = fake_run(workspace, "a", [0.5])
    file = Path(workspace.root, "cache", summaries.FILE)
    file.parent.mkdir(exist_ok=True)
    file.write_bytes(content)

    for _ in range(2):
        listed(workspace)

    assert read == [record.id]
