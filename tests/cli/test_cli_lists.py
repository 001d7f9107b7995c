"""`studio evaluations` and `studio exports`: what was made before, without making it again."""

from __future__ import annotations

import numpy as np
import pytest

from helpers.command_line import Call, caller
from helpers.evaluations import learned, leave_evaluation
from helpers.runs import append_events, fake_run
from studio.engine.evaluation.report import EvaluationPlan
from studio.engine.exporting.plan import ExportPlan
from studio.engine.jobs.events import Result, StateChanged
from studio.engine.jobs.states import State
from studio.engine.workspace import Record, RecordKind, Workspace


@pytest.fixture
def call(capsys: pytest.CaptureFixture[str], workspace: Workspace) -> Call:
    return caller(capsys, workspace.root)


@pytest.fixture
def run(workspace: Workspace) -> Record:
    fake_run(workspace, "other", [0.5])
    return fake_run(workspace, "net", [0.5])


def test_evaluations_are_listed_and_shown(call: Call, workspace: Workspace, run: Record) -> None:
    assert "Try: studio evaluate RUN" in call("evaluations", "list").out
    done, failed = (
        workspace.create(RecordKind.EVALUATION, name, EvaluationPlan(run=run.id).to_json())
        for name in ("net", "net 2")
    )
    probabilities, labels = learned(30, 3, 0)
    leave_evaluation(done.folder, np.arange(30), probabilities, labels)
    append_events(done, [StateChanged(state=State.COMPLETED)])
    append_events(failed, [StateChanged(state=State.FAILED)])

    found, other = call("evaluations", "list", "--json").document
    accuracy = found["metrics"]["accuracy"]
    assert (found["dataset"], found["split"], found["count"]) == ("Digits", "test", 30)
    assert (other["name"], other["state"], "metrics" in other) == ("net 2", "failed", False)
    assert f"accuracy {accuracy * 100:.1f} %" in call("evaluations", "list", "--run", "net").out
    assert call("evaluations", "list", "--run", "other", "--json").document == []
    assert call("evaluations", "show", "net", "--json").document["accuracy"] == accuracy
    assert "F1, macro" in call("evaluations", "show", "net").out
    assert "is failed and has no report" in call("evaluations", "show", "net 2").mistake


def test_exports_are_listed_and_shown(call: Call, workspace: Workspace, run: Record) -> None:
    assert "Try: studio export RUN" in call("exports", "list").out
    plan = ExportPlan(run=run.id, variants=["onnx:float32"])
    record = workspace.create(RecordKind.EXPORT, "net", plan.to_json())
    assert "has no files" in call("exports", "show", "net").mistake
    problem = {"format": "onnx", "precision": "float32", "problem": "It is too deep."}
    append_events(record, [Result(values={"exports": [problem]})])

    (found,) = call("exports", "list", "--json").document
    assert found["files"][0]["problem"] == "It is too deep."
    assert not found["files"][0]["certified"]
    assert "It is too deep." in call("exports", "list", "--run", "net").out
    assert "It is too deep." in call("exports", "show", "net").err
