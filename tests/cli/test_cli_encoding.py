"""`studio datasets import --encoding …`, and everything after it on an encoded dataset."""

from __future__ import annotations

from pathlib import Path

import pytest
from PIL import Image

from helpers.command_line import Call, caller
from helpers.pictures import picture_folder
from studio.engine.datasets.store import Store
from studio.engine.workspace import RecordKind, Workspace


@pytest.fixture
def call(capsys: pytest.CaptureFixture[str], workspace: Workspace) -> Call:
    return caller(capsys, workspace.root)


@pytest.fixture
def pictures(tmp_path: Path) -> Path:
    return picture_folder(tmp_path / "pictures", 12, ("cat", "dog"))


def folder_of(workspace: Workspace, name: str) -> Path:
    return workspace.find(RecordKind.DATASET, name).folder


def test_from_import_to_export(
    call: Call, pictures: Path, workspace: Workspace, tmp_path: Path
) -> None:
    words = ("datasets", "import", pictures, "--size", "8x8", "--encoding", "png")
    assert call(*words, "--name", "pets", "--json").document["count"] == 24
    assert Store.open(folder_of(workspace, "pets")).is_encoded
    shown = call("datasets", "show", "pets", "--json").document
    assert shown["recipe"]["encoding"] == "png"
    assert "8x8, gray, as PNG, 2 classes" in call("datasets", "show", "pets").out
    assert call("datasets", "audit", "pets", "--json").document["counts"]["exact_duplicates"] == 0
    call("datasets", "edit", "pets", "move", "cat/003.png", "--to", "test", "--json")
    to = tmp_path / "out"
    path = call("datasets", "export", "pets", "--format", "folders", "--to", to, "--json").document
    files = sorted(Path(path["path"]).rglob("*.png"))
    assert len(files) == 24
    name = Path(path["path"]) / "test" / "cat" / "003.png"
    with Image.open(name) as ours, Image.open(pictures / "cat" / "003.png") as theirs:
        assert ours.tobytes() == theirs.tobytes()


def test_adding_keeps_the_encoding(
    call: Call, pictures: Path, workspace: Workspace, tmp_path: Path
) -> None:
    words = ("datasets", "import", pictures, "--size", "32x32", "--name", "pets")
    call(*words, "--encoding", "jpeg", "--jpeg-quality", "70", "--json")
    assert "as JPEG of quality 70" in call("datasets", "show", "pets").out
    more = picture_folder(tmp_path / "more", 3, ("cat", "owl"))
    call("datasets", "import", more, "--add-to", "pets", "--name", "both", "--json")
    both = Store.open(folder_of(workspace, "both"))
    assert (both.recipe.encoding, both.recipe.jpeg_quality) == ("jpeg", 70)
    assert both.is_encoded
    assert sum(both.counts().values()) == 30
    again = ("datasets", "import", "both", "--name", "raw", "--json")
    assert call(*again).document["count"] == 30
    assert not Store.open(folder_of(workspace, "raw")).is_encoded


def test_mistakes_are_one_line(call: Call, pictures: Path) -> None:
    words = ("datasets", "import", pictures, "--name", "x")
    for more, part in {
        ("--encoding", "gif"): "'raw', 'png', 'jpeg'",
        (
            "--jpeg-quality",
            "80",
        ): "Only JPEG has a quality. Use it with --encoding jpeg",
        ("--encoding", "png", "--jpeg-quality", "80"): "Only JPEG has a quality",
        ("--encoding", "jpeg", "--jpeg-quality", "0"): "must be at least 1",
    }.items():
        assert part in call(*words, *more).mistake
