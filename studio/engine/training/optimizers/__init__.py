"""Optimizers: their names, parameters and usual rates as plain data. Never imports Keras.

To add an optimizer: 1. write its parameters as a plan, and an `Optimizer`; 2. list it below and
in `plan.OptimizerName`. Form, option and the test that it trains follow by themselves.
"""

from __future__ import annotations

from studio.engine.registry import Registry
from studio.engine.training.optimizers.adagrad import ADADELTA, ADAGRAD, FTRL
from studio.engine.training.optimizers.adam import ADAM, ADAMAX, ADAMW, LAMB, NADAM
from studio.engine.training.optimizers.large import ADAFACTOR, LION, MUON, SCHEDULE_FREE
from studio.engine.training.optimizers.optimizer import Optimizer
from studio.engine.training.optimizers.rmsprop import RMSPROP
from studio.engine.training.optimizers.sgd import SGD

OPTIMIZERS: Registry[Optimizer] = Registry(
    "optimizer",
    [
        ADAM,
        ADAMW,
        SGD,
        RMSPROP,
        NADAM,
        ADAMAX,
        ADAGRAD,
        ADADELTA,
        ADAFACTOR,
        LION,
        LAMB,
        MUON,
        FTRL,
        SCHEDULE_FREE,
    ],
)
