"""All places that a recipe takes images from, as one list: merged, filtered, limited."""

from __future__ import annotations

import contextlib
import math
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from studio.engine.datasets.channel_files import (
    join_channels,
    proposal,
    proposed_channels,
    read_joined,
)
from studio.engine.datasets.class_names import (
    background_warnings,
    class_name_warnings,
    clean_name,
    clean_names,
    invisible_warnings,
    join_spellings,
    joined_spellings,
)
from studio.engine.datasets.decode import describe, tiles_of
from studio.engine.datasets.groups import Groups, joined_groups
from studio.engine.datasets.name_files import name_file_warnings
from studio.engine.datasets.origins.columns import kind_of_column
from studio.engine.datasets.origins.evidence import ImagesFound, recognize_origins
from studio.engine.datasets.origins.patients import patients_of
from studio.engine.datasets.origins.sidecar import read_sidecar
from studio.engine.datasets.picture_values import read_header
from studio.engine.datasets.plane_choices import IMAGES
from studio.engine.datasets.recipe import DatasetRecipe
from studio.engine.datasets.sources import SOURCES, base, explained, source_for
from studio.engine.datasets.sources.list_file import base_of
from studio.engine.datasets.sources.shared.labels import text_of
from studio.engine.datasets.sources.shared.names import looks_like_image, unread_picture_warnings
from studio.engine.datasets.splits import (
    HELD_OUT,
    SKIPPED,
    SPLIT_NAMES,
    TEST,
    TRAIN,
    VAL,
    any_of_group,
    assign_splits,
    splits_of_groups,
    stratified_splits,
)
from studio.engine.errors import BadDataError, StudioError
from studio.engine.files import natural_key, user_path
from studio.engine.messages import Text, as_message, joined, message
from studio.engine.progress import Progress
from studio.engine.tasks import TASKS
from studio.engine.tasks.annotations import (
    IGNORE,
    MAX_CLASSES,
    AnnotatedPicture,
    AnnotationOptions,
    BadAnnotationError,
    Regions,
    Remark,
    default_colors,
)
from studio.engine.tasks.boxes import MAX_BOXES
from studio.engine.tasks.geometry import Geometry
from studio.engine.tasks.targets import Annotated
from studio.engine.tasks.task import Task
from studio.engine.web.address import address_of, location_text, written

_PICTURES_AT_ONCE = 256
_NEEDS_TABLE: Text = (
    "Give a CSV file with a column of paths and columns of targets, a Parquet table, arrays "
    "(HDF5, NPZ), or a dataset of this task."
)


@dataclass(frozen=True, slots=True)
class Part:
    """One place of images.

    Attributes:
        path: Where.
        source: Reads it.
        split: The split that all of its images belong to, or None.
        field: The field of the recipe that names it.
    """

    path: Path
    source: base.Source
    split: str | None
    field: str


def parts_of(recipe: DatasetRecipe) -> list[Part]:
    """Return the places that a recipe names, the first one first.

    Raises:
        StudioError: One does not exist or has no supported format; `where` is its field.
    """
    task = recipe.read_as
    named: list[tuple[str, str, str | None]] = [("source", recipe.source, None)]
    named += [("more_sources", path, None) for path in recipe.more_sources]
    named += [
        (field, path, split)
        for field, path, split in (
            ("val_source", recipe.val_source, "val"),
            ("test_source", recipe.test_source, "test"),
        )
        if path
    ]
    return [
        _part(field, path, split, task, recipe.annotations if field == "source" else "")
        for field, path, split in named
    ]


