"""Recommendations for boxes."""

from __future__ import annotations

from studio.engine.datasets.augment.plan import AugmentationPlan
from studio.engine.datasets.summary import DatasetSummary
from studio.engine.training.advice.task_advice import TaskAdvice, Values, takes
from studio.engine.training.advisor import TrainingAdvice
from studio.engine.training.recipes import FINE_TUNE_ALL, Recipe

BOX_VALUES = (
    ("batch_size", 8),
    ("learning_rate", 0.001),
    ("global_clipnorm", 10.0),
    ("early_stopping_patience", 0),
    ("backbone_rate", 1.0),
    ("head_rate", 1.0),
)
"""Each image has thousands of positions, so small batches suffice, and all layers learn at full
rate. The metric rises until the last epochs, in which the rate falls: stopping early would lose
them. Measured with BCCD (205 images, MobileNetV2 of ImageNet, 320 px): AP50 0.85 to 0.88 on its
test images after 12 epochs."""
_BOX_EPOCHS = ((150, 100), (600, 60), (2_500, 30))
"""Largest number of training images, and the epochs for them."""
_FEWEST_BOX_EPOCHS = 12
_FROM_SCRATCH = {"learning_rate": 0.002}
_CROPS_FROM_SCRATCH = 25.0
_LONGER_FROM_SCRATCH = 1.5
"""Factor of the epochs without pretrained weights. Measured with the sample of drawn shapes (420
images of 128x128 pixels, small detector): mAP 0.79 on its validation images after 40 of 100
epochs, 0.86 after 80 and 0.87 at the end, which took 337 seconds of processor time."""
_BOX_AUGMENTATION = {
    "horizontal_flip": True,
    "object_crop": 50.0,
    "brightness": 10.0,
    "contrast": 20.0,
}
_FEW_WITH_BOXES = 150
"""Largest number of training images for which mosaics are used: these are trained for many epochs.
In 12 epochs of BCCD, mosaics cost two points of mAP."""


class BoxAdvice(TaskAdvice):
    """Recommendations for networks with boxes at many positions."""

    def networks(self, dataset: DatasetSummary, *, is_photo: bool) -> list[str]:  # noqa: ARG002
        """Return detectors for the size of the images; see `TaskAdvice.networks`."""
        fine = "small_detector:finest=4"  # takes smaller images
        small = next((each for each in ("small_detector", fine) if takes(each, dataset)), fine)
        return [name for name in (small, "detector_light") if takes(name, dataset)]

    def recipe(self, advice: TrainingAdvice) -> Recipe:  # noqa: ARG002 - each position is an example
        """Return the recipe for any number of images; see `TaskAdvice.recipe`."""
        return FINE_TUNE_ALL

    def values(self, dataset: DatasetSummary, *, is_pretrained: bool) -> Values:
        """Return settings by the number of images; see `TaskAdvice.values`."""
        return box_values(dataset.count["train"], is_pretrained=is_pretrained)


def box_values(images: int, *, is_pretrained: bool = True) -> Values:
    """Return further fields for a dataset with boxes.

    Args:
        images: Number of training images.
        is_pretrained: True if the training starts from weights that have seen images.
    """
    epochs = next((epochs for most, epochs in _BOX_EPOCHS if images <= most), _FEWEST_BOX_EPOCHS)
    values = dict(BOX_VALUES)
    augmentation = dict(_BOX_AUGMENTATION)
    if not is_pretrained:
        epochs = round(epochs * _LONGER_FROM_SCRATCH)
        values |= _FROM_SCRATCH
        augmentation["object_crop"] = _CROPS_FROM_SCRATCH
    if images <= _FEW_WITH_BOXES:
        augmentation["mosaic"] = 50.0
    plan = AugmentationPlan.parse(augmentation)
    return (*values.items(), ("epochs", epochs), ("augmentation", plan.model_dump()))


ADVICE = BoxAdvice()
