"""The prediction of a network for one picture: a combination of parts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final, Self

from pydantic import BaseModel

from studio.engine.tasks.parts.class_map import ClassMap
from studio.engine.tasks.parts.heat_map import HeatMap
from studio.engine.tasks.parts.objects import Objects
from studio.engine.tasks.parts.part import PredictionPart
from studio.engine.tasks.parts.scores import ClassScore, Scores
from studio.engine.tasks.parts.values import Values

PARTS: Final[Mapping[str, type[PredictionPart]]] = {
    "scores": Scores,
    "values": Values,
    "class_map": ClassMap,
    "objects": Objects,
    "heat_map": HeatMap,
}
"""The closed list of parts, by the names of the fields of a prediction."""


class Prediction(BaseModel, frozen=True):
    """Prediction of a network for a picture.

    Examples:
        >>> from studio.engine.tasks.parts.scores import ClassScore, Scores
        >>> Prediction(scores=Scores(classes=(ClassScore(label="cat", score=0.9),))).document()
        {'predictions': [{'class': 'cat', 'score': 0.9}]}

    Attributes:
        scores: Scores of classes or labels.
        values: Named numbers.
        class_map: A class for each pixel.
        objects: Objects with boxes.
        heat_map: A number for each pixel.
    """

    scores: Scores | None = None
    values: Values | None = None
    class_map: ClassMap | None = None
    objects: Objects | None = None
    heat_map: HeatMap | None = None

    @property
    def by_name(self) -> dict[str, PredictionPart]:
        """The parts that it consists of, by the names of their fields."""
        named = ((name, getattr(self, name)) for name in PARTS)
        return {name: part for name, part in named if part is not None}

    @property
    def parts(self) -> tuple[PredictionPart, ...]:
        """The parts that it consists of."""
        return tuple(self.by_name.values())

    @property
    def class_scores(self) -> tuple[ClassScore, ...]:
        """Score of each class, the highest first: how well a picture shows it."""
        if self.scores is not None:
            return self.scores.classes
        return () if self.objects is None else self.objects.highest

    def document(self) -> dict[str, object]:
        """Return the parts as JSON data."""
        return {key: value for part in self.parts for key, value in part.document().items()}

    def lines(self) -> list[str]:
        """Return the parts as text."""
        return [line for part in self.parts for line in part.lines()]

    def cells(self) -> dict[str, object]:
        """Return the parts as cells of a CSV table by their columns."""
        return {key: value for part in self.parts for key, value in part.cells().items()}

    def brief(self) -> str:
        """Return the parts in a few words."""
        return "; ".join(part.brief() for part in self.parts)

    def regions(self) -> list[dict[str, object]]:
        """Return positions in the picture as JSON data."""
        return [region for part in self.parts for region in part.regions()]

    def picture(self) -> bytes | None:
        """Return the first part that is a picture as a PNG file; None if no part is one."""
        pictures = (part.picture() for part in self.parts)
        return next((each for each in pictures if each is not None), None)

    def is_as_script(
        self, script: Sequence[Mapping[str, Any]], tolerances: Mapping[str, float]
    ) -> bool:
        """Return True if an exported script predicts the same, see `PredictionPart.is_as_script`.

        Args:
            script: Entries of the script.
            tolerances: Largest difference of each output, by name.
        """
        return all(part.is_as_script(script, tolerances) for part in self.parts)

    def shortened(self, top: int) -> Self:
        """Return the prediction with the `top` highest scores."""
        return self._with({name: part.shortened(top) for name, part in self.by_name.items()})

    def at_score(self, min_score: float | None) -> Self:
        """Return the prediction with the objects that have at least a score.

        Args:
            min_score: Lowest score, 0 to 1; None for the threshold of each class.
        """
        if min_score is None:
            return self
        return self._with({name: part.at_score(min_score) for name, part in self.by_name.items()})

    def without_files(self) -> Self:
        """Return the prediction without what only its files need."""
        return self._with({name: part.without_files() for name, part in self.by_name.items()})

    def _with(self, parts: Mapping[str, PredictionPart]) -> Self:
        return self.model_copy(update=dict(parts))
