"""Which model is asked, and how a picture becomes what it takes."""

from __future__ import annotations

from pathlib import Path

from pydantic import BaseModel, ConfigDict

from studio.engine.datasets.recipe import DatasetRecipe
from studio.engine.errors import BadDataError
from studio.engine.inference.model_card import CARD, read_card
from studio.engine.networks.exported import KERAS_MODEL
from studio.engine.tasks import DEFAULT_TASK
from studio.engine.tasks.answer import Calibration
from studio.engine.training.model_format import refuse_other_formats


class ModelSource(BaseModel):
    """A model in a file.

    Attributes:
        file: Absolute path of a file of a Keras model.
        name: As shown to people.
        task: What it answers.
        units: Of its outputs; empty where they have none.
        calibration: What validation told of its outputs.
        classes: Names of the classes, in the order of its outputs; none for a file that came
            alone, whose classes then have numbers.
        recipe: How pictures are fitted; None for a file that came alone, which then takes them
            squashed to its own size.
    """

    model_config = ConfigDict(frozen=True)

    file: str
    name: str
    task: str = DEFAULT_TASK.name
    classes: tuple[str, ...] = ()
    units: tuple[str, ...] = ()
    calibration: Calibration = Calibration()
    recipe: DatasetRecipe | None = None


def read_source(path: Path) -> ModelSource:
    """A model file, with what the card of its export says where there is one beside it.

    Args:
        path: A file of a Keras model, or the folder of an export in that format.

    Raises:
        BadDataError: There is no such file, or it or its card is damaged.
        StudioError: It holds only weights, or is of another program.
    """
    card = read_card(path if path.is_dir() else path.parent)
    if path.is_dir():
        if card is None:
            refuse_other_formats(path)
            raise BadDataError(
                f"The folder {path} holds no exported model.",
                f"Choose a .keras file, or the folder of an export, with a {CARD} in it.",
                "model",
            )
        path = path / (Path(card.model).name if card.format == "keras" else KERAS_MODEL)
        if card.format != "keras" and not path.is_file():
            raise BadDataError(
                f"The export {path.parent} holds no Keras model that can be asked; it was written "
                f"as {card.format}.",
                "Its own predict.py asks it; or export the run as keras or bundle.",
                "model",
            )
    refuse_other_formats(path)
    file = str(path.absolute())
    # A model of its own that only happens to lie beside an export has no part in its card.
    if card is None or path.name not in (card.model, KERAS_MODEL):
        return ModelSource(file=file, name=path.stem)
    return ModelSource(
        file=file,
        name=card.run or path.stem,
        task=card.task,
        classes=card.classes,
        units=card.units,
        calibration=card.calibration,
        recipe=card.image.recipe(),
    )
