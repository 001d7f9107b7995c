"""Pictures come from files, datasets, videos and cameras; source files stay as they are."""

from __future__ import annotations

import hashlib
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from labeling_pictures import color_pictures
from PIL import Image

from helpers.digits import run_to_end
from helpers.pictures import picture_folder, small_recipe
from helpers.runs import append_events
from helpers.videos import write_video
from studio.engine.datasets.importer import import_dataset
from studio.engine.datasets.requests import request_import
from studio.engine.errors import BadDataError, DiskFullError, StudioError
from studio.engine.jobs.events import StateChanged
from studio.engine.jobs.queue import JobQueue
from studio.engine.jobs.references import users_of
from studio.engine.jobs.states import State
from studio.engine.labeling import sources
from studio.engine.labeling.items import ItemLine
from studio.engine.labeling.plan import LabelClass, LabelingPlan
from studio.engine.labeling.project import Labeling
from studio.engine.labeling.sources import (
    CHANGED,
    _Adding,
    add_dataset,
    add_pictures,
    add_video,
    capture,
    digest_of_file,
    video_paths,
)
from studio.engine.labeling.values import ClassValue
from studio.engine.progress import Cancelled, SilentProgress
from studio.engine.workspace import RecordKind, Workspace


@pytest.fixture
def labeling(workspace: Workspace) -> Labeling:
    plan = LabelingPlan(classes=[LabelClass(name="a"), LabelClass(name="b")])
    return Labeling.create(workspace, "new", plan)


def test_folders_are_read_and_left_as_they_are(labeling: Labeling, tmp_path: Path) -> None:
    folder = color_pictures(tmp_path / "in", 12)
    color_pictures(folder / "sub ü", 2, seed=1)
    (folder / "note.txt").write_text("no picture")
    (folder / "broken.png").write_bytes(b"no picture")
    (folder / "copy.png").write_bytes((folder / "0003.png").read_bytes())
    before = _contents(folder)

    added = add_pictures(labeling, [folder])
    assert added.items == list(range(14))
    assert added.duplicates == 1
    assert [Path(each.path).name for each in added.skipped] == ["broken.png"]
    names = [item.name for item in labeling.items]
    assert names[:3] == ["0000.png", "0001.png", "0002.png"]
    assert "sub ü/0001.png" in names
    assert (labeling.items[0].width, labeling.items[0].height) == (24, 16)
    assert labeling.file_of(0) == folder / "0000.png"
    again = add_pictures(labeling, [folder, folder / "0000.png"])
    assert (again.items, again.duplicates) == ([], 16)
    assert _contents(folder) == before


def _contents(folder: Path) -> dict[str, tuple[str, int]]:
    return {
        str(path): (hashlib.sha256(path.read_bytes()).hexdigest(), path.stat().st_mtime_ns)
        for path in folder.rglob("*")
        if path.is_file()
    }


def test_the_digest_of_large_files_is_of_their_ends(tmp_path: Path) -> None:
    one, other, short = (tmp_path / name for name in ("one", "other", "short"))
    one.write_bytes(b"a" * 200_000)
    other.write_bytes(b"a" * 100_000 + b"b" + b"a" * 99_999)
    short.write_bytes(b"a" * 199_999)

    assert digest_of_file(one) == digest_of_file(other)
    assert digest_of_file(one) != digest_of_file(short)


def test_pictures_that_differ_in_the_middle_are_no_duplicates(
    labeling: Labeling, tmp_path: Path
) -> None:
    pixels = np.zeros((400, 400, 3), np.uint8)
    Image.fromarray(pixels).save(tmp_path / "one.bmp")
    pixels[200, 200] = 255
    Image.fromarray(pixels).save(tmp_path / "two.bmp")

    assert len(add_pictures(labeling, [tmp_path]).items) == 2


