"""`studio label`: from a folder without labels to a dataset."""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from helpers.command_line import Call, caller
from helpers.segment_models import write_sam
from helpers.text_presets import PromptsHost, tiny_clip, write_clip
from helpers.videos import write_video
from studio.engine.networks.backbones import BACKBONES
from studio.engine.workspace import Workspace

COLORS = ((220, 40, 40), (40, 60, 220))


@pytest.fixture
def pictures(tmp_path: Path) -> Path:
    folder = tmp_path / "in"
    folder.mkdir()
    random = np.random.default_rng(0)
    for number in range(40):
        noise = random.normal(0, 25, (16, 24, 3))
        pixels = np.clip(np.array(COLORS[number % 2]) + noise, 0, 255).astype(np.uint8)
        Image.fromarray(pixels).save(folder / f"{number:02}.png")
    return folder


@pytest.fixture
def call(capsys: pytest.CaptureFixture[str], workspace: Workspace) -> Call:
    return caller(capsys, workspace.root)


def test_from_pictures_to_a_dataset(call: Call, pictures: Path, tmp_path: Path) -> None:
    made = call("label", "create", "toys", pictures, "--class", "red", "--json").document
    assert (made["name"], made["task"], made["count"], made["labeled"]) == (
        "toys",
        "classification",
        40,
        0,
    )
    for color, start in (("red", 0), ("blue #0000ff", 1)):
        names = [str(number) for number in range(start, 24, 2)]
        done = call("label", "set", "toys", *names, "--to", color, "--as", "Ana", "--json")
        assert done.document["items"] == [int(name) for name in names]
    shown = call("label", "show", "toys", "--items", "--json").document
    assert [each["name"] for each in shown["classes"]] == ["red", "blue"]
    assert shown["classes"][1]["color"] == "#0000ff"
    assert (shown["items"][3]["text"], shown["items"][3]["by"]) == ("blue", "Ana")
    assert call("label", "show", "toys").out.startswith("toys: Classification, 40 images, 24")

    found = call("label", "suggest", "toys", "--accept", "0.6", "--json").document
    assert len(found["proposals"]) == 16
    assert found["accepted"] > 8
    assert all(each["text"] == ("red", "blue")[each["item"] % 2] for each in found["proposals"])
    assert "24 labels" in found["sentence"]
    undone = call("label", "undo", "toys", "--json").document
    assert len(undone["items"]) == found["accepted"]
    assert call("label", "quality", "toys", "--json").document["suspects"] == []

    table = call("label", "export", "toys", "--to", tmp_path / "out", "--json").document
    with Path(table["path"]).open(encoding="utf-8", newline="") as file:
        assert len(list(csv.reader(file))) == 25
    dataset = call(
        "label", "dataset", "toys", "--name", "made", "--size", "8x8", "--val", "25", "--json"
    ).document
    assert dataset["name"] == "made"
    assert sum(dataset["count"].values()) == 24
    assert call("datasets", "show", "made", "--json").document["classes"] == ["blue", "red"]
    into = ("label", "dataset", "toys", "--into", "made", "--json")
    assert "already" in call(*into).mistake
    call("label", "set", "toys", "30", "31", "--to", "red")
    assert sum(call(*into).document["count"].values()) == 26


def test_two_annotators(call: Call, pictures: Path) -> None:
    call("label", "create", "toys", pictures, "--class", "red", "--class", "blue")
    call("label", "set", "toys", "0", "1", "2", "--to", "red", "--as", "Ana")
    call("label", "set", "toys", "0", "2", "--to", "red", "--as", "Ben")
    call("label", "set", "toys", "01.png", "--to", "blue", "--as", "Ben")

    found = call("label", "agreement", "toys", "Ana", "Ben", "--json").document
    assert (found["count"], found["kappa"]) == (3, 0.0)
    assert found["disagreements"] == [
        {"item": 1, "name": "01.png", "Ana": "red", "Ben": "blue", "agreement": 0.0}
    ]
    assert "Cohen" in call("label", "agreement", "toys", "Ana", "Ben").out


