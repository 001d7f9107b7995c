"""Writing encoded rows: any order, kills at any place, and what HDF5 says of the file."""

from __future__ import annotations

from pathlib import Path

import h5py
import numpy as np
import pytest
from dataset_pictures import noise, recipe
from numpy.typing import NDArray

from studio.engine.datasets import writer
from studio.engine.datasets.encoding import encode
from studio.engine.datasets.recipe import DatasetRecipe
from studio.engine.datasets.schema import MIN_BYTES
from studio.engine.datasets.splits import SKIPPED, TRAIN
from studio.engine.datasets.store import FILE_NAME, Store, StoreWriter
from studio.engine.datasets.writer import ColumnFile
from studio.engine.errors import BadDataError, DiskFullError

COUNT = 40
ASKED = recipe(encoding="png")
HOLE = 5
ROWS = [row for row in range(COUNT) if row != HOLE]
LABELS = (np.arange(COUNT) % 2).astype(np.int32)
SPLIT = np.full(COUNT, TRAIN, np.int8)
LABELS[HOLE], SPLIT[HOLE] = -1, SKIPPED


def pixels(row: int) -> NDArray[np.uint8]:
    return noise(row, 8, 8)


def begin(folder: Path, asked: DatasetRecipe = ASKED) -> StoreWriter:
    folder.mkdir(exist_ok=True)
    return StoreWriter.create(folder, asked, [f"x/{i}" for i in range(COUNT)], ["a", "b"], "f")


def put(rows: StoreWriter, row: int) -> None:
    rows.write(row, encode(pixels(row), ASKED), bytes([row]) * 16)


def finish(rows: StoreWriter) -> None:
    rows.finish(LABELS, SPLIT, ["a", "b"])


def resumed(folder: Path) -> StoreWriter:
    rows = StoreWriter.resume(folder, "f")
    assert rows is not None
    return rows


@pytest.fixture
def whole(tmp_path: Path) -> Path:
    """A dataset that nothing happened to."""
    with begin(tmp_path / "whole") as rows:
        for row in ROWS:
            put(rows, row)
        finish(rows)
    return tmp_path / "whole"


def check(folder: Path) -> None:
    store = Store.open(folder)
    for row in ROWS:
        assert np.array_equal(store.images[row], pixels(row)), row
    assert not store.images[HOLE].any()
    assert store.hashes[3].tobytes() == bytes([3]) * 16


def same_columns(one: Path, other: Path) -> bool:
    with h5py.File(one / FILE_NAME) as first, h5py.File(other / FILE_NAME) as second:
        return set(first) == set(second) and all(
            np.array_equal(first[name][:], second[name][:]) for name in first
        )


def test_h5py_reads_it_too(whole: Path) -> None:
    check(whole)
    with h5py.File(whole / FILE_NAME) as file:
        start, length = file["place"][9]
        data = file["bytes"][start : start + length]
        assert np.array_equal(data, encode(pixels(9), ASKED))
        lengths = file["place"][:, 1]
        assert file["bytes"].shape == (lengths.sum(),)
        assert file["bytes"].id.get_offset() + lengths.sum() == (whole / FILE_NAME).stat().st_size
        assert lengths[HOLE] == 0
        assert "images" not in file


def test_rows_come_in_any_order(tmp_path: Path) -> None:
    with begin(tmp_path) as rows:
        for row in np.random.default_rng(1).permutation(ROWS).tolist():
            put(rows, row)
        finish(rows)
    check(tmp_path)


@pytest.mark.parametrize("killed_after", [1, 3, 4, 17, 39])
def test_killed_and_continued_is_the_same_file(
    tmp_path: Path, whole: Path, monkeypatch: pytest.MonkeyPatch, killed_after: int
) -> None:
    monkeypatch.setattr(writer, "ROWS_BETWEEN_FLUSHES", 4)
    killed = begin(tmp_path / "out")
    for row in ROWS[:killed_after]:
        put(killed, row)
    killed._file.handle.close()  # as a kill would: no flush
    with resumed(tmp_path / "out") as rows:
        assert rows.done.sum() == killed_after // 4 * 4
        assert rows.missing_bytes == 0
        for row in np.flatnonzero(rows.done).tolist():
            assert np.array_equal(rows.pixels(row), pixels(row))
        for row in ROWS:
            if not rows.done[row]:
                put(rows, row)
        finish(rows)
    check(tmp_path / "out")
    assert same_columns(tmp_path / "out", whole)


