"""Which pictures are meant by files and folders."""

from __future__ import annotations

from pathlib import Path

import pytest

from studio.engine.errors import StudioError
from studio.engine.inference.sources import expand


def test_files_as_given_and_folders_searched(tmp_path: Path) -> None:
    for name in ("b/z.PNG", "b/a ü.jpg", "b/c/d.webp", "b/notes.txt", "b/.x.png", "b/.t/y.png"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).touch()
    odd = tmp_path / "no suffix"
    odd.touch()

    found = expand([odd, tmp_path / "b", odd])

    assert [path.relative_to(tmp_path).as_posix() for path in found] == [
        "no suffix",
        "b/a ü.jpg",
        "b/c/d.webp",
        "b/z.PNG",
        "no suffix",
    ]


def test_what_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(StudioError, match=r"no file .*none\.png"):
        expand([tmp_path / "none.png"])
    with pytest.raises(StudioError, match=r"holds no picture.*\.png"):
        expand([tmp_path])
    assert expand([]) == []
