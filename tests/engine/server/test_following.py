"""Following jobs over HTTP: many clients, broken connections, a server that is killed."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import studio
from helpers.digits import Digits
from helpers.processes import clean_environment
from helpers.serving import ServedTest, serving_workspace
from helpers.waiting import wait_until
from studio.api import remote
from studio.engine.errors import StudioError
from studio.engine.jobs.events import StateChanged, encode
from studio.engine.jobs.liveness import holding
from studio.engine.jobs.queue import JobQueue
from studio.engine.jobs.states import State
from studio.engine.server.access import add_token
from studio.engine.server.routes import Role
from studio.engine.training.history import EpochDone, StepsDone
from studio.engine.training.plan import TrainingPlan
from studio.engine.workspace import RecordKind, Workspace

pytestmark = pytest.mark.slow
CLIENTS = 200


@pytest.fixture
def served(own_run: Digits) -> Iterator[ServedTest]:
    with serving_workspace(own_run.workspace) as found:
        yield found


def _journal(workspace: Workspace, name: str) -> list[bytes]:
    record = workspace.find(RecordKind.RUN, name)
    return (record.folder / "journal.jsonl").read_bytes().splitlines()


async def _follow(served: ServedTest, breaks_after: int) -> list[bytes]:
    """Return the lines that a client receives, which reconnects after a number of them."""
    lines: list[bytes] = []
    last = b""
    while True:
        reader, writer = await asyncio.open_connection("127.0.0.1", served.port)
        head = (
            f"GET /runs/far/events HTTP/1.1\r\nHost: 127.0.0.1:{served.port}\r\n"
            f"Authorization: Bearer {served.tokens[Role.READ]}\r\n"
            f"Last-Event-ID: {last.decode()}\r\n\r\n"
        )
        writer.write(head.encode())
        with contextlib.closing(writer):
            assert b" 200 " in await reader.readline()
            received, identity = 0, b""
            async for line in reader:
                name, _, value = line.rstrip(b"\r\n").partition(b": ")
                if name == b"id":
                    identity = value
                elif name == b"event":
                    return lines
                elif name == b"data":
                    lines.append(value)
                    last, received = identity, received + 1
                if breaks_after and received == breaks_after:
                    break
            else:
                raise AssertionError("the stream ended without its end")


def _write_as_a_worker(folder: Path, steps: int) -> None:
    """Write the journal of a run, each line in two pieces."""
    started = [StateChanged(state=state, attempt=1) for state in (State.STARTING, State.RUNNING)]
    measured = [
        StepsDone(
            first=n, last=n, metrics={"loss": [1 / n]}, learning_rate=0.1, images_per_second=n
        )
        for n in range(1, steps + 1)
    ]
    completed = StateChanged(state=State.COMPLETED, attempt=1)
    with holding(folder, seconds=5), (folder / "journal.jsonl").open("ab", buffering=0) as file:
        for event in (*started, *measured, completed):
            line = encode(event)
            file.write(line[:20])
            file.write(line[20:])


def test_two_hundred_clients_lose_no_event_of_a_run(served: ServedTest, own_run: Digits) -> None:
    queue = JobQueue(served.workspace)
    queue.set_paused(True)
    job = queue.submit(TrainingPlan(dataset=own_run.dataset.record.id), "far")

    async def follow_all() -> list[list[bytes]]:
        # Every fourth client loses its connection after each hundred events.
        clients = [_follow(served, 100 if number % 4 == 0 else 0) for number in range(CLIENTS)]
        written = asyncio.to_thread(_write_as_a_worker, job.record.folder, 500)
        received, _ = await asyncio.gather(asyncio.gather(*clients), written)
        return received

    received = asyncio.run(follow_all())

    journal = _journal(served.workspace, "far")
    assert len(journal) == 503
    assert [each for each in received if each != journal] == []
    assert served.ask("GET", "/health", role=None)[0] == 200


def test_the_python_client_trains_pauses_and_resumes(served: ServedTest, own_run: Digits) -> None:
    workspace = studio.connect(served.url + "/", served.tokens[Role.RUN], progress=False)
    assert (workspace.role, list(workspace.runs)) == ("run", ["lenet"])

    run = workspace.train("Ziffern ü", "mlp", name="far ü 2", epochs=200, wait=False)
    following = run.follow()
    while not run.read().epochs:  # reading between two events takes none from those that follow
        next(following)
    run.pause()
    for _ in following:
        pass
    assert run.state == "paused"
    run.resume()
    wait_until(lambda: run.state == "running", "it runs again")
    run.stop()
    with pytest.raises(StudioError, match="was stopped"):
        run.wait()

    with studio.open(own_run.workspace.root, progress=False) as here:
        assert run.history == here.runs["far ü 2"].history


def test_the_python_client_reads_and_downloads(
    served: ServedTest, own_run: Digits, tmp_path: Path
) -> None:
    with pytest.raises(StudioError, match="refuses the token"):
        studio.connect(served.url, "wrong")
    with pytest.raises(StudioError, match="not the address"):
        studio.connect("file:///etc/passwd", "token")
    reader = studio.connect(served.url, served.tokens[Role.READ], progress=False)
    local = studio.open(own_run.workspace.root, progress=False).runs["lenet"]
    run = reader.runs["LENET"]

    assert (reader.role, list(reader.runs), len(reader.datasets)) == ("read", ["lenet"], 1)
    assert run.wait().state == "completed"
    assert run.history == local.history
    assert run.best == local.best
    assert run.step_values("loss") == local.step_values("loss")
    assert run.plan == local.plan
    assert served.tokens[Role.READ] not in repr((reader, run, reader.server))
    saved = run.download("model.keras", tmp_path / "new folder")
    assert saved.read_bytes() == next(local.record.folder.glob("*.keras")).read_bytes()
    assert run.download("model.keras", tmp_path / "new folder") != saved
    with pytest.raises(StudioError, match="Not Found"):
        run.download("../plan.json", tmp_path)
    with pytest.raises(StudioError, match="role run"):
        reader.train("Ziffern ü", "mlp")
    with pytest.raises(StudioError, match="role admin"):
        run.delete()
    with pytest.raises(KeyError, match="no export"):
        reader.exports["lenet"]


def test_the_python_client_predicts_evaluates_and_exports(
    served: ServedTest, own_run: Digits, tmp_path: Path
) -> None:
    workspace = studio.connect(served.url, served.tokens[Role.ADMIN], progress=False)
    run = workspace.runs["lenet"]
    picture = next(own_run.pictures.glob("3/*.png"))

    with studio.open(own_run.workspace.root, progress=False) as here:
        assert run.predict(picture).scores == here.runs["lenet"].predict(picture).scores
    assert run.predict(picture.read_bytes(), top=2).scores is not None
    with pytest.raises(StudioError, match="cannot be used"):
        run.predict(b"no picture")
    evaluation = run.evaluate(resamples=0)
    assert 0 <= evaluation.document["metrics"]["accuracy"] <= 1
    export = run.export("keras")
    (name,) = export.document["downloads"]
    assert export.download(name, tmp_path).read_bytes()[:2] == b"PK"
    export.delete()
    assert list(workspace.exports) == []


def _server(workspace: Workspace, port: int) -> tuple[subprocess.Popen[str], dict[str, object]]:
    words = ["--workspace", str(workspace.root), "serve", "--port", str(port), "--json"]
    process = subprocess.Popen(
        [sys.executable, "-m", "studio", *words],
        stdout=subprocess.PIPE,
        text=True,
        env=clean_environment(),
        start_new_session=True,
    )
    assert process.stdout is not None
    return process, json.loads(process.stdout.readline())


def test_a_killed_server_costs_neither_the_run_nor_an_event(
    own_run: Digits, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(remote, "_PAUSE_SECONDS", 0.05)
    token = add_token(own_run.workspace, "ann", Role.RUN)
    first, reported = _server(own_run.workspace, 0)
    url = str(reported["url"])
    assert (reported["token"], reported["tokens"]) == (None, ["ann"])
    server = first
    try:
        workspace = studio.connect(url, token, progress=False)
        run = workspace.train("Ziffern ü", "mlp", name="far", epochs=40, wait=False)
        events = []
        for event in run.follow():
            events.append(event)
            if server is first and isinstance(event, EpochDone):
                first.send_signal(signal.SIGKILL)
                first.wait()
                server, _ = _server(own_run.workspace, int(url.rpartition(":")[2]))
        assert run.state == "completed"
        assert server is not first
    finally:
        for each in {first, server}:
            with contextlib.suppress(ProcessLookupError):
                os.kill(each.pid, signal.SIGTERM)
            assert each.wait(30) is not None

    journal = _journal(own_run.workspace, "far")
    decoded = [run._decode(line) for line in journal]
    assert [each for each in decoded if each is not None] == events
    with pytest.raises(StudioError, match="does not answer"):
        studio.connect(url, token)


def test_a_slow_client_delays_no_other(served: ServedTest) -> None:
    with socket.create_connection(("127.0.0.1", served.port)) as slow:
        slow.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1024)
        token = served.tokens[Role.READ]
        head = (
            f"GET /runs/lenet/events HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {token}"
        )
        slow.sendall(f"{head}\r\n\r\n".encode())
        for _ in range(3):
            assert b"event: end" in served.ask("GET", "/runs/lenet/events")[1]
