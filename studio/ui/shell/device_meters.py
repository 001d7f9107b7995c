"""Small live meters of this machine's processor and GPU, for the strip above the pages."""

from __future__ import annotations

import math
from collections import deque
from dataclasses import dataclass

from PySide6.QtCore import QRectF, QSize, Qt, QTimer
from PySide6.QtGui import QColor, QHideEvent, QPainter, QPaintEvent, QShowEvent
from PySide6.QtWidgets import QHBoxLayout, QLabel, QSizePolicy, QWidget

from studio.engine.jobs.events import GpuSample
from studio.engine.jobs.machine import GpuMeter, MachineSample, machine_sample
from studio.ui.bridge.background import Background
from studio.ui.theme.theme import Theme
from studio.ui.theme.tokens import SPACE, chart_color
from studio.ui.widgets.figures import NO_VALUE, percent, significant, size

SAMPLE_MS = 2000
_BARS = 12
_BAR = 3
_HEIGHT = 16


@dataclass(frozen=True, slots=True)
class Load:
    """The machine and its GPUs at one moment."""

    machine: MachineSample
    gpus: tuple[GpuSample, ...]


class LoadSampler:
    """Samples in a thread of the pool; the driver of the GPUs is asked for when it is first used.

    Args:
        gpus: Those of the machine, unless others are given.
    """

    def __init__(self, gpus: GpuMeter | None = None) -> None:
        self._gpus = gpus

    def sample(self) -> Load:
        """What the machine does now."""
        if self._gpus is None:
            self._gpus = GpuMeter()
        return Load(machine_sample(), self._gpus.sample())


class LoadMeter(QWidget):
    """The last loads as small columns, with a word before them; not there before the first."""

    def __init__(
        self, theme: Theme, word: str, color_index: int, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._columns = _Columns(theme, color_index, self)
        label = QLabel(word, self)
        label.setProperty("role", "caption")
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(SPACE.xs)
        row.addWidget(label)
        row.addWidget(self._columns)
        self.setAccessibleName(word)
        self.setVisible(False)

    def add(self, load: float, details: str) -> None:
        """Show a load from 0 to 1 behind those before it; NaN is a gap."""
        self._columns.add(load)
        self.setToolTip(details)
        self.setAccessibleDescription(details.replace("\n", ", "))
        self.setVisible(True)

    def loads(self) -> list[float]:
        """What is shown, oldest first."""
        return list(self._columns.loads)


class DeviceMeters(QWidget):
    """Processor and GPU of this machine, every two seconds while they can be seen."""

    def __init__(
        self,
        theme: Theme,
        background: Background,
        parent: QWidget | None = None,
        *,
        sampler: LoadSampler | None = None,
    ) -> None:
        super().__init__(parent)
        self._background = background
        self._sampler = sampler or LoadSampler()
        self._is_asking = False
        self.cpu = LoadMeter(theme, self.tr("CPU"), 0, self)
        self.gpu = LoadMeter(theme, self.tr("GPU"), 2, self)
        self._timer = QTimer(self)
        self._timer.setInterval(SAMPLE_MS)
        self._timer.timeout.connect(self.ask)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, SPACE.s, 0)
        row.setSpacing(SPACE.m)
        row.addWidget(self.cpu)
        row.addWidget(self.gpu)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)

    def ask(self) -> None:
        """Sample in the background, unless that is being done already."""
        if not self._is_asking:
            self._is_asking = True
            self._background.run(self, self._sampler.sample, self._on_load)

    def showEvent(self, event: QShowEvent) -> None:
        """Sample while it can be seen."""
        super().showEvent(event)
        self._timer.start()

    def hideEvent(self, event: QHideEvent) -> None:
        """Rest while it cannot be seen."""
        super().hideEvent(event)
        self._timer.stop()

    def _on_load(self, load: Load) -> None:
        self._is_asking = False
        machine = load.machine
        self.cpu.add(
            machine.cpu / 100,
            self.tr("Processor {load}\nMemory {used} of {total}").format(
                load=percent(machine.cpu / 100, 0),
                used=_bytes(machine.memory_used),
                total=_bytes(machine.memory_total),
            ),
        )
        if load.gpus:
            busiest = max(load.gpus, key=lambda gpu: _or_zero(gpu.utilization))
            self.gpu.add(busiest.utilization / 100, "\n".join(map(self._about, load.gpus)))

    def _about(self, gpu: GpuSample) -> str:
        return self.tr("{name}: {load}, memory {used} of {total}, {heat} °C, {power} W").format(
            name=gpu.name,
            load=percent(gpu.utilization / 100, 0),
            used=_bytes(gpu.memory_used),
            total=_bytes(gpu.memory_total),
            heat=significant(gpu.temperature, 2),
            power=significant(gpu.power, 3),
        )


class _Columns(QWidget):
    def __init__(self, theme: Theme, color_index: int, parent: QWidget) -> None:
        super().__init__(parent)
        self._theme = theme
        self._color_index = color_index
        self.loads: deque[float] = deque(maxlen=_BARS)
        self.setFixedSize(self.sizeHint())
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        theme.changed.connect(self.update)

    def add(self, load: float) -> None:
        self.loads.append(load)
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(_BARS * _BAR, _HEIGHT)

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        ground = QColor(self._theme.palette.pressed)
        color = QColor(chart_color(self._color_index, dark=self._theme.is_dark))
        first = _BARS - len(self.loads)
        for place in range(_BARS):
            left = place * _BAR
            painter.fillRect(QRectF(left, _HEIGHT - 1, _BAR - 1, 1), ground)
            load = self.loads[place - first] if place >= first else 0.0
            if load > 0:
                height = max(1.0, min(load, 1.0) * _HEIGHT)
                painter.fillRect(QRectF(left, _HEIGHT - height, _BAR - 1, height), color)
        painter.end()


def _bytes(number: float) -> str:
    return size(int(number)) if math.isfinite(number) else NO_VALUE


def _or_zero(value: float) -> float:
    return value if math.isfinite(value) else 0.0
