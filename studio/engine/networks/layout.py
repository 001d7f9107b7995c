"""Automatic places for the nodes of a drawn network. Plain Python, any thread.

Layers as of Sugiyama, Tagawa and Toda, "Methods for visual understanding of hierarchical system
structures" (1981): longest path for the ranks, barycenters for the order in a rank. Places in a
rank are the least-squares solution that keeps the order and the distances (pooling adjacent
violators), swept up and down, with long wires pulled straight.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Final, Literal

Direction = Literal["down", "right"]
Position = tuple[float, float]

RANK_GAP: Final = 28.0
BLOCK_GAP: Final = 64.0
"""More room where a block begins or ends, for its frame and its name."""
SIDE_GAP: Final = 28.0
_NEARLY: Final = 6.0
_DUMMY_WIDTH: Final = 12.0
_ORDER_SWEEPS: Final = 8
_POSITION_SWEEPS: Final = 13


@dataclass(slots=True)
class _Graph:
    """Nodes and bends by number, in ranks."""

    widths: list[float]
    pulls: list[float]
    """Weight of what leads to it: 1 for a node; less for a bend the longer its wire is, so that
    the main way stays straight and shortcuts go around it."""
    is_bend: list[bool]
    above: list[list[int]]
    below: list[list[int]]
    ranks: list[list[int]] = field(default_factory=list)


def lay_out(
    sizes: Mapping[str, tuple[float, float]],
    wires: Iterable[tuple[str, str]],
    blocks: Mapping[str, str] | None = None,
    direction: Direction = "down",
) -> dict[str, Position]:
    """Find a place for every node.

    Args:
        sizes: Width and height of each node.
        wires: (source, target); those to unknown nodes are left out, and circles are cut.
        blocks: Block of each node that is in one; room is left for their frames.
        direction: Direction of the wires.

    Returns:
        Upper left corner of each node; the first rank starts at (0, 0) of its axis, and the
        middle of the drawing lies at 0 of the other.
    """
    if not sizes:
        return {}
    names = list(sizes)
    number = {name: index for index, name in enumerate(names)}
    across, along = (0, 1) if direction == "down" else (1, 0)
    edges = {(number[a], number[b]) for a, b in wires if a in number and b in number and a != b}
    rank = _ranks(len(names), sorted(edges))
    graph = _with_bends([sizes[name][across] for name in names], rank, sorted(edges))
    _order(graph)
    centers = _centers(graph)
    depths = [sizes[name][along] for name in names]
    starts = _starts(rank, depths, [(blocks or {}).get(name, "") for name in names])
    positions = {}
    for name, index in number.items():
        side = round(centers[index] - graph.widths[index] / 2, 1)
        positions[name] = (side, starts[index]) if direction == "down" else (starts[index], side)
    return positions


def _ranks(count: int, edges: Sequence[tuple[int, int]]) -> list[int]:
    """Rank nodes by the longest path from the inputs, which stand above their first reader."""
    below: list[list[int]] = [[] for _ in range(count)]
    open_inputs = [0] * count
    for source, target in edges:
        below[source].append(target)
        open_inputs[target] += 1
    rank = [0] * count
    is_source = [number == 0 for number in open_inputs]
    waiting = [index for index in range(count) if is_source[index]]
    done = [False] * count
    order: list[int] = []
    while len(order) < count:
        if not waiting:  # a circle: cut it at its first node
            waiting.append(done.index(False))
        index = waiting.pop()
        if done[index]:
            continue
        done[index] = True
        order.append(index)
        for target in below[index]:
            if not done[target]:
                rank[target] = max(rank[target], rank[index] + 1)
                open_inputs[target] -= 1
                if open_inputs[target] == 0:
                    waiting.append(target)
    for index in reversed(order):
        if is_source[index] and below[index]:
            rank[index] = max(0, min(rank[target] for target in below[index]) - 1)
    return rank


def _with_bends(widths: list[float], rank: list[int], edges: Sequence[tuple[int, int]]) -> _Graph:
    """Return the graph with a bend in each rank that a long wire crosses."""
    count = len(widths)
    graph = _Graph(
        list(widths),
        [1.0] * count,
        [False] * count,
        [[] for _ in range(count)],
        [[] for _ in range(count)],
    )
    graph.ranks = [[] for _ in range(max(rank) + 1)]
    for index, level in enumerate(rank):
        graph.ranks[level].append(index)
    for source, target in edges:
        last = source
        for level in range(rank[source] + 1, rank[target]):
            bend = len(graph.widths)
            graph.widths.append(_DUMMY_WIDTH)
            graph.is_bend.append(True)
            graph.pulls.append((rank[target] - rank[source] - 1) ** -2.0)
            graph.above.append([])
            graph.below.append([])
            graph.ranks[level].append(bend)
            _join(graph, last, bend)
            last = bend
        if rank[target] > rank[source]:  # a cut circle leads upwards and has no say
            _join(graph, last, target)
    return graph


def _join(graph: _Graph, upper: int, lower: int) -> None:
    graph.below[upper].append(lower)
    graph.above[lower].append(upper)


def _order(graph: _Graph) -> None:
    """Sort every rank by the mean place of its neighbors, down and up; keep the best."""
    best = [list(rank) for rank in graph.ranks]
    fewest = _crossings(graph)
    for sweep in range(_ORDER_SWEEPS):
        if not fewest:
            break
        down = sweep % 2 == 0
        neighbors = graph.above if down else graph.below
        position = [0.0] * len(graph.widths)
        for rank in graph.ranks if down else reversed(graph.ranks):
            for at, index in enumerate(rank):
                near = neighbors[index]
                position[index] = sum(position[n] for n in near) / len(near) if near else float(at)
            rank.sort(key=position.__getitem__)
            for at, index in enumerate(rank):
                position[index] = float(at)
        crossings = _crossings(graph)
        if crossings < fewest:
            fewest, best = crossings, [list(rank) for rank in graph.ranks]
    graph.ranks = best


def _crossings(graph: _Graph) -> int:
    """Count the crossings of wires between neighboring ranks."""
    total = 0
    for upper, lower in pairwise(graph.ranks):
        if len(upper) < 2 or len(lower) < 2:
            continue
        at = {index: position for position, index in enumerate(lower)}
        seen: list[int] = []
        for index in upper:
            ends = sorted(at[target] for target in graph.below[index])
            total += sum(1 for end in ends for earlier in seen if earlier > end)
            seen.extend(ends)
    return total


def _centers(graph: _Graph) -> list[float]:
    """Compute the center of each node across the wires."""
    centers = [0.0] * len(graph.widths)
    for rank in graph.ranks:
        left = -sum(graph.widths[i] + SIDE_GAP for i in rank) / 2
        for index in rank:
            centers[index] = left + graph.widths[index] / 2
            left += graph.widths[index] + SIDE_GAP
    for sweep in range(_POSITION_SWEEPS):
        for rank in graph.ranks if sweep % 2 == 0 else reversed(graph.ranks):
            desired, weights = [], []
            for index in rank:
                near = graph.above[index] if sweep % 2 == 0 else graph.below[index]
                center, weight = _desired_center(graph, centers, index, near)
                desired.append(center)
                weights.append(weight)
            _spread(graph, centers, rank, desired, weights)
    _straighten(graph, centers)
    return centers


def _straighten(graph: _Graph, centers: list[float]) -> None:
    """Align nodes that are almost below their only predecessor."""
    for rank in graph.ranks:
        for index in rank:
            above = [n for n in graph.above[index] if not graph.is_bend[n]]
            if len(above) == 1 and abs(centers[index] - centers[above[0]]) < _NEARLY:
                centers[index] = centers[above[0]]


def _desired_center(
    graph: _Graph, centers: list[float], index: int, near: list[int]
) -> tuple[float, float]:
    """Return the preferred center of a node and its weight."""
    if not near:
        return centers[index], 0.1
    pulls = [min(graph.pulls[index], graph.pulls[other]) for other in near]
    weight = sum(pulls)
    return sum(p * centers[n] for p, n in zip(pulls, near, strict=True)) / weight, weight


def _spread(
    graph: _Graph,
    centers: list[float],
    rank: list[int],
    desired: list[float],
    weights: list[float],
) -> None:
    """Place the nodes of a rank as close to their preferred centers as their distances allow."""
    offsets = [0.0]
    for left, right in pairwise(rank):
        gap = SIDE_GAP / 2 if graph.is_bend[left] or graph.is_bend[right] else SIDE_GAP
        offsets.append(offsets[-1] + (graph.widths[left] + graph.widths[right]) / 2 + gap)
    pools: list[tuple[float, float, int]] = []  # weighted sum of desired centers, weight, count
    for center, weight, offset in zip(desired, weights, offsets, strict=True):
        total, heavy, many = (center - offset) * weight, weight, 1
        while pools and pools[-1][0] / pools[-1][1] > total / heavy:
            before = pools.pop()
            total, heavy, many = total + before[0], heavy + before[1], many + before[2]
        pools.append((total, heavy, many))
    at = 0
    for total, heavy, many in pools:
        for _ in range(many):
            centers[rank[at]] = total / heavy + offsets[at]
            at += 1


def _starts(rank: list[int], depths: list[float], blocks: list[str]) -> list[float]:
    """Compute the start of each node along the wires."""
    levels: list[list[int]] = [[] for _ in range(max(rank) + 1)]
    for index, level in enumerate(rank):
        levels[level].append(index)
    starts = [0.0] * len(rank)
    at = 0.0
    before: set[str] = set()
    for members in levels:
        here = {blocks[index] for index in members}
        at += BLOCK_GAP - RANK_GAP if members and before and here - before else 0.0
        depth = max((depths[index] for index in members), default=0.0)
        for index in members:
            starts[index] = at + (depth - depths[index]) / 2
        at += depth + RANK_GAP
        before = here
    return starts
