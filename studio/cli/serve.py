"""`studio serve`: a model behind HTTP, on this machine only, until Ctrl+C."""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import os
import secrets
import signal
import socket
import sys
from concurrent.futures import Future
from pathlib import Path
from types import FrameType

from studio.cli.options import FOREIGN_MODEL, foreign_model, say_model
from studio.cli.verb import Session, argument
from studio.engine.errors import StudioError
from studio.engine.files import read_failure, user_path
from studio.engine.inference import http_server, requests
from studio.engine.inference.models import ModelSource, find_model
from studio.engine.jobs.host import EngineHost

ADDRESS = "127.0.0.1"
TOKEN_VARIABLE = "STUDIO_TOKEN"  # noqa: S105 - the name of a variable
MEGABYTE = 2**20


class _ModelClient:
    """Sends requests about one model to an engine host."""

    def __init__(self, host: EngineHost, model: ModelSource) -> None:
        self._host = host
        self._model = model

    def explain(self, picture: Path, output: str) -> bytes:
        """Return the heat map of a picture for an output as a PNG file."""
        request = requests.ExplainRequest(model=self._model, image=str(picture), label=output)
        return requests.overlay(requests.explain(self._host, request))

    def __call__(self, picture: Path, top: int) -> Future[requests.PredictReply]:
        """Predict a picture; see `http_server.Service`."""
        request = requests.PredictRequest(model=self._model, images=(str(picture),), top=top)
        return self._host.ask("predict", request, requests.PredictReply)


run_options = (
    argument("name", metavar="RUN|FILE", help="run, model file or export"),
    argument(
        "--port", type=int, default=8765, metavar="P", help="port; 0 for any free one [8765]"
    ),
    argument(
        "--token",
        metavar="T",
        help="token of requests; visible to other users of this computer, so prefer "
        f"{TOKEN_VARIABLE} or --token-file [a new one]",
    ),
    argument(
        "--token-file",
        metavar="F",
        help=f"file with the token [{TOKEN_VARIABLE}, if set]",
    ),
    argument(
        "--limit",
        type=int,
        default=http_server.LARGEST_BODY // MEGABYTE,
        metavar="MB",
        help=f"largest image in MB [{http_server.LARGEST_BODY // MEGABYTE}]",
    ),
    FOREIGN_MODEL,
)


def run(session: Session) -> object:
    """Serve a model until Ctrl+C or SIGTERM."""
    options, output = session.options, session.output
    if options.limit < 1:
        raise StudioError(f"--limit takes at least 1; received {options.limit}.", where="limit")
    model = find_model(session.workspace, options.name, foreign_model(options))
    token = _token(options)
    host = EngineHost()
    client = _ModelClient(host, model)
    try:
        with _listening(options.port) as listener:
            limit = options.limit * MEGABYTE
            service = http_server.Service(model.name, token, client, limit, client.explain)
            server = _server(service)
            with output.bar("Loading the model"):
                warnings = requests.model_warnings(host, model)
            url = f"http://{ADDRESS}:{listener.getsockname()[1]}"
            output.say(f"{model.name} answers at {url}/predict, on this machine only.")
            say_model(output, model, warnings)
            output.write(f"Token: {token}")
            header = f"Authorization: Bearer {token}"
            output.write(f'Try: curl -H "{header}" --data-binary @IMAGE {url}/predict')
            output.say(f"Heat map of an output, as PNG: {url}/explain?output=NAME")
            output.say("Press Ctrl+C to stop.")
            about = {"url": url, "token": token, "model": model.name, "task": model.task}
            output.document(about | {"warnings": list(warnings)})
            output.flush()
            # Both signals end the server after the current requests; then it forwards them.
            signal.signal(signal.SIGTERM, _ended)
            with contextlib.suppress(KeyboardInterrupt):
                server.run(sockets=[listener])
    finally:
        host.close()
    output.note("Ended.")
    return None  # the document was printed when it began


def _token(options: argparse.Namespace) -> str:
    """Return the token of the options, of the environment, or a new one.

    Raises:
        StudioError: Two are given, or the file cannot be read or is empty.
    """
    if options.token and options.token_file:
        raise StudioError("--token and --token-file cannot be used together.", "Leave one out.")
    if options.token:
        return str(options.token)
    if options.token_file is None:
        return os.environ.get(TOKEN_VARIABLE) or secrets.token_urlsafe(24)
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


def _listening(port: int) -> socket.socket:
    """Return a socket that is not reachable from the network.

    Raises:
        StudioError: The port is taken, or no port.
    """
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    if sys.platform == "win32":  # there, SO_REUSEADDR lets other programs take a port in use
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_EXCLUSIVEADDRUSE, 1)
    else:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((ADDRESS, port))
        listener.listen()  # from now on requests wait and are not refused
    except (OSError, OverflowError) as error:
        listener.close()
        raise StudioError(
            f"Port {port} cannot be used: {getattr(error, 'strerror', None) or error}.",
            "Choose another with --port, or 0 for any.",
            "port",
        ) from error
    return listener


def _server(service: http_server.Service):  # type: ignore[no-untyped-def]  # noqa: ANN202 - of an extra
    app = http_server.make_app(service)
    try:
        import h11  # noqa: PLC0415 - comes with uvicorn
        import uvicorn  # noqa: PLC0415 - an extra
        from uvicorn.protocols.http.h11_impl import H11Protocol  # noqa: PLC0415 - an extra
    except ModuleNotFoundError as error:
        raise http_server.missing(error) from error

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
                self._timer = self.loop.call_later(http_server.HEAD_SECONDS, self.transport.close)

        def _stop_waiting(self) -> None:
            if self._timer is not None:
                self._timer.cancel()
                self._timer = None

    config = uvicorn.Config(
        app, http=Patient, log_level="warning", access_log=False, timeout_graceful_shutdown=5
    )
    return uvicorn.Server(config)
