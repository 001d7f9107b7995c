"""Predictions in every format, timed as a job: what is wanted, kills, resumes, another try."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from helpers.command_line import Call, caller
from helpers.digits import Digits, copy_of, run_to_end
from helpers.waiting import wait_until
from studio.engine.assets import asset
from studio.engine.benchmarks.history import BenchmarkJob, LatencyChanged
from studio.engine.benchmarks.prediction import (
    LatencyFigures,
    LatencyKey,
    LatencyOutcome,
    LatencyResult,
    PredictPlan,
    as_fast_as,
    fastest,
    variants_of,
)
from studio.engine.benchmarks.requests import (
    latency_results,
    request_predictions,
    resume_benchmark,
)
from studio.engine.benchmarks.results import busiest_share
from studio.engine.compute.benchmarks import latency
from studio.engine.errors import StudioError
from studio.engine.exporting.formats import FORMATS
from studio.engine.jobs.devices import Device
from studio.engine.jobs.job import journal_reader
from studio.engine.jobs.queue import JobQueue
from studio.engine.jobs.states import State
from studio.engine.timing import RelativeLatency
from studio.engine.workspace import RecordKind

PLAN = PredictPlan.parse({"model": "run:lenet-1"})
CPU, GPU = Device("cpu"), Device("gpu:0")


def test_formats_and_precisions_are_combined_where_a_format_has_them() -> None:
    def names(**requested: str) -> list[str]:
        return [each.name for each in variants_of(PLAN.changed(**requested))[0]]

    assert names() == [
        *("keras:float32", "savedmodel:float32", "tflite:float32", "tflite:float16"),
        *("tflite:dynamic", "tflite:int8", "onnx:float32", "onnx:float16", "onnx:int8"),
        *("openvino:float32", "openvino:float16"),
        *(() if FORMATS["torch"].missing() else ("torch:float32",)),
    ]
    text = PredictPlan.model_fields["formats"].description or ""
    assert text.startswith(", ".join(each.name for each in FORMATS if each.is_model))
    assert names(formats="keras,tflite", precision="float32,int8") == [
        *("keras:float32", "tflite:float32", "tflite:int8")
    ]
    for wrong in ({"formats": "tflight"}, {"formats": "script"}, {"precision": "int7"}):
        with pytest.raises(StudioError):
            names(**wrong)
    with pytest.raises(StudioError, match="None of the formats"):
        names(formats="keras", precision="int8")


def test_missing_providers_are_named_with_their_packages() -> None:
    found, missing = latency.providers_of("onnx", (CPU,), ["CPUExecutionProvider"])
    assert found == ["cpu"]
    assert [each.what for each in missing] == [
        "CUDA in onnxruntime",
        "TensorRT in onnxruntime",
    ]
    assert "without CUDAExecutionProvider" in missing[0].reason
    assert "no NVIDIA GPU" in missing[0].reason
    assert "onnxruntime-gpu" in missing[0].install
    assert missing[1].install.endswith("tensorrt")

    with_cuda = ["CUDAExecutionProvider", "CPUExecutionProvider"]
    found, missing = latency.providers_of("onnx", (CPU, GPU), with_cuda)
    assert found == ["cpu", "cuda"]
    assert "NVIDIA" not in missing[0].reason
    assert latency.providers_of("savedmodel", (CPU, GPU), []) == (["cpu", "gpu"], [])
    assert latency.providers_of("tflite", (CPU, GPU), []) == (["cpu"], [])


def test_what_is_best_for_one_image_need_not_be_best_for_many() -> None:
    def speed(name: str, batch: int, seconds: float) -> LatencyResult:
        figures = LatencyFigures(
            calls=9,
            p50_seconds=seconds,
            p95_seconds=seconds,
            images_per_second=batch / seconds,
            load_seconds=1,
        )
        outcome = LatencyOutcome(state="measured", figures=figures)
        return LatencyResult.of(LatencyKey(name, "float32", "cpu", batch), outcome)

    slow = speed("keras", 1, 0.01)
    small, large = speed("tflite", 1, 0.001), speed("keras", 64, 0.01)
    assert fastest([slow, small, large]) == (small, large)
    assert fastest([large]) is None


def test_files_that_differ_within_the_noise_are_named_as_equal() -> None:
    def speed(
        name: str, seconds: float, ratio: float, share: float = 0.0, batch: int = 1
    ) -> LatencyResult:
        figures = LatencyFigures(
            calls=9,
            p50_seconds=seconds,
            p95_seconds=seconds,
            images_per_second=1 / seconds,
            load_seconds=1,
            relative_latency=RelativeLatency(ratio=ratio, low=0.9 * ratio, high=1.1 * ratio),
            others_share=share,
        )
        outcome = LatencyOutcome(state="measured", figures=figures)
        return LatencyResult.of(LatencyKey(name, "float32", "cpu", batch), outcome)

    # Other programs ran beside the first: by the clock it is slower than the last.
    quick, near = speed("tflite", 0.004, 0.2, 0.6), speed("onnx", 0.002, 0.22)
    slow, many = speed("keras", 0.003, 1.0), speed("onnx", 0.002, 0.2, batch=8)
    latencies = [slow, near, quick, many]
    found = fastest(latencies)
    assert found is not None
    assert found[0] == quick
    assert as_fast_as(quick, latencies) == [near]
    assert as_fast_as(slow, latencies) == []
    assert busiest_share(latencies) == 0.6
    assert busiest_share([]) == 0


def test_the_timing_process_ends_with_its_input_and_reports_its_failure(tmp_path: Path) -> None:
    (tmp_path / "runtime.py").write_text(
        "NAME = 'none'\ndef load(path):\n    raise MemoryError('out of memory')\n"
    )
    words = [sys.executable, "-I", "-B", str(asset("export/measure.py")), str(tmp_path)]
    words += ["m", "cpu"]
    pipe = subprocess.PIPE
    with subprocess.Popen(words, stdin=pipe, stderr=pipe) as process:
        assert process.stderr is not None
        assert b"out of memory" in process.stderr.read()
    assert process.returncode == 1

    (tmp_path / "runtime.py").write_text(
        "import threading\nNAME = 'none'\ndef load(path):\n    threading.Event().wait()\n"
    )
    with subprocess.Popen(words, stdin=pipe) as process:
        process.communicate(timeout=60)
    assert process.returncode == 1


def over(job: BenchmarkJob) -> list[str]:
    """The places that the journal says are over, as often as it does."""
    events = journal_reader(job.record).read()
    return [
        e.latency.key.id for e in events if isinstance(e, LatencyChanged) and e.latency.is_over
    ]


def test_predictions_of_an_exported_file_are_timed(
    digits: Digits, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    own = copy_of(digits, tmp_path / "own", with_run=True)
    words = ["--formats", "keras", "--precision", "float32", "--batch-sizes", "1", "--images", "4"]
    assert caller(capsys, own.workspace.root)("bench", "predict", "lenet", *words).code == 0
    (record,) = own.workspace.records(RecordKind.PREDICTIONS)
    job = BenchmarkJob(record)
    job.refresh()
    (result,) = job.history.latencies.values()
    assert result.outcome.state == "measured"
    figures = result.outcome.figures
    assert figures is not None
    assert figures.images_per_second > 0


@pytest.mark.thorough
def test_predictions_are_timed_killed_resumed_and_shown(
    digits: Digits, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    own = copy_of(digits, tmp_path / "own", with_run=True)
    queue, call = JobQueue(own.workspace), caller(capsys, own.workspace.root)
    with pytest.raises(StudioError, match="cannot be timed"):
        request_predictions(
            queue, PLAN.changed(model=f"run:{own.run.record.id}", formats="tflight"), "wrong"
        )
    words = ["--formats", "keras,tflite,onnx", "--precision", "float32", "--batch-sizes", "1,4"]
    words += ["--images", "16", "--seconds", "2", "--name", "fast ü"]
    call("bench", "predict", "lenet", *words, "--detach", "--json")
    job = BenchmarkJob(own.workspace.find(RecordKind.PREDICTIONS, "fast ü"))

    def one_is_over() -> bool:
        queue.dispatch()
        job.refresh()
        return any(speed.is_over for speed in job.history.latencies.values())

    wait_until(one_is_over, "the first is measured")
    assert len(job.history.latencies) == 6
    started = job.history.started
    assert started is not None
    os.kill(started.pid, signal.SIGKILL)
    assert run_to_end(queue, job).history.state == State.LOST
    before = over(job)
    assert all(speed.outcome.state != "running" for speed in latency_results(job.history))

    resume_benchmark(queue, job)
    job = run_to_end(queue, BenchmarkJob(job.record))

    assert job.history.state == State.COMPLETED, job.history.reason
    assert over(job)[: len(before)] == before
    assert sorted(over(job)) == sorted(job.history.latencies)  # each once
    measured_well(job)
    shown(call, tmp_path / "out")
    tried_again(call, queue, job)


def measured_well(job: BenchmarkJob) -> None:
    """Whether the figures of the study can be true."""
    for speed in job.history.latencies.values():
        figures = speed.outcome.figures
        assert figures is not None, speed.outcome
        assert 10 <= figures.calls <= 16
        assert 0 < figures.p50_seconds <= figures.p95_seconds
        assert figures.relative_latency is not None
        assert figures.cpu_seconds is not None
        assert figures.others_share is not None
        assert speed.format.removeprefix("tf") in figures.runtime + " lite"
        assert figures.size_bytes > 10_000


def shown(call: Call, out: Path) -> None:
    """What the command line says of the study."""
    document = call("bench", "show", "fast ü", "--to", out, "--json").document
    assert document["network"] == "lenet"
    assert [each["what"] for each in document["missing"]][:1] == ["CUDA in onnxruntime"]
    lines = (out / "predictions.csv").read_text().splitlines()
    assert lines[0].startswith("network,format,precision,provider,batch,state,calls,p50_seconds")
    assert [line.split(",")[:6] for line in lines[1:3]] == [
        ["lenet", "keras", "float32", "cpu", "1", "measured"],
        ["lenet", "keras", "float32", "cpu", "4", "measured"],
    ]
    text = call("bench", "show", "fast ü").out
    assert "Fastest for one image" in text
    assert "pip install 'onnxruntime-gpu" in text
    assert "nothing left to measure" in call("bench", "resume", "fast ü").mistake


def tried_again(call: Call, queue: JobQueue, job: BenchmarkJob) -> None:
    """What failed is measured again when that is asked for, and nothing else."""
    failed = LatencyKey("tflite", "float32", "cpu", 4)
    wrong = LatencyOutcome(state="failed", reason="It was disturbed.")
    with queue.changing(job):
        job.append(LatencyChanged(latency=LatencyResult.of(failed, wrong)))
    assert "--retry-failed" in call("bench", "resume", "fast ü").mistake
    again = call("bench", "resume", "fast ü", "--retry-failed", "--json").document
    assert [each["state"] for each in again["cells"]] == ["measured"] * 6
    assert over(job).count(failed.id) == 3
