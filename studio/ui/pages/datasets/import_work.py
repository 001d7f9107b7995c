"""What the import sheet lets others do: look through a folder, show what a recipe would make.

The functions are called in background threads.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import replace
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtGui import QImage

from studio.engine.datasets.recipe import DatasetRecipe
from studio.engine.datasets.samples import SAMPLES
from studio.engine.datasets.sources.base import (
    Fetch,
    Item,
    Scan,
    close_reading,
)
from studio.engine.errors import BadDataError
from studio.engine.jobs.job import Job
from studio.engine.jobs.queue import JobQueue
from studio.engine.jobs.requests import request_import
from studio.engine.progress import Progress
from studio.engine.workspace import RecordKind
from studio.ui.bridge.progress import WindowProgress
from studio.ui.engine_text import engine_text
from studio.ui.pages.datasets.found import Found, Place, Preview, Result
from studio.ui.pages.datasets.state import spread
from studio.ui.shared.dataset_pictures import to_image

if TYPE_CHECKING:
    from studio.engine.datasets.gather import Part

PREVIEWS = 4
# Side of the "before" pictures in pixels: twice what they are shown at.
BEFORE = 288


def find_images(
    recipe: DatasetRecipe,
    search: WindowProgress,
    known: Found | None = None,
    *,
    suggest: bool = True,
    first: int = 0,
) -> Found:
    """Look for the images that a recipe would import.

    Args:
        recipe: Where to look, and what to leave out.
        search: Who listens, and may cancel.
        known: What was found with other settings: its pictures are shown again.
        suggest: Propose a size and a color, rather than keep those of the recipe.
        first: Number of the first place whose pictures are shown.

    Raises:
        StudioError: Nothing that can be imported is there.
        Cancelled: Through `search`.
    """
    from studio.engine.datasets.gather import parts_of, scan_parts  # noqa: PLC0415 - NumPy
    from studio.engine.datasets.suggestion import suggest_recipe  # noqa: PLC0415

    parts = parts_of(recipe)
    scan = scan_parts(parts, recipe, search)
    if suggest:
        own = Scan([item for item in scan.items if item.part == 0])
        guess = suggest_recipe(parts[0].path, own, search)
        recipe = recipe.changed(width=guess.width, height=guess.height, color=guess.color)
    splits = Counter(item.split for item in scan.items if item.split is not None)
    shown = Scan([item for item in scan.items if item.part >= first])
    return Found(
        places=_places(parts, scan),
        count=len(scan.items),
        classes=[(name, len(items)) for name, items in _by_class(scan).items()],
        splits=dict(splits),
        problems=scan.problems,
        warnings=list(dict.fromkeys(search.warnings)),
        recipe=recipe,
        previews=_kept_previews(parts, shown, known) or _previews(parts, shown, search),
    )


def results_of(found: Found, recipe: DatasetRecipe) -> list[Result]:
    """What the recipe makes of each preview."""
    return [
        Result(QImage()) if preview.problem else _decoded(preview.data, recipe)[0]
        for preview in found.previews
    ]


def submit_import(queue: JobQueue, recipe: DatasetRecipe, name: str) -> str:
    """Ask for an import; returns the id of its record.

    Raises:
        StudioError: The name or the folder cannot be used.
    """
    return request_import(queue, recipe, name).record.id


def submit_sample(queue: JobQueue, name: str, progress: Progress) -> str:
    """Write a sample into the workspace and ask for its import; returns the id of its record.

    Raises:
        StudioError: The sample cannot be written.
    """
    sample = SAMPLES[name]
    source = sample.write(queue.workspace.root / "samples", progress)
    unused = queue.workspace.unused_name(RecordKind.DATASET, sample.name)
    job: Job = request_import(queue, sample.recipe(source), unused)
    return job.record.id


def _by_class(scan: Scan) -> dict[str, list[Item]]:
    groups: defaultdict[str, list[Item]] = defaultdict(list)
    for item in scan.items:
        groups[item.class_name].append(item)
    return {name: groups[name] for name in scan.classes()}


def _places(parts: Sequence[Part], scan: Scan) -> list[Place]:
    places = []
    for index, part in enumerate(parts):
        items = [item for item in scan.items if item.part == index]
        splits = Counter(item.split for item in items if item.split is not None)
        kind = engine_text(part.source.label)
        places.append(Place(part.path, part.source.name, kind, len(items), dict(splits)))
    return [place for place, part in zip(places, parts, strict=True) if part.split is None]


def _kept_previews(parts: Sequence[Part], scan: Scan, known: Found | None) -> list[Preview]:
    """Pictures that were read before and are still among the images."""
    if known is None:
        return []
    present = {(parts[item.part].path, item.key, item.place): item for item in scan.items}
    kept = []
    for preview in known.previews:
        item = present.get((preview.path, preview.item.key, preview.item.place))
        if item is not None:
            kept.append(replace(preview, item=item))
    # Where a place came or went, other pictures may say more.
    places = [part.path for part in parts if part.split is None]
    return kept if places == [place.path for place in known.places] else []


def _previews(parts: Sequence[Part], scan: Scan, search: WindowProgress) -> list[Preview]:
    """Read a few images, in one go: a packed archive can only be read from its beginning."""
    from studio.engine.datasets.gather import read_parts  # noqa: PLC0415 - NumPy

    chosen = spread(list(_by_class(scan).values()), PREVIEWS)
    made: dict[int, Preview] = {}
    reason = "it cannot be read"
    found = read_parts(parts, chosen, range(len(chosen)))
    try:
        for index, fetch in found:
            search.check()
            item = chosen[index]
            made[index] = _preview(parts[item.part].path, item, fetch)
    except (BadDataError, OSError) as error:
        reason = engine_text(str(error))
    finally:
        close_reading(found)
    lost = (Preview(parts[item.part].path, item, b"", QImage(), reason) for item in chosen)
    return [made.get(index, preview) for index, preview in enumerate(lost)]


def _preview(path: Path, item: Item, fetch: Fetch) -> Preview:
    from studio.engine.datasets.decode import describe  # noqa: PLC0415 - Pillow

    try:
        data = fetch()
        width, height, _ = describe(BytesIO(data))
    except (BadDataError, OSError) as error:
        return Preview(path, item, b"", QImage(), engine_text(str(error)))
    # Squash into its own shape: the picture as it is, upright, smaller.
    scale = min(1.0, BEFORE / max(width, height))
    size = {"width": max(1, round(width * scale)), "height": max(1, round(height * scale))}
    result, problem = _decoded(data, DatasetRecipe.parse({"source": "", **size}))
    return Preview(path, item, data, result.image, problem)


def _decoded(data: bytes, recipe: DatasetRecipe) -> tuple[Result, str]:
    from studio.engine.datasets.decode import load_image  # noqa: PLC0415 - Pillow
    from studio.engine.datasets.encoding import stored_and_seen  # noqa: PLC0415

    try:
        stored, pixels = stored_and_seen(load_image(BytesIO(data), recipe), recipe)
        packed = 0 if recipe.encoding == "raw" else stored.nbytes
        return Result(to_image(pixels), packed), ""
    except (BadDataError, OSError) as error:
        return Result(QImage()), engine_text(str(error))
