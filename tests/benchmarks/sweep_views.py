"""How smoothly the charts of a sweep of ten thousand finished trials zoom, brush and repaint.

Every frame is a real paint of a window of 1280x720, and whatever the window does between two
frames: the lines of the parallel coordinates that are drawn later count, too. Aim: p99 of a frame
under 17 ms.

    PYTHONPATH=tests xvfb-run -a python tests/benchmarks/sweep_views.py [--trials 10000]
"""

from __future__ import annotations

import argparse
import math
import os
import platform
import sys
import time
from collections.abc import Callable, Iterator

import numpy as np
from PySide6.QtCore import QCoreApplication
from PySide6.QtWidgets import QApplication, QComboBox

from helpers.sweep_trials import random_rows, sweep_plan
from studio.engine.sweeps.study import importances
from studio.ui.charts.sweeps.charts import SweepCharts
from studio.ui.charts.sweeps.data import BackgroundWork, sweep_trials
from studio.ui.charts.sweeps.heat import ObjectiveHeatView
from studio.ui.charts.sweeps.parallel import ParallelView
from studio.ui.charts.sweeps.views import DotView, SweepView
from studio.ui.theme.theme import Theme

SIZE = (1280, 720)
BUDGET_MS = 17.0
FRACTIONS = {"learning_rate": 0.7, "batch_size": 0.1, "optimizer": 0.1, "epochs": 0.1}
Change = Callable[[], object]


def milliseconds(work: Change) -> float:
    """How long something takes by the clock."""
    return both(work)[0]


def both(work: Change) -> tuple[float, float]:
    """Milliseconds by the clock, and of the processor: others may be at work, too."""
    began, worked = time.perf_counter(), time.thread_time()
    work()
    return (time.perf_counter() - began) * 1000, (time.thread_time() - worked) * 1000


def zooming(view: DotView, frames: int) -> Iterator[Change]:
    """Into a place by a factor of thirty and out again, panning."""
    (left, right), (low, high) = view.plot.view_range()
    for frame in range(frames):
        turn = 2 * math.pi * frame / frames
        depth = 10 ** (-0.75 * (1 - math.cos(2 * turn)))
        x, y = 0.5 + 0.3 * math.sin(3 * turn), 0.5 + 0.3 * math.cos(turn)
        half = depth / 2

        def change(x: float = x, y: float = y, half: float = half) -> None:
            across, up = (
                (first + (last - first) * (at - half), first + (last - first) * (at + half))
                for (first, last), at in (((left, right), x), ((low, high), y))
            )
            view.plot.set_view(across, up)

        yield change


def brushing(view: ParallelView, frames: int) -> Iterator[Change]:
    """A range that grows and wanders on the first axis, in every third frame; others draw on."""
    for frame in range(frames):
        turn = 2 * math.pi * frame / frames
        middle, half = 0.5 + 0.4 * math.sin(turn), 0.25 + 0.2 * math.cos(3 * turn)

        def change(low: float = middle - half, high: float = middle + half) -> None:
            view.plot.brush.set(0, low, high)
            view.plot._brush_changed()

        yield change if frame % 3 == 0 else view.update


def turning(view: ObjectiveHeatView, frames: int) -> Iterator[Change]:
    """Another field, another statistic."""
    for frame in range(frames):
        box = (view.across, view.up, view.statistic)[frame % 3]

        def change(box: QComboBox = box) -> None:
            box.setCurrentIndex((box.currentIndex() + 1) % box.count())

        yield change


def changes(view: SweepView, frames: int) -> Iterator[Change]:
    """What is done to a view, frame by frame."""
    if isinstance(view, DotView):
        return zooming(view, frames)
    if isinstance(view, ParallelView):
        return brushing(view, frames)
    if isinstance(view, ObjectiveHeatView):
        return turning(view, frames)
    return iter([view.update] * frames)


def frame_times(view: SweepView, frames: int) -> list[tuple[float, float]]:
    """Milliseconds from each change to its last painted pixel, by the clock and the processor."""
    times = []
    for change in changes(view, frames):

        def frame(change: Change = change) -> None:
            change()
            QCoreApplication.processEvents()

        times.append(both(frame))
    return times


def until_whole(view: SweepView) -> float:
    """Milliseconds until all lines are there."""

    def wait() -> None:
        while isinstance(view, ParallelView) and not view.plot.is_whole():
            QCoreApplication.processEvents()

    return milliseconds(wait)


def do_all(works: list[BackgroundWork]) -> None:
    """What the window has done in another thread."""
    while works:
        work = works.pop()
        work.done(work.call())


def main() -> int:
    """Measure, print, and tell whether the aim was reached."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--trials", type=int, default=10_000)
    parser.add_argument("--frames", type=int, default=120)
    options = parser.parse_args()
    if not os.environ.get("DISPLAY"):
        os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    app = QApplication.instance() or QApplication([])
    print(f"{platform.machine()}, {os.cpu_count()} cores, {app.platformName()}")  # type: ignore[attr-defined]
    rows, plan = random_rows(options.trials), sweep_plan()
    trials = sweep_trials(plan, rows)
    print(f"{len(rows)} trials: made in {both(lambda: sweep_trials(plan, rows))[1]:.0f} ms")
    charts = SweepCharts(Theme("light"))
    charts.resize(*SIZE)
    works: list[BackgroundWork] = []
    charts.work_requested.connect(works.append)
    charts.show()
    charts.set_trials(trials)
    charts.set_importance(FRACTIONS)
    late = False
    head = f"{'view':11}{'':10}{'p50':>9}{'p99':>9}{'p50':>10}{'p99':>9}"
    print(f"ms         set_trials      by the clock   of the processor\n{head}")
    for key in ("best", "parallel", "slice", "heat", "contour", "pareto", "importance"):
        charts.open(key)
        QCoreApplication.processEvents()
        view = charts.view()
        if view is None:
            raise RuntimeError(f"{key} shows nothing")
        until_whole(view)
        do_all(works)

        def again() -> None:
            charts.set_trials(trials)
            QCoreApplication.processEvents()

        taken = both(again)[1]
        whole = until_whole(view)
        times = frame_times(view, options.frames)
        (p50, p50_cpu), (p99, p99_cpu) = np.percentile(times, [50, 99], axis=0)
        late |= bool(p99 > BUDGET_MS)
        after = f"  all lines after {whole:.0f} ms" if whole > 1 else ""
        print(f"{key:11}{taken:10.1f}{p50:9.1f}{p99:9.1f}{p50_cpu:10.1f}{p99_cpu:9.1f}{after}")
    print(f"importances: {both(lambda: importances(plan, rows))[1]:.0f} ms (in another thread)")
    return int(late)


if __name__ == "__main__":
    sys.exit(main())
