"""Questions that the engine host answers about a model, and its answers."""

from __future__ import annotations

import base64
from collections.abc import Callable
from concurrent.futures import Future
from pathlib import Path
from typing import TYPE_CHECKING, Literal, Self

from pydantic import BaseModel, ConfigDict, Field

from studio.engine.inference.models import ModelSource
from studio.engine.jobs.host import EngineHost
from studio.engine.networks.pretrained.cache import WeightQuestion, WeightSource
from studio.engine.networks.spec import (
    Examination,
    NetworkSpec,
    ReadModelRequest,
    ReadNetwork,
    WriteModelRequest,
    WrittenModel,
)
from studio.engine.tasks.answer import Answer, ClassScore

# What in a picture an answer depends on: the question, and the heat map that answers it.

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

Method = Literal["grad_cam", "occlusion"]
"""`grad_cam` asks the gradient at a convolution (Selvaraju et al., 2017); `occlusion` covers the
picture part by part and looks how the score falls (Zeiler and Fergus, 2014), which any model
allows."""


class HeatMap(BaseModel):
    """How much each part of a picture counts, from 0 to 1; 1 at the strongest place.

    It lies over the picture as the model saw it (`ExplainAnswer.picture`) from edge to edge and is
    usually much smaller: whoever draws it enlarges it smoothly.

    Attributes:
        width: Columns.
        height: Rows.
        peak: What 1 stands for: of Grad-CAM its own unit, of an occlusion the fall of the score.
            0 where nothing in the picture counts, and all values are 0.
        data: Base64 of height x width little-endian 32 bit floats, row by row; see `values`.
    """

    model_config = ConfigDict(frozen=True)

    width: int = Field(ge=1)
    height: int = Field(ge=1)
    peak: float
    data: str

    @classmethod
    def of(cls, raw: NDArray[np.floating]) -> Self:
        """Of values of any size, shape (height, width); what is negative or no number counts 0."""
        import numpy as np  # noqa: PLC0415 - the window starts without it

        kept = np.maximum(np.nan_to_num(raw.astype(np.float64), posinf=0.0), 0.0)
        peak = float(kept.max())
        scaled = (kept / peak if peak > 0 else kept).astype("<f4")
        height, width = raw.shape
        return cls(
            width=width,
            height=height,
            peak=peak,
            data=base64.b64encode(scaled.tobytes()).decode("ascii"),
        )

    def values(self) -> NDArray[np.float32]:
        """The values, 0 to 1, shape (height, width)."""
        import numpy as np  # noqa: PLC0415 - the window starts without it

        flat = np.frombuffer(base64.b64decode(self.data), "<f4").astype(np.float32)
        return flat.reshape(self.height, self.width)


class ExplainRequest(BaseModel):
    """Ask what an answer depends on; the operation "explain".

    Attributes:
        model: Who is asked.
        image: Path of a picture.
        method: How to find out.
        label: Name of the class that is to be explained; empty for the likeliest.
        layer: Path of the layer whose output Grad-CAM looks at, as in `Outline`; empty for the
            last one with the size of the last convolution.
    """

    model_config = ConfigDict(frozen=True)

    model: ModelSource
    image: str
    method: Method = "grad_cam"
    label: str = ""
    layer: str = ""


class ExplainAnswer(BaseModel):
    """What an answer depends on.

    An occlusion takes longer than a question may: each time it is asked, it is continued for half
    a second and what is known so far is answered. `jobs.questions.explain` asks until all is done.

    Attributes:
        label: The class that is explained.
        score: How sure the model is of it, 0 to 1.
        method: How it was found out.
        layer: The layer whose output was looked at; empty for an occlusion.
        heat: The map.
        picture: Base64 of a PNG file: the picture as the model saw it.
        covers: Left, top, right and bottom of that in the upright original, as fractions of its
            sides. With a border they go beyond 0 and 1, where the picture is cropped they stay
            within: to draw the map over the original, put it there.
        milliseconds: How long it took, of all questions together.
        done: How many steps are done.
        total: Of how many.
    """

    model_config = ConfigDict(frozen=True)

    label: str
    score: float
    method: Method
    layer: str
    heat: HeatMap
    picture: str
    covers: tuple[float, float, float, float]
    milliseconds: float
    done: int = 1
    total: int = 1

    @property
    def is_complete(self) -> bool:
        """Whether there is nothing more to come."""
        return self.done >= self.total


def examine(host: EngineHost, spec: NetworkSpec) -> Future[Examination]:
    """What can be said of a drawing, finished or not; it is never too bad to be examined."""
    return host.ask("examine", spec, Examination)


def expand(host: EngineHost, spec: NetworkSpec) -> Future[NetworkSpec]:
    """The same network with the layers of its backbones as nodes."""
    return host.ask("expand", spec, NetworkSpec)


def read_model(host: EngineHost, path: Path) -> Future[ReadNetwork]:
    """The description of the model of a `.keras` or `.h5` file from anywhere."""
    return host.ask("read_model", ReadModelRequest(path=str(path)), ReadNetwork)


def write_model(
    host: EngineHost, spec: NetworkSpec, path: Path, seed: int = 0
) -> Future[WrittenModel]:
    """Build a network with new random weights and save it as a `.keras` file."""
    request = WriteModelRequest(spec=spec, path=str(path), seed=seed)
    return host.ask("write_model", request, WrittenModel)


def weight_source(host: EngineHost, name: str) -> Future[WeightSource]:
    """Where the ImageNet weights of a backbone are; `WeightCache.fetch` takes the answer."""
    return host.ask("weight_source", WeightQuestion(name=name), WeightSource)


