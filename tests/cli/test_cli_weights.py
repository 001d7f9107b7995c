"""`studio networks weights`: what is there, a download from a real server, deleting."""

from __future__ import annotations

import contextlib
import hashlib
import threading
from collections.abc import Iterator
from concurrent.futures import Future
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from helpers.command_line import Call, caller
from studio.cli import networks, networks_inspect
from studio.cli.train import with_weights_option
from studio.engine.errors import StudioError
from studio.engine.networks.backbones import BACKBONES, DOWNLOAD_FAILED, WeightSource

DATA = b"weights" * 1000


@pytest.fixture
def studio(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> Call:
    monkeypatch.setenv("STUDIO_WEIGHTS", str(tmp_path / "cache"))
    return caller(capsys, None)


@pytest.fixture
def served(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[None]:
    """A server with one file, and an engine host that says so; Keras itself is asked elsewhere."""
    folder = tmp_path / "served"
    folder.mkdir()
    (folder / "some.h5").write_bytes(DATA)

    class Handler(SimpleHTTPRequestHandler):
        def __init__(self, *args: object) -> None:
            super().__init__(*args, directory=str(folder))  # type: ignore[arg-type]  # as they come

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - of the base
            """Nothing is printed."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()

    def asked(host: object, name: str) -> Future[WeightSource]:
        future: Future[WeightSource] = Future()
        address = f"http://127.0.0.1:{server.server_port}/some.h5"
        digest = hashlib.md5(DATA).hexdigest()
        future.set_result(WeightSource(name=name, file="some.h5", address=address, digest=digest))
        return future

    monkeypatch.setattr(
        networks_inspect, "engine", lambda session, title: contextlib.nullcontext()
    )
    monkeypatch.setattr(networks, "weight_source", asked)
    yield
    server.shutdown()
    thread.join()
    server.server_close()


def test_all_backbones_are_listed(studio: Call) -> None:
    document = studio("networks", "weights", "list", "--json").document

    assert [entry["name"] for entry in document] == BACKBONES.names()
    assert all(entry["downloaded"] is None for entry in document)
    assert "MobileNetV2" in studio("networks", "weights", "list").out


def test_weights_are_downloaded_listed_and_deleted(studio: Call, served: None) -> None:
    got = studio("networks", "weights", "download", "vgg16", "--json").document
    assert Path(got["path"]).read_bytes() == DATA

    listed = studio("networks", "weights", "list", "--json").document
    (entry,) = [entry for entry in listed if entry["downloaded"]]
    assert (entry["name"], entry["downloaded"]["size"]) == ("vgg16", len(DATA))

    gone = studio("networks", "weights", "delete", "vgg16", "--json").document
    assert gone == {"name": "vgg16", "freed": len(DATA)}
    assert not Path(got["path"]).exists()
    mistake = studio("networks", "weights", "delete", "vgg16").mistake
    assert 'no downloaded weights of "vgg16"' in mistake


def test_an_unknown_backbone_is_refused_before_anything_starts(studio: Call) -> None:
    assert (
        'Did you mean "xception"' in studio("networks", "weights", "download", "xeption").mistake
    )


def test_the_command_line_names_the_option_where_weights_cannot_be_downloaded() -> None:
    hint = "Save it elsewhere."
    failed = StudioError(DOWNLOAD_FAILED, hint, network="vgg16", reason="no connection")
    assert with_weights_option(failed).hint == f"{hint} Name the file with --weights FILE."
    other = StudioError("The dataset is gone.", hint)
    assert with_weights_option(other) is other
