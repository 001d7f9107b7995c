"""Ratios of times that were measured in turns, on quiet and on busy machines."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from studio.engine import timing
from studio.engine.timing import (
    MIN_CALLS,
    MIN_PAIRS,
    PAIRS,
    PROCESS_VARIATION,
    SECONDS,
    ProcessorLoad,
    RelativeLatency,
    TimedBlock,
    Turns,
    cpu_ms,
    in_turns,
    least_disturbed_ms,
    relative_latency,
    timed_block,
)


def blocks(milliseconds: float, load: list[float], noise: float, seed: int) -> list[TimedBlock]:
    """Blocks of a program that other programs slow down."""
    dice = random.Random(seed)
    return [
        TimedBlock([milliseconds * each * dice.lognormvariate(0, noise)] * 3, milliseconds * 3e-3)
        for each in load
    ]


@given(
    speed=st.floats(0.1, 10),
    load=st.lists(st.floats(1, 20), min_size=MIN_PAIRS, max_size=PAIRS),
)
def test_load_that_both_meet_does_not_change_the_ratio(speed: float, load: list[float]) -> None:
    found = relative_latency(blocks(speed, load, 0, 0), blocks(1, load, 0, 0))
    assert found.ratio == pytest.approx(speed)
    assert found.low == pytest.approx(speed * (1 - PROCESS_VARIATION))
    assert found.high == pytest.approx(speed * (1 + PROCESS_VARIATION))
    assert found.cpu_ratio == pytest.approx(speed)


@given(noise=st.floats(0, 1), seed=st.integers(0, 10_000), load=st.floats(1, 5))
def test_the_ratio_lies_in_its_interval(noise: float, seed: int, load: float) -> None:
    found = relative_latency(
        blocks(2, [load] * PAIRS, noise, seed), blocks(1, [1] * PAIRS, noise, seed + 1)
    )
    assert found.low <= found.ratio <= found.high
    assert found.against(found).low <= 1 <= found.against(found).high


def test_equal_programs_rarely_differ_significantly() -> None:
    # Most of the noise of memory is not in these: the intervals are wider than they had to be.
    different = 0
    for seed in range(300):
        made = [blocks(1, [1] * PAIRS, 0.5, 2 * seed + each) for each in (0, 1)]
        different += relative_latency(*made).is_different
    assert different <= 9  # 1 % are expected


def test_differences_within_the_noise_are_not_significant() -> None:
    steady = blocks(1.03, [1] * PAIRS, 0, 0), blocks(1, [1] * PAIRS, 0, 0)
    assert not relative_latency(*steady).is_different
    assert RelativeLatency(ratio=1.2, low=1.1, high=1.3).is_different
    assert not RelativeLatency(ratio=1.2, low=0.9, high=1.5).is_different


def test_processor_time_may_contradict() -> None:
    faster = RelativeLatency(ratio=0.5, low=0.4, high=0.6, cpu_ratio=1.5)
    assert faster.is_contradicted
    assert not faster.model_copy(update={"cpu_ratio": 0.7}).is_contradicted
    assert not faster.model_copy(update={"cpu_ratio": None}).is_contradicted
    assert not faster.model_copy(update={"high": 1.1}).is_contradicted


def test_two_ratios_to_one_reference_give_a_third() -> None:
    one = RelativeLatency(ratio=0.5, low=0.4, high=0.6, cpu_ratio=0.5)
    other = RelativeLatency(ratio=2, low=1.6, high=2.5, cpu_ratio=1)
    found = one.against(other)
    assert (found.ratio, found.low, found.cpu_ratio) == (0.25, 0.16, 0.5)
    assert found.high == pytest.approx(0.375)


def test_programs_take_turns_and_change_their_order() -> None:
    order: list[str] = []

    def run(name: str) -> TimedBlock:
        order.append(name)
        return TimedBlock([1.0], 0.001)

    found = in_turns(lambda: run("a"), lambda: run("b"))
    assert [len(each) for each in found] == [PAIRS, PAIRS]
    assert order[:8] == ["b", "a", "a", "b", "b", "a", "a", "b"]
    alone, others = in_turns(lambda: run("a"), None, Turns(pairs=3))
    assert (len(alone), others) == (3, [])


def test_slow_programs_are_timed_in_fewer_pairs() -> None:
    now = [0.0]

    def run() -> TimedBlock:
        now[0] += SECONDS
        return TimedBlock([1.0], 0.001)

    first, second = in_turns(run, run, clock=lambda: now[0])
    assert len(first) == len(second) == MIN_PAIRS


def test_blocks_have_several_calls_however_long_one_takes(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(timing, "BLOCK_SECONDS", 0.0)
    calls: list[int] = []
    block = timed_block(lambda: calls.append(1))
    assert len(block.times_ms) == len(calls) == MIN_CALLS
    assert block.cpu_seconds >= 0


@given(load=st.lists(st.floats(1, 50), min_size=1), milliseconds=st.floats(0.01, 100))
def test_one_quiet_block_is_enough_for_a_latency(load: list[float], milliseconds: float) -> None:
    found = least_disturbed_ms(blocks(milliseconds, [*load, 1], 0, 0))
    assert found == pytest.approx(milliseconds)


def test_processor_time_is_that_of_a_call() -> None:
    made = [TimedBlock([1.0, 1.0], 0.003), TimedBlock([1.0], 0.003)]
    assert cpu_ms(made) == pytest.approx(2)
    idle = [TimedBlock([1.0], 0.0)]
    assert relative_latency(idle, idle).cpu_ratio is None


def test_load_counts_other_programs_only(monkeypatch: pytest.MonkeyPatch) -> None:
    machine, own = [(0.0, 0.0)], [10.0]
    monkeypatch.setattr(timing, "_machine_seconds", lambda: machine[0])
    monkeypatch.setattr(ProcessorLoad, "_own_seconds", lambda _: own[0])
    load = ProcessorLoad()
    assert load.of_others() == 0
    machine[0], own[0] = (6.0, 20.0), 12.0
    assert load.of_others() == pytest.approx(0.2)
    own[0] = 30.0
    assert load.of_others() == 0


def test_real_load_is_a_share() -> None:
    load = ProcessorLoad()
    sum(range(100_000))
    assert 0 <= load.of_others() <= 1
