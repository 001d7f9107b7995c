"""The settings page: a search field and groups of settings."""

from __future__ import annotations

from functools import cached_property, partial
from pathlib import Path
from typing import Final, TypeVar, cast

from PySide6.QtCore import QSignalBlocker, Qt, QTimer
from PySide6.QtWidgets import QLineEdit, QWidget

from studio.engine.served.facts import title_and_place
from studio.engine.workspace import sync_advice
from studio.ui.context import AppContext
from studio.ui.forms.switch import Switch
from studio.ui.language import SYSTEM, native_names, translated
from studio.ui.navigation import OpenPage, OpenSettings, OpenWorkspace
from studio.ui.pages.page import Page
from studio.ui.pages.settings.groups import CacheGroup, KeysGroup, RunGroup
from studio.ui.pages.settings.machines import MachinesGroup
from studio.ui.pages.settings.rows import SettingGroup, WorkspaceLimits
from studio.ui.settings import MAX_SECONDS
from studio.ui.theme.theme import Mode
from studio.ui.theme.tokens import SPACE
from studio.ui.widgets.buttons import push_button
from studio.ui.widgets.inputs import ComboBox, SpinBox
from studio.ui.widgets.later import Later
from studio.ui.widgets.layout import STRETCH, fill, hbox, text_label, vbox
from studio.ui.widgets.pages import PageHeader, ScrollColumn
from studio.ui.widgets.tips import allow, explain

_WIDTH = 880
_SEARCH_WIDTH = 300
_LATER: Final = ("runs", "work", "machines", "caches", "keys")
"""Groups that are made after the first frame."""
GroupT = TypeVar("GroupT", "RunGroup", "WorkGroup", "MachinesGroup", "CacheGroup", "KeysGroup")


class View(Page):
    """All settings; every change takes effect immediately."""

    def __init__(self, context: AppContext, parent: QWidget | None = None) -> None:
        super().__init__(context, parent)
        self.search = QLineEdit(self, placeholderText=self.tr("Search the settings"))
        self.search.setAccessibleName(self.search.placeholderText())
        self.search.setFixedWidth(_SEARCH_WIDTH)
        self._middle = QWidget(self)
        self.list = ScrollColumn(SPACE.l, self._middle)
        inside = self.list.widget()
        self.general = GeneralGroup(context, inside)
        self.nothing = text_label(self.tr("No settings match."), "muted", inside)
        self.nothing.hide()
        self._lay_out()
        self.search.textChanged.connect(self._on_search)
        explain(self.search, self.tr("Shows only settings that contain the text."))
        Later(self, *(partial(getattr, self, name) for name in _LATER))

    @cached_property
    def runs(self) -> RunGroup:
        """Default values of new runs."""
        return self._add(RunGroup, self.general)

    @cached_property
    def work(self) -> WorkGroup:
        """Jobs and notifications."""
        return self._add(WorkGroup, self.runs)

    @cached_property
    def machines(self) -> MachinesGroup:
        """Other computers."""
        return self._add(MachinesGroup, self.work)

    @cached_property
    def caches(self) -> CacheGroup:
        """Caches and the trash."""
        return self._add(CacheGroup, self.machines)

    @cached_property
    def keys(self) -> KeysGroup:
        """Shortcuts."""
        return self._add(KeysGroup, self.caches)

    def _add(self, kind: type[GroupT], before: SettingGroup) -> GroupT:
        """Make a group below another one."""
        group = kind(self.context, self.list.widget())
        self.list.column.insertWidget(self.list.column.indexOf(before) + 1, group)
        group.show()
        return group

    def groups(self) -> list[SettingGroup]:
        """Return the groups, from top to bottom."""
        return [
            self.general,
            self.runs,
            self.work,
            self.machines,
            self.caches,
            self.keys,
        ]

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
        fill(self.list.column, self.general, self.nothing, STRETCH)
        self._middle.setMaximumWidth(_WIDTH)
        margins = (0, SPACE.l, 0, 0)
        vbox(header, (self.list, 1), owner=self._middle, spacing=SPACE.l, margins=margins)
        hbox(STRETCH, (self._middle, 1000), STRETCH, owner=self, margins=(SPACE.xl, 0, SPACE.l, 0))

    def _on_room(self, width: int) -> None:
        self._header.setContentsMargins(0, 0, max(0, self.list.width() - width), 0)

    def _on_search(self, typed: str) -> None:
        found = [group.search(typed) for group in self.groups()]
        self.nothing.setVisible(not any(found))
        self.list.verticalScrollBar().setValue(0)


