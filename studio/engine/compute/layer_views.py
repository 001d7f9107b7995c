"""Computes the outputs of a model's layers for a picture."""

from __future__ import annotations

import contextlib
import math
import time
from typing import Any

import keras
import numpy as np
from numpy.typing import NDArray

from studio.engine.arrays import Pixels
from studio.engine.compute.forward import Passed, forward
from studio.engine.compute.warm_models import WarmModels, fitted
from studio.engine.errors import StudioError
from studio.engine.inference.requests import (
    BINS,
    MAX_LAYERS,
    MAX_TILES,
    LayersReply,
    LayersRequest,
    LayerView,
    NumberFigures,
    Tiles,
    as_png,
)

LARGEST_TILE = 64
"""Pixels of the side of a map that is shown; of a larger one every n-th value is."""
LARGEST_PLANE = 256
"""The same for a matrix, which is shown as a separate picture."""
MAX_COUNTED = 2**22
"""Values that figures are taken of; of more, every n-th."""
MAX_UNITS = 4096
"""Single numbers that are shown."""

Planes = NDArray[np.float32]


def figures_of(
    values: NDArray[np.floating], planes: Planes | None, there: int, *, tiles: int, name: str = ""
) -> NumberFigures:
    """Describe numbers.

    Args:
        values: All of them, of any shape.
        planes: Planes to draw, shape (n, rows, columns); None for nothing.
        there: Number of all planes.
        tiles: Maximum number of tiles.
        name: Their name.
    """
    flat = values.reshape(-1)
    flat = flat[:: max(1, math.ceil(flat.size / MAX_COUNTED))]
    finite = flat[np.isfinite(flat)]
    known = finite if finite.size else np.zeros(1, np.float32)
    low, high = float(known.min()), float(known.max())
    counts, _ = np.histogram(finite, BINS, (low, high) if high > low else (low - 0.5, low + 0.5))
    return NumberFigures(
        name=name,
        shape=values.shape,
        counted=flat.size,
        mean=float(known.mean(dtype=np.float64)),
        deviation=float(known.std(dtype=np.float64)),
        low=low,
        high=high,
        histogram=tuple(counts.tolist()),
        not_finite=flat.size - finite.size,
        tiles=None if planes is None else _tiled(planes, there, low, high, tiles),
    )


def output_figures(
    values: NDArray[np.floating], *, tiles: int, channels_first: bool
) -> NumberFigures:
    """Describe the output of a layer for one picture.

    Args:
        values: Shape without the batch: maps as (rows, columns, channels), units as (n,).
        tiles: Maximum number of maps.
        channels_first: True if maps come as (channels, rows, columns).
    """
    if values.ndim == 3:
        maps = values if channels_first else np.moveaxis(values, -1, 0)
        return figures_of(values, maps[: _most(tiles)], len(maps), tiles=tiles)
    if values.ndim == 2:
        return figures_of(values, values[None], 1, tiles=1)
    if values.ndim == 1 and values.size > 1:
        return figures_of(values, _square(values)[None], 1, tiles=1)
    return figures_of(values, None, 0, tiles=0)


def weight_figures(name: str, values: NDArray[np.floating], *, tiles: int) -> NumberFigures:
    """Describe the weights of a layer.

    Kernels are drawn one after another with a tile per input channel; 1x1 kernels and dense
    weights as one matrix, inputs down and outputs across.

    Args:
        name: Name of the weights.
        values: The weights.
        tiles: Greatest number of tiles.
    """
    if values.ndim == 4 and values.shape[0] * values.shape[1] > 1:
        rows, columns, inputs, outputs = values.shape
        there = inputs * outputs
        first = math.ceil(min(_most(tiles), there) / inputs)
        planes = np.moveaxis(values[..., :first], (3, 2), (0, 1)).reshape(-1, rows, columns)
        return figures_of(values, planes[: _most(tiles)], there, tiles=tiles, name=name)
    if values.ndim in (2, 4):
        matrix = values.reshape(-1, values.shape[-1])
        return figures_of(values, matrix[None], 1, tiles=1, name=name)
    return figures_of(values, None, 0, tiles=0, name=name)


def _most(tiles: int) -> int:
    return max(1, min(tiles, MAX_TILES))


