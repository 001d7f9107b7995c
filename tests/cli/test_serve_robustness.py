"""`studio serve` against slow, rude and foreign clients; the model is answered for by the test."""

from __future__ import annotations

import argparse
import json
import logging
import os
import socket
from collections.abc import Iterator
from concurrent.futures import Future
from pathlib import Path

import pytest

from helpers.command_line import caller
from helpers.serving import TOKEN, model_service, serving
from studio.cli import serve
from studio.engine.errors import StudioError
from studio.engine.inference.requests import ImagePrediction, PredictReply
from studio.engine.server import app
from studio.engine.tasks.parts.scores import ClassScore, Scores
from studio.engine.workspace import Workspace


class _Cats:
    def predict(
        self, picture: Path, top: int, threshold: float | None = None
    ) -> Future[PredictReply]:
        future: Future[PredictReply] = Future()
        score = ClassScore(label="cat", score=1.0)
        future.set_result(
            PredictReply(predictions=(ImagePrediction(image="", scores=Scores(classes=(score,))),))
        )
        return future

    def explain(self, picture: Path, output: str) -> bytes:
        raise StudioError("Cats explain nothing.")


@pytest.fixture
def port(monkeypatch: pytest.MonkeyPatch) -> Iterator[int]:
    monkeypatch.setattr(app, "HEAD_SECONDS", 0.3)
    monkeypatch.setattr(app, "BODY_SECONDS", 0.3)
    with serving(model_service(_Cats())) as port:
        yield port


def _request(port: int, path: str, host: str = "127.0.0.1", length: int = 3) -> bytes:
    return (
        f"POST {path} HTTP/1.1\r\nHost: {host}:{port}\r\nAuthorization: Bearer {TOKEN}\r\n"
        f"Content-Length: {length}\r\nConnection: close\r\n\r\n"
    ).encode()


def _answer(port: int, sent: bytes) -> tuple[int, object]:
    with socket.create_connection(("127.0.0.1", port), timeout=20) as connection:
        connection.sendall(sent)
        data = b"".join(iter(lambda: connection.recv(65536), b""))
    head, _, body = data.partition(b"\r\n\r\n")
    return (int(head.split()[1]) if head else 0), (json.loads(body) if body else None)


def test_a_local_request_is_answered(port: int) -> None:
    for host in ("127.0.0.1", "localhost", "LOCALHOST"):
        status, document = _answer(port, _request(port, "/predict", host) + b"abc")
        assert status == 200
        assert isinstance(document, dict)
        assert document["predictions"] == [{"class": "cat", "score": 1.0}]


@pytest.mark.parametrize(
    ("path", "host", "status", "expected"),
    [
        ("/predict?top=abc", "127.0.0.1", 400, "top must be a whole number; received 'abc'."),
        ("/predict?top=5000", "127.0.0.1", 400, "top must be 1 to 1000; received 5000."),
        ("/predict", "evil.example", 403, "must be sent to 127.0.0.1"),
        ("/predict", "127.0.0.1.evil.example", 403, "must be sent to 127.0.0.1"),
        ("/nothing", "127.0.0.1", 404, "Not Found."),
    ],
)
def test_every_refusal_has_the_documented_form(
    port: int, path: str, host: str, status: int, expected: str
) -> None:
    found, document = _answer(port, _request(port, path, host) + b"abc")

    assert found == status
    assert isinstance(document, dict)
    assert list(document) == ["error"]
    assert expected in str(document["error"])


@pytest.mark.parametrize("sent", [b"", b"POST /pre", b"POST / HTTP/1.1\r\nHost: x\r\n"])
def test_a_head_that_never_ends_is_not_waited_for(port: int, sent: bytes) -> None:
    assert _answer(port, sent) == (0, None)


def test_a_body_that_never_ends_is_refused(port: int) -> None:
    status, document = _answer(port, _request(port, "/predict", length=1000) + b"abc")

    assert status == 408
    assert "did not arrive within" in str(document)


def test_a_client_that_leaves_is_no_error(port: int, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING):
        for _ in range(3):
            with socket.create_connection(("127.0.0.1", port)) as connection:
                connection.sendall(_request(port, "/predict", length=1000) + b"abc")
        assert _answer(port, _request(port, "/predict") + b"abc")[0] == 200

    assert [r for r in caplog.records if r.exc_info or r.levelno >= logging.ERROR] == []


def test_the_token_comes_from_the_environment_or_a_file(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    workspace: Workspace,
    capsys: pytest.CaptureFixture[str],
) -> None:
    def token(**options: str | None) -> str:
        return serve._token(argparse.Namespace(**{"token": None, "token_file": None} | options))

    file = tmp_path / "token"
    file.write_text("from file\n")
    for options, expected in (
        ({}, "from environment"),
        ({"token_file": str(file)}, "from file"),
        ({"token": "typed"}, "typed"),
    ):
        monkeypatch.setenv("STUDIO_TOKEN", "from environment")
        assert token(**options) == expected
        assert "STUDIO_TOKEN" not in os.environ  # workers inherit the environment
    assert token() == ""
    with pytest.raises(StudioError, match="cannot be used together"):
        token(token="x", token_file="y")
    file.write_text("")
    with pytest.raises(StudioError, match="is empty"):
        token(token_file=str(file))
    with pytest.raises(StudioError, match="no such file"):
        token(token_file=str(tmp_path / "none"))
    assert "secret" not in caller(capsys, workspace.root)("serve", "--help").out
