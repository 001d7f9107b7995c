"""Predictions for pictures, with the models of recent requests kept loaded."""

from __future__ import annotations

import math
import os
import time
from collections.abc import Generator, Hashable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Final

import numpy as np

from studio.engine.arrays import Pixels, ScoreRows
from studio.engine.compute.familiarity import FamiliarityCheck
from studio.engine.compute.warm_models import WarmModel, WarmModels
from studio.engine.datasets.decode import (
    DecodingMemory,
    describe,
    load_image,
    load_parts,
    tiles_for,
)
from studio.engine.datasets.recipe import DatasetRecipe
from studio.engine.errors import BadDataError
from studio.engine.inference.pixel_types import comparable, reading_notes
from studio.engine.inference.requests import ImagePrediction, PredictReply, PredictRequest
from studio.engine.inference.unlike.differences import Familiarity
from studio.engine.pictures import position_tags
from studio.engine.tasks import TASKS
from studio.engine.tasks.task import Task
from studio.engine.tasks.tiling import LARGE_RESULT, LargeMaps, SeenPicture, TiledPicture

_ROOM: Final = 2**30
"""Bytes that pictures may take while they are decoded, on all cores together."""
_STREAMS: Final = 8
"""Number of models whose prefetched pictures are cached."""
# A file that was changed since it was decoded is another picture.
_Key = tuple[str, int, int]
_Decoding = Future[Pixels | str]


class Decoder:
    """Decodes pictures on all cores, and one alone in the thread of the caller.

    Threads are as fast as processes here: Pillow releases the interpreter lock. No other thread
    can work on a picture that is alone, and on a busy machine another thread begins late.
    """

    def __init__(self) -> None:
        self._pool = ThreadPoolExecutor(os.cpu_count() or 1, "decode")
        self._room = DecodingMemory(_ROOM)
        self._ahead: dict[str, dict[_Key, _Decoding]] = {}

    def decode(
        self, images: Sequence[str], recipe: DatasetRecipe, then: Sequence[str] = (), who: str = ""
    ) -> list[_Decoding]:
        """Start decoding pictures: the requested ones first, then those announced.

        Args:
            images: Paths of pictures.
            recipe: Conversion of the pictures.
            then: Paths of the next request of the same caller.
            who: The requester; its earlier `then` is dropped if it was not requested after all.

        Returns:
            For each of `images` its pixels, height x width x channels, or why there are none.
        """
        ahead = self._ahead.pop(who, {})
        begin = self._decoded_now if len(images) == 1 else self._begin
        decodings = [
            ahead.pop(key) if (key := _key(image)) in ahead else begin(image, recipe)
            for image in images
        ]
        for unwanted in ahead.values():
            unwanted.cancel()
        if then:
            self._ahead[who] = {_key(image): self._begin(image, recipe) for image in then}
        while len(self._ahead) > _STREAMS:
            for unwanted in self._ahead.pop(next(iter(self._ahead))).values():
                unwanted.cancel()
        return decodings

    def _begin(self, image: str, recipe: DatasetRecipe) -> _Decoding:
        return self._pool.submit(_decoded, image, recipe, self._room)

    def _decoded_now(self, image: str, recipe: DatasetRecipe) -> _Decoding:
        decoding: _Decoding = Future()
        decoding.set_result(_decoded(image, recipe, self._room))
        return decoding


def _decoded(image: str, recipe: DatasetRecipe, room: DecodingMemory) -> Pixels | str:
    try:
        return load_image(comparable(Path(image), recipe), recipe, room)
    except BadDataError as error:
        return error.message


def _key(image: str) -> _Key:
    try:
        facts = Path(image).stat()
    except (OSError, ValueError):  # decoding reports the error
        return image, -1, -1
    return image, facts.st_size, facts.st_mtime_ns


BATCH: Final = 64
# Batches are padded to one of these sizes: each other size is compiled, which takes seconds.
_SIZES: Final = (1, 8, BATCH)
_MOST_OUTPUTS: Final = 2**26
"""Largest number of outputs of a batch: the maps of large images are many."""


