"""A chart that is painted for days keeps its memory and its references."""

from __future__ import annotations

import gc
import math
import sys
from itertools import pairwise

import psutil
import pytest
from PySide6.QtCore import QEvent, QObject
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

from studio.ui.charts.line_chart import LineChart
from studio.ui.theme.theme import Theme

PAINTS = 1600
WARM_UP = 400
MEGABYTE = 1024 * 1024


class PaintCount(QObject):
    """Counts how often a widget is really painted."""

    def __init__(self, widget: QWidget) -> None:
        super().__init__(widget)
        self.paints = 0
        widget.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:  # noqa: N802 - Qt's
        self.paints += event.type() == QEvent.Type.Paint
        return False


def paint(chart: LineChart, start: int, stop: int) -> None:
    for step in range(start, stop):
        chart.append("train", step, math.exp(-step / 900) + 0.1 * math.sin(step))
        if step % 10 == 0:
            chart.append("val", step, math.exp(-step / 1100))
            chart.plot.hovered.emit(float(step // 2))
        chart.flush()
        chart.plot.repaint()
        QApplication.processEvents()


@pytest.mark.thorough
@pytest.mark.timeout(600)
def test_painting_many_times_loses_nothing(theme: Theme, qtbot: QtBot) -> None:
    chart = LineChart(theme, "Loss", "Step", "loss")
    qtbot.addWidget(chart)
    chart.resize(320, 240)
    chart.show()
    for key, dashed in (("train", False), ("val", True)):
        chart.set_curve(key, [], [], name=key, color_index=0, dashed=dashed)
    chart.bar.slider.setValue(13)
    counter = PaintCount(chart.plot)
    paint(chart, 0, WARM_UP)
    gc.collect()
    process = psutil.Process()
    nones, memory = sys.getrefcount(None), [process.memory_info().rss]
    for start, stop in pairwise(range(WARM_UP, PAINTS + 1, (PAINTS - WARM_UP) // 4)):
        paint(chart, start, stop)
        gc.collect()
        memory.append(process.memory_info().rss)
    assert counter.paints >= PAINTS
    assert len(chart.curve_data("train")[0]) == PAINTS
    if sys.version_info < (3, 12):
        # From 3.12 on None is immortal and its count says nothing.
        assert sys.getrefcount(None) > nones - 500
    # What leaks at every paint grows in every quarter. The tests before this one leave threads and
    # caches in the process, which may take some megabytes at any moment.
    growth = [after - before for before, after in pairwise(memory)]
    assert sorted(growth)[1] < MEGABYTE / 2, (
        f"bytes per {(PAINTS - WARM_UP) // 4} paints: {growth}"
    )
