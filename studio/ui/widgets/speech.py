"""Texts that screen readers say without a change of the focus."""

from __future__ import annotations

from PySide6.QtGui import QAccessible, QAccessibleAnnouncementEvent
from PySide6.QtWidgets import QWidget


def announce(widget: QWidget, text: str, *, is_urgent: bool = False) -> None:
    """Let screen readers say a text.

    Args:
        widget: What it is about.
        text: The text.
        is_urgent: True to say it at once.
    """
    event = QAccessibleAnnouncementEvent(widget, text)
    levels = QAccessible.AnnouncementPoliteness
    event.setPoliteness(levels.Assertive if is_urgent else levels.Polite)
    QAccessible.updateAccessibility(event)
