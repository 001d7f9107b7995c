"""An HTTP server for predictions, for programs on the same machine.

FastAPI comes with the extra "serve" and is imported only when an application is created. It
evaluates the annotations of its handlers, so this module does not postpone them.
"""

import asyncio
import contextlib
import secrets
import tempfile
from collections.abc import AsyncIterator, Callable
from concurrent.futures import Future
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from studio.engine.errors import StudioError
from studio.engine.inference.requests import ImagePrediction, PredictReply
from studio.engine.inference.unlike.differences import document_of
from studio.engine.installation import install_command
from studio.engine.jobs.host import HostDiedError
from studio.engine.messages import message

if TYPE_CHECKING:
    from fastapi import FastAPI

LARGEST_BODY = 32 * 2**20
"""Bytes of a picture at most; a photograph of 50 megapixels as JPEG has about 25 million."""
MAX_CLASSES = 1000
HEAD_SECONDS = 10.0
"""Time limit for the header of a request, from the connection or its first byte on."""
BODY_SECONDS = 60.0
"""Time limit for a picture of any size."""
LOCAL_NAMES = frozenset({"127.0.0.1", "localhost"})
_READ_ON = 4
"""Factor up to which an oversized request is read before it is refused: most clients read no
answer before they have sent everything."""

Predict = Callable[[Path, int], Future[PredictReply]]
Explain = Callable[[Path, str], bytes]


@dataclass(frozen=True, slots=True)
class Service:
    """Model and limits of the service.

    Attributes:
        name: Display name of the model.
        token: Required token of requests: `Authorization: Bearer TOKEN`.
        predict: Predicts the picture in a file, with this many classes.
        largest: Bytes of a picture at most.
        explain: Makes a PNG file of the heat map for an output of a name, or for the one with the
            highest score; None if there are no heat maps.
    """

    name: str
    token: str
    predict: Predict
    largest: int = LARGEST_BODY
    explain: Explain | None = None


class _RefusalError(Exception):
    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status = status


def make_app(service: Service) -> "FastAPI":
    """Return the application: `GET /health` without a token, `POST /predict` with a picture.

    The response to a picture has `milliseconds`, `warnings` (assumptions about a model of another
    program), `familiarity` (list `differences` from the training images with `kind`, `text` and
    `remedy`, and their `false_alarm_rate`; null if nothing was measured on them) and, by the task
    of the model, `predictions` (list of `class` and `score`), for several labels also `labels`
    (those above their thresholds), or `values` by name with `intervals` and `units`, or `classes`
    with their areas and `regions` with run lengths as in COCO, or `boxes` (list of `class`,
    `score` and `box`: left, top, right and bottom in pixels of the picture), or `score`, the
    highest number of a map. `POST /mask` returns the mask as an indexed PNG file, or the map in
    colors, `POST /explain?output=NAME` the heat map of a class, label or quantity. Failures have
    a field `error`: 400 unreadable picture, 401 missing or wrong token, 403 request by another
    website, 408 too slow, 413 too large, 503 the engine died.

    Raises:
        StudioError: FastAPI is not installed.
    """
    try:
        from fastapi import FastAPI, Request  # noqa: PLC0415 - an extra
        from fastapi.responses import Response  # noqa: PLC0415 - an extra
    except ModuleNotFoundError as error:
        raise missing(error) from error

    # Its pages of documentation would load scripts from elsewhere.
    app = FastAPI(title=f"Studio: {service.name}", docs_url=None, redoc_url=None, openapi_url=None)

    _add_refusals(app)

    @app.get("/health")
    async def health(request: Request) -> dict[str, str]:
        _require_local(request.headers.get("host", ""))
        return {"status": "ok"}

    @app.post("/predict")
    async def predict(request: Request, top: int = 5) -> dict[str, Any]:
        _require_local(request.headers.get("host", ""))
        _require_token(request.headers.get("authorization", ""), service.token)
        if not 1 <= top <= MAX_CLASSES:
            raise _RefusalError(400, f"top must be 1 to {MAX_CLASSES}; received {top}.")
        async with _in_file(request.stream(), service.largest) as picture:
            return await _document(service, picture, top)

    @app.post("/mask")
    async def mask(request: Request) -> Response:
        _require_local(request.headers.get("host", ""))
        _require_token(request.headers.get("authorization", ""), service.token)
        async with _in_file(request.stream(), service.largest) as picture:
            return Response(await _mask(service, picture), media_type="image/png")

    @app.post("/explain")
    async def explain(request: Request, output: str = "") -> Response:
        _require_local(request.headers.get("host", ""))
        _require_token(request.headers.get("authorization", ""), service.token)
        async with _in_file(request.stream(), service.largest) as picture:
            return Response(await _heat_map(service, picture, output), media_type="image/png")

    return app


