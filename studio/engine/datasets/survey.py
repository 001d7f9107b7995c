"""Survey of the images that a recipe would import: counts, problems and some examples.

Runs in a separate process (`survey_process`), because what it reads may come from anywhere.
"""

from __future__ import annotations

import base64
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from io import BytesIO
from pathlib import Path
from typing import Any, TypeVar

from studio.engine.datasets.decode import describe
from studio.engine.datasets.gather import (
    Part,
    RegionReader,
    annotated,
    parts_of,
    read_parts,
    scan_parts,
)
from studio.engine.datasets.import_report import ImportReport, sample_rows
from studio.engine.datasets.recipe import DatasetRecipe
from studio.engine.datasets.sources import evident_task, explained
from studio.engine.datasets.sources.base import (
    Scan,
    Skipped,
    SourceImage,
    SourceOptions,
    close_reading,
)
from studio.engine.datasets.suggestion import suggest_recipe, suggest_task
from studio.engine.errors import BadDataError, StudioError
from studio.engine.files import user_path
from studio.engine.messages import Text, from_json, joined, message, to_json
from studio.engine.pictures.info import Georeference
from studio.engine.progress import Progress
from studio.engine.tasks import TASKS
from studio.engine.tasks.geometry import packed
from studio.engine.tasks.targets import Annotated, Targets
from studio.engine.web.address import address_of

T = TypeVar("T")
_EXAMINED = 2000
_EXAMPLES = 4
_RANGE = ("min", "mean", "max")
"""Figures of an output that are shown."""
_PROPOSED = frozenset(
    {"width", "height", "color", "resize", "tile_size", "tile_overlap", "test_percent"}
)
"""Fields of a recipe that are proposed for its images."""


@dataclass(frozen=True, slots=True)
class SurveyQuestion:
    """The images to look for.

    Attributes:
        recipe: Locations to search, and exclusions.
        examine: True to decode the images and return the summary of their import, and a random
            sample of them.
        suggest: True to propose size, tiles and color, rather than keep those of the recipe.
        first: Index of the first location whose images are shown.
        max_images: Number of images to read for the preview.
        known_locations: The sources whose images are shown already.
        known_images: Source, key and row of known images, which are not read again.
    """

    recipe: DatasetRecipe
    suggest: bool = False
    examine: bool = False
    first: int = 0
    max_images: int = 0
    known_locations: Sequence[str] = ()
    known_images: Sequence[tuple[str, str, int]] = ()

    def to_data(self) -> dict[str, Any]:
        """Convert it to data for JSON."""
        return asdict(self) | {"recipe": self.recipe.model_dump(mode="json")}

    @classmethod
    def of_data(cls, data: Mapping[str, Any]) -> SurveyQuestion:
        """Read what `to_data` made."""
        images = [(location, key, row) for location, key, row in data["known_images"]]
        recipe = DatasetRecipe.parse(data["recipe"])
        return cls(**{**data, "recipe": recipe, "known_images": images})


@dataclass(frozen=True, slots=True)
class SurveyedImage:
    """An image to show.

    Attributes:
        location: Path or address of the source.
        item: The image.
        data: Its encoded bytes; empty where they are known or cannot be read.
        problem: The reason why it cannot be read.
        is_known: True if its bytes were read before.
        values: Its targets.
        regions: Regions of the whole picture, see `packed`; empty if there are none.
    """

    location: str
    item: SourceImage
    data: bytes = b""
    problem: str = ""
    is_known: bool = False
    values: tuple[float, ...] = ()
    regions: bytes = b""


@dataclass(frozen=True, slots=True)
class SurveyedColumn:
    """A column of a table.

    Attributes:
        name: In the first line of the table.
        examples: Some of its cells.
        tasks: Names of the tasks whose targets it looks like.
    """

    name: str
    examples: Sequence[str]
    tasks: Sequence[str]


@dataclass(frozen=True, slots=True)
class SurveyedOutput:
    """A class, a label or a quantity, with its images and the range and mean of its values.

    Attributes:
        color: Color of a class of masks or boxes as "#rrggbb"; its images are not counted before
            the import.
    """

    name: str
    count: int
    unit: str = ""
    low: float = 0.0
    mean: float = 0.0
    high: float = 0.0
    color: str = ""


