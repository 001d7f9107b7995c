"""The one line of help that a control has wherever it stands."""

from __future__ import annotations

from PySide6.QtWidgets import QWidget


def explain(control: QWidget, text: str) -> None:
    """Say what a control does, or why one would use it, in one line.

    The line answers "What's this?" and is read by screen readers. It is the tip too, but for a
    control that has one already, such as the reason why it cannot be pressed now.
    """
    control.setWhatsThis(text)
    if not control.toolTip():
        control.setToolTip(text)
    if not control.accessibleDescription():
        control.setAccessibleDescription(text)
