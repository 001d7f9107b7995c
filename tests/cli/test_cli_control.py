"""`studio runs pause|resume|extend|save|rate`, with real workers."""

from __future__ import annotations

import pytest

from helpers.command_line import Call, caller
from helpers.digits import EPOCHS, Digits
from helpers.waiting import wait_until


@pytest.fixture
def own(capsys: pytest.CaptureFixture[str], own_run: Digits) -> Call:
    return caller(capsys, own_run.workspace.root)


@pytest.mark.slow
def test_a_run_is_paused_resumed_steered_and_stopped(own: Call) -> None:
    words = ("--dataset", "Ziffern ü", "--network", "mlp", "--epochs", "100000")
    assert own("train", *words, "--name", "long", "--detach", "--json").code == 0

    def steps() -> int:
        shown: int = own("runs", "show", "long", "--json").document["steps"]
        return shown

    wait_until(lambda: steps() >= 1, "the first step")
    assert own("runs", "pause", "long", "--json").document == {"name": "long", "state": "paused"}
    before = steps()
    assert "paused, so it cannot be saved" in own("runs", "save", "long").mistake
    refused = own("runs", "stop", "long").mistake
    assert "already paused. Continue it: studio runs resume long; or delete it" in refused
    assert "Paused" in own("runs", "show", "long", "--json").document["reason"]

    resumed = own("runs", "resume", "long", "--learning-rate", "0.002", "--detach", "--json")
    assert resumed.document["state"] in ("starting", "running")
    assert "cannot be extended" in own("runs", "extend", "long", "--epochs", "1").mistake
    wait_until(lambda: steps() > before, "it resumed")
    assert own("runs", "save", "long", "--json").code == 0
    rate = own("runs", "rate", "long", "0.004", "--json").document
    assert (rate["name"], rate["learning_rate"]) == ("long", 0.004)
    assert "received 11" in own("runs", "rate", "long", "11").mistake

    assert own("runs", "stop", "long", "--json").document["state"] == "stopped"
    shown = own("runs", "show", "long", "--json").document
    assert shown["attempt"] == 2
    assert shown["changes"] == {"learning_rate": 0.002}
    assert shown["plan"]["learning_rate"] == 0.001


@pytest.mark.thorough
def test_a_finished_run_gets_more_epochs(own: Call) -> None:
    assert "completed, so it cannot be resumed" in own("runs", "resume", "lenet").mistake
    assert "received 0" in own("runs", "extend", "lenet", "--epochs", "0").mistake

    extended = own("runs", "extend", "lenet", "--epochs", "1", "--json").document

    assert extended == {"name": "lenet", "state": "completed"}
    shown = own("runs", "show", "lenet", "--json").document
    assert [epoch["epoch"] for epoch in shown["epochs"]] == list(range(1, EPOCHS + 2))
    assert shown["changes"] == {"epochs": EPOCHS + 1}
