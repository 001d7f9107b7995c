"""Suggestion of a recipe for new images."""

from __future__ import annotations

import contextlib
import math
from collections.abc import Collection, Sequence
from dataclasses import replace
from io import BytesIO
from pathlib import Path
from typing import BinaryIO, Final

import numpy as np
from numpy.typing import NDArray

from studio.engine.datasets.decode import load_image, tiles_of
from studio.engine.datasets.gather import ended
from studio.engine.datasets.picture_values import read_header
from studio.engine.datasets.pixel_sample import are_colors
from studio.engine.datasets.recipe import Color, DatasetRecipe
from studio.engine.datasets.sources import source_for
from studio.engine.datasets.sources.base import (
    NO_OPTIONS,
    Scan,
    Source,
    SourceImage,
    SourceOptions,
)
from studio.engine.datasets.sources.list_file import SUFFIXES, ListFileSource
from studio.engine.datasets.sources.shared.list_columns import LABEL_WORDS
from studio.engine.errors import BadDataError, StudioError
from studio.engine.messages import as_message, message
from studio.engine.progress import Progress, SilentProgress
from studio.engine.tables.cells import is_missing
from studio.engine.tables.columns import plain_word
from studio.engine.tables.numbers import whole_number
from studio.engine.tasks import DEFAULT_TASK, TASKS
from studio.engine.tasks.boxes import BOTTOM, CROWD, FLAGS, LEFT, RIGHT, TOP
from studio.engine.tasks.task import Task
from studio.engine.web.address import written

# Sides that networks divide well; 224 is what most pretrained ones were made for.
FRIENDLY_SIDES = (28, 32, 48, 64, 96, 128, 160, 192, 224)
_BOX_SIDE: Final = 320
"""Side of pictures with boxes that is enough for most objects."""
_LARGEST_BOX_SIDE: Final = 640
_BOX_STEP: Final = 32
"""Coarsest stride of detectors; sides are multiples of it."""
_MOST_PICTURES: Final = 90
"""Percentage of the pictures that small objects keep from being shrunk, where sizes are alike."""
_ALIKE: Final = 1.5
"""Ratio to the median up to which sizes of pictures are alike."""
_SMALL_OBJECT: Final = 16.0
"""Shorter side in pixels below which networks lose objects."""
_MAX_SHRUNK: Final = 0.05
"""Fraction of the objects that resizing may shrink below `_SMALL_OBJECT`."""
_LARGE_OBJECT: Final = 90
"""Percentile of the longer sides of objects that is about the size of a large one."""
_TILE_OBJECTS: Final = 4
"""Large objects that have room side by side in a tile."""
_OVERLAP_STEP: Final = 16
_MAX_TILE_PIXELS: Final = 2.0
"""Pixels of all tiles up to which they are proposed, as a multiple of those of the pictures."""
_MAX_TILES: Final = 20_000
"""Tiles of a dataset up to which they are proposed: each takes as much time as an image."""
_NEARLY_SQUARE: Final = 1.15
"""Aspect ratio up to which stretching to a square hardly changes the shape of objects."""
_SAMPLE = 64
_LARGE_LIST = 4 * 2**20
"""Size in bytes above which a list is not read twice."""
_ROWS = 2000
_MOST_CLASSES = 20
"""Different whole numbers that may be classes rather than quantities."""
# A column such as fine_label ends with one of these.
_CLASS_WORDS = frozenset({"label", "labels", "class", "classes", "category", "target", "targets"})
_OF_SIZE: Final = frozenset({"width", "height", "tile_size"})
_COLORS: Final = 3
# JPEG stores gray pictures in color with rounding errors of this many levels.
_GRAY_SPREAD = 4


