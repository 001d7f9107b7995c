"""The frame of the window: the rail of pages, the bar above them, and the tray of jobs below."""

from __future__ import annotations

import math
import time
from collections import deque
from dataclasses import dataclass
from functools import partial
from operator import attrgetter
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QRectF, QSize, Qt, QTimer, Signal
from PySide6.QtGui import QColor, QHideEvent, QPainter, QResizeEvent, QShowEvent
from PySide6.QtWidgets import (
    QApplication,
    QFrame,
    QMainWindow,
    QScrollArea,
    QSizePolicy,
    QSystemTrayIcon,
    QToolButton,
    QWidget,
)

from studio.engine.jobs.events import GpuSample
from studio.engine.jobs.states import State
from studio.engine.jobs.supervisor import Key
from studio.engine.workspace import RecordKind
from studio.ui.bridge import describe
from studio.ui.bridge.background import Background
from studio.ui.context import AppContext
from studio.ui.documents.record import RecordChange, RecordDocument
from studio.ui.navigation import job_intent
from studio.ui.pages import PAGES, PageSpec
from studio.ui.shared.jobs import QueueRows
from studio.ui.shell.commands import PALETTE
from studio.ui.shortcuts import Shortcuts
from studio.ui.theme.icons import icon, set_icon
from studio.ui.theme.theme import Mode, Theme
from studio.ui.theme.tokens import ICON, SPACE, chart_color
from studio.ui.widgets.buttons import icon_button, push_button
from studio.ui.widgets.figures import NO_VALUE, counted, percent, significant, size
from studio.ui.widgets.job_rows import QueueRow
from studio.ui.widgets.layout import STRETCH, hbox, scrolled, text_label, vbox
from studio.ui.widgets.painting import PaintedWidget
from studio.ui.widgets.tips import explain, name_control

if TYPE_CHECKING:
    from studio.engine.jobs.machine import GpuMeter, MachineSample

ROW_HEIGHT = 70
MAX_ROWS = 4


