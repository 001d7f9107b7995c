"""The folder of a node for what is copied there: used only where it is this user's alone."""

from __future__ import annotations

import os
import sys
import tempfile
from pathlib import Path

import pytest

from studio.engine.errors import StudioError
from studio.engine.worker.cluster.connection import (
    copies_folder,
    own_copies_folder,
    remove_all_copies,
)
from studio.engine.worker.cluster.node import Node

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="every user has a folder there")


@pytest.fixture(autouse=True)
def base(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    return copies_folder()


def test_a_folder_of_our_own_is_made_and_used_again(base: Path) -> None:
    assert own_copies_folder() == own_copies_folder() == base
    assert base.stat().st_mode & 0o777 == 0o700


@pytest.mark.parametrize("kind", ["link", "broken link", "open", "foreign", "file"])
def test_foreign_files_are_refused(
    base: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    elsewhere = tmp_path / "elsewhere"
    (elsewhere / "precious").mkdir(parents=True)
    elsewhere.chmod(0o700)
    if kind == "link":
        base.symlink_to(elsewhere)
    elif kind == "broken link":
        base.symlink_to(tmp_path / "nothing")
    elif kind == "file":
        base.touch()
    else:
        base.mkdir(mode=0o700)
        (base / "precious").mkdir()
        if kind == "open":
            base.chmod(0o777)
        else:
            monkeypatch.setattr(os, "getuid", lambda: 12345)
            monkeypatch.setenv("LOGNAME", base.name.removeprefix("studio-cluster-"))

    with pytest.raises(StudioError, match="this user alone"):
        Node().make_room("abc")

    assert remove_all_copies() == 0
    assert (elsewhere / "precious").exists()
    assert kind not in ("open", "foreign") or (base / "precious").exists()
