"""Preview of an import: reads what an import reads, and writes nothing."""

from __future__ import annotations

import numpy as np

from studio.engine.datasets.import_account import FoundImages, ImportAccount
from studio.engine.datasets.import_report import ImportReport
from studio.engine.datasets.importer import decode_rows, find_images
from studio.engine.datasets.recipe import DatasetRecipe
from studio.engine.progress import Progress

MAX_EXAMINED = 3000
"""Number of images that a preview decodes; of more images, a random sample."""


def preview_import(
    recipe: DatasetRecipe, progress: Progress, max_examined: int = MAX_EXAMINED
) -> ImportReport:
    """Return the summary that the import of a recipe would have.

    Images and annotations are decoded as by the import itself, so that everything that it would
    leave out is reported. Images that are not examined are counted as good ones, without their
    objects or pixels.

    Args:
        recipe: The recipe.
        progress: Receives the progress and may cancel.
        max_examined: Number of images to decode.

    Raises:
        StudioError: There are no usable images.
        BadDataError: Fewer than two classes have an image that can be read.
        Cancelled: Through `progress`.
    """
    report, _ = examine(find_images(recipe, progress), progress, max_examined)
    return report


def examine(
    found: FoundImages, progress: Progress, max_examined: int = MAX_EXAMINED
) -> tuple[ImportReport, list[int]]:
    """Decode images that were found, and return the summary of their import.

    Args:
        found: The images.
        progress: Receives the progress and may cancel.
        max_examined: Number of images to decode.

    Returns:
        The summary, and the rows of the images that would be imported.

    Raises:
        BadDataError: Fewer than two classes have an image that can be read.
        Cancelled: Through `progress`.
    """
    recipe, account = found.recipe, ImportAccount(found)
    rows = np.arange(len(account.found.items))
    if len(rows) > max_examined:
        generator = np.random.Generator(np.random.PCG64(recipe.seed))
        order = generator.permutation(rows)
        rows = np.sort(order[:max_examined])
        account.assume(order[max_examined:])
    for _ in decode_rows(account, rows.tolist(), progress, "Examining the images"):
        pass  # the account has everything
    conclusion = account.conclude(progress)
    account.require_enough(conclusion)
    return account.report(conclusion), conclusion.rows
