"""Packing runs, checkpoints, cross-validation, and what is written about datasets."""

from __future__ import annotations

import json
import re
import shutil
import stat
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from helpers.command_line import Call, caller
from helpers.digits import Digits, do_here
from helpers.pictures import picture_folder
from studio.engine.datasets.edits import current_version
from studio.engine.datasets.store import Store
from studio.engine.jobs.events import StateChanged
from studio.engine.jobs.job import Job
from studio.engine.jobs.queue import JobQueue
from studio.engine.jobs.states import State
from studio.engine.training import transfer
from studio.engine.training.artifacts import checkpoints_of
from studio.engine.training.comparison import summarize_folds
from studio.engine.training.plan import TrainingPlan
from studio.engine.training.trained_models import model_file
from studio.engine.training.transfer import SUFFIX, pack_run
from studio.engine.workspace import RecordKind, Workspace


@pytest.fixture
def call(capsys: pytest.CaptureFixture[str], workspace: Workspace) -> Call:
    return caller(capsys, workspace.root)


@pytest.fixture
def own(capsys: pytest.CaptureFixture[str], own_run: Digits) -> Call:
    return caller(capsys, own_run.workspace.root)


def test_a_run_moves_to_another_workspace(
    own: Call, call: Call, own_run: Digits, workspace: Workspace, tmp_path: Path
) -> None:
    file = tmp_path / f"moved{SUFFIX}"

    packed = own("runs", "pack", "lenet", "--to", file, "--json").document
    assert "already exists" in own("runs", "pack", "lenet", "--to", file).mistake
    added = call("runs", "unpack", file, "--json").document
    again = call("runs", "unpack", file, "--json").document

    assert packed["size_bytes"] == file.stat().st_size
    assert (added["name"], added["state"]) == ("lenet", "completed")
    assert added["id"] == own_run.run.record.id
    assert (again["name"], again["id"] != added["id"]) == ("lenet-2", True)
    before = own("runs", "show", "lenet", "--json").document
    after = call("runs", "show", "lenet", "--json").document
    assert after["epochs"] == before["epochs"]
    record = workspace.find(RecordKind.RUN, "lenet")
    assert model_file(record).read_bytes() == model_file(own_run.run.record).read_bytes()
    assert not (record.folder / "worker.lock").exists()


def test_a_run_that_waits_is_not_packed(own: Call, own_run: Digits, tmp_path: Path) -> None:
    JobQueue(own_run.workspace).submit(own_run.run.plan(TrainingPlan), "waits")

    assert "so it cannot be packed" in own("runs", "pack", "waits").mistake


def _manifest(change: dict[str, object]) -> Callable[[str, bytes], tuple[str, bytes] | None]:
    def edit(name: str, data: bytes) -> tuple[str, bytes]:
        if name == "studio-run.json":
            return name, json.dumps(json.loads(data) | change).encode()
        return name, data

    return edit


def _waiting(name: str, data: bytes) -> tuple[str, bytes]:
    """A journal that ends before the run began: it would wait in the queue."""
    return name, b"" if name.endswith("/journal.jsonl") else data


def _running(name: str, data: bytes) -> tuple[str, bytes]:
    event = StateChanged(state=State.RUNNING).model_dump_json().encode() + b"\n"
    return name, data + event if name.endswith("/journal.jsonl") else data


def _link(name: str, data: bytes) -> tuple[str | zipfile.ZipInfo, bytes]:
    """A symbolic link, as zip programs of Unix write it."""
    if not name.endswith("record.json"):
        return name, data
    entry = zipfile.ZipInfo("files/link")
    entry.external_attr = (stat.S_IFLNK | 0o777) << 16
    return entry, b"/etc/passwd"


_HOSTILE: dict[str, Callable[[str, bytes], tuple[str | zipfile.ZipInfo, bytes] | None]] = {
    "link": _link,
    "outside": lambda n, d: ("files/../../evil.txt" if n.endswith("record.json") else n, d),
    "absolute": lambda n, d: ("/files/evil" if n.endswith("record.json") else n, d),
    "backslash": lambda n, d: ("files/..\\evil" if n.endswith("record.json") else n, d),
    "stream": lambda n, d: ("files/plan.json:x" if n.endswith("record.json") else n, d),
    "lock": lambda n, d: ("files/worker.lock" if n.endswith("record.json") else n, d),
    "no manifest": lambda n, d: None if n == "studio-run.json" else (n, d),
    "no plan": lambda n, d: None if n.endswith("/plan.json") else (n, d),
    "bad plan": lambda n, d: (n, b"{" if n.endswith("/plan.json") else d),
    "newer": _manifest({"format": 99}),
    "other kind": _manifest({"record": {"id": "x", "kind": "dataset", "name": "x"}}),
    "no id": _manifest({"record": {"id": 3}}),
    "large manifest": lambda n, d: (n, d + b" " * (2**16 if n == "studio-run.json" else 0)),
    "twice": lambda n, d: ("files/PLAN.json" if n.endswith("record.json") else n, d),
    "waiting": _waiting,
    "running": _running,
}


