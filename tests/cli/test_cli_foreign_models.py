"""Models of other programs on the command line, over HTTP and in Python: warnings and options."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

import studio
from helpers.command_line import Call, caller
from helpers.digits import Digits
from helpers.keras2_files import keras2_file, keras2_layer
from helpers.serving import post, serving_run
from studio.engine.errors import StudioError
from studio.engine.inference.foreign_models import (
    DATASET_NAMES,
    UNKNOWN_SCALE,
    UNNAMED,
    ModelOptions,
)

pytestmark = pytest.mark.slow

NAMES = [f"digit {number}" for number in range(10)]


@pytest.fixture
def model(tmp_path: Path) -> Path:
    """A network for pixels from 0 to 1: with raw pixels it is certain of anything."""
    dense = {"kernel": np.random.default_rng(0).normal(0, 1, (784, 10)), "bias": np.zeros(10)}
    return keras2_file(
        tmp_path / "net.h5",
        [
            keras2_layer("Flatten", "flatten", "input_1", data_format="channels_last"),
            keras2_layer("Dense", "dense", "flatten", units=10, activation="softmax"),
        ],
        {"dense": dense},
        (28, 28, 1),
    )


@pytest.fixture
def pictures(tmp_path: Path) -> list[Path]:
    paths = [tmp_path / "a.png", tmp_path / "b.png"]
    for number, path in enumerate(paths):
        pixels = np.random.default_rng(number).integers(0, 256, (28, 28), np.uint8)
        Image.fromarray(pixels).save(path)
    return paths


def test_each_prediction_of_an_unknown_model_has_a_warning(
    call: Call, model: Path, pictures: list[Path], tmp_path: Path
) -> None:
    table = tmp_path / "out.csv"

    answers = call("predict", model, *pictures, "--json", "--csv", table).document

    assert [each["warnings"] for each in answers] == [[UNKNOWN_SCALE, UNNAMED]] * 2
    with table.open(encoding="utf-8-sig") as file:
        rows = list(csv.DictReader(file))
    assert [row["warnings"] for row in rows] == [f"{UNKNOWN_SCALE} {UNNAMED}"] * 2
    said = call("predict", model, *pictures).out
    assert said.startswith(f"Warning: {UNKNOWN_SCALE} (--preprocessing)\n")
    assert f"Warning: {UNNAMED} (--classes)" in said
    assert said.count("(see the warning)") == 2


def test_options_and_the_file_beside_a_model_are_used(
    call: Call, model: Path, pictures: list[Path], tmp_path: Path
) -> None:
    (tmp_path / "labels.txt").write_text("\n".join(f"{n} {name}" for n, name in enumerate(NAMES)))
    known = call("predict", model, *pictures, "--json", "--preprocessing", "-1..1")
    for answer in known.document:
        assert answer["warnings"] == []
        assert answer["predictions"][0]["class"] in NAMES
    assert "from labels.txt beside the model" in known.err
    options = ("--preprocessing", "0..1", "--classes", ",".join("abcdefghij"), "--json")
    (answer,) = call("predict", model, pictures[0], *options, "--top", "10").document
    logits = np.asarray(Image.open(pictures[0])).ravel() / 255 @ _kernel()
    expected = np.exp(logits - logits.max())
    found = {each["class"]: each["score"] for each in answer["predictions"]}
    np.testing.assert_allclose(
        [found[name] for name in "abcdefghij"], expected / expected.sum(), atol=1e-4
    )
    few = call("predict", model, pictures[0], "--classes", "a,b").mistake
    assert "10 classes, but the list of class names names 2" in few


def _kernel() -> np.ndarray[tuple[int, int], np.dtype[np.float64]]:
    return np.random.default_rng(0).normal(0, 1, (784, 10))


def test_wrong_options_are_refused(call: Call, model: Path, pictures: list[Path]) -> None:
    unknown = call("predict", model, pictures[0], "--preprocessing", "imagenet").mistake
    assert 'no preprocessing "imagenet"' in unknown
    of_run = call("predict", "lenet", pictures[0], "--preprocessing", "0..1").mistake
    assert "Studio knows the preprocessing and the classes of lenet" in of_run
    assert "Studio knows" in call("evaluate", "lenet", "--classes", "a,b").mistake


def test_an_evaluation_warns_as_well(call: Call, model: Path, digits: Digits) -> None:
    dataset = ("--dataset", digits.dataset.record.name, "--resamples", "0", "--json")
    unknown = call("evaluate", model, *dataset).document
    assert unknown["warnings"] == [UNKNOWN_SCALE, DATASET_NAMES]
    names = ",".join(map(str, range(10)))
    known = call(
        "evaluate", model, *dataset, "--preprocessing", "0..1", "--classes", names
    ).document
    assert known["warnings"] == []
    assert known["loss"] < unknown["loss"]


def test_python_predicts_with_model_files_and_pixels(
    digits: Digits, model: Path, pictures: list[Path]
) -> None:
    with studio.open(digits.workspace.root, progress=False) as workspace:
        unknown = workspace.model(model)
        assert unknown.warnings == [UNKNOWN_SCALE, UNNAMED]
        assert unknown.predict(pictures[0]).warnings == (UNKNOWN_SCALE, UNNAMED)
        known = workspace.model(model, preprocessing="0..1", classes=NAMES)
        image = Image.open(pictures[0])
        pixels = np.asarray(image)
        by_path = known.predict(pictures[0])
        assert by_path.warnings == ()
        for value in (
            pixels,
            pixels[..., None],
            image,
            pictures[0].read_bytes(),
            str(pictures[0]),
        ):
            assert known.predict(value).scores == by_path.scores
        batch = known.predict_all(np.stack([pixels, pixels])[..., None])
        mixed = known.predict_all([pixels, pictures[1]])
        for each in batch:
            assert [found.label for found in each.class_scores] == [
                found.label for found in by_path.class_scores
            ]
            assert each.class_scores[0].score == pytest.approx(
                by_path.class_scores[0].score, abs=1e-5
            )
        assert [each.image for each in mixed] == ["image 0", str(pictures[1])]
        for wrong, reason in (
            (pixels.tolist(), "An image must be a path, an array .* received list"),
            (pixels / 255, "type float.*; the network was trained on uint8"),
            (np.zeros((3, 28, 28), np.uint8), r"has \(3, 28, 28\)"),
            ({"a": 1}, "received dict"),
            (7, "received int"),
            (None, "received NoneType"),
        ):
            with pytest.raises(StudioError, match=reason):
                known.predict(wrong)  # type: ignore[arg-type]


def test_each_response_of_the_service_has_the_warnings(
    digits: Digits, model: Path, pictures: list[Path]
) -> None:
    """The same ones as on the command line, of the model itself, over HTTP."""
    body = pictures[0].read_bytes()
    with serving_run(digits.workspace, str(model)) as address:
        answers = [json.loads(post(f"{address}/predict", body)) for _ in range(2)]
    assert [each["warnings"] for each in answers] == [[UNKNOWN_SCALE, UNNAMED]] * 2
    with serving_run(
        digits.workspace, str(model), ModelOptions.of("0..1", ",".join(NAMES))
    ) as address:
        known = json.loads(post(f"{address}/predict", body))
    assert known["warnings"] == []
    assert known["predictions"][0]["class"] in NAMES
    assert known["predictions"][0]["score"] != answers[0]["predictions"][0]["score"]


@pytest.fixture
def call(capsys: pytest.CaptureFixture[str], digits: Digits) -> Call:
    return caller(capsys, digits.workspace.root)
