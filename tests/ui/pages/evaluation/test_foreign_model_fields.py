"""Model files of other programs on the evaluation page: fields, and warnings of reports."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from page_checks import nameless_controls, show_in_window, unexplained_buttons
from page_records import add_dataset, began, picture_folder, start_jobs
from pytestqt.qtbot import QtBot

from helpers.evaluations import leave_evaluation
from helpers.runs import append_events
from studio.engine.datasets.store import Store
from studio.engine.documents import REPORT
from studio.engine.evaluation.report import EvaluatedModel, EvaluationPlan
from studio.engine.inference.foreign_models import DATASET_NAMES, UNKNOWN_SCALE
from studio.engine.jobs.events import Artifact, Result, StateChanged
from studio.engine.jobs.states import State
from studio.engine.workspace import Record, RecordKind, Workspace
from studio.ui.context import AppContext
from studio.ui.pages.evaluation.page import NewEvaluation, View
from studio.ui.pages.evaluation.report import ClassesPanel

CLASSES = ["ash", "birch"]


@pytest.fixture
def dataset(workspace: Workspace, tmp_path: Path) -> Record:
    source = picture_folder(tmp_path / "src", dict.fromkeys(CLASSES, 4))
    return add_dataset(workspace, "trees", source, val_percent=0, test_percent=50)


def test_the_fields_belong_to_a_file_and_go_into_the_plan(
    qtbot: QtBot, context: AppContext, dataset: Record, tmp_path: Path
) -> None:
    start_jobs(qtbot, context)
    form = NewEvaluation(context)
    _window = show_in_window(qtbot, form)
    assert not form.foreign.isVisible(), "runs know their pixels and classes"
    form.use_file(tmp_path / "net.h5")
    assert form.foreign.isVisible()
    assert not nameless_controls(form)
    assert not unexplained_buttons(form)
    form.foreign.preprocessing.choose("imagenet-caffe")
    (tmp_path / "bad.json").write_text("{")
    form.foreign.use_class_file(tmp_path / "bad.json")
    assert "not valid JSON" in form.foreign.problem.text()
    (tmp_path / "labels.txt").write_text("0 ash\n1 birch\n")
    form.foreign.use_class_file(tmp_path / "labels.txt")
    assert form.foreign.problem.text() == ""
    form.dataset.choose(dataset.id)
    form.refresh()

    with qtbot.waitSignal(form.submitted) as submitted:
        form.button.click()

    plan = submitted.args[0]
    assert isinstance(plan, EvaluationPlan)
    assert (plan.preprocessing, plan.class_names) == ("imagenet-caffe", ("ash", "birch"))
    form.use_file(tmp_path / "other.h5")
    assert form.foreign.options().preprocessing is None
    assert form.foreign.options().classes == ()


def test_the_warnings_of_a_report_stand_above_its_figures(
    qtbot: QtBot, context: AppContext, workspace: Workspace, dataset: Record
) -> None:
    plan = EvaluationPlan(model_file="/models/net.h5", dataset=dataset.id)
    record = workspace.create(RecordKind.EVALUATION, "net", plan.to_json())
    store = Store.open(dataset.folder)
    rows = store.rows("test")
    made = leave_evaluation(
        record.folder,
        rows,
        np.full((len(rows), 2), 0.5),
        store.labels[rows],
        classes=CLASSES,
        subject=EvaluatedModel(
            model="net",
            model_file=plan.model_file,
            dataset=dataset.id,
            dataset_name="trees",
            dataset_version=0,
            split="test",
        ),
        warnings=(UNKNOWN_SCALE, DATASET_NAMES),
    )
    ending = [
        Artifact(name=REPORT, path="report.json"),
        Result(values={"accuracy": made.report.metrics["accuracy"], "count": made.report.count}),
        StateChanged(state=State.COMPLETED),
    ]
    append_events(record, [*began(), *ending])
    view = View(context)
    _window = show_in_window(qtbot, view)
    start_jobs(qtbot, context)
    qtbot.waitUntil(view.panel_of(ClassesPanel).isVisible, timeout=10_000)

    assert view.panel_of(ClassesPanel).warnings.isVisible()
    assert view.panel_of(ClassesPanel).warnings.text() == f"{UNKNOWN_SCALE}\n{DATASET_NAMES}"
