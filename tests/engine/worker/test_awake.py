"""The computer stays awake while a job is at work. The system is never asked: wakepy pretends."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

import pytest
import wakepy

from studio.engine.datasets.recipe import DatasetRecipe
from studio.engine.jobs.events import StateChanged
from studio.engine.jobs.job import Job, JobContext
from studio.engine.jobs.liveness import holding
from studio.engine.jobs.states import State
from studio.engine.worker import main as worker
from studio.engine.worker.main import computer_awake
from studio.engine.workspace import Limits, RecordKind, Workspace, limits, write_limits


@pytest.fixture(autouse=True)
def _no_system_calls(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WAKEPY_FAKE_SUCCESS", "1")


def _is_awake() -> bool:
    return any(mode.active for mode in wakepy.global_modes())


def test_a_job_keeps_the_computer_awake_to_its_end(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[bool] = []

    def work(_context: JobContext) -> State:
        seen.append(_is_awake())
        raise ValueError("a bug")

    monkeypatch.setattr(worker, "handler_of", lambda _job: work)
    plan = DatasetRecipe(source="/none").to_json()
    job = Job(workspace.create(RecordKind.DATASET, "one", plan))
    with holding(job.record.folder):
        job.append(StateChanged(state=State.STARTING, attempt=1))

    assert worker.do_job(workspace, job.record.folder, 1) == State.FAILED

    assert seen == [True]
    assert not _is_awake()


def test_it_can_be_switched_off(workspace: Workspace) -> None:
    with computer_awake(workspace.root):
        assert _is_awake()
    write_limits(workspace.root, Limits(keep_awake=False))
    with computer_awake(workspace.root):
        assert not _is_awake()
    (workspace.root / limits.FILE).write_text("{")
    with computer_awake(workspace.root):
        assert _is_awake()


def test_a_system_that_refuses_stops_nothing(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("WAKEPY_FAKE_SUCCESS")
    monkeypatch.setenv("WAKEPY_FORCE_FAILURE", "1")
    with computer_awake(workspace.root):
        assert not _is_awake()


def test_a_request_that_cannot_be_taken_back_fails_no_job(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    @contextlib.contextmanager
    def stubborn(*, on_fail: str) -> Iterator[None]:
        assert on_fail == "pass"
        yield
        raise RuntimeError("The exit_mode was unsuccessful!")

    monkeypatch.setattr(wakepy.keep, "running", stubborn)
    done = []
    with computer_awake(workspace.root):
        done.append("work")
    with pytest.raises(ValueError, match="a bug"), computer_awake(workspace.root):
        raise ValueError("a bug")
    assert done == ["work"]
