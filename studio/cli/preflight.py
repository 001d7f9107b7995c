"""`studio preflight`: estimate time, memory and learning rate from a few training steps."""

from __future__ import annotations

import math

from studio.cli.following import completed, duration
from studio.cli.train_plan import plan_file_options, plan_of_options
from studio.cli.verb import CommandOutput, Session, argument
from studio.engine.training import preflight
from studio.engine.training.requests import request_preflight
from studio.engine.workspace import RecordKind

_CURVE_ROWS = 12


run_options = (
    plan_file_options("training plan as JSON, such as plan.json of a run"),
    argument(
        "--find-rate",
        action="store_true",
        help="also run a learning-rate range test and suggest a rate",
    ),
)


def run(session: Session) -> object:
    """Time some steps of a training, print the report, and return its document."""
    options = session.options
    training = plan_of_options(session)
    plan = preflight.PreflightPlan(training=training, find_rate=options.find_rate)
    job = request_preflight(session.queue, plan)
    dataset = session.workspace.record(RecordKind.DATASET, plan.dataset)
    title = f"Measuring {training.network} on {dataset.name if dataset else plan.dataset}"
    history = completed(session, job, title)
    report = preflight.PreflightReport.read(job.record.folder)
    if report is None:
        raise RuntimeError(f"{job.record.id} is completed and has no report")
    _print(session.output, report)
    return {"name": job.record.name, **history.result}


def _print(output: CommandOutput, report: preflight.PreflightReport) -> None:
    for warning in report.warnings:
        output.note(f"Note: {warning.sentence}")
    for note in report.notes:
        output.note(note)
    rows = [["device", report.device]]
    if not report.fits:
        text = f"does not fit into memory with batches of {report.batch_size:,} images"
        rows.append(["training", text])
    rows += _throughput_rows(report.throughput, report) if report.throughput is not None else []
    rows += _memory(report.memory, report.batch_size) if report.memory is not None else []
    if report.largest is not None:
        rows.append(["largest batch", report.largest.text])
    output.table(["", ""], rows)
    if report.rate is not None:
        _print_rate(output, report.rate)


def _throughput_rows(
    speed: preflight.Throughput, report: preflight.PreflightReport
) -> list[list[str]]:
    start = f"{_seconds(speed.startup_seconds)}, and {_seconds(speed.compile_seconds)} to compile"
    rows = [
        ["step", f"{speed.step_seconds * 1000:.4g} ms ({speed.steps:,} timed)"],
        ["images per second", f"{speed.images_per_second:,.0f}"],
        ["epoch with validation", _seconds(speed.epoch_seconds)],
        ["validation", _seconds(speed.validation_seconds)],
        ["start", start],
    ]
    if speed.features_seconds:
        rows.append(["frozen layers, once", _seconds(speed.features_seconds)])
    whole = f"{_seconds(speed.run_seconds)} for {report.epochs:,} epochs"
    return [*rows, ["whole run", whole]]


def _memory(memory: preflight.Memory, batch_size: int) -> list[list[str]]:
    where = "of the GPU" if memory.device == "gpu" else "of the machine"
    free = "" if memory.free_bytes is None else f" of {_size(memory.free_bytes)} that it can have"
    text = f"{_size(memory.used_bytes)}{free} {where}, with batches of {batch_size:,}"
    return [["memory", text], ["memory per image", _size(memory.image_bytes)]]


def _print_rate(output: CommandOutput, curve: preflight.RateCurve) -> None:
    every = max(1, math.ceil(len(curve.rates) / _CURVE_ROWS))
    output.table(
        ["learning rate", "loss, smoothed"],
        [
            [f"{rate:.2g}", f"{loss:.4g}"]
            for rate, loss in list(zip(curve.rates, curve.smoothed, strict=True))[::every]
        ],
    )
    if curve.suggestion is None:
        output.say(curve.reason)
    else:
        output.say(f"Suggested learning rate: {curve.reason}")


def _seconds(seconds: float) -> str:
    return duration(seconds, f"{seconds:.3g} s")


def _size(number_of_bytes: float) -> str:
    value, units = float(number_of_bytes), ["B", "kB", "MB", "GB", "TB"]
    while value >= 1000 and len(units) > 1:
        value /= 1000
        units.pop(0)
    return f"{value:.3g} {units[0]}"
