"""The export page with hand-written records: what it shows, and how it looks."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import pytest
from page_checks import show_in_window
from page_records import add_dataset, add_run, began, picture_folder, start_jobs
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QAbstractButton, QComboBox, QLineEdit, QMainWindow
from pytestqt.qtbot import QtBot

from helpers.runs import append_events
from studio.engine.datasets.recipe import DatasetRecipe
from studio.engine.exporting.certificate import (
    Certificate,
    DifferentPrediction,
    ExportedFile,
    result_of,
)
from studio.engine.exporting.formats import FORMATS, every_variant
from studio.engine.exporting.plan import ExportPlan, Tolerance
from studio.engine.jobs.events import Artifact, ProgressMade, Result, StateChanged
from studio.engine.jobs.states import State
from studio.engine.timing import RelativeLatency
from studio.engine.workspace import Record, RecordKind, Workspace
from studio.ui.context import AppContext
from studio.ui.navigation import OpenPage
from studio.ui.pages.export.form import FormatRow
from studio.ui.pages.export.page import COLUMNS_KEY, ExportsTable, View
from studio.ui.theme.theme import Theme

CERTIFICATE = Certificate(
    split="test",
    count=180,
    accuracy=0.9722,
    accuracy_change=-0.0056,
    largest_difference=0.031,
    disagreements=1,
    size_bytes=285_101,
    latency_ms=1.84,
    relative_latency=RelativeLatency(ratio=1, low=0.99, high=1.01, cpu_ratio=1),
    script_checked=True,
)
SMALL = CERTIFICATE.model_copy(
    update={
        "format": "tflite",
        "precision": "int8",
        "size_bytes": 74_800,
        "latency_ms": 0.46,
        "cpu_ms": 0.5,
        "relative_latency": RelativeLatency(ratio=0.25, low=0.24, high=0.26, cpu_ratio=0.3),
        "others_share": 0.4,
        "accuracy": 0.95,
        "accuracy_change": -0.022,
        "disagreeing": (
            DifferentPrediction(row=3, path="1/0731.png", truth="1", model="8", file="1"),
        ),
    }
).judged(Tolerance())
NUMBERS = CERTIFICATE.model_copy(
    update={
        "task": "regression",
        "accuracy": None,
        "metrics": {"mae": 0.123456, "rmse": 0.2, "r2": 0.9},
        "model_metrics": {"mae": 0.1, "rmse": 0.2, "r2": 0.9},
        "scale": 3.0,
    }
).judged(Tolerance())


@pytest.fixture
def run(workspace: Workspace, tmp_path: Path) -> Record:
    dataset = add_dataset(workspace, "colors", picture_folder(tmp_path / "src", {"a": 8, "b": 8}))
    made = add_run(workspace, "net", dataset.id, [0.9], State.COMPLETED)
    append_events(made, [Artifact(name="model", path="model.keras")])
    return made


def add_export(workspace: Workspace, name: str, run: Record, to: Path) -> Record:
    plan = ExportPlan(run=run.id, to=str(to))
    return workspace.create(RecordKind.EXPORT, name, plan.to_json())


def finish(record: Record, folder: Path, made: Certificate = CERTIFICATE) -> None:
    result = {"path": str(folder), "certificate": made.model_dump(mode="json")}
    ending = [Result(values=result), StateChanged(state=State.COMPLETED)]
    append_events(record, [*began(), *ending])


def open_page(qtbot: QtBot, context: AppContext) -> tuple[View, QMainWindow]:
    view = View(context)
    window = show_in_window(qtbot, view)
    start_jobs(qtbot, context)
    qtbot.waitUntil(lambda: context.jobs.is_loaded, timeout=5000)
    return view, window


def test_without_a_model_it_leads_to_training(qtbot: QtBot, context: AppContext) -> None:
    view, _ = open_page(qtbot, context)
    assert view.empty.isVisible()
    button = view.empty.findChildren(QAbstractButton)[0]
    with qtbot.waitSignal(context.navigator.open_requested) as requested:
        button.click()
    assert requested.args == [OpenPage("train")]


def test_the_folder_starts_in_the_workspace_and_is_remembered(
    qtbot: QtBot, context: AppContext, workspace: Workspace, run: Record, tmp_path: Path
) -> None:
    view, _ = open_page(qtbot, context)
    assert Path(view.form.folder.text()) == workspace.root / "exported"
    view.form.folder.setText("")
    assert not view.form.export_button.isEnabled()
    assert "folder" in view.form.export_button.toolTip()
    view.form.folder.setText(str(tmp_path / "elsewhere"))
    view.form.export_button.click()
    again = View(context)
    qtbot.addWidget(again)
    assert Path(again.form.folder.text()) == tmp_path / "elsewhere"
    qtbot.waitUntil(lambda: context.background.is_idle, timeout=5000)


def test_the_native_picker_fills_the_folder(
    qtbot: QtBot,
    context: AppContext,
    run: Record,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    view, _ = open_page(qtbot, context)
    monkeypatch.setattr(view.form, "_ask_folder", lambda: tmp_path)
    view.form.choose_button.click()
    assert Path(view.form.folder.text()) == tmp_path


def test_earlier_exports_show_their_certificates(
    qtbot: QtBot, context: AppContext, workspace: Workspace, run: Record, tmp_path: Path
) -> None:
    first = add_export(workspace, "net", run, tmp_path)
    finish(first, tmp_path / "net-keras")
    failed = add_export(workspace, "net-2", run, tmp_path)
    reason = StateChanged(state=State.FAILED, reason="The disk is full.", hint="Make room.")
    append_events(failed, [*began(), reason])
    view, _ = open_page(qtbot, context)
    assert view.detail.failure.text() == "The disk is full. Make room."
    assert not view.detail.open_button.isVisible()
    view.show_record(first.id)
    rows = view.detail.figures.facts
    assert rows["Accuracy"] == "97.2\N{NO-BREAK SPACE}% (180 images, test)"
    assert rows["Change of accuracy"] == "\N{MINUS SIGN}0.56 points"
    assert rows["Different predictions"] == "1"
    assert rows["Size of the model file"] == "285\N{NO-BREAK SPACE}kB"
    assert view.detail.path.text() == str(tmp_path / "net-keras")
    assert [row[0] for row in view.exports_table.texts()] == ["net-2 · Keras", "net · Keras"]
    assert "285" in view.form.formats.rows[0].figures.text()
    view.exports_table.selectRow(0)
    assert view.detail.failure.isVisible()
    before = view.exports_table.width()
    view.window().resize(1700, 900)
    qtbot.waitUntil(lambda: view.exports_table.width() > before)
    assert not context.settings.text(COLUMNS_KEY), "the user has not arranged the columns"


def test_numbers_have_their_own_metrics(
    qtbot: QtBot, context: AppContext, workspace: Workspace, run: Record, tmp_path: Path
) -> None:
    numbers = add_export(workspace, "numbers", run, tmp_path)
    finish(numbers, tmp_path / "numbers-keras", NUMBERS)
    view, _ = open_page(qtbot, context)
    assert _headings(view.exports_table)[1] == "MAE"
    assert view.exports_table.texts()[0][1:3] == ["0.123", "NOT CERTIFIED"]
    rows = view.detail.figures.facts
    assert rows["MAE"] == "0.123 (180 images, test)"
    assert rows["Change of MAE"] == "+0.0235"
    assert rows["Change of RMSE"] == "none"
    assert rows["Largest difference of an output"] == "0.031 standard deviations"
    # A twentieth of the standard deviation, 0.15, is more than the error of the model.
    expected = "Not certified. Its MAE is 15.6 % worse than the model's; the tolerance is 1 %."
    assert view.detail.verdict.text() == expected
    assert not [text for text in rows if "accuracy" in text.lower()]
    classes = add_export(workspace, "classes", run, tmp_path)
    finish(classes, tmp_path / "classes-keras")
    qtbot.waitUntil(lambda: len(view.exports_table.texts()) == 2, timeout=5000)
    qtbot.waitUntil(lambda: _headings(view.exports_table)[1] == "Main metric", timeout=5000)
    shown = sorted(row[1] for row in view.exports_table.texts())
    assert shown == ["Accuracy 97.2\N{NO-BREAK SPACE}%", "MAE 0.123"]


def test_long_figures_fit_a_small_window(
    qtbot: QtBot, context: AppContext, workspace: Workspace, run: Record, tmp_path: Path
) -> None:
    plan = ExportPlan(run=run.id, variants=["tflite:float16", "onnx:int8"])
    record = workspace.create(RecordKind.EXPORT, "long", plan.to_json())
    metrics = {"mae": 0.100368, "rmse": 0.2, "r2": 0.9}
    runtime = "a runtime whose name is long 12.34.56 (with a backend of its own 7.8.9)"
    changes = {"metrics": metrics, "runtime": runtime, "precision": "float16", "format": "tflite"}
    made = NUMBERS.model_copy(update=changes).judged(Tolerance())
    files = [
        ExportedFile(format=each, precision="float16", certificate=made)
        for each in ("tflite", "onnx")
    ]
    ending = [Result(values=result_of(files)), StateChanged(state=State.COMPLETED)]
    append_events(record, [*began(), *ending])
    view, _ = open_page(qtbot, context)
    assert view.detail.figures.facts
    column = view.detail.parentWidget()
    assert column is not None
    viewport = column.parentWidget()
    assert viewport is not None
    qtbot.waitUntil(lambda: view.detail.width() <= viewport.width(), timeout=5000)
    files_table = view.detail.files
    for index in range(files_table.content.columnCount() - 1):
        assert files_table.columnWidth(index) >= files_table.sizeHintForColumn(index), index


def test_the_tolerance_names_the_metric_of_the_run(
    qtbot: QtBot, context: AppContext, workspace: Workspace, run: Record, tmp_path: Path
) -> None:
    view, _ = open_page(qtbot, context)
    assert view.form.tolerance_label.text() == "Tolerance (accuracy)"
    assert view.form.tolerance.text() == "1.0 points"
    recipe = DatasetRecipe(source=str(tmp_path), task="regression")
    dataset = workspace.create(RecordKind.DATASET, "numbers", recipe.to_json())
    other = add_run(workspace, "numbers", dataset.id, [0.5])
    append_events(other, [Artifact(name="model", path="model.keras")])
    qtbot.waitUntil(lambda: context.jobs.get(RecordKind.RUN, other.id) is not None, timeout=5000)
    view.show_record(other.id)
    assert view.form.tolerance_label.text() == "Tolerance (MAE)"
    assert view.form.tolerance.text() == "1.0 %"


def test_files_of_a_detector_can_return_boxes(
    qtbot: QtBot, context: AppContext, workspace: Workspace, run: Record, tmp_path: Path
) -> None:
    view, _ = open_page(qtbot, context)
    form = view.form
    rows = {row.format.name: row for row in form.formats.rows}
    rows["savedmodel"].boxes["float32"].setChecked(True)
    assert form.decodes.isHidden()
    assert not form.decodes_note.text()
    recipe = DatasetRecipe(source=str(tmp_path), task="detection")
    dataset = workspace.create(RecordKind.DATASET, "boxes", recipe.to_json())
    detector = add_run(workspace, "boxes", dataset.id, [0.5])
    append_events(detector, [Artifact(name="model", path="model.keras")])
    qtbot.waitUntil(lambda: context.jobs.get(RecordKind.RUN, detector.id) is not None)

    view.show_record(detector.id)
    assert not form.decodes.isHidden()
    assert form.decodes.isEnabled()
    assert not form.decodes_note.text()
    rows["savedmodel"].boxes["float32"].setChecked(False)
    assert not form.decodes.isEnabled()
    assert (
        form.decodes_note.text() == "Only possible in the formats SavedModel, ONNX, BioImage.IO."
    )
    rows["savedmodel"].boxes["float32"].setChecked(True)
    form.decodes.setChecked(False)
    with qtbot.waitSignal(form.submitted) as ordered:
        form.measure_button.click()

    assert not ordered.args[0].decodes
    state = form.plan()
    form.decodes.setChecked(True)
    form.restore(state)
    assert not form.decodes.isChecked()
    qtbot.waitUntil(lambda: context.background.is_idle, timeout=5000)


def _headings(table: ExportsTable) -> list[str]:
    return [column.heading for column in table.content.columns]


def add_measured(workspace: Workspace, run: Record) -> Record:
    """Two formats that were measured only, one of them not certified."""
    names = ["keras:float32", "tflite:int8"]
    plan = ExportPlan(run=run.id, variants=names)
    record = workspace.create(RecordKind.EXPORT, "measured", plan.to_json())
    files = []
    for made in (CERTIFICATE, SMALL):
        folder = record.folder / "measured" / f"net-{made.format}"
        folder.mkdir(parents=True)
        (folder / "labels.json").write_text(made.format)
        files.append(
            ExportedFile(
                format=made.format, precision=made.precision, path=str(folder), certificate=made
            )
        )
    ending = [Result(values=result_of(files)), StateChanged(state=State.COMPLETED)]
    append_events(record, [*began(), *ending])
    return record


def test_several_formats_are_ordered_at_once(
    qtbot: QtBot, context: AppContext, run: Record
) -> None:
    view, _ = open_page(qtbot, context)
    rows = {row.format.name: row for row in view.form.formats.rows}
    assert view.form.formats.chosen() == ["keras:float32"]
    view.form.all_button.click()
    assert len(view.form.formats.chosen()) == len(every_variant(installed=True))
    view.form.all_button.click()
    assert not view.form.measure_button.isEnabled()
    assert "Check" in view.form.export_button.toolTip()
    rows["keras"].boxes["float32"].setChecked(True)
    rows["tflite"].boxes["int8"].setChecked(True)
    view.form.folder.setText("")
    view.form.tolerance.setValue(2.5)
    assert not view.form.export_button.isEnabled()
    with qtbot.waitSignal(view.form.submitted) as ordered:
        view.form.measure_button.click()
    plan = ordered.args[0]
    assert (plan.to, plan.variants) == ("", ["keras:float32", "tflite:int8"])
    assert plan.tolerance.points == 2.5
    qtbot.waitUntil(lambda: context.background.is_idle, timeout=5000)


def test_measured_formats_are_compared_and_kept(
    qtbot: QtBot, context: AppContext, workspace: Workspace, run: Record, tmp_path: Path
) -> None:
    add_measured(workspace, run)
    view, _ = open_page(qtbot, context)
    assert [row[1] for row in view.detail.files.texts()] == ["yes", "NO"]
    assert [row[1] for row in view.exports_table.texts()] == ["1 of 2 certified"]
    assert not view.detail.save_button.isEnabled()
    view.detail.files.selectRow(1)
    assert view.detail.verdict.text().startswith(
        "Not certified. Its accuracy is 2.20 points worse"
    )
    assert (
        "3.8 times smaller, 4.0 times faster, accuracy 2.22 points worse."
        in view.detail.comparison.text()
    )
    rows = view.detail.figures.facts
    assert rows["Against the Keras model"] == "4.0 times faster (3.8 to 4.2)"
    assert "Processor time for one image" in rows
    assert "Other programs used 40" in view.detail.load.text()
    assert "1/0731.png" in view.detail.disagreements.text()
    content = view.detail.files.content
    check = Qt.ItemDataRole.CheckStateRole
    assert content.setData(content.index(1, 0), Qt.CheckState.Checked, check)
    view.form.folder.setText("")
    view.detail.save_button.click()
    assert "full path" in view.detail.failure.text()
    view.form.folder.setText(str(tmp_path / "kept"))
    view.detail.save_button.click()
    stored = tmp_path / "kept" / "net-tflite" / "labels.json"
    qtbot.waitUntil(stored.is_file, timeout=5000)
    qtbot.waitUntil(lambda: not view.detail.failure.text(), timeout=5000)
    assert not (tmp_path / "kept" / "net-keras").exists()


def test_progress_is_shown_while_it_runs(
    qtbot: QtBot, context: AppContext, workspace: Workspace, run: Record, tmp_path: Path
) -> None:
    going = add_export(workspace, "net", run, tmp_path)
    append_events(going, [*began(), ProgressMade(done=1, total=3, what="Writing")])
    view, _ = open_page(qtbot, context)
    assert view.detail.job_row.isVisible()
    assert view.detail.job_row.bar.fraction() == pytest.approx(1 / 3)
    finish(going, tmp_path / "net-keras")
    qtbot.waitUntil(view.detail.open_button.isVisible, timeout=5000)
    assert not view.detail.job_row.isVisible()
    assert view.detail.badge.state == "completed"


def test_show_record_takes_runs_and_exports(
    qtbot: QtBot, context: AppContext, workspace: Workspace, run: Record, tmp_path: Path
) -> None:
    newer = add_run(workspace, "newer", _dataset_of(context, workspace), [0.5])
    append_events(newer, [Artifact(name="model", path="model.keras")])
    view = View(context)
    qtbot.addWidget(view)
    view.show_record(run.id)
    start_jobs(qtbot, context)
    choice = view.chooser.choice()
    assert choice is not None
    assert choice.id == run.id


def _dataset_of(context: AppContext, workspace: Workspace) -> str:
    return workspace.records(RecordKind.DATASET)[0].id


def test_a_deleted_folder_is_reported(
    qtbot: QtBot, context: AppContext, workspace: Workspace, run: Record, tmp_path: Path
) -> None:
    record = add_export(workspace, "net", run, tmp_path)
    finish(record, tmp_path / "gone")
    view, _ = open_page(qtbot, context)
    view.detail.open_button.click()
    qtbot.waitUntil(view.detail.failure.isVisible, timeout=5000)
    assert "no longer exists" in view.detail.failure.text()


def test_a_format_without_its_packages_says_how_to_get_them(qtbot: QtBot, theme: Theme) -> None:
    requested = dataclasses.replace(
        FORMATS["onnx"], packages=("no_such_module",), install="pip install no-such"
    )
    row = FormatRow(requested)
    qtbot.addWidget(row)
    row.choose([f"{row.format.name}:{each}" for each in row.boxes])
    assert row.chosen() == []
    for box in row.boxes.values():
        assert not box.isEnabled()
        assert "pip install no-such" in box.toolTip()


@pytest.mark.parametrize("filled", [False, True])
def test_it_fits_the_smallest_window_in_both_themes(
    qtbot: QtBot,
    context: AppContext,
    workspace: Workspace,
    run: Record,
    tmp_path: Path,
    filled: bool,
) -> None:
    if filled:
        record = add_export(workspace, "a name that is much too long for any table", run, tmp_path)
        finish(record, tmp_path / ("deep/" * 30))
    view, window = open_page(qtbot, context)
    for mode in ("light", "dark"):
        context.theme.mode = mode
        least = view.minimumSizeHint()
        assert least.width() <= 940
        assert least.height() <= 560
        shot = window.grab().toImage()
        assert shot.pixelColor(4, 4).name().upper() == context.theme.palette.ground
    controls = [
        *view.findChildren(QAbstractButton),
        *view.findChildren(QComboBox),
        *view.findChildren(QLineEdit),
    ]
    nameless = [
        control
        for control in controls
        if control.isVisible()
        and not control.accessibleName()
        and not (isinstance(control, QAbstractButton) and control.text())
    ]
    assert not nameless
