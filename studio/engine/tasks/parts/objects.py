"""Objects with boxes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Final, Self

from pydantic import BaseModel

from studio.engine.tasks.parts.part import PredictionPart
from studio.engine.tasks.parts.scores import ClassScore

CSV: Final = "csv"
COCO: Final = "coco"
YOLO: Final = "yolo"
LABELS: Final = "labels"
GEOJSON: Final = "geojson"
IMAGEJ: Final = "imagej"
OUTLINE_KINDS: Final = (CSV, LABELS, COCO, YOLO, GEOJSON, IMAGEJ)
"""Kinds of files of objects with outlines, the usual two first."""
Ring = tuple[tuple[float, float], ...]
"""Corners (x, y) of a closed line in pixels of a picture; the last is joined to the first."""
_SAME_SIDES: Final = 0.05
"""Largest difference of the sides of one box, in pixels."""


class DetectedObject(BaseModel, frozen=True):
    """A predicted object; its sides are in pixels of the picture.

    Attributes:
        label: Its class.
        score: Confidence of the model, 0 to 1.
        left: Left side.
        top: Top side.
        right: Right side.
        bottom: Bottom side.
        threshold: From which score on objects of the class are given.
        outline: Rings around its parts and holes: inside is what an odd number of them
            surrounds; empty without an outline.
    """

    label: str
    score: float
    left: float
    top: float
    right: float
    bottom: float
    threshold: float = 0.0
    outline: tuple[Ring, ...] = ()

    @property
    def is_given(self) -> bool:
        """True if its score reaches the threshold; others are candidates."""
        return self.score >= self.threshold

    @property
    def corners(self) -> tuple[float, float, float, float]:
        """Left, top, right and bottom, to a hundredth of a pixel."""
        left, top, right, bottom = self.left, self.top, self.right, self.bottom
        return round(left, 2), round(top, 2), round(right, 2), round(bottom, 2)

    def document(self) -> dict[str, object]:
        """Return class, score, box, and the rings of the outline if there is one, as JSON data."""
        box = {"class": self.label, "score": self.score, "box": list(self.corners)}
        rings = [[[round(x, 2), round(y, 2)] for x, y in ring] for ring in self.outline]
        return box | ({"outline": rings} if rings else {})


class Objects(PredictionPart, frozen=True):
    """Objects in a picture, each with a class, a score, a box and perhaps an outline.

    Examples:
        >>> cat = DetectedObject(label="cat", score=0.9, left=1, top=2, right=30, bottom=40)
        >>> Objects(candidates=(cat,), size=(64, 48)).brief()
        '1 × cat'

    Attributes:
        candidates: The objects, the highest score first, and candidates whose score is too low.
        highest: The highest score of each class in the picture, the highest first.
        size: Width and height of the picture in pixels.
        has_outlines: True if the model predicts outlines; JSON data name the objects `objects`
            then, and `boxes` otherwise.
    """

    file_kinds: ClassVar[tuple[str, ...]] = (CSV, COCO, YOLO, GEOJSON, IMAGEJ)
    file_option: ClassVar[str] = "boxes"
    candidates: tuple[DetectedObject, ...] = ()
    highest: tuple[ClassScore, ...] = ()
    size: tuple[int, int] = (0, 0)
    has_outlines: bool = False

    @property
    def given(self) -> tuple[DetectedObject, ...]:
        """The objects whose score reaches their threshold."""
        return tuple(each for each in self.candidates if each.is_given)

    @property
    def key(self) -> str:
        """Name of the objects in JSON data, and of their number in tables."""
        return "objects" if self.has_outlines else "boxes"

    def counts(self) -> dict[str, int]:
        """Return the number of objects of each class; 0 for the classes without any."""
        found = dict.fromkeys(sorted(each.label for each in self.highest), 0)
        return found | Counter(each.label for each in self.given)

    def document(self) -> dict[str, object]:
        """Return class, score and box of each object."""
        return {self.key: [each.document() for each in self.given]}

    def lines(self) -> list[str]:
        """Return a line for each object: score, class, left, top, right and bottom."""
        return [
            f"{each.score:8.1%}  {each.label}  "
            f"({each.left:.0f}, {each.top:.0f}, {each.right:.0f}, {each.bottom:.0f})"
            for each in self.given
        ] or ["no object"]

    def cells(self) -> dict[str, object]:
        """Return the number of objects, and of those of each class."""
        cells: dict[str, object] = {self.key: len(self.given)}
        return cells | {f"count {label}": number for label, number in self.counts().items()}

    def brief(self) -> str:
        """Return the number of objects of each class, the most first."""
        counts = Counter(each.label for each in self.given).most_common()
        return ", ".join(f"{number} × {label}" for label, number in counts) or "no object"

    def numbers(self) -> dict[str, float]:
        """Return the highest score of each class."""
        return {each.label: each.score for each in self.highest}

    def is_as_script(
        self, script: Sequence[Mapping[str, Any]], tolerances: Mapping[str, float]
    ) -> bool:
        """Return True if each box of the one is a box of the other, but for rounding.

        Boxes whose score is so near to their threshold that rounding decides may be missing.
        See `PredictionPart.is_as_script`.
        """
        ours: list[Mapping[str, Any]] = [each.document() for each in self.given]
        if abs(len(ours) - len(script)) > 1:
            return False
        few, many = sorted((ours, script), key=len)
        allowed = max(tolerances.values())
        return all(any(_are_same(one, other, allowed) for other in many) for one in few)

    def at_score(self, min_score: float) -> Self:
        """Return the objects that have at least a score; see `PredictionPart.at_score`."""
        changed = (each.model_copy(update={"threshold": min_score}) for each in self.candidates)
        return self.model_copy(update={"candidates": tuple(changed)})

    def without_files(self) -> Self:
        """Return the objects without candidates."""
        return self.model_copy(update={"candidates": self.given})


def _are_same(one: Mapping[str, Any], other: Mapping[str, Any], tolerance: float) -> bool:
    """Return True if two boxes of documents are the same, but for rounding."""
    sides = zip(one["box"], other["box"], strict=True)
    return (
        one["class"] == other["class"]
        and abs(one["score"] - other["score"]) <= tolerance
        and all(abs(side - other_side) <= _SAME_SIDES for side, other_side in sides)
    )
