"""Objects outlined from clicks and boxes, with small models of the same interfaces."""

from __future__ import annotations

import contextlib
import os
import signal
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from PIL import Image

from helpers.segment_models import write_sam, write_sam2
from studio.engine.errors import BadDataError, StudioError
from studio.engine.jobs.host import EngineHost, HostDiedError
from studio.engine.labeling.plan import LabelClass, LabelingPlan
from studio.engine.labeling.project import Labeling
from studio.engine.labeling.segmenting import model as model_module
from studio.engine.labeling.segmenting.files import segment_model
from studio.engine.labeling.segmenting.host import segmenter_host
from studio.engine.labeling.segmenting.model import PromptModel
from studio.engine.labeling.segmenting.outlines import outline_boxes
from studio.engine.labeling.segmenting.pictures import seen_pixels
from studio.engine.labeling.segmenting.process import PictureSegmenter
from studio.engine.labeling.segmenting.requests import (
    ENCODE,
    SEGMENT,
    BoxSides,
    ClickPoint,
    EncodeAnswer,
    EncodeRequest,
    ObjectMask,
    ObjectPrompt,
    SegmentAnswer,
    SegmentModel,
    SegmentPicture,
    SegmentRequest,
)
from studio.engine.labeling.sources import add_pictures
from studio.engine.labeling.values import BoxesValue
from studio.engine.progress import Cancelled, SilentProgress
from studio.engine.tasks import TASKS
from studio.engine.tasks.annotation_files.patches import Patch
from studio.engine.tasks.detection.task import DETECTION
from studio.engine.workspace import RecordKind, Workspace

SIZE = (128, 96)
RED, GREEN = (32, 24, 80, 64), (96, 64, 120, 88)
WRITERS = [write_sam, write_sam2]


def pixels() -> NDArray[np.uint8]:
    """A red and a green rectangle on gray."""
    found = np.full((SIZE[1], SIZE[0], 3), 40, np.uint8)
    for (left, top, right, bottom), color in ((RED, (200, 30, 30)), (GREEN, (30, 200, 30))):
        found[top:bottom, left:right] = color
    return found


@pytest.fixture
def picture(tmp_path: Path) -> SegmentPicture:
    path = tmp_path / "picture.png"
    Image.fromarray(pixels()).save(path)
    return SegmentPicture(path=str(path), width=SIZE[0], height=SIZE[1])


@pytest.fixture(params=WRITERS)
def files(request: pytest.FixtureRequest, tmp_path: Path) -> SegmentModel:
    return segment_model(request.param(tmp_path / "model"))


def click(x: float, y: float, *, inside: bool = True) -> ClickPoint:
    return ClickPoint(x=x, y=y, is_inside=inside)


def test_clicks_and_boxes_give_objects_in_pixels_of_the_picture(files: SegmentModel) -> None:
    model = PromptModel(files)
    embedding = model.encode(pixels())

    def found(*points: ClickPoint, box: BoxSides | None = None) -> NDArray[np.bool_]:
        patch, score = model.segment(embedding, ObjectPrompt(points=points, box=box), SIZE)
        assert patch is not None
        assert 0.5 < score < 1
        return patch.whole(SIZE)

    red = np.zeros((SIZE[1], SIZE[0]), np.bool_)
    red[RED[1] : RED[3], RED[0] : RED[2]] = True
    one = found(click(50, 40))
    assert (one != red).mean() < 0.06
    both = found(click(50, 40), click(108, 76))
    assert both[76, 108]
    assert both[40, 50]
    assert not both[10, 10]
    ground = found(click(5, 5), click(50, 40, inside=False))
    assert ground[90, 5]
    assert not ground[40, 50]
    assert (found(box=(28, 20, 84, 68)) != red).mean() < 0.06
    assert not found(box=(28, 20, 60, 68))[40, 70]


