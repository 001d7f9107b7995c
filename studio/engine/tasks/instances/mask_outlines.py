"""Outlines of masks of 28 x 28 cells: lines along which the probability is one half.

Between the middles of cells the probability is linear; beyond the box it is 0. Each line runs
between four middles (marching squares), so that an outline does not depend on the size at which
the mask is shown. Exported scripts contain the same steps.

Source: W. E. Lorensen, H. E. Cline, "Marching cubes", SIGGRAPH 1987, in two dimensions.
"""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from studio.engine.tasks.boxes import LEFT, RIGHT
from studio.engine.tasks.masks import CELLS, INSIDE, Masks, cells_of

_TOP, _RIGHT, _BOTTOM, _LEFT = range(4)
_LINES: Final = (
    (),
    ((_LEFT, _TOP),),
    ((_TOP, _RIGHT),),
    ((_LEFT, _RIGHT),),
    ((_RIGHT, _BOTTOM),),
    ((_LEFT, _TOP), (_RIGHT, _BOTTOM)),
    ((_TOP, _BOTTOM),),
    ((_LEFT, _BOTTOM),),
    ((_BOTTOM, _LEFT),),
    ((_BOTTOM, _TOP),),
    ((_TOP, _RIGHT), (_BOTTOM, _LEFT)),
    ((_BOTTOM, _RIGHT),),
    ((_RIGHT, _LEFT),),
    ((_RIGHT, _TOP),),
    ((_TOP, _LEFT),),
    (),
)
"""Sides of a square that lines enter and leave, by which of its corners are inside: 1 for the
upper left one, 2 for the upper right, 4 for the lower right, 8 for the lower left."""
_SIDE: Final = CELLS + 2
_SQUARES: Final = CELLS + 1


class MaskEdges(NamedTuple):
    """Lines around masks, in no order; from and to which side of a square each runs.

    Attributes:
        owner: Index of the mask of each, shape (e,).
        start: Number of the side where each begins, shape (e,); unique to one line.
        end: Number of the side where each ends, shape (e,), which is the start of the next.
        first: x and y of the beginnings in pixels, shape (e, 2).
        last: x and y of the ends in pixels, shape (e, 2).
    """

    owner: NDArray[np.int64]
    start: NDArray[np.int64]
    end: NDArray[np.int64]
    first: NDArray[np.float64]
    last: NDArray[np.float64]


def edges_of(rows: Masks) -> MaskEdges:
    """Return the lines around masks in pixels of what the boxes are in.

    Args:
        rows: Found objects, shape (n, 790).
    """
    values = np.pad(cells_of(rows).astype(np.float64), ((0, 0), (1, 1), (1, 1)))
    inside = (values >= INSIDE).astype(np.int64)
    kind = (
        inside[:, :-1, :-1]
        + 2 * inside[:, :-1, 1:]
        + 4 * inside[:, 1:, 1:]
        + 8 * inside[:, 1:, :-1]
    )
    owners, starts, ends = [], [], []
    for number, lines in enumerate(_LINES):
        if not lines:
            continue
        owner, row, column = np.nonzero(kind == number)
        for one, other in lines:
            owners.append(owner)
            starts.append(_number(owner, row, column, one))
            ends.append(_number(owner, row, column, other))
    owner, start, end = (np.concatenate(each) for each in (owners, starts, ends))
    return MaskEdges(owner, start, end, _points(values, rows, start), _points(values, rows, end))


def _number(
    owner: NDArray[np.int64], row: NDArray[np.int64], column: NDArray[np.int64], side: int
) -> NDArray[np.int64]:
    """Return the numbers of sides of squares; squares beside each other share one."""
    down = side in (_LEFT, _RIGHT)  # the side runs from a middle to the one below
    row, column = row + (side == _BOTTOM), column + (side == _RIGHT)
    return ((owner * 2 + down) * _SIDE + row) * _SIDE + column


def _points(
    values: NDArray[np.float64], rows: Masks, number: NDArray[np.int64]
) -> NDArray[np.float64]:
    """Return x and y in pixels where lines cross the sides of squares, shape (e, 2)."""
    rest, column = np.divmod(number, _SIDE)
    rest, row = np.divmod(rest, _SIDE)
    owner, down = np.divmod(rest, 2)
    near = values[owner, row, column]
    far = values[owner, row + down, column + 1 - down]
    part = (INSIDE - near) / np.where(far == near, 1, far - near)
    place = np.stack([column + part * (1 - down), row + part * down], axis=-1)
    sides = rows[owner, LEFT : RIGHT + 2].astype(np.float64)
    low, high = sides[:, :2], sides[:, 2:]
    return low + (place - 0.5) / CELLS * (high - low)


def rings_of(edges: MaskEdges, count: int) -> list[list[NDArray[np.float64]]]:
    """Return the closed lines around each mask, as corners x and y, shape (m, 2) each.

    Args:
        edges: The lines.
        count: Number of masks.
    """
    order = np.argsort(edges.start)
    following = order[np.searchsorted(edges.start[order], edges.end)].tolist()
    owners = edges.owner.tolist()
    found: list[list[NDArray[np.float64]]] = [[] for _ in range(count)]
    is_left = np.ones(len(owners), np.bool_)
    for begin in order.tolist():
        if not is_left[begin]:
            continue
        ring, at = [begin], following[begin]
        while at != begin:
            ring.append(at)
            at = following[at]
        is_left[ring] = False
        found[owners[begin]].append(edges.first[ring])
    return found
