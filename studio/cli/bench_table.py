"""Output of benchmarks on the command line: tables, and JSON documents."""

from __future__ import annotations

import math
from collections.abc import Sequence

from studio.cli.verb import CommandOutput, figure
from studio.engine.benchmarks import prediction
from studio.engine.benchmarks.history import BenchmarkJob
from studio.engine.benchmarks.operations import OperationsReport
from studio.engine.benchmarks.plan import StudyPlan
from studio.engine.benchmarks.requests import cells_of_job, latency_results
from studio.engine.benchmarks.results import Beside, Cell, busiest_share, counts_of, speed_ups
from studio.engine.timing import BUSY

_PREDICTION_HEADERS = (
    *("format", "precision", "on", "batch", "p50 ms", "p95 ms", "images/s", "MiB", "state"),
)


def print_predictions(output: CommandOutput, job: BenchmarkJob) -> None:
    """Print a row per result, reasons of missing ones, the fastest, and missing packages.

    Args:
        output: Where to print.
        job: The benchmark; its journal was read.
    """
    results = latency_results(job.history)
    output.table(list(_PREDICTION_HEADERS), [_prediction_row(result) for result in results])
    lines: dict[tuple[str, str], list[str]] = {}
    for result in results:
        if result.outcome.reason:
            where = f"{result.format} {result.precision} on {result.provider}"
            lines.setdefault((where, result.outcome.reason), []).append(str(result.batch))
    for (where, reason), batches in lines.items():
        output.say(f"{where}, batches of {', '.join(batches)}: {reason}")
    found = prediction.fastest(results)
    if found is not None:
        output.say(
            f"Fastest for one image: {_outcome(found[0])}. Most images: {_outcome(found[1])}."
        )
        equal = prediction.as_fast_as(found[0], results)
        if equal:
            names = ", ".join(f"{each.format} {each.precision}" for each in equal)
            output.say(f"About as fast for one image, within the noise: {names}.")
    print_load(output, busiest_share(results))
    for each in prediction.missing_of(job.history.result):
        output.say(f"Without {each.what}: {each.reason}. {each.install}".strip())


def _outcome(result: prediction.LatencyResult) -> str:
    figures = result.outcome.figures
    if figures is None:
        raise AssertionError("the fastest was not measured")
    return (
        f"{result.format} {result.precision} on {result.provider} in batches of {result.batch}, "
        f"{figure(1000 * figures.p50_seconds)} ms, {figure(figures.images_per_second)} images/s"
    )


def _prediction_row(result: prediction.LatencyResult) -> list[str]:
    figures = result.outcome.figures
    values = (
        (1000 * figures.p50_seconds, 1000 * figures.p95_seconds, figures.images_per_second)
        if figures
        else (math.nan,) * 3
    )
    memory = mebibytes(figures.peak_bytes if figures else None)
    state = STATE_WORDS[result.outcome.state]
    return [*map(str, result.key), *map(figure, values), memory, state]


def predictions_document(job: BenchmarkJob) -> dict[str, object]:
    """Return everything about a benchmark of predictions; times are seconds, memory bytes."""
    history = job.history
    return {
        **job.identity(),
        "reason": history.reason,
        "network": history.result.get("network", ""),
        "plan": job.plan(prediction.PredictPlan).model_dump(mode="json"),
        "missing": [each._asdict() for each in prediction.missing_of(history.result)],
        "cells": [
            {
                **result.key._asdict(),
                "state": result.outcome.state,
                "reason": result.outcome.reason,
                **(
                    result.outcome.figures.model_dump(mode="json")
                    if result.outcome.figures
                    else {}
                ),
            }
            for result in latency_results(history)
        ],
    }


STATE_WORDS = {
    "waiting": "waits",
    "running": "runs",
    "measured": "",
    "no_memory": "does not fit",
    "timed_out": "timed out",
    "failed": "failed",
}
_HEADERS = (
    *("machine", "network", "backend", "precision", "device", "batch", "ms/image", "images/s"),
    *("speed-up", "MiB", "device MiB", "GPU %", "W", "state"),
)
_MIB = 2**20


def print_study(output: CommandOutput, job: BenchmarkJob, beside: Sequence[Beside] = ()) -> None:
    """Print a row per cell, cells of other machines, and the reasons for missing results.

    Empty columns are left out, and so are backend and precision if all cells have the same.

    Args:
        output: Where to print.
        job: The benchmark; its journal was read.
        beside: Cells of other machines.
    """
    plan, cells = job.plan(StudyPlan), cells_of_job(job)
    gains = speed_ups(cells, plan.devices)
    rows = [["this" if beside else "", *_row(cell, gains.get(cell.number))] for cell in cells]
    rows += [
        [each.machine, *map(str, each.key), *_speed_cells(each.image_seconds), *["–"] * 5, ""]
        for each in beside
    ]
    columns = [at for at in range(len(_HEADERS)) if _says_something(at, rows)]
    output.table([_HEADERS[at] for at in columns], [[row[at] for at in columns] for row in rows])
    for cell in cells:
        if cell.outcome.reason:
            where = f"{cell.network}, {cell.key.mode}, batch {cell.batch}"
            output.say(f"{where}: {cell.outcome.reason}")
    print_load(output, busiest_share(cells))


