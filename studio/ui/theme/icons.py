"""Icons by name, drawn from a font (Phosphor, MIT) that QtAwesome ships."""

from __future__ import annotations

import importlib.util
import json
from pathlib import Path
from typing import Final

from PySide6.QtCore import QObject, QRect, QSize, Qt
from PySide6.QtGui import (
    QAction,
    QColor,
    QFont,
    QFontDatabase,
    QGuiApplication,
    QIcon,
    QPainter,
    QPixmap,
)
from PySide6.QtWidgets import QAbstractButton, QPushButton

from studio.ui.theme.theme import Theme
from studio.ui.theme.tokens import ICON, ICON_SMALL, Role

GAP: Final = 4
"""Pixels behind the icon of a button with a text, besides the 4 that Qt leaves."""
# Of buttons at scales 1 and 2; anything else is scaled down from the next larger one.
_SIDES: Final = (ICON_SMALL, ICON, 2 * ICON_SMALL, 2 * ICON)
# Leaves the room around a glyph that QtAwesome leaves.
_GLYPH_SHARE: Final = 0.875
_FONT: Final = "phosphor-1.3.0.ttf"
_CHARACTER_MAP: Final = "phosphor-charmap-1.3.0.json"

GLYPHS: Final[dict[str, str]] = {
    "app": "circles-three-plus",
    "back": "arrow-left",
    "benchmarks": "gauge",
    "box": "bounding-box",
    "brush": "paint-brush",
    "chart": "chart-line",
    "camera": "camera",
    "check": "check",
    "chevron-down": "caret-down",
    "chevron-left": "caret-left",
    "chevron-right": "caret-right",
    "chevron-up": "caret-up",
    "close": "x",
    "clock": "clock",
    "code": "code",
    "comment": "chat-centered-text",
    "completed": "check-circle",
    "clipboard": "clipboard",
    "copy": "copy",
    "cursor": "cursor",
    "cut-out": "selection-plus",
    "datasets": "squares-four",
    "device": "cpu",
    "download": "download-simple",
    "drop": "tray",
    "edit": "pencil-simple",
    "eraser": "eraser",
    "error": "warning-circle",
    "explore": "eye",
    "evaluate": "crosshair",
    "export": "export",
    "failed": "warning-circle",
    "file": "file",
    "fill": "paint-bucket",
    "filter": "funnel",
    "fit": "frame-corners",
    "fold": "arrows-in-line-vertical",
    "folder": "folder",
    "folder-open": "folder-open",
    "forward": "arrow-right",
    "heat-map": "thermometer",
    "help": "question",
    "hidden": "eye-slash",
    "hint": "lightbulb",
    "home": "house",
    "image": "image",
    "info": "info",
    "jobs": "stack",
    "keyboard": "keyboard",
    "language": "globe",
    "label": "tag",
    "layer-activation": "lightning",
    "layer-backbone": "package",
    "layer-block": "stack-simple",
    "layer-convolution": "grid-four",
    "layer-core": "circles-four",
    "layer-merging": "git-merge",
    "layer-normalization": "equals",
    "layer-other": "cube",
    "layer-pooling": "arrows-in-simple",
    "layer-preprocessing": "sun-dim",
    "layer-recurrent": "arrows-clockwise",
    "layer-regularization": "drop-half",
    "layer-shape": "rows",
    "layout": "flow-arrow",
    "list": "list",
    "lock": "lock",
    "lock-open": "lock-open",
    "log-axis": "math-operations",
    "lost": "link-break",
    "minus": "minus",
    "more": "dots-three",
    "networks": "tree-structure",
    "pause": "pause",
    "paused": "pause-circle",
    "pausing": "pause-circle",
    "play": "play",
    "plus": "plus",
    "predict": "magic-wand",
    "plug-in": "puzzle-piece",
    "polygon": "polygon",
    "pruned": "scissors",
    "queue": "hourglass",
    "queued": "hourglass",
    "redo": "arrow-u-up-right",
    "refresh": "arrows-clockwise",
    "reset-view": "corners-out",
    "resume": "play",
    "running": "play-circle",
    "save": "floppy-disk",
    "screen": "monitor",
    "segment": "hand-pointing",
    "search": "magnifying-glass",
    "settings": "gear",
    "skip": "skip-forward",
    "starting": "spinner",
    "stop": "stop",
    "stopped": "stop-circle",
    "stopping": "stop-circle",
    "success": "check-circle",
    "sun": "sun",
    "moon": "moon",
    "sweeps": "sliders-horizontal",
    "system-theme": "circle-half",
    "table": "table",
    "tag": "tag",
    "train": "graduation-cap",
    "trash": "trash",
    "undo": "arrow-u-up-left",
    "unfold": "arrows-out-line-vertical",
    "upload": "upload-simple",
    "video": "film-strip",
    "visible": "eye",
    "wand": "magic-wand",
    "warning": "warning",
    "workspace": "briefcase",
    "zoom-in": "magnifying-glass-plus",
    "zoom-out": "magnifying-glass-minus",
}
"""Names of icons, and their glyphs in the font."""