_PERCENTS: Final = (80, 90, 100, 110, 125, 150, 175, 200)
"""Sizes of text and controls to choose from."""
_TOOL_TIP = Qt.ItemDataRole.ToolTipRole


class GeneralGroup(SettingGroup):
    """Settings of the whole window."""

    def __init__(self, context: AppContext, parent: QWidget | None = None) -> None:
        super().__init__("general", parent)
        self.set_title(self.tr("Window"))
        self._context = context
        self.recent = ComboBox(self, self.tr("Recent workspaces"))
        self.open_button = push_button(
            self.tr("Open another…"),
            context.theme,
            icon="folder-open",
            parent=self,
            tip=self.tr(
                "Opens another folder as the workspace. An empty folder becomes a new workspace."
            ),
            on_click=self._on_open,
        )
        self.language = ComboBox(self)
        self.colors = ComboBox(self)
        self.scale = ComboBox(self)
        self.restart_button = push_button(
            self.tr("Restart now"),
            context.theme,
            icon="refresh",
            parent=self,
            tip=self.tr("Opens the window again in the new size. Running jobs continue."),
            on_click=context.navigator.restart_requested.emit,
        )
        self.expert = Switch(context.theme, self)
        self._fill()
        self._add_rows()
        self._warn_if_synced()
        self._connect()

    def _add_rows(self) -> None:
        place = self.tr("The folder with all datasets, runs and exports: {path}")
        if not self._context.workspace.computes_here:
            place = self.tr("On another computer: {path}")
        place = place.format(path=self._context.workspace.place)
        words, both = self.tr("folder recent open project"), (self.recent, self.open_button)
        self.workspace = self.add(self.tr("Workspace"), place, *both, words=words)
        window = self.tr("Language of the window. System dialogs keep the language of the system.")
        self.add(self.tr("Language"), window, self.language, words="language idioma")
        colors, words = (
            self.tr("Light, dark, or the same as the system."),
            self.tr("theme dark light mode"),
        )
        self.add(self.tr("Colors"), colors, self.colors, words=words)
        larger = self.tr("Enlarges text, controls and images of the window after a restart.")
        words = self.tr("zoom scale font bigger larger accessibility")
        both = (self.scale, self.restart_button)
        self.add(self.tr("Size of text and controls"), larger, *both, words=words)
        every = self.tr("Shows every setting instead of hiding some behind “More”.")
        words = self.tr("expert beginner advanced level")
        self.add(self.tr("Show all settings of forms"), every, self.expert, words=words)

    def _warn_if_synced(self) -> None:
        service, advice = sync_advice(self._context.workspace.root)
        if service:
            found = self.tr("This folder is synced by {service}.").format(service=service)
            self.workspace.note.show_text(f"{found} {translated(advice)}", "advice")

    def _fill(self) -> None:
        root = self._context.workspace.root
        recent = [path for path in self._context.settings.recent_workspaces if path != root]
        for path in (root, *recent):
            name, place = title_and_place(path)
            self.recent.addItem(name, str(path))
            self.recent.setItemData(self.recent.count() - 1, place, _TOOL_TIP)
        system = self.tr("Same as the system")
        names = ((name, code) for code, name in native_names().items())
        self.language.set_entries([(system, SYSTEM), *names])
        light, dark = self.tr("Light"), self.tr("Dark")
        self.colors.set_entries([(system, "system"), (light, "light"), (dark, "dark")])
        text_size = self.tr("Text size of the system")
        sizes = ((f"{each} %", each) for each in _PERCENTS)
        self.scale.set_entries([(text_size, 0), *sizes])
        self._refresh()

    def _connect(self) -> None:
        context = self._context
        self.recent.activated.connect(self._on_recent)
        self.language.activated.connect(self._on_language)
        self.colors.activated.connect(self._on_colors)
        self.scale.activated.connect(self._on_scale)
        self.expert.toggled.connect(partial(setattr, context.settings, "is_expert"))
        context.theme.mode_changed.connect(self._refresh)
        context.settings.expert_changed.connect(self._refresh)

    def _refresh(self) -> None:
        """Show the current values, which also change elsewhere."""
        settings = self._context.settings
        self.language.choose(settings.language)
        self.colors.choose(self._context.theme.mode)
        self.scale.choose(settings.interface_percent)
        is_applied = settings.interface_percent == settings.applied_percent
        self.restart_button.setVisible(not is_applied)
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

    def _on_scale(self) -> None:
        percent = self.scale.currentData()
        self._context.settings.interface_percent = percent
        self._refresh()

    def _on_colors(self) -> None:
        self._context.theme.mode = cast("Mode", self.colors.currentData())


