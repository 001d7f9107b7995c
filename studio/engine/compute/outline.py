"""Which layers a model has, and which of them say most."""

from __future__ import annotations

import math
import weakref
from dataclasses import dataclass
from typing import Any

import keras
import numpy as np

from studio.engine.compute.forward import Passed, paths_of
from studio.engine.compute.warm_models import WarmModel, WarmModels
from studio.engine.inference.questions import LayerOutline, Outline, OutlineRequest


class Outliner:
    """Outlines models, each once while it is warm.

    Args:
        models: Where models are kept warm.
    """

    def __init__(self, models: WarmModels) -> None:
        self._models = models
        self._known: weakref.WeakKeyDictionary[keras.Model, Outline] = weakref.WeakKeyDictionary()

    def answer(self, request: OutlineRequest) -> Outline:
        """The layers of a model.

        Raises:
            BadDataError: The model cannot be opened.
            StudioError: It is a class of its own, whose layers only its code knows.
        """
        return self.of(self._models.get(request.model))

    def of(self, loaded: WarmModel) -> Outline:
        """The same for a model that is open."""
        if loaded.model not in self._known:
            self._known[loaded.model] = outline(loaded.model)
        return self._known[loaded.model]


@dataclass(frozen=True, slots=True)
class _Step:
    """A layer with what came out of it, and where what went in came from."""

    passed: Passed
    sources: tuple[str, ...]
    shape: tuple[int, ...]


def outline(model: keras.Model) -> Outline:
    """The layers of a model, found by running a black picture through it.

    Raises:
        StudioError: It is a class of its own, whose layers only its code knows.
    """
    steps = _steps(model)
    return Outline(
        layers=tuple(
            LayerOutline(
                path=step.passed.path,
                kind=type(step.passed.layer).__name__,
                shape=step.shape,
                parameters=_parameters(step.passed.layer),
                has_map=_has_map(step),
            )
            for step in steps
        ),
        parameters=model.count_params(),
        explained=_explained(steps),
        features=_features(steps),
    )


def _steps(model: keras.Model) -> list[_Step]:
    blank = np.zeros((1, *model.input_shape[1:]), np.uint8)
    steps: list[_Step] = []
    made_by: dict[int, str] = {}
    # All tensors stay until the end, so that no two of them have the same id.
    every = paths_of(model, blank)
    for passed in every:
        outputs = keras.tree.flatten(passed.output)
        sources = tuple(made_by[id(each)] for each in passed.inputs if id(each) in made_by)
        made_by.update({id(each): passed.path for each in outputs})
        shape = tuple(int(side) for side in outputs[0].shape[1:]) if outputs else ()
        steps.append(_Step(passed, sources, shape))
    return steps


def _parameters(layer: Any) -> int:  # noqa: ANN401 - a layer, or an operation, which has none
    return sum(math.prod(weight.shape) for weight in getattr(layer, "weights", ()))


def _has_map(step: _Step) -> bool:
    return len(step.shape) == 3 and _places(step) > 1


def _places(step: _Step) -> int:
    order = getattr(step.passed.layer, "data_format", None) or keras.config.image_data_format()
    return math.prod(step.shape[1:] if order == "channels_first" else step.shape[:2])


def _explained(steps: list[_Step]) -> str:
    """The last layer that gives maps of the size of the last convolution's.

    After a convolution come its normalization, its activation and the sum with what went around
    it; the head sees only what all of these make of it.
    """
    convolutions = [
        at
        for at, step in enumerate(steps)
        if "Conv" in type(step.passed.layer).__name__ and _has_map(step)
    ]
    if not convolutions:
        return ""
    last = steps[convolutions[-1]]
    after = [
        step
        for step in steps[convolutions[-1] :]
        if _has_map(step) and _places(step) == _places(last)
    ]
    return after[-1].passed.path


def _features(steps: list[_Step]) -> str:
    """What goes into the last layer with weights; that layer itself where nothing does."""
    learning = [step for step in steps if getattr(step.passed.layer, "weights", None)]
    if not learning:
        return steps[-1].passed.path
    return learning[-1].sources[0] if learning[-1].sources else learning[-1].passed.path
