"""Masks in separate files, one for each picture."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from PIL import Image

from studio.engine.errors import BadDataError, StudioError
from studio.engine.messages import as_message, message
from studio.engine.progress import Progress
from studio.engine.tasks.annotation_files.classes import ClassTable
from studio.engine.tasks.annotations import (
    AnnotatedPicture,
    AnnotationOptions,
    Mask,
    MaskAnnotations,
    Remark,
    Tree,
)
from studio.engine.tasks.segmentation.mask_files import palette_of
from studio.engine.tasks.segmentation.values import Look, ValueTable, inspected, value_table

_SAMPLE = 32
"""Number of masks to read for the coding if the classes are known."""
_AT_ONCE = 64


@dataclass(slots=True, kw_only=True)
class MaskFiles(MaskAnnotations):
    """An annotation is the path of a mask."""

    files: Tree
    table: ValueTable

    def mask(self, annotation: str, size: tuple[int, int]) -> tuple[Mask, list[Remark]]:
        """Read a mask; see `MaskAnnotations.mask`."""
        try:
            return self.table.mask(self.files.read(annotation), size), []
        except BadDataError as error:
            raise BadDataError(
                message(
                    "its mask {file} cannot be used: {reason}",
                    file=annotation,
                    reason=as_message(error.message),
                )
            ) from error


def mask_files(
    pictures: list[AnnotatedPicture],
    files: Tree,
    known: ClassTable,
    options: AnnotationOptions,
    progress: Progress,
) -> MaskFiles:
    """Read masks to find their coding, and their classes if these are unknown.

    Args:
        pictures: Pictures with the paths of their masks; at least one.
        files: The masks.
        known: Names and colors of the classes, as far as they are known.
        options: The coding and the ignored value, and the number of masks to read.
        progress: Receives the progress and may cancel.

    Raises:
        StudioError: No mask can be read, or the classes and the masks do not fit together.
        Cancelled: Through `progress`.
    """
    masks = [each.annotation for each in pictures]
    most = options.most or len(masks)
    if known.names or known.colors:
        most = min(most, _SAMPLE)
    looks = _looks(files, masks[:: max(1, -(-len(masks) // most))], progress)
    if not looks:
        raise StudioError(
            message(
                "None of the masks in {folder} can be read, for example {file}.",
                folder=files.location,
                file=masks[0],
            ),
            "Masks must be lossless images, such as PNG, with at most 255 different values.",
            "source",
        )
    table, classes = value_table(looks, known, options.mask_mode, options.ignore_value)
    return MaskFiles(
        pictures=pictures,
        names=classes.names,
        colors=classes.colors,
        can_rename=table.coding != "index" or table.codes == tuple(range(len(table.codes))),
        can_recolor=table.coding != "color",
        files=files,
        table=table,
    )


def _looks(files: Tree, masks: Sequence[str], progress: Progress) -> list[Look]:
    """Inspect masks on all cores; unusable ones are reported when they are imported."""

    def look(path: str) -> Look | None:
        try:
            return inspected(files.read(path))
        except BadDataError:
            return None

    found: list[Look] = []
    with ThreadPoolExecutor(thread_name_prefix="masks") as pool:
        for start in range(0, len(masks), _AT_ONCE):
            progress.advance(start, len(masks), "Inspecting the masks")
            progress.check()
            part = pool.map(look, masks[start : start + _AT_ONCE])
            found += [each for each in part if each is not None]
    return found


def save_mask(mask: Mask, path: Path, colors: Sequence[str]) -> None:
    """Write a mask as a PNG of class indexes with a palette.

    Args:
        mask: Shape (height, width).
        path: The file; its folder is made when missing.
        colors: Colors of the classes as "#rrggbb".
    """
    image = Image.fromarray(mask)
    image.putpalette(palette_of(colors))
    path.parent.mkdir(parents=True, exist_ok=True)
    image.save(path)
