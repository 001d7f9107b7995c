"""Answers for pictures, with the models of recent questions kept warm."""

from __future__ import annotations

import time
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from studio.engine.compute.models import Scores, score
from studio.engine.compute.warm_models import WarmModel, WarmModels
from studio.engine.datasets.decode import load_image
from studio.engine.errors import BadDataError
from studio.engine.inference.answers import (
    ClassScore,
    PredictAnswer,
    Prediction,
    PredictRequest,
)

BATCH = 64


class Predictor:
    """Classifies pictures.

    Args:
        models: Where models are kept warm.
    """

    def __init__(self, models: WarmModels) -> None:
        self._models = models

    def answer(self, request: PredictRequest) -> PredictAnswer:
        """Classify the pictures of a request, in their order.

        A picture that cannot be read is answered with its reason; the others are classified.

        Raises:
            BadDataError: The model cannot be opened.
        """
        loaded = self._models.get(request.model)
        answers: list[Prediction] = []
        for start in range(0, len(request.images), BATCH):
            answers += _classify(loaded, request.images[start : start + BATCH], request.top)
        return PredictAnswer(predictions=tuple(answers))


def _classify(loaded: WarmModel, images: tuple[str, ...], top: int) -> list[Prediction]:
    began = time.perf_counter()
    pixels: dict[int, NDArray[np.uint8]] = {}
    errors: dict[int, str] = {}
    for index, image in enumerate(images):
        try:
            pixels[index] = load_image(Path(image), loaded.recipe)
        except BadDataError as error:
            errors[index] = error.message
    scores = dict(zip(pixels, _score_all(loaded, list(pixels.values())), strict=True))
    each = (time.perf_counter() - began) * 1000 / len(images)
    return [
        Prediction(image=image, error=errors[index], milliseconds=each)
        if index in errors
        else Prediction(
            image=image, scores=_top(scores[index], loaded.classes, top), milliseconds=each
        )
        for index, image in enumerate(images)
    ]


def _score_all(loaded: WarmModel, pixels: list[NDArray[np.uint8]]) -> list[Scores]:
    return list(score(loaded.model, np.stack(pixels))) if pixels else []


def _top(scores: Scores, classes: list[str], count: int) -> tuple[ClassScore, ...]:
    order = np.argsort(-scores, kind="stable")[:count]
    return tuple(ClassScore(label=classes[index], score=float(scores[index])) for index in order)
