"""Times one exported file in a fresh process, and finds what onnxruntime can compute on."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np

from studio.engine.benchmarks.paces import PaceFigures, PaceOutcome, WrittenFile
from studio.engine.benchmarks.prediction import (
    CPU,
    CUDA,
    GPU,
    TENSORRT,
    Missing,
    Place,
    PredictPlan,
)
from studio.engine.benchmarks.results import KILLED, KILLED_REASON
from studio.engine.compute.latency_reference import LatencyReference
from studio.engine.compute.measuring_process import (
    MeasuringProcess,
    NoAnswerError,
    ProcessEndedError,
)
from studio.engine.exporting.formats import FORMATS
from studio.engine.jobs.context import JobContext
from studio.engine.jobs.devices import Device, environment_for, gpu_name
from studio.engine.paired_timing import (
    PAIRS,
    Block,
    Turns,
    cpu_ms,
    in_turns,
    relative_latency,
)
from studio.engine.processor_load import ProcessorLoad
from studio.engine.training.backends import installed_backend

LEAST_CALLS, LAST_CALLS = 10, 3
"""Batches at least, and at least where the time of a cell is over."""
GRACE_SECONDS = 300.0
"""For importing, loading and warming up: TensorRT alone takes a minute for a large network."""

_FULL = re.compile(
    r"memoryerror|out of memory|resource.?exhausted|failed to allocate|bad_alloc|\boom\b",
    re.IGNORECASE,
)
_ASK = "import json, onnxruntime; print(json.dumps(onnxruntime.get_available_providers()))"
_WORDS = {
    CUDA: ("CUDAExecutionProvider", "pip install 'onnxruntime-gpu[cuda,cudnn]'"),
    TENSORRT: (
        "TensorrtExecutionProvider",
        "pip install 'onnxruntime-gpu[cuda,cudnn]' tensorrt",
    ),
}


def onnx_providers() -> list[str]:
    """The providers that the installed onnxruntime was built with, by its own names.

    Raises:
        RuntimeError: It cannot be imported.
    """
    done = subprocess.run(
        [sys.executable, "-I", "-c", _ASK], capture_output=True, text=True, check=False
    )
    if done.returncode:
        raise RuntimeError(f"onnxruntime cannot be imported: {done.stderr.strip()}")
    found: list[str] = json.loads(done.stdout.splitlines()[-1])
    return found


def providers_of(
    format_name: str, devices: Sequence[Device], built_in: Sequence[str]
) -> tuple[list[str], list[Missing]]:
    """What a format can be computed on here, and what of onnxruntime's is missing.

    Args:
        format_name: Of the file.
        devices: Of this machine.
        built_in: See `onnx_providers`.
    """
    has_gpu = any(device.is_gpu for device in devices)
    if format_name != "onnx":
        return [CPU, GPU] if has_gpu and FORMATS[format_name].uses_gpu else [CPU], []
    found, missing = [CPU], []
    for provider, (name, install) in _WORDS.items():
        reasons = []
        if name not in built_in:
            reasons.append(f"onnxruntime was installed without {name}")
        if not has_gpu:
            reasons.append("there is no NVIDIA GPU")
        if reasons:
            label = {CUDA: "CUDA in onnxruntime", TENSORRT: "TensorRT in onnxruntime"}
            missing.append(Missing(label[provider], " and ".join(reasons), install))
        else:
            found.append(provider)
    return found, missing


def measured(
    context: JobContext,
    folder: Path,
    file: WrittenFile,
    place: Place,
    reference: LatencyReference,
) -> PaceOutcome:
    """Time the predictions of a file in a process that sees no Studio.

    On the CPU it takes turns with the reference, so that other programs slow down both.

    Args:
        context: The study.
        folder: With the file and its runtime.
        file: What is in it.
        place: What computes, and how many images at once.
        reference: Another file of the study.

    Raises:
        OSError: The process could not be started.
        Cancelled: Somebody asked for the work to end.
    """
    plan = context.job.plan(PredictPlan)
    try:
        with pacing_process(context, folder, file, place.provider, place.batch) as process:
            # Under load, the time of a processor says nothing about that of a GPU.
            beside = reference.warmed(place.batch) if place.provider == CPU else None
            return PaceOutcome(
                state="measured", figures=_figures(plan, process, beside, file, place.batch)
            )
    except ProcessEndedError as error:
        return _failed(error)
    except NoAnswerError:
        seconds = plan.seconds + GRACE_SECONDS
        return PaceOutcome(state="timed_out", reason=f"It did not end in {seconds:g} seconds.")


def pacing_process(
    context: JobContext, folder: Path, file: WrittenFile, provider: str, batch: int
) -> MeasuringProcess:
    """A process that has loaded a file, and images of noise.

    Args:
        context: The study.
        folder: With the file and its runtime.
        file: What is in it.
        provider: What computes.
        batch: Images at once, at most.

    Raises:
        ProcessEndedError: The file cannot be run.
        NoAnswerError: The limit of time is over.
        Cancelled: Somebody asked for the work to end.
    """
    process = MeasuringProcess(
        file.model,
        folder / file.model,
        context,
        _environment(provider),
        provider=provider,
        seconds=context.job.plan(PredictPlan).seconds + GRACE_SECONDS,
    )
    try:
        process.ask("noise", shape=[batch, *file.shape])
    except BaseException:
        process.close()
        raise
    return process


def _figures(
    plan: PredictPlan,
    process: MeasuringProcess,
    reference: MeasuringProcess | None,
    file: WrittenFile,
    batch: int,
) -> PaceFigures:
    calls = max(LEAST_CALLS, -(-plan.images // batch))
    of_block = -(-calls // PAIRS)
    turns = Turns(-(-calls // of_block), LAST_CALLS, plan.seconds)

    def block_of(one: MeasuringProcess) -> Callable[[], Block]:
        return lambda: one.block(batch, 1, of_block, plan.seconds / turns.pairs)

    process.warm(batch)
    load = ProcessorLoad()
    blocks, others = in_turns(
        block_of(process), None if reference is None else block_of(reference), turns
    )
    share = load.of_others()
    times = [each / 1000 for block in blocks for each in block.times_ms]
    return PaceFigures(
        size_bytes=file.size_bytes,
        calls=len(times),
        p50_seconds=float(np.percentile(times, 50)),
        p95_seconds=float(np.percentile(times, 95)),
        images_per_second=batch * len(times) / sum(times),
        cpu_seconds=cpu_ms(blocks) / 1000,
        relative_latency=relative_latency(blocks, others) if others else None,
        others_share=share,
        **process.ask("resources"),
    )


def _failed(error: ProcessEndedError) -> PaceOutcome:
    if error.code == KILLED:
        return PaceOutcome(state="no_memory", reason=KILLED_REASON)
    if _FULL.search(error.last_line):
        reason = f"It does not fit into memory: {error.last_line}."
        return PaceOutcome(state="no_memory", reason=reason)
    how = f"signal {-error.code}" if error.code < 0 else f"exit code {error.code}"
    return PaceOutcome(state="failed", reason=f"It cannot be run ({how}): {error.last_line}.")


def _environment(provider: str) -> dict[str, str]:
    device = "cpu" if provider == CPU else gpu_name(0)
    words = {"KERAS_BACKEND": installed_backend(), "TF_CPP_MIN_LOG_LEVEL": "3"}
    return {**environment_for(os.environ, (device,)), **words}
