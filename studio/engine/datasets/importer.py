"""Turns a recipe into a dataset: find, decode on all cores, write, split, sum up."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import PIL
from numpy.typing import NDArray

from studio.engine.arrays import Floats
from studio.engine.datasets import gather
from studio.engine.datasets.decode import DECODE_VERSION, RESIZER
from studio.engine.datasets.decode_ahead import (
    Decoded,
    channel_sums,
    decode_ahead,
    fingerprinter,
)
from studio.engine.datasets.gather import RegionReader
from studio.engine.datasets.import_account import Conclusion, FoundImages, ImportAccount
from studio.engine.datasets.import_report import ImportReport, write_import
from studio.engine.datasets.origins.record import write_origins
from studio.engine.datasets.pixel_log import RowFacts
from studio.engine.datasets.pixel_sample import with_pixel_format
from studio.engine.datasets.positions import write_positions
from studio.engine.datasets.recipe import DatasetRecipe
from studio.engine.datasets.schema import FILE_NAME, FORMAT_VERSION
from studio.engine.datasets.sources.base import SourceImage
from studio.engine.datasets.splits import HELD_OUT
from studio.engine.datasets.suggestion import suggest_recipe
from studio.engine.datasets.summary import (
    DatasetSummary,
    read_skipped,
    write_skipped,
    write_summary,
)
from studio.engine.datasets.writer import StoreWriter, write_targets
from studio.engine.errors import BadDataError, StudioError
from studio.engine.progress import Progress
from studio.engine.tasks import TASKS
from studio.engine.tasks.annotations import Regions
from studio.engine.web.address import written

__all__ = ["import_dataset", "read_skipped", "suggest_recipe"]

_ROWS_AT_ONCE = 256
_IMAGES_FOR_FACTS, _PIXELS_FOR_FACTS = 32, 2**21


def import_dataset(recipe: DatasetRecipe, folder: Path, progress: Progress) -> ImportReport:
    """Import the images of `recipe.source` into `folder`.

    Files that cannot be read are listed in `skipped.json` and the rest is imported. When it is
    cancelled or killed, a partial file stays, and calling it again with the same recipe
    resumes where it stopped, unless a file was added, removed or changed in between.

    Args:
        recipe: The recipe.
        folder: The dataset's folder; created if missing.
        progress: Receives the progress and may cancel.

    Raises:
        StudioError: There are no usable images, or the folder already contains a dataset.
        BadDataError: Fewer than two classes have an image that can be read.
        DiskFullError: The dataset does not fit; the partial file stays.
        Cancelled: Through `progress`; the partial file stays.
    """
    if (folder / FILE_NAME).exists():
        raise StudioError(
            "{folder} already holds a dataset.",
            "Import under another name.",
            str(folder),
            folder=folder,
        )
    found = find_images(recipe, progress)
    for warning in found.scan.warnings:
        progress.warn(warning)
    folder.mkdir(parents=True, exist_ok=True)
    with _writer(folder, found) as writer:
        account, sums = _decode_all(found, writer, progress)
        for part in found.parts:
            if not part.source.is_there(part.path):
                raise StudioError(
                    "{path} disappeared during the import.",
                    "Connect or restore it and import again; the import continues where it "
                    "stopped.",
                    part.field,
                    path=written(part.path),
                )
        return _finish(writer, account, sums, progress)


def find_images(recipe: DatasetRecipe, progress: Progress) -> FoundImages:
    """Find the images of a recipe, and read only a sample, for the number format of the pixels.

    Args:
        recipe: The recipe.
        progress: Receives the progress and may cancel.

    Raises:
        StudioError: There are no usable images.
        Cancelled: Through `progress`.
    """
    parts = gather.parts_of(recipe)
    scan = gather.scan_parts(parts, recipe, progress)
    targets = gather.annotated(parts, scan, recipe)
    regions = None
    if scan.annotations:
        regions = RegionReader(scan, targets.names, TASKS[recipe.task].geometry)
    resolved, histograms = with_pixel_format(recipe, parts, scan.items, progress)
    return FoundImages(resolved, parts, scan, targets, regions, histograms)


def decode_rows(
    account: ImportAccount, rows: Sequence[int], progress: Progress, what: str, finished: int = 0
) -> Iterator[tuple[int, Decoded]]:
    """Decode images, and yield those that are part of the dataset.

    Args:
        account: Collects what becomes of each image.
        rows: Indices of the images.
        progress: Receives the progress and may cancel.
        what: Name of the step.
        finished: Number of images that were decoded before.

    Raises:
        Cancelled: Through `progress`.
    """
    found = account.found
    total = finished + len(rows)
    with gather.ended(gather.read_parts(found.parts, found.items, rows)) as files:
        for row, result in decode_ahead(files, found.items, found.recipe, progress, found.regions):
            stored = account.add(row, result)
            if stored is not None:
                yield row, stored
            finished += 1
            progress.advance(finished, total, what)


def _writer(folder: Path, found: FoundImages) -> StoreWriter:
    names = found.targets.names
    max_boxes = 0 if found.regions is None else found.regions.max_boxes
    about_regions = () if found.regions is None else (names, max_boxes)
    fingerprint = _fingerprint(found.recipe, found.items, about_regions)
    paths = [gather.shown_path(found.parts, item) for item in found.items]
    return StoreWriter.resume(folder, fingerprint) or StoreWriter.create(
        folder, found.recipe, paths, names, fingerprint, max_boxes
    )


def _fingerprint(
    recipe: DatasetRecipe, items: Iterable[SourceImage], about_regions: tuple[object, ...]
) -> str:
    """Return a hash of everything that determines the rows; if it differs, nothing is resumed.

    Args:
        recipe: The recipe.
        items: The images.
        about_regions: Classes and sizes of the regions of all images; empty without regions.
    """
    digest = hashlib.blake2b(digest_size=16)
    versions = f"{FORMAT_VERSION} {DECODE_VERSION} {PIL.__version__} {RESIZER}"
    digest.update(f"{versions} {recipe.model_dump_json()}".encode())
    digest.update(repr(about_regions).encode())
    for item in items:
        facts = (
            item.key,
            item.class_name,
            item.split,
            item.size,
            item.modified_ns,
            item.part,
            item.origin,
        )
        mask = (item.annotation, item.tile) if item.annotation else ()
        digest.update(repr(facts + item.values + mask).encode())
    return digest.hexdigest()


def _decode_all(
    found: FoundImages, writer: StoreWriter, progress: Progress
) -> tuple[ImportAccount, Floats]:
    """Decode every row that is not done.

    Returns:
        What became of each row, and its channel sums, shape (N, C).
    """
    account = ImportAccount(found)
    sums = np.zeros((len(found.items), found.recipe.channels), np.float64)
    done = writer.done
    _restore_rows(writer, np.flatnonzero(done), account, sums, progress)
    rows = np.flatnonzero(~done).tolist()
    finished = len(done) - len(rows)
    for row, image in decode_rows(account, rows, progress, "Importing images", finished):
        facts = RowFacts(image.pixels, image.capture, image.position)
        writer.write(row, image.stored, image.digest, image.regions, image.remarks, facts)
        sums[row] = image.channel_sums
    writer.flush()
    return account, sums


def _restore_rows(
    writer: StoreWriter,
    rows: NDArray[np.int64],
    account: ImportAccount,
    sums: Floats,
    progress: Progress,
) -> None:
    """Take over the rows that an earlier attempt wrote."""
    remarks = writer.remarks
    reads_regions = account.found.regions is not None
    pixel_format = account.found.recipe.pixel_format

    def restore(row: int) -> tuple[int, Regions | None]:
        pixels = writer.pixels(row)
        sums[row] = channel_sums(pixels, pixel_format)
        measure = fingerprinter(pixels.shape, pixel_format).measure
        account.fingerprints.set(row, measure(pixels[np.newaxis]))
        return row, writer.regions(row) if reads_regions else None

    with ThreadPoolExecutor(os.cpu_count() or 1, "sums") as pool:
        for start in range(0, len(rows), _ROWS_AT_ONCE):
            progress.check()
            for row, regions in pool.map(restore, rows[start : start + _ROWS_AT_ONCE].tolist()):
                facts = writer.pixel_facts(row), writer.capture(row)
                account.restore(row, regions, remarks.get(row, ()), *facts)


def _finish(
    writer: StoreWriter, account: ImportAccount, sums: Floats, progress: Progress
) -> ImportReport:
    """Write everything about the images; the dataset itself comes last."""
    writer.flush()
    folder, found = writer.path.parent, account.found
    conclusion = account.conclude(progress)
    write_skipped(folder, conclusion.skipped)
    try:
        account.require_enough(conclusion)
    except BadDataError:
        writer.discard()
        raise
    write_targets(folder, TASKS[found.recipe.task].targets, conclusion.targets.values)
    write_origins(folder, conclusion.origins)
    known = writer.positions
    write_positions(folder, {row: known[row] for row in conclusion.rows if row in known})
    report = account.report(conclusion)
    write_import(folder, report)
    summary = _summary(found, conclusion, sums[conclusion.rows].sum(axis=0))
    write_summary(folder, summary.model_copy(update={"facts": _facts(writer, found, conclusion)}))
    writer.finish(conclusion.labels, conclusion.split, conclusion.classes)
    return report


def _facts(writer: StoreWriter, found: FoundImages, conclusion: Conclusion) -> dict[str, float]:
    """Return figures of the regions of images that are spread over the dataset."""
    if found.regions is None or not len(conclusion.rows):
        return {}
    pixels = found.recipe.width * found.recipe.height
    count = max(1, min(_IMAGES_FOR_FACTS, _PIXELS_FOR_FACTS // pixels))
    places = np.linspace(0, len(conclusion.rows) - 1, count).astype(np.int64)
    rows = np.asarray(conclusion.rows)[np.unique(places)].tolist()
    geometry = TASKS[found.recipe.task].geometry
    return geometry.facts(writer.regions(row) for row in rows)


def _summary(found: FoundImages, conclusion: Conclusion, sums: Floats) -> DatasetSummary:
    recipe, targets = found.recipe, conclusion.targets
    pixels = len(conclusion.rows) * recipe.width * recipe.height
    defined = {found.items[row].split for row in conclusion.rows}
    return DatasetSummary(
        task=recipe.task,
        width=recipe.width,
        height=recipe.height,
        channels=recipe.channels,
        pixels=None if recipe.pixel_format.is_standard else recipe.pixel_format,
        classes=conclusion.classes,
        count=conclusion.counts,
        class_counts=conclusion.per_class,
        skipped=sum(not each.is_partial for each in conclusion.skipped),
        mean_color=[round(float(total) / pixels, 4) for total in sums],
        units=[*targets.units],
        colors=[*targets.colors],
        source_splits=[name for name in HELD_OUT if name in defined],
    )
