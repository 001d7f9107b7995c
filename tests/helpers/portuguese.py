"""Checks that texts of the engine are shown in Portuguese."""

from __future__ import annotations

import re

from PySide6.QtCore import QCoreApplication

from studio.engine.messages import Message, as_message
from studio.ui.language import CONTEXT, translated

ENGLISH = re.compile(r"\b(the|is|are|of|with|there|cannot|not|this|and|its?|was|must|than|from)\b")
NAMES = re.compile(r'"[^"]*"|\S*/\S*')


def untranslated(text: str) -> list[str]:
    """Return the templates in a message, at any depth, that have no translation."""
    message = as_message(text)
    found = [
        each
        for value in message.values.values()
        if isinstance(value, Message)
        for each in untranslated(value)
    ]
    words = re.findall(r"[A-Za-z]{2,}", re.sub(r"\{[^{}]*\}", "", message.template))
    is_known = QCoreApplication.translate(CONTEXT, message.template) != message.template
    return found if is_known or len(words) < 2 else [*found, str(message)]


def assert_portuguese(text: str) -> None:
    """Check that a text is translated, and that no English is left in it apart from names."""
    assert text
    shown = translated(text)
    assert untranslated(text) == []
    assert ENGLISH.findall(NAMES.sub("", shown).lower()) == [], shown
