"""Habits around YOLO and KITTI: separators, pixels, outlines, names and splits that do not fit."""

from __future__ import annotations

import random

import pytest

from helpers.box_files import SIZE, boxes, problems, read, together, unannotated
from studio.engine.errors import StudioError
from studio.engine.tasks.annotations import BoxAnnotations
from studio.engine.tasks.boxes import CROWD, DIFFICULT

LINE = "0 0.5 0.5 0.2 0.5"
EXPECTED = (40, 20, 60, 60)


def yolo(text: str | bytes, **files: str | bytes) -> BoxAnnotations:
    content: dict[str, str | bytes] = {"images/a.jpg": b"", "labels/a.txt": text}
    content |= {name.replace("__", "."): data for name, data in files.items()}
    return read("yolo", together(content))


@pytest.mark.parametrize(
    "line",
    [
        LINE,
        "0.0 0.5 0.5 0.2 0.5",
        "0,0.5,0.5,0.2,0.5",
        "0, 0.5, 0.5, 0.2, 0.5",
        "0;0.5;0.5;0.2;0.5;",
        "0;0,5;0,5;0,2;0,5",
        "0 0,5 0,5 0,2 0,5",
        "\t0\t0.5  0.5 0.2 5e-1 \r\n",
    ],
)
def test_lines_of_yolo_in_other_spellings(line: str) -> None:
    for encoding in ("utf-8", "utf-8-sig", "utf-16"):
        found = yolo(line.encode(encoding))
        assert [row[1:5] for row in boxes(found)["images/a.jpg"]] == [pytest.approx(EXPECTED)]
        assert not problems(found)
        assert not found.warnings


def test_pixels_instead_of_fractions() -> None:
    found = yolo(f"{LINE}\n0 50 40 20 10\n0 10 10 90 10 90 70\n0 0.5 1.2 0.2 0.5")
    assert len(boxes(found)["images/a.jpg"]) == 2
    assert problems(found)["images/a.jpg"] == [
        (
            "left out 2 boxes whose numbers are no fractions of the size of the image; the first "
            "is in line 2"
        ),
        "cut a box at the border of the image",
    ]
    with pytest.raises(StudioError, match="no fractions of the size of the image, in line 1"):
        yolo("0 50 40 20 10", data__yaml="names: [cat]")


def test_outlines_rotated_boxes_and_confidences_are_mentioned() -> None:
    lines = [
        "0 0.1 0.1 0.3 0.1 0.3 0.4",
        "0 0.1 0.2 0.3 0.2 0.3 0.6 0.1 0.6",
        f"{LINE} 0.93",
        "0 0.5 0.5 0.4 0.5 0.93 17",
    ]
    found = yolo("\n".join(lines))
    assert [row[1:5] for row in boxes(found)["images/a.jpg"]] == [
        pytest.approx(each)
        for each in ((10, 8, 30, 32), (10, 16, 30, 48), EXPECTED, (30, 20, 70, 60))
    ]
    assert [str(each)[:40] for each in found.warnings] == [
        "2 lines, the first in labels/a.txt, have",
        "A line in labels/a.txt has a sixth numbe",
    ]


@pytest.mark.parametrize(
    ("yaml", "warning"),
    [
        ("nc: 3\nnames: [cat, dog]", "data.yaml states 3 classes (nc), but has 2 names."),
        ("nc: 2\nnames: [cat]", "data.yaml states 2 classes (nc), but has a single name."),
        ("names: cat", "The names in data.yaml are no list of classes; they are not used."),
        ("names: [cat, [a]]", "One of the names in data.yaml is no text; this class is named"),
        ("names: &a [cat]\nx: {y: *a}\nnc: 1", ""),
        ("names: [cat]\nval: ../none/pics", "data.yaml names ../none/pics for the split val"),
        ("names: [cat]\ntrain: C:\\x\\images", ""),
        ("nc: 1\nnames: {0: cat}", ""),
    ],
)
def test_facts_of_the_yaml_file_that_do_not_fit(yaml: str, warning: str) -> None:
    found = yolo(LINE, data__yaml=yaml)
    assert len(found.warnings) == bool(warning)
    assert not warning or found.warnings[0].startswith(warning)


