"""Tables of boxes: layouts, units of the sides, markers of nothing, and the sum of their rows."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from io import BytesIO

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from helpers.box_files import SIZE, Files, boxes, read
from studio.engine.tasks.annotations import AnnotatedFiles, BoxAnnotations
from studio.engine.tasks.detection.formats import FORMATS


def png() -> bytes:
    file = BytesIO()
    Image.new("L", SIZE).save(file, "PNG")
    return file.getvalue()


PICTURE = png()


def found_in(text: str | bytes, *names: str) -> BoxAnnotations:
    data = text.encode() if isinstance(text, str) else text
    content = dict.fromkeys(names or ("a.png", "b.png"), PICTURE) | {"boxes.csv": data}
    tree = Files(content)
    files = AnnotatedFiles(tree, tree)
    assert FORMATS["csv_boxes"].accepts(files)
    return read("csv_boxes", files)


PIXELS = {"a.png": [("gear", 10, 20, 40, 60, 0)], "b.png": [("wheel", 50, 8, 70, 16, 0)]}
TABLES = {
    "picture size": (
        "filename,width,height,class,x,y,w,h\n"
        "a.png,100,80,gear,10,20,30,40\n"
        "b.png,100,80,wheel,50,8,20,8\n"
    ),
    "picture size after": (
        "filename,class,x,y,w,h,width,height\n"
        "a.png,gear,10,20,30,40,100,80\n"
        "b.png,wheel,50,8,20,8,100,80\n"
    ),
    "prefixed": (
        "filename,width,height,label,bbox_x,bbox_y,bbox_width,bbox_height\n"
        "a.png,100,80,gear,10,20,30,40\n"
        "b.png,100,80,wheel,50,8,20,8\n"
    ),
    "left, width": (
        "image,left,top,width,height,class\na.png,10,20,30,40,gear\nb.png,50,8,20,8,wheel\n"
    ),
    "xmin, width": (
        "image,xmin,ymin,width,height,class\na.png,10,20,30,40,gear\nb.png,50,8,20,8,wheel\n"
    ),
    "x0": ("image,x0,y0,x1,y1,class\na.png,10,20,40,60,gear\nb.png,50,8,70,16,wheel\n"),
    "center": (
        "image,class,x_center,y_center,width,height\n"
        "a.png,gear,25,40,30,40\n"
        "b.png,wheel,60,12,20,8\n"
    ),
    "relative center": (
        "image,class,cx,cy,w,h\na.png,gear,0.25,0.5,0.3,0.5\nb.png,wheel,0.6,0.15,0.2,0.1\n"
    ),
    "list": (
        "image_id,width,height,bbox,label\n"
        'a,100,80,"[10.0, 20.0, 30.0, 40.0]",gear\n'
        'b,100,80,"[50, 8, 20, 8]",wheel\n'
    ),
    "list of corners": (
        'image_id,bbox,label\na,"[10, 20, 40, 60]",gear\nb,"[50, 8, 70, 16]",wheel\n'
    ),
    "named corners": ("image_id,bbox_xyxy,label\na,10 20 40 60,gear\nb,50 8 70 16,wheel\n"),
    "via": (
        "filename,file_size,file_attributes,region_count,region_id,region_shape_attributes,"
        "region_attributes\n"
        'a.png,1,"{}",1,0,"{""name"":""rect"",""x"":10,""y"":20,""width"":30,""height"":40}",'
        '"{""type"":""gear""}"\n'
        'b.png,1,{},1,0,"{""name"":""polygon"",""all_points_x"":[50,70,60],""all_points_y"":'
        '[8,16,9]}","{""kind"":{""wheel"":true}}"\n'
    ),
    "automl": (
        "TRAIN,gs://x/a.png,gear,0.1,0.25,,,0.4,0.75,,\n"
        "TEST,gs://x/b.png,wheel,0.5,0.1,,,0.7,0.2,,\n"
    ),
    "automl corners": (
        "a.png,gear,0.1,0.25,0.4,0.25,0.4,0.75,0.1,0.75\n"
        "b.png,wheel,0.5,0.1,0.7,0.1,0.7,0.2,0.5,0.2\n"
    ),
    "no header": ("a.png,10,20,40,60,gear\nb.png,50,8,70,16,wheel\n"),
    "no header, class second": ("a.png,gear,10,20,40,60\nb.png,wheel,50,8,70,16\n"),
    "decimal commas": (
        "image;class;xmin;ymin;xmax;ymax\na.png;gear;10,0;20,00;40;60\nb.png;wheel;50;8;70;16\n"
    ),
    "name is no file": (
        "id,name,file,xmin,ymin,xmax,ymax\n7,gear,a.png,10,20,40,60\n8,wheel,b.png,50,8,70,16\n"
    ),
    "list of a class": (
        "image,class,xmin,ymin,xmax,ymax\n"
        "a.png,['gear'],10,20,40,60\n"
        "b.png,\"{'wheel'}\",50,8,70,16\n"
    ),
}


@pytest.mark.parametrize("text", TABLES.values(), ids=TABLES)
def test_layouts(text: str) -> None:
    found = found_in(text)
    assert {
        path: [(name, *(round(side, 4) for side in sides)) for name, *sides in rows]
        for path, rows in boxes(found).items()
    } == PIXELS
    assert not found.problems
    assert not found.warnings


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "utf-16-le", "cp1252"])
def test_encodings(encoding: str) -> None:
    text = TABLES["picture size"].replace(",", "\t").replace("gear", "pião")
    found = found_in(text.encode(encoding))
    assert boxes(found)["a.png"] == [("pião", 10, 20, 40, 60, 0)]
    assert bool(found.warnings) == (encoding == "cp1252")


@pytest.mark.parametrize(
    "row",
    [
        "b.png,background,-1,-1,-1,-1",
        "b.png,nan,nan,nan,nan,nan",
        "b.png,None,,,,",
        "b.png,No finding,NaN,NaN,NaN,NaN",
        "b.png,,-1,-1,-1,-1",
        "b.png",
    ],
)
def test_rows_without_object(row: str) -> None:
    found = found_in(f"image,class,xmin,ymin,xmax,ymax\na.png,gear,10,20,40,60\n{row}\n")
    assert boxes(found) == {"a.png": PIXELS["a.png"], "b.png": []}
    assert found.names == ("gear",)
    assert not found.boxes("b.png", SIZE)[1]


def test_classes_as_numbers_are_one_form() -> None:
    text = "image,class,xmin,ymin,xmax,ymax\na.png,1,10,20,40,60\nb.png,1.0,50,8,70,16\n"
    assert found_in(text).names == ("1",)


def test_a_table_without_classes_says_so() -> None:
    found = found_in('image_id,bbox\na,"[10, 20, 30, 40]"\na,"[50, 8, 20, 8]"\n')
    assert boxes(found)["a.png"][0] == ("object", 10, 20, 40, 60, 0)
    assert 'all 2 boxes are of one class, "object"' in found.warnings[0]


def test_lists_that_may_be_either_are_pointed_out() -> None:
    found = found_in('image_id,bbox,label\na,"[10, 20, 40, 60]",gear\nb,"[5, 6, 7, 8]",gear\n')
    assert boxes(found)["a.png"] == [("gear", 10, 20, 50, 80, 0)]
    assert "bbox_xyxy" in found.warnings[0]


def test_boxes_that_all_have_one_size_are_pointed_out() -> None:
    rows = "".join(f"a.png,gear,{x},{x},100,80\n" for x in range(3))
    (warning,) = found_in(f"image,class,x,y,width,height\n{rows}").warnings
    assert "100 x 80" in warning


def test_lost_zeros_and_thousands_are_pointed_out() -> None:
    text = 'id,class,xmin,ymin,xmax,ymax\n1,gear,10,20,"1,040",60\n'
    found = found_in(text, "im/0001.png", "im/0002.png")
    assert [each.path for each in found.pictures] == ["im/0001.png"]
    assert '"1,040" was read as 1040' in found.warnings[0]
    assert "1 is im/0001.png" in found.warnings[1]


_FAULTS = st.sampled_from(
    ["", "", "gone", "wide", "quote", "unnamed", "class", "text", "no box", "outside", "empty"]
)


_SIDES: dict[str, list[object]] = {
    "outside": [200, 0, 210, 9],
    "no box": ["", "", "", ""],
    "empty": [5, 5, 5, 9],
    "text": [1, 2, "wide", 3],
}


@given(st.lists(_FAULTS, min_size=1, max_size=15))
def test_every_object_is_read_or_reported(faults: Sequence[str]) -> None:
    rows: list[list[object]] = [["a.png", "gear", 90, 70, 99, 79]]
    for number, fault in enumerate(faults):
        name = {"gone": "gone.png", "unnamed": ""}.get(fault, "ab"[number % 2] + ".png")
        sides: list[object] = [number, number, number + 5, 40]
        sides = _SIDES.get(fault, sides)
        rows.append([name, "" if fault == "class" else "gear", *sides])
        rows[-1] += ["x"] if fault == "wide" else []
    file = io.StringIO(newline="")
    csv.writer(file).writerows([["image", "class", "xmin", "ymin", "xmax", "ymax"], *rows])
    lines = file.getvalue().splitlines(keepends=True)
    for number, fault in enumerate(faults, 2):
        lines[number] = f'"a.png"{lines[number]}' if fault == "quote" else lines[number]
    found = found_in("".join(lines))

    read_and_left_out = sum(each.objects for each in found.problems)
    for each in found.pictures:
        kept, remarks = found.boxes(each.annotation, SIZE)
        read_and_left_out += len(kept) + sum(remark.objects for remark in remarks)
    assert read_and_left_out == len(rows)
