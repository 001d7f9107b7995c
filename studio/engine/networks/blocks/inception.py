"""The blocks of GoogLeNet and of SqueezeNet: windows of several sizes side by side."""

from __future__ import annotations

from studio.engine.networks.blocks.block import Block, drawn_by
from studio.engine.networks.blocks.parts import conv, filters_field
from studio.engine.networks.builder import GraphBuilder
from studio.engine.plans import Plan


class FireParameters(Plan):
    """Parameters of `fire`."""

    squeeze: int = filters_field(
        16,
        "Squeezed filters",
        "Channels that the wide windows see.",
        why="Fewer make a smaller network; about an eighth of what comes out is usual.",
    )
    expand: int = filters_field(
        64,
        "Filters per branch",
        "Of the 1x1 and the 3x3 windows.",
        why="Twice as many channels come out as this says. Four times the squeezed ones is usual.",
    )


class InceptionParameters(Plan):
    """Parameters of `inception`, named as in table 1 of the paper; the first block's are usual."""

    ones: int = filters_field(
        64,
        "1x1",
        "Filters of the branch of 1x1 windows.",
        why="These see single pixels and are cheap. The branches together are what comes out.",
    )
    threes_reduce: int = filters_field(
        96,
        "1x1 before 3x3",
        "Channels that the 3x3 windows see.",
        why="Fewer make the costly 3x3 windows cheaper; half to two thirds of "
        "their filters is usual.",
    )
    threes: int = filters_field(
        128,
        "3x3",
        "Filters of the branch of 3x3 windows.",
        why="The main branch: usually the most filters.",
    )
    fives_reduce: int = filters_field(
        16,
        "1x1 before 5x5",
        "Channels that the 5x5 windows see.",
        why="Fewer make the very costly 5x5 windows cheaper; about a half of "
        "their filters is usual.",
    )
    fives: int = filters_field(
        32,
        "5x5",
        "Filters of the branch of 5x5 windows.",
        why="Larger things are seen here; a few filters are enough.",
    )
    pool_projection: int = filters_field(
        32,
        "1x1 after pooling",
        "Filters of the branch of pooling.",
        why="Keeps the branch of pooling from adding all channels that came in.",
    )


def fire(net: GraphBuilder, block: str, p: FireParameters) -> None:
    """Few channels in, windows of two sizes out."""
    net.in_block(block)
    conv(net, f"{block}_squeeze1x1", p.squeeze, 1)
    squeezed = net.last
    conv(net, f"{block}_expand1x1", p.expand, 1, after=squeezed)
    conv(net, f"{block}_expand3x3", p.expand, 3, after=squeezed)
    net.add("concatenate", f"{block}_concat", after=(f"{block}_expand1x1", f"{block}_expand3x3"))
    net.in_block("")


def inception(net: GraphBuilder, block: str, p: InceptionParameters) -> None:
    """Windows of three sizes and pooling side by side, made cheap by 1x1 convolutions."""
    net.in_block(block)
    before = net.last
    conv(net, f"{block}_1x1", p.ones, 1)
    conv(net, f"{block}_3x3_reduce", p.threes_reduce, 1, after=before)
    conv(net, f"{block}_3x3", p.threes, 3)
    conv(net, f"{block}_5x5_reduce", p.fives_reduce, 1, after=before)
    conv(net, f"{block}_5x5", p.fives, 5)
    net.add("max_pool", f"{block}_pool", after=before, size=3, stride=1, padding="same")
    conv(net, f"{block}_pool_proj", p.pool_projection, 1)
    branches = ("1x1", "3x3", "5x5", "pool_proj")
    net.add("concatenate", f"{block}_concat", after=tuple(f"{block}_{b}" for b in branches))
    net.in_block("")


INCEPTION = Block(
    name="inception",
    label="Inception",
    summary="Looks with windows of several sizes at once and keeps all that they see.",
    paper='C. Szegedy et al., "Going deeper with convolutions", CVPR 2015, arXiv:1409.4842',
    parameters=InceptionParameters,
    draw=drawn_by(inception, InceptionParameters),
)


FIRE = Block(
    name="fire",
    label="Fire",
    summary="Few channels in, windows of two sizes out: very few weights.",
    paper='F. Iandola et al., "SqueezeNet", 2016, arXiv:1602.07360',
    parameters=FireParameters,
    draw=drawn_by(fire, FireParameters),
)
