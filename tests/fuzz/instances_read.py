"""Readers of the formats of objects with masks, of which one file is malformed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

import numpy as np
from PIL import Image

from fuzz.mutations import spoiled_bytes, spoiled_json, spoiled_text
from fuzz.readers import Reader
from studio.engine.datasets.class_names import clean_name
from studio.engine.datasets.decode import DecodingMemory
from studio.engine.datasets.decode_ahead import Decoded, decode_picture
from studio.engine.datasets.gather import RegionReader
from studio.engine.datasets.recipe import DatasetRecipe
from studio.engine.datasets.sources import source_for
from studio.engine.datasets.sources.base import SourceOptions
from studio.engine.errors import BadDataError
from studio.engine.progress import SilentProgress
from studio.engine.tasks import TASKS
from studio.engine.tasks.annotations import AnnotationOptions, Instances
from studio.engine.tasks.instance_labels import IGNORED

SILENT = SilentProgress()
TASK = TASKS["instances"]
SIDE = 16
NAMES = ["cell", "größe ± 日本"]
RECIPE = DatasetRecipe.parse({"task": TASK.name, "source": "", "width": SIDE, "height": SIDE})


def labels(index: int) -> Instances:
    """Return touching objects with a hole and two parts, and pixels that count nowhere."""
    found = np.zeros((SIDE, SIDE), np.int32)
    found[1:7, 1:7], found[3:5, 3:5], found[12:14, 2:4] = 256, 0, 256
    found[1:7, 7:12] = 512 + 1
    found[9, index] = IGNORED
    return found


def picture(path: Path, index: int) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    Image.new("RGB", (SIDE, SIDE), (60 * index, 90, 120)).save(path)


def make(folder: Path, form: str) -> None:
    """Write pictures and objects in a format into the folder `in` of a folder."""
    target = folder / "in"
    target.mkdir(parents=True)
    formats = TASK.source.export_formats
    writer = next(each.writer for each in formats if each.export == form)(
        target, NAMES, ["#ff0000", "#00ff00"]
    )
    for index in range(3):
        path = f"{writer.picture_path(f'{index:03}', 'train')}.png"
        picture(target / path, index)
        writer.add(path, "train", labels(index), (SIDE, SIDE))
    writer.finish()


def make_cellpose(folder: Path) -> None:
    """Write a picture with the file of its session in Cellpose."""
    picture(folder / "in" / "a.png", 0)
    content = {"masks": np.maximum(labels(0) >> 8, 0).astype(np.uint16), "filename": "a.png"}
    np.save(folder / "in" / "a_seg.npy", content)  # type: ignore[arg-type]


def read(folder: Path) -> dict[str, str]:
    """Read the pictures and objects in the folder `in` as an import does.

    Returns:
        Path of each picture or file, with the reason why it is left out; empty if it is not.
    """
    path = folder / "in"
    source = source_for(path, TASK)
    scan = source.scan(path, SILENT, SourceOptions(annotations=AnnotationOptions()))
    (annotations,) = scan.annotations
    names = list(dict.fromkeys(map(clean_name, annotations.names)))
    regions = RegionReader(scan, names, TASK.geometry)
    found = {problem.path: problem.reason for problem in scan.problems}
    for index, fetch in source.read(path, scan.items):
        item = scan.items[index]
        (result,) = decode_picture(fetch, [item], RECIPE, DecodingMemory(2**30), regions)
        if isinstance(result, Decoded):
            assert result.regions is not None
            assert result.regions.shape == (SIDE, SIDE)
            assert result.regions.dtype == np.int32
            assert result.regions.min() >= IGNORED
            found[item.key] = ""
        else:
            assert isinstance(result, BadDataError)
            found[item.key] = result.message
    for reason in found.values():
        assert "\n" not in reason, reason
    return found


def _seeds(form: str, file: str) -> Callable[[Path], Sequence[bytes]]:
    def seeds(folder: Path) -> list[bytes]:
        if form == "cellpose":
            make_cellpose(folder)
        else:
            make(folder, form)
        return [(folder / file).read_bytes()]

    return seeds


_reader = partial(Reader, read=read)
READERS = [
    _reader(f"instances {form} {what}", file, _seeds(form, file), count=count, mutate=mutate)
    for form, what, file, mutate, count in (
        ("coco", "file", "in/annotations/instances_train.json", spoiled_json, 200),
        ("yolo", "labels", "in/labels/train/000.txt", spoiled_text, 200),
        ("labels", "image", "in/labels/train/000.png", spoiled_bytes, 200),
        ("labels", "table", "in/objects.csv", spoiled_text, 120),
        ("voc", "objects", "in/SegmentationObject/000.png", spoiled_bytes, 120),
        ("labelme", "file", "in/train/000.json", spoiled_json, 120),
        ("csv", "table", "in/outlines.csv", spoiled_text, 200),
        ("cellpose", "session", "in/a_seg.npy", spoiled_bytes, 300),
    )
]
