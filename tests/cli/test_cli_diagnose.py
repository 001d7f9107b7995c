"""`studio runs diagnose`."""

from __future__ import annotations

import math

import pytest

from helpers.command_line import caller
from helpers.runs import fake_run
from studio.engine.jobs.events import StateChanged
from studio.engine.jobs.job import JOURNAL_FILE, JournalWriter
from studio.engine.jobs.states import State
from studio.engine.training.history import EpochDone
from studio.engine.workspace import Record, Workspace


def overfit(record: Record) -> None:
    writer = JournalWriter(record.folder / JOURNAL_FILE)
    for epoch in range(1, 15):
        loss, val_loss = 0.05 + 2 * math.exp(-epoch / 3), 0.41 + 0.03 * abs(epoch - 6)
        writer.append(
            EpochDone(
                epoch=epoch,
                step=4 * epoch,
                metrics={
                    "loss": loss,
                    "accuracy": math.exp(-loss),
                    "val_loss": val_loss,
                    "val_accuracy": math.exp(-val_loss),
                },
                learning_rate=1e-3,
                seconds=1,
                images_per_second=1,
            )
        )
    writer.append(StateChanged(state=State.COMPLETED))
    writer.close()


def test_errors_and_their_hints(workspace: Workspace, capsys: pytest.CaptureFixture[str]) -> None:
    overfit(fake_run(workspace, "ill", [], State.RUNNING, epochs=14))
    call = caller(capsys, workspace.root)
    document = call("runs", "diagnose", "ill", "--json").document
    assert (document["name"], document["epochs"]) == ("ill", 14)
    (finding,) = document["findings"]
    assert finding["name"] == "over_fitting"
    assert finding["changes"]["early_stopping_patience"] == 5
    assert (finding["from_epoch"], finding["to_epoch"]) == (6, 14)
    said = call("runs", "diagnose", "ill").out
    assert "rose from 0.410 in epoch 6" in said
    assert "studio runs clone ill" in said
    assert "--set early_stopping_patience=5" in said


def test_a_healthy_run(workspace: Workspace, capsys: pytest.CaptureFixture[str]) -> None:
    fake_run(workspace, "well", [0.5, 0.7, 0.8])
    call = caller(capsys, workspace.root)
    assert call("runs", "diagnose", "well", "--json").document["findings"] == []
    assert "nothing stands out" in call("runs", "diagnose", "well").out