class PicturePredictor:
    """Predicts pictures.

    Args:
        models: Cache of loaded models.
    """

    def __init__(self, models: WarmModels) -> None:
        self._models = models
        self._decoder = Decoder()
        self._unfinished: dict[Hashable, _Unfinished] = {}

    def predict(self, request: PredictRequest) -> PredictReply:
        """Predict the pictures of a request, in their order.

        A picture that cannot be read has the reason in place of a prediction.

        Raises:
            BadDataError: The model cannot be opened.
        """
        loaded = self._models.get(request.model, needs_layers=False)
        task = TASKS[request.model.task]
        if request.threshold is not None:
            loaded = with_threshold(loaded, request.threshold)
        if task.predictor.joins_tiles and loaded.recipe.tile_size:
            return self._predict_tiled(request, loaded)
        predictions: list[ImagePrediction] = []
        size = _batch_size(loaded)
        began = time.perf_counter()
        waited_for = self._decoder.decode(
            request.images, loaded.recipe, request.then, request.model.file
        )
        for start in range(0, len(request.images), size):
            images = request.images[start : start + size]
            decoded = [each.result() for each in waited_for[start : start + size]]
            comparison = _comparison(loaded)
            scores = _score_all(loaded, decoded, comparison)
            found = [
                _prediction(image, each, loaded, task, request.top)
                for image, each in zip(images, scores, strict=True)
            ]
            found = _compared(found, comparison, loaded.recipe)
            milliseconds = (time.perf_counter() - began) * 1000 / len(images)
            predictions += [_taking(each, milliseconds) for each in found]
            began = time.perf_counter()
        return PredictReply(predictions=tuple(predictions), warnings=loaded.warnings)

    def _predict_tiled(self, request: PredictRequest, loaded: WarmModel) -> PredictReply:
        """Predict pictures tile by tile, until the time of the request is over."""
        until = math.inf if request.seconds is None else time.perf_counter() + request.seconds
        found: list[ImagePrediction] = []
        for image in request.images:
            model = request.model.model_dump_json()
            key = (model, request.threshold, request.maps, _key(image))
            work = self._unfinished.pop(key, None) or _Unfinished(_tiled(image, loaded, request))
            prediction = work.continued(until)
            if prediction is None:
                self._keep(key, work)
                return PredictReply(
                    predictions=tuple(found), warnings=loaded.warnings, progress=work.progress
                )
            found.append(_taking(prediction, work.seconds * 1000))
            if time.perf_counter() > until:
                break
        return PredictReply(predictions=tuple(found), warnings=loaded.warnings)

    def _keep(self, key: Hashable, work: _Unfinished) -> None:
        """Keep a picture to be continued, and drop the one that was not requested for longest."""
        self._unfinished[key] = work
        while len(self._unfinished) > _STREAMS:
            self._unfinished.pop(next(iter(self._unfinished))).steps.close()


class _Unfinished:
    """A picture that is predicted tile by tile.

    Args:
        steps: Yields the finished fraction, and returns the prediction.
    """

    def __init__(self, steps: Generator[float, None, ImagePrediction]) -> None:
        self.steps = steps
        self.progress, self.seconds = 0.0, 0.0

    def continued(self, until: float) -> ImagePrediction | None:
        """Return the prediction, or None where time is over before it is complete.

        Args:
            until: When to stop, by `time.perf_counter`.
        """
        began = time.perf_counter()
        try:
            while True:
                self.progress = next(self.steps)
                if time.perf_counter() > until:
                    return None
        except StopIteration as end:
            found: ImagePrediction = end.value
            return found
        finally:
            self.seconds += time.perf_counter() - began


def _tiled(
    image: str, loaded: WarmModel, request: PredictRequest
) -> Generator[float, None, ImagePrediction]:
    """Predict a picture tile by tile; yield the finished fraction of a large one."""
    recipe, predictor = loaded.recipe, TASKS[request.model.task].predictor
    comparison = _comparison(loaded)
    score = partial(_scores, loaded, comparison)
    try:
        file = comparable(Path(image), recipe)
        full = describe(file)[:2]
        tiles = tiles_for(full, recipe)
        parts = (pixels for pixels, _ in load_parts(file, recipe, None, tiles))
        picture = TiledPicture(parts, tiles, score, _batch_size(loaded))
        seen = SeenPicture(full, recipe, is_decoded=loaded.decoded)
        if full[0] * full[1] >= LARGE_RESULT:
            folder = Path(request.maps) if request.maps else None
            maps = LargeMaps(folder, full, position_tags(Path(image)))
            joined = yield from predictor.of_large(picture, seen, loaded.meaning, maps)
        else:
            joined = predictor.of_tiles(picture, seen, loaded.meaning)
    except BadDataError as error:
        return ImagePrediction(image=image, error=error.message)
    return ImagePrediction(
        image=image,
        warnings=reading_notes(Path(image), recipe),
        familiarity=_with_possible_remedies(comparison.of_tiles(), recipe),
        **dict(joined),
    )


