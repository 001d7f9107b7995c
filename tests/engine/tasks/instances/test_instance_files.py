"""Objects in files of every format are read pixel by pixel, as independent programs write them."""

from __future__ import annotations

import base64
import csv
import io
import json
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Literal, cast

import numpy as np
import pytest
import tifffile
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.typing import NDArray
from PIL import Image
from pycocotools import mask as coco_mask  # type: ignore[import-untyped]

from studio.engine.datasets.sources.annotated import FoundFiles
from studio.engine.errors import BadDataError
from studio.engine.progress import SilentProgress
from studio.engine.tasks import TASKS
from studio.engine.tasks.annotations import AnnotationOptions, Instances, Tree
from studio.engine.tasks.instance_labels import IGNORED, instance_table
from studio.engine.tasks.instances.cellpose_files import cellpose_masks
from studio.engine.tasks.instances.object_tables import object_table
from studio.engine.tasks.segmentation.array_masks import array_image

TASK = TASKS["instances"]
WIDTH, HEIGHT = 12, 9
CLASSES = ("cell", "dust")
NUMBERS = arrays(np.uint8, (HEIGHT, WIDTH), elements=st.sampled_from([0, 0, 1, 2, 3, 4, 5]))
"""Numbers of touching objects with holes and several parts; odd ones are cells."""
_EXAMPLES = settings(max_examples=12, deadline=None)
Numbers = NDArray[np.uint8]


def class_of(number: int) -> str:
    return CLASSES[(number + 1) % 2]


def picture(folder: Path, name: str = "a.png") -> None:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    Image.new("RGB", (WIDTH, HEIGHT), (90, 40, 120)).save(path)


def read(folder: Path, **options: Any) -> tuple[Instances, tuple[str, ...], list[str]]:
    """Return the label image of the first picture, the classes, and reports."""
    files = FoundFiles(folder).annotated
    form = next(each for each in TASK.source.formats if each.accepts(files))
    found = form.read(files, AnnotationOptions(**options), SilentProgress())
    assert found.pictures, found.problems
    labels, remarks = found.regions(found.pictures[0].annotation, (WIDTH, HEIGHT))
    counted = len(instance_table(labels)) + sum(each.objects for each in remarks)
    assert counted == found.object_count(found.pictures[0].annotation)
    return labels, found.names, [str(each.reason) for each in remarks]


def objects_of(labels: Instances, names: tuple[str, ...]) -> set[tuple[str, bytes]]:
    """Return class and pixels of each object."""
    table = instance_table(labels)
    pairs = zip(table.values.tolist(), table.classes.tolist(), strict=True)
    return {(names[label], (labels == value).tobytes()) for value, label in pairs}


def wanted(numbers: Numbers, name_of: Callable[[int], str] = class_of) -> set[tuple[str, bytes]]:
    return {
        (name_of(number), (numbers == number).tobytes())
        for number in np.unique(numbers).tolist()
        if number
    }


def png(pixels: NDArray[np.bool_]) -> str:
    buffer = io.BytesIO()
    Image.fromarray(pixels.astype(np.uint8) * 255).convert("1").save(buffer, "PNG")
    return base64.b64encode(buffer.getvalue()).decode()


def coco(entries: list[dict[str, Any]]) -> str:
    categories = [{"id": 7 * at + 7, "name": name} for at, name in enumerate(CLASSES)]
    images = [{"id": 5, "file_name": "a.png", "width": WIDTH, "height": HEIGHT}]
    listed = [{"id": at, "image_id": 5, "iscrowd": 0} | each for at, each in enumerate(entries)]
    return json.dumps({"images": images, "annotations": listed, "categories": categories})


def run_lengths(inside: NDArray[np.bool_], order: Literal["F", "C"] = "F") -> list[int]:
    flat = [False, *inside.ravel(order=order).tolist()]
    runs, last = [0], False
    for value in flat[1:]:
        if value != last:
            runs.append(0)
            last = value
        runs[-1] += 1
    return runs


