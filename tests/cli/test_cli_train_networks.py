"""`studio train` with networks of one's own, weights from elsewhere and frozen parts."""

from __future__ import annotations

import zipfile
from pathlib import Path

import pytest

from helpers.command_line import Call, caller
from helpers.digits import do_here
from helpers.pictures import picture_folder, small_recipe
from helpers.processes import run_python
from helpers.sampling import sample
from helpers.weights import weights_file
from helpers.workers import NEVER_STARTS, LaunchScripts
from studio.cli.train import _weights_document
from studio.engine.datasets.requests import request_import
from studio.engine.jobs.job import Job
from studio.engine.jobs.queue import JobQueue
from studio.engine.jobs.scheduling import Why
from studio.engine.jobs.states import State
from studio.engine.networks import library
from studio.engine.networks.catalog import layer_tables
from studio.engine.networks.zoo import ZOO
from studio.engine.training.history import LayerNote, WeightsLoaded
from studio.engine.training.plan import STARTING_WEIGHTS, TrainingPlan
from studio.engine.workspace import RecordKind, Workspace

MLP = [((784, 256), (256,)), ((256, 128), (128,))]
"""What a multilayer perceptron has below its head."""


@pytest.fixture
def studio(workspace: Workspace, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Call:
    job = do_here(workspace, small_recipe(picture_folder(tmp_path / "pictures")), "small ü")
    assert job.history.state == State.COMPLETED, job.history
    return caller(capsys, workspace.root)


def _plan(workspace: Workspace, name: str) -> TrainingPlan:
    return Job(workspace.find(RecordKind.RUN, name)).plan(TrainingPlan)


def _train(studio: Call, *words: str | Path) -> str:
    words = ("train", "--dataset", "small ü", *words, "--detach", "--json")
    return str(studio(*words).document["name"])


def test_a_drawn_network_goes_into_the_plan_whole(
    studio: Call, workspace: Workspace, tmp_path: Path, launch_scripts: LaunchScripts
) -> None:
    launch_scripts(NEVER_STARTS)
    spec = ZOO["perceptron"].build((28, 28, 1), 10)
    made = library.save(workspace, spec, "mein Netz")
    file = tmp_path / "drawn.json"
    file.write_text(spec.to_json(), encoding="utf-8")

    saved = _plan(workspace, _train(studio, "--network", "mein Netz"))
    read = _plan(workspace, _train(studio, "--network", file, "--name", "from a file"))
    zoo = _plan(workspace, _train(studio, "--network", "mlp"))

    assert (saved.network, saved.design) == ("mein Netz", made.spec)
    assert (read.network, read.design) == (spec.name, spec)
    assert (zoo.network, zoo.design) == ("mlp", None)


def test_weights_are_named_for_good(
    studio: Call, workspace: Workspace, tmp_path: Path, launch_scripts: LaunchScripts
) -> None:
    launch_scripts(NEVER_STARTS)
    dataset = workspace.find(RecordKind.DATASET, "small ü")
    first = do_here(workspace, TrainingPlan(dataset=dataset.id, network="mlp", epochs=1), "first")
    file = weights_file(tmp_path / "some.weights.h5", MLP)

    from_run = _train(studio, "--network", "mlp", "--weights", "run:first", "--freeze", "all")
    best = _train(studio, "--network", "mlp", "--weights", "run:first@best")
    from_file = _train(
        studio, "--network", "mlp", "--weights", file, "--backbone-rate", "0.01", "--head-rate=0.1"
    )

    assert _plan(workspace, from_run).weights == f"run:{first.record.id}"
    assert _plan(workspace, from_run).freeze == "all"
    assert _plan(workspace, best).weights == f"run:{first.record.id}@best"
    plan = _plan(workspace, from_file)
    assert (plan.weights, plan.backbone_rate, plan.head_rate) == (str(file), 0.01, 0.1)


@pytest.mark.parametrize("suffix", sample([".keras", ".h5"], 1))
def test_a_model_from_elsewhere_is_network_and_weights(
    studio: Call,
    workspace: Workspace,
    tmp_path: Path,
    launch_scripts: LaunchScripts,
    suffix: str,
) -> None:
    path = tmp_path / f"my net{suffix}"
    _foreign(path)
    launch_scripts(NEVER_STARTS)
    other = weights_file(tmp_path / "some.weights.h5")
    words = ("train", "--dataset", "small ü", "--network", path, "--detach", "--name")

    reported = studio(*words, "first")
    again = studio(*words, "second", "--weights", other)

    plan = _plan(workspace, "first")
    assert plan.design is not None
    assert [node.layer for node in plan.design.nodes] == ["conv2d", "flatten", "dense"]
    assert (plan.network, plan.weights) == ("my net", str(path))
    assert "weights that they start from" in reported.err
    assert _plan(workspace, "second").weights == str(other)
    assert "its weights are not used" in again.err


def test_an_export_is_network_and_weights(
    studio: Call, workspace: Workspace, tmp_path: Path, launch_scripts: LaunchScripts
) -> None:
    launch_scripts(NEVER_STARTS)
    folder, archive = tmp_path / "net-keras", tmp_path / "net-bundle.zip"
    folder.mkdir()
    spec = ZOO["perceptron"].build((28, 28, 1), 10)
    weights_file(folder / "model.keras", MLP)
    (folder / "labels.json").write_text("{}", encoding="utf-8")
    (folder / "network.json").write_text(spec.to_json(), encoding="utf-8")
    with zipfile.ZipFile(archive, "w") as packed:
        for file in folder.iterdir():
            packed.write(file, file.name)
    words = ("train", "--dataset", "small ü", "--detach", "--name")

    assert "weights that they start from" in studio(*words, "a", "--network", folder).err
    studio(*words, "b", "--network", archive)
    studio(*words, "c", "--network", "mlp", "--weights", folder)
    (folder / "model.keras").unlink()
    assert "weights cannot be read by Keras" in studio(*words, "d", "--network", folder).err

    plans = {name: _plan(workspace, name) for name in "abcd"}
    assert [plans[name].design for name in "abd"] == [spec] * 3
    model = str(folder / "model.keras")
    assert [plan.weights for plan in plans.values()] == [model, str(archive), model, ""]


def _foreign(path: Path) -> None:
    """A model that Keras wrote, in a process of its own: Keras is not imported here."""
    code = """
import sys, keras
layers = keras.layers
keras.Sequential([keras.Input((28, 28, 1)), layers.Conv2D(4, 3), layers.Flatten(),
                  layers.Dense(3, activation="softmax")]).save(sys.argv[1])
"""
    done = run_python(code, str(path))
    assert done.returncode == 0, done.stderr


def test_a_run_named_like_a_file_gets_a_hint(studio: Call, workspace: Workspace) -> None:
    dataset = workspace.find(RecordKind.DATASET, "small ü")
    do_here(workspace, TrainingPlan(dataset=dataset.id, network="mlp", epochs=1), "first")

    words = ("train", "--dataset", "small ü", "--network", "mlp", "--weights", "first")

    assert "For the run, use run:first. The option is --weights." in studio(*words).mistake


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["--network", "mein"], 'There is no network "mein"'),
        (["--network", "x.json"], "x.json cannot be read"),
        (["--network", "mlp", "--weights", "run:nil"], 'There is no run called "nil"'),
        (["--network", "mlp", "--weights", "none.h5"], "there is no file"),
        (["--network", "mlp", "--weights", "imagenet"], "no ImageNet weights for"),
        (["--network", "mlp", "--freeze", "conv9"], "Available: none, all"),
        (["--network", "mlp", "--backbone-rate", "-1"], "--backbone-rate must be at least 0"),
    ],
)
def test_missing_items_give_one_line(studio: Call, words: list[str], says: str) -> None:
    assert says in studio("train", "--dataset", "small ü", *words).mistake


