"""The window on a system that refuses to move or delete files that are open, as Windows does."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow

ROOT = Path(__file__).resolve().parents[2]
TOOL = ROOT.parent / "shared" / "tools" / "fake_windows"
SESSION = Path(__file__).with_name("fake_windows_session.py")


@pytest.mark.skipif(not TOOL.is_dir(), reason="fake_windows is not here")
@pytest.mark.skipif(sys.platform != "linux", reason="fake_windows reads /proc")
def test_all_records_are_deleted_while_the_window_shows_them(tmp_path: Path) -> None:
    """From an import to the empty trash; see `fake_windows_session.py`."""
    log = tmp_path / "refused.log"
    words = [sys.executable, "-m", "pytest", "-n0", "-q", "-p", "no:randomly", "--basetemp"]
    done = subprocess.run(
        [*words, str(tmp_path / "session"), str(SESSION)],
        cwd=ROOT,
        env={
            **os.environ,
            "PYTHONPATH": os.pathsep.join([str(TOOL), os.environ.get("PYTHONPATH", "")]),
            "FAKE_WINDOWS_ROOT": str(tmp_path / "workspace"),
            "FAKE_WINDOWS_LOG": str(log),
        },
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    refused = log.read_text() if log.exists() else ""
    assert done.returncode == 0, f"{done.stdout[-8000:]}\n{refused[-4000:]}"
