"""Declares the task."""

from __future__ import annotations

from studio.engine.tasks.annotation_source import CLASS_NAMES
from studio.engine.tasks.metric import MetricSpec, fraction_metric
from studio.engine.tasks.task import Capabilities, Task

TOP = 5

ACCURACY = fraction_metric(
    name="accuracy",
    label="Accuracy",
    validation_label="Val accuracy",
    summary="Fraction of images whose most probable class is the right one.",
)
LOSS = MetricSpec(
    name="loss",
    label="Loss",
    validation_label="Val loss",
    higher_is_better=False,
    summary="Mean cross-entropy between the predicted probabilities and the right class.",
)
TOP_5 = fraction_metric(
    name="top_5",
    label="Top-5",
    validation_label="Val top-5",
    summary="Fraction of images whose right class is among the five most probable.",
    source="Russakovsky et al., ImageNet Large Scale Visual Recognition Challenge, IJCV 2015",
    min_classes=TOP + 1,
    beside=ACCURACY.name,
)


CLASSIFICATION = Task(
    name="classification",
    target_kind="class",
    label="Classification",
    metrics=(ACCURACY, LOSS, TOP_5),
    step_metrics=("loss", "accuracy"),
    min_outputs=2,
    linear_solver="best_linear",
    probe="studio.engine.compute.probe:ClassProbe",
    learning="studio.engine.compute.tasks.classification",
    view="studio.ui.tasks.classification.view:VIEW",
    score_metric=ACCURACY.name,
    prediction="studio.engine.tasks.classification.prediction",
    summary="one class per image",
    annotations="studio.engine.tasks.classification.targets",
    report="studio.engine.tasks.classification.report",
    audit="studio.engine.datasets.audit.class_checks",
    source=CLASS_NAMES,
    labeling="studio.engine.labeling.editors.classes",
    edited="relabeled",
    capabilities=Capabilities(
        robustness=True,
        retraining=True,
        foreign_models=True,
        chance_loss=True,
        plain_script=True,
    ),
    sample="digits",
    refused={"head_solver=ridge": "ridge regression learns numbers"},
)
