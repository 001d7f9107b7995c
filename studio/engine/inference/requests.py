"""Requests to the engine host about a model, and its replies.

Also the pictures in replies: PNG files as text, and heat maps over pictures.
"""

from __future__ import annotations

import base64
import io
from collections.abc import Callable
from concurrent.futures import Future
from pathlib import Path
from typing import TYPE_CHECKING, Literal, Self

from pydantic import BaseModel, Field

from studio.engine.inference.models import ModelSource
from studio.engine.inference.unlike.differences import Familiarity
from studio.engine.jobs.host import EngineHost
from studio.engine.messages import Text
from studio.engine.networks.spec import (
    Examination,
    NetworkSpec,
    PresetRequest,
    ReadModelRequest,
    ReadNetwork,
    WriteModelRequest,
    WrittenModel,
)
from studio.engine.tasks.heat_colors import heat_table
from studio.engine.tasks.parts.prediction import Prediction

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


def as_png(pixels: NDArray[np.uint8]) -> str:
    """Base64 of a PNG file.

    Args:
        pixels: Shape (height, width), or (height, width, channels) with 1 or 3 channels.
    """
    from PIL import Image  # noqa: PLC0415 - the window starts without it

    if pixels.ndim == 3 and pixels.shape[2] == 1:
        pixels = pixels[:, :, 0]
    file = io.BytesIO()
    # Written to be read once: little is gained by a smaller file.
    Image.fromarray(pixels).save(file, "PNG", compress_level=1)
    return base64.b64encode(file.getvalue()).decode("ascii")


def png_bytes(text: str) -> bytes:
    """Return the file that `as_png` made a text of."""
    return base64.b64decode(text)


# A heat map laid over its picture.

MIN_SIDE = 256
"""Minimum length of an overlay's shorter side in pixels."""


def overlay(reply: ExplainReply, opacity: float = 0.6) -> bytes:
    """Return a PNG file of the picture as the model saw it under its heat map.

    Args:
        reply: The explanation.
        opacity: Opacity of the strongest places, 0 to 1; where nothing counts the picture stays as
            it is.
    """
    import numpy as np  # noqa: PLC0415
    from PIL import Image  # noqa: PLC0415

    with Image.open(io.BytesIO(png_bytes(reply.picture)), formats=("PNG",)) as stored:
        picture = stored.convert("RGB")
    factor = max(1.0, MIN_SIDE / min(picture.size))
    size = round(picture.width * factor), round(picture.height * factor)
    enlarged = picture.resize(size, Image.Resampling.NEAREST if factor > 1 else None)
    values = Image.fromarray(reply.heat.values()).resize(size, Image.Resampling.BICUBIC)
    heat = np.clip(np.asarray(values), 0, 1)
    share = (opacity * np.sqrt(heat))[..., None]
    colors = heat_table()[np.rint(heat * 255).astype(np.uint8)]
    mixed = np.asarray(enlarged) * (1 - share) + colors * share
    file = io.BytesIO()
    Image.fromarray(np.rint(mixed).astype(np.uint8)).save(file, "PNG")
    return file.getvalue()


Method = Literal["grad_cam", "occlusion"]
"""`grad_cam` takes the gradient at a convolution (Selvaraju et al., 2017); `occlusion` covers the
picture part by part and looks how the score falls (Zeiler and Fergus, 2014), which any model
allows."""


class ImportanceMap(BaseModel, frozen=True):
    """Importance of each part of a picture, from 0 to 1; 1 at the strongest position.

    It lies over the picture as the model saw it (`ExplainReply.picture`) from edge to edge and is
    usually much smaller: it is interpolated when it is drawn.

    Attributes:
        width: Columns.
        height: Rows.
        peak: Value of 1: for Grad-CAM in its own unit, for occlusion the drop of the score. 0 if
            nothing in the picture counts; then all values are 0.
        data: Base64 of height x width little-endian 32 bit floats, row by row; see `values`.
    """

    width: int = Field(ge=1)
    height: int = Field(ge=1)
    peak: float
    data: str

    @classmethod
    def of(cls, raw: NDArray[np.floating]) -> Self:
        """Create from values of shape (height, width); negative values and NaN count as 0."""
        import numpy as np  # noqa: PLC0415 - the window starts without it

        finite = np.maximum(np.nan_to_num(raw.astype(np.float64), posinf=0.0), 0.0)
        peak = float(finite.max())
        scaled = (finite / peak if peak > 0 else finite).astype("<f4")
        height, width = raw.shape
        return cls(
            width=width,
            height=height,
            peak=peak,
            data=base64.b64encode(scaled.tobytes()).decode("ascii"),
        )

    def values(self) -> NDArray[np.float32]:
        """Return the values, 0 to 1, shape (height, width)."""
        import numpy as np  # noqa: PLC0415 - the window starts without it

        flat = np.frombuffer(base64.b64decode(self.data), "<f4").astype(np.float32)
        return flat.reshape(self.height, self.width)


