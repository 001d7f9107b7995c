"""The frames of videos and animations."""

from __future__ import annotations

import os
import struct
import subprocess
import sys
import zlib
from pathlib import Path

import cv2
import numpy as np
import pytest
from PIL import Image

from helpers.processes import run_python
from helpers.videos import write_video
from studio.engine.errors import BadDataError
from studio.engine.inference import frame_decoding, frame_process, frames
from studio.engine.inference.frame_decoding import FrameSelection
from studio.engine.inference.frames import animation_frames, may_be_animated, video_frames
from studio.engine.inference.sources import Picture, with_frames
from studio.engine.jobs.memory_limit import MIN_MEMORY
from studio.engine.progress import SilentProgress


def test_the_process_limits_its_memory_before_it_reads_a_request(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    done: list[object] = []
    monkeypatch.setattr(frame_process, "limit_memory", done.append)
    monkeypatch.setattr(frame_process, "answer_one", done.append)

    frame_process.main()

    assert done[0] == MIN_MEMORY
    assert len(done) == 2


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
        monkeypatch.setattr(frame_decoding, "SEEK_STEP", limit)
        made = frame_decoding.video_frames(clip, FrameSelection(0, 11))
        found.append([(each.number, each.seconds, each.image.tobytes()) for each in made])
    assert [number for number, _, _ in found[0]] == list(range(0, 200, 19))
    assert found[0] == found[1]


def hostile_avi(path: Path, side: int) -> Path:
    """An MJPEG file of some kilobytes whose frames claim to have side x side pixels."""
    video = cv2.VideoWriter(str(path), cv2.VideoWriter.fourcc(*"MJPG"), 10, (64, 64))
    for _ in range(8):
        video.write(np.zeros((64, 64, 3), np.uint8))
    video.release()
    data = path.read_bytes()
    stated = struct.pack("<ii", side, side)
    data = data.replace(struct.pack("<ii", 64, 64), stated)
    start = b"\xff\xc0\x00\x11\x08"
    data = data.replace(start + struct.pack(">HH", 64, 64), start + struct.pack(">HH", side, side))
    path.write_bytes(data)
    return path


def hostile_animation(path: Path, side: int) -> Path:
    """A GIF of some hundred bytes, or an animated PNG, with a huge canvas."""
    images = [Image.new("L", (4, 4), each) for each in (0, 255)]
    images[0].save(path, save_all=True, append_images=images[1:])
    data = bytearray(path.read_bytes())
    if path.suffix == ".gif":
        data[6:10] = struct.pack("<HH", side, side)
    else:
        header = b"IHDR" + struct.pack(">II", side, side) + data[24:29]
        data[12:33] = header + struct.pack(">I", zlib.crc32(header))
    path.write_bytes(data)
    return path


def peak_megabytes() -> float:
    import resource

    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


@pytest.mark.skipif(sys.platform != "linux", reason="measures as Linux does")
@pytest.mark.parametrize("name", ["huge.avi", "huge.gif", "huge.png"])
def test_huge_frames_are_refused_before_they_take_memory_here(tmp_path: Path, name: str) -> None:
    is_video = name.endswith(".avi")
    path = (
        hostile_avi(tmp_path / name, 12_000)
        if is_video
        else hostile_animation(tmp_path / name, 12_000)
    )
    assert path.stat().st_size < 31_000
    before = peak_megabytes()

    with pytest.raises(BadDataError, match="its frames have 12,000 × 12,000 pixels"):
        (video_frames if is_video else animation_frames)(path, tmp_path)

    assert peak_megabytes() - before < 100, "12,000 x 12,000 pixels are 432 MB"


def test_a_video_is_refused_before_it_is_decoded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = hostile_avi(tmp_path / "huge.avi", 12_000)
    monkeypatch.setattr(frame_decoding, "_retrieved", None)
    with pytest.raises(BadDataError, match="12,000 × 12,000 pixels"):
        next(frame_decoding.video_frames(path, FrameSelection(1, 10)))


def test_files_of_videos_lead_to_no_addresses(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENCV_FFMPEG_CAPTURE_OPTIONS", "protocol_whitelist;file,http,tcp")
    list(frame_decoding.video_frames(tmp_path / "clip.mp4", FrameSelection(1, 10)))
    assert os.environ["OPENCV_FFMPEG_CAPTURE_OPTIONS"] == "protocol_whitelist;file"


def test_an_animation_beyond_the_limit_of_pillow_is_refused(tmp_path: Path) -> None:
    path = hostile_animation(tmp_path / "huge.gif", 60_000)
    with pytest.raises(BadDataError, match=r"its frames have more than .* million pixels"):
        next(frame_decoding.animation_frames(path, FrameSelection(0, 10)))


def test_a_video_whose_frames_become_too_large_ends(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The size that the file states holds for its first frames only."""
    clip = tmp_path / "clip.mp4"
    write_video(clip, [np.zeros((32, 48, 3), np.uint8)] * 3)
    monkeypatch.setattr(frame_decoding, "_pixels_of", lambda _video: 1)
    monkeypatch.setattr(frame_decoding, "MAX_FRAME_PIXELS", 32 * 48 - 1)
    with pytest.raises(BadDataError, match="48 × 32 pixels"):
        next(frame_decoding.video_frames(clip, FrameSelection(1, 10)))


def test_an_animation_of_too_many_pixels_is_refused_before_it_is_decoded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = hostile_animation(tmp_path / "many.gif", 4)
    monkeypatch.setattr(frame_decoding, "MAX_ANIMATION_PIXELS", 2 * 4 * 4 - 1)
    monkeypatch.setattr(frame_decoding, "_animated", None)
    with pytest.raises(BadDataError, match="million pixels"):
        next(frame_decoding.animation_frames(path, FrameSelection(0, 10)))


def test_a_frame_that_enlarges_its_animation_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = hostile_animation(tmp_path / "grows.gif", 4)
    data = path.read_bytes()
    second = data.rindex(b",\0\0\0\0")
    path.write_bytes(data[: second + 5] + struct.pack("<HH", 9000, 9000) + data[second + 9 :])
    found = frame_decoding.animation_frames(path, FrameSelection(0, 10))
    assert next(found).image.size == (4, 4)
    with pytest.raises(BadDataError, match="9,000 × 9,000"):
        next(found)


def test_a_video_of_too_many_pixels_ends(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    clip = tmp_path / "clip.mp4"
    write_video(clip, [np.zeros((32, 48, 3), np.uint8)] * 9)
    monkeypatch.setattr(frame_decoding, "MAX_VIDEO_PIXELS", 4 * 32 * 48)
    with pytest.raises(BadDataError, match="million pixels"):
        list(frame_decoding.video_frames(clip, FrameSelection(1, 100)))


@pytest.mark.parametrize("ending", ["gif", "webp", "png"])
def test_only_what_may_be_animated_starts_a_process(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, ending: str
) -> None:
    still, moving = tmp_path / f"still.{ending}", tmp_path / f"moving.{ending}"
    images = [Image.new("RGB", (6, 6), (each, 0, 0)) for each in (0, 200)]
    images[0].save(still)
    images[0].save(moving, save_all=True, append_images=images[1:])
    assert may_be_animated(moving)
    assert may_be_animated(still) == (ending == "gif")
    assert not may_be_animated(tmp_path / "gone.gif")
    if ending == "gif":
        assert animation_frames(still, tmp_path) == []
        assert not list(tmp_path.glob("frame-*"))
        return
    monkeypatch.setattr(frames, "launch_frames", None)
    assert animation_frames(still, tmp_path) == []


def test_a_video_that_ends_its_process_is_an_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def crashing() -> subprocess.Popen[bytes]:
        pipe = subprocess.PIPE
        return subprocess.Popen([sys.executable, "-c", ""], stdin=pipe, stdout=pipe)

    monkeypatch.setattr(frames, "launch_frames", crashing)
    with pytest.raises(BadDataError, match="needs too much memory"):
        video_frames(tmp_path / "clip.mp4", tmp_path)


def test_what_the_libraries_print_is_not_seen(tmp_path: Path) -> None:
    clip = tmp_path / "clip.mp4"
    write_video(clip, [np.full((32, 48, 3), step, np.uint8) for step in range(200)])
    data = bytearray(clip.read_bytes())
    data[len(data) // 3 : len(data) // 2] = bytes(len(data) // 2 - len(data) // 3)
    clip.write_bytes(data)
    code = (
        "import sys; from pathlib import Path; from studio.engine.inference import frames;"
        "frames.video_frames(Path(sys.argv[1]), Path(sys.argv[2]))"
    )
    done = run_python(code, clip, tmp_path)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


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