@dataclass(frozen=True, slots=True)
class SurveyedLocation:
    """A place that images come from: its source, and how many images of which split."""

    path: str
    source: str
    label: str
    count: int
    splits: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class SurveyResult:
    """The images that a recipe would import.

    Attributes:
        locations: The sources, without separate ones for validation or test.
        count: Images that would be imported.
        classes: Each class, label or quantity with its number of images.
        splits: Number of images by the splits that the sources define.
        problems: Files that will be skipped.
        warnings: Sentences about assumptions and conspicuous facts that a person should check.
        recipe: The recipe of the search, or a proposed one.
        images: Some of the images.
        columns: Columns of the table, if there is one.
        fixed_fields: Fields of the recipe whose values the files themselves give.
        report: Summary of the import; None if the images were not examined.
    """

    locations: list[SurveyedLocation]
    count: int
    classes: list[SurveyedOutput]
    splits: dict[str, int]
    problems: list[Skipped]
    warnings: list[Text]
    recipe: DatasetRecipe
    images: list[SurveyedImage] = field(default_factory=list)
    columns: list[SurveyedColumn] = field(default_factory=list)
    fixed_fields: list[str] = field(default_factory=list)
    report: ImportReport | None = None

    def to_data(self) -> dict[str, Any]:
        """Convert it to data for JSON."""
        images = [
            asdict(image)
            | {
                "data": _as_text(image.data),
                "regions": _as_text(image.regions),
                "problem": to_json(image.problem),
            }
            for image in self.images
        ]
        return {
            "locations": [
                {**asdict(each), "label": to_json(each.label)} for each in self.locations
            ],
            "count": self.count,
            "classes": [asdict(each) for each in self.classes],
            "columns": [asdict(each) for each in self.columns],
            "splits": self.splits,
            "problems": [
                asdict(each) | {"reason": to_json(each.reason)} for each in self.problems
            ],
            "warnings": [to_json(each) for each in self.warnings],
            "recipe": self.recipe.model_dump(mode="json"),
            "images": images,
            "fixed_fields": self.fixed_fields,
            "report": None if self.report is None else self.report.model_dump(mode="json"),
        }

    @classmethod
    def of_data(cls, data: Mapping[str, Any]) -> SurveyResult:
        """Read what `to_data` made."""
        images = [
            SurveyedImage(
                **{
                    **image,
                    "item": _item(image["item"]),
                    "data": base64.b64decode(image["data"]),
                    "regions": base64.b64decode(image["regions"]),
                    "problem": from_json(image["problem"]),
                    "values": (*image["values"],),
                }
            )
            for image in data["images"]
        ]
        return cls(
            [
                SurveyedLocation(**{**each, "label": from_json(each["label"])})
                for each in data["locations"]
            ],
            data["count"],
            [SurveyedOutput(**each) for each in data["classes"]],
            data["splits"],
            [
                Skipped(**{**each, "reason": from_json(each["reason"])})
                for each in data["problems"]
            ],
            [from_json(each) for each in data["warnings"]],
            DatasetRecipe.parse(data["recipe"]),
            images,
            [SurveyedColumn(**each) for each in data["columns"]],
            data["fixed_fields"],
            None if data["report"] is None else ImportReport.model_validate(data["report"]),
        )


def _as_text(data: bytes) -> str:
    return base64.b64encode(data).decode()


def _item(data: Mapping[str, Any]) -> SourceImage:
    tile, known = data["tile"], data["known_position"]
    if known is not None:
        position, size = known
        transform = tuple(position["transform"])
        known = Georeference(position["crs"], transform), tuple(size)
    return SourceImage(
        **{
            **data,
            "values": (*data["values"],),
            "tile": None if tile is None else (*tile,),
            "known_position": known,
            "channel_files": tuple(map(_item, data["channel_files"])),
        }
    )