def _square(values: NDArray[np.floating]) -> NDArray[np.floating]:
    """Arrange numbers as a picture, row by row; the remaining pixels have the lowest value."""
    shown = values[:MAX_UNITS]
    columns = math.ceil(math.sqrt(shown.size))
    padded = np.full(math.ceil(shown.size / columns) * columns, np.nanmin(shown), shown.dtype)
    padded[: shown.size] = shown
    return padded.reshape(-1, columns)


def _tiled(planes: Planes, there: int, low: float, high: float, most: int) -> Tiles:
    shown = min(len(planes), _most(most))
    largest = LARGEST_PLANE if shown == 1 else LARGEST_TILE
    step = max(1, math.ceil(max(planes.shape[1:]) / largest))
    small = planes[:shown, ::step, ::step].astype(np.float32)
    scale = 255 / (high - low) if high > low else 0.0
    gray = np.clip((np.nan_to_num(small, nan=low) - low) * scale, 0, 255).astype(np.uint8)
    _, height, width = gray.shape
    across = min(shown, max(1, round(math.sqrt(shown * height / width))))
    down = math.ceil(shown / across)
    sheet = np.zeros((down * (height + 1) - 1, across * (width + 1) - 1), np.uint8)
    for index in range(shown):
        top, left = index // across * (height + 1), index % across * (width + 1)
        sheet[top : top + height, left : left + width] = gray[index]
    return Tiles(
        data=as_png(sheet), across=across, shown=shown, there=there, width=width, height=height
    )


class _Enough(Exception):  # noqa: N818 - no error
    """Raised once all requested layers have run: later layers need not run."""


class LayerViewer:
    """Answers what comes out of layers, and what they hold.

    Args:
        models: Cache of loaded models.
    """

    def __init__(self, models: WarmModels) -> None:
        self._models = models

    def answer(self, request: LayersRequest) -> LayersReply:
        """Compute the outputs of some layers of a model for a picture.

        Raises:
            BadDataError: The model or the picture cannot be opened.
            StudioError: There is no such layer, or more than `MAX_LAYERS` were requested.
        """
        began = time.perf_counter()
        if len(request.layers) > MAX_LAYERS:
            raise StudioError(
                "{count} layers were requested at once; the maximum is {limit}.",
                "Request fewer at a time.",
                "layers",
                count=len(request.layers),
                limit=MAX_LAYERS,
            )
        loaded = self._models.get(request.model)
        pixels = fitted(request.image, loaded.recipe)
        views = views_of(loaded.model, pixels[None], request.layers, request.tiles)
        return LayersReply(layers=views, milliseconds=(time.perf_counter() - began) * 1000)


def views_of(
    model: keras.Model, pixels: Pixels, paths: tuple[str, ...], tiles: int
) -> tuple[LayerView, ...]:
    """Return figures and pictures of some layers, in the requested order.

    Args:
        model: A classifier.
        pixels: One picture, shape (1, height, width, channels).
        paths: Paths of the layers, see `Passed`.
        tiles: Tiles of each picture at most.

    Raises:
        StudioError: There is no such layer.
    """
    requested, found = set(paths), {}

    def capture(passed: Passed) -> Any:  # noqa: ANN401 - a tensor
        if passed.path in requested:
            found[passed.path] = _view(passed, tiles)
            if len(found) == len(requested):
                raise _Enough
        return passed.output

    with contextlib.suppress(_Enough):
        forward(model, pixels, capture)
    missing = sorted(requested - set(found))
    if missing:
        raise StudioError(
            'The model has no layer "{layer}".',
            "Choose one of its layers.",
            "layers",
            layer=missing[0],
        )
    return tuple(found[path] for path in paths)


def _view(passed: Passed, tiles: int) -> LayerView:
    order = getattr(passed.layer, "data_format", None) or keras.config.image_data_format()
    output = output_figures(
        _floats(keras.tree.flatten(passed.output)[0])[0],
        tiles=tiles,
        channels_first=order == "channels_first",
    )
    weights = tuple(
        weight_figures(weight.name, _floats(weight), tiles=tiles)
        for weight in getattr(passed.layer, "weights", ())
    )
    return LayerView(path=passed.path, output=output, weights=weights)


def _floats(tensor: Any) -> NDArray[np.float32]:  # noqa: ANN401
    return np.asarray(keras.ops.convert_to_numpy(keras.ops.cast(tensor, "float32")), np.float32)
