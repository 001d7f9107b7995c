"""Every write of every operation fails once: a full disk, one that can only be read, a refusal.

After each failure: one clear line, nothing earlier lost, nothing left lying about, and the same
operation works when it is done again.
"""

from __future__ import annotations

import errno
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
import pytest
from dataset_pictures import class_folders, noise_png, recipe

from helpers.evaluations import learned, report_of
from helpers.faults import FaultyDisk
from helpers.runs import fake_run
from helpers.sampling import sample
from studio.engine.datasets import export as dataset_export
from studio.engine.datasets.edits import Exclude, Relabel, current_version
from studio.engine.datasets.importer import import_dataset
from studio.engine.datasets.store import Store
from studio.engine.datasets.versions import edit_dataset, undo, version_summary
from studio.engine.errors import StudioError
from studio.engine.evaluation.evaluated_classes import (
    Predictions,
    read_predictions,
    write_predictions,
    writing_probabilities,
)
from studio.engine.evaluation.report import Report
from studio.engine.exporting.requests import pack
from studio.engine.files import PARTIAL, clear_system_error
from studio.engine.jobs import commands, control
from studio.engine.jobs.commands import CommandReader
from studio.engine.jobs.events import ProgressMade, QueueChanged
from studio.engine.jobs.history import JobHistory
from studio.engine.jobs.job import JOURNAL_FILE, Job, JournalWriter, journal_reader
from studio.engine.jobs.queue import JobQueue
from studio.engine.jobs.states import State
from studio.engine.networks import library
from studio.engine.networks.zoo import ZOO
from studio.engine.progress import SilentProgress
from studio.engine.review.corrections import ReviewQueue
from studio.engine.sweeps.fields import parse_dimensions
from studio.engine.sweeps.history import SweepJob, TrialChanged
from studio.engine.sweeps.plan import SweepPlan
from studio.engine.sweeps.study import STUDY_FILE, SweepStudy
from studio.engine.training.comparison import epoch_rows, write_csv
from studio.engine.training.plan import TrainingPlan
from studio.engine.workspace import Record, RecordKind, Workspace
from studio.ui.settings_file import SettingsFile

CODES = (errno.ENOSPC, errno.EROFS, errno.EACCES)
SILENT = SilentProgress()
LEFT_OVERS = (PARTIAL, ".new-", ".export-", ".reserve")


H = TypeVar("H", bound=JobHistory)


@dataclass
class Scene:
    """A workspace in which an operation is tried.

    Attributes:
        root: Everything lies below it.
        workspace: With a run called `first`.
        first: That run.
        more: What the operation prepared for itself.
    """

    root: Path
    workspace: Workspace
    first: Record
    more: Any = None


@dataclass(frozen=True)
class Operation:
    """Something that a person, or a worker, does.

    Attributes:
        act: Does it.
        done: Whether it is done, whole.
        prepare: Makes what it needs; the result goes to `Scene.more`.
        keeps: What may stay of a failed try, beside what was there.
    """

    act: Callable[[Scene], object]
    done: Callable[[Scene], bool]
    prepare: Callable[[Scene], Any] = lambda _scene: None
    keeps: tuple[str, ...] = ()


def _search(_scene: Scene) -> SweepPlan:
    dimensions = [each.model_dump() for each in parse_dimensions(["batch_size=2,4"])]
    return SweepPlan.parse({"base": {"dataset": "d"}, "dimensions": dimensions})


def _do_trials(scene: Scene) -> None:
    """As the leader of a sweep does: what was asked for and not told of comes first."""
    study = SweepStudy(scene.more, scene.root)
    waiting = study.running()
    while asked := waiting.pop() if waiting else study.ask():
        study.tell(asked.number, "complete", [float(asked.number)])


def _done_trials(scene: Scene) -> bool:
    study = SweepStudy(scene.more, scene.root)
    assert study.damaged is None
    return study.ask() is None and not study.running()


def _note_trial(scene: Scene) -> None:
    writer = JournalWriter(scene.more.folder / JOURNAL_FILE)
    try:
        writer.append(
            TrialChanged(number=0, values={"batch_size": 2}, state=State.RUNNING), durable=True
        )
    finally:
        writer.close()


