"""Which pictures are meant by files and folders."""

from __future__ import annotations

from pathlib import Path

import pytest

from studio.engine.errors import StudioError
from studio.engine.inference.sources import Picture, find_pictures


def test_files_as_given_and_folders_searched(tmp_path: Path) -> None:
    for name in ("b/z.PNG", "b/a ü.jpg", "b/c/d.webp", "b/notes.txt", "b/.x.png", "b/.t/y.png"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).touch()
    odd = tmp_path / "no suffix"
    odd.touch()

    found = [picture.path for picture in find_pictures([odd, tmp_path / "b", odd])]

    assert [path.relative_to(tmp_path).as_posix() for path in found] == [
        "no suffix",
        "b/a ü.jpg",
        "b/c/d.webp",
        "b/z.PNG",
        "no suffix",
    ]


def test_missing_items_are_named(tmp_path: Path) -> None:
    with pytest.raises(StudioError, match=r"no file .*none\.png"):
        find_pictures([tmp_path / "none.png"])
    with pytest.raises(StudioError, match=r"contains no images.*\.png"):
        find_pictures([tmp_path])
    assert find_pictures([]) == []


def test_folders_called_like_classes_say_the_class(tmp_path: Path) -> None:
    for name in ("set/cat/1.png", "set/dog/old/2.png", "set/dog/cat/3.png", "set/4.png"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).touch()
    classes = ["cat", "dog"]

    found = find_pictures([tmp_path / "set", tmp_path / "set" / "dog" / "old"], classes)

    labels = {(picture.path.name, picture.label) for picture in found}
    assert labels == {("1.png", "cat"), ("2.png", "dog"), ("3.png", "cat"), ("4.png", "")} | {
        ("2.png", "")
    }, "only a folder that was given, or lies inside one, says anything"
    own = find_pictures([tmp_path / "set" / "cat"], classes)
    assert [picture.label for picture in own] == ["cat"]


def test_a_list_gives_classes_by_name_and_by_number(tmp_path: Path) -> None:
    for name in ("a.png", "b c.png", "d.png"):
        (tmp_path / name).touch()
    table = tmp_path / "list.csv"
    table.write_text(
        "path,label\na.png,dog\nb c.png,0\nd.png,zebra\ngone.png,dog\n"
        "https://example.org/e.png,dog\n"
    )

    found = {picture.path.name: picture for picture in find_pictures([table], ["cat", "dog"])}

    assert found["a.png"] == Picture(tmp_path / "a.png", "dog")
    assert found["b c.png"].label == "cat"
    assert found["d.png"].label == "zebra", "the model cannot know it, so it counts as wrong"
    assert "No such file" in found["gone.png"].problem
    assert "address" in found["e.png"].problem


def test_a_table_of_targets_names_pictures(tmp_path: Path) -> None:
    (tmp_path / "a.png").write_bytes(b"x")
    table = tmp_path / "numbers.csv"
    table.write_text("id;image_path;mass [g]\n7;a.png;3,5\n8;b.png;4\n")
    first, second = find_pictures([table], None)
    assert (first.path, first.label, first.problem) == (tmp_path / "a.png", "", "")
    assert second.problem
    (tmp_path / "labels.csv").write_text("path,labels\na.png,cat;dog\n")
    (tmp_path / "cat").mkdir()
    (tmp_path / "cat" / "b.png").write_bytes(b"x")
    found = find_pictures([tmp_path / "labels.csv", tmp_path / "cat"], None)
    assert [each.label for each in found] == ["", ""], "these are labels, not one class"
