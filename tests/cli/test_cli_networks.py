"""`studio networks …`: cards, inspection, conversion and code, from names and from files."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from helpers.command_line import Call, caller
from studio.engine.networks.library import save
from studio.engine.networks.spec import NetworkSpec
from studio.engine.networks.zoo import ZOO
from studio.engine.workspace import Workspace


@pytest.fixture
def call(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> Call:
    return caller(capsys, tmp_path / "workspace")


def test_a_card_says_where_a_network_is_from(call: Call) -> None:
    document = call("networks", "show", "lenet", "--json").document

    assert document["name"] == "lenet"
    assert "LeCun" in document["paper"]
    assert "LeCun" in call("networks", "show", "lenet").out
    assert "lenet" in call("networks", "show", "lenett").mistake


def test_a_network_of_ones_own_is_shown(call: Call, tmp_path: Path) -> None:
    spec = ZOO["perceptron"].build((28, 28, 1), 10)
    file = tmp_path / "drawn.json"
    file.write_text(spec.to_json(), encoding="utf-8")
    save(Workspace.open(tmp_path / "workspace"), spec, "mein Netz")

    saved = call("networks", "show", "mein Netz", "--json").document
    read = call("networks", "show", file, "--json").document

    assert saved == read | {"name": "mein Netz"}
    assert (read["kind"], read["input"], read["classes"]) == ("own", "28x28x1", "10")
    assert "10 classes" in call("networks", "show", file).out


def test_a_network_without_a_head_is_reported_once(call: Call, tmp_path: Path) -> None:
    spec = ZOO["lenet"].build((32, 32, 1), 10)
    file = tmp_path / "headless.json"
    cut = spec.model_copy(update={"nodes": spec.nodes[:-1], "output": spec.nodes[-2].id})
    file.write_text(cut.to_json(), encoding="utf-8")

    mistake = call("networks", "inspect", file).mistake

    assert mistake.count("End in a dense layer") == 1
    assert "does not give probabilities" in mistake


def test_listing_creates_no_workspace(call: Call, tmp_path: Path) -> None:
    assert len(call("networks", "list", "--json").document) == len(ZOO)
    assert not (tmp_path / "workspace").exists()


def test_an_inspection_gives_what_others_rely_on(call: Call) -> None:
    said = call("networks", "inspect", "lenet", "--size", "28x28x1", "--classes", "10", "--json")

    document = said.document
    assert document["parameters"] == {"total": 61_706, "trainable": 61_706}
    assert document["multiply_adds"] == 416_520
    first = next(layer for layer in document["layers"] if layer["name"] == "c1")
    assert first["shape"] == [28, 28, 6]
    assert first["parameters"] == 156
    assert first["receptive_field"] == [5, 5]
    assert first["multiply_adds"] == 117_600


@pytest.mark.slow
def test_a_network_goes_from_form_to_form(call: Call, tmp_path: Path) -> None:
    drawn, model, again = (tmp_path / name for name in ("net.json", "net.keras", "back.json"))

    call("networks", "convert", "lenet", "--size", "16x16x1", "--classes", "4", "--to", drawn)
    written = call("networks", "convert", drawn, "--to", model, "--seed", "3", "--json").document
    call("networks", "convert", model, "--to", again)

    spec = NetworkSpec.parse(json.loads(drawn.read_text()))
    back = NetworkSpec.parse(json.loads(again.read_text()))
    assert [node.id for node in back.nodes] == [node.id for node in spec.nodes]
    assert back.name == "net"
    report = call("networks", "inspect", model, "--json").document
    assert report["parameters"]["total"] == written["parameters"]
    assert "4 classes" in call("networks", "inspect", drawn).out
    assert 'name="c1"' in call("networks", "code", drawn).out
    mistake = call("networks", "convert", model, "--to", again).mistake
    assert "already exists" in mistake


def test_code_is_printed_or_written(call: Call, tmp_path: Path) -> None:
    target = tmp_path / "net.py"

    code = call("networks", "code", "mlp", "--json").document["code"]
    call("networks", "code", "mlp", "--to", target)

    assert "keras.Model(" in code
    assert target.read_text(encoding="utf-8") == code


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        (("inspect", "lenett"), "lenett"),
        (("inspect", "lenet", "--size", "big"), "224x224x3"),
        (("inspect", "lenet", "--size", "4x4x1"), "at least"),
        (("inspect", "lenet", "--classes", "1"), "classes"),
        (("convert", "lenet", "--to", "net.doc"), ".json"),
        (("convert", "lenet", "--seed", "-1"), "--seed"),
        (("import", "dfine_small_coco", "--to", "net.keras"), ".zip"),
        (("code", "gone.json"), "gone.json"),
    ],
)
def test_errors_are_reported_in_one_line(call: Call, words: tuple[str, ...], reason: str) -> None:
    assert reason in call("networks", *words).mistake