def scan_parts(parts: Sequence[Part], recipe: DatasetRecipe, progress: Progress) -> base.Scan:
    """Find the images of all sources, without those that the recipe excludes.

    Args:
        parts: The sources.
        recipe: The recipe.
        progress: Receives the progress and may cancel.

    Raises:
        StudioError: A source contains nothing usable, or fewer than two classes remain.
        Cancelled: The job was asked to end.
    """
    _require_use(parts, recipe)
    task = recipe.read_as
    scan = base.Scan()
    for index, part in enumerate(parts):
        options = base.SourceOptions(
            labels_file=recipe.labels_file,
            path_prefix=recipe.prefix(part.split),
            origin_column=recipe.origin_column,
            internal_addresses=recipe.internal_addresses,
        ).for_task(
            task,
            partial(_annotation_options, recipe),
            is_part=len(parts) > 1 or bool(recipe.good_classes),
        )
        try:
            found = part.source.scan(part.path, progress, options)
        except StudioError as error:
            raise explained(error, part.path, recipe.annotations, task) from error
        clean_names(found)
        found = _take_columns(found, part, recipe)
        _join_channels(found, recipe)
        _add_patients(found, part, recipe, progress)
        _recognize_origins(found, part, recipe)
        _add_found(scan, found, part, index, is_only=len(parts) == 1)
    join_spellings(scan)
    _filter(scan, recipe)
    if recipe.good_classes:
        _annotate_by_class(scan, recipe)
        _drop_untrained(scan, recipe)
    else:
        _drop_untrained(scan, recipe)
        _limit(scan, recipe)
    if recipe.planes == IMAGES:
        _split_planes(parts, scan, progress)
    if recipe.tile_size:
        _tile(parts, scan, recipe, progress)
    order = {name: position for position, name in enumerate(scan.classes())}
    scan.items.sort(key=lambda item: order[item.class_name])  # stable: sources keep their order
    _require_images(scan, recipe)
    scan.warnings += unread_picture_warnings(each.path for each in scan.problems)
    scan.warnings += class_name_warnings(
        Counter(item.class_name for item in scan.items if item.class_name)
    )
    if not recipe.labels_file:
        of_regions = (name for each in scan.annotations for name in each.names)
        names = [*filter(None, scan.classes())] or [*dict.fromkeys(of_regions)]
        scan.warnings += name_file_warnings(parts[0].path, names)
    return scan


def _annotate_by_class(scan: base.Scan, recipe: DatasetRecipe) -> None:
    """Limit the classes, then make annotations of them, where some of them are good."""
    known = scan.classes()
    _limit(scan, recipe)
    lost = {*known} - {*scan.classes()}
    good = [name for name in map(clean_name, recipe.good_classes) if name not in lost]
    images = [
        AnnotatedPicture(each.key, each.class_name, each.split, each.origin) for each in scan.items
    ]
    found = TASKS[recipe.task].source.of_classes(images, good)
    scan.annotations = [found] * len(scan.items_columns)
    scan.warnings += found.warnings
    scan.items = [
        replace(item, class_name="", annotation=each.annotation, split=each.split)
        for item, each in zip(scan.items, found.pictures, strict=True)
    ]


def _require_images(scan: base.Scan, recipe: DatasetRecipe) -> None:
    """Refuse a scan without images to train on, or with too few classes."""
    task, classes = TASKS[recipe.task], scan.classes()
    if not classes and task.min_classes == 1:
        source = recipe.source
        left = message("{source} has no images left to train on.", source=source)
        if scan.problems:
            left = message(
                "{source} has no images left to train on; the first reason: {file}: {reason}.",
                source=source,
                file=scan.problems[0].path,
                reason=as_message(scan.problems[0].reason),
            )
        raise StudioError(
            left,
            "Check the splits of the images, or relax the limits.",
            "source",
        )
    if len(classes) < task.min_classes:
        left = message(
            "At least two classes are needed; {source} has none left.", source=recipe.source
        )
        if classes:
            left = message(
                'At least two classes are needed; {source} has only "{class_name}".',
                source=recipe.source,
                class_name=classes[0],
            )
        raise StudioError(
            left,
            "Add images of another class, or relax the limits.",
            "source",
        )


def _add_found(
    scan: base.Scan, found: base.Scan, part: Part, index: int, *, is_only: bool
) -> None:
    """Add what a source contains to the scan of all sources."""
    scan.items_columns.append(found.columns)
    scan.items_split_origins.append("separate sources" if part.split else found.split_origin)
    scan.items_delimiters.append(found.delimiter)
    scan.annotations += found.annotations
    if scan.origin_kind == "none":
        scan.origin_kind, scan.origin_column = found.origin_kind, found.origin_column
    scan.problems += [_shown_problem(part, problem) for problem in found.problems]
    scan.warnings += [each if is_only else _shown_warning(part, each) for each in found.warnings]
    scan.items += [
        replace(item, part=index, split=part.split or item.split) for item in found.items
    ]


def _join_channels(found: base.Scan, recipe: DatasetRecipe) -> None:
    """Join files of channels as the recipe says, or propose it."""
    if recipe.channel_files:
        join_channels(found, recipe.channel_ends)
        return
    ends = proposed_channels([item.key for item in found.items])
    if ends:
        found.warnings.append(proposal(ends))


def _add_patients(found: base.Scan, part: Part, recipe: DatasetRecipe, progress: Progress) -> None:
    """Set the patients of medical images as their origins, unless the source states others."""
    if recipe.origins not in {"auto", "patient"} or found.origin_kind != "none":
        return
    names = patients_of(
        [item.key for item in found.items],
        lambda index: part.source.open(part.path, found.items[index]),
        progress,
    )
    if any(names):
        found.origin_kind = "patient"
        found.items = [
            replace(item, origin=name) for item, name in zip(found.items, names, strict=True)
        ]


