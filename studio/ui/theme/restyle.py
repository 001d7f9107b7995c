"""Properties that the style sheet looks at."""

from __future__ import annotations

from PySide6.QtWidgets import QWidget


def restyle(widget: QWidget, name: str, value: object) -> None:
    """Set a property by which the style sheet selects, and have it looked at again."""
    widget.setProperty(name, value)
    widget.style().unpolish(widget)
    widget.style().polish(widget)
