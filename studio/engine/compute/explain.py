"""Answers what in a picture an answer depends on."""

from __future__ import annotations

import time
from collections import OrderedDict
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from studio.engine.compute.grad_cam import grad_cam
from studio.engine.compute.models import score
from studio.engine.compute.occlusion import Occlusion
from studio.engine.compute.outline import Outliner
from studio.engine.compute.pictures import covered, fitted
from studio.engine.compute.warm_models import WarmModel, WarmModels
from studio.engine.errors import StudioError, did_you_mean
from studio.engine.inference.pictures import as_png
from studio.engine.inference.questions import ExplainAnswer, ExplainRequest, HeatMap

SLICE_SECONDS = 0.5
"""How long an occlusion goes on for one question: others wait no longer."""
AT_WORK = 4
"""Occlusions that are remembered while they are not done."""


class Explainer:
    """Makes heat maps.

    Args:
        models: Where models are kept warm.
        outliner: Knows which layer to look at.
    """

    def __init__(self, models: WarmModels, outliner: Outliner) -> None:
        self._models = models
        self._outliner = outliner
        self._at_work: OrderedDict[tuple[str, int, int], Occlusion] = OrderedDict()

    def answer(self, request: ExplainRequest) -> ExplainAnswer:
        """Explain an answer, or go on with it; see `ExplainAnswer`.

        Raises:
            BadDataError: The model or the picture cannot be opened.
            StudioError: There is no such class or layer, or none that Grad-CAM can look at.
        """
        began = time.perf_counter()
        loaded = self._models.get(request.model)
        pixels = fitted(request.image, loaded.recipe)
        scores = score(loaded.model, pixels[None])[0]
        index = _class_index(request.label, loaded.classes, scores)
        shared = {
            "label": loaded.classes[index],
            "score": float(scores[index]),
            "method": request.method,
            "picture": as_png(pixels),
            "covers": covered(request.image, loaded.recipe),
        }
        if request.method == "occlusion":
            work = self._occlusion(request, loaded, pixels, index)
            return ExplainAnswer(
                **shared,
                layer="",
                heat=HeatMap.of(work.falls()),
                milliseconds=work.seconds * 1000,
                done=work.done,
                total=work.total,
            )
        layer = request.layer or self._layer(loaded)
        heat = HeatMap.of(grad_cam(loaded.model, pixels[None], index, layer))
        spent = (time.perf_counter() - began) * 1000
        return ExplainAnswer(**shared, layer=layer, heat=heat, milliseconds=spent)

    def _layer(self, loaded: WarmModel) -> str:
        path = self._outliner.of(loaded).explained
        if not path:
            raise StudioError(
                "This network has no convolution that Grad-CAM could look at.",
                "Cover the picture part by part instead (occlusion), which any network allows.",
                "method",
            )
        return path

    def _occlusion(
        self,
        request: ExplainRequest,
        loaded: WarmModel,
        pixels: NDArray[np.uint8],
        index: int,
    ) -> Occlusion:
        """The occlusion of a question, as far as it is now; once done it is forgotten."""
        times = [Path(each).stat().st_mtime_ns for each in (request.model.file, request.image)]
        key = (request.model_dump_json(), times[0], times[1])
        work = self._at_work.pop(key, None) or Occlusion(loaded.model, pixels, index)
        work.go_on(SLICE_SECONDS)
        if work.done < work.total:
            self._at_work[key] = work
            while len(self._at_work) > AT_WORK:
                self._at_work.popitem(last=False)
        return work


def _class_index(label: str, classes: list[str], scores: NDArray[np.float32]) -> int:
    if not label:
        return int(scores.argmax())
    if label not in classes:
        raise StudioError(
            f'The model knows no class "{label}".', did_you_mean(label, classes), "label"
        )
    return classes.index(label)