def test_lists_with_missing_pictures_and_pictures_of_two_splits() -> None:
    found = yolo(
        LINE,
        train__txt="C:\\data\\images\\a.jpg\nimages/gone.jpg\nnone.jpg\n",
        val__txt="./images/a.jpg\n",
    )
    assert [each.split for each in found.pictures] == ["train"]
    assert found.warnings == [
        "2 entries of train.txt, such as images/gone.jpg, name no image.",
        "images/a.jpg in val.txt is in another split already. It stays there.",
    ]


def test_pictures_without_text_and_texts_without_picture() -> None:
    content: dict[str, str | bytes] = {
        "images/a.jpg": b"", "images/b.jpg": b"", "labels/a.txt": LINE,
        "labels/classes.txt": "cat",
        "labels/gone.txt": f"{LINE}\n\n{LINE}",
    }  # fmt: skip
    found = read("yolo", together(content))
    assert found.names == ("cat",)
    assert found.warnings == [
        "images/b.jpg has no text file. It is taken as an image without objects."
    ]
    assert [(each.path, each.objects) for each in found.problems] == [("labels/gone.txt", 2)]


def test_classes_of_kitti_with_spaces_and_other_separators() -> None:
    values = "0 0 -10 1 2 30 40"
    text = f"traffic light {values}\ncar,0,0,-10,5,6,30,40\ncar - 0 -10 7 8 30 40{' 0' * 8}\n"
    found = read("kitti", together({"a.jpg": b"", "a.txt": text}))
    assert [row[:3] for row in boxes(found)["a.jpg"]] == [
        ("traffic light", 1, 2), ("car", 5, 6), ("car", 7, 8),
    ]  # fmt: skip
    with pytest.raises(StudioError, match=r"a.txt: it is larger|contain no boxes"):
        read("kitti", together({"a.jpg": b"", "a.txt": "car 0 0"}))


