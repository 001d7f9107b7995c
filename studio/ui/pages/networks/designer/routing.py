"""Ways for long wires around the boxes between their ends. Free of Qt.

A wire to the next rank is a plain curve. One that passes other ranks runs along a lane, straight
in the direction of the wires, that no box stands on; wires side by side get lanes of their own.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Mapping
from typing import Final

from studio.ui.pages.networks.designer.edits import Place
from studio.ui.pages.networks.designer.layout import Direction
from studio.ui.pages.networks.designer.wiring import Wire

TURN: Final = 26.0
"""Length in which a wire changes into its lane."""
CLEAR: Final = 20.0
"""Distance between a lane and the boxes beside it; outside of the frames around them."""
_APART: Final = 10.0

Box = tuple[float, float, float, float]
"""Start and end along the wires, start and end across them."""


def lanes(
    places: Mapping[str, Place],
    wires: Mapping[Wire, Wire],
    size: tuple[float, float],
    direction: Direction,
) -> dict[Wire, float]:
    """Where across the wires each long wire runs; short ones are left out.

    Args:
        places: Upper left corners of the boxes.
        wires: The wires between them.
        size: Width and height of every box.
        direction: Where the wires lead.
    """
    along, across = (1, 0) if direction == "down" else (0, 1)
    boxes = sorted(
        (at[along], at[along] + size[along], at[across], at[across] + size[across])
        for at in places.values()
    )
    starts = [box[0] for box in boxes]
    found: dict[Wire, float] = {}
    taken: list[tuple[float, float, float]] = []
    for ends in wires:
        source, target = (places[end] for end in ends)
        begin, end = source[along] + size[along] + TURN, target[along] - TURN
        if end - begin <= 0:
            continue
        middle = size[across] / 2
        first = bisect_left(starts, begin - size[along])
        last = bisect_left(starts, end)
        between = [box for box in boxes[first:last] if box[1] > begin]
        lane = _lane(source[across] + middle, target[across] + middle, between, begin, end, taken)
        taken.append((lane, begin, end))
        found[ends] = lane
    return found


def _lane(
    source: float,
    target: float,
    between: list[Box],
    begin: float,
    end: float,
    taken: list[tuple[float, float, float]],
) -> float:
    """The lane of the shortest way that is free."""
    near = [lane for lane, start, stop in taken if start < end + TURN and stop > begin - TURN]
    # Past other boxes a wire goes on straight first; else it turns at once.
    wishes = [source, target] if between else [target, source]
    for _, _, left, right in between:
        wishes += [left - CLEAR, right + CLEAR]
    wishes += [lane + side for lane in near for side in (-_APART, _APART)]
    wishes.sort(key=lambda lane: abs(lane - source) + abs(lane - target))
    for lane in wishes:
        blocked = any(left - 4 < lane < right + 4 for _, _, left, right in between)
        if not blocked and all(abs(lane - other) >= _APART - 1 for other in near):
            return lane
    return wishes[0]
