"""Automatic places, and how a drawing closes up where blocks are folded."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from studio.engine.networks.layout import lay_out
from studio.ui.pages.networks.designer.picture import CompressedAxis, closing, lanes

SIZE = (176.0, 48.0)
Edge = tuple[str, str]


def sizes(*names: str) -> dict[str, tuple[float, float]]:
    return dict.fromkeys(names, SIZE)


def test_a_chain_is_straight_and_leads_down() -> None:
    positions = lay_out(sizes("a", "b", "c"), [("a", "b"), ("b", "c")])
    assert len({x for x, _ in positions.values()}) == 1
    assert positions["a"][1] < positions["b"][1] < positions["c"][1]


def test_to_the_right_is_the_same_turned() -> None:
    wires = [("a", "b"), ("a", "c"), ("b", "d"), ("c", "d")]
    square = dict.fromkeys("abcd", (50.0, 50.0))
    down = lay_out(square, wires)
    right = lay_out(square, wires, direction="right")
    assert {key: (y, x) for key, (x, y) in down.items()} == right


def test_branches_stand_side_by_side_around_the_middle() -> None:
    names = ["in", "one", "two", "three", "four", "out"]
    wires = [(a, b) for b in names[1:5] for a in ["in"]] + [(b, "out") for b in names[1:5]]
    positions = lay_out(sizes(*names), wires)
    assert len({positions[name][1] for name in names[1:5]}) == 1
    middle = sum(positions[name][0] for name in names[1:5]) / 4
    assert abs(positions["in"][0] - middle) < 1
    assert abs(positions["out"][0] - middle) < 1


def test_a_shortcut_goes_around_and_the_long_way_stays_straight() -> None:
    names = ["a", "b", "c", "d", "e"]
    wires: list[Edge] = [("a", "b"), ("b", "c"), ("c", "d"), ("d", "e"), ("a", "e")]
    positions = lay_out(sizes(*names), wires)
    assert max(abs(positions[name][0] - positions["c"][0]) for name in ("b", "d")) < 1


def test_what_has_no_source_stands_near_its_reader() -> None:
    wires: list[Edge] = [("a", "b"), ("b", "c"), ("lonely", "c")]
    positions = lay_out(sizes("a", "b", "c", "lonely"), wires)
    assert positions["lonely"][1] == positions["b"][1]


def test_blocks_get_room_for_their_frames() -> None:
    names = sizes("a", "b", "c")
    wires: list[Edge] = [("a", "b"), ("b", "c")]
    plain = lay_out(names, wires)
    blocked = lay_out(names, wires, {"b": "block"})
    assert blocked["b"][1] > plain["b"][1]


EDGES = st.lists(st.tuples(st.integers(0, 25), st.integers(0, 25)), max_size=60)


@given(EDGES, st.sampled_from(["down", "right"]))
def test_nothing_overlaps_and_circles_do_no_harm(
    edges: list[tuple[int, int]], direction: str
) -> None:
    names = [f"n{number}" for number in range(26)]
    wires = [(names[a], names[b]) for a, b in edges]
    way = "down" if direction == "down" else "right"
    positions = lay_out(sizes(*names), [*wires, ("gone", "n1")], direction=way)  # type: ignore[arg-type]  # a literal
    assert set(positions) == set(names)
    for at, one in enumerate(names):
        for other in names[at + 1 :]:
            apart_x = abs(positions[one][0] - positions[other][0]) >= SIZE[0] - 0.2
            apart_y = abs(positions[one][1] - positions[other][1]) >= SIZE[1] - 0.2
            assert apart_x or apart_y
    assert lay_out({}, wires) == {}


def test_four_hundred_layers_in_blocks_with_shortcuts_do_not_overlap() -> None:
    wires: list[Edge] = []
    last = "n0"
    count = 1
    for _ in range(60):
        before = last
        for _ in range(7):
            wires.append((last, f"n{count}"))
            last = f"n{count}"
            count += 1
        wires.append((before, last))
    indices = lay_out(sizes(*(f"n{number}" for number in range(count))), wires)
    assert len(set(indices.values())) == count == 421


def test_a_folded_block_takes_its_empty_room_away() -> None:
    axis = closing([(0, 50), (100, 140), (400, 450)], [(100, 360)])
    assert axis.closed(100) == 100
    assert axis.closed(400) == 400 - (360 - 140)
    assert axis.opened(axis.closed(400)) == 400


def test_what_stands_beside_a_folded_block_keeps_its_height() -> None:
    axis = closing([(0, 50), (100, 140), (250, 300), (400, 450)], [(100, 360)])
    assert axis.closed(300) - axis.closed(250) == 50
    assert axis.closed(250) - axis.closed(140) == 40
    assert axis.closed(400) - axis.closed(300) == 40


SPANS = st.lists(
    st.tuples(st.integers(-500, 500), st.integers(1, 200)).map(
        lambda pair: (float(pair[0]), float(pair[0] + pair[1]))
    ),
    max_size=8,
)


@given(SPANS, SPANS)
def test_closing_keeps_order_and_can_be_opened(
    occupied: list[tuple[float, float]], folded: list[tuple[float, float]]
) -> None:
    axis = closing(occupied, folded)
    for start, end in occupied:
        assert axis.closed(end) - axis.closed(start) == end - start
        assert axis.closed(start) <= start
        if not any(low <= start <= high for low, high in axis.cuts):
            assert axis.opened(axis.closed(start)) == start
    assert CompressedAxis().closed(3.5) == CompressedAxis().opened(3.5) == 3.5


def wired(*wires: Edge) -> dict[Edge, Edge]:
    return {wire: wire for wire in wires}


def test_a_long_wire_goes_around_what_is_between() -> None:
    positions = {"a": (0.0, 0.0), "b": (0.0, 100.0), "c": (0.0, 200.0)}
    found = lanes(positions, wired(("a", "b"), ("b", "c"), ("a", "c")), SIZE, "down")
    assert set(found) == {("a", "c")}
    assert not -4 < found["a", "c"] < SIZE[0] + 4


def test_long_parallel_wires_have_their_own_lanes() -> None:
    positions = {"a": (0.0, 0.0), "b": (0.0, 100.0), "c": (0.0, 200.0), "d": (0.0, 300.0)}
    found = lanes(positions, wired(("a", "c"), ("a", "d"), ("b", "d")), SIZE, "down")
    ways = sorted(found.values())
    assert len(ways) == 3
    assert all(later - earlier >= 9 for earlier, later in pairwise(ways))


def test_a_free_way_is_straight() -> None:
    positions = {"a": (0.0, 0.0), "b": (300.0, 100.0), "c": (0.0, 200.0)}
    assert lanes(positions, wired(("a", "c")), SIZE, "down") == {("a", "c"): SIZE[0] / 2}
    turned = {key: (y, x) for key, (x, y) in positions.items()}
    assert lanes(turned, wired(("a", "c")), (48.0, 176.0), "right") == {("a", "c"): 88.0}


POSITIONS = st.lists(
    st.tuples(st.integers(0, 6), st.integers(0, 12)), min_size=2, max_size=20, unique=True
)


@given(POSITIONS)
def test_no_lane_runs_over_a_box(corners: list[tuple[int, int]]) -> None:
    positions = {f"n{at}": (x * 210.0, y * 100.0) for at, (x, y) in enumerate(corners)}
    wires = wired(
        *((a, b) for a in positions for b in positions if positions[a][1] < positions[b][1])
    )
    for (a, b), lane in lanes(positions, wires, SIZE, "down").items():
        begin, end = positions[a][1] + SIZE[1], positions[b][1]
        for x, y in positions.values():
            if begin < y + SIZE[1] and y < end and begin <= y:
                assert not x < lane < x + SIZE[0]
