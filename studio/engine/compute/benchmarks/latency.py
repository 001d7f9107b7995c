"""Times one exported file in a fresh process, and finds what onnxruntime can compute on."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from studio.engine.benchmarks.prediction import (
    ABOUT,
    CPU,
    CUDA,
    FILES,
    GPU,
    TENSORRT,
    LatencyFigures,
    LatencyKey,
    LatencyOutcome,
    Missing,
    PredictPlan,
    WrittenFile,
)
from studio.engine.benchmarks.results import KILLED, KILLED_REASON
from studio.engine.compute import measuring_process
from studio.engine.compute.backends.prepare import prepare_backend
from studio.engine.compute.train import NETWORK_FILE
from studio.engine.datasets.store import Store
from studio.engine.documents import read_document, write_document
from studio.engine.errors import StudioError
from studio.engine.exporting.formats import FORMATS, Variant
from studio.engine.files import move, remove_folder, staging_folder
from studio.engine.inference.models import named_model
from studio.engine.jobs.devices import Device, environment_for, gpu_name
from studio.engine.jobs.job import Job, JobContext
from studio.engine.messages import joined, message
from studio.engine.networks.library import read_network
from studio.engine.timing import (
    PAIRS,
    ProcessorLoad,
    TimedBlock,
    Turns,
    cpu_ms,
    in_turns,
    relative_latency,
)
from studio.engine.training.backends import installed_backend
from studio.engine.training.plan import RUN_PREFIX, TrainingPlan
from studio.engine.training.trained_models import run_with_model, training_data

MIN_CALLS, LAST_CALLS = 10, 3
"""Minimum number of batches, and the minimum after the time limit of a cell."""
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
    """Return the providers that the installed onnxruntime was built with, by its own names.

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
    """Return the providers that can run a format here, and the missing ones of onnxruntime.

    Args:
        format_name: Format of the file.
        devices: Devices of this machine.
        built_in: See `onnx_providers`.
    """
    has_gpu = any(device.is_gpu for device in devices)
    if format_name != "onnx":
        return [CPU, GPU] if has_gpu and FORMATS[format_name].uses_gpu else [CPU], []
    found, missing = [CPU], []
    for provider, (name, install) in _WORDS.items():
        reasons: list[str] = []
        if name not in built_in:
            reasons.append(message("onnxruntime was installed without {provider}", provider=name))
        if not has_gpu:
            reasons.append("there is no NVIDIA GPU")
        if reasons:
            label = {CUDA: "CUDA in onnxruntime", TENSORRT: "TensorRT in onnxruntime"}
            missing.append(Missing(label[provider], joined(reasons, ", "), install))
        else:
            found.append(provider)
    return found, missing


def measured(
    context: JobContext,
    folder: Path,
    file: WrittenFile,
    key: LatencyKey,
    reference: measuring_process.LatencyReference,
) -> LatencyOutcome:
    """Time the predictions of a file in a process that sees no Studio.

    On the CPU it takes turns with the reference, so that other programs slow down both.

    Args:
        context: The study.
        folder: Folder with the file and its runtime.
        file: Contents of the folder.
        key: Provider and batch size.
        reference: Another file of the study.

    Raises:
        OSError: The process could not be started.
        Cancelled: The job was asked to end.
    """
    plan = context.job.plan(PredictPlan)
    try:
        with latency_process(context, folder, file, key.provider, key.batch) as process:
            # Under load, the time of a processor says nothing about that of a GPU.
            beside = reference.warmed(key.batch) if key.provider == CPU else None
            return LatencyOutcome(
                state="measured", figures=_figures(plan, process, beside, file, key.batch)
            )
    except measuring_process.ProcessEndedError as error:
        return _failed(error)
    except measuring_process.NoAnswerError:
        seconds = plan.seconds + GRACE_SECONDS
        return LatencyOutcome(
            state="timed_out",
            reason=message("It did not finish within {seconds:g} seconds.", seconds=seconds),
        )


