"""The queue of corrected pictures."""

from __future__ import annotations

import csv
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from PIL import Image

from helpers.digits import do_here
from helpers.target_datasets import squares, target_recipe
from studio.engine.datasets.sources.base import SourceOptions
from studio.engine.datasets.sources.list_file import ListFileSource
from studio.engine.errors import BadDataError, StudioError
from studio.engine.jobs.queue import JobQueue
from studio.engine.progress import SilentProgress
from studio.engine.review.corrections import ReviewQueue
from studio.engine.review.retraining import request_adding
from studio.engine.workspace import Workspace


def picture(folder: Path, shade: int) -> Path:
    path = folder / f"{shade}.png"
    Image.new("L", (4, 4), shade).save(path)
    return path


def add(review: ReviewQueue, path: Path, label: str) -> str:
    return review.add(path, path.name, "run-1", ("cat", 0.75), label)


def test_a_correction_outlives_window_and_picture(tmp_path: Path) -> None:
    path = picture(tmp_path, 9)
    number = add(ReviewQueue(tmp_path), path, "dog")
    data = path.read_bytes()
    path.unlink()

    (found,) = ReviewQueue(tmp_path).corrections()

    assert (found.id, found.answer, found.score, found.label) == (number, "cat", 0.75, "dog")
    assert ReviewQueue(tmp_path).picture(found).read_bytes() == data
    assert found.dataset == ""


def test_the_queue_is_edited(tmp_path: Path) -> None:
    review = ReviewQueue(tmp_path)
    first, second, third = (add(review, picture(tmp_path, n), "dog") for n in (1, 2, 3))
    review.relabel([first, third], "fox")
    review.mark_added([third], "set-2")
    stored = review.corrections()
    review.remove([second])
    assert [(each.id, each.label, each.dataset) for each in review.corrections()] == [
        (first, "fox", ""),
        (third, "fox", "set-2"),
    ]
    assert [review.picture(each).exists() for each in stored] == [True, False, True]
    again = add(review, tmp_path / "3.png", "hen")
    assert again == third
    assert [(each.label, each.dataset) for each in review.corrections()] == [
        ("fox", ""),
        ("hen", ""),
    ], "who corrects a picture once more means it once more"


@pytest.mark.parametrize("task", ["multi_label", "regression"])
def test_pictures_with_a_class_are_not_added_to_labels_or_numbers(
    tmp_path: Path, task: str
) -> None:
    workspace = Workspace.open(tmp_path / "workspace")
    tables = squares(tmp_path / "squares", 30)
    dataset = do_here(workspace, target_recipe(tables, task), "squares")
    number = add(ReviewQueue(workspace.root), picture(tmp_path, 7), "red")

    with pytest.raises(StudioError, match="a corrected image has one class"):
        request_adding(JobQueue(workspace), dataset.record.id, [number])


def test_many_at_once_lose_nothing(tmp_path: Path) -> None:
    paths = [picture(tmp_path, shade) for shade in range(24)]
    with ThreadPoolExecutor(6) as pool:
        list(pool.map(lambda path: add(ReviewQueue(tmp_path), path, "dog"), paths))
    assert len(ReviewQueue(tmp_path).corrections()) == 24


def test_the_list_is_read_by_an_import_as_training_images(tmp_path: Path) -> None:
    review = ReviewQueue(tmp_path)
    for shade in (1, 2):
        add(review, picture(tmp_path, shade), "a class, with a comma")
    first, second = (review.write_list(review.corrections()) for _ in range(2))
    assert first != second
    options = SourceOptions(min_classes=1)
    scan = ListFileSource().scan(first, SilentProgress(), options)
    assert [(item.class_name, item.split) for item in scan.items] == [
        ("a class, with a comma", "train")
    ] * 2
    assert not scan.problems
    assert len(list(csv.reader(first.open()))) == 3


def test_non_images_are_refused_and_damage_is_reported(tmp_path: Path) -> None:
    review = ReviewQueue(tmp_path)
    (tmp_path / "no.png").write_text("words")
    with pytest.raises(BadDataError, match="not an image"):
        add(review, tmp_path / "no.png", "dog")
    assert review.corrections() == []
    add(review, picture(tmp_path, 1), "dog")
    (review.folder / "queue.jsonl").write_text("{")
    with pytest.raises(BadDataError, match="review queue"):
        review.corrections()
