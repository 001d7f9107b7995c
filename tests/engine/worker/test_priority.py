"""The processor priority of workers."""

from __future__ import annotations

import subprocess
import sys

import pytest

from helpers.processes import clean_environment
from studio.engine.errors import StudioError
from studio.engine.worker.priority import AUTOGROUP, NICENESS, VARIABLE, priority_of
from studio.engine.workspace import Limits, Workspace, write_limits
from studio.engine.workspace.limits import FILE, JobPriority

WEIGHTS = {0: 1024, 3: 526, 19: 15}
"""Weight of a niceness in the kernel (`sched_prio_to_weight`)."""
BUSY = 4
CORES = 2


def test_the_usual_priority_leaves_a_fifth_beside_four_busy_programs() -> None:
    process, group = NICENESS[Limits().job_priority]
    of_threads = WEIGHTS[process] / (WEIGHTS[process] + BUSY / CORES * WEIGHTS[0])
    of_group = WEIGHTS[group] / CORES
    assert of_threads >= 0.2
    assert of_group / (of_group + BUSY / CORES * WEIGHTS[0]) >= 0.2
    assert process > 0, "it yields where the kernel compares processes"


def test_the_priority_is_a_limit_of_the_workspace(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv(VARIABLE)
    assert priority_of(workspace.root) == "low"
    write_limits(workspace.root, Limits(job_priority="idle"))
    assert priority_of(workspace.root) == "idle"
    monkeypatch.setenv(VARIABLE, "normal")
    assert priority_of(workspace.root) == "normal"
    monkeypatch.setenv(VARIABLE, "high")
    with pytest.raises(StudioError):
        priority_of(workspace.root)
    monkeypatch.delenv(VARIABLE)
    (workspace.root / FILE).write_text("{")
    assert priority_of(workspace.root) == "low"


@pytest.mark.parametrize("priority", ["normal", "low", "idle"])
@pytest.mark.skipif(sys.platform != "linux" or not AUTOGROUP.exists(), reason="needs autogroups")
def test_process_and_group_get_the_niceness_of_a_priority(priority: JobPriority) -> None:
    code = (
        "import os, sys; from studio.engine.worker.priority import AUTOGROUP, set_priority;"
        "before = os.nice(0); set_priority(sys.argv[1]);"
        "print(os.nice(0) - before, AUTOGROUP.read_text().split()[-1])"
    )
    # In a session of its own, as a worker is: that is where autogroups begin.
    done = subprocess.run(
        [sys.executable, "-c", code, priority],
        check=True,
        capture_output=True,
        text=True,
        env=clean_environment(),
        start_new_session=True,
    )
    assert tuple(map(int, done.stdout.split())) == NICENESS[priority]
