"""Names of classes and files in other forms of accents, and names that differ hardly."""

from __future__ import annotations

import json
import unicodedata
from collections import Counter
from pathlib import Path

import numpy as np
from box_pictures import coco_document
from dataset_pictures import class_folders, noise_png, recipe
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from studio.engine.datasets.class_names import (
    class_name_warnings,
    invisible_warnings,
    similar_names,
)
from studio.engine.datasets.gather import RegionReader, annotated, parts_of, scan_parts
from studio.engine.datasets.recipe import DatasetRecipe
from studio.engine.datasets.sources.base import Scan
from studio.engine.files import composed
from studio.engine.inference.sources import find_pictures
from studio.engine.progress import SilentProgress
from studio.engine.tasks.detection.task import DETECTION
from studio.engine.tasks.targets import Annotated

SILENT = SilentProgress()
CAFE, THE = (unicodedata.normalize("NFD", name) for name in ("café", "thé"))


def gathered(plan: DatasetRecipe) -> tuple[Scan, Annotated]:
    parts = parts_of(plan)
    scan = scan_parts(parts, plan, SILENT)
    return scan, annotated(parts, scan, plan)


def counts(scan: Scan) -> dict[tuple[str, str | None], int]:
    return Counter((item.class_name, item.split) for item in scan.items)


def test_names_that_differ_hardly() -> None:
    names = [
        "Gear",
        "gear",
        "dog",
        " dog",
        "dog ",
        "dog  b",
        "dog b",
        "cat",
        "ﬁn",
        "fin",
        "fi\u200bn",
    ]
    assert similar_names(names) == [
        ["Gear", "gear"],
        [" dog", "dog", "dog "],
        ["dog  b", "dog b"],
        ["fin", "ﬁn", "fi\u200bn"],
    ]
    assert class_name_warnings({"café": 1, "cafe": 2, "a.b.": 3, "a.b": 4}) == []
    (warning,) = class_name_warnings({"Gear": 1200, "gear": None, "cat": 1})
    assert 'The classes "Gear" (1,200), "gear" differ only in case or spaces.' in warning


def test_invisible_characters_are_removed_from_names_of_folders(tmp_path: Path) -> None:
    names = {
        "cat": 2,
        "ca\u200bt": 1,
        "\u202etac\u202c": 2,
        "dog\ufeff": 2,
        "\u0645\u200c\u06cc": 2,
    }
    folder = class_folders(tmp_path / "in", names)
    scan, _ = gathered(recipe(folder))
    found = Counter(item.class_name for item in scan.items)
    assert found == {"cat": 3, "tac": 2, "dog": 2, "\u0645\u200c\u06cc": 2}
    warnings = [str(each) for each in scan.warnings if "Invisible" in str(each)]
    assert len(warnings) == 1
    assert "are removed from 3 names, the first is" in warnings[0]
    assert "\u200b" not in warnings[0]


def test_line_breaks_of_names_are_shown() -> None:
    (warning,) = map(str, invisible_warnings(["a\rb"]))
    assert 'the name "a\\rb"; line breaks and tabs become spaces' in warning


def test_invisible_characters_are_removed_from_names_of_boxes(tmp_path: Path) -> None:
    folder = tmp_path / "in"
    folder.mkdir()
    (folder / "000.png").write_bytes(noise_png(1))
    document = coco_document([np.array([[0, 1, 1, 5, 5, 0]])], ["nut\u200e"], (12, 9))
    (folder / "boxes.json").write_text(json.dumps(document))
    scan, targets = gathered(DatasetRecipe.parse({"task": "detection", "source": str(folder)}))
    assert targets.names == ("nut",)
    boxes, _ = RegionReader(scan, targets.names, DETECTION.geometry).read(scan.items[0], (12, 9))
    assert boxes[:, 0].tolist() == [0]
    assert any('from the name "nut' in str(each) for each in scan.warnings)


