"""Declares the task."""

from __future__ import annotations

from studio.engine.tasks.annotation_source import TargetColumns
from studio.engine.tasks.metric import MetricSpec, fraction_metric
from studio.engine.tasks.task import ScriptParts, Task

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
    summary="F1 of all labels of all images together, at a threshold of 0.5.",
)
F1_MACRO = fraction_metric(
    name="f1_macro",
    label="F1 macro",
    validation_label="Val F1 macro",
    summary="Mean F1 of the labels, at a threshold of 0.5.",
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


_SCRIPT = ScriptParts(
    '''
def loss(labels, outputs):
    """Binary cross-entropy with label smoothing, the focal factor and weights of labels."""
    ops = keras.ops
    truth = ops.cast(labels, outputs.dtype) * (1 - {smoothing}) + {smoothing} / 2
    sure = ops.clip(outputs, 1e-7, 1 - 1e-7)
    present = truth * ops.log(sure) * (1 - sure) ** {gamma}
    present = present * ops.convert_to_tensor({weights}, "float32")
    absent = (1 - truth) * ops.log(1 - sure) * sure**{gamma}
    return -ops.mean(present + absent, axis=-1)
''',
    """[
            keras.metrics.AUC(
                curve="PR", multi_label=True, num_labels=model.output.shape[-1], name="map"
            ),
            keras.metrics.F1Score(average="micro", threshold=0.5, name="f1_micro"),
            keras.metrics.F1Score(average="macro", threshold=0.5, name="f1_macro"),
            keras.metrics.BinaryAccuracy(name="label_accuracy"),
        ]""",
)

MULTI_LABEL = Task(
    name="multi_label",
    target_kind="labels",
    label="Multi-label classification",
    metrics=(MAP, LOSS, F1_MICRO, F1_MACRO, LABEL_ACCURACY),
    step_metrics=("loss", "label_accuracy"),
    learning="studio.engine.compute.tasks.multi_label",
    view="studio.ui.tasks.multi_label.view:VIEW",
    score_metric=MAP.name,
    prediction="studio.engine.tasks.multi_label.prediction",
    activation="sigmoid",
    answers="one probability per label",
    output_names=("label", "labels"),
    linear_solver="logistic_regression",
    annotations="studio.engine.tasks.multi_label.targets",
    report="studio.engine.tasks.multi_label.prediction",
    script=_SCRIPT,
    output_text="One score per label, 0 to 1; a label is given from its threshold on.",
    labeling="studio.engine.labeling.editors.labels",
    summary="any number of labels per image",
    sample="digits_multi_label",
    source=TargetColumns(joins_rows=True),
    refused={
        "head_solver=best_linear": "only logistic regression gives probabilities of labels",
        "head_solver=linear_svm": "a linear SVM gives no probabilities of labels",
        "head_solver=ridge": "ridge regression learns numbers",
    },
)
