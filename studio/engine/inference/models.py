"""Models for predictions: listing them, their origin and their card."""

from __future__ import annotations

import zipfile
from pathlib import Path
from typing import IO, Literal

from pydantic import BaseModel, ValidationError

from studio.engine.datasets.plane_choices import FIRST
from studio.engine.datasets.recipe import BitDepth, Border, Color, DatasetRecipe
from studio.engine.datasets.requests import dataset_summary
from studio.engine.datasets.summary import DatasetSummary
from studio.engine.documents import DAMAGED
from studio.engine.errors import BadDataError, StudioError, did_you_mean
from studio.engine.files import user_path
from studio.engine.inference.class_names import describes_model
from studio.engine.inference.foreign_models import ModelOptions, Preprocessing
from studio.engine.inference.unlike.reference import FEATURES_NAME, Reference, read_reference
from studio.engine.messages import message
from studio.engine.networks.library import KERAS_MODEL
from studio.engine.picture_files import FORMATS
from studio.engine.pixel_format import PixelFormat
from studio.engine.tasks import DEFAULT_TASK, TASKS
from studio.engine.tasks.calibration import Calibration
from studio.engine.tasks.outputs import VECTOR
from studio.engine.tasks.placement import ResizeMode
from studio.engine.training.artifacts import read_calibration
from studio.engine.training.model_format import (
    ModelFormat,
    detect,
    foreign_format,
    refuse_other_formats,
)
from studio.engine.training.plan import RUN_PREFIX
from studio.engine.training.trained_models import model_file, run_with_model, training_data
from studio.engine.workspace import Record, RecordKind, Workspace

# What lies beside a model file, so that it can be used without the run it came from.

CARD, CONVERSION = "labels.json", "conversion.py"
OPENVINO_FILE = "model.xml"
"""The file that makes a folder an OpenVINO model."""
KERAS = "keras"
"""Format of models that are opened with their layers."""
LARGEST_CARD = 16 * 2**20
"""Maximum size of a card in bytes; a hundred thousand class names take two million."""


class ImageCard(BaseModel, frozen=True):
    """Conversion of a picture to the model's input, with the terms of `DatasetRecipe`.

    Attributes:
        formats: Formats of pictures that are opened, as Pillow names them.
        bit_depth: See `DatasetRecipe`.
        planes: See `DatasetRecipe`.
        pixels: Number format of the pictures; None for gray or color of 8 bits.
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
    formats: tuple[str, ...] = FORMATS
    bit_depth: BitDepth = "source"
    planes: str = FIRST
    pixels: PixelFormat | None = None
    values: Literal[
        "0 to 255; the model scales them itself", "as in the files; the model scales them itself"
    ] = "0 to 255; the model scales them itself"

    @classmethod
    def of(cls, recipe: DatasetRecipe) -> ImageCard:
        """Return the preprocessing of a dataset's recipe."""
        card = cls.model_validate(recipe.model_dump(include=set(cls.model_fields)))
        if recipe.pixel_format.dtype == "uint8":
            return card
        return card.model_copy(update={"values": "as in the files; the model scales them itself"})

    def recipe(self) -> DatasetRecipe:
        """Return the same, for `decode.load_image`."""
        values = self.model_dump(exclude={"values", "formats"})
        return DatasetRecipe.model_validate({"source": "", **values})


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
        conversion: True if `conversion.py` makes the prediction of the outputs.
        units: Units of the quantities; empty if there are none.
        calibration: Thresholds of labels, and prediction intervals of quantities.
        colors: Colors of the classes of masks and boxes as "#rrggbb"; empty without them.
        scales: Scale of each quantity in comparisons: its standard deviation over the training
            images, or 1 if it is constant there; empty for probabilities.
        image: Conversion of a picture to the input of the model.
        self_test: Values that `predict.py --self-test` compares.
        reference: What was measured on the training images; None if nothing was.
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
    output: str = VECTOR.name
    decoded: bool = False
    conversion: bool = False
    units: tuple[str, ...] = ()
    calibration: Calibration = Calibration()
    colors: tuple[str, ...] = ()
    scales: tuple[float, ...] = ()
    image: ImageCard
    self_test: SelfTest | None = None
    reference: Reference | None = None


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
            return _card(file)
    except (OSError, ValidationError) as error:
        raise _bad_card(path) from error


def _card(file: IO[bytes]) -> ModelCard:
    card = ModelCard.model_validate_json(file.read(LARGEST_CARD))
    card.image.recipe()  # sides and colors have limits there
    return card


