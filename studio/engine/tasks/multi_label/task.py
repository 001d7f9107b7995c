"""Declares the task."""

from __future__ import annotations

from studio.engine.tasks.multi_label.metrics import F1_MACRO, F1_MICRO, LABEL_ACCURACY, LOSS, MAP
from studio.engine.tasks.task import ScriptParts, Task

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
    label="Multi-label classification",
    metrics=(MAP, LOSS, F1_MICRO, F1_MACRO, LABEL_ACCURACY),
    step_metrics=("loss", "label_accuracy"),
    learning="studio.engine.compute.tasks.multi_label",
    score_metric=MAP.name,
    prediction="studio.engine.tasks.multi_label.prediction",
    activation="sigmoid",
    answers="one probability per label",
    output_names=("label", "labels"),
    linear_solver="logistic_regression",
    annotations="studio.engine.tasks.multi_label.targets",
    report="studio.engine.tasks.multi_label.report",
    script=_SCRIPT,
    output_text="One score per label, 0 to 1; a label is given from its threshold on.",
    summary="any number of labels per image",
    sample="digits_multi_label",
    refused={
        "head_solver=linear_svm": "a linear SVM gives no probabilities of labels",
        "head_solver=ridge": "ridge regression learns numbers",
    },
)
