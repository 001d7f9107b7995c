"""Adam and its nearest relatives."""

from __future__ import annotations

from studio.engine.plans import plan_field
from studio.engine.training.optimizers.fields import beta_1_field, beta_2_field, epsilon_field
from studio.engine.training.optimizers.optimizer import Optimizer, OptimizerOptions


class MomentOptions(OptimizerOptions):
    """Two running means, of gradients and of their squares."""

    beta_1: float = beta_1_field()
    beta_2: float = beta_2_field()
    epsilon: float = epsilon_field()


class AdamOptions(MomentOptions):
    """Running means, perhaps with the largest one so far.

    Source: D. P. Kingma and J. Ba, "Adam: a method for stochastic optimization", ICLR 2015;
    AMSGrad: S. J. Reddi et al., "On the convergence of Adam and beyond", ICLR 2018.
    """

    amsgrad: bool = plan_field(
        False,
        label="AMSGrad",
        help="Divide by the largest mean so far, so that steps never grow again.",
        why="When the loss rises again late in training; it costs one more number per weight.",
        level="expert",
    )


ADAM = Optimizer(
    "adam",
    "Adam",
    "Works without tuning: a good choice when unsure.",
    "Adam",
    AdamOptions,
    1e-3,
    (1e-5, 1e-2),
)
# I. Loshchilov and F. Hutter, "Decoupled weight decay regularization", ICLR 2019.
ADAMW = Optimizer(
    "adamw",
    "AdamW",
    "Adam as it is meant with weight decay; the usual choice for transformers.",
    "AdamW",
    AdamOptions,
    1e-3,
    (1e-5, 1e-2),
)
# T. Dozat, "Incorporating Nesterov momentum into Adam", ICLR workshop 2016.
NADAM = Optimizer(
    "nadam", "Nadam", "Adam that looks one step ahead.", "Nadam", MomentOptions, 1e-3, (1e-5, 1e-2)
)
# Kingma and Ba, section 7.1.
ADAMAX = Optimizer(
    "adamax",
    "Adamax",
    "Adam by the largest gradients: calmer where gradients are rare and large.",
    "Adamax",
    MomentOptions,
    1e-3,
    (1e-5, 2e-2),
)
# Y. You et al., "Large batch optimization for deep learning", ICLR 2020.
LAMB = Optimizer(
    "lamb",
    "LAMB",
    "Adam scaled by the size of each layer's weights, for very large batches.",
    "Lamb",
    MomentOptions,
    1e-2,
    (1e-4, 3e-2),
)
