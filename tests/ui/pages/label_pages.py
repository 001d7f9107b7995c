"""What tests of the page Label share."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QWidget

from studio.engine.labeling.project import Labeling
from studio.engine.workspace import RecordKind
from studio.ui.context import AppContext
from studio.ui.pages.label.view import LabelView

PICTURES = 6
Opener = Callable[..., LabelView]


def stored(context: AppContext) -> Labeling:
    """The labeling as another process reads it."""
    (record,) = context.workspace.records(RecordKind.LABELING)
    return Labeling(record)


def press(widget: QWidget, *keys: Qt.Key, modifiers: Qt.KeyboardModifier | None = None) -> None:
    for key in keys:
        QTest.keyClick(widget, key, modifiers or Qt.KeyboardModifier.NoModifier)
