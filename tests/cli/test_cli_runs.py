"""`studio runs`: list, compare, export, what a person writes about runs, trash and back."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

from helpers.command_line import Call, caller
from helpers.runs import STEPS_PER_EPOCH, append_events, fake_run
from studio.engine.jobs.events import Amended
from studio.engine.jobs.liveness import holding
from studio.engine.jobs.states import State
from studio.engine.workspace import Record, RecordInfo, RecordKind, Workspace


@pytest.fixture
def call(capsys: pytest.CaptureFixture[str], workspace: Workspace) -> Call:
    return caller(capsys, workspace.root)


@pytest.fixture
def three(workspace: Workspace) -> Workspace:
    """Three runs, the second the best."""
    fake_run(workspace, "ä first", [0.5, 0.6], learning_rate=0.01)
    fake_run(workspace, "b second", [0.7, 0.9], State.STOPPED, epochs=9)
    fake_run(workspace, "c third", [], State.FAILED, network="mlp", seconds=1)
    return workspace


def names(said: object) -> list[str]:
    assert isinstance(said, list)
    return [each["name"] for each in said]


def test_the_list_is_filtered(call: Call, three: Workspace) -> None:
    call("runs", "tag", "ä first", "b second", "--tag", "good", "--tag", "Paper", "--json")
    call("runs", "group", "ä first", "c third", "--to", "tries", "--json")

    def listed(*words: str) -> list[str]:
        return names(call("runs", "list", *words, "--json").document)

    assert listed() == ["ä first", "b second", "c third"]
    assert listed("--state", "stopped") == ["b second"]
    assert listed("--tag", "GOOD", "--tag", "paper") == ["ä first", "b second"]
    assert listed("--tag", "good", "--tag", "bad") == []
    assert listed("--group", "Tries") == ["ä first", "c third"]
    assert listed("--group", "") == ["b second"]
    assert listed("--text", "MLP tries") == ["c third"]
    assert "None of 3 runs" in call("runs", "list", "--tag", "none").out
    assert "Paper" in call("runs", "list").out
    assert 'no state "runing"' in call("runs", "list", "--state", "runing").mistake


def test_the_list_is_sorted_by_several_keys(call: Call, three: Workspace) -> None:
    fake_run(three, "d fourth", [0.9], epochs=9)

    def listed(keys: str) -> list[str]:
        return [name[0] for name in names(call("runs", "list", "--sort", keys, "--json").document)]

    assert listed("name:desc") == ["ä", "d", "c", "b"]
    assert listed("val_accuracy") == ["ä", "b", "d", "c"]  # without a value: last
    assert listed("val_accuracy:desc,name:desc") == ["d", "b", "ä", "c"]
    assert listed("epochs:desc,started:desc") == ["b", "ä", "d", "c"]
    assert listed("learning_rate:desc,name") == ["ä", "b", "c", "d"]
    assert listed("state,name") == ["d", "ä", "b", "c"]
    reported = call("runs", "list", "--sort", "learning_rat").mistake
    assert "learning_rate" in reported


def test_the_list_shows_the_contents_of_each(call: Call, three: Workspace) -> None:
    call("runs", "note", "b second", "the\nbest", "--json")

    second = call("runs", "list", "--json").document[1]

    assert (second["val_accuracy"], second["epochs"], second["seconds"]) == (0.9, 2, 4.0)
    assert (second["notes"], second["state"], second["network"]) == (
        "the\nbest",
        "stopped",
        "lenet",
    )
    assert call("runs", "list", "--json").document[2]["val_accuracy"] is None


def test_what_is_written_about_runs(call: Call, three: Workspace) -> None:
    assert call("runs", "tag", "b second", "--tag", "x", "--tag", "y", "--json").document == [
        {"name": "b second", "group": "", "tags": ["x", "y"], "notes": ""}
    ]
    call("runs", "untag", "b second", "ä first", "--tag", "X", "--json")
    call("runs", "group", "b second", "--to", " old  ones ", "--json")
    call("runs", "note", "b second", "why", "--json")
    assert call("runs", "rename", "b second", "neu", "--json").document == {
        "name": "neu",
        "group": "old ones",
        "tags": ["y"],
        "notes": "why",
    }
    shown = call("runs", "show", "neu").out
    assert "old ones · y" in shown
    assert "why" in shown
    assert call("runs", "show", "neu", "--json").document["tags"] == ["y"]

    assert "taken" in call("runs", "rename", "neu", "c third").mistake
    assert "comma" in call("runs", "tag", "neu", "--tag", "a,b").mistake
    # Where one is not there, nothing is done to the others.
    assert 'no run called "nil"' in call("runs", "tag", "neu", "nil", "--tag", "z").mistake
    assert call("runs", "show", "neu", "--json").document["tags"] == ["y"]


def test_several_go_to_the_trash_and_come_back(call: Call, three: Workspace) -> None:
    fake_run(three, "waits", [], State.QUEUED)
    gone = call("runs", "delete", "ä first", "waits", "ä first", "--json").document
    assert gone == [{"name": name, "state": "deleted"} for name in ("ä first", "waits")]
    assert names(call("runs", "list", "--json").document) == ["b second", "c third"]

    assert "nobody" in call("runs", "restore", "ä first", "nobody").mistake
    back = call("runs", "restore", "ä first", "waits", "--json").document

    assert back == [
        {"name": "ä first", "state": "completed"},
        {"name": "waits", "state": "stopped"},
    ]
    assert len(three.records(RecordKind.RUN)) == 4


def test_what_is_at_work_is_not_deleted_nor_is_its_neighbor(call: Call, three: Workspace) -> None:
    busy = fake_run(three, "busy", [0.5], State.RUNNING)
    with holding(busy.folder):
        assert "Still running: busy" in call("runs", "delete", "ä first", "busy").mistake

    assert len(three.records(RecordKind.RUN)) == 4


def test_runs_are_compared(call: Call, three: Workspace) -> None:
    changed = three.find(RecordKind.RUN, "b second")
    append_events(changed, [Amended(changes={"learning_rate": 0.5})])

    document = call("runs", "compare", "ä first", "b second", "--json").document

    assert document["settings"] == ["epochs", "learning_rate"]
    assert [run["settings"] for run in document["runs"]] == [
        {"epochs": 2, "learning_rate": 0.01},
        {"epochs": 9, "learning_rate": 0.5},
    ]
    assert document["runs"][1]["metrics"]["best_val_accuracy"] == 0.9
    assert document["best"]["best_val_accuracy"] == ["b second"]
    assert document["runs"][0]["metrics"]["seconds"] == 4.0
    text = call("runs", "compare", "ä first", "b second").out
    assert "Learning rate" in text
    assert "90.0 % *" in text
    assert "two runs" in call("runs", "compare", "ä first", "ä first").mistake


def test_figures_as_csv(call: Call, three: Workspace, tmp_path: Path) -> None:
    target = tmp_path / "out" / "epochs.csv"
    document = call("runs", "export-csv", "ä first", "--to", target, "--json").document
    assert (document["rows"], document["path"]) == (2, str(target))
    rows = list(csv.DictReader(target.read_text(encoding="utf-8").splitlines()))
    assert [row["val_accuracy"] for row in rows] == ["0.5", "0.6"]

    said = call("runs", "export-csv", "ä first", "--steps")
    assert said.code == 0
    steps = list(csv.DictReader(said.out.splitlines()))
    assert [row["step"] for row in steps] == [str(n) for n in range(1, 2 * STEPS_PER_EPOCH + 1)]
    assert steps[-1]["epoch"] == "2.0"


def test_the_list_is_limited_to_the_newest_or_the_first(call: Call, three: Workspace) -> None:
    def listed(*words: str) -> list[str]:
        return names(call("runs", "list", *words, "--json").document)

    assert listed("--limit", "2") == ["b second", "c third"]
    assert listed("--limit", "2", "--sort", "name:desc") == ["ä first", "c third"]
    assert listed("--limit", "0") == listed() == ["ä first", "b second", "c third"]
    said = call("runs", "list", "--limit", "1")
    assert "ä first" not in said.out
    assert "newest 1 of 3 runs" in said.err
    assert "not a number" in call("runs", "list", "--limit", "all").mistake


def test_a_record_is_found_by_its_name_without_reading_the_others(
    three: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    read: list[str] = []
    info = Record.info

    def noted(record: Record) -> RecordInfo:
        read.append(record.id)
        return info(record)

    monkeypatch.setattr(Record, "info", noted)

    found = three.named(RecordKind.RUN, "B Second")

    assert found is not None
    assert read == [found.id]
