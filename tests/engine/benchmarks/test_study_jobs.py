"""Studies as jobs: cells in processes of their own, whatever becomes of those; kills, resumes."""

from __future__ import annotations

import math
import os
import signal
import subprocess
import sys
from collections import Counter
from pathlib import Path

import psutil
import pytest
from PIL import Image

from helpers.command_line import Call, caller
from helpers.digits import do_here, go_on_here, run_to_end
from helpers.waiting import wait_until
from studio.engine.benchmarks.history import BenchmarkHistory, BenchmarkJob, CellChanged
from studio.engine.benchmarks.plan import StudyPlan, cell_keys
from studio.engine.benchmarks.requests import cells_of_job, request_benchmark, resume_benchmark
from studio.engine.benchmarks.results import CellFigures, CellOutcome, outcome_file
from studio.engine.compute.benchmarks import child
from studio.engine.compute.benchmarks.child import cell_data
from studio.engine.datasets.importer import import_dataset
from studio.engine.datasets.recipe import DatasetRecipe
from studio.engine.errors import StudioError
from studio.engine.jobs import control
from studio.engine.jobs.events import GpuSample
from studio.engine.jobs.job import journal_reader
from studio.engine.jobs.machine import GpuMeter
from studio.engine.jobs.queue import JobQueue
from studio.engine.jobs.states import State
from studio.engine.progress import SilentProgress
from studio.engine.worker import study
from studio.engine.workspace import RecordKind, Workspace

TINY = StudyPlan.parse(
    {"networks": "mlp", "batch_sizes": "1,2", "images": 8, "epochs": 1, "size": 8, "classes": 10}
)
FIGURES = CellFigures(
    steps=8, step_seconds=0.5, median_step_seconds=0.5, warm_up_seconds=1, epoch_losses=(None,)
)
# What cells may come to, by the size of their batches.
CELL = """
import os, signal, sys
from pathlib import Path
folder, batch, outcome = sys.argv[1:]
if batch == "1":
    Path(folder).parent.mkdir(exist_ok=True)
    Path(folder).write_text(outcome)
elif batch == "2":
    os.kill(os.getpid(), signal.SIGKILL)
elif batch == "4":
    sys.exit(3)
else:
    sys.stdin.read()
"""


def measured_cells(job: BenchmarkJob) -> Counter[int]:
    """How often the journal says of each cell that it is over."""
    events = journal_reader(job.record).read()
    return Counter(
        event.cell.number
        for event in events
        if isinstance(event, CellChanged) and event.cell.outcome.state != "running"
    )


