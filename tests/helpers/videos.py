"""Videos made on the spot."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray


def write_video(path: Path, frames: Sequence[NDArray[np.uint8]], rate: float = 10) -> None:
    """Write frames of height x width x 3, red first, as an MP4 file of ten frames per second."""
    height, width, _ = frames[0].shape
    codec = cv2.VideoWriter.fourcc(*"mp4v")
    video = cv2.VideoWriter(str(path), codec, rate, (width, height))
    for frame in frames:
        video.write(np.ascontiguousarray(frame[:, :, ::-1]))
    video.release()
