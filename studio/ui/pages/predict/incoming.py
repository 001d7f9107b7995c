"""What a drag or the clipboard holds that can be classified."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from PySide6.QtCore import QMimeData
from PySide6.QtGui import QImage, QPixmap

from studio.ui.widgets.drop_area import local_paths


@dataclass(frozen=True, slots=True)
class Incoming:
    """Files and folders, or a picture without a file; never both."""

    paths: tuple[Path, ...] = ()
    image: QImage | None = None


def has_something(data: QMimeData | None) -> bool:
    """Whether `incoming` would find something; quick, for while the mouse moves.

    An empty clipboard gives None, whatever PySide's types say.
    """
    return data is not None and (bool(local_paths(data)) or data.hasImage())


def incoming(data: QMimeData | None) -> Incoming | None:
    """Local files and folders, else image data (as browsers give), else nothing.

    A web address alone is nothing: Studio does not load pages from the network.
    """
    if data is None:
        return None
    paths = local_paths(data)
    if paths:
        return Incoming(paths=tuple(paths))
    held = data.imageData() if data.hasImage() else None
    image = held.toImage() if isinstance(held, QPixmap) else held
    if isinstance(image, QImage) and not image.isNull():
        return Incoming(image=image)
    return None