def test_the_study_continues_after_any_result_of_a_cell(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    started: list[int] = []

    def launch(folder: Path, number: int, device: str) -> subprocess.Popen[bytes]:
        started.append(number)
        assert device == "cpu"
        batch = str(plan.batch_sizes[number // 2])
        text = CellOutcome(state="measured", figures=FIGURES).model_dump_json()
        path = outcome_file(folder, number)
        return subprocess.Popen(
            [sys.executable, "-c", CELL, str(path), batch, text], stdin=subprocess.PIPE
        )

    monkeypatch.setattr(study, "launch_cell", launch)
    monkeypatch.setattr(study, "GRACE_SECONDS", 3.0)
    plan = TINY.changed(
        batch_sizes=(1, 2, 4, 8), devices=("cpu", "gpu:63"), cell_minutes=0.001, minutes=1e-9
    )

    job = do_here(workspace, plan, "all").with_history(BenchmarkHistory)
    assert job.history.state == State.PAUSED  # its time was over at once
    assert started == []
    assert "Resume the benchmark" in job.history.notes[-1].message

    (job.record.folder / "plan.json").write_text(plan.changed(minutes=None).to_json())
    job = go_on_here(workspace, job)

    assert job.history.state == State.COMPLETED
    cells = cells_of_job(job)
    assert [cell.outcome.state for cell in cells if cell.device == "cpu"] == [
        "measured",
        "no_memory",
        "failed",
        "timed_out",
    ]
    assert cells[0].outcome.figures == FIGURES
    assert cells[0].image_seconds == 0.5
    assert "out of memory" in cells[2].outcome.reason
    assert "exit code 3" in cells[4].outcome.reason
    assert {c.outcome.reason for c in cells[1::2]} == {"This machine has no gpu:63."}
    assert job.history.result["states"] == {
        "measured": 1,
        "no_memory": 1,
        "failed": 5,
        "timed_out": 1,
    }
    assert started == [0, 2, 4, 6]

    queue = JobQueue(workspace)
    with pytest.raises(StudioError, match="nothing left to measure") as reported:
        resume_benchmark(queue, job)
    assert "7 cells failed" in str(reported.value)
    resume_benchmark(queue, job, retry_failed=True)
    job.refresh()
    states = Counter(cell.outcome.state for cell in cells_of_job(job))
    assert (job.history.state, states) == (State.QUEUED, {"measured": 1, "waiting": 7})


def test_a_study_that_is_stopped_ends_its_cell_and_measures_it_again(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    processes: list[subprocess.Popen[bytes]] = []

    def launch(folder: Path, number: int, device: str) -> subprocess.Popen[bytes]:
        code = "import sys; sys.stdin.read()"
        processes.append(subprocess.Popen([sys.executable, "-c", code], stdin=subprocess.PIPE))
        return processes[-1]

    monkeypatch.setattr(study, "launch_cell", launch)
    job = do_here(
        workspace,
        TINY,
        "stopped",
        lambda history: isinstance(history, BenchmarkHistory) and 0 in history.cells,
    ).with_history(BenchmarkHistory)

    assert job.history.state == State.STOPPED
    assert [process.returncode for process in processes] == [-signal.SIGKILL]
    assert job.history.reason == "It was stopped."
    assert [cell.outcome.state for cell in cells_of_job(job)] == ["waiting", "waiting"]
    assert measured_cells(job) == {}


class ResourceExhaustedError(Exception):
    """As TensorFlow's is called."""


@pytest.mark.parametrize(
    ("error", "state", "said"),
    [
        (ResourceExhaustedError("OOM when allocating tensor"), "no_memory", "Batches of 1 do not"),
        (MemoryError(), "no_memory", "Batches of 1 do not fit into memory"),
        (RuntimeError("XLA: RESOURCE_EXHAUSTED: more"), "no_memory", "Batches of 1 do not"),
        (StudioError("JAX is not installed.", "Install it."), "failed", "Install it"),
        (ValueError("shapes\ndiffer"), "failed", "ValueError: shapes"),
    ],
)
def test_a_cell_that_fails_says_how(
    workspace: Workspace,
    monkeypatch: pytest.MonkeyPatch,
    error: Exception,
    state: str,
    said: str,
) -> None:
    def fails(*_: object) -> CellFigures:
        raise error

    monkeypatch.setattr(child, "measure", fails)
    outcome = child.outcome_of(workspace, workspace.root, TINY, 0, 0.0)

    assert outcome.state == state
    assert said in outcome.reason


def test_a_cell_whose_time_is_over_keeps_the_steps_it_did(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    given: list[CellFigures | None] = [FIGURES.model_copy(update={"steps": 3}), None]
    monkeypatch.setattr(child, "measure", lambda *_: given.pop(0))

    some = child.outcome_of(workspace, workspace.root, TINY, 0, 0.0)
    none = child.outcome_of(workspace, workspace.root, TINY, 0, 0.0)

    assert (some.state, some.reason) == ("measured", "Its time limit ended after 3 of 8 steps.")
    assert none.state == "timed_out"


def test_a_cell_learns_from_a_dataset_shuffled_and_again(
    workspace: Workspace, tmp_path: Path
) -> None:
    for name, gray in (("dark", 20), ("light", 220)):
        (tmp_path / "src" / name).mkdir(parents=True)
        for at in range(6):
            Image.new("L", (8, 8), gray + at).save(tmp_path / "src" / name / f"{at}.png")
    recipe = DatasetRecipe.parse(
        {"source": str(tmp_path / "src"), "width": 8, "height": 8, "color": "gray"}
    )
    record = workspace.create(RecordKind.DATASET, "grays", recipe.to_json())
    import_dataset(recipe, record.folder, SilentProgress())
    plan = TINY.changed(dataset=record.id, images=40)

    data = cell_data(workspace, plan, cell_keys(plan)[0])
    noise = cell_data(workspace, TINY, cell_keys(TINY)[0])

    assert data.images.shape == (40, 8, 8, 1)
    assert data.classes == 2
    is_light = data.images[:, 0, 0, 0] > 127
    assert [int(label) for label in data.targets] == is_light.astype(int).tolist()
    assert 0 < sum(data.targets[:8]) < 8  # both classes are in the first batch
    assert noise.images.shape == (8, 8, 8, 1)
    assert not noise.targets.any()
    assert noise.classes == 10


class FakeMeter(GpuMeter):
    """A driver whose GPU draws more power from look to look, and once does not tell it."""

    def __init__(self) -> None:
        self.powers = [100.0, math.nan, 200.0]

    def sample(self) -> tuple[GpuSample, ...]:
        if not self.powers:
            return ()
        first = GpuSample(name="first", utilization=50.0, power=self.powers.pop(0))
        return first, GpuSample(name="other", utilization=0.0, power=900.0)


def test_the_gauge_reports_mean_and_peak_of_the_first_gpu(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(child, "POLL_SECONDS", 0.001)
    meter = FakeMeter()
    with child.GpuGauge(on=True, meter=meter) as on:
        wait_until(lambda: not meter.powers, "all looks were taken")
    with child.GpuGauge(on=False, meter=FakeMeter()) as off:
        pass

    assert (on.utilization, on.power, on.peak_power) == (50, 150, 200)
    assert (off.utilization, off.power, off.peak_power) == (None, None, None)


@pytest.mark.thorough
def test_a_study_is_killed_resumed_shown_and_advises(
    workspace: Workspace, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    queue = JobQueue(workspace)
    with pytest.raises(StudioError, match="lenett"):
        request_benchmark(queue, TINY.changed(networks="lenett"), "wrong")
    call = caller(capsys, workspace.root)
    words = ["--networks", "mlp", "--batch-sizes", "1,2", "--images", "8", "--epochs", "2"]
    words += ["--size", "8", "--classes", "10", "--precision", "mixed_bfloat16", "--detach"]
    assert (
        call("bench", "train", *words, "--name", "tiny ü", "--json").document["name"] == "tiny ü"
    )
    job = BenchmarkJob(workspace.find(RecordKind.BENCHMARK, "tiny ü"))

    def second_runs() -> bool:
        queue.dispatch()
        job.refresh()
        return 1 in job.history.cells

    wait_until(second_runs, "the second cell runs", 120)
    assert job.history.cells[0].outcome.state == "measured", job.history.cells[0].outcome
    started = job.history.started
    assert started is not None
    worker = psutil.Process(started.pid)
    children = worker.children()
    os.kill(started.pid, signal.SIGKILL)
    assert run_to_end(queue, job).history.state == State.LOST
    wait_until(lambda: not any(_lives(each) for each in children), "its cell ends with it", 60)

    control.resume(queue, job)
    job = run_to_end(queue, BenchmarkJob(job.record))

    assert job.history.state == State.COMPLETED, job.history.reason
    assert measured_cells(job) == {0: 1, 1: 1}
    assert measured_well(job)
    shown_and_advised(caller(capsys, workspace.root), tmp_path / "out")


def measured_well(job: BenchmarkJob) -> bool:
    """Whether the figures of the tiny study can be true."""
    first, second = (cell.outcome.figures for cell in cells_of_job(job))
    assert first is not None
    assert second is not None
    assert (first.steps, second.steps) == (16, 8)
    assert first.process_bytes is not None
    assert first.process_bytes > 50 * 2**20
    losses = [loss for loss in first.epoch_losses if loss is not None]
    assert len(losses) == 2
    return losses[1] < losses[0]  # one class is soon learned


def shown_and_advised(call: Call, out: Path) -> None:
    """What the command line says of the tiny study."""
    document = call("bench", "show", "tiny ü", "--to", out, "--json").document
    assert document["counts"] == {"measured": 2}
    assert len((out / "steps.csv").read_text().splitlines()) == 1 + 16 + 8
    beside = call("bench", "show", "tiny ü", "--beside", out / "averages.csv", "--json").document
    latencies = [each["seconds_per_image"] for each in beside["beside"]]
    assert latencies == pytest.approx([each["seconds_per_image"] for each in beside["cells"]])
    assert "averages" in call("bench", "show", "tiny ü", "--beside", out / "averages.csv").out
    advice = call("bench", "advise", "mlp", "--json").document
    assert (advice["device"], advice["precision"]) == ("cpu", "mixed_bfloat16")
    assert "bench train --networks vgg16" in call("bench", "advise", "vgg16").mistake
    (listed,) = call("bench", "list", "--json").document
    assert (listed["cells"], listed["over"]) == (2, 2)
    assert "already completed" in call("bench", "stop", "tiny ü").mistake


def _lives(process: psutil.Process) -> bool:
    try:
        return bool(process.is_running() and process.status() != psutil.STATUS_ZOMBIE)
    except psutil.NoSuchProcess:
        return False
