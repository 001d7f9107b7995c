"""Audit, browse, edit, versions and export on the command line."""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from helpers.command_line import Call, caller
from helpers.digits import do_here
from helpers.pictures import picture_folder, small_recipe
from studio.engine.workspace import Workspace


@pytest.fixture
def call(capsys: pytest.CaptureFixture[str], workspace: Workspace, tmp_path: Path) -> Call:
    """With a dataset `set 1` that has two copies, a conflict, a blank and a damaged image."""
    source = picture_folder(tmp_path / "pictures", 30)
    for number in (0, 1):
        shutil.copy(source / "a" / f"{number:03}.png", source / "a" / f"copy {number}.png")
    shutil.copy(source / "a" / "002.png", source / "b" / "wrong.png")
    Image.fromarray(np.zeros((8, 8), np.uint8)).save(source / "b" / "blank.png")
    (source / "a" / "broken.png").write_text("no picture")
    do_here(workspace, small_recipe(source, val_percent=20, test_percent=20), "set 1")
    return caller(capsys, workspace.root)


def test_audit(call: Call) -> None:
    document = call("datasets", "audit", "set 1", "--json").document

    findings = {finding["kind"]: finding for finding in document["findings"]}
    assert document["counts"]["exact_duplicates"] == 3
    assert document["counts"]["blank"] == 1
    assert document["counts"]["dark"] == 0
    pairs = [set(pair) for pair in findings["exact_duplicates"]["pairs"]]
    assert {"a/000.png", "a/copy 0.png"} in pairs
    assert findings["conflicting_labels"]["images"] == ["a/002.png", "b/wrong.png"]
    assert findings["unreadable"]["images"] == ["a/broken.png"]
    assert findings["blank"]["images"] == ["b/blank.png"]
    assert document["statistics"]["width"]["median"] == 8
    text = call("datasets", "audit", "set 1", "--last")
    assert "a/000.png  =  a/copy 0.png" in text.out
    assert "--finding KIND" in text.out

    calm = call("datasets", "audit", "set 1", "--blank-contrast", "0", "--json").document
    assert calm["counts"]["blank"] == 0
    quick = call("datasets", "audit", "set 1", "--set", "look_at_files=false", "--json").document
    assert {entry["kind"] for entry in quick["not_checked"]} == {"tiny"}
    assert (
        "must be at most 100"
        in call("datasets", "audit", "set 1", "--blur-percent", "101").mistake
    )


def test_browse(call: Call) -> None:
    def paths(*words: str) -> list[str]:
        document = call("datasets", "browse", "set 1", *words, "--json").document
        assert document["count"] == len(document["images"])
        return [entry["path"] for entry in document["images"]]

    assert len(paths()) == 64
    assert len(paths("--class", "b")) == 32
    assert paths("--class", "b", "--search", "WRO") == ["b/wrong.png"]
    assert paths("--finding", "blank") == ["b/blank.png"]
    assert paths("--finding", "dark") == []
    assert paths("--excluded") == []
    splits = [paths("--split", split) for split in ("train", "val", "test")]
    assert sum(map(len, splits)) == 64
    first = call("datasets", "browse", "set 1", "--json").document["images"][0]
    assert first == {"path": "a/000.png", "class": "a", "split": first["split"], "row": 0}
    assert "… and 14 more" in call("datasets", "browse", "set 1").out
    assert 'no class "c"' in call("datasets", "browse", "set 1", "--class", "c").mistake
    assert "no finding" in call("datasets", "browse", "set 1", "--finding", "x").mistake


def test_edit_undo_and_compare(call: Call) -> None:
    edited = call(
        "datasets", "edit", "set 1", "exclude", "b/blank.png", "a/copy 0.png", "--json"
    ).document
    assert edited["version"] == 1
    assert edited["changed"] == {
        "excluded": 2,
        "included": 0,
        "relabeled": 0,
        "moved": 0,
        "confirmed": 0,
    }
    assert sum(edited["count"].values()) == 62
    shown = call("datasets", "show", "set 1", "--json").document
    assert (shown["count"], shown["version"]) == (edited["count"], 1)
    assert call("datasets", "list", "--json").document[0]["count"] == 62

    call("datasets", "edit", "set 1", "add-class", "--to", "c ü")
    relabeled = call(
        "datasets", "edit", "set 1", "relabel", "--search", "00", "--to", "c ü", "--json"
    ).document
    assert relabeled["classes"] == ["a", "b", "c ü"]
    assert relabeled["changed"]["relabeled"] == 20
    moved = call(
        *("datasets", "edit", "set 1", "move", "--class", "a", "--split", "val"),
        *("--to", "train", "--note", "why not", "--json"),
    ).document
    assert moved["changed"]["moved"] > 0
    renamed = call(
        "datasets", "edit", "set 1", "rename-class", "--class", "b", "--to", "B", "--json"
    ).document
    assert renamed["classes"] == ["a", "B", "c ü"]
    back = call("datasets", "edit", "set 1", "include", "b/blank.png", "--json").document
    assert back["changed"]["included"] == 1
    assert call("datasets", "browse", "set 1", "--excluded", "--json").document["count"] == 1

    history = call("datasets", "versions", "set 1", "--json").document
    assert [entry["version"] for entry in history["versions"]] == [1, 2, 3, 4, 5, 6]
    assert "move (why not)" in call("datasets", "versions", "set 1").out
    change = call("datasets", "versions", "set 1", "--compare", "0", "6", "--json").document
    assert change["excluded"] == ["a/copy 0.png"]
    assert change["renamed_classes"] == [["b", "B"]]
    for _ in range(6):
        undone = call("datasets", "edit", "set 1", "undo", "--json").document
    assert undone["version"] == 12
    same = call("datasets", "versions", "set 1", "--compare", "0", "12", "--json").document
    assert not any(same[key] for key in same if key not in ("before", "after"))
    assert "nothing to undo" in call("datasets", "edit", "set 1", "undo").mistake
    assert call("datasets", "edit", "set 1", "redo", "--json").document["version"] == 13
    call("datasets", "edit", "set 1", "restore", "--to", "6", "--note", "as it was")
    same = call("datasets", "versions", "set 1", "--compare", "6", "14", "--json").document
    assert not any(same[key] for key in same if key not in ("before", "after"))
    assert "restore (as it was)" in call("datasets", "versions", "set 1").out
    assert "is a number" in call("datasets", "edit", "set 1", "restore", "--to", "old").mistake


