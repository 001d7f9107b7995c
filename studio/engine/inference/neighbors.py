"""Which training images a model finds most like a picture: the question and its answer."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict, Field

from studio.engine.inference.model_source import ModelSource


class NeighborsRequest(BaseModel):
    """Ask for the nearest training images; the operation "neighbors".

    Attributes:
        model: Who compares them, by what goes into its head.
        dataset: Folder of a dataset.
        version: Which version of it; None for the newest.
        cache: Folder in which features of images are kept, see `FeatureCache`.
        image: Path of a picture.
        count: How many images to find.
    """

    model_config = ConfigDict(frozen=True)

    model: ModelSource
    dataset: str
    version: int | None = None
    cache: str
    image: str
    count: int = Field(default=8, ge=1, le=100)


class Neighbor(BaseModel):
    """A training image.

    Attributes:
        row: Of the dataset.
        path: Where it came from, relative to the source of the dataset.
        label: Its class.
        guess: The class that the model takes it for.
        distance: From 0 (in the same direction) to 2: one less the cosine of the features.
        picture: Base64 of a PNG file: the image.
    """

    model_config = ConfigDict(frozen=True)

    row: int
    path: str
    label: str
    guess: str
    distance: float
    picture: str


class NeighborsAnswer(BaseModel):
    """The nearest training images, the nearest first.

    The features of all training images are computed when a model is first asked, and kept on
    disk. That takes longer than a question may: each time it is asked, half a second more of it
    is done, other questions come in between, and `neighbors` are the nearest of those known so
    far. Who wants all asks again until `is_complete`.

    Attributes:
        neighbors: What was found.
        done: Of how many training images the features are known.
        total: How many there are.
        milliseconds: How long this answer took.
    """

    model_config = ConfigDict(frozen=True)

    neighbors: tuple[Neighbor, ...]
    done: int
    total: int
    milliseconds: float

    @property
    def is_complete(self) -> bool:
        """Whether all training images were compared."""
        return self.done >= self.total
