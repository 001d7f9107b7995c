"""Readers of the formats of masks, of which one file is malformed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

from mask_pictures import imported, mask_folders, mask_recipe

from fuzz.mutations import spoiled_bytes, spoiled_json, spoiled_text
from fuzz.readers import Reader
from studio.engine.datasets.class_names import clean_name
from studio.engine.datasets.decode import DecodingMemory
from studio.engine.datasets.decode_ahead import Decoded, decode_picture
from studio.engine.datasets.export import export_dataset
from studio.engine.datasets.gather import RegionReader
from studio.engine.datasets.sources import source_for
from studio.engine.datasets.sources.base import SourceOptions
from studio.engine.errors import BadDataError
from studio.engine.progress import SilentProgress
from studio.engine.tasks import TASKS
from studio.engine.tasks.annotations import AnnotationOptions
from studio.engine.tasks.task import Task

SILENT = SilentProgress()
TASK = TASKS["segmentation"]
SIDE = 16
COUNT = 4
NAMES = ["background", "leaf", "größe ± 日本"]
RECIPE = mask_recipe(Path(), width=SIDE, height=SIDE)


def make(folder: Path, form: str) -> Path:
    """Write pictures and masks in a format into the folder `in` of a folder."""
    values = {"class_names": NAMES, "val_percent": 0, "test_percent": 0}
    store = imported(mask_recipe(mask_folders(folder / "raw", COUNT), **values), folder / "d")
    return export_dataset(store, form, ["train"], folder, "in", SILENT)


def read(folder: Path, task: Task = TASK) -> dict[str, str]:
    """Read the pictures and masks in the folder `in` as an import does.

    Args:
        folder: The folder.
        task: The task whose formats are read.

    Returns:
        Path of each picture or file, with the reason why it is left out; empty if it is not.
    """
    path = folder / "in"
    options = SourceOptions(annotations=AnnotationOptions())
    source = source_for(path, task)
    scan = source.scan(path, SILENT, options)
    (annotations,) = scan.annotations
    names = list(dict.fromkeys(map(clean_name, annotations.names)))
    masks = RegionReader(scan, names, task.geometry)
    found = {problem.path: problem.reason for problem in scan.problems}
    for index, fetch in source.read(path, scan.items):
        item = scan.items[index]
        (result,) = decode_picture(fetch, [item], RECIPE, DecodingMemory(2**30), masks)
        if isinstance(result, Decoded):
            assert result.regions is not None
            assert result.regions.shape == (SIDE, SIDE)
            found[item.key] = ""
        else:
            assert isinstance(result, BadDataError)
            found[item.key] = result.message
    for reason in found.values():
        assert "\n" not in reason, reason
    return found


def _seeds(form: str, file: str) -> Callable[[Path], Sequence[bytes]]:
    def seeds(folder: Path) -> list[bytes]:
        make(folder, form)
        return [(folder / file).read_bytes()]

    return seeds


_reader = partial(Reader, read=read)
READERS = [
    _reader(f"{form} {what}", file, _seeds(form, file), count=count, mutate=mutate)
    for form, what, file, mutate, count in (
        ("masks", "mask", "in/masks/train/000.png", spoiled_bytes, 200),
        ("masks", "classes", "in/classes.txt", spoiled_text, 120),
        ("voc", "mask", "in/SegmentationClass/000.png", spoiled_bytes, 120),
        ("voc", "classes", "in/labelmap.txt", spoiled_text, 120),
        ("voc", "list", "in/ImageSets/Segmentation/train.txt", spoiled_text, 120),
        ("coco", "file", "in/annotations/instances_train.json", spoiled_json, 300),
        ("labelme", "file", "in/train/000.json", spoiled_json, 200),
    )
]