def survey(question: SurveyQuestion, progress: Progress) -> SurveyResult:
    """Find the images of a recipe and read some of them.

    Args:
        question: Recipe and number of previews.
        progress: Receives the progress and may cancel.

    Raises:
        StudioError: There is nothing to import.
        Cancelled: The job was asked to end.
    """
    recipe = question.recipe
    for failure in TASKS.failures().values():
        progress.warn(failure.message)
    parts, recipe = _parts(recipe, suggest=question.suggest)
    # Its columns stay the same, whatever is made of them.
    table = Scan() if question.known_locations else _table(parts[0], recipe, progress)
    if (
        question.suggest
        and table.columns
        and not (recipe.good_classes or TASKS[recipe.task].source.reads("annotations"))
    ):
        task, columns = suggest_task(table)
        recipe = recipe.changed(task=task.name, target_columns=columns)
    scan = scan_parts(parts, recipe, progress)
    targets = annotated(parts, scan, recipe)
    if question.suggest:
        own = replace(scan, items=[item for item in scan.items if item.part == 0])
        suggested = suggest_recipe(parts[0].path, own, progress, source=parts[0].source)
        recipe = recipe.changed(**suggested.model_dump(include=set(_PROPOSED)))
        if recipe.tile_size:
            scan = scan_parts(parts, recipe, progress)
            targets = annotated(parts, scan, recipe)
    locations = _locations(parts, scan)
    reader = None
    if scan.annotations:
        reader = RegionReader(scan, targets.names, TASKS[recipe.task].geometry)
    report, images = None, list[SurveyedImage]()
    if question.examine:
        # It takes h5py, and this module is imported when the window starts.
        from studio.engine.datasets.import_account import FoundImages  # noqa: PLC0415
        from studio.engine.datasets.pixel_sample import with_pixel_format  # noqa: PLC0415
        from studio.engine.datasets.preview import examine  # noqa: PLC0415

        resolved, histograms = with_pixel_format(recipe, parts, scan.items, progress)
        found = FoundImages(resolved, parts, scan, targets, reader, histograms)
        report, rows = examine(found, progress)
        rows = [row for row in rows if scan.items[row].part >= question.first]
        chosen = [scan.items[row] for row in sample_rows(rows, recipe.seed)]
        images = _read_images(parts, chosen, progress)
    else:
        images = _preview_images(question, parts, scan, locations, progress)
    images = _with_values(images, scan, targets)
    if reader is not None:
        images = _with_regions(images, reader, len(targets.names))
    return SurveyResult(
        locations,
        len(scan.items),
        _outputs(targets, TASKS[recipe.task].targets),
        dict(Counter(item.split for item in scan.items if item.split is not None)),
        scan.problems,
        scan.warnings,
        recipe,
        images,
        _columns(table),
        _fixed_fields(scan),
        report,
    )


def _preview_images(
    question: SurveyQuestion,
    parts: Sequence[Part],
    scan: Scan,
    locations: Sequence[SurveyedLocation],
    progress: Progress,
) -> list[SurveyedImage]:
    """Return a few images of different classes."""
    shown = Scan([item for item in scan.items if item.part >= question.first])
    # Masks and boxes depend on more than the images: those that are known are read again.
    known = [] if scan.annotations else _known_images(parts, locations, shown, question)
    if known:
        return known
    chosen = spread(list(_by_class(shown).values()), question.max_images)
    return _read_images(parts, chosen, progress)