def write_coco(folder: Path, numbers: Numbers, *, is_compressed: bool) -> None:
    entries = []
    for number in np.unique(numbers[numbers > 0]).tolist():
        inside = numbers == number
        rle: dict[str, Any] = {"size": [HEIGHT, WIDTH], "counts": run_lengths(inside)}
        if is_compressed:
            rle = coco_mask.encode(np.asfortranarray(inside.astype(np.uint8)))
            rle["counts"] = rle["counts"].decode()
        entries.append({"segmentation": rle, "category_id": 7 * (1 + (number + 1) % 2)})
    (folder / "instances.json").write_text(coco(entries))


@_EXAMPLES
@given(NUMBERS.filter(lambda numbers: numbers.any()), st.booleans())
def test_run_lengths_of_coco(numbers: Numbers, is_compressed: bool) -> None:
    with TemporaryDirectory() as name:
        picture(Path(name))
        write_coco(Path(name), numbers, is_compressed=is_compressed)
        labels, names, remarks = read(Path(name))
    assert objects_of(labels, names) == wanted(numbers)
    assert remarks == []


@pytest.mark.parametrize("order", ["F", "C"])
@pytest.mark.parametrize("task", ["instances", "segmentation"])
def test_the_order_of_run_lengths_is_that_in_which_they_fit_their_boxes(
    tmp_path: Path, task: str, order: Literal["F", "C"]
) -> None:
    numbers = np.zeros((HEIGHT, WIDTH), np.uint8)
    numbers[1:3, 1:9] = 1
    numbers[4:9, 10:12] = 2
    numbers[8, 0] = 3  # without a box
    sides = {1: [1, 1, 8, 2], 2: [10, 4, 2, 5]}
    entries = [
        {
            "segmentation": {
                "size": [HEIGHT, WIDTH],
                "counts": run_lengths(numbers == number, order),
            },
            "category_id": 7 * (1 + (number + 1) % 2),
        }
        | ({"bbox": sides[number]} if number in sides else {})
        for number in (1, 2, 3)
    ]
    picture(tmp_path)
    (tmp_path / "instances.json").write_text(coco(entries))

    files = FoundFiles(tmp_path).annotated
    form = next(each for each in TASKS[task].source.formats if each.accepts(files))
    found = form.read(files, AnnotationOptions(), SilentProgress())
    regions, _ = found.regions(found.pictures[0].annotation, (WIDTH, HEIGHT))

    if task == "instances":
        assert objects_of(regions, found.names) == wanted(numbers)
    else:
        classes = np.array([0, 1, 2, 1], np.uint8)  # background, cell, dust
        assert np.array_equal(regions, classes[numbers])
    warnings = [str(each) for each in found.warnings if "row by row" in str(each)]
    assert [each[:11] for each in warnings] == (["3 RLE masks"] if order == "C" else [])


@pytest.mark.parametrize("order", ["F", "C"])
def test_the_order_of_run_lengths_without_boxes_is_that_without_stripes(
    tmp_path: Path, order: Literal["F", "C"]
) -> None:
    rows, columns = np.mgrid[:30, :41]
    numbers = (((rows - 12) ** 2 + (columns - 15) ** 2) < 80).astype(np.uint8)
    numbers[20:28, 25:40] = 3
    entries = [
        {
            "segmentation": {
                "size": [*numbers.shape],
                "counts": run_lengths(numbers == number, order),
            },
            "category_id": 7,
        }
        for number in (1, 3)
    ]
    document = json.loads(coco(entries))
    document["images"][0] |= {"width": 41, "height": 30}
    Image.new("RGB", (41, 30)).save(tmp_path / "a.png")
    (tmp_path / "instances.json").write_text(json.dumps(document))

    files = FoundFiles(tmp_path).annotated
    form = next(each for each in TASK.source.formats if each.accepts(files))
    found = form.read(files, AnnotationOptions(), SilentProgress())
    regions, _ = found.regions(found.pictures[0].annotation, (41, 30))
    assert objects_of(regions, found.names) == wanted(numbers)
    assert [str(each)[:11] for each in found.warnings] == (["2 RLE masks"] * (order == "C"))


