"""The window on a system that refuses to move or delete files that are open, as Windows does."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from PIL import Image

from studio.engine.networks.library import save
from studio.engine.networks.zoo import ZOO
from studio.engine.workspace import RecordKind, Workspace

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="fake_windows reads /proc")

ROOT = Path(__file__).resolve().parents[2]
TOOL = ROOT / "tests" / "helpers" / "fake_windows"
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
    paths = (str(TOOL), str(ROOT), os.environ.get("PYTHONPATH", ""))
    return {
        **os.environ,
        "PYTHONPATH": os.pathsep.join(filter(None, paths)),
        "FAKE_WINDOWS_ROOT": str(tmp_path / "workspace"),
        "FAKE_WINDOWS_LOG": str(tmp_path / "refused.log"),
    }


# Files that are replaced, moved and removed while another thread reads them.
BUSY_FILES = """
import sys, threading
from pathlib import Path
from studio.engine.files import *
root = Path(sys.argv[1])
model = root / "run" / "model.keras"
def read_for_a_moment():
    file = model.open()
    threading.Timer(0.3, file.close).start()
write_atomically(model, "old")
read_for_a_moment()
write_atomically(model, "new")
assert model.read_text() == "new"
read_for_a_moment()
move(root / "run", root / "moved")
model = root / "moved" / "model.keras"
read_for_a_moment()
remove(model)
write_atomically(model, "again")
read_for_a_moment()
remove_folder(root / "moved", ignore_errors=True)
assert not (root / "moved").exists()
write_atomically(model, "kept")
stays_open = model.open()
for attempt in (
    lambda: write_atomically(model, "never", patience=0.1),
    lambda: remove(model, patience=0.1),
    lambda: move(root / "moved", root / "elsewhere", patience=0.1),
):
    try:
        attempt()
    except InUseError as error:
        print(clear_system_error(error))
assert [each.name for each in (root / "moved").iterdir()] == ["model.keras"]
"""


def test_a_file_that_another_program_reads_briefly_is_replaced_and_removed(
    tmp_path: Path, environment: dict[str, str]
) -> None:
    """A file that stays open is named, with what to do; nothing is left beside it."""
    root = tmp_path / "workspace"
    words = [sys.executable, "-c", BUSY_FILES, str(root)]
    done = subprocess.run(words, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    path = root / "moved" / "model.keras"
    assert done.stdout.count(f"{path} is open in another program. Close that program") == 3


def test_a_record_that_another_program_reads_briefly_is_moved(
    tmp_path: Path, environment: dict[str, str]
) -> None:
    words = [sys.executable, "-c", READER, str(tmp_path / "workspace")]
    done = subprocess.run(words, env=environment, capture_output=True, text=True, check=True)
    assert "cannot be moved to the trash: " in done.stdout
    assert f"{RecordKind.NETWORK.plan_name} is open in another program." in done.stdout
    assert (tmp_path / "refused.log").read_text().count("/trash/") >= 2


RESERVED = """
import os, sys
from pathlib import Path
root = Path(sys.argv[1])
root.mkdir()
for name in ("con", "AUX.txt", "a:b", "ends with a dot.", "lpt1.tar.gz"):
    for create in (Path.mkdir, Path.touch, lambda path: path.write_text("x")):
        try:
            create(root / name)
        except OSError:
            continue
        sys.exit(f"{name} was created")
(root / "console").mkdir()
try:
    import pynvml
except ModuleNotFoundError:
    print(os.listdir(root))
"""


def test_names_that_windows_reserves_are_refused(
    tmp_path: Path, environment: dict[str, str]
) -> None:
    words = [sys.executable, "-c", RESERVED, str(tmp_path / "workspace")]
    done = subprocess.run(words, env=environment, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (0, "['console']\n"), done.stderr


@pytest.mark.thorough
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


TINY = ("--network", "perceptron", "--epochs", "1", "--batch-size", "256")
ON_DIGITS = ("--dataset", "d", *TINY)
STUDY = ("--networks", "perceptron", "--batch-sizes", "8", "--images", "16", "--epochs", "1")
FILES = ("--formats", "keras", "--precision", "float32", "--batch-sizes", "1", "--images", "4")
# What makes a record, its kind, and its name; what others need is only deleted at the end.
STEPS: tuple[tuple[tuple[str, ...], str, str], ...] = (
    (("datasets", "import", "digits", "--name", "d"), "dataset", "d"),
    (("datasets", "audit", "d"), "audit", "d"),
    (("train", *ON_DIGITS, "--name", "r"), "run", "r"),
    (("evaluate", "r", "--resamples", "0"), "evaluation", "r"),
    (("predict", "r", "digit.png"), "", ""),
    (("export", "r", "--format", "keras", "--to", "exported"), "export", "r"),
    (("preflight", *ON_DIGITS), "preflight", "d"),
    (("baseline", "--dataset", "d", "--seconds", "2", "--images", "100"), "baseline", "d"),
    (("embed", "r", "--dataset", "d", "--images", "50"), "embedding", ""),
    (("sweep", *ON_DIGITS, "--vary", "learning_rate=0.01,0.001", "--name", "s"), "sweep", "s"),
    (("bench", "ops", "--sizes", "8", "--repeats", "1"), "operations-benchmark", "operations"),
    (("bench", "train", *STUDY, "--size", "8", "--classes", "2"), "benchmark", "benchmark"),
    (("bench", "predict", "r", *FILES), "prediction-benchmark", "predictions"),
    (("label", "create", "l", "digit.png", "--class", "8"), "labeling", "l"),
    ((), "network", "drawn"),
)


@pytest.mark.thorough
def test_all_records_are_deleted_from_the_command_line(
    tmp_path: Path, environment: dict[str, str]
) -> None:
    """Each is deleted as soon as its job is over, restored, and deleted forever."""
    log = tmp_path / "refused.log"

    def studio(*words: str) -> None:
        done = subprocess.run(
            [sys.executable, "-m", "studio", "--workspace", str(workspace.root), *words],
            cwd=tmp_path,
            env=environment,
            capture_output=True,
            text=True,
            check=False,
        )
        refused = log.read_text() if log.exists() else ""
        assert done.returncode == 0, f"{words}: {done.stdout}{done.stderr}\n{refused[-4000:]}"

    workspace = Workspace.open(tmp_path / "workspace")
    save(workspace, ZOO["perceptron"].build((8, 8, 1), 10), "drawn")
    Image.new("L", (8, 8), 200).save(tmp_path / "digit.png")
    for words, kind, name in STEPS:
        if words:
            studio(*words)
        if kind:
            each = name or workspace.records(RecordKind(kind))[0].id
            studio("trash", "put", each, "--kind", kind)
            studio("trash", "restore", each, "--kind", kind)
        if kind not in ("", "dataset", "run"):
            studio("trash", "put", each, "--kind", kind)
            studio("trash", "delete", each, "--kind", kind, "--yes")
    assert {kind for _, kind, _ in STEPS} - {""} == {kind.value for kind in RecordKind}
    studio("runs", "delete", "r", "s-0", "s-1")
    studio("datasets", "delete", "d")
    studio("trash", "empty", "--yes")

    assert [each.name for kind in RecordKind for each in workspace.records(kind)] == []
    # A worker that lives on for a moment holds nothing of a record: no folder, no log.
    refused = log.read_text() if log.exists() else ""
    assert "working folder" not in refused
    assert "worker.log" not in refused
