"""The message in place of the window where its libraries are missing."""

from __future__ import annotations

import sys
from typing import Final

from studio.cli.main import USERS_MISTAKE
from studio.cli.verb import write_message
from studio.engine.installation import install_command

LIBRARIES: Final = ("PySide6", "pyqtgraph", "qtawesome", "shiboken6")
"""Packages of the extra "gui"."""


def refuse(error: ImportError, *, has_console: bool) -> int:
    """Say what the window lacks, and return the exit code.

    Args:
        error: Raised by the import of the window.
        has_console: False if the process has no standard error, which Windows does not give to
            `studio-window`: a box shows the text then.

    Raises:
        ImportError: The error has nothing to do with the libraries of the window.
    """
    library = (error.name or "").partition(".")[0]
    if isinstance(error, ModuleNotFoundError) and library in LIBRARIES:
        text = (
            f"The window needs {library}, which is not installed. "
            f"Install it with: {install_command('gui')}"
        )
    elif library in LIBRARIES or any(name in (error.path or "") for name in LIBRARIES):
        text = f"The window cannot load Qt: {error.msg}. studio doctor names what is missing"
    else:
        raise error
    text = f"{text}. The command line works without it: studio --help"
    write_message(f"studio: {text}")
    if not has_console:
        _show_box(text)
    return USERS_MISTAKE


def _show_box(text: str) -> None:
    """Show a text in a box of Windows, and wait until it is closed."""
    if sys.platform == "win32":
        import ctypes  # noqa: PLC0415

        ctypes.windll.user32.MessageBoxW(None, text, "Studio", 0x10)