@pytest.mark.parametrize("task", ["instances", "segmentation", "detection"])
@pytest.mark.parametrize("is_exchanged", [False, True])
def test_outlines_that_lie_elsewhere_than_their_boxes_are_pointed_out(
    tmp_path: Path, task: str, is_exchanged: bool
) -> None:
    corners = [(1, 1), (7, 1), (7, 3), (1, 3)]
    outline = [side for corner in corners for side in corner[:: -1 if is_exchanged else 1]]
    picture(tmp_path)
    entries = [{"segmentation": [outline], "bbox": [1, 1, 6, 2], "category_id": 7}]
    (tmp_path / "instances.json").write_text(coco(entries))
    files = FoundFiles(tmp_path).annotated
    form = next(each for each in TASKS[task].source.formats if each.accepts(files))
    found = form.read(files, AnnotationOptions(), SilentProgress())
    said = ["1 of 1 boxes" in str(each) for each in found.warnings]
    assert said == [True] * is_exchanged


@_EXAMPLES
@given(NUMBERS.filter(lambda numbers: numbers.any()))
def test_masks_of_labelme(numbers: Numbers) -> None:
    with TemporaryDirectory() as name:
        folder = Path(name)
        picture(folder)
        shapes = [
            {
                "label": class_of(number),
                "points": [[0, 0], [WIDTH - 1, HEIGHT - 1]],
                "shape_type": "mask",
                "mask": png(numbers == number),
            }
            for number in np.unique(numbers[numbers > 0]).tolist()
        ]
        document = {"shapes": shapes, "imagePath": "a.png"}
        (folder / "a.json").write_text(json.dumps(document))
        labels, names, _ = read(folder)
    assert objects_of(labels, names) == wanted(numbers)


def save(path: Path, numbers: NDArray[Any]) -> None:
    if path.suffix == ".npy":
        np.save(path, numbers)
    elif path.suffix == ".tif":
        tifffile.imwrite(path, numbers)
    else:
        Image.fromarray(numbers).save(path)


@pytest.mark.parametrize(
    ("kind", "suffix", "factor"),
    [
        (np.uint8, ".png", 40),
        (np.uint16, ".png", 9_999),
        (np.uint16, ".tif", 13_000),
        (np.uint32, ".tif", 70_000_000),
        (np.int32, ".npy", 70_000_000),
        (np.uint8, ".npy", 1),
        (np.float32, ".tif", 3),
    ],
)
@_EXAMPLES
@given(numbers=NUMBERS.filter(lambda numbers: len(np.unique(numbers)) > 2))
def test_label_images(kind: Any, suffix: str, factor: int, numbers: Numbers) -> None:
    with TemporaryDirectory() as name:
        folder = Path(name)
        picture(folder / "images")
        (folder / "labels").mkdir()
        save(folder / "labels" / f"a{suffix}", numbers.astype(kind) * kind(factor))
        labels, names, remarks = read(folder)
        assert (names, remarks) == (("object",), [])
        assert objects_of(labels, names) == wanted(numbers, lambda _: "object")
        _, names, _ = read(folder, class_names=("nucleus",))
        assert names == ("nucleus",)


@_EXAMPLES
@given(NUMBERS.filter(lambda numbers: len(np.unique(numbers)) > 2))
def test_cellpose(numbers: Numbers) -> None:
    with TemporaryDirectory() as name:
        folder = Path(name)
        picture(folder, "b.png")
        content: dict[str, Any] = {"outlines": numbers * 0, "masks": numbers.astype(np.uint16)}
        content |= {"filename": "b.png", "ismanual": np.zeros(5, np.bool_), "flows": [None, 0.4]}
        np.save(folder / "b_seg.npy", content)  # type: ignore[arg-type]
        labels, names, _ = read(folder)
    assert objects_of(labels, names) == wanted(numbers, lambda _: "object")


@pytest.mark.parametrize("reader", [cellpose_masks, array_image])
def test_the_header_of_an_array_that_ends_early_is_damage(reader: Callable[[bytes], Any]) -> None:
    file = io.BytesIO()
    np.save(file, np.ones((3, 3), np.uint8))
    data = file.getvalue()
    damaged = data.replace(b"(3, 3)", b"(3, 3 ")
    assert len(damaged) == len(data)

    with pytest.raises(BadDataError, match=r"cannot be read|damaged"):
        reader(damaged)


