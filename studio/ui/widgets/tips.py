"""Help texts of controls, and the glossary in the tips of labels and column headings."""

from __future__ import annotations

import html
import textwrap
from functools import cache
from typing import Final

from PySide6.QtCore import QEvent, QLocale, QModelIndex, QObject, Qt
from PySide6.QtGui import QAction, QHelpEvent, QKeySequence
from PySide6.QtWidgets import QHeaderView, QToolTip, QWhatsThis, QWidget

from studio.engine.assets import closest_language, help_languages
from studio.engine.manual import term_in

_TIP_LETTERS: Final = 72
"""Maximum number of characters in a line of a tooltip."""


def wrapped_tip(*parts: str) -> str:
    """Break long sentences into the lines of a tooltip, one part per line.

    Tooltips are plain text (`StudioStyle`), which Qt does not wrap by itself.
    """
    return "\n".join(textwrap.fill(part, _TIP_LETTERS) for part in parts if part)


def literal(text: str) -> str:
    """Escape a text for `QWhatsThis`, which would take what looks like markup for markup."""
    return f"<p>{html.escape(text)}</p>" if "<" in text else text


def explain(control: QWidget, text: str) -> None:
    """Set a one-line explanation of a control.

    It is shown for "What's this?" and by screen readers. It is also the tooltip, unless the
    control has one already, such as the reason why it is disabled.

    Args:
        control: The control.
        text: Explanation of the action, or the reason to use it.
    """
    control.setWhatsThis(text)
    if not control.toolTip():
        control.setToolTip(text)
    if not control.accessibleDescription():
        control.setAccessibleDescription(text)


def name_control(control: QWidget, name: str) -> None:
    """Name a control without a text, by a tooltip and for screen readers.

    Args:
        control: The control.
        name: Its name.
    """
    control.setToolTip(name)
    control.setAccessibleName(name)


def allow(control: QWidget, reason: str = "", tip: str = "") -> None:
    """Enable a control, or disable it with the reason as its tooltip.

    Args:
        control: The control.
        reason: Reason why it cannot be used now; empty enables it.
        tip: Tooltip while it is enabled; by default its explanation, otherwise its name.
    """
    control.setEnabled(not reason)
    control.setToolTip(reason or tip or control.whatsThis() or control.accessibleName())


def allow_action(action: QAction, reason: str = "") -> None:
    """Enable an action, or disable it with the reason in place of the tooltip with its keys.

    Args:
        action: The action.
        reason: Reason why it cannot be used now; empty enables it.
    """
    action.setEnabled(not reason)
    keys = action.shortcut().toString(QKeySequence.SequenceFormat.NativeText)
    action.setToolTip(reason or (f"{action.text()} ({keys})" if keys else action.text()))


_TIPS = (QEvent.Type.ToolTip, QEvent.Type.WhatsThis)


def shown_language() -> str:
    """Return the language of the manual and the glossary that fits the texts of the window."""
    return _help_language(QLocale().name())


@cache
def _help_language(locale: str) -> str:
    return closest_language([locale], help_languages())


def learn_words() -> None:
    """Prepare the glossary of each language, which takes a while; in any thread.

    The language may be changed while the window is open.
    """
    for language in help_languages():
        term_in("network", language)


def with_term(text: str, tip: str = "") -> str:
    """Return a tip, followed by the explanation of a glossary term that occurs in a text.

    Args:
        text: A label, a title or a heading.
        tip: Text that is always shown.
    """
    term = term_in(text, shown_language())
    if term is None:
        return tip
    sentence = f"{term.name}: {term.meaning}"
    return f"{tip}\n{sentence}" if tip else sentence


class HeaderTips(QObject):
    """Explains the words in the headings of a table; what its model says comes first.

    Args:
        header: Header of the table; it owns this.
    """

    def __init__(self, header: QHeaderView) -> None:
        super().__init__(header)
        self._header = header
        header.viewport().installEventFilter(self)

    def eventFilter(self, _watched: QObject, event: QEvent) -> bool:
        """Show a tip of ours in place of Qt's, if there is something to explain."""
        if event.type() not in _TIPS or not isinstance(event, QHelpEvent):
            return False
        text = self.tip(self._header.logicalIndexAt(event.pos()))
        if not text:
            return False
        if event.type() == QEvent.Type.ToolTip:
            QToolTip.showText(event.globalPos(), text, self._header)
        else:
            QWhatsThis.showText(event.globalPos(), literal(text), self._header)
        return True

    def tip(self, section: int) -> str:
        """Return the tip of a column, or an empty text."""
        model = self._header.model()
        if section < 0 or section >= model.columnCount(QModelIndex()):
            return ""
        across = Qt.Orientation.Horizontal
        text = model.headerData(section, across, Qt.ItemDataRole.DisplayRole)
        tip = model.headerData(section, across, Qt.ItemDataRole.ToolTipRole)
        return with_term(str(text or ""), str(tip or ""))
