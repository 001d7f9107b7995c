"""The journal file: torn at any byte, followed in any pieces, written by one after another."""

from __future__ import annotations

import errno
import os
import tempfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from studio.engine.errors import DiskFullError
from studio.engine.jobs.events import Event, Note, ProgressMade, StateChanged, decoder, encode
from studio.engine.jobs.job import JournalReader, JournalWriter
from studio.engine.jobs.states import State
from studio.engine.training.job_types import RUN

DECODE = decoder(RUN.events)
EVENTS: list[Event] = [
    StateChanged(t=1, state=State.STARTING, attempt=1),
    Note(t=2, message='Umlaute: äöü – and "quotes"\nand a new line\u2028'),
    ProgressMade(t=3, done=1, total=2, what=""),
    StateChanged(t=4, state=State.COMPLETED, attempt=1),
]


def _write(path: Path, events: list[Event]) -> None:
    writer = JournalWriter(path)
    for event in events:
        writer.append(event)
    writer.close()


def test_what_was_written_is_read(tmp_path: Path) -> None:
    path = tmp_path / "journal.jsonl"
    assert JournalReader(path, DECODE).read() == []

    _write(path, EVENTS[:2])
    _write(path, EVENTS[2:])

    reader = JournalReader(path, DECODE)
    assert reader.read() == EVENTS
    assert reader.read() == []
    assert reader.damaged == 0


def test_truncated_at_every_byte_it_reads_as_a_prefix_and_continues_cleanly(
    tmp_path: Path,
) -> None:
    whole = b"".join(encode(event) for event in EVENTS)
    ends = [len(b"".join(encode(event) for event in EVENTS[:n])) for n in range(5)]
    last = StateChanged(t=9, state=State.LOST, attempt=1)
    path = tmp_path / "journal.jsonl"

    for cut in range(len(whole) + 1):
        path.write_bytes(whole[:cut])
        complete = sum(end <= cut for end in ends) - 1
        follower = JournalReader(path, DECODE)
        assert follower.read() == EVENTS[:complete]

        _write(path, [last])

        assert follower.read() == [last]
        again = JournalReader(path, DECODE)
        assert again.read() == [*EVENTS[:complete], last]
        assert again.damaged == follower.damaged == 0


def test_a_torn_line_longer_than_a_block_is_cut(tmp_path: Path) -> None:
    path = tmp_path / "journal.jsonl"
    path.write_bytes(encode(EVENTS[0]) + b"x" * 20_000)

    _write(path, [EVENTS[1]])

    assert JournalReader(path, DECODE).read() == EVENTS[:2]


@given(cuts=st.lists(st.integers(0, 600), max_size=8))
def test_read_in_pieces_is_the_same_as_at_once(cuts: list[int]) -> None:
    lines = [encode(event) for event in EVENTS]
    lines.insert(2, b'{"event": "from the future"}\n')
    lines.insert(1, b"damaged\n")
    whole = b"".join(lines)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "journal.jsonl"
        reader = JournalReader(path, DECODE)
        events: list[Event] = []
        for cut in [*sorted(cuts), len(whole)]:
            path.write_bytes(whole[:cut])
            events += reader.read()

    assert events == EVENTS
    assert reader.damaged == 1


def test_damaged_lines_in_the_middle_are_counted_and_passed_over(tmp_path: Path) -> None:
    path = tmp_path / "journal.jsonl"
    damage = [b"{}\n", b"\x00\x00\xff\n", b"\n", b'{"event": "unknown"}\n']
    lines = [encode(EVENTS[0]), *damage, encode(EVENTS[1])]
    path.write_bytes(b"".join(lines))

    reader = JournalReader(path, DECODE)

    assert reader.read() == EVENTS[:2]
    assert reader.damaged == 3


def test_a_full_disk_leaves_whole_lines(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "journal.jsonl"
    writer = JournalWriter(path)
    writer.append(EVENTS[0])
    real = os.write

    def write_half_then_fail(handle: int, data: bytes) -> int:
        if len(data) < len(encode(EVENTS[1])):
            raise OSError(errno.ENOSPC, "No space left on device")
        return real(handle, data[: len(data) // 2])

    with monkeypatch.context() as patch:
        patch.setattr(os, "write", write_half_then_fail)
        with pytest.raises(DiskFullError):
            writer.append(EVENTS[1])
    assert path.read_bytes() == encode(EVENTS[0])

    writer.append(EVENTS[2])
    writer.close()
    assert JournalReader(path, DECODE).read() == [EVENTS[0], EVENTS[2]]


def test_a_write_in_small_pieces_is_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = os.write
    monkeypatch.setattr(os, "write", lambda handle, data: real(handle, data[:7]))

    _write(tmp_path / "journal.jsonl", EVENTS)

    assert JournalReader(tmp_path / "journal.jsonl", DECODE).read() == EVENTS
