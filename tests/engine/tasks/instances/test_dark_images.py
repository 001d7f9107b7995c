"""The recommended training of outlines finds objects of dark and of bright images alike."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from helpers.star_images import discs
from studio.engine.compute.build import build
from studio.engine.datasets.augment.augmenter import Augmenter
from studio.engine.datasets.summary import DatasetSummary
from studio.engine.networks.zoo import ZOO
from studio.engine.tasks.instances.task import INSTANCES
from studio.engine.training.advice.instances import ADVICE
from studio.engine.training.plan import TrainingPlan
from studio.engine.training.preprocessing import network_for
from studio.engine.training.recommendation import recommend

SIDE = 64
OBJECTS = [(16.0, 16.0, 6.0), (40.0, 44.0, 9.0), (50.0, 12.0, 3.0)]
BACKGROUND, LIGHT = 5, 20
"""Gray levels, as in images of a microscope with 8 bits."""
DRAWS = 40


def summary() -> DatasetSummary:
    return DatasetSummary(
        task="instances",
        width=SIDE,
        height=SIDE,
        channels=1,
        classes=["cell"],
        count={"train": 100, "val": 20, "test": 20},
        class_counts={"train": [100], "val": [20], "test": [20]},
        skipped=0,
        mean_color=[BACKGROUND],
    )


def recommended() -> TrainingPlan:
    dataset = summary()
    best, *_ = recommend(dataset, (), is_photo=False)
    return best.apply(TrainingPlan(dataset="cells"), dataset)


def dark_image() -> NDArray[np.uint8]:
    labels = discs((SIDE, SIDE), OBJECTS)
    random = np.random.default_rng(0)
    image = BACKGROUND + random.integers(0, 3, labels.shape)
    return (image + np.where(labels > 0, LIGHT, 0)).astype(np.uint8)[..., None]


def test_augmentation_erases_no_object_of_a_dark_image() -> None:
    image = dark_image()
    copies = np.repeat(image[None], DRAWS, axis=0)

    changed = Augmenter(recommended().augmentation, 0).changed(copies, np.arange(DRAWS), 0)

    is_object = np.sort((image >= LIGHT).ravel())
    assert [np.sort((each >= LIGHT).ravel()).tolist() for each in changed] == [
        is_object.tolist()
    ] * DRAWS


@pytest.mark.parametrize(("factor", "offset"), [(6.0, 0.0), (2.0, 60.0)])
def test_outputs_are_the_same_for_a_brighter_copy(factor: float, offset: float) -> None:
    spec = network_for(recommended(), (SIDE, SIDE, 1), 1, task=INSTANCES)
    model = build(spec, seed=0)
    image = dark_image()[None].astype(np.float32)

    dark, bright = (model.predict(each, verbose=0) for each in (image, image * factor + offset))

    np.testing.assert_allclose(dark, bright, rtol=0.05, atol=0.01)


def test_an_image_is_learned_alike_beside_any_other() -> None:
    model = build(ZOO["star_unet:filters=4,depth=2"].build((SIDE, SIDE, 1), 1), seed=0)
    image = dark_image()[None].astype(np.float32)
    both = np.concatenate([image, np.full_like(image, 255.0)])

    alone, beside = (np.asarray(model(each, training=True))[0] for each in (image, both))

    np.testing.assert_allclose(alone, beside, rtol=1e-4, atol=1e-5)


def test_networks_with_batch_normalization_get_batches() -> None:
    sizes = {
        is_pretrained: dict(ADVICE.values(summary(), is_pretrained=is_pretrained))["batch_size"]
        for is_pretrained in (True, False)
    }

    assert sizes == {True: 4, False: 1}
