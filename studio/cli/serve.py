"""`studio serve`: a model or a workspace behind HTTP, until Ctrl+C."""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import os
import secrets
import signal
import socket
import sys
from dataclasses import replace
from functools import partial
from types import FrameType
from typing import TYPE_CHECKING

from studio.cli.options import FOREIGN_MODEL, foreign_model, say_model
from studio.cli.verb import Session, argument
from studio.engine.errors import StudioError
from studio.engine.files import read_failure, user_path
from studio.engine.inference import requests
from studio.engine.inference.models import find_model
from studio.engine.jobs.host import EngineHost
from studio.engine.server import app
from studio.engine.server.access import Access, stored_tokens
from studio.engine.server.model_routes import HostedModel, model_routes
from studio.engine.server.routes import Route
from studio.engine.server.workspace_routes import ServedWorkspace

if TYPE_CHECKING:
    import uvicorn

ADDRESS = "127.0.0.1"
TOKEN_VARIABLE = "STUDIO_TOKEN"  # noqa: S105 - the name of a variable
MEGABYTE = 2**20
MOST_CONNECTIONS = 512


run_options = (
    argument(
        "name",
        metavar="RUN|FILE",
        nargs="?",
        help="run, model file or export; without it, the whole workspace",
    ),
    argument(
        "--listen",
        default=ADDRESS,
        metavar="ADDRESS",
        help=f"address of this machine; traffic is not encrypted, see the guides [{ADDRESS}]",
    ),
    argument(
        "--allow-host",
        action="append",
        default=[],
        metavar="NAME",
        help="name in the addresses of requests, such as that of a proxy; may be repeated",
    ),
    argument(
        "--port", type=int, default=8765, metavar="P", help="port; 0 for any free one [8765]"
    ),
    argument(
        "--token",
        metavar="T",
        help="token of requests; visible to other users of this computer, so prefer "
        f"{TOKEN_VARIABLE} or --token-file [a new one; none if `studio tokens` has some]",
    ),
    argument(
        "--token-file",
        metavar="F",
        help=f"file with the token [{TOKEN_VARIABLE}, if set]",
    ),
    argument(
        "--limit",
        type=int,
        default=app.LARGEST_BODY // MEGABYTE,
        metavar="MB",
        help=f"largest image in MB [{app.LARGEST_BODY // MEGABYTE}]",
    ),
    FOREIGN_MODEL,
)


def run(session: Session) -> object:
    """Serve a model or a workspace until Ctrl+C or SIGTERM."""
    options, output = session.options, session.output
    if options.limit < 1:
        raise StudioError(f"--limit takes at least 1; received {options.limit}.", where="limit")
    serve = _serve_workspace if options.name is None else _serve_model
    serve(session)
    output.note("Ended.")
    return None  # the document was printed when it began


def _serve_model(session: Session) -> None:
    options, output = session.options, session.output
    model = find_model(session.workspace, options.name, foreign_model(options))
    token = _token(options) or secrets.token_urlsafe(24)
    host = EngineHost()
    hosted = HostedModel(host, model)
    try:
        with _listening(options.listen, options.port) as listener:
            routes = model_routes(lambda _call: hosted)
            server = _server(_service(session, model.name, routes, Access(token)))
            with output.bar("Loading the model"):
                warnings = requests.model_warnings(host, model)
            url = _url(listener)
            output.say(f"{model.name} answers at {url}/predict{_reach(listener)}")
            say_model(output, model, warnings)
            output.write(f"Token: {token}")
            header = f"Authorization: Bearer {token}"
            output.write(f'Try: curl -H "{header}" --data-binary @IMAGE {url}/predict')
            output.say(f"Heat map of an output, as PNG: {url}/explain?output=NAME")
            about = {"url": url, "token": token, "model": model.name, "task": model.task}
            output.document(about | {"warnings": list(warnings)})
            _serve(session, server, listener)
    finally:
        host.close()


def _serve_workspace(session: Session) -> None:
    options, output, workspace = session.options, session.output, session.workspace
    tokens = stored_tokens(workspace)
    token = _token(options) or ("" if tokens else secrets.token_urlsafe(24))
    access = Access(token, partial(stored_tokens, workspace))
    name = workspace.root.name
    with (
        ServedWorkspace(workspace) as served,
        _listening(options.listen, options.port) as listener,
    ):
        server = _server(_service(session, name, served.routes(), access))
        served.streams.is_stopping = lambda: server.should_exit
        url = _url(listener)
        output.say(f"The workspace {workspace.root} is served at {url}{_reach(listener)}")
        if token:
            output.write(f"Token (admin, until the server ends): {token}")
        if tokens:
            output.say(f"Tokens of `studio tokens`: {', '.join(each.name for each in tokens)}")
        output.say(f"Routes: {url}/ and {url}/openapi.json")
        output.document(
            {
                "url": url,
                "token": token or None,
                "workspace": str(workspace.root),
                "tokens": [each.name for each in tokens],
            }
        )
        _serve(session, server, listener)


