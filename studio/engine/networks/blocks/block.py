"""How a block is declared."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

from studio.engine.networks.builder import GraphBuilder
from studio.engine.networks.spec import InputShape, LayerNode
from studio.engine.plans import Plan

P = TypeVar("P", bound=Plan)


@dataclass(frozen=True, slots=True)
class Block:
    """A kind of block.

    Attributes:
        name: Stable name.
        label: Shown name.
        summary: One line: what it is good for.
        paper: Who described it, and where.
        parameters: Plan of its parameters; all have defaults.
        draw: Adds its layers on top of the last one, under the block's name.
    """

    name: str
    label: str
    summary: str
    paper: str
    parameters: type[Plan]
    draw: Callable[[GraphBuilder, str, Plan], object]

    def nodes(self, block: str, after: str, parameters: Plan) -> tuple[LayerNode, ...]:
        """The layers of one block; the last one is its output.

        Args:
            block: Its name in the network, with which the ids of its nodes begin.
            after: Id of the node whose output comes in.
            parameters: Values of its parameters.
        """
        net = GraphBuilder(self.label, InputShape(height=1, width=1, channels=1), 2)
        net.last = after
        self.draw(net, block, parameters)
        return net.spec().nodes


def drawn_by(
    draw: Callable[[GraphBuilder, str, P], object], parameters: type[P]
) -> Callable[[GraphBuilder, str, Plan], object]:
    """The same function for parameters that are known to be a plan only."""

    def checked(net: GraphBuilder, block: str, values: Plan) -> None:
        draw(net, block, parameters.parse(values.model_dump()))

    return checked