@_EXAMPLES
@given(NUMBERS.filter(lambda numbers: len(np.unique(numbers)) > 3))
def test_a_mask_of_each_object(numbers: Numbers) -> None:
    with TemporaryDirectory() as name:
        folder = Path(name)
        for place in ("00ab", "00cd"):
            picture(folder, f"{place}/images/{place}.png")
            (folder / place / "masks").mkdir()
            for number in np.unique(numbers[numbers > 0]).tolist():
                mask = Image.fromarray(np.where(numbers == number, 255, 0).astype(np.uint8))
                mask.save(folder / place / "masks" / f"{hash(number) % 997:032x}.png")
        labels, names, remarks = read(folder)
    assert remarks == []
    assert objects_of(labels, names) == wanted(numbers, lambda _: "object")


@_EXAMPLES
@given(NUMBERS.filter(lambda numbers: len({*np.unique(numbers).tolist()} - {0}) > 1))
def test_voc(numbers: Numbers) -> None:
    with TemporaryDirectory() as name:
        folder = Path(name)
        picture(folder, "JPEGImages/a.png")
        numbers = numbers.copy()
        numbers[0] = 255
        classes = np.where(numbers > 0, 1 + (numbers + 1) % 2, 0).astype(np.uint8)
        classes[0] = 255
        for place, values in (("SegmentationObject", numbers), ("SegmentationClass", classes)):
            (folder / place).mkdir()
            image = Image.fromarray(values)
            image.putpalette(bytes(range(256)) * 3)
            image.save(folder / place / "a.png")
        labels, names, _ = read(folder, class_names=CLASSES, ignore_value="255")
    assert (labels[0] == IGNORED).all()
    numbers[0] = 0
    assert objects_of(labels, names) == wanted(numbers)


RECTANGLES = st.lists(
    st.tuples(
        st.integers(0, WIDTH - 2), st.integers(0, HEIGHT - 2), st.integers(1, 6), st.integers(1, 6)
    ),
    min_size=1,
    max_size=5,
    unique=True,
)


def layered(rectangles: list[tuple[int, int, int, int]], order: list[int]) -> Numbers:
    numbers = np.zeros((HEIGHT, WIDTH), np.uint8)
    for at in order:
        left, top, width, height = rectangles[at]
        numbers[top : top + height, left : left + width] = at + 1
    return numbers


def corners(rectangle: tuple[int, int, int, int]) -> list[float]:
    left, top, width, height = rectangle
    right, bottom = min(left + width, WIDTH), min(top + height, HEIGHT)
    return [left, top, right, top, right, bottom, left, bottom]


@_EXAMPLES
@given(RECTANGLES)
def test_polygons_of_coco_of_which_smaller_ones_are_in_front(
    rectangles: list[tuple[int, int, int, int]],
) -> None:
    areas = [np.ptp(corners(each)[::2]) * np.ptp(corners(each)[1::2]) for each in rectangles]
    numbers = layered(rectangles, sorted(range(len(areas)), key=lambda at: -areas[at]))
    entries = [
        {"segmentation": [corners(each)], "category_id": 7 * (1 + at % 2)}
        for at, each in enumerate(rectangles)
    ]
    with TemporaryDirectory() as name:
        picture(Path(name))
        (Path(name) / "a.json").write_text(coco(entries))
        labels, names, _ = read(Path(name))
    assert objects_of(labels, names) == wanted(numbers)


