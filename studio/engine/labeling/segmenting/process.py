"""The process that outlines objects: foreign models run here with a limit for their memory.

Clicks are answered while another picture is being prepared. Standard output carries answers only.
"""

from __future__ import annotations

import os
import sys
import threading
import time
from collections import OrderedDict
from concurrent.futures import Future, ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import BinaryIO, Final

from studio.engine.errors import BadDataError
from studio.engine.jobs.answering import Operation, reply, write_answer
from studio.engine.jobs.host import HOST_PROTOCOL
from studio.engine.jobs.memory_limit import half_of_memory, limit_memory
from studio.engine.labeling.segmenting.model import PictureEmbedding, PromptModel
from studio.engine.labeling.segmenting.pictures import seen_pixels
from studio.engine.labeling.segmenting.requests import (
    ENCODE,
    SEGMENT,
    EncodeAnswer,
    EncodeRequest,
    ObjectMask,
    SegmentAnswer,
    SegmentModel,
    SegmentPicture,
    SegmentRequest,
)

CACHED_BYTES: Final = 256 * 2**20
"""Memory of the embeddings that are kept: 16 of SAM 2 and 64 of MobileSAM."""
_THREADS: Final = 4
_Key = tuple[str, ...]


def main() -> int:
    """Answer requests from standard input until it is closed."""
    answers = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    limit_memory(half_of_memory())
    segmenter = PictureSegmenter()
    operations: dict[str, Operation] = {
        ENCODE: (EncodeRequest, segmenter.encode),
        SEGMENT: (SegmentRequest, segmenter.segment),
    }
    guard = threading.Lock()
    write_answer(answers, {"protocol": HOST_PROTOCOL, "backend": "onnxruntime"})
    pool = ThreadPoolExecutor(_THREADS, thread_name_prefix="segmenter")
    for line in sys.stdin.buffer:
        pool.submit(_answer, operations, line, answers, guard)
    os._exit(0)  # no caller is left for running computations


def _answer(
    operations: dict[str, Operation], line: bytes, answers: BinaryIO, guard: threading.Lock
) -> None:
    answer = reply(operations, line)
    with guard:
        write_answer(answers, answer)


class PictureSegmenter:
    """Keeps one model and the embeddings of the last pictures.

    Thread safety: any thread may call it; pictures are prepared one after another.

    Args:
        cached_bytes: Memory of the embeddings that are kept.
    """

    def __init__(self, cached_bytes: int = CACHED_BYTES) -> None:
        self._cached_bytes = cached_bytes
        self._guard = threading.Lock()
        self._opening = threading.Lock()
        self._encoding = ThreadPoolExecutor(1, thread_name_prefix="encoder")
        self._model: tuple[_Key, PromptModel] | None = None
        self._embeddings: OrderedDict[_Key, Future[PictureEmbedding]] = OrderedDict()

    @property
    def cached(self) -> int:
        """Number of embeddings that are kept or computed."""
        return len(self._embeddings)

    def encode(self, request: EncodeRequest) -> EncodeAnswer:
        """Prepare a picture.

        Raises:
            StudioError: The model or the picture cannot be used.
        """
        began = time.perf_counter()
        future = self._embedding(request.model, request.picture)
        is_known = future.done()
        future.result()
        return EncodeAnswer(seconds=0.0 if is_known else time.perf_counter() - began)

    def segment(self, request: SegmentRequest) -> SegmentAnswer:
        """Outline objects of a picture.

        Raises:
            StudioError: The model or the picture cannot be used.
        """
        embedding = self._embedding(request.model, request.picture).result()
        model = self._opened(request.model)
        size = (request.picture.width, request.picture.height)
        began = time.perf_counter()
        masks = []
        for prompt in request.prompts:
            patch, score = (
                (None, 0.0) if prompt.is_empty else model.segment(embedding, prompt, size)
            )
            masks.append(ObjectMask.of(patch, score))
        return SegmentAnswer(masks=tuple(masks), seconds=time.perf_counter() - began)

    def _opened(self, model: SegmentModel) -> PromptModel:
        key = _key_of(model)
        with self._opening:
            if self._model is None or self._model[0] != key:
                self._model = None  # first: two at once may take too much memory
                self._model = (key, PromptModel(model))
            return self._model[1]

    def _embedding(self, model: SegmentModel, picture: SegmentPicture) -> Future[PictureEmbedding]:
        """Return the embedding of a picture, now or later."""
        file = picture.model_copy(update={"width": 1, "height": 1})
        key = (*_key_of(model), file.model_dump_json(), _version(picture.path))
        with self._guard:
            known = self._embeddings.get(key)
            found = known or self._encoding.submit(self._encoded, model, picture)
            self._embeddings[key] = found
            self._embeddings.move_to_end(key)
        if known is None:
            # Outside of the guard, which it takes: it is called at once for what is done.
            found.add_done_callback(partial(self._on_encoded, key))
        return found

    def _encoded(self, model: SegmentModel, picture: SegmentPicture) -> PictureEmbedding:
        try:
            pixels = seen_pixels(picture)
        except BadDataError as error:
            raise BadDataError(
                "{file} cannot be read: {reason}.",
                "Choose an intact image.",
                file=Path(picture.path).name,
                reason=error.message,
            ) from error
        return self._opened(model).encode(pixels)

    def _on_encoded(self, key: _Key, future: Future[PictureEmbedding]) -> None:
        """Forget a failure, and what does not fit into the memory, the oldest first."""
        with self._guard:
            if future.exception() is not None:
                self._embeddings.pop(key, None)
                return
            done = [
                (name, each)
                for name, each in self._embeddings.items()
                if each.done() and each.exception() is None
            ]
            total = sum(each.result().bytes for _, each in done)
            for name, each in done:
                if total <= self._cached_bytes or name == key:
                    break
                total -= each.result().bytes
                del self._embeddings[name]


def _key_of(model: SegmentModel) -> _Key:
    return (model.encoder, model.decoder, _version(model.encoder), _version(model.decoder))


def _version(path: str) -> str:
    """Return what changes with the content of a file."""
    try:
        found = Path(path).stat()
    except OSError:
        return ""
    return f"{found.st_mtime_ns} {found.st_size}"
