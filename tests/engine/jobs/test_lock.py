"""The lock of a job that is worked on, across processes and their deaths."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from helpers.processes import kill_and_wait, python
from helpers.waiting import wait_until
from studio.engine.jobs.liveness import JobBusy, holding, holding_there, is_held

_HOLD = """
import sys
from pathlib import Path
from studio.engine.jobs.liveness import holding
with holding(Path(sys.argv[1])):
    print("held")
    sys.stdin.readline()
"""


def test_one_holder_at_a_time(tmp_path: Path) -> None:
    assert not is_held(tmp_path)
    with holding(tmp_path):
        assert is_held(tmp_path)
        began = time.monotonic()
        with pytest.raises(JobBusy), holding(tmp_path, seconds=0.05):
            pass
        assert time.monotonic() - began >= 0.05
    assert not is_held(tmp_path)


def test_a_lock_does_not_bring_the_folder_of_a_deleted_job_back(tmp_path: Path) -> None:
    folder = tmp_path / "deleted"

    assert not is_held(folder)
    with pytest.raises(JobBusy), holding(folder):
        pass
    assert not folder.exists()


@pytest.mark.parametrize("killed", [True, False])
def test_the_lock_ends_with_its_process_however_it_ends(tmp_path: Path, *, killed: bool) -> None:
    with python(_HOLD, tmp_path) as process:
        assert process.stdout is not None
        assert process.stdin is not None
        assert process.stdout.readline() == "held\n"
        assert is_held(tmp_path)
        if killed:
            kill_and_wait(process.pid)
        else:
            process.stdin.close()
            process.wait()

        wait_until(lambda: not is_held(tmp_path), "the lock is free")


def test_a_worker_elsewhere_keeps_the_job_from_others_but_not_from_its_own(
    tmp_path: Path,
) -> None:
    with holding(tmp_path), holding_there(tmp_path):
        pass
    assert not is_held(tmp_path)

    with holding_there(tmp_path):
        assert is_held(tmp_path), "its leader is gone, and it may still write"
        with pytest.raises(JobBusy), holding_there(tmp_path, seconds=0.01):
            pass
    assert not is_held(tmp_path)


def test_waiting_callers_get_the_result(tmp_path: Path) -> None:
    with python(_HOLD, tmp_path) as process:
        assert process.stdout is not None
        assert process.stdin is not None
        process.stdout.readline()
        process.stdin.close()
        with holding(tmp_path, seconds=10):
            assert process.wait() == 0