def test_spellings_that_differ_between_splits_are_joined(tmp_path: Path) -> None:
    class_folders(tmp_path / "train", {"cat": 2, "dog": 2, "Fox": 1, "fox": 1})
    class_folders(tmp_path / "val", {"CAT": 1, "dog": 1, "Fox": 1})
    class_folders(tmp_path / "test", {"Cat": 1, "dog ": 1, "fox": 1})
    scan, _ = gathered(recipe(source=str(tmp_path)))
    assert counts(scan) == {
        ("cat", "train"): 2,
        ("cat", "val"): 1,
        ("cat", "test"): 1,
        ("dog", "train"): 2,
        ("dog", "val"): 1,
        ("dog", "test"): 1,
        ("Fox", "train"): 1,
        ("fox", "train"): 1,
        ("Fox", "val"): 1,
        ("fox", "test"): 1,
    }
    (joined,) = [text for text in scan.warnings if "read as the same classes" in text]
    assert joined.startswith("3 classes differ from others only in case or spaces")
    assert joined.endswith('such as "CAT" as "cat".')
    (unclear,) = [text for text in scan.warnings if "give them one name" in text]
    assert '"Fox" (2), "fox" (2)' in unclear
    assert not any("no training images" in each.reason for each in scan.problems)


def test_spellings_that_differ_between_sources_of_boxes_are_joined(tmp_path: Path) -> None:
    for folder, name in (("a", "cat"), ("b", "Cat")):
        document = coco_document([np.array([[0, 0, 0, 4, 4, 0]])], [name], (8, 8))
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "a.json").write_text(json.dumps(document))
        (tmp_path / folder / "000.png").write_bytes(noise_png(1, 8, 8))
    plan = recipe(source=str(tmp_path / "a"), more_sources=[str(tmp_path / "b")], task="detection")
    scan, targets = gathered(plan)
    assert targets.names == ("cat",)
    reader = RegionReader(scan, targets.names, DETECTION.geometry)
    assert [reader.read(item, (8, 8))[0][0, 0] for item in scan.items] == [0, 0]
    assert any('read as the class "cat"' in text for text in scan.warnings)


def test_classes_like_splits_are_pointed_out() -> None:
    assert (
        "called like splits: treino, test set."
        in class_name_warnings({"treino": 3, "test set": 1, "other": 1})[0]
    )
    assert class_name_warnings({"train": 3, "car": 1, "bus": 1}) == []


def test_classes_like_folders_of_images_and_annotations_are_pointed_out() -> None:
    (warning,) = class_name_warnings({"labels": 3, "Training_Input": 3, "jpg images": 1})
    assert "The classes Training_Input, jpg images, labels are called like folders" in warning
    assert class_name_warnings({"mask": 3, "no mask": 3, "face": 1}) == []


@given(st.lists(st.text(min_size=1, max_size=5), unique=True))
def test_groups_are_disjoint_and_their_names_are_known(names: list[str]) -> None:
    groups = similar_names(names)
    grouped = [name for group in groups for name in group]
    assert len(grouped) == len({*grouped})
    assert {*grouped} <= {*names}
    assert all(len(group) > 1 for group in groups)


def test_folders(tmp_path: Path) -> None:
    class_folders(tmp_path, {f"train/{name}": 3 for name in ("café", "thé", "Cat", "cat", "dog ")})
    class_folders(tmp_path / "val", {CAFE: 2, THE: 1, "dog": 1})
    scan, _ = gathered(recipe(tmp_path))
    assert counts(scan)["café", "train"] == 3
    assert counts(scan)["café", "val"] == 2
    assert counts(scan)["thé", "val"] == 1
    assert next(item.key for item in scan.items if item.split == "val").startswith(f"val/{CAFE}")
    assert any('"cat" (3)' in each and '"Cat" (3)' in each for each in scan.warnings)


def test_lists(tmp_path: Path) -> None:
    class_folders(tmp_path / CAFE, {THE: 2, "b": 1})
    lines = ["path,label", f"café/thé/image 0.png,{CAFE}", "café/thé/image 1.png,café"]
    (tmp_path / "list.csv").write_text("\n".join([*lines, "café/b/image 0.png,B"]), "utf-8")
    scan, _ = gathered(recipe(tmp_path / "list.csv"))
    assert counts(scan) == {("café", None): 2, ("B", None): 1}
    assert scan.problems == []


