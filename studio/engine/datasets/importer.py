"""Turns a recipe into a dataset: find, decode on all cores, write, split, sum up."""

from __future__ import annotations

import hashlib
import os
import threading
from collections import Counter, defaultdict, deque
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, field, replace
from functools import partial
from io import BytesIO
from pathlib import Path

import numpy as np
import PIL
import psutil
from numpy.typing import NDArray

from studio.engine.datasets import gather
from studio.engine.datasets.decode import DECODE_VERSION, RESIZER, Room, load_parts
from studio.engine.datasets.encoding import stored_and_seen
from studio.engine.datasets.gather import RegionReader
from studio.engine.datasets.recipe import DatasetRecipe
from studio.engine.datasets.schema import FILE_NAME, FORMAT_VERSION, HASH_BYTES
from studio.engine.datasets.sources.base import Fetch, Item, Scan, Skipped, safe_text
from studio.engine.datasets.splits import HELD_OUT, SKIPPED, SPLIT_NAMES
from studio.engine.datasets.suggestion import suggest_recipe
from studio.engine.datasets.summary import (
    DatasetSummary,
    read_skipped,
    write_skipped,
    write_summary,
)
from studio.engine.datasets.writer import TARGETS_NAME, StoreWriter, class_counts
from studio.engine.errors import BadDataError, StudioError
from studio.engine.files import natural_key, write_array
from studio.engine.messages import as_message, joined, message
from studio.engine.progress import Progress
from studio.engine.tasks import TASKS
from studio.engine.tasks.annotations import BadAnnotationError, Regions, Remark
from studio.engine.tasks.boxes import box_counts
from studio.engine.tasks.targets import Annotated, Values
from studio.engine.web.address import written

# Many pictures at once: encoded bytes in, pixels and hashes out, on all cores.

# Encoded bytes that wait to be decoded.
BYTES_AHEAD = 256 * 2**20
# What one thread takes at a time, of encoded or of decoded bytes, and of pictures.
_SHARE_BYTES = 2**19
_SHARE_PICTURES = 16
# Tiles of one picture that are in memory at once.
_TILE_BYTES = 64 * 2**20


@dataclass(frozen=True, slots=True)
class Decoded:
    """An image as the recipe asks for it.

    Attributes:
        stored: The stored image: H x W x C, or the bytes of a PNG or JPEG.
        digest: blake2b of the source's encoded bytes.
        channel_sums: Sum of each channel of what will be read back, C.
        regions: Mask or boxes, where the task has them.
        remarks: What is left out of its annotation, or changed.
    """

    stored: NDArray[np.uint8]
    digest: bytes
    channel_sums: NDArray[np.int64]
    regions: Regions | None = None
    remarks: Sequence[Remark] = ()


