"""Readers of the files of annotation tools, as boxes and as masks, one of which is malformed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

import numpy as np
from mask_pictures import save

from fuzz import boxes_read
from fuzz.mutations import Mutate, spoiled_json, spoiled_text, spoiled_xml
from fuzz.readers import Reader
from helpers.box_files import SIZE
from helpers.tool_files import (
    Drawn,
    Picture,
    create_ml,
    cvat,
    label_studio,
    label_studio_csv,
    label_studio_min,
    labelme,
    via,
    via_3,
)
from studio.engine.datasets.sources import source_for
from studio.engine.datasets.sources.base import SourceOptions
from studio.engine.errors import BadDataError
from studio.engine.progress import SilentProgress
from studio.engine.tasks.annotations import AnnotationOptions, MaskAnnotations
from studio.engine.tasks.segmentation.task import SEGMENTATION

_BLOCK = np.zeros(SIZE[::-1], bool)
_BLOCK[10:30, 20:50] = True
_BOX = Drawn("cell", "box", (10, 10, 40, 30))
_POLYGON = Drawn("dot", "polygon", [(20, 5), (60, 5), (60, 50)])
_ELLIPSE = Drawn("dot", "ellipse", (50, 40, 70, 60), turn=30)
_BRUSH = Drawn("cell", "pixels", _BLOCK)
_POINT = Drawn("dot", "point", (3, 3))
_SHAPES = [_BOX, _POLYGON, _ELLIPSE, _POINT]


def _make(folder: Path, name: str, write: Callable[[list[Picture]], str], brush: bool) -> None:
    root = folder / "in"
    root.mkdir()
    shapes = [*_SHAPES, *([_BRUSH] if brush else [])]
    if write is create_ml:
        shapes = [_BOX]
    pictures = [Picture(f"{index}.png", shapes) for index in range(3)]
    for index, each in enumerate(pictures):
        save(np.full((*SIZE[::-1], 3), index, np.uint8), root / each.name)
    (root / name).write_text(write(pictures), encoding="utf-8")


def _seeds(
    name: str, write: Callable[[list[Picture]], str], brush: bool
) -> Callable[[Path], Sequence[bytes]]:
    def seeds(folder: Path) -> list[bytes]:
        _make(folder, name, write, brush)
        return [(folder / "in" / name).read_bytes()]

    return seeds


def read_masks(folder: Path) -> None:
    """Read the pictures and masks in the folder `in`."""
    source = source_for(folder / "in", SEGMENTATION)
    options = SourceOptions(annotations=AnnotationOptions())
    scan = source.scan(folder / "in", SilentProgress(), options)
    (annotations,) = scan.annotations
    assert isinstance(annotations, MaskAnnotations)
    reasons = [str(problem.reason) for problem in scan.problems]
    for item in scan.items:
        try:
            mask, _ = annotations.mask(item.annotation, SIZE)
        except BadDataError as error:
            reasons.append(error.message)
            continue
        assert mask.shape == SIZE[::-1]
        assert int(mask.max()) < len(annotations.names)
    assert all(reason and "\n" not in reason for reason in reasons)


def _labelme(pictures: list[Picture]) -> str:
    return labelme(pictures[0])


_read_boxes = partial(boxes_read.read, size=SIZE)
_CASES: tuple[tuple[str, str, Callable[[list[Picture]], str], Mutate, bool], ...] = (
    ("label studio", "tasks.json", label_studio, spoiled_json, True),
    ("label studio min", "min.json", label_studio_min, spoiled_json, False),
    ("label studio table", "table.csv", label_studio_csv, spoiled_text, False),
    ("cvat", "annotations.xml", cvat, spoiled_xml, True),
    ("via", "via.json", via, spoiled_json, False),
    ("via 3", "via3.json", via_3, spoiled_json, False),
    ("labelme", "0.json", _labelme, spoiled_json, False),
)
READERS = [
    Reader(
        f"{name} as {kind}",
        f"in/{file}",
        _seeds(file, write, brush),
        read,
        count=120,
        mutate=mutate,
    )
    for name, file, write, mutate, brush in _CASES
    for kind, read in (("boxes", _read_boxes), ("masks", read_masks))
]
READERS.append(
    Reader(
        "create ml as boxes",
        "in/c.json",
        _seeds("c.json", create_ml, False),
        _read_boxes,
        count=120,
        mutate=spoiled_json,
    )
)
