"""The strip above the pages: which workspace, what the machine does, and light or dark."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QSizePolicy, QToolButton, QWidget

from studio.ui.context import AppContext
from studio.ui.shell.commands import PALETTE
from studio.ui.shell.device_meters import DeviceMeters
from studio.ui.theme.icons import set_icon
from studio.ui.theme.theme import Mode
from studio.ui.theme.tokens import SPACE
from studio.ui.widgets.buttons import icon_button, push_button
from studio.ui.widgets.figures import count

_NEXT: dict[Mode, Mode] = {"system": "light", "light": "dark", "dark": "system"}
_ICONS: dict[Mode, str] = {"system": "system-theme", "light": "sun", "dark": "moon"}


class TopBar(QFrame):
    """Workspace on the left, meters of the machine and theme on the right.

    Signals:
        workspace_wanted: The user wants to open another workspace.
        palette_wanted: The user wants to find or do something.
        help_wanted: The user wants to read about this page.
    """

    workspace_wanted = Signal()
    palette_wanted = Signal()
    help_wanted = Signal()

    def __init__(self, context: AppContext, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("topBar")
        self._context = context
        root = context.workspace.root
        self.workspace_button = push_button(
            root.name, context.theme, kind="quiet", icon="workspace"
        )
        self.workspace_button.setToolTip(
            self.tr("{path}\nClick to open another workspace").format(path=_short(root))
        )
        self.workspace_button.setAccessibleName(self.tr("Workspace {name}").format(name=root.name))
        self.workspace_button.clicked.connect(self._on_workspace)
        self.reading = QLabel(self)
        self.reading.setProperty("role", "muted")
        # In the place of a space that is there anyway: nothing moves when it is empty again.
        self.reading.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        context.jobs.reading.connect(self._on_reading)
        context.jobs.loaded.connect(self.reading.clear)
        self.theme_button: QToolButton = icon_button("system-theme", "", context.theme)
        self.theme_button.clicked.connect(self._on_theme)
        self.help_button = icon_button("help", self.tr("Help for this page"), context.theme)
        self.help_button.clicked.connect(self.help_wanted)
        context.theme.mode_changed.connect(self._show_theme)
        self._show_theme()
        self.palette_button = push_button("", context.theme, icon="search")
        self.palette_button.setProperty("kind", "field")
        self.palette_button.clicked.connect(self.palette_wanted)
        context.settings.shortcuts.changed.connect(self._tell_keys)
        self._tell_keys()
        self.meters = DeviceMeters(context.theme, context.background, self)
        # As high on every page, however little room a page leaves.
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        row = QHBoxLayout(self)
        row.setContentsMargins(SPACE.m, SPACE.s, SPACE.m, SPACE.s)
        row.addWidget(self.workspace_button)
        row.addWidget(self.reading, 1)
        row.addWidget(self.palette_button, 2)
        row.addStretch(1)
        row.addWidget(self.meters)
        row.addWidget(self.help_button)
        row.addWidget(self.theme_button)

    def _on_workspace(self) -> None:
        self.workspace_wanted.emit()

    def _on_reading(self, records: int) -> None:
        self.reading.setText(self.tr("{n} records read…").format(n=count(records)))

    def _on_theme(self) -> None:
        theme = self._context.theme
        theme.mode = _NEXT[theme.mode]
        self._context.settings.theme = theme.mode
        self._show_theme()

    def _tell_keys(self) -> None:
        shortcuts = self._context.settings.shortcuts
        text = shortcuts.short_text(PALETTE)
        self.palette_button.setText(self.tr("Search or run a command…") + f"   {text}")
        self.palette_button.setAccessibleName(PALETTE.label())
        self.palette_button.setToolTip(shortcuts.text(PALETTE))

    def _show_theme(self) -> None:
        mode = self._context.theme.mode
        names: dict[Mode, str] = {
            "system": self.tr("Colors: as the system. Click for light."),
            "light": self.tr("Colors: light. Click for dark."),
            "dark": self.tr("Colors: dark. Click to follow the system."),
        }
        set_icon(self.theme_button, _ICONS[mode], self._context.theme, "muted")
        self.theme_button.setToolTip(names[mode])
        self.theme_button.setAccessibleName(names[mode])


def _short(path: Path) -> str:
    """The path with the home folder as ~."""
    try:
        return str(Path("~") / path.relative_to(Path.home()))
    except ValueError:
        return str(path)
