"""Models for predictions: listing them, their origin and their card."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ValidationError

from studio.engine.datasets.recipe import Border, Color, DatasetRecipe, ResizeMode
from studio.engine.datasets.requests import dataset_summary
from studio.engine.datasets.summary import DatasetSummary
from studio.engine.errors import BadDataError, StudioError, did_you_mean
from studio.engine.files import user_path
from studio.engine.messages import message
from studio.engine.networks.library import KERAS_MODEL
from studio.engine.tasks import DEFAULT_TASK, TASKS
from studio.engine.tasks.annotations import default_colors
from studio.engine.tasks.answer import Calibration
from studio.engine.tasks.task import OutputKind
from studio.engine.training.artifacts import read_calibration
from studio.engine.training.model_format import refuse_other_formats
from studio.engine.training.plan import RUN_PREFIX
from studio.engine.training.trained_models import model_file, run_with_model, training_data
from studio.engine.workspace import Record, RecordKind, Workspace

# What lies beside a model file, so that it can be used without the run it came from.

CARD = "labels.json"
LARGEST_CARD = 16 * 2**20
"""Maximum size of a card in bytes; a hundred thousand class names take two million."""


class ImageCard(BaseModel, frozen=True):
    """Conversion of a picture to the model's input, with the terms of `DatasetRecipe`.

    Attributes:
        values: Description of the numbers.
    """

    width: int
    height: int
    color: Color = "rgb"
    resize: ResizeMode = "squash"
    border: Border = "background"
    background: str = "#ffffff"
    tile_size: int = 0
    tile_overlap: int = 0
    values: Literal["0 to 255; the model scales them itself"] = (
        "0 to 255; the model scales them itself"
    )

    @classmethod
    def of(cls, recipe: DatasetRecipe) -> ImageCard:
        """Return the preprocessing of a dataset's recipe."""
        return cls.model_validate(recipe.model_dump(include=set(cls.model_fields)))

    def recipe(self) -> DatasetRecipe:
        """Return the same, for `decode.load_image`."""
        return DatasetRecipe.model_validate({"source": "", **self.model_dump(exclude={"values"})})


class SelfTest(BaseModel, frozen=True):
    """A picture in the same folder, and the scores that the model gave for it.

    Attributes:
        image: Name of the picture.
        scores: One for each class, in the order of the outputs; of masks the mean over the
            pixels, of boxes the mean over the positions, with the distances to the sides; of
            a file that returns boxes their scores, the highest first.
    """

    image: str
    scores: tuple[float, ...]


class ModelCard(BaseModel, frozen=True):
    """Content of `labels.json`.

    Attributes:
        made_by: Program and version.
        run: Display name of the run.
        model: Name of the model file in the same folder.
        format: Name of the export format.
        precision: In what numbers it is.
        input_type: Type of the inputs, shape (n, height, width, channels).
        task: Task of the model.
        classes: Names of the classes, labels or quantities, in the order of the outputs.
        answers: Kind of the outputs: "probabilities" or "numbers".
        output: Kind of the output of the network: "vector", "mask" or "boxes".
        decoded: True if the file returns boxes: rows of class (-1 for none), left, top, right,
            bottom in pixels of its input, and score; n x 100 x 6.
        units: Units of the quantities; empty if there are none.
        calibration: Thresholds of labels, and prediction intervals of quantities.
        colors: Colors of the classes of masks and boxes as "#rrggbb"; empty without them.
        scales: Scale of each quantity in comparisons: its standard deviation over the training
            images, or 1 if it is constant there; empty for probabilities.
        image: Conversion of a picture to the input of the model.
        self_test: Values that `predict.py --self-test` compares.
    """

    made_by: str = ""
    run: str = ""
    model: str
    format: str = "keras"
    precision: str = "float32"
    input_type: str = "float32"
    task: str = DEFAULT_TASK.name
    classes: tuple[str, ...]
    answers: str = DEFAULT_TASK.answers
    output: OutputKind = OutputKind.VECTOR
    decoded: bool = False
    units: tuple[str, ...] = ()
    calibration: Calibration = Calibration()
    colors: tuple[str, ...] = ()
    scales: tuple[float, ...] = ()
    image: ImageCard
    self_test: SelfTest | None = None


