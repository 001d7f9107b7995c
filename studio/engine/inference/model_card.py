"""What lies beside a model file, so that it can be used without the run it came from."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict, ValidationError

from studio.engine.datasets.recipe import Border, Color, DatasetRecipe, ResizeMode
from studio.engine.errors import BadDataError
from studio.engine.tasks import DEFAULT_TASK
from studio.engine.tasks.answer import Calibration

CARD = "labels.json"
LARGEST_CARD = 16 * 2**20
"""Bytes; a hundred thousand class names take two million."""


class ImageCard(BaseModel):
    """How a picture becomes what the model takes; the words are those of `DatasetRecipe`.

    Attributes:
        values: What the numbers are, for people.
    """

    model_config = ConfigDict(frozen=True)

    width: int
    height: int
    color: Color = "rgb"
    resize: ResizeMode = "squash"
    border: Border = "background"
    background: str = "#ffffff"
    values: Literal["0 to 255; the model scales them itself"] = (
        "0 to 255; the model scales them itself"
    )

    @classmethod
    def of(cls, recipe: DatasetRecipe) -> ImageCard:
        """What a dataset says of its images."""
        return cls.model_validate(recipe.model_dump(include=set(cls.model_fields)))

    def recipe(self) -> DatasetRecipe:
        """The same, for `decode.load_image`."""
        return DatasetRecipe.model_validate({"source": "", **self.model_dump(exclude={"values"})})


class SelfTest(BaseModel):
    """A picture in the same folder, and the scores that the model gave for it.

    Attributes:
        image: Name of the picture.
        scores: One for each class, in the order of the outputs.
    """

    model_config = ConfigDict(frozen=True)

    image: str
    scores: tuple[float, ...]


class ModelCard(BaseModel):
    """What `labels.json` says.

    Attributes:
        made_by: Program and version.
        run: Name of the run, for people.
        model: Name of the model file in the same folder.
        format: Name of the export format.
        precision: In what numbers it is.
        input_type: Of the numbers that go in, n x height x width x channels.
        task: What it answers.
        classes: Names of the classes, labels or quantities, in the order of the outputs.
        units: Of the quantities; empty where there are none.
        calibration: Thresholds of labels, and prediction intervals of quantities.
        image: How a picture becomes what the model takes.
        self_test: What `predict.py --self-test` compares.
    """

    model_config = ConfigDict(frozen=True)

    made_by: str = ""
    run: str = ""
    model: str
    format: str = "keras"
    precision: str = "float32"
    input_type: str = "float32"
    task: str = DEFAULT_TASK.name
    classes: tuple[str, ...]
    units: tuple[str, ...] = ()
    calibration: Calibration = Calibration()
    image: ImageCard
    self_test: SelfTest | None = None


def read_card(folder: Path) -> ModelCard | None:
    """The card in a folder, or None where there is none.

    Raises:
        BadDataError: It is damaged.
    """
    path = folder / CARD
    if not path.is_file():
        return None
    try:
        with path.open("rb") as file:
            card = ModelCard.model_validate_json(file.read(LARGEST_CARD))
        card.image.recipe()  # sides and colors have limits there
    except (OSError, ValidationError) as error:
        raise BadDataError(
            f"The card {path} of the model cannot be read.",
            "Export the model again, or move the model file away from it.",
            "model",
        ) from error
    return card
