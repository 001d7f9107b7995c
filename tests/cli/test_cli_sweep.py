"""`studio sweep` and `studio sweeps …`: what they say, and one sweep with real training."""

from __future__ import annotations

from pathlib import Path

import pytest

from helpers.command_line import Call, caller
from helpers.digits import Digits, do_here
from helpers.pictures import picture_folder, small_recipe
from helpers.sweep_workers import NEVER_ENDS, OUT_OF_MEMORY, launch
from helpers.sweeps import Stage
from helpers.waiting import wait_until
from studio.engine.jobs import queue as queue_module
from studio.engine.jobs.queue import JobQueue
from studio.engine.workspace import Workspace

BASE = ("--dataset", "small", "--network", "mlp", "--epochs", "3")


@pytest.fixture
def call(
    workspace: Workspace,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> Call:
    recipe = small_recipe(picture_folder(tmp_path / "pictures", per_class=20))
    do_here(workspace, recipe, "small")
    monkeypatch.setattr(queue_module, "launch_worker", launch)
    return caller(capsys, workspace.root)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--vary", "learning_rate=0.1,x"), 'received "x"'),
        (("--vary", "batch_size=0,8"), "at least 1"),
        (("--vary", "learnin_rate=1"), 'Did you mean "learning_rate"?'),
        ((), "needs a field that varies"),
        (("--vary", "learning_rate=0.1..1", "--sampler", "tpe"), "number of trials"),
        (("--vary", "learning_rate=0.1..1"), "the number of values"),
        (("--vary", "epochs=1", "--sampler", "best"), "sampler"),
        (("--vary", "epochs=1", "--objective", "beauty"), "objectives"),
        (("--vary", "network=mlp,lenett"), 'no network "lenett"'),
        (("--vary", "network.c1.filters=4,8"), "drawn networks only"),
        (("--vary", "dataset.width=0"), "at least 1"),
        (("--vary", "epochs=1", "--workers", "0"), "workers"),
        (("--vary", "epochs=1", "--dataset", "none"), 'no dataset called "none"'),
    ],
)
def test_mistakes_are_one_line(call: Call, words: tuple[str, ...], said: str) -> None:
    assert said in call("sweep", *BASE, *words).mistake
    assert call("sweeps", "list", "--json").document == []


def test_a_sweep_on_the_command_line(call: Call) -> None:
    words = ("--vary", "learning_rate=[0.1, 0.01]", "--vary", f"batch_size=4,{OUT_OF_MEMORY}")
    done = call("sweep", *BASE, *words, "--name", "S", "--workers", "2", "--json").document

    assert (done["name"], done["state"], done["front"]) == ("S", "completed", [0])
    assert [trial["state"] for trial in done["trials"]] == ["completed", "failed"] * 2
    best = done["best"]
    assert best["values"] == {"learning_rate": 0.1, "batch_size": 4}
    assert best["value"] == pytest.approx(0.9 * 0.875)
    assert best["run"] == "S-0"
    assert done["trials"][1]["value"] is None
    assert call("sweeps", "show", "S", "--json").document == done
    assert call("sweeps", "best", "S", "--json").document["best"] == best
    (entry,) = call("sweeps", "list", "--json").document
    assert (entry["completed"], entry["failed"], entry["best"]) == (2, 2, [best["value"]])
    assert call("runs", "list", "--group", "S", "--json").document[0]["name"] == "S-0"

    assert "completed, so it cannot be rerun" in call("sweeps", "rerun", "S", "0").mistake
    again = call("sweeps", "rerun", "S", "1", "--json").document
    assert again["trials"][1]["run"] == "S-1-2"
    more = call("sweeps", "extend", "S", "--vary", "batch_size=8", "--json").document
    assert [trial["values"]["batch_size"] for trial in more["trials"]][-2:] == [8, 8]
    assert "cannot be resumed" in call("sweeps", "resume", "S").mistake
    assert "already completed" in call("sweeps", "stop", "S").mistake
    assert "Nothing is added" in call("sweeps", "extend", "S").mistake
    assert "already taken" in call("sweep", *BASE, *words, "--name", "S").mistake
    text = call("sweeps", "show", "S").out
    assert "val accuracy" in text
    assert "out of memory" in text


@pytest.mark.thorough
def test_a_sweep_is_left_alone_reordered_paused_resumed_and_stopped(
    call: Call, workspace: Workspace
) -> None:
    words = ("--vary", f"batch_size={NEVER_ENDS},2,4", "--name", "S", "--detach", "--json")
    try:
        begun = call("sweep", *BASE, *words).document
        assert begun["state"] in ("starting", "running")

        def state() -> object:
            trials = call("sweeps", "show", "S", "--json").document["trials"]
            return trials and trials[0]["state"]

        wait_until(lambda: state() == "running", "its run is at work")
        assert "No trial" in call("sweeps", "best", "S").mistake

        def waiting() -> list[tuple[int, int]]:
            found = call("sweeps", "show", "S", "--json").document["waiting"]
            return [(each["number"], each["values"]["batch_size"]) for each in found]

        assert waiting() == [(1, 2), (2, 4)]
        assert call("sweeps", "reorder", "S", "2", "--before", "1", "--json").document == {
            "name": "S",
            "trial": 2,
            "before": 1,
        }
        wait_until(lambda: waiting() == [(1, 4), (2, 2)], "the worker has moved it")
        assert "Trial 0 is running" in call("sweeps", "reorder", "S", "0", "--last").mistake
        assert "waits" in call("sweeps", "show", "S").out
        assert call("sweeps", "pause", "S", "--json").document["state"] == "paused"
        assert state() == "paused"
        assert call("sweeps", "reorder", "S", "1", "--last").code == 0
        assert waiting() == [(1, 2), (2, 4)], "also while no process leads it"
        assert call("sweeps", "resume", "S", "--detach", "--json").code == 0
        wait_until(lambda: state() == "running", "its run continues")
        assert call("sweeps", "stop", "S", "--json").document["state"] == "stopped"
        assert state() == "stopped"
    finally:
        Stage(workspace, JobQueue(workspace), "").end_everything()


@pytest.mark.thorough
def test_a_sweep_with_real_training(
    own_digits: Digits, capsys: pytest.CaptureFixture[str]
) -> None:
    call = caller(capsys, own_digits.workspace.root)
    base = ("--dataset", "Ziffern ü", "--network", "mlp", "--epochs", "2")
    words = ("--vary", "learning_rate=0.01,1e-6", "--objective", "val_accuracy")

    done = call("sweep", *base, *words, "--objective", "size", "--name", "S", "--json").document

    assert done["state"] == "completed"
    assert [trial["state"] for trial in done["trials"]] == ["completed"] * 2
    good, bad = (trial["value"] for trial in done["trials"])
    assert good[0] > 0.5 > bad[0]
    assert good[1] == pytest.approx(bad[1], rel=0.05)
    assert good[1] > 1000
    assert done["best"]["number"] == 0
    shown = call("runs", "show", "S-0", "--json").document
    assert (shown["group"], shown["plan"]["learning_rate"]) == ("S", 0.01)
    assert len(shown["epochs"]) == 2