def _bad_card(path: Path) -> BadDataError:
    return BadDataError(
        "The card {file} of the model cannot be read.",
        "Export the model again, or move the model file to another folder.",
        "model",
        file=path,
    )


# Which model is asked, and how a picture becomes what it takes.


class ModelSource(BaseModel, frozen=True):
    """A model in a file.

    Attributes:
        file: Absolute path of a model file, or of a packed export.
        member: Name of the model in a packed export; empty where `file` is the model itself.
        format: Export format of the model, see `exporting.formats`; only "keras" shows its layers.
        decoded: True if it returns boxes, see `ModelCard`.
        name: Name for display.
        task: Task of the model.
        units: Units of its outputs; empty where they have none.
        calibration: Calibration measured on the validation images.
        colors: Colors of the classes of masks as "#rrggbb"; empty without masks.
        classes: Names of the classes, in the order of its outputs; none for a file that came
            alone, whose classes then have numbers.
        recipe: Conversion of pictures; None for a file without one, whose pictures are squashed to
            its size.
        preprocessing: Preparation of the pixels that a model of another program expects; None if
            it is unknown, or if the model prepares them itself.
        class_file: Name of the file beside the model that the classes are from; empty for none.
        reference: What was measured on the training images; None if nothing was.
        features: Absolute path of the features of training images; empty for none.
    """

    file: str
    name: str
    member: str = ""
    format: str = KERAS
    decoded: bool = False
    task: str = DEFAULT_TASK.name
    classes: tuple[str, ...] = ()
    units: tuple[str, ...] = ()
    calibration: Calibration = Calibration()
    colors: tuple[str, ...] = ()
    recipe: DatasetRecipe | None = None
    preprocessing: Preprocessing | None = None
    class_file: str = ""
    reference: Reference | None = None
    features: str = ""

    @property
    def is_foreign(self) -> bool:
        """True for a model without a description by Studio."""
        return self.recipe is None

    @property
    def channel_ends(self) -> tuple[str, ...]:
        """End of the names of the files of each channel; empty where a file is an image."""
        return () if self.recipe is None else self.recipe.channel_ends


_NO_OPTIONS = ModelOptions()


def read_source(
    path: Path, *, any_format: bool = False, options: ModelOptions = _NO_OPTIONS
) -> ModelSource:
    """Return a model file, with the card of its export if there is one beside it.

    Args:
        path: A model file, or the folder of an export.
        any_format: Also accept other formats than Keras: exports in folders or packed as .zip
            files, and files of other programs. Their layers cannot be read.
        options: Facts about a model of another program.

    Raises:
        BadDataError: There is no such file, or it or its card is damaged.
        StudioError: It holds only weights, is of another program, or options do not apply to it.
    """
    source = _read_source(_whole_model(path) if any_format else path, any_format=any_format)
    if not source.is_foreign:
        options.require_foreign(path.name)
        return source
    classes, class_file = options.classes_for(Path(source.file))
    return source.model_copy(
        update={
            "classes": classes,
            "class_file": class_file,
            "preprocessing": options.preprocessing,
        }
    )


def _read_source(path: Path, *, any_format: bool) -> ModelSource:
    if any_format and path.is_file() and detect(path) == ModelFormat.EXPORT:
        return _packed_source(path)
    folder = path if path.is_dir() else path.parent
    is_card = path.is_dir() or describes_model(folder / CARD)
    card = read_card(folder) if is_card else None
    if path.is_dir():
        if card is None:
            refuse_other_formats(path)
            raise BadDataError(
                "The folder {path} contains no exported model.",
                message(
                    "Choose a .keras file, or the folder of an export, with a {file} in it.",
                    file=CARD,
                ),
                "model",
                path=path,
            )
        keras_model = path / (Path(card.model).name if card.format == KERAS else KERAS_MODEL)
        if card.format != KERAS and not keras_model.is_file():
            if any_format:
                return _source_of(card, path / Path(card.model).name, card.format)
            raise BadDataError(
                "The export {folder} contains no Keras model; its format is {format}.",
                "Run it with its predict.py, or export the run as keras or bundle.",
                "model",
                folder=path,
                format=card.format,
            )
        path = keras_model
    if card is not None and path.name in (card.model, KERAS_MODEL):
        form = KERAS if path.name == KERAS_MODEL else card.format
        if form == KERAS or not any_format:
            refuse_other_formats(path)
        return _source_of(card, path, form)
    if any_format and path.is_file() and (form := foreign_format(path)):
        return ModelSource(file=str(path.absolute()), name=path.stem, format=form)
    refuse_other_formats(path)
    return ModelSource(file=str(path.absolute()), name=path.stem)