def test_labels_of_a_table(tmp_path: Path) -> None:
    class_folders(tmp_path, {"a": 4})
    cells = [f"{CAFE};gear", "café", "Gear", "gear;café"]
    lines = [f"a/image {number}.png,{cell}" for number, cell in enumerate(cells)]
    (tmp_path / "list.csv").write_text("\n".join(["path,labels", *lines]), "utf-8")
    scan, targets = gathered(recipe(tmp_path / "list.csv", task="multi_label"))
    assert set(targets.names) == {"café", "gear", "Gear"}
    assert int(targets.values[:, targets.names.index("café")].sum()) == 3
    assert '"Gear" (1)' in scan.warnings[0]
    assert '"gear" (2)' in scan.warnings[0]


def test_boxes_and_the_names_of_their_pictures(tmp_path: Path) -> None:
    boxes = [np.array([[label, 1, 1, 9, 9, 0]], np.float32) for label in range(4)]
    document = coco_document(boxes, ("café", CAFE, "Dog", "dog"))
    images = document["images"]
    assert isinstance(images, list)
    for number, image in enumerate(images):
        image["file_name"] = f"{'é' if number % 2 else CAFE}-{number}.png"
        name = unicodedata.normalize("NFC" if number > 1 else "NFD", image["file_name"])
        Image.new("RGB", (32, 32)).save(tmp_path / name)
    (tmp_path / "instances.json").write_text(json.dumps(document), "utf-8")
    scan, targets = gathered(recipe(tmp_path, task="detection"))
    assert targets.names == ("café", "Dog", "dog")
    reader = RegionReader(scan, targets.names, DETECTION.geometry)
    found = [reader.read(item, (32, 32))[0][0, 0] for item in scan.items]
    assert sorted(found) == [0, 0, 1, 2]
    assert scan.problems == []
    assert any('"Dog"' in each and '"dog"' in each for each in scan.warnings)


def test_pictures_and_masks_with_names_in_other_forms(tmp_path: Path) -> None:
    for number, (folder, name) in enumerate((("images", CAFE), ("masks", "café"))):
        (tmp_path / folder).mkdir()
        for index in range(3):
            pixels = np.zeros((16, 16), np.uint8)
            pixels[2:8, 2:8] = number
            Image.fromarray(pixels).save(tmp_path / folder / f"{name}-{index}.png")
    scan, _ = gathered(recipe(tmp_path, task="segmentation"))
    assert len(scan.items) == 3
    assert scan.problems == []


def test_pictures_in_other_formats_are_counted(tmp_path: Path) -> None:
    class_folders(tmp_path, {"a": 1, "b": 1})
    for name in ("a/1.heic", "b/2.HEIC", "b/3.cr2", "b/4.mp4", "notes.txt"):
        (tmp_path / name).write_bytes(b"?")
    scan, _ = gathered(recipe(tmp_path))
    reasons = {each.path: each.reason for each in scan.problems}
    assert reasons["a/1.heic"].endswith("convert it to PNG or JPEG")
    assert "convert" not in reasons["notes.txt"]
    (warning,) = scan.warnings
    assert "formats that are not read: 4 (.cr2, .heic, .mp4). Convert them" in warning


def test_more_digits_than_a_number_may_have(tmp_path: Path) -> None:
    (tmp_path / "1.png").write_bytes(noise_png(1))
    (tmp_path / "list.csv").write_text(f"path,label\n1.png,{'9' * 5000}\n")
    (picture,) = find_pictures([tmp_path / "list.csv"], ("a", "b"))
    assert picture.label == "9" * 5000
    class_folders(tmp_path, {"a": 1, "b": 1})
    rows = ["a/image 0.png,1", "b/image 0.png,2", f"1.png,{'9' * 5000}"]
    (tmp_path / "list.csv").write_text("\n".join(["path,label", *rows]))
    scan, _ = gathered(recipe(tmp_path / "list.csv"))
    assert [each.reason for each in scan.problems] == ["its label has more than 18 digits"]


def test_composed_keeps_all_else() -> None:
    assert composed(CAFE) == composed("café") == "café"
    assert composed(" a  B ") == " a  B "