def print_load(output: CommandOutput, share: float) -> None:
    """Warn of other programs where they used much of the processors.

    Args:
        output: Where to print.
        share: Load by other programs, 0 to 1.
    """
    if share > BUSY:
        output.say(
            f"Other programs used up to {share:.0%} of the processors during the measurement: "
            "without them, this machine is faster."
        )


def _says_something(column: int, rows: Sequence[Sequence[str]]) -> bool:
    values = {row[column] for row in rows}
    if _HEADERS[column] in ("backend", "precision"):
        return len(values) > 1
    return bool(values - {"–", ""})


def _row(cell: Cell, gain: float | None) -> list[str]:
    figures = cell.outcome.figures
    parts = [
        _figure(gain),
        mebibytes(figures.process_bytes if figures else None),
        mebibytes(figures.device_bytes if figures else None),
        _figure(figures.utilization if figures else None),
        _figure(figures.power if figures else None),
    ]
    return [
        *map(str, cell.key),
        *_speed_cells(cell.image_seconds),
        *parts,
        STATE_WORDS[cell.outcome.state],
    ]


def _speed_cells(image_seconds: float | None) -> list[str]:
    if not image_seconds:
        return ["–", "–"]
    return [figure(1000 * image_seconds), figure(1 / image_seconds)]


def _figure(value: float | None) -> str:
    return figure(math.nan if value is None else value)


def mebibytes(value: int | None) -> str:
    """Return bytes of memory in a table, or a dash where they are not known."""
    return "–" if value is None else f"{value / _MIB:,.0f}"


def study_document(job: BenchmarkJob, beside: Sequence[Beside] = ()) -> dict[str, object]:
    """Return a training benchmark as JSON data, in seconds and bytes.

    Args:
        job: The benchmark; its journal was read.
        beside: Cells of other machines.
    """
    plan, cells, history = job.plan(StudyPlan), cells_of_job(job), job.history
    gains = speed_ups(cells, plan.devices)
    return {
        **job.identity(),
        "reason": history.reason,
        "plan": plan.model_dump(mode="json"),
        "counts": counts_of(cells),
        "cells": [_cell_document(cell, gains.get(cell.number)) for cell in cells],
        "beside": [
            {
                "machine": each.machine,
                **each.key._asdict(),
                "seconds_per_image": each.image_seconds,
                "images_per_second": 1 / each.image_seconds,
            }
            for each in beside
        ],
    }


def _cell_document(cell: Cell, gain: float | None) -> dict[str, object]:
    figures = cell.outcome.figures
    return {
        "number": cell.number,
        **cell.key._asdict(),
        "state": cell.outcome.state,
        "reason": cell.outcome.reason,
        "seconds_per_image": cell.image_seconds,
        "images_per_second": cell.images_per_second,
        "speed_up": gain,
        **(figures.model_dump(mode="json") if figures else {}),
    }


def print_operations(output: CommandOutput, report: OperationsReport) -> None:
    """Print a row per operation, size and implementation, and whether all results agree.

    Args:
        output: Where to print.
        report: The results.
    """
    rows = [
        [
            each.operation.replace("_", " "),
            str(each.size),
            timing.way,
            _milliseconds(timing.seconds),
            _figure(timing.speed_up),
            _figure(None if timing.flops is None else timing.flops / 1e9),
            _milliseconds(timing.to_device_seconds),
            _milliseconds(timing.from_device_seconds),
            _verdict(timing.agrees),
        ]
        for each in report.operations
        for timing in each.timings
    ]
    headers = ["operation", "size", "way", "ms", "speed-up", "GFLOP/s", "to ms", "from ms", ""]
    output.table(headers, rows)
    for each in report.operations:
        for timing in each.timings:
            if timing.reason:
                output.say(f"{each.operation} {each.size}, {timing.way}: {timing.reason}")
    print_load(output, report.others_share or 0)
    widest = max(each.tolerance for each in report.operations)
    output.say(
        "All results agree"
        if report.agree
        else "Some results differ by more than rounding from those of NumPy"
    )
    output.say(
        f"Compared with NumPy in 32 bits: sums may differ by twice their rounding bound (at most "
        f"{widest:.3g} here), max pooling not at all. Times are medians without the transfers to "
        "the device and back, which are listed separately."
    )
    for name, label in report.devices.items():
        output.say(f"{name}: {report.backend} on {label}")


def _milliseconds(seconds: float | None) -> str:
    return figure(math.nan if seconds is None else 1000 * seconds)


def _verdict(agrees: bool | None) -> str:
    return "left out" if agrees is None else "" if agrees else "differs"


def operations_document(job: BenchmarkJob, report: OperationsReport) -> dict[str, object]:
    """Return a benchmark of operations as JSON data, in seconds.

    Args:
        job: The benchmark.
        report: The results.
    """
    return {
        **job.identity(),
        "agree": report.agree,
        **report.model_dump(mode="json", exclude={"version"}),
    }
