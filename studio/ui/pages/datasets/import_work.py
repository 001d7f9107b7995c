"""What the import sheet lets others do: look through a folder, show what a recipe would make.

The functions are called in background threads.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path

from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QImage

from studio.engine.datasets.recipe import DatasetRecipe
from studio.engine.datasets.samples import SAMPLES
from studio.engine.datasets.sources import source_for
from studio.engine.datasets.sources.base import Item, Scan, Skipped
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
    """One of the user's pictures: as it is, or why it cannot be read."""

    item: Item
    before: QImage
    problem: str = ""


@dataclass(frozen=True, slots=True)
class Found:
    """What a folder holds, and a recipe that suits it."""

    path: Path
    count: int
    classes: list[tuple[str, int]]
    problems: list[Skipped]
    warnings: list[str]
    recipe: DatasetRecipe
    previews: list[Preview]


class Search(QObject):
    """The ear of a search that runs in a thread, with a way to end it.

    Signals:
        advanced: How many images were found so far.
    """

    advanced = Signal(int)

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self.warnings: list[str] = []
        self._cancelled = False

    def cancel(self) -> None:
        """Ask the search to end; it raises `Cancelled` soon."""
        self._cancelled = True

    def advance(self, done: int, _total: int, _what: str) -> None:
        """Hand on how far it is."""
        self.check()
        self.advanced.emit(done)

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


def find_images(path: Path, search: Search) -> Found:
    """Look through a folder.

    Raises:
        StudioError: Nothing that can be imported is there.
        Cancelled: Through `search`.
    """
    from studio.engine.datasets.suggestion import suggest_recipe  # noqa: PLC0415

    scan = source_for(path).scan(path, search)
    recipe = suggest_recipe(path, scan, search)
    groups = _by_class(scan)
    previews = [_preview(path, item) for item in spread(list(groups.values()), PREVIEWS)]
    search.check()
    return Found(
        path=path,
        count=len(scan.items),
        classes=[(name, len(items)) for name, items in groups.items()],
        problems=scan.problems,
        warnings=search.warnings,
        recipe=recipe,
        previews=previews,
    )


def results_of(found: Found, recipe: DatasetRecipe) -> list[QImage]:
    """What the recipe makes of each preview; a null image where it cannot be read."""
    return [
        QImage() if preview.problem else _decoded(found.path, preview.item, recipe)[0]
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


def _preview(path: Path, item: Item) -> Preview:
    from studio.engine.datasets.decode import describe  # noqa: PLC0415 - Pillow

    try:
        with source_for(path).open(path, item) as file:
            width, height, _ = describe(file)
    except (BadDataError, OSError) as error:
        return Preview(item, QImage(), str(error))
    # Squash into its own shape: the picture as it is, upright, smaller.
    scale = min(1.0, BEFORE / max(width, height))
    size = {"width": max(1, round(width * scale)), "height": max(1, round(height * scale))}
    image, problem = _decoded(path, item, DatasetRecipe.parse({"source": str(path), **size}))
    return Preview(item, image, problem)


def _decoded(path: Path, item: Item, recipe: DatasetRecipe) -> tuple[QImage, str]:
    from studio.engine.datasets.decode import load_image  # noqa: PLC0415 - Pillow

    try:
        with source_for(path).open(path, item) as file:
            return to_image(load_image(file, recipe)), ""
    except (BadDataError, OSError) as error:
        return QImage(), str(error)
