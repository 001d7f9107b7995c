"""Datasets, runs and training on the command line: keys, mistakes, detaching, stopping."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from helpers.command_line import Call, caller
from helpers.digits import EPOCHS, Digits
from helpers.pictures import picture_folder
from helpers.waiting import wait_until
from studio.cli.dataset_import import parse_size
from studio.engine.datasets.samples import SAMPLES
from studio.engine.jobs.job import Job
from studio.engine.jobs.queue import JobQueue
from studio.engine.training.history import RunJob
from studio.engine.training.plan import TrainingPlan
from studio.engine.workspace import RecordKind, Workspace


@pytest.fixture
def call(capsys: pytest.CaptureFixture[str], workspace: Workspace) -> Call:
    return caller(capsys, workspace.root)


@pytest.fixture
def shared(capsys: pytest.CaptureFixture[str], untouched: Digits) -> Call:
    """On digits that this module shares; only for verbs that change nothing."""
    return caller(capsys, untouched.workspace.root)


@pytest.fixture
def own(capsys: pytest.CaptureFixture[str], own_run: Digits) -> Call:
    return caller(capsys, own_run.workspace.root)


SMALL = ("--size", "8x8", "--color", "gray")


def test_an_import_with_a_bad_file_among_good_ones(call: Call, tmp_path: Path) -> None:
    source = picture_folder(tmp_path / "Bilder für alle", 10, ("Äpfel", "birnen süß"))
    (source / "Äpfel" / "kaputt.png").write_text("no picture")

    made = call(
        "datasets", "import", source, *SMALL, "--name", "Obst (1)", "--val", "20", "--json"
    ).document

    assert made["name"] == "Obst (1)"
    assert (made["state"], made["count"], made["skipped"]) == ("completed", 20, 1)
    shown = call("datasets", "show", "Obst (1)", "--json").document
    assert shown["name"] == "Obst (1)"
    assert shown["classes"] == ["birnen süß", "Äpfel"] or shown["classes"] == [
        "Äpfel",
        "birnen süß",
    ]
    assert set(shown["count"]) == {"train", "val", "test"}
    assert sum(shown["count"].values()) == 20
    assert [entry["path"] for entry in shown["skipped"]] == ["Äpfel/kaputt.png"]
    assert shown["skipped"][0]["reason"]
    assert (shown["width"], shown["height"], shown["channels"]) == (8, 8, 1)
    listed = call("datasets", "list", "--json").document
    assert [(d["name"], d["state"], d["count"], d["classes"]) for d in listed] == [
        ("Obst (1)", "completed", 20, 2)
    ]
    text = call("datasets", "show", "Obst (1)").out
    assert "kaputt.png" in text
    assert "Äpfel" in text

    assert "already taken" in call("datasets", "import", source, "--name", "OBST (1)").mistake
    unnamed = call("datasets", "import", source, *SMALL, "--json").document
    assert unnamed["name"] == "bilder-fur-alle"

    gone = call("datasets", "delete", "Obst (1)", "--json").document
    assert gone == {"name": "Obst (1)", "state": "deleted", "runs": []}
    assert "bilder-fur-alle" in call("datasets", "show", "Obst (1)").mistake


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        (["--size", "28"], None),
        (["--size", "x"], '"x"'),
        (["--size", "28x28x3"], "28x28x3"),
        (["--size", "-5"], "-5"),
        (["--size", "0x8"], "--size must be at least 1"),
        (["--size", "8x9999"], "--size must be at most"),
        (["--val", "abc"], "--val must be a number"),
        (["--val", "60", "--test", "40"], "nothing to train on"),
        (["--val", "-1"], "--val must be at least 0"),
        (["--test", "nan"], "--test must be a"),
        (["--color", "grey"], "color"),
        (["--seed", "1.5"], "seed"),
        (["--background", "white"], "#rrggbb"),
        (["--set", "widht=3"], "widht"),
        (["--set", "width"], "NAME=VALUE"),
        (["--set", "width.a=3"], "width"),
        (["--set", "self=3"], "self"),
        (["--size", "8x8", "--set", "width=0"], "--size must be at least 1"),
        (["--name", ""], "name is empty"),
        (["--name", "a/b"], "slash"),
    ],
)
def test_bad_options_of_an_import(
    call: Call, tmp_path: Path, workspace: Workspace, options: list[str], expected: str | None
) -> None:
    source = picture_folder(tmp_path / "pictures", 4)
    if expected is None:
        assert call("datasets", "import", source, *options, "--detach").code == 0
        return

    # An equals sign, so that a value may begin with a minus.
    pairs = zip(options[::2], options[1::2], strict=True)
    mistake = call("datasets", "import", source, *(f"{n}={v}" for n, v in pairs)).mistake

    assert expected in mistake
    assert workspace.records(RecordKind.DATASET) == []


def test_sizes() -> None:
    assert parse_size("28x20") == (28, 20)
    assert parse_size("28X20") == (28, 20)
    assert parse_size("28×20") == (28, 20)
    assert parse_size("32") == (32, 32)


def test_a_missing_source_names_the_samples(call: Call) -> None:
    assert "digits" in call("datasets", "import", "/no/such/folder").mistake


def test_a_folder_called_like_a_sample_is_the_folder(
    call: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    picture_folder(tmp_path / "digits", 4, ("x", "y"))
    monkeypatch.chdir(tmp_path)
    assert "digits" in SAMPLES

    document = call("datasets", "import", "digits", *SMALL, "--json").document

    assert document["classes"] == ["x", "y"]


def test_a_bad_folder_is_the_users_mistake(call: Call, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()

    assert "empty" in call("datasets", "import", tmp_path / "empty").mistake


def test_an_unknown_dataset_brings_the_closest(shared: Call) -> None:
    assert 'Did you mean "Ziffern ü"?' in shared("datasets", "show", "Zifern ü").mistake
    assert "Ziffern ü" in shared("train", "--dataset", "Zifern ü").mistake
    assert 'Did you mean "lenet"?' in shared("runs", "show", "lennet").mistake
    mistake = shared("train", "--dataset", "Ziffern ü", "--network", "lenett").mistake
    assert 'Did you mean "lenet"?' in mistake


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        (["--epochs", "0"], "epochs"),
        (["--learning-rate", "nan"], "--learning-rate must be a finite number"),
        (["--momentum", "0.5"], "adam has its own"),
        (["--optimizer", "adamm"], "adamm"),
        (["--epochs", "0", "--seed", "-1"], "seed"),
        (["--set", "epcohs=3"], "epcohs"),
        (["--set", "epochs.a=3"], "epochs"),
        (["--schedule", "step", "--set", "schedule_options.gamma=-1"], "gamma"),
        (["--set", "schedule_options.gama=1"], "gama"),
        (["--network", "mobilenet_v2"], "32"),
        (["--name", ""], "name is empty"),
        (["--name", "LeNet"], "already taken"),
    ],
)
def test_bad_options_of_a_training_are_refused_before_it_starts(
    own: Call, own_run: Digits, options: list[str], expected: str
) -> None:
    before = len(own_run.workspace.records(RecordKind.RUN))

    mistake = own("train", "--dataset", "Ziffern ü", *options).mistake

    assert expected in mistake
    assert len(own_run.workspace.records(RecordKind.RUN)) == before


def test_a_run_is_shown(shared: Call, untouched: Digits) -> None:
    shown = shared("runs", "show", "lenet", "--json").document

    assert (shown["name"], shown["state"]) == ("lenet", "completed")
    assert shown["plan"]["epochs"] == EPOCHS
    assert shown["dataset"] == "Ziffern ü"
    assert [epoch["epoch"] for epoch in shown["epochs"]] == list(range(1, EPOCHS + 1))
    keys = {"epoch", "loss", "accuracy", "val_loss", "val_accuracy", "learning_rate"}
    assert keys <= set(shown["epochs"][0])
    assert shown["steps"] == len(untouched.run.history.steps_of("loss"))
    listed = shared("runs", "list", "--json").document
    assert [(run["name"], run["state"]) for run in listed] == [("lenet", "completed")]
    assert shared("runs", "follow", "lenet", "--json").document["state"] == "completed"
    text = shared("runs", "show", "lenet").out
    assert "best" in text
    assert "completed" in text


def test_a_finished_run_cannot_be_stopped(shared: Call) -> None:
    assert "already completed" in shared("runs", "stop", "lenet").mistake


def test_damaged_records_do_not_hide_the_others(own: Call, own_run: Digits) -> None:
    workspace = own_run.workspace
    workspace.create(RecordKind.RUN, "bad plan", "{")
    bad = workspace.create(
        RecordKind.DATASET, "bad dataset", own_run.dataset.record.plan_file.read_text()
    )
    shutil.copy(own_run.dataset.record.folder / "journal.jsonl", bad.folder)

    said = own("runs", "list", "--json")
    assert [run["name"] for run in said.document] == ["lenet"]
    assert "plan.json" in said.err
    said = own("datasets", "list", "--json")
    assert "Ziffern ü" in [dataset["name"] for dataset in said.document]
    assert "plan.json" in own("runs", "show", "bad plan").mistake
    assert own("datasets", "delete", "bad dataset", "--json").code == 0


def test_a_run_and_then_its_dataset_are_deleted(own: Call, own_run: Digits) -> None:
    assert own("datasets", "delete", "Ziffern ü", "--json").code == 0
    assert "was deleted" in own("evaluate", "lenet").mistake
    assert "not an image" in own("predict", "lenet", Path(__file__)).mistake, "the model is there"
    assert own("runs", "delete", "lenet", "--json").document["state"] == "deleted"
    assert own("runs", "list", "--json").document == []
    assert len(own_run.workspace.trashed(RecordKind.RUN)) == 1


@pytest.mark.slow
def test_a_detached_training_is_stopped_and_its_dataset_kept_until_then(
    own: Call, own_run: Digits
) -> None:
    words = ("train", "--dataset", "Ziffern ü", "--epochs", "100000", "--name")
    assert own(*words, "Läuft ü", "--detach", "--json").document["state"] in (
        "starting",
        "running",
    )
    assert own(*words, "wartet", "--detach", "--json").document["state"] == "queued"

    def shown() -> int:
        return len(own("runs", "show", "Läuft ü", "--json").document["epochs"])

    wait_until(lambda: shown() >= 1, "an epoch is over")
    assert "needs the dataset" in own("datasets", "delete", "Ziffern ü").mistake
    assert "Stop them first" in own("runs", "delete", "Läuft ü").mistake
    assert own("runs", "stop", "wartet", "--json").document["state"] == "stopped"
    stopped = own("runs", "stop", "Läuft ü", "--json").document

    assert stopped == {"name": "Läuft ü", "state": "stopped"}
    shown_again = own("runs", "show", "Läuft ü", "--json").document
    assert shown_again["state"] == "stopped"
    assert "kept" in shown_again["reason"]
    assert own("runs", "show", "wartet", "--json").document["epochs"] == []
    assert own("datasets", "delete", "Ziffern ü").code == 0


def test_waiting_for_a_deleted_job_ends(
    own: Call, own_run: Digits, monkeypatch: pytest.MonkeyPatch
) -> None:
    queue = JobQueue(own_run.workspace)
    plan = TrainingPlan(dataset=own_run.dataset.record.id)
    job = queue.submit(plan, "gone")
    refresh, styles = Job.refresh, []

    def refresh_and_lose(self: RunJob) -> list[object]:
        events: list[object] = list(refresh(self))
        styles.append(self)
        if len(styles) == 3:
            own_run.workspace.trash(job.record)
        return events

    monkeypatch.setattr(Job, "refresh", refresh_and_lose)
    monkeypatch.setattr(JobQueue, "dispatch", lambda self: None)

    assert "was deleted" in own("runs", "follow", "gone").mistake
