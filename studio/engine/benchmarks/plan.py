"""What is to be measured: networks x backends x precisions x devices x batch sizes."""

from __future__ import annotations

import itertools
from typing import Literal, NamedTuple

from studio.engine.benchmarks.lists import Count, Networks, Several
from studio.engine.plans import Plan, plan_field
from studio.engine.training.backends import default_backend
from studio.engine.training.parts import FULL, Precision
from studio.engine.training.plan import Backend

_WHAT, _LESSON, _TIME = "What is compared", "What is learned", "Time"


class Spot(NamedTuple):
    """Where in a study a cell is: what distinguishes it from all others."""

    network: str
    backend: str
    precision: str
    device: str
    batch: int

    @property
    def mode(self) -> str:
        """All but the network and the batch in one word, as tables have it."""
        return f"{self.device}/{self.backend}/{self.precision}"


class StudyPlan(Plan):
    """Train networks for a while on every device with every batch size, and measure.

    The defaults are those of a study of 2017 that compared AlexNet and GoogLeNet: 1,024 images of
    one class, batches of 1 to 512. `dataset` is the id of a dataset record; empty for images of
    noise.
    """

    version: Literal[1] = 1
    networks: Networks = plan_field(
        ("alexnet", "googlenet"),
        label="Networks",
        help="Networks of the zoo, divided by commas; options as in pattern:stages=2,dense=0.",
        why="Take those that you mean to train: small networks gain less from a "
        "fast device than large ones.",
        group=_WHAT,
    )
    devices: Several[str] = plan_field(
        ("cpu",),
        label="Devices",
        help="What to compute on: cpu, gpu:0 and so on; speed-up is against the first.",
        why="Name the slowest first, usually cpu: the others are then shown as so "
        "many times faster.",
        group=_WHAT,
    )
    batch_sizes: Several[Count] = plan_field(
        (1, 2, 4, 8, 16, 32, 64, 128, 256, 512),
        label="Batch sizes",
        help="Images of a step, divided by commas.",
        why="A device shows what it can do only from some size on; the largest "
        "ones may not fit into memory, which is noted.",
        group=_WHAT,
    )
    precision: Several[Precision] = plan_field(
        (FULL,),
        label="Precisions",
        help="float32, mixed_bfloat16 or mixed_float16, divided by commas.",
        why="mixed_float16 or mixed_bfloat16 can double the speed of newer GPUs; "
        "a CPU seldom gains.",
        group=_WHAT,
    )
    backends: Several[Backend] = plan_field(
        (default_backend(),),
        label="Backends",
        help="Libraries that compute: tensorflow, jax or torch, divided by commas.",
        why="To find the faster library for your network; each must be installed.",
        group=_WHAT,
    )
    images: int = plan_field(
        1024,
        label="Images",
        help="How many images an epoch has; what fills no whole batch is left out.",
        why="More make long epochs and steady figures; the time per step needs "
        "only some dozens of steps.",
        group=_LESSON,
        ge=1,
        le=1_000_000,
        scale="log",
    )
    epochs: int = plan_field(
        10,
        label="Epochs",
        help="How often each cell goes through the images.",
        why="The first epoch has start-up costs in it; three or more show the usual speed.",
        group=_LESSON,
        ge=1,
        le=10_000,
        scale="log",
    )
    size: int | None = plan_field(
        None,
        label="Image size",
        help="Height and width of the images; none takes what each network was made for.",
        why="Set it to the size of your own images to see what your training would take.",
        unit="px",
        level="expert",
        group=_LESSON,
        ge=1,
        le=4096,
    )
    classes: int = plan_field(
        1000,
        label="Classes",
        help="Of the network; images of noise are all of the first.",
        why="Matters little, but for networks whose last layer is large.",
        level="expert",
        group=_LESSON,
        ge=2,
        le=100_000,
    )
    learning_rate: float = plan_field(
        0.01,
        label="Learning rate",
        help="Of plain gradient descent.",
        why="Does not change the time; it only has to keep the numbers finite.",
        level="expert",
        group=_LESSON,
        gt=0,
        le=10,
        scale="log",
    )
    seed: int = plan_field(
        0,
        label="Seed",
        help="The same seed gives the same images and the same first weights.",
        why="Any will do: the time does not depend on the images.",
        level="expert",
        group=_LESSON,
        ge=0,
        le=2**32 - 1,
    )
    minutes: float | None = plan_field(
        None,
        label="Time",
        help="For how long the study measures before it pauses; none for as long as it takes.",
        why="Set it when the computer is needed for something else; a paused "
        "study goes on later with what is left.",
        unit="min",
        group=_TIME,
        gt=0,
        le=100_000,
    )
    cell_minutes: float = plan_field(
        10.0,
        label="Time of a cell",
        help="A cell that takes longer is measured by the steps that it did until then.",
        why="Keeps a large network on a slow device from holding all others up.",
        unit="min",
        group=_TIME,
        gt=0,
        le=10_000,
    )
    dataset: str = plan_field("", label="Dataset", help="Whose images.", level="hidden")
    dataset_version: int | None = plan_field(
        None, label="Version", help="How many edits of it count.", level="hidden", ge=0
    )


def spots_of(plan: StudyPlan) -> list[Spot]:
    """All cells of a study, in the order in which they are measured; their place is their number.

    Small batches come before large ones, and all devices of a network and a batch size side by
    side, so that the first speed-ups are there early.
    """
    return [
        Spot(network, backend, precision, device, batch)
        for network, backend, precision, batch, device in itertools.product(
            plan.networks, plan.backends, plan.precision, plan.batch_sizes, plan.devices
        )
    ]
