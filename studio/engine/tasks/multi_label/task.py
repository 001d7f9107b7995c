"""Declares the task."""

from __future__ import annotations

from studio.engine.tasks.multi_label.metrics import F1_MACRO, F1_MICRO, LABEL_ACCURACY, LOSS, MAP
from studio.engine.tasks.task import Task

MULTI_LABEL = Task(
    name="multi_label",
    label="Multi-label classification",
    metrics=(MAP, LOSS, F1_MICRO, F1_MACRO, LABEL_ACCURACY),
    step_metrics=("loss", "label_accuracy"),
    learning="studio.engine.compute.tasks.multi_label",
    prediction="studio.engine.tasks.multi_label.prediction",
    activation="sigmoid",
    answers="one probability per label",
    output_names=("label", "labels"),
    annotations="studio.engine.tasks.multi_label.targets",
    report="studio.engine.tasks.multi_label.report",
    output_text="One score per label, 0 to 1; a label is given from its threshold on, see "
    "`labels.json`.",
    summary="any number of labels per image",
    sample="digits_multi_label",
    refused={
        "head_solver": "linear solvers learn one class per image",
        "balance=sampling": "an image counts for several labels, so labels cannot be drawn "
        "equally often; weights in the loss can balance them",
    },
)
