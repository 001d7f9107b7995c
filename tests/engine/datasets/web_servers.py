"""Servers for the tests of sources of the web: folders with index pages, and what goes wrong."""

from __future__ import annotations

import functools
import http.server
from pathlib import Path

from helpers import web


class Handler(web.Handler):
    """Gives files and index pages of a folder; `pages` go before them, `moved` lead elsewhere."""

    server: Server

    def do_HEAD(self) -> None:  # noqa: N802 - as http.server calls it
        if self.path in self.server.moved:
            self._lead_to(self.server.moved[self.path])
        else:
            super().do_HEAD()

    def _lead_to(self, address: str) -> None:
        self.send_response(302)
        self.send_header("Location", address)
        self.end_headers()

    def do_GET(self) -> None:  # noqa: N802 - as http.server calls it
        server = self.server
        server.asked.append(self.path)
        if self.path in server.moved:
            self._lead_to(server.moved[self.path])
        elif self.path in server.pages:
            content = server.pages[self.path].encode()
            self.send_response(200)
            kind = "text/html" if server.pages[self.path].startswith("<") else "text/plain"
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)
        else:
            super().do_GET()


class Server(http.server.ThreadingHTTPServer):
    """A folder on the web.

    Attributes:
        asked: The paths that were asked for.
        pages: HTML by path.
        moved: Where a path leads instead.
    """

    daemon_threads = True

    def __init__(self, folder: Path, host: str = "127.0.0.1") -> None:
        handler = functools.partial(Handler, directory=str(folder))
        super().__init__((host, 0), handler)
        self.asked: list[str] = []
        self.pages: dict[str, str] = {}
        self.moved: dict[str, str] = {}

    @property
    def base(self) -> str:
        host, port = self.server_address[:2]
        return f"http://{host!s}:{port}"
