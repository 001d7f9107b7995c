"""What goes on in the layers of a model: the questions, and figures and pictures that answer."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict

from studio.engine.inference.model_source import ModelSource

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
