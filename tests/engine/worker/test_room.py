"""Whether another trial fits into memory: a matter of figures, read here from nowhere."""

from __future__ import annotations

import os
from collections.abc import Collection
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from studio.engine.worker import room
from studio.engine.worker.room import GpuMemory, MemoryReading, Room, read_memory

GB = 2.0**30


@dataclass
class Fake:
    """A machine whose figures a test sets."""

    free: float = 16.0
    used: dict[int, float] = field(default_factory=dict)
    gpus: dict[str, GpuMemory] = field(default_factory=dict)
    asked: int = 0

    def __call__(self, pids: Collection[int], gpus: Collection[str]) -> MemoryReading:
        self.asked += 1
        used = {pid: self.used[pid] * GB for pid in pids if pid in self.used}
        return MemoryReading(
            self.free * GB, used, {name: self.gpus[name] for name in gpus if name in self.gpus}
        )


@dataclass
class Taker:
    """A trial at work."""

    pid: int | None = None
    has_grown: bool = True
    devices: tuple[str, ...] = ("cpu",)


def _gpu(free: float, used: float, **by_process: float) -> GpuMemory:
    sizes = {int(pid.removeprefix("p")): size * GB for pid, size in by_process.items()}
    return GpuMemory(free * GB, used * GB, sizes)


def test_the_first_always_fits_and_nothing_is_read_for_it() -> None:
    machine = Fake(free=0)

    assert Room((), machine).shortage([]) == ""
    assert machine.asked == 0


def test_another_fits_where_what_the_largest_took_is_free() -> None:
    machine = Fake(free=3.0, used={1: 2.5})
    room = Room((), machine)

    assert room.shortage([Taker(1)]) == ""  # 2.5 and a tenth

    machine.used[1] = 2.9
    assert room.shortage([Taker(1)]) == "", "it was read just now"
    room.began()
    said = room.shortage([Taker(1)])
    assert "needs about 2.9 GB, and 3.0 GB are free" in said
    machine.used[1] = 0.1
    room.began()
    assert "2.9 GB" in room.shortage([Taker(1)]), "it took that once"


def test_one_that_grows_keeps_the_rest_for_itself() -> None:
    machine = Fake(free=3.0, used={1: 2.0, 2: 0.5})
    room = Room((), machine)

    assert room.shortage([Taker(1)]) == ""
    room.began()
    assert "1.5 GB are free" in room.shortage([Taker(1), Taker(2, has_grown=False)])
    del machine.used[2]
    room.began()
    assert "1.0 GB are free" in room.shortage([Taker(1), Taker(None, has_grown=False)])


def test_what_was_not_measured_yet_is_assumed() -> None:
    machine = Fake(free=2.5, used={1: 0.1})

    assert "needs about 1.5 GB" in Room((), machine).shortage([Taker(1, has_grown=False)])
    assert Room((), machine).shortage([Taker(1)]) == ""
    machine.free = 4
    assert Room((), machine).shortage([Taker(1, has_grown=False)]) == ""


def test_the_process_of_a_trial_that_is_over_takes_the_next() -> None:
    machine = Fake(free=0.5, used={1: 2.0, 2: 2.0})
    room = Room((), machine)
    assert room.shortage([Taker(1), Taker(2)])

    room.began()
    assert "2.5 GB are free" not in room.shortage([Taker(1)])  # the other still has its memory
    assert room.shortage([Taker(1)]) == ""
    del machine.used[2]
    room.began()
    assert "0.5 GB are free" in room.shortage([Taker(1)])


@pytest.mark.parametrize("reported", [True, False], ids=["by process", "in all"])
def test_gpus_have_their_own_memory(reported: bool) -> None:
    names = ("gpu:0", "gpu:1")
    own = {"p1": 6.0} if reported else {}
    machine = Fake(used={1: 1.0}, gpus={"gpu:0": _gpu(4, 6, **own), "gpu:1": _gpu(10, 0)})
    taker = Taker(1, devices=("gpu:0",))

    assert Room(names, machine).shortage([taker]) == "", "the other is free"
    said = Room(names[:1], machine).shortage([taker])
    assert "GPU memory: it needs about 6.0 GB, and 4.0 GB are free" in said
    assert Room(names, machine).shortage([Taker(1, devices=names)]), "such a one takes two"
    machine.gpus = {}
    assert Room(names, machine).shortage([taker]) == "", "no driver, no opinion"


def test_the_system_is_asked() -> None:
    reading = read_memory([os.getpid(), 2**22 + 1], ["gpu:99"])

    assert reading.used.keys() == {os.getpid()}
    assert 10 * 2**20 < reading.used[os.getpid()] < reading.free
    assert reading.gpus == {}


def test_a_container_has_less_than_its_machine(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(room, "CONTAINER", tmp_path)
    alone = read_memory([], []).free
    for name, text in (
        ("memory.max", "1000\n"),
        ("memory.current", "700\n"),
        ("memory.stat", "anon 500\ninactive_file 150\n"),
    ):
        (tmp_path / name).write_text(text)

    assert read_memory([], []).free == 450 < alone
    (tmp_path / "memory.max").write_text("max\n")
    assert read_memory([], []).free > 450
