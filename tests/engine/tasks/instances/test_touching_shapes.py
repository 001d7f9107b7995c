"""A small network tells touching shapes apart: of 1,000 pairs none is merged."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from helpers.star_images import discs
from studio.engine.compute.backends.prepare import prepare_backend
from studio.engine.tasks.annotations import Instances

prepare_backend("tensorflow", deterministic=False, seed=0, threads=None)

import keras  # noqa: E402

from studio.engine.compute.build import build  # noqa: E402
from studio.engine.compute.tasks.instances import StarLoss  # noqa: E402
from studio.engine.networks.zoo import ZOO  # noqa: E402
from studio.engine.tasks.calibration import Calibration  # noqa: E402
from studio.engine.tasks.instances.report import REPORTER  # noqa: E402
from studio.engine.tasks.instances.star_targets import star_targets  # noqa: E402

SIDE = 64
PAIRS = 1000


def drawn(random: np.random.Generator) -> tuple[NDArray[np.uint8], Instances]:
    """Draw two discs of about the same gray that touch or overlap a little."""
    radii = random.uniform(7, 13, 2)
    angle, apart = random.uniform(0, 2 * np.pi), radii.sum() * random.uniform(0.86, 1.0)
    center = random.uniform(SIDE / 2 - 3, SIDE / 2 + 3, 2)
    step = apart / 2 * np.array([np.cos(angle), np.sin(angle)])
    circles = [
        (*(center - step).tolist(), float(radii[0])),
        (*(center + step).tolist(), float(radii[1])),
    ]
    labels = discs((SIDE, SIDE), circles)
    gray = np.where(labels > 0, 150, 40) + random.normal(0, 8, labels.shape)
    return np.clip(gray, 0, 255).astype(np.uint8)[..., None], labels


@pytest.mark.slow
@pytest.mark.thorough
def test_no_pair_of_touching_discs_is_merged() -> None:
    random = np.random.default_rng(0)
    model = build(ZOO["star_unet:filters=8,features=32"].build((SIDE, SIDE, 1), 1), seed=0)
    steps = 500
    rates = keras.optimizers.schedules.CosineDecay(0.003, steps)
    model.compile(keras.optimizers.Adam(rates), StarLoss())
    for _ in range(steps):
        images, labels = zip(*(drawn(random) for _ in range(8)), strict=True)
        model.train_on_batch(np.stack(images), np.stack([star_targets(each) for each in labels]))

    images, truth = zip(*(drawn(random) for _ in range(PAIRS)), strict=True)
    outputs = model.predict(np.stack(images), batch_size=50, verbose=0)
    calibration = Calibration(thresholds=(0.4,))
    evidence = REPORTER.evidence(REPORTER.decoded(outputs, (SIDE, SIDE)), np.stack(truth), 1)
    found = REPORTER.measure(evidence, np.stack(truth), calibration).whole

    assert found["merged_objects"] == 0
    assert found["matched_50"] > 0.99
