"""`studio models`: the list with licenses, and files from a folder."""

from __future__ import annotations

from pathlib import Path

import pytest

from helpers.command_line import caller
from studio.engine.pretrained.sources import SOURCES


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
        (stick / file.name).write_bytes(b"{}")
    assert len(call("models", "show", "dfine_nano_coco", "--json").document["missing"]) == 4
    added = call("models", "add", stick.parent, "--json").document["models"]
    assert [model["name"] for model in added] == ["dfine_nano_coco"]
    assert added[0]["state"] == "here"
    assert call("models", "remove", "dfine_nano_coco", "--json").document["freed"] == 8
    assert "no downloaded files" in call("models", "remove", "dfine_nano_coco").mistake