@pytest.mark.parametrize("case", _HOSTILE)
def test_hostile_packages_are_refused(
    call: Call, untouched: Digits, workspace: Workspace, tmp_path: Path, case: str
) -> None:
    good, bad = tmp_path / "good.zip", tmp_path / "bad.zip"
    pack_run(untouched.workspace, untouched.run.record, good)
    with zipfile.ZipFile(good) as source, zipfile.ZipFile(bad, "w") as target:
        for name in source.namelist():
            entry = _HOSTILE[case](name, source.read(name))
            if entry is not None:
                target.writestr(*entry)

    mistake = call("runs", "unpack", bad).mistake

    assert "is not a packed run" in mistake or "newer Studio" in mistake
    assert workspace.records(RecordKind.RUN) == []
    assert list((workspace.root / "runs").iterdir()) == []
    assert not list(tmp_path.rglob("evil*"))


def test_a_package_that_grows_beyond_reason_is_refused(
    call: Call, untouched: Digits, workspace: Workspace, tmp_path: Path
) -> None:
    good, bomb = tmp_path / "good.zip", tmp_path / "bomb.zip"
    pack_run(untouched.workspace, untouched.run.record, good)
    with zipfile.ZipFile(good) as source, zipfile.ZipFile(bomb, "w") as target:
        for name in source.namelist():
            if not name.endswith((".keras", ".npz", ".npy")):
                target.writestr(name, source.read(name), zipfile.ZIP_DEFLATED)
        with target.open(zipfile.ZipInfo("files/zeros.log"), "w", force_zip64=True) as big:
            assert big is not None
        target.filelist[-1].file_size = 2**40

    mistake = call("runs", "unpack", bomb).mistake

    assert "unpacked, it would have 1,099,5" in mistake
    assert list((workspace.root / "runs").iterdir()) == []


