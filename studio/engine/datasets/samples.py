"""Sample datasets that can be had without looking for images first.

Never imports NumPy or Pillow: the window lists the samples when it starts.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from studio.engine.datasets.recipe import DatasetRecipe
from studio.engine.datasets.sources.digits import write_digits
from studio.engine.progress import Progress
from studio.engine.registry import Registry


@dataclass(frozen=True, slots=True)
class Sample:
    """A set of real images that Studio can write by itself.

    Attributes:
        name: Stable name, as on the command line.
        label: Name as shown to a person.
        description: One sentence.
        write: Fills a folder with class folders of images and returns the one to import.
        suggested: Values of the recipe that suit it.
    """

    name: str
    label: str
    description: str
    write: Callable[[Path, Progress], Path]
    suggested: tuple[tuple[str, object], ...] = ()

    def recipe(self, source: Path) -> DatasetRecipe:
        """The recipe that imports what `write` returned."""
        return DatasetRecipe.parse({"source": str(source.absolute()), **dict(self.suggested)})


SAMPLES: Registry[Sample] = Registry(
    "sample",
    [
        Sample(
            name="digits",
            label="Handwritten digits",
            description="1,797 real handwritten digits, 0 to 9, from scikit-learn.",
            write=write_digits,
            suggested=(
                ("width", 28),
                ("height", 28),
                ("color", "gray"),
                ("val_percent", 20.0),
                ("test_percent", 10.0),
            ),
        ),
    ],
)