def test_large_pictures_are_resized_around_the_object(
    files: SegmentModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = PromptModel(files)
    embedding, prompt = model.encode(pixels()), ObjectPrompt(points=(click(500, 400),))
    size = (10 * SIZE[0], 10 * SIZE[1])
    whole, _ = model.segment(embedding, prompt, size)
    monkeypatch.setattr(model_module, "_WHOLE_PIXELS", 1000)
    part, _ = model.segment(embedding, prompt, size)
    assert whole is not None
    assert part is not None
    assert (whole.whole(size) != part.whole(size)).mean() < 0.002


@pytest.mark.parametrize("write", WRITERS)
def test_files_of_another_model_are_refused_with_what_was_expected(
    write: Callable[[Path], Path], tmp_path: Path
) -> None:
    files = segment_model(write(tmp_path / "model"))
    swapped = SegmentModel(encoder=files.encoder, decoder=files.encoder)
    with pytest.raises(
        BadDataError, match=r"not a decoder of SAM.*image \(1 × 3 × 64 × 64\)"
    ) as one:
        PromptModel(swapped)
    assert "image_embeddings, point_coords" in str(one.value.hint)
    with pytest.raises(BadDataError, match="not the encoder of a SAM"):
        PromptModel(SegmentModel(encoder=files.decoder, decoder=files.decoder))
    broken = tmp_path / "broken.onnx"
    broken.write_bytes(b"\x08\x08" + bytes(range(200)))
    with pytest.raises(BadDataError, match=r"broken\.onnx cannot be run"):
        PromptModel(SegmentModel(encoder=files.encoder, decoder=str(broken)))


def test_an_encoder_of_the_other_family_is_refused(tmp_path: Path) -> None:
    one, two = (segment_model(write(tmp_path / write.__name__)) for write in WRITERS)
    with pytest.raises(BadDataError, match="encoder of a SAM 2 decoder"):
        PromptModel(SegmentModel(encoder=one.encoder, decoder=two.decoder))


def test_a_folder_without_the_two_files_says_what_it_holds(tmp_path: Path) -> None:
    write_sam(tmp_path)
    (tmp_path / "second.decoder.onnx").write_bytes(b"")
    with pytest.raises(StudioError, match=r"it has: second\.decoder\.onnx, small\.decoder\.onnx"):
        segment_model(tmp_path)
    with pytest.raises(StudioError, match="cannot be read"):
        segment_model(tmp_path / "missing")


def test_embeddings_are_kept_within_the_memory(
    files: SegmentModel, picture: SegmentPicture, tmp_path: Path
) -> None:
    size = PromptModel(files).encode(pixels()).bytes
    segmenter = PictureSegmenter(cached_bytes=2 * size)
    pictures = [picture]
    for number in range(3):
        path = tmp_path / f"{number}.png"
        Image.fromarray(pixels()).save(path)
        pictures.append(picture.model_copy(update={"path": str(path)}))
    for each in pictures:
        assert segmenter.encode(EncodeRequest(model=files, picture=each)).seconds > 0
    assert segmenter.cached == 2
    assert segmenter.encode(EncodeRequest(model=files, picture=pictures[-1])).seconds == 0
    assert segmenter.encode(EncodeRequest(model=files, picture=picture)).seconds > 0


class _AtOnce:
    """An executor whose work is done before `submit` returns, as that of a fast failure can be."""

    def submit(self, work: Callable[..., object], *args: object) -> Future[Any]:
        future: Future[Any] = Future()
        try:
            future.set_result(work(*args))
        except StudioError as error:
            future.set_exception(error)
        return future


def test_a_picture_that_fails_at_once_does_not_block_those_after_it(
    picture: SegmentPicture, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    files = segment_model(write_sam(tmp_path / "model"))
    segmenter = PictureSegmenter()
    monkeypatch.setattr(segmenter, "_encoding", _AtOnce())
    gone = picture.model_copy(update={"path": str(tmp_path / "gone.png")})
    ended: list[str] = []

    def ask() -> None:
        with pytest.raises(BadDataError, match=r"gone\.png"):
            segmenter.encode(EncodeRequest(model=files, picture=gone))
        segmenter.encode(EncodeRequest(model=files, picture=picture))
        ended.append("both")

    thread = threading.Thread(target=ask, daemon=True)
    thread.start()
    thread.join(30)
    assert ended == ["both"]
    assert segmenter.cached == 1


class _Squares(EngineHost):
    """Answers each box with its pixels; after some requests with an error."""

    def __init__(self, most: int = 1000) -> None:
        super().__init__()
        self.sizes: list[int] = []
        self.most = most

    def ask(self, op: str, question: Any, answer: Any) -> Future[Any]:
        future: Future[Any] = Future()
        if len(self.sizes) == self.most:
            future.set_exception(StudioError("The model is broken.", "Choose another one."))
            return future
        self.sizes.append(len(question.prompts))
        masks = []
        for prompt in question.prompts:
            left, top, right, bottom = map(int, prompt.box)
            inside = np.ones((bottom - top, right - left), np.bool_)
            masks.append(ObjectMask.of(Patch.of(left, top, inside), 1.0))
        future.set_result(SegmentAnswer(masks=tuple(masks)))
        return future


class _Stopping(SilentProgress):
    """Notes the progress, and cancels at some amount."""

    def __init__(self, stop_at: int = -1) -> None:
        self.stop_at = stop_at
        self.seen: list[tuple[int, int]] = []

    def advance(self, done: int, total: int, what: str) -> None:
        assert what
        self.seen.append((done, total))

    def check(self) -> None:
        if self.seen and self.seen[-1][0] == self.stop_at:
            raise Cancelled


def test_all_boxes_are_outlined_in_parts_with_progress_and_can_be_stopped(
    workspace: Workspace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(TASKS, DETECTION.name, DETECTION)
    for name, content in (("one.png", pixels()), ("two.png", 255 - pixels())):
        Image.fromarray(content).save(tmp_path / name)
    plan = LabelingPlan(task=DETECTION.name, classes=[LabelClass(name="cell")])
    model = SegmentModel(encoder="encoder.onnx", decoder="decoder.onnx")
    corners = [(x, y) for x in range(0, 110, 10) for y in range(0, 80, 10)]
    assert len(corners) == 88
    value = BoxesValue(boxes=tuple((0, x, y, x + 8, y + 8, 0) for x, y in corners))

    with Labeling.create(workspace, "boxes", plan) as labeling:
        add_pictures(labeling, [tmp_path / "one.png", tmp_path / "two.png"])
        for number in (0, 1):
            labeling.label(number, value, "drawn")

        def outline(name: str, host: _Squares, progress: _Stopping) -> int:
            made = outline_boxes(labeling, workspace, name, host, model, progress)
            made.labeling.close()
            return made.objects

        host, progress = _Squares(), _Stopping()
        assert outline("all", host, progress) == 176
        assert host.sizes == [32, 32, 24, 32, 32, 24]
        assert {(0, 176), (32, 176), (120, 176), (176, 176)} <= set(progress.seen)
        with pytest.raises(Cancelled):
            outline("stopped", _Squares(), _Stopping(120))
        with Labeling.find(workspace, "stopped") as stopped:
            assert (len(stopped.items), stopped.labeled_count) == (2, 1)
        with pytest.raises(Cancelled):
            outline("nothing", _Squares(), _Stopping(32))
        with pytest.raises(StudioError, match="broken"):
            outline("nothing", _Squares(1), _Stopping())
    names = {each.info().name for each in workspace.records(RecordKind.LABELING)}
    assert names == {"boxes", "all", "stopped"}
    assert not workspace.trashed(RecordKind.LABELING)


def test_deep_gray_and_sideways_pictures_are_seen_as_on_the_screen(tmp_path: Path) -> None:
    gray = tmp_path / "deep.png"
    Image.fromarray(pixels()[..., 0].astype(np.uint16) * 16).save(gray)
    found = seen_pixels(SegmentPicture(path=str(gray), width=SIZE[0], height=SIZE[1]))
    assert found.shape == (SIZE[1], SIZE[0], 3)
    assert int(found[40, 50, 0]) - int(found[5, 5, 0]) > 80
    many = tmp_path / "many.npy"
    np.save(many, np.repeat(pixels()[..., :1], 5, axis=-1).astype(np.float32))
    found = seen_pixels(SegmentPicture(path=str(many), width=SIZE[0], height=SIZE[1]))
    assert found.shape == (SIZE[1], SIZE[0], 3)
    sideways = tmp_path / "sideways.jpg"
    exif = Image.Exif()
    exif[0x0112] = 6
    Image.fromarray(pixels()).save(sideways, exif=exif, quality=95)
    found = seen_pixels(SegmentPicture(path=str(sideways), width=SIZE[1], height=SIZE[0]))
    assert found.shape == (SIZE[0], SIZE[1], 3)


@pytest.fixture
def host() -> Iterator[EngineHost]:
    with contextlib.closing(segmenter_host()) as found:
        yield found


@pytest.mark.slow
def test_the_process_prepares_answers_and_outlives_a_broken_model(
    host: EngineHost, picture: SegmentPicture, tmp_path: Path
) -> None:
    files = segment_model(write_sam2(tmp_path / "model"))
    prepared = host.ask(ENCODE, EncodeRequest(model=files, picture=picture), EncodeAnswer)
    prompts = (ObjectPrompt(points=(click(50, 40),)), ObjectPrompt())
    request = SegmentRequest(model=files, picture=picture, prompts=prompts)
    answer = host.ask(SEGMENT, request, SegmentAnswer).result(60)
    assert prepared.result(60).seconds > 0
    first, nothing = (each.patch() for each in answer.masks)
    assert nothing is None
    assert first is not None
    expected, _ = PromptModel(files).segment(PromptModel(files).encode(pixels()), prompts[0], SIZE)
    assert expected is not None
    assert (first.left, first.top) == (expected.left, expected.top)
    assert (first.inside == expected.inside).all()
    damaged = files.model_copy(update={"encoder": files.decoder})
    with pytest.raises(StudioError, match="not the encoder"):
        host.ask(ENCODE, EncodeRequest(model=damaged, picture=picture), EncodeAnswer).result(60)
    missing = picture.model_copy(update={"path": str(tmp_path / "gone.png")})
    with pytest.raises(StudioError, match=r"gone\.png cannot be read"):
        host.ask(ENCODE, EncodeRequest(model=files, picture=missing), EncodeAnswer).result(60)
    pid = host.pid
    assert pid is not None
    os.kill(pid, signal.SIGSTOP)
    waiting = host.ask(SEGMENT, request, SegmentAnswer)
    os.kill(pid, signal.SIGKILL)
    with pytest.raises(HostDiedError):
        waiting.result(60)
    assert host.ask(SEGMENT, request, SegmentAnswer).result(60).masks[0].width
