"""The settings page: a search field and groups of settings."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Final, cast

from PySide6.QtCore import QSignalBlocker, Qt, QTimer
from PySide6.QtWidgets import QHBoxLayout, QLabel, QLineEdit, QVBoxLayout, QWidget

from studio.engine.workspace import Limits, read_limits, sync_advice, write_limits
from studio.ui.context import AppContext
from studio.ui.forms.switch import Switch
from studio.ui.language import SYSTEM, native_names, translated
from studio.ui.navigation import OpenPage, OpenSettings, OpenWorkspace
from studio.ui.pages.page import Page
from studio.ui.pages.settings.groups import CacheGroup, KeysGroup, RunGroup
from studio.ui.pages.settings.rows import SettingGroup, SettingRow
from studio.ui.settings import MOST_SECONDS
from studio.ui.theme.theme import Mode
from studio.ui.theme.tokens import SPACE
from studio.ui.widgets.buttons import push_button
from studio.ui.widgets.inputs import ComboBox, SpinBox
from studio.ui.widgets.layout import Debounce
from studio.ui.widgets.pages import PageHeader, ScrollColumn
from studio.ui.widgets.tips import explain

_WIDTH = 880
_SEARCH_WIDTH = 300


class View(Page):
    """All settings; every change takes effect immediately."""

    def __init__(self, context: AppContext, parent: QWidget | None = None) -> None:
        super().__init__(context, parent)
        self.search = QLineEdit(self)
        self.search.setPlaceholderText(self.tr("Search the settings"))
        self.search.setAccessibleName(self.tr("Search the settings"))
        self.search.setFixedWidth(_SEARCH_WIDTH)
        self.general = GeneralGroup(context, self)
        self.runs = RunGroup(context, self)
        self.work = WorkGroup(context, self)
        self.caches = CacheGroup(context, self)
        self.keys = KeysGroup(context, self)
        self.nothing = QLabel(self.tr("No settings match."), self)
        self.nothing.setProperty("role", "muted")
        self.nothing.hide()
        self.list = ScrollColumn(SPACE.l, self)
        self._lay_out()
        self.search.textChanged.connect(self._on_search)
        explain(self.search, self.tr("Shows only settings that contain the text."))

    def groups(self) -> list[SettingGroup]:
        """Return the groups, from top to bottom."""
        return [self.general, self.runs, self.work, self.caches, self.keys]

    def open(self, intent: OpenPage) -> None:
        """Scroll to a group."""
        if not isinstance(intent, OpenSettings):
            super().open(intent)
            return
        group = next(each for each in self.groups() if each.name == intent.group)
        self.search.clear()
        # Its place is known when the page was laid out.
        QTimer.singleShot(0, self, partial(self._bring, group))

    def _bring(self, group: SettingGroup) -> None:
        self.list.verticalScrollBar().setValue(group.y())
        first = group.first_control()
        if first is not None:
            first.setFocus(Qt.FocusReason.OtherFocusReason)

    def _lay_out(self) -> None:
        header = PageHeader(
            self.tr("Settings"),
            self.tr("Changes take effect immediately."),
            self,  # at once: in another window the search would lose its place before the groups
        )
        header.add_action(self.search)
        # Its right edge is that of the groups, which leave room for a scroll bar.
        self.list.room_changed.connect(self._on_room)
        self._header = header
        for group in self.groups():
            self.list.column.addWidget(group)
        self.list.column.addWidget(self.nothing)
        self.list.column.addStretch(1)
        middle = QWidget(self)
        middle.setMaximumWidth(_WIDTH)
        column = QVBoxLayout(middle)
        column.setContentsMargins(0, SPACE.l, 0, 0)
        column.setSpacing(SPACE.l)
        column.addWidget(header)
        column.addWidget(self.list, 1)
        row = QHBoxLayout(self)
        row.setContentsMargins(SPACE.xl, 0, SPACE.l, 0)
        row.addStretch(1)
        row.addWidget(middle, 1000)
        row.addStretch(1)

    def _on_room(self, width: int) -> None:
        self._header.setContentsMargins(0, 0, max(0, self.list.width() - width), 0)

    def _on_search(self, typed: str) -> None:
        found = [group.search(typed) for group in self.groups()]
        self.nothing.setVisible(not any(found))
        self.list.verticalScrollBar().setValue(0)


_TOOL_TIP = Qt.ItemDataRole.ToolTipRole


class GeneralGroup(SettingGroup):
    """Settings of the whole window."""

    def __init__(self, context: AppContext, parent: QWidget | None = None) -> None:
        super().__init__("general", "", parent)
        self.title = self.tr("Window")
        self.set_title(self.title)
        self._context = context
        self.recent = ComboBox(self)
        self.open_button = push_button(
            self.tr("Open another…"), context.theme, icon="folder-open", parent=self
        )
        self.language = ComboBox(self)
        self.colors = ComboBox(self)
        self.expert = Switch(context.theme, self)
        self._fill()
        self.add_rows(self._all_rows())
        self._warn_if_synced()
        self._connect()
        explain(
            self.open_button,
            self.tr(
                "Opens another folder as the workspace. An empty folder becomes a new workspace."
            ),
        )

    def _all_rows(self) -> list[SettingRow]:
        self.workspace = SettingRow(
            self.tr("Workspace"),
            self.tr("The folder with all datasets, runs and exports: {path}").format(
                path=self._context.workspace.root
            ),
            self.recent,
            self.open_button,
            words=self.tr("folder recent open project"),
        )
        return [
            self.workspace,
            SettingRow(
                self.tr("Language"),
                self.tr("Language of the window. System dialogs keep the language of the system."),
                self.language,
                words="language idioma",
            ),
            SettingRow(
                self.tr("Colors"),
                self.tr("Light, dark, or as the system."),
                self.colors,
                words=self.tr("theme dark light mode"),
            ),
            SettingRow(
                self.tr("Show all settings of forms"),
                self.tr("Shows every setting instead of hiding some behind “More”."),
                self.expert,
                words=self.tr("expert beginner advanced level"),
            ),
        ]

    def _warn_if_synced(self) -> None:
        service, advice = sync_advice(self._context.workspace.root)
        if service:
            found = self.tr("This folder is synced by {service}.").format(service=service)
            self.workspace.note.show_text(f"{found} {translated(advice)}", "advice")

    def _fill(self) -> None:
        root = self._context.workspace.root
        recent = [path for path in self._context.settings.recent_workspaces if path != root]
        for path in (root, *recent):
            self.recent.addItem(path.name, str(path))
            self.recent.setItemData(self.recent.count() - 1, str(path), _TOOL_TIP)
        self.recent.setAccessibleName(self.tr("Recent workspaces"))
        self.language.addItem(self.tr("Same as the system"), SYSTEM)
        for code, name in native_names().items():
            self.language.addItem(name, code)
        for mode, text in (
            ("system", self.tr("Same as the system")),
            ("light", self.tr("Light")),
            ("dark", self.tr("Dark")),
        ):
            self.colors.addItem(text, mode)
        self._refresh()

    def _connect(self) -> None:
        context = self._context
        self.recent.activated.connect(self._on_recent)
        self.open_button.clicked.connect(self._on_open)
        self.language.activated.connect(self._on_language)
        self.colors.activated.connect(self._on_colors)
        self.expert.toggled.connect(self._on_expert)
        context.theme.mode_changed.connect(self._refresh)
        context.settings.expert_changed.connect(self._refresh)

    def _refresh(self) -> None:
        """Show the current values, which also change elsewhere."""
        settings = self._context.settings
        self.language.setCurrentIndex(self.language.findData(settings.language))
        self.colors.setCurrentIndex(self.colors.findData(self._context.theme.mode))
        with QSignalBlocker(self.expert):
            self.expert.setChecked(settings.is_expert)
        self.expert.update()

    def _on_recent(self) -> None:
        path = Path(str(self.recent.currentData()))
        self.recent.setCurrentIndex(0)
        if path != self._context.workspace.root:
            self._context.navigator.open(OpenWorkspace(path))

    def _on_open(self) -> None:
        self._context.navigator.open(OpenWorkspace())

    def _on_language(self) -> None:
        self._context.navigator.language_requested.emit(self.language.currentData())

    def _on_colors(self) -> None:
        mode = cast("Mode", self.colors.currentData())
        self._context.settings.theme = mode
        self._context.theme.mode = mode

    def _on_expert(self, on: bool) -> None:
        self._context.settings.is_expert = on


_MOST_JOBS: Final = 64
SETTLE_MS: Final = 300
"""Pause after the last change before it is written."""


class WorkGroup(SettingGroup):
    """Jobs and notifications. The limit of the queue is a setting of the workspace."""

    def __init__(self, context: AppContext, parent: QWidget | None = None) -> None:
        super().__init__("work", "", parent)
        self.title = self.tr("Work")
        self.set_title(self.title)
        self._context = context
        self.jobs = SpinBox(self)
        self.jobs.setRange(0, _MOST_JOBS)
        self.jobs.setSpecialValueText(self.tr("No limit"))
        self.jobs.setEnabled(False)
        self.jobs.setToolTip(self.tr("Reading the limits of the workspace…"))
        self.awake = Switch(context.theme, self)
        self.awake.setEnabled(False)
        self.awake.setToolTip(self.tr("Reading the limits of the workspace…"))
        self.notifications = Switch(context.theme, self)
        self.notifications.setChecked(context.settings.notifies)
        self.seconds = SpinBox(self)
        self.seconds.setRange(0, MOST_SECONDS)
        self.seconds.setSuffix(self.tr(" s"))
        self.seconds.setValue(context.settings.long_job_seconds)
        self._settle = Debounce(SETTLE_MS, self._write, self)
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
                    "How many jobs of this workspace run at the same time. Without a limit, a job "
                    "starts as soon as a device is free."
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
                self.tr("Notify when a job ends"),
                self.tr("Shows a system notification while the window is in the background."),
                self.notifications,
                words=self.tr("notifications message alert finished"),
            ),
            SettingRow(
                self.tr("Notify only after"),
                self.tr("Shorter jobs end without a notification."),
                self.seconds,
                words=self.tr("notifications message seconds duration"),
            ),
        ]

    def _connect(self) -> None:
        self.jobs.valueChanged.connect(self._on_jobs)
        self.awake.toggled.connect(self._on_awake)
        self.notifications.toggled.connect(self._on_notifications)
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

    def _on_notifications(self, on: bool) -> None:
        self._context.settings.notifies = on
        self._allow()

    def _on_seconds(self, seconds: int) -> None:
        self._context.settings.long_job_seconds = seconds

    def _allow(self) -> None:
        on = self._context.settings.notifies
        self.seconds.setEnabled(on)
        self.seconds.setToolTip("" if on else self.tr("Notifications are off."))


def _set_limits(root: Path, changes: Mapping[str, object]) -> None:
    """Called in another thread."""
    write_limits(root, read_limits(root).changed(**changes))
