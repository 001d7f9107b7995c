"""The one line of help that a control has wherever it stands."""

from __future__ import annotations

import html
import textwrap
from typing import Final

from PySide6.QtWidgets import QWidget

_TIP_LETTERS: Final = 72
"""Letters in a line of a tooltip."""


def wrapped_tip(*parts: str) -> str:
    """Break long sentences into the lines of a tooltip, each part on a line of its own.

    Tooltips are plain text (`app_behavior`), which Qt does not wrap by itself.
    """
    return "\n".join(textwrap.fill(part, _TIP_LETTERS) for part in parts if part)


def literal(text: str) -> str:
    """Escape a text for `QWhatsThis`, which would take what looks like markup for markup."""
    return f"<p>{html.escape(text)}</p>" if "<" in text else text


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
