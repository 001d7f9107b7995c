"""Reports of dead workers."""

from __future__ import annotations

import pytest

from studio.engine.jobs.job import Job
from studio.engine.jobs.liveness import why_lost
from studio.engine.workspace import RecordKind, Workspace


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        (0xC0000005, "crashed: invalid memory access"),
        (-1073741819, "(Windows code 0xC0000005)"),
        (0xC0000142, "a DLL failed to initialize"),
        (-9, "probably ran out of memory"),
        (-11, "ended by signal 11"),
        (3, "exit code 3"),
    ],
)
def test_exit_codes_are_explained(workspace: Workspace, code: int, expected: str) -> None:
    job = Job(workspace.create(RecordKind.RUN, "one", "{}"))

    assert expected in why_lost(code, job)
