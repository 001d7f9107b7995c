"""How a drawing closes up where blocks are folded. Free of Qt.

Folding changes no place of the drawing: it is a view. The empty room that folded blocks leave is
taken out of the axis along the wires, so that what follows moves up; places are taken back to
the drawing's own by `Axis.opened`.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

Span = tuple[float, float]

KEPT_GAP: Final = 40.0
"""Room before what stands beside a folded block; behind the block the drawing has room already."""


@dataclass(frozen=True, slots=True)
class Axis:
    """A line from which some stretches are taken out.

    Attributes:
        cuts: The stretches (start, end), in order, not overlapping.
    """

    cuts: tuple[Span, ...] = ()

    def closed(self, at: float) -> float:
        """Where a place of the drawing is shown."""
        return at - sum(min(end, at) - start for start, end in self.cuts if start < at)

    def opened(self, shown: float) -> float:
        """The place of the drawing that is shown there; the inverse of `closed`."""
        shown_starts = [self.closed(start) for start, _ in self.cuts]
        passed = bisect_right(shown_starts, shown)
        return shown + sum(end - start for start, end in self.cuts[:passed])


def closing(occupied: Iterable[Span], folded: Iterable[Span]) -> Axis:
    """The axis without the empty stretches inside folded blocks.

    Args:
        occupied: What is shown: from where to where each thing reaches.
        folded: From where to where each folded block would reach if it were open.
    """
    taken = _union(occupied)
    cuts = []
    for start, end in _union(folded):
        at = start
        for low, high in taken:
            if at < high and low < end:
                if low - KEPT_GAP > at:
                    cuts.append((at, low - KEPT_GAP))
                at = high
        if at < end:
            cuts.append((at, end))
    return Axis(tuple(cuts))


def _union(spans: Iterable[Span]) -> list[Span]:
    """Overlapping stretches as one, in order."""
    joined: list[Span] = []
    for start, end in sorted(spans):
        if joined and start <= joined[-1][1]:
            joined[-1] = (joined[-1][0], max(joined[-1][1], end))
        else:
            joined.append((start, end))
    return joined
