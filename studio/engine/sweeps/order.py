"""In which order the trials of a grid begin: as it is written, but for those that were moved."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from studio.engine.sweeps.plan import SweepPlan, Value
from studio.engine.sweeps.space import Values, grid, points_of

Key = tuple[tuple[str, str], ...]
Move = tuple[Values, Values | None]
"""The values of a trial, and those of the one that it is to come before; None for the end."""

_END: Key = (("", ""),)


def key_of(values: Mapping[str, object]) -> Key:
    """What is equal for equal values of a trial, and can be hashed."""
    return tuple(sorted((name, repr(value)) for name, value in values.items()))


def in_order(plan: SweepPlan, moves: Sequence[Move] = ()) -> Iterator[dict[str, Value]]:
    """Every combination of a grid, in the order in which trials begin.

    A moved one stands before another, or before the place that the other had: so a move also means
    something after the other has begun.

    Args:
        plan: The sweep.
        moves: What was moved, the first move first; those of values that the grid has not are
            passed over.
    """
    lines, slots = _moved(plan, moves)
    for point in grid(plan):
        key = key_of(point)
        yield from (dict(values) for _, values in lines.get(key, ()))
        if key not in slots:
            yield point
    yield from (dict(values) for _, values in lines.get(_END, ()))


def _moved(
    plan: SweepPlan, moves: Sequence[Move]
) -> tuple[dict[Key, list[tuple[Key, Values]]], dict[Key, Key]]:
    """Those that come before a combination of the grid, and where each of them is."""
    lines: dict[Key, list[tuple[Key, Values]]] = {}
    slots: dict[Key, Key] = {}
    known = {each.field: set(map(repr, points_of(each))) for each in plan.dimensions}
    for values, before in moves:
        key, other = key_of(values), _END if before is None else key_of(before)
        ends = [values] if before is None else [values, before]
        if key == other or not all(_is_in(known, each) for each in ends):
            continue
        if key in slots:
            line = lines[slots.pop(key)]
            del line[_index(line, key)]
        line = lines.setdefault(slots.get(other, other), [])
        line.insert(_index(line, other), (key, values))
        slots[key] = slots.get(other, other)
    return lines, slots


def _is_in(known: Mapping[str, set[str]], values: Values) -> bool:
    return values.keys() == known.keys() and all(
        repr(value) in known[name] for name, value in values.items()
    )


def _index(line: Sequence[tuple[Key, Values]], key: Key) -> int:
    """Where a key stands in a line; behind all others where it does not."""
    return next((index for index, (each, _) in enumerate(line) if each == key), len(line))
