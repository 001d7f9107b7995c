"""The pictures of a labeling: one line of `items.jsonl` each, never changed or removed."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from studio.engine.workspace import Record

Origin = Literal["folder", "dataset", "video", "webcam", "screen", "clipboard", "file"]
"""Origin of a picture. Those of `video`, `webcam`, `screen` and `clipboard`, and images of
a dataset whose files are gone, are PNG files in the record; the others are files of the user."""


class ItemLine(BaseModel):
    """A line of `items.jsonl`.

    Attributes:
        path: Path of the picture: absolute, or relative to the folder of the record for those
            that lie in it.
        name: Display name: the path inside its source.
        origin: Where it came from.
        group: Name of what it belongs to, such as a patient, for images of a dataset.
        source: The folder, video or id of the dataset it came from; empty for captured ones.
        frame: Number of the frame in its video, from 0; row of an image of a dataset.
        seconds: Time of the frame in its video.
        width: Width of the upright picture, in pixels.
        height: Height of the upright picture, in pixels.
        size: Bytes of the file.
        digest: Identity of the content, see `sources.digest_of_file`.
    """

    model_config = ConfigDict(frozen=True, extra="ignore")

    path: str
    name: str
    origin: Origin
    group: str = ""
    source: str = ""
    frame: int | None = Field(None, ge=0)
    seconds: float | None = None
    width: int = Field(ge=1)
    height: int = Field(ge=1)
    size: int = Field(0, ge=0)
    digest: str = ""


class Item(ItemLine):
    """A picture of a labeling.

    Attributes:
        index: Number of its line, from 0. It never changes.
    """

    index: int

    def file(self, record: Record) -> Path:
        """Return the file of the picture.

        Raises:
            StudioError: The line names a file outside of the record by a relative path.
        """
        path = Path(self.path)
        return path if path.is_absolute() else record.file(self.path)
