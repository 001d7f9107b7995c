"""Size of the interface and of the window: the system's text size, and what fits on the screen.

Qt enlarges the whole interface, text, controls and pictures alike, by the factor in
`QT_SCALE_FACTOR`. It reads the factor once, before the application object exists, so another
factor takes effect at the next start of the window. Jobs run in processes of their own and do
not notice.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import subprocess
import sys
from collections.abc import MutableMapping
from typing import Final

from PySide6.QtCore import QMargins, QRect, QSize
from PySide6.QtWidgets import QWidget

USUAL_SIZE: Final = QSize(1280, 800)
MIN_SIZE: Final = QSize(900, 560)
"""Smallest size of the window, where the screen has room for it."""
FRAME: Final = QMargins(2, 32, 2, 2)
"""Room for the title bar and the border until the window manager tells their sizes."""
_SCALE: Final = "QT_SCALE_FACTOR"
_MIN_SCALE: Final = 0.5
_MAX_SCALE: Final = 4.0
_BASE_DPI: Final = 96
_SECONDS: Final = 2
_GNOME: Final = ("gsettings", "get", "org.gnome.desktop.interface", "text-scaling-factor")


def text_scale() -> float:
    """Return the system's text size as a factor that Qt does not apply by itself; 1 is usual.

    Qt applies the factor of X11 (`Xft.dpi`) and of macOS. It ignores the one of Windows and of
    GNOME on Wayland, and `QT_FONT_DPI` changes only fonts with sizes in points.
    """
    if dpi := os.environ.get("QT_FONT_DPI"):
        return max(_factor(dpi) / _BASE_DPI, 1.0)
    if sys.platform == "win32":
        return _windows_factor()
    if os.environ.get("WAYLAND_DISPLAY") and "QT_QPA_PLATFORM" not in os.environ:
        return _gnome_factor()
    return 1.0


def apply_scale(percent: int, environment: MutableMapping[str, str] = os.environ) -> float:
    """Enlarge the interface of the application that is created next.

    Args:
        percent: The size that was chosen; 0 for the system's text size.
        environment: Receives the factor; a factor that is there already is multiplied.

    Returns:
        The factor.
    """
    chosen = percent / 100 if percent else text_scale()
    factor = min(max(chosen * _factor(environment.get(_SCALE, "")), _MIN_SCALE), _MAX_SCALE)
    if factor != 1:
        environment[_SCALE] = f"{factor:g}"
    if percent or "QT_FONT_DPI" in environment:
        # Otherwise fonts with sizes in points would be enlarged twice.
        environment["QT_FONT_DPI"] = str(_BASE_DPI)
    return factor


def min_size(available: QRect) -> QSize:
    """Return the smallest size of the window on a screen.

    Args:
        available: The part of the screen without task bars.
    """
    return MIN_SIZE.boundedTo(available.marginsRemoved(FRAME).size())


def fitted(window: QRect, available: QRect) -> QRect:
    """Return a window's rectangle, made smaller and moved so that it lies on a screen.

    Args:
        window: The rectangle without the frame.
        available: The part of the screen without task bars.
    """
    room = available.marginsRemoved(FRAME)
    placed = QRect(window.topLeft(), window.size().boundedTo(room.size()))
    if placed.right() > room.right():
        placed.moveRight(room.right())
    if placed.bottom() > room.bottom():
        placed.moveBottom(room.bottom())
    placed.moveLeft(max(placed.left(), room.left()))
    placed.moveTop(max(placed.top(), room.top()))
    return placed


def fit_to_screen(window: QWidget) -> None:
    """Make a window smaller and move it so that all of it lies on its screen."""
    available = window.screen().availableGeometry()
    window.setMinimumSize(min_size(available))
    if not window.isMaximized() and not window.isFullScreen():
        window.setGeometry(fitted(window.geometry(), available))


def _factor(text: str) -> float:
    """Return a positive number in a text, or 1."""
    with contextlib.suppress(ValueError):
        number = float(text)
        return number if 0 < number < float("inf") else 1.0
    return 1.0


def _gnome_factor() -> float:
    if shutil.which(_GNOME[0]) is None:
        return 1.0
    try:
        done = subprocess.run(
            _GNOME, capture_output=True, text=True, timeout=_SECONDS, check=False
        )
    except (OSError, subprocess.TimeoutExpired):
        return 1.0  # the setting cannot be read; the usual size is always right enough
    return _factor(done.stdout.strip())


def _windows_factor() -> float:
    if sys.platform == "win32":
        import winreg  # noqa: PLC0415 - there on Windows only

        key = r"Software\Microsoft\Accessibility"
        try:
            with winreg.OpenKey(winreg.HKEY_CURRENT_USER, key) as opened:
                percent, _ = winreg.QueryValueEx(opened, "TextScaleFactor")
        except OSError:
            return 1.0  # there is no such value until a person changed it
        return max(_factor(str(percent)) / 100, 1.0)
    return 1.0
