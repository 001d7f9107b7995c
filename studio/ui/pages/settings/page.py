"""The page of settings: a field that searches, and below it the groups."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import Qt, QTimer
from PySide6.QtWidgets import QHBoxLayout, QLabel, QLineEdit, QVBoxLayout, QWidget

from studio.ui.context import AppContext
from studio.ui.navigation import OpenPage, OpenSettings
from studio.ui.pages.page import Page
from studio.ui.pages.settings.cache_group import CacheGroup
from studio.ui.pages.settings.general_group import GeneralGroup
from studio.ui.pages.settings.keys_group import KeysGroup
from studio.ui.pages.settings.run_group import RunGroup
from studio.ui.pages.settings.setting_row import SettingGroup
from studio.ui.pages.settings.work_group import WorkGroup
from studio.ui.theme.tokens import SPACE
from studio.ui.widgets.pages import PageHeader, ScrollColumn
from studio.ui.widgets.tips import explain

_WIDTH = 880
_SEARCH_WIDTH = 300


class View(Page):
    """Everything that can be set, each at once."""

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
        self.nothing = QLabel(self.tr("No setting is called so."), self)
        self.nothing.setProperty("role", "muted")
        self.nothing.hide()
        self.list = ScrollColumn(SPACE.l, self)
        self._lay_out()
        self.search.textChanged.connect(self._on_search)
        explain(self.search, self.tr("Shows only settings whose words hold what you type."))

    def groups(self) -> list[SettingGroup]:
        """The groups, from top to bottom."""
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
            self.tr("Everything counts at once; nothing has to be saved."),
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