def icon(name: str, theme: Theme, role: Role = "text", *, gap: bool = False) -> QIcon:
    """Return an icon in the theme's current color; see `set_icon` for one that follows the theme.

    Args:
        name: One of `GLYPHS`.
        theme: Colors.
        role: Color of the icon.
        gap: True to leave a gap of `GAP` pixels behind the icon, for buttons with a text.

    Raises:
        KeyError: There is no icon of that name.
    """
    source, colors = _source(theme), theme.palette
    return source.icon(GLYPHS[name], colors.color(role), colors.disabled, gap=gap)


def pixmap(name: str, theme: Theme, role: Role = "text", size: int = ICON) -> QPixmap:
    """Return an icon as a square pixmap, for labels and painting.

    Args:
        name: One of `GLYPHS`.
        theme: Colors.
        role: Color of the icon.
        size: Side in logical pixels.
    """
    return _source(theme).pixmap(GLYPHS[name], theme.palette.color(role), size)


def _source(theme: Theme) -> _IconSource:
    return theme.findChild(_IconSource) or _IconSource(theme)


def set_icon(
    target: QAbstractButton | QAction, name: str, theme: Theme, role: Role = "text"
) -> None:
    """Set an icon that is redrawn when the theme changes.

    Qt leaves 4 pixels between the icon and the text of a push button, which is too little.

    Args:
        target: The button or action.
        name: One of `GLYPHS`.
        theme: Colors.
        role: Color of the icon.
    """
    for old in target.findChildren(_IconBinding):
        old.setParent(None)
        old.deleteLater()
    _IconBinding(target, name, theme, role)


class _IconBinding(QObject):
    """Lives as long as its button, and keeps its icon in the color of the theme."""

    def __init__(
        self, target: QAbstractButton | QAction, name: str, theme: Theme, role: Role
    ) -> None:
        super().__init__(target)
        self._target = target
        self._name = name
        self._theme = theme
        self._role: Role = role
        self._has_text = isinstance(target, QPushButton)
        if isinstance(target, QPushButton):
            target.setIconSize(QSize(ICON_SMALL + GAP, ICON_SMALL))
        theme.changed.connect(self._follow)
        self._draw()

    def _follow(self) -> None:
        self._theme.recolor(self._target, self._draw)

    def _draw(self) -> None:
        if self.parent() is None:  # another icon was set
            return
        drawn = icon(self._name, self._theme, self._role, gap=self._has_text)
        self._target.setIcon(drawn)


class _IconSource(QObject):
    """The font and the icons drawn so far; a child of its theme, so it goes before Qt does.

    QtAwesome itself isn't imported: that takes 100 ms of the start, and its icons hold an engine
    written in Python, which crashed the process (in `~QIcon`) when the garbage collector freed it
    in another thread.
    """

    def __init__(self, theme: Theme) -> None:
        super().__init__(theme)
        package = importlib.util.find_spec("qtawesome")
        if package is None or package.origin is None:
            raise ModuleNotFoundError("QtAwesome, which has the icons, isn't installed")
        fonts = Path(package.origin).parent / "fonts"
        number = QFontDatabase.addApplicationFont(str(fonts / _FONT))
        self._font = QFont(QFontDatabase.applicationFontFamilies(number)[0])
        codes: dict[str, str] = json.loads((fonts / _CHARACTER_MAP).read_bytes())
        self._characters = {name: chr(int(code, 16)) for name, code in codes.items()}
        self._icons: dict[tuple[str, str, str, bool], QIcon] = {}
        self._pixmaps: dict[tuple[str, str, int], QPixmap] = {}

    def icon(self, glyph: str, color: str, disabled: str, *, gap: bool) -> QIcon:
        """Return an icon, drawn once."""
        key = (glyph, color, disabled, gap)
        if key not in self._icons:
            drawn = QIcon()
            for mode, pen in ((QIcon.Mode.Normal, color), (QIcon.Mode.Disabled, disabled)):
                for side in _SIDES:
                    behind = side * GAP // ICON_SMALL if gap else 0
                    drawn.addPixmap(self._draw(glyph, pen, side, behind), mode)
            self._icons[key] = drawn
        return self._icons[key]

    def pixmap(self, glyph: str, color: str, size: int) -> QPixmap:
        """Return an icon of some size in logical pixels, drawn once."""
        scale = max(screen.devicePixelRatio() for screen in QGuiApplication.screens())
        key = (glyph, color, round(size * scale))
        if key not in self._pixmaps:
            drawn = self._draw(glyph, color, key[-1])
            drawn.setDevicePixelRatio(scale)
            self._pixmaps[key] = drawn
        return self._pixmaps[key]

    def _draw(self, glyph: str, color: str, side: int, behind: int = 0) -> QPixmap:
        drawn = QPixmap(side + behind, side)
        drawn.fill(Qt.GlobalColor.transparent)
        painter = QPainter(drawn)
        painter.setPen(QColor(color))
        self._font.setPixelSize(round(_GLYPH_SHARE * side))
        painter.setFont(self._font)
        place = QRect(0, 0, side, side)
        painter.drawText(place, Qt.AlignmentFlag.AlignCenter, self._characters[glyph])
        painter.end()
        return drawn
