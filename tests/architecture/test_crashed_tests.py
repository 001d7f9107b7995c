"""A crash of a test process ends the tests with an error."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from helpers.checks import REPOSITORY
from helpers.processes import clean_environment

SETTINGS = """
import pytest

@pytest.fixture(scope="session")
def forked_processes():
    "These tests start no workers."
"""
CRASHES = """
import os, signal

def test_before() -> None: ...

def test_crashes() -> None:
    os.kill(os.getpid(), signal.SIGKILL)

def test_after() -> None: ...
"""
PASSES = """
import pytest

@pytest.mark.parametrize("number", range(20))
def test_passes(number: int) -> None: ...
"""


@pytest.mark.thorough
def test_a_crash_ends_with_another_status_than_a_failure(tmp_path: Path) -> None:
    for name, code in {"conftest": SETTINGS, "test_1": CRASHES, "test_2": PASSES}.items():
        (tmp_path / f"{name}.py").write_text(code)
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-c", REPOSITORY / "pyproject.toml", tmp_path],
        cwd=REPOSITORY,
        capture_output=True,
        text=True,
        timeout=120,  # loadfile waits forever for the tests of a process that is started again
        check=False,
        env=clean_environment(),
    )
    assert done.returncode == pytest.ExitCode.INTERNAL_ERROR, done.stdout + done.stderr
    assert "test_1.py::test_crashes" in done.stdout
