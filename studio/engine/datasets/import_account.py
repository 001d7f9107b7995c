"""Account of an import: what becomes of each image that was found, and why.

An import and its preview keep the same account, so that they agree.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from studio.engine.datasets import gather
from studio.engine.datasets.audit.duplicates import near_duplicate_pairs
from studio.engine.datasets.conflicts import conflict_warnings
from studio.engine.datasets.decode_ahead import Decoded
from studio.engine.datasets.fingerprints import Fingerprints
from studio.engine.datasets.groups import Groups, connected_groups
from studio.engine.datasets.import_report import (
    ImportReport,
    SourceFormat,
    SplitOrigin,
    ValueHistogram,
)
from studio.engine.datasets.object_places import ObjectPlaces
from studio.engine.datasets.origins.assembly import (
    RelatedImages,
    assembled_origins,
    splittable_groups,
)
from studio.engine.datasets.origins.bursts import Capture, burst_groups
from studio.engine.datasets.origins.counts import origin_facts
from studio.engine.datasets.origins.evidence import Evidence
from studio.engine.datasets.origins.facts import origin_warnings
from studio.engine.datasets.origins.record import Origins
from studio.engine.datasets.picture_values import PixelFacts
from studio.engine.datasets.pixel_log import joined_formats, pixel_warnings
from studio.engine.datasets.recipe import DatasetRecipe
from studio.engine.datasets.sources.base import (
    Scan,
    Skipped,
    SourceImage,
    safe_text,
    split_part_path,
)
from studio.engine.datasets.splits import SKIPPED, SPLIT_NAMES
from studio.engine.datasets.writer import class_counts
from studio.engine.errors import BadDataError
from studio.engine.files import natural_key
from studio.engine.messages import Text, as_message, joined, message
from studio.engine.progress import Progress, SilentProgress
from studio.engine.tasks import TASKS
from studio.engine.tasks.annotations import BadAnnotationError, Regions, Remark
from studio.engine.tasks.targets import Annotated
from studio.engine.web.address import written


@dataclass(frozen=True, slots=True)
class FoundImages:
    """The images of a recipe, before they are read.

    Attributes:
        recipe: The recipe.
        parts: Its sources.
        scan: The images.
        targets: Their targets.
        regions: Reads their masks or boxes; None if the task has none.
        histograms: Values of each channel in a sample; empty for images of 8 bits.
    """

    recipe: DatasetRecipe
    parts: Sequence[gather.Part]
    scan: Scan
    targets: Annotated
    regions: gather.RegionReader | None
    histograms: tuple[ValueHistogram, ...] = ()

    @property
    def items(self) -> Sequence[SourceImage]:
        """The images."""
        return self.scan.items

    def path(self, row: int, *, whole: bool = False) -> str:
        """Return the path of an image for reports.

        Args:
            row: Index of the image.
            whole: True for the picture that it is a tile of.
        """
        item = self.items[row]
        return safe_text(
            gather.shown_path(self.parts, replace(item, tile=None) if whole else item)
        )


@dataclass(frozen=True, slots=True)
class Conclusion:
    """The dataset that an import makes.

    Attributes:
        rows: Indices of its images.
        targets: Targets of the images; those of images that are left out mean nothing.
        labels: Class of each image, shape (N,); -1 for images that are left out.
        split: Split of each image, shape (N,); `SKIPPED` for images that are left out.
        per_class: Number of images of each class by split.
        skipped: What is left out, and why.
        origins: Origins of the N images.
    """

    rows: list[int]
    targets: Annotated
    labels: NDArray[np.int32]
    split: NDArray[np.int8]
    per_class: dict[str, list[int]]
    skipped: list[Skipped]
    origins: Origins

    @property
    def classes(self) -> list[str]:
        """Names of the classes, labels or quantities, K."""
        return list(self.targets.names)

    @property
    def counts(self) -> dict[str, int]:
        """Number of images of each split."""
        return {name: int((self.split == at).sum()) for at, name in enumerate(SPLIT_NAMES)}


class _CancelOnly(SilentProgress):
    """Progress of a step that is too short to be shown, and can be cancelled."""

    def __init__(self, progress: Progress) -> None:
        self._progress = progress

    def check(self) -> None:
        """Raise `Cancelled` if the end of the work was requested."""
        self._progress.check()


class ImportAccount:
    """Collects the results of decoding the images that were found.

    Args:
        found: The images.

    Attributes:
        found: The images.
        stored: True for images that are part of the dataset, shape (N,).
        fingerprints: Fingerprints of the images that were decoded.
    """

    def __init__(self, found: FoundImages) -> None:
        self.found = found
        self.stored = np.zeros(len(found.items), np.bool_)
        self.fingerprints = Fingerprints.empty(len(found.items), found.recipe.channels)
        self._problems: defaultdict[int, list[Skipped]] = defaultdict(list)
        self._empty: list[int] = []
        self._pixels: list[PixelFacts] = []
        self._captures: dict[int, Capture] = {}
        self._examined = 0
        recipe = found.recipe
        geometry = TASKS[recipe.task].geometry
        self._places = ObjectPlaces(geometry, (recipe.width, recipe.height))

    def add(self, row: int, result: Decoded | BadDataError) -> Decoded | None:
        """Add the result of decoding an image.

        Args:
            row: Index of the image.
            result: The image, or the reason why there is none.

        Returns:
            The image, if it is part of the dataset.
        """
        if isinstance(result, BadDataError):
            self._examined += 1
            self._problems[row].append(self._unreadable(row, result))
            return None
        recipe, regions = self.found.recipe, result.regions
        if not recipe.keep_empty and regions is not None and self._is_empty(regions):
            self._examined += 1
            self._add_remarks(row, result.remarks)
            self._empty.append(row)
            self._add_pixels(result.pixels)
            return None
        self.fingerprints.set(row, result.fingerprint)
        self.restore(row, regions, result.remarks, result.pixels, result.capture)
        return result

    def _is_empty(self, regions: Regions) -> bool:
        """Return True for an image without objects."""
        return bool(TASKS[self.found.recipe.task].geometry.is_empty(regions[None])[0])

    def restore(
        self,
        row: int,
        regions: Regions | None,
        remarks: Sequence[Remark],
        pixels: PixelFacts | None,
        capture: Capture | None = None,
    ) -> None:
        """Add an image that is part of the dataset.

        Args:
            row: Index of the image.
            regions: Its mask or its boxes.
            remarks: What is left out of its annotation, or changed.
            pixels: Number format of the image in its source, if it is known.
            capture: When and with which camera it was taken, if it is known.
        """
        self._examined += 1
        self.stored[row] = True
        self._add_pixels(pixels)
        if capture is not None:
            self._captures[row] = capture
        targets = self.found.targets
        reader = self.found.regions
        if reader is not None and regions is not None:
            targets.values[row] = reader.counts(regions, targets.values.shape[1])
            self._places.add(regions)
        self._add_remarks(row, remarks)

    def assume(self, rows: NDArray[np.int64]) -> None:
        """Count images that are not examined as parts of the dataset."""
        self.stored[rows] = True

    def conclude(self, progress: Progress) -> Conclusion:
        """Drop classes without images, and assign the splits.

        Args:
            progress: May cancel the search for duplicates.

        Raises:
            Cancelled: Through `progress`.
        """
        found = self.found
        recipe, kind = found.recipe, TASKS[found.recipe.task].targets
        rows, small = _stored_rows(self.stored, found.items, recipe)
        targets = kind.stored(found.targets, rows)
        skipped = [*found.scan.problems, *self._skipped(), *small]
        labels = np.full(len(found.items), -1, np.int32)
        labels[rows] = kind.labels(targets.values[rows])
        split = np.full(len(found.items), SKIPPED, np.int8)
        items = [found.items[row] for row in rows]
        traits = kind.split_traits(targets.values[rows])
        origins = self._origins(np.array(rows, np.int64), progress)
        groups = splittable_groups(origins.groups[rows])
        split[rows] = gather.deal(
            found.parts, recipe, gather.DealtImages(items, labels[rows], traits, groups)
        )
        per_class = class_counts(kind, targets.values, split, len(targets.names))
        return Conclusion(rows, targets, labels, split, per_class, skipped, origins)

    def _origins(self, rows: NDArray[np.int64], progress: Progress) -> Origins:
        """Return the origins of N images; only `rows` are part of the dataset."""
        found, count = self.found, len(self.stored)
        names, pictures = [""] * count, [""] * count
        for row in rows.tolist():
            item = found.items[row]
            names[row] = item.origin
            path, _ = split_part_path(found.path(row))
            pictures[row] = "" if path == found.path(row) else path
        captures = {row: self._captures[row] for row in rows.tolist() if row in self._captures}
        related = RelatedImages(
            pictures,
            burst_groups(captures, count),
            self._duplicates(rows, progress),
        )
        kind = found.scan.origin_kind if any(names) else "none"
        evidence = Evidence(kind, names, found.scan.origin_column)
        return assembled_origins(evidence, related, found.recipe.origins)

    def _duplicates(self, rows: NDArray[np.int64], progress: Progress) -> Groups:
        """Return groups of near-duplicates among some images, shape (N,)."""
        # Images that a preview only assumes have no fingerprint, and blank images and tiles show
        # nothing that they could have in common.
        known = rows[self.fingerprints.pixel_hash[rows].any(axis=1)]
        known = known[~self.fingerprints.flat[known]]
        pairs = near_duplicate_pairs(self.fingerprints.of(known), _CancelOnly(progress))
        return connected_groups(known[pairs], len(self.stored))

    def require_enough(self, conclusion: Conclusion) -> None:
        """Refuse a dataset without images, or with too few classes.

        Raises:
            BadDataError: It is one.
        """
        fewest = TASKS[self.found.recipe.task].min_outputs
        if not conclusion.rows or len(conclusion.classes) < fewest:
            if conclusion.skipped and not conclusion.rows:
                raise _none_usable(self.found.scan, conclusion.skipped)
            raise _too_few(self.found.scan, conclusion.classes, conclusion.skipped)
        self._require_objects(conclusion)

    def _require_objects(self, conclusion: Conclusion) -> None:
        """Refuse images of which no object can be used.

        Raises:
            BadDataError: The annotations have objects, and all of them are left out.
        """
        unit = TASKS[self.found.recipe.task].geometry.unit
        lost = [entry for entry in conclusion.skipped if entry.objects]
        is_complete = self._examined >= len(self.found.items)
        if unit == "images" or not lost or not is_complete:
            return
        # Pixels without objects are of one class, the background.
        fewest = 1 if unit == "objects" else 2
        if int(conclusion.targets.values[conclusion.rows].any(axis=0).sum()) < fewest:
            raise BadDataError(
                message(
                    "None of the {count} objects can be used; the first reason: {file}: {reason}.",
                    one="The only object cannot be used: {file}: {reason}.",
                    count=sum(entry.objects for entry in lost),
                    file=lost[0].path,
                    reason=as_message(lost[0].reason),
                ),
                "Check the annotations and the images that they belong to.",
                "source",
            )

    def report(self, conclusion: Conclusion) -> ImportReport:
        """Return the summary of the import."""
        found, rows = self.found, conclusion.rows
        task = TASKS[found.recipe.task]
        regions: list[int] = []
        if found.regions is not None:
            regions = conclusion.targets.values[rows].sum(axis=0, dtype=np.int64).tolist()
        images = np.sum([conclusion.per_class[name] for name in SPLIT_NAMES], axis=0)
        pixels = joined_formats(self._pixels)
        splits = _split_origin(found, conclusion)
        return ImportReport(
            task=task.name,
            sources=_sources(found, rows),
            count=len(rows),
            classes=conclusion.classes,
            class_images=images.tolist(),
            class_regions=regions,
            unit=task.geometry.unit,
            counts=conclusion.counts,
            splits=splits,
            pixels=tuple(pixels),
            stored=found.recipe.pixel_format,
            histograms=found.histograms,
            warnings=(
                *found.scan.warnings,
                *pixel_warnings(pixels, found.recipe),
                *origin_warnings(splits.origins),
                *self._conflicts(conclusion),
                *self._places.warnings(),
            ),
            examined=self._examined,
            total=len(found.items),
            skipped=conclusion.skipped,
        )

    def _conflicts(self, conclusion: Conclusion) -> list[Text]:
        """Return a sentence about identical images with different classes or targets."""
        found = self.found
        if found.regions is not None:
            return []
        values = conclusion.targets.values
        return conflict_warnings(self.fingerprints, conclusion.rows, values, found.path)

    def _unreadable(self, row: int, error: BadDataError) -> Skipped:
        """Return the entry of an image that cannot be used, with its objects."""
        item, regions = self.found.items[row], self.found.regions
        is_first = item.tile is None or item.tile[:2] == (0, 0)  # they are counted once
        return Skipped(
            self.found.path(row),
            error.message,
            is_annotation=isinstance(error, BadAnnotationError),
            objects=regions.object_count(item) if regions is not None and is_first else 0,
        )

    def _add_remarks(self, row: int, remarks: Sequence[Remark]) -> None:
        # The row of a tile stands for its picture.
        path = self.found.path(row, whole=True) if remarks else ""
        self._problems[row] += [
            Skipped(path, each.reason, None, True, True, each.objects) for each in remarks
        ]

    def _add_pixels(self, facts: PixelFacts | None) -> None:
        if facts is not None:
            self._pixels.append(facts)

    def _skipped(self) -> list[Skipped]:
        """Return what is left out of the images, in their order."""
        problems = {row: [*found] for row, found in self._problems.items()}
        pictures: defaultdict[str, list[int]] = defaultdict(list)
        for row in sorted(self._empty):
            pictures[self.found.path(row, whole=True)].append(row)
        for name, rows in pictures.items():
            entry = _without_objects(name, rows, self.found.items)
            problems.setdefault(rows[0], []).append(entry)
        return [problem for row in sorted(problems) for problem in problems[row]]


def _without_objects(picture: str, rows: Sequence[int], items: Sequence[SourceImage]) -> Skipped:
    """Return the entry of a skipped picture, or of skipped tiles of it."""
    if items[rows[0]].tile is None:
        return Skipped(picture, "no object is visible in it", is_annotation=True)
    reason = message(
        "{count} of its tiles are left out: they have no objects",
        one="{count} of its tiles is left out: it has no objects",
        count=len(rows),
    )
    return Skipped(picture, reason, is_partial=True)


def _stored_rows(
    done: NDArray[np.bool_], items: Sequence[SourceImage], recipe: DatasetRecipe
) -> tuple[list[int], list[Skipped]]:
    """Return the rows to keep, and a line for each class of which too few images could be read."""
    rows: list[int] = np.flatnonzero(done).tolist()
    counts = Counter(items[row].class_name for row in rows if items[row].split in {None, "train"})
    names = {items[row].class_name for row in rows}
    if "train" not in (recipe.only_splits or ["train"]):
        return rows, []
    small = sorted(
        (name for name in names if counts[name] < recipe.min_per_class), key=natural_key
    )
    lines = [gather.too_few_images(name, counts[name], recipe.min_per_class) for name in small]
    return [row for row in rows if items[row].class_name not in small], lines


def _sources(found: FoundImages, rows: Sequence[int]) -> tuple[SourceFormat, ...]:
    counts = Counter(found.items[row].part for row in rows)
    return tuple(
        SourceFormat(
            path=safe_text(written(part.path)),
            name=part.source.name,
            label=part.source.label,
            count=counts[index],
        )
        for index, part in enumerate(found.parts)
    )


def _split_origin(found: FoundImages, conclusion: Conclusion) -> SplitOrigin:
    rows = conclusion.rows
    given: defaultdict[int, set[str | None]] = defaultdict(set)
    for row in rows:
        given[found.items[row].part].add(found.items[row].split)
    named: list[str] = []
    random: dict[str, float] = {}
    for part, splits in sorted(given.items()):
        if splits - {None}:
            named.append(found.scan.items_split_origins[part])
        if not splits & {None, "train"}:
            continue  # nothing is left to be assigned
        percentages = gather.percentages(found.recipe, splits)
        for name, percent in zip(("val", "test"), percentages, strict=True):
            if percent:
                random[name] = max(percent, random.get(name, 0.0))
    return SplitOrigin(
        named_by=tuple(dict.fromkeys(named)),
        random=random,
        seed=found.recipe.seed,
        origins=origin_facts(conclusion.origins, conclusion.split),
    )


def _none_usable(scan: Scan, skipped: Sequence[Skipped]) -> BadDataError:
    """Return the error that no image can be used, with the first reason."""
    names = {item.key for item in scan.items}
    reasons = [entry for entry in skipped if not entry.is_partial]
    first = next((entry for entry in reasons if entry.path in names), (reasons or skipped)[0])
    return BadDataError(
        message(
            "None of the {count} images can be used; the first reason: {file}: {reason}.",
            one="The only image cannot be used: {file}: {reason}.",
            count=len(scan.items),
            file=first.path,
            reason=as_message(first.reason),
        ),
        "Check the annotations and the images that they belong to.",
        "source",
    )


def _too_few(scan: Scan, classes: list[str], skipped: list[Skipped]) -> BadDataError:
    number = len(scan.classes())
    if number == 1 and classes and not skipped:
        return BadDataError(
            'All images have one class: "{class_name}".',
            "At least two classes are needed; check the files, or choose another folder.",
            "source",
            class_name=classes[0],
        )
    reasons = joined(
        [
            message("{file}: {reason}", file=entry.path, reason=as_message(entry.reason))
            for entry in skipped[-3:]
        ],
        "; ",
    )
    left = message(
        "Of {number} classes, none has an image that can be read ({reasons}).",
        number=number,
        reasons=reasons,
    )
    if classes:
        left = message(
            'Of {number} classes, only "{class_name}" has an image that can be read ({reasons}).',
            number=number,
            class_name=classes[0],
            reasons=reasons,
        )
    return BadDataError(
        left,
        "At least two classes are needed; check the files, or choose another folder.",
        "source",
    )
