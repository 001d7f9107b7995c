"""Declares the task."""

from __future__ import annotations

from studio.engine.tasks.metric import MetricSpec
from studio.engine.tasks.task import ScriptParts, Task

MAE = MetricSpec(
    name="mae",
    label="MAE",
    validation_label="Val MAE",
    higher_is_better=False,
    summary="Mean absolute difference between predicted and true values, over all targets.",
)
RMSE = MetricSpec(
    name="rmse",
    label="RMSE",
    validation_label="Val RMSE",
    higher_is_better=False,
    summary="Root of the mean squared difference between predicted and true values.",
)
LOSS = MetricSpec(
    name="loss",
    label="Loss",
    validation_label="Val loss",
    higher_is_better=False,
    summary="Mean squared error in standard deviations of the training targets.",
)
R2 = MetricSpec(
    name="r2",
    label="R²",
    validation_label="Val R²",
    higher_is_better=True,
    summary="Fraction of the variance of the targets that is explained: 1 is perfect, 0 is as "
    "good as always predicting the mean.",
)


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
    target_kind="numbers",
    label="Regression",
    metrics=(MAE, LOSS, RMSE, R2),
    step_metrics=("loss", "mae"),
    learning="studio.engine.compute.tasks.regression",
    view="studio.ui.tasks.regression.view:VIEW",
    score_metric=R2.name,
    prediction="studio.engine.tasks.regression.targets",
    activation="linear",
    answers="numbers",
    output_names=("quantity", "quantities"),
    linear_solver="ridge",
    annotations="studio.engine.tasks.regression.targets",
    report="studio.engine.tasks.regression.targets",
    script=_SCRIPT,
    output_text="One number per quantity, in its unit.",
    summary="one or more numbers per image",
    labeling="studio.engine.labeling.editors.numbers",
    sample="digits_regression",
    refused={
        "head_solver=best_linear": "linear classifiers learn classes",
        "head_solver=logistic_regression": "logistic regression learns classes",
        "head_solver=linear_svm": "a linear SVM learns classes",
        "label_smoothing": _NO_CLASSES,
        "focal_gamma": _NO_CLASSES,
        "class_balancing": _NO_CLASSES,
    },
)
