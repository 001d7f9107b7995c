"""Answers for pictures, with the models of recent questions kept warm."""

from __future__ import annotations

import time
from collections import OrderedDict
from dataclasses import dataclass
from pathlib import Path

import keras
import numpy as np
from numpy.typing import NDArray

from studio.engine.compute.keeper import MODEL_FILE
from studio.engine.compute.models import Scores, load_model, score
from studio.engine.datasets.decode import load_image
from studio.engine.datasets.recipe import DatasetRecipe
from studio.engine.datasets.store import Store
from studio.engine.errors import BadDataError
from studio.engine.inference.answers import (
    ClassScore,
    PredictAnswer,
    Prediction,
    PredictRequest,
)
from studio.engine.jobs.requests import trained_version
from studio.engine.workspace import Record, RecordKind

WARM_MODELS = 4
BATCH = 64


@dataclass(frozen=True, slots=True)
class _Loaded:
    model: keras.Model
    recipe: DatasetRecipe
    classes: list[str]


class Predictor:
    """Classifies pictures. Keeps the last few models loaded; a retrained one is loaded again."""

    def __init__(self) -> None:
        self._warm: OrderedDict[tuple[str, int], _Loaded] = OrderedDict()

    def answer(self, request: PredictRequest) -> PredictAnswer:
        """Classify the pictures of a request, in their order.

        A picture that cannot be read is answered with its reason; the others are classified.

        Raises:
            BadDataError: The model or its dataset cannot be opened.
        """
        loaded = self._load(Path(request.folder), Path(request.dataset_folder))
        answers: list[Prediction] = []
        for start in range(0, len(request.images), BATCH):
            answers += _classify(loaded, request.images[start : start + BATCH], request.top)
        return PredictAnswer(predictions=tuple(answers))

    def _load(self, folder: Path, dataset_folder: Path) -> _Loaded:
        path = folder / MODEL_FILE
        if not path.is_file():
            raise BadDataError(f"There is no model at {path}.", "Train the network first.")
        key = (str(path), path.stat().st_mtime_ns)
        if key not in self._warm:
            store = Store.open(dataset_folder, trained_version(Record(RecordKind.RUN, folder)))
            model = load_model(path)
            score(model, np.zeros((1, *store.shape), np.uint8))  # compiles, before anybody waits
            self._warm[key] = _Loaded(model, store.recipe, store.classes)
            while len(self._warm) > WARM_MODELS:
                self._warm.popitem(last=False)
        self._warm.move_to_end(key)
        return self._warm[key]


def _classify(loaded: _Loaded, images: tuple[str, ...], top: int) -> list[Prediction]:
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


def _score_all(loaded: _Loaded, pixels: list[NDArray[np.uint8]]) -> list[Scores]:
    return list(score(loaded.model, np.stack(pixels))) if pixels else []


def _top(scores: Scores, classes: list[str], count: int) -> tuple[ClassScore, ...]:
    order = np.argsort(-scores, kind="stable")[:count]
    return tuple(ClassScore(label=classes[index], score=float(scores[index])) for index in order)