def _no_timer() -> None:
    """No timer writes settings later: the test does."""


def _set(scene: Scene) -> None:
    settings = SettingsFile(scene.root / "window.json", _no_timer)
    settings.put("theme", "dark")
    settings.put("splitter", b"\0\1")
    settings.save()


def _stored(scene: Scene) -> SettingsFile:
    settings = SettingsFile(scene.root / "window.json", _no_timer)
    settings.put("language", "pt_BR")
    settings.save()
    return settings


def _are_set(scene: Scene) -> bool:
    settings = SettingsFile(scene.root / "window.json", _no_timer)
    assert settings.value("language") == "pt_BR"
    return settings.value("theme") == "dark" and settings.value("splitter") == b"\0\1"


def _named(scene: Scene, kind: RecordKind) -> set[str]:
    return {info.name for _, info in scene.workspace.infos(kind)}


def _plan() -> TrainingPlan:
    return TrainingPlan(dataset="d")


def _append(scene: Scene) -> None:
    writer = JournalWriter(scene.first.folder / JOURNAL_FILE)
    try:
        for number in range(3):
            writer.append(ProgressMade(done=number, total=3), durable=True)
    finally:
        writer.close()


def _last_progress(scene: Scene) -> bool:
    reader = journal_reader(scene.first)
    events = reader.read()
    assert reader.damaged == 0
    return isinstance(events[-1], ProgressMade) and events[-1].done == 2


def _dataset(scene: Scene, count: int = 6) -> Path:
    source = class_folders(scene.root / "pictures", {"a": count, "b": count}, noise_png)
    import_dataset(recipe(source), scene.root / "dataset", SILENT)
    return scene.root / "dataset"


def _small_dataset(scene: Scene) -> Path:
    return _dataset(scene, 2)


def _pictures(scene: Scene) -> Path:
    return class_folders(scene.root / "pictures", {"a": 6, "b": 6}, noise_png)


def _import(scene: Scene) -> None:
    if not (scene.root / "dataset" / "images.h5").exists():
        import_dataset(recipe(scene.more), scene.root / "dataset", SILENT)


def _one_edit(scene: Scene) -> None:
    if current_version(scene.more) == 0:
        edit_dataset(scene.more, [Exclude(rows="0-2"), Relabel(rows="3", label=1)])


def _undone(scene: Scene) -> None:
    if current_version(scene.more) == 1:
        undo(scene.more)


def _edited(scene: Scene) -> Path:
    folder = _dataset(scene)
    edit_dataset(folder, [Exclude(rows="0-2")])
    return folder


def _count(folder: Path) -> int:
    assert sum(Store.open(folder).counts().values()) == version_summary(folder).total
    return version_summary(folder).total


def _save_network(scene: Scene) -> None:
    library.save(scene.workspace, ZOO["mlp"].build((8, 8, 1), 3), "drawn قط")


def _update_network(scene: Scene) -> None:
    library.update(scene.workspace, "mine", ZOO["mlp"].build((8, 8, 1), 7))


def _review(scene: Scene) -> ReviewQueue:
    queue = ReviewQueue(scene.root)
    (scene.root / "p.png").write_bytes(noise_png(1))
    queue.add(scene.root / "p.png", "p", "r", ("a", 0.9), "b")
    return queue


def _add_picture(scene: Scene) -> None:
    (scene.root / "q.png").write_bytes(noise_png(2))
    scene.more.add(scene.root / "q.png", "q", "r", ("a", 0.9), "b")


def _labels(scene: Scene) -> list[str]:
    return [each.label for each in scene.more.corrections()]


def _predictions(scene: Scene) -> None:
    rows, classes = np.arange(4), np.zeros(4, np.int32)
    write_predictions(scene.root, Predictions(rows, classes, np.ones(4, np.float32)))
    with writing_probabilities(scene.root, 4, 2) as table:
        table.add(np.full((4, 2), 0.5))


def _export_folder(scene: Scene) -> Path:
    (scene.root / "made").mkdir()
    (scene.root / "made" / "model.keras").write_bytes(b"x" * 1000)
    return scene.root / "made"


