"""Turns a recipe into a dataset: find, decode on all cores, write, split, sum up."""

from __future__ import annotations

import hashlib
import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor, wait
from dataclasses import dataclass
from io import BytesIO
from itertools import islice
from pathlib import Path

import numpy as np
import PIL
from numpy.typing import NDArray

from studio.engine.datasets.decode import DECODE_VERSION, LARGEST_FILE, load_image
from studio.engine.datasets.recipe import DatasetRecipe
from studio.engine.datasets.schema import FILE_NAME, FORMAT_VERSION, HASH_BYTES
from studio.engine.datasets.sources import source_for
from studio.engine.datasets.sources.base import Item, Scan, Skipped, Source, safe_text
from studio.engine.datasets.splits import SKIPPED, SPLIT_NAMES, assign_splits
from studio.engine.datasets.suggestion import suggest_recipe
from studio.engine.datasets.summary import (
    DatasetSummary,
    read_skipped,
    write_skipped,
    write_summary,
)
from studio.engine.datasets.writer import StoreWriter
from studio.engine.errors import BadDataError, StudioError
from studio.engine.progress import Progress

__all__ = ["ImportSummary", "import_dataset", "read_skipped", "suggest_recipe"]


@dataclass(frozen=True, slots=True)
class ImportSummary:
    """What an import made.

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


@dataclass(frozen=True, slots=True)
class _Decoded:
    pixels: NDArray[np.uint8]
    digest: bytes
    channel_sums: NDArray[np.int64]


def import_dataset(recipe: DatasetRecipe, folder: Path, progress: Progress) -> ImportSummary:
    """Import the images of `recipe.source` into `folder`.

    Files that cannot be read are listed in `skipped.json` and the rest is imported. When it is
    cancelled or killed, a partial file stays, and calling it again with the same recipe goes
    on where it stopped, unless a file was added, removed or changed in between.

    Args:
        recipe: What is asked.
        folder: The dataset's folder; made when missing.
        progress: Who listens, and may cancel.

    Raises:
        StudioError: Nothing usable is there, or the folder holds a dataset already.
        BadDataError: Fewer than two classes have an image that can be read.
        DiskFullError: The dataset does not fit; the partial file stays.
        Cancelled: Through `progress`; the partial file stays.
    """
    if (folder / FILE_NAME).exists():
        raise StudioError(
            f"{folder} already holds a dataset.", "Import under another name.", str(folder)
        )
    path = Path(recipe.source)
    source = source_for(path)
    scan = source.scan(path, progress)
    folder.mkdir(parents=True, exist_ok=True)
    with _writer(folder, recipe, scan) as writer:
        unreadable, sums = _decode_all(source, recipe, scan.items, writer, progress)
        if not path.exists():
            raise StudioError(
                f"{path} vanished during the import.",
                "Connect or restore it and import again; it goes on where it stopped.",
                "source",
            )
        return _finish(writer, recipe, scan, [*scan.problems, *unreadable], sums)


def _writer(folder: Path, recipe: DatasetRecipe, scan: Scan) -> StoreWriter:
    fingerprint = _fingerprint(recipe, scan.items)
    paths = [item.key for item in scan.items]
    return StoreWriter.resume(folder, fingerprint) or StoreWriter.create(
        folder, recipe, paths, scan.classes(), fingerprint
    )


def _fingerprint(recipe: DatasetRecipe, items: Iterable[Item]) -> str:
    """Names everything that decides about the rows; changes when a continuation would mix."""
    digest = hashlib.blake2b(digest_size=16)
    versions = f"{FORMAT_VERSION} {DECODE_VERSION} {PIL.__version__}"
    digest.update(f"{versions} {recipe.model_dump_json()}".encode())
    for item in items:
        facts = (item.key, item.class_name, item.split, item.size, item.modified_ns)
        digest.update(repr(facts).encode())
    return digest.hexdigest()


def _decode_all(
    source: Source,
    recipe: DatasetRecipe,
    items: list[Item],
    writer: StoreWriter,
    progress: Progress,
) -> tuple[list[Skipped], NDArray[np.int64]]:
    """Decode every row that is not done; returns what was unreadable, and channel sums of all."""
    done = writer.done
    sums = np.zeros(recipe.channels, np.int64)
    for row in np.flatnonzero(done).tolist():
        progress.check()
        sums += _channel_sums(writer.pixels(row))
    finished = int(done.sum())
    unreadable: list[Skipped] = []
    root = Path(recipe.source)

    def decode(row: int) -> _Decoded | Skipped:
        return _decode(source, root, items[row], recipe)

    for row, result in _ahead(decode, np.flatnonzero(~done).tolist(), progress):
        if isinstance(result, Skipped):
            unreadable.append(result)
        else:
            writer.write(row, result.pixels, result.digest)
            sums += result.channel_sums
        finished += 1
        progress.advance(finished, len(items), "Importing images")
    return unreadable, sums


def _decode(source: Source, root: Path, item: Item, recipe: DatasetRecipe) -> _Decoded | Skipped:
    try:
        data = _encoded(source, root, item)
        pixels = load_image(BytesIO(data), recipe)
    except BadDataError as error:
        return Skipped(safe_text(item.key), error.message)
    except OSError as error:
        return Skipped(safe_text(item.key), f"it cannot be read: {error.strerror or error}")
    digest = hashlib.blake2b(data, digest_size=HASH_BYTES).digest()
    return _Decoded(pixels, digest, _channel_sums(pixels))


def _encoded(source: Source, root: Path, item: Item) -> bytes:
    with source.open(root, item) as file:
        data = file.read(LARGEST_FILE + 1)
    if len(data) > LARGEST_FILE:
        raise BadDataError(f"the file is larger than {LARGEST_FILE // 2**20} MB")
    return data


def _channel_sums(pixels: NDArray[np.uint8]) -> NDArray[np.int64]:
    sums: NDArray[np.int64] = pixels.reshape(-1, pixels.shape[-1]).sum(axis=0, dtype=np.int64)
    return sums


def _ahead(
    decode: Callable[[int], _Decoded | Skipped], rows: list[int], progress: Progress
) -> Iterator[tuple[int, _Decoded | Skipped]]:
    """Decode on all cores, give results in order, and hold only a few at a time.

    Threads are as fast as processes here (Pillow gives up the interpreter lock) and send nothing.
    """
    workers = os.cpu_count() or 1
    pool = ThreadPoolExecutor(workers, "decode")
    waiting = iter(rows)
    running: deque[tuple[int, Future[_Decoded | Skipped]]] = deque()
    try:
        running.extend((row, pool.submit(decode, row)) for row in islice(waiting, 4 * workers))
        while running:
            row, future = running.popleft()
            yield row, _result(future, progress)
            running.extend((row, pool.submit(decode, row)) for row in islice(waiting, 1))
    finally:
        pool.shutdown(wait=True, cancel_futures=True)


def _result(future: Future[_Decoded | Skipped], progress: Progress) -> _Decoded | Skipped:
    while not future.done():
        progress.check()
        wait([future], timeout=0.1)
    progress.check()
    return future.result()


def _finish(
    writer: StoreWriter,
    recipe: DatasetRecipe,
    scan: Scan,
    skipped: list[Skipped],
    sums: NDArray[np.int64],
) -> ImportSummary:
    """Drop classes without images, deal the splits, write everything; the dataset comes last."""
    writer.flush()
    folder = writer.path.parent
    kept = np.flatnonzero(writer.done)
    names = {scan.items[row].class_name for row in kept.tolist()}
    classes = [name for name in scan.classes() if name in names]
    write_skipped(folder, skipped)
    if len(classes) < 2:
        writer.discard()
        raise _too_few(scan, classes, skipped)
    number = {name: index for index, name in enumerate(classes)}
    labels = np.full(len(scan.items), -1, np.int32)
    split = np.full(len(scan.items), SKIPPED, np.int8)
    labels[kept] = [number[scan.items[row].class_name] for row in kept.tolist()]
    given = [_given_split(scan.items[row]) for row in kept.tolist()]
    split[kept] = assign_splits(
        labels[kept],
        recipe.val_percent,
        recipe.test_percent,
        recipe.seed,
        np.array(given, np.int8),
    )
    summary = _summary(recipe, classes, labels, split, len(skipped), sums)
    write_summary(folder, summary)
    writer.finish(labels, split, classes)
    return ImportSummary(len(kept), classes, summary.count, skipped)


def _given_split(item: Item) -> int:
    return SKIPPED if item.split is None else SPLIT_NAMES.index(item.split)


def _too_few(scan: Scan, classes: list[str], skipped: list[Skipped]) -> BadDataError:
    left = f'only "{classes[0]}"' if classes else "none"
    reasons = "; ".join(f"{entry.path}: {entry.reason}" for entry in skipped[-3:])
    return BadDataError(
        f"Of {len(scan.classes())} classes, {left} has an image that can be read ({reasons}).",
        "At least two classes are needed; check the files, or choose another folder.",
        "source",
    )


def _summary(
    recipe: DatasetRecipe,
    classes: list[str],
    labels: NDArray[np.int32],
    split: NDArray[np.int8],
    skipped: int,
    sums: NDArray[np.int64],
) -> DatasetSummary:
    per_class = {
        name: np.bincount(labels[split == index], minlength=len(classes)).tolist()
        for index, name in enumerate(SPLIT_NAMES)
    }
    pixels = int((split != SKIPPED).sum()) * recipe.width * recipe.height
    return DatasetSummary(
        width=recipe.width,
        height=recipe.height,
        channels=recipe.channels,
        classes=classes,
        count={name: sum(counts) for name, counts in per_class.items()},
        class_counts=per_class,
        skipped=skipped,
        mean_color=[round(float(total) / pixels, 4) for total in sums],
    )