def _service(
    session: Session, name: str, routes: tuple[Route, ...], access: Access
) -> app.Service:
    options = session.options
    names = {each.lower() for each in (options.listen, *options.allow_host)}
    return app.Service(
        name, routes, replace(access, names=frozenset(names)), options.limit * MEGABYTE
    )


def _url(listener: socket.socket) -> str:
    address, port = listener.getsockname()
    return f"http://{address}:{port}"


def _reach(listener: socket.socket) -> str:
    is_local = listener.getsockname()[0] == ADDRESS
    return ", on this machine only." if is_local else "; others can read what is sent."


def _serve(session: Session, server: uvicorn.Server, listener: socket.socket) -> None:
    """Run a server until a signal ends it."""
    session.output.say("Press Ctrl+C to stop.")
    session.output.flush()
    # Both signals end the server after the current requests; then it forwards them.
    signal.signal(signal.SIGTERM, _ended)
    with contextlib.suppress(KeyboardInterrupt):
        server.run(sockets=[listener])


def _token(options: argparse.Namespace) -> str:
    """Return the token of the options or of the environment; empty if there is none.

    It is removed from the environment: workers, which run networks and plug-ins, need no token.

    Raises:
        StudioError: Two are given, or the file cannot be read or is empty.
    """
    from_environment = os.environ.pop(TOKEN_VARIABLE, "")
    if options.token and options.token_file:
        raise StudioError("--token and --token-file cannot be used together.", "Leave one out.")
    if options.token:
        return str(options.token)
    if options.token_file is None:
        return from_environment
    path = user_path(options.token_file)
    try:
        token = path.read_text(encoding="utf-8").strip()
    except (OSError, UnicodeDecodeError) as error:
        reason = read_failure(error)
        raise StudioError(f"{path} cannot be read: {reason}.", where="token_file") from error
    if not token:
        raise StudioError(f"{path} is empty.", "Write the token into it.", "token_file")
    return token


def _ended(_number: int, _frame: FrameType | None) -> None:
    """It is ended already."""


def _listening(address: str, port: int) -> socket.socket:
    """Return a socket that accepts connections.

    Args:
        address: Address of this machine.
        port: The port; 0 for any.

    Raises:
        StudioError: There is no such address, or the port is taken or none.
    """
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    if sys.platform == "win32":  # there, SO_REUSEADDR lets other programs take a port in use
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_EXCLUSIVEADDRUSE, 1)
    else:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((address, port))
        listener.listen()  # from now on requests wait and are not refused
    except (OSError, OverflowError) as error:
        listener.close()
        raise StudioError(
            f"Port {port} of {address} cannot be used: "
            f"{getattr(error, 'strerror', None) or error}.",
            "Choose another with --port, or 0 for any.",
            "port",
        ) from error
    return listener


def _most_connections() -> int:
    """Return the number of connections at which requests are refused with 503.

    It leaves half of the files that this process may open for records, pictures and downloads.
    """
    if sys.platform == "win32":
        return MOST_CONNECTIONS
    import resource  # noqa: PLC0415 - not on Windows

    allowed = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
    is_unlimited = allowed == resource.RLIM_INFINITY
    return MOST_CONNECTIONS if is_unlimited else min(MOST_CONNECTIONS, allowed // 2)


def _server(service: app.Service) -> uvicorn.Server:
    made = app.make_app(service)
    try:
        import h11  # noqa: PLC0415 - comes with uvicorn
        import uvicorn  # noqa: PLC0415 - an extra
        from uvicorn.protocols.http.h11_impl import H11Protocol  # noqa: PLC0415 - an extra
    except ModuleNotFoundError as error:
        raise app.missing(error) from error

    class Patient(H11Protocol):
        """Closes connections whose next request does not begin, or end its head, in time."""

        _timer: asyncio.TimerHandle | None = None

        def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]  # as uvicorn's
            super().connection_made(transport)
            self._wait_for_head()

        def data_received(self, data: bytes) -> None:
            super().data_received(data)
            if self.conn.their_state is h11.IDLE:
                self._wait_for_head()
            else:
                self._stop_waiting()

        def connection_lost(self, exc: Exception | None) -> None:
            self._stop_waiting()
            super().connection_lost(exc)

        def _wait_for_head(self) -> None:
            if self._timer is None:  # another byte of the same head does not buy more time
                self._timer = self.loop.call_later(app.HEAD_SECONDS, self.transport.close)

        def _stop_waiting(self) -> None:
            if self._timer is not None:
                self._timer.cancel()
                self._timer = None

    config = uvicorn.Config(
        made,
        http=Patient,
        log_level="warning",
        access_log=False,
        timeout_graceful_shutdown=5,
        limit_concurrency=_most_connections(),
    )
    return uvicorn.Server(config)