@pytest.mark.parametrize("with_names", [False, True])
def test_layers_that_weights_filled_are_counted_and_named_on_request(with_names: bool) -> None:
    weights = WeightsLoaded(
        source="imagenet",
        loaded=tuple(f"conv{number}" for number in range(100)),
        parameters=7,
        random=(LayerNote(name="new", reason="not in the file"),),
    )

    document = _weights_document(weights, with_names=with_names)

    names = document["loaded"], document["random"], document["unused"]
    found = [each if isinstance(each, int) else len(each) for each in names]  # type: ignore[arg-type]
    assert found == [100, 1, 0]
    assert isinstance(document["loaded"], int) is not with_names
    assert (document["source"], document["parameters"]) == ("imagenet", 7)


@pytest.mark.thorough
def test_the_document_notifies_which_layers_were_filled(
    studio: Call, workspace: Workspace
) -> None:
    dataset = workspace.find(RecordKind.DATASET, "small ü")
    plan = TrainingPlan(dataset=dataset.id, network="mlp", epochs=1)
    do_here(workspace, plan, "first")

    said = studio(
        *("train", "--dataset", "small ü", "--network", "mlp", "--epochs", "1"),
        *("--weights", "run:first", "--freeze", "all", "--json", "--layer-names"),
    )

    assert said.document["network"] == "mlp"
    weights = said.document["weights_loaded"]
    assert len(weights["loaded"]) >= 1
    assert weights["random"] == []
    assert weights["source"].startswith("run:first-")
    assert said.document["weights"] == weights["source"]


