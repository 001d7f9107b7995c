"""Sets of annotated pictures in every format that is read, by writers that share nothing with it.

They are written with json, csv, xml.etree, Pillow, NumPy and pycocotools, after the documentation
of each format. To add a format of boxes, masks or objects: a function that writes `Drawing`s, and
its `Writer` under the name of the format in `BOXES`, `MASKS` or `OBJECTS`.
"""

from __future__ import annotations

import csv
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from xml.etree import ElementTree as ET

import numpy as np
from numpy.typing import NDArray
from PIL import Image
from pycocotools import mask as coco_mask  # type: ignore[import-untyped]  # it has no types

from helpers import tool_files
from helpers.box_files import SIZE
from helpers.tool_files import Drawn, Picture

WIDTH, HEIGHT = SIZE
SPLITS = ("train", "val", "test")
CLASSES = ("nut", "bolt é")
DIFFICULT, CROWD = 1, 2
Corners = list[tuple[int, int]]


@dataclass(frozen=True, slots=True)
class Object:
    """An object of a class, as a box, or as an outline of whole pixels."""

    label: int
    box: tuple[float, float, float, float]
    flags: int = 0
    outline: Corners = field(default_factory=list)

    @property
    def inside(self) -> NDArray[np.bool_]:
        """Pixels inside the outline: a rectangle without its lower right quarter."""
        left, top, right, bottom = map(int, self.box)
        found = np.zeros((HEIGHT, WIDTH), np.bool_)
        found[top:bottom, left:right] = True
        found[(top + bottom) // 2 : bottom, (left + right) // 2 : right] = False
        return found


@dataclass(frozen=True, slots=True)
class Drawing:
    """A picture with objects."""

    name: str
    split: str
    pixels: NDArray[np.uint8]
    objects: tuple[Object, ...]

    def save(self, path: Path) -> None:
        """Save the picture, without loss."""
        write_picture(path, self.pixels)

    @property
    def labels(self) -> NDArray[np.uint8]:
        """Number of the class of each pixel from 1; 0 where no object is."""
        found = np.zeros((HEIGHT, WIDTH), np.uint8)
        for each in self.objects:
            found[each.inside] = each.label + 1
        return found

    @property
    def numbers(self) -> NDArray[np.uint8]:
        """Number of the object of each pixel from 1; 0 for the background."""
        found = np.zeros((HEIGHT, WIDTH), np.uint8)
        for number, each in enumerate(self.objects, 1):
            found[each.inside] = number
        return found


@dataclass(frozen=True, slots=True)
class Writer:
    """Writes drawings in a format.

    Attributes:
        write: Writes pictures and annotations into a folder.
        names: Names of the classes as they are read.
        flags: Flags of objects that the format knows.
        is_whole: True if sides are whole pixels.
        has_empty: True if pictures without objects can be written.
        background: Name of the class of pixels without object; empty if they are of no class.
    """

    write: Callable[[Path, Sequence[Drawing]], None]
    names: tuple[str, ...] = CLASSES
    flags: int = 0
    is_whole: bool = False
    has_empty: bool = True
    background: str = "background"


def drawings(seed: int, *, is_whole: bool, flags: int = 0) -> list[Drawing]:
    """Return two pictures for each split, with objects that do not overlap, and one without.

    Args:
        seed: Of what is drawn.
        is_whole: True for sides of whole pixels.
        flags: Flags that some objects have.
    """
    random = np.random.default_rng(seed)
    found = []
    for number, split in enumerate((*SPLITS, *SPLITS, "train")):
        pixels = random.integers(0, 256, (HEIGHT, WIDTH, 3), np.uint8)
        places = random.permutation(20)[: 0 if number == 6 else 5].tolist()
        objects = []
        for index, place in enumerate(places):
            left, top = 20 * (place % 5), 20 * (place // 5)
            x, y, width, height = random.integers((0, 0, 4, 4), (8, 8, 12, 12)).tolist()
            sides = (left + x, top + y, left + x + width, top + y + height)
            cx, cy = (sides[0] + sides[2]) // 2, (sides[1] + sides[3]) // 2
            outline = [
                *((sides[0], sides[1]), (sides[2], sides[1]), (sides[2], cy), (cx, cy)),
                *((cx, sides[3]), (sides[0], sides[3])),
            ]
            box = tuple(map(float, sides))
            if not is_whole:
                box = tuple(side + float(random.choice((0, 0.25, 0.5))) for side in sides)
            mine = flags & (0, DIFFICULT, CROWD)[index % 3]
            objects.append(Object(index % 2, box, mine, outline))  # type: ignore[arg-type]  # four
        found.append(Drawing(f"p{number}", split, pixels, tuple(objects)))
    return found


def write_picture(path: Path, pixels: NDArray[np.uint8]) -> None:
    """Save pixels as a new file, without loss.

    Args:
        path: The file.
        pixels: Gray or RGB.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    Image.fromarray(pixels).save(path)


def _text(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def _csv(path: Path, rows: Sequence[Sequence[object]]) -> None:
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows(rows)


def _pictures(drawn: Sequence[Drawing], kind: str) -> list[Picture]:
    """Return pictures for the writers of tools, with boxes or polygons."""
    return [
        Picture(
            f"{each.name}.png",
            [
                Drawn(CLASSES[one.label], kind, one.box if kind == "box" else one.outline)
                for one in each.objects
            ],
        )
        for each in drawn
    ]


def _tool(write: Callable[[Sequence[Picture]], str], suffix: str, kind: str) -> Writer:
    """Return the writer of a tool with a file for each split."""

    def written(folder: Path, drawn: Sequence[Drawing]) -> None:
        for split in SPLITS:
            mine = [each for each in drawn if each.split == split]
            _text(folder / f"{split}{suffix}", write(_pictures(mine, kind)))
        for each in drawn:
            each.save(folder / f"{each.name}.png")

    return Writer(written)


def _labelme(kind: str) -> Writer:
    def written(folder: Path, drawn: Sequence[Drawing]) -> None:
        for each, picture in zip(drawn, _pictures(drawn, kind), strict=True):
            each.save(folder / each.split / picture.name)
            _text(folder / each.split / f"{each.name}.json", tool_files.labelme(picture))

    return Writer(written)


def _supervisely(kind: str) -> Writer:
    def written(folder: Path, drawn: Sequence[Drawing]) -> None:
        for each, picture in zip(drawn, _pictures(drawn, kind), strict=True):
            place = folder / each.split
            each.save(place / "img" / picture.name)
            _text(place / "ann" / f"{picture.name}.json", tool_files.supervisely(picture))

    return Writer(written)


def _tools(kind: str) -> dict[str, Writer]:
    return {
        "label_studio": _tool(tool_files.label_studio, ".json", kind),
        "cvat": _tool(tool_files.cvat, ".xml", kind),
        "via": _tool(tool_files.via, ".json", kind),
        "bdd100k": _tool(tool_files.bdd100k, ".json", kind),
        "supervisely": _supervisely(kind),
        "labelme": _labelme(kind),
    }


def _wider_face(folder: Path, drawn: Sequence[Drawing]) -> None:
    for split in SPLITS:
        lines = []
        for each in drawn:
            if each.split == split:
                each.save(folder / f"WIDER_{split}" / "images" / "0--A" / f"{each.name}.png")
                lines += [f"0--A/{each.name}.png", str(len(each.objects))]
                lines += [
                    f"{left:.0f} {top:.0f} {right - left:.0f} {bottom - top:.0f} 0 0 0 0 0 0"
                    for left, top, right, bottom in (one.box for one in each.objects)
                ] or ["0 0 0 0 0 0 0 0 0 0"]
        _text(folder / "wider_face_split" / f"wider_face_{split}_bbx_gt.txt", "\n".join(lines))


def _visdrone(folder: Path, drawn: Sequence[Drawing]) -> None:
    for each in drawn:
        place = folder / f"VisDrone2019-DET-{each.split}"
        each.save(place / "images" / f"{each.name}.png")
        lines = []
        for one in each.objects:
            left, top, right, bottom = map(int, one.box)
            score = int(not one.flags & DIFFICULT)
            category = 0 if one.flags & CROWD else (4, 1)[one.label]
            lines.append(f"{left},{top},{right - left},{bottom - top},{score},{category},0,0\n")
        _text(place / "annotations" / f"{each.name}.txt", "".join(lines))


def _voc_boxes(folder: Path, drawn: Sequence[Drawing]) -> None:
    for each in drawn:
        each.save(folder / "JPEGImages" / f"{each.name}.png")
        root = ET.Element("annotation")
        ET.SubElement(root, "filename").text = f"{each.name}.png"
        size = ET.SubElement(root, "size")
        for name, value in (("width", WIDTH), ("height", HEIGHT), ("depth", 3)):
            ET.SubElement(size, name).text = str(value)
        for one in each.objects:
            entry = ET.SubElement(root, "object")
            ET.SubElement(entry, "name").text = CLASSES[one.label]
            ET.SubElement(entry, "difficult").text = str(one.flags & DIFFICULT)
            box = ET.SubElement(entry, "bndbox")
            left, top, right, bottom = map(int, one.box)
            # Pixels are counted from 1, and the last one is inside.
            sides = {"xmin": left + 1, "ymin": top + 1, "xmax": right, "ymax": bottom}
            for name, value in sides.items():
                ET.SubElement(box, name).text = str(value)
        _text(folder / "Annotations" / f"{each.name}.xml", ET.tostring(root, "unicode"))
    for split in SPLITS:
        names = [f"{each.name}\n" for each in drawn if each.split == split]
        _text(folder / "ImageSets" / "Main" / f"{split}.txt", "".join(names))


def _coco(folder: Path, drawn: Sequence[Drawing], *, has_outlines: bool) -> None:
    categories = [{"id": 7 * at + 3, "name": name} for at, name in enumerate(CLASSES)]
    for split in SPLITS:
        images: list[dict[str, object]] = []
        annotations: list[dict[str, object]] = []
        for number, each in enumerate(drawn, 100):
            if each.split != split:
                continue
            each.save(folder / split / f"{each.name}.png")
            facts = {"id": number, "file_name": f"{each.name}.png"}
            images.append(facts | {"width": WIDTH, "height": HEIGHT})
            for one in each.objects:
                left, top, right, bottom = one.box
                entry: dict[str, object] = {
                    "id": len(annotations) + 1,
                    "image_id": number,
                    "category_id": 7 * one.label + 3,
                    "bbox": [left, top, right - left, bottom - top],
                    "area": (right - left) * (bottom - top),
                    "iscrowd": int(bool(one.flags & CROWD)),
                }
                if has_outlines and len(annotations) % 2:
                    rle = coco_mask.encode(np.asfortranarray(one.inside.astype(np.uint8)))
                    entry["segmentation"] = {"size": rle["size"], "counts": rle["counts"].decode()}
                elif has_outlines:
                    entry["segmentation"] = [[value for point in one.outline for value in point]]
                annotations.append(entry)
        document = {"images": images, "annotations": annotations, "categories": categories}
        _text(folder / "annotations" / f"instances_{split}.json", json.dumps(document))


def _coco_boxes(folder: Path, drawn: Sequence[Drawing]) -> None:
    _coco(folder, drawn, has_outlines=False)


def _coco_outlines(folder: Path, drawn: Sequence[Drawing]) -> None:
    _coco(folder, drawn, has_outlines=True)


def _kitti(folder: Path, drawn: Sequence[Drawing]) -> None:
    for each in drawn:
        each.save(folder / each.split / "image_2" / f"{each.name}.png")
        lines = []
        for one in each.objects:
            sides = " ".join(f"{side:.2f}" for side in one.box)
            word = "DontCare" if one.flags & CROWD else ("Car", "Van")[one.label]
            occluded = 3 if one.flags & DIFFICULT else 0
            lines.append(f"{word} 0.00 {occluded} -1.57 {sides} 1.5 1.6 3.7 1 1 10 0.1\n")
        _text(folder / each.split / "label_2" / f"{each.name}.txt", "".join(lines))


def _yolo(folder: Path, drawn: Sequence[Drawing], *, has_outlines: bool) -> None:
    for each in drawn:
        each.save(folder / "images" / each.split / f"{each.name}.png")
        lines = []
        for one in each.objects:
            left, top, right, bottom = one.box
            numbers = [(left + right) / 2 / WIDTH, (top + bottom) / 2 / HEIGHT]
            numbers += [(right - left) / WIDTH, (bottom - top) / HEIGHT]
            if has_outlines:
                numbers = [part for x, y in one.outline for part in (x / WIDTH, y / HEIGHT)]
            lines.append(f"{one.label} {' '.join(f'{number:.8f}' for number in numbers)}\n")
        _text(folder / "labels" / each.split / f"{each.name}.txt", "".join(lines))
    names = "".join(f"  {at}: {name}\n" for at, name in enumerate(CLASSES))
    splits = "".join(f"{split}: images/{split}\n" for split in SPLITS)
    _text(folder / "data.yaml", f"path: .\n{splits}names:\n{names}")


def _yolo_boxes(folder: Path, drawn: Sequence[Drawing]) -> None:
    _yolo(folder, drawn, has_outlines=False)


def _yolo_outlines(folder: Path, drawn: Sequence[Drawing]) -> None:
    _yolo(folder, drawn, has_outlines=True)


def _csv_boxes(folder: Path, drawn: Sequence[Drawing]) -> None:
    rows: list[list[object]] = [
        ["filename", "set", "class", "xmin", "ymin", "xmax", "ymax", "difficult", "iscrowd"]
    ]
    for each in drawn:
        name = f"images/{each.name}.png"
        each.save(folder / name)
        for one in each.objects:
            flags = int(bool(one.flags & DIFFICULT)), int(bool(one.flags & CROWD))
            rows.append([name, each.split, CLASSES[one.label], *one.box, *flags])
        if not each.objects:
            rows.append([name, each.split, *[""] * 7])
    _csv(folder / "boxes.csv", rows)


BOXES: dict[str, Writer] = {
    **_tools("box"),
    "create_ml": _tool(tool_files.create_ml, ".json", "box"),
    "wider_face": Writer(_wider_face, names=("face", "face"), is_whole=True),
    "visdrone": Writer(
        _visdrone, names=("car", "pedestrian"), flags=DIFFICULT | CROWD, is_whole=True
    ),
    "voc_boxes": Writer(_voc_boxes, flags=DIFFICULT, is_whole=True),
    "coco_boxes": Writer(_coco_boxes, flags=CROWD),
    "kitti": Writer(_kitti, names=("Car", "Van"), flags=DIFFICULT | CROWD),
    "yolo": Writer(_yolo_boxes),
    "csv_boxes": Writer(_csv_boxes, flags=DIFFICULT | CROWD),
}


def _cityscapes(folder: Path, drawn: Sequence[Drawing]) -> None:
    for each in drawn:
        name = f"{each.name}_000000_000019"
        each.save(folder / "leftImg8bit" / each.split / each.name / f"{name}_leftImg8bit.png")
        mask = np.array([255, 0, 13], np.uint8)[each.labels]  # no class, road, car
        place = folder / "gtFine" / each.split / each.name
        write_picture(place / f"{name}_gtFine_labelTrainIds.png", mask)


def _ade20k(folder: Path, drawn: Sequence[Drawing]) -> None:
    for each in drawn:
        kind = {"train": "training", "val": "validation", "test": "test"}[each.split]
        place = folder / kind / f"ADE_train_0000000{each.name[1:]}"
        each.save(place.with_suffix(".png"))
        numbers = np.array([0, 300, 976])[each.labels]
        mask = np.zeros((HEIGHT, WIDTH, 3), np.uint8)
        mask[..., 0], mask[..., 1] = numbers // 256 * 10, numbers % 256
        mask[..., 2] = each.numbers
        Image.fromarray(mask).save(place.with_name(f"{place.name}_seg.png"))
        objects = [
            {"id": at, "name_ndx": (300, 976)[one.label], "name": CLASSES[one.label]}
            for at, one in enumerate(each.objects)
        ]
        _text(place.with_suffix(".json"), json.dumps({"annotation": {"object": objects}}))


_PALETTE = [0, 0, 0, 10, 200, 30, 40, 50, 220]


def _indexed(path: Path, values: NDArray[np.uint8], palette: Sequence[int]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    image = Image.fromarray(values)
    image.putpalette(palette)
    image.save(path)


def _voc_masks(folder: Path, drawn: Sequence[Drawing]) -> None:
    for each in drawn:
        each.save(folder / "JPEGImages" / f"{each.name}.png")
        _indexed(folder / "SegmentationClass" / f"{each.name}.png", each.labels, _PALETTE)
        # So that numbers of objects are no numbers of classes.
        numbers = np.where(each.numbers > 0, each.numbers + np.uint8(10), 0).astype(np.uint8)
        _indexed(folder / "SegmentationObject" / f"{each.name}.png", numbers, [*range(256)] * 3)
    for split in SPLITS:
        names = [f"{each.name}\n" for each in drawn if each.split == split]
        _text(folder / "ImageSets" / "Segmentation" / f"{split}.txt", "".join(names))
    lines = [
        f"{name}:{','.join(map(str, _PALETTE[3 * at : 3 * at + 3]))}::\n"
        for at, name in enumerate(("background", *CLASSES))
    ]
    _text(folder / "labelmap.txt", "# label:color_rgb:parts:actions\n" + "".join(lines))


def _mask_folders(folder: Path, drawn: Sequence[Drawing]) -> None:
    for each in drawn:
        each.save(folder / "images" / each.split / f"{each.name}.png")
        write_picture(folder / "masks" / each.split / f"{each.name}.png", each.labels)


MASKS: dict[str, Writer] = {
    **_tools("polygon"),
    "cityscapes": Writer(_cityscapes, names=("road", "car"), background=""),
    "ade20k": Writer(_ade20k, background=""),
    "voc_masks": Writer(_voc_masks),
    "mask_folders": Writer(_mask_folders, names=("1", "2"), background="0"),
    "coco_masks": Writer(_coco_outlines),
    "yolo_masks": Writer(_yolo_outlines),
}


def _label_images(folder: Path, drawn: Sequence[Drawing]) -> None:
    rows: list[list[object]] = [["labels", "number", "class"]]
    for each in drawn:
        each.save(folder / "images" / each.split / f"{each.name}.png")
        name = f"labels/{each.split}/{each.name}.png"
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        numbers = each.numbers.astype(np.uint16) * 300
        Image.fromarray(numbers).save(folder / name)
        rows += [
            [name, 300 * number, CLASSES[one.label]] for number, one in enumerate(each.objects, 1)
        ]
    _csv(folder / "objects.csv", rows)


def _object_masks(folder: Path, drawn: Sequence[Drawing]) -> None:
    for each in drawn:
        place = folder / each.split / each.name
        each.save(place / "images" / f"{each.name}.png")
        (place / "masks").mkdir()
        for number, one in enumerate(each.objects):
            mask = Image.fromarray(one.inside.astype(np.uint8) * 255)
            mask.save(place / "masks" / f"{each.name}{number:04x}.png")


def _outline_tables(folder: Path, drawn: Sequence[Drawing]) -> None:
    rows: list[list[object]] = [["image", "split", "class", "object", "outline"]]
    for each in drawn:
        name = f"images/{each.name}.png"
        each.save(folder / name)
        rows += [
            [name, each.split, CLASSES[one.label], number, json.dumps(one.outline)]
            for number, one in enumerate(each.objects)
        ] or [[name, each.split, "", "", ""]]
    _csv(folder / "outlines.csv", rows)


OBJECTS: dict[str, Writer] = {
    **_tools("polygon"),
    "voc_instances": Writer(_voc_masks),
    "coco_instances": Writer(_coco_outlines),
    "yolo_instances": Writer(_yolo_outlines),
    "outline_tables": Writer(_outline_tables),
    "object_masks": Writer(_object_masks, names=("object", "object"), has_empty=False),
    "label_images": Writer(_label_images),
}
