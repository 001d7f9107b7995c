"""Sets with two possible meanings: each is read correctly, pointed out or refused."""

from __future__ import annotations

import json
import struct
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from studio.engine.datasets.import_report import ImportReport
from studio.engine.datasets.importer import import_dataset
from studio.engine.datasets.preview import preview_import
from studio.engine.datasets.recipe import DatasetRecipe
from studio.engine.datasets.store import Store
from studio.engine.datasets.survey import SurveyQuestion, survey
from studio.engine.errors import StudioError
from studio.engine.progress import SilentProgress

WIDTH, HEIGHT = 40, 30
NAMES = [f"a{number}.png" for number in range(6)]
LABELS = ["cat", "dog"] * 3
BOXES = [[2, 3, 12, 14], [20, 5, 38, 28]]


def pictures(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for number, name in enumerate(NAMES):
        pixels = np.random.default_rng(number).integers(0, 256, (HEIGHT, WIDTH, 3), np.uint8)
        Image.fromarray(pixels).save(folder / name)


def write(path: Path, content: object) -> None:
    """Write a text, or anything else as JSON."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(content if isinstance(content, str) else json.dumps(content), encoding="utf-8")


def recipe(source: Path, task: str) -> DatasetRecipe:
    plan = {"source": str(source), "task": task, "width": WIDTH, "height": HEIGHT}
    return DatasetRecipe.parse(plan)


def preview(source: Path, task: str) -> ImportReport:
    return preview_import(recipe(source, task), SilentProgress())


def warnings(source: Path, task: str) -> str:
    return " ".join(map(str, preview(source, task).warnings))


Sides = Callable[[list[int]], list[float]]


def of_size(box: list[int]) -> list[float]:
    left, top, right, bottom = box
    return [left, top, right - left, bottom - top]


def of_center(box: list[int]) -> list[float]:
    left, top, right, bottom = box
    return [(left + right) / 2, (top + bottom) / 2, right - left, bottom - top]


def transposed(box: list[int]) -> list[float]:
    left, top, right, bottom = box
    return [top, left, bottom - top, right - left]


def coco(sides: Sides = of_size) -> dict[str, object]:
    return {
        "images": [
            {"id": number, "file_name": name, "width": WIDTH, "height": HEIGHT}
            for number, name in enumerate(NAMES)
        ],
        "annotations": [
            {"id": 2 * number + index, "image_id": number, "category_id": 1, "bbox": sides(box)}
            for number in range(len(NAMES))
            for index, box in enumerate(BOXES)
        ],
        "categories": [{"id": 1, "name": "cat"}],
    }


def add_voc(folder: Path) -> None:
    for name in NAMES:
        write(
            folder / name.replace(".png", ".xml"),
            f"<annotation><filename>{name}</filename><object><name>bird</name><bndbox>"
            "<xmin>1</xmin><ymin>1</ymin><xmax>9</xmax><ymax>9</ymax></bndbox></object>"
            "</annotation>",
        )


def add_yolo(folder: Path) -> None:
    write(folder / "data.yaml", "names: [fish]\n")
    for name in NAMES:
        write(folder / name.replace(".png", ".txt"), "0 0.5 0.5 0.2 0.2\n")


def add_coco(folder: Path) -> None:
    write(folder / "boxes.json", coco())


def add_table(folder: Path) -> None:
    lines = "".join(f"{name},bird,1,1,9,9\n" for name in NAMES)
    write(folder / "boxes.csv", f"file,class,xmin,ymin,xmax,ymax\n{lines}")


FORMATS: Mapping[str, Callable[[Path], None]] = {
    "Pascal VOC folder": add_voc,
    "COCO JSON": add_coco,
    "YOLO text files": add_yolo,
    "CSV table": add_table,
}


@pytest.mark.parametrize("second", FORMATS)
@pytest.mark.parametrize("first", FORMATS)
def test_annotations_of_another_format_are_named(tmp_path: Path, first: str, second: str) -> None:
    pictures(tmp_path)
    FORMATS[first](tmp_path)
    FORMATS[second](tmp_path)
    said = warnings(tmp_path, "detection")
    if first == second:
        assert "several formats" not in said
    else:
        read, _, others = said.partition("but not those of ")
        assert {first in read, second in read} == {True, False}
        assert {first in others, second in others} == {True, False}


def test_outlines_beside_masks_as_images_are_named(tmp_path: Path) -> None:
    pictures(tmp_path / "images")
    document = coco()
    for each in document["annotations"]:  # type: ignore[attr-defined]  # a list of objects
        each["segmentation"] = [[2, 3, 12, 3, 12, 14, 2, 14]]
    write(tmp_path / "outlines.json", document)
    mask = Image.new("L", (WIDTH, HEIGHT))
    mask.paste(1, (5, 5, 20, 20))
    (tmp_path / "masks").mkdir()
    for name in NAMES:
        mask.save(tmp_path / "masks" / name)
    said = warnings(tmp_path, "segmentation")
    assert "but not those of COCO JSON" in said


def test_images_with_objects_in_several_coco_files_are_counted(tmp_path: Path) -> None:
    pictures(tmp_path)
    write(tmp_path / "boxes.json", coco())
    assert "several COCO files" not in warnings(tmp_path, "detection")
    write(tmp_path / "boxes (1).json", coco(lambda box: [box[0], box[1], 4, 4]))
    report = preview(tmp_path, "detection")
    said = " ".join(map(str, report.warnings))
    assert "6 images have objects in several COCO files, the first is a0.png (boxes" in said
    assert report.class_regions == [24]


@pytest.mark.parametrize("sides", [of_center, transposed])
def test_boxes_of_which_many_leave_their_images_are_pointed_out(
    tmp_path: Path, sides: Sides
) -> None:
    pictures(tmp_path)
    write(tmp_path / "boxes.json", coco())
    assert "extend beyond" not in warnings(tmp_path, "detection")
    write(tmp_path / "boxes.json", coco(sides))
    assert "Boxes that extend beyond their images: 6 of 12, the first in a0.png" in warnings(
        tmp_path, "detection"
    )


def test_fractions_that_leave_their_images_are_pointed_out(tmp_path: Path) -> None:
    pictures(tmp_path)
    write(tmp_path / "data.yaml", "names: [fish]\n")
    for name in NAMES:
        write(tmp_path / name.replace(".png", ".txt"), "0 0.9 0.5 0.4 0.2\n")
    assert "Boxes that extend beyond their images: 6 of 6" in warnings(tmp_path, "detection")


def test_a_label_map_names_numbered_classes_of_boxes(tmp_path: Path) -> None:
    pictures(tmp_path)
    lines = "".join(f"{name},{1 + index % 2},1,1,9,9\n" for index, name in enumerate(NAMES))
    write(tmp_path / "boxes.csv", f"file,class,xmin,ymin,xmax,ymax\n{lines}")
    assert "appears to have their names" not in warnings(tmp_path, "detection")
    items = "".join(
        f"item {{\n  id: {number}\n  name: '{name}'\n}}\n"
        for number, name in enumerate(("cat", "dog"), 1)
    )
    write(tmp_path / "label_map.pbtxt", items)
    assert "label_map.pbtxt appears to have their names" in warnings(tmp_path, "detection")


def test_a_list_of_names_may_begin_with_an_unused_background(tmp_path: Path) -> None:
    pictures(tmp_path)
    write(tmp_path / "train.txt", "".join(f"{n} {1 + i % 2}\n" for i, n in enumerate(NAMES)))
    write(tmp_path / "labels.txt", "background\ncat\ndog\n")
    said = warnings(tmp_path / "train.txt", "classification")
    assert "labels.txt appears to have their names" in said


@pytest.mark.parametrize(
    "names",
    [
        ("2024-01-05", "2024-01-06"),
        ("5.1.2024", "06.01.2024"),
        ("patient_001", "patient_002"),
        ("Paciente 1", "Paciente 2"),
        ("video1", "video2"),
    ],
)
def test_classes_called_like_origins_are_pointed_out(
    tmp_path: Path, names: tuple[str, str]
) -> None:
    for name in names:
        pictures(tmp_path / name)
    assert f"All classes, such as {names[0]}, " in warnings(tmp_path, "classification")


@pytest.mark.parametrize("names", [("patient", "control"), ("day", "night"), ("video1", "photo")])
def test_other_classes_are_not_called_like_origins(tmp_path: Path, names: tuple[str, str]) -> None:
    for name in names:
        pictures(tmp_path / name)
    assert "All classes" not in warnings(tmp_path, "classification")


@pytest.mark.parametrize(
    "labels",
    [
        [[0.6, 0.4], [0.3, 0.7], [1.0, 0.0]],
        [[1, 1], [0, 1], [1, 0]],
        [[0, 0], [0, 1], [1, 0]],
        [[2, 0], [0, 1], [1, 0]],
    ],
)
def test_columns_of_classes_without_exactly_one_class_are_refused(
    tmp_path: Path, labels: list[list[float]]
) -> None:
    images = np.random.default_rng(0).integers(0, 256, (3, 8, 8), np.uint8)
    np.savez(tmp_path / "set.npz", x=images, y=np.array(labels))
    with pytest.raises(StudioError, match="not exactly one 1 in each row"):
        preview(tmp_path / "set.npz", "classification")


def test_a_column_with_other_values_of_the_same_classes_is_pointed_out(tmp_path: Path) -> None:
    pictures(tmp_path)
    rows = zip(NAMES, LABELS, ["dog", *LABELS[1:]], strict=True)
    lines = "".join(f"{','.join(row)}\n" for row in rows)
    write(tmp_path / "set.csv", f"file,label,label_corrected\n{lines}")
    said = warnings(tmp_path / "set.csv", "classification")
    assert 'column 3, "label_corrected", differs from it' in said


def test_images_of_emnist_are_turned_upright(tmp_path: Path) -> None:
    upright = np.random.default_rng(0).integers(0, 256, (6, 5, 7), np.uint8)
    stored = upright.transpose(0, 2, 1)
    (tmp_path / "in").mkdir()
    start = tmp_path / "in" / "emnist-letters-train"
    Path(f"{start}-images-idx3-ubyte").write_bytes(
        struct.pack(">4I", 0x803, *stored.shape) + stored.tobytes()
    )
    Path(f"{start}-labels-idx1-ubyte").write_bytes(
        struct.pack(">2I", 0x801, 6) + bytes([1, 2] * 3)
    )
    plan = recipe(tmp_path / "in", "classification").changed(color="gray", width=7, height=5)
    report = import_dataset(plan, tmp_path / "out", SilentProgress())
    assert "rows and columns exchanged" in " ".join(map(str, report.warnings))
    store = Store.open(tmp_path / "out")
    for row, path in enumerate(store.paths):
        assert np.array_equal(store.images[row][..., 0], upright[int(path.rpartition("/")[2])])


def test_codes_with_leading_zeros_stay_as_they_are(tmp_path: Path) -> None:
    pictures(tmp_path)
    lines = "".join(f"{name},{('007', '012', '100')[i % 3]}\n" for i, name in enumerate(NAMES))
    write(tmp_path / "set.csv", f"file,label\n{lines}")
    report = preview(tmp_path / "set.csv", "classification")
    assert report.class_numbers == {"007": 2, "012": 2, "100": 2}
    write(tmp_path / "set.csv", f"file,label\n{lines.replace('012', '7')}")
    assert preview(tmp_path / "set.csv", "classification").class_numbers == {"7": 4, "100": 2}


def test_shapes_of_a_group_are_one_box(tmp_path: Path) -> None:
    pictures(tmp_path)
    shapes = [
        {"label": label, "points": points, "group_id": group, "shape_type": "rectangle"}
        for label, points, group in (
            ("cat", [[4, 5], [14, 20]], 1),
            ("cat", [[20, 10], [30, 28]], 1),
            ("cat", [[32, 2], [38, 9]], None),
            ("dog", [[2, 2], [6, 6]], 1),
        )
    ]
    for name in NAMES:
        document = {
            "shapes": shapes,
            "imagePath": name,
            "imageWidth": WIDTH,
            "imageHeight": HEIGHT,
        }
        write(tmp_path / name.replace(".png", ".json"), document)
    import_dataset(recipe(tmp_path, "detection"), tmp_path / "out", SilentProgress())
    store = Store.open(tmp_path / "out")
    rows = store.required_regions[0].reshape(-1, 6)
    found = [(store.classes[int(row[0])], row[1:5].tolist()) for row in rows if row[0] >= 0]
    assert sorted(found) == [
        ("cat", [4, 5, 30, 28]),
        ("cat", [32, 2, 38, 9]),
        ("dog", [2, 2, 6, 6]),
    ]


def label_images(folder: Path, numbers: np.ndarray[tuple[int, int], np.dtype[np.uint8]]) -> None:
    pictures(folder / "images")
    (folder / "masks").mkdir()
    for name in NAMES:
        Image.fromarray(numbers).save(folder / "masks" / name)


@pytest.mark.parametrize("objects", [254, 255, 300])
def test_label_images_whose_bits_are_used_up_are_pointed_out(tmp_path: Path, objects: int) -> None:
    numbers = np.zeros((HEIGHT, WIDTH), np.int64)
    numbers.flat[:objects] = np.arange(1, objects + 1)
    label_images(tmp_path, (numbers % 256).astype(np.uint8))
    said = warnings(tmp_path, "instances")
    assert ("use all numbers from 1 to 255" in said) == (objects >= 255)


def test_the_ignored_name_of_labelme_numbers_no_class(tmp_path: Path) -> None:
    numbers = np.zeros((HEIGHT, WIDTH), np.uint8)
    numbers[5:10], numbers[20:25] = 1, 2
    label_images(tmp_path, numbers)
    write(tmp_path / "labels.txt", "__ignore__\n_background_\ncat\ndog\n")
    report = preview(tmp_path, "segmentation")
    expected = {"_background_": 20 * WIDTH, "cat": 5 * WIDTH, "dog": 5 * WIDTH}
    assert report.class_numbers == {name: 6 * count for name, count in expected.items()}


def test_outlines_of_which_none_has_a_pixel_are_refused(tmp_path: Path) -> None:
    pictures(tmp_path)
    document = coco()
    for each in document["annotations"]:  # type: ignore[attr-defined]  # a list of objects
        each["segmentation"] = [[0.1, 0.1, 0.5, 0.1, 0.5, 0.5, 0.1, 0.5]]
    write(tmp_path / "outlines.json", document)
    with pytest.raises(StudioError, match="None of the 12 objects can be used"):
        preview(tmp_path, "segmentation")


def add_copies(folder: Path) -> None:
    write(folder / "boxes.json", coco())
    write(folder / "boxes (1).json", coco(of_center))


def add_two_formats(folder: Path) -> None:
    add_coco(folder)
    add_yolo(folder)


def add_nothing_usable(folder: Path) -> None:
    write(folder / "boxes.json", coco(lambda _: [99, 99, 5, 5]))


@pytest.mark.parametrize("add", [add_copies, add_two_formats, add_voc, add_nothing_usable])
def test_the_import_sheet_says_the_same_as_the_preview(
    tmp_path: Path, add: Callable[[Path], None]
) -> None:
    pictures(tmp_path)
    add(tmp_path)
    question = SurveyQuestion(recipe(tmp_path, "detection"), examine=True)
    if add is add_nothing_usable:
        with pytest.raises(StudioError) as in_window:
            survey(question, SilentProgress())
        with pytest.raises(StudioError) as in_terminal:
            preview(tmp_path, "detection")
        assert in_window.value.message == in_terminal.value.message
        assert in_window.value.hint == in_terminal.value.hint
        return
    result = survey(question, SilentProgress())
    report = preview(tmp_path, "detection")
    assert result.report is not None
    assert result.report.document() == report.document()
    assert [*map(str, report.warnings)] == [*map(str, result.report.warnings)]
    assert len(result.images) == len(NAMES)
    assert all(each.regions for each in result.images)


@pytest.mark.parametrize("task", ["detection", "instances"])
@pytest.mark.parametrize("scale", [0.3, 1.0])
def test_objects_that_all_lie_in_the_upper_left_quarter_are_pointed_out(
    tmp_path: Path, task: str, scale: float
) -> None:
    """As percent of larger images, or coordinates for a smaller copy of them."""
    pictures(tmp_path)
    document: Any = coco(lambda box: of_size([int(side * scale) for side in box]))
    for each in document["annotations"]:
        left, top, width, height = each["bbox"]
        right, bottom = left + width, top + height
        each["segmentation"] = [[left, top, right, top, right, bottom, left, bottom]]
    write(tmp_path / "boxes.json", document)
    said = "12 objects of 6 images lie in the upper left quarter" in warnings(tmp_path, task)
    assert said == (scale < 1)
