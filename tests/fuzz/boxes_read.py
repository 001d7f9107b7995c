"""Readers of the formats of boxes, of which one file is malformed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

import numpy as np
from box_pictures import NAMES, blocks
from mask_pictures import save

from fuzz.mutations import Mutate, spoiled_json, spoiled_text, spoiled_xml
from fuzz.readers import Reader
from studio.engine.datasets.sources import source_for
from studio.engine.datasets.sources.base import SourceOptions
from studio.engine.errors import BadDataError, one_line
from studio.engine.progress import SilentProgress
from studio.engine.tasks.annotations import AnnotationOptions, BoxAnnotations, default_colors
from studio.engine.tasks.boxes import BOTTOM, LEFT, RIGHT, TOP
from studio.engine.tasks.detection.formats import WRITABLE
from studio.engine.tasks.detection.task import DETECTION

SILENT = SilentProgress()
SIDE = 32
COUNT = 4


def make(folder: Path, form: str) -> None:
    """Write pictures and boxes in a format into the folder `in` of a folder."""
    root = folder / "in"
    root.mkdir()
    writer = WRITABLE[form].writer(root, NAMES, default_colors(NAMES))
    for index in range(COUNT):
        picture, boxes = blocks(index, SIDE, SIDE)
        path = root / f"{writer.picture_path(f'{index:03}', 'train')}.png"
        path.parent.mkdir(parents=True, exist_ok=True)
        save(picture, path)
        boxes[-1:, 5] = index % 3
        writer.add(path.relative_to(root).as_posix(), "train", boxes, (SIDE, SIDE))
    writer.finish()


def read(folder: Path, size: tuple[int, int] = (SIDE, SIDE)) -> dict[str, list[str]]:
    """Read the pictures and boxes in the folder `in` as an import does.

    Args:
        folder: The folder.
        size: Width and height of the pictures.

    Returns:
        Path of each picture or file, with the reasons why it, or a box of it, is left out.
    """
    path = folder / "in"
    source = source_for(path, DETECTION)
    scan = source.scan(path, SILENT, SourceOptions(annotations=AnnotationOptions()))
    (annotations,) = scan.annotations
    assert isinstance(annotations, BoxAnnotations)
    assert all(name and one_line(name) == name for name in annotations.names)
    found = {problem.path: [str(problem.reason)] for problem in scan.problems}
    for item in scan.items:
        try:
            boxes, remarks = annotations.boxes(item.annotation, size)
        except BadDataError as error:
            found[item.key] = [error.message]
            continue
        assert boxes.dtype == np.float32
        assert len(boxes) <= annotations.max_boxes
        assert (boxes[:, LEFT : TOP + 1] >= 0).all()
        assert (boxes[:, LEFT : TOP + 1] < boxes[:, RIGHT : BOTTOM + 1]).all()
        assert (boxes[:, RIGHT : BOTTOM + 1] <= size).all()
        assert set(boxes[:, 0]) <= set(range(len(annotations.names)))
        found[item.key] = [str(each.reason) for each in remarks]
    for reasons in found.values():
        assert not any("\n" in reason or len(reason) > 1000 for reason in reasons), reasons
    return found


def _seeds(form: str, file: str) -> Callable[[Path], Sequence[bytes]]:
    def seeds(folder: Path) -> list[bytes]:
        make(folder, form)
        return [(folder / file).read_bytes()]

    return seeds


def _hostile_xml(canary: Path) -> list[bytes]:
    laughs = b"".join(
        b'<!ENTITY e%d "%s">' % (number, b"&e%d;" % (number - 1) * 10) for number in range(1, 12)
    )
    return [
        b'<!DOCTYPE a [<!ENTITY e0 "x">' + laughs + b"]><annotation>&e11;</annotation>",
        f'<!DOCTYPE a SYSTEM "file://{canary}"><annotation/>'.encode(),
        b"<annotation>" + b"<object>" * 200_000,
        b"<annotation>" + b"<object/>" * 200_000 + b"</annotation>",
    ]


def _hostile_yaml(_canary: Path) -> list[bytes]:
    laughs = "".join(f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]\n" for n in range(1, 12))
    return [
        f"a0: &a0 x\n{laughs}names: *a11\n".encode(),
        b"names: !!python/object/apply:os.system ['touch x']\n",
        b"names: [" * 50_000,
        b"train: [" + b"a, " * 100_000 + b"]\nnames: [a, b, c]\n",
    ]


def _none(_canary: Path) -> list[bytes]:
    return []


_Extra = Callable[[Path], Sequence[bytes]]
_CASES: tuple[tuple[str, str, str, Mutate, int, _Extra], ...] = (
    ("voc_boxes", "file", "in/Annotations/000.xml", spoiled_xml, 300, _hostile_xml),
    ("voc_boxes", "list", "in/ImageSets/Main/train.txt", spoiled_text, 120, _none),
    ("voc_boxes", "classes", "in/labelmap.txt", spoiled_text, 120, _none),
    ("coco_boxes", "file", "in/annotations/instances_train.json", spoiled_json, 300, _none),
    ("yolo", "file", "in/labels/train/000.txt", spoiled_text, 200, _none),
    ("yolo", "classes", "in/data.yaml", spoiled_text, 300, _hostile_yaml),
    ("kitti", "file", "in/train/labels/000.txt", spoiled_text, 200, _none),
    ("kitti", "classes", "in/classes.txt", spoiled_text, 60, _none),
    ("csv_boxes", "table", "in/boxes.csv", spoiled_text, 300, _none),
)
_reader = partial(Reader, read=read)
READERS = [
    _reader(f"{form} {what}", file, _seeds(form, file), count=count, mutate=mutate, extra=extra)
    for form, what, file, mutate, count, extra in _CASES
]