def test_a_run_on_a_dataset_that_is_still_imported_waits_for_it(
    workspace: Workspace,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    launch_scripts: LaunchScripts,
) -> None:
    launch_scripts(NEVER_STARTS)
    studio, queue = caller(capsys, workspace.root), JobQueue(workspace)
    dataset = request_import(queue, small_recipe(picture_folder(tmp_path / "pictures")), "small ü")

    name = _train(studio, "--network", "lenet")

    run = workspace.find(RecordKind.RUN, name)
    (wait,) = [entry.wait for entry in queue.entries() if entry.job.record == run]
    assert wait is not None
    assert (wait.why, wait.jobs) == (Why.DEPENDENCY, (dataset.record.id,))
    words = ("train", "--dataset", "small ü", "--detach")
    assert "still being imported" in studio(*words).mistake


def test_a_weights_file_is_copied_into_the_run(
    studio: Call, workspace: Workspace, tmp_path: Path, launch_scripts: LaunchScripts
) -> None:
    launch_scripts(NEVER_STARTS)
    file = weights_file(tmp_path / "mlp.weights.h5", MLP)
    content = file.read_bytes()
    name = _train(studio, "--network", "mlp", "--weights", file)
    file.unlink()

    copy = workspace.find(RecordKind.RUN, name).folder / STARTING_WEIGHTS
    assert copy.read_bytes() == content
    again = studio("runs", "clone", name, "--name", "again", "--detach", "--json").document["name"]
    assert _plan(workspace, again).weights == str(copy)
    assert (workspace.find(RecordKind.RUN, again).folder / STARTING_WEIGHTS).is_file()


def test_folds_share_one_copy_of_the_weights_file(
    studio: Call, workspace: Workspace, tmp_path: Path, launch_scripts: LaunchScripts
) -> None:
    launch_scripts(NEVER_STARTS)
    file = weights_file(tmp_path / "mlp.weights.h5", MLP)
    words = ("train", "--dataset", "small ü", "--network", "mlp", "--weights", file)
    studio(*words, "--folds", "3", "--name", "cv", "--detach")

    runs = [workspace.find(RecordKind.RUN, f"cv-fold{number}") for number in (1, 2, 3)]
    first, *others = [run.folder / STARTING_WEIGHTS for run in runs]
    assert first.read_bytes() == file.read_bytes()
    assert not first.samefile(file), "the original may change"
    assert all(other.samefile(first) for other in others)
    assert {_plan(workspace, run.name).weights for run in runs} == {str(file)}


def test_seeds_have_32_bits(
    studio: Call, workspace: Workspace, launch_scripts: LaunchScripts
) -> None:
    launch_scripts(NEVER_STARTS)
    name = _train(studio, "--network", "mlp", "--seed", str(2**32 - 1))

    assert _plan(workspace, name).seed == 2**32 - 1
    words = ("train", "--dataset", "small ü", "--network", "mlp", "--seed", str(2**32))
    assert "4294967295" in studio(*words).mistake.replace(",", "")


def test_without_a_network_the_recommendation_is_used_and_shown(
    studio: Call, workspace: Workspace, tmp_path: Path, launch_scripts: LaunchScripts
) -> None:
    launch_scripts(NEVER_STARTS)

    said = studio("train", "--dataset", "small ü", "--name", "r", "--detach", "--json")

    assert set(said.document) >= {"name", "state", "network", "weights"}
    assert said.document["weights"] == ""
    assert f"{said.document['network']}" == _plan(workspace, "r").network
    assert "Recommended for small ü: " in said.err
    assert "training images per class" in said.err


def test_weights_alone_choose_their_network_and_others_are_rejected(
    studio: Call, workspace: Workspace, tmp_path: Path, launch_scripts: LaunchScripts
) -> None:
    launch_scripts(NEVER_STARTS)
    rows = layer_tables()["squeezenet"].layers.items()
    layers = [
        [tuple(map(int, shape.split("x"))) for shape in key.split()]
        for key, count in rows
        for _ in range(count)
    ]
    file = weights_file(tmp_path / "any name.h5", layers)

    words = ("train", "--dataset", "small ü", "--weights", file, "--detach", "--json")
    said = studio(*words, "--name", "s")
    document = said.document

    assert (document["network"], document["weights"]) == ("squeezenet", str(file))
    assert "Images of 8x8 pixels are enlarged to 128x128" in said.err
    assert _plan(workspace, "s").freeze == "all", "as recommended"
    assert _plan(workspace, "s").head_solver != "gradient"
    named = studio(*words, "--name", "n", "--network", "squeezenet")
    assert "Images of 8x8 pixels are enlarged to 128x128" in named.err, "named or not: one rule"
    studio(*words, "--name", "u", "--epochs", "3")
    assert (_plan(workspace, "u").epochs, _plan(workspace, "u").head_solver) == (3, "gradient")
    rejected = studio(*words, "--name", "t", "--network", "small_cnn").mistake
    assert "belong to SqueezeNet 1.1, not to Small CNN" in rejected
