"""Datasets with masks on the command line: import, show, browse, audit, export, add."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from mask_pictures import mask_folders, save
from PIL import Image

from helpers.command_line import Call, caller
from studio.engine.workspace import Workspace

COUNT = 20


@pytest.fixture
def call(capsys: pytest.CaptureFixture[str], workspace: Workspace) -> Call:
    return caller(capsys, workspace.root)


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = mask_folders(tmp_path_factory.mktemp("masks") / "in", COUNT, width=32, height=32)
    save(np.zeros((32, 32), np.uint8), root / "masks" / "005.png")
    save(np.zeros((30, 32), np.uint8), root / "masks" / "006.png")
    return root


def test_a_folder_of_images_and_masks_sets_the_task(call: Call, root: Path) -> None:
    words = ("datasets", "import", root, "--name", "d", "--classes", "ground,leaf,stem")
    document = call(*words, "--size", "32x32", "--colors", "#000000,#00ff00,#996600", "--json")
    assert document.document["task"] == "segmentation"
    assert document.document["count"] == COUNT - 1
    assert document.document["classes"] == ["ground", "leaf", "stem"]

    shown = call("datasets", "show", "d", "--json").document
    assert shown["colors"] == ["#000000", "#00ff00", "#996600"]
    assert set(shown["targets"]["leaf"]) == {"share", "pixels", "pixels per image"}
    assert sum(each["share"] for each in shown["targets"].values()) == pytest.approx(1)
    (entry,) = shown["skipped"]
    assert entry["path"] == "images/006.png"
    assert "32x30 pixels, but its image has 32x32" in entry["reason"]
    printed = call("datasets", "show", "d").out
    assert "pixels per image" in printed
    assert "#00ff00" in printed

    found = call("datasets", "browse", "d", "--class", "leaf", "--json").document["images"]
    assert len(found) == COUNT - 2
    assert {each["class"] for each in found[0]["classes"]} == {"ground", "leaf", "stem"}
    few = call("datasets", "browse", "d", "--where", "leaf<16", "--json").document["images"]
    assert 0 < len(few) < COUNT
    whole = call("datasets", "browse", "d", "--where", "ground=100%", "--json").document["images"]
    assert [each["path"] for each in whole] == ["images/005.png"]
    large = call("datasets", "browse", "d", "--where", "ground >= 97.5 %", "--json").document
    assert 0 < large["count"] < COUNT


def test_the_audit_looks_at_masks(call: Call, root: Path) -> None:
    call(
        "datasets", "import", root, "--name", "d", "--size", "32x32", "--classes", "background,a,b"
    )
    findings = call("datasets", "audit", "d", "--json").document["findings"]
    by_kind = {each["kind"]: each for each in findings}
    assert by_kind["empty_masks"]["images"] == ["images/005.png"]
    assert by_kind["unusable_masks"]["images"] == ["images/006.png"]


def test_masks_elsewhere_tiles_and_exports(call: Call, root: Path, tmp_path: Path) -> None:
    words = ("datasets", "import", root / "images", "--labels", root / "masks", "--name", "d")
    made = call(*words, "--tile-size", "16", "--val", "25", "--test", "25", "--json").document
    assert made["count"] == 4 * (COUNT - 1)
    shown = call("datasets", "show", "d", "--json").document
    assert (shown["width"], shown["height"]) == (16, 16)

    path = Path(call("datasets", "export", "d", "--to", tmp_path, "--json").document["path"])
    masks = sorted((path / "masks").rglob("*.png"), key=lambda mask: mask.name)
    assert len(masks) == made["count"]
    assert masks[0].name == "000_0_0.png"
    assert Image.open(masks[0]).mode == "P"
    again = call("datasets", "import", path, "--name", "again", "--json").document
    assert again["count"] == made["count"]
    assert again["classes"] == made["classes"]
    coco = call("datasets", "export", "d", "--format", "coco", "--split", "val", "--to", tmp_path)
    assert coco.code == 0
    assert (
        "is not available"
        in call("datasets", "export", "d", "--format", "kitti", "--to", tmp_path).mistake
    )


@pytest.mark.parametrize(
    ("options", "tiles"),
    [((), 49), (("--size", "640x640"), 0), (("--tile-size", "0"), 0)],
    ids=["proposed", "size", "no tiles"],
)
def test_tiles_of_small_objects_are_proposed_unless_a_size_is_given(
    call: Call, tmp_path: Path, options: tuple[str, ...], tiles: int
) -> None:
    labels = np.zeros((2000, 2000), np.uint16)
    for number in range(40):
        labels[40 * number : 40 * number + 20, 100:120] = number + 1
    save((labels > 0).astype(np.uint8), tmp_path / "images/0.png")
    (tmp_path / "labels").mkdir()
    Image.fromarray(labels).save(tmp_path / "labels/0.png")
    words = ("datasets", "import", tmp_path, "--task", "instances", "--preview", "--json")
    preview = call(*words, *options).document
    assert preview["count"] == (tiles or 1)
    assert [f"cut into {tiles} tiles" in each for each in preview["warnings"]] == [True] * bool(
        tiles
    )


def test_images_are_added_and_classes_stay(call: Call, root: Path, tmp_path: Path) -> None:
    call("datasets", "import", root, "--name", "d", "--classes", "ground,leaf,stem")
    more = mask_folders(tmp_path / "more", 3, width=32, height=32)
    both = call("datasets", "import", more, "--add-to", "d", "--name", "both", "--json").document
    assert both["count"] == COUNT - 1 + 3
    assert both["classes"] == ["ground", "leaf", "stem"]


def test_mistakes_are_reported(call: Call, root: Path, tmp_path: Path) -> None:
    words = ("datasets", "import", root, "--task", "segmentation")
    assert "two classes" in call(*words, "--mask-mode", "binary", "--classes", "a,b,c").mistake
    assert "have the form #rrggbb" in call(*words, "--colors", "red,blue,green").mistake
    assert "--tile-overlap has no effect" in call(*words, "--tile-overlap", "3").mistake
    assert (
        "half of their width" in call(*words, "--tile-size", "32", "--tile-overlap", "20").mistake
    )
    (tmp_path / "empty").mkdir()
    assert (
        "No annotations"
        in call("datasets", "import", tmp_path / "empty", "--task", "segmentation").mistake
    )
    classes = ("datasets", "import", "shapes", "--name", "s", "--mask-mode", "index")
    assert "--mask-mode has no effect" in call(*classes).mistake
    (tmp_path / "ab").mkdir()
    for index in range(4):
        save(
            np.full((8, 8, 3), index, np.uint8), tmp_path / "ab" / "xy"[index % 2] / f"{index}.png"
        )
    for option in ("--classes", "--colors"):
        message = call("datasets", "import", tmp_path / "ab", option, "#000000,#ffffff").mistake
        assert "Classification has no annotations. Name the task with --task" in message
        assert f"or leave {option} out" in message
