"""Optimizers of large networks: Adafactor, Lion, Muon and schedule-free AdamW."""

from __future__ import annotations

from studio.engine.plans import plan_field
from studio.engine.training.optimizers.fields import (
    beta_1_field,
    beta_2_field,
    decay_field,
    epsilon_field,
)
from studio.engine.training.optimizers.optimizer import Optimizer, OptimizerOptions


class AdafactorOptions(OptimizerOptions):
    """Second moments of rows and columns alone (N. Shazeer and M. Stern, ICML 2018)."""

    beta_2_decay: float = plan_field(
        -0.8,
        label="Decay of beta 2",
        help="Power of its growth.",
        why="Closer to 0 forgets old gradients sooner; seldom worth a change.",
        level="expert",
        ge=-2,
        lt=0,
    )
    epsilon_1: float = plan_field(
        1e-30,
        label="Epsilon 1",
        help="Added to squared gradients.",
        why="Only keeps numbers finite; leave it.",
        level="expert",
        gt=0,
        le=1,
    )
    epsilon_2: float = plan_field(
        1e-3,
        label="Epsilon 2",
        help="Least size of weights by which steps are scaled.",
        why="Raise it when small weights hardly learn.",
        level="expert",
        gt=0,
        le=1,
    )
    clip_threshold: float = plan_field(
        1.0,
        label="Clip updates at",
        help="Largest root mean square of a step.",
        why="Lower it when the loss jumps; raise it when training crawls.",
        gt=0,
        le=1000,
    )
    relative_step: bool = plan_field(
        False,
        label="Rate by itself",
        help="The rate also falls with the root of the steps; for a constant schedule.",
        why="As its authors trained: without a schedule of your own.",
    )


class LionOptions(OptimizerOptions):
    """Signs of a mean gradient (X. Chen et al., NeurIPS 2023, arXiv:2302.06675)."""

    beta_1: float = beta_1_field()
    beta_2: float = beta_2_field(0.99)


def _coefficient(default: float, text: str) -> float:
    found: float = plan_field(
        default,
        label=text,
        help="Of the polynomial.",
        why="Found by its author for few rounds; leave it unless you know a better polynomial.",
        level="expert",
        ge=-100,
        le=100,
    )
    return found


class MuonOptions(OptimizerOptions):
    """Orthogonalized steps for matrices and kernels, Adam for the rest (K. Jordan, 2024).

    Weight decay is that of the plan for both.
    """

    momentum: float = decay_field(
        0.95,
        "Momentum",
        "Share of the mean gradient that is kept.",
        why="0.95 is what its author found best; 0.9 is calmer with small batches.",
    )
    nesterov: bool = plan_field(
        True,
        label="Nesterov",
        help="Look one step ahead.",
        why="Usually a little better; off to compare with plain momentum.",
    )
    ns_steps: int = plan_field(
        5,
        label="Rounds",
        help="Rounds of Newton and Schulz in every step.",
        why="5 is enough; fewer are faster and less exact.",
        ge=1,
        le=20,
    )
    rms_rate: float = plan_field(
        0.2,
        label="Size of steps",
        help="Steps are made as large as Adam's.",
        why="0.2 lets it use the learning rates of Adam. 0 keeps the steps as "
        "they come, which needs a rate of its own.",
        gt=0,
        le=10,
    )
    adam_lr_ratio: float = plan_field(
        1.0,
        label="Rate of Adam",
        help="Factor of the learning rate for the rest.",
        why="Below 1 when the head or biases jump while the rest still learns.",
        gt=0,
        le=1000,
    )
    adam_beta_1: float = beta_1_field()
    adam_beta_2: float = beta_2_field()
    epsilon: float = epsilon_field()
    muon_a: float = _coefficient(3.4445, "First coefficient")
    muon_b: float = _coefficient(-4.775, "Third coefficient")
    muon_c: float = _coefficient(2.0315, "Fifth coefficient")
    exclude_embeddings: bool = plan_field(
        True,
        label="Adam for embeddings",
        help="Embeddings learn by Adam.",
        why="On is what its author advises: embeddings are tables, not matrices that multiply.",
        level="expert",
    )
    exclude_layers: str = plan_field(
        "",
        label="Adam for layers",
        help="Parts of names, with commas between; such layers learn by Adam.",
        why="Name the head here when it learns worse than with Adam.",
        level="expert",
    )

    def arguments(self) -> dict[str, object]:
        """What the optimizer of Keras is made with."""
        names = [part.strip() for part in self.exclude_layers.split(",") if part.strip()]
        return {**self.model_dump(), "exclude_layers": names}


class ScheduleFreeOptions(OptimizerOptions):
    """AdamW that averages instead of slowing down (A. Defazio et al., NeurIPS 2024)."""

    beta_1: float = beta_1_field()
    beta_2: float = beta_2_field()
    epsilon: float = epsilon_field(1e-8)
    warmup_steps: int = plan_field(
        0,
        label="Warm-up",
        help="Steps in which the rate rises.",
        why="A few hundred calm the start of large networks; small ones need none.",
        unit="steps",
        ge=0,
        le=10**6,
    )


ADAFACTOR = Optimizer(
    "adafactor",
    "Adafactor",
    "As Adam with a fraction of its memory, for very large networks.",
    "Adafactor",
    AdafactorOptions,
    1e-2,
    (1e-4, 3e-2),
)
LION = Optimizer(
    "lion",
    "Lion",
    "Steps of one size; wants a third of Adam's rate and more weight decay.",
    "Lion",
    LionOptions,
    3e-4,
    (1e-6, 1e-3),
)
MUON = Optimizer(
    "muon",
    "Muon",
    "Turns all directions of a kernel at one speed; fast for large networks.",
    "Muon",
    MuonOptions,
    1e-3,
    (1e-5, 3e-2),
)
SCHEDULE_FREE = Optimizer(
    "schedule_free_adamw",
    "Schedule-free AdamW",
    "Needs no schedule: it averages its weights instead.",
    "ScheduleFreeAdamW",
    ScheduleFreeOptions,
    2.5e-3,
    (1e-4, 1e-2),
    fails_on={"tensorflow": "with Keras 3.15 its loss does not fall on TensorFlow"},
)
