"""The main job on the command line, in processes of their own, from pictures to an export."""

from __future__ import annotations

import csv
import json
import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from helpers.command_line import Call, caller
from helpers.digits import Digits
from helpers.keras2_files import keras2_file, keras2_layer
from helpers.zygote import studio
from studio.engine.workspace import RecordKind, Workspace

pytestmark = pytest.mark.slow

Done = subprocess.CompletedProcess[str]


@pytest.fixture
def own(capsys: pytest.CaptureFixture[str], own_run: Digits) -> Call:
    return caller(capsys, own_run.workspace.root)


@pytest.fixture
def shared(capsys: pytest.CaptureFixture[str], untouched: Digits) -> Call:
    """On digits that this module shares; only for verbs that change nothing."""
    return caller(capsys, untouched.workspace.root)


@pytest.fixture(scope="module")
def flow(tmp_path_factory: pytest.TempPathFactory, digits: Digits) -> dict[str, Done]:
    """All verbs of the main job, each a process, one after another, with their outputs."""
    root = tmp_path_factory.mktemp("flow") / "mein Arbeitsplatz ü"
    pictures = root.parent / "Bilder ü"
    (pictures / "tief").mkdir(parents=True)
    for name, label in (("drei.png", 3), ("tief/sieben.png", 7)):
        shutil.copy(next(digits.pictures.glob(f"{label}/*.png")), pictures / name)
    common = ("--workspace", root, "--json")
    run = "Läuf 1"
    source = str(digits.pictures)
    size = ("--size", "28x28", "--color", "gray", "--val", "20", "--test", "10", "--seed", "0")
    table = root.parent / "Tabelle ü.csv"
    return {
        "import": studio(*common, "datasets", "import", source, "--name", "Ziffern", *size),
        "train": studio(*common, "train", "--dataset", "Ziffern", "--epochs", "3", "--name", run),
        "show": studio("runs", "show", run, *common),
        "evaluate": studio(
            *("evaluate", run, "--split", "test", "--against", run, *common),
            *("--html", root.parent / "Seite ü.html", "--csv", root.parent / "Werte.csv"),
        ),
        "wrong": studio("datasets", "browse", "Ziffern", "--run", run, "--wrong", *common),
        "predict": studio("predict", run, pictures, "--top", "2", "--csv", table, *common),
        "export": studio(
            "export", run, "--format", "keras", "--to", "ausgeführt", *common, cwd=root.parent
        ),
        "table": Done([], 0, table.read_text(encoding="utf-8"), str(table)),
        "pictures": Done([], 0, str(pictures), ""),
        "page": Done([], 0, (root.parent / "Seite ü.html").read_text(encoding="utf-8"), ""),
        "figures": Done([], 0, (root.parent / "Werte.csv").read_text(encoding="utf-8"), ""),
    }


def _document(done: Done) -> Any:
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("\n") == 1
    return json.loads(done.stdout)


def test_import(flow: dict[str, Done]) -> None:
    document = _document(flow["import"])

    assert (document["name"], document["count"], document["skipped"]) == ("Ziffern", 1797, 0)
    assert document["classes"] == [str(digit) for digit in range(10)]


def test_train_and_show(flow: dict[str, Done]) -> None:
    trained, shown = _document(flow["train"]), _document(flow["show"])

    assert (trained["name"], trained["state"]) == ("Läuf 1", "completed")
    assert trained["val_accuracy"] > 0.85
    assert (shown["name"], shown["state"]) == ("Läuf 1", "completed")
    assert [epoch["epoch"] for epoch in shown["epochs"]] == [1, 2, 3]
    assert shown["plan"]["network"] == "lenet"
    assert shown["steps"] == 3 * 40
    assert "Training Läuf 1" in flow["train"].stderr


def test_evaluate(flow: dict[str, Done]) -> None:
    document = _document(flow["evaluate"])

    keys = ("accuracy", "top_5", "loss", "macro_f1", "count", "classes", "confusion_matrix")
    assert set(keys) <= set(document)
    assert document["accuracy"] > 0.85
    assert document["top_5"] >= document["accuracy"]
    assert document["count"] == 180 == sum(map(sum, document["confusion_matrix"]))
    low, high = document["intervals"]["accuracy"]
    assert low <= document["accuracy"] <= high
    assert document["per_class"][3]["class"] == "3"
    assert document["against"]["p_value"] == 1
    rows = {row["figure"]: row for row in csv.DictReader(flow["figures"].stdout.splitlines())}
    assert float(rows["accuracy"]["value"]) == document["accuracy"]
    assert "Läuf 1 on Ziffern" in flow["page"].stdout


