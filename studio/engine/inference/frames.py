"""The frames of videos and animations (GIF, WebP, animated PNG) as pictures with their times.

They are decoded in a process of their own (`frame_process`), with a limit for its memory: files
come from anywhere, and a file of 31 KB can state frames that take gigabytes. What the libraries
print about damaged files stays there, too.
"""

from __future__ import annotations

import struct
from collections.abc import Generator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, Final

from studio.engine.errors import BadDataError
from studio.engine.inference.frame_request import FrameReply, FrameRequest
from studio.engine.jobs.launch import launch_frames
from studio.engine.jobs.one_request import replies_of
from studio.engine.messages import message
from studio.engine.progress import Progress, SilentProgress

MOST: Final = 300
"""Maximum number of frames to read; of longer videos every second, third and so on."""
_MAX_CHUNKS: Final = 1000
"""Maximum number of chunks of a PNG file to read before its pixels."""


@dataclass(frozen=True, slots=True)
class Frame:
    """A picture out of a moving one.

    Attributes:
        path: Its file.
        seconds: Time from the beginning.
    """

    path: Path
    seconds: float


def video_frames(
    path: Path, folder: Path, most: int = MOST, progress: Progress | None = None
) -> list[Frame]:
    """Write the frames of a video as PNG files.

    Args:
        path: The video.
        folder: Folder for the frames.
        most: Greatest number of frames, evenly over the whole.
        progress: May cancel.

    Raises:
        BadDataError: It is not a readable video; the message is a short reason.
        DiskFullError: No space was left.
        StudioError: A frame cannot be written.
        Cancelled: Through `progress`.
    """
    request = FrameRequest(path=path, is_video=True, folder=folder, prefix=path.stem, most=most)
    found = list(frames_elsewhere(request, progress or SilentProgress()))
    if not found:
        raise BadDataError(message("it is not a readable video"))
    return [Frame(each.file, each.seconds) for each in found]


def animation_frames(
    path: Path, folder: Path, most: int = MOST, progress: Progress | None = None
) -> list[Frame]:
    """Write the frames of an animation as PNG files.

    Args:
        path: A GIF, WebP, PNG or APNG file.
        folder: Folder for the frames.
        most: Maximum number, evenly spread over the video.
        progress: May cancel.

    Returns:
        None at all for a still picture, or if it cannot be read.

    Raises:
        BadDataError: It exceeds a limit, or is damaged after its first frame; the message is a
            short reason.
        DiskFullError: No space was left.
        StudioError: A frame cannot be written.
        Cancelled: Through `progress`.
    """
    if not may_be_animated(path):
        return []
    request = FrameRequest(path=path, is_video=False, folder=folder, prefix="frame", most=most)
    found = list(frames_elsewhere(request, progress or SilentProgress()))
    if len(found) == 1 and found[0].count == 1:
        found[0].file.unlink()
        return []
    return [Frame(each.file, each.seconds) for each in found]


def frames_elsewhere(
    request: FrameRequest, progress: Progress
) -> Generator[FrameReply, None, None]:
    """Yield frames that another process decodes and writes.

    Args:
        request: Which frames of which file.
        progress: May cancel within a tenth of a second.

    Raises:
        BadDataError: The file is damaged, or exceeds a limit; the message is a short reason.
        DiskFullError: No space was left.
        Cancelled: Through `progress`.
    """
    with closing(replies_of(launch_frames, request.model_dump(mode="json"), progress)) as replies:
        for reply in replies:
            if "end" in reply:
                return
            yield FrameReply.model_validate(reply)
    raise BadDataError(message("it is damaged, or needs too much memory"))


def may_be_animated(path: Path) -> bool:
    """Return True if a picture file may have several frames; reads only its first bytes.

    Every GIF may, because its frames are not counted anywhere.
    """
    try:
        with path.open("rb") as file:
            head = file.read(30)
            if head[:8] == b"\x89PNG\r\n\x1a\n":
                return _is_animated_png(file)
    except OSError:
        return False
    is_webp = head[:4] == b"RIFF" and head[8:16] == b"WEBPVP8X"
    return head[:4] == b"GIF8" or (is_webp and len(head) > 20 and bool(head[20] & 2))


def _is_animated_png(file: BinaryIO) -> bool:
    """Return True if the chunk of animations comes before the pixels."""
    file.seek(8)
    for _ in range(_MAX_CHUNKS):
        head = file.read(8)
        if len(head) < 8 or head[4:] == b"IDAT":
            return False
        if head[4:] == b"acTL":
            return True
        file.seek(struct.unpack(">I", head[:4])[0] + 4, 1)
    return False
