"""The search space of a sweep: its grid, the order of its trials, and the plan of one trial."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Mapping, Sequence

from studio.engine.errors import StudioError
from studio.engine.networks.spec import NetworkSpec
from studio.engine.plans import FieldKind
from studio.engine.sweeps.fields import DATASET, NETWORK, field_of, layer_setting
from studio.engine.sweeps.plan import GRID, Dimension, SweepPlan, Value
from studio.engine.training.plan import TrainingPlan

Values = Mapping[str, Value]
"""The values of one trial, by the dotted names of their fields."""

LARGEST_SEED = 2**31 - 1


def points_of(dimension: Dimension) -> tuple[Value, ...]:
    """Return the grid values of a dimension, in order; empty for an infinite range."""
    low, high = dimension.low, dimension.high
    if low is None or high is None:
        return dimension.values
    whole = is_whole(dimension)
    step = dimension.step
    if step is None and dimension.count is None and whole and dimension.scale == "linear":
        step = 1.0
    if step is not None:
        # A hair of tolerance: 0 to 0.3 by 0.1 has four values although 0.1 is inexact in binary.
        count = math.floor((high - low) / step + 1e-9) + 1
        numbers = [low + index * step for index in range(count)]
    elif dimension.count is not None:
        fractions = [index / (dimension.count - 1) for index in range(dimension.count)]
        if dimension.scale == "log":
            numbers = [low * (high / low) ** share for share in fractions]
        else:
            numbers = [low + (high - low) * share for share in fractions]
        numbers[-1] = high
    else:
        return ()
    rounded = (round(each) if whole else float(f"{each:.12g}") for each in numbers)
    return tuple(dict.fromkeys(rounded))


def is_whole(dimension: Dimension) -> bool:
    """Return True if a dimension takes whole numbers only."""
    field = field_of(dimension.field)
    return field is not None and field.kind == FieldKind.INTEGER


def grid_size(plan: SweepPlan) -> int:
    """Count the combinations of the grid; 0 where a range has no number of values."""
    return math.prod(len(points_of(each)) for each in plan.dimensions)


def grid(plan: SweepPlan) -> Iterator[dict[str, Value]]:
    """Return every combination; the last dimension changes fastest."""
    names = [dimension.field for dimension in plan.dimensions]
    for point in itertools.product(*(points_of(each) for each in plan.dimensions)):
        yield dict(zip(names, point, strict=True))


def is_finite(plan: SweepPlan) -> bool:
    """Return True if the number of different trials is finite, as for a grid or for lists."""
    return plan.sampler == GRID or not any(each.is_range for each in plan.dimensions)


def trial_count(plan: SweepPlan) -> int | None:
    """Return the maximum number of trials; None where only the hours limit it."""
    if is_finite(plan):
        size = grid_size(plan)
        return size if plan.trials is None else min(size, plan.trials)
    return plan.trials


def trial_plan(plan: SweepPlan, values: Values, repeat: int = 0) -> TrainingPlan:
    """Return the training plan of one run of a trial.

    Args:
        plan: The sweep.
        values: Values of the varied fields. Those of the dataset's recipe are ignored: such a
            trial uses another dataset.
        repeat: Index of the seed, from 0.

    Raises:
        StudioError: The values do not go together with the rest of the plan.
    """
    base = plan.base
    recipe = f"{DATASET}."
    changes: dict[str, object] = {
        name: value
        for name, value in values.items()
        if not name.startswith(recipe) and layer_setting(name) is None
    }
    if NETWORK in values:
        changes["design"] = _design(plan, str(values[NETWORK]))
    elif any(map(layer_setting, values)):
        changes["design"] = _with_settings(base.design, values)
    for name in ("optimizer", "schedule"):
        if values.get(name, getattr(base, name)) != getattr(base, name):
            # Numbers of another one; those that vary come back with the values.
            base = base.changed(**{f"{name}_options": {}})
    if repeat:
        seed = int(values.get("seed", base.seed))
        changes["seed"] = (seed + repeat) % (LARGEST_SEED + 1)
    if plan.workers > base.runs_per_device:
        changes["runs_per_device"] = plan.workers
    if "latency" in plan.objectives:
        changes["measure_latency"] = True
    return base.changed(**changes)


def _design(plan: SweepPlan, network: str) -> NetworkSpec | None:
    """Return the drawn network with a name; None for a network of the zoo."""
    if network in plan.designs:
        return plan.designs[network]
    return plan.base.design if network == plan.base.network else None


def _with_settings(design: NetworkSpec | None, values: Values) -> NetworkSpec:
    """Return a drawn network whose layers have other settings.

    Raises:
        StudioError: It has no such layer.
    """
    changed: dict[str, dict[str, Value]] = {}
    for name, value in values.items():
        setting = layer_setting(name)
        if setting is None:
            continue
        node_id, parameter = setting
        if design is None or all(node.id != node_id for node in design.nodes):
            raise StudioError('The network has no layer "{layer}".', where=name, layer=node_id)
        changed.setdefault(node_id, {})[parameter] = value
    if design is None:
        raise StudioError("Only drawn networks have layers that can vary.", where=NETWORK)
    nodes = tuple(
        node.model_copy(update={"parameters": {**node.parameters, **changed.get(node.id, {})}})
        for node in design.nodes
    )
    return design.model_copy(update={"nodes": nodes})


Key = tuple[tuple[str, str], ...]
Move = tuple[Values, Values | None]
"""The values of a trial, and those of the trial after it; None for the end."""

_END: Key = (("", ""),)


def key_of(values: Mapping[str, object]) -> Key:
    """Return a hashable key that is equal for equal values of a trial."""
    return tuple(sorted((name, repr(value)) for name, value in values.items()))


def in_order(plan: SweepPlan, moves: Sequence[Move] = ()) -> Iterator[dict[str, Value]]:
    """Return every combination of a grid, in the order in which trials begin.

    A moved trial precedes another, or the position that the other had: so a move also means
    something after the other has begun.

    Args:
        plan: The sweep.
        moves: The moves in order; those of values outside the grid are ignored.
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
    """Return those that come before a combination of the grid, and where each of them is."""
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
    """Return the position of a key in a line, or the length of the line if it is missing."""
    return next((index for index, (each, _) in enumerate(line) if each == key), len(line))