class ExplainRequest(BaseModel, frozen=True):
    """Request what a prediction depends on; the operation "explain".

    Attributes:
        model: The model.
        image: Path of a picture.
        method: Method of explanation.
        label: Name of the class, label or quantity to explain; empty for the class or label with
            the highest score, or for the first quantity.
        layer: Path of the layer whose output Grad-CAM explains, as in `Outline`; empty for the
            last one with the size of the last convolution.
        dataset: Folder of the dataset whose colors and contrast show the picture; empty for the
            usual ones.
    """

    model: ModelSource
    image: str
    method: Method = "grad_cam"
    label: str = ""
    layer: str = ""
    dataset: str = ""


class ExplainReply(BaseModel, frozen=True):
    """Explanation of a prediction.

    An occlusion takes longer than a request may: each request continues it for half a second and
    returns the intermediate result. `requests.explain` repeats the request until it is done.

    Attributes:
        label: The class, label or quantity that is explained.
        score: Confidence of the model, 0 to 1.
        method: Method of explanation.
        layer: The explained layer; empty for an occlusion.
        heat: The map.
        picture: Base64 of a PNG file: the picture as the model saw it.
        outputs: Names of all classes, labels or quantities of the model.
        covers: Left, top, right and bottom of that in the upright original, as fractions of its
            sides. With a border they go beyond 0 and 1, where the picture is cropped they stay
            within: to draw the map over the original, put it there.
        milliseconds: Total duration of all requests.
        done: Number of finished steps.
        total: Number of all steps.
    """

    label: str
    score: float
    method: Method
    layer: str
    heat: ImportanceMap
    picture: str
    outputs: tuple[str, ...]
    covers: tuple[float, float, float, float]
    milliseconds: float
    done: int = 1
    total: int = 1

    @property
    def is_complete(self) -> bool:
        """True if the explanation is complete."""
        return self.done >= self.total


def examine(host: EngineHost, spec: NetworkSpec) -> Future[Examination]:
    """Analyze a network, complete or not; it may contain errors.

    Args:
        host: The engine host.
        spec: The network.
    """
    return host.ask("examine", spec, Examination)


def expand(host: EngineHost, spec: NetworkSpec) -> Future[NetworkSpec]:
    """Return the network with the layers of its backbones as nodes.

    Args:
        host: The engine host.
        spec: The network.
    """
    return host.ask("expand", spec, NetworkSpec)


def read_model(host: EngineHost, path: Path) -> Future[ReadNetwork]:
    """Describe the model in a `.keras` or `.h5` file.

    Args:
        host: The engine host.
        path: The file.
    """
    return host.ask("read_model", ReadModelRequest(path=str(path)), ReadNetwork)


def write_model(
    host: EngineHost, spec: NetworkSpec, path: Path, seed: int = 0
) -> Future[WrittenModel]:
    """Build a network with random weights and save it as a `.keras` file.

    Args:
        host: The engine host.
        spec: The network.
        path: File to write.
        seed: Seed of the weights.
    """
    request = WriteModelRequest(spec=spec, path=str(path), seed=seed)
    return host.ask("write_model", request, WrittenModel)


def import_preset(
    host: EngineHost, preset: str, path: Path, name: str = ""
) -> Future[WrittenModel]:
    """Write a detector of KerasHub as an archive with a network and its weights.

    Args:
        host: The engine host.
        preset: Folder of the preset, or its name at KerasHub.
        path: File to write.
        name: Shown in the name of the network; by default the name of the folder or preset.
    """
    request = PresetRequest(preset=preset, path=str(path), name=name)
    return host.ask("import_preset", request, WrittenModel)