@_EXAMPLES
@given(RECTANGLES, st.sampled_from(["yolo", "csv", "labelme", "csv corners", "csv wkt"]))
def test_polygons_of_which_later_ones_are_in_front(
    rectangles: list[tuple[int, int, int, int]], form: str
) -> None:
    names_of = [class_of(at + 1) for at in range(len(rectangles))]
    with TemporaryDirectory() as name:
        folder = Path(name)
        picture(folder, "images/a.png")
        if form == "yolo":
            (folder / "labels").mkdir()
            lines = [
                f"{CLASSES.index(label)} "
                + " ".join(map(str, np.divide(corners(each), [WIDTH, HEIGHT] * 4)))
                for label, each in zip(names_of, rectangles, strict=True)
            ]
            (folder / "labels" / "a.txt").write_text("\n".join(lines))
            (folder / "data.yaml").write_text(f"names: [{', '.join(CLASSES)}]")
        elif form == "labelme":
            shapes = [
                {"label": label, "points": np.reshape(corners(each), (-1, 2)).tolist()}
                for label, each in zip(names_of, rectangles, strict=True)
            ]
            document = {"shapes": shapes, "imagePath": "a.png"}
            (folder / "images" / "a.json").write_text(json.dumps(document))
        else:
            with (folder / "objects.csv").open("w", newline="") as file:
                table = csv.writer(file)
                table.writerow(
                    ["image", "class", "object", "x", "y"]
                    if "corners" in form
                    else ["image", "class", "polygon"]
                )
                for at, (label, each) in enumerate(zip(names_of, rectangles, strict=True)):
                    points = np.reshape(corners(each), (-1, 2)).tolist()
                    if "corners" in form:
                        table.writerows(["a.png", label, at, x, y] for x, y in points)
                    elif "wkt" in form:
                        ring = ", ".join(f"{x} {y}" for x, y in points)
                        table.writerow(["a.png", label, f"POLYGON (({ring}))"])
                    else:
                        table.writerow(["a.png", label, json.dumps(points)])
        labels, names, _ = read(folder)
    numbers = layered(rectangles, list(range(len(rectangles))))
    assert objects_of(labels, names) == wanted(numbers)


def test_parts_holes_groups_and_crowds(tmp_path: Path) -> None:
    picture(tmp_path / "labelme")
    shapes = [
        {"label": "cell", "points": [[0, 0], [4, 0], [4, 4], [0, 4]], "group_id": 3},
        {"label": "cell", "points": [[6, 0], [9, 0], [9, 4], [6, 4]], "group_id": 3},
        {"label": "__ignore__", "points": [[0, 5], [4, 5], [4, 9], [0, 9]]},
    ]
    document = {"shapes": shapes, "imagePath": "a.png"}
    (tmp_path / "labelme" / "a.json").write_text(json.dumps(document))
    labels, _, remarks = read(tmp_path / "labelme")
    assert len(instance_table(labels)) == 1
    assert (labels > 0).sum() == 16 + 12
    assert (labels == IGNORED).sum() == 16
    assert remarks == ["kept a crowd as a region without training: it is not counted as an object"]

    picture(tmp_path / "csv")
    text = 'path,class,object,outline\na.png,cell,1,"0 0 8 0 8 8 0 8; 2 2 6 2 6 6 2 6"\n'
    (tmp_path / "csv" / "outlines.csv").write_text(text)
    labels, _, _ = read(tmp_path / "csv")
    assert (labels > 0).sum() == 64 - 16

    picture(tmp_path / "coco")
    square = [0, 0, 4, 0, 4, 4, 0, 4]
    entries = [
        {"segmentation": [square, [6, 0, 9, 0, 9, 4, 6, 4]], "category_id": 7},
        {"segmentation": [[0, 0, 12, 0, 12, 9, 0, 9]], "category_id": 7, "iscrowd": 1},
        {"segmentation": [], "bbox": [0, 6, 3, 2], "category_id": 14},
        {"segmentation": [[1, 2, 3]], "bbox": [9, 6, 3, 2], "category_id": 14},
        {"segmentation": [square], "category_id": 99},
    ]
    (tmp_path / "coco" / "a.json").write_text(coco(entries))
    labels, _, remarks = read(tmp_path / "coco")
    assert (labels > 0).sum() == 16 + 12
    assert (labels == IGNORED).sum() == WIDTH * HEIGHT - 28
    assert len(remarks) == 4


@pytest.mark.parametrize(
    ("cell", "pixels"),
    [
        ("[[0,0,4,0,4,4,0,4],[6,0,9,0,9,4,6,4]]", 16 + 12),
        ("[[[0,0],[4,0],[4,4],[0,4]],[[6,0],[9,0],[9,4],[6,4]]]", 16 + 12),
        ("[(0,0),(4,0),(4,4),(0,4)]", 16),
        ("[0,0,4,0,4,4,0,4]", 16),
        ("MULTIPOLYGON (((0 0,4 0,4 4,0 4)),((6 0,9 0,9 4,6 4)))", 16 + 12),
    ],
)
def test_lists_of_outlines_in_a_cell(tmp_path: Path, cell: str, pixels: int) -> None:
    picture(tmp_path)
    (tmp_path / "outlines.csv").write_text(f'path,class,outline\na.png,cell,"{cell}"\n')
    labels, _, _ = read(tmp_path)
    assert (labels > 0).sum() == pixels


