"""Images are found by the names that files of any format have for them."""

from __future__ import annotations

import json

import pytest

from helpers.box_files import boxes, read, together
from studio.engine.errors import StudioError
from studio.engine.tables.pictures import spellings
from studio.engine.tasks.annotation_files.pairs import PictureNames


@pytest.mark.parametrize(
    ("name", "paths", "expected"),
    [
        ("a%20b.jpg", ["images/a b.jpg"], "images/a b.jpg"),
        ("a b.jpg", ["images/a%20b.jpg"], "images/a%20b.jpg"),
        ("a%20b.jpg", ["a b.jpg", "a%20b.jpg"], "a%20b.jpg"),
        ("a b.jpg", ["a b.jpg", "a%20b.jpg"], "a b.jpg"),
        ("%E2%82%AC%25.jpg", ["\u20ac%.jpg"], "\u20ac%.jpg"),
        ("100%.jpg", ["100%.jpg"], "100%.jpg"),
        ("x%2Fa.jpg", ["x/a.jpg", "y/a.jpg"], "x/a.jpg"),
        ("x%20y/a.jpg", ["x%20y/a.jpg"], "x%20y/a.jpg"),
        ("images\\a b.jpg", ["images/a b.jpg"], "images/a b.jpg"),
        (".\\images\\a.jpg", ["images/a.jpg"], "images/a.jpg"),
        ("./a.jpg", ["a.jpg"], "a.jpg"),
        ("../images/a.jpg", ["images/a.jpg"], "images/a.jpg"),
        ("/home/me/set/images/a.jpg", ["images/a.jpg", "other/a.jpg"], "images/a.jpg"),
        ("C:\\Users\\me\\a.jpg", ["images/a.jpg"], "images/a.jpg"),
        ("file:///C:/me/a%20b.jpg", ["a b.jpg"], "a b.jpg"),
        ("https://host/p/a%20b.jpg?size=9", ["a b.jpg"], "a b.jpg"),
        ("e\u0301.jpg", ["\u00e9.jpg"], "\u00e9.jpg"),
        ("e\u0301.jpg", ["\u00e9.jpg", "e\u0301.jpg"], "e\u0301.jpg"),
        ("a.jpg", ["x/a.jpg", "y/a.jpg"], None),
        ("b.jpg", ["a.jpg"], None),
        ("", ["a.jpg"], None),
        ("..", ["a.jpg"], None),
    ],
)
def test_names(name: str, paths: list[str], expected: str | None) -> None:
    files = together(dict.fromkeys(paths, b""))
    assert PictureNames(files).find(name, "labels.json") == expected


def test_a_name_that_may_mean_several_images_says_so() -> None:
    names = PictureNames(together(dict.fromkeys(["x/a.jpg", "y/a.jpg", "b.jpg"], b"")))
    assert names.missing("a.jpg", "l.json") == (
        "l.json names it, but it may mean 2 images: x/a.jpg, y/a.jpg"
    )
    assert names.missing("c.jpg", "l.json") == "l.json names it, but the image does not exist"


def _coco(name: str) -> str:
    document = {
        "images": [{"id": 1, "file_name": name, "width": 100, "height": 80}],
        "annotations": [{"id": 1, "image_id": 1, "category_id": 1, "bbox": [1, 2, 10, 20]}],
        "categories": [{"id": 1, "name": "cat"}],
    }
    return json.dumps(document)


def _labelme(name: str) -> str:
    shape = {"label": "cat", "shape_type": "rectangle", "points": [[1, 2], [11, 22]]}
    return json.dumps({"imagePath": name, "shapes": [shape]})


def _via(name: str) -> str:
    shape = {"name": "rect", "x": 1, "y": 2, "width": 10, "height": 20}
    region = {"shape_attributes": shape, "region_attributes": {"class": "cat"}}
    return json.dumps({"k": {"filename": name, "regions": [region]}})


def _voc(name: str) -> str:
    sides = "<xmin>1.0</xmin><ymin>2.0</ymin><xmax>11.0</xmax><ymax>22.0</ymax>"
    entry = f"<object><name>cat</name><bndbox>{sides}</bndbox></object>"
    return f"<annotation><filename>{name}</filename>{entry}</annotation>"


def _cvat(name: str) -> str:
    box = '<box label="cat" xtl="1" ytl="2" xbr="11" ybr="22"/>'
    return f'<annotations><version>1.1</version><image name="{name}">{box}</image></annotations>'


_FILES = {
    "coco_boxes": ("x.json", _coco),
    "labelme": ("x.json", _labelme),
    "via": ("x.json", _via),
    "voc_boxes": ("x.xml", _voc),
    "cvat": ("x.xml", _cvat),
    "csv_boxes": ("x.csv", lambda name: f"path,class,xmin,ymin,xmax,ymax\n{name},cat,1,2,11,22\n"),
}


@pytest.mark.parametrize("form", _FILES)
@pytest.mark.parametrize(
    "name", ["images/a%20b.jpg", "D:\\set\\images\\a b.jpg", "./images/a%20b.jpg", "a b.jpg"]
)
def test_all_formats_find_images_by_the_same_rule(form: str, name: str) -> None:
    file, write = _FILES[form]
    found = read(form, together({"images/a b.jpg": b"", "images/c.jpg": b"", file: write(name)}))
    assert boxes(found) == {"images/a b.jpg": [("cat", 1, 2, 11, 22, 0)]}


def test_an_ambiguous_name_is_an_error_that_names_both() -> None:
    files = together({"x/a b.jpg": b"", "y/a b.jpg": b"", "k.json": _coco("a%20b.jpg")})
    with pytest.raises(StudioError, match=r"may mean 2 images: x/a b\.jpg, y/a b\.jpg"):
        read("coco_boxes", files)


def test_an_address_with_brackets_is_a_name() -> None:
    assert spellings("http://[a.jpg") == ["http://[a.jpg"]