def spread(groups: Sequence[Sequence[T]], limit: int) -> list[T]:
    """Choose items from as many groups as possible, from the middle of each.

    Args:
        groups: The groups.
        limit: Greatest number of items.
    """
    groups = [group for group in groups if group]
    if not groups or limit < 1:
        return []
    chosen: list[T] = []
    used = min(len(groups), limit)
    for position in range(used):
        group = groups[position * len(groups) // used]
        share = min(len(group), limit // used + (position < limit % used))
        chosen += [group[(2 * index + 1) * len(group) // (2 * share)] for index in range(share)]
    return chosen


def _parts(recipe: DatasetRecipe, *, suggest: bool) -> tuple[list[Part], DatasetRecipe]:
    """Return the places of a recipe, and with a suggestion the task whose annotations are there.

    Raises:
        StudioError: Nothing that can be imported is there.
    """
    if suggest and not address_of(recipe.source):
        task = evident_task(user_path(recipe.source), recipe.annotations)
        if task is not None:
            recipe = recipe.changed(task=task.name)
        elif recipe.annotations and not TASKS[recipe.task].source.reads("annotations"):
            error = _no_annotations(recipe.annotations)
            raise explained(error, Path(recipe.source), recipe.annotations, TASKS[recipe.task])
    return parts_of(recipe), recipe


def _no_annotations(location: str) -> StudioError:
    """Return the error for a place of masks or boxes that has none."""
    forms = {form.label for task in TASKS.values() for form in task.source.formats}
    return StudioError(
        "No masks or boxes were found in {path}.",
        message("Supported formats: {formats}.", formats=joined(sorted(forms), "; ")),
        "annotations",
        path=location,
    )


def _fixed_fields(scan: Scan) -> list[str]:
    """Return the names and colors of classes that the files define."""
    fixed = []
    if not all(each.can_rename for each in scan.annotations) or len(scan.annotations) > 1:
        fixed.append("class_names")
    if not all(each.can_recolor for each in scan.annotations) or len(scan.annotations) > 1:
        fixed.append("class_colors")
    return fixed if scan.annotations else []


def _with_regions(
    images: Sequence[SurveyedImage], regions: RegionReader, classes: int
) -> list[SurveyedImage]:
    """Add their masks or boxes to images, and count the pixels or boxes of each class in them."""
    return [image if image.problem else _with_own(image, regions, classes) for image in images]


def _with_own(image: SurveyedImage, regions: RegionReader, classes: int) -> SurveyedImage:
    item = image.item
    try:
        width, height, _ = describe(BytesIO(image.data))
        found, _ = regions.read(item, (width, height))
    except BadDataError as error:
        return replace(image, data=b"", problem=str(error))
    counts = regions.counts(found, classes, item.tile)
    return replace(image, regions=packed(found), values=tuple(counts.tolist()))


def _table(part: Part, recipe: DatasetRecipe, progress: Progress) -> Scan:
    """Read all columns of a table; none where the source is no table, or has no header."""
    if "columns" not in part.source.takes:
        return Scan()
    options = SourceOptions(
        path_prefix=recipe.prefix(part.split),
        min_classes=0,
        columns=True,
        internal_addresses=recipe.internal_addresses,
    )
    try:
        return part.source.scan(part.path, progress, options)
    except StudioError:
        return Scan()  # it may still be a list of paths and classes


def _columns(table: Scan) -> list[SurveyedColumn]:
    rows = [item.values for item in table.items[:_EXAMINED]]
    usable = {task.name: set(task.targets.usable(table.columns, rows)) for task in TASKS.values()}
    return [
        SurveyedColumn(
            name,
            list(dict.fromkeys(row[index] for row in rows if row[index]))[:_EXAMPLES],
            [task for task, names in usable.items() if name in names],
        )
        for index, name in enumerate(table.columns)
    ]


def _outputs(targets: Annotated, kind: Targets) -> list[SurveyedOutput]:
    if not len(targets.values):
        return []
    none = ("",) * len(targets.names)
    counts = kind.counts(targets.values, len(targets.names))
    known = kind.figures(targets.values)
    figures = [known.get(name, (0.0,) * len(none)) for name in _RANGE]
    columns = (targets.names, counts, targets.units or none, *figures, targets.colors or none)
    return [
        SurveyedOutput(name, images, unit, float(low), float(mean), float(high), color)
        for name, images, unit, low, mean, high, color in zip(*columns, strict=True)
    ]


def _with_values(
    images: Sequence[SurveyedImage], scan: Scan, targets: Annotated
) -> list[SurveyedImage]:
    rows = {(item.part, item.key, item.position): row for row, item in enumerate(scan.items)}
    return [
        replace(image, values=tuple(targets.values[rows[key]].tolist()))
        for image in images
        if (key := (image.item.part, image.item.key, image.item.position)) in rows
    ]


def _by_class(scan: Scan) -> dict[str, list[SourceImage]]:
    groups: defaultdict[str, list[SourceImage]] = defaultdict(list)
    for item in scan.items:
        groups[item.class_name].append(item)
    return {name: groups[name] for name in scan.classes()}


def _locations(parts: Sequence[Part], scan: Scan) -> list[SurveyedLocation]:
    locations = []
    for index, part in enumerate(parts):
        items = [item for item in scan.items if item.part == index]
        splits = Counter(item.split for item in items if item.split is not None)
        source = part.source
        if part.split is None:
            locations.append(
                SurveyedLocation(
                    str(part.path), source.name, source.label, len(items), dict(splits)
                )
            )
    return locations


def _known_images(
    parts: Sequence[Part],
    locations: Sequence[SurveyedLocation],
    scan: Scan,
    question: SurveyQuestion,
) -> list[SurveyedImage]:
    """Return the images that were read before and are still among those to import."""
    # Where a place came or went, other images may say more.
    if [index.path for index in locations] != list(question.known_locations):
        return []
    present = {(str(parts[item.part].path), item.key, item.position): item for item in scan.items}
    return [
        SurveyedImage(known[0], present[known], is_known=True)
        for known in question.known_images
        if known in present
    ]


def _read_images(
    parts: Sequence[Part], chosen: Sequence[SourceImage], progress: Progress
) -> list[SurveyedImage]:
    """Read a few images in one pass: a packed archive can only be read from its beginning."""
    read: dict[int, SurveyedImage] = {}
    reason = "it cannot be read"
    found = read_parts(parts, chosen, range(len(chosen)))
    try:
        for index, fetch in found:
            progress.check()
            read[index] = _read_image(str(parts[chosen[index].part].path), chosen[index], fetch)
    except (BadDataError, OSError) as error:
        reason = str(error)
    finally:
        close_reading(found)
    lost = (SurveyedImage(str(parts[item.part].path), item, problem=reason) for item in chosen)
    return [read.get(index, image) for index, image in enumerate(lost)]


def _read_image(location: str, item: SourceImage, fetch: Callable[[], bytes]) -> SurveyedImage:
    try:
        return SurveyedImage(location, item, fetch())
    except (BadDataError, OSError) as error:
        return SurveyedImage(location, item, problem=str(error))
