from __future__ import annotations

import os
import pkgutil
import sys
from collections import Counter
from pathlib import Path

import pytest
from dataset_pictures import Listener, class_folders, encoded, noise, noise_png, recipe
from PIL import Image

from studio.engine.datasets import samples, sources
from studio.engine.datasets.importer import import_dataset
from studio.engine.datasets.samples import SAMPLES
from studio.engine.datasets.sources import SOURCES, source_for
from studio.engine.datasets.sources.base import IMAGE_SUFFIXES, Scan
from studio.engine.datasets.sources.folder import FolderSource
from studio.engine.errors import StudioError
from studio.engine.files import natural_key
from studio.engine.progress import Cancelled

SOURCE = FolderSource()


def scan(root: Path) -> Scan:
    return SOURCE.scan(root, Listener())


def reasons(found: Scan) -> dict[str, str]:
    return {entry.path: entry.reason for entry in found.problems}


def test_classes_and_images_in_natural_order(tmp_path: Path) -> None:
    class_folders(tmp_path, {"class 10": 2, "class 2": 11, "Alpha_beta": 1})
    found = scan(tmp_path)
    assert found.classes() == ["Alpha_beta", "class 2", "class 10"]
    keys = [item.key for item in found.items]
    assert keys[:4] == [
        "Alpha_beta/image 0.png",
        "class 2/image 0.png",
        "class 2/image 1.png",
        "class 2/image 2.png",
    ]
    assert keys[11] == "class 2/image 10.png"
    assert found.problems == []
    with SOURCE.open(tmp_path, found.items[0]) as file:
        assert file.read() == (tmp_path / keys[0]).read_bytes()


def test_unicode_spaces_and_newlines(tmp_path: Path) -> None:
    names = {"größe ± 日本": 1, " leading": 1, "two\nlines": 1}
    class_folders(tmp_path, names)
    found = scan(tmp_path)
    assert set(found.classes()) == set(names)
    assert all(SOURCE.open(tmp_path, item).read(4) == b"\x89PNG" for item in found.items)


def test_deep_folders_belong_to_the_top_class(tmp_path: Path) -> None:
    class_folders(tmp_path, {"a/deep/er": 1, "b": 1})
    assert [(i.class_name, i.key) for i in scan(tmp_path).items] == [
        ("a", "a/deep/er/image 0.png"),
        ("b", "b/image 0.png"),
    ]


def test_hidden_and_junk_are_neither_classes_nor_images(tmp_path: Path) -> None:
    class_folders(tmp_path, {"a": 1, "b": 1, ".git": 1, "__MACOSX": 1, "a/.thumbs": 1})
    (tmp_path / "a" / ".hidden.png").write_bytes(noise_png(1))
    (tmp_path / "a" / "Thumbs.db").write_bytes(b"x")
    found = scan(tmp_path)
    assert [item.key for item in found.items] == ["a/image 0.png", "b/image 0.png"]
    assert found.problems == []


def test_every_extension_in_any_case(tmp_path: Path) -> None:
    class_folders(tmp_path, {"a": 0, "b": 1})
    names = [f"x{suffix}" for suffix in sorted(IMAGE_SUFFIXES)]
    for name in [*names, *map(str.upper, names)]:
        (tmp_path / "a" / name).write_bytes(b"?")
    assert len(scan(tmp_path).items) == 1 + 2 * len(names)


def test_all_names_of_jpeg_files_are_read(tmp_path: Path) -> None:
    image = Image.fromarray(noise(1, 16, 16))
    for number, suffix in enumerate((".jpg", ".JPE", ".jfif", ".mpo")):
        folder = tmp_path / "in" / "ab"[number % 2]
        folder.mkdir(parents=True, exist_ok=True)
        if suffix == ".mpo":
            image.save(folder / f"{number}{suffix}", save_all=True, append_images=[image])
        else:
            (folder / f"{number}{suffix}").write_bytes(encoded(image, "JPEG"))
    plan = recipe(tmp_path / "in", val_percent=0, test_percent=0)
    summary = import_dataset(plan, tmp_path / "out", Listener())
    assert (summary.count, summary.skipped) == (4, [])


def test_what_is_left_out_is_listed(tmp_path: Path) -> None:
    class_folders(tmp_path, {"a": 1, "b": 1})
    (tmp_path / "labels").write_text("x")
    (tmp_path / "loose.png").write_bytes(noise_png(1))
    (tmp_path / "a" / "notes.txt").write_text("x")
    (tmp_path / "b" / "broken.png").symlink_to(tmp_path / "gone.png")
    os.mkfifo(tmp_path / "b" / "pipe.png")
    found = scan(tmp_path)
    assert len(found.items) == 2
    listed = reasons(found)
    assert listed["labels"] == "not an image"
    assert "no class" in listed["loose.png"]
    assert '".txt"' in listed["a/notes.txt"]
    assert "No such file" in listed["b/broken.png"]
    assert listed["b/pipe.png"] == "not a regular file"
    assert len(listed) == 5


