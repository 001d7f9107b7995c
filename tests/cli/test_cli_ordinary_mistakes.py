"""Ordinary mistakes on the command line: paths, options, names, interruptions, existing files."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import h5py
import numpy as np
import pytest
from PIL import Image

from helpers.command_line import Call, caller
from helpers.digits import Digits
from helpers.pictures import picture_folder
from helpers.processes import clean_environment
from helpers.waiting import wait_until
from helpers.web import serving
from studio.cli.verb import CommandOutput, counted
from studio.engine.jobs.devices import CPU, Device
from studio.engine.jobs.job import Job
from studio.engine.jobs.queue import JobQueue
from studio.engine.jobs.states import State
from studio.engine.progress import SilentProgress
from studio.engine.system_check import check_system
from studio.engine.training import requests
from studio.engine.workspace import RecordKind, Workspace


@pytest.fixture
def call(capsys: pytest.CaptureFixture[str], workspace: Workspace) -> Call:
    return caller(capsys, workspace.root)


@pytest.fixture
def shared(capsys: pytest.CaptureFixture[str], untouched: Digits) -> Call:
    """On digits that this module shares; only for verbs that change nothing."""
    return caller(capsys, untouched.workspace.root)


@pytest.mark.parametrize(
    "words",
    [
        ("datasets", "import", "~no-such-user/x"),
        ("datasets", "import", "/", "--labels-file", "~no-such-user/names.txt"),
        ("predict", "~no-such-user/model.keras", "a.png"),
        ("evaluate", "~no-such-user/model.keras"),
        ("networks", "inspect", "~no-such-user/net.json"),
        ("networks", "code", "lenet", "--to", "~no-such-user/net.py"),
        ("export", "lenet", "--format", "keras", "--to", "~no-such-user/out"),
        ("--workspace", "~no-such-user/w", "doctor"),
        ("--workspace", "~no-such-user/w", "runs", "list"),
        ("predict", "lenet", "a\0b.png"),
    ],
)
def test_unknown_home_folders_are_a_clear_mistake(shared: Call, words: tuple[str, ...]) -> None:
    mistake = shared(*words).mistake

    assert "no home folder" in mistake or "zero byte" in mistake


@pytest.mark.parametrize("text", ["", "  "])
def test_an_empty_path_is_not_the_current_folder(call: Call, text: str) -> None:
    assert "The path is empty" in call("datasets", "import", text).mistake


def test_a_folder_named_twice_is_refused(call: Call, tmp_path: Path) -> None:
    folder = picture_folder(tmp_path / "a", 3)
    again = f"{folder.parent}/../{tmp_path.name}/a"

    assert "is given twice" in call("datasets", "import", folder, again).mistake
    assert call("datasets", "list", "--json").document == []


def test_a_bad_name_is_refused_before_images_are_read(call: Call, tmp_path: Path) -> None:
    picture_folder(tmp_path / "a", 3)

    said = call("datasets", "import", tmp_path / "a", "--name", "x/y")

    assert "slash" in said.mistake
    assert "Inspecting the images" not in said.err


def test_names_are_found_in_any_case(shared: Call) -> None:
    assert shared("datasets", "show", "ZIFFERN Ü", "--json").document["name"] == "Ziffern ü"
    assert shared("runs", "show", "LENET", "--json").document["name"] == "lenet"
    assert "no checkpoint" in shared("predict", "LENET@999", "x.png").mistake.lower()


def test_a_stopped_import_is_continued(call: Call, workspace: Workspace, tmp_path: Path) -> None:
    source = picture_folder(tmp_path / "a", 4)
    queue = JobQueue(workspace)
    call("datasets", "import", source, "--name", "d", "--size", "8x8", "--detach")
    job = Job(workspace.find(RecordKind.DATASET, "d"))
    queue.stop(job)
    wait_until(lambda: bool(job.refresh()) or job.history.state.is_at_rest, "the import ends")
    if job.history.state == State.COMPLETED:
        pytest.skip("the import ended before it could be stopped")

    made = call("datasets", "resume", "D", "--json").document

    assert (made["name"], made["state"], made["count"]) == ("d", "completed", 8)
    assert "cannot be resumed" in call("datasets", "resume", "d").mistake


@pytest.fixture
def read_only(untouched: Digits, tmp_path: Path) -> Iterator[Path]:
    """The shared workspace as a disk that can only be read."""
    root = untouched.workspace.root
    if not hasattr(os, "geteuid"):
        pytest.skip("needs POSIX permissions")
    if os.geteuid() != 0:
        folders = [root, *(path for path in root.rglob("*") if path.is_dir())]
        modes = [path.stat().st_mode for path in folders]
        for path in folders:
            path.chmod(0o555)
        yield root
        for path, mode in zip(folders, modes, strict=True):
            path.chmod(mode)
        return
    target = tmp_path / "read only"
    target.mkdir()
    mounts = (["--bind", str(root), str(target)], ["-o", "remount,ro,bind", str(target)])
    if any(subprocess.run(["mount", *words], check=False).returncode for words in mounts):
        pytest.skip("this user may not mount")
    yield target
    subprocess.run(["umount", "-l", str(target)], check=True)


def test_a_read_only_workspace_is_shown_and_not_changed(
    read_only: Path, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    studio = caller(capsys, read_only)

    assert "Ziffern ü" in [d["name"] for d in studio("datasets", "list", "--json").document]
    assert "lenet" in [r["name"] for r in studio("runs", "list", "--json").document]
    assert studio("runs", "show", "lenet", "--json").document["epochs"]
    assert "No job is waiting or running." in studio("queue", "list").out
    assert studio("queue", "list", "--json").document["jobs"] == []
    assert "is read-only" in studio("queue", "pause").mistake
    assert "is read-only" in studio("runs", "rename", "lenet", "other").mistake
    source = picture_folder(tmp_path / "more", 3)
    assert "is read-only" in studio("datasets", "import", source, "--size", "8x8").mistake


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (
            ("import", "x"),
            "datasets import or studio networks import or studio models import?",
        ),
        (("show", "x"), "studio runs show"),
        (("datasets", "imprt", "x"), "Did you mean: studio datasets import?"),
        (("trian",), "Did you mean: studio train?"),
        (("--name", "x", "train"), "--name comes before the command"),
        (("--json", "--epochs=3", "train"), "--epochs=3 comes before the command"),
    ],
)
def test_misplaced_words_get_a_hint(
    capsys: pytest.CaptureFixture[str], words: tuple[str, ...], expected: str
) -> None:
    assert expected in caller(capsys, None)(*words).mistake


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (("--epochs", "0"), "--epochs must be at least 1"),
        (("--batch-size", "many"), "--batch-size must be a whole number"),
        (("--optimizer", "sgdd"), "--optimizer must be one of"),
        (("--set", "augmentation.rotation=4000"), "--set augmentation.rotation: must be at most"),
    ],
)
def test_a_wrong_value_names_its_option(
    shared: Call, words: tuple[str, ...], expected: str
) -> None:
    assert expected in shared("train", "--dataset", "Ziffern ü", *words).mistake


def test_files_that_cannot_be_read_are_explained_in_words(shared: Call, tmp_path: Path) -> None:
    plan = tmp_path / "plan.json"
    missing = shared("train", "--plan", tmp_path / "none.json").mistake
    plan.write_bytes(b"\xff\xfe\xfa{")
    binary = shared("train", "--plan", plan).mistake
    plan.write_text('{"epochs": }')
    broken = shared("train", "--plan", plan).mistake
    cut = tmp_path / "cut.h5"
    with h5py.File(cut, "w") as file:
        file["x"] = np.zeros((2000, 8, 8), np.uint8)
    cut.write_bytes(cut.read_bytes()[:-4000])
    truncated = shared("datasets", "import", cut).mistake

    assert "no such file" in missing
    assert "not UTF-8 text" in binary
    assert "not valid JSON (line 1" in broken
    assert "damaged" in truncated or "end is missing" in truncated
    for text in (missing, binary, broken, truncated):
        assert not any(word in text for word in ("Errno", "codec", "synchronously", "eof ="))


def test_existing_files_are_only_replaced_with_force(shared: Call, tmp_path: Path) -> None:
    picture = tmp_path / "a.png"
    Image.new("L", (28, 28), 200).save(picture)
    mine = tmp_path / "mine.csv"
    writers = [
        ("predict", "lenet", picture, "--csv", mine),
        ("runs", "export-csv", "lenet", "--to", mine),
        ("networks", "code", "lenet", "--to", mine),
        ("evaluate", "lenet", "--split", "val", "--resamples", "0", "--csv", mine),
        ("embed", "lenet", "--dataset", "Ziffern ü", "--to", mine),
    ]
    mine.write_text("my own work")
    for words in writers:
        assert "already exists" in shared(*words).mistake, words
        assert mine.read_text() == "my own work"

    for words in writers[:3]:
        assert shared(*words, "--force").code == 0
        assert mine.read_text() != "my own work"
        mine.write_text("my own work")
    assert "is a folder" in shared("runs", "export-csv", "lenet", "--to", tmp_path).mistake


def test_a_missing_gpu_is_refused_at_once(shared: Call, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(requests, "machine_devices", lambda: (Device(CPU),))

    mistake = shared(
        "train", "--dataset", "Ziffern ü", "--network", "lenet", "--device", "gpu"
    ).mistake

    assert "--device: this machine has no known GPUs; received gpu" in mistake


def test_heat_maps_do_not_replace_pictures(shared: Call, tmp_path: Path) -> None:
    picture, folder = tmp_path / "a.png", tmp_path / "maps"
    Image.new("L", (28, 28), 200).save(picture)
    folder.mkdir()
    (folder / "a-heat.png").write_text("mine")

    first = shared("predict", "lenet", picture, "--explain", folder, "--json").document

    assert (folder / "a-heat.png").read_text() == "mine"
    assert first[0]["explanation"] == str(folder / "a-heat-2.png")


def test_a_list_counts_unknown_labels_as_wrong(shared: Call, tmp_path: Path) -> None:
    pictures = tmp_path / "elsewhere"
    pictures.mkdir()
    for number in range(4):
        Image.new("L", (28, 28), 40 * number).save(pictures / f"{number}.png")
    listed = tmp_path / "list.txt"
    listed.write_text("0.png -1\n1.png 77\n2.png walrus\n3.png\n")

    said = shared("predict", "lenet", listed, "--path-prefix", pictures)
    rows = shared("predict", "lenet", listed, "--path-prefix", pictures, "--json").document

    assert "0 of 3 images of known class are correct" in said.out
    labels = {Path(row["image"]).stem: row.get("label") for row in rows}
    assert labels == {"0": "-1", "1": "77", "2": "walrus", "3": None}


@pytest.mark.thorough
def test_web_addresses_and_top_images(
    shared: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(3):
        Image.new("L", (28, 28), 80 * number).save(tmp_path / f"{number}.png")

    with serving(tmp_path, monkeypatch) as address:
        images = (f"{address}/0.png", f"{address}/1.png", str(tmp_path / "2.png"))
        options = ("--top-images", "2", "--top", "1", "--json")
        found = shared("predict", "lenet", *images, *options).document
        lost = shared("predict", "lenet", f"{address}/none.png").mistake

    assert [row["image"] for row in found["images"]] == list(images)
    assert all(len(row["predictions"]) == 1 for row in found["images"])
    assert len(found["top_images"]) == 10
    for best in found["top_images"].values():
        scores = [each["score"] for each in best]
        assert len(scores) == 2
        assert scores == sorted(scores, reverse=True)
    assert "the server answers 404" in lost


def _studio(*words: str | Path) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-m", "studio", *map(str, words)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=clean_environment(),
        start_new_session=True,
    )


def test_a_closed_pipe_is_no_error(untouched: Digits) -> None:
    process = _studio("--workspace", untouched.workspace.root, "datasets", "browse", "Ziffern ü")
    assert process.stdout is not None
    assert process.stderr is not None
    process.stdout.readline()
    process.stdout.close()
    errors = process.stderr.read()
    process.stderr.close()

    assert (process.wait(), errors) == (0, "")


def test_ctrl_c_in_the_first_second_is_quiet(tmp_path: Path) -> None:
    code = (
        "import importlib.abc, os, signal, sys\n"
        "class Finder(importlib.abc.MetaPathFinder):\n"
        "    def find_spec(self, name, path, target=None):\n"
        "        if name == 'studio.cli.verbs':\n"
        "            os.kill(os.getpid(), signal.SIGINT)\n"
        "sys.meta_path.insert(0, Finder())\n"
        # A shell starts what runs in the background with the signal ignored.
        "signal.signal(signal.SIGINT, signal.default_int_handler)\n"
        "sys.argv = ['studio', 'runs', 'list']\n"
        "from studio.__main__ import main\n"
        "sys.exit(main())\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        env=clean_environment(STUDIO_WORKSPACE=str(tmp_path / "w")),
        check=False,
    )

    assert (done.returncode, done.stderr) == (130, "")


def test_ctrl_c_during_an_import_stops_it_and_exits_130(tmp_path: Path) -> None:
    source = picture_folder(tmp_path / "many", 150)
    root = tmp_path / "w"
    process = _studio("--workspace", root, "datasets", "import", source, "--name", "d")
    assert process.stderr is not None
    while "Importing d" not in process.stderr.readline():
        assert process.poll() is None
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=60)

    job = Job(Workspace.open(root).find(RecordKind.DATASET, "d"))
    job.refresh()
    ended = (job.history.state, process.returncode)
    assert ended in ((State.STOPPED, 130), (State.COMPLETED, 0))
    assert "Traceback" not in errors


def test_tables_keep_words_whole(capsys: pytest.CaptureFixture[str]) -> None:
    name = "a-rather-long-name-of-a-dataset-that-nobody-wants-to-see-in-two-pieces"
    CommandOutput(as_json=False).table(["name", "note"], [[name, "one two " * 30]])

    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 2, "a pipe has no columns"
    assert name in lines[1]


@pytest.fixture
def narrow(monkeypatch: pytest.MonkeyPatch) -> int:
    """Standard output and standard error are a terminal of this many columns."""
    monkeypatch.setenv("TTY_COMPATIBLE", "1")
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.setenv("COLUMNS", "40")
    return 40


def too_long(text: str, columns: int) -> list[str]:
    """Lines that are longer than a terminal and could be wrapped."""
    return [line for line in text.splitlines() if len(line) > columns and " " in line.strip()]


def test_lines_fit_a_narrow_terminal(call: Call, workspace: Workspace, narrow: int) -> None:
    found = check_system(workspace.root, SilentProgress(), ask_backends=False)
    said = call("doctor", "--quick")

    assert too_long(said.out, narrow) == []
    assert too_long(said.err, narrow) == []
    hints = [finding.hint for finding in found]
    assert any(len(hint) > narrow for hint in hints), "there is something to wrap"
    assert all(hint in " ".join(said.out.split()) for hint in hints), "no word is lost"
    refused = call("runs", "show", "a run that was never trained in this workspace, not even once")
    assert refused.code == 2
    assert too_long(refused.err, narrow) == []


def test_code_and_commands_are_not_wrapped(
    capsys: pytest.CaptureFixture[str], narrow: int
) -> None:
    output = CommandOutput(as_json=False)
    output.write("studio runs clone lenet --set learning_rate=0.001 --set epochs=20")
    output.say("  one two three four five six seven eight nine ten")
    output.say("see /a/path/that/is/longer/than/any/terminal/could/be")

    assert capsys.readouterr().out.splitlines() == [
        "studio runs clone lenet --set learning_rate=0.001 --set epochs=20",
        "  one two three four five six seven",
        "    eight nine ten",
        "see",
        "  /a/path/that/is/longer/than/any/terminal/could/be",
    ]


def test_one_file_is_not_files() -> None:
    assert [counted(n, "file") for n in (0, 1, 2000)] == ["0 files", "1 file", "2,000 files"]
