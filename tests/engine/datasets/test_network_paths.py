"""Paths on other computers that a file names are never opened by themselves."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest
from dataset_pictures import class_folders, recipe

from studio.engine.datasets.importer import import_dataset
from studio.engine.datasets.sources.base import SourceOptions
from studio.engine.datasets.sources.list_file import ListFileSource
from studio.engine.datasets.store import Store
from studio.engine.network_paths import is_network_path
from studio.engine.progress import SilentProgress

ELSEWHERE = [
    r"\\server\share\a.png",
    "//server/share/a.png",
    r"\/server\share\a.png",
    "file://server/share/a.png",
    "FILE:///share/a.png",
    r"smb:\\server\share\a.png",
    "nfs://server/a.png",
    r"\\?\UNC\server\a.png",
]


@pytest.mark.parametrize("path", ELSEWHERE)
def test_paths_on_other_computers(path: str) -> None:
    assert is_network_path(path)


@pytest.mark.parametrize(
    "path",
    [r"C:\a.png", "c:/a.png", "/a.png", "a.png", r"a\b.png", "https://host/a.png", "a: b/c.png"],
)
def test_other_paths(path: str) -> None:
    assert not is_network_path(path)


@pytest.fixture
def looked_for(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Paths that are looked for or opened."""
    found: list[str] = []
    real = os.stat

    def stat(path: Any, *args: Any, **options: Any) -> os.stat_result:
        found.append(str(path))
        return real(path, *args, **options)

    monkeypatch.setattr(os, "stat", stat)
    return found


@pytest.mark.parametrize("path", [*ELSEWHERE, "%2F%2Fserver/share/a.png"])
def test_a_list_does_not_open_them(tmp_path: Path, looked_for: list[str], path: str) -> None:
    root = class_folders(tmp_path / "pictures", {"cat": 2, "dog": 2})
    lines = ["path,label", "cat/image 0.png,cat", "dog/image 0.png,dog", f"{path},cat"]
    table = root / "train.csv"
    table.write_text("\n".join(lines))
    found = ListFileSource().scan(table, SilentProgress(), SourceOptions())
    assert len(found.items) == 2
    (problem,) = found.problems
    assert any(
        each in problem.reason
        for each in ("on another computer", "only http and https", "No such file")
    )
    assert any(each.endswith("image 0.png") for each in looked_for)
    assert not [each for each in looked_for if is_network_path(each)]


def test_images_of_such_paths_are_found_below_the_list(tmp_path: Path) -> None:
    root = class_folders(tmp_path / "pictures", {"cat": 2, "dog": 2})
    names = [f"{folder}\\image {number}.png" for folder in ("cat", "dog") for number in (0, 1)]
    rows = [f"\\\\nas\\data\\{name},{name[:3]}" for name in names]
    (root / "all.csv").write_text("\n".join(["path,label", *rows]))
    found = ListFileSource().scan(root / "all.csv", SilentProgress(), SourceOptions())
    assert {item.key for item in found.items} == {name.replace("\\", "/") for name in names}


def test_originals_of_a_foreign_dataset_are_not_opened(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class_folders(tmp_path / "in", {"cat": 3, "dog": 3})
    import_dataset(recipe(tmp_path / "in"), tmp_path / "out", SilentProgress())
    store = Store.open(tmp_path / "out")
    assert store.local_origin(0) == tmp_path / "in" / store.paths[0]
    for source in ("//server/share", "https://host/folder"):
        monkeypatch.setattr(store, "recipe", store.recipe.changed(source=source))
        assert store.local_origin(0) is None
