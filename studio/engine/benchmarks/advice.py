"""What to use on this machine for a network, from what was measured on it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from studio.engine.benchmarks.results import Cell
from studio.engine.training.parts import FULL

NEARLY = 0.95
"""What is so nearly as fast as the fastest counts as fast: measurements differ by that much."""


@dataclass(frozen=True, slots=True)
class Advice:
    """The settings that are advised for a network.

    Attributes:
        best: The cell with them.
        fastest: The cell with the most images per second; often the same.
        compared: How many measured cells of the network were looked at.
        text: Why, in a sentence or two.
    """

    best: Cell
    fastest: Cell
    compared: int
    text: str


def advise(cells: Iterable[Cell], network: str) -> Advice | None:
    """What to train a network with; None where nothing of it was measured.

    Of all cells nearly as fast as the fastest (`NEARLY`), one with 32 bits goes before one
    with fewer, since it needs no thought about small gradients, and then the smaller batch, since
    smaller batches reach the same accuracy in fewer epochs and leave memory free.
    """
    measured = [(cell.images_per_second, cell) for cell in cells if cell.network == network]
    paced = [(pace, cell) for pace, cell in measured if pace is not None]
    if not paced:
        return None
    most, fastest = max(paced, key=lambda each: each[0])
    fast = [(pace, cell) for pace, cell in paced if pace >= NEARLY * most]
    pace, best = min(fast, key=lambda each: (each[1].precision != FULL, each[1].batch, -each[0]))
    return Advice(best, fastest, len(paced), _text(pace, best, most, fastest, len(paced)))


def _text(pace: float, best: Cell, most: float, fastest: Cell, count: int) -> str:
    text = (
        f"{best.network}: {best.device} with {best.backend}, {best.precision} and batches of "
        f"{best.batch}: {pace:,.4g} images per second, measured."
    )
    if fastest.number != best.number:
        text += (
            f" The fastest of {count} is {most:,.4g} ({_short(fastest)}), which is within "
            f"{1 - NEARLY:.0%}."
        )
    elif count > 1:
        text += f" It is the fastest of {count}."
    return text


def _short(cell: Cell) -> str:
    return f"{cell.device}, {cell.backend}, {cell.precision}, batches of {cell.batch}"
