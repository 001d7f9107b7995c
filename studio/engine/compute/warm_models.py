"""Models of recent questions, kept loaded."""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass
from pathlib import Path

import keras
import numpy as np

from studio.engine.compute.models import load_model, score
from studio.engine.datasets.recipe import DatasetRecipe
from studio.engine.errors import BadDataError
from studio.engine.inference.model_source import ModelSource

WARM_MODELS = 4


@dataclass(frozen=True, slots=True)
class WarmModel:
    """A model that answers at once.

    Attributes:
        model: Takes uint8 pixels, shape (n, height, width, channels).
        recipe: How pictures are fitted for it.
        classes: Names of its outputs.
    """

    model: keras.Model
    recipe: DatasetRecipe
    classes: list[str]


class WarmModels:
    """Keeps the last few models loaded; a file that changed is loaded again."""

    def __init__(self) -> None:
        self._warm: OrderedDict[tuple[str, int], WarmModel] = OrderedDict()

    def get(self, source: ModelSource) -> WarmModel:
        """A model, loaded and compiled.

        Raises:
            BadDataError: It cannot be opened, or is no classifier of images.
        """
        path = Path(source.file)
        if not path.is_file():
            raise BadDataError(f"There is no model at {path}.", "Train the network first.")
        key = (source.model_dump_json(), path.stat().st_mtime_ns)
        if key not in self._warm:
            self._warm[key] = load_warm(source)
            while len(self._warm) > WARM_MODELS:
                self._warm.popitem(last=False)
        self._warm.move_to_end(key)
        return self._warm[key]


def load_warm(source: ModelSource) -> WarmModel:
    """Load a model and let it compile, before anybody waits.

    Raises:
        BadDataError: It cannot be opened, is no classifier of images, or does not fit what is
            told of it.
    """
    model = load_model(Path(source.file))
    shape, outputs = _image_shape(model, source.file), _outputs(model, source.file)
    recipe = source.recipe or DatasetRecipe(
        source="", width=shape[1], height=shape[0], color="gray" if shape[2] == 1 else "rgb"
    )
    wanted = (recipe.height, recipe.width, recipe.channels)
    if wanted != shape or (source.classes and len(source.classes) != outputs):
        raise BadDataError(
            f"The model {source.file} takes images of {'x'.join(map(str, shape))} and knows "
            f"{outputs} classes; it is to be used with {'x'.join(map(str, wanted))} and "
            f"{len(source.classes) or outputs} classes.",
            "Choose the dataset that it was trained on.",
            "model",
        )
    score(model, np.zeros((1, *shape), np.uint8))
    return WarmModel(model, recipe, list(source.classes or map(str, range(outputs))))


def _image_shape(model: keras.Model, file: str) -> tuple[int, int, int]:
    shape = getattr(model, "input_shape", None)
    if (
        not isinstance(shape, tuple)
        or len(shape) != 4
        or not all(isinstance(side, int) for side in shape[1:])
        or shape[3] not in (1, 3)
    ):
        raise BadDataError(
            f"The model {file} does not take images of one size: its input is {shape}.",
            "Choose a classifier of gray or color images with a fixed size.",
            "model",
        )
    return shape[1], shape[2], shape[3]


def _outputs(model: keras.Model, file: str) -> int:
    shape = getattr(model, "output_shape", None)
    if not isinstance(shape, tuple) or len(shape) != 2 or not isinstance(shape[1], int):
        raise BadDataError(
            f"The model {file} does not answer with one score per class: its output is {shape}.",
            "Choose a classifier, which ends in a softmax.",
            "model",
        )
    return shape[1]
