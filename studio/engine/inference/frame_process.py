"""The process that decodes the frames of a foreign video or animation to PNG files."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from studio.engine.errors import BadDataError, DiskFullError
from studio.engine.files import disk_full_is_clear, read_failure
from studio.engine.inference.frame_decoding import (
    DecodedFrame,
    FrameSelection,
    animation_frames,
    video_frames,
)
from studio.engine.inference.frame_request import FrameReply, FrameRequest
from studio.engine.jobs.memory_limit import MIN_MEMORY, limit_memory
from studio.engine.jobs.one_request import Replies, answer_one

_SMALL: Final = 32
"""Side in pixels of the gray thumbnails for comparing consecutive frames."""


def main() -> int:
    """Answer one request."""
    limit_memory(MIN_MEMORY)
    return answer_one(_write_frames)


def _write_frames(data: dict[str, Any], replies: Replies) -> None:
    request = FrameRequest.model_validate(data)
    selection = FrameSelection(request.every, request.most)
    decode = video_frames if request.is_video else animation_frames
    last: NDArray[np.float32] | None = None
    for frame in decode(request.path, selection):
        replies.check()
        small = _small(frame.image) if request.changed else None
        if last is not None and small is not None and _is_same(small, last, request.changed):
            continue
        last = small
        replies.send(_written(frame, request).model_dump(mode="json"))
    replies.send({"end": True})


def _written(frame: DecodedFrame, request: FrameRequest) -> FrameReply:
    image = frame.image.convert("RGB") if request.opaque else frame.image
    path = request.folder / f"{request.prefix}-{frame.number:05}.png"
    try:
        with disk_full_is_clear(path):
            image.save(path, "PNG", compress_level=1)
    except DiskFullError:
        raise
    except OSError as error:
        raise BadDataError(
            "The frame {file} cannot be written: {reason}.", file=path, reason=read_failure(error)
        ) from error
    return FrameReply(
        file=path,
        number=frame.number,
        seconds=frame.seconds,
        count=frame.count,
        width=image.width,
        height=image.height,
    )


def _is_same(one: NDArray[np.float32], other: NDArray[np.float32], changed: float) -> bool:
    return bool(np.abs(one - other).mean() < changed)


def _small(image: Image.Image) -> NDArray[np.float32]:
    small = image.convert("RGB").convert("L").resize((_SMALL, _SMALL), Image.Resampling.BOX)
    return np.asarray(small, np.float32) / np.float32(255)
