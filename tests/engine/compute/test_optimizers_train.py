"""Every optimizer trains, by its own parameters."""

from __future__ import annotations

import keras
import numpy as np
import pytest

from helpers.sampling import sample
from studio.engine.compute.optimizers import make_optimizer, rates_of
from studio.engine.training.optimizers import OPTIMIZERS
from studio.engine.training.plan import TrainingPlan

pytestmark = pytest.mark.slow

WORKING = [optimizer.name for optimizer in OPTIMIZERS if not optimizer.fails_on]


def _plan(name: str, **values: object) -> TrainingPlan:
    base = {"dataset": "d", "optimizer": name, "learning_rate": OPTIMIZERS[name].usual_rate}
    return TrainingPlan.parse({**base, **values})


def _losses(plan: TrainingPlan, steps: int = 60) -> list[float]:
    """The loss of a tiny network before and after some steps."""
    keras.utils.set_random_seed(0)
    numbers = np.random.default_rng(0)
    images = numbers.normal(size=(64, 8)).astype(np.float32)
    labels = (images[:, 0] > 0).astype(np.int32) + (images[:, 1] > 0)
    model = keras.Sequential(
        [keras.Input((8,)), keras.layers.Dense(16, "relu"), keras.layers.Dense(3, "softmax")]
    )
    optimizer = make_optimizer(plan, rates_of(plan, steps))
    optimizer.build(model.trainable_variables)  # as `fit.compile_setup` does
    model.compile(optimizer, "sparse_categorical_crossentropy", steps_per_execution=20)
    fitted = model.fit(images, labels, batch_size=64, epochs=1, verbose=0)
    data = (np.tile(images, (steps, 1)), np.tile(labels, steps))
    model.fit(*data, batch_size=64, epochs=1, shuffle=False, verbose=0)
    return [fitted.history["loss"][0], model.evaluate(images, labels, verbose=0)]


@pytest.mark.parametrize("name", sample(WORKING, ("adam", "sgd")))
def test_every_optimizer_trains_at_its_usual_rate(name: str) -> None:
    before, after = _losses(_plan(name))

    assert after < 0.95 * before, (before, after)


@pytest.mark.parametrize("name", sample(WORKING, ("adam", "sgd")))
def test_every_parameter_reaches_the_optimizer(name: str) -> None:
    plan = _plan(name)
    arguments = OPTIMIZERS[name].options({}).arguments()

    made = make_optimizer(plan, rates_of(plan, 10)).get_config()

    assert {key: made[key] for key in arguments if key in made} == {
        key: value for key, value in arguments.items() if key in made
    }
    unknown = set(arguments) - set(made)
    assert unknown == ({"exclude_layers"} & set(arguments)) - set(made)


@pytest.mark.thorough
def test_an_option_changes_what_training_does() -> None:
    plain = _losses(_plan("sgd"), steps=20)
    pushed = _losses(_plan("sgd", optimizer_options={"momentum": 0.9}), steps=20)
    ahead = _losses(_plan("sgd", optimizer_options={"momentum": 0.9, "nesterov": True}), steps=20)

    assert pushed[1] < plain[1]
    assert ahead[1] != pushed[1]


def test_no_optimizer_decays_unasked() -> None:
    for name in WORKING:
        made = make_optimizer(_plan(name), rates_of(_plan(name), 10)).get_config()
        assert not made["weight_decay"], name
        assert not made.get("adam_weight_decay"), name
    both = make_optimizer(_plan("muon", weight_decay=0.1), rates_of(_plan("muon"), 10))
    assert both.get_config()["adam_weight_decay"] == both.get_config()["weight_decay"] == 0.1
