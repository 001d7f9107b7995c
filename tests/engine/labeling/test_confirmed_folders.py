"""Pictures outside of a labeling are opened only in folders that the user added or confirmed."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from labeling_pictures import color_labeling

import studio
from helpers.command_line import caller
from studio.engine.errors import StudioError
from studio.engine.jobs import queue
from studio.engine.labeling.confirmed import FILE, ConfirmedFolders, outside_folder
from studio.engine.labeling.items import ItemLine
from studio.engine.labeling.journal import ITEMS_NAME
from studio.engine.labeling.project import Labeling
from studio.engine.workspace import Workspace

PATHS = {
    "/home/a/b.png": "/home/a",
    "/home/a/../c/b.png": "/home/c",
    r"\\server\share\pictures\b.png": r"\\server\share\pictures",
    "//server/share/pictures/b.png": r"\\server\share\pictures",
    r"C:\pictures\b.png": r"C:\pictures",
    "c:b.png": "c:",
    r"\pictures\b.png": r"\pictures",
    "pictures/b.png": None,
    "../b.png": None,
}


def name(labeling: Labeling, path: str) -> None:
    """Let a labeling refer to another picture, as a foreign file can."""
    line = ItemLine(path=path, name="b", origin="file", width=4, height=4)
    with (labeling.record.folder / ITEMS_NAME).open("a", encoding="utf-8") as file:
        file.write(line.model_dump_json() + "\n")


@pytest.fixture
def ours(workspace: Workspace, tmp_path: Path) -> Labeling:
    return color_labeling(workspace, tmp_path / "pictures", 3)


@pytest.mark.parametrize("path", PATHS)
def test_paths_of_every_system_lead_outside(path: str) -> None:
    assert outside_folder(path) == PATHS[path]


def test_folders_that_were_added_here_are_opened(ours: Labeling, workspace: Workspace) -> None:
    again = Labeling.find(workspace, ours.record.id)
    assert again.unconfirmed_folders == ours.unconfirmed_folders == []
    assert again.file_of(0).is_file()


@pytest.mark.parametrize("path", [each for each, folder in PATHS.items() if folder])
def test_other_folders_are_opened_when_they_are_confirmed(ours: Labeling, path: str) -> None:
    name(ours, path)
    labeling = Labeling(ours.record)
    assert labeling.unconfirmed_folders == [PATHS[path]]
    assert labeling.file_of(0).is_file()
    with pytest.raises(StudioError, match="folders that were not added on this computer"):
        labeling.file_of(3)

    labeling.confirm_folders(labeling.unconfirmed_folders)

    assert labeling.unconfirmed_folders == []
    assert ours.refresh().items == frozenset()
    assert ours.unconfirmed_folders == [], "read by a process that was open before"


def test_a_folder_confirms_those_inside_and_no_others(ours: Labeling) -> None:
    confirmed = ConfirmedFolders(ours.record)
    confirmed.add(["/data/one"])
    assert confirmed.covers("/data/one/deep/er")
    assert not confirmed.covers("/data/one more")
    assert not confirmed.covers("/data")


def test_the_confirmations_of_others_have_no_effect_and_stay(
    ours: Labeling, workspace: Workspace, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    folder = str(tmp_path / "pictures")
    with monkeypatch.context() as elsewhere:
        elsewhere.setattr(queue, "machine_key", lambda: b"somebody else")
        theirs = Labeling.find(workspace, ours.record.id)
        assert theirs.unconfirmed_folders == [folder]
        theirs.confirm_folders([folder])
        assert Labeling.find(workspace, ours.record.id).unconfirmed_folders == []
    assert Labeling.find(workspace, ours.record.id).unconfirmed_folders == []


def test_a_confirmation_counts_for_one_labeling(ours: Labeling, workspace: Workspace) -> None:
    copy = ours.record.folder.with_name("copy")
    shutil.copytree(ours.record.folder, copy)
    info = json.loads((copy / "record.json").read_text(encoding="utf-8"))
    (copy / "record.json").write_text(json.dumps(info | {"id": "copy", "name": "copy"}))
    assert Labeling.find(workspace, "copy").unconfirmed_folders != []


@pytest.mark.parametrize("text", ["{", "[]", '{"a": 1}', '{"\\ud800": "/x"}', '{"é": "/x"}'])
def test_a_damaged_file_confirms_nothing(ours: Labeling, workspace: Workspace, text: str) -> None:
    (ours.record.folder / FILE).write_text(text, encoding="utf-8")
    assert Labeling.find(workspace, ours.record.id).unconfirmed_folders != []


def test_the_command_line_and_python_refuse_without_permission(
    ours: Labeling, workspace: Workspace, capsys: pytest.CaptureFixture[str]
) -> None:
    name(ours, r"\\server\share\b.png")
    call = caller(capsys, workspace.root)

    assert r"\\server\share" in call("label", "show", "colors").mistake
    with pytest.raises(StudioError, match="were not added"):
        studio.open(workspace.root).labeling("colors")

    assert call("label", "list", "--json").document[0]["count"] == 4
    shown = call("label", "show", "colors", "--items", "--trust-folders", "--json").document
    assert shown["count"] == 4
    assert call("label", "show", "colors", "--json").document["count"] == 4