def _recognize_origins(found: base.Scan, part: Part, recipe: DatasetRecipe) -> None:
    """Set the origins of the images of a source, and their kind.

    Raises:
        StudioError: There are no origins of the kind that the recipe names.
    """
    sidecar = read_sidecar(part.path)
    if sidecar is not None:
        heading, names = sidecar
        found.origin_kind = kind_of_column(heading)
        found.origin_column = heading if found.origin_kind == "column" else ""
        found.items = [replace(item, origin=names.get(item.key, "")) for item in found.items]
    files = [item.key for item in found.items if looks_like_image(item.key)]
    if len(files) < len(found.items) and not any(item.origin for item in found.items):
        return  # images in arrays have no names
    evidence = recognize_origins(
        ImagesFound(
            [item.key for item in found.items],
            [item.class_name for item in found.items],
            [item.origin for item in found.items],
            found.origin_kind,
            found.origin_column,
        ),
        recipe.origins,
    )
    found.origin_kind, found.origin_column = evidence.kind, evidence.column
    found.items = [
        replace(item, origin=name) for item, name in zip(found.items, evidence.names, strict=True)
    ]


def _annotation_options(recipe: DatasetRecipe) -> AnnotationOptions:
    text = text_of(user_path(recipe.labels_file), "labels_file") if recipe.labels_file else ""
    return AnnotationOptions(
        class_names=tuple(recipe.class_names),
        class_colors=tuple(recipe.class_colors),
        labels_text=text,
        mask_mode=recipe.mask_mode,
        ignore_value=recipe.ignore_value,
        keep_empty=recipe.keep_empty,
    )


def read_parts(
    parts: Sequence[Part], items: Sequence[base.SourceImage], rows: Sequence[int]
) -> Iterator[tuple[int, base.Fetch]]:
    """Yield rows of a scan with functions that fetch their bytes, in the cheapest order.

    Every row is yielded exactly once; the function of a missing image raises.

    Args:
        parts: The sources.
        items: All images of the scan.
        rows: Indices into `items`.
    """
    for index, part in enumerate(parts):
        mine = [row for row in rows if items[row].part == index]
        if mine:
            found = read_joined([items[row] for row in mine], partial(_read_files, part))
            for row, fetch in found:
                yield mine[row], fetch


def _read_files(part: Part, files: Sequence[base.SourceImage]) -> Iterator[tuple[int, base.Fetch]]:
    yield from base.completed(part.source.read(part.path, files), range(len(files)))


def shown_path(parts: Sequence[Part], item: base.SourceImage) -> str:
    """Return the origin of an image: relative to the first source, or absolute.

    Args:
        parts: The sources.
        item: The image.
    """
    if item.part == 0 or address_of(item.key):
        return base.part_path(item.key, item.tile, item.plane)
    path = location_text(base_of(parts[item.part].path) / item.key)
    return base.part_path(path, item.tile, item.plane)


@dataclass(frozen=True, slots=True, eq=False)
class DealtImages:
    """Images of a dataset, to be assigned to splits.

    Attributes:
        items: The images, N.
        labels: Class of each image, shape (N,).
        traits: Labels to stratify by, shape (N, M); None for the classes.
        groups: Group of each image, shape (N,); images of a group get the same split.
    """

    items: Sequence[base.SourceImage]
    labels: NDArray[np.int32]
    traits: NDArray[np.bool_] | None
    groups: Groups


def deal(parts: Sequence[Part], recipe: DatasetRecipe, images: DealtImages) -> NDArray[np.int8]:
    """Return the split of each image, shape (N,).

    Splits defined by a source are kept. Its training images are split further if it has no
    validation or test images and the recipe asks for some. Each source is split by itself, so that
    adding a source moves no existing image. Tiles of a picture stay together, and so do groups,
    except images of one group that the sources assign to several splits.

    Args:
        parts: The sources.
        recipe: Percentages and seed.
        images: The images.
    """
    items = images.items
    result = np.full(len(items), SKIPPED, np.int8)
    part_of = np.array([item.part for item in items], np.int64)
    named = np.array([item.split in HELD_OUT for item in items], np.bool_)
    result[named] = [
        SPLIT_NAMES.index(str(item.split)) for item in items if item.split in HELD_OUT
    ]
    for index in range(len(parts)):
        mine = part_of == index
        percent = percentages(recipe, {item.split for item in items if item.part == index})
        if percent == (0.0, 0.0):
            result[mine & ~named] = TRAIN
    for index in range(len(parts)):
        rows = np.flatnonzero(part_of == index)
        if (result[rows] == SKIPPED).any():
            result[rows] = _deal_part(recipe, images, rows, result)
    return result


