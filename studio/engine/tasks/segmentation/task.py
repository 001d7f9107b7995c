"""Declares the task."""

from __future__ import annotations

from studio.engine.tasks.annotation_source import AnnotationFiles
from studio.engine.tasks.metric import MetricSpec, fraction_metric
from studio.engine.tasks.outputs import PIXELS
from studio.engine.tasks.task import Capabilities, ScriptParts, Task, region_refusals

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
    summary="Fraction of the pixels whose most probable class is correct.",
)


_SCRIPT = ScriptParts(
    '''
def pixels(labels, classes):
    """The class of each pixel as 0 and 1, and which pixels have one: 255 stands for no class."""
    ops = keras.ops
    labels = ops.cast(labels, "int32")
    valid = ops.cast(labels != 255, "float32")
    truth = ops.one_hot(ops.where(labels != 255, labels, 0), classes, dtype="float32")
    return truth * valid[..., None], valid


def loss(labels, outputs):
    """Cross-entropy of the pixels and Dice loss of each image."""
    ops, classes = keras.ops, outputs.shape[-1]
    truth, valid = pixels(labels, classes)
    weight = ops.sum(truth * ops.convert_to_tensor({weights}, "float32"), axis=-1)
    fractions = truth * (1 - {smoothing}) + {smoothing} / classes
    sure = ops.clip(outputs, 1e-30, 1 - 1e-7)
    entropy = weight * ops.sum(-fractions * ops.log(sure) * (1 - sure) ** {gamma}, axis=-1)
    entropy = ops.sum(entropy, axis=(1, 2)) / ops.maximum(ops.sum(valid, axis=(1, 2)), 1)
    area = ops.sum(truth, axis=(1, 2))
    both = area + ops.sum(valid[..., None] * outputs, axis=(1, 2))
    dice = 1 - 2 * ops.sum(truth * outputs, axis=(1, 2)) / ops.maximum(both, 1e-7)
    occurs = ops.cast(area > 0, "float32")
    dice = ops.sum(dice * occurs, axis=-1) / ops.maximum(ops.sum(occurs, axis=-1), 1)
    return (1 - {dice}) * entropy + {dice} * dice


class OfPixels(keras.metrics.Metric):
    """A metric of the pixels of each class: those that are right, true, and predicted."""

    def __init__(self, name, classes, measure):
        super().__init__(name=name)
        self.measure, self.classes = measure, classes
        self.counts = self.add_variable((3, classes), "zeros", name="pixels")

    def update_state(self, labels, outputs, sample_weight=None):
        ops = keras.ops
        truth, valid = pixels(labels, self.classes)
        given = ops.one_hot(ops.argmax(outputs, axis=-1), self.classes, dtype="float32")
        given = given * valid[..., None]
        sums = [ops.sum(each, (0, 1, 2)) for each in (truth * given, truth, given)]
        self.counts.assign_add(ops.stack(sums))

    def result(self):
        return self.measure(*(self.counts[at] for at in range(3)))


def mean(part, whole):
    """The mean over the classes that occur."""
    ops = keras.ops
    count = ops.maximum(ops.sum(ops.cast(whole > 0, "float32")), 1)
    return ops.sum(part / ops.maximum(whole, 1)) / count


def metrics(classes):
    ops = keras.ops
    return [
        OfPixels("mean_iou", classes, lambda r, t, p: mean(r, t + p - r)),
        OfPixels("mean_dice", classes, lambda r, t, p: mean(2 * r, t + p)),
        OfPixels("pixel_accuracy", classes, lambda r, t, p: ops.sum(r) / ops.sum(t)),
    ]
''',
    "metrics(model.output_shape[-1])",
    answers="masks",
)

SEGMENTATION = Task(
    name="segmentation",
    target_kind="masks",
    label="Segmentation",
    metrics=(MEAN_IOU, LOSS, MEAN_DICE, PIXEL_ACCURACY),
    step_metrics=(LOSS.name, PIXEL_ACCURACY.name),
    learning="studio.engine.compute.tasks.segmentation",
    view="studio.ui.tasks.segmentation.view:VIEW",
    prediction="studio.engine.tasks.segmentation.prediction",
    answers="probabilities of the classes of each pixel",
    annotations="studio.engine.tasks.segmentation.targets",
    source=AnnotationFiles("studio.engine.tasks.segmentation.formats"),
    regions="studio.engine.tasks.segmentation.geometry",
    audit="studio.engine.datasets.audit.mask_checks",
    import_fields=("mask_mode", "ignore_value"),
    report="studio.engine.tasks.segmentation.report",
    output=PIXELS,
    head="studio.engine.networks.heads.masks",
    labeling="studio.engine.labeling.editors.masks",
    advice="studio.engine.training.advice.masks",
    special_fields=("dice_weight",),
    capabilities=Capabilities(stored_features=False),
    script=_SCRIPT,
    score_metric=MEAN_IOU.name,
    output_text="A map as large as the image with one score per class and pixel; the scores of a "
    "pixel sum to 1.",
    summary="a class for each pixel",
    sample="shapes_segmentation",
    refused=region_refusals("a head with an output for each pixel is trained by gradient descent"),
    min_outputs=2,
)
