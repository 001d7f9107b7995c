"""Detection on the command line: train, evaluate, predict into files, export and serve."""

from __future__ import annotations

import csv
import json
import shutil
import urllib.error
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from helpers.box_datasets import NAMES, SIDE, Boxes, shapes, write_boxes
from helpers.command_line import caller
from helpers.digits import Digits
from helpers.processes import run_without, studio
from helpers.serving import post, serving_run
from helpers.videos import write_video
from studio.engine.tasks.boxes import overlaps
from studio.engine.workspace import Workspace

NETWORK = "small_detector:filters=8"
LARGE = (100, 60)


@dataclass(frozen=True, slots=True)
class Trained:
    """A workspace with a run on boxes, the folder of its pictures, and their boxes."""

    workspace: Workspace
    source: Path
    boxes: list[Boxes]

    def picture(self, number: int) -> Path:
        """Return the path of a picture."""
        return self.source / "images" / f"{number:04}.png"


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory) -> Trained:
    folder = tmp_path_factory.mktemp("boxes")
    images, boxes = shapes(160)
    source = write_boxes(folder / "in", images, boxes)
    workspace = Workspace.open(folder / "workspace")
    imported = ["datasets", "import", str(source), "--name", "shapes", "--task", "detection"]
    imported += ["--size", f"{SIDE}x{SIDE}"]
    train = ["train", "--dataset", "shapes", "--network", NETWORK, "--name", "run"]
    train += ["--epochs", "20", "--batch-size", "8", "--learning-rate", "0.01"]
    for each in (imported, train):
        done = studio("--workspace", workspace.root, *each)
        assert done.returncode == 0, done.stderr
    return Trained(workspace, source, boxes)


def recall_of(answers: list[Any], boxes: Boxes, scale: tuple[float, float] = (1, 1)) -> float:
    """Return the share of the boxes of a picture that one of the answers overlaps enough.

    Args:
        answers: Objects with `class` and `box`.
        boxes: True boxes, shape (n, 6).
        scale: Factors of width and height from the boxes to the answers.
    """
    given = np.array([each["box"] for each in answers], np.float32).reshape(-1, 4)
    both = overlaps(boxes[:, 1:5] * np.tile(scale, 2), given) >= 0.5
    same = np.array(
        [[each["class"] == NAMES[int(box[0])] for each in answers] for box in boxes], np.bool_
    ).reshape(both.shape)
    return float((both & same).any(axis=1).mean())


def test_only_models_of_boxes_write_boxes(
    digits: Digits, capsys: pytest.CaptureFixture[str]
) -> None:
    call = caller(capsys, digits.workspace.root)
    picture = str(next(digits.pictures.rglob("*.png")))

    assert "gives no boxes" in call("predict", "lenet", picture, "--boxes", "csv").mistake
    assert "finds objects" in call("predict", "lenet", picture, "--count").mistake


@pytest.mark.thorough
def test_a_run_of_boxes_is_shown_with_its_metrics(
    trained: Trained, capsys: pytest.CaptureFixture[str]
) -> None:
    call = caller(capsys, trained.workspace.root)

    epochs = call("runs", "show", "run", "--json").document["epochs"]

    names = {"loss", "map", "ap50", "class_loss", "box_loss"}
    assert epochs[-1]["metrics"].keys() == names | {f"val_{name}" for name in names}
    assert max(each["metrics"]["val_ap50"] for each in epochs) > 0.7


