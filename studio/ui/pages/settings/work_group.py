"""How much of the machine the jobs of this workspace take, and telling of their end."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Final

from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QWidget

from studio.engine.workspace import Limits, read_limits, write_limits
from studio.ui.context import AppContext
from studio.ui.forms.switch import Switch
from studio.ui.pages.settings.setting_row import SettingGroup, SettingRow
from studio.ui.settings import MOST_SECONDS
from studio.ui.widgets.inputs import SpinBox

_MOST_JOBS: Final = 64
SETTLE_MS: Final = 300
"""Typing a number comes to rest before it is written."""


class WorkGroup(SettingGroup):
    """The queue's limit is in the workspace, where the command line reads it, too."""

    def __init__(self, context: AppContext, parent: QWidget | None = None) -> None:
        super().__init__("work", "", parent)
        self.title = self.tr("Work")
        self.set_title(self.title)
        self._context = context
        self.jobs = SpinBox(self)
        self.jobs.setRange(0, _MOST_JOBS)
        self.jobs.setSpecialValueText(self.tr("No limit"))
        self.jobs.setEnabled(False)
        self.jobs.setToolTip(self.tr("The limits of the workspace are being read."))
        self.awake = Switch(context.theme, self)
        self.awake.setEnabled(False)
        self.awake.setToolTip(self.tr("The limits of the workspace are being read."))
        self.tells = Switch(context.theme, self)
        self.tells.setChecked(context.settings.tells_ends)
        self.seconds = SpinBox(self)
        self.seconds.setRange(0, MOST_SECONDS)
        self.seconds.setSuffix(self.tr(" s"))
        self.seconds.setValue(context.settings.long_work)
        self._settle = QTimer(self)
        self._settle.setSingleShot(True)
        self._settle.setInterval(SETTLE_MS)
        self.add_rows(self._all_rows())
        self._allow()
        self._connect()
        work = partial(read_limits, context.workspace.root)
        context.background.run(self, work, self._on_read)

    def _all_rows(self) -> list[SettingRow]:
        return [
            SettingRow(
                self.tr("Jobs at once"),
                self.tr(
                    "How many jobs of this workspace work at the same time; without a limit, all "
                    "that have a device."
                ),
                self.jobs,
                words=self.tr("workers queue parallel limit"),
            ),
            SettingRow(
                self.tr("Keep the computer awake"),
                self.tr("Prevents sleep while jobs are running. The screen may still turn off."),
                self.awake,
                words=self.tr("sleep standby suspend energy power"),
            ),
            SettingRow(
                self.tr("Tell when long work ends"),
                self.tr("By a message of the system, while the window is not in front."),
                self.tells,
                words=self.tr("notifications message alert finished"),
            ),
            SettingRow(
                self.tr("Long work"),
                self.tr("Work that takes at least so long is told of."),
                self.seconds,
                words=self.tr("notifications message seconds duration"),
            ),
        ]

    def _connect(self) -> None:
        self.jobs.valueChanged.connect(self._on_jobs)
        self.awake.toggled.connect(self._on_awake)
        self._settle.timeout.connect(self._write)
        self.tells.toggled.connect(self._on_tells)
        self.seconds.valueChanged.connect(self._on_seconds)

    def _on_read(self, limits: Limits) -> None:
        for control in (self.jobs, self.awake):
            control.blockSignals(True)
        self.jobs.setValue(limits.jobs_at_once)
        self.awake.setChecked(limits.keep_awake)
        for control in (self.jobs, self.awake):
            control.blockSignals(False)
            control.setEnabled(True)
            control.setToolTip("")

    def _on_jobs(self) -> None:
        self._settle.start()

    def _write(self) -> None:
        changes = {"jobs_at_once": self.jobs.value(), "keep_awake": self.awake.isChecked()}
        work = partial(_set_limits, self._context.workspace.root, changes)
        self._context.background.run(self, work, self._on_written)

    def _on_written(self, _nothing: object) -> None:
        self._context.jobs.wake()

    def _on_awake(self, _on: bool) -> None:
        self._settle.start()

    def _on_tells(self, on: bool) -> None:
        self._context.settings.tells_ends = on
        self._allow()

    def _on_seconds(self, seconds: int) -> None:
        self._context.settings.long_work = seconds

    def _allow(self) -> None:
        on = self._context.settings.tells_ends
        self.seconds.setEnabled(on)
        self.seconds.setToolTip("" if on else self.tr("Nobody is told."))


def _set_limits(root: Path, changes: Mapping[str, object]) -> None:
    """Called in another thread."""
    write_limits(root, read_limits(root).changed(**changes))
