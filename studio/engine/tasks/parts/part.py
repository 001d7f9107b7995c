"""Base of the parts of a prediction."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Self

from pydantic import BaseModel

from studio.engine.tasks.calibration import ROUNDING


class PredictionPart(BaseModel, ABC, frozen=True):
    """Statement of a prediction about a picture, in one of a few forms, whatever the task.

    A part knows how it is written and compared; `ui.shared.part_views` knows how it is shown.

    Attributes:
        file_kinds: Kinds of files that it can be written to, the usual one first.
        file_option: Option of `studio predict` that names them.
        in_scripts: True if the script of an export predicts such parts, too.
    """

    file_kinds: ClassVar[tuple[str, ...]] = ()
    file_option: ClassVar[str] = ""
    in_scripts: ClassVar[bool] = True

    @abstractmethod
    def document(self) -> dict[str, object]:
        """Return the part as JSON data for `--json` and `studio serve`."""

    @abstractmethod
    def lines(self) -> list[str]:
        """Return the part as text, a line for each class, label, quantity or object."""

    @abstractmethod
    def cells(self) -> dict[str, object]:
        """Return the part as cells of a CSV table by their columns."""

    @abstractmethod
    def brief(self) -> str:
        """Return the part in a few words."""

    @abstractmethod
    def numbers(self) -> dict[str, float]:
        """Return the numbers by which the part is compared, by their names."""

    def is_as_script(
        self, script: Sequence[Mapping[str, Any]], tolerances: Mapping[str, float]
    ) -> bool:
        """Return True if an exported script predicts the same, but for rounding.

        Args:
            script: Entries of the script, `class` and `score` each.
            tolerances: Largest difference of each output, by name.
        """
        theirs = {each["class"]: each["score"] for each in script}
        ours = self.numbers()
        # A task may compute other numbers of the outputs.
        widest = max(tolerances.values(), default=0.0)
        return theirs.keys() == ours.keys() and all(
            abs(theirs[name] - value) <= tolerances.get(name, widest) + ROUNDING * abs(value)
            for name, value in ours.items()
        )

    def shortened(self, top: int) -> Self:  # noqa: ARG002 - of scores
        """Return the part with the `top` highest scores; as it is where all is shown."""
        return self

    def at_score(self, min_score: float) -> Self:  # noqa: ARG002 - of objects
        """Return the part with the objects that have at least a score; as it is without objects.

        Args:
            min_score: Lowest score, 0 to 1.
        """
        return self

    def without_files(self) -> Self:
        """Return the part without what only its files need."""
        return self

    def regions(self) -> list[dict[str, object]]:
        """Return positions in the picture as JSON data for `studio serve`; none by default."""
        return []

    def picture(self) -> bytes | None:
        """Return the part as a PNG file; None if it is no picture."""
        return None
