"""What the import sheet lets others do: look through a folder, show what a recipe would make.

The functions are called in background threads.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass, replace
from io import BytesIO
from pathlib import Path

from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QImage

from studio.engine.datasets.recipe import DatasetRecipe
from studio.engine.datasets.samples import SAMPLES
from studio.engine.datasets.sources.base import (
    Fetch,
    Item,
    Scan,
    Skipped,
    Source,
    close_reading,
)
from studio.engine.errors import BadDataError
from studio.engine.jobs.job import Job
from studio.engine.jobs.queue import JobQueue
from studio.engine.jobs.requests import request_import
from studio.engine.progress import Cancelled, Progress
from studio.engine.workspace import RecordKind
from studio.ui.pages.datasets.pictures import to_image
from studio.ui.pages.datasets.state import spread

PREVIEWS = 4
# Side of the "before" pictures in pixels: twice what they are shown at.
BEFORE = 288


@dataclass(frozen=True, slots=True)
class Preview:
    """One of the user's pictures: its file, as it looks, or why it cannot be read."""

    item: Item
    data: bytes
    before: QImage
    problem: str = ""


@dataclass(frozen=True, slots=True)
class Found:
    """What a folder or a file holds.

    Attributes:
        path: Where it was looked for.
        source: Name of the source that reads it.
        kind: What that is, in words.
        count: Images that would be imported.
        classes: Each class with its number of images.
        splits: Splits that the images bring along: `train`, `val`, `test`.
        problems: What will be left out.
        warnings: What else should be read.
        recipe: A recipe that suits it at the first look; later the one that was asked with.
        previews: Some of the images.
    """

    path: Path
    source: str
    kind: str
    count: int
    classes: list[tuple[str, int]]
    splits: dict[str, int]
    problems: list[Skipped]
    warnings: list[str]
    recipe: DatasetRecipe
    previews: list[Preview]


class Search(QObject):
    """The ear of work that runs in a thread, with a way to end it.

    Signals:
        advanced: How much is done (images found, bytes that came), of how much, 0 while that
            is not known, and what is going on.
    """

    # Not int: Qt's ends at 2 GB.
    advanced = Signal(object, object, str)

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self.warnings: list[str] = []
        self._cancelled = False

    def cancel(self) -> None:
        """Ask the work to end; it raises `Cancelled` soon."""
        self._cancelled = True

    def advance(self, done: int, total: int, what: str) -> None:
        """Hand on how far it is."""
        self.check()
        self.advanced.emit(done, total, what)

    def warn(self, message: str) -> None:
        """Keep what the user should read."""
        self.warnings.append(message)

    def check(self) -> None:
        """End here if that was asked for.

        Raises:
            Cancelled: It was.
        """
        if self._cancelled:
            raise Cancelled


def find_images(recipe: DatasetRecipe, search: Search, known: Found | None = None) -> Found:
    """Look for the images that a recipe would import.

    Args:
        recipe: Where to look, and what to leave out.
        search: Who listens, and may cancel.
        known: What was found with other settings: its pictures are shown again, and the recipe
            stays as it is. Without it, a size and a color are proposed.

    Raises:
        StudioError: Nothing that can be imported is there.
        Cancelled: Through `search`.
    """
    from studio.engine.datasets.gather import parts_of, scan_parts  # noqa: PLC0415 - NumPy
    from studio.engine.datasets.suggestion import suggest_recipe  # noqa: PLC0415

    parts = parts_of(recipe)
    scan = scan_parts(parts, recipe, search)
    first = Scan([item for item in scan.items if item.part == 0])
    source, path = parts[0].source, parts[0].path
    if known is None:
        guess = suggest_recipe(path, first, search)
        recipe = recipe.changed(width=guess.width, height=guess.height, color=guess.color)
    groups = _by_class(scan)
    splits = Counter(item.split for item in scan.items if item.split is not None)
    return Found(
        path=path,
        source=source.name,
        kind=source.label,
        count=len(scan.items),
        classes=[(name, len(items)) for name, items in groups.items()],
        splits=dict(splits),
        problems=scan.problems,
        warnings=list(dict.fromkeys(search.warnings)),
        recipe=recipe,
        previews=_kept_previews(first, known) or _previews(source, path, first, search),
    )


def results_of(found: Found, recipe: DatasetRecipe) -> list[QImage]:
    """What the recipe makes of each preview; a null image where it cannot be read."""
    return [
        QImage() if preview.problem else _decoded(preview.data, recipe)[0]
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


def _kept_previews(scan: Scan, known: Found | None) -> list[Preview]:
    """Pictures that were read before and are still among the images."""
    present = {(item.key, item.place): item for item in scan.items} if known else {}
    return [
        replace(preview, item=present[preview.item.key, preview.item.place])
        for preview in (known.previews if known else [])
        if (preview.item.key, preview.item.place) in present
    ]


def _previews(source: Source, path: Path, scan: Scan, search: Search) -> list[Preview]:
    """Read a few images, in one go: a packed archive can only be read from its beginning."""
    chosen = spread(list(_by_class(scan).values()), PREVIEWS)
    made: dict[int, Preview] = {}
    reason = "it cannot be read"
    found = source.read(path, chosen)
    try:
        for index, fetch in found:
            search.check()
            made[index] = _preview(chosen[index], fetch)
    except (BadDataError, OSError) as error:
        reason = str(error)
    finally:
        close_reading(found)
    lost = (Preview(item, b"", QImage(), reason) for item in chosen)
    return [made.get(index, preview) for index, preview in enumerate(lost)]


def _preview(item: Item, fetch: Fetch) -> Preview:
    from studio.engine.datasets.decode import describe  # noqa: PLC0415 - Pillow

    try:
        data = fetch()
        width, height, _ = describe(BytesIO(data))
    except (BadDataError, OSError) as error:
        return Preview(item, b"", QImage(), str(error))
    # Squash into its own shape: the picture as it is, upright, smaller.
    scale = min(1.0, BEFORE / max(width, height))
    size = {"width": max(1, round(width * scale)), "height": max(1, round(height * scale))}
    image, problem = _decoded(data, DatasetRecipe.parse({"source": "", **size}))
    return Preview(item, data, image, problem)


def _decoded(data: bytes, recipe: DatasetRecipe) -> tuple[QImage, str]:
    from studio.engine.datasets.decode import load_image  # noqa: PLC0415 - Pillow
    from studio.engine.datasets.encoding import stored_and_seen  # noqa: PLC0415

    try:
        _, pixels = stored_and_seen(load_image(BytesIO(data), recipe), recipe)
        return to_image(pixels), ""
    except (BadDataError, OSError) as error:
        return QImage(), str(error)
