"""Shows the layers of a model at work on a picture."""

from __future__ import annotations

import contextlib
import time
from typing import Any

import keras
import numpy as np
from numpy.typing import NDArray

from studio.engine.compute.forward import Passed, forward
from studio.engine.compute.pictures import fitted
from studio.engine.compute.warm_models import WarmModels
from studio.engine.errors import StudioError
from studio.engine.inference.questions import MOST_LAYERS, LayersAnswer, LayersRequest, LayerView
from studio.engine.inference.tiling import output_figures, weight_figures


class _Enough(Exception):  # noqa: N818 - no error
    """All layers that were asked for have run: those behind them need not."""


class LayerViewer:
    """Answers what comes out of layers, and what they hold.

    Args:
        models: Where models are kept warm.
    """

    def __init__(self, models: WarmModels) -> None:
        self._models = models

    def answer(self, request: LayersRequest) -> LayersAnswer:
        """Look at some layers of a model while it looks at a picture.

        Raises:
            BadDataError: The model or the picture cannot be opened.
            StudioError: There is no such layer, or more than `MOST_LAYERS` were asked for.
        """
        began = time.perf_counter()
        if len(request.layers) > MOST_LAYERS:
            raise StudioError(
                f"{len(request.layers)} layers were asked for at once; the most is {MOST_LAYERS}.",
                "Ask for them a few at a time.",
                "layers",
            )
        loaded = self._models.get(request.model)
        pixels = fitted(request.image, loaded.recipe)
        views = views_of(loaded.model, pixels[None], request.layers, request.tiles)
        return LayersAnswer(layers=views, milliseconds=(time.perf_counter() - began) * 1000)


def views_of(
    model: keras.Model, pixels: NDArray[np.uint8], paths: tuple[str, ...], tiles: int
) -> tuple[LayerView, ...]:
    """Figures and pictures of some layers, in the order that was asked for.

    Args:
        model: A classifier.
        pixels: One picture, shape (1, height, width, channels).
        paths: Which layers, see `Passed`.
        tiles: Tiles of each picture at most.

    Raises:
        StudioError: There is no such layer.
    """
    wanted, found = set(paths), {}

    def look(passed: Passed) -> Any:  # noqa: ANN401 - a tensor
        if passed.path in wanted:
            found[passed.path] = _view(passed, tiles)
            if len(found) == len(wanted):
                raise _Enough
        return passed.output

    with contextlib.suppress(_Enough):
        forward(model, pixels, look)
    missing = sorted(wanted - set(found))
    if missing:
        raise StudioError(
            f'The model has no layer "{missing[0]}".', "Choose one of its outline.", "layers"
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
