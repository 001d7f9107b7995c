"""What the import sheet lets others do: look through a folder, show what a recipe would make.

The functions are called in background threads.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtGui import QImage

from studio.engine.datasets.recipe import DatasetRecipe
from studio.engine.datasets.requests import request_import
from studio.engine.datasets.samples import SAMPLES
from studio.engine.errors import BadDataError
from studio.engine.jobs.job import Job
from studio.engine.jobs.queue import JobQueue
from studio.engine.progress import Progress
from studio.engine.tasks import TASKS
from studio.engine.workspace import RecordKind
from studio.ui.bridge.progress import WindowProgress
from studio.ui.engine_text import engine_text
from studio.ui.pages.datasets.found import Found, Place, Preview, Result
from studio.ui.shared.dataset_pictures import to_image
from studio.ui.tasks import view_of
from studio.ui.tasks.targets import TargetTable

if TYPE_CHECKING:
    from studio.engine.datasets.survey import SurveyedImage, SurveyResult

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
    from studio.engine.datasets.survey import SurveyQuestion  # noqa: PLC0415 - NumPy
    from studio.engine.datasets.surveying import survey_elsewhere  # noqa: PLC0415

    # One that could not be read is read again: the settings may allow it now.
    previews = known.previews if known and not any(each.problem for each in known.previews) else []
    question = SurveyQuestion(
        recipe,
        suggest,
        first,
        PREVIEWS,
        [str(place.path) for place in known.places] if known else [],
        [(str(each.path), each.item.key, each.item.place) for each in previews],
    )
    found = survey_elsewhere(question, search)
    return Found(
        places=[
            Place(
                Path(place.path), place.source, engine_text(place.label), place.count, place.splits
            )
            for place in found.places
        ],
        count=found.count,
        classes=found.classes,
        splits=found.splits,
        problems=found.problems,
        warnings=list(dict.fromkeys(search.warnings)),
        recipe=found.recipe,
        previews=_captioned(
            [_preview(image, previews) for image in found.images],
            found,
        ),
        columns=known.columns if known is not None else found.columns,
        is_proposed=suggest,
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


def _captioned(previews: Sequence[Preview], found: SurveyResult) -> list[Preview]:
    """Say what each picture is of: its class, or its targets."""
    import numpy as np  # noqa: PLC0415 - kept out of the start of the window

    values = np.array([image.values for image in found.images])
    if not values.size:
        return [replace(each, caption=each.item.class_name) for each in previews]
    task = TASKS[found.recipe.task]
    units = [output.unit for output in found.classes]
    names = [output.name for output in found.classes]
    targets = TargetTable(task, names, units, values)
    view = view_of(task)
    return [replace(each, caption=view.caption(targets, row)) for row, each in enumerate(previews)]


def _preview(image: SurveyedImage, known: Sequence[Preview]) -> Preview:
    from studio.engine.datasets.decode import describe  # noqa: PLC0415 - Pillow

    path, item = Path(image.place), image.item
    if image.is_known:
        for each in known:
            if (each.path, each.item.key, each.item.place) == (path, item.key, item.place):
                return replace(each, item=item)
    if image.problem:
        return Preview(path, item, b"", QImage(), engine_text(image.problem))
    try:
        width, height, _ = describe(BytesIO(image.data))
    except (BadDataError, OSError) as error:
        return Preview(path, item, b"", QImage(), engine_text(str(error)))
    # Squash into its own shape: the picture as it is, upright, smaller.
    scale = min(1.0, BEFORE / max(width, height))
    size = {"width": max(1, round(width * scale)), "height": max(1, round(height * scale))}
    result, problem = _decoded(image.data, DatasetRecipe.parse({"source": "", **size}))
    return Preview(path, item, image.data, result.image, problem)


def _decoded(data: bytes, recipe: DatasetRecipe) -> tuple[Result, str]:
    from studio.engine.datasets.decode import load_image  # noqa: PLC0415 - Pillow
    from studio.engine.datasets.encoding import stored_and_seen  # noqa: PLC0415

    try:
        stored, pixels = stored_and_seen(load_image(BytesIO(data), recipe), recipe)
        packed = 0 if recipe.encoding == "raw" else stored.nbytes
        return Result(to_image(pixels), packed), ""
    except (BadDataError, OSError) as error:
        return Result(QImage()), engine_text(str(error))
