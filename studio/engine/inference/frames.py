"""The frames of videos and animations (GIF, WebP, animated PNG) as pictures with their times."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from PIL import Image

from studio.engine.errors import BadDataError, DiskFullError, StudioError
from studio.engine.files import disk_full_is_clear, read_failure
from studio.engine.messages import message
from studio.engine.picture_files import PARSER_ERRORS

MOST: Final = 300
"""Maximum number of frames to read; of longer videos every second, third and so on."""
_SEEKS_FROM: Final = 50
"""Step between frames from which jumping is faster than reading: a jump reads the frames since the
last key frame."""
_FORMATS: Final = ("GIF", "WEBP", "PNG")
_STANDARD_MS: Final = 100
"""Default duration of a frame if the file does not define it, as in browsers."""


@dataclass(frozen=True, slots=True)
class Frame:
    """A picture out of a moving one.

    Attributes:
        path: Its file.
        seconds: Time from the beginning.
    """

    path: Path
    seconds: float


_ONLY_FILES: Final = "protocol_whitelist;file"
"""Option of FFmpeg: a file must not lead to addresses."""


def video_frames(path: Path, folder: Path, most: int = MOST) -> list[Frame]:
    """Write the frames of a video as PNG files.

    Args:
        path: The video.
        folder: Folder for the frames.
        most: Greatest number of frames, evenly over the whole.

    Raises:
        BadDataError: It is not a readable video; the message is a short reason.
        DiskFullError: No space was left.
        StudioError: A frame cannot be written.
    """
    # Takes 60 ms, and the window needs it for no picture.
    import cv2  # noqa: PLC0415

    os.environ["OPENCV_FFMPEG_CAPTURE_OPTIONS"] = _ONLY_FILES
    video = cv2.VideoCapture(str(path), cv2.CAP_FFMPEG)
    frames: list[Frame] = []
    try:
        count = int(video.get(cv2.CAP_PROP_FRAME_COUNT))
        step = max(1, -(-count // most))
        number = 0
        while len(frames) < most and video.grab():
            if number % step == 0:
                seconds = float(video.get(cv2.CAP_PROP_POS_MSEC)) / 1000
                found, pixels = video.retrieve()
                if found:
                    file = folder / f"{path.stem}-{number:05}.png"
                    _write(Image.fromarray(cv2.cvtColor(pixels, cv2.COLOR_BGR2RGB)), file)
                    frames.append(Frame(file, seconds))
                if step >= _SEEKS_FROM:
                    number += step - 1
                    video.set(cv2.CAP_PROP_POS_FRAMES, number + 1)
            number += 1
    finally:
        video.release()
    if not frames:
        raise BadDataError(message("it is not a readable video"))
    return frames


def animation_frames(path: Path, folder: Path, most: int = MOST) -> list[Frame]:
    """Write the frames of an animation as PNG files.

    Args:
        path: A GIF, WebP, PNG or APNG file.
        folder: Folder for the frames.
        most: Maximum number, evenly spread over the video.

    Returns:
        None at all for a still picture, or if it cannot be read.

    Raises:
        DiskFullError: No space was left.
        StudioError: A frame cannot be written.
    """
    try:
        with Image.open(path, formats=_FORMATS) as image:
            count = getattr(image, "n_frames", 1)
            if count < 2:
                return []
            return _written(image, folder, count, most)
    except StudioError:
        raise
    except PARSER_ERRORS:
        return []  # the classification reports why it cannot be read


def _written(image: Image.Image, folder: Path, count: int, most: int) -> list[Frame]:
    step = -(-count // most)
    frames, seconds = [], 0.0
    for number in range(count):
        image.seek(number)
        image.load()
        if number % step == 0:
            path = folder / f"frame-{number:05}.png"
            _write(image.convert("RGBA"), path)
            frames.append(Frame(path, seconds))
        seconds += (image.info.get("duration") or _STANDARD_MS) / 1000
    return frames


def _write(image: Image.Image, path: Path) -> None:
    try:
        with disk_full_is_clear(path):
            image.save(path, "PNG", compress_level=1)
    except DiskFullError:
        raise
    except OSError as error:
        raise BadDataError(
            message(
                "The frame {file} cannot be written: {reason}.",
                file=path,
                reason=read_failure(error),
            )
        ) from error
