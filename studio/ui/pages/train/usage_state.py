"""What the charts of the machine show, free of Qt; the section translates the words."""

from __future__ import annotations

import math
import os
from collections.abc import Callable
from dataclasses import dataclass
from itertools import accumulate

from studio.engine.jobs.events import GpuSample, UsageSampled
from studio.engine.training.history import RunHistory

RECENT_SECONDS = 60.0
_GB = 1e9
_CORES = os.cpu_count() or 1


@dataclass(frozen=True, slots=True)
class ChartPlan:
    """A chart: its words, untranslated, and whether its values are shares."""

    key: str
    title: str
    y: str
    x: str = "Minutes of training"
    percent: bool = False


@dataclass(frozen=True, slots=True)
class CurveData:
    """A curve; `word` is untranslated, `which` is the GPU where there are several."""

    key: str
    word: str
    x: list[float]
    y: list[float]
    which: str = ""

    def name(self, tr: Callable[[str], str]) -> str:
        """What the legend says."""
        return f"{tr(self.word)} {self.which}".strip()


CHARTS = (
    ChartPlan(
        "throughput",
        "Throughput",
        "Images per second",
        x="Epoch",
    ),
    ChartPlan(
        "load",
        "Load",
        "Load",
        percent=True,
    ),
    ChartPlan(
        "gpu",
        "GPU",
        "Load",
        percent=True,
    ),
    ChartPlan(
        "memory",
        "Memory (GB)",
        "Memory (GB)",
    ),
    ChartPlan(
        "temperature",
        "GPU temperature (°C)",
        "GPU temperature (°C)",
    ),
    ChartPlan(
        "power",
        "GPU power (W)",
        "GPU power (W)",
    ),
)


def curves_of(plan: ChartPlan, history: RunHistory) -> list[CurveData]:
    """The curves of a chart; none where nothing was measured."""
    if plan.key == "throughput":
        epochs = [float(epoch.epoch) for epoch in history.epochs]
        paces = [epoch.images_per_second for epoch in history.epochs]
        curves = [CurveData("pace", "Images per second", epochs, paces)]
    else:
        # Time that passed while the run was paused, or lost, is not training.
        minutes = [at / 60 for at in accumulate(sample.seconds for sample in history.usage)]
        curves = [
            CurveData(
                each.key, each.word, minutes, [each.of(s) for s in history.usage], each.which
            )
            for each in _figures(plan.key, history.usage)
        ]
    return [curve for curve in curves if any(math.isfinite(value) for value in curve.y)]


def recent(samples: list[UsageSampled]) -> list[UsageSampled]:
    """The samples of the last minute."""
    found: list[UsageSampled] = []
    seconds = 0.0
    for sample in reversed(samples):
        if seconds >= RECENT_SECONDS:
            break
        seconds += sample.seconds
        found.append(sample)
    return found[::-1]


@dataclass(frozen=True, slots=True)
class _Figure:
    key: str
    word: str
    of: Callable[[UsageSampled], float]
    which: str = ""


def _figures(chart: str, samples: list[UsageSampled]) -> list[_Figure]:
    if chart == "load":
        return [
            _Figure(
                "machine",
                "Processor",
                lambda sample: sample.machine_cpu / 100,
            ),
            _Figure(
                "run",
                "Processor, this run",
                lambda sample: sample.cpu / 100 / _CORES,
            ),
            _Figure(
                "memory",
                "Memory",
                lambda sample: sample.machine_memory / 100,
            ),
        ]
    found = []
    if chart == "memory":
        word = "This run"
        found.append(_Figure("run", word, lambda sample: sample.memory / _GB))
    names = samples[-1].gpus if samples else ()
    for number in range(len(names)):
        which = str(number) if len(names) > 1 else ""
        found += [
            _Figure(f"{name}{number}", word, _of_gpu(number, figure), which)
            for name, word, figure in _GPU_FIGURES.get(chart, ())
        ]
    return found


_GpuFigure = tuple[str, str, Callable[[GpuSample], float]]
_GPU_FIGURES: dict[str, tuple[_GpuFigure, ...]] = {
    "gpu": (
        ("load", "GPU", lambda gpu: gpu.utilization / 100),
        (
            "share",
            "GPU memory",
            lambda gpu: gpu.memory_used / gpu.memory_total if gpu.memory_total else math.nan,
        ),
    ),
    "memory": (("gpu", "GPU", lambda gpu: gpu.memory_used / _GB),),
    "temperature": (("gpu", "GPU", lambda gpu: gpu.temperature),),
    "power": (("gpu", "GPU", lambda gpu: gpu.power),),
}


def _of_gpu(number: int, figure: Callable[[GpuSample], float]) -> Callable[[UsageSampled], float]:
    def of(sample: UsageSampled) -> float:
        return figure(sample.gpus[number]) if number < len(sample.gpus) else math.nan

    return of
