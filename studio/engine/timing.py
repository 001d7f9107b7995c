"""Fair measurements of time on a machine that does other work, too.

A time says as much about other programs as about the one that was timed. Two programs that take
turns of a few hundredths of a second meet the same load: the ratio of each pair of turns is fair,
and how far the ratios of many pairs lie apart is the noise.
"""

from __future__ import annotations

import contextlib
import math
import statistics
import time
from collections.abc import Callable, Sequence
from typing import NamedTuple

import psutil
from pydantic import BaseModel, FiniteFloat

BLOCK_SECONDS = 0.05
MIN_CALLS = 3
"""The median of three ignores an interruption by another program."""
PAIRS, MIN_PAIRS = 24, 8
SECONDS = 20.0
CONFIDENCE = 0.99
PROCESS_VARIATION = 0.05
"""Two processes that run the same program differ by about this much: they lie elsewhere in memory.

No number of turns reveals that, so the intervals are wider by it.
"""


class TimedBlock(NamedTuple):
    """A block of consecutive calls of one program.

    Attributes:
        times_ms: Milliseconds of each call; at least one.
        cpu_seconds: Processor time of all of them, of all threads.
    """

    times_ms: Sequence[float]
    cpu_seconds: float


class Turns(NamedTuple):
    """Number of times that two programs take turns.

    Attributes:
        pairs: Maximum number of pairs.
        least: Minimum number of pairs.
        seconds: Time after which only the minimum number of pairs is completed.
    """

    pairs: int = PAIRS
    least: int = MIN_PAIRS
    seconds: float = SECONDS


class RelativeLatency(BaseModel, frozen=True):
    """Time of a program divided by that of a reference, measured in turns.

    Attributes:
        ratio: Median of the ratios of all pairs of turns; below 1 it is faster.
        low: Lower end of the interval of that median (99 %), less `PROCESS_VARIATION`.
        high: Upper end of it, plus `PROCESS_VARIATION`.
        cpu_ratio: Processor time of a call divided by that of the reference; None where the
            system's clock is too coarse to measure it.
    """

    ratio: FiniteFloat
    low: FiniteFloat
    high: FiniteFloat
    cpu_ratio: FiniteFloat | None = None

    @property
    def is_different(self) -> bool:
        """True if the difference is larger than the noise."""
        return not self.low <= 1 <= self.high

    @property
    def is_contradicted(self) -> bool:
        """True if processor time says the opposite: slower where the clock says faster.

        That alone is no error, as a program may use more processors to be faster. Where other
        programs need the processors too, the ratio is not reliable then.
        """
        if self.cpu_ratio is None or not self.is_different:
            return False
        cpu = math.log(self.cpu_ratio)
        return abs(cpu) > PROCESS_VARIATION and cpu * math.log(self.ratio) < 0

    def against(self, other: RelativeLatency) -> RelativeLatency:
        """Return the ratio to another program that was measured against the same reference.

        The interval is the widest that both intervals allow.
        """
        cpu = None
        if self.cpu_ratio is not None and other.cpu_ratio is not None:
            cpu = self.cpu_ratio / other.cpu_ratio
        return RelativeLatency(
            ratio=self.ratio / other.ratio,
            low=self.low / other.high,
            high=self.high / other.low,
            cpu_ratio=cpu,
        )


def timed_block(call: Callable[[], object]) -> TimedBlock:
    """Call a function repeatedly for a short time."""
    times: list[float] = []
    used = time.process_time()
    until = time.perf_counter() + BLOCK_SECONDS
    while len(times) < MIN_CALLS or time.perf_counter() < until:
        began = time.perf_counter()
        call()
        times.append((time.perf_counter() - began) * 1000)
    return TimedBlock(times, time.process_time() - used)


def least_disturbed_ms(blocks: Sequence[TimedBlock]) -> float:
    """Median milliseconds of a call in the block that other programs disturbed least.

    They only ever make a call longer, so that the shortest block is the nearest to the time that a
    call takes on a quiet machine.
    """
    return min(statistics.median(block.times_ms) for block in blocks)


