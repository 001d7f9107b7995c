"""A folder on a web server of this machine."""

from __future__ import annotations

import contextlib
import functools
import http.server
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest


class Handler(http.server.SimpleHTTPRequestHandler):
    """Files and index pages, without output on the terminal."""

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002
        """Say nothing."""


@contextlib.contextmanager
def running(server: http.server.ThreadingHTTPServer) -> Iterator[None]:
    """The server answers while the block runs."""
    with server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        try:
            yield
        finally:
            server.shutdown()
            thread.join()


@contextlib.contextmanager
def serving(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """The address of a folder, while the block runs."""
    monkeypatch.setenv("no_proxy", "*")
    handler = functools.partial(Handler, directory=str(folder))
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    server.daemon_threads = True
    with running(server):
        yield f"http://127.0.0.1:{server.server_address[1]}"
