"""The window on a system that refuses to move or delete files that are open, as Windows does."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(sys.platform != "linux", reason="fake_windows reads /proc"),
]

ROOT = Path(__file__).resolve().parents[2]
TOOL = ROOT.parent / "shared" / "tools" / "fake_windows"
SESSION = Path(__file__).with_name("fake_windows_session.py")


# A record whose file is read by another thread for a moment, and one that stays open.
READER = """
import sys, threading
from pathlib import Path
from studio.engine.errors import StudioError
from studio.engine.workspace import RecordKind, Workspace
workspace = Workspace.open(Path(sys.argv[1]))
record = workspace.create(RecordKind.NETWORK, "drawn", "{}")
def read_for_a_moment(path):
    file = path.open()
    threading.Timer(0.3, file.close).start()
read_for_a_moment(record.plan_file)
record = workspace.trash(record)
read_for_a_moment(record.plan_file)
record = workspace.restore(record)
stays_open = record.plan_file.open()
try:
    workspace.trash(record)
except StudioError as error:
    print(error)
"""


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    """Of a process in which the workspace has the rules of Windows."""
    if not TOOL.is_dir():
        pytest.skip("fake_windows is not here")
    paths = (str(TOOL), str(ROOT), os.environ.get("PYTHONPATH", ""))
    return {
        **os.environ,
        "PYTHONPATH": os.pathsep.join(filter(None, paths)),
        "FAKE_WINDOWS_ROOT": str(tmp_path / "workspace"),
        "FAKE_WINDOWS_LOG": str(tmp_path / "refused.log"),
    }


def test_a_record_that_is_read_for_a_moment_is_moved(
    tmp_path: Path, environment: dict[str, str]
) -> None:
    words = [sys.executable, "-c", READER, str(tmp_path / "workspace")]
    done = subprocess.run(words, env=environment, capture_output=True, text=True, check=True)
    assert "cannot be moved to the trash" in done.stdout
    assert (tmp_path / "refused.log").read_text().count("/trash/") >= 2


def test_all_records_are_deleted_while_the_window_shows_them(
    tmp_path: Path, environment: dict[str, str]
) -> None:
    """From an import to the empty trash; see `fake_windows_session.py`."""
    words = [sys.executable, "-m", "pytest", "-n0", "-q", "-p", "no:randomly", "--basetemp"]
    done = subprocess.run(
        [*words, str(tmp_path / "session"), str(SESSION)],
        cwd=ROOT,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    log = tmp_path / "refused.log"
    refused = log.read_text() if log.exists() else ""
    assert done.returncode == 0, f"{done.stdout[-8000:]}\n{refused[-4000:]}"
