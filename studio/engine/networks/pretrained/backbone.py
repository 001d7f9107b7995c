"""Published networks with weights, by family, and what their weights expect of pixels.

To add one: a line under its paper in `assets/networks/backbones.toml`.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from studio.engine.assets import asset
from studio.engine.registry import Registry

IMAGENET = "imagenet"
"""What a plan calls the weights that come with a backbone."""

_TABLE = "networks/backbones.toml"
"""All of them, in `assets/`."""

CAFFE_MEAN = (123.68, 116.779, 103.939)
"""Mean color of ImageNet, red, green, blue, 0 to 255, as Caffe's networks subtract it."""

TORCH_MEAN = (0.485, 0.456, 0.406)
TORCH_DEVIATION = (0.229, 0.224, 0.225)
"""Mean and standard deviation of the colors of ImageNet, 0 to 1, as those of PyTorch use them."""

Preprocessing = Literal["tf", "tf_128", "caffe", "torch", "torch_times_255"]
"""What the weights expect: pixels from -1 to 1; divided by 128, less 1; less the mean color;
standardized colors; or these times 255, where Keras divides by 255 inside of the backbone."""


@dataclass(frozen=True, slots=True)
class Backbone:
    """A network of `keras.applications`.

    Figures are those of Keras' page of applications, for 1,000 classes and the usual size;
    accuracy is that of the first answer on the validation images of ImageNet.

    Attributes:
        name: Stable name, as in files.
        label: Shown name.
        keras_function: Name of the function of `keras.applications` that builds it.
        year: Year of publication.
        paper: Who described it, and where.
        parameters: Number of weights with its head.
        accuracy: Share from 0 to 1; None where Keras states none.
        megabytes: Size of its weights with its head; None where Keras states none.
        preprocessing: What its weights expect of pixels.
        usual: Side of the images that the weights saw, in pixels.
        smallest: Smallest side of an image that it takes, in pixels.
        switches_preprocessing: True where Keras' preprocessing must be switched off.
    """

    name: str
    label: str
    keras_function: str
    year: int
    paper: str
    parameters: int
    accuracy: float | None
    megabytes: float | None
    preprocessing: Preprocessing
    usual: int = 224
    smallest: int = 32
    switches_preprocessing: bool = False


def _published() -> Iterator[Backbone]:
    """Read the table of the networks, paper by paper."""
    for paper in tomllib.loads(asset(_TABLE).read_text("utf-8"))["paper"]:
        for name, label, function, parameters, *figures, usual in paper.pop("networks"):
            accuracy, megabytes = (None if figure == "-" else float(figure) for figure in figures)
            yield Backbone(
                name=name,
                label=label,
                keras_function=function,
                parameters=parameters,
                accuracy=accuracy,
                megabytes=megabytes,
                usual=usual,
                **paper,
            )


BACKBONES: Registry[Backbone] = Registry("backbone", list(_published()))
