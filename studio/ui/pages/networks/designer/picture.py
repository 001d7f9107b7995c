"""Boxes, wires and frames of a drawing with their positions. Free of Qt."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Final

from studio.engine.networks.edits import Position, Wire, wires_of
from studio.engine.networks.layout import Direction
from studio.engine.networks.placing import BLOCK_HEADER, BLOCK_MARGIN, NODE_SIZE, keys_of
from studio.engine.networks.spec import NetworkSpec

Span = tuple[float, float]

RESERVED_GAP: Final = 40.0
"""Margin before items beside a folded block; after the block there is enough room."""


@dataclass(frozen=True, slots=True)
class CompressedAxis:
    """A line from which some stretches are taken out.

    Attributes:
        cuts: The stretches (start, end), in order, not overlapping.
    """

    cuts: tuple[Span, ...] = ()

    def closed(self, at: float) -> float:
        """Return the shown position of a position in the drawing."""
        return at - sum(min(end, at) - start for start, end in self.cuts if start < at)

    def opened(self, shown: float) -> float:
        """Return the position in the drawing of a shown position; the inverse of `closed`."""
        shown_starts = [self.closed(start) for start, _ in self.cuts]
        passed = bisect_right(shown_starts, shown)
        return shown + sum(end - start for start, end in self.cuts[:passed])


def closing(occupied: Iterable[Span], folded: Iterable[Span]) -> CompressedAxis:
    """Return the axis without the empty intervals inside folded blocks.

    Args:
        occupied: Extent of each item.
        folded: From where to where each folded block would reach if it were open.
    """
    taken = _union(occupied)
    cuts = []
    for start, end in _union(folded):
        at = start
        for low, high in taken:
            if at < high and low < end:
                if low - RESERVED_GAP > at:
                    cuts.append((at, low - RESERVED_GAP))
                at = high
        if at < end:
            cuts.append((at, end))
    return CompressedAxis(tuple(cuts))


def _union(spans: Iterable[Span]) -> list[Span]:
    """Merge overlapping intervals."""
    joined: list[Span] = []
    for start, end in sorted(spans):
        if joined and start <= joined[-1][1]:
            joined[-1] = (joined[-1][0], max(joined[-1][1], end))
        else:
            joined.append((start, end))
    return joined


TURN: Final = 26.0
"""Length in which a wire changes into its lane."""
CLEAR: Final = 20.0
"""Distance between a lane and the boxes beside it; outside of the frames around them."""
_APART: Final = 10.0

Box = tuple[float, float, float, float]
"""Start and end along the wires, start and end across them."""


def lanes(
    positions: Mapping[str, Position],
    wires: Mapping[Wire, Wire],
    size: tuple[float, float],
    direction: Direction,
) -> dict[Wire, float]:
    """Compute the lane of each long wire across the direction of the wires.

    Args:
        positions: Upper left corners of the boxes.
        wires: The wires between them.
        size: Width and height of every box.
        direction: Direction of the wires.
    """
    along, across = (1, 0) if direction == "down" else (0, 1)
    boxes = sorted(
        (at[along], at[along] + size[along], at[across], at[across] + size[across])
        for at in positions.values()
    )
    starts = [box[0] for box in boxes]
    found: dict[Wire, float] = {}
    taken: list[tuple[float, float, float]] = []
    for ends in wires:
        source, target = (positions[end] for end in ends)
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
    """Return the free lane with the shortest way."""
    near = [lane for lane, start, stop in taken if start < end + TURN and stop > begin - TURN]
    # Past other boxes a wire continues straight first; else it turns at once.
    candidates = [source, target] if between else [target, source]
    for _, _, left, right in between:
        candidates += [left - CLEAR, right + CLEAR]
    candidates += [lane + side for lane in near for side in (-_APART, _APART)]
    candidates.sort(key=lambda lane: abs(lane - source) + abs(lane - target))
    for lane in candidates:
        blocked = any(left - 4 < lane < right + 4 for _, _, left, right in between)
        if not blocked and all(abs(lane - other) >= _APART - 1 for other in near):
            return lane
    return candidates[0]


BLOCK_PREFIX = "#"
"""Prefix of the name of a folded block, which replaces its layers."""

NOTE_PREFIX = "@note"
"""Before the place of a note in the list of notes, where it is named like a node."""


@dataclass(frozen=True, slots=True)
class BlockFrame:
    """An open block: where its frame runs, around its layers.

    Blocks whose layers are not wired to each other have several.
    """

    key: str
    block: str
    left: float
    top: float
    right: float
    bottom: float


@dataclass(frozen=True, slots=True)
class DrawingPicture:
    """The boxes and lines that are shown.

    Attributes:
        positions: Upper left corner of each box, by node id, `INPUT`, `CLASSES`, or
            `BLOCK_PREFIX` and the part of a folded block.
        inside: Ids of the layers of each folded box and of each frame, in order.
        wires: Wires between the boxes, each with its first wire of the drawing.
        frames: Frames of the open blocks.
        lanes: Lanes of long wires.
        axis: Compression of the drawing along the wires.
    """

    positions: dict[str, Position]
    wires: dict[Wire, Wire]
    inside: dict[str, tuple[str, ...]] = field(default_factory=dict)
    frames: tuple[BlockFrame, ...] = ()
    lanes: dict[Wire, float] = field(default_factory=dict)
    axis: CompressedAxis = field(default_factory=CompressedAxis)


def picture_of(
    spec: NetworkSpec,
    closed_blocks: Collection[str],
    direction: Direction,
) -> DrawingPicture:
    """Return the boxes, wires and frames to show for a drawing with positions.

    Args:
        spec: The drawing.
        closed_blocks: Blocks that are folded.
        direction: Direction of the wires.
    """
    inside = parts_of(spec)
    block_of = {node.id: node.block for node in spec.nodes}
    folded = {key: ids for key, ids in inside.items() if block_of[ids[0]] in closed_blocks}
    shown_as = {node_id: key for key, ids in folded.items() for node_id in ids}
    positions = {key: spec.positions[key] for key in keys_of(spec) if key not in shown_as}
    corners = {key: [spec.positions[node_id] for node_id in ids] for key, ids in inside.items()}
    for key in folded:
        positions[key] = _front(corners[key], direction)
    axis = _axis(positions, {key: corners[key] for key in folded}, direction)
    along = 1 if direction == "down" else 0
    positions = {key: _closed(at, axis, along) for key, at in positions.items()}
    wires: dict[Wire, Wire] = {}
    for source, target in wires_of(spec):
        ends = shown_as.get(source, source), shown_as.get(target, target)
        if ends[0] != ends[1]:
            wires.setdefault(ends, (source, target))
    frames = tuple(
        frame_around(key, block_of[ids[0]], [positions[node_id] for node_id in ids])
        for key, ids in inside.items()
        if key not in folded
    )
    ways = lanes(positions, wires, NODE_SIZE, direction)
    return DrawingPicture(positions, wires, inside, frames, ways, axis)


def parts_of(spec: NetworkSpec) -> dict[str, tuple[str, ...]]:
    """Return the connected layers of each block, each group under its own key."""
    block_of = {node.id: node.block for node in spec.nodes if node.block}
    leader = {node_id: node_id for node_id in block_of}

    def lead(node_id: str) -> str:
        while leader[node_id] != node_id:
            leader[node_id] = leader[leader[node_id]]
            node_id = leader[node_id]
        return node_id

    for source, target in wires_of(spec):
        if source in block_of and block_of.get(target) == block_of[source]:
            leader[lead(target)] = lead(source)
    parts: dict[str, list[str]] = {}
    for node_id in block_of:
        parts.setdefault(lead(node_id), []).append(node_id)
    found: dict[str, tuple[str, ...]] = {}
    for ids in parts.values():
        key = BLOCK_PREFIX + block_of[ids[0]]
        while key in found:
            key += "'"
        found[key] = tuple(ids)
    return found


def _front(corners: list[Position], direction: Direction) -> Position:
    """Return the position of a folded block: at its start, centered across the wires."""
    xs, ys = [x for x, _ in corners], [y for _, y in corners]
    if direction == "down":
        return (min(xs) + max(xs)) / 2, min(ys)
    return min(xs), (min(ys) + max(ys)) / 2


def _axis(
    positions: Mapping[str, Position],
    folded: Mapping[str, list[Position]],
    direction: Direction,
) -> CompressedAxis:
    if not folded:
        return CompressedAxis()
    along = 1 if direction == "down" else 0
    reach = NODE_SIZE[along]
    occupied = [(at[along], at[along] + reach) for at in positions.values()]
    spans = [
        (min(at[along] for at in corners), max(at[along] for at in corners) + reach)
        for corners in folded.values()
    ]
    return closing(occupied, spans)


def _closed(at: Position, axis: CompressedAxis, along: int) -> Position:
    return (at[0], axis.closed(at[1])) if along else (axis.closed(at[0]), at[1])


def frame_around(key: str, block: str, corners: list[Position]) -> BlockFrame:
    """Return the frame around the layers of a block, with room for its name."""
    return BlockFrame(
        key,
        block,
        min(x for x, _ in corners) - BLOCK_MARGIN,
        min(y for _, y in corners) - BLOCK_MARGIN - BLOCK_HEADER,
        max(x for x, _ in corners) + NODE_SIZE[0] + BLOCK_MARGIN,
        max(y for _, y in corners) + NODE_SIZE[1] + BLOCK_MARGIN,
    )
