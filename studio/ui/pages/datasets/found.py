"""What a search for images brings: where they are, how many, and some of them to look at."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from PySide6.QtGui import QImage

from studio.engine.datasets.recipe import DatasetRecipe
from studio.engine.datasets.sources.base import Item, Skipped
from studio.engine.datasets.survey import SurveyedColumn, SurveyedOutput


@dataclass(frozen=True, slots=True)
class Preview:
    """One of the user's pictures: where it is, how it looks or why not, its class or targets."""

    path: Path
    item: Item
    data: bytes
    before: QImage
    problem: str = ""
    caption: str = ""


@dataclass(frozen=True, slots=True)
class Result:
    """What a recipe makes of a picture: how it looks, null where it cannot be read.

    Attributes:
        image: The picture.
        packed: Bytes that a PNG or a JPEG of it takes; 0 where raw pixels are kept.
    """

    image: QImage
    packed: int = 0


@dataclass(frozen=True, slots=True)
class Place:
    """One of the places that images come from.

    Attributes:
        path: Where it was looked for.
        source: Name of the source that reads it.
        kind: What that is, in words.
        count: Images of it that would be imported.
        splits: Splits that these bring along, each with its number.
    """

    path: Path
    source: str
    kind: str
    count: int
    splits: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class Found:
    """What a folder or a file holds, or several of them together.

    Attributes:
        places: Where it was looked for, without places for validation or the test alone.
        count: Images that would be imported.
        classes: Each class, label or quantity with its number of images.
        splits: Splits that the images bring along: `train`, `val`, `test`.
        problems: What will be left out.
        warnings: What else should be read.
        recipe: A recipe that suits it at the first look; later the one that was asked with.
        previews: Some of the images.
        columns: Of the table, where the images come with one.
        is_proposed: Size, color and task are proposals.
    """

    places: list[Place]
    count: int
    classes: list[SurveyedOutput]
    splits: dict[str, int]
    problems: list[Skipped]
    warnings: list[str]
    recipe: DatasetRecipe
    previews: list[Preview]
    columns: Sequence[SurveyedColumn] = ()
    is_proposed: bool = False
