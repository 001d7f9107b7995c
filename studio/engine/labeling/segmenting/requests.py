"""Requests to the process that outlines objects, and its answers."""

from __future__ import annotations

import base64
import zlib
from typing import TYPE_CHECKING, Self

from pydantic import BaseModel, Field

from studio.engine.display_mapping import DisplayMapping

if TYPE_CHECKING:
    from studio.engine.tasks.annotation_files.patches import Patch

ENCODE = "encode"
SEGMENT = "segment"
MAX_POINTS = 200
"""Most points of one object."""
MAX_BOXES = 2000
"""Most boxes of one request."""

BoxSides = tuple[float, float, float, float]
"""Left, top, right and bottom in pixels of the picture."""


class SegmentModel(BaseModel, frozen=True):
    """The two files of a model.

    Attributes:
        encoder: File of the image encoder.
        decoder: File of the prompt decoder.
    """

    encoder: str
    decoder: str

    @property
    def file(self) -> str:
        """The larger file, which messages name."""
        return self.encoder


class SegmentPicture(BaseModel, frozen=True):
    """A picture as a person sees it.

    Attributes:
        path: The file.
        width: Width in pixels of the picture in which points and boxes are given.
        height: Height of the same.
        plane: Number of the plane, from 0.
        display: Colors and contrast of pictures that screens do not show as they are; None for
            those that suit the file.
    """

    path: str
    width: int = Field(ge=1)
    height: int = Field(ge=1)
    plane: int = 0
    display: DisplayMapping | None = None


class EncodeRequest(BaseModel, frozen=True):
    """Prepare a picture: its embedding is kept for the clicks to come.

    Attributes:
        model: The model.
        picture: The picture.
    """

    model: SegmentModel
    picture: SegmentPicture


class EncodeAnswer(BaseModel, frozen=True):
    """The picture is prepared.

    Attributes:
        seconds: Time that it took; 0 if it was prepared before.
    """

    seconds: float = 0.0


class ClickPoint(BaseModel, frozen=True):
    """A click.

    Attributes:
        x: In pixels of the picture.
        y: In pixels of the picture.
        is_inside: True for a place on the object, False for one that does not belong to it.
    """

    x: float
    y: float
    is_inside: bool = True


class ObjectPrompt(BaseModel, frozen=True):
    """Marks of one object: at least one point or a box.

    Attributes:
        points: Clicks, the first one first.
        box: A box around the object; None for none.
    """

    points: tuple[ClickPoint, ...] = Field((), max_length=MAX_POINTS)
    box: BoxSides | None = None

    @property
    def is_empty(self) -> bool:
        """True if nothing is marked."""
        return not self.points and self.box is None


class SegmentRequest(BaseModel, frozen=True):
    """Outline objects of a picture.

    Attributes:
        model: The model.
        picture: The picture; it is prepared first where it was not.
        prompts: One for each object.
    """

    model: SegmentModel
    picture: SegmentPicture
    prompts: tuple[ObjectPrompt, ...] = Field(max_length=MAX_BOXES)


class ObjectMask(BaseModel, frozen=True):
    """Pixels of one object.

    Attributes:
        left: Left side of their bounds, in pixels of the picture.
        top: Upper side of the same.
        width: Width of the bounds; 0 if nothing was found.
        height: Height of the bounds.
        bits: The pixels, row by row, 8 in a byte, compressed, in Base64.
        score: Overlap (IoU) with the object that the model expects, 0 to 1.
    """

    left: int = 0
    top: int = 0
    width: int = 0
    height: int = 0
    bits: str = ""
    score: float = 0.0

    @classmethod
    def of(cls, patch: Patch | None, score: float) -> Self:
        """Return the pixels of a patch; None for nothing.

        Args:
            patch: The pixels.
            score: Expected overlap.
        """
        import numpy as np  # noqa: PLC0415 - `studio label` starts without it

        if patch is None:
            return cls(score=score)
        height, width = patch.inside.shape
        packed = zlib.compress(np.packbits(patch.inside).tobytes(), 1)
        bits = base64.b64encode(packed).decode()
        return cls(
            left=patch.left, top=patch.top, width=width, height=height, bits=bits, score=score
        )

    def patch(self) -> Patch | None:
        """Return the pixels; None if nothing was found."""
        import numpy as np  # noqa: PLC0415

        from studio.engine.tasks.annotation_files.patches import Patch  # noqa: PLC0415

        if not self.width:
            return None
        packed = np.frombuffer(zlib.decompress(base64.b64decode(self.bits)), np.uint8)
        inside = np.unpackbits(packed, count=self.width * self.height).astype(np.bool_)
        return Patch.of(self.left, self.top, inside.reshape(self.height, self.width))


class SegmentAnswer(BaseModel, frozen=True):
    """The outlined objects.

    Attributes:
        masks: One for each prompt.
        seconds: Time of the decoder.
    """

    masks: tuple[ObjectMask, ...] = ()
    seconds: float = 0.0