def test_what_is_not_there_is_said(labeling: Labeling, tmp_path: Path) -> None:
    with pytest.raises(StudioError, match="There is no file"):
        add_pictures(labeling, [tmp_path / "nothing"])
    (tmp_path / "empty").mkdir()
    with pytest.raises(StudioError, match="There are no images"):
        add_pictures(labeling, [tmp_path / "empty"])
    with pytest.raises(StudioError, match="There is no file"):
        add_video(labeling, tmp_path / "nothing.mp4")
    (tmp_path / "bad.mp4").write_bytes(b"no video")
    with pytest.raises(BadDataError, match="not a readable video"):
        add_video(labeling, tmp_path / "bad.mp4")
    (tmp_path / "bad.gif").write_bytes(b"no video")
    with pytest.raises(BadDataError, match="not a readable video"):
        add_video(labeling, tmp_path / "bad.gif")
    with pytest.raises(StudioError, match="frame interval"):
        add_video(labeling, tmp_path / "bad.mp4", every=0)


def test_every_nth_frame_of_a_video(labeling: Labeling, tmp_path: Path) -> None:
    frames = [np.full((32, 48, 3), 10 * number, np.uint8) for number in range(20)]
    write_video(tmp_path / "film.mp4", frames)

    added = add_video(labeling, tmp_path / "film.mp4", every=5)
    assert [item.frame for item in labeling.items] == [0, 5, 10, 15]
    assert added.items == [0, 1, 2, 3]
    item = labeling.items[2]
    assert (item.origin, item.name, item.width) == ("video", "film.mp4 10", 48)
    assert item.seconds == pytest.approx(1.0, abs=0.11)
    with Image.open(labeling.file_of(2)) as image:
        assert np.asarray(image).mean() == pytest.approx(100, abs=8)


def test_frames_of_a_video_are_added_once(labeling: Labeling, tmp_path: Path) -> None:
    frames = [np.full((32, 48, 3), 10 * number, np.uint8) for number in range(10)]
    write_video(tmp_path / "film.mp4", frames)

    add_video(labeling, tmp_path / "film.mp4", every=5)
    shutil.copy(tmp_path / "film.mp4", tmp_path / "copy.mp4")
    again = add_video(labeling, tmp_path / "copy.mp4", every=5)
    more = add_video(labeling, tmp_path / "film.mp4")

    assert (again.items, again.duplicates) == ([], 2)
    assert (len(more.items), more.duplicates) == (8, 2)
    assert sorted(item.frame or 0 for item in labeling.items) == list(range(10))
    assert len(list((labeling.record.folder / "pictures").iterdir())) == 10


def test_changed_frames_only(labeling: Labeling, workspace: Workspace, tmp_path: Path) -> None:
    scene = [np.full((32, 48, 3), level, np.uint8) for level in (0, 120, 250)]
    frames = [Image.fromarray(each) for level in scene for each in [level] * 7]
    frames[0].save(tmp_path / "film.gif", save_all=True, append_images=frames[1:], duration=50)

    add_video(labeling, tmp_path / "film.gif", changed=CHANGED)
    means = [int(np.asarray(Image.open(labeling.file_of(i))).mean()) for i in range(3)]
    assert len(labeling.items) == 3
    assert means == pytest.approx([0, 120, 250], abs=3)
    other = Labeling.create(workspace, "other", LabelingPlan())
    assert len(add_video(other, tmp_path / "film.gif", most=2).items) == 2


def test_captured_pictures_are_stored_with_their_class(labeling: Labeling) -> None:
    pixels = np.random.default_rng(0).integers(0, 256, (20, 30, 3), np.uint8)
    item = capture(labeling, pixels, "webcam", ClassValue(index=1))
    capture(labeling, pixels, "clipboard")

    again = Labeling(labeling.record)
    np.testing.assert_array_equal(np.asarray(Image.open(again.file_of(item))), pixels)
    assert again.value_of(item) == ClassValue(index=1)
    label = again.label_of(item)
    assert label is not None
    assert label.via == "captured"
    assert again.undecided() == [1]


