"""Requests for the frames of a video or animation, and the replies of their process."""

from __future__ import annotations

from pathlib import Path

from pydantic import BaseModel


class FrameRequest(BaseModel, frozen=True):
    """A request for frames as PNG files.

    Attributes:
        path: The video or animation.
        is_video: True for a video, False for an animation.
        folder: Existing folder for the files.
        prefix: Beginning of their names, before the number of the frame.
        every: Take every n-th frame; 0 to spread `most` frames evenly.
        most: Greatest number of frames.
        changed: Least difference from the last frame that was taken, 0 to 1; 0 takes all.
        opaque: True to drop transparency.
    """

    path: Path
    is_video: bool
    folder: Path
    prefix: str
    every: int = 0
    most: int
    changed: float = 0.0
    opaque: bool = False


class FrameReply(BaseModel, frozen=True):
    """A frame that was written.

    Attributes:
        file: Its file.
        number: Number of the frame, from 0.
        seconds: Time from the beginning.
        count: Number of all frames; 0 if unknown.
        width: In pixels.
        height: In pixels.
    """

    file: Path
    number: int
    seconds: float
    count: int
    width: int
    height: int