def test_each_table_of_objects_is_about_the_label_images_below_it() -> None:
    rows = b"labels,number,class\na.png,1,"
    content = {
        "train/objects.csv": rows + b"cell\n",
        "test/objects.csv": rows + b"dust\n",
    }
    labels = ["train/labels/a.png", "test/labels/a.png"]
    found = object_table(cast("Tree", Files(content)), labels)
    assert found.classes == {labels[0]: {1: "cell"}, labels[1]: {1: "dust"}}
    found = object_table(cast("Tree", Files({"objects.csv": rows + b"cell\n"})), labels)
    assert not found.classes
    assert [each.reason for each in found.problems] == [
        "line 2: several label images have this name"
    ]


class Files:
    """Files in memory."""

    def __init__(self, content: dict[str, bytes]) -> None:
        self.paths, self.read = list(content), content.__getitem__


def test_a_single_object_of_several_parts_stays_one(tmp_path: Path) -> None:
    form = next(each for each in TASK.source.export_formats if each.export == "labels")
    labels = np.zeros((HEIGHT, WIDTH), np.int32)
    labels[:2, :2] = labels[5:, 5:] = 256
    picture(tmp_path, "images/train/a.png")
    writer = form.writer(tmp_path, ["cell"], ["#ff0000"])
    writer.add("images/train/a.png", "train", labels, (WIDTH, HEIGHT))
    writer.finish()
    assert len(instance_table(read(tmp_path)[0])) == 1


def test_yolo_warns_of_pixels_that_count_nowhere(tmp_path: Path) -> None:
    form = next(each for each in TASK.source.export_formats if each.export == "yolo")
    writer = form.writer(tmp_path, ["cell"], ["#ff0000"])
    for name in "ab":
        writer.add(f"{name}.png", "train", np.full((9, 9), IGNORED, np.int32), (9, 9))
    writer.finish()
    assert [str(each)[:8] for each in writer.warnings] == ["2 images"]


def test_masks_of_objects_are_turned_as_their_picture_is(tmp_path: Path) -> None:
    exif = Image.Exif()
    exif[0x0112] = 6
    for place in ("00ab", "00cd"):
        for name in ("images", "masks"):
            (tmp_path / place / name).mkdir(parents=True)
        image = Image.new("RGB", (HEIGHT, WIDTH))
        image.save(tmp_path / place / "images" / f"{place}.jpg", exif=exif)
        for number in (0, 5):
            mask = np.zeros((WIDTH, HEIGHT), np.uint8)
            mask[number : number + 2] = 255
            Image.fromarray(mask).save(tmp_path / place / "masks" / f"{number:032x}.png")
    labels, _, remarks = read(tmp_path)
    assert (labels[:, -2:] > 0).all()
    assert remarks == []


@pytest.mark.parametrize(
    ("flags", "splits", "warnings"),
    [("001", ["train", "train", "test"], 0), ("111", [None] * 3, 1)],
)
def test_flags_of_outlines_are_splits(
    tmp_path: Path, flags: str, splits: list[str | None], warnings: int
) -> None:
    rows = "".join(
        f"{name}.png,cell,0 0 4 0 4 4,{flag}\n" for name, flag in zip("abc", flags, strict=True)
    )
    for name in "abc":
        picture(tmp_path, f"{name}.png")
    (tmp_path / "outlines.csv").write_text(f"path,class,outline,is_test\n{rows}")
    files = FoundFiles(tmp_path).annotated
    form = next(each for each in TASK.source.formats if each.accepts(files))

    found = form.read(files, AnnotationOptions(), SilentProgress())

    assert [each.split for each in found.pictures] == splits
    assert ["name no split" in str(each) for each in found.warnings] == [True] * warnings