def test_frames_of_a_video_and_other_values(call: Call, tmp_path: Path) -> None:
    frames = [np.full((32, 48, 3), 10 * number, np.uint8) for number in range(12)]
    write_video(tmp_path / "film.mp4", frames)
    made = call(
        "label",
        "create",
        "film",
        tmp_path / "film.mp4",
        "--every",
        "4",
        "--task",
        "segmentation",
        "--class",
        "ground",
        "--class",
        "toy",
        "--json",
    ).document
    assert made["count"] == 3
    Image.fromarray(np.ones((32, 48), np.uint8)).save(tmp_path / "mask.png")
    call("label", "set", "film", "1", "--to", tmp_path / "mask.png", "--json")
    folder = call(
        "label", "export", "film", "--format", "masks", "--to", tmp_path / "out", "--json"
    ).document["path"]
    assert len(list(Path(folder).rglob("*.png"))) == 2

    call("label", "create", "sizes", "--task", "regression", "--class", "width [cm]")
    call("label", "add", "sizes", tmp_path / "mask.png")
    call("label", "set", "sizes", "mask.png", "--to", "2.5")
    assert call("label", "show", "sizes", "--items", "--json").document["items"][0]["value"] == {
        "kind": "numbers",
        "numbers": [2.5],
    }
    names = [each["name"] for each in call("label", "list", "--json").document]
    assert names == ["film", "sizes"]


def test_mistakes_are_said_in_one_line(call: Call, pictures: Path) -> None:
    assert "There is no labeling" in call("label", "show", "nothing").mistake
    call("label", "create", "toys", pictures)
    assert "There is no image" in call("label", "set", "toys", "x.png", "--to", "a").mistake
    assert "has a label" in call("label", "export", "toys", "--to", pictures).mistake
    assert "20 more labels" in call("label", "suggest", "toys").mistake
    assert "no decision" in call("label", "undo", "toys").mistake
    assert "already" in call("label", "create", "TOYS").mistake


def test_a_labeling_is_renamed_deleted_and_restored(call: Call, pictures: Path) -> None:
    call("label", "create", "toys", pictures)
    call("label", "rename", "toys", "things")
    assert [each["name"] for each in call("label", "list", "--json").document] == ["things"]


def test_boxes_become_outlines(call: Call, tmp_path: Path) -> None:
    folder = tmp_path / "boxes"
    folder.mkdir()
    pixels = np.full((64, 64, 3), 30, np.uint8)
    pixels[8:40, 8:40] = (220, 40, 40)
    pixels[44:60, 44:60] = (40, 60, 220)
    for number in range(2):
        pixels[63, 63] = number
        Image.fromarray(pixels).save(folder / f"{number}.png")
    call("label", "create", "cars", folder, "--task", "detection", "--class", "car", "--json")
    call("label", "set", "cars", "0", "--to", "car 6 6 42 42; car 42 42 62 62", "--json")
    model = write_sam(tmp_path / "model")
    found = call("label", "outline", "cars", "--model", model, "--json").document
    assert (found["images"], found["objects"], found["missing"]) == (1, 2, 0)
    shown = call("label", "show", found["name"], "--items", "--json").document
    assert (shown["task"], shown["labeled"]) == ("instances", 1)
    assert len(shown["items"][0]["value"]["objects"]) == 2
    mistake = call("label", "outline", found["name"], "--model", model).mistake
    assert "has no boxes to outline" in mistake


def test_texts_propose_classes_without_labels(
    call: Call, pictures: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(BACKBONES._ours, "clip_base_32", tiny_clip())
    monkeypatch.setattr("studio.cli.label.EngineHost", PromptsHost)
    preset = write_clip(tmp_path / "clip")
    call("label", "create", "toys", pictures, "--class", "vermelho", "--class", "blue")
    words = ("label", "suggest", "toys", "--texts", preset, "--words", "vermelho=red")

    found = call(*words, "--json").document

    assert len(found["proposals"]) == 40
    assert found["texts"]["vermelho"][0] == "a photo of a red."
    assert found["measured"] == {"right": 0, "count": 0}
    assert "20 more labels" in found["sentence"]
    said = call(*words, "--template", "a scan of {name}")
    assert "vermelho: a scan of red" in said.err
    assert "20 more labels" in said.out
    assert "measured on 0 labels" in call(*words, "--accept", "0.5").mistake
    right = {each["item"]: each["text"] for each in found["proposals"]}
    for name in ("vermelho", "blue"):
        items = [str(item) for item in range(24) if right[item] == name]
        if items:
            call("label", "set", "toys", *items, "--to", name)
    accepted = call(*words, "--accept", "0.5", "--json").document
    assert accepted["measured"] == {"right": 24, "count": 24}
    assert accepted["accepted"] == 16
    assert 'no class "red"' in call(*words[:-1], "red=cat").mistake
    assert "about texts" in call("label", "suggest", "toys", "--language", "pt").mistake
    assert "without a run" in call(*words, "--network", "squeezenet").mistake
