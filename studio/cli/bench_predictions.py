"""Benchmarks of predictions as the command line shows them."""

from __future__ import annotations

import math

from studio.cli.bench_table import STATE_WORDS, mebibytes, print_load
from studio.cli.verb import Output, figure
from studio.engine.benchmarks import prediction
from studio.engine.benchmarks.history import BenchmarkJob
from studio.engine.benchmarks.requests import paces_known
from studio.engine.benchmarks.results import busiest_share

_HEADERS = (
    *("format", "precision", "on", "batch", "p50 ms", "p95 ms", "images/s", "MiB", "state"),
)


def print_predictions(output: Output, job: BenchmarkJob) -> None:
    """Print a row per cell, why some have no figures, what is fastest, and what is missing."""
    paces = paces_known(job.history)
    output.table(list(_HEADERS), [_row(pace) for pace in paces])
    told: dict[tuple[str, str], list[str]] = {}
    for pace in paces:
        if pace.outcome.reason:
            where = f"{pace.format} {pace.precision} on {pace.provider}"
            told.setdefault((where, pace.outcome.reason), []).append(str(pace.batch))
    for (where, reason), batches in told.items():
        output.say(f"{where}, batches of {', '.join(batches)}: {reason}")
    found = prediction.fastest(paces)
    if found is not None:
        output.say(f"Fastest for one image: {_said(found[0])}. Most images: {_said(found[1])}.")
        equal = prediction.as_fast_as(found[0], paces)
        if equal:
            names = ", ".join(f"{each.format} {each.precision}" for each in equal)
            output.say(f"About as fast for one image, within the noise: {names}.")
    print_load(output, busiest_share(paces))
    for each in prediction.missing_of(job.history.result):
        output.say(f"Without {each.what}: {each.reason}. {each.install}".strip())


def _said(pace: prediction.Pace) -> str:
    figures = pace.outcome.figures
    if figures is None:
        raise AssertionError("the fastest was not measured")
    return (
        f"{pace.format} {pace.precision} on {pace.provider} in batches of {pace.batch}, "
        f"{figure(1000 * figures.p50_seconds)} ms, {figure(figures.images_per_second)} images/s"
    )


def _row(pace: prediction.Pace) -> list[str]:
    figures = pace.outcome.figures
    values = (
        (1000 * figures.p50_seconds, 1000 * figures.p95_seconds, figures.images_per_second)
        if figures
        else (math.nan,) * 3
    )
    memory = mebibytes(figures.peak_bytes if figures else None)
    state = STATE_WORDS[pace.outcome.state]
    return [*map(str, pace.place), *map(figure, values), memory, state]


def predictions_document(job: BenchmarkJob) -> dict[str, object]:
    """Everything about a benchmark of predictions; times are seconds, memory bytes."""
    history = job.history
    return {
        "name": job.record.name,
        "id": job.record.id,
        "state": history.state.value,
        "reason": history.reason,
        "network": history.result.get("network", ""),
        "plan": job.plan(prediction.PredictPlan).model_dump(mode="json"),
        "missing": [each._asdict() for each in prediction.missing_of(history.result)],
        "cells": [
            {
                **pace.place._asdict(),
                "state": pace.outcome.state,
                "reason": pace.outcome.reason,
                **(pace.outcome.figures.model_dump(mode="json") if pace.outcome.figures else {}),
            }
            for pace in paces_known(history)
        ],
    }
