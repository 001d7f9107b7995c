"""Recommendations for objects with masks."""

from __future__ import annotations

import math

from studio.engine.datasets.augment.plan import AugmentationPlan
from studio.engine.datasets.summary import DatasetSummary
from studio.engine.jobs.devices import multiplies_bfloat16
from studio.engine.messages import joined, message
from studio.engine.tasks.object_facts import (
    DIAMETER,
    LARGE_DIAMETER,
    OBJECTS,
    SMALL_DIAMETER,
    STAR_SHARE,
)
from studio.engine.tasks.outputs import OBJECT_MASKS, Output
from studio.engine.tasks.task import Task
from studio.engine.training.advice.task_advice import TaskAdvice, Values, takes
from studio.engine.training.advisor import TrainingAdvice
from studio.engine.training.precision import BFLOAT16
from studio.engine.training.recipes import FINE_TUNE_ALL, Recipe

STAR_VALUES = (
    ("learning_rate", 0.001),
    ("global_clipnorm", 10.0),
    ("early_stopping_patience", 0),
    ("backbone_rate", 1.0),
    ("head_rate", 1.0),
)
"""The metric rises until the last epochs, in which the rate falls."""
_ON_BACKBONE = {"batch_size": 4, "learning_rate": 0.002}
"""Networks on a backbone have batch normalization, which needs several images."""
_SHOWN = 12_500
"""Images of 256 x 256 pixels that are shown during training, or as many pixels of larger ones or
in crops: half an hour on two cores."""
_SIDE = 256
"""Side of these images."""
_FASTER = 1.3
"""Factor of it where the processor computes the convolutions in bfloat16."""
_SMALLEST_CROP, _CROP_STEP = 128, 32
"""Side of the smallest crops in pixels, and what sides are multiples of."""
_OBJECTS_ACROSS = 2
"""Large objects that have room side by side in a crop."""
_CROPS = 4
"""Crops that a step learns from: parts of several images instead of all of one."""
_DEEP_FROM, _COARSE_FROM = 100, 40
"""Diameters in pixels from which on a network needs another level, and finds all objects on a grid
of 4 pixels."""
_STAR_LIKE = 0.9
"""Share of the area of an object that its outline has to cover."""
_MOST_MASKS = 60
"""Objects of an image, on average, up to which masks of detected objects are recommended: at most
100 of an image are found."""
_MASK_VALUES = {"batch_size": 8, "learning_rate": 0.003}
"""The detector has batch normalization, which needs several images."""
_FEWEST_EPOCHS, _MOST_EPOCHS = 12, 300
"""Of whole images, or of crops that cover them."""
_AUGMENTATION = {
    "whitening": True,
    "horizontal_flip": True,
    "vertical_flip": True,
    "quarter_turns": "all",
}
"""Images are whitened instead of changed in brightness and contrast: darker copies of dark images
lose their objects, because pixels below 0 become 0."""


