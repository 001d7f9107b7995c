"""The sheet of samples: made here, or downloaded from a server of our own."""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Callable, Iterator
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from page_checks import cut_buttons, nameless_controls, unexplained_buttons
from pytestqt.qtbot import QtBot

from studio.engine.datasets import samples
from studio.engine.datasets.samples import PublishedFiles, RemoteFile
from studio.engine.registry import Registry
from studio.engine.workspace import RecordKind
from studio.ui.context import AppContext
from studio.ui.navigation import OpenSample
from studio.ui.pages.datasets.importing import samples as sample_cards
from studio.ui.pages.datasets.page import View

Open = Callable[[], View]
BODY = bytes(range(256)) * 4096


class Server(ThreadingHTTPServer):
    """Gives the first half of a file at once, and the rest when it is let go."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.go_on = threading.Event()

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.server_port}/"


class Handler(BaseHTTPRequestHandler):
    server: Server

    def do_GET(self) -> None:
        self.send_response(200)
        self.send_header("Content-Length", str(len(BODY)))
        self.end_headers()
        try:
            self.wfile.write(BODY[: len(BODY) // 2])
            self.wfile.flush()
            self.server.go_on.wait(20)
            self.wfile.write(BODY[len(BODY) // 2 :])
        except OSError:
            return  # the other end has gone: that is what cancelling means

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - its name there
        """Say nothing."""


@pytest.fixture
def server() -> Iterator[Server]:
    made = Server()
    thread = threading.Thread(target=made.serve_forever, daemon=True)
    thread.start()
    yield made
    made.go_on.set()
    made.shutdown()
    made.server_close()
    thread.join()


def publish(monkeypatch: pytest.MonkeyPatch, address: str) -> None:
    """Let MNIST be one file at an address."""
    file = RemoteFile("mnist.bin", len(BODY), hashlib.md5(BODY, usedforsecurity=False).hexdigest())
    published = PublishedFiles("mnist", "MNIST", (address,), (file,))
    changed = [
        replace(sample, write=published) if sample.name == "mnist" else sample
        for sample in samples.SAMPLES
    ]
    registry = Registry("sample", changed)
    for module in (samples, sample_cards):
        monkeypatch.setattr(module, "SAMPLES", registry)


def test_every_sample_is_offered_with_its_price(open_page: Open) -> None:
    view = open_page()
    view.start.samples_button.click()
    assert view.stack.currentWidget() is view.samples
    cards = view.samples.cards
    assert list(cards) == samples.SAMPLES.names()
    assert cards["shapes"].cost.text() == "One class per image · No network needed"
    assert cards["digits_multi_label"].cost.text().startswith("Several labels per image")
    assert "11.6" in cards["mnist"].cost.text()
    assert "170" in cards["cifar10"].cost.text()
    assert not nameless_controls(view)
    assert not cut_buttons(view)
    view.samples.close_button.click()
    assert view.stack.currentWidget() is view.start


def test_shapes_are_drawn_and_imported_and_then_shown(
    qtbot: QtBot, context: AppContext, open_page: Open
) -> None:
    view = open_page()
    view.open(OpenSample())
    view.samples.cards["shapes"].button.click()
    qtbot.waitUntil(lambda: view.panel.stack.currentWidget() is view.panel.gallery, timeout=60_000)
    (entry,) = context.jobs.entries(RecordKind.DATASET)
    assert entry.name == "shapes"
    view.open(OpenSample())
    assert view.samples.cards["shapes"].button.text() == "Show"
    view.samples.cards["shapes"].button.click()
    assert view.current_record == entry.record.id
    assert len(context.jobs.entries(RecordKind.DATASET)) == 1


def test_a_download_shows_how_far_it_is_and_can_be_cancelled(
    qtbot: QtBot, monkeypatch: pytest.MonkeyPatch, server: Server, open_page: Open
) -> None:
    publish(monkeypatch, server.address)
    view = open_page()
    view.open(OpenSample())
    card = view.samples.cards["mnist"]
    card.button.click()
    qtbot.waitUntil(lambda: card.bar.fraction() == pytest.approx(0.5), timeout=10_000)
    assert "Downloading MNIST" in card.line.text()
    assert "of 1.0 MB" in card.line.text().replace("\u202f", " ").replace("\xa0", " ")
    assert not view.samples.cards["cifar10"].button.isEnabled()
    assert not unexplained_buttons(view)
    card.cancel_button.click()
    qtbot.waitUntil(card.button.isVisible, timeout=2000)
    assert not card.problem.isVisible()
    assert view.stack.currentWidget() is view.samples
    assert view.samples.cards["cifar10"].button.isEnabled()


def test_a_missing_network_is_reported(
    qtbot: QtBot, monkeypatch: pytest.MonkeyPatch, server: Server, open_page: Open
) -> None:
    address = server.address
    server.shutdown()
    server.server_close()
    publish(monkeypatch, address)
    view = open_page()
    view.open(OpenSample("mnist"))
    card = view.samples.cards["mnist"]
    qtbot.waitUntil(card.problem.isVisible, timeout=10_000)
    assert "MNIST cannot be downloaded" in card.problem.message.text()
    assert "Check the network" in card.problem.hint.text()
    assert card.button.isEnabled(), "it can be tried again"


def test_a_download_ends_when_the_window_does(
    qtbot: QtBot,
    context: AppContext,
    monkeypatch: pytest.MonkeyPatch,
    server: Server,
    open_page: Open,
) -> None:
    publish(monkeypatch, server.address)
    view = open_page()
    view.open(OpenSample("mnist"))
    card = view.samples.cards["mnist"]
    qtbot.waitUntil(lambda: card.bar.fraction() == pytest.approx(0.5), timeout=10_000)
    context.background.close()  # would wait for the whole download
    assert not Path(context.workspace.root / "samples" / "mnist" / "mnist.bin").exists()
