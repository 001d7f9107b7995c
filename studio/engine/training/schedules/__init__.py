"""Learning-rate policies: pure functions of how much of training is done. Never imports Keras.

To add a policy: 1. write `<name>.py` with a parameter plan that has a `factor`, and a
`Schedule`; 2. list it below. Curve, form, option and tests follow by themselves.
"""

from __future__ import annotations

from studio.engine.registry import Registry
from studio.engine.training.schedules.constant import CONSTANT
from studio.engine.training.schedules.cosine import COSINE
from studio.engine.training.schedules.cosine_restarts import COSINE_RESTARTS
from studio.engine.training.schedules.exponential import EXPONENTIAL
from studio.engine.training.schedules.inverse import INVERSE
from studio.engine.training.schedules.multistep import MULTISTEP
from studio.engine.training.schedules.one_cycle import ONE_CYCLE
from studio.engine.training.schedules.polynomial import POLYNOMIAL
from studio.engine.training.schedules.schedule import Schedule
from studio.engine.training.schedules.sigmoid import SIGMOID
from studio.engine.training.schedules.step import STEP

SCHEDULES: Registry[Schedule] = Registry(
    "learning-rate policy",
    [
        CONSTANT,
        STEP,
        MULTISTEP,
        EXPONENTIAL,
        INVERSE,
        POLYNOMIAL,
        SIGMOID,
        COSINE,
        COSINE_RESTARTS,
        ONE_CYCLE,
    ],
)
