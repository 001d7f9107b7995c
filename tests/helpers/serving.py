"""`studio serve` in this process: its server in a thread, and requests to it."""

from __future__ import annotations

import contextlib
import threading
import urllib.error
import urllib.request
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import partial

from helpers.waiting import wait_until
from studio.cli import serve
from studio.engine.inference.foreign_models import ModelOptions
from studio.engine.inference.models import find_model
from studio.engine.jobs.host import EngineHost
from studio.engine.server.access import Access, add_token, remove_token, stored_tokens
from studio.engine.server.app import Service
from studio.engine.server.model_routes import HostedModel, Predicts, model_routes
from studio.engine.server.routes import Role, Route
from studio.engine.server.workspace_routes import ServedWorkspace
from studio.engine.workspace import Workspace

TOKEN = "secret"


def model_service(model: Predicts) -> Service:
    """The service of one model with the token of these tests."""
    return Service("net", model_routes(lambda _call: model), Access(TOKEN))


@contextlib.contextmanager
def serving(service: Service, served: ServedWorkspace | None = None) -> Iterator[int]:
    """Start a server that ends with the block, and return its port.

    Args:
        service: The service.
        served: The workspace whose streams end with the server.
    """
    listener = serve._listening(serve.ADDRESS, 0)
    server = serve._server(service)
    if served is not None:
        served.streams.is_stopping = lambda: server.should_exit
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]})
    thread.start()
    try:
        wait_until(lambda: server.started, "the server has started")
        yield listener.getsockname()[1]
    finally:
        server.should_exit = True
        thread.join()
        listener.close()


@dataclass(frozen=True, slots=True)
class ServedTest:
    """A served workspace, and a token for each role."""

    workspace: Workspace
    routes: tuple[Route, ...]
    port: int
    tokens: dict[Role, str]

    @property
    def url(self) -> str:
        """Its address."""
        return f"http://127.0.0.1:{self.port}"

    def ask(
        self,
        method: str,
        path: str,
        body: bytes | None = None,
        *,
        role: Role | None = Role.ADMIN,
        headers: Mapping[str, str] | None = None,
    ) -> tuple[int, bytes]:
        """Return status and body of a response."""
        sent = dict(headers or {})
        if role is not None:
            sent["Authorization"] = f"Bearer {self.tokens[role]}"
        request = urllib.request.Request(self.url + path, body, sent, method=method)
        try:
            with urllib.request.urlopen(request, timeout=240) as response:
                return response.status, response.read()
        except urllib.error.HTTPError as error:
            return error.code, error.read()


@contextlib.contextmanager
def serving_workspace(workspace: Workspace) -> Iterator[ServedTest]:
    """Serve a workspace until the block ends."""
    for each in stored_tokens(workspace):
        remove_token(workspace, each.name)
    tokens = {role: add_token(workspace, role.value, role) for role in Role}
    access = Access(stored=partial(stored_tokens, workspace))
    with ServedWorkspace(workspace) as served:
        routes = served.routes()
        with serving(Service("test", routes, access), served) as port:
            yield ServedTest(workspace, routes, port, tokens)


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
    try:
        with serving(model_service(HostedModel(host, model))) as port:
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