def _trained(scene: Scene) -> int:
    return Store.open(scene.more).counts()["train"]


def _export_dataset(scene: Scene, form: str) -> None:
    store = Store.open(scene.more)
    dataset_export.export_dataset(store, form, ["train"], scene.root / "out", "d", SILENT)


OPERATIONS = {
    "create": Operation(
        lambda scene: scene.workspace.create(RecordKind.RUN, "new", _plan().to_json()),
        lambda scene: _named(scene, RecordKind.RUN) == {"first", "new"},
    ),
    "submit": Operation(
        lambda scene: JobQueue(scene.workspace).submit(_plan(), "new"),
        lambda scene: _named(scene, RecordKind.RUN) == {"first", "new"},
        keeps=("queue/",),
    ),
    "journal": Operation(_append, _last_progress),
    "command": Operation(
        lambda scene: commands.send(scene.first.folder, "stop", 1),
        lambda scene: bool(CommandReader(scene.first.folder, 1).poll(at_once=True)),
    ),
    "restart": Operation(
        lambda scene: JobQueue(scene.workspace).restart(Job(scene.first)),
        lambda scene: any(
            isinstance(event, QueueChanged) for event in journal_reader(scene.first).read()
        ),
        keeps=("queue/",),
    ),
    "search": Operation(_do_trials, _done_trials, _search, keeps=(STUDY_FILE,)),
    "note a trial": Operation(
        _note_trial,
        lambda scene: list(_refreshed(SweepJob(scene.more)).trials) == [0],
        lambda scene: scene.workspace.create(RecordKind.SWEEP, "sweep", "{}"),
    ),
    "set": Operation(_set, _are_set, _stored),
    "hold": Operation(
        lambda scene: control.hold(JobQueue(scene.workspace), scene.more),
        lambda scene: bool(scene.more.refresh()) or scene.more.history.held,
        lambda scene: JobQueue(scene.workspace).submit(_plan(), "waits"),
    ),
    "import": Operation(
        _import,
        lambda scene: _count(scene.root / "dataset") == 12,
        _pictures,
        # An interrupted import continues where it stopped.
        keeps=(
            "images.h5.partial",
            "remarks.jsonl.partial",
            "skipped.json",
            "import.json",
            "summary.json",
        ),
    ),
    "edit": Operation(_one_edit, lambda scene: _count(scene.more) == 9, _dataset),
    "undo": Operation(_undone, lambda scene: _count(scene.more) == 12, _edited),
    "save a network": Operation(
        _save_network, lambda scene: _named(scene, RecordKind.NETWORK) == {"drawn قط"}
    ),
    "update a network": Operation(
        _update_network,
        lambda scene: library.load(scene.workspace, "mine").spec.classes == 7,
        lambda scene: library.save(scene.workspace, ZOO["mlp"].build((8, 8, 1), 3), "mine"),
    ),
    "rename": Operation(
        lambda scene: scene.workspace.rename(scene.first, "other"),
        lambda scene: _named(scene, RecordKind.RUN) == {"other"},
    ),
    "tag": Operation(
        lambda scene: scene.workspace.retag(scene.first, ["good", "قط"]),
        lambda scene: scene.first.info().tags == ("good", "قط"),
    ),
    "note": Operation(
        lambda scene: scene.workspace.annotate(scene.first, notes="🐈"),
        lambda scene: scene.first.info().notes == "🐈",
    ),
    "trash": Operation(
        lambda scene: scene.workspace.trash(scene.first),
        lambda scene: len(scene.workspace.trashed(RecordKind.RUN)) == 1,
    ),
    "restore": Operation(
        lambda scene: scene.workspace.restore(scene.more),
        lambda scene: _named(scene, RecordKind.RUN) == {"first"},
        lambda scene: scene.workspace.trash(scene.first),
    ),
    "open": Operation(
        lambda scene: Workspace.open(scene.root / "another"),
        lambda scene: (scene.root / "another" / "runs").is_dir(),
        keeps=("another/",),
    ),
    "write a table": Operation(
        lambda scene: write_csv(scene.root / "run.csv", epoch_rows(_history(scene))),
        lambda scene: len((scene.root / "run.csv").read_text().splitlines()) == 3,
    ),
    "write a report": Operation(
        lambda scene: report_of(*learned(20, 2, 0)).write(scene.root),
        lambda scene: Report.read(scene.root) is not None,
    ),
    "write predictions": Operation(
        _predictions, lambda scene: len(read_predictions(scene.root).rows) == 4
    ),
    "pack an export": Operation(
        lambda scene: pack(scene.more, scene.root / "out", "export", "zip"),
        lambda scene: (scene.root / "out" / "export.zip").stat().st_size > 0,
        _export_folder,
    ),
    "export folders": Operation(
        lambda scene: _export_dataset(scene, "folders"),
        lambda scene: len(list((scene.root / "out" / "d").rglob("*.png"))) == _trained(scene),
        _small_dataset,
    ),
    "export arrays": Operation(
        lambda scene: _export_dataset(scene, "npz"),
        lambda scene: (
            len(np.load(scene.root / "out" / "d.npz")["train_labels"]) == _trained(scene)
        ),
        _small_dataset,
    ),
    "correct": Operation(_add_picture, lambda scene: _labels(scene) == ["b", "b"], _review),
    "relabel": Operation(
        lambda scene: scene.more.relabel([each.id for each in scene.more.corrections()], "c"),
        lambda scene: _labels(scene) == ["c"],
        _review,
    ),
}


