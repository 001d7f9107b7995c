"""Answers what in a picture an answer depends on."""

from __future__ import annotations

import math
import time
from collections import OrderedDict
from pathlib import Path
from typing import Any

import keras
import numpy as np
from numpy.typing import NDArray

from studio.engine.arrays import Pixels
from studio.engine.compute.backends import chosen
from studio.engine.compute.forward import Outliner, Passed, forward, paths_of
from studio.engine.compute.models import score
from studio.engine.compute.warm_models import WarmModel, WarmModels, covered, fitted
from studio.engine.datasets.display import read_display
from studio.engine.datasets.recipe import DatasetRecipe
from studio.engine.display_mapping import DisplayMapping
from studio.engine.errors import StudioError, did_you_mean
from studio.engine.inference.requests import ExplainReply, ExplainRequest, ImportanceMap, as_png
from studio.engine.tasks import TASKS

# Where in a picture a class is seen, by the gradient at a convolution.
#
# After Selvaraju et al., "Grad-CAM: Visual Explanations from Deep Networks via Gradient-based
# Localization" (2017): each map of a convolution counts as much as the score of the class, before
# the softmax, grows with it on average over all places; what speaks against the class is left out.


def grad_cam(
    model: keras.Model, pixels: Pixels, class_index: int, path: str
) -> NDArray[np.float32]:
    """Compute how strongly each position of a layer's feature maps supports a class (Grad-CAM).

    Args:
        model: A classifier.
        pixels: One picture, shape (1, height, width, channels).
        class_index: The class.
        path: Path of the layer, see `Passed`.

    Returns:
        Not negative, shape (rows, columns) of the maps.

    Raises:
        StudioError: There is no such layer, or it gives no maps.
    """
    passed_by = {passed.path: passed for passed in paths_of(model, pixels)}
    layer_output = passed_by.get(path)
    if layer_output is None or len(getattr(layer_output.output, "shape", ())) != 4:
        raise StudioError(
            'Grad-CAM cannot use the layer "{layer}": its output is not a feature map.',
            "Choose a convolution, or cover the image part by part.",
            "layer",
            layer=path,
        )

    known = {each.path: each.output for each in passed_by.values()}

    def score(maps: Any) -> Any:  # noqa: ANN401
        def put(passed: Passed) -> Any:  # noqa: ANN401
            return maps if passed.path == path else passed.output

        scores = forward(model, pixels, put, raw=True, known=known)
        return _of_class(keras.ops.cast(scores, "float32")[0], class_index)

    gradient = chosen.backend().gradient(score, layer_output.output)
    maps = _as_maps(layer_output.output, layer_output.layer)
    if gradient is None:  # nothing leads from there to the score
        return np.zeros(maps.shape[:2], np.float32)
    weights = _as_maps(gradient, layer_output.layer).mean(axis=(0, 1))
    found: NDArray[np.float32] = np.maximum(maps @ weights, 0)
    return found


def _of_class(scores: Any, index: int) -> Any:  # noqa: ANN401
    """Return the score of a class; for masks the mean over the pixels predicted as the class.

    For boxes it is the highest score of the class at any position.

    For masks after Vinogradova et al., "Towards Interpretable Semantic Segmentation via
    Gradient-weighted Class Activation Mapping" (2020), but against the mean score of all classes:
    adding a number to all scores of a pixel changes no answer, so a score alone says nothing of
    the places where it is high.

    Args:
        scores: Shape (K,) or (H, W, K), of boxes (P, K + 4).
        index: The class.
    """
    ops = keras.ops
    if len(scores.shape) == 1:
        return scores[index]
    if len(scores.shape) == 2:
        return ops.max(scores[:, index])
    inside = ops.cast(ops.argmax(scores, axis=-1) == index, "float32")
    inside = ops.where(ops.sum(inside) > 0, inside, ops.ones_like(inside))
    ahead = scores[..., index] - ops.mean(scores, axis=-1)
    return ops.sum(ahead * inside) / ops.sum(inside)