_MOST_JOBS: Final = 64


class WorkGroup(SettingGroup):
    """Jobs and notifications. The limit of the queue is a setting of the workspace."""

    def __init__(self, context: AppContext, parent: QWidget | None = None) -> None:
        super().__init__("work", parent)
        self.set_title(self.tr("Work"))
        self._context = context
        self.jobs = SpinBox(self)
        self.jobs.setRange(0, _MOST_JOBS)
        self.jobs.setSpecialValueText(self.tr("No limit"))
        self.priority = ComboBox(self)
        self.priority.set_entries(
            [
                (self.tr("Normal"), "normal"),
                (self.tr("Low"), "low"),
                (self.tr("Idle time only"), "idle"),
            ]
        )
        self.awake = Switch(context.theme, self)
        self.notifications = Switch(context.theme, self)
        self.notifications.setChecked(context.settings.notifies)
        self.seconds = SpinBox(self)
        self.seconds.setRange(0, MAX_SECONDS)
        self.seconds.setSuffix(self.tr(" s"))
        self.seconds.setValue(context.settings.long_job_seconds)
        self._add_rows()
        self._allow()
        limits: dict[str, QWidget] = {
            "jobs_at_once": self.jobs,
            "job_priority": self.priority,
            "keep_awake": self.awake,
        }
        WorkspaceLimits(context, limits, self)
        self.notifications.toggled.connect(self._on_notifications)
        self.seconds.valueChanged.connect(partial(setattr, context.settings, "long_job_seconds"))

    def _add_rows(self) -> None:
        at_once = self.tr(
            "How many jobs of this workspace run at the same time. Without a limit, a job "
            "starts as soon as a device is free."
        )
        words = self.tr("workers queue parallel limit")
        self.add(self.tr("Jobs at once"), at_once, self.jobs, words=words)
        beside = self.tr(
            "Processor time of jobs while other programs are busy. Idle processors are always "
            "used fully. Applies to jobs that start from now on."
        )
        words = self.tr("priority nice background processor cpu slow")
        self.add(self.tr("Priority of jobs"), beside, self.priority, words=words)
        sleep = self.tr("Prevents sleep while jobs are running. The screen may still turn off.")
        words = self.tr("sleep standby suspend energy power")
        self.add(self.tr("Keep the computer awake"), sleep, self.awake, words=words)
        ends = self.tr("Shows a system notification while the window is in the background.")
        words = self.tr("notifications message alert finished")
        self.add(self.tr("Notify when a job ends"), ends, self.notifications, words=words)
        shorter = self.tr("Shorter jobs end without a notification.")
        words = self.tr("notifications message seconds duration")
        self.add(self.tr("Notify only after"), shorter, self.seconds, words=words)

    def _on_notifications(self, on: bool) -> None:
        self._context.settings.notifies = on
        self._allow()

    def _allow(self) -> None:
        is_on = self._context.settings.notifies
        allow(self.seconds, "" if is_on else self.tr("Notifications are off."))
