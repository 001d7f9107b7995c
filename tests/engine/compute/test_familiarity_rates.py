"""Rates of the comparison with the training images, of networks trained for it."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from PIL import Image

from helpers.digits import SharedRuns
from studio.engine.compute.predict import PicturePredictor
from studio.engine.compute.warm_models import WarmModels
from studio.engine.inference.models import model_of_run
from studio.engine.inference.requests import PredictRequest

pytestmark = pytest.mark.thorough


@pytest.mark.parametrize("network", ["small_cnn", "lenet"])
def test_rates_of_detection_and_of_false_alarms(
    network: str, runs: SharedRuns, tmp_path: Path
) -> None:
    run = runs.train(network=network, epochs=3)
    source = model_of_run(runs.workspace, run.record)
    store, predictor = runs.store, PicturePredictor(WarmModels())
    held_out = store.images[np.concatenate([store.rows("test"), store.rows("val")])[:150]]
    shuffled = np.random.default_rng(0).permuted(held_out.reshape(len(held_out), -1), axis=1)

    def rate(images: NDArray[np.uint8]) -> float:
        paths = [tmp_path / f"{number}.png" for number in range(len(images))]
        for path, image in zip(paths, images, strict=True):
            Image.fromarray(image[:, :, 0]).save(path)
        request = PredictRequest(model=source, images=tuple(map(str, paths)))
        found = [each.familiarity for each in predictor.predict(request).predictions]
        return sum(bool(each and each.differences) for each in found) / len(found)

    assert rate(held_out) <= 0.06
    assert rate(255 - held_out) >= 0.99
    assert rate(shuffled.reshape(held_out.shape)) >= 0.9
