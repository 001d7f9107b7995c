"""Routes that predict with a model."""

from __future__ import annotations

import math
from collections.abc import Callable
from concurrent.futures import Future
from pathlib import Path
from typing import Final, Protocol

from studio.engine.inference import requests
from studio.engine.inference.models import ModelSource
from studio.engine.inference.requests import ImagePrediction, PredictReply
from studio.engine.inference.unlike.differences import document_of
from studio.engine.jobs.host import EngineHost
from studio.engine.server.routes import (
    CheckedRequest,
    Parameter,
    Payload,
    RefusedError,
    Role,
    Route,
)

MAX_CLASSES: Final = 1000
_TOP = Parameter("top", "Number of classes or labels.", 5, 1, MAX_CLASSES)
_FORM = Parameter(
    "form",
    "Form of the response: for programs of any kind, or all parts as Studio keeps them.",
    "document",
    choices=("document", "parts"),
)
_THRESHOLD = Parameter(
    "threshold", "Minimum score of labels, objects and anomalies; the tuned ones if empty."
)
_OUTPUT = Parameter("output", "Class, label or quantity; the one with the highest score if empty.")


class Predicts(Protocol):
    """A model that predicts."""

    def predict(
        self, picture: Path, top: int, threshold: float | None = None
    ) -> Future[PredictReply]:
        """Predict a picture.

        Args:
            picture: File of the picture.
            top: Number of classes or labels to return.
            threshold: Minimum score; None for the tuned thresholds.
        """

    def explain(self, picture: Path, output: str) -> bytes:
        """Return a heat map over a picture, as a PNG file.

        Args:
            picture: File of the picture.
            output: Class, label or quantity; empty for the one with the highest score.
        """


class HostedModel:
    """A model in an engine host.

    Args:
        host: The engine host.
        model: The model.
    """

    def __init__(self, host: EngineHost, model: ModelSource) -> None:
        self._host = host
        self._model = model

    def predict(
        self, picture: Path, top: int, threshold: float | None = None
    ) -> Future[PredictReply]:
        """Predict a picture; see `Predicts`."""
        request = requests.PredictRequest(
            model=self._model, images=(str(picture),), top=top, threshold=threshold
        )
        return self._host.ask("predict", request, PredictReply)

    def explain(self, picture: Path, output: str) -> bytes:
        """Explain a prediction; see `Predicts`."""
        request = requests.ExplainRequest(model=self._model, image=str(picture), label=output)
        return requests.overlay(requests.explain(self._host, request))


def model_routes(
    model_of: Callable[[CheckedRequest], Predicts], prefix: str = "", role: Role = Role.READ
) -> tuple[Route, ...]:
    """Return the routes `/predict`, `/mask` and `/explain`.

    The response to a picture has `milliseconds`, `warnings` (assumptions about a model of another
    program), `familiarity` (list `differences` from the training images with `kind`, `text` and
    `remedy`, and their `false_alarm_rate`; null if nothing was measured on them) and, by the task
    of the model, `predictions` (list of `class` and `score`), for several labels also `labels`
    (those above their thresholds), or `values` by name with `intervals` and `units`, or `classes`
    with their areas and `regions` with run lengths as in COCO, or `boxes` (list of `class`,
    `score` and `box`: left, top, right and bottom in pixels of the picture), or `score`, the
    highest number of a map. `/mask` returns the mask as an indexed PNG file, or the map in colors.

    Args:
        model_of: Returns the model that a request is about.
        prefix: Begin of the paths.
        role: Role that the routes need.
    """

    def predict(call: CheckedRequest) -> object:
        threshold = _threshold(call.query["threshold"])
        found = _prediction(model_of(call), call.picture, call.query["top"], threshold)
        return found.model_dump(mode="json") if call.query["form"] == "parts" else _document(found)

    def mask(call: CheckedRequest) -> object:
        found = _prediction(model_of(call), call.picture, 1).picture()
        if found is None:
            raise RefusedError(404, "This model does not predict masks.")
        return Payload(found, "image/png")

    def explain(call: CheckedRequest) -> object:
        data = model_of(call).explain(call.picture, call.query["output"])
        return Payload(data, "image/png")

    return (
        Route(
            "POST",
            f"{prefix}/predict",
            role,
            "Predict a picture.",
            predict,
            (_TOP, _THRESHOLD, _FORM),
            takes_picture=True,
        ),
        Route(
            "POST",
            f"{prefix}/mask",
            role,
            "Predict the mask or map of a picture, as a PNG file.",
            mask,
            takes_picture=True,
            media_type="image/png",
        ),
        Route(
            "POST",
            f"{prefix}/explain",
            role,
            "Show the places that a prediction depends on, as a PNG file.",
            explain,
            (_OUTPUT,),
            takes_picture=True,
            media_type="image/png",
        ),
    )


def _threshold(text: str) -> float | None:
    """Return a threshold; None for none.

    Raises:
        RefusedError: It is not a number from 0 on.
    """
    if not text:
        return None
    try:
        value = float(text)
    except ValueError:
        value = -1.0
    if not 0 <= value < math.inf:
        raise RefusedError(400, f"threshold must be a number from 0 on; received {text[:80]!r}.")
    return value


def _prediction(
    model: Predicts, picture: Path, top: int, threshold: float | None = None
) -> ImagePrediction:
    prediction = model.predict(picture, top, threshold).result().predictions[0]
    if prediction.error:
        raise RefusedError(400, f"The image cannot be used: {prediction.error}.")
    return prediction


def _document(prediction: ImagePrediction) -> dict[str, object]:
    regions = prediction.regions()
    more = {"regions": regions} if regions else {}
    return {
        **prediction.document(),
        **more,
        "milliseconds": prediction.milliseconds,
        "warnings": list(prediction.warnings),
        "familiarity": document_of(prediction.familiarity),
    }
