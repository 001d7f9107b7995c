"""Buttons that start and stop jobs, and say so in their own place until it has happened."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication
from PySide6.QtWidgets import QPushButton

from studio.engine.jobs.states import State
from studio.ui.bridge.jobs import JobEntry, Request


def show_start(button: QPushButton, word: str, *, is_asked: bool) -> None:
    """Show "Starting…" in a button from the click until the job is in the queue, else its word."""
    button.setText(QCoreApplication.translate("jobs", "Starting…") if is_asked else word)
    if is_asked:
        button.setEnabled(False)


def show_stopping(button: QPushButton) -> None:
    """Show "Stopping…" in a button after the click."""
    button.setText(QCoreApplication.translate("jobs", "Stopping…"))
    button.setEnabled(False)


def show_stop(
    button: QPushButton, entry: JobEntry | None, word: str, request: Request = "stop"
) -> None:
    """Show "Stopping…" in the button while that is under way, else its word.

    Args:
        button: Stops or pauses the job.
        entry: The job; None while it is not known yet, so that it cannot be stopped.
        word: On the button, such as "Stop", "Skip" or "Cancel".
        request: What the button asks for.
    """
    is_stopping = entry is not None and entry.state == State.STOPPING
    asked = entry.request if entry is not None else None
    is_here = is_stopping and (asked or "stop") == request
    if is_here and request == "stop":
        show_stopping(button)
        return
    button.setText(QCoreApplication.translate("jobs", "Pausing…") if is_here else word)
    # A stop goes before a pause that is under way.
    is_free = not is_stopping or (request == "stop" and asked == "pause")
    button.setEnabled(entry is not None and is_free)