def test_split_again(call: Call) -> None:
    made = call(
        *("datasets", "edit", "set 1", "split", "--method", "kfold", "--folds", "4"),
        *("--fold", "1", "--json"),
    ).document
    assert made["count"]["val"] in (12, 13)
    grouped = call(
        *("datasets", "edit", "set 1", "split", "--pattern", r"/(\d\d)"),
        *("--val-percent", "30", "--test-percent", "0", "--json"),
    ).document
    assert grouped["count"]["test"] == 0
    images = call("datasets", "browse", "set 1", "--search", "/00", "--json").document["images"]
    assert len({entry["split"] for entry in images}) == 1
    assert "--patern" in call("datasets", "edit", "set 1", "split", "--patern", "x").mistake
    shown = call("datasets", "show", "set 1", "--json").document
    assert shown["origins"]["kind"] == "pattern"
    assert shown["origins"]["common_with_training"] == {"val": 0, "test": 0}


def test_fixes(call: Call) -> None:
    fixed = call(
        *("datasets", "edit", "set 1", "fix", "--finding", "exact_duplicates"),
        *("--fix", "exclude", "--json"),
    ).document
    # Not the third pair: its images have two labels, and which is right is for a person to say.
    assert fixed["changed"]["excluded"] == 2
    counts = call("datasets", "audit", "set 1", "--json").document["counts"]
    assert counts["exact_duplicates"] == counts["conflicting_labels"] == 1
    assert (
        "does not fix"
        in call("datasets", "edit", "set 1", "fix", "--finding", "blank", "--fix", "move").mistake
    )


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (("exclud",), '"exclude"'),
        (("exclude",), "No images were named"),
        (("exclude", "none.png"), 'no image "none.png"'),
        (("relabel", "a/000.png"), "No class was given"),
        (("relabel", "a/000.png", "--to", "x"), 'no class "x"'),
        (("move", "a/000.png", "--to", "tes"), '"test"'),
        (("exclude", "a/000.png", "--to", "b"), "takes no --to"),
        (("exclude", "a/000.png", "--folds", "3"), "--folds is for the edit"),
        (("undo", "a/000.png"), "takes no images"),
        (("split", "--class", "a"), "takes no --class"),
        (("exclude", "--search", "nowhere"), "No image is selected"),
        (("fix", "--finding", "blank"), "needs --finding and --fix"),
        (("rename-class", "--to", "x"), "No class was named"),
        (("exclude", "a/000.png", "--fix", "move"), "--fix is for"),
    ],
)
def test_mistakes_change_nothing(call: Call, words: tuple[str, ...], expected: str) -> None:
    assert expected in call("datasets", "edit", "set 1", *words).mistake
    assert call("datasets", "versions", "set 1", "--json").document["version"] == 0


def test_export(call: Call, tmp_path: Path) -> None:
    call("datasets", "edit", "set 1", "exclude", "--finding", "blank")
    made = [
        call("datasets", "export", "set 1", "--format", form, "--to", tmp_path / "o", "--json")
        for form in ("folders", "csv", "npz")
    ]
    paths = [Path(said.document["path"]) for said in made]
    assert [path.name for path in paths] == ["set-1", "set-1.csv", "set-1.npz"]
    assert {said.document["count"] for said in made} == {63}
    assert len(list(paths[0].rglob("*.png"))) == 63
    with np.load(paths[2]) as arrays:
        assert len(arrays["train_images"]) + len(arrays["val_images"]) < 63
    test = call(
        *("datasets", "export", "set 1", "--split", "test", "--version", "0"),
        *("--to", tmp_path / "o", "--json"),
    ).document
    assert Path(test["path"]).name == "set-1-test"
    assert test["version"] == 0
    assert (
        "is not available"
        in call("datasets", "export", "set 1", "--format", "zip", "--to", tmp_path).mistake
    )