def suggest_recipe(
    path: Path,
    scan: Scan | None = None,
    progress: Progress | None = None,
    options: SourceOptions = NO_OPTIONS,
    source: Source | None = None,
    *,
    chosen: Collection[str] = (),
) -> DatasetRecipe:
    """Look at some of the images and propose a size and a color; the rest are the defaults.

    The side of the square is the friendly number nearest to the median side of the sample, and
    at most 224; for pictures with objects see `_for_objects`. Gray is proposed when every sampled
    image is gray, all channels when most are neither gray nor color.

    Args:
        path: Location of the images.
        scan: Scan of the source, if available.
        progress: Receives the progress and may cancel.
        options: Known facts about the source, without `scan`.
        source: Reads the images; None for the default.
        chosen: Fields that a person chose; no tiles are proposed if the size is among them.

    Raises:
        StudioError: Nothing usable is there.
    """
    listener = progress or SilentProgress()
    source = source or source_for(path)
    scan = scan or source.scan(path, listener, options)
    step = max(1, len(scan.items) // _SAMPLE)
    sample = scan.items[::step][:_SAMPLE]
    recipe = _with_own_splits(DatasetRecipe(source=written(path)), scan)
    sizes: list[tuple[int, int]] = []
    objects: list[NDArray[np.float64]] = []
    colors: list[Color] = []
    # In one reading: a packed archive can only be read from its beginning.
    found = source.read(path, sample)
    with contextlib.suppress(BadDataError, OSError), ended(found):  # the import will list it
        for index, fetch in found:
            listener.check()
            with contextlib.suppress(BadDataError, OSError):
                size, color = _inspect(BytesIO(fetch()))
                sizes.append(size)
                colors.append(color)
                objects.append(_objects(scan, sample[index], size))
    if not sizes:
        return recipe
    recipe = recipe.changed(color=_joint_color(colors))
    if any(each.marks_objects for each in scan.annotations):
        known = np.concatenate([np.empty((0, 3)), *objects])
        least = max(each.least_side for each in scan.annotations)
        resized = _for_objects(recipe, sizes, known, least)
        can_tile = _OF_SIZE.isdisjoint(chosen) and "annotations" in source.takes
        is_lossy = can_tile and _loses_objects(resized, known)
        return _in_tiles(resized, sizes, known, len(scan.items)) if is_lossy else resized
    median = float(np.median([(width * height) ** 0.5 for width, height in sizes]))
    side = min(FRIENDLY_SIDES, key=lambda friendly: abs(friendly - median))
    return recipe.changed(width=side, height=side)


def _with_own_splits(recipe: DatasetRecipe, scan: Scan) -> DatasetRecipe:
    """Return a recipe that keeps the splits of the source: none of its images become test images.

    Where it has no validation images, some training images become those, since training needs
    them.
    """
    splits = {item.split for item in scan.items}
    has_own = "val" in splits and "test" not in splits
    return recipe.changed(test_percent=0) if has_own else recipe


def _for_objects(
    recipe: DatasetRecipe,
    sizes: Sequence[tuple[int, int]],
    objects: NDArray[np.float64],
    least: float,
) -> DatasetRecipe:
    """Return a recipe with a size at which networks find the objects of pictures.

    The square has 320 pixels, up to 640 where objects would be small, but not more than half of
    the pictures, or, with small objects, than most of them: enlarging some pictures costs less
    than shrinking the small objects of others. The border of pictures that are far from square is
    filled, since squashing them would change the shape of the objects.

    Args:
        recipe: Changed in size and resizing.
        sizes: Width and height of the pictures in pixels.
        objects: See `_objects`.
        least: Shorter side in pixels that half of the objects should have.
    """
    longer, shorter = (np.array([pick(size) for size in sizes], float) for pick in (max, min))
    fractions = objects[:, 0] / objects[:, 2]
    wanted = least / float(np.median(fractions)) if len(objects) else 0.0
    limit = float(np.median(longer))
    if wanted > limit:
        limit = min(float(np.percentile(longer, _MOST_PICTURES)), _ALIKE * limit)
    side = min(_stepped(max(_BOX_SIDE, wanted)), _stepped(limit), _LARGEST_BOX_SIDE)
    is_square = float(np.median(longer / shorter)) <= _NEARLY_SQUARE
    return recipe.changed(width=side, height=side, resize="squash" if is_square else "fill")


def _in_tiles(
    recipe: DatasetRecipe,
    sizes: Sequence[tuple[int, int]],
    objects: NDArray[np.float64],
    count: int,
) -> DatasetRecipe:
    """Return a recipe that cuts the pictures into tiles, since resizing would lose small objects.

    Pictures of one size up to 640 pixels keep that size. Tiles show a picture in its own
    resolution; four large objects fit side by side into one, and tiles overlap by the size of a
    large object, so that each object is complete in one of them.

    Args:
        recipe: The recipe without tiles, from `_for_objects`.
        sizes: Width and height of the pictures in pixels.
        objects: See `_objects`.
        count: Number of pictures, of which `sizes` are a sample.
    """
    longer = [max(size) for size in sizes]
    native = _stepped(float(np.median(longer)))
    if native <= _LARGEST_BOX_SIDE and max(longer) - min(longer) < _BOX_STEP:
        return recipe.changed(width=native, height=native)
    large = float(np.percentile(objects[:, 1], _LARGE_OBJECT))
    side = min(_BOX_SIDE, native)
    if _TILE_OBJECTS * large > side:
        return recipe
    overlap = _OVERLAP_STEP * math.ceil(large / _OVERLAP_STEP)
    try:
        tiles = sum(len(tiles_of(size, side, overlap)) for size in sizes)
    except BadDataError:  # too many of one picture
        return recipe
    pixels = sum(width * height for width, height in sizes)
    if tiles * count > _MAX_TILES * len(sizes) or tiles * side**2 > _MAX_TILE_PIXELS * pixels:
        return recipe
    return recipe.changed(
        width=side, height=side, resize="squash", tile_size=side, tile_overlap=overlap
    )


def _loses_objects(recipe: DatasetRecipe, objects: NDArray[np.float64]) -> bool:
    """Return True if resizing makes more objects too small than it may."""
    scale = np.minimum(1.0, recipe.width / objects[:, 2])
    are_lost = (objects[:, 0] >= _SMALL_OBJECT) & (objects[:, 0] * scale < _SMALL_OBJECT)
    return int(are_lost.sum()) > _MAX_SHRUNK * len(objects)


def _stepped(side: float) -> int:
    return _BOX_STEP * math.ceil(side / _BOX_STEP)


def _objects(scan: Scan, item: SourceImage, size: tuple[int, int]) -> NDArray[np.float64]:
    """Return shorter and longer side of each object of a picture, and the longer side of it.

    Args:
        scan: The scan of the source.
        item: The picture.
        size: Its width and height in pixels.

    Returns:
        Pixels, shape (objects, 3).

    Raises:
        BadDataError: Its boxes cannot be used.
    """
    annotations = scan.annotations[item.part] if scan.annotations else None
    boxes = None if annotations is None else annotations.objects(item.annotation, size)
    if boxes is None:
        return np.empty((0, 3))
    boxes = boxes[boxes[:, FLAGS].astype(np.int64) & CROWD == 0]
    sides = np.stack([boxes[:, RIGHT] - boxes[:, LEFT], boxes[:, BOTTOM] - boxes[:, TOP]])
    columns = [sides.min(axis=0), sides.max(axis=0), np.full(sides.shape[1], max(size))]
    return np.stack(columns, axis=1).astype(np.float64)


def suggest_task(table: Scan) -> tuple[Task, list[str]]:
    """Propose the task of a table, and the columns of its targets.

    Columns of 0 and 1 or lists of names are labels, columns of numbers are quantities. A column
    that is called like a class holds classes unless its cells are plainly something else.

    Args:
        table: All columns of the table.
    """
    rows = [item.values for item in table.items[:: max(1, len(table.items) // _ROWS)]]
    named = [each for each in table.columns if _names_classes(each)]
    for task in TASKS.values() if rows else ():
        usable = task.targets.usable(table.columns, rows)
        found = [name for name in usable if name != table.origin_column]
        if named:
            cells = [row[table.columns.index(named[0])] for row in rows]
            found = named[:1] if task.targets.is_evident(cells) else []
        if len(found) == 1 and not named and _are_classes(table, rows, found[0]):
            found = []
        if found:
            return task, found
    return DEFAULT_TASK, []


def _are_classes(table: Scan, rows: Sequence[Sequence[str]], column: str) -> bool:
    """Return True if a column has few whole numbers that come again and again, or is a flag."""
    index = table.columns.index(column)
    cells = [row[index] for row in rows if not is_missing(row[index])]
    numbers = {whole_number(cell) for cell in cells}
    if None in numbers:
        return False
    return len(numbers) <= min(_MOST_CLASSES, len(cells) // 2) or numbers == {0, 1}


def _names_classes(column: str) -> bool:
    word = column.casefold().replace(" ", "_")
    return plain_word(column) in LABEL_WORDS or word.rpartition("_")[2] in _CLASS_WORDS


def other_task(path: Path, options: SourceOptions) -> str:
    """Return a hint if the columns of a list suit another task than the default one.

    Args:
        path: Location of the images.
        options: Known facts about the source.
    """
    is_list = path.suffix.casefold() in SUFFIXES and path.is_file()
    if not is_list or path.stat().st_size > _LARGE_LIST:
        return ""
    requested = replace(options, columns=True, min_classes=0)
    source = source_for(path)
    if source.name != ListFileSource.name:
        return ""
    try:
        task, columns = suggest_task(source.scan(path, SilentProgress(), requested))
    except StudioError:
        return ""
    if task is DEFAULT_TASK:
        return ""
    return message(
        "Its columns ({columns}) look like {task:lower}; for that, add --task {name}.",
        columns=", ".join(columns[:4]),
        task=as_message(task.label),
        name=task.name,
    )


def _joint_color(colors: Sequence[Color]) -> Color:
    if 2 * colors.count("all") > len(colors):
        return "all"
    return "gray" if set(colors) == {"gray"} else "rgb"


def color_of(file: BinaryIO) -> Color:
    """Return the color that suits a picture.

    Raises:
        BadDataError: It is no picture.
    """
    return _inspect(file)[1]


def _inspect(file: BinaryIO) -> tuple[tuple[int, int], Color]:
    """Return width and height of a picture in pixels, and the color that suits it."""
    header = read_header(file)
    size, names = (header.width, header.height), header.channel_names
    colors = header.channels - header.has_alpha
    if colors == 1:
        return size, "gray"
    if colors != _COLORS or (names and not are_colors(names[:_COLORS])):
        return size, "all"
    if header.dtype != "uint8":
        return size, "rgb"
    file.seek(0)
    small = load_image(file, DatasetRecipe(source="", width=64, height=64))
    is_gray = int(np.ptp(small.astype(np.int16), axis=2).max()) <= _GRAY_SPREAD
    return size, "gray" if is_gray else "rgb"
