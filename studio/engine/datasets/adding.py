"""The recipe of a dataset that begins with another one, to which images are added."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from studio.engine.datasets.recipe import DatasetRecipe
from studio.engine.datasets.sources.shared.address import written
from studio.engine.errors import StudioError

# What makes an image of the old dataset look the same in the new one.
FIXED = ("width", "height", "color", "encoding", "jpeg_quality")
# How images are fitted and dealt, unless somebody asks for something else.
_KEPT = (*FIXED, "task", "resize", "border", "background", "seed")


def recipe_to_add(
    folder: Path, old: DatasetRecipe, counts: Mapping[str, int], places: Sequence[Path | str]
) -> DatasetRecipe:
    """How a dataset with more images is made of one that is there.

    The images of the old one come as they stand now: relabeled and moved ones as they were edited,
    without those that were taken out, each in its split. The percentages deal the new images; one
    of a split that the old dataset has no image in is 0, or it would deal the old images, too.
    Limits, lists and places of the old recipe are not asked for again: their outcome is in its
    images.

    Args:
        folder: Of the dataset; its import must be completed.
        old: Its recipe.
        counts: Its images of `"val"` and `"test"` as they stand now.
        places: Where the new images are.

    Raises:
        StudioError: The dataset is to be added to itself.
    """
    more = [written(place) for place in places]
    if written(folder) in more:
        raise StudioError(
            "The dataset would be added to itself, and have every image twice.",
            "Add the images of another place.",
            "source",
        )
    shares = {
        f"{split}_percent": getattr(old, f"{split}_percent") if counts.get(split) else 0.0
        for split in ("val", "test")
    }
    return DatasetRecipe.parse(
        {"source": written(folder), "more_sources": more}
        | {name: getattr(old, name) for name in _KEPT}
        | shares
    )
