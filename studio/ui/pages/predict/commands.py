"""What can be done with pictures for a prediction, as data."""

from __future__ import annotations

from typing import Final

from PySide6.QtCore import QT_TRANSLATE_NOOP
from PySide6.QtGui import QKeySequence

from studio.ui.commands import Command, Reach
from studio.ui.navigation import ChoosePictures, PastePicture

_Key = QKeySequence.StandardKey
_PAGE: Final = "predict"

OPEN_PICTURES: Final = Command(
    "predict.open",
    str(QT_TRANSLATE_NOOP("commands", "Choose pictures for a prediction…")),
    "folder-open",
    _Key.Open,
    words=str(QT_TRANSLATE_NOOP("commands", "predict open image file")),
    page=_PAGE,
    intent=ChoosePictures(),
    reach=Reach.PART,
)
PASTE_PICTURE: Final = Command(
    "predict.paste",
    str(QT_TRANSLATE_NOOP("commands", "Predict the picture in the clipboard")),
    "copy",
    _Key.Paste,
    words=str(QT_TRANSLATE_NOOP("commands", "predict paste image")),
    page=_PAGE,
    intent=PastePicture(),
    reach=Reach.PART,
)

COMMANDS: Final = (
    OPEN_PICTURES,
    PASTE_PICTURE,
    Command(
        "predict.moment",
        str(QT_TRANSLATE_NOOP("commands", "Go through the moments of a video")),
        keys="Left; Right",
        page=_PAGE,
        reach=Reach.FIXED,
    ),
)
