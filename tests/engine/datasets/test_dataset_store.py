from __future__ import annotations

import errno
import io
import json
import resource
import subprocess
import sys
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import pytest
from dataset_pictures import noise, recipe

from studio.engine.datasets import schema, writer
from studio.engine.datasets.splits import SKIPPED, TEST, TRAIN, VAL
from studio.engine.datasets.store import FILE_NAME, Store, StoreWriter
from studio.engine.datasets.writer import ColumnFile
from studio.engine.errors import BadDataError, DiskFullError, StudioError

PATHS = ["a/ü 1.png", "a/2\n.png", "b/3.png", "b/4.png", "b/5.png"]
LABELS = np.array([0, 0, -1, 1, 1], np.int32)
SPLIT = np.array([TRAIN, VAL, SKIPPED, TEST, TRAIN], np.int8)


def begin(folder: Path, paths: list[str] = PATHS, fingerprint: str = "f") -> StoreWriter:
    return StoreWriter.create(folder, recipe(), paths, ["a", "bé"], fingerprint)


def filled(folder: Path) -> Store:
    with begin(folder) as rows:
        for row in (0, 1, 3, 4):
            rows.write(row, noise(row, 8, 8), bytes([row]) * 16)
        rows.finish(LABELS, SPLIT, ["a", "bé"])
    return Store.open(folder)


def test_round_trip(tmp_path: Path) -> None:
    store = filled(tmp_path)
    assert store.shape == (8, 8, 3)
    assert store.images.shape == (5, 8, 8, 3)
    for row in (0, 1, 3, 4):
        assert np.array_equal(store.images[row], noise(row, 8, 8))
    assert store.classes == ["a", "bé"]
    assert store.paths == PATHS
    assert store.recipe == recipe()
    assert store.hashes[4].tobytes() == b"\x04" * 16
    assert store.labels.dtype == np.int32
    assert store.split.dtype == np.int8
    assert not (tmp_path / (FILE_NAME + ".partial")).exists()


def test_holes_are_never_seen(tmp_path: Path) -> None:
    store = filled(tmp_path)
    assert store.rows("train").tolist() == [0, 4]
    assert store.rows("val").tolist() == [1]
    assert store.rows("test").dtype == np.int64
    assert store.counts() == {"train": 2, "val": 1, "test": 1}
    assert store.class_counts() == {"train": [1, 1], "val": [1, 0], "test": [0, 1]}
    assert [store.class_rows(index).tolist() for index in (0, 1)] == [[0, 1], [3, 4]]
    with pytest.raises(StudioError, match="no split") as caught:
        store.rows("tain")
    assert '"train"' in caught.value.hint


def test_memory_map_equals_h5py(tmp_path: Path) -> None:
    store = filled(tmp_path)
    with h5py.File(tmp_path / FILE_NAME, "r") as file:
        assert np.array_equal(file["images"][:], store.images)
        assert np.array_equal(file["labels"][:], store.labels)
        assert file["path"].asstr()[0] == PATHS[0]
        assert set(file.attrs) >= {"format_version", "recipe", "created"}
        assert file["images"].chunks is None


def test_reading_cannot_change_the_dataset(tmp_path: Path) -> None:
    store = filled(tmp_path)
    store.images[:][0] = 0
    assert np.array_equal(store.images[0], noise(0, 8, 8))
    for array in (store.labels, store.split):
        assert not array.flags.writeable


LOCKED = """
import sys, h5py
with h5py.File(sys.argv[1], "r+"):
    print("locked", flush=True)
    sys.stdin.read()
"""