def _deal_part(
    recipe: DatasetRecipe,
    images: DealtImages,
    all_rows: NDArray[np.int64],
    assigned: NDArray[np.int8],
) -> NDArray[np.int8]:
    """Return the splits of the images of one source.

    Args:
        recipe: Percentages and seed.
        images: All images.
        all_rows: Indices of the images of the source.
        assigned: Split of each image of all sources, `SKIPPED` where it is open.
    """
    rows, pictures = _by_picture(images.items, all_rows)
    given = [images.items[row].split for row in rows.tolist()]
    val, test = percentages(recipe, given)
    usable = [TRAIN, *(part for part, percent in ((VAL, val), (TEST, test)) if percent)]
    joined = splits_of_groups(assigned, images.groups)
    stays = np.where((assigned == SKIPPED) & np.isin(joined, usable), joined, assigned)[
        rows
    ].astype(np.int8)
    groups = joined_groups(images.groups[all_rows], pictures)[np.searchsorted(all_rows, rows)]
    if images.traits is None:
        dealt = assign_splits(images.labels[rows], val, test, recipe.seed, stays, groups)
    else:
        traits = any_of_group(images.traits[all_rows], pictures, len(rows))
        dealt = stratified_splits(traits, val, test, recipe.seed, stays, groups)
    return dealt[pictures]


def percentages(recipe: DatasetRecipe, named: Collection[str | None]) -> tuple[float, float]:
    """Return the percentages of images that are assigned to validation and test at random.

    Args:
        recipe: Its percentages.
        named: Splits that the source of the images names.
    """
    val = 0.0 if "val" in named or recipe.val_source else recipe.val_percent
    test = 0.0 if "test" in named or recipe.test_source else recipe.test_percent
    return val, test


