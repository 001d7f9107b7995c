"""Pictures and annotation files of boxes, in memory or in a folder."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from studio.engine.datasets.sources.annotated import FoundFiles
from studio.engine.progress import SilentProgress
from studio.engine.tasks.annotations import (
    AnnotatedFiles,
    AnnotationOptions,
    BoxAnnotations,
    Boxes,
    WritableFormat,
)
from studio.engine.tasks.boxes import VALUES
from studio.engine.tasks.detection.formats import FORMATS

SILENT = SilentProgress()
SIZE = (100, 80)
"""Width and height of all pictures."""
_PICTURES = (".png", ".jpg")
Found = list[tuple[str, float, float, float, float, int]]
"""Class, left, top, right, bottom and flags of boxes."""


@dataclass
class Files:
    """Files in memory."""

    content: Mapping[str, bytes]
    location: str = "the folder"

    @property
    def paths(self) -> Sequence[str]:
        return list(self.content)

    @property
    def pictures(self) -> Sequence[str]:
        return [path for path in self.content if path.endswith(_PICTURES)]

    def __contains__(self, path: object) -> bool:
        return path in self.content

    def head(self, path: str) -> bytes:
        return self.content[path][: 2**16]

    def read(self, path: str) -> bytes:
        return self.content[path]


def together(content: Mapping[str, str | bytes]) -> AnnotatedFiles:
    """Return files of one folder, by their paths."""
    files = Files(
        {
            path: data if isinstance(data, bytes) else data.encode()
            for path, data in content.items()
        }
    )
    return AnnotatedFiles(files, files)


def apart(images: Sequence[str], labels: Mapping[str, str | bytes]) -> AnnotatedFiles:
    """Return pictures of one folder and annotation files of another."""
    pictures = together(dict.fromkeys(images, b""))
    return AnnotatedFiles(pictures.images, together(labels).images)


def read(form: str, files: AnnotatedFiles, **options: object) -> BoxAnnotations:
    """Read files in a format."""
    found = FORMATS[form].read(files, AnnotationOptions(**options), SILENT)  # type: ignore[arg-type]  # of tests
    assert isinstance(found, BoxAnnotations)
    return found


def boxes(found: BoxAnnotations, size: tuple[int, int] = SIZE) -> dict[str, Found]:
    """Return the boxes of each picture."""
    return {
        each.path: as_rows(found.boxes(each.annotation, size)[0], found.names)
        for each in found.pictures
    }


_NO_ANNOTATION = "it has no annotation"
CROWD_KEPT = "kept a crowd as a region without training: it is not counted as an object"
ANY_CLASS_KEPT = (
    "kept a region of any class, such as DontCare, as a region without training: it is not "
    "counted as an object"
)


def unannotated(found: BoxAnnotations) -> list[str]:
    """Return the pictures that are left out because no annotation belongs to them."""
    return [each.path for each in found.problems if each.reason == _NO_ANNOTATION]


def problems(found: BoxAnnotations, size: tuple[int, int] = SIZE) -> dict[str, list[str]]:
    """Return the reasons why boxes of pictures, and files, are left out.

    Pictures without annotation are not among them, see `unannotated`.
    """
    result: dict[str, list[str]] = {}
    for left_out in found.problems:
        if left_out.reason == _NO_ANNOTATION:
            continue
        result.setdefault(left_out.path, []).append(str(left_out.reason))
    for each in found.pictures:
        remarks = found.boxes(each.annotation, size)[1]
        if remarks:
            result.setdefault(each.path, []).extend(str(remark.reason) for remark in remarks)
    return result


def as_rows(found: Boxes, names: Sequence[str]) -> Found:
    """Return boxes with the names of their classes."""
    assert found.dtype == np.float32
    assert found.shape[1:] == (VALUES,)
    return [
        (names[int(label)], left, top, right, bottom, int(flags))
        for label, left, top, right, bottom, flags in found.tolist()
    ]


def written(
    form: WritableFormat,
    folder: Path,
    names: Sequence[str],
    pictures: Mapping[str, Sequence[Sequence[float]]],
    size: tuple[int, int] = SIZE,
) -> FoundFiles:
    """Write boxes in a format, with empty files for the pictures, and find the files.

    Args:
        form: The format.
        folder: An empty folder.
        names: Names of the classes.
        pictures: Rows of the boxes of each picture, whose name begins with its split: "val_1".
        size: Width and height of the pictures.
    """
    colors = [f"#0000{number:02x}" for number in range(len(names))]
    writer = form.writer(folder, names, colors)
    for name, rows in pictures.items():
        split = name.partition("_")[0]
        path = folder / f"{writer.picture_path(name, split)}.png"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()
        values = np.array([*rows, [-1, 0, 0, 0, 0, 0]], np.float32)
        writer.add(path.relative_to(folder).as_posix(), split, values, size)
    writer.finish()
    return FoundFiles(folder)
