"""The frames of videos and animations."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from helpers.videos import write_video
from studio.engine.errors import BadDataError
from studio.engine.inference import frames
from studio.engine.inference.frames import animation_frames, video_frames
from studio.engine.inference.sources import Picture, with_frames
from studio.engine.progress import SilentProgress


@pytest.mark.parametrize("ending", ["gif", "webp", "png"])
def test_a_long_animation_gives_frames_evenly(tmp_path: Path, ending: str) -> None:
    images = [Image.new("RGB", (6, 6), (25 * number, 0, 0)) for number in range(10)]
    path = tmp_path / f"a.{ending}"
    images[0].save(path, save_all=True, append_images=images[1:], duration=40, lossless=True)

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


def test_the_frames_of_a_video_come_in_order_with_their_times(tmp_path: Path) -> None:
    clip = tmp_path / "clip one.mp4"
    write_video(clip, [np.full((32, 48, 3), (20 * step, 100, 0), np.uint8) for step in range(12)])

    found = video_frames(clip, tmp_path)

    assert [frame.path.name for frame in found] == [f"clip one-{n:05}.png" for n in range(12)]
    assert [frame.seconds for frame in found] == pytest.approx([n / 10 for n in range(12)])
    for step, frame in enumerate(found):
        with Image.open(frame.path) as image:
            pixels = np.asarray(image.convert("RGB")).astype(float)
        assert pixels.shape == (32, 48, 3)
        assert pixels.mean(axis=(0, 1)) == pytest.approx([20 * step, 100, 0], abs=8)
    few = video_frames(clip, tmp_path, most=5)
    assert [frame.path.name[-6:-4] for frame in few] == ["00", "03", "06", "09"]


def test_a_long_video_is_not_read_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    clip = tmp_path / "clip.mp4"
    write_video(clip, [np.full((32, 48, 3), step, np.uint8) for step in range(200)])
    found = []
    for limit in (1000, 10):
        monkeypatch.setattr(frames, "_SEEKS_FROM", limit)
        folder = tmp_path / str(limit)
        folder.mkdir()
        made = video_frames(clip, folder, most=11)
        found.append([(each.path.name, each.seconds, each.path.read_bytes()) for each in made])
    assert [name for name, _, _ in found[0]] == [f"clip-{n:05}.png" for n in range(0, 200, 19)]
    assert found[0] == found[1]


@pytest.mark.parametrize("data", [b"", b"no video", b"#EXTM3U\n#EXTINF:1,\n/etc/passwd\n"])
def test_a_video_that_is_none_is_refused(tmp_path: Path, data: bytes) -> None:
    (tmp_path / "clip.mp4").write_bytes(data)
    with pytest.raises(BadDataError, match="not a readable video"):
        video_frames(tmp_path / "clip.mp4", tmp_path)


def test_pictures_and_the_frames_of_videos_keep_their_order(tmp_path: Path) -> None:
    clip, bad, plain = (tmp_path / name for name in ("clip.mp4", "bad.avi", "a.png"))
    write_video(clip, [np.zeros((32, 48, 3), np.uint8)] * 3)
    bad.write_bytes(b"no video")
    given = [Picture(plain), Picture(clip, label="cat"), Picture(bad)]

    found = list(with_frames(given, tmp_path, 2, SilentProgress()))

    assert found[0] is given[0]
    assert [each.name for each in found[1:3]] == [
        str(clip / "clip-00000.png"),
        str(clip / "clip-00002.png"),
    ]
    assert all(each.path.is_file() and each.label == "cat" for each in found[1:3])
    assert "not a readable video" in found[3].problem
    assert len(found) == 4