def test_a_package_of_too_many_files_is_refused(
    call: Call, untouched: Digits, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = pack_run(untouched.workspace, untouched.run.record, tmp_path / "run.zip")
    monkeypatch.setattr(transfer, "_MOST_FILES", 3)
    assert re.search(r"it contains \d+ files", call("runs", "unpack", file).mistake)


def test_a_package_of_zeros_is_refused(
    call: Call, untouched: Digits, workspace: Workspace, tmp_path: Path
) -> None:
    """It is packed to a thousandth of its size; journals are packed to a tenth."""
    good, bomb = tmp_path / "good.zip", tmp_path / "bomb.zip"
    pack_run(untouched.workspace, untouched.run.record, good)
    with (
        zipfile.ZipFile(good) as source,
        zipfile.ZipFile(bomb, "w", zipfile.ZIP_DEFLATED) as target,
    ):
        for name in ("studio-run.json", "files/plan.json", "files/journal.jsonl"):
            target.writestr(name, source.read(name))
        with target.open("files/zeros.log", "w") as file:
            for _ in range(256):
                file.write(bytes(2**20))

    mistake = call("runs", "unpack", bomb).mistake

    assert "unpacked, it would have 268," in mistake
    assert list((workspace.root / "runs").iterdir()) == []


def test_an_id_from_elsewhere_does_not_name_a_folder(
    call: Call, untouched: Digits, workspace: Workspace, tmp_path: Path
) -> None:
    good, bad = tmp_path / "good.zip", tmp_path / "bad.zip"
    pack_run(untouched.workspace, untouched.run.record, good)
    edit = _manifest({"record": {"id": "../../x", "kind": "run", "name": "lenet"}})
    with zipfile.ZipFile(good) as source, zipfile.ZipFile(bad, "w") as target:
        for name in source.namelist():
            entry = edit(name, source.read(name))
            assert entry is not None
            target.writestr(*entry)

    made = call("runs", "unpack", bad, "--json").document

    assert (workspace.root / "runs" / made["id"]).is_dir()
    assert made["id"].startswith("lenet-")


@pytest.mark.parametrize("data", [b"", b"PK", b"no zip at all" * 99])
def test_what_is_no_zip_is_refused(call: Call, tmp_path: Path, data: bytes) -> None:
    file = tmp_path / "x.zip"
    file.write_bytes(data)

    assert "is not a packed run" in call("runs", "unpack", file).mistake
    assert "no such file" in call("runs", "unpack", tmp_path / "none.zip").mistake


@pytest.fixture(scope="module")
def with_checkpoints(untouched: Digits) -> Job:
    plan = untouched.run.plan(TrainingPlan)
    changed = plan.changed(epochs=4, snapshot_interval_epochs=1, snapshots_to_keep=3)
    return do_here(untouched.workspace, changed, "checkpoints")


def test_only_the_newest_checkpoints_are_kept(with_checkpoints: Job) -> None:
    files = sorted((with_checkpoints.record.folder / "checkpoints").iterdir())

    assert checkpoints_of(with_checkpoints.history) == [2, 3, 4]
    assert len(files) == 3


def test_checkpoints_are_listed_and_deleted(
    with_checkpoints: Job, untouched: Digits, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    root = tmp_path / "w"
    workspace = Workspace.open(root)
    record = with_checkpoints.record
    shutil.copytree(record.folder, workspace.root / "runs" / record.id)
    studio = caller(capsys, root)

    listed = studio("runs", "checkpoints", "checkpoints", "--json").document
    deleted = studio("runs", "checkpoints", "checkpoints", "--delete", "3", "--json").document
    unknown = studio("runs", "checkpoints", "checkpoints", "--delete", "3").mistake
    last = studio("runs", "checkpoints", "checkpoints", "--keep-last", "1", "--json").document

    assert listed["checkpoints"] == [2, 3, 4]
    assert deleted["checkpoints"] == [2, 4]
    assert "no checkpoint of epoch 3" in unknown
    assert (last["checkpoints"], last["deleted"]) == ([4], [2])
    run = workspace.find(RecordKind.RUN, "checkpoints")
    assert [path.name for path in (run.folder / "checkpoints").iterdir()] == [
        "epoch-0004.00.keras"
    ]
    assert model_file(run).exists()


@pytest.mark.thorough
def test_folds_are_trained_and_averaged(own: Call, own_run: Digits) -> None:
    folder = own_run.dataset.record.folder
    before = Store.open(folder)
    test_rows, train_rows = before.rows("test").tolist(), before.rows("train").tolist()
    words = ("train", "--dataset", "Ziffern ü", "--network", "lenet", "--epochs", "1")

    made = own(*words, "--folds", "3", "--name", "cv", "--json").document

    assert [fold["name"] for fold in made["folds"]] == ["cv-fold1", "cv-fold2", "cv-fold3"]
    assert [fold["state"] for fold in made["folds"]] == ["completed"] * 3
    values = [fold["val_accuracy"] for fold in made["folds"]]
    summary = summarize_folds(values)
    assert made["val_accuracy"] == pytest.approx(sum(values) / 3)
    assert made["interval"] == [max(summary.low, 0), min(summary.high, 1)]
    runs = own("runs", "list", "--group", "cv", "--json").document
    assert len(runs) == 3
    parts: list[int] = []
    for fold in made["folds"]:
        plan = Job(own_run.workspace.find(RecordKind.RUN, fold["name"])).plan(TrainingPlan)
        store = Store.open(folder, plan.dataset_version)
        assert store.rows("test").tolist() == test_rows
        parts += store.rows("val").tolist()
    assert sorted(parts) == sorted(train_rows + before.rows("val").tolist())
    assert Store.open(folder, current_version(folder)).rows("train").tolist() == train_rows
    assert "--folds" in own(*words, "--fold-group", "x").mistake
    assert "folds" in own(*words, "--folds", "1").mistake


def test_the_interval_of_folds_is_students() -> None:
    summary = summarize_folds([0.90, 0.94, 0.92])  # t(0.975, 2) = 4.302653

    assert summary.mean == pytest.approx(0.92)
    assert summary.high - summary.mean == pytest.approx(4.302653 * 0.02 / 3**0.5, rel=1e-5)
    with pytest.raises(ValueError, match="no fold"):
        summarize_folds([])


def test_datasets_have_notes_tags_groups_and_names(call: Call, tmp_path: Path) -> None:
    source = picture_folder(tmp_path / "a", 3)
    call("datasets", "import", source, "--name", "one", "--size", "8x8", "--seed", "7")

    assert call("datasets", "group", "one", "--to", "plants").code == 0
    assert call("datasets", "tag", "one", "--tag", "raw", "--tag", "2026").code == 0
    assert call("datasets", "untag", "one", "--tag", "RAW").code == 0
    assert call("datasets", "note", "one", "from the garden").code == 0
    renamed = call("datasets", "rename", "one", "garden", "--json").document

    assert renamed == {
        "name": "garden",
        "group": "plants",
        "tags": ["2026"],
        "notes": "from the garden",
    }
    listed = call("datasets", "list", "--group", "PLANTS", "--json").document
    assert [(d["name"], d["group"], d["tags"]) for d in listed] == [("garden", "plants", ["2026"])]
    assert call("datasets", "list", "--group", "none", "--json").document == []


def test_a_dataset_is_cloned_with_other_settings(call: Call, tmp_path: Path) -> None:
    source = picture_folder(tmp_path / "a", 5)
    call("datasets", "import", source, "--name", "one", "--size", "8x8", "--seed", "7")

    clone = call("datasets", "clone", "one", "--size", "12x10", "--json").document

    assert clone["name"] == "one-2"
    shown = call("datasets", "show", "one-2", "--json").document
    assert (shown["width"], shown["height"], shown["recipe"]["seed"]) == (12, 10, 7)
