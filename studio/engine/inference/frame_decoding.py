"""Decodes the frames of videos and animations (GIF, WebP, animated PNG), within limits.

Only for the process of `frame_process`: a small file can state a size that takes gigabytes, and
the libraries are written in C.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import cv2
import numpy as np
from PIL import Image

from studio.engine.errors import BadDataError, StudioError
from studio.engine.messages import message
from studio.engine.picture_files import LARGEST_PIXELS, PARSER_ERRORS

MAX_FRAME_PIXELS: Final = 40_000_000
"""A frame of 8K video has 33 million."""
MAX_ANIMATION_PIXELS: Final = 2**35
"""Pixels of all frames of an animation: 16,000 frames of Full HD."""
MAX_VIDEO_PIXELS: Final = 2**42
"""Pixels of all frames that are decoded of a video: 19 hours of Full HD."""
SEEK_STEP: Final = 50
"""Step between frames from which jumping is faster than reading: a jump reads the frames since the
last key frame."""
_FORMATS: Final = ("GIF", "WEBP", "PNG")
_STANDARD_MS: Final = 100
"""Default duration of a frame if the file does not define it, as in browsers."""
_ONLY_FILES: Final = "protocol_whitelist;file"
"""Option of FFmpeg: a file must not lead to addresses."""


@dataclass(frozen=True, slots=True)
class FrameSelection:
    """Frames that are taken of a video.

    Attributes:
        every: Take every n-th frame; 0 to spread `most` frames evenly over the whole.
        most: Greatest number of frames.
    """

    every: int
    most: int

    def step(self, count: int) -> int:
        """Return the distance of two frames that are taken of `count`, or of 0 if unknown."""
        return self.every or max(1, -(-count // self.most))


@dataclass(frozen=True, slots=True)
class DecodedFrame:
    """A decoded frame.

    Attributes:
        number: Its number, from 0.
        seconds: Time from the beginning.
        image: RGB; of an animation RGBA.
        count: Number of all frames; 0 if unknown.
    """

    number: int
    seconds: float
    image: Image.Image
    count: int


def video_frames(path: Path, selection: FrameSelection) -> Iterator[DecodedFrame]:
    """Yield the selected frames of a video; nothing if it cannot be read.

    Args:
        path: The video.
        selection: Frames to take.

    Raises:
        BadDataError: It exceeds a limit, or is damaged; the message is a reason.
    """
    os.environ["OPENCV_FFMPEG_CAPTURE_OPTIONS"] = _ONLY_FILES
    video = cv2.VideoCapture(str(path), cv2.CAP_FFMPEG)
    try:
        pixels = _pixels_of(video)
        count = max(0, int(video.get(cv2.CAP_PROP_FRAME_COUNT)))
        step = selection.step(count)
        number = taken = done = 0
        while taken < selection.most and video.grab():
            done += pixels
            if done > MAX_VIDEO_PIXELS:
                raise _too_many(MAX_VIDEO_PIXELS)
            if number % step == 0:
                seconds = float(video.get(cv2.CAP_PROP_POS_MSEC)) / 1000
                image = _retrieved(video)
                if image is not None:
                    taken += 1
                    yield DecodedFrame(number, seconds, image, count)
                if step >= SEEK_STEP:
                    number += step - 1
                    video.set(cv2.CAP_PROP_POS_FRAMES, number + 1)
            number += 1
    except cv2.error as error:
        raise BadDataError(message("it is damaged")) from error
    finally:
        video.release()


def _pixels_of(video: cv2.VideoCapture) -> int:
    """Return the pixels of a frame, as the file states them, before any is decoded."""
    width, height = (
        int(video.get(each)) for each in (cv2.CAP_PROP_FRAME_WIDTH, cv2.CAP_PROP_FRAME_HEIGHT)
    )
    _require_size(width, height)
    return width * height


def _retrieved(video: cv2.VideoCapture) -> Image.Image | None:
    is_read, pixels = video.retrieve()
    if not is_read:
        return None
    _require_size(pixels.shape[1], pixels.shape[0])  # a stream may change its size
    return Image.fromarray(np.asarray(cv2.cvtColor(pixels, cv2.COLOR_BGR2RGB), np.uint8))


def animation_frames(path: Path, selection: FrameSelection) -> Iterator[DecodedFrame]:
    """Yield the selected frames of an animation; the only one of a still picture.

    Yields nothing if its beginning cannot be read.

    Args:
        path: A GIF, WebP or PNG file.
        selection: Frames to take.

    Raises:
        BadDataError: It exceeds a limit, or is damaged later; the message is a reason.
    """
    taken = 0
    try:
        with Image.open(path, formats=_FORMATS) as image:
            count = int(getattr(image, "n_frames", 1))
            if count * image.width * image.height > MAX_ANIMATION_PIXELS:
                raise _too_many(MAX_ANIMATION_PIXELS)
            for frame in _animated(image, count, selection):
                taken += 1
                yield frame
    except StudioError:
        raise
    except Image.DecompressionBombError as error:
        raise _too_many(LARGEST_PIXELS) from error
    except PARSER_ERRORS as error:
        if taken:
            raise BadDataError(message("it is damaged")) from error


def _animated(image: Image.Image, count: int, selection: FrameSelection) -> Iterator[DecodedFrame]:
    step, seconds, taken = selection.step(count), 0.0, 0
    for number in range(count):
        image.seek(number)
        _require_size(*image.size)  # a frame may enlarge the picture
        image.load()
        if number % step == 0:
            yield DecodedFrame(number, seconds, image.convert("RGBA"), count)
            taken += 1
            if taken == selection.most:
                return
        seconds += (image.info.get("duration") or _STANDARD_MS) / 1000


def _require_size(width: int, height: int) -> None:
    if width * height > MAX_FRAME_PIXELS:
        raise BadDataError(
            "its frames have {width:,} × {height:,} pixels; the limit is {limit:,} million",
            width=width,
            height=height,
            limit=MAX_FRAME_PIXELS // 10**6,
        )


def _too_many(limit: int) -> BadDataError:
    return BadDataError("its frames have more than {limit:,} million pixels", limit=limit // 10**6)