def latency_process(
    context: JobContext, folder: Path, file: WrittenFile, provider: str, batch: int
) -> measuring_process.MeasuringProcess:
    """Return a process that has loaded a file, and images of noise.

    Args:
        context: The study.
        folder: Folder with the file and its runtime.
        file: Contents of the folder.
        provider: Execution provider.
        batch: Images at once, at most.

    Raises:
        ProcessEndedError: The file cannot be run.
        NoAnswerError: The time limit was reached.
        Cancelled: The job was asked to end.
    """
    process = measuring_process.MeasuringProcess(
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
    process: measuring_process.MeasuringProcess,
    reference: measuring_process.MeasuringProcess | None,
    file: WrittenFile,
    batch: int,
) -> LatencyFigures:
    calls = max(MIN_CALLS, -(-plan.images // batch))
    of_block = -(-calls // PAIRS)
    turns = Turns(-(-calls // of_block), LAST_CALLS, plan.seconds)

    def block_of(one: measuring_process.MeasuringProcess) -> Callable[[], TimedBlock]:
        return lambda: one.block(batch, 1, of_block, plan.seconds / turns.pairs)

    process.warm(batch)
    load = ProcessorLoad()
    blocks, others = in_turns(
        block_of(process), None if reference is None else block_of(reference), turns
    )
    share = load.of_others()
    times = [each / 1000 for block in blocks for each in block.times_ms]
    return LatencyFigures(
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


def _failed(error: measuring_process.ProcessEndedError) -> LatencyOutcome:
    if error.code == KILLED:
        return LatencyOutcome(state="no_memory", reason=KILLED_REASON)
    if _FULL.search(error.last_line):
        reason = message("It does not fit into memory: {reason}.", reason=error.last_line)
        return LatencyOutcome(state="no_memory", reason=reason)
    how = (
        message("signal {signal}", signal=-error.code)
        if error.code < 0
        else message("exit code {code}", code=error.code)
    )
    return LatencyOutcome(
        state="failed",
        reason=message("It cannot be run ({cause}): {reason}.", cause=how, reason=error.last_line),
    )


def _environment(provider: str) -> dict[str, str]:
    device = "cpu" if provider == CPU else gpu_name(0)
    words = {"KERAS_BACKEND": installed_backend(), "TF_CPP_MIN_LOG_LEVEL": "3"}
    return {**environment_for(os.environ, (device,)), **words}


# Writes the files whose predictions are timed.

if TYPE_CHECKING:
    from studio.engine.compute.exporters.source import ExportSource


def written_file(folder: Path, variant: Variant) -> WrittenFile | None:
    """Return the file that a study wrote for a variant; None if it is not written yet.

    Args:
        folder: Folder of the study.
        variant: Format and precision.

    Raises:
        BadDataError: The file is damaged.
    """
    return read_document(
        file_folder(folder, variant) / ABOUT, WrittenFile, "file", "Measure again."
    )


def file_folder(folder: Path, variant: Variant) -> Path:
    """Return the folder in which a study stores the file of a variant and its runner.

    Args:
        folder: Folder of the study.
        variant: Format and precision.
    """
    return folder / FILES / variant.ending


def write_files(context: JobContext, variants: list[Variant]) -> dict[Variant, str]:
    """Write the files of a study of predictions; each folder appears atomically.

    Args:
        context: The study.
        variants: Variants to write.

    Returns:
        Why some could not be written.

    Raises:
        StudioError: The model cannot be read.
        Cancelled: The job was asked to end.
    """
    # A .keras file is the same from any backend, and all formats can be written by TensorFlow.
    prepare_backend(installed_backend(), deterministic=False, seed=0, threads=None)
    # Keras may be imported only now that its backend is chosen.
    from studio.engine.compute.build import in_full_precision  # noqa: PLC0415
    from studio.engine.compute.exporters.source import ExportSource  # noqa: PLC0415
    from studio.engine.compute.warm_models import keras_model  # noqa: PLC0415

    name = context.job.plan(PredictPlan).model
    found = named_model(context.workspace, name)
    model = in_full_precision(keras_model(found, Path(found.file))[0])
    source = ExportSource(model, None, None, None, found.name)
    if name.startswith(RUN_PREFIX):
        run = run_with_model(context.workspace, name.removeprefix(RUN_PREFIX).partition("@")[0])
        trained = Job.read(run)
        data = training_data(context.workspace, run)
        network = run.folder / NETWORK_FILE
        source = ExportSource(
            model,
            Store.open(data.folder, data.version),
            read_network(network) if network.is_file() else None,
            trained.current_plan(TrainingPlan),
            found.name,
        )
    problems = {}
    for at, variant in enumerate(variants):
        context.check()
        context.advance(at, len(variants), message("Writing {format}", format=variant.label))
        try:
            _write(context.folder, variant, source)
        except StudioError as error:
            problems[variant] = str(error)
    return problems


def _write(folder: Path, variant: Variant, source: ExportSource) -> None:
    from studio.engine.compute.exporters import writer_of  # noqa: PLC0415 - imports Keras

    chosen, target = variant.format, file_folder(folder, variant)
    target.parent.mkdir(exist_ok=True)
    with staging_folder(target.parent) as staging:
        path = staging / chosen.file
        writer_of(chosen.name)(source, path, variant.precision)
        shutil.copyfile(chosen.script, staging / "runtime.py")
        height, width, channels = source.model.input_shape[1:]
        about = WrittenFile(
            model=chosen.file, shape=(height, width, channels), size_bytes=_size(path)
        )
        write_document(staging / ABOUT, about)
        remove_folder(target, ignore_errors=True)  # damaged, or there would be nothing to do
        move(staging, target)


def _size(path: Path) -> int:
    files = [each for each in path.rglob("*") if each.is_file()] if path.is_dir() else [path]
    return sum(each.stat().st_size for each in files)