def _by_picture(
    items: Sequence[base.SourceImage], rows: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the first row of each picture, and for each row the number of its picture."""
    numbers: dict[str, int] = {}
    first: list[int] = []
    pictures = np.empty(len(rows), np.int64)
    for index, row in enumerate(rows.tolist()):
        key, _ = base.split_part_path(items[row].key)
        is_whole = items[row].tile is None and items[row].plane is None and key == items[row].key
        # Whole pictures are assigned one by one, though two sources may name one alike.
        name = str(row) if is_whole else f"picture {key}"
        if name not in numbers:
            numbers[name] = len(first)
            first.append(row)
        pictures[index] = numbers[name]
    return np.array(first, np.int64), pictures


def _tile(
    parts: Sequence[Part], scan: base.Scan, recipe: DatasetRecipe, progress: Progress
) -> None:
    """Replace each picture by its tiles; what was cut before stays as it is."""
    sizes: set[tuple[int, int]] = set()
    pictures = len(scan.items)

    def cut(item: base.SourceImage) -> list[base.SourceImage]:
        part = parts[item.part]
        if "annotations" not in part.source.takes:
            return [item]
        with part.source.open(part.path, item) as file:
            width, height, _ = describe(file)
        sizes.add((width, height))
        tiles = tiles_of((width, height), recipe.tile_size, recipe.tile_overlap)
        return [replace(item, tile=tile) for tile in tiles]

    _replace_items(parts, scan, cut, "Reading the sizes of the images", progress)
    if len(scan.items) > pictures:
        count = sum(item.tile is not None for item in scan.items)
        scan.warnings.append(_tiles_text(sizes, count, recipe))


def _tiles_text(sizes: Collection[tuple[int, int]], count: int, recipe: DatasetRecipe) -> Text:
    """Return a sentence about the tiles of pictures.

    Args:
        sizes: Width and height of the pictures in pixels.
        count: Number of tiles.
        recipe: Size and overlap of the tiles.
    """
    smallest, largest = (_size_text(pick(sizes, key=math.prod)) for pick in (min, max))
    several = message("{smallest} to {largest}", smallest=smallest, largest=largest)
    return message(
        "Images of {sizes} pixels are cut into {count:,} tiles of {side} × {side} pixels with an "
        "overlap of {overlap}. With a tile size of 0, all images are resized to one size instead.",
        sizes=smallest if smallest == largest else several,
        count=count,
        side=recipe.tile_size,
        overlap=recipe.tile_overlap,
    )


def _size_text(size: tuple[int, int]) -> str:
    return f"{size[0]} × {size[1]}"


def _split_planes(parts: Sequence[Part], scan: base.Scan, progress: Progress) -> None:
    """Replace each file with several planes by its planes, whose origin is the file."""

    def split(item: base.SourceImage) -> list[base.SourceImage]:
        if not looks_like_image(item.key):
            return [item]
        part = parts[item.part]
        with part.source.open(part.path, item) as file:
            planes = read_header(file, IMAGES).planes
        if planes == 1:
            return [item]
        origin = item.origin or item.key
        return [replace(item, plane=number, origin=origin) for number in range(planes)]

    _replace_items(parts, scan, split, "Counting the planes of the files", progress)
    if scan.origin_kind == "none" and any(item.plane is not None for item in scan.items):
        scan.origin_kind = "stack"


def _replace_items(
    parts: Sequence[Part],
    scan: base.Scan,
    parts_of_item: Callable[[base.SourceImage], list[base.SourceImage]],
    what: str,
    progress: Progress,
) -> None:
    """Replace each picture of a scan by its parts; what cannot be read is left out."""

    def cut(item: base.SourceImage) -> list[base.SourceImage] | str:
        try:
            return parts_of_item(item)
        except BadDataError as error:
            return error.message
        except OSError as error:
            return message("it cannot be read: {reason}", reason=error.strerror or error)

    found: list[base.SourceImage] = []
    with ThreadPoolExecutor(thread_name_prefix="parts") as pool:
        for start in range(0, len(scan.items), _PICTURES_AT_ONCE):
            progress.check()
            progress.advance(start, len(scan.items), what)
            some = scan.items[start : start + _PICTURES_AT_ONCE]
            for item, made in zip(some, pool.map(cut, some), strict=True):
                if isinstance(made, str):
                    path = base.safe_text(shown_path(parts, item))
                    scan.problems.append(base.Skipped(path, made))
                else:
                    found += made
    scan.items = found


def _part(field: str, path: str, split: str | None, task: Task, annotations: str) -> Part:
    location = user_path(path)
    try:
        return Part(location, source_for(location, task, annotations), split, field)
    except StudioError as error:
        where = error.where if error.where == "annotations" else field
        raise error.changed(where=where) from error


def _require_use(parts: Sequence[Part], recipe: DatasetRecipe) -> None:
    """Refuse what would be ignored."""
    takers = [part for part in parts if "internal_addresses" in part.source.takes]
    if recipe.internal_addresses and not takers:
        raise StudioError(
            "Internal addresses can be allowed only for lists and files on the web; {source} "
            "is neither.",
            "Leave the option out.",
            "internal_addresses",
            source=recipe.source,
        )
    task = recipe.read_as
    if task.source.columns:
        for part in parts:
            if "columns" not in part.source.takes:
                raise StudioError(
                    "{task} needs a table with the targets of each image; {source} is not one.",
                    joined([_NEEDS_TABLE, *_tables_in(part.path)]),
                    part.field,
                    task=as_message(task.label),
                    source=written(part.path),
                )
    uses = (
        ("labels_file", "labels_file", parts),
        ("annotations", "annotations", [part for part in parts if part.field == "source"]),
        ("path_prefix", "path_prefix", parts),
        ("val_path_prefix", "path_prefix", [part for part in parts if part.split == "val"]),
        ("test_path_prefix", "path_prefix", [part for part in parts if part.split == "test"]),
    )
    for field, option, users_of in uses:
        if getattr(recipe, field) and not any(option in part.source.takes for part in users_of):
            users = [source.label for source in SOURCES if option in source.takes]
            what = option.replace("_", " ")
            where = {"val": recipe.val_source, "test": recipe.test_source}
            location = where.get(field.partition("_")[0], recipe.source)
            reason = (
                message("{source} does not need one", source=location)
                if location
                else message("there is no separate source")
            )
            raise StudioError(
                "The {option} has no effect: {reason}.",
                message("Leave it empty; it is for: {sources}.", sources=joined(users, "; "))
                if users
                else "Leave it empty; it is for tasks with masks or boxes.",
                field,
                option=what,
                reason=reason,
            )


def _shown_problem(part: Part, problem: base.Skipped) -> base.Skipped:
    if part.field == "source":
        return problem
    return replace(problem, path=f"{base.safe_text(location_text(part.path))}/{problem.path}")


def _shown_warning(part: Part, warning: Text) -> Text:
    return message(
        "{source}: {warning}",
        source=base.safe_text(location_text(part.path)),
        warning=as_message(warning),
    )


def _tables_in(path: Path) -> list[Text]:
    """Return a hint to import a table in a folder; none if there is no table."""
    found = sorted(each for each in path.glob("*.csv") if each.is_file()) if path.is_dir() else []
    return [message("Perhaps import {table}.", table=written(found[0]))] if found else []


def _take_columns(found: base.Scan, part: Part, recipe: DatasetRecipe) -> base.Scan:
    """Return the findings with the columns of the recipe, or those with targets.

    Raises:
        StudioError: A column is missing.
    """
    kind = TASKS[recipe.task].targets
    if not found.columns or not kind.in_file:
        return found
    plain = {_without_unit(name): name for name in found.columns}
    rows = [item.values for item in found.items]
    usual = [name for name in kind.usable(found.columns, rows) if name != found.origin_column]
    requested = [
        name if name in found.columns else plain.get(name, name)
        for name in map(clean_name, recipe.target_columns)
    ] or usual
    unused = kind.unused(found.columns, rows) if requested == usual else {}
    unused.pop(found.origin_column, None)
    if unused and not requested:
        raise StudioError(
            "{source} has no column that is used as target by default.",
            joined(list(unused.values())),
            "target_columns",
            source=written(part.path),
        )
    found.warnings += [reason for name, reason in unused.items() if name not in requested]
    if not requested:
        return found  # the error names what is missing
    if missing := [name for name in requested if name not in found.columns]:
        reason = _without_column(part, missing[0], found.columns)
        raise StudioError(reason, "Check the names of the columns.", "target_columns")
    indices = [found.columns.index(name) for name in requested]
    items = [
        replace(item, values=tuple(item.values[index] for index in indices))
        for item in found.items
    ]
    return replace(found, items=items, columns=tuple(requested))


def _without_unit(column: str) -> str:
    name = column.partition("[")[0].partition("(")[0]
    return name if name == column else name.rstrip()


def annotated(parts: Sequence[Part], scan: base.Scan, recipe: DatasetRecipe) -> Annotated:
    """Read the targets of the images and drop images without targets.

    Labels of any source become labels of the dataset; quantities must be in every source.

    Args:
        parts: The sources.
        scan: The images; those without targets are removed.
        recipe: Task and columns.

    Raises:
        StudioError: The columns contain nothing that the task can use, or a source has other
            quantities or units than the first.
    """
    kind = TASKS[recipe.task].targets
    if not kind.in_file:
        return _classes_of(scan)
    if TASKS[recipe.task].source.reads("annotations"):
        return _counted(scan)
    rows_of: defaultdict[int, list[int]] = defaultdict(list)
    for row, item in enumerate(scan.items):
        rows_of[item.part].append(row)
    pieces = {
        part: kind.read(
            scan.items_columns[part],
            [scan.items[row].values for row in rows],
            scan.items_delimiters[part],
        )
        for part, rows in sorted(rows_of.items())
    }
    scan.warnings += [warning for piece in pieces.values() for warning in piece.warnings]
    first = next(iter(pieces.values()))
    names = first.names
    if kind.new_output is not None:
        names = tuple(dict.fromkeys(name for each in pieces.values() for name in each.names))
    values = np.full((len(scan.items), len(names)), kind.new_output or 0, kind.dtype)
    refused: dict[int, str] = {}
    for part, piece in pieces.items():
        _require_same(parts[part], first, piece, names if kind.new_output is None else ())
        rows = rows_of[part]
        shared = [name for name in piece.names if name in names]
        into, outof = map(names.index, shared), map(piece.names.index, shared)
        values[np.ix_(rows, list(into))] = piece.values[:, list(outof)]
        refused |= {rows[index]: reason for index, reason in piece.refused.items()}
    scan.problems += [
        base.Skipped(
            base.safe_text(scan.items[row].key),
            reason,
            scan.items[row].position if scan.items_delimiters[scan.items[row].part] else None,
        )
        for row, reason in sorted(refused.items())
    ]
    valid = [row for row in range(len(scan.items)) if row not in refused]
    scan.items = [scan.items[row] for row in valid]
    if kind.new_output is not None:
        counts = np.count_nonzero(values[valid], axis=0).tolist()
        scan.warnings += class_name_warnings(dict(zip(names, counts, strict=True)))
    return Annotated(names, values[valid], first.units)


def _classes_of(scan: base.Scan) -> Annotated:
    """Return the class of each image as its target."""
    names = scan.classes()
    numbers = {name: index for index, name in enumerate(names)}
    labels = np.array([numbers[item.class_name] for item in scan.items], np.int32)
    return Annotated(tuple(names), labels[:, None])


def _counted(scan: base.Scan) -> Annotated:
    """Return targets of 0 for each class: pixels and boxes are counted when they are read.

    Classes of any place become classes of the dataset.

    Raises:
        StudioError: There are more classes than masks and boxes can have.
    """
    spelling = _spellings_of_parts(scan)
    colors: dict[str, str] = {}
    for part in scan.annotations:
        part.names = tuple(map(spelling.__getitem__, part.names))
        for name, color in zip(part.names, part.colors or [""] * len(part.names), strict=True):
            colors[name] = colors.get(name) or color
    if len(colors) > MAX_CLASSES:
        raise StudioError(
            "The sources have {count} classes in total; {limit} are possible.",
            "Import fewer classes.",
            "source",
            count=len(colors),
            limit=MAX_CLASSES,
        )
    scan.warnings += invisible_warnings(spelling)
    scan.warnings += class_name_warnings(dict.fromkeys(colors))
    if any(part.marks_objects for part in scan.annotations):
        scan.warnings += background_warnings(colors)
    names = tuple(colors)
    values = np.zeros((len(scan.items), len(names)), np.int32)
    return Annotated(names, values, colors=default_colors(names, list(colors.values())))


def _spellings_of_parts(scan: base.Scan) -> dict[str, str]:
    """Return the common spelling of each class of masks or boxes; see `joined_spellings`."""
    places: dict[str, set[str]] = {}
    for number, part in enumerate(scan.annotations):
        for name in part.names:
            places.setdefault(clean_name(name), set()).add(str(number))
    common, scan.warnings = joined_spellings(places, "0", scan.warnings)
    plain = {name: clean_name(name) for part in scan.annotations for name in part.names}
    return {name: common.get(form, form) for name, form in plain.items()}


class RegionReader:
    """The masks or boxes of the images of a scan.

    Args:
        scan: Scan of all places.
        names: Names of the classes of the dataset.
        geometry: Geometry of the regions.

    Attributes:
        max_boxes: Boxes of the picture that has the most; 0 for masks.
    """

    def __init__(self, scan: base.Scan, names: Sequence[str], geometry: Geometry) -> None:
        self.geometry = geometry
        self._annotations = scan.annotations
        self._tables = []
        for part in scan.annotations:
            table = np.full(256, IGNORE, np.uint8)
            table[: len(part.names)] = [names.index(clean_name(name)) for name in part.names]
            self._tables.append(None if part.names == tuple(names) else table)
        most = (part.max_boxes for part in scan.annotations)
        self.max_boxes = min(MAX_BOXES, max(most, default=0))

    def read(self, item: base.SourceImage, size: tuple[int, int]) -> tuple[Regions, list[Remark]]:
        """Return the regions of a whole picture with the classes of the dataset; in any thread.

        Args:
            item: The picture, or a part of it.
            size: Width and height of the whole picture in pixels.

        Returns:
            Its mask or its boxes, and what is left out or changed.

        Raises:
            BadAnnotationError: They cannot be used; the message is a short reason.
        """
        annotations, table = self._annotations[item.part], self._tables[item.part]
        try:
            regions, remarks = annotations.regions(item.annotation, size)
        except BadDataError as error:
            raise BadAnnotationError(error.message) from error
        if table is not None:
            regions = self.geometry.relabeled(regions, table)
        return regions, remarks

    def counts(
        self, regions: Regions, classes: int, tile: base.Tile | None = None
    ) -> NDArray[np.int64]:
        """Count the regions of each class in an image, shape (classes,).

        Args:
            regions: Regions of the image, or of the whole picture.
            classes: Number of classes.
            tile: The part of the whole picture to count in; None for all of it.
        """
        return self.geometry.counts(self.geometry.inside(regions, tile), classes)

    def object_count(self, item: base.SourceImage) -> int:
        """Return the number of objects that its file has for a picture; 0 if it is unknown."""
        return self._annotations[item.part].object_count(item.annotation)


def _without_column(part: Part, column: str, columns: Sequence[str]) -> str:
    """Return the error that a place has no column of a name, but others."""
    return message(
        '{source} has no column "{column}"; it has {columns}.',
        source=written(part.path),
        column=column,
        columns=", ".join(columns),
    )


def _require_same(part: Part, first: Annotated, found: Annotated, names: Sequence[str]) -> None:
    """Refuse a place that lacks quantities, or has them in other units.

    Raises:
        StudioError: It does.
    """
    if missing := [name for name in names if name not in found.names]:
        raise StudioError(
            _without_column(part, missing[0], found.names),
            "Every source needs a column for each quantity of the first.",
            part.field,
        )
    units = dict(zip(first.names, first.units, strict=False))
    for name, unit in zip(found.names, found.units, strict=False):
        if units.get(name, unit) != unit:
            raise StudioError(
                '{source} has "{column}" in {unit}, but the first source has {first_unit}.',
                "Convert the values to one unit.",
                part.field,
                source=written(part.path),
                column=name,
                unit=unit or message("no unit"),
                first_unit=units[name] or message("no unit"),
            )


def _filter(scan: base.Scan, recipe: DatasetRecipe) -> None:
    """Keep only the requested classes and splits."""
    if recipe.only_classes:
        known = set(scan.classes())
        for name in map(clean_name, recipe.only_classes):
            if name not in known:
                raise StudioError(
                    'There is no class called "{class_name}" in {source}.',
                    message("Found: {classes}.", classes=", ".join(scan.classes()[:12])),
                    "only_classes",
                    class_name=name,
                    source=recipe.source,
                )
        requested = {*map(clean_name, recipe.only_classes)}
        scan.items = [item for item in scan.items if item.class_name in requested]
    if recipe.only_splits:
        splits = {*recipe.only_splits}
        scan.items = [item for item in scan.items if item.split is None or item.split in splits]


def _drop_untrained(scan: base.Scan, recipe: DatasetRecipe) -> None:
    """Drop classes without training images: they cannot be learned."""
    if "train" not in (recipe.only_splits or ["train"]):
        return
    trained = {item.class_name for item in scan.items if item.split in {None, "train"}}
    lost = Counter(item.class_name for item in scan.items if item.class_name not in trained)
    for name, count in sorted(lost.items(), key=lambda pair: natural_key(pair[0])):
        reason = message(
            "the class has no training images; its other images are left out: {count}",
            count=count,
        )
        scan.problems.append(base.Skipped(base.safe_text(name), reason))
    if lost:
        scan.items = [item for item in scan.items if item.class_name in trained]


def _limit(scan: base.Scan, recipe: DatasetRecipe) -> None:
    """Leave out small classes, and sample large ones; separate val and test by their own limits.

    What is too small to train on is left out of the others too; a class that is too small for
    validation or the test is left out of those alone.
    """
    for split in SPLIT_NAMES:
        mine = {None, "train"} if split == "train" else {split}
        rows: defaultdict[str, list[int]] = defaultdict(list)
        for row, item in enumerate(scan.items):
            if item.split in mine:
                rows[item.class_name].append(row)
        fewest, most = recipe.limits(split)
        if split != "train" and not rows and (fewest, most) != (1, None):
            scan.warnings.append(
                message(
                    "There are no separate {split} images, so their limits have no effect.",
                    split=as_message(split),
                )
            )
        small = {name for name, found in rows.items() if len(found) < fewest}
        for name in sorted(small, key=natural_key):
            scan.problems.append(too_few_images(name, len(rows[name]), fewest, split))
        out = _surplus(rows, most, recipe.seed)
        lost = {None, *SPLIT_NAMES} if split == "train" else mine
        if out or small:
            scan.items = [
                item
                for row, item in enumerate(scan.items)
                if row not in out and not (item.class_name in small and item.split in lost)
            ]


def _surplus(rows: Mapping[str, list[int]], most: int | None, seed: int) -> set[int]:
    """Return the rows to leave out so that a random sample of at most `most` per class stays."""
    out: set[int] = set()
    for name, mine in rows.items():
        if most is not None and len(mine) > most:
            # The name seeds too, so that one class's sample does not depend on the others.
            entropy = [seed, *name.encode("utf-8", "surrogateescape")]
            generator = np.random.Generator(np.random.PCG64(entropy))
            out.update(generator.permutation(mine)[most:].tolist())
    return out


def too_few_images(name: str, count: int, fewest: int, split: str = "train") -> base.Skipped:
    """Return the report line about a class that is excluded.

    Args:
        name: Name of the class.
        count: Number of its images.
        fewest: Required number.
        split: Split in which it has too few.
    """
    uses = {"val": message("for validation"), "test": message("for the test")}
    reason = message(
        "the class has {count} images {use}; the minimum is {fewest}",
        one="the class has {count} image {use}; the minimum is {fewest}",
        count=count,
        use=uses.get(split, message("to train on")),
        fewest=fewest,
    )
    return base.Skipped(base.safe_text(name), reason)


@contextlib.contextmanager
def ended(found: Iterator[tuple[int, base.Fetch]]) -> Iterator[Iterator[tuple[int, base.Fetch]]]:
    """Close the iterator at the end of the block."""
    try:
        yield found
    finally:
        base.close_reading(found)