class Killed(BaseException):
    """Nothing of ours catches it."""


@pytest.mark.parametrize("step", range(8))
def test_killed_while_it_is_finished(
    tmp_path: Path, whole: Path, monkeypatch: pytest.MonkeyPatch, step: int
) -> None:
    rows = begin(tmp_path / "out")
    for row in ROWS:
        put(rows, row)
    rows.flush()
    steps = iter(range(100))

    def counted(work: str) -> None:
        real = getattr(ColumnFile, work)

        def until(self: ColumnFile, *rest: object) -> None:
            if next(steps) == step:
                raise Killed
            real(self, *rest)

        monkeypatch.setattr(ColumnFile, work, until)

    for work in ("put", "cut", "sync"):
        counted(work)
    with pytest.raises(Killed):
        finish(rows)
    rows._file.handle.close()
    monkeypatch.undo()
    with resumed(tmp_path / "out") as again:
        assert again.done.sum() == len(ROWS)
        finish(again)
    check(tmp_path / "out")
    assert same_columns(tmp_path / "out", whole)


def test_a_row_that_was_lost_in_a_kill_and_is_unreadable_now_is_a_hole(tmp_path: Path) -> None:
    killed = begin(tmp_path)
    for row in (*ROWS, HOLE):
        put(killed, row)
    killed._file.write("hash", 0, killed._hashes)
    killed._file.write("place", 0, killed._offsets)  # its place is on the disk, its status is not
    killed._status[ROWS] = 1
    killed._file.write("status", 0, killed._status)
    killed._file.handle.close()
    with resumed(tmp_path) as rows:
        finish(rows)
    check(tmp_path)


def test_a_truncated_partial_file_is_rewritten(tmp_path: Path) -> None:
    with begin(tmp_path) as rows:
        for row in ROWS:
            put(rows, row)
    partial = tmp_path / (FILE_NAME + ".partial")
    partial.write_bytes(partial.read_bytes()[:-1])
    assert StoreWriter.resume(tmp_path, "f") is None


def test_damage_in_a_partial_file_is_clear(tmp_path: Path) -> None:
    with begin(tmp_path) as rows:
        put(rows, 3)
        rows._file.write("bytes", 0, np.zeros(40, np.uint8))
    with resumed(tmp_path) as rows, pytest.raises(BadDataError, match="damaged in row 3"):
        rows.pixels(3)


def test_a_few_bytes_are_filled_up(tmp_path: Path) -> None:
    with begin(tmp_path) as rows:
        put(rows, 0)
        labels, split = np.full(COUNT, -1, np.int32), np.full(COUNT, SKIPPED, np.int8)
        labels[0], split[0] = 0, TRAIN
        rows.finish(labels, split, ["a"])
    assert np.array_equal(Store.open(tmp_path).images[0], pixels(0))
    with h5py.File(tmp_path / FILE_NAME) as file:
        assert file["bytes"].shape == (MIN_BYTES,)


def test_every_cut_is_noticed(whole: Path) -> None:
    path = whole / FILE_NAME
    data = path.read_bytes()
    for length in [*range(0, len(data), 211), len(data) - 1]:
        path.write_bytes(data[:length])
        with pytest.raises(BadDataError, match="damaged"):
            Store.open(whole)


def test_full_disk_leaves_something_to_continue(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(writer, "ROWS_BETWEEN_FLUSHES", 2)
    with begin(tmp_path) as rows:
        for row in ROWS[:4]:
            put(rows, row)
        rows._file.handle.close()
        rows._file.handle = open("/dev/full", "r+b", buffering=0)  # noqa: SIM115, PTH123
        with pytest.raises(DiskFullError, match="no space left"):
            put(rows, ROWS[4])
    with resumed(tmp_path) as rows:
        for row in ROWS[4:]:
            put(rows, row)
        finish(rows)
    check(tmp_path)


@pytest.mark.parametrize("wrong", [noise(0, 8, 8), np.zeros(0, np.uint8), np.zeros(9, np.int8)])
def test_wrong_rows_are_our_bug(tmp_path: Path, wrong: NDArray[np.uint8]) -> None:
    with begin(tmp_path) as rows, pytest.raises(ValueError, match="uint8"):
        rows.write(0, wrong, bytes(16))