def _whole_model(path: Path) -> Path:
    """Return the path by which a model is read that consists of several files.

    Args:
        path: Any path; one of another kind is returned as it is.

    Returns:
        The folder of an export for its folder with a model, or for a file in that; the `.xml` for
        the `.bin` of another OpenVINO model.

    Raises:
        BadDataError: The card of the export is damaged.
    """
    folder = path if path.is_dir() else path.parent
    is_model = (folder / OPENVINO_FILE).is_file() or (folder / "saved_model.pb").is_file()
    card_file = folder.parent / CARD
    if is_model and card_file.is_file() and describes_model(card_file):
        card = read_card(folder.parent)
        if card is not None and card.model == folder.name:
            return folder.parent
    is_weights = path.suffix.lower() == ".bin" and path.with_suffix(".xml").is_file()
    return path.with_suffix(".xml") if is_weights else path


def _packed_source(path: Path) -> ModelSource:
    """Return the model of a packed export.

    Raises:
        BadDataError: Its card is damaged.
    """
    try:
        with zipfile.ZipFile(path) as archive:
            names = archive.namelist()
            with archive.open(CARD) as file:
                card = _card(file)
    except DAMAGED as error:  # with `ValidationError`, which is a `ValueError`
        raise _bad_card(path / CARD) from error
    has_keras = card.format == KERAS or KERAS_MODEL in names
    member = KERAS_MODEL if KERAS_MODEL in names else Path(card.model).name
    return _source_of(card, path, KERAS if has_keras else card.format, member)


def _source_of(card: ModelCard, path: Path, form: str, member: str = "") -> ModelSource:
    """Return the model of an export.

    Args:
        card: Its card.
        path: The model, or the packed export.
        form: Format of the model.
        member: Name of the model in a packed export.
    """
    return ModelSource(
        file=str(path.absolute()),
        name=card.run or path.stem,
        member=member,
        format=form,
        decoded=card.decoded and form != KERAS,
        task=card.task,
        classes=card.classes,
        units=card.units,
        calibration=card.calibration,
        colors=card.colors,
        recipe=card.image.recipe(),
        reference=card.reference,
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
    reference, features = read_reference(run.folder), run.folder / FEATURES_NAME
    if reference is not None and (checkpoint not in ("", "best") or not features.is_file()):
        reference = reference.without_features()  # they are those of the stored model
    return ModelSource(
        file=str(model_file(run, checkpoint)),
        name=run.name,
        task=summary.task,
        classes=tuple(summary.classes),
        units=tuple(summary.units),
        calibration=read_calibration(run.folder),
        colors=colors_of(summary),
        recipe=data.recipe,
        reference=reference,
        features=str(features.absolute()) if reference and reference.layer else "",
    )


def colors_of(summary: DatasetSummary) -> tuple[str, ...]:
    """Return the colors of the classes of a dataset; none where it has no masks."""
    return TASKS[summary.task].geometry.colors(summary.classes, summary.colors)


def find_model(
    workspace: Workspace, text: str, options: ModelOptions = _NO_OPTIONS
) -> ModelSource:
    """Find the model of `RUN`, `RUN@EPOCH`, `RUN@best`, a model file or an export, to predict.

    A run takes precedence over a file of the same name. Exports may be of any format.

    Args:
        workspace: Holds the runs.
        text: Text typed by the user.
        options: Facts about a model of another program.

    Raises:
        StudioError: There is neither such a run nor such a file, or options do not apply to it.
    """
    name = model_name(workspace, text)
    return named_model(workspace, name, any_format=True, options=options)


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
        'There is no run and no model file "{name}".',
        did_you_mean(name or text, names)
        or "Train a network, or give the path of a Keras file or an export.",
        "model",
        name=text,
    )


def named_model(
    workspace: Workspace,
    name: str,
    *,
    any_format: bool = False,
    options: ModelOptions = _NO_OPTIONS,
) -> ModelSource:
    """Find the model of `run:ID`, `run:ID@EPOCH` or the path of a model file or its folder.

    Args:
        workspace: Holds the runs.
        name: Name as stored in plans.
        any_format: See `read_source`.
        options: Facts about a model of another program.

    Raises:
        StudioError: The model no longer exists, or options do not apply to it.
    """
    if not name.startswith(RUN_PREFIX):
        return read_source(Path(name), any_format=any_format, options=options)
    run, _, checkpoint = name.removeprefix(RUN_PREFIX).partition("@")
    source = model_of_run(workspace, run_with_model(workspace, run), checkpoint)
    options.require_foreign(source.name)
    return source