def _add_refusals(app: "FastAPI") -> None:
    """Return all errors as JSON."""
    from fastapi import Request  # noqa: PLC0415 - an extra
    from fastapi.exceptions import HTTPException, RequestValidationError  # noqa: PLC0415
    from fastapi.responses import JSONResponse  # noqa: PLC0415 - an extra
    from starlette.requests import ClientDisconnect  # noqa: PLC0415 - comes with it

    @app.exception_handler(_RefusalError)
    async def refused(_request: Request, error: _RefusalError) -> JSONResponse:
        headers = {"WWW-Authenticate": "Bearer"} if error.status == 401 else None
        return JSONResponse({"error": str(error)}, error.status, headers)

    @app.exception_handler(RequestValidationError)
    async def unreadable(request: Request, _error: RequestValidationError) -> JSONResponse:
        received = request.query_params.get("top", "")[:80]
        return JSONResponse({"error": f"top must be a whole number; received {received!r}."}, 400)

    @app.exception_handler(404)
    @app.exception_handler(405)
    async def unknown(_request: Request, error: HTTPException) -> JSONResponse:
        return JSONResponse({"error": f"{error.detail}."}, error.status_code, error.headers)

    @app.exception_handler(ClientDisconnect)
    async def gone(_request: Request, _error: ClientDisconnect) -> JSONResponse:
        return JSONResponse({"error": "The client disconnected."}, 400)  # it is never read


def missing(error: ModuleNotFoundError) -> StudioError:
    """Build the error for a missing package of the extra."""
    return StudioError(
        "Serving needs {package}, which is not installed.",
        message("Install it: {command}", command=install_command("serve")),
        package=error.name,
    )


async def _prediction(service: Service, picture: Path, top: int) -> ImagePrediction:
    try:
        reply = await asyncio.wrap_future(service.predict(picture, top))
    except StudioError as error:
        raise _RefusalError(503, str(error)) from error
    prediction = reply.predictions[0]
    if prediction.error:
        raise _RefusalError(400, f"The image cannot be used: {prediction.error}.")
    return prediction


async def _document(service: Service, picture: Path, top: int) -> dict[str, Any]:
    prediction = await _prediction(service, picture, top)
    regions = prediction.regions()
    more = {"regions": regions} if regions else {}
    return {
        **prediction.document(),
        **more,
        "milliseconds": prediction.milliseconds,
        "warnings": list(prediction.warnings),
        "familiarity": document_of(prediction.familiarity),
    }


async def _mask(service: Service, picture: Path) -> bytes:
    prediction = await _prediction(service, picture, 1)
    found = prediction.picture()
    if found is None:
        raise _RefusalError(404, "This model does not predict masks.")
    return found


async def _heat_map(service: Service, picture: Path, output: str) -> bytes:
    if service.explain is None:
        raise _RefusalError(404, "This model has no heat maps.")
    try:
        return await asyncio.to_thread(service.explain, picture, output)
    except HostDiedError as error:
        raise _RefusalError(503, str(error)) from error
    except StudioError as error:
        raise _RefusalError(400, str(error)) from error


def _require_local(host: str) -> None:
    """Refuse requests by websites that let their own host name point to this computer."""
    name = host.rpartition(":")[0] if host.rpartition(":")[2].isdigit() else host
    if name.lower() not in LOCAL_NAMES:
        raise _RefusalError(403, f"Requests must be sent to 127.0.0.1; received {host[:80]!r}.")


def _require_token(header: str, token: str) -> None:
    kind, _, given = header.partition(" ")
    # Compared in constant time.
    is_right = secrets.compare_digest(given.strip().encode(), token.encode())
    if kind.lower() != "bearer" or not is_right:
        raise _RefusalError(401, "A token is required: Authorization: Bearer TOKEN.")


@contextlib.asynccontextmanager
async def _in_file(chunks: AsyncIterator[bytes], largest: int) -> AsyncIterator[Path]:
    """Keep the body of a request in a file for the duration of the block."""
    with tempfile.TemporaryDirectory(prefix="studio-serve-") as folder:
        path, size = Path(folder) / "picture", 0
        try:
            async with asyncio.timeout(BODY_SECONDS):
                with path.open("wb") as file:
                    async for chunk in chunks:
                        size += len(chunk)
                        if size > _READ_ON * largest:
                            raise _too_large(largest)
                        if size <= largest:
                            file.write(chunk)
        except TimeoutError as error:
            text = f"The image did not arrive within {BODY_SECONDS:g} seconds."
            raise _RefusalError(408, text) from error
        if size > largest:
            raise _too_large(largest)
        if not size:
            raise _RefusalError(400, "The image cannot be used: the body is empty.")
        yield path


def _too_large(largest: int) -> _RefusalError:
    return _RefusalError(413, f"The image is larger than {largest / 2**20:,.0f} MB.")