def _of_layout(layout: str, count: int, most: float = 0.3) -> dict[str, str | bytes]:
    """Return files with boxes in a layout: four to a picture, in any place."""
    generator = random.Random(4)
    content: dict[str, str | bytes] = {"data.yaml": "names: [cat]"}
    for number in range(count // 4):
        lines = []
        for _ in range(4):
            width, height = (generator.uniform(0.05, most) for _ in range(2))
            x, y = generator.uniform(0, 1 - width), generator.uniform(0, 1 - height)
            numbers = {
                "center": (x + width / 2, y + height / 2, width, height),
                "corners": (x, y, x + width, y + height),
                "sides": (x, y, width, height),
            }[layout]
            lines.append(" ".join(map(str, (0, *numbers))))
        content |= {f"{number}.jpg": b"", f"{number}.txt": "\n".join(lines)}
    return content


@pytest.mark.parametrize(
    ("layout", "meaning"),
    [("corners", "left, top, right and bottom"), ("sides", "left, top, width and height")],
)
def test_fractions_that_are_not_center_and_size_are_refused(layout: str, meaning: str) -> None:
    with pytest.raises(StudioError, match=f"of the 80 boxes look like {meaning}, not like") as it:
        read("yolo", together(_of_layout(layout, 80)))
    assert "read so, " in it.value.message


def test_a_few_boxes_that_may_be_corners_give_a_warning() -> None:
    (warning,) = read("yolo", together(_of_layout("corners", 8))).warnings
    assert "of the 8 boxes look like left, top, right and bottom, not like" in warning


@pytest.mark.parametrize("most", [0.1, 0.3, 0.9])
def test_center_and_size_are_no_corners(most: float) -> None:
    assert not read("yolo", together(_of_layout("center", 80, most))).warnings


def test_corners_in_the_middle_of_images_are_pointed_out() -> None:
    content = _of_layout("corners", 80)
    for name, text in content.items():
        if name.endswith(".txt"):
            lines = [line.split()[1:] for line in str(text).split("\n")]
            content[name] = "\n".join(
                " ".join(["0", *(str(0.3 + 0.4 * float(word)) for word in line)]) for line in lines
            )
    (warning,) = read("yolo", together(content)).warnings
    assert "look like left, top, right and bottom" in warning
    assert "read so, 0 boxes leave their images" in warning


def test_visdrone() -> None:
    lines = [
        "10,5,20,10,1,4,0,0",
        "2,2,8,9,0,1,1,2",
        "40,30,10,10,0,0,0,0",
        "60,30,10,10,1,11,0,1,",
        "1,1,5,5,1,17,0,0",
        "1,1,5",
        "9,9,0,5,1,10,0,0",
    ]
    found = read(
        "visdrone", together({"images/a.jpg": b"", "annotations/a.txt": "\n".join(lines)})
    )
    assert found.names[:4] == ("pedestrian", "people", "bicycle", "car")
    rows = boxes(found)["images/a.jpg"]
    assert rows[:2] == [("car", 10, 5, 30, 15, 0), ("pedestrian", 2, 2, 10, 11, DIFFICULT)]
    assert {row[0] for row in rows[2:]} == {*found.names}
    assert {row[1:] for row in rows[2:]} == {(40, 30, 50, 40, CROWD), (60, 30, 70, 40, CROWD)}
    (picture,) = found.pictures
    remarks = found.boxes(picture.annotation, SIZE)[1]
    assert sum(each.objects for each in remarks) + 2 == len(lines)
    assert any(str(each.reason).startswith("kept 2 regions of any class") for each in remarks)


@pytest.mark.parametrize("form", ["yolo", "kitti"])
@pytest.mark.parametrize("seed", range(20))
def test_lines_read_and_reported_are_those_of_the_files(form: str, seed: int) -> None:
    generator = random.Random(seed)
    numbers = ("0.5", "0.25", "0.1", "1.2", "-0.1", "40", "x", "nan", "1e999", "0,3", "0")
    classes = ("0", "1", "1.0", "7", "-1", "1.5", "cat") if form == "yolo" else ("cat", "dog")
    head = () if form == "yolo" else ("0", "0", "-10")
    good = LINE if form == "yolo" else "cat 0 0 -10 1 2 30 40"
    content: dict[str, str | bytes] = {f"{name}.jpg": b"" for name in "abc"}
    total = 0
    for name in "abc":
        lines = [good]
        for _ in range(generator.randrange(9)):
            words = [
                generator.choice(numbers) for _ in range(generator.choice((4, 4, 4, 3, 5, 6)))
            ]
            lines.append(" ".join((generator.choice(classes), *head, *words)))
        total += len(lines)
        content[f"{name}.txt"] = "\n".join(lines)
    found = read(form, together(content))
    counted = sum(each.objects for each in found.problems)
    for each in found.pictures:
        rows, remarks = found.boxes(each.annotation, SIZE)
        counted += len(rows) + sum(remark.objects for remark in remarks)
    assert counted == total


def test_images_of_folders_without_text_files_are_reported() -> None:
    found = yolo(LINE, test__images__b__jpg=b"")
    assert boxes(found).keys() == {"images/a.jpg"}
    assert unannotated(found) == ["test.images.b.jpg"]


def test_text_files_whose_numbers_are_shifted_are_refused() -> None:
    content = {f"images/{number:03}.jpg": "" for number in range(4)}
    content |= {f"labels/{number:03}.txt": LINE for number in range(1, 5)}
    with pytest.raises(StudioError, match=r"images/001.jpg may belong to labels/001.txt or to "):
        read("yolo", together(content))
