"""A served workspace, mirrored: records follow the server, commands go there."""

from __future__ import annotations

import stat
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from helpers.digits import Digits
from helpers.mirrors import Relay, opened, use_own_folders, wait_for_copy
from helpers.serving import ServedTest, serving_workspace
from helpers.waiting import wait_until
from studio.engine.datasets.recipe import DatasetRecipe
from studio.engine.datasets.requests import dataset_summary
from studio.engine.datasets.store import Store
from studio.engine.errors import StudioError
from studio.engine.inference.models import model_of_run
from studio.engine.inference.requests import (
    Outline,
    OutlineRequest,
    PredictReply,
    PredictRequest,
)
from studio.engine.jobs import control
from studio.engine.jobs.events import StateChanged
from studio.engine.jobs.job import Job, JournalWriter
from studio.engine.jobs.liveness import holding
from studio.engine.jobs.queue import JobQueue
from studio.engine.jobs.states import State
from studio.engine.jobs.trash import request_trash, restore_all
from studio.engine.served import credentials
from studio.engine.served.mirror import Mirror
from studio.engine.served.opening import open_served, prepare_served
from studio.engine.server.routes import Role
from studio.engine.training.history import StepsDone
from studio.engine.training.plan import TrainingPlan
from studio.engine.training.requests import request_training
from studio.engine.workspace import RecordKind, Workspace

pytestmark = pytest.mark.slow


