"""The engine host of a served workspace: its models predict on the server."""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Final, cast
from urllib.parse import urlencode

from pydantic import BaseModel, ValidationError

from studio.engine.inference.models import ModelSource
from studio.engine.inference.requests import ImagePrediction, PredictReply, PredictRequest
from studio.engine.jobs.host import AnswerT, EngineHost
from studio.engine.jobs.job import Job
from studio.engine.served.connection import RefusedByServerError
from studio.engine.served.mirror import Mirror
from studio.engine.served.workspace import record_address
from studio.engine.training.artifacts import MODEL_ARTIFACT
from studio.engine.workspace import Record, RecordKind

_THREADS: Final = 2
_UNUSABLE: Final = frozenset({400, 413})
"""Statuses for a picture that cannot be used; others are about the request."""


class ServedEngine(EngineHost):
    """Lets the server predict with its models; what else needs one copies it here first.

    Args:
        mirror: The mirror of the workspace.
        idle_seconds: See `EngineHost`.
    """

    def __init__(self, mirror: Mirror, idle_seconds: float = math.inf) -> None:
        super().__init__(idle_seconds=idle_seconds)
        self._mirror = mirror
        self._pool = ThreadPoolExecutor(_THREADS, "served")
        self._ended = threading.Event()

    def ask(self, op: str, question: BaseModel, answer: type[AnswerT]) -> Future[AnswerT]:
        """Send a request to the server, or to the host here; see `EngineHost`.

        Args:
            op: Name of the operation.
            question: Its arguments.
            answer: Type of the reply.
        """
        model = getattr(question, "model", None)
        run = self._run_of(model) if isinstance(model, ModelSource) else None
        if run is None or not isinstance(model, ModelSource):
            return super().ask(op, question, answer)
        if isinstance(question, PredictRequest) and _is_best(run, Path(model.file)):
            predicted = self._pool.submit(self._predict, run, question)
            return cast("Future[AnswerT]", predicted)
        files = [Path(each) for each in (model.file, model.features) if each]
        here = partial(super().ask, op, question, answer)
        return self._pool.submit(self._ask_here, run, files, here)

    def warm_up(self) -> None:
        """Start nothing: the server predicts, and the host here is rarely needed."""

    def close(self) -> None:
        """End the host, and what is requested of the server."""
        self._ended.set()
        self._pool.shutdown(wait=False, cancel_futures=True)
        super().close()

    def _run_of(self, model: ModelSource) -> Record | None:
        """Return the run of a model; None if it is no model of the served workspace."""
        folder = self._mirror.root / RecordKind.RUN.folder
        path = Path(model.file)
        if not path.is_relative_to(folder):
            return None
        return Record(RecordKind.RUN, folder / path.relative_to(folder).parts[0])

    def _predict(self, run: Record, question: PredictRequest) -> PredictReply:
        """Let the server predict pictures, for the time that the question names at most."""
        begun, found = time.monotonic(), []
        for image in question.images:
            found.append(self._prediction(run, question, Path(image)))
            is_over = question.seconds and time.monotonic() - begun > question.seconds
            if is_over or self._ended.is_set():
                break
        warnings = dict.fromkeys(text for each in found for text in each.warnings)
        return PredictReply(predictions=tuple(found), warnings=tuple(warnings))

    def _prediction(self, run: Record, question: PredictRequest, image: Path) -> ImagePrediction:
        query = {"top": str(question.top), "form": "parts"}
        if question.threshold is not None:
            query["threshold"] = str(question.threshold)
        server = self._mirror.server
        path = f"{record_address(run)}/predict?{urlencode(query)}"
        try:
            reply = server.ask("POST", path, image.read_bytes())
            found = ImagePrediction.model_validate_json(reply)
        except RefusedByServerError as error:
            if error.status not in _UNUSABLE:
                raise
            return ImagePrediction(image=str(image), error=str(error))
        except OSError as error:
            return ImagePrediction(image=str(image), error=error.strerror or str(error))
        except ValidationError as error:
            raise server.foreign() from error
        return found.model_copy(update={"image": str(image)})

    def _ask_here(
        self, run: Record, files: Sequence[Path], ask: Callable[[], Future[AnswerT]]
    ) -> AnswerT:
        """Copy the files of a model that are not here, and ask the host."""
        for file in files:
            path = file.relative_to(run.folder).as_posix()
            self._mirror.fetch(run, path, self._ended.is_set)
        return ask().result()


def _is_best(run: Record, file: Path) -> bool:
    """Return True if a file is the stored model of a run, with which the server predicts."""
    stored = Job.read(run).history.artifacts.get(MODEL_ARTIFACT, "")
    return bool(stored) and run.folder / stored == file
