"""Declares the task."""

from __future__ import annotations

from studio.engine.tasks.regression.metrics import LOSS, MAE, R2, RMSE
from studio.engine.tasks.task import ScriptParts, Task

_NO_CLASSES = "there are no classes in regression"

_SCRIPT = ScriptParts(
    '''
DEVIATION = np.load("data.npz")["train_targets"].std(axis=0, dtype="float64")
DEVIATION[DEVIATION < np.finfo("float32").tiny] = 1.0  # a target that never changes


def loss(labels, outputs):
    """Squared error in standard deviations of the training targets."""
    ops = keras.ops
    error = outputs - ops.cast(labels, outputs.dtype)
    error = error / ops.cast(DEVIATION, outputs.dtype)
    return ops.mean(ops.square(error), axis=-1)
''',
    """[
            keras.metrics.MeanAbsoluteError(name="mae"),
            keras.metrics.RootMeanSquaredError(name="rmse"),
            keras.metrics.R2Score(name="r2"),
        ]""",
)

REGRESSION = Task(
    name="regression",
    label="Regression",
    metrics=(MAE, LOSS, RMSE, R2),
    step_metrics=("loss", "mae"),
    learning="studio.engine.compute.tasks.regression",
    score_metric=R2.name,
    prediction="studio.engine.tasks.regression.prediction",
    activation="linear",
    answers="numbers",
    output_names=("quantity", "quantities"),
    linear_solver="ridge",
    annotations="studio.engine.tasks.regression.targets",
    report="studio.engine.tasks.regression.report",
    script=_SCRIPT,
    output_text="One number per quantity, in its unit.",
    summary="one or more numbers per image",
    sample="digits_regression",
    refused={
        "head_solver=logistic_regression": "logistic regression learns classes",
        "head_solver=linear_svm": "a linear SVM learns classes",
        "label_smoothing": _NO_CLASSES,
        "focal_gamma": _NO_CLASSES,
        "balance": _NO_CLASSES,
    },
)