class InstanceAdvice(TaskAdvice):
    """Recommendations for outlines at the positions of a grid, or masks of detected objects."""

    def output(self, task: Task, dataset: DatasetSummary) -> Output:
        """Return masks for few objects of any shape, and outlines otherwise; see `TaskAdvice`."""
        return OBJECT_MASKS if _needs_masks(dataset) else task.output

    def networks(self, dataset: DatasetSummary, *, is_photo: bool) -> list[str]:  # noqa: ARG002
        """Return networks by number, size and shape of the objects; see `TaskAdvice.networks`."""
        facts = dataset.facts
        names = ["star_unet", "star_unet:depth=2", "star_unet:depth=1"]
        options = []
        if facts.get(LARGE_DIAMETER, 0) > _DEEP_FROM:
            options.append("depth=4")
        if facts.get(SMALL_DIAMETER, 0) > _COARSE_FROM:
            options.append("stride=4")
        if options:
            names.insert(0, f"star_unet:{','.join(options)}")
        if _needs_masks(dataset):
            is_coarse = facts.get(SMALL_DIAMETER, 0) > _COARSE_FROM
            masks = ["small_masks", "small_masks:finest=4"]
            names = [*(masks if is_coarse else masks[::-1]), *names]
        return [name for name in names if takes(name, dataset)][:1]

    def reason(self, dataset: DatasetSummary) -> str:
        """Return number, size and shape of the objects; see `TaskAdvice.reason`."""
        facts = dataset.facts
        if DIAMETER not in facts:
            return ""
        sizes = message(
            "An image has {objects:.0f} objects on average; most are {small:.0f} to {large:.0f} "
            "pixels wide.",
            objects=facts[OBJECTS],
            small=facts[SMALL_DIAMETER],
            large=facts[LARGE_DIAMETER],
        )
        share = facts.get(STAR_SHARE, 1.0)
        if share >= _STAR_LIKE:
            shape = message(
                "Outlines of 32 corners cover {share:.0f} % of their areas.", share=100 * share
            )
        elif _needs_masks(dataset):
            shape = message(
                "Outlines of 32 corners would cover only {share:.0f} % of their areas, so each "
                "object gets a mask of any shape.",
                share=100 * share,
            )
        else:
            shape = message(
                "Outlines of 32 corners cover only {share:.0f} % of their areas: bent and "
                "branched objects will be cut. There are too many for masks of any shape: an "
                "image gets at most 100.",
                share=100 * share,
            )
        return joined((sizes, shape))

    def recipe(self, advice: TrainingAdvice) -> Recipe:  # noqa: ARG002 - each position is an example
        """Return the recipe for any number of images; see `TaskAdvice.recipe`."""
        return FINE_TUNE_ALL

    def values(self, dataset: DatasetSummary, *, is_pretrained: bool) -> Values:
        """Return settings by the number of images; see `TaskAdvice.values`."""
        needs_masks = _needs_masks(dataset)
        crop = 0 if is_pretrained or needs_masks else _crop_for(dataset)
        crops = dataset.height * dataset.width / crop**2 if crop else 1.0
        is_faster = not is_pretrained and multiplies_bfloat16()
        shown = _SHOWN * (_FASTER if is_faster else 1.0)
        larger = max(1.0, dataset.height * dataset.width / _SIDE**2)
        epochs = shown / larger / max(1, dataset.count["train"])
        epochs = min(_MOST_EPOCHS, max(_FEWEST_EPOCHS, epochs))
        plan = AugmentationPlan.parse(_AUGMENTATION | {"crop": crop})
        values = {
            **dict(STAR_VALUES),
            "batch_size": _CROPS if crop else 1,
            "epochs": round(epochs * crops),
            # Whole images are validated as often as if they were trained on.
            "validation_interval_epochs": max(1.0, round(crops)),
            "augmentation": plan.model_dump(),
            **({"precision": BFLOAT16} if is_faster else {}),
        }
        if needs_masks:
            values |= _MASK_VALUES
        return tuple((values | (_ON_BACKBONE if is_pretrained else {})).items())


def _needs_masks(dataset: DatasetSummary) -> bool:
    """Return True for few objects that star-convex outlines do not cover."""
    facts = dataset.facts
    is_bent = facts.get(STAR_SHARE, 1.0) < _STAR_LIKE
    return is_bent and facts.get(OBJECTS, 0) <= _MOST_MASKS


def _crop_for(dataset: DatasetSummary) -> int:
    """Return the side of the crops to train on; 0 for whole images, where those are small.

    Steps on parts of several images learn more in the same time than steps on one whole image.
    """
    large = dataset.facts.get(LARGE_DIAMETER, 0)
    side = max(_SMALLEST_CROP, _CROP_STEP * math.ceil(_OBJECTS_ACROSS * large / _CROP_STEP))
    return side if 2 * side <= min(dataset.height, dataset.width) else 0


ADVICE = InstanceAdvice()
