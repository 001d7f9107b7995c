"""Commands for a running worker: each read once, by the attempt that they are meant for."""

from __future__ import annotations

import errno
import os
from pathlib import Path
from typing import Literal

import pytest

from studio.engine.errors import DiskFullError, StudioError
from studio.engine.jobs.commands import COMMANDS_FILE, CommandReader, prepare, send, silence


def _names(reader: CommandReader) -> list[str]:
    return [each.command for each in reader.poll()]


def test_a_value_comes_along(tmp_path: Path) -> None:
    send(tmp_path, "rate", 1, 0.25)

    (command,) = CommandReader(tmp_path, 1, interval=0).poll()

    assert (command.command, command.value) == ("rate", 0.25)


def test_a_command_does_not_bring_the_folder_of_a_deleted_job_back(tmp_path: Path) -> None:
    folder = tmp_path / "deleted"

    with pytest.raises(StudioError, match="was deleted"):
        send(folder, "stop", 1)
    assert not folder.exists()


def test_each_command_is_read_once_by_its_attempt(tmp_path: Path) -> None:
    first, second = CommandReader(tmp_path, 1, interval=0), CommandReader(tmp_path, 2, interval=0)
    assert first.poll() == []

    send(tmp_path, "stop", 1)

    assert _names(first) == ["stop"]
    assert first.poll() == []
    assert second.poll() == []

    send(tmp_path, "stop", 2)
    assert first.poll() == []
    assert _names(second) == ["stop"]


def test_commands_from_before_the_reader_came_are_read(tmp_path: Path) -> None:
    send(tmp_path, "stop", 3)

    assert _names(CommandReader(tmp_path, 3, interval=0)) == ["stop"]


def test_unknown_and_damaged_commands_are_passed_over(tmp_path: Path) -> None:
    path = tmp_path / COMMANDS_FILE
    path.write_bytes(b'{"command": "dance", "attempt": 1}\n\xff\n{}\n\n')
    send(tmp_path, "stop", 1)

    assert _names(CommandReader(tmp_path, 1, interval=0)) == ["stop"]


def test_a_torn_command_does_not_swallow_the_next(tmp_path: Path) -> None:
    reader = CommandReader(tmp_path, 1, interval=0)
    (tmp_path / COMMANDS_FILE).write_bytes(b'{"command": "sto')
    assert reader.poll() == []

    send(tmp_path, "stop", 1)

    assert _names(reader) == ["stop"]


def test_a_command_that_is_being_written_is_read_later(tmp_path: Path) -> None:
    send(tmp_path, "stop", 1)
    path = tmp_path / COMMANDS_FILE
    whole = path.read_bytes()
    path.write_bytes(whole[:-5])
    reader = CommandReader(tmp_path, 1, interval=0)
    assert reader.poll() == []

    path.write_bytes(whole)

    assert _names(reader) == ["stop"]


def test_the_file_is_not_read_on_every_step(tmp_path: Path) -> None:
    reader = CommandReader(tmp_path, 1, interval=3600)
    assert reader.poll() == []
    send(tmp_path, "stop", 1)

    assert reader.poll() == []


@pytest.fixture
def full_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of a job whose worker has started, on a disk without a free byte or inode."""
    prepare(tmp_path)
    write, open_ = os.write, os.open

    def full_write(handle: int, data: bytes) -> int:
        if os.path.realpath(f"/proc/self/fd/{handle}").startswith(str(tmp_path)):
            raise OSError(errno.ENOSPC, "No space left on device")
        return write(handle, data)

    def full_open(path: str, flags: int, mode: int = 0o777) -> int:
        if flags & os.O_CREAT and not Path(path).exists():
            raise OSError(errno.ENOSPC, "No space left on device", path)
        return open_(path, flags, mode)

    monkeypatch.setattr(os, "write", full_write)
    monkeypatch.setattr(os, "open", full_open)
    return tmp_path


@pytest.mark.parametrize("is_prepared", [True, False])
@pytest.mark.parametrize("name", ["stop", "pause"])
def test_a_full_disk_does_not_keep_a_run_from_ending(
    full_disk: Path, name: Literal["stop", "pause"], is_prepared: bool
) -> None:
    if not is_prepared:  # the disk was full when the worker started, and has an inode now
        (full_disk / f".{name}").rename(full_disk / f".{name}-2")
    readers = [CommandReader(full_disk, attempt, interval=0) for attempt in (2, 3)]

    send(full_disk, name, 2)
    send(full_disk, name, 2)

    assert [_names(reader) for reader in readers] == [[name], []]
    assert [_names(reader) for reader in readers] == [[], []]
    with pytest.raises(DiskFullError):
        send(full_disk, "rate", 2, 0.1)
    prepare(full_disk)
    assert _names(CommandReader(full_disk, 2, interval=0)) == []


def test_a_job_is_silenced_on_a_full_disk(full_disk: Path) -> None:
    """A coordinator that ends lets no command come in between."""
    with silence(full_disk):
        assert CommandReader(full_disk, 1, interval=0).poll() == []


def test_a_stop_follows_a_pause_on_a_full_disk(full_disk: Path) -> None:
    send(full_disk, "pause", 1)
    send(full_disk, "stop", 1)

    assert set(_names(CommandReader(full_disk, 1, interval=0))) == {"stop", "pause"}