def test_browse_the_mistakes_of_a_run(flow: dict[str, Done]) -> None:
    matrix = _document(flow["evaluate"])["confusion_matrix"]
    document = _document(flow["wrong"])

    assert document["count"] == 180 - sum(matrix[at][at] for at in range(10))
    assert {image["split"] for image in document["images"]} == {"test"}


def test_predict_a_folder(flow: dict[str, Done]) -> None:
    document = _document(flow["predict"])
    pictures = Path(flow["pictures"].stdout)

    assert [entry["image"] for entry in document] == [
        str(pictures / "drei.png"),
        str(pictures / "tief" / "sieben.png"),
    ]
    for entry in document:
        assert [set(prediction) for prediction in entry["predictions"]] == [{"class", "score"}] * 2
    rows = list(csv.reader(flow["table"].stdout.splitlines()))
    assert rows[0][:3] == ["image", "class", "score"]
    assert len(rows) == 3
    for row, entry in zip(rows[1:], document, strict=True):
        best = entry["predictions"][0]
        assert row[:2] == [entry["image"], best["class"]]
        assert float(row[2]) == best["score"]


def test_export(flow: dict[str, Done]) -> None:
    document = _document(flow["export"])

    folder = Path(document["path"])
    assert folder.name == "lauf-1-keras"
    assert folder.parent.name == "ausgeführt"
    assert (folder / "model.keras").is_file()
    keys = {"accuracy", "accuracy_change", "size_bytes", "latency_ms"}
    assert keys <= set(document["certificate"])
    assert document["certificate"]["accuracy"] == _document(flow["evaluate"])["accuracy"]


def test_a_bad_picture_among_good_ones(shared: Call, digits: Digits, tmp_path: Path) -> None:
    good = next(digits.pictures.glob("3/*.png"))
    bad, odd = tmp_path / "kaputt ü.png", tmp_path / os.fsdecode(b"caf\xe9.png")
    bad.write_text("no picture")
    odd.write_bytes(good.read_bytes())

    said = shared("predict", "lenet", bad, good, odd, "--json", "--csv", tmp_path / "t.csv")

    assert said.code == 2
    document = json.loads(said.out)
    assert [entry["image"] for entry in document] == [str(good), str(odd)]
    assert document[0]["predictions"][0]["class"] == "3"
    last = said.err.splitlines()[-1]
    assert last.startswith("studio: 1 of the images cannot be read: ")
    assert str(bad) in last
    rows = list(csv.DictReader((tmp_path / "t.csv").open(encoding="utf-8")))
    assert [bool(row["error"]) for row in rows] == [True, False, False]


def test_class_folders_give_the_accuracy(shared: Call, digits: Digits, tmp_path: Path) -> None:
    for folder, label in (("3", 3), ("7", 7), ("8", 7)):  # the last one lies
        (tmp_path / folder).mkdir()
        for picture in sorted(digits.pictures.glob(f"{label}/*.png"))[:4]:
            shutil.copy(picture, tmp_path / folder)

    document = json.loads(shared("predict", "lenet", tmp_path, "--json").out)
    said = shared("predict", "lenet", tmp_path).out.splitlines()

    right = [entry["right"] for entry in document]
    assert [entry["label"] for entry in document] == ["3"] * 4 + ["7"] * 4 + ["8"] * 4
    assert sum(right[:8]) >= 7
    assert not any(right[8:])
    assert said[-1].startswith(f"{sum(right)} of 12 images of known class are correct: ")


def test_only_bad_pictures_print_nothing(shared: Call, tmp_path: Path) -> None:
    (tmp_path / "bad.png").write_text("no picture")

    assert "bad.png" in shared("predict", "lenet", tmp_path, "--json").mistake


