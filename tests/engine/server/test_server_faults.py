"""A server against what goes wrong around it: cut transfers, proxies, links, damaged files."""

from __future__ import annotations

import json
import shutil
import tempfile
import threading
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import NamedTuple

import pytest

import studio
from helpers.serving import ServedTest, model_service, serving, serving_workspace
from helpers.waiting import wait_until
from studio.api import remote
from studio.cli import serve
from studio.engine.errors import BusyError, DiskFullError, StudioError
from studio.engine.exporting.certificate import ExportedFile, result_of
from studio.engine.exporting.plan import ExportPlan
from studio.engine.exporting.requests import MEASURED
from studio.engine.inference.requests import PredictReply
from studio.engine.jobs.events import Artifact, Result, StateChanged
from studio.engine.jobs.host import HostDiedError
from studio.engine.jobs.job import JOURNAL_FILE, Job
from studio.engine.jobs.launch import LOG_FILE
from studio.engine.jobs.queue import JobQueue
from studio.engine.jobs.states import State
from studio.engine.server.access import FILE, Access, add_token, stored_tokens
from studio.engine.server.routes import RefusedError, Role
from studio.engine.server.workspace_routes import ServedWorkspace
from studio.engine.training.plan import TrainingPlan
from studio.engine.workspace import RecordKind, Workspace

STATES = (State.STARTING, State.RUNNING, State.COMPLETED)


@pytest.fixture
def served(workspace: Workspace) -> Iterator[ServedTest]:
    JobQueue(workspace).set_paused(True)  # what waits shall not be started
    with serving_workspace(workspace) as found:
        yield found


def _run(workspace: Workspace, name: str) -> Job:
    """A completed run with a model."""
    job = JobQueue(workspace).submit(TrainingPlan(dataset="none"), name)
    (job.record.folder / "model.keras").write_bytes(b"model")
    events = [StateChanged(state=state) for state in STATES]
    job.append(*events[:2], Artifact(name="model", path="model.keras"), events[2])
    return job


def _export(workspace: Workspace, run: Job) -> Path:
    """The folder of a completed export of a run, with its measured files."""
    job = JobQueue(workspace).submit(ExportPlan(run=run.record.id), "far", or_similar=True)
    measured = job.record.folder / MEASURED / "far-keras"
    measured.mkdir(parents=True)
    (measured / "model.keras").write_bytes(b"model")
    result = result_of([ExportedFile(format="keras", path=str(measured))])
    events = [StateChanged(state=state) for state in STATES]
    job.append(*events[:2], Result(values=result), events[2])
    return job.record.folder


def _elsewhere(tmp_path: Path) -> Path:
    secret = tmp_path / "secret"
    secret.write_text("root:x\n")
    return secret


class _Answer(NamedTuple):
    body: bytes
    status: int = 200
    length: int | None = -1
    """Content-Length; -1 for that of the body, None for no such header."""


class _Script(ThreadingHTTPServer):
    """Another program: gives its answers in their order, the last one again and again."""

    def __init__(self, *answers: _Answer) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.answers = list(answers)
        self.asked: list[str] = []

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}"


