"""Blocks: groups of layers that published networks repeat. Never imports Keras.

The zoo draws them by calling their functions; the palette of the designer offers `BLOCKS`, each
with a form of its parameters. All nodes of a block carry its name, and their ids begin with it.

To add a block: 1. write its parameter plan, a function that draws it and a `Block`, in the file
of its kind or a new one; 2. list it below.
"""

from __future__ import annotations

from studio.engine.networks.blocks.block import Block
from studio.engine.networks.blocks.convolution import CONV_NORM, SEPARABLE
from studio.engine.networks.blocks.inception import FIRE, INCEPTION
from studio.engine.networks.blocks.residual import BOTTLENECK, INVERTED_RESIDUAL, RESIDUAL
from studio.engine.registry import Registry

BLOCKS: Registry[Block] = Registry(
    "block",
    [CONV_NORM, RESIDUAL, BOTTLENECK, INVERTED_RESIDUAL, INCEPTION, FIRE, SEPARABLE],
)