def in_turns(
    program: Callable[[], TimedBlock],
    reference: Callable[[], TimedBlock] | None,
    turns: Turns | None = None,
    clock: Callable[[], float] = time.monotonic,
) -> tuple[list[TimedBlock], list[TimedBlock]]:
    """Run blocks of two programs alternately.

    The order of a pair changes each time, so that a load that grows or shrinks favors neither.

    Args:
        program: Runs a block of the program.
        reference: Runs a block of the reference; None without one.
        turns: Number of turns; None for the defaults of `Turns`.
        clock: Seconds, for the limit of time.

    Returns:
        The blocks of both, pair by pair; the second list is empty without a reference.
    """
    turns = turns or Turns()
    blocks: list[TimedBlock] = []
    others: list[TimedBlock] = []
    runs = [(program, blocks)] if reference is None else [(program, blocks), (reference, others)]
    until = clock() + turns.seconds
    for pair in range(turns.pairs):
        if pair >= turns.least and clock() > until:
            break
        runs.reverse()
        for run, found in runs:
            found.append(run())
    return blocks, others


def relative_latency(
    program: Sequence[TimedBlock], reference: Sequence[TimedBlock]
) -> RelativeLatency:
    """Compare the blocks of two programs, pair by pair.

    Args:
        program: Blocks of the program.
        reference: As many blocks of the reference, measured alternately.
    """
    ratios = sorted(
        statistics.median(one.times_ms) / statistics.median(other.times_ms)
        for one, other in zip(program, reference, strict=True)
    )
    low, high = _median_interval(ratios)
    used, theirs = cpu_ms(program), cpu_ms(reference)
    return RelativeLatency(
        ratio=statistics.median(ratios),
        low=low * (1 - PROCESS_VARIATION),
        high=high * (1 + PROCESS_VARIATION),
        cpu_ratio=used / theirs if used and theirs else None,
    )


def cpu_ms(blocks: Sequence[TimedBlock]) -> float:
    """Processor time of a call, milliseconds: of all blocks together, as clocks may be coarse."""
    calls = sum(len(block.times_ms) for block in blocks)
    return 1000 * sum(block.cpu_seconds for block in blocks) / calls


def _median_interval(values: Sequence[float]) -> tuple[float, float]:
    """Return the interval of a median from order statistics, which supposes no distribution.

    Args:
        values: Sorted.
    """
    count, below = len(values), 0
    chance = 0.5**count
    tail = chance
    while below < (count - 1) // 2 and tail <= (1 - CONFIDENCE) / 2:
        below += 1
        chance *= (count - below + 1) / below
        tail += chance
    rank = max(0, below - 1)  # with `below` values outside, the tail is too large
    return values[rank], values[count - 1 - rank]


# Processor use of other programs during a measurement.

BUSY = 0.2
"""Share of the processors, used by other programs, above which a measurement gets a warning."""


class ProcessorLoad:
    """The share of the processors that other programs use from now on."""

    def __init__(self) -> None:
        self._process = psutil.Process()
        self._busy, self._all = _machine_seconds()
        self._own = self._own_seconds()

    def of_others(self) -> float:
        """Their share of all processors since the beginning, 0 to 1.

        This process and those that it started do not count as others.
        """
        busy, total = _machine_seconds()
        others = busy - self._busy - (self._own_seconds() - self._own)
        elapsed = total - self._all
        return min(1.0, max(0.0, others / elapsed)) if elapsed > 0 else 0.0

    def _own_seconds(self) -> float:
        """Processor seconds of this process and its children, those that have ended included."""
        seconds = sum(self._process.cpu_times()[:4])
        for child in self._process.children(recursive=True):
            with contextlib.suppress(psutil.NoSuchProcess, psutil.AccessDenied):
                seconds += sum(child.cpu_times()[:4])
        return seconds


def _machine_seconds() -> tuple[float, float]:
    """Processor seconds of the machine since its start: at work, and all."""
    times = psutil.cpu_times()
    # Linux counts what guests use in `user` and `nice` as well.
    guests = getattr(times, "guest", 0.0) + getattr(times, "guest_nice", 0.0)
    total = sum(times) - guests
    return total - times.idle - getattr(times, "iowait", 0.0), total
