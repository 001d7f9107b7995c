"""The order of the trials of a grid, moved as people please: nothing is lost, nothing is twice."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from studio.engine.sweeps.fields import parse_dimensions
from studio.engine.sweeps.plan import SweepPlan
from studio.engine.sweeps.space import grid, in_order


def _plan(*vary: str) -> SweepPlan:
    dimensions = [each.model_dump() for each in parse_dimensions(vary)]
    return SweepPlan.parse({"base": {"dataset": "d"}, "dimensions": dimensions})


PLAN = _plan("batch_size=1,2,3", "shuffle=on,off")
POINTS = list(grid(PLAN))
_POSITIONS = st.integers(0, len(POINTS) - 1)


@given(st.lists(st.tuples(_POSITIONS, st.none() | _POSITIONS), max_size=12))
def test_moves_do_what_they_do_in_a_list(moves: list[tuple[int, int | None]]) -> None:
    expected = list(range(len(POINTS)))
    for index, before in moves:
        if index != before:
            expected.remove(index)
            at = len(expected) if before is None else expected.index(before)
            expected.insert(at, index)

    written = [
        (POINTS[index], None if before is None else POINTS[before]) for index, before in moves
    ]

    assert list(in_order(PLAN, written)) == [POINTS[at] for at in expected]


def test_moves_of_values_that_are_no_more_are_passed_over() -> None:
    gone = {"batch_size": 99, "shuffle": True}

    assert list(in_order(PLAN, [(gone, POINTS[0]), (POINTS[1], gone)])) == POINTS
    grown = _plan("batch_size=1,2,3,4", "shuffle=on,off")
    assert next(in_order(grown, [(POINTS[5], POINTS[0])])) == POINTS[5]
    assert len(list(in_order(grown, [(POINTS[5], POINTS[0])]))) == 8
