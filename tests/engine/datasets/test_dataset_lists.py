from __future__ import annotations

from pathlib import Path

import pytest
from dataset_pictures import Listener, class_folders, recipe

from studio.engine.datasets.importer import import_dataset, read_skipped
from studio.engine.datasets.sources.base import Scan, SourceOptions
from studio.engine.datasets.sources.list_file import ListFileSource
from studio.engine.errors import StudioError
from studio.engine.progress import SilentProgress

SOURCE = ListFileSource()


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return class_folders(tmp_path / "pictures", {"cat": 4, "big dog": 4})


def scan(path: Path, text: str | bytes, **options: str) -> Scan:
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return SOURCE.scan(path, Listener(), SourceOptions(**options))  # type: ignore[arg-type]


def pairs(found: Scan) -> set[tuple[str, str]]:
    return {(item.key, item.class_name) for item in found.items}


def test_digits_list_with_labels_file_and_spaces(root: Path) -> None:
    (root / "labels.txt").write_text("cat\nbig dog\n")
    found = scan(
        root / "train.txt",
        "cat/image 0.png 0\nbig dog/image 1.png 1\n\n  cat/image 2.png   0  \n",
        labels_file=str(root / "labels.txt"),
    )
    assert pairs(found) == {
        ("cat/image 0.png", "cat"),
        ("big dog/image 1.png", "big dog"),
        ("cat/image 2.png", "cat"),
    }
    assert found.problems == []


def test_separate_lists_as_digits_takes_them(root: Path, tmp_path: Path) -> None:
    (root / "labels.txt").write_text("cat\nbig dog\n")
    (root / "train.txt").write_text("cat/image 0.png 0\nbig dog/image 0.png 1\ncat/image 3.png 0")
    (root / "val.txt").write_text("cat/image 1.png 0\nbig dog/image 1.png 1\n")
    (root / "test.txt").write_text("cat/image 2.png 0\n")
    asked = recipe(
        root / "train.txt",
        val_source=str(root / "val.txt"),
        test_source=str(root / "test.txt"),
        labels_file=str(root / "labels.txt"),
    )
    summary = import_dataset(asked, tmp_path / "out", SilentProgress())
    assert summary.counts == {"train": 3, "val": 2, "test": 1}
    assert summary.classes == ["big dog", "cat"]


def test_numbers_without_names_sort_as_numbers(root: Path) -> None:
    found = scan(root / "x.txt", "cat/image 0.png 10\ncat/image 1.png 9\ncat/image 2.png 0\n")
    assert found.classes() == ["0", "9", "10"]


def test_csv_with_header_in_any_order_and_split(root: Path) -> None:
    text = (
        "id,Label,File Name,split\n"
        '1,"a, b",cat/image 0.png,train\n'
        "2,c,cat/image 1.png,valid\n"
        "3,c,cat/image 2.png,\n"
    )
    found = scan(root / "x.csv", text)
    assert pairs(found) == {
        ("cat/image 0.png", "a, b"),
        ("cat/image 1.png", "c"),
        ("cat/image 2.png", "c"),
    }
    assert {item.key[-5]: item.split for item in found.items} == {
        "0": "train",
        "1": "val",
        "2": None,
    }


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("x.csv", "cat/image 0.png,a\ncat/image 1.png,b"),
        ("x.csv", "cat/image 0.png;a\ncat/image 1.png;b"),
        ("x.csv", "\ufeffpath,class\ncat/image 0.png,a\ncat/image 1.png,b"),
        ("x.csv", "cat/image 0.png\ta\r\ncat/image 1.png\tb\r\n"),
        ("x.tsv", "image\tlabel\ncat/image 0.png\ta\ncat/image 1.png\tb"),
        ("x.txt", "cat/image 0.png\ta\ncat/image 1.png\tb"),
        ("x.txt", "cat/image 0.png, a\ncat/image 1.png, b"),
        ("x.txt", "cat/image 0.png a\ncat/image 1.png b"),
        ("x.txt", "cat\\image 0.png a\ncat\\image 1.png b"),
    ],
)
def test_every_way_of_writing_a_list(root: Path, name: str, text: str) -> None:
    found = scan(root / name, text)
    assert {item.class_name for item in found.items} == {"a", "b"}
    assert found.problems == []
    with SOURCE.open(root / name, found.items[0]) as file:
        assert file.read(4) == b"\x89PNG"


def test_every_bad_line_is_listed_with_its_number(root: Path, tmp_path: Path) -> None:
    (root / "labels.txt").write_text("cat\ndog\n")
    lines = [
        b"cat/image 0.png 0",
        b"cat/gone.png 0",
        b"nonsense",
        b"big dog/image 0.png 1",
        b"big dog/image 1.png 7",
        b"big dog/image 1.png -1",
        b"cat/\xff.png 1",
        b"cat 0",
        b"cat/image 0.png 1",
        b"ftp://example.org/x.png 0",
        b"cat/image 1.png mouse",
    ]
    (root / "x.txt").write_bytes(b"\n".join(lines))
    asked = recipe(root / "x.txt", labels_file=str(root / "labels.txt"))
    summary = import_dataset(asked, tmp_path / "out", SilentProgress())
    assert summary.count == 2
    listed = {entry.line: entry.reason for entry in read_skipped(tmp_path / "out")}
    assert list(listed) == [2, 3, 5, 6, 7, 8, 9, 10, 11]
    expected = {
        2: "No such file",
        3: "path, space and label",
        5: "no name",
        6: "negative",
        7: "No such file",
        8: "regular file",
        9: "twice",
        10: "only http and https addresses",
        11: '"mouse"',
    }
    for line, part in expected.items():
        assert part in listed[line]


def test_prefix_and_absolute_paths(root: Path, tmp_path: Path) -> None:
    away = tmp_path / "elsewhere"
    away.mkdir()
    text = f"cat/image 0.png a\n{root}/big dog/image 0.png b\n"
    found = scan(away / "x.txt", text, path_prefix=str(root))
    assert len(found.items) == 2
    for item in found.items:
        with SOURCE.open(away / "x.txt", item) as file:
            assert file.read(4) == b"\x89PNG"
    with pytest.raises(StudioError, match="no folder") as caught:
        scan(away / "x.txt", text, path_prefix=str(tmp_path / "gone"))
    assert caught.value.where == "path_prefix"


@pytest.mark.parametrize(
    ("labels", "part"),
    [("cat\n\ndog\n", "Line 2"), ("cat\ncat\n", "more than once"), ("a\0b", "not a text")],
)
def test_bad_labels_files(root: Path, labels: str, part: str) -> None:
    (root / "labels.txt").write_text(labels)
    with pytest.raises(StudioError, match=part) as caught:
        scan(root / "x.txt", "cat/image 0.png 0\n", labels_file=str(root / "labels.txt"))
    assert caught.value.where == "labels_file"
    with pytest.raises(StudioError, match="cannot be read"):
        scan(root / "x.txt", "cat/image 0.png 0\n", labels_file=str(root / "gone.txt"))


def test_lists_of_nothing(root: Path) -> None:
    for text, part in {
        "": "no usable images",
        "\n\n": "no usable images",
        "only\n": "line 1",
        "cat/image 0.png a\n": "one class",
        "path,label\n": "no usable images",
    }.items():
        with pytest.raises(StudioError, match=part) as caught:
            scan(root / ("x.csv" if "," in text else "x.txt"), text)
        assert caught.value.hint


def test_utf16_of_windows_programs(root: Path) -> None:
    text = "cat/image 0.png a\ncat/image 1.png b\n".encode("utf-16")
    assert len(scan(root / "x.txt", text).items) == 2
