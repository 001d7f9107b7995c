"""`studio serve` in this process: its server in a thread, and requests to it."""

from __future__ import annotations

import contextlib
import threading
import urllib.request
from collections.abc import Iterator

from helpers.waiting import wait_until
from studio.cli import serve
from studio.engine.inference import http_server
from studio.engine.inference.foreign_models import ModelOptions
from studio.engine.inference.models import find_model
from studio.engine.jobs.host import EngineHost
from studio.engine.workspace import Workspace

TOKEN = "secret"


@contextlib.contextmanager
def serving(service: http_server.Service) -> Iterator[int]:
    """Start a server that ends with the block, and return its port."""
    listener = serve._listening(0)
    server = serve._server(service)
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]})
    thread.start()
    try:
        wait_until(lambda: server.started, "the server has started")
        yield listener.getsockname()[1]
    finally:
        server.should_exit = True
        thread.join()
        listener.close()


@contextlib.contextmanager
def serving_run(
    workspace: Workspace, run: str, options: ModelOptions | None = None
) -> Iterator[str]:
    """Serve the model of a run or of a file until the block ends, and return the address.

    Args:
        workspace: The workspace.
        run: Id or name of the run, or path of the file.
        options: Facts about the file.
    """
    model = find_model(workspace, run, options or ModelOptions())
    host = EngineHost()
    ask = serve._ModelClient(host, model)
    service = http_server.Service("net", TOKEN, ask, explain=ask.explain)
    try:
        with serving(service) as port:
            yield f"http://127.0.0.1:{port}"
    finally:
        host.close()


def post(address: str, body: bytes) -> bytes:
    """Send a picture, and return the answer.

    Raises:
        HTTPError: The server refuses it.
    """
    request = urllib.request.Request(address, body, {"Authorization": f"Bearer {TOKEN}"})
    with urllib.request.urlopen(request, timeout=60) as answer:
        data: bytes = answer.read()
        return data