def test_another_program_may_hold_the_file(tmp_path: Path) -> None:
    filled(tmp_path)
    other = subprocess.Popen(
        [sys.executable, "-c", LOCKED, str(tmp_path / FILE_NAME)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    with other:
        assert other.stdout is not None
        assert other.stdout.readline() == b"locked\n"
        assert Store.open(tmp_path).counts()["train"] == 2
        assert len(Store.open(tmp_path).paths) == 5
        other.communicate(b"")


def test_dropped_class_and_many_texts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(writer, "_TEXTS_AT_ONCE", 2)
    with begin(tmp_path) as rows:
        rows.write(0, noise(0, 8, 8), bytes(16))
        rows.finish(np.array([0] + [-1] * 4, np.int32), np.array([0] + [-1] * 4, np.int8), ["bé"])
    store = Store.open(tmp_path)
    assert store.classes == ["bé"]
    assert store.paths == PATHS


def test_rows_done_survive_and_others_do_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(writer, "ROWS_BETWEEN_FLUSHES", 2)
    killed = begin(tmp_path)
    for row in (0, 3, 4):
        killed.write(row, noise(row, 8, 8), bytes([row]) * 16)
    killed._file.handle.close()  # as a kill would: no flush
    resumed = StoreWriter.resume(tmp_path, "f")
    assert resumed is not None
    with resumed:
        assert resumed.done.tolist() == [True, False, False, True, False]
        assert resumed.missing_bytes == 3 * 8 * 8 * 3
        assert np.array_equal(resumed.pixels(3), noise(3, 8, 8))
        resumed.write(1, noise(1, 8, 8), b"\x01" * 16)
        resumed.write(4, noise(4, 8, 8), b"\x04" * 16)
        resumed.finish(LABELS, SPLIT, ["a", "bé"])
    first = (tmp_path / FILE_NAME).read_bytes()
    whole = tmp_path / "whole"
    whole.mkdir()
    filled(whole)
    with h5py.File(whole / FILE_NAME) as one, h5py.File(io.BytesIO(first)) as other:
        for name in one:
            assert np.array_equal(one[name][:], other[name][:]), name


def test_closing_keeps_what_was_written(tmp_path: Path) -> None:
    with begin(tmp_path) as rows:
        rows.write(2, noise(2, 8, 8), bytes(16))
    resumed = StoreWriter.resume(tmp_path, "f")
    assert resumed is not None
    with resumed:
        assert resumed.done.tolist() == [False, False, True, False, False]


def test_no_continuation_of_something_else(tmp_path: Path) -> None:
    assert StoreWriter.resume(tmp_path, "f") is None
    begin(tmp_path).__exit__(None, None, None)
    assert StoreWriter.resume(tmp_path, "other") is None
    partial = tmp_path / (FILE_NAME + ".partial")
    whole = partial.read_bytes()
    for broken in (b"", b"rubbish", whole[:300], whole[:-1]):
        partial.write_bytes(broken)
        assert StoreWriter.resume(tmp_path, "f") is None
    partial.write_bytes(whole)
    resumed = StoreWriter.resume(tmp_path, "f")
    assert resumed is not None
    resumed.discard()
    assert list(tmp_path.iterdir()) == []


def test_wrong_rows_are_our_bug(tmp_path: Path) -> None:
    with begin(tmp_path) as rows, pytest.raises(ValueError, match="uint8"):
        rows.write(0, noise(0, 9, 8), bytes(16))


def test_missing_unfinished_foreign_and_newer(tmp_path: Path) -> None:
    with pytest.raises(BadDataError, match="no longer exists"):
        Store.open(tmp_path)
    begin(tmp_path).__exit__(None, None, None)
    with pytest.raises(BadDataError, match="not finished"):
        Store.open(tmp_path)
    with h5py.File(tmp_path / FILE_NAME, "w") as file:
        file["images"] = np.zeros((2, 4, 4, 1), np.uint8)
    with pytest.raises(BadDataError, match="not a dataset of Studio"):
        Store.open(tmp_path)
    filled(tmp_path)
    with h5py.File(tmp_path / FILE_NAME, "r+") as file:
        file.attrs["format_version"] = schema.FORMAT_VERSION + 1
    with pytest.raises(BadDataError, match="newer Studio"):
        Store.open(tmp_path)


def test_a_file_of_format_1_is_read_as_it_is(tmp_path: Path) -> None:
    images = np.array(filled(tmp_path).images)
    with h5py.File(tmp_path / FILE_NAME, "r+") as file:
        file.attrs["format_version"] = 1
        old = json.loads(file.attrs["recipe"])
        del old["encoding"], old["jpeg_quality"]
        file.attrs["recipe"] = json.dumps(old)
    store = Store.open(tmp_path)
    assert np.array_equal(store.images, images)
    assert not store.is_encoded
    assert store.recipe == recipe()


def test_every_cut_is_noticed(tmp_path: Path) -> None:
    filled(tmp_path)
    path = tmp_path / FILE_NAME
    whole = path.read_bytes()
    for length in range(0, len(whole), 37):
        path.write_bytes(whole[:length])
        with pytest.raises(BadDataError, match="damaged"):
            Store.open(tmp_path)


@pytest.mark.parametrize(("name", "value"), [("labels", 7), ("labels", -1), ("split", 3)])
def test_numbers_without_meaning_are_noticed(tmp_path: Path, name: str, value: int) -> None:
    filled(tmp_path)
    with h5py.File(tmp_path / FILE_NAME, "r+") as file:
        file[name][0] = value
    with pytest.raises(BadDataError, match="damaged"):
        Store.open(tmp_path)


def test_refuses_early_what_will_not_fit(tmp_path: Path) -> None:
    huge = recipe(width=4096, height=4096)
    with pytest.raises(DiskFullError, match="are free"):
        StoreWriter.create(tmp_path, huge, ["x"] * 10**6, ["a", "b"], "f")
    assert list(tmp_path.iterdir()) == []


class _FullDisk(io.FileIO):
    """Takes half of a row, then says that the disk is full."""

    def write(self, data: object) -> int:
        view = memoryview(data)  # type: ignore[arg-type]  # FileIO takes any buffer
        if len(view) < 16:
            raise OSError(errno.ENOSPC, "No space left on device")
        return super().write(view[: len(view) // 2])


def test_full_disk_while_writing(tmp_path: Path) -> None:
    with begin(tmp_path) as rows:
        rows.write(0, noise(0, 8, 8), bytes(16))
        rows.flush()
        rows._file.handle.close()
        rows._file.handle = _FullDisk(rows.path, "r+")
        with pytest.raises(DiskFullError, match="no space left") as caught:
            rows.write(1, noise(1, 8, 8), bytes(16))
    assert "Free some space" in caught.value.hint
    resumed = StoreWriter.resume(tmp_path, "f")
    assert resumed is not None
    with resumed:
        assert resumed.done.tolist() == [True, False, False, False, False]


def test_a_write_that_fails_at_the_beginning_leaves_no_file_open(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(*_args: object) -> None:
        raise DiskFullError("no space left")

    opened: list[io.FileIO] = []
    made = ColumnFile.__init__

    def remembered(file: ColumnFile, *args: Any) -> None:
        made(file, *args)
        opened.append(file.handle)

    monkeypatch.setattr(ColumnFile, "__init__", remembered)
    with begin(tmp_path):
        pass
    with monkeypatch.context() as patch:
        patch.setattr("studio.engine.files.require_space", refused)
        with pytest.raises(DiskFullError):
            StoreWriter.resume(tmp_path, "f")
    monkeypatch.setattr(ColumnFile, "put", refused)
    with pytest.raises(DiskFullError):
        begin(tmp_path)
    assert len(opened) == 3
    assert all(handle.closed for handle in opened)


def test_partial_writes_are_completed(tmp_path: Path) -> None:
    with begin(tmp_path) as rows:
        rows._file.handle.close()
        rows._file.handle = _Dribble(rows.path, "r+")
        rows.write(0, noise(0, 8, 8), bytes(16))
        assert np.array_equal(rows.pixels(0), noise(0, 8, 8))


class _Dribble(io.FileIO):
    """Takes and gives at most ten bytes at a time, as an unbuffered file may."""

    def write(self, data: object) -> int:
        return super().write(memoryview(data)[:10])  # type: ignore[arg-type]  # any buffer

    def readinto(self, buffer: object) -> int:
        return super().readinto(memoryview(buffer)[:10])  # type: ignore[arg-type]  # any buffer


LIMITED = """
import resource, sys
from pathlib import Path
from studio.engine.datasets.recipe import DatasetRecipe
from studio.engine.datasets.store import StoreWriter
from studio.engine.errors import DiskFullError
resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000))
recipe = DatasetRecipe(source="", width=256, height=256)
try:
    StoreWriter.create(Path(sys.argv[1]), recipe, ["x"], ["a", "b"], "f")
except DiskFullError as error:
    sys.exit(3)
"""


@pytest.mark.skipif(not hasattr(resource, "RLIMIT_FSIZE"), reason="needs limits of file size")
def test_disk_that_takes_no_large_files_is_an_error_and_not_a_crash(tmp_path: Path) -> None:
    done = subprocess.run([sys.executable, "-c", LIMITED, str(tmp_path)], check=False)
    assert done.returncode == 3
