"""`studio serve` in a process of its own, asked over HTTP as other programs ask it."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import urllib.error
import urllib.request
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psutil
import pytest

from helpers.command_line import caller
from helpers.digits import Digits
from helpers.processes import clean_environment
from helpers.waiting import wait_until
from studio.engine.inference.models import model_of_run
from studio.engine.inference.requests import PredictReply, PredictRequest
from studio.engine.inference.unlike.differences import document_of
from studio.engine.jobs.host import EngineHost

pytestmark = pytest.mark.slow


@dataclass(frozen=True)
class Served:
    process: subprocess.Popen[str]
    url: str
    token: str

    def ask(
        self, body: bytes | None, path: str = "/predict", header: str | None = None
    ) -> tuple[int, Any]:
        """Status and document of an answer."""
        headers = {"Authorization": f"Bearer {self.token}" if header is None else header}
        request = urllib.request.Request(self.url + path, body, headers)
        try:
            with urllib.request.urlopen(request, timeout=60) as answer:
                return answer.status, json.load(answer)
        except urllib.error.HTTPError as error:
            return error.code, json.load(error)


@pytest.fixture(scope="module")
def served(digits: Digits) -> Iterator[Served]:
    words = ["serve", "lenet", "--port", "0", "--limit", "1", "--json"]
    process = subprocess.Popen(
        [sys.executable, "-m", "studio", "--workspace", str(digits.workspace.root), *words],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        env=clean_environment(),
        start_new_session=True,
    )
    try:
        assert process.stdout is not None
        reported = json.loads(process.stdout.readline())
        assert reported["model"] == "lenet"
        yield Served(process, reported["url"], reported["token"])
    finally:
        process.kill()
        process.wait()


def test_the_server(served: Served, digits: Digits) -> None:
    assert served.url.startswith("http://127.0.0.1:")
    assert served.ask(None, "/health", "") == (200, {"status": "ok"})
    pictures = [next(digits.pictures.glob(f"{label}/*.png")) for label in (3, 8)]

    # The same answers as those of the window, which asks the same host.
    host = EngineHost()
    try:
        source = model_of_run(digits.workspace, digits.run.record)
        request = PredictRequest(model=source, images=tuple(map(str, pictures)), top=3)
        ours = host.ask("predict", request, PredictReply).result().predictions
    finally:
        host.close()
    for picture, our in zip(pictures, ours, strict=True):
        status, theirs = served.ask(picture.read_bytes(), "/predict?top=3")
        assert status == 200
        scores = [{"class": each.label, "score": each.score} for each in our.class_scores]
        assert [each["class"] for each in theirs["predictions"]] == [
            each["class"] for each in scores
        ]
        assert our.familiarity is not None
        assert theirs["familiarity"] == document_of(our.familiarity)
        for got, requested in zip(theirs["predictions"], scores, strict=True):
            assert got["score"] == pytest.approx(requested["score"], abs=1e-6)

    good = pictures[0].read_bytes()
    for header in ("", "Bearer ", "Bearer wrong", f"Basic {served.token}"):
        status, reported = served.ask(good, header=header)
        assert (status, "token" in reported["error"]) == (401, True), header
    assert served.ask(b"no picture at all")[0] == 400
    assert "not an image" in served.ask(b"no picture at all")[1]["error"]
    assert "empty" in served.ask(b"")[1]["error"]
    assert served.ask(good[: len(good) // 2])[0] == 400
    assert served.ask(good, "/predict?top=0")[0] == 400
    status, reported = served.ask(good + bytes(3 * 2**19))
    assert (status, reported["error"]) == (413, "The image is larger than 1 MB.")
    assert served.ask(None)[0] == 405
    assert served.ask(good)[0] == 200  # nothing of all that did it any harm

    children = psutil.Process(served.process.pid).children(recursive=True)
    served.process.send_signal(signal.SIGTERM)
    assert served.process.wait(30) == 0
    wait_until(lambda: not any(child.is_running() for child in children), "the host is gone")


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["nolet"], 'no run and no model file "nolet"'),
        (["lenet", "--port", "70000"], "Port 70000"),
        (["lenet", "--limit", "0"], "--limit"),
    ],
)
def test_mistakes(
    digits: Digits, capsys: pytest.CaptureFixture[str], words: list[str], expected: str
) -> None:
    assert expected in caller(capsys, Path(digits.workspace.root))("serve", *words).mistake
