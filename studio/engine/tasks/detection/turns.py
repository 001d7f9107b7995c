"""Boxes of photographs that are turned by their EXIF orientation.

Studio shows them upright. A program that ignores the orientation draws boxes in the picture as it
is stored. The stated width and height tell which of both it was, if they differ.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from io import BytesIO
from typing import Final

import numpy as np
from numpy.typing import NDArray

from studio.engine.errors import BadDataError
from studio.engine.messages import Text, message
from studio.engine.picture_files import StoredFrame, frame_of, opened_picture
from studio.engine.tasks.annotation_files.reports import Tally
from studio.engine.tasks.annotations import Tree
from studio.engine.tasks.boxes import BOTTOM, LEFT, RIGHT, TOP

Size = tuple[int, int]
BoxEdges = NDArray[np.float64]
_EXAMINED: Final = 300
"""Number of pictures that are examined before an import."""
_SUFFIXES: Final = (*(".jpg", ".jpeg", ".jpe", ".jfif", ".mpo", ".webp", ".png", ".tif", ".tiff"),)
"""Files whose EXIF orientation may be at their beginning."""


def turned(rows: BoxEdges, size: Size, orientation: int) -> BoxEdges:
    """Return boxes in a picture as it is shown.

    Args:
        rows: Boxes in the picture as it is stored, in pixels, shape (n, 6).
        size: Width and height of the picture as it is stored.
        orientation: EXIF orientation, 1 to 8.
    """
    width, height = size
    left, top, right, bottom = (rows[:, side].copy() for side in range(LEFT, BOTTOM + 1))
    sides = {
        2: (width - right, top, width - left, bottom),
        3: (width - right, height - bottom, width - left, height - top),
        4: (left, height - bottom, right, height - top),
        5: (top, left, bottom, right),
        6: (height - bottom, left, height - top, right),
        7: (height - bottom, width - right, height - top, width - left),
        8: (top, width - right, bottom, width - left),
    }.get(orientation, (left, top, right, bottom))
    found = rows.copy()
    for side, values in zip((LEFT, TOP, RIGHT, BOTTOM), sides, strict=True):
        found[:, side] = values
    return found


def orientation_in(data: bytes) -> int:
    """Return the EXIF orientation of an encoded picture; 1 if it cannot be read."""
    return _frame(data).orientation


def stored_size(images: Tree, path: str) -> Size | None:
    """Return width and height of a picture as it is stored; None if its head has none.

    Args:
        images: The files of the pictures.
        path: Path of the picture.
    """
    try:
        with opened_picture(BytesIO(images.head(path))) as image:
            return image.size
    except BadDataError:
        return None


def _frame(data: bytes) -> StoredFrame:
    """Return the frame of an encoded picture; an empty one if it cannot be read."""
    try:
        with opened_picture(BytesIO(data)) as image:
            return frame_of(image)
    except BadDataError:
        return StoredFrame((0, 0))


@dataclass(slots=True)
class TurnSurvey:
    """Photographs that are turned by EXIF, and what their boxes are for.

    Attributes:
        stored: Those whose boxes are for the picture as it is stored, by the stated size.
        shown: Those whose boxes are for the picture as it is shown, by the stated size.
        unclear: Those whose size is not stated, or is the same for both.
    """

    stored: Tally
    shown: Tally
    unclear: Tally

    @property
    def is_stored(self) -> bool:
        """True if boxes of unclear pictures are for the picture as it is stored."""
        return bool(self.stored) and not self.shown

    def warnings(self) -> list[Text]:
        """Return sentences about assumptions."""
        found: list[Text] = []
        if tally := self.stored:
            warning = message(
                "{count} of the examined images, such as {first}, are turned by their EXIF "
                "orientation, and their boxes are for the images as stored. The boxes are turned "
                "with the images.",
                one="{first} is turned by its EXIF orientation, and its boxes are for the image "
                "as stored. The boxes are turned with the image.",
                count=tally.count,
                first=tally.first,
            )
            found.append(warning)
        if (tally := self.unclear) and self.is_stored:
            warning = message(
                "{count} of the examined images, such as {first}, are turned by their EXIF "
                "orientation, without a stated size that tells what their boxes are for. As those "
                "of others, they are read as boxes of the images as stored, and turned.",
                one="{first} is turned by its EXIF orientation, without a stated size that tells "
                "what its boxes are for. As those of others, they are read as boxes of the image "
                "as stored, and turned.",
                count=tally.count,
                first=tally.first,
            )
            found.append(warning)
        elif tally:
            warning = message(
                "{count} of the examined images, such as {first}, are turned by their EXIF "
                "orientation, without a stated size that tells what their boxes are for. They are "
                "read as boxes of the images as shown.",
                one="{first} is turned by its EXIF orientation, without a stated size that tells "
                "what its boxes are for. They are read as boxes of the image as "
                "shown.",
                count=tally.count,
                first=tally.first,
            )
            found.append(warning)
        return found


def survey_turns(
    images: Tree, pictures: Sequence[str], sizes: Mapping[str, Size | None]
) -> TurnSurvey:
    """Examine some photographs that have boxes.

    Args:
        images: The files of the pictures.
        pictures: Their paths.
        sizes: Stated width and height of the pictures, if they are stated.
    """
    found = TurnSurvey(Tally(), Tally(), Tally())
    photos = [path for path in pictures if path.casefold().endswith(_SUFFIXES)]
    for path in photos[:: max(1, len(photos) // _EXAMINED)][:_EXAMINED]:
        try:
            frame = _frame(images.head(path))
        except BadDataError:
            continue
        if frame.orientation == 1:
            continue
        size = sizes.get(path)
        if size is None or frame.size == frame.shown:
            found.unclear.add(path)
        elif size == frame.size:
            found.stored.add(path)
        elif size == frame.shown:
            found.shown.add(path)
    return found