def _history(scene: Scene) -> Any:
    return _refreshed(Job(scene.first))


def _refreshed(job: Job[H]) -> H:
    job.refresh()
    return job.history


def _scene(root: Path, operation: Operation) -> Scene:
    root.mkdir(parents=True)
    workspace = Workspace.open(root / "workspace ü")
    scene = Scene(root, workspace, fake_run(workspace, "first", [0.5, 0.7]))
    scene.more = operation.prepare(scene)
    return scene


def _files(root: Path) -> set[str]:
    return {path.relative_to(root).as_posix() for path in root.rglob("*")}


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
@pytest.mark.parametrize(
    "name",
    sample(OPERATIONS, ("import", "edit", "open", "undo", "export arrays", "save a network")),
)
def test_a_write_that_fails_loses_nothing(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    operation = OPERATIONS[name]
    disk = FaultyDisk(monkeypatch, tmp_path)
    whole = _scene(tmp_path / "whole", operation)
    with disk.listening():
        operation.act(whole)
    assert operation.done(whole)
    calls = list(disk.calls)
    assert calls
    for at, call in enumerate(calls):
        # In turns: each call fails in one way, each operation in all of them.
        code = CODES[at % len(CODES)]
        where = f"{call} ({at}) with {errno.errorcode[code]}"
        _try(disk, _scene(tmp_path / str(at), operation), operation, at, code, where)


def _try(
    disk: FaultyDisk, scene: Scene, operation: Operation, at: int, code: int, where: str
) -> None:
    before = _files(scene.root)
    error = None
    with disk.listening(at, code):
        try:
            operation.act(scene)
        except Exception as raised:  # noqa: BLE001 - whatever it is, it must be clear
            error = clear_system_error(raised)
    if error is None:
        assert operation.done(scene), f"{where}: said to be done, and is not"
    else:
        assert isinstance(error, StudioError), f"{where}: {error!r}"
        assert "\n" not in str(error), where
        assert error.hint, where
        for path in _files(scene.root) - before:
            is_expected = any(word in path for word in operation.keeps)
            assert is_expected or path.endswith(".lock") or not _is_partial(path), (
                f"{where}: {path}"
            )
    again = Workspace.open(scene.workspace.root)
    known = [*again.infos(RecordKind.RUN), *((r, r.info()) for r in again.trashed(RecordKind.RUN))]
    assert scene.first.id in {record.id for record, _ in known}, f"{where}: the run is lost"
    reader = journal_reader(known[0][0])
    assert len(reader.read()) >= 8, where
    assert reader.damaged == 0, where
    if error is not None:
        operation.act(scene)
        assert operation.done(scene), f"{where}: not done when done again"


def _is_partial(path: str) -> bool:
    return any(mark in part for part in path.split("/") for mark in LEFT_OVERS)