class _Handler(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        assert isinstance(self.server, _Script)
        self.server.asked.append(self.path)
        answers = self.server.answers
        answer = answers.pop(0) if len(answers) > 1 else answers[0]
        self.send_response(answer.status)
        if answer.length is not None:
            length = len(answer.body) if answer.length < 0 else answer.length
            self.send_header("Content-Length", str(length))
        self.end_headers()
        self.wfile.write(answer.body)

    do_POST = do_GET  # noqa: N815 - a name of http.server

    def log_message(self, *_: object) -> None:
        """Say nothing."""


@pytest.fixture
def script() -> Iterator[_Script]:
    with _Script(_Answer(b"")) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        yield server
        server.shutdown()
        thread.join()


FACTS = _Answer(b'{"name": "team", "role": "run"}')
RUNS = _Answer(b'{"runs": [{"id": "far-1", "name": "far"}]}')


def _far(script: _Script, answers: Sequence[_Answer]) -> remote.RemoteRun:
    script.answers = [FACTS, RUNS, *answers]
    return studio.connect(script.url, "token", progress=False).runs["far"]


@pytest.mark.parametrize("length", [10, None])
def test_a_transfer_that_ends_early_leaves_no_file(
    script: _Script, tmp_path: Path, length: int | None
) -> None:
    run = _far(script, [_Answer(b"half", length=length), _Answer(b"all of it")])

    with pytest.raises(StudioError, match="ended early"):
        run.download("model.keras", tmp_path)
    assert list(tmp_path.iterdir()) == []
    assert run.download("model.keras", tmp_path).read_bytes() == b"all of it"


def test_a_run_named_like_the_id_of_another_is_not_taken_for_it(served: ServedTest) -> None:
    own = _run(served.workspace, "own")
    impostor = _run(served.workspace, own.record.id)

    admin = studio.connect(served.url, served.tokens[Role.ADMIN], progress=False)
    assert admin.runs["own"].document["id"] == own.record.id
    body = json.dumps({"run": own.record.id, "plan": {"variants": ["keras:float32"]}}).encode()
    status, data = served.ask("POST", "/exports", body)
    assert status == 201, data
    (export,) = served.workspace.records(RecordKind.EXPORT)
    assert Job(export).plan(ExportPlan).run == own.record.id
    admin.runs["own"].delete()
    assert served.workspace.records(RecordKind.RUN) == [impostor.record]


def test_a_second_export_keeps_the_files_of_the_first(served: ServedTest) -> None:
    run = _run(served.workspace, "far")
    folder = _export(served.workspace, run)
    body = json.dumps({"run": "far", "plan": {"variants": ["keras:float32"]}}).encode()
    file = f"/exports/{folder.name}/files/keras-float32.zip"

    assert served.ask("POST", "/exports", body)[0] == 201
    status, data = served.ask("GET", file)
    assert (status, data[:2]) == (200, b"PK")
    shutil.rmtree(folder / MEASURED)
    assert json.loads(served.ask("GET", f"/exports/{folder.name}")[1])["downloads"] == []
    assert served.ask("GET", file)[0] == 404


def test_links_lead_nowhere(served: ServedTest, tmp_path: Path) -> None:
    secret = _elsewhere(tmp_path)
    run = _run(served.workspace, "far")
    folder = _export(served.workspace, run)
    (folder / MEASURED / "far-keras" / "link").symlink_to(secret)
    (run.record.folder / LOG_FILE).symlink_to(secret)

    file = f"/exports/{folder.name}/files/keras-float32.zip"
    assert served.ask("GET", file)[0] == 404
    assert served.ask("GET", "/runs/far/log")[0] == 404
    journal = run.record.folder / JOURNAL_FILE
    journal.unlink()
    journal.symlink_to(secret)
    assert served.ask("GET", "/runs/far/events?wait=no")[0] == 404
    outside = (folder / MEASURED).rename(tmp_path / "elsewhere")
    (outside / "far-keras" / "link").unlink()
    (folder / MEASURED).symlink_to(outside)
    assert served.ask("GET", file)[0] == 404


def test_damaged_tokens_are_logged_and_admit_the_one_of_the_server(
    workspace: Workspace, caplog: pytest.LogCaptureFixture
) -> None:
    access = Access("of the server", lambda: stored_tokens(workspace))
    add_token(workspace, "ann", Role.READ)
    (workspace.root / FILE).write_text("{")

    def check(token: str) -> Role | None:
        headers = {"host": "localhost:1", "authorization": f"Bearer {token}"}
        return access.check(headers, Role.READ)

    assert check("of the server") is Role.ADMIN
    with pytest.raises(RefusedError, match="see the log") as refused:
        check("x")
    assert refused.value.status == 503
    assert str(workspace.root) not in str(refused.value)
    assert str(workspace.root) in caplog.text


def test_tokens_are_sent_trimmed_and_never_readable_by_others(script: _Script) -> None:
    script.answers = [FACTS]

    assert studio.connect(script.url, " token\n").role == "run"
    for wrong in ("secret ü", "sec\nret"):
        with pytest.raises(StudioError, match="characters") as refused:
            studio.connect(script.url, wrong)
        assert "ret" not in str(refused.value)
    with pytest.raises(StudioError, match="not encrypted"):
        studio.connect("http://gpu-box.invalid", "token")
    with pytest.raises(StudioError, match="does not answer"):
        studio.connect("http://gpu-box.invalid", "token", insecure=True)


@pytest.mark.parametrize("wanted", ["bytes=9999-", "x"])
def test_no_range_leaves_a_packed_file_behind(
    served: ServedTest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, wanted: str
) -> None:
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    folder = _export(served.workspace, _run(served.workspace, "far"))
    monkeypatch.setattr(tempfile, "tempdir", str(temporary))

    file = f"/exports/{folder.name}/files/keras-float32.zip"
    assert served.ask("GET", file, headers={"Range": wanted})[0] in (400, 416)
    wait_until(lambda: not list(temporary.glob("studio-serve-*")), "it was removed")


def test_waiting_jobs_are_started_again_after_an_error_of_the_disk(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    tried: list[int] = []

    def dispatch(_queue: JobQueue) -> None:
        tried.append(1)
        if len(tried) == 1:
            raise OSError("the disk is gone")

    monkeypatch.setattr(JobQueue, "dispatch", dispatch)
    with ServedWorkspace(workspace):
        wait_until(lambda: len(tried) > 1, "it was tried again")


class _Fails:
    def __init__(self, error: Exception) -> None:
        self.error = error

    def predict(
        self, picture: Path, top: int, threshold: float | None = None
    ) -> Future[PredictReply]:
        future: Future[PredictReply] = Future()
        future.set_exception(self.error)
        return future

    def explain(self, picture: Path, output: str) -> bytes:
        raise self.error


@pytest.mark.parametrize(
    ("error", "status"),
    [
        (StudioError("There is no model yet."), 400),
        (HostDiedError("It died."), 503),
        (BusyError("In use."), 503),
        (DiskFullError("Full."), 507),
    ],
)
def test_each_failure_has_its_status(workspace: Workspace, error: Exception, status: int) -> None:
    service = model_service(_Fails(error))
    with serving(service) as port:
        asked = ServedTest(workspace, service.routes, port, {Role.ADMIN: "secret"})
        assert asked.ask("POST", "/predict", b"picture")[0] == status
        assert asked.ask("POST", "/explain", b"picture")[0] == status


class _Busy(_Fails):
    """A model that is busy until the end of the test."""

    def __init__(self) -> None:
        super().__init__(BusyError("In use."))
        self.waiting = threading.Semaphore(0)
        self.is_free = threading.Event()

    def explain(self, picture: Path, output: str) -> bytes:
        self.waiting.release()
        self.is_free.wait(60)
        return super().explain(picture, output)


def test_pictures_that_wait_for_the_model_delay_no_other_request(workspace: Workspace) -> None:
    model = _Busy()
    service = model_service(model)
    with serving(service) as port, ThreadPoolExecutor(32) as clients:
        asked = ServedTest(workspace, service.routes, port, {Role.ADMIN: "secret"})
        explained = [clients.submit(asked.ask, "POST", "/explain", b"picture") for _ in range(32)]
        for _ in explained:
            assert model.waiting.acquire(timeout=60)

        assert asked.ask("GET", "/health")[0] == 200

        model.is_free.set()
        assert {each.result()[0] for each in explained} == {503}


def test_a_damaged_record_names_no_folder(served: ServedTest) -> None:
    job = _run(served.workspace, "far")
    (job.record.folder / "record.json").write_text("{")

    status, data = served.ask("GET", f"/runs/{job.record.id}")
    assert status == 500
    assert str(served.workspace.root).encode() not in data


def test_the_end_has_the_state_after_the_last_event(served: ServedTest) -> None:
    job = _run(served.workspace, "far")
    size = (job.record.folder / JOURNAL_FILE).stat().st_size

    for last in (size, 0):
        headers = {"Last-Event-ID": str(last)}
        data = served.ask("GET", "/runs/far/events?wait=no", headers=headers)[1]
        assert data.endswith(b'event: end\ndata: {"state": "completed"}\n\n')
    waiting = JobQueue(served.workspace).submit(TrainingPlan(dataset="none"), "waiting")
    data = served.ask("GET", f"/runs/{waiting.record.id}/events?wait=no")[1]
    assert data.endswith(b'event: end\ndata: {"state": "queued"}\n\n')


END = b'event: end\ndata: {"state": "completed"}\n\n'
COMPLETED = b'id: 9\ndata: {"event": "state", "at": "%s", "state": "completed"}\n\n' % (
    b"2026-01-01T00:00:00Z"
)


def test_a_proxy_without_its_server_is_asked_again(
    script: _Script, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(remote, "_PAUSE_SECONDS", 0.01)
    away = [_Answer(b"<html>", status) for status in (502, 503, 504)]
    run = _far(script, [*away, _Answer(COMPLETED + END)])

    run.wait()
    assert len(script.asked) == 6
    script.answers = [_Answer(b'{"error": "none"}', 404)]
    with pytest.raises(StudioError, match="none"):
        run.refresh()
    script.answers = [_Answer(b"<html>", 502)]
    with pytest.raises(StudioError, match="502"):
        run.stop()


def test_an_end_before_the_job_rests_is_followed_by_a_pause(
    script: _Script, monkeypatch: pytest.MonkeyPatch
) -> None:
    pauses: list[float] = []
    monkeypatch.setattr(time, "sleep", pauses.append)
    run = _far(script, [_Answer(END), _Answer(COMPLETED + END)])

    assert len(list(run.follow())) == 1
    assert len(pauses) == 1


@pytest.mark.parametrize("body", [b"<html>", b"[]", b"{}", b'"text"'])
def test_another_program_is_no_server_of_studio(script: _Script, body: bytes) -> None:
    script.answers = [_Answer(body)]

    with pytest.raises(StudioError, match="not a server of Studio"):
        studio.connect(script.url, "token")


def test_connections_leave_files_for_the_rest() -> None:
    resource = pytest.importorskip("resource", reason="no such limit on Windows")
    before = resource.getrlimit(resource.RLIMIT_NOFILE)
    allowed = min(before[0], 400)
    resource.setrlimit(resource.RLIMIT_NOFILE, (allowed, before[1]))
    try:
        assert serve._most_connections() == allowed // 2
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, before)
    assert serve._server(model_service(_Fails(StudioError("No.")))).config.limit_concurrency
