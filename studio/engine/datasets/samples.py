"""Sample datasets that can be had without looking for images first.

Never imports NumPy or Pillow: the window lists the samples when it starts.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from studio.engine.datasets.recipe import DatasetRecipe
from studio.engine.datasets.sources import digit_triples, downloads
from studio.engine.datasets.sources.digits import write_digits
from studio.engine.datasets.sources.shapes import write_shapes
from studio.engine.progress import Progress
from studio.engine.registry import Registry
from studio.engine.tasks import DEFAULT_TASK, TASKS
from studio.engine.tasks.task import Task


@dataclass(frozen=True, slots=True)
class Sample:
    """A set of images that Studio can write or download by itself.

    Attributes:
        name: Stable name, as on the command line.
        label: Name as shown to a person.
        description: One sentence.
        write: Puts the images into a folder of the sample's name, and returns what to import:
            the folder, or a table in it.
        suggested: Values of the recipe that suit it.
        download: Bytes that come over the network the first time; 0 where it needs none.
    """

    name: str
    label: str
    description: str
    write: Callable[[Path, Progress], Path]
    suggested: tuple[tuple[str, object], ...] = ()
    download: int = 0

    @property
    def task(self) -> Task:
        """The task that names this sample, or else the default one."""
        return next((each for each in TASKS.values() if each.sample == self.name), DEFAULT_TASK)

    def recipe(self, source: Path) -> DatasetRecipe:
        """Return the recipe that imports what `write` returned."""
        fields = {"source": str(source.absolute()), "task": self.task.name}
        return DatasetRecipe.parse(fields | dict(self.suggested))


def _size(published: downloads.PublishedFiles) -> int:
    return sum(file.size for file in published.files)


_THREE = (("width", 84), ("height", 28), ("color", "gray"))
_GRAY_28 = (("width", 28), ("height", 28), ("color", "gray"), ("val_percent", 10.0))

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
        Sample(
            name="digits_multi_label",
            label="Handwritten digits: several labels",
            description="3,000 pictures of three real digits each; their labels are the digits "
            "that occur.",
            write=digit_triples.write_digit_labels,
            suggested=_THREE,
        ),
        Sample(
            name="digits_regression",
            label="Handwritten digits: numbers",
            description="3,000 pictures of three real digits each, with the amount of ink and the "
            "sum of the digits.",
            write=digit_triples.write_digit_numbers,
            suggested=_THREE,
        ),
        Sample(
            name="shapes",
            label="Drawn shapes",
            description="900 drawn circles, squares, stars and other shapes, for a quick try.",
            write=write_shapes,
            suggested=(("width", 64), ("height", 64), ("color", "rgb")),
        ),
        Sample(
            name="mnist",
            label="MNIST",
            description="70,000 handwritten digits of 28x28; 12 MB are downloaded.",
            write=downloads.MNIST,
            suggested=_GRAY_28,
            download=_size(downloads.MNIST),
        ),
        Sample(
            name="fashion_mnist",
            label="Fashion-MNIST",
            description="70,000 small pictures of clothes; 31 MB are downloaded.",
            write=downloads.FASHION_MNIST,
            suggested=_GRAY_28,
            download=_size(downloads.FASHION_MNIST),
        ),
        Sample(
            name="cifar10",
            label="CIFAR-10",
            description="60,000 small photographs of 10 things; 170 MB are downloaded.",
            write=downloads.CIFAR10,
            suggested=(("width", 32), ("height", 32), ("color", "rgb"), ("val_percent", 10.0)),
            download=_size(downloads.CIFAR10),
        ),
        Sample(
            name="cifar100",
            label="CIFAR-100",
            description="60,000 small photographs of 100 things; 169 MB are downloaded.",
            write=downloads.CIFAR100,
            suggested=(("width", 32), ("height", 32), ("color", "rgb"), ("val_percent", 10.0)),
            download=_size(downloads.CIFAR100),
        ),
    ],
)
