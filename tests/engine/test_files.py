"""Files that are the old one or the whole new one."""

from __future__ import annotations

import errno
import os
import shutil
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from studio.engine.errors import DiskFullError, StudioError
from studio.engine.files import (
    LONGEST_NAME,
    PARTIAL,
    clear_system_error,
    disk_full_is_clear,
    free_name,
    open_arrays,
    portable_name,
    remove_partials,
    replacing,
    require_space,
    slug,
    write_atomically,
)


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("CON", "_CON"),
        ("aux.png", "_aux.png"),
        ("lpt1", "_lpt1"),
        ("com10", "com10"),
        ("cat. . ", "cat"),
        (" a/b:c? ", "a_b_c_"),
        ("...", "_"),
        ("ünïcode", "ünïcode"),
        ("x" * 200, "x" * 80),
    ],
)
def test_every_system_takes_a_portable_name(text: str, name: str) -> None:
    assert portable_name(text) == name


def test_content_is_replaced_whole(tmp_path: Path) -> None:
    path = tmp_path / "new folder" / "file.json"

    write_atomically(path, "old")
    write_atomically(path, "neu – ü")

    assert path.read_bytes() == "neu – ü".encode()
    assert list(path.parent.iterdir()) == [path]


def _write_half(path: Path, error: BaseException) -> None:
    with replacing(path) as partial:
        assert partial.suffix == path.suffix
        partial.write_text("half of the n")
        assert path.read_text() == "old"
        raise error


@pytest.mark.parametrize("error", [RuntimeError, KeyboardInterrupt])
def test_a_failure_leaves_the_old_file(tmp_path: Path, error: type[BaseException]) -> None:
    path = tmp_path / "file.keras"
    path.write_text("old")

    with pytest.raises(error):
        _write_half(path, error())

    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("code", [errno.ENOSPC, errno.EDQUOT])
def test_a_full_disk_is_reported_and_leaves_the_old_file(tmp_path: Path, code: int) -> None:
    path = tmp_path / "file.h5"
    path.write_text("old")

    with pytest.raises(DiskFullError, match="no space left") as caught:
        _write_half(path, OSError(code, "full"))

    assert "Free some space" in caught.value.hint
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


def test_a_truly_full_device_is_reported() -> None:
    full = Path("/dev/full")
    if not full.exists():
        pytest.skip("/dev/full is a thing of Linux")

    with pytest.raises(DiskFullError), disk_full_is_clear(full):
        full.write_text("x")


def test_other_errors_stay_what_they_are(tmp_path: Path) -> None:
    with pytest.raises(PermissionError), disk_full_is_clear(tmp_path):
        raise PermissionError(errno.EACCES, "no")


@pytest.mark.parametrize(
    ("code", "words"),
    [
        (errno.ENOSPC, "no space left"),
        (errno.EROFS, "is read-only"),
        (errno.EACCES, "Studio cannot access"),
        (errno.EIO, "does not answer: Input/output error"),
        (errno.EMFILE, "no more open files"),
        (errno.ENOENT, "no longer exists"),
    ],
)
def test_what_the_system_refuses_is_no_bug_of_ours(tmp_path: Path, code: int, words: str) -> None:
    path = tmp_path / "gone" / "file"
    clear = clear_system_error(OSError(code, os.strerror(code), str(path)))
    assert isinstance(clear, StudioError)
    assert words in clear.message
    assert clear.hint


def test_our_own_bugs_stay_bugs(tmp_path: Path) -> None:
    missing = FileNotFoundError(errno.ENOENT, "No such file", str(tmp_path / "file"))
    for error in (missing, OSError("no number"), KeyError("x")):
        assert clear_system_error(error) is error


def test_disk_space_is_checked_before_work_starts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shutil, "disk_usage", lambda folder: SimpleNamespace(free=100 * 2**20))

    require_space(tmp_path, 80 * 2**20, "The dataset")
    with pytest.raises(DiskFullError, match="needs 95 MB and a reserve of 18 MB; 100 MB are free"):
        require_space(tmp_path, 95 * 2**20, "The dataset")


@given(st.text())
def test_a_slug_is_a_safe_folder_name(name: str) -> None:
    folder = slug(name, "run")

    assert 1 <= len(folder) <= 40
    assert set(folder) <= set("abcdefghijklmnopqrstuvwxyz0123456789-")
    assert folder[0] != "-"


@pytest.mark.parametrize(
    ("name", "expected"), [("CON", "run-con"), ("Lpt1 ", "run-lpt1"), ("com10", "com10")]
)
def test_a_slug_is_no_device_of_windows(name: str, expected: str) -> None:
    assert slug(name, "run") == expected


def test_partials_of_a_killed_writer_are_removed_and_nothing_else(tmp_path: Path) -> None:
    path = tmp_path / "model.keras"
    path.write_text("whole")
    (tmp_path / f".model-0123456789ab{PARTIAL}.keras").write_text("half")
    (tmp_path / f".record-0123456789ab{PARTIAL}.json").write_text("of another")
    remove_partials(path)
    assert sorted(found.name for found in tmp_path.iterdir()) == [
        f".record-0123456789ab{PARTIAL}.json",
        "model.keras",
    ]


def test_a_free_name_is_numbered_and_never_too_long() -> None:
    assert free_name("run", []) == "run"
    assert free_name("run", ["RUN", "run-2"]) == "run-3"
    longest = "x" * LONGEST_NAME
    assert len(free_name(longest, [longest])) == LONGEST_NAME


def test_arrays_that_would_fill_the_memory_are_not_unpacked(tmp_path: Path) -> None:
    bomb, small, plain = (tmp_path / f"{name}.npz" for name in ("bomb", "small", "plain"))
    np.savez_compressed(bomb, zeros=np.zeros(100 * 2**20, np.uint8))
    np.savez_compressed(small, zeros=np.zeros(2**20, np.uint8))
    np.savez(plain, zeros=np.zeros(2**20, np.uint8))

    with pytest.raises(ValueError, match="compression ratio"), open_arrays(bomb):
        pass
    for path in (small, plain):
        with open_arrays(path) as arrays:
            assert arrays["zeros"].nbytes == 2**20