def explain(
    host: EngineHost,
    request: ExplainRequest,
    listen: Callable[[ExplainAnswer], None] | None = None,
) -> ExplainAnswer:
    """What an answer depends on, all of it; blocks until then, other questions come in between.

    Args:
        host: Who is asked.
        request: The question.
        listen: Told each time more is known; what it raises ends the asking.

    Raises:
        StudioError: The user can put it right.
    """
    while True:
        given = host.ask("explain", request, ExplainAnswer).result()
        if listen is not None:
            listen(given)
        if given.is_complete:
            return given


# Questions about pictures and their answers, as they travel to the engine host and back.

__all__ = ["ClassScore", "PredictAnswer", "PredictRequest", "Prediction"]


class Prediction(Answer):
    """A model's answer for one picture.

    `error` is set, and the answer empty, when the picture could not be read.
    """

    image: str
    error: str = ""
    milliseconds: float = 0.0


class PredictRequest(BaseModel):
    """Classify pictures.

    Attributes:
        model: Who is asked.
        images: Paths of pictures.
        top: How many classes to answer with.
        then: Paths that will be asked for next; they are decoded while the model computes.
    """

    model_config = ConfigDict(frozen=True)

    model: ModelSource
    images: tuple[str, ...]
    top: int = 5
    then: tuple[str, ...] = ()


class PredictAnswer(BaseModel):
    """The answers, in the order of the pictures."""

    model_config = ConfigDict(frozen=True)

    predictions: tuple[Prediction, ...]


# What goes on in the layers of a model: the questions, and figures and pictures that answer.

BINS = 20
"""Bins of a histogram."""
MOST_TILES = 256
"""Tiles of one layer that are drawn at most, whatever is asked for."""
MOST_LAYERS = 64
"""Layers that one question may ask for."""


class OutlineRequest(BaseModel):
    """Ask which layers a model has; the operation "outline". Answered within milliseconds."""

    model_config = ConfigDict(frozen=True)

    model: ModelSource


class LayerOutline(BaseModel):
    """One layer.

    Attributes:
        path: Its name; after the names of the models that it lies in, each with a slash. A layer
            that is used again has a number behind it: "conv (2)".
        kind: Class of the layer, such as Conv2D.
        shape: Of what comes out for one picture; None where a side is not known.
        parameters: How many numbers it holds, learned or measured.
        has_map: Whether Grad-CAM can look at it: it gives a map with more than one place.
    """

    model_config = ConfigDict(frozen=True)

    path: str
    kind: str
    shape: tuple[int | None, ...]
    parameters: int
    has_map: bool


class Outline(BaseModel):
    """The layers of a model, from the picture to the answer.

    Attributes:
        layers: The layers.
        parameters: Of all together, each counted once.
        explained: Path of the layer that Grad-CAM looks at by itself; empty where there is none.
        features: Path of the last layer before the head, by which images are compared.
    """

    model_config = ConfigDict(frozen=True)

    layers: tuple[LayerOutline, ...]
    parameters: int
    explained: str
    features: str


class LayersRequest(BaseModel):
    """Ask for figures and pictures of some layers; the operation "layers".

    One question runs the picture through the model once. Ask for a few layers at a time, those
    that can be seen, so that other questions need not wait.

    Attributes:
        model: Who is asked.
        image: Path of a picture.
        layers: Paths of layers, `MOST_LAYERS` at most.
        tiles: Tiles of each picture at most.
    """

    model_config = ConfigDict(frozen=True)

    model: ModelSource
    image: str
    layers: tuple[str, ...]
    tiles: int = 64


class Tiles(BaseModel):
    """Channels or filters side by side, each a gray picture.

    Attributes:
        data: Base64 of a PNG file, 8 bit gray: 0 stands for `low` and 255 for `high` of the
            figures. Tiles stand row by row with a line of one pixel, 0, between them.
        across: Tiles in a row.
        shown: Tiles that are there.
        there: Tiles that there would be; the first ones are shown.
        width: Of one tile in pixels.
        height: Of one tile in pixels; larger maps were made smaller by taking every n-th value.
    """

    model_config = ConfigDict(frozen=True)

    data: str
    across: int
    shown: int
    there: int
    width: int
    height: int


class Figures(BaseModel):
    """What can be said of many numbers.

    Attributes:
        name: Of weights, which ones: kernel, bias …; empty for what comes out.
        shape: How they are arranged.
        counted: How many of them the figures are of; of very many, every n-th.
        mean: Of those that are finite; 0 where none is.
        deviation: Standard deviation of the same.
        low: The smallest of the same.
        high: The largest of the same.
        histogram: How many lie in each of `BINS` equal parts from `low` to `high`.
        not_finite: How many are infinite or no numbers.
        tiles: A picture of them; None for single numbers per class or unit, which have none.
    """

    model_config = ConfigDict(frozen=True)

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


class LayerView(BaseModel):
    """One layer at work on one picture.

    Attributes:
        path: As in `LayerOutline`.
        output: What it gives for the picture.
        weights: What it holds.
    """

    model_config = ConfigDict(frozen=True)

    path: str
    output: Figures
    weights: tuple[Figures, ...]


class LayersAnswer(BaseModel):
    """The layers that were asked for, in their order."""

    model_config = ConfigDict(frozen=True)

    layers: tuple[LayerView, ...]
    milliseconds: float


# Which training images a model finds most like a picture: the question and its answer.


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
