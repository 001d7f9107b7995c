"""Runs ruff, mypy and import-linter at the same time, beside the tests.

Run as `python checks.py FOLDER`: leaves the exit code and the output of each tool in a file there.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from pathlib import Path
from typing import Final

import pytest

REPOSITORY: Final = Path(__file__).resolve().parents[2]
_PYTHON: Final = Path(sys.executable)
TOOLS: Final[dict[str, tuple[str | Path, ...]]] = {
    "lint": (_PYTHON, "-m", "ruff", "check", "--no-cache"),
    "format": (_PYTHON, "-m", "ruff", "format", "--check", "--no-cache"),
    "imports": (_PYTHON.with_name("lint-imports"), "--no-cache"),
    "types": (_PYTHON, "-m", "mypy"),
}
TESTS: Final = "test_checks.py"


def start_checks(session: pytest.Session, factory: pytest.TempPathFactory) -> Path:
    """Start all tools if their tests are going to run.

    Returns:
        The folder of the results, which all processes of pytest share.
    """
    from helpers.processes import session_folder  # this file is run by its path, too

    worker = os.environ.get("PYTEST_XDIST_WORKER", "")
    folder = session_folder(factory) / "checks"
    if worker in ("", "gw0") and any(item.path.name == TESTS for item in session.items):
        folder.mkdir()
        subprocess.Popen([sys.executable, __file__, folder])
    return folder


def result_file(folder: Path, tool: str) -> Path:
    """Return the file that appears when a tool has ended."""
    return folder / f"{tool}.json"


def _run(folder: Path, tool: str) -> None:
    done = subprocess.run(TOOLS[tool], cwd=REPOSITORY, capture_output=True, text=True, check=False)
    draft = folder / f"{tool}.partial"
    draft.write_text(json.dumps([done.returncode, done.stdout[-6000:] + done.stderr[-2000:]]))
    draft.replace(result_file(folder, tool))


if __name__ == "__main__":
    for each in TOOLS:
        threading.Thread(target=_run, args=(Path(sys.argv[1]), each)).start()
