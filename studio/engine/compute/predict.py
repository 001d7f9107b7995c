"""Answers for pictures, with the models of recent questions kept warm."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Final

import numpy as np

from studio.engine.compute.models import Scores, score
from studio.engine.compute.warm_models import WarmModel, WarmModels
from studio.engine.inference.decoder import Decoder, Pixels
from studio.engine.inference.questions import PredictAnswer, Prediction, PredictRequest
from studio.engine.tasks import TASKS
from studio.engine.tasks.prediction import Meaning
from studio.engine.tasks.prediction import Predictor as TaskPredictor

BATCH: Final = 64
# A batch is filled up to one of these: every other size is compiled anew, which takes seconds.
_SIZES: Final = (1, 8, BATCH)


class Predictor:
    """Classifies pictures.

    Args:
        models: Where models are kept warm.
    """

    def __init__(self, models: WarmModels) -> None:
        self._models = models
        self._decoder = Decoder()

    def answer(self, request: PredictRequest) -> PredictAnswer:
        """Classify the pictures of a request, in their order.

        A picture that cannot be read is answered with its reason; the others are classified.

        Raises:
            BadDataError: The model cannot be opened.
        """
        loaded = self._models.get(request.model)
        task = TASKS[request.model.task]
        answers: list[Prediction] = []
        began = time.perf_counter()
        waited_for = self._decoder.decode(
            request.images, loaded.recipe, request.then, request.model.file
        )
        for start in range(0, len(request.images), BATCH):
            images = request.images[start : start + BATCH]
            decoded = [each.result() for each in waited_for[start : start + BATCH]]
            scores = _score_all(loaded, decoded)
            each = (time.perf_counter() - began) * 1000 / len(images)
            answers += [
                _prediction(image, found, loaded.meaning, task.predictor, request.top, each)
                for image, found in zip(images, scores, strict=True)
            ]
            began = time.perf_counter()
        return PredictAnswer(predictions=tuple(answers))


def _score_all(loaded: WarmModel, decoded: Sequence[Pixels | str]) -> list[Scores | str]:
    """Class scores of each picture, or why it has none."""
    readable = [each for each in decoded if not isinstance(each, str)]
    scores = iter(_scores(loaded, readable) if readable else ())
    return [each if isinstance(each, str) else next(scores) for each in decoded]


def _scores(loaded: WarmModel, pixels: Sequence[Pixels]) -> Scores:
    size = next(size for size in _SIZES if size >= len(pixels))
    batch = np.zeros((size, *pixels[0].shape), np.uint8)
    np.stack(pixels, out=batch[: len(pixels)])
    return score(loaded.model, batch)[: len(pixels)]


def _prediction(
    image: str,
    found: Scores | str,
    meaning: Meaning,
    predictor: TaskPredictor,
    top: int,
    milliseconds: float,
) -> Prediction:
    if isinstance(found, str):
        return Prediction(image=image, error=found, milliseconds=milliseconds)
    (answer,) = predictor.answers(found[None], meaning, top)
    return Prediction(image=image, milliseconds=milliseconds, **dict(answer))