def test_a_table_that_cannot_be_written(shared: Call, digits: Digits, tmp_path: Path) -> None:
    picture = next(digits.pictures.glob("3/*.png"))

    mistake = shared("predict", "lenet", picture, "--csv", tmp_path).mistake

    assert "is a folder" in mistake


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["predict", "lenet", "none.png"], "none.png"),
        (["predict", "lenet", "."], "contains no images"),
        (["predict", "lenet", "x.txt", "--top", "0"], "--top"),
        (["predict", "nolet", "x.txt"], 'Did you mean "lenet"'),
        (["export", "lenet", "--format", "kera", "--to", "out"], 'Did you mean "keras"'),
        (["export", "lenet", "--to", "x.txt"], "x.txt"),
        (["train", "--dataset", "x", "--lr", "0.1"], "Did you mean --learning-rate?"),
        (["evaluate", "nolet"], 'Did you mean "lenet"'),
        (["evaluate", "x.txt"], "--dataset"),
        (["evaluate", "x.txt", "--dataset", "Ziffer"], 'Did you mean "Ziffern ü"'),
        (["evaluate", "lenet@99"], 'no checkpoint "99"'),
        (["datasets", "browse", "Ziffern ü", "--wrong"], "--run"),
        (["datasets", "browse", "Ziffern ü", "--run", "lenet"], "studio evaluate lenet"),
    ],
)
def test_mistakes(
    own: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, words: list[str], expected: str
) -> None:
    folder = tmp_path / "here"
    folder.mkdir()
    (folder / "x.txt").touch()
    (folder / ".hidden").mkdir()
    Image.fromarray(np.zeros((3, 3), np.uint8)).save(folder / ".hidden" / "a.png")
    monkeypatch.chdir(folder)

    assert expected in own(*words).mistake


def test_a_split_without_images(own: Call, own_run: Digits) -> None:
    path = own_run.dataset.record.folder / "summary.json"
    summary = json.loads(path.read_text())
    summary["count"]["test"] = 0
    path.write_text(json.dumps(summary))

    assert "no test images" in own("evaluate", "lenet", "--split", "test").mistake

    said = own("evaluate", "lenet", "--resamples", "0")
    assert said.code == 0
    assert "There are no test images; the val images are used." in said.err


def test_a_run_without_a_model(own: Call, own_run: Digits) -> None:
    workspace: Workspace = own_run.workspace
    plan = own_run.run.record.plan_file.read_text()
    workspace.create(RecordKind.RUN, "waits", plan)

    for words in (["evaluate"], ["predict"], ["export"]):
        rest = {"predict": [str(Path(__file__))], "export": ["--to", "x"]}.get(words[0], [])
        assert "no model yet" in own(*words, "waits", *rest).mistake


@pytest.mark.thorough
def test_the_demo_does_it_all(tmp_path: Path) -> None:
    done = studio("demo", "--epochs", "3", "--json", "--workspace", tmp_path / "demo ü")

    document = _document(done)
    assert document["accuracy"] > 0.85
    assert document["workspace"] == str(tmp_path / "demo ü")
    assert document["certificate"]["disagreements"] == 0
    workspace = Workspace.open(tmp_path / "demo ü")
    for kind, key in ((RecordKind.DATASET, "dataset"), (RecordKind.RUN, "run")):
        assert workspace.find(kind, document[key]).name == document[key]
    assert (Path(document["export"]) / "model.keras").is_file()


def test_a_model_of_keras_2_is_predicted_evaluated_and_inspected(
    own: Call, own_run: Digits, tmp_path: Path
) -> None:
    dense = {"kernel": np.random.default_rng(0).normal(0, 1, (784, 10)), "bias": np.zeros(10)}
    old = keras2_file(
        tmp_path / "old.hdf5",
        [
            keras2_layer("Flatten", "flatten", "input_1", data_format="channels_last"),
            keras2_layer("Dense", "dense", "flatten", units=10, activation="linear"),
        ],
        {"dense": dense},
        (28, 28, 1),
    )
    picture = tmp_path / "x.png"
    Image.new("L", (28, 28), 200).save(picture)

    (answer,) = json.loads(own("predict", old, picture, "--json", "--top", "10").out)
    report = json.loads(
        own("evaluate", old, "--dataset", own_run.dataset.record.name, "--json").out
    )
    network = json.loads(own("networks", "inspect", old, "--json").out)

    scores = [each["score"] for each in answer["predictions"]]
    assert len(scores) == 10
    assert sum(scores) == pytest.approx(1, abs=1e-3)
    assert 0 <= report["calibration_error"] <= 1
    assert network["classes"] == 10


def test_files_of_other_programs_are_named_by_every_verb(own: Call, tmp_path: Path) -> None:
    model = tmp_path / "net.onnx"
    model.write_bytes(b"\x08\x08\x12\x07pytorch\x3a\x02\x0a\x00")
    picture = tmp_path / "x.png"
    Image.new("L", (28, 28)).save(picture)
    for verb in (
        ("predict", model, picture),
        ("evaluate", model, "--dataset", "Ziffern ü"),
    ):
        assert "The model net.onnx cannot be run" in own(*verb).mistake, verb
    for words in (
        ("networks", "inspect", model),
        ("train", "--dataset", "Ziffern ü", "--network", model),
    ):
        assert "net.onnx is an ONNX model" in own(*words).mistake, words
