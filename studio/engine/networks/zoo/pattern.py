"""The pattern that most convolutional networks before 2015 follow, with its numbers to choose.

INPUT -> [[CONV -> RELU] * N -> POOL?] * M -> [FC -> RELU] * K -> FC. On the command line,
`pattern:convolutions=2,stages=3,dense=1`; what is left out keeps its default.
"""

from __future__ import annotations

from functools import partial

from studio.engine.networks.blocks.parts import START, filters_field
from studio.engine.networks.builder import GraphBuilder
from studio.engine.networks.zoo.network import Options, ZooNetwork
from studio.engine.plans import Plan, plan_field


class PatternPlan(Plan):
    """The numbers of the pattern."""

    convolutions: int = plan_field(
        2,
        label="Convolutions",
        help="Convolutions per stage (N).",
        why="More see farther and finer before each halving; 2 is a good start.",
        ge=1,
        le=8,
    )
    stages: int = plan_field(
        3,
        label="Stages",
        help="Number of stages (M).",
        why="Each halves the image: stop where it is 4 to 8 pixels wide.",
        ge=0,
        le=6,
    )
    dense: int = plan_field(
        1,
        label="Dense layers",
        help="Hidden dense layers before the last one (K).",
        why="1 is enough for most; 0 makes a small network that learns less by heart.",
        ge=0,
        le=4,
    )
    pool: bool = plan_field(
        True,
        label="Pooling",
        help="Halve the image after every stage.",
        why="Without it, images keep their size and the first dense layer becomes huge.",
    )
    filters: int = filters_field(
        32,
        "Filters",
        "Channels of the first stage; every stage doubles them.",
        why="16 for small gray images, 32 to 64 for photographs.",
    )
    units: int = filters_field(
        128,
        "Units",
        "Outputs of each hidden dense layer.",
        why="More learn finer differences, and learn by heart sooner.",
    )
    dropout: float = plan_field(
        0.2,
        label="Dropout",
        help="Share of the values set to zero in training, after every hidden dense layer.",
        why="0.2 to 0.5 with few images; 0 with very many.",
        ge=0,
        lt=1,
    )


def _draw(plan: PatternPlan, net: GraphBuilder) -> None:
    net.add("rescaling", scale=1 / 127.5, offset=-1.0)
    for stage in range(plan.stages):
        net.in_block(f"stage{stage + 1}")
        for step in range(plan.convolutions):
            name = f"conv{stage + 1}_{step + 1}"
            filters = plan.filters * 2**stage
            net.add("conv2d", name, filters=filters, kernel_initializer=START)
            net.add("activation", f"relu{stage + 1}_{step + 1}", activation="relu")
        if plan.pool:
            net.add("max_pool", f"pool{stage + 1}")
    net.in_block("").add("flatten", "flatten")
    for layer in range(plan.dense):
        net.add("dense", f"fc{layer + 1}", units=plan.units, kernel_initializer=START)
        net.add("activation", f"fc{layer + 1}_relu", activation="relu")
        if plan.dropout:
            net.add("dropout", f"fc{layer + 1}_dropout", rate=plan.dropout)


def pattern(plan: Plan) -> ZooNetwork:
    """The network of some numbers of the pattern."""
    plan = PatternPlan.parse(plan.model_dump())
    chosen = [
        f"{name}={value}"
        for name, value in plan.model_dump().items()
        if value != PatternPlan.model_fields[name].default
    ]
    side = 2**plan.stages if plan.pool else 1
    return ZooNetwork(
        name=":".join(["pattern", ",".join(chosen)] if chosen else ["pattern"]),
        label=f"Pattern {plan.convolutions}-{plan.stages}-{plan.dense}",
        year=2014,
        paper="The pattern of LeNet-5, AlexNet and VGG; our own numbers",
        summary="Stages of convolutions, then dense layers: choose how many of each.",
        smallest=(side, side),
        default_input=(32, 32, 3),
        channels=(1, 3),
        draw=partial(_draw, plan),
        options=Options(plan, pattern),
    )


PATTERN = pattern(PatternPlan())