@pytest.mark.skipif(sys.platform != "linux", reason="other systems forbid such names")
def test_names_that_are_no_utf8_are_listed(tmp_path: Path) -> None:
    class_folders(tmp_path, {"a": 1, "b": 1})
    Path(os.fsdecode(os.fsencode(tmp_path) + b"/a/\xff.png")).write_bytes(noise_png(1))
    Path(os.fsdecode(os.fsencode(tmp_path) + b"/cl\xe4ss")).mkdir()
    found = scan(tmp_path)
    assert len(found.items) == 2
    assert reasons(found) == {
        "cl\\xe4ss": "its name is not valid UTF-8",
        "a/\\xff.png": "its name is not valid UTF-8",
    }


def test_links_that_lead_in_circles_end(tmp_path: Path) -> None:
    class_folders(tmp_path, {"a": 1, "b": 1})
    (tmp_path / "a" / "self").symlink_to(tmp_path / "a")
    (tmp_path / "a" / "up").symlink_to(tmp_path)
    (tmp_path / "b" / "circle").symlink_to(tmp_path / "b" / "circle")
    found = scan(tmp_path)
    assert len(found.items) == 2
    assert "already read" in reasons(found)["a/self"]
    assert "already read" in reasons(found)["a/up"]


def test_linked_folders_are_read(tmp_path: Path) -> None:
    class_folders(tmp_path / "elsewhere", {"c": 3})
    root = class_folders(tmp_path / "root", {"a": 1})
    (root / "b").symlink_to(tmp_path / "elsewhere" / "c")
    assert [i.class_name for i in scan(root).items] == ["a", "b", "b", "b"]


def test_empty_folders_are_pointed_out(tmp_path: Path) -> None:
    class_folders(tmp_path, {"a": 1, "b": 1, "nothing": 0, "b/empty/deeper": 0})
    found = scan(tmp_path)
    assert found.classes() == ["a", "b"]
    assert found.warnings == ["Folders without images: 2 (b/empty, nothing). They are no classes."]


def test_each_mistake_has_its_own_message(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    (tmp_path / "empty").mkdir()
    class_folders(tmp_path / "one", {"only": 2})
    class_folders(tmp_path / "no images", {"a": 0, "b": 0})
    class_folders(tmp_path / "flat", {".": 3})
    class_folders(tmp_path / "splits", {"train": 1, "test": 1})
    (tmp_path / "texts").mkdir()
    (tmp_path / "texts" / "notes.txt").write_text("x")
    expected = {
        "missing": "does not exist",
        "file": "not a folder",
        "empty": "empty folder",
        "one": "only one class",
        "no images": "None of the 2 folders",
        "flat": "3 images, but no class folders",
        "splits": "are splits",
        "texts": "notes.txt",
    }
    messages = set()
    for name, part in expected.items():
        with pytest.raises(StudioError, match=part) as caught:
            SOURCE.scan(tmp_path / name, Listener())
        assert caught.value.hint
        assert str(tmp_path / name) in caught.value.message
        messages.add(caught.value.message)
    assert len(messages) == len(expected)


def test_links_to_a_folder_twice_count_once_in_a_class_and_once_in_each_split(
    tmp_path: Path,
) -> None:
    class_folders(tmp_path, {"train/a": 2, "train/b": 1, "val/a": 1, "train/b/more": 3})
    (tmp_path / "test").symlink_to(tmp_path / "val")
    (tmp_path / "val" / "b").symlink_to(tmp_path / "train" / "b")
    (tmp_path / "train" / "b" / "again").symlink_to(tmp_path / "train" / "b" / "more")
    found = scan(tmp_path)
    counts = Counter((item.split, item.class_name) for item in found.items)
    assert counts["train", "a"] == 2
    assert counts["train", "b"] == 4
    assert counts["val", "a"] == counts["test", "a"] == 1
    assert counts["val", "b"] == counts["test", "b"] == 4
    assert {path for path, reason in reasons(found).items() if "already read" in reason} == {
        f"{folder}/b/more" for folder in ("train", "val", "test")
    }


def test_scan_can_be_cancelled(tmp_path: Path) -> None:
    class_folders(tmp_path, {"a": 1, "b": 1})
    with pytest.raises(Cancelled):
        SOURCE.scan(tmp_path, Listener(cancel_after=0))


def test_source_for(tmp_path: Path) -> None:
    assert source_for(tmp_path).name == "folder"
    (tmp_path / "file").write_text("x")
    for name, part in {"file": "unsupported file type", "gone": "does not exist"}.items():
        with pytest.raises(StudioError, match=part):
            source_for(tmp_path / name)


def test_no_source_file_is_left_out() -> None:
    files = {info.name for info in pkgutil.iter_modules(sources.__path__)}
    files -= {"base", "shared"}
    files -= {"annotated", "drawn_labels"}  # sources that are made for a place, see `source_for`
    listed = {type(source).__module__ for source in SOURCES}
    listed |= {sample.write.__module__ for sample in SAMPLES} - {samples.__name__}
    assert {name.rpartition(".")[2] for name in listed} == files


def test_natural_key_orders_as_a_person_would() -> None:
    names = ["b", "a10", "A2", "a1", "10", "9", "²", "a"]
    assert sorted(names, key=natural_key) == ["9", "10", "a", "a1", "A2", "a10", "b", "²"]


def test_natural_key_takes_more_digits_than_a_number_may_have() -> None:
    large, larger = "9" * 5000, "1" + "0" * 5000
    assert sorted([larger, large, "7", "0" * 6000 + "3"], key=natural_key) == [
        "0" * 6000 + "3",
        "7",
        large,
        larger,
    ]