def read_card(folder: Path) -> ModelCard | None:
    """Return the card in a folder, or None if there is none.

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
            message("The card {file} of the model cannot be read.", file=path),
            "Export the model again, or move the model file to another folder.",
            "model",
        ) from error
    return card


# Which model is asked, and how a picture becomes what it takes.


class ModelSource(BaseModel, frozen=True):
    """A model in a file.

    Attributes:
        file: Absolute path of a file of a Keras model.
        name: Name for display.
        task: Task of the model.
        units: Units of its outputs; empty where they have none.
        calibration: Calibration measured on the validation images.
        colors: Colors of the classes of masks as "#rrggbb"; empty without masks.
        classes: Names of the classes, in the order of its outputs; none for a file that came
            alone, whose classes then have numbers.
        recipe: Conversion of pictures; None for a file without one, whose pictures are squashed to
            its size.
    """

    file: str
    name: str
    task: str = DEFAULT_TASK.name
    classes: tuple[str, ...] = ()
    units: tuple[str, ...] = ()
    calibration: Calibration = Calibration()
    colors: tuple[str, ...] = ()
    recipe: DatasetRecipe | None = None


def read_source(path: Path) -> ModelSource:
    """Return a model file, with the card of its export if there is one beside it.

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
                message("The folder {path} contains no exported model.", path=path),
                message(
                    "Choose a .keras file, or the folder of an export, with a {file} in it.",
                    file=CARD,
                ),
                "model",
            )
        path = path / (Path(card.model).name if card.format == "keras" else KERAS_MODEL)
        if card.format != "keras" and not path.is_file():
            raise BadDataError(
                message(
                    "The export {folder} contains no Keras model; its format is {format}.",
                    folder=path.parent,
                    format=card.format,
                ),
                "Run it with its predict.py, or export the run as keras or bundle.",
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
        colors=card.colors,
        recipe=card.image.recipe(),
    )


def model_of_run(workspace: Workspace, run: Record, checkpoint: str = "") -> ModelSource:
    """Return the model of a run or one of its checkpoints.

    Args:
        workspace: Holds the run and its dataset.
        run: Record of the run.
        checkpoint: See `trained_models.model_file`; empty for the stored model.

    Raises:
        StudioError: There is no model or checkpoint, or the dataset was deleted.
    """
    run_with_model(workspace, run.id)
    data = training_data(workspace, run)
    summary = dataset_summary(data.folder, data.version)
    return ModelSource(
        file=str(model_file(run, checkpoint)),
        name=run.name,
        task=summary.task,
        classes=tuple(summary.classes),
        units=tuple(summary.units),
        calibration=read_calibration(run.folder),
        colors=colors_of(summary),
        recipe=data.recipe,
    )


def colors_of(summary: DatasetSummary) -> tuple[str, ...]:
    """Return the colors of the classes of a dataset; none where it has no masks."""
    if not TASKS[summary.task].has_regions:
        return ()
    return default_colors(summary.classes, summary.colors)


def find_model(workspace: Workspace, text: str) -> ModelSource:
    """Find the model of `RUN`, `RUN@EPOCH`, `RUN@best`, a model file, or an export's folder.

    A run takes precedence over a file of the same name.

    Args:
        workspace: Holds the runs.
        text: Text typed by the user.

    Raises:
        StudioError: There is neither such a run nor such a file.
    """
    return named_model(workspace, model_name(workspace, text))


def model_name(workspace: Workspace, text: str) -> str:
    """Convert a user's name of a model to its name in plans; see `find_model` and `named_model`.

    Args:
        workspace: Holds the runs.
        text: Text typed by the user.

    Raises:
        StudioError: There is neither such a run nor such a file.
    """
    run = workspace.named(RecordKind.RUN, text)
    if run is not None:
        return f"{RUN_PREFIX}{run.id}"
    name, _, checkpoint = text.rpartition("@")
    run = workspace.named(RecordKind.RUN, name)
    if run is not None:
        return f"{RUN_PREFIX}{run.id}@{checkpoint}"
    path = user_path(text)
    if path.exists():
        return str(path.absolute())
    names = [info.name for _, info in workspace.infos(RecordKind.RUN)]
    raise StudioError(
        message('There is no run and no model file "{name}".', name=text),
        did_you_mean(name or text, names) or "Train a network, or give the path of a .keras file.",
        "model",
    )


def named_model(workspace: Workspace, name: str) -> ModelSource:
    """Find the model of `run:ID`, `run:ID@EPOCH` or the path of a model file or its folder.

    Args:
        workspace: Holds the runs.
        name: Name as stored in plans.

    Raises:
        StudioError: The model no longer exists.
    """
    if not name.startswith(RUN_PREFIX):
        return read_source(Path(name))
    run, _, checkpoint = name.removeprefix(RUN_PREFIX).partition("@")
    return model_of_run(workspace, run_with_model(workspace, run), checkpoint)
