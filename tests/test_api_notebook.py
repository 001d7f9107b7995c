"""What a notebook does, from a Keras model to figures, and types that find mistakes."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from dataset_pictures import class_folders
from matplotlib.figure import Figure

import studio
from helpers import typed_settings

ROOT = Path(__file__).parents[1]


@pytest.fixture(scope="module")
def workspace(tmp_path_factory: pytest.TempPathFactory) -> Iterator[studio.Workspace]:
    with studio.open(tmp_path_factory.mktemp("notebook") / "w", progress=False) as opened:
        yield opened


@pytest.fixture(scope="module")
def dataset(
    workspace: studio.Workspace, tmp_path_factory: pytest.TempPathFactory
) -> studio.Dataset:
    source = class_folders(tmp_path_factory.mktemp("pictures"), {"a": 20, "b": 20})
    return workspace.datasets.import_folder(
        source, name="toys", width=16, height=16, val_percent=25, test_percent=25
    )


@pytest.mark.slow
def test_a_keras_model_is_trained_and_comes_back(
    workspace: studio.Workspace, dataset: studio.Dataset
) -> None:
    import keras

    shape = dataset["train"][0][0].shape
    layers = [
        keras.Input(shape),
        keras.layers.Flatten(),
        keras.layers.Dense(2, activation="softmax"),
    ]
    model = keras.Sequential(layers, name="mine")
    run = workspace.train(dataset, model, epochs=1, learning_rate=1e-9, optimizer="sgd")

    assert run.name.startswith("mine")
    assert run.plan.weights, "it starts from the weights of the model"
    trained, given = run.model.get_weights(), model.get_weights()
    assert all(np.allclose(*pair, atol=1e-4) for pair in zip(trained, given, strict=True))
    with pytest.raises(studio.StudioError, match="received int"):
        workspace.train(dataset, 5)


@pytest.mark.slow
def test_figures_and_tables_of_a_notebook(
    workspace: studio.Workspace, dataset: studio.Dataset
) -> None:
    run = workspace.train(dataset, "perceptron", name="<one>", epochs=2, preset="quick")
    evaluation = run.evaluate(resamples=50)

    assert list(run.to_pandas().index) == [1, 2]
    assert isinstance(run.plot(), Figure)
    assert isinstance(evaluation.plot(), Figure)
    assert isinstance(evaluation.plot_confusion_matrix(), Figure)
    assert evaluation.confusion.sum() == dataset.count["test"]
    assert evaluation.name in workspace.evaluations
    for each in (workspace, dataset, run, evaluation):
        html = each._repr_html_()
        assert "<one>" not in html, "names are escaped"
    assert dataset._repr_html_().count("<img") == 8
    again = workspace.train(dataset, like=run, name="two", epochs=1)
    assert (again.plan.network, again.plan.epochs) == ("perceptron", 1)
    assert workspace.compare(run, "two").names == ("<one>", "two")
    run.tags = ["good"]
    run.notes = "The first."
    assert (run.tags, run.notes) == (["good"], "The first.")
    assert run.rename("first").name == "first"
    assert workspace.preflight(dataset, "perceptron").batch_size > 0
    assert dataset.audit().images == 40
    folds = workspace.cross_validate(dataset, "perceptron", folds=2, epochs=1)
    assert [fold.state for fold in folds] == ["completed"] * 2


@pytest.mark.parametrize(("channels", "dtype"), [(1, "uint8"), (1, "uint16"), (4, "uint16")])
def test_images_of_any_format_are_shown(
    channels: int, dtype: str, workspace: studio.Workspace
) -> None:
    pixels = np.arange(8 * 8 * 8 * channels).reshape(8, 8, 8, channels).astype(dtype)
    shown = workspace.datasets.from_arrays(
        pixels, ["a", "b"] * 4, name="cells", width=8, height=8, color="all"
    )

    assert "<img" in shown._repr_html_()


def test_the_package_says_what_it_contains() -> None:
    assert {"open", "Run", "StudioError"} <= set(dir(studio))
    assert studio.StudioError is not None
    assert all(hasattr(studio, name) for name in studio.__all__)


def test_settings_are_typed_as_the_plans_have_them() -> None:
    written = typed_settings.FILE.read_text(encoding="utf-8")
    assert written == typed_settings.text(), "run python tests/helpers/typed_settings.py"


_RIGHT = """
import studio

workspace = studio.open("w")
dataset = workspace.datasets.import_folder("images", width=64, encoding="png")
run = workspace.train(dataset, "lenet", epochs=5, learning_rate=0.01, optimizer="adam")
sweep = workspace.sweep(dataset, "lenet", vary={"learning_rate": (1e-4, 1e-2)}, epochs=2)
best = sweep.best
run.export("exported", "onnx", archive="zip")
run.evaluate("val", resamples=0)
"""
_WRONG = (
    'workspace.train("d", learning_rat=0.1)',
    'workspace.train("d", epochs="many")',
    'workspace.train("d", optimizer="adamm")',
    'workspace.train("d", recipe="linear")',
    "workspace.train(5)",
    'run.export("x", "onx")',
    'run.export("x", precision="float8")',
    'run.evaluate("validation")',
    'workspace.datasets.import_folder("x", widht=5)',
    'workspace.sweep("d", vary={}, settings={"sampler": "best"})',
)


@pytest.mark.thorough  # the check of types in `test_checks` reads the calls of all tests
@pytest.mark.slow
def test_a_type_checker_finds_mistakes(tmp_path: Path) -> None:
    file = tmp_path / "script.py"
    file.write_text(_RIGHT + "\n".join(_WRONG) + "\n", encoding="utf-8")
    command = [sys.executable, "-m", "mypy", "--strict", "--no-error-summary", str(file)]
    command += ["--cache-dir", str(tmp_path / "cache"), "--follow-imports", "silent"]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=ROOT)
    wrong = {int(line.split(":")[1]) for line in done.stdout.splitlines() if ": error:" in line}
    first = _RIGHT.count("\n") + 1
    assert wrong == set(range(first, first + len(_WRONG))), done.stdout
