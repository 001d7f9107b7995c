"""Times one exported file in a fresh process, and finds what onnxruntime can compute on."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Sequence
from pathlib import Path
from typing import IO

from studio.engine.assets import asset
from studio.engine.benchmarks.paces import PaceFigures, PaceOutcome, WrittenFile
from studio.engine.benchmarks.prediction import (
    CPU,
    CUDA,
    GPU,
    TENSORRT,
    Missing,
    PredictPlan,
)
from studio.engine.benchmarks.results import KILLED, KILLED_REASON
from studio.engine.jobs.context import JobContext
from studio.engine.jobs.devices import Device, environment_for, gpu_name
from studio.engine.training.backends import installed_backend

LOOK_SECONDS = 0.02
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
        frameworks = ("keras", "savedmodel", "weights")
        return [CPU, GPU] if has_gpu and format_name in frameworks else [CPU], []
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
    context: JobContext, folder: Path, file: WrittenFile, provider: str, batch: int
) -> PaceOutcome | None:
    """Time the predictions of a file in a process that sees no Studio; None where it is ended.

    Args:
        context: The study.
        folder: With the file and its runtime.
        file: What is in it.
        provider: What computes.
        batch: Images at once.

    Raises:
        OSError: The process could not be started.
    """
    plan = context.job.plan(PredictPlan)
    shape = "x".join(map(str, file.shape))
    words = [str(folder), file.model, shape, str(batch), str(plan.images), str(plan.seconds)]
    hold, keep = os.pipe()  # the process ends when our end of it is closed, as by our death
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as told:
        process = subprocess.Popen(
            [sys.executable, "-I", "-B", str(asset("export/pace.py")), *words, provider],
            stdin=hold,
            stdout=out,
            stderr=told,
            env=_environment(provider),
        )
        os.close(hold)
        try:
            ended = _waited(context, process, plan.seconds + GRACE_SECONDS)
        finally:
            process.kill()
            process.wait()
            os.close(keep)
        if ended is not None:
            return ended if ended.reason else None
        return _outcome(process.returncode, _read(out), _read(told), file)


def _waited(
    context: JobContext, process: subprocess.Popen[bytes], seconds: float
) -> PaceOutcome | None:
    """None once the process is over; otherwise why it is ended, without a reason by a wish."""
    pause, until = threading.Event(), time.monotonic() + seconds
    while process.poll() is None:
        if context.ending() is not None:
            return PaceOutcome(state="waiting")
        if time.monotonic() > until:
            return PaceOutcome(state="timed_out", reason=f"It did not end in {seconds:g} seconds.")
        pause.wait(LOOK_SECONDS)
    return None


def _outcome(code: int, out: str, told: str, file: WrittenFile) -> PaceOutcome:
    if code == 0:
        figures = json.loads(out.splitlines()[-1])
        made = PaceFigures(size_bytes=file.size_bytes, **figures)
        return PaceOutcome(state="measured", figures=made)
    if code == KILLED:
        return PaceOutcome(state="no_memory", reason=KILLED_REASON)
    last = _last_word(told)
    if _FULL.search(last):
        return PaceOutcome(state="no_memory", reason=f"It does not fit into memory: {last}.")
    how = f"signal {-code}" if code < 0 else f"exit code {code}"
    return PaceOutcome(state="failed", reason=f"It cannot be run ({how}): {last}.")


def _environment(provider: str) -> dict[str, str]:
    device = "cpu" if provider == CPU else gpu_name(0)
    words = {"KERAS_BACKEND": installed_backend(), "TF_CPP_MIN_LOG_LEVEL": "3"}
    return {**environment_for(os.environ, (device,)), **words}


def _read(file: IO[bytes]) -> str:
    file.seek(0)
    return file.read().decode(errors="replace")


def _last_word(told: str) -> str:
    """The last line that is not one of TensorFlow's own log lines."""
    lines = [line for line in told.strip().splitlines() if not re.match(r"[IWE]\d{4} ", line)]
    return lines[-1].strip().rstrip(".")[:300] if lines else "it said nothing"
