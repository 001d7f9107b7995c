"""Segmentation on the command line: train, evaluate, predict into files, export and serve."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from helpers.command_line import caller
from helpers.digits import Digits
from helpers.mask_datasets import NAMES, SIDE, shapes, write_masks
from helpers.processes import run_without, studio
from helpers.serving import post, serving_run
from helpers.videos import write_video
from studio.engine.tasks.annotation_files.rle import decode
from studio.engine.workspace import Workspace

NETWORK = "small_unet:filters=8,depth=2"


@dataclass(frozen=True, slots=True)
class Trained:
    """A workspace with a run on masks, and the folder of what it was imported from."""

    workspace: Workspace
    source: Path


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory) -> Trained:
    folder = tmp_path_factory.mktemp("masks")
    source = write_masks(folder / "in", *shapes(120))
    workspace = Workspace.open(folder / "workspace")
    imported = ["datasets", "import", str(source), "--name", "shapes", "--task", "segmentation"]
    imported += ["--size", f"{SIDE}x{SIDE}", "--classes", ",".join(NAMES)]
    train = ["train", "--dataset", "shapes", "--network", NETWORK, "--name", "run"]
    train += ["--epochs", "12", "--batch-size", "8", "--learning-rate", "0.01"]
    for each in (imported, train):
        done = studio("--workspace", workspace.root, *each)
        assert done.returncode == 0, done.stderr
    return Trained(workspace, source)


def test_only_models_of_masks_write_masks(
    digits: Digits, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    call = caller(capsys, digits.workspace.root)
    picture = str(next(digits.pictures.rglob("*.png")))

    mistake = call("predict", "lenet", picture, "--to", str(tmp_path / "out")).mistake

    assert "predicts no masks" in mistake
    assert not (tmp_path / "out").exists()


@pytest.mark.thorough
def test_a_run_of_masks_is_shown_with_its_metrics(
    trained: Trained, capsys: pytest.CaptureFixture[str]
) -> None:
    call = caller(capsys, trained.workspace.root)

    epochs = call("runs", "show", "run", "--json").document["epochs"]

    names = {"loss", "mean_iou", "mean_dice", "pixel_accuracy"}
    assert epochs[-1]["metrics"].keys() == names | {f"val_{name}" for name in names}
    assert max(each["metrics"]["val_mean_iou"] for each in epochs) > 0.7


@pytest.mark.thorough
def test_an_evaluation_has_the_figures_of_each_class(
    trained: Trained, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    call = caller(capsys, trained.workspace.root)

    found = call("evaluate", "run", "--split", "val", "--json").document

    assert found["task"] == "segmentation"
    assert found["metrics"].keys() >= {"mean_iou", "mean_dice", "pixel_accuracy"}
    assert list(found["classes"]) == list(NAMES)
    each = found["classes"]["disc"]
    assert each.keys() >= {"iou", "dice", "precision", "recall", "boundary_f1", "pixels"}
    matrix = np.array(found["confusion"])
    assert matrix.shape == (3, 3)
    assert matrix.sum() == found["count"] * SIDE * SIDE
    assert each["pixels"] == matrix[2].sum()
    assert each["recall"] == pytest.approx(matrix[2, 2] / matrix[2].sum())
    low, high = found["intervals"]["mean_iou"]
    assert low < found["metrics"]["mean_iou"] < high
    assert "boundary F1" in call("evaluate", "run", "--split", "val").out


@pytest.mark.thorough
def test_a_folder_is_predicted_into_masks(
    trained: Trained, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    call = caller(capsys, trained.workspace.root)
    pictures = tmp_path / "pictures"
    pictures.mkdir()
    with Image.open(trained.source / "images" / "0000.png") as picture:
        picture.resize((100, 60), Image.Resampling.BICUBIC).save(pictures / "large.png")
        picture.save(pictures / "small.png")
    table, to = tmp_path / "table.csv", tmp_path / "out"
    words = ("--to", str(to), "--masks", "index", "color", "coco", "--csv", str(table), "--json")

    found = call("predict", "run", str(pictures), *words).document

    assert [Path(each["image"]).name for each in found] == ["large.png", "small.png"]
    for each, size in zip(found, ((100, 60), (SIDE, SIDE)), strict=True):
        with Image.open(each["mask"]) as image:
            assert image.size == size
            labels = np.array(image)
        counts = [int((labels == place).sum()) for place in range(len(NAMES))]
        assert [entry["class"] for entry in each["classes"]] == list(NAMES)
        assert [entry["pixels"] for entry in each["classes"]] == counts
        assert sum(entry["share"] for entry in each["classes"]) == pytest.approx(1)
        assert Path(each["color"]).is_file()
    with Image.open(trained.source / "masks" / "0000.png") as mask:
        truth = np.array(mask)
    with Image.open(found[1]["mask"]) as image:
        assert (np.array(image) == truth).mean() > 0.9
    coco = json.loads((to / "masks.json").read_text("utf-8"))
    assert [each["width"] for each in coco["images"]] == [100, SIDE]
    assert {each["image_id"] for each in coco["annotations"]} == {1, 2}
    with table.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert float(rows[0]["pixels disc"]) == found[0]["classes"][2]["pixels"]
    assert "is not empty" in call("predict", "run", str(pictures), "--to", str(to)).mistake


@pytest.mark.thorough
def test_a_video_is_predicted_into_a_mask_for_each_frame(
    trained: Trained, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    call = caller(capsys, trained.workspace.root)
    clip, to = tmp_path / "clip.mp4", tmp_path / "out"
    pictures = [trained.source / "images" / f"{number:04}.png" for number in range(6)]
    write_video(clip, [np.asarray(Image.open(path).convert("RGB")) for path in pictures])

    found = call("predict", "run", str(clip), "--to", str(to), "--frames", "3", "--json").document

    names = ["clip-00000.png", "clip-00002.png", "clip-00004.png"]
    assert [each["image"] for each in found] == [str(clip / name) for name in names]
    assert sorted(path.name for path in to.iterdir()) == names
    for each, number in zip(found, (0, 2, 4), strict=True):
        with (
            Image.open(each["mask"]) as given,
            Image.open(trained.source / "masks" / f"{number:04}.png") as truth,
        ):
            assert (np.array(given) == np.array(truth)).mean() > 0.85
    (tmp_path / "bad.mp4").write_bytes(b"no video")
    assert (
        "it is not a readable video" in call("predict", "run", str(tmp_path / "bad.mp4")).mistake
    )


@pytest.mark.thorough
def test_an_export_writes_masks_by_its_script(
    trained: Trained, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    call = caller(capsys, trained.workspace.root)

    words = ("--format", "tflite", "--precision", "int8", "--to", str(tmp_path))
    exported = call("export", "run", *words, "--json").document

    certificate = exported["certificate"]
    assert certificate["metrics"]["mean_iou"] == pytest.approx(
        certificate["model_metrics"]["mean_iou"], abs=0.05
    )
    assert certificate["pixel_agreement"] > 0.97
    folder, picture = Path(exported["path"]), trained.source / "images" / "0001.png"
    script = folder / "predict.py"
    out = run_without((), script, picture, "--json", "--to", tmp_path / "masks", cwd=folder)
    (answer,) = json.loads(out.splitlines()[-1])
    with Image.open(answer["mask"]) as image:
        labels = np.array(image)
    with Image.open(trained.source / "masks" / "0001.png") as mask:
        assert (labels == np.array(mask)).mean() > 0.85
    run_without((), script, "--self-test", cwd=folder)


@pytest.fixture
def served(trained: Trained) -> Iterator[str]:
    with serving_run(trained.workspace, "run") as address:
        yield address


@pytest.mark.thorough
def test_a_server_answers_with_regions_and_with_a_picture(trained: Trained, served: str) -> None:
    body = (trained.source / "images" / "0002.png").read_bytes()

    answer: dict[str, Any] = json.loads(post(f"{served}/predict", body))
    with Image.open(BytesIO(post(f"{served}/mask", body))) as image:
        labels = np.array(image)

    for region in answer["regions"]:
        mask = decode((SIDE, SIDE), region["segmentation"]["counts"])
        assert np.array_equal(mask, labels == NAMES.index(region["class"]))
        assert region["area"] == mask.sum()
    assert sum(each["pixels"] for each in answer["classes"]) == SIDE * SIDE
