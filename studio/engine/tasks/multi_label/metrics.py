"""The metrics of multi-label classification while a network trains."""

from __future__ import annotations

from studio.engine.tasks.metric import MetricSpec, fraction_metric

MAP = fraction_metric(
    name="map",
    label="mAP",
    validation_label="Val mAP",
    summary="Mean over the labels of the area under their precision-recall curves.",
)
F1_MICRO = fraction_metric(
    name="f1_micro",
    label="F1 micro",
    validation_label="Val F1 micro",
    summary="F1 of all labels of all images together, at a threshold of one half.",
)
F1_MACRO = fraction_metric(
    name="f1_macro",
    label="F1 macro",
    validation_label="Val F1 macro",
    summary="Mean F1 of the labels, at a threshold of one half.",
)
LABEL_ACCURACY = fraction_metric(
    name="label_accuracy",
    label="Label accuracy",
    validation_label="Val label accuracy",
    summary="Fraction of all decisions about a label of an image that are right.",
)
LOSS = MetricSpec(
    name="loss",
    label="Loss",
    validation_label="Val loss",
    higher_is_better=False,
    summary="Mean binary cross-entropy between predicted probabilities and labels.",
)