def explain(
    host: EngineHost,
    request: ExplainRequest,
    listen: Callable[[ExplainReply], None] | None = None,
) -> ExplainReply:
    """Explain a prediction completely; blocks until then, other requests run in between.

    Args:
        host: The engine host.
        request: The request.
        listen: Called with each intermediate result; an exception ends the request.

    Raises:
        StudioError: The user can put it right.
    """
    while True:
        given = host.ask("explain", request, ExplainReply).result()
        if listen is not None:
            listen(given)
        if given.is_complete:
            return given


# Predictions of pictures, as they travel from the engine host.


class ImagePrediction(Prediction):
    """Prediction of a model for one picture file, with its circumstances.

    `error` is set, and the prediction empty, when the picture could not be read. `warnings` are
    assumptions about a model of another program, and what of the picture file was not used as it
    is: planes and bits.
    `familiarity` says in which way the image differs from the training images; None if nothing
    was measured on them.
    """

    image: str
    error: Text = ""
    milliseconds: float = 0.0
    warnings: tuple[Text, ...] = ()
    familiarity: Familiarity | None = None


class PredictRequest(BaseModel, frozen=True):
    """Classify pictures.

    Attributes:
        model: The model.
        images: Paths of pictures.
        top: Number of classes to return.
        then: Paths of the next request; they are decoded while the model computes.
        threshold: Minimum score of labels, objects and anomalies; None for the threshold of
            each class or label, tuned on validation images.
        maps: Folder in which the maps of large pictures are written; none are if empty.
        seconds: Time after which the reply has the predictions so far; a large picture takes
            minutes, and other requests have to wait. Repeat the request with the remaining
            pictures. None for all predictions at once.
    """

    model: ModelSource
    images: tuple[str, ...]
    top: int = 5
    then: tuple[str, ...] = ()
    threshold: float | None = Field(None, ge=0, allow_inf_nan=False)
    maps: str = ""
    seconds: float | None = Field(None, gt=0)


class PredictReply(BaseModel, frozen=True):
    """The predictions, in the order of the pictures.

    Attributes:
        predictions: The predictions; of the first pictures if the time was over.
        warnings: Warnings of the model, which each prediction has as well.
        progress: Finished fraction of the next picture if the time was over, 0 to 1.
    """

    predictions: tuple[ImagePrediction, ...]
    warnings: tuple[Text, ...] = ()
    progress: float = 1.0


def model_warnings(host: EngineHost, model: ModelSource) -> tuple[Text, ...]:
    """Load a model, and return the warnings that its predictions have.

    Args:
        host: The engine host.
        model: The model.

    Raises:
        StudioError: It cannot be used.
    """
    request = PredictRequest(model=model, images=())
    return host.ask("predict", request, PredictReply).result().warnings


# Layers of a model, with their figures and images.

BINS = 20
"""Bins of a histogram."""
MAX_TILES = 256
"""Maximum number of tiles per layer."""
MAX_LAYERS = 64
"""Most layers of one request."""


class OutlineRequest(BaseModel, frozen=True):
    """Request the layers of a model; the operation "outline". Takes milliseconds."""

    model: ModelSource


class LayerOutline(BaseModel, frozen=True):
    """One layer.

    Attributes:
        path: Its name; after the names of the models that it lies in, each with a slash. A layer
            that is used again has a number behind it: "conv (2)".
        kind: Class of the layer, such as Conv2D.
        shape: Shape of the output for one picture; None where a side is unknown.
        parameters: Number of weights, trainable or not.
        has_map: True if Grad-CAM can use it: its output is a map with more than one position.
    """

    path: str
    kind: str
    shape: tuple[int | None, ...]
    parameters: int
    has_map: bool


class Outline(BaseModel, frozen=True):
    """The layers of a model, from the picture to the output.

    Attributes:
        layers: The layers.
        parameters: Number of all parameters, each counted once.
        explained: Path of the default layer of Grad-CAM; empty if there is none.
        features: Path of the last layer before the head, by which images are compared.
    """

    layers: tuple[LayerOutline, ...]
    parameters: int
    explained: str
    features: str


