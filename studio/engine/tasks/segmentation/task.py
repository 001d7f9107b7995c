"""Declares the task."""

from __future__ import annotations

from studio.engine.tasks.metric import MetricSpec, fraction_metric
from studio.engine.tasks.task import Task

INDEX, COLOR, COCO = "index", "color", "coco"
FILE_KINDS = (INDEX, COLOR, COCO)
"""Files of masks: PNG with a palette, PNG in color, and one JSON file of COCO."""
MEAN_IOU = fraction_metric(
    name="mean_iou",
    label="Mean IoU",
    validation_label="Val mean IoU",
    summary="Mean over the classes of the intersection of predicted and true pixels divided by "
    "their union.",
    source="Everingham et al., The Pascal Visual Object Classes Challenge, IJCV 2010",
)
LOSS = MetricSpec(
    name="loss",
    label="Loss",
    validation_label="Val loss",
    higher_is_better=False,
    summary="Mean cross-entropy between the predicted probabilities and the class of each pixel, "
    "or the Dice loss, or both.",
)
MEAN_DICE = fraction_metric(
    name="mean_dice",
    label="Mean Dice",
    validation_label="Val mean Dice",
    summary="Mean over the classes of twice the intersection of predicted and true pixels divided "
    "by the sum of both areas.",
    source="Dice, Measures of the amount of ecologic association between species, Ecology 1945",
)
PIXEL_ACCURACY = fraction_metric(
    name="pixel_accuracy",
    label="Pixel accuracy",
    validation_label="Val pixel accuracy",
    summary="Fraction of the pixels whose most probable class is the right one.",
)

_MIXING = "averaging two images would need masks with fractions of classes"
_FOLLOWS = "masks cannot follow its chains, which blend turned copies of an image"
_WHOLE = "a network for masks covers whole images"
_HOST = "masks are turned with their images on the processor"
_SOLVED = "a head with an output for each pixel is trained by gradient descent"

SEGMENTATION = Task(
    name="segmentation",
    label="Segmentation",
    metrics=(MEAN_IOU, LOSS, MEAN_DICE, PIXEL_ACCURACY),
    step_metrics=(LOSS.name, PIXEL_ACCURACY.name),
    learning="studio.engine.compute.tasks.segmentation",
    prediction="studio.engine.tasks.segmentation.prediction",
    answers="probabilities of the classes of each pixel",
    annotations="studio.engine.tasks.segmentation.targets",
    formats="studio.engine.tasks.segmentation.formats",
    report="studio.engine.tasks.segmentation.report",
    has_masks=True,
    file_kinds=FILE_KINDS,
    score_metric=MEAN_IOU.name,
    output_text="A map of the size of the image with one score per class and pixel; those of a "
    "pixel sum to 1.",
    summary="a class for each pixel",
    sample="shapes_segmentation",
    refused={
        "augmentation.mix_up": _MIXING,
        "augmentation.cut_mix": _MIXING,
        "augmentation.aug_mix": _FOLLOWS,
        "augmentation.crop": _WHOLE,
        "augmentation.place=device": _HOST,
        "head_solver=logistic_regression": _SOLVED,
        "head_solver=linear_svm": _SOLVED,
        "head_solver=ridge": _SOLVED,
    },
    fewest_outputs=2,
)
