"""Boxes of photographs that are turned by their EXIF orientation."""

from __future__ import annotations

import json
from io import BytesIO
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from helpers.box_files import read as read_files
from helpers.box_files import together
from studio.engine.datasets.importer import import_dataset
from studio.engine.datasets.recipe import DatasetRecipe
from studio.engine.errors import BadDataError, StudioError
from studio.engine.picture_files import opened_picture, upright
from studio.engine.progress import SilentProgress
from studio.engine.tasks.annotations import BoxAnnotations
from studio.engine.tasks.detection.turns import turned

STORED = (100, 80)
BOX = (60, 10, 90, 30)
"""Left, top, right and bottom of the object in the picture as it is stored."""


def photo(orientation: int, size: tuple[int, int] = STORED) -> bytes:
    """Return a photograph with a bright object."""
    pixels = np.zeros((*size[::-1], 3), np.uint8)
    pixels[BOX[1] : BOX[3], BOX[0] : BOX[2]] = 255
    exif = Image.Exif()
    exif[0x0112] = orientation
    file = BytesIO()
    Image.fromarray(pixels).save(file, "JPEG", quality=95, exif=exif)
    return file.getvalue()


def shown(data: bytes) -> tuple[tuple[int, int], tuple[float, ...]]:
    """Return the size and the sides of the object of a photograph as it is shown."""
    with opened_picture(BytesIO(data)) as image:
        image.load()
        picture = upright(image)
        rows, columns = np.nonzero(np.asarray(picture.convert("L")) > 127)
        sides = columns.min(), rows.min(), columns.max() + 1, rows.max() + 1
        return picture.size, tuple(map(float, sides))


def coco(
    photos: dict[str, tuple[bytes, tuple[int, int] | None, tuple[float, ...]]],
) -> BoxAnnotations:
    images, annotations = [], []
    content: dict[str, str | bytes] = {}
    for number, (name, (data, size, sides)) in enumerate(photos.items()):
        content[name] = data
        stated = {} if size is None else {"width": size[0], "height": size[1]}
        images.append({"id": number, "file_name": name, **stated})
        left, top, right, bottom = sides
        annotations.append(
            {"image_id": number, "category_id": 1, "bbox": [left, top, right - left, bottom - top]}
        )
    document = {"images": images, "annotations": annotations,
                "categories": [{"id": 1, "name": "x"}]}  # fmt: skip
    content["c.json"] = json.dumps(document)
    return read_files("coco_boxes", together(content))


def sides_of(found: BoxAnnotations, name: str, size: tuple[int, int]) -> tuple[float, ...]:
    (row,) = found.boxes(name, size)[0].tolist()
    return tuple(row[1:5])


@pytest.mark.parametrize("orientation", range(1, 9))
def test_boxes_are_turned_as_pixels_are(orientation: int) -> None:
    rows = np.array([(0, *BOX, 0)], np.float64)
    expected = shown(photo(orientation))[1]
    assert tuple(turned(rows, STORED, orientation)[0, 1:5]) == expected


@pytest.mark.parametrize("orientation", [5, 6, 7, 8])
def test_boxes_are_for_the_picture_of_the_stated_size(orientation: int) -> None:
    data = photo(orientation)
    size, sides = shown(data)
    stored = coco({"a.jpg": (data, STORED, BOX)})
    assert sides_of(stored, "a.jpg", size) == sides
    assert "its boxes are for the image as stored" in stored.warnings[0]
    as_shown = coco({"a.jpg": (data, size, sides)})
    assert sides_of(as_shown, "a.jpg", size) == sides
    assert not as_shown.warnings


@pytest.mark.parametrize("orientation", [3, 6])
def test_boxes_without_a_stated_size_are_for_the_picture_as_shown(orientation: int) -> None:
    data = photo(orientation)
    size, sides = shown(data)
    found = coco({"a.jpg": (data, None, sides), "b.jpg": (photo(1), None, BOX)})
    assert sides_of(found, "a.jpg", size) == sides
    assert len(found.warnings) == 1
    assert "a.jpg is turned by its EXIF orientation, without a stated size" in found.warnings[0]
    assert found.warnings[0].endswith("read as boxes of the image as shown.")


def test_unclear_boxes_are_as_the_others_are() -> None:
    """A picture that stands on its head has the same size as shown and as stored."""
    head = photo(3)
    found = coco({
        "a.jpg": (photo(6), STORED, BOX),
        "b.jpg": (head, STORED, BOX),
        "c.jpg": (photo(1), STORED, BOX),
        "d.jpg": (photo(8), None, BOX),
    })  # fmt: skip
    assert sides_of(found, "b.jpg", STORED) == shown(head)[1]
    assert sides_of(found, "c.jpg", STORED) == BOX
    assert sides_of(found, "d.jpg", (80, 100)) == shown(photo(8))[1]
    assert found.warnings[1].startswith("2 of the examined images, such as b.jpg, are turned")


def test_exchanged_width_and_height_without_orientation_are_refused() -> None:
    found = coco({"a.jpg": (photo(1), (80, 100), (1, 2, 3, 4))})
    with pytest.raises(BadDataError, match="width and height are exchanged, and the image has no"):
        found.boxes("a.jpg", STORED)


def test_sizes_of_voc_and_fractions_of_yolo() -> None:
    data = photo(6)
    size, sides = shown(data)
    left, top, right, bottom = BOX
    xml = (
        f"<annotation><size><width>{STORED[0]}</width><height>{STORED[1]}</height></size><object>"
        f"<name>x</name><bndbox><xmin>{left + 1}</xmin><ymin>{top + 1}</ymin><xmax>{right}</xmax>"
        f"<ymax>{bottom}</ymax></bndbox></object></annotation>"
    )
    voc = read_files("voc_boxes", together({"a.jpg": data, "a.xml": xml}))
    assert sides_of(voc, "a.jpg", size) == sides
    center = [(sides[0] + sides[2]) / 2 / size[0], (sides[1] + sides[3]) / 2 / size[1]]
    extent = [(sides[2] - sides[0]) / size[0], (sides[3] - sides[1]) / size[1]]
    line = " ".join(map(str, ["0", *center, *extent]))
    yolo = read_files("yolo", together({"a.jpg": data, "a.txt": line}))
    assert sides_of(yolo, "a.jpg", size) == pytest.approx(sides)
    assert "read as boxes of the image as shown" in yolo.warnings[0]


def test_the_error_names_why_no_picture_can_be_used(tmp_path: Path) -> None:
    folder = tmp_path / "pictures"
    folder.mkdir()
    for name in ("a.jpg", "b.jpg"):
        (folder / name).write_bytes(photo(1))
    document = {
        "images": [{"id": 1, "file_name": "a.jpg", "width": 80, "height": 100},
                   {"id": 2, "file_name": "b.jpg", "width": 7, "height": 7}],
        "annotations": [{"image_id": 1, "category_id": 1, "bbox": [1, 2, 3, 4]}],
        "categories": [{"id": 1, "name": "x"}],
    }  # fmt: skip
    (folder / "c.json").write_text(json.dumps(document))
    recipe = DatasetRecipe(source=str(folder), task="detection", width=32, height=32)
    with pytest.raises(StudioError, match="None of the 2 images can be used") as caught:
        import_dataset(recipe, tmp_path / "dataset", SilentProgress())
    assert "a.jpg: its annotation is for 80x100 pixels" in caught.value.message
