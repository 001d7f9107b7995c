"""Models of recent questions, kept loaded."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path

import keras
import numpy as np

from studio.engine.arrays import Pixels, ScoreRows
from studio.engine.compute.exported_models import ExportedModel, open_exported, unpacked
from studio.engine.compute.familiarity import KnownFeatures, observing, read_features
from studio.engine.compute.foreign_models import load_classifier
from studio.engine.compute.foreign_networks import open_foreign
from studio.engine.compute.model_files import load_model
from studio.engine.compute.model_trial import require_runnable
from studio.engine.compute.models import RecentlyUsed, outputs_of, single_scorer
from studio.engine.datasets.decode import describe, load_image
from studio.engine.datasets.recipe import Color, DatasetRecipe
from studio.engine.errors import BadDataError, StudioError
from studio.engine.inference.foreign_models import UNNAMED
from studio.engine.inference.models import KERAS, ModelSource
from studio.engine.inference.pixel_types import comparable
from studio.engine.inference.unlike.reference import Reference
from studio.engine.messages import Text, message
from studio.engine.tasks import TASKS
from studio.engine.tasks.placement import placement
from studio.engine.tasks.prediction import Meaning

WARM_MODELS = 4


@dataclass(frozen=True, slots=True)
class WarmModel:
    """A loaded model with the meaning of its inputs and outputs.

    Attributes:
        model: Takes pixels, shape (n, height, width, channels). An `ExportedModel` has
            no layers.
        recipe: Conversion of pictures.
        classes: Names of its outputs.
        meaning: Meaning of its outputs.
        decoded: True if its outputs are boxes, see `ModelCard`.
        warnings: Assumptions about a model of another program, which make predictions uncertain.
        single: See `single_scorer`; None where pictures come in batches.
        reference: What was measured on the training images; None without measurements.
        observed: The model with the features of images as a second output; None if they are not
            compared with those of training images.
        known: Features of training images; None for the same reason.
    """

    model: keras.Model | ExportedModel
    recipe: DatasetRecipe
    classes: list[str]
    warnings: tuple[Text, ...] = ()
    meaning: Meaning = field(default_factory=lambda: Meaning(()))
    decoded: bool = False
    single: Callable[[Pixels], list[ScoreRows]] | None = None
    reference: Reference | None = None
    observed: keras.Model | None = None
    known: KnownFeatures | None = None

    def score(self, pixels: Pixels) -> ScoreRows:
        """Return the outputs for pictures, float32 of shape (n, ...).

        Args:
            pixels: Shape (n, height, width, channels).
        """
        return self.outputs(pixels)[0]

    def outputs(self, pixels: Pixels) -> list[ScoreRows]:
        """Return the outputs for images, and their features if these are compared.

        Args:
            pixels: Shape (n, height, width, channels).
        """
        if self.single is not None and len(pixels) == 1:
            return self.single(pixels)
        return outputs_of(self.observed or self.model, pixels)


class WarmModels:
    """Keeps the last few models loaded; a file that changed is loaded again."""

    def __init__(self) -> None:
        self._warm = RecentlyUsed[WarmModel](WARM_MODELS)

    def get(self, source: ModelSource, *, needs_layers: bool = True) -> WarmModel:
        """Return a model, loaded and compiled.

        Args:
            source: The model.
            needs_layers: Refuse an exported file, whose layers cannot be examined.

        Raises:
            BadDataError: It is missing or damaged, or does not match its description.
            StudioError: It cannot be opened, is no classifier of images, or has no layers.
        """
        if needs_layers and source.format != KERAS:
            raise StudioError(
                "The layers of {name} cannot be examined: its format is {format}.",
                "Use the run or a Keras file of the model.",
                "model",
                name=source.name,
                format=source.format,
            )
        path = Path(source.file)
        if not path.exists():
            raise BadDataError(
                "There is no model at {path}.", "Train the network first.", path=path
            )
        key = (source.model_dump_json(), path.stat().st_mtime_ns)

        def ready() -> WarmModel:
            loaded = load_warm(source)
            if source.format == KERAS:
                loaded = _observed(loaded, source)
                dtype = loaded.recipe.pixel_format.numpy_dtype
                scorer = single_scorer(loaded.observed or loaded.model, dtype)
                loaded = replace(loaded, single=scorer)
                # The first call compiles.
                loaded.score(np.zeros((1, *loaded.model.input_shape[1:]), dtype))
            return loaded

        return self._warm.get(key, ready)


def _observed(loaded: WarmModel, source: ModelSource) -> WarmModel:
    """Return a model that gives the features that are compared, too.

    Raises:
        BadDataError: The features of the training images are damaged.
        StudioError: The model has no such layer.
    """
    if source.reference is None or not source.features:
        return loaded
    observed = observing(loaded.model, source.reference.layer)
    known = read_features(Path(source.features), observed.output_shape[1][-1])
    return replace(loaded, observed=observed, known=known)


def load_warm(source: ModelSource) -> WarmModel:
    """Load a model.

    Raises:
        BadDataError: It is damaged, or does not match its description.
        StudioError: It cannot be opened, or is no classifier of images.
    """
    task = TASKS[source.task]
    warnings: tuple[Text, ...] = ()
    with unpacked(source) as path:
        require_runnable(source, path)
        if source.format != KERAS and source.is_foreign:
            model, warnings = open_foreign(source, path)
        elif source.format != KERAS:
            model = open_exported(source, path)
        else:
            model, warnings = keras_model(source, path)
    shape = model.output_shape
    outputs = (
        len(source.classes) if source.decoded else task.output_of(shape).classes_in(shape[-1])
    )
    recipe = source.recipe or _recipe_of(model.input_shape[1:])
    _require_fit(source, recipe, model.input_shape[1:], outputs)
    if source.is_foreign and not source.classes:
        warnings += (UNNAMED,)
    names = list(source.classes or map(str, range(outputs)))
    meaning = Meaning(names, source.units, source.calibration, source.colors)
    return WarmModel(
        model, recipe, names, warnings, meaning, source.decoded, reference=source.reference
    )


def keras_model(source: ModelSource, path: Path) -> tuple[keras.Model, tuple[Text, ...]]:
    """Load a Keras model, and return warnings about it.

    Args:
        source: Its task, and the preparation of its pixels.
        path: The file; unpacked, if it was packed.

    Raises:
        BadDataError: It is damaged.
        StudioError: It cannot be opened, or is no classifier of images.
    """
    takes_bytes = source.recipe is None or source.recipe.pixel_format.is_standard
    if TASKS[source.task].capabilities.foreign_models and takes_bytes:
        return load_classifier(path, source.preprocessing)
    return load_model(path), ()  # only Studio writes those, and they end as their task needs it


def _recipe_of(shape: tuple[int, ...]) -> DatasetRecipe:
    """Return the recipe of a model without one: pictures are squashed to its size."""
    color: Color = "gray" if shape[2] == 1 else "rgb"
    return DatasetRecipe(source="", width=shape[1], height=shape[0], color=color)


def _require_fit(
    source: ModelSource, recipe: DatasetRecipe, shape: tuple[int, ...], outputs: int
) -> None:
    """Check that a model is what its source says.

    Args:
        source: Names the classes.
        recipe: Gives the size of the images.
        shape: Height, width and channels that the model takes.
        outputs: Number of its classes.

    Raises:
        BadDataError: It has other images, or another number of classes.
    """
    named = len(source.classes) or outputs
    if source.is_foreign and named != outputs:
        origin = source.class_file or message("the list of class names")
        raise BadDataError(
            "The model {file} has {outputs} classes, but {origin} names {named}.",
            "Choose a file with one class name for each output of the model.",
            "classes",
            file=Path(source.file).name,
            outputs=outputs,
            origin=origin,
            named=named,
        )
    requested = (recipe.height, recipe.width, recipe.channels)
    if requested != shape or named != outputs:
        raise BadDataError(
            "The model {file} expects images of {size} and {classes} classes; it is to be "
            "used with {wanted_size} and {wanted_classes} classes.",
            "Choose the dataset that it was trained on.",
            "model",
            file=source.file,
            size="x".join(map(str, shape)),
            classes=outputs,
            wanted_size="x".join(map(str, requested)),
            wanted_classes=named,
        )


def fitted(image: str, recipe: DatasetRecipe) -> Pixels:
    """Load a picture in the size and colors of a model, shape (height, width, channels).

    Args:
        image: Path of the picture.
        recipe: Size, color and resizing of the model.

    Raises:
        BadDataError: The picture cannot be read.
    """
    try:
        return load_image(comparable(Path(image), recipe), recipe)
    except BadDataError as error:
        raise BadDataError(
            "The image {picture} cannot be read: {reason}.",
            "Choose another image.",
            "image",
            picture=image,
            reason=error.message,
        ) from error


def covered(image: str, recipe: DatasetRecipe) -> tuple[float, float, float, float]:
    """Return left, top, right and bottom of the area a model sees, as fractions of the picture.

    Args:
        image: Path of the picture.
        recipe: Size and resizing of the model.

    Raises:
        BadDataError: The picture cannot be read.
    """
    width, height, _ = describe(Path(image))
    placement_ = placement((width, height), (recipe.width, recipe.height), recipe.resize)
    left, right = _axis(
        placement_.box[0::2], placement_.content[0], placement_.corner[0], recipe.width
    )
    top, bottom = _axis(
        placement_.box[1::2], placement_.content[1], placement_.corner[1], recipe.height
    )
    return left / width, top / height, right / width, bottom / height


def _axis(box: tuple[float, ...], content: int, corner: int, whole: int) -> tuple[float, float]:
    """Return the edges of the result along one axis, in pixels of the original."""
    scale = (box[1] - box[0]) / content
    start = box[0] - corner * scale
    return start, start + whole * scale
