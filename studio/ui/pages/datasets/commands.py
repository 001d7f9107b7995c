"""What can be done with datasets, as data."""

from __future__ import annotations

from functools import partial
from typing import Final

from PySide6.QtCore import QT_TRANSLATE_NOOP
from PySide6.QtGui import QKeySequence

from studio.ui.commands import Command, Reach
from studio.ui.navigation import ImportImages, OpenSample

_Key = QKeySequence.StandardKey
_PAGE: Final = "datasets"

_command = partial(Command, page=_PAGE, reach=Reach.PART)

UNDO: Final = _command(
    "datasets.undo",
    str(QT_TRANSLATE_NOOP("commands", "Undo the last change of a dataset")),
    # By name: which of the two is "redo" differs between desktops.
    keys="Ctrl+Z",
)
REDO: Final = _command(
    "datasets.redo",
    str(QT_TRANSLATE_NOOP("commands", "Do the last change of a dataset again")),
    keys="Ctrl+Shift+Z; Ctrl+Y",
)
LARGER: Final = _command(
    "datasets.larger", str(QT_TRANSLATE_NOOP("commands", "Larger pictures")), keys=_Key.ZoomIn
)
SMALLER: Final = _command(
    "datasets.smaller", str(QT_TRANSLATE_NOOP("commands", "Smaller pictures")), keys=_Key.ZoomOut
)
FIND: Final = _command(
    "datasets.find", str(QT_TRANSLATE_NOOP("commands", "Search the images")), keys=_Key.Find
)
EXCLUDE: Final = _command(
    "datasets.exclude",
    str(QT_TRANSLATE_NOOP("commands", "Leave the selected images out")),
    keys=_Key.Delete,
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