@pytest.mark.thorough
def test_an_evaluation_has_the_figures_of_each_class(
    trained: Trained, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    call = caller(capsys, trained.workspace.root)
    page, table = tmp_path / "report.html", tmp_path / "report.csv"

    words = ("--split", "val", "--html", str(page), "--csv", str(table))
    found = call("evaluate", "run", *words, "--json").document

    assert found["task"] == "detection"
    assert found["metrics"].keys() >= {"map", "ap50", "ap75"}
    assert list(found["classes"]) == list(NAMES)
    each = found["classes"]["disc"]
    assert each.keys() >= {"ap", "ap50", "precision", "recall", "threshold", "objects"}
    matrix = np.array(found["confusion"])
    assert matrix.shape == (3, 3)
    assert each["objects"] == matrix[1].sum()
    low, high = found["intervals"]["map"]
    assert low < found["metrics"]["map"] < high
    assert page.stat().st_size > 1000
    assert "map" in table.read_text("utf-8")
    assert "AP50" in call("evaluate", "run", "--split", "val").out


@pytest.mark.thorough
def test_objects_of_a_folder_are_counted_with_intervals(
    trained: Trained, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    call = caller(capsys, trained.workspace.root)
    for number in range(24):
        path = tmp_path / "in" / f"day {number % 3}" / f"{number:04}.png"
        path.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(trained.picture(number), path)
    words = ("predict", "run", str(tmp_path / "in"), "--count", "--json")
    assert call("evaluate", "run", "--json").code == 0
    table = tmp_path / "counts.csv"

    found = call(*words, "--count-csv", str(table)).document

    assert len(found["images"]) == 24
    rows = found["counts"]
    truth = np.bincount(
        np.concatenate([boxes[:, 0] for boxes in trained.boxes[:24]]).astype(int), minlength=2
    )
    for name, count in zip(NAMES, truth.tolist(), strict=True):
        (whole,) = [each for each in rows if each["level"] == "all" and each["label"] == name]
        assert whole["images"] == 24
        assert whole["predicted"] == sum(
            box["class"] == name for image in found["images"] for box in image["boxes"]
        )
        assert whole["low"] <= count <= whole["high"]
    folders = [each for each in rows if each["level"] == "folder"]
    assert {Path(each["name"]).name for each in folders} == {"day 0", "day 1", "day 2"}
    with table.open(encoding="utf-8", newline="") as file:
        assert len(list(csv.DictReader(file))) == len(rows)
    assert found["corrections"].keys() == set(NAMES)
    source = found["corrected_by"]
    assert source["split"] == "test"
    assert source["images"] > source["left_out"] > 0, "some pictures are copies of test images"
    out = call(*words[:-1]).out
    assert "of them by" in out
    assert f"on {source['images']} test images." in " ".join(out.split())


@pytest.mark.thorough
def test_a_folder_is_predicted_into_boxes(
    trained: Trained, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    call = caller(capsys, trained.workspace.root)
    pictures = tmp_path / "pictures"
    pictures.mkdir()
    with Image.open(trained.picture(0)) as picture:
        picture.resize(LARGE, Image.Resampling.BICUBIC).save(pictures / "large.png")
        picture.save(pictures / "small.png")
    table, to = tmp_path / "table.csv", tmp_path / "out"
    words = ("--to", str(to), "--boxes", "csv,coco", "yolo", "--csv", str(table), "--json")

    found = call("predict", "run", str(pictures), *words).document

    assert [Path(each["image"]).name for each in found] == ["large.png", "small.png"]
    coco = json.loads((to / "boxes.json").read_text("utf-8"))
    assert [(each["width"], each["height"]) for each in coco["images"]] == [LARGE, (SIDE, SIDE)]
    with (to / "boxes.csv").open(encoding="utf-8", newline="") as file:
        lines = list(csv.DictReader(file))
    with table.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    for number, (each, size) in enumerate(zip(found, (LARGE, (SIDE, SIDE)), strict=True)):
        scale = size[0] / SIDE, size[1] / SIDE
        assert recall_of(each["boxes"], trained.boxes[0], scale) > 0.6
        count = len(each["boxes"])
        assert sum(line["image"] == each["image"] for line in lines) == count
        assert sum(each["image_id"] == number + 1 for each in coco["annotations"]) == count
        texts = Path(each["labels"]).read_text("utf-8").splitlines()
        assert len(texts) == count
        for line, box in zip(texts, each["boxes"], strict=True):
            label, x, y, width, height, score = line.split()
            assert NAMES[int(label)] == box["class"]
            assert float(score) == pytest.approx(box["score"], abs=1e-5)
            left, top, right, bottom = box["box"]
            assert float(x) * size[0] == pytest.approx((left + right) / 2, abs=0.02)
            assert float(height) * size[1] == pytest.approx(bottom - top, abs=0.02)
            assert 0 < float(y) < 1
            assert 0 < float(width) <= 1
        assert int(rows[number]["boxes"]) == count
        counts = [int(rows[number][f"count {name}"]) for name in NAMES]
        assert sum(counts) == count
    assert "is not empty" in call("predict", "run", str(pictures), "--to", str(to)).mistake
    strict = call("predict", "run", str(pictures), "--threshold", "1", "--json").document
    assert [each["boxes"] for each in strict] == [[], []]
    assert "no object" in call("predict", "run", str(pictures), "--threshold", "1").out


@pytest.mark.thorough
def test_a_video_is_predicted_frame_by_frame(
    trained: Trained, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    call = caller(capsys, trained.workspace.root)
    clip, table = tmp_path / "clip.mp4", tmp_path / "counts.csv"
    numbers = (0, 1, 2, 3, 4, 6)
    pixels = [np.asarray(Image.open(trained.picture(each)).convert("RGB")) for each in numbers]
    write_video(clip, pixels)

    words = ("--frames", "3", "--csv", str(table), "--json")
    found = call("predict", "run", str(clip), *words).document

    names = ["clip-00000.png", "clip-00002.png", "clip-00004.png"]
    assert [each["image"] for each in found] == [str(clip / name) for name in names]
    recalls = [
        recall_of(each["boxes"], trained.boxes[number])
        for each, number in zip(found, (0, 2, 4), strict=True)
    ]
    assert np.mean(recalls) > 0.6
    with table.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert [int(row["boxes"]) for row in rows] == [len(each["boxes"]) for each in found]


@pytest.mark.thorough
@pytest.mark.parametrize("words", [(), ("--no-decoding",)], ids=["boxes", "outputs"])
def test_an_export_gives_boxes_by_its_script(
    trained: Trained, capsys: pytest.CaptureFixture[str], tmp_path: Path, words: tuple[str, ...]
) -> None:
    pytest.importorskip("tf2onnx")
    call = caller(capsys, trained.workspace.root)

    options = ("--format", "onnx", "--to", str(tmp_path), *words)
    exported = call("export", "run", *options, "--json").document

    certificate = exported["certificate"]
    assert certificate["certified"]
    assert certificate["metrics"]["map"] == pytest.approx(
        certificate["model_metrics"]["map"], abs=1e-3
    )
    assert certificate["box_agreement"] > 0.99
    folder = Path(exported["path"])
    card = json.loads((folder / "labels.json").read_text("utf-8"))
    assert card["decoded"] == (not words)
    given = (trained.picture(1), "--json", "--to", "drawn")
    out = run_without((), folder / "predict.py", *given, cwd=folder)
    (answer,) = json.loads(out.splitlines()[-1])
    (ours,) = call("predict", "run", str(trained.picture(1)), "--json").document
    assert len(answer["boxes"]) == len(ours["boxes"])
    for their, our in zip(answer["boxes"], ours["boxes"], strict=True):
        assert their["class"] == our["class"]
        assert their["box"] == pytest.approx(our["box"], abs=0.05)
    assert (folder / answer["picture"]).is_file()
    for model in (folder, folder / "model.onnx"):
        (again,) = call("predict", str(model), str(trained.picture(1)), "--json").document
        assert len(again["boxes"]) == len(ours["boxes"])
        for their, our in zip(again["boxes"], ours["boxes"], strict=True):
            assert their["class"] == our["class"]
            assert their["box"] == pytest.approx(our["box"], abs=0.05)
    shutil.copy(folder / "model.onnx", tmp_path / "foreign.onnx")
    mistake = call("predict", str(tmp_path / "foreign.onnx"), str(trained.picture(1))).mistake
    assert "no description of its classes" in mistake
    words = ("--explain", str(tmp_path / "heat"))
    mistake = call("predict", str(folder), str(trained.picture(1)), *words).mistake
    assert "layers of run cannot be examined" in mistake


@pytest.fixture
def served(trained: Trained) -> Iterator[str]:
    with serving_run(trained.workspace, "run") as address:
        yield address


@pytest.mark.thorough
def test_a_server_answers_with_boxes(trained: Trained, served: str) -> None:
    body = trained.picture(2).read_bytes()

    answer = json.loads(post(f"{served}/predict", body))

    assert recall_of(answer["boxes"], trained.boxes[2]) > 0.5
    assert all(each.keys() == {"class", "score", "box"} for each in answer["boxes"])
    assert answer["milliseconds"] > 0
    with pytest.raises(urllib.error.HTTPError, match="404"):
        post(f"{served}/mask", body)