def _as_maps(tensor: Any, layer: Any) -> NDArray[np.float32]:  # noqa: ANN401
    """Return the maps of one picture, shape (rows, columns, channels)."""
    values = np.asarray(keras.ops.convert_to_numpy(keras.ops.cast(tensor, "float32")))[0]
    order = getattr(layer, "data_format", None) or keras.config.image_data_format()
    return np.moveaxis(values, 0, -1) if order == "channels_first" else values


# Where in a picture a class is seen, by covering one part after another; needs no gradient.
#
# After Zeiler and Fergus, "Visualizing and Understanding Convolutional Networks" (2014).

PARTS = 7
"""Parts along the longer side; they overlap by half."""
BATCH = 16


class Occlusion:
    """The occlusion of one picture, done bit by bit.

    A gray square goes over the picture. Where it covers what the answer depends on, the score
    falls. It has the mean color of the picture, so that it is no edge of its own if there is
    nothing.

    Args:
        model: A classifier.
        pixels: The picture, shape (height, width, channels).
        class_index: The explained class; for masks, the mean of its score over the pixels that
            are predicted as it; for boxes, its score at the position where it is highest.
    """

    def __init__(self, model: keras.Model, pixels: Pixels, class_index: int) -> None:
        self._model = model
        self._pixels = pixels
        self._class = class_index
        height, width, _ = pixels.shape
        self._side = max(2, math.ceil(max(height, width) / PARTS))
        step = max(1, self._side // 2)
        self._rows, self._columns = math.ceil(height / step), math.ceil(width / step)
        mean = pixels.mean(axis=(0, 1), dtype=np.float64)
        self._fill = (mean if pixels.dtype.kind == "f" else np.rint(mean)).astype(pixels.dtype)
        self._inside: NDArray[np.bool_] | None = None
        self._scores = np.full(self._rows * self._columns, np.nan, np.float32)
        self._whole = float(self._scored([pixels])[0])
        self.done = 0
        self.seconds = 0.0

    @property
    def total(self) -> int:
        """Number of positions of the square."""
        return len(self._scores)

    def go_on(self, seconds: float) -> None:
        """Continue for about this long; do nothing if all is done."""
        began = time.perf_counter()
        while self.done < self.total:
            indices = range(self.done, min(self.done + BATCH, self.total))
            self._scores[indices.start : indices.stop] = self._scored(
                [self._covered(index) for index in indices]
            )
            self.done = indices.stop
            if time.perf_counter() - began > seconds:
                break
        self.seconds += time.perf_counter() - began

    def falls(self) -> NDArray[np.float32]:
        """By how much the score falls, shape (rows, columns); 0 where it was not tried yet."""
        falls = np.nan_to_num(self._whole - self._scores)
        return falls.reshape(self._rows, self._columns).astype(np.float32)

    def _covered(self, index: int) -> Pixels:
        height, width, _ = self._pixels.shape
        row, column = divmod(index, self._columns)
        # Around the middle of the cell of the map that it is for.
        top = round((row + 0.5) * height / self._rows - self._side / 2)
        left = round((column + 0.5) * width / self._columns - self._side / 2)
        covered = self._pixels.copy()
        down, across = slice(max(0, top), top + self._side), slice(max(0, left), left + self._side)
        covered[down, across] = self._fill
        return covered

    def _scored(self, pictures: list[Pixels]) -> NDArray[np.float32]:
        # Always the same size: a batch of another size would be compiled again.
        padded = pictures + [self._pixels] * (BATCH - len(pictures))
        scores = score(self._model, np.stack(padded))[: len(pictures)]
        if scores.ndim == 2:
            return scores[:, self._class]
        if self._inside is None and scores.ndim == 3:
            best = scores[0, :, self._class].argmax()
            self._inside = np.arange(scores.shape[1]) == best
        if self._inside is None:  # of the whole picture, which is asked first
            predicted = scores[0].argmax(axis=-1) == self._class
            self._inside = predicted if predicted.any() else np.ones_like(predicted)
        found: NDArray[np.float32] = scores[:, self._inside, self._class].mean(axis=1)
        return found


SLICE_SECONDS = 0.5
"""Time slice of an occlusion; other questions wait no longer."""
AT_WORK = 4
"""Occlusions that are remembered while they are not done."""


def _display(request: ExplainRequest, recipe: DatasetRecipe) -> DisplayMapping:
    """Return the colors and contrast of the dataset of a request, if they fit the images."""
    found = read_display(Path(request.dataset)) if request.dataset else None
    fits = found is not None and found.fits(recipe.pixel_format)
    return found if found is not None and fits else DisplayMapping.of(recipe.pixel_format)


class Explainer:
    """Makes heat maps.

    Args:
        models: Cache of loaded models.
        outliner: Finds the layer to explain.
    """

    def __init__(self, models: WarmModels, outliner: Outliner) -> None:
        self._models = models
        self._outliner = outliner
        self._at_work: OrderedDict[tuple[str, int, int], Occlusion] = OrderedDict()

    def answer(self, request: ExplainRequest) -> ExplainReply:
        """Explain an answer, or continue with it; see `ExplainReply`.

        Raises:
            BadDataError: The model or the picture cannot be opened.
            StudioError: There is no such class or layer, or none that Grad-CAM can explain.
        """
        began = time.perf_counter()
        loaded = self._models.get(request.model)
        pixels = fitted(request.image, loaded.recipe)
        outputs = loaded.score(pixels[None])[0]
        scores = _scores_in(outputs)[: len(loaded.classes)]
        index = _output_index(request, loaded.classes, scores)
        shared = {
            "label": loaded.classes[index],
            "score": float(scores[index]),
            "method": request.method,
            "picture": as_png(_display(request, loaded.recipe).to_rgb(pixels)),
            "outputs": tuple(loaded.classes),
            "covers": covered(request.image, loaded.recipe),
        }
        if request.method == "occlusion":
            work = self._occlusion(request, loaded, pixels, index)
            return ExplainReply(
                **shared,
                layer="",
                heat=ImportanceMap.of(work.falls()),
                milliseconds=work.seconds * 1000,
                done=work.done,
                total=work.total,
            )
        layer = request.layer or self._layer(loaded)
        heat = ImportanceMap.of(grad_cam(loaded.model, pixels[None], index, layer))
        spent = (time.perf_counter() - began) * 1000
        return ExplainReply(**shared, layer=layer, heat=heat, milliseconds=spent)

    def _layer(self, loaded: WarmModel) -> str:
        path = self._outliner.of(loaded).explained
        if not path:
            raise StudioError(
                "Grad-CAM needs a convolution, and this network has none.",
                "Use occlusion instead, which works with any network.",
                "method",
            )
        return path

    def _occlusion(
        self,
        request: ExplainRequest,
        loaded: WarmModel,
        pixels: Pixels,
        index: int,
    ) -> Occlusion:
        """Return the current state of an occlusion; a finished one is discarded."""
        times = [Path(each).stat().st_mtime_ns for each in (request.model.file, request.image)]
        key = (request.model_dump_json(), times[0], times[1])
        work = self._at_work.pop(key, None) or Occlusion(loaded.model, pixels, index)
        work.go_on(SLICE_SECONDS)
        if work.done < work.total:
            self._at_work[key] = work
            while len(self._at_work) > AT_WORK:
                self._at_work.popitem(last=False)
        return work


def _scores_in(outputs: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return one score for each output: of masks the mean, of boxes the highest.

    Args:
        outputs: Outputs for a picture, shape (K,), (H, W, K) or (P, K + 4).
    """
    if outputs.ndim == 2:
        highest: NDArray[np.float32] = outputs.max(axis=0)
        return highest
    mean: NDArray[np.float32] = outputs.reshape(-1, outputs.shape[-1]).mean(axis=0)
    return mean


def _output_index(request: ExplainRequest, names: list[str], scores: NDArray[np.float32]) -> int:
    label = request.label
    if not label:
        # Numbers in different units cannot be compared.
        return 0 if TASKS[request.model.task].gives_numbers else int(scores.argmax())
    if label not in names:
        raise StudioError(
            'The model has no output "{output}".',
            did_you_mean(label, names),
            "label",
            output=label,
        )
    return names.index(label)