class Tray(QFrame):
    """The list of running and waiting jobs; collapsed, the job that runs longest."""

    def __init__(self, context: AppContext, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("tray")
        self.setAccessibleName(self.tr("Jobs"))
        self._context = context
        self._is_open = False
        self._summary = text_label("", "caption", self)
        self.pause_button = icon_button("pause", "", context.theme, on_click=self._on_pause)
        self._toggle = icon_button("chevron-up", "", context.theme, on_click=self.toggle)
        rows = QWidget(self)
        column = vbox(owner=rows, spacing=0)
        self._scroll = QScrollArea(self)
        scrolled(self._scroll, rows)
        hbox(
            self._summary,
            self.pause_button,
            (self._scroll, 1),
            self._toggle,
            owner=self,
            margins=(SPACE.l, SPACE.xs, SPACE.m, SPACE.xs),
        )
        self._rows = QueueRows(context, column, rows, ROW_HEIGHT)
        self._rows.changed.connect(self._fit)
        self._rows.open_requested.connect(self._on_open)
        self._rows.refresh()
        explain(self._toggle, self.tr("Shows all running and waiting jobs, or only one."))
        explain(
            self.pause_button,
            self.tr("While the queue is paused, running jobs continue and no others start."),
        )

    def rows(self) -> dict[Key, QueueRow]:
        """Return the rows by record, in order."""
        return self._rows.rows()

    def toggle(self) -> None:
        """Expand or collapse the list."""
        self._is_open = not self._is_open
        self._rows.refresh()

    def open(self) -> None:
        """Expand the list."""
        if not self._is_open:
            self.toggle()

    def _fit(self, active: list[RecordDocument]) -> None:
        paused = self._context.jobs.is_queue_paused
        self.setVisible(bool(active) or paused)
        self._scroll.setVisible(bool(active))
        running = sum(entry.state.has_worker for entry in active)
        waiting = len(active) - running
        words = [self.tr("%n running", "", running)] if running else []
        words += [self.tr("%n waiting", "", waiting)] if waiting else []
        words += [self.tr("Queue paused")] * paused
        self._summary.setText("\n".join(words))
        what = self.tr("Resume the queue") if paused else self.tr("Pause the queue")
        name_control(self.pause_button, what)
        set_icon(self.pause_button, "play" if paused else "pause", self._context.theme, "muted")
        shown = min(len(active), MAX_ROWS) if self._is_open else 1
        self._scroll.setFixedHeight(shown * ROW_HEIGHT)
        is_long = self._is_open and len(active) > MAX_ROWS
        policy = Qt.ScrollBarPolicy
        self._scroll.setVerticalScrollBarPolicy(
            policy.ScrollBarAsNeeded if is_long else policy.ScrollBarAlwaysOff
        )
        self._toggle.setVisible(len(active) > 1)
        text = self.tr("Show less") if self._is_open else self.tr("Show all jobs")
        name_control(self._toggle, text)
        icon = "chevron-down" if self._is_open else "chevron-up"
        set_icon(self._toggle, icon, self._context.theme, "muted")

    def _on_pause(self) -> None:
        self._context.jobs.set_queue_paused(not self._context.jobs.is_queue_paused)

    def _on_open(self, entry: RecordDocument) -> None:
        self._context.navigator.open(job_intent(*entry.key))


_SILENT = (RecordKind.PREFLIGHT,)
"""Kinds of jobs that an open form shows itself."""


class Notifier(QObject):
    """Sends system notifications about finished jobs and alerts the taskbar entry."""

    def __init__(self, context: AppContext, window: QMainWindow) -> None:
        super().__init__(window)
        self._context = context
        self._window = window
        self._entry: RecordDocument | None = None
        self.icon: QSystemTrayIcon | None = None
        context.jobs.changed.connect(self._on_changed)

    def _on_changed(self, entry: RecordDocument, change: RecordChange) -> None:
        settings = self._context.settings
        if not (change.is_state and settings.notifies and self._is_worth_it(entry)):
            return
        if self._window.isActiveWindow():
            return
        self._entry = entry
        QApplication.alert(self._window)
        if QSystemTrayIcon.isSystemTrayAvailable() and QSystemTrayIcon.supportsMessages():
            self._show(entry)

    def _is_worth_it(self, entry: RecordDocument) -> bool:
        """Return True for a long job that ended by itself; a sweep notifies for its trials."""
        ended = entry.state in (State.COMPLETED, State.FAILED, State.LOST)
        if not ended or entry.key[0] in _SILENT or self._context.jobs.is_of_a_sweep(entry):
            return False
        seconds = entry.history.seconds_spent(time.time()) or 0.0
        return seconds >= self._context.settings.long_job_seconds

    def _show(self, entry: RecordDocument) -> None:
        if self.icon is None:
            self.icon = QSystemTrayIcon(icon("app", self._context.theme, "accent"), self)
            self.icon.setToolTip(self._window.windowTitle())
            self.icon.messageClicked.connect(self._on_clicked)
            self.icon.activated.connect(self._on_clicked)
        self.icon.show()
        kinds = QSystemTrayIcon.MessageIcon
        kind = kinds.Information if entry.state == State.COMPLETED else kinds.Warning
        self.icon.showMessage(describe.title(entry), describe.detail(entry), kind)

    def _on_clicked(self, *_: object) -> None:
        """Bring the window to the front and open the job."""
        self._window.setWindowState(
            self._window.windowState() & ~self._window.windowState().WindowMinimized
        )
        self._window.raise_()
        self._window.activateWindow()
        if self._entry is not None:
            self._context.navigator.open(job_intent(*self._entry.key))
        if self.icon is not None:
            self.icon.hide()


WIDTH, _TEXT_MARGIN = 84, 4
"""Width of the rail, more if a page has a longer name, and the least margin beside names."""
BUTTON_HEIGHT, _MIN_NAMED_HEIGHT, _MIN_BUTTON_HEIGHT = 56, 48, 32
"""Height of a button of the rail, the least one with a name, and the least one."""
_ICON_WIDTH = 52


class Rail(QFrame):
    """One button per page; their shortcuts work everywhere. The settings are at the bottom.

    Attributes:
        buttons: The buttons by the names of their pages.

    Signals:
        chosen: The name of the page to show.
    """

    chosen = Signal(str)

    def __init__(self, theme: Theme, shortcuts: Shortcuts, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._shortcuts = shortcuts
        self.setObjectName("rail")
        self.setAccessibleName(self.tr("Pages"))
        in_rail = sorted((page for page in PAGES if page.in_rail), key=attrgetter("is_lowest"))
        self._pages = {page.name: page for page in in_rail}
        self.buttons = {name: self._button(page, theme) for name, page in self._pages.items()}
        self._named_width = max(WIDTH, *map(_named_width, self.buttons.values()))
        self._set_button_height(BUTTON_HEIGHT)
        column = vbox(
            *self.buttons.values(), owner=self, spacing=SPACE.xs, margins=(0, SPACE.s, 0, SPACE.s)
        )
        column.insertStretch(len(self.buttons) - 1, 1)
        shortcuts.changed.connect(self._show_keys)
        # The style sheet of another theme takes the heights back.
        theme.changed.connect(self._fit_buttons)
        self._show_keys()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Make the buttons lower where the window is; the lowest ones show icons alone."""
        super().resizeEvent(event)
        self._fit_buttons()

    def _fit_buttons(self) -> None:
        room = (self.height() - 2 * SPACE.s) // len(self.buttons) - SPACE.xs
        self._set_button_height(min(max(room, _MIN_BUTTON_HEIGHT), BUTTON_HEIGHT))

    def _set_button_height(self, height: int) -> None:
        is_named = height >= _MIN_NAMED_HEIGHT
        width = self._named_width if is_named else _ICON_WIDTH
        style = Qt.ToolButtonStyle
        self.setFixedWidth(width)
        for button in self.buttons.values():
            button.setFixedSize(width, height)
            button.setToolButtonStyle(
                style.ToolButtonTextUnderIcon if is_named else style.ToolButtonIconOnly
            )

    def minimumSizeHint(self) -> QSize:
        """Return a height at which all buttons are icons."""
        count = len(self.buttons)
        height = count * (_MIN_BUTTON_HEIGHT + SPACE.xs) + 2 * SPACE.s
        return QSize(self.width(), height)

    def set_current(self, name: str) -> None:
        """Mark the page that is shown."""
        for page, button in self.buttons.items():
            button.setChecked(page == name)

    def _button(self, page: PageSpec, theme: Theme) -> QToolButton:
        command = page.command
        button = QToolButton(self, toolButtonStyle=Qt.ToolButtonStyle.ToolButtonTextUnderIcon)
        button.setText(command.label())
        button.setCheckable(True)
        button.setIconSize(QSize(ICON, ICON))
        # A click leaves the focus on the page, whose keys keep working.
        button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        button.setAccessibleName(command.label())
        button.setProperty("rail", "true")
        button.clicked.connect(partial(self.chosen.emit, page.name))
        self._shortcuts.bind(button, command)
        set_icon(button, command.icon, theme)
        return button

    def _show_keys(self) -> None:
        """Show the shortcuts in the tooltips."""
        for name, page in self._pages.items():
            keys = self._shortcuts.text(page.command)
            label = page.command.label()
            self.buttons[name].setToolTip(f"{label} ({keys})" if keys else label)


def _named_width(button: QToolButton) -> int:
    """Return the width that a button needs to show its whole name."""
    button.ensurePolished()
    return button.fontMetrics().horizontalAdvance(button.text()) + 2 * _TEXT_MARGIN


_ICONS: dict[Mode, str] = {"system": "system-theme", "light": "sun", "dark": "moon"}


class TopBar(QFrame):
    """Workspace on the left; device meters, help and theme on the right."""

    def __init__(self, context: AppContext, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("topBar")
        self._context = context
        workspace = context.workspace
        self.workspace_button = push_button(
            workspace.title, context.theme, kind="quiet", icon="workspace"
        )
        self.workspace_button.setToolTip(
            self.tr("{path}\nClick to open another workspace").format(path=_short(workspace.place))
        )
        self.workspace_button.setAccessibleName(
            self.tr("Workspace {name}").format(name=workspace.title)
        )
        self.reading = text_label("", "muted", self)
        # Takes room that is empty otherwise, so nothing moves when it is cleared.
        self.reading.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        context.jobs.reading.connect(self._on_reading)
        context.jobs.loaded.connect(self.reading.clear)
        self.theme_button = icon_button("system-theme", "", context.theme, on_click=self._on_theme)
        self.help_button = icon_button("help", self.tr("Help for this page"), context.theme)
        context.theme.mode_changed.connect(self._show_theme)
        self._show_theme()
        self.palette_button = push_button("", context.theme, icon="search")
        self.palette_button.setProperty("kind", "field")
        context.settings.shortcuts.changed.connect(self._show_keys)
        self._show_keys()
        self.meters = DeviceMeters(context.theme, context.background, self)
        # The same height on every page.
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        link = () if context.link is None else (self._link_label(context),)
        hbox(
            self.workspace_button,
            *link,
            (self.reading, 1),
            (self.palette_button, 2),
            STRETCH,
            self.meters,
            self.help_button,
            self.theme_button,
            owner=self,
            margins=(SPACE.m, SPACE.s, SPACE.m, SPACE.s),
        )

    def _link_label(self, context: AppContext) -> QWidget:
        # Made when needed: it imports what talks to servers.
        from studio.ui.shell.served import LinkLabel  # noqa: PLC0415

        return LinkLabel(context, self)

    def _on_reading(self, records: int) -> None:
        one, many = self.tr("1 record loaded…"), self.tr("{n} records loaded…")
        self.reading.setText(counted(records, one, many))

    def _on_theme(self) -> None:
        """Change what is seen, whatever the mode is; the settings have that of the system."""
        self._context.theme.mode = "light" if self._context.theme.is_dark else "dark"

    def _show_keys(self) -> None:
        shortcuts = self._context.settings.shortcuts
        text = shortcuts.short_text(PALETTE)
        self.palette_button.setText(self.tr("Search or run a command…") + f"   {text}")
        self.palette_button.setAccessibleName(PALETTE.label())
        self.palette_button.setToolTip(shortcuts.text(PALETTE))

    def _show_theme(self) -> None:
        mode = self._context.theme.mode
        to_dark = self.tr("Theme: same as the system. Click for dark.")
        to_light = self.tr("Theme: same as the system. Click for light.")
        names: dict[Mode, str] = {
            "system": to_light if self._context.theme.is_dark else to_dark,
            "light": self.tr("Theme: light. Click for dark."),
            "dark": self.tr("Theme: dark. Click for light."),
        }
        set_icon(self.theme_button, _ICONS[mode], self._context.theme, "muted")
        name_control(self.theme_button, names[mode])


def _short(place: str) -> str:
    """Return a path with the home folder as ~, and an address as it is."""
    try:
        return str(Path("~") / Path(place).relative_to(Path.home()))
    except ValueError:
        return place


SAMPLE_MS = 2000
_BARS = 12
_BAR = 3
_HEIGHT = 16


@dataclass(frozen=True, slots=True)
class Load:
    """A sample of the machine and its GPUs."""

    machine: MachineSample
    gpus: tuple[GpuSample, ...]


class LoadSampler:
    """Samples the machine in a background thread; the first sample loads the driver of the GPUs.

    Args:
        gpus: The meter of the GPUs; that of this machine if None.
    """

    def __init__(self, gpus: GpuMeter | None = None) -> None:
        self._gpus = gpus

    def sample(self) -> Load:
        """Return the current load of the machine."""
        from studio.engine.jobs.machine import (  # noqa: PLC0415 - the window starts without it
            GpuMeter,
            machine_sample,
        )

        if self._gpus is None:
            self._gpus = GpuMeter()
        return Load(machine_sample(), self._gpus.sample())


class LoadMeter(QWidget):
    """The last loads as small columns behind a label; hidden before the first sample."""

    def __init__(
        self, theme: Theme, word: str, color_index: int, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._columns = _Columns(theme, color_index, self)
        label = text_label(word, "caption", self)
        hbox(label, self._columns, owner=self, spacing=SPACE.xs)
        self.setAccessibleName(word)
        self.setVisible(False)

    def add(self, load: float, details: str) -> None:
        """Append a sample.

        Args:
            load: Load from 0 to 1; NaN is a gap.
            details: Text of the tooltip.
        """
        self._columns.add(load)
        self.setToolTip(details)
        self.setAccessibleDescription(details.replace("\n", ", "))
        self.setVisible(True)

    def loads(self) -> list[float]:
        """Return the loads that are shown, oldest first."""
        return list(self._columns.loads)


class DeviceMeters(QWidget):
    """Load of CPU and GPU, sampled every two seconds while visible."""

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
        self._has_failed = False
        self.cpu = LoadMeter(theme, self.tr("CPU"), 0, self)
        self.gpu = LoadMeter(theme, self.tr("GPU"), 2, self)
        self._timer = QTimer(self)
        self._timer.setInterval(SAMPLE_MS)
        self._timer.timeout.connect(self.ask)
        hbox(self.cpu, self.gpu, owner=self, spacing=SPACE.m, margins=(0, 0, SPACE.s, 0))
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)

    def ask(self) -> None:
        """Start a sample in the background unless one is running."""
        if not self._is_asking:
            self._is_asking = True
            work, ended = self._sampler.sample, partial(setattr, self, "_is_asking", False)
            self._background.run(self, work, self._on_load, self._on_failed, ended)

    def showEvent(self, event: QShowEvent) -> None:
        """Sample while visible."""
        super().showEvent(event)
        self._timer.start()

    def hideEvent(self, event: QHideEvent) -> None:
        """Stop sampling while hidden."""
        super().hideEvent(event)
        self._timer.stop()

    def _on_failed(self, error: BaseException) -> None:
        """Report the first failure; later samples may succeed."""
        if not self._has_failed:
            self._has_failed = True
            self._background.failed.emit(error)

    def _on_load(self, load: Load) -> None:
        self._has_failed = False
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


class _Columns(PaintedWidget):
    is_smooth = False

    def __init__(self, theme: Theme, color_index: int, parent: QWidget) -> None:
        super().__init__(theme, parent)
        self._color_index = color_index
        self.loads: deque[float] = deque(maxlen=_BARS)
        self.setFixedSize(self.sizeHint())
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)

    def add(self, load: float) -> None:
        self.loads.append(load)
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(_BARS * _BAR, _HEIGHT)

    def paint(self, painter: QPainter) -> None:
        ground = QColor(self._theme.palette.pressed)
        color = QColor(chart_color(self._color_index, dark=self._theme.is_dark))
        first = _BARS - len(self.loads)
        for index in range(_BARS):
            left = index * _BAR
            painter.fillRect(QRectF(left, _HEIGHT - 1, _BAR - 1, 1), ground)
            load = self.loads[index - first] if index >= first else 0.0
            if load > 0:
                height = max(1.0, min(load, 1.0) * _HEIGHT)
                painter.fillRect(QRectF(left, _HEIGHT - height, _BAR - 1, height), color)


def _bytes(number: float) -> str:
    return size(int(number)) if math.isfinite(number) else NO_VALUE


def _or_zero(value: float) -> float:
    return value if math.isfinite(value) else 0.0
