"""Training scripts as text: they are Python, say what the plan says, and what they leave out."""

from __future__ import annotations

import pytest

from studio.engine.errors import StudioError
from studio.engine.exporting.script import training_script
from studio.engine.networks.zoo import ZOO
from studio.engine.tasks.classification.task import CLASSIFICATION
from studio.engine.training.plan import TrainingPlan

SPLITS = {"train": 100, "val": 20, "test": 10}


def script(network: str = "lenet", stride: int | None = None, **fields: object) -> str:
    plan = TrainingPlan.parse({"dataset": "d", **fields})
    height, width = ZOO[network].default_input[:2]
    spec = ZOO[network].build((height, width, 1), 10)
    weights = [1.0] * 10 if plan.class_balancing == "class_weights" else None
    text = training_script(
        plan, spec, CLASSIFICATION, run='a "run"', splits=SPLITS, weights=weights, stride=stride
    )
    compile(text, "train.py", "exec")
    return text


def test_a_plain_run_is_plain_code() -> None:
    text = script(epochs=7, batch_size=16, seed=3, optimizer="sgd")
    for line in ("EPOCHS = 7", "BATCH_SIZE = 16", "SEED = 3", "keras.optimizers.SGD("):
        assert line in text
    assert 'loss="sparse_categorical_crossentropy"' in text
    assert "learning_rate=0.001" in text
    assert 'model.load_weights("best.weights.h5")' in text
    assert text.count("* ") == 1 + text.count("* BATCH")  # one difference: what is random


def test_every_plan_setting_is_written_or_named_as_missing() -> None:
    text = script(
        stride=2,
        schedule="cosine",
        label_smoothing=0.1,
        focal_gamma=2.0,
        class_balancing="class_weights",
        ema_momentum=0.99,
        early_stopping_patience=4,
        monitor="val_loss",
        precision="mixed_float16",
        clipnorm=1.0,
        gradient_accumulation_steps=2,
        shuffle=False,
        weights="imagenet",
        head_rate=10,
        plateau_patience=3,
        validation_interval_epochs=0.5,
        augmentation={"rotation": 10, "horizontal_flip": True},
    )
    for part in (
        "learning_rate=Rates()",
        "(1 - sure) ** 2.0",
        "SwapEMAWeights",
        "EarlyStopping(",
        'mode="min"',
        'set_dtype_policy("mixed_float16")',
        "LossScaleOptimizer(",
        "clipnorm=1.0",
        "gradient_accumulation_steps=2",
        "shuffle=False",
        "starts at random",
        "augmented (horizontal_flip, rotation)",
        "individual learning rates",
        "follows its table",
        "every 0.5 epochs",
    ):
        assert part in text


def test_auxiliary_heads_are_trained_too() -> None:
    text = script("googlenet")
    assert "network.training_model" in text
    assert "loss_weights=[1.0, 0.3, 0.3]" in text
    assert "[labels] * 3" in text


def test_what_no_script_repeats_is_refused() -> None:
    with pytest.raises(StudioError, match="no epochs that a script could repeat"):
        script(head_solver="linear_svm")
