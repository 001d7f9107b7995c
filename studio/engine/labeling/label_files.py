"""Files of labels: a table of values, or annotations in a format beside their pictures."""

from __future__ import annotations

import os
import shutil
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Final

from studio.engine.csv_cells import CsvWriter
from studio.engine.datasets.origins.columns import heading_of
from studio.engine.datasets.origins.evidence import Evidence, ImagesFound, recognize_origins
from studio.engine.datasets.origins.kinds import OriginKind
from studio.engine.datasets.origins.sidecar import write_sidecar
from studio.engine.files import flush_to_disk, portable_name
from studio.engine.labeling.items import Item
from studio.engine.labeling.values import Value
from studio.engine.progress import Progress

if TYPE_CHECKING:
    from studio.engine.tasks.annotations import AnnotationWriter, Mask, Regions

_SPLIT: Final = "train"


@dataclass(frozen=True, slots=True)
class Labeled:
    """A picture with its value.

    Attributes:
        item: The picture.
        file: Its file.
        value: Its value.
    """

    item: Item
    file: Path
    value: Value


def write_table(
    path: Path, columns: Sequence[str], rows: Iterable[tuple[Labeled, Sequence[object]]]
) -> None:
    """Write a line per picture: its path, its cells, and its origin if any is known.

    Args:
        path: The new file.
        columns: Headings of the cells.
        rows: The pictures with their cells.
    """
    pairs = list(rows)
    origins = _origins([each.item for each, _ in pairs])
    heading = heading_of(origins.kind)
    has_origins = any(origins.names) and heading not in columns
    with path.open("w", newline="", encoding="utf-8", errors="surrogateescape") as file:
        table = CsvWriter(file)
        table.writerow(["path", *columns, *([heading] if has_origins else [])])
        for (each, cells), origin in zip(pairs, origins.names, strict=True):
            table.writerow([str(each.file), *cells, *([origin] if has_origins else [])])
    flush_to_disk(path)


def write_annotations(
    writer: AnnotationWriter,
    labeled: Iterable[tuple[Labeled, Regions]],
    count: int,
    folder: Path,
    progress: Progress,
) -> None:
    """Write pictures and their masks or boxes.

    Args:
        writer: Writer of a format, for `folder`.
        labeled: The pictures with their regions.
        count: Number of pictures.
        folder: The folder.
        progress: Receives the progress and may cancel.
    """
    taken: set[str] = set()
    written: dict[str, Item] = {}
    for number, (each, regions) in enumerate(labeled):
        progress.check()
        progress.advance(number, count, "Writing images")
        stem = _free(portable_name(PurePosixPath(each.item.name).stem) or "picture", taken)
        suffix = each.file.suffix.lower() or ".png"
        relative = writer.picture_path(stem, _SPLIT) + suffix
        _link(each.file, folder / relative)
        writer.add(relative, _SPLIT, regions, (each.item.width, each.item.height))
        written[relative] = each.item
    writer.finish()
    for warning in writer.warnings:
        progress.warn(warning)
    _write_origins(folder, written)
    progress.advance(count, count, "Writing images")


def write_pictures(
    placed: Iterable[tuple[Labeled, str, Mask]],
    count: int,
    folder: Path,
    masks: str,
    progress: Progress,
) -> None:
    """Write pictures into folders of their names, and masks that are not empty or all of a kind.

    Args:
        placed: The pictures, the folder of each, and its mask.
        count: Number of pictures.
        folder: The folder.
        masks: Name of the folder of the masks, with the same folders in it.
        progress: Receives the progress and may cancel.
    """
    from PIL import Image  # noqa: PLC0415 - `studio label` starts without it

    taken: set[str] = set()
    written: dict[str, Item] = {}
    for number, (each, kind, mask) in enumerate(placed):
        progress.check()
        progress.advance(number, count, "Writing images")
        stem = _free(portable_name(PurePosixPath(each.item.name).stem) or "picture", taken)
        relative = f"{kind}/{stem}{each.file.suffix.lower() or '.png'}"
        _link(each.file, folder / relative)
        written[relative] = each.item
        if mask.any() and not mask.all():
            path = folder / masks / kind / f"{stem}.png"
            path.parent.mkdir(parents=True, exist_ok=True)
            Image.fromarray(mask).save(path)
    _write_origins(folder, written)
    progress.advance(count, count, "Writing images")


def _write_origins(folder: Path, written: Mapping[str, Item]) -> None:
    """Write the origins of pictures by their paths in a folder."""
    origins = _origins(list(written.values()))
    names = dict(zip(written, origins.names, strict=True))
    write_sidecar(folder, heading_of(origins.kind), names)


def _origins(items: Sequence[Item]) -> Evidence:
    """Return the films of frames, or the origins that the names of the images show."""
    films = {item.source for item in items if item.origin == "video"}
    counts = Counter(Path(film).name for film in films)
    short = {film: Path(film).name if counts[Path(film).name] == 1 else film for film in films}
    names = [item.group or short.get(item.source, "") for item in items]
    kind: OriginKind = "video" if films else "column"
    images = ImagesFound([item.name for item in items], [""] * len(items), names, kind)
    return recognize_origins(images, "auto")


def _free(stem: str, taken: set[str]) -> str:
    """Return an unused name, also on file systems that ignore case."""
    name, number = stem, 1
    while name.casefold() in taken:
        number += 1
        name = f"{stem}-{number}"
    taken.add(name.casefold())
    return name


def _link(file: Path, target: Path) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    try:
        os.link(file.resolve(), target)
    except OSError:  # another disk, or a file system without links
        shutil.copyfile(file, target)
