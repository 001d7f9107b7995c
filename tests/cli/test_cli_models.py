"""`studio models`: the list with licenses, and files from a folder."""

from __future__ import annotations

from pathlib import Path

import pytest

from helpers.command_line import caller
from helpers.runs import fake_run
from helpers.weights import hdf5_bytes
from studio.cli.train import with_weights_option
from studio.engine.errors import StudioError
from studio.engine.networks.backbones import DOWNLOAD_FAILED
from studio.engine.networks.zoo import ZOO
from studio.engine.pretrained.sources import SOURCES
from studio.engine.workspace import Workspace


def test_sources_are_listed_added_and_removed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("STUDIO_WEIGHTS", str(tmp_path / "library"))
    monkeypatch.setenv("KAGGLEHUB_CACHE", str(tmp_path / "none"))
    call = caller(capsys, tmp_path / "workspace")
    models = call("models", "list", "--json").document["models"]
    assert [model["name"] for model in models] == [source.name for source in SOURCES]
    assert set(models[0]["license"]) == {"code", "weights", "data"}
    assert {model["state"] for model in models} <= {"downloadable", "needs_file"}

    stick = tmp_path / "stick" / "dfine_nano_coco"
    stick.mkdir(parents=True)
    for file in SOURCES["dfine_nano_coco"].files:
        is_json = file.name.endswith(".json")
        (stick / file.name).write_bytes(b"{}" if is_json else hdf5_bytes())
    assert len(call("models", "show", "dfine_nano_coco", "--json").document["missing"]) == 4
    added = call("models", "add", stick.parent, "--json").document["models"]
    assert [model["name"] for model in added] == ["dfine_nano_coco"]
    assert added[0]["state"] == "here"
    assert call("models", "remove", "dfine_nano_coco", "--json").document["freed"] == (
        6 + len(hdf5_bytes())
    )
    assert "no downloaded files" in call("models", "remove", "dfine_nano_coco").mistake


def test_a_measured_speed_is_listed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("STUDIO_WEIGHTS", str(tmp_path / "library"))
    small = ZOO["small_cnn"].build((32, 32, 3), 2)
    monkeypatch.setattr("studio.engine.inference.library_speed._network_of", lambda _: small)
    call = caller(capsys, tmp_path / "workspace")

    found = call("models", "speed", "resnet50", "--json").document

    assert (found["name"], found["width"], found["backend"]) == ("resnet50", 32, "tensorflow")
    models = call("models", "list", "--json").document["models"]
    speeds = {each["name"]: each["milliseconds"] for each in models}
    assert speeds["resnet50"] == found["milliseconds"] > 0
    assert speeds["resnet101"] is None


def test_own_runs_are_listed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    workspace = Workspace.open(tmp_path / "workspace")
    fake_run(workspace, "mine", [0.5, 0.75])
    call = caller(capsys, workspace.root)

    (own,) = call("models", "list", "--json").document["own"]
    table = call("models", "list", "--commercial").out

    assert (own["name"], own["figure"], own["commercial"]) == ("run:mine", "75.0 %", True)
    assert "run:mine" in table


def test_an_unknown_source_gets_a_suggestion(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    call = caller(capsys, tmp_path / "workspace")
    assert 'Did you mean "xception"' in call("models", "get", "xeption").mistake


def test_the_command_line_names_the_option_where_weights_cannot_be_downloaded() -> None:
    hint = "Save it elsewhere."
    failed = StudioError(DOWNLOAD_FAILED, hint, network="vgg16", reason="no connection")
    assert with_weights_option(failed).hint == f"{hint} Name the file with --weights FILE."
    other = StudioError("The dataset is gone.", hint)
    assert with_weights_option(other) is other
