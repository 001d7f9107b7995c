"""Served workspaces opened in tests: mirrors in a folder of the test, broken connections."""

from __future__ import annotations

import contextlib
import socket
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from helpers.serving import ServedTest
from helpers.waiting import wait_until
from studio.engine.served import credentials, facts
from studio.engine.served.opening import ServedParts, open_served, prepare_served
from studio.engine.server.routes import Role
from studio.engine.workspace import Record


def use_own_folders(monkeypatch: pytest.MonkeyPatch, folder: Path) -> None:
    """Keep mirrors and tokens in a folder of the test."""
    monkeypatch.setattr(facts, "served_folder", lambda: folder / "Served")
    monkeypatch.setattr(credentials, "tokens_file", lambda: folder / "tokens.json")


@contextlib.contextmanager
def opened(served: ServedTest, role: Role = Role.ADMIN, url: str = "") -> Iterator[ServedParts]:
    """Open a served workspace and follow it until the block ends."""
    found = open_served(prepare_served(url or served.url, served.tokens[role]))
    found.follower.start()
    try:
        yield found
    finally:
        found.follower.close()
        found.engine.close()
        for thread in found.follower._threads:
            thread.join(timeout=20)


def wait_for_copy(found: ServedParts, original: Record) -> Record:
    """Wait until the journal of a record is here as it is there, and return the copy."""
    copy = found.workspace.record_handle(original.kind, original.id)
    assert copy is not None
    there, here = original.folder / "journal.jsonl", copy.folder / "journal.jsonl"

    def is_here() -> bool:
        return copy.folder.exists() and _content(here) == _content(there)

    wait_until(is_here, "the journal is here")
    return copy


def _content(journal: Path) -> bytes:
    return journal.read_bytes() if journal.exists() else b""


class Relay:
    """A port that passes connections on, and can cut them.

    Args:
        port: Port of the server.

    Attributes:
        port: Port that clients use.
        is_cut: True while connections are refused.
        passed: Connections that were passed on.
    """

    def __init__(self, port: int) -> None:
        self.target = port
        self.is_cut = False
        self.passed = 0
        self._open: list[socket.socket] = []
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port = self._listener.getsockname()[1]
        threading.Thread(target=self._accept, daemon=True).start()

    def cut(self) -> None:
        """Break all connections, and refuse new ones."""
        self.is_cut = True
        for each in self._open:
            with contextlib.suppress(OSError):
                each.shutdown(socket.SHUT_RDWR)
            each.close()
        self._open.clear()

    def restore(self) -> None:
        """Accept connections again."""
        self.is_cut = False

    def close(self) -> None:
        """End."""
        self.cut()
        self._listener.close()

    def _accept(self) -> None:
        while True:
            try:
                client, _ = self._listener.accept()
            except OSError:
                return  # it was closed
            try:
                if self.is_cut:
                    raise ConnectionRefusedError
                server = socket.create_connection(("127.0.0.1", self.target))
            except OSError:
                client.close()
                continue
            self.passed += 1
            self._open += [client, server]
            for pair in ((client, server), (server, client)):
                threading.Thread(target=_pass_on, args=pair, daemon=True).start()


def _pass_on(source: socket.socket, target: socket.socket) -> None:
    with contextlib.suppress(OSError):
        while data := source.recv(65536):
            target.sendall(data)
    for each in (source, target):
        with contextlib.suppress(OSError):
            each.shutdown(socket.SHUT_RDWR)
