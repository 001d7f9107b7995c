"""The frames of animations."""

from __future__ import annotations

from pathlib import Path

import pytest
from PIL import Image

from studio.engine.inference.frames import animation_frames


@pytest.mark.parametrize("ending", ["gif", "webp", "png"])
def test_a_long_animation_gives_frames_evenly(tmp_path: Path, ending: str) -> None:
    frames = [Image.new("RGB", (6, 6), (25 * number, 0, 0)) for number in range(10)]
    path = tmp_path / f"a.{ending}"
    frames[0].save(path, save_all=True, append_images=frames[1:], duration=40, lossless=True)

    found = animation_frames(path, tmp_path, most=4)

    assert [frame.seconds for frame in found] == pytest.approx([0.0, 0.12, 0.24, 0.36])
    reds = []
    for frame in found:
        with Image.open(frame.path) as image:
            reds.append(image.convert("RGB").getpixel((3, 3)))
    assert reds == [(25 * number, 0, 0) for number in (0, 3, 6, 9)]


def test_what_stands_still_or_is_broken_has_no_frames(tmp_path: Path) -> None:
    still, broken = tmp_path / "still.png", tmp_path / "broken.gif"
    Image.new("L", (4, 4)).save(still)
    broken.write_bytes(b"GIF89a")
    assert animation_frames(still, tmp_path) == []
    assert animation_frames(broken, tmp_path) == []
