"""Decodes many pictures at once: encoded bytes in, pixels and hashes out, on all cores."""

from __future__ import annotations

import functools
import hashlib
import os
import threading
from collections import deque
from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, field
from functools import partial
from io import BytesIO

import numpy as np
import psutil

from studio.engine.arrays import Floats, Pixels
from studio.engine.datasets.channel_files import JoinedChannels
from studio.engine.datasets.decode import DecodingMemory, load_parts, tiles_of
from studio.engine.datasets.encoding import stored_and_seen
from studio.engine.datasets.fingerprints import Fingerprinter, Fingerprints
from studio.engine.datasets.gather import RegionReader
from studio.engine.datasets.origins.bursts import Capture, read_capture
from studio.engine.datasets.picture_values import PixelFacts
from studio.engine.datasets.planes import stopping_with
from studio.engine.datasets.positions import position_in_dataset
from studio.engine.datasets.recipe import DatasetRecipe
from studio.engine.datasets.schema import HASH_BYTES
from studio.engine.datasets.sources.base import Fetch, KnownPosition, SourceImage
from studio.engine.errors import BadDataError
from studio.engine.messages import Text, message
from studio.engine.pictures.info import Georeference, PictureInfo
from studio.engine.pixel_format import PixelFormat
from studio.engine.progress import Progress
from studio.engine.tasks.annotations import Regions, Remark
from studio.engine.tasks.geometry import Geometry
from studio.engine.tasks.placement import Tile

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
        channel_sums: Sum of each channel of what will be read back, as networks receive it, C.
        fingerprint: Fingerprint of what will be read back.
        regions: Mask or boxes, where the task has them.
        remarks: What is left out of its annotation, or changed.
        pixels: Number format of the pixels in the source.
        capture: When and with which camera the image was taken, if its file contains it.
        position: Position of the stored image on the earth, if its file contains it.
    """

    stored: Pixels
    digest: bytes
    channel_sums: Floats
    fingerprint: Fingerprints
    regions: Regions | None = None
    remarks: Sequence[Remark] = ()
    pixels: PixelFacts | None = None
    capture: Capture | None = None
    position: Georeference | None = None


def _decoding_memory() -> int:
    """Return bytes that pictures may take while they are decoded, on all cores together."""
    return max(2**30, psutil.virtual_memory().total // 4)


def decode_picture(
    fetch: Fetch,
    items: Sequence[SourceImage],
    recipe: DatasetRecipe,
    room: DecodingMemory,
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
    sizes: list[tuple[int, int]] = []

    def read(reader: RegionReader, size: tuple[int, int]) -> Regions:
        found, reported = reader.read(items[0], size)
        remarks.extend(reported)
        whole.append(found)
        sizes.append(size)
        return found

    formats: list[PixelFacts] = []
    headers: list[PictureInfo | None] = []
    regions_of = None if regions is None else partial(read, regions)
    found: list[Decoded | BadDataError] = []
    try:
        data, known = _fetched(fetch, items[0])
        digest = hashlib.blake2b(data, digest_size=HASH_BYTES).digest()
        capture = read_capture(data)
        tiles = [item.tile for item in items]
        file, plane = BytesIO(data), items[0].plane

        def on_pixels(
            facts: PixelFacts, notes: Sequence[Text], header: PictureInfo | None
        ) -> None:
            formats.append(facts)
            headers.append(header)
            remarks.extend(map(Remark, notes))

        parts = load_parts(file, recipe, regions_of, tiles, room, on_pixels, plane)
        for item, (image, region) in zip(items, parts, strict=True):
            stored, pixels = stored_and_seen(image, recipe)
            # They are about the whole picture, so they are reported once.
            is_first = item.tile is None or item.tile[:2] == (0, 0)
            if regions is not None and is_first:
                is_cut = item.tile is not None
                remarks += _invisible(regions.geometry, whole[0], sizes[0], is_cut, recipe)
            said = remarks if is_first else ()
            sums = channel_sums(pixels, recipe.pixel_format)
            measure = fingerprinter(pixels.shape, recipe.pixel_format).measure
            fingerprint = measure(pixels[np.newaxis])
            position = _position(headers[0], known, item.tile, recipe)
            facts = tuple(said), formats[0], capture, position
            found.append(Decoded(stored, digest, sums, fingerprint, region, *facts))
    except BadDataError as error:
        return [error] * len(items)
    except OSError as error:
        reason = message("it cannot be read: {reason}", reason=error.strerror or error)
        return [BadDataError(reason)] * len(items)
    return found


def _fetched(fetch: Fetch, item: SourceImage) -> tuple[bytes, KnownPosition | None]:
    """Return the bytes of a picture, and the position that is known without them."""
    return fetch.read() if isinstance(fetch, JoinedChannels) else (fetch(), item.known_position)


def _position(
    header: PictureInfo | None,
    known: KnownPosition | None,
    tile: Tile | None,
    recipe: DatasetRecipe,
) -> Georeference | None:
    """Return the position of a picture on the earth; None if neither file nor source has one."""
    if header is not None and header.georeference is not None:
        known = header.georeference, header.size
    return None if known is None else position_in_dataset(*known, tile, recipe)


@functools.lru_cache(maxsize=4)
def fingerprinter(shape: tuple[int, int, int], pixel_format: PixelFormat) -> Fingerprinter:
    """Return the object that computes the fingerprints of images.

    Args:
        shape: Height, width and channels of the images.
        pixel_format: Their number format.
    """
    return Fingerprinter(shape, pixel_format)


def _invisible(
    geometry: Geometry,
    whole: Regions,
    size: tuple[int, int],
    is_cut: bool,
    recipe: DatasetRecipe,
) -> list[Remark]:
    """Report the objects of a picture that none of its images in the dataset shows.

    Args:
        geometry: What the regions are.
        whole: The regions of the picture.
        size: Width and height of the picture in pixels.
        is_cut: True if it is cut into tiles.
        recipe: Tiles, size and way of resizing.
    """
    tiles = tiles_of(size, recipe.tile_size, recipe.tile_overlap) if is_cut else [None]
    count = geometry.hidden_objects(whole, size, tiles, recipe)
    if not count:
        return []
    reason = message(
        "left out {count} objects that are cut off too much when the image is fitted",
        one="left out an object that is cut off too much when the image is fitted",
        count=count,
    )
    if is_cut:
        reason = message(
            "left out {count} objects that no tile shows enough of",
            one="left out an object that no tile shows enough of",
            count=count,
        )
    return [Remark(reason, count)]


def channel_sums(pixels: Pixels, pixel_format: PixelFormat) -> Floats:
    """Return the sum of each channel of an image as networks receive it, shape C.

    Args:
        pixels: Shape (height, width, channels).
        pixel_format: Their number format.
    """
    height, _, channels = pixels.shape
    # Whole rows first: 18 times faster than adding pixel by pixel along a short axis.
    if pixel_format.is_standard:
        rows = pixels.reshape(height, -1).sum(axis=0, dtype=np.uint32)  # at most 4096 * 255 each
    else:
        received = pixel_format.network_values(pixels)
        rows = received.reshape(height, -1).sum(axis=0, dtype=np.float64)
    sums: Floats = rows.reshape(-1, channels).sum(axis=0, dtype=np.float64)
    return sums


def decode_ahead(
    found: Iterator[tuple[int, Fetch]],
    items: Sequence[SourceImage],
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
    room = DecodingMemory(_decoding_memory())
    stopped = threading.Event()

    def decode(share: _Part) -> list[tuple[int, Decoded | BadDataError]]:
        with stopping_with(stopped):
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
    items: Sequence[SourceImage],
    recipe: DatasetRecipe,
    progress: Progress,
) -> Iterator[_Part]:
    """Small pictures together, so that handing them over takes less time than decoding them.

    One of unknown size goes alone: it may take long, or come over a network.
    """
    decoded = recipe.pixel_format.image_bytes(recipe.height, recipe.width)
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
    found: Iterator[tuple[int, Fetch]], items: Sequence[SourceImage], most: int
) -> Iterator[tuple[list[int], Fetch]]:
    """Group up to `most` adjacent tiles of a picture, so that it is decoded once."""
    rows: list[int] = []
    fetched: Fetch | None = None
    for row, fetch in found:
        if fetched is not None:
            last, item = items[rows[-1]], items[row]
            is_same = item.tile is not None and _picture_of(item) == _picture_of(last)
            if is_same and len(rows) < most:
                rows.append(row)
                continue
            yield rows, fetched
        rows, fetched = [row], fetch
    if fetched is not None:
        yield rows, fetched


def _picture_of(item: SourceImage) -> tuple[int, str, int | None]:
    return item.part, item.key, item.plane


def _result(
    future: Future[list[tuple[int, Decoded | BadDataError]]], progress: Progress
) -> list[tuple[int, Decoded | BadDataError]]:
    while not future.done():
        progress.check()
        wait([future], timeout=0.1)
    progress.check()
    return future.result()