@pytest.fixture(autouse=True)
def own_folders(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    use_own_folders(monkeypatch, tmp_path / "here ü")


@pytest.fixture
def served(own_run: Digits) -> Iterator[ServedTest]:
    with serving_workspace(own_run.workspace) as found:
        yield found


def _writing_steps(job: Job, steps: range) -> None:
    """Write steps into the journal of a job, as its worker does."""
    with holding(job.record.folder, seconds=5):
        writer = JournalWriter(job.record.folder / "journal.jsonl")
        for n in steps:
            writer.append(
                StepsDone(
                    first=n,
                    last=n,
                    metrics={"loss": [1 / n]},
                    learning_rate=0.1,
                    images_per_second=n,
                )
            )
        writer.close()


def test_records_are_copied_and_read_as_any(served: ServedTest, own_run: Digits) -> None:
    with opened(served) as found:
        run = wait_for_copy(found, own_run.run.record)
        dataset = wait_for_copy(found, own_run.dataset.record)
        assert (run.name, dataset.name) == ("lenet", "Ziffern ü")
        assert Job.read(run).history.state == State.COMPLETED
        assert dataset_summary(dataset.folder).total == 1797
        assert len(Store.open(dataset.folder).paths) == 1797
        there, here = own_run.run.record.folder, run.folder
        copied = {path.relative_to(here) for path in here.rglob("*") if path.is_file()}
        assert {Path("model.keras"), Path("insights/step-000240.npz")} <= copied
        assert not copied & {Path("resume.npz"), Path("worker.lock"), Path("commands.lock")}
        assert (here / "model.keras").read_bytes() == (there / "model.keras").read_bytes()


def test_no_event_is_lost_or_repeated_when_the_connection_breaks(
    served: ServedTest, own_run: Digits
) -> None:
    queue = JobQueue(served.workspace)
    queue.set_paused(True)
    job = queue.submit(TrainingPlan(dataset=own_run.dataset.record.id), "far")
    relay = Relay(served.port)
    with opened(served, url=f"http://127.0.0.1:{relay.port}") as found:
        copy = wait_for_copy(found, job.record)
        reader = Job(copy)
        seen = len(reader.refresh())
        for begin in range(1, 400, 100):
            _writing_steps(job, range(begin, begin + 50))
            relay.cut()
            wait_until(lambda: found.follower.status.state == "away", "it is noticed")
            _writing_steps(job, range(begin + 50, begin + 100))
            seen += len(reader.refresh())
            relay.restore()
            wait_for_copy(found, job.record)
            wait_until(lambda: found.follower.status.state == "connected", "it is back")
        seen += len(reader.refresh())
        assert seen == 400
        assert reader.damaged_lines == 0
    relay.close()


def test_a_server_that_starts_again_is_followed_again(own_run: Digits) -> None:
    with serving_workspace(own_run.workspace) as served:
        relay = Relay(served.port)
        url = f"http://127.0.0.1:{relay.port}"
        root = prepare_served(url, served.tokens[Role.RUN])
    found = open_served(root)
    found.follower.start()
    wait_until(lambda: found.follower.status.state == "away", "nothing answers")
    assert "does not answer" in str(found.follower.status.error)
    with serving_workspace(own_run.workspace) as served:
        relay.target = served.port
        wait_until(lambda: found.follower.status.state == "failed", "the token is another one")
        credentials.store_token(url, served.tokens[Role.RUN])
        found.follower.close()
        again = open_served(root)
        again.follower.start()
        wait_for_copy(again, own_run.run.record)
        again.follower.close()
        again.engine.close()
    relay.close()
    found.engine.close()


def test_a_run_is_requested_followed_paused_and_resumed(
    served: ServedTest, own_run: Digits
) -> None:
    with opened(served, Role.RUN) as found:
        wait_for_copy(found, own_run.dataset.record)
        plan = TrainingPlan(dataset=own_run.dataset.record.id, network="mlp", epochs=500)
        job = request_training(found.queue, plan, "from afar")
        original = served.workspace.find(RecordKind.RUN, "from afar")
        assert job.record.id == original.id
        with pytest.raises(StudioError, match="already taken"):
            request_training(found.queue, plan, "from afar")

        def state() -> State:
            job.refresh()
            return job.history.state

        wait_until(lambda: state() == State.RUNNING, "it runs")
        control.pause(job, found.queue.send)
        wait_until(lambda: state() == State.PAUSED, "it is paused")
        control.resume(found.queue, job)
        wait_until(lambda: state() == State.RUNNING, "it runs again")
        found.queue.stop(job)
        wait_until(lambda: state() == State.STOPPED, "it is stopped")
        wait_for_copy(found, original)
        found.workspace.annotate(job.record, notes="far away")
        wait_until(lambda: job.record.info().notes == "far away", "the notes are here")
        assert original.info().notes == "far away"
        with pytest.raises(StudioError, match="needs admin"):
            request_trash(found.queue, job.record)


def test_the_trash_is_that_of_the_server(served: ServedTest, own_run: Digits) -> None:
    with opened(served, Role.ADMIN) as found:
        run = wait_for_copy(found, own_run.run.record)
        trashed = request_trash(found.queue, run)
        wait_until(lambda: not run.folder.exists(), "the copy is gone")
        assert not own_run.run.record.folder.exists()
        restore_all(found.workspace, [trashed])
        wait_for_copy(found, own_run.run.record)
        assert Job.read(run).history.state == State.COMPLETED


def test_the_server_predicts_and_models_are_copied_when_needed(
    served: ServedTest, own_run: Digits, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("studio.engine.server.mirroring.SMALL_BYTES", 100_000)
    with opened(served, Role.READ) as found:
        run = wait_for_copy(found, own_run.run.record)
        wait_for_copy(found, own_run.dataset.record)
        model = model_of_run(found.workspace, run)
        assert not Path(model.file).exists()
        pictures = tuple(map(str, sorted(own_run.pictures.rglob("*.png"))[:2]))
        missing = str(own_run.pictures / "none.png")
        question = PredictRequest(model=model, images=(*pictures, missing), top=3)
        reply = found.engine.ask("predict", question, PredictReply).result()
        assert [each.image for each in reply.predictions] == [*pictures, missing]
        assert [bool(each.error) for each in reply.predictions] == [False, False, True]
        assert reply.predictions[0].scores is not None
        assert found.engine.pid is None
        assert not Path(model.file).exists()

        found.engine.ask("outline", OutlineRequest(model=model), Outline).result()
        assert Path(model.file).exists()


def test_the_role_decides_what_can_be_done(served: ServedTest, own_run: Digits) -> None:
    with opened(served, Role.READ) as found:
        wait_for_copy(found, own_run.dataset.record)
        run = wait_for_copy(found, own_run.run.record)
        assert "has the role read, and this needs run" in found.workspace.refusal(RecordKind.RUN)
        plan = TrainingPlan(dataset=own_run.dataset.record.id, network="mlp", epochs=1)
        with pytest.raises(StudioError, match="needs run"):
            request_training(found.queue, plan, "no")
        with pytest.raises(StudioError, match="needs run"):
            found.workspace.rename(run, "no")
        with pytest.raises(StudioError, match="needs admin"):
            found.queue.set_paused(True)
        assert len(served.workspace.records(RecordKind.RUN)) == 1


def test_what_cannot_be_done_says_where_it_can(served: ServedTest, own_run: Digits) -> None:
    with opened(served) as found:
        dataset = wait_for_copy(found, own_run.dataset.record)
        assert "imported on the server itself" in found.workspace.refusal(RecordKind.DATASET)
        recipe = own_run.dataset.plan(DatasetRecipe)
        with pytest.raises(StudioError, match="imported on the server itself"):
            found.queue.submit(recipe, "more")
        with pytest.raises(StudioError, match="on a server"):
            found.workspace.create(RecordKind.NETWORK, "net", "{}")
        other = Workspace.open(found.workspace.root)
        assert other.read_only
        with pytest.raises(StudioError, match="copy of a workspace on a server"):
            other.rename(dataset, "no")


def test_tokens_are_private(served: ServedTest, own_run: Digits) -> None:
    with opened(served) as found:
        wait_for_copy(found, own_run.run.record)
        file = credentials.tokens_file()
        token = served.tokens[Role.ADMIN]
        assert token in file.read_text()
        if sys.platform != "win32":
            assert stat.S_IMODE(file.stat().st_mode) == 0o600
        for path in found.workspace.root.rglob("*"):
            assert not path.is_file() or token.encode() not in path.read_bytes(), path


@pytest.mark.parametrize(
    ("url", "token", "expected"),
    [
        ("gpu-box", "x", "is not the address"),
        ("http://gpu-box.example", "x", "is not encrypted"),
        ("https://gpu-box.example", "", "token is required"),
        ("http://127.0.0.1:1", "x", "does not answer"),
    ],
)
def test_clear_errors_of_a_connection(url: str, token: str, expected: str) -> None:
    with pytest.raises(StudioError, match=expected):
        prepare_served(url, token)


def test_a_wrong_token_and_another_version(
    served: ServedTest, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(StudioError, match="refuses the token"):
        prepare_served(served.url, "wrong")
    monkeypatch.setattr("studio.engine.server.workspace_routes.MIRRORING", 2)
    with pytest.raises(StudioError, match="cannot be opened") as caught:
        prepare_served(served.url, served.tokens[Role.READ])
    assert "on this computer" in caught.value.hint


@pytest.mark.parametrize(
    "path", ["../x", "/etc/x", ".copy.json", "a/../../x", "C:/x", "a\\b", "journal.jsonl", ""]
)
def test_a_server_writes_nothing_outside_of_its_records(
    tmp_path: Path, path: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    reply = {
        "files": {path: [1, 1]},
        "contents": {path: "eA=="},
        "lines": "",
        "journal": 0,
        "complete": True,
    }

    class Evil:
        url = "https://evil.example"

        def json(self, *_: object) -> object:
            return reply

        def foreign(self) -> StudioError:
            return StudioError("foreign")

    mirror = Mirror(tmp_path / "mirror", Evil())  # type: ignore[arg-type]
    record = mirror.record("run", "lenet-1")
    with pytest.raises(StudioError, match="foreign"):
        mirror.copy(record, "1")
    assert [path for path in tmp_path.rglob("*") if path.is_file()] == []
    for bad in ("../x", ".x", "A", ""):
        with pytest.raises(ValueError, match="not the id"):
            mirror.record("run", bad)


def test_the_state_of_the_queue_is_that_of_the_server(served: ServedTest) -> None:
    with opened(served, Role.ADMIN) as found:
        found.queue.set_paused(True)
        wait_until(lambda: found.queue.is_paused, "it is paused")
        assert JobQueue(served.workspace).is_paused
        found.queue.set_paused(False)
        wait_until(lambda: not found.queue.is_paused, "it continues")
        assert [each.name for each in found.queue.devices][:1] == ["cpu"]


def test_a_job_that_waits_is_held_and_released(served: ServedTest, own_run: Digits) -> None:
    JobQueue(served.workspace).set_paused(True)
    with opened(served, Role.RUN) as found:
        wait_for_copy(found, own_run.dataset.record)
        plan = TrainingPlan(dataset=own_run.dataset.record.id, network="mlp", epochs=1)
        job = request_training(found.queue, plan, "waits")
        control.hold(found.queue, job)

        def is_held() -> bool:
            job.refresh()
            return job.history.held

        wait_until(is_held, "it is held")
        control.release(found.queue, job)
        wait_until(lambda: not is_held(), "it is released")
        assert StateChanged(state=State.STOPPED, attempt=0).state == State.STOPPED
        found.queue.stop(job)
        wait_until(lambda: bool(job.refresh()) or job.history.state == State.STOPPED, "stopped")


def test_a_disk_that_is_gone_takes_no_copies_away(served: ServedTest, own_run: Digits) -> None:
    root = served.workspace.root
    with opened(served) as found:
        run = wait_for_copy(found, own_run.run.record)
    runs, away = root / "runs", root / "away"
    runs.rename(away)
    with opened(served) as found:
        wait_until(lambda: found.follower.status.state == "away", "nothing is sent")
        assert run.folder.exists()
        away.rename(runs)
        wait_until(lambda: found.follower.status.state == "connected", "it is back")
        assert run.folder.exists()