def _decoding_memory() -> int:
    """Return bytes that pictures may take while they are decoded, on all cores together."""
    return max(2**30, psutil.virtual_memory().total // 4)


def decode_picture(
    fetch: Fetch,
    items: Sequence[Item],
    recipe: DatasetRecipe,
    room: Room,
    regions: RegionReader | None = None,
) -> list[Decoded | BadDataError]:
    """Decode a picture, whole or in tiles, or return why it cannot be used.

    Args:
        fetch: Returns its encoded bytes.
        items: The picture, or tiles of it.
        recipe: The recipe.
        room: Limits the memory of images decoded at once.
        regions: Reads the mask or the boxes of the picture, where the task has them.

    Returns:
        The image of each item, or an error whose message is a short reason.
    """
    remarks: list[Remark] = []
    whole: list[Regions] = []

    def read(reader: RegionReader, size: tuple[int, int]) -> Regions:
        found, reported = reader.read(items[0], size)
        remarks.extend(reported)
        whole.append(found)
        return found

    regions_of = None if regions is None else partial(read, regions)
    found: list[Decoded | BadDataError] = []
    try:
        data = fetch()
        digest = hashlib.blake2b(data, digest_size=HASH_BYTES).digest()
        parts = load_parts(BytesIO(data), recipe, regions_of, [item.tile for item in items], room)
        for item, (image, region) in zip(items, parts, strict=True):
            stored, pixels = stored_and_seen(image, recipe)
            if region is not None and item.tile is None:
                remarks += _invisible(whole[0], region)
            # They are about the whole picture, so they are reported once.
            said = remarks if item.tile is None or item.tile[:2] == (0, 0) else ()
            found.append(Decoded(stored, digest, channel_sums(pixels), region, tuple(said)))
    except BadDataError as error:
        return [error] * len(items)
    except OSError as error:
        reason = message("it cannot be read: {reason}", reason=error.strerror or error)
        return [BadDataError(reason)] * len(items)
    return found


def _invisible(whole: Regions, visible: Regions) -> list[Remark]:
    """Report the boxes of a picture that its image in the dataset does not show.

    Args:
        whole: The regions of the picture.
        visible: The regions of its image.
    """
    count = len(whole) - len(visible)
    if whole.dtype == np.uint8 or not count:
        return []
    reason = message(
        "left out {count} boxes that are cut off too much when the image is fitted",
        one="left out a box that is cut off too much when the image is fitted",
        count=count,
    )
    return [Remark(reason, count)]


def channel_sums(pixels: NDArray[np.uint8]) -> NDArray[np.int64]:
    """Sum of each channel of an image, shape C.

    Whole rows are added first: 18 times faster than adding pixel by pixel along a short axis.
    """
    height, _, channels = pixels.shape
    rows = pixels.reshape(height, -1).sum(axis=0, dtype=np.uint32)  # at most 4096 * 255 each
    sums: NDArray[np.int64] = rows.reshape(-1, channels).sum(axis=0, dtype=np.int64)
    return sums


def decode_ahead(
    found: Iterator[tuple[int, Fetch]],
    items: Sequence[Item],
    recipe: DatasetRecipe,
    progress: Progress,
    regions: RegionReader | None = None,
) -> Iterator[tuple[int, Decoded | BadDataError]]:
    """Decode on all cores, yield results in order, and keep only a few in memory.

    Threads are as fast as processes here (Pillow gives up the interpreter lock) and send nothing.

    Args:
        found: Row of each image, and the reader of its bytes.
        items: The images by row; their sizes limit the queued bytes.
        recipe: The recipe.
        progress: May cancel the work.
        regions: Reads masks or boxes, where the task has them.

    Returns:
        Row of each image with its pixels, or with the reason why there are none.

    Raises:
        Cancelled: Through `progress`.
    """
    workers = os.cpu_count() or 1
    room = Room(_decoding_memory())
    stopped = threading.Event()

    def decode(share: _Part) -> list[tuple[int, Decoded | BadDataError]]:
        return [
            result
            for rows, fetch in share.pictures
            if not stopped.is_set()
            for result in zip(
                rows,
                decode_picture(fetch, [items[row] for row in rows], recipe, room, regions),
                strict=True,
            )
        ]

    pool = ThreadPoolExecutor(workers, "decode")
    running: deque[tuple[int, Future[list[tuple[int, Decoded | BadDataError]]]]] = deque()
    held = 0
    try:
        for share in _parts(found, items, recipe, progress):
            held += share.size
            running.append((share.size, pool.submit(decode, share)))
            while len(running) > 4 * workers or (held > BYTES_AHEAD and running):
                size, future = running.popleft()
                held -= size
                yield from _result(future, progress)
        while running:
            yield from _result(running.popleft()[1], progress)
    finally:
        stopped.set()
        pool.shutdown(wait=True, cancel_futures=True)


@dataclass(slots=True)
class _Part:
    """Pictures that one thread decodes before it reports.

    Attributes:
        pictures: Rows of each, several where it is cut into tiles, and what gives its bytes.
        size: Encoded bytes, as far as they are known.
    """

    pictures: list[tuple[list[int], Fetch]] = field(default_factory=list)
    size: int = 0


def _parts(
    found: Iterator[tuple[int, Fetch]],
    items: Sequence[Item],
    recipe: DatasetRecipe,
    progress: Progress,
) -> Iterator[_Part]:
    """Small pictures together, so that handing them over takes less time than decoding them.

    One of unknown size goes alone: it may take long, or come over a network.
    """
    decoded = recipe.width * recipe.height * recipe.channels
    share, weight = _Part(), 0
    for rows, fetch in _pictures(found, items, max(1, _TILE_BYTES // decoded)):
        progress.check()
        size = items[rows[0]].size
        share.pictures.append((rows, fetch))
        share.size += max(0, size)
        weight += max(size, decoded * len(rows)) if size >= 0 else _SHARE_BYTES
        if weight >= _SHARE_BYTES or len(share.pictures) == _SHARE_PICTURES:
            yield share
            share, weight = _Part(), 0
    if share.pictures:
        yield share


def _pictures(
    found: Iterator[tuple[int, Fetch]], items: Sequence[Item], most: int
) -> Iterator[tuple[list[int], Fetch]]:
    """Group up to `most` adjacent tiles of a picture, so that it is decoded once."""
    rows: list[int] = []
    fetched: Fetch | None = None
    for row, fetch in found:
        if fetched is not None:
            last, item = items[rows[-1]], items[row]
            is_same = item.tile is not None and (item.part, item.key) == (last.part, last.key)
            if is_same and len(rows) < most:
                rows.append(row)
                continue
            yield rows, fetched
        rows, fetched = [row], fetch
    if fetched is not None:
        yield rows, fetched


def _result(
    future: Future[list[tuple[int, Decoded | BadDataError]]], progress: Progress
) -> list[tuple[int, Decoded | BadDataError]]:
    while not future.done():
        progress.check()
        wait([future], timeout=0.1)
    progress.check()
    return future.result()


__all__ = ["ImportSummary", "import_dataset", "read_skipped", "suggest_recipe"]

_ROWS_AT_ONCE = 256


@dataclass(frozen=True, slots=True)
class ImportSummary:
    """Result of an import.

    Attributes:
        count: Images in the dataset.
        classes: Class names, in the order of the labels.
        counts: Images of `train`, `val` and `test`.
        skipped: Files that were left out, and why; also in `skipped.json`.
    """

    count: int
    classes: list[str]
    counts: dict[str, int]
    skipped: list[Skipped]


def import_dataset(recipe: DatasetRecipe, folder: Path, progress: Progress) -> ImportSummary:
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
            message("{folder} already holds a dataset.", folder=folder),
            "Import under another name.",
            str(folder),
        )
    parts = gather.parts_of(recipe)
    scan = gather.scan_parts(parts, recipe, progress)
    for warning in scan.warnings:
        progress.warn(warning)
    targets = gather.annotated(parts, scan, recipe)
    regions = None
    if targets is not None and TASKS[recipe.task].has_regions:
        regions = RegionReader(scan, targets.names)
    folder.mkdir(parents=True, exist_ok=True)
    with _writer(folder, recipe, parts, scan, targets, regions) as writer:
        problems, sums = _decode_all(parts, recipe, scan, writer, targets, regions, progress)
        for part in parts:
            if not part.source.is_there(part.path):
                raise StudioError(
                    message("{path} disappeared during the import.", path=written(part.path)),
                    "Connect or restore it and import again; the import continues where it "
                    "stopped.",
                    part.field,
                )
        return _finish(writer, parts, recipe, scan, targets, problems, sums)


def _writer(
    folder: Path,
    recipe: DatasetRecipe,
    parts: Sequence[gather.Part],
    scan: Scan,
    targets: Annotated | None,
    regions: RegionReader | None,
) -> StoreWriter:
    names = scan.classes() if targets is None else targets.names
    most_boxes = 0 if regions is None else regions.most_boxes
    fingerprint = _fingerprint(recipe, scan.items, names, most_boxes)
    paths = [gather.shown_path(parts, item) for item in scan.items]
    return StoreWriter.resume(folder, fingerprint) or StoreWriter.create(
        folder, recipe, paths, names, fingerprint, most_boxes
    )


def _fingerprint(
    recipe: DatasetRecipe, items: Iterable[Item], names: Sequence[str], most_boxes: int
) -> str:
    """Return a hash of everything that determines the rows; if it differs, nothing is resumed."""
    digest = hashlib.blake2b(digest_size=16)
    versions = f"{FORMAT_VERSION} {DECODE_VERSION} {PIL.__version__} {RESIZER}"
    digest.update(f"{versions} {recipe.model_dump_json()}".encode())
    if TASKS[recipe.task].has_regions:
        digest.update(repr((names, most_boxes)).encode())
    for item in items:
        facts = (item.key, item.class_name, item.split, item.size, item.modified_ns, item.part)
        mask = (item.annotation, item.tile) if item.annotation else ()
        digest.update(repr(facts + item.values + mask).encode())
    return digest.hexdigest()


def _decode_all(
    parts: Sequence[gather.Part],
    recipe: DatasetRecipe,
    scan: Scan,
    writer: StoreWriter,
    targets: Annotated | None,
    regions: RegionReader | None,
    progress: Progress,
) -> tuple[list[Skipped], NDArray[np.int64]]:
    """Decode every row that is not done; pixels of masks, or boxes, are counted in the targets.

    Returns:
        What was unreadable, in the order of the rows, and the channel sums of each row, N x C.
    """
    items, done = scan.items, writer.done
    sums = np.zeros((len(items), recipe.channels), np.int64)
    counts = None if targets is None or regions is None else targets.values
    _sum_rows(writer, np.flatnonzero(done), sums, counts, progress)
    finished = int(done.sum())
    unreadable: dict[int, Skipped] = {}
    empty: list[int] = []
    with gather.ended(gather.read_parts(parts, items, np.flatnonzero(~done).tolist())) as found:
        for row, result in decode_ahead(found, items, recipe, progress, regions):
            if isinstance(result, BadDataError):
                path = safe_text(gather.shown_path(parts, items[row]))
                unreadable[row] = _unreadable(path, items[row], result, regions)
            elif not recipe.keep_empty and result.regions is not None and not len(result.regions):
                empty.append(row)
            else:
                writer.write(row, result.stored, result.digest, result.regions, result.remarks)
                sums[row] = result.channel_sums
                if counts is not None and result.regions is not None:
                    counts[row] = region_counts(result.regions, counts.shape[1])
            finished += 1
            progress.advance(finished, len(items), "Importing images")
    writer.flush()
    problems = defaultdict(list, {row: [problem] for row, problem in unreadable.items()})
    for row, remarks in writer.remarks.items():
        # The row of a tile stands for its picture.
        path = safe_text(gather.shown_path(parts, replace(items[row], tile=None)))
        problems[row] += [
            Skipped(path, each.reason, None, True, True, each.objects) for each in remarks
        ]
    pictures: defaultdict[str, list[int]] = defaultdict(list)
    for row in sorted(empty):
        pictures[gather.shown_path(parts, replace(items[row], tile=None))].append(row)
    for name, rows in pictures.items():
        problems[rows[0]].append(_without_objects(name, rows, items))
    return [problem for row in sorted(problems) for problem in problems[row]], sums


def _unreadable(
    path: str, item: Item, error: BadDataError, regions: RegionReader | None
) -> Skipped:
    """Return the entry of a picture, or of a tile, that cannot be used, with its objects."""
    is_first = item.tile is None or item.tile[:2] == (0, 0)  # they are counted once
    return Skipped(
        path,
        error.message,
        is_annotation=isinstance(error, BadAnnotationError),
        objects=regions.object_count(item) if regions is not None and is_first else 0,
    )


def _without_objects(picture: str, rows: Sequence[int], items: Sequence[Item]) -> Skipped:
    """Return the entry of a skipped picture, or of skipped tiles of it."""
    if items[rows[0]].tile is None:
        return Skipped(safe_text(picture), "no object is visible in it", is_annotation=True)
    reason = message(
        "{count} of its tiles are left out: they have no objects",
        one="{count} of its tiles is left out: it has no objects",
        count=len(rows),
    )
    return Skipped(safe_text(picture), reason, is_partial=True)


def region_counts(regions: Regions, classes: int) -> NDArray[np.int64]:
    """Count the pixels or boxes of each class in an image, shape (classes,).

    Ignored pixels and crowds count nowhere.

    Args:
        regions: A mask or boxes.
        classes: Number of classes.
    """
    if regions.dtype == np.uint8:
        return np.bincount(regions.ravel(), minlength=256)[:classes]
    counts: NDArray[np.int64] = box_counts(regions[None], classes)[0].astype(np.int64)
    return counts


def _sum_rows(
    writer: StoreWriter,
    rows: NDArray[np.int64],
    sums: NDArray[np.int64],
    counts: Values | None,
    progress: Progress,
) -> None:
    """Fill in the sums of the rows that an earlier attempt wrote."""

    def fill(row: int) -> None:
        sums[row] = channel_sums(writer.pixels(row))
        if counts is not None:
            counts[row] = region_counts(writer.regions(row), counts.shape[1])

    with ThreadPoolExecutor(os.cpu_count() or 1, "sums") as pool:
        for start in range(0, len(rows), _ROWS_AT_ONCE):
            progress.check()
            for _ in pool.map(fill, rows[start : start + _ROWS_AT_ONCE].tolist()):
                pass  # an error of a thread is raised here


def _finish(
    writer: StoreWriter,
    parts: Sequence[gather.Part],
    recipe: DatasetRecipe,
    scan: Scan,
    targets: Annotated | None,
    problems: list[Skipped],
    sums: NDArray[np.int64],
) -> ImportSummary:
    """Drop classes without images, deal the splits, write everything; the dataset comes last."""
    writer.flush()
    folder = writer.path.parent
    stored, small = _stored_rows(writer.done, scan.items, recipe)
    classes = _outputs(scan, stored, targets)
    skipped = [*scan.problems, *problems, *small]
    write_skipped(folder, skipped)
    if not stored or len(classes) < TASKS[recipe.task].fewest_outputs:
        writer.discard()
        raise _too_few(scan, classes, skipped)
    labels = np.full(len(scan.items), -1, np.int32)
    split = np.full(len(scan.items), SKIPPED, np.int8)
    stored_items = [scan.items[row] for row in stored]
    kind = TASKS[recipe.task].targets
    if kind is None or targets is None:
        number = {name: index for index, name in enumerate(classes)}
        labels[stored] = [number[item.class_name] for item in stored_items]
        split[stored] = gather.deal(parts, recipe, stored_items, labels[stored])
    else:
        labels[stored] = 0
        traits = kind.traits(targets.values[stored])
        split[stored] = gather.deal(parts, recipe, stored_items, labels[stored], traits)
        write_array(folder / TARGETS_NAME, targets.values)
    per_class = class_counts(
        kind, labels, None if targets is None else targets.values, split, len(classes)
    )
    lost = sum(not each.is_partial for each in skipped)
    summary = _summary(recipe, classes, per_class, split, lost, sums[stored].sum(axis=0))
    if targets is not None:
        summary.units.extend(targets.units)
        summary.colors.extend(targets.colors)
    defined = {scan.items[row].split for row in stored}
    summary.source_splits.extend(name for name in HELD_OUT if name in defined)
    write_summary(folder, summary)
    writer.finish(labels, split, classes)
    return ImportSummary(len(stored), classes, summary.count, skipped)


def _outputs(scan: Scan, rows: Sequence[int], targets: Annotated | None) -> list[str]:
    """Return the names of what a network answers with: of classes only those with images."""
    if targets is not None:
        return list(targets.names)
    names = {scan.items[row].class_name for row in rows}
    return [name for name in scan.classes() if name in names]


def _stored_rows(
    done: NDArray[np.bool_], items: Sequence[Item], recipe: DatasetRecipe
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


def _too_few(scan: Scan, classes: list[str], skipped: list[Skipped]) -> BadDataError:
    number = len(scan.classes())
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


def _summary(
    recipe: DatasetRecipe,
    classes: list[str],
    per_class: dict[str, list[int]],
    split: NDArray[np.int8],
    skipped: int,
    sums: NDArray[np.int64],
) -> DatasetSummary:
    pixels = int((split != SKIPPED).sum()) * recipe.width * recipe.height
    return DatasetSummary(
        task=recipe.task,
        width=recipe.width,
        height=recipe.height,
        channels=recipe.channels,
        classes=classes,
        count={name: int((split == index).sum()) for index, name in enumerate(SPLIT_NAMES)},
        class_counts=per_class,
        skipped=skipped,
        mean_color=[round(float(total) / pixels, 4) for total in sums],
    )