def _comparison(loaded: WarmModel) -> FamiliarityCheck:
    return FamiliarityCheck(loaded.reference, loaded.known, loaded.recipe.pixel_format)


def with_threshold(loaded: WarmModel, threshold: float) -> WarmModel:
    """Return a model whose classes, and pixels of heat maps, all have one threshold.

    Args:
        loaded: The model.
        threshold: From which score on labels, objects and anomalies are given.
    """
    changed = {"thresholds": (threshold,) * len(loaded.classes), "pixel_threshold": None}
    calibration = loaded.meaning.calibration.model_copy(update=changed)
    return replace(loaded, meaning=replace(loaded.meaning, calibration=calibration))


def _batch_size(loaded: WarmModel) -> int:
    """Return the number of pictures per batch."""
    outputs = math.prod(loaded.model.output_shape[1:])
    return next((size for size in reversed(_SIZES) if size * outputs <= _MOST_OUTPUTS), _SIZES[0])


def _taking(prediction: ImagePrediction, milliseconds: float) -> ImagePrediction:
    return prediction.model_copy(update={"milliseconds": milliseconds})


def _score_all(
    loaded: WarmModel, decoded: Sequence[Pixels | str], comparison: FamiliarityCheck
) -> list[ScoreRows | str]:
    """Class scores of each picture, or why it has none."""
    readable = [each for each in decoded if not isinstance(each, str)]
    scores = iter(_scores(loaded, comparison, readable) if readable else ())
    return [each if isinstance(each, str) else next(scores) for each in decoded]


def _scores(
    loaded: WarmModel, comparison: FamiliarityCheck, pixels: Sequence[Pixels]
) -> ScoreRows:
    size = next(size for size in _SIZES if size >= len(pixels))
    batch = np.zeros((size, *pixels[0].shape), pixels[0].dtype)
    np.stack(pixels, out=batch[: len(pixels)])
    scores, *features = (each[: len(pixels)] for each in loaded.outputs(batch))
    comparison.add(batch[: len(pixels)], features[0] if features else None)
    return scores


def _compared(
    predictions: Sequence[ImagePrediction], comparison: FamiliarityCheck, recipe: DatasetRecipe
) -> list[ImagePrediction]:
    """Return predictions with the results of the comparison with the training images."""
    readable = [each.image for each in predictions if not each.error]
    sizes = [_size_of(image) if comparison.has_sizes else None for image in readable]
    results = (_with_possible_remedies(each, recipe) for each in comparison.results(sizes))
    return [
        each if each.error else each.model_copy(update={"familiarity": next(results)})
        for each in predictions
    ]


def _with_possible_remedies(
    familiarity: Familiarity | None, recipe: DatasetRecipe
) -> Familiarity | None:
    """Return a result whose remedies can be applied: only pictures of 8 bits can be changed."""
    if familiarity is None or not recipe.keeps_values:
        return familiarity
    return familiarity.without_remedies()


def _size_of(image: str) -> tuple[int, int] | None:
    """Return width and height of an image; None if the file was deleted meanwhile."""
    try:
        return describe(Path(image))[:2]
    except BadDataError:
        return None


def _prediction(
    image: str,
    found: ScoreRows | str,
    loaded: WarmModel,
    task: Task,
    top: int,
) -> ImagePrediction:
    if isinstance(found, str):
        return ImagePrediction(image=image, error=found)

    def seen() -> SeenPicture:
        full = describe(Path(image))[:2]
        return SeenPicture(full, loaded.recipe, is_decoded=loaded.decoded)

    prediction = task.predictor.of_picture(found, loaded.meaning, top, seen)
    warnings = (*loaded.warnings, *reading_notes(Path(image), loaded.recipe))
    return ImagePrediction(image=image, warnings=warnings, **dict(prediction))
