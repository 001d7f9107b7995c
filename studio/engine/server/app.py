"""An application of routes, which checks every request in one place.

In order: the header Host (a website may let its own name point to this computer), the origin of a
browser's request, the token and its role, the parameters, and the body with its size and time.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import logging
import shutil
import tempfile
from collections.abc import AsyncIterator, Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pydantic import BaseModel, ValidationError

from studio.engine.documents import plain_data
from studio.engine.errors import BusyError, DiskFullError, StudioError
from studio.engine.installation import install_command
from studio.engine.jobs.host import HostDiedError
from studio.engine.messages import message
from studio.engine.server.access import Access
from studio.engine.server.openapi import described
from studio.engine.server.routes import (
    CheckedRequest,
    Download,
    Parameter,
    Payload,
    RefusedError,
    Route,
    Stream,
)

if TYPE_CHECKING:
    from starlette.applications import Starlette
    from starlette.requests import Request
    from starlette.responses import Response
    from starlette.types import Receive, Scope, Send

LARGEST_BODY = 32 * 2**20
"""Bytes of a picture at most; a photograph of 50 megapixels as JPEG has about 25 million."""
LARGEST_JSON = 4 * 2**20
"""Bytes of a JSON body at most; a plan with a large network has about one million."""
HEAD_SECONDS = 10.0
"""Time limit for the header of a request, from the connection or its first byte on."""
BODY_SECONDS = 60.0
"""Time limit for a body of any size."""
_READ_ON = 4
"""Factor up to which an oversized request is read before it is refused: most clients read no
answer before they have sent everything."""
_THREADS = 32
_log = logging.getLogger(__name__)
_HEADERS = {
    "Cache-Control": "no-store",
    "X-Content-Type-Options": "nosniff",
    "Content-Security-Policy": "default-src 'none'; style-src 'unsafe-inline'",
}


@dataclass(frozen=True, slots=True)
class Service:
    """The routes of a server, and its access.

    Attributes:
        name: Display name of the model or workspace.
        routes: The routes.
        access: Tokens and names of the server.
        largest: Bytes of a picture at most.
    """

    name: str
    routes: tuple[Route, ...]
    access: Access
    largest: int = LARGEST_BODY


def make_app(service: Service) -> Starlette:
    """Return the application: the routes of a service, their description, and `GET /health`.

    Failures have a field `error`: 400 unusable request or picture, 401 missing or wrong token,
    403 role not sufficient, or request by another website, 404 no such record, 408 too slow,
    413 too large, 500 bug or damaged record, 503 no answer possible now, such as when the engine
    died, 507 the disk is full.

    Raises:
        StudioError: Starlette is not installed.
    """
    try:
        from starlette.applications import Starlette  # noqa: PLC0415 - an extra
        from starlette.routing import Route as Address  # noqa: PLC0415 - an extra
    except ModuleNotFoundError as error:
        raise missing(error) from error

    health = Route("GET", "/health", None, "The server runs.", lambda _: {"status": "ok"})
    routes = described(service.name, (health, *service.routes))
    # Pictures wait for the model, one after another; meanwhile all else is answered.
    readers = ThreadPoolExecutor(_THREADS, "answer")
    predicting = ThreadPoolExecutor(_THREADS, "predict")
    app = Starlette(
        routes=[
            Address(each.path, partial(_respond, service, threads, each), methods=[each.method])
            for each in routes
            for threads in (predicting if each.takes_picture else readers,)
        ]
    )
    app.router.redirect_slashes = False
    for status in (404, 405):
        app.add_exception_handler(status, _unknown)
    app.add_exception_handler(Exception, _failed)
    return app


def missing(error: ModuleNotFoundError) -> StudioError:
    """Build the error for a missing package of the extra."""
    return StudioError(
        "Serving needs {package}, which is not installed.",
        message("Install it: {command}", command=install_command("serve")),
        package=error.name,
    )


async def _unknown(_request: Request, error: Exception) -> Response:
    status = getattr(error, "status_code", 404)
    headers = getattr(error, "headers", None)
    return _json({"error": f"{getattr(error, 'detail', error)}."}, status, headers)


async def _failed(_request: Request, _error: Exception) -> Response:
    """Respond to a request that met a bug; Starlette then raises the error again, for the log."""
    return _json({"error": "Internal error; the log of the server says more."}, 500)


async def _respond(
    service: Service, threads: ThreadPoolExecutor, route: Route, request: Request
) -> Response | _ThenRemoved:
    """Check a request, answer it, and turn every error into JSON."""
    from starlette.requests import ClientDisconnect  # noqa: PLC0415 - an extra

    try:
        role = service.access.check(request.headers, route.role)
        query = {each.name: _value(each, request.query_params) for each in route.parameters}
        async with _body(service, route, request) as (fields, picture):
            last = request.headers.get("last-event-id", "")
            call = CheckedRequest(role, request.path_params, query, fields, picture, last)
            loop = asyncio.get_running_loop()
            result = await loop.run_in_executor(threads, route.answer, call)
        return _response(result, route)
    except RefusedError as error:
        headers = {"WWW-Authenticate": "Bearer"} if error.status == 401 else None
        return _json({"error": str(error)}, error.status, headers)
    except StudioError as error:
        return _explained(route, error)
    except ClientDisconnect:
        return _json({"error": "The client disconnected."}, 400)  # it is never read


def _explained(route: Route, error: StudioError) -> Response:
    """Return the response for an error of the client, of the disk or of a record."""
    if isinstance(error, HostDiedError | BusyError):
        return _json({"error": str(error)}, 503)
    if isinstance(error, DiskFullError):
        return _json({"error": str(error)}, 507)
    if route.method == "GET":  # the client sent nothing that could be wrong
        _log.error("%s: %s", route.path, error)  # its text names folders
        return _json({"error": "The record cannot be read; the log of the server says more."}, 500)
    document = {"error": error.message, "hint": error.hint, "where": error.where}
    return _json(document, 400)


@dataclass(frozen=True, slots=True)
class _ThenRemoved:
    """A response after which a folder is removed, also if the transfer fails or none begins."""

    response: Response
    folder: Path

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            await self.response(scope, receive, send)
        finally:
            remove = partial(shutil.rmtree, self.folder, ignore_errors=True)
            asyncio.get_running_loop().run_in_executor(None, remove)


def _response(result: object, route: Route) -> Response | _ThenRemoved:
    from starlette.responses import FileResponse, Response, StreamingResponse  # noqa: PLC0415

    if isinstance(result, Payload):
        return Response(result.data, route.status, _HEADERS, result.media_type)
    if isinstance(result, Stream):
        headers = _HEADERS | {"X-Accel-Buffering": "no"}  # proxies must not hold events back
        return StreamingResponse(result.lines, 200, headers, "text/event-stream")
    if isinstance(result, Download):
        kind = "application/octet-stream"
        file = FileResponse(result.path, 200, _HEADERS, kind, filename=result.name)
        return file if result.temporary is None else _ThenRemoved(file, result.temporary)
    return _json(result, route.status)


def _json(document: object, status: int, headers: dict[str, str] | None = None) -> Response:
    from starlette.responses import Response  # noqa: PLC0415 - an extra

    text = json.dumps(plain_data(document), ensure_ascii=False, allow_nan=False)
    data = text.encode("utf-8", "backslashreplace")
    return Response(data, status, _HEADERS | (headers or {}), "application/json")


def _value(parameter: Parameter, given: Any) -> object:  # noqa: ANN401 - a mapping of Starlette
    """Return the value of a parameter.

    Raises:
        RefusedError: It is not one of the allowed values.
    """
    name, text = parameter.name, given.get(parameter.name)
    if text is None:
        return parameter.default
    if parameter.choices and text not in parameter.choices:
        allowed = " or ".join(parameter.choices)
        raise RefusedError(400, f"{name} must be {allowed}; received {text[:80]!r}.")
    if not isinstance(parameter.default, int):
        return text
    try:
        number = int(text)
    except ValueError as error:
        received = f"{name} must be a whole number; received {text[:80]!r}."
        raise RefusedError(400, received) from error
    if not parameter.low <= number <= parameter.high:
        limits = f"{parameter.low} to {parameter.high}"
        raise RefusedError(400, f"{name} must be {limits}; received {number}.")
    return number


@contextlib.asynccontextmanager
async def _body(
    service: Service, route: Route, request: Request
) -> AsyncIterator[tuple[BaseModel | None, Path]]:
    """Read the body that a route takes, and keep a picture for the duration of the block."""
    if route.takes_picture:
        with tempfile.TemporaryDirectory(prefix="studio-serve-") as folder:
            picture = Path(folder) / "picture"
            with picture.open("wb") as file:
                size = await _read(request, service.largest, "image", file.write)
            if not size:
                raise RefusedError(400, "The image cannot be used: the body is empty.")
            yield None, picture
    elif route.body is not None:
        chunks: list[bytes] = []
        await _read(request, LARGEST_JSON, "body", chunks.append)
        yield _fields(route.body, b"".join(chunks)), Path()
    else:
        yield None, Path()


async def _read(request: Request, largest: int, what: str, keep: Callable[[bytes], object]) -> int:
    """Give the chunks of a body to a function, and return its size.

    Raises:
        RefusedError: It is too large or too slow.
    """
    too_large = RefusedError(413, f"The {what} is larger than {largest / 2**20:,.0f} MB.")
    size = 0
    try:
        async with asyncio.timeout(BODY_SECONDS):
            async for chunk in request.stream():
                size += len(chunk)
                if size > _READ_ON * largest:
                    raise too_large
                if size <= largest:
                    keep(chunk)
    except TimeoutError as error:
        text = f"The {what} did not arrive within {BODY_SECONDS:g} seconds."
        raise RefusedError(408, text) from error
    if size > largest:
        raise too_large
    return size


def _fields(kind: type[BaseModel], data: bytes) -> BaseModel:
    try:
        return kind.model_validate_json(data or b"{}")
    except ValidationError as error:
        first = error.errors(include_url=False, include_context=False)[0]
        where = ".".join(map(str, first["loc"])) or "body"
        raise RefusedError(400, f"{where}: {first['msg']}.") from error
    except RecursionError as error:
        raise RefusedError(400, "body: nested too deeply.") from error
