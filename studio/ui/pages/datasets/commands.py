"""What can be done with datasets, as data."""

from __future__ import annotations

from typing import Final

from PySide6.QtCore import QT_TRANSLATE_NOOP
from PySide6.QtGui import QKeySequence

from studio.ui.commands import Command, Reach
from studio.ui.navigation import ImportImages, OpenSample

_Key = QKeySequence.StandardKey
_PAGE: Final = "datasets"

UNDO: Final = Command(
    "datasets.undo",
    str(QT_TRANSLATE_NOOP("commands", "Undo the last change of a dataset")),
    # By name: which of the two is "redo" differs between desktops.
    keys="Ctrl+Z",
    page=_PAGE,
    reach=Reach.PART,
)
REDO: Final = Command(
    "datasets.redo",
    str(QT_TRANSLATE_NOOP("commands", "Do the last change of a dataset again")),
    keys="Ctrl+Shift+Z; Ctrl+Y",
    page=_PAGE,
    reach=Reach.PART,
)
LARGER: Final = Command(
    "datasets.larger",
    str(QT_TRANSLATE_NOOP("commands", "Larger pictures")),
    keys=_Key.ZoomIn,
    page=_PAGE,
    reach=Reach.PART,
)
SMALLER: Final = Command(
    "datasets.smaller",
    str(QT_TRANSLATE_NOOP("commands", "Smaller pictures")),
    keys=_Key.ZoomOut,
    page=_PAGE,
    reach=Reach.PART,
)
FIND: Final = Command(
    "datasets.find",
    str(QT_TRANSLATE_NOOP("commands", "Search the images")),
    keys=_Key.Find,
    page=_PAGE,
    reach=Reach.PART,
)
EXCLUDE: Final = Command(
    "datasets.exclude",
    str(QT_TRANSLATE_NOOP("commands", "Leave the selected images out")),
    keys=_Key.Delete,
    page=_PAGE,
    reach=Reach.PART,
)
BACK: Final = Command(
    "datasets.back",
    str(QT_TRANSLATE_NOOP("commands", "Back from the images to the dataset")),
    keys=_Key.Cancel,
    page=_PAGE,
    reach=Reach.FIXED,
)

COMMANDS: Final = (
    Command(
        "datasets.import",
        str(QT_TRANSLATE_NOOP("commands", "Import a folder of images…")),
        "folder-open",
        words=str(QT_TRANSLATE_NOOP("commands", "open add new dataset data archive file")),
        page=_PAGE,
        intent=ImportImages(),
    ),
    Command(
        "datasets.samples",
        str(QT_TRANSLATE_NOOP("commands", "Show all sample datasets")),
        "datasets",
        words=str(QT_TRANSLATE_NOOP("commands", "demo example")),
        page=_PAGE,
        intent=OpenSample(),
    ),
    *(UNDO, REDO, FIND, EXCLUDE, LARGER, SMALLER, BACK),
)
