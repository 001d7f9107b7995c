"""Settings of the window: workspace, language, colors, how much of forms is shown."""

from __future__ import annotations

from pathlib import Path
from typing import cast

from PySide6.QtCore import QSignalBlocker, Qt
from PySide6.QtWidgets import QWidget

from studio.engine.workspace import sync_advice
from studio.ui.context import AppContext
from studio.ui.engine_text import engine_text
from studio.ui.forms.switch import Switch
from studio.ui.language import SYSTEM, native_names
from studio.ui.navigation import OpenWorkspace
from studio.ui.pages.settings.setting_row import SettingGroup, SettingRow
from studio.ui.theme.theme import Mode
from studio.ui.widgets.buttons import push_button
from studio.ui.widgets.inputs import ComboBox
from studio.ui.widgets.tips import explain

_TOOL_TIP = Qt.ItemDataRole.ToolTipRole


class GeneralGroup(SettingGroup):
    """What concerns the whole window; each choice is obeyed at once."""

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
            self.tr("Opens another folder as the workspace; an empty one begins a new one."),
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
                self.tr(
                    "Of all words in the window; only dialogs of the system stay as they are."
                ),
                self.language,
                words="language idioma",
            ),
            SettingRow(
                self.tr("Colors"),
                self.tr("Light, dark, or as the system has them at the moment."),
                self.colors,
                words=self.tr("theme dark light mode"),
            ),
            SettingRow(
                self.tr("Show all settings of forms"),
                self.tr("For those who know their way: nothing is hidden behind “More”."),
                self.expert,
                words=self.tr("expert beginner advanced level"),
            ),
        ]

    def _warn_if_synced(self) -> None:
        service, advice = sync_advice(self._context.workspace.root)
        if service:
            found = self.tr("This folder is synced by {service}.").format(service=service)
            self.workspace.note.show_text(f"{found} {engine_text(advice)}", "advice")

    def _fill(self) -> None:
        root = self._context.workspace.root
        recent = [path for path in self._context.settings.recent_workspaces if path != root]
        for path in (root, *recent):
            self.recent.addItem(path.name, str(path))
            self.recent.setItemData(self.recent.count() - 1, str(path), _TOOL_TIP)
        self.recent.setAccessibleName(self.tr("Recent workspaces"))
        self.language.addItem(self.tr("As the system"), SYSTEM)
        for code, name in native_names().items():
            self.language.addItem(name, code)
        for mode, text in (
            ("system", self.tr("As the system")),
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
        """Show what is set, also where it was set elsewhere."""
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
        self._context.navigator.language_wanted.emit(self.language.currentData())

    def _on_colors(self) -> None:
        mode = cast("Mode", self.colors.currentData())
        self._context.settings.theme = mode
        self._context.theme.mode = mode

    def _on_expert(self, on: bool) -> None:
        self._context.settings.is_expert = on