def test_images_of_a_dataset_with_and_without_labels(
    labeling: Labeling, workspace: Workspace, tmp_path: Path
) -> None:
    source = picture_folder(tmp_path / "in", classes=("b", "c"))
    queue = JobQueue(workspace)
    job = run_to_end(queue, request_import(queue, small_recipe(source), "old"))

    added = add_dataset(labeling, workspace, job.record, with_labels=True)
    assert len(added.items) == 12
    assert labeling.names == ("a", "b", "c")
    assert labeling.counts() == [0, 6, 6]
    again = add_dataset(labeling, workspace, job.record, with_labels=True)
    assert (again.items, again.duplicates, len(labeling.items)) == ([], 12, 12)
    item = labeling.items[0]
    assert (item.origin, item.source) == ("dataset", job.record.id)
    assert labeling.file_of(0).is_relative_to(source)
    assert labeling.names[_class_of(labeling, 0)] == labeling.file_of(0).parent.name

    (source / "c" / "000.png").unlink()
    other = Labeling.create(workspace, "other", LabelingPlan())
    add_dataset(other, workspace, job.record)
    assert len(other.items) == 12
    assert other.labeled_count == 0
    again = add_dataset(other, workspace, job.record)
    assert (again.items, again.duplicates) == ([], 12)
    assert len(list((other.record.folder / "pictures").iterdir())) == 1
    inside = [
        item
        for item in other.items
        if other.file_of(item.index).is_relative_to(other.record.folder)
    ]
    assert len(inside) == 1
    masks = Labeling.create(workspace, "masks", LabelingPlan(task="segmentation"))
    with pytest.raises(StudioError, match="for classification"):
        add_dataset(masks, workspace, job.record, with_labels=True)


def test_a_labeling_needs_the_record_whose_files_it_reads(
    labeling: Labeling, workspace: Workspace
) -> None:
    """Images of a dataset are files of the user, here of another labeling, or copies."""
    source = picture_folder(labeling.record.folder / "pictures", classes=("b", "c"))
    recipe = small_recipe(source)
    dataset = workspace.create(RecordKind.DATASET, "old", recipe.to_json())
    import_dataset(recipe, dataset.folder, SilentProgress())
    append_events(dataset, [StateChanged(state=State.COMPLETED)])
    other = Labeling.create(workspace, "other", LabelingPlan())
    add_dataset(other, workspace, dataset)

    assert [user.name for user in users_of(workspace, labeling.record)] == ["old", "other"]
    assert users_of(workspace, other.record) == []
    assert users_of(workspace, dataset) == []
    workspace.delete_forever(workspace.trash(dataset))
    assert all(other.file_of(item.index).is_file() for item in other.items)


class _CancelAt(SilentProgress):
    """Cancels when some pictures were added."""

    def __init__(self, done: int) -> None:
        self._done = done
        self._is_over = False

    def advance(self, done: int, total: int, what: str) -> None:
        self._is_over = done >= self._done

    def check(self) -> None:
        if self._is_over:
            raise Cancelled


def test_labels_of_a_dataset_survive_a_cancel(
    labeling: Labeling, workspace: Workspace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = picture_folder(tmp_path / "in", classes=("b", "c"))
    queue = JobQueue(workspace)
    job = run_to_end(queue, request_import(queue, small_recipe(source), "old"))
    monkeypatch.setattr(sources, "_BATCH", 4)

    with pytest.raises(Cancelled):
        add_dataset(labeling, workspace, job.record, _CancelAt(4), with_labels=True)
    assert len(labeling.items) == labeling.labeled_count == 8
    stored, counter = _Adding.stored, iter(range(12))

    def fail_later(*arguments: Any) -> ItemLine:
        if next(counter) == 2:
            raise DiskFullError("full")
        return stored(*arguments)

    with monkeypatch.context() as patch:
        patch.setattr(_Adding, "original", lambda *_: None)
        patch.setattr(_Adding, "stored", fail_later)
        with pytest.raises(DiskFullError):
            add_dataset(labeling, workspace, job.record, with_labels=True)
    assert len(labeling.items) == labeling.labeled_count == 10

    add_dataset(labeling, workspace, job.record, with_labels=True)
    assert labeling.undecided() == []


def _class_of(labeling: Labeling, item: int) -> int:
    value = labeling.value_of(item)
    assert isinstance(value, ClassValue)
    return value.index


def test_videos_are_separated_from_pictures() -> None:
    paths = [Path("a.MP4"), Path("b.gif"), Path("c.png"), Path("folder")]
    assert video_paths(paths) == (paths[:2], paths[2:])