class LayersRequest(BaseModel, frozen=True):
    """Request figures and pictures of some layers; the operation "layers".

    One request runs the picture through the model once. Ask for a few layers at a time, those
    that can be seen, so that other requests need not wait.

    Attributes:
        model: The model.
        image: Path of a picture.
        layers: Paths of layers, `MAX_LAYERS` at most.
        tiles: Tiles of each picture at most.
    """

    model: ModelSource
    image: str
    layers: tuple[str, ...]
    tiles: int = 64


class Tiles(BaseModel, frozen=True):
    """Channels or filters side by side, each a gray picture.

    Attributes:
        data: Base64 of a PNG file, 8 bit gray: 0 is `low` and 255 is `high` of the figures. Tiles
            are arranged row by row, separated by lines of one black pixel.
        across: Tiles in a row.
        shown: Number of tiles.
        there: Total number of channels or filters, of which the first are shown.
        width: Width of one tile in pixels.
        height: Height of one tile in pixels; larger maps were made smaller by taking every n-th
            value.
    """

    data: str
    across: int
    shown: int
    there: int
    width: int
    height: int


class NumberFigures(BaseModel, frozen=True):
    """Statistics of many numbers.

    Attributes:
        name: Name of the weights, such as kernel or bias; empty for outputs.
        shape: Their shape.
        counted: Number of values behind the figures; every n-th of very many.
        mean: Mean of the finite values; 0 if there are none.
        deviation: Standard deviation of the same.
        low: The smallest of the same.
        high: The largest of the same.
        histogram: Counts in `BINS` equal bins from `low` to `high`.
        not_finite: Number of infinite or NaN values.
        tiles: A picture of them; None for single numbers per class or unit, which have none.
    """

    name: str = ""
    shape: tuple[int, ...]
    counted: int
    mean: float
    deviation: float
    low: float
    high: float
    histogram: tuple[int, ...]
    not_finite: int = 0
    tiles: Tiles | None = None


class LayerView(BaseModel, frozen=True):
    """Output of one layer for one picture.

    Attributes:
        path: See `LayerOutline`.
        output: Its output for the picture.
        weights: Its weights.
    """

    path: str
    output: NumberFigures
    weights: tuple[NumberFigures, ...]


class LayersReply(BaseModel, frozen=True):
    """The requested layers, in their order."""

    layers: tuple[LayerView, ...]
    milliseconds: float


# Which training images a model finds most like a picture.


class NeighborsRequest(BaseModel, frozen=True):
    """Ask for the nearest training images; the operation "neighbors".

    Attributes:
        model: The model; images are compared by the inputs of its head.
        dataset: Folder of a dataset.
        version: Version of the dataset; None for the newest.
        cache: Folder in which features of images are kept, see `FeatureCache`.
        image: Path of a picture.
        count: Number of images to find.
    """

    model: ModelSource
    dataset: str
    version: int | None = None
    cache: str
    image: str
    count: int = Field(default=8, ge=1, le=100)


class Neighbor(BaseModel, frozen=True):
    """A training image.

    Attributes:
        row: Row of the dataset.
        path: Path relative to the source of the dataset.
        label: Its class, or its other targets in a line.
        prediction: The predicted class; empty where images have other targets.
        distance: Cosine distance of the features, 0 (same direction) to 2.
        picture: Base64 of a PNG file: the image.
    """

    row: int
    path: str
    label: str
    prediction: str
    distance: float
    picture: str


class NeighborsReply(BaseModel, frozen=True):
    """The nearest training images, the nearest first.

    The features of all training images are computed at the first request for a model and cached
    on disk. That takes longer than a request may: each request continues it for half a second, so
    that other requests can run in between, and returns the nearest images found so far. Repeat
    the request until `is_complete`.

    Attributes:
        neighbors: The most similar images.
        done: Number of training images whose features are known.
        total: Number of training images.
        milliseconds: Duration of this request.
    """

    neighbors: tuple[Neighbor, ...]
    done: int
    total: int
    milliseconds: float

    @property
    def is_complete(self) -> bool:
        """True if all training images were compared."""
        return self.done >= self.total
