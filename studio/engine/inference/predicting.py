"""Predictions for many pictures by the engine host, one chunk at a time.

Two requests are on their way at a time, so that the host never waits, and each names the pictures
of the next one, so that they are decoded meanwhile.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from concurrent.futures import Future, wait
from pathlib import Path
from typing import Final, Protocol

from studio.engine.inference.models import ModelSource
from studio.engine.inference.requests import ImagePrediction, PredictReply, PredictRequest
from studio.engine.inference.sources import Picture
from studio.engine.jobs.host import EngineHost, HostDiedError

CHUNK: Final = 64
"""Pictures per request: a large folder fills in while it is worked on."""
_REQUESTS: Final = 2
_LISTEN_SECONDS: Final = 0.05
_SECONDS: Final = 0.5
"""Time of a request about large pictures: others may wait that long."""
_Chunk = Sequence[Picture]


class Listener(Protocol):
    """Receiver of the predictions; called in the thread of the caller."""

    def received(self, predictions: Sequence[ImagePrediction]) -> None:
        """Receive the predictions for the next pictures, in order."""

    def restarted(self) -> None:
        """Handle the death of the engine host; a new one repeats the request."""

    def is_cancelled(self) -> bool:
        """Return True if the remaining predictions are not needed."""

    def advanced(self, fraction: float) -> None:
        """Receive the finished fraction of a large picture, 0 to 1."""


def predict_all(
    host: EngineHost,
    model: ModelSource,
    pictures: Sequence[Picture],
    listener: Listener,
    top: int = 5,
    threshold: float | None = None,
    maps: Path | None = None,
) -> None:
    """Classify pictures; return when all are classified or the listener cancels.

    A host that dies during a request is restarted, and the request is repeated once.

    Args:
        host: The engine host.
        model: The model.
        pictures: Files or pixels.
        listener: Receives predictions in chunks, and may cancel.
        top: Number of classes with the highest scores to return.
        threshold: See `PredictRequest`.
        maps: Folder for the maps of large pictures; None to compute only smaller copies.

    Raises:
        HostDiedError: The host died twice during the same request.
        StudioError: The model cannot be used.
    """
    chunks = deque(pictures[at : at + CHUNK] for at in range(0, len(pictures), CHUNK))
    sent: deque[tuple[_Chunk, Future[PredictReply]]] = deque()
    deaths = 0

    def requested(chunk: _Chunk) -> Future[PredictReply]:
        request = PredictRequest(
            model=model,
            images=_readable(chunk),
            top=top,
            then=_readable(chunks[0]) if chunks else (),
            threshold=threshold,
            maps="" if maps is None else str(maps),
            seconds=_SECONDS,
        )
        return host.ask("predict", request, PredictReply)

    while (chunks or sent) and not listener.is_cancelled():
        while chunks and len(sent) < _REQUESTS:
            chunk = chunks.popleft()
            sent.append((chunk, requested(chunk)))
        chunk, future = sent[0]
        if not wait([future], _LISTEN_SECONDS).done:
            continue
        try:
            reply = future.result()
        except HostDiedError:
            deaths += 1
            if deaths > 1:
                raise
            chunks.extendleft(chunk for chunk, _ in reversed(sent))
            sent.clear()
            listener.restarted()
            continue
        sent.popleft()
        deaths = 0
        done, remaining = _split(chunk, reply)
        if done:
            listener.received(_with_problems(done, reply))
        if remaining:
            listener.advanced(reply.progress)
            sent.appendleft((remaining, requested(remaining)))


def _readable(chunk: _Chunk) -> tuple[str, ...]:
    return tuple(str(picture.path) for picture in chunk if not picture.problem)


def _split(chunk: _Chunk, reply: PredictReply) -> tuple[_Chunk, _Chunk]:
    """Return the pictures of a chunk that a reply is about, and those that remain."""
    missing = len(_readable(chunk)) - len(reply.predictions)
    at = len(chunk)
    while missing:
        at -= 1
        missing -= not chunk[at].problem
    return chunk[:at], chunk[at:]


def _with_problems(chunk: _Chunk, reply: PredictReply) -> list[ImagePrediction]:
    """Return the predictions of a chunk, including pictures that were not requested."""
    predictions = iter(reply.predictions)
    return [
        ImagePrediction(image=picture.name, error=picture.problem)
        if picture.problem
        else next(predictions).model_copy(update={"image": picture.name})
        for picture in chunk
    ]
