"""The page of benchmarks with hand-written studies: live, afterwards, and a new one."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from page_checks import (
    cut_buttons,
    fits_smallest_window,
    lightness,
    nameless_controls,
    show_in_window,
    styles,
    unexplained_buttons,
)
from page_records import began, start_jobs
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFileDialog, QMainWindow
from pytestqt.qtbot import QtBot

from helpers.runs import append_events
from helpers.workers import NEVER_STARTS, LaunchScripts
from studio.engine.benchmarks.history import CellChanged, LatencyChanged
from studio.engine.benchmarks.operations import (
    OperationsPlan,
    OperationsReport,
    OperationTimes,
    Timing,
)
from studio.engine.benchmarks.plan import StudyPlan, cell_keys
from studio.engine.benchmarks.prediction import (
    LatencyFigures,
    LatencyKey,
    LatencyOutcome,
    LatencyResult,
    Missing,
    PredictPlan,
    missing_json,
)
from studio.engine.benchmarks.results import Cell, CellFigures, CellOutcome
from studio.engine.jobs.events import Result, StateChanged
from studio.engine.jobs.liveness import holding
from studio.engine.jobs.states import State
from studio.engine.jobs.types import read_plan
from studio.engine.messages import message
from studio.engine.workspace import Record, RecordKind, Workspace
from studio.ui.context import AppContext
from studio.ui.pages.bench.page import View
from studio.ui.theme.theme import Theme

PLAN = StudyPlan(networks=("lenet",), devices=("cpu", "gpu:0"), batch_sizes=(1, 8))

TIP = Qt.ItemDataRole.ToolTipRole


def measured(number: int, step_seconds: float) -> CellChanged:
    figures = CellFigures(
        steps=4,
        step_seconds=step_seconds,
        median_step_seconds=step_seconds,
        warm_up_seconds=1,
        epoch_losses=(2.0, 0.5),
        process_bytes=3 * 10**8,
        utilization=71.0,
        power=120.0,
    )
    return ended(number, CellOutcome(state="measured", figures=figures))


def ended(number: int, outcome: CellOutcome) -> CellChanged:
    return CellChanged(cell=Cell.of(number, cell_keys(PLAN)[number], outcome))


@pytest.fixture
def study(workspace: Workspace) -> Iterator[Record]:
    """On the CPU 0.1 s and 0.4 s of a step, on the GPU 0.05 s with batches of 1; it continues."""
    record = workspace.create(RecordKind.BENCHMARK, "mine", PLAN.to_json())
    append_events(record, [*began(), measured(0, 0.1), measured(1, 0.05), measured(2, 0.4)])
    with holding(record.folder):  # otherwise its worker is found to be dead
        yield record


def open_page(qtbot: QtBot, context: AppContext) -> tuple[View, QMainWindow]:
    view = View(context)
    window = show_in_window(qtbot, view)
    start_jobs(qtbot, context)
    qtbot.waitUntil(lambda: context.jobs.is_loaded, timeout=5000)
    return view, window


def check_contract(view: View, theme: Theme) -> None:
    assert nameless_controls(view) == []
    assert unexplained_buttons(view) == []
    assert cut_buttons(view) == []
    assert fits_smallest_window(view)
    images = styles(view, theme)
    assert lightness(images["dark"]) < lightness(images["light"]) - 0.3


def test_a_study_fills_in_live(
    qtbot: QtBot,
    context: AppContext,
    theme: Theme,
    study: Record,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    view, _window = open_page(qtbot, context)
    panel = view.panel
    assert panel.isVisible()
    rows = panel.table.texts()
    assert [row[5] for row in rows] == ["Measured", "Measured", "Measured", "Waiting"]
    assert rows[1] == [
        *("lenet", "gpu:0", "tensorflow", "float32", "1", "Measured"),
        *("50.00", "20.00", "2.00×", "300\N{NO-BREAK SPACE}MB"),
        *("71\N{NO-BREAK SPACE}%", "120 W"),
    ]
    assert "3 of 4 cells" in panel.header._subtitle.text()
    assert "gpu:0 with tensorflow, float32 and batches of 1" in panel.advice.text()
    assert panel.stop_button.isVisible()
    assert not panel.resume_button.isVisible()

    append_events(study, [ended(3, CellOutcome(state="no_memory", reason="It is too large."))])

    qtbot.waitUntil(lambda: panel.table.texts()[3][5] == "Out of memory", timeout=10_000)
    assert panel.table.content.index(3, 0).data(TIP) == "It is too large."
    x, y = panel.time_chart.curve_data("cpu")
    assert list(x) == [1, 8]
    assert list(y) == pytest.approx([100, 50])
    x, y = panel.gain.curve_data("gpu:0")
    assert list(x) == [1]
    assert list(y) == pytest.approx([2])
    assert list(panel.loss.curve_data("cpu, 1")[1]) == [2.0, 0.5]
    check_contract(view, theme)
    for tab in range(1, panel.tabs.count()):
        panel.tabs.setCurrentIndex(tab)
        assert nameless_controls(view) == []

    table = tmp_path / "server.csv"
    table.write_text("network,mode,batch,avg_time\nlenet,gpu,8,0.04\nlenet,gpu,1,0.01\n")
    monkeypatch.setattr(QFileDialog, "getOpenFileName", lambda *_: (str(table), ""))
    panel.compare_button.click()
    qtbot.waitUntil(lambda: panel.tabs.currentWidget() is panel.time_chart, timeout=10_000)
    x, y = panel.time_chart.curve_data("server: lenet gpu")
    assert list(x) == [1, 8]
    assert list(y) == pytest.approx([10, 5])
    table.write_text("no table")
    with qtbot.waitSignal(context.navigator.notice_requested) as text:
        panel.compare_button.click()
    assert "not a table of a benchmark" in text.args[0].text

    append_events(study, [StateChanged(state=State.LOST, reason="It was killed.")])
    qtbot.waitUntil(panel.resume_button.isVisible, timeout=10_000)
    assert "It was killed." in panel.header._subtitle.text()


def test_a_new_study_is_made_from_its_plan(
    qtbot: QtBot,
    context: AppContext,
    theme: Theme,
    workspace: Workspace,
    launch_scripts: LaunchScripts,
) -> None:
    launch_scripts(NEVER_STARTS)
    view, _window = open_page(qtbot, context)
    assert view.empty.isVisible()
    check_contract(view, theme)
    view.empty_button.click()
    form = view.new_study.trainings
    assert form.isVisible()
    assert form.name.text() == "benchmark"
    check_contract(view, theme)

    form.form.set_values({"networks": "lenett", "devices": "cpu", "batch_sizes": "1,2"})
    form.start_button.click()
    qtbot.waitUntil(lambda: "lenett" in form.form.row("networks").hint.text(), timeout=20_000)
    assert workspace.records(RecordKind.BENCHMARK) == []

    form.form.set_values({"networks": "lenet"})
    form.start_button.click()
    qtbot.waitUntil(view.panel.isVisible, timeout=20_000)
    (record,) = workspace.records(RecordKind.BENCHMARK)
    plan = read_plan(record)
    assert isinstance(plan, StudyPlan)
    assert (plan.networks, plan.devices, plan.batch_sizes) == (("lenet",), ("cpu",), (1, 2))
    assert [row[4] for row in view.panel.table.texts()] == ["1", "2"]


def latencies() -> list[LatencyChanged]:
    """Single images and batches of 8; the second of Keras does not fit."""
    figures = LatencyFigures(
        calls=10,
        p50_seconds=0.002,
        p95_seconds=0.004,
        images_per_second=400,
        load_seconds=1.5,
        peak_bytes=10**8,
        cpu_seconds=0.003,
        others_share=0.3,
        size_bytes=10**6,
        runtime="some runtime 1.0",
    )
    measured = LatencyOutcome(state="measured", figures=figures)
    full = LatencyOutcome(state="no_memory", reason="It does not fit into memory.")
    fast = figures.model_copy(update={"p50_seconds": 0.004, "images_per_second": 2000})
    return [
        LatencyChanged(
            latency=LatencyResult.of(LatencyKey("keras", "float32", "cpu", 1), measured)
        ),
        LatencyChanged(latency=LatencyResult.of(LatencyKey("keras", "float32", "cpu", 8), full)),
        LatencyChanged(latency=LatencyResult.of(LatencyKey("onnx", "int8", "cuda", 1), measured)),
        LatencyChanged(
            latency=LatencyResult.of(
                LatencyKey("onnx", "int8", "cuda", 8),
                LatencyOutcome(state="measured", figures=fast),
            )
        ),
    ]


def test_predictions_and_operations_are_shown_and_failed_ones_tried_again(
    qtbot: QtBot,
    context: AppContext,
    theme: Theme,
    workspace: Workspace,
    launch_scripts: LaunchScripts,
) -> None:
    launch_scripts(NEVER_STARTS)
    timed = OperationTimes(
        operation="convolution",
        size=16,
        work=1000,
        bytes_in=1,
        bytes_out=1,
        tolerance=0.1,
        timings=(
            Timing(way="loops", reason="It would take about 9 s."),
            Timing(way="numpy", seconds=0.002, flops=2e9, speed_up=1, agrees=True),
        ),
    )
    older = workspace.create(RecordKind.OPERATIONS, "ops", OperationsPlan().to_json())
    OperationsReport(
        backend="tensorflow", devices={"cpu": "CPU"}, operations=(timed,), others_share=0.4
    ).write(older.folder)
    append_events(older, [*began(), StateChanged(state=State.COMPLETED)])
    plan = PredictPlan(model="run:lenet-1", batch_sizes=(1, 8))
    record = workspace.create(RecordKind.PREDICTIONS, "fast", plan.to_json())
    reason = message("{packages} is not installed", packages="torch")
    missing = {"missing": missing_json([Missing("PyTorch (.pt2)", reason, "pip install it")])}
    done = [Result(values=missing), StateChanged(state=State.COMPLETED)]
    append_events(record, [*began(), *latencies(), *done])
    view, _window = open_page(qtbot, context)
    view.show_record(record.id)

    panel = view.prediction_panel
    assert panel.isVisible()
    table = panel.table
    assert [row[0] for row in table.texts()] == ["keras float32", "onnx int8, cuda"]
    assert table.texts()[0][1] == "2.00 ms\n400/s"
    assert table.texts()[0][2] == "Out of memory"
    summary = ("some runtime 1.0", "CPU time per batch: 3.00 ms")
    assert all(line in table.content.index(1, 1).data(TIP) for line in summary)
    assert "keras float32, 2.00 ms" in panel.fastest.text()
    assert "000 images per second with onnx int8, cuda, batch size 8" in panel.fastest.text()
    assert "Other programs used up to 30" in panel.fastest.text()
    assert panel.missing.text() == (
        "Without PyTorch (.pt2): torch is not installed. pip install it"
    )
    x, y = panel.latency.curve_data("onnx int8, cuda")
    assert [*x, *y] == pytest.approx([1, 8, 2, 4])
    assert list(panel.throughput.curve_data("onnx int8, cuda")[1]) == [400, 2000]
    check_contract(view, theme)

    view.show_record(older.id)
    operations = view.operations_panel
    qtbot.waitUntil(lambda: "up to 40" in operations.load.text(), timeout=10_000)
    assert operations.table.texts()[1] == [
        *("convolution", "16", "numpy", "2.00 ms", "1.00×", "2.00", "–", "–", "Matches")
    ]
    check_contract(view, theme)

    view.show_record(record.id)
    panel.retry_button.click()
    qtbot.waitUntil(lambda: table.texts()[0][2] == "Waiting", timeout=10_000)
    assert table.texts()[0][1] == "2.00 ms\n400/s"


def test_predictions_and_operations_are_asked_for(
    qtbot: QtBot,
    context: AppContext,
    theme: Theme,
    workspace: Workspace,
    launch_scripts: LaunchScripts,
) -> None:
    launch_scripts(NEVER_STARTS)
    view, _window = open_page(qtbot, context)
    view.empty_button.click()
    orders = view.new_study
    assert orders.predictions.start_button.toolTip() == "Train a network first."
    assert not orders.predictions.start_button.isEnabled()
    assert orders.trainings.dataset.count() == 1  # noise
    for tab in range(orders.tabs.count()):
        orders.tabs.setCurrentIndex(tab)
        check_contract(view, theme)

    orders.operations.form.set_values({"sizes": "8,16"})
    orders.operations.start_button.click()
    qtbot.waitUntil(
        lambda: view.operations_panel.header._title.text() == "operations", timeout=20_000
    )
    (record,) = workspace.records(RecordKind.OPERATIONS)
    plan = read_plan(record)
    assert isinstance(plan, OperationsPlan)
    assert plan.sizes == (8, 16)
