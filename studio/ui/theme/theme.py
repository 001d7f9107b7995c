"""The current theme: palette and level of forms."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal, get_args

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtGui import QAction, QColor, QFont, QGuiApplication, QPalette
from PySide6.QtWidgets import QApplication, QWidget

from studio.ui.theme.restyling import Restyler
from studio.ui.theme.style import StudioStyle
from studio.ui.theme.stylesheet import build_stylesheet
from studio.ui.theme.tokens import DARK, LIGHT, TYPE, ColorPalette, Role

Mode = Literal["system", "light", "dark"]

_SCHEMES = {
    "system": Qt.ColorScheme.Unknown,
    "light": Qt.ColorScheme.Light,
    "dark": Qt.ColorScheme.Dark,
}


class Theme(QObject):
    """Light or dark, chosen or following the system.

    The composition root makes one and passes it to every widget that paints.

    Signals:
        changed: The palette changed; widgets repaint and icons are redrawn.
        mode_changed: The user chose another mode.
        expert_changed: True if forms show all settings now.
    """

    changed = Signal()
    mode_changed = Signal()
    expert_changed = Signal(bool)

    def __init__(self, mode: Mode = "system", parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._mode: Mode = mode
        self._is_expert = False
        self._app: QApplication | None = None
        self._restyler: Restyler | None = None
        self._palette = self._requested()
        QGuiApplication.styleHints().colorSchemeChanged.connect(self._refresh)

    @property
    def mode(self) -> Mode:
        """The mode that the user chose."""
        return self._mode

    @mode.setter
    def mode(self, mode: Mode) -> None:
        if mode not in get_args(Mode):
            raise ValueError(f"a mode is one of {get_args(Mode)}; received {mode!r}")
        if mode == self._mode:
            return
        self._mode = mode
        self._apply_to_system()
        self._refresh()
        self.mode_changed.emit()

    @property
    def is_expert(self) -> bool:
        """True if forms show all settings, not some behind "More"."""
        return self._is_expert

    @is_expert.setter
    def is_expert(self, requested: bool) -> None:
        if requested != self._is_expert:
            self._is_expert = requested
            self.expert_changed.emit(requested)

    @property
    def palette(self) -> ColorPalette:
        """The palette in use."""
        return self._palette

    @property
    def is_dark(self) -> bool:
        """True if the dark palette is in use."""
        return self._palette is DARK

    def color(self, role: Role) -> QColor:
        """Return the color of a role, for painting."""
        return QColor(self._palette.color(role))

    def apply(self, app: QApplication) -> None:
        """Style an application, now and whenever the theme changes."""
        self._app, self._restyler = app, Restyler(app)
        app.setStyle(StudioStyle())
        font = QFont(app.font())
        font.setPixelSize(TYPE.body)
        app.setFont(font)
        self._apply_to_system()
        self._palette = self._requested()
        self._style()

    def _apply_to_system(self) -> None:
        # Title bars and native dialogs follow this, where the platform knows how.
        if self._app is not None:
            QGuiApplication.styleHints().setColorScheme(_SCHEMES[self._mode])

    def _refresh(self) -> None:
        requested = self._requested()
        if requested is self._palette:
            return
        self._palette = requested
        self._style()
        self.changed.emit()

    def _requested(self) -> ColorPalette:
        if self._mode == "system":
            scheme = QGuiApplication.styleHints().colorScheme()
            return DARK if scheme == Qt.ColorScheme.Dark else LIGHT
        return DARK if self._mode == "dark" else LIGHT

    def _style(self) -> None:
        if self._app is None or self._restyler is None:
            return
        self._app.setPalette(qt_palette(self._palette))
        sheet = build_stylesheet(self._palette)
        if self._app.styleSheet() != sheet:  # Qt styles every widget again, even by the same sheet
            self._restyler.replace(sheet)

    def recolor(self, target: QWidget | QAction, function: Callable[[], None]) -> None:
        """Call a function that follows the palette: at once if its widget is visible, else soon.

        Args:
            target: The widget or action that the function changes.
            function: Nothing is called if the target is deleted before.
        """
        if self._restyler is None:
            function()
        else:
            self._restyler.call(target, function)


def qt_palette(colors: ColorPalette) -> QPalette:
    """Return the palette as a `QPalette`, for widgets without a rule in the style sheet."""
    role = QPalette.ColorRole
    palette = QPalette()
    for target, color in (
        (role.Window, colors.ground),
        (role.WindowText, colors.text),
        (role.Base, colors.surface),
        (role.AlternateBase, colors.ground),
        (role.Text, colors.text),
        (role.PlaceholderText, colors.muted),
        (role.Button, colors.surface),
        (role.ButtonText, colors.text),
        (role.BrightText, colors.bad),
        (role.ToolTipBase, colors.raised),
        (role.ToolTipText, colors.text),
        (role.Highlight, colors.accent),
        (role.HighlightedText, colors.on_accent),
        (role.Accent, colors.accent),
        (role.Link, colors.accent),
        (role.LinkVisited, colors.accent),
        (role.Light, colors.surface),
        (role.Midlight, colors.hover),
        (role.Mid, colors.border),
        (role.Dark, colors.outline),
        (role.Shadow, colors.ground),
    ):
        palette.setColor(target, QColor(color))
    for target in (role.WindowText, role.Text, role.ButtonText, role.HighlightedText):
        palette.setColor(QPalette.ColorGroup.Disabled, target, QColor(colors.disabled))
    return palette
