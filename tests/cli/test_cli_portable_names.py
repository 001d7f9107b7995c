"""Names that Windows refuses, such as CON, in archives, classes and exports."""

from __future__ import annotations

import json
import re
import sys
import zipfile
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from helpers.command_line import Call, caller
from studio.engine.tasks.parts.objects import Objects
from studio.engine.tasks.parts.writer import PartWriter

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(sys.platform == "win32", reason="Windows cannot have such files"),
]

CLASSES = ("NUL", "dog.", "Cat", "cat ")
NAMES = ("CON.png", "aux.txt.png", "nul .png", "b..png", "lpt9.x.png", "x:y.png", "A.png", "a.png")
DEVICE = re.compile(r"(?i)(con|prn|aux|nul|conin\$|conout\$|(com|lpt)[0-9¹²³])\s*(\..*)?")
FORMATS = {
    "classification": ("folders", "csv"),
    "detection": ("voc", "coco", "yolo", "csv"),
    "segmentation": ("masks", "coco"),
}


def draw(path: Path, seed: int) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    Image.fromarray(np.random.default_rng(seed).integers(0, 255, (32, 32, 3), np.uint8)).save(path)


def refused_by_windows(folder: Path) -> list[str]:
    """Return the paths below a folder that Windows would refuse, or take for another one."""
    paths = [path for path in folder.rglob("*") if path != folder]
    folded = [path.relative_to(folder).as_posix().casefold() for path in paths]
    return [
        path.name
        for path, low in zip(paths, folded, strict=True)
        if DEVICE.fullmatch(path.name)
        or re.search(r'[\x00-\x1f<>:"\\|?*]|[ .]$', path.name)
        or folded.count(low) > 1
    ]


@pytest.fixture
def call(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> Call:
    return caller(capsys, tmp_path / "workspace")


def exported(call: Call, tmp_path: Path, source: Path, task: str) -> None:
    named = call("datasets", "import", source, "--name", task, "--task", task, "--json")
    assert named.document["left_out"] == []
    for form in FORMATS[task]:
        to = tmp_path / f"{task} {form}"
        assert call("datasets", "export", task, "--format", form, "--to", to, "--json").code == 0
        assert [*to.rglob("*")]
        assert refused_by_windows(to) == []


def test_classes_and_images_of_an_archive(call: Call, tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "classes.zip", "w") as archive:
        for number, (label, name) in enumerate((c, n) for c in CLASSES for n in NAMES):
            draw(tmp_path / "one.png", number)
            archive.write(tmp_path / "one.png", f"{label}/{name}")
    exported(call, tmp_path, tmp_path / "classes.zip", "classification")
    shown = call("datasets", "show", "classification", "--json").document
    assert sorted(shown["classes"]) == ["Cat", "NUL", "cat ", "dog."]


@pytest.mark.parametrize("task", ["detection", "segmentation"])
def test_annotated_images(call: Call, tmp_path: Path, task: str) -> None:
    images, objects = [], []
    for number, name in enumerate(NAMES):
        draw(tmp_path / "set" / name, number)
        images.append({"id": number, "file_name": name, "width": 32, "height": 32})
        outline = [2, 2, 22, 2, 22, 22, 2, 22]
        box = {"bbox": [2, 2, 20, 20], "segmentation": [outline], "area": 400, "iscrowd": 0}
        objects.append({"id": number, "image_id": number, "category_id": 1 + number % 2, **box})
    categories = [{"id": 1, "name": "NUL"}, {"id": 2, "name": "dog."}]
    document = {"images": images, "annotations": objects, "categories": categories}
    (tmp_path / "set" / "coco.json").write_text(json.dumps(document), encoding="utf-8")
    exported(call, tmp_path, tmp_path / "set", task)


class _Writer(PartWriter[Objects]):
    def add(self, image: str, part: Objects) -> dict[str, str]:
        return {"name": self._free_stem(image)}


def test_files_of_predictions(tmp_path: Path) -> None:
    writer = _Writer(tmp_path, (), (), ())
    part = Objects()
    names = [
        writer.add(name, part)["name"] for name in ("CON.png", "con.jpg", "a:b.png", "b .png")
    ]
    assert names == ["_CON", "_con-2", "a_b", "b"]
    assert writer.add("x" * 120 + ".png", part)["name"] == "x" * 120
