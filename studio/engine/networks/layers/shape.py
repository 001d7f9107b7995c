"""Layers that learn nothing: they change the shape, or make one of several branches."""

from __future__ import annotations

from typing import Literal

from pydantic import field_validator

from studio.engine.messages import message
from studio.engine.networks.layers.layer import Layer, Names, NoParameters, numbers_in
from studio.engine.plans import Plan, expert_field, plan_field


class BorderParameters(Plan):
    """Parameters of `zero_padding` and `cropping`: pixels on each side."""

    top: int = plan_field(
        1,
        label="Top",
        help="Rows at the top.",
        why="Use to reach a size that the next layer needs, or to process the border like the "
        "center.",
        unit="px",
        ge=0,
    )
    bottom: int = plan_field(
        1,
        label="Bottom",
        help="Rows at the bottom.",
        why="Use to reach a size that the next layer needs; for strides, often one more than at "
        "the top.",
        unit="px",
        ge=0,
    )
    left: int = plan_field(
        1,
        label="Left",
        help="Columns on the left.",
        why="Use to reach a size that the next layer needs, or to process the border like the "
        "center.",
        unit="px",
        ge=0,
    )
    right: int = plan_field(
        1,
        label="Right",
        help="Columns at the right.",
        why="Use to reach a size that the next layer needs; for strides, often one more than on "
        "the left.",
        unit="px",
        ge=0,
    )


class UpsamplingParameters(Plan):
    """Parameters of `upsampling`."""

    size: int = plan_field(
        2, label="Factor", help="Scale factor.", why="2 undoes one pooling of 2.", ge=1
    )
    interpolation: Literal["nearest", "bilinear"] = plan_field(
        "nearest",
        label="Between pixels",
        help="Interpolation of the new pixels.",
        why="Nearest is fast and keeps edges; bilinear has no steps.",
        labels={"nearest": "Repeat the pixel", "bilinear": "Blend neighbors"},
    )


class ResizeLikeParameters(Plan):
    """Parameters of `resize_like`."""

    interpolation: Literal["nearest", "bilinear"] = plan_field(
        "bilinear",
        label="Between pixels",
        help="Content of the new pixels.",
        why="Bilinear is smooth; nearest is fast and keeps edges.",
        labels={"nearest": "Repeat the pixel", "bilinear": "Blend neighbors"},
    )


class ReshapeParameters(Plan):
    """Parameters of `reshape`."""

    target_shape: str = plan_field(
        "-1",
        label="Shape",
        help="Sizes without the batch, separated by commas; -1 is inferred from the others.",
        why='"28, -1" makes a sequence of 28 rows of an image of 28 rows.',
    )

    @field_validator("target_shape")
    @classmethod
    def _sizes(cls, text: str) -> str:
        sizes = numbers_in(text, int)
        if sizes.count(-1) > 1 or any(size < 1 and size != -1 for size in sizes):
            raise ValueError(
                message(
                    'sizes of at least 1 and at most one -1 are needed; received "{text}"',
                    text=text,
                )
            )
        return text


class PermuteParameters(Plan):
    """Parameters of `permute`."""

    dims: str = plan_field(
        "1, 2, 3",
        label="Order",
        help="Order of the axes, without the batch.",
        why='"2, 1, 3" makes columns of rows.',
    )

    @field_validator("dims")
    @classmethod
    def _order(cls, text: str) -> str:
        axes = numbers_in(text, int)
        if sorted(axes) != list(range(1, len(axes) + 1)):
            raise ValueError(
                message('every axis must occur once, counted from 1; received "{text}"', text=text)
            )
        return text


RESIZE_LIKE = "resize_like"
"""Name of the layer that takes only the size of its second input."""
_BORDER: Names = (("top", "bottom"), ("left", "right"))

SHAPE = (
    Layer(
        name="reshape",
        label="Reshape",
        summary="Arranges the same values in another shape.",
        keras_class="Reshape",
        parameters=ReshapeParameters,
        numbers={"target_shape": int},
    ),
    Layer(
        name="permute",
        label="Permute",
        summary="Swaps axes, for example rows and columns.",
        keras_class="Permute",
        parameters=PermuteParameters,
        numbers={"dims": int},
    ),
    Layer(
        name="zero_padding",
        label="Zero padding",
        summary="Adds a border of zeros around the image.",
        keras_class="ZeroPadding2D",
        parameters=BorderParameters,
        renamed={"padding": _BORDER},
    ),
    Layer(
        name="cropping",
        label="Cropping",
        summary="Cuts a border off the image.",
        keras_class="Cropping2D",
        parameters=BorderParameters,
        renamed={"cropping": _BORDER},
    ),
    Layer(
        name="upsampling",
        label="Upsampling",
        summary="Enlarges the image.",
        keras_class="UpSampling2D",
        parameters=UpsamplingParameters,
    ),
    Layer(
        name=RESIZE_LIKE,
        label="Resize like",
        summary="Resizes the first input to the size of the second. The values of the second are "
        "not used.",
        keras_class="",
        parameters=ResizeLikeParameters,
        joins=True,
    ),
)


# Layers that make one of several branches.


class ConcatenateParameters(Plan):
    """Parameters of `concatenate`."""

    axis: int = expert_field(
        -1,
        label="Axis",
        help="Axis along which the inputs are concatenated; -1 is the channels.",
        why="Usually the channels; all other sides must then be equal.",
        within=(-3, 3),
    )


def _merging(name: str, label: str, keras_class: str, summary: str) -> Layer:
    return Layer(
        name=name,
        label=label,
        summary=summary,
        keras_class=keras_class,
        parameters=NoParameters,
        joins=True,
    )


BOX_HEAD = Layer(
    name="box_head",
    label="Box head",
    summary="Joins the maps of a detector: for each level, the finest first, a map of the classes "
    "and a map of the distances to the four sides.",
    keras_class="",
    parameters=NoParameters,
    joins=True,
)
HEAD_JOINS = (BOX_HEAD.name, "concatenate")
"""Layers that join maps of classes with maps of distances where they are the last of a network."""
SIDES = "softplus"
"""Usual activation of the distances, in strides of their level."""
POSITIVE = ("softplus", "relu", "relu6", "sigmoid", "hard_sigmoid")
"""Activations that give no negative distances."""

MERGING = (
    _merging("add", "Add", "Add", "Adds branches of the same shape, as residual networks do."),
    _merging("subtract", "Subtract", "Subtract", "Subtracts the second branch from the first."),
    _merging(
        "multiply",
        "Multiply",
        "Multiply",
        "Multiplies branches element by element, as in gates and attention.",
    ),
    _merging("average", "Average", "Average", "Element-wise mean of all branches."),
    _merging("maximum", "Maximum", "Maximum", "Element-wise maximum of all branches."),
    _merging("minimum", "Minimum", "Minimum", "Element-wise minimum of all branches."),
    Layer(
        name="concatenate",
        label="Concatenate",
        summary="Concatenates the channels of branches.",
        keras_class="Concatenate",
        parameters=ConcatenateParameters,
        joins=True,
    ),
    BOX_HEAD,
)


def class_maps(inputs: tuple[str, ...]) -> tuple[str, ...]:
    """Return those inputs of a box head, or of the last join, that are maps of classes."""
    return inputs[::2]


def distance_maps(inputs: tuple[str, ...]) -> tuple[str, ...]:
    """Return those inputs of a box head that are maps of distances."""
    return inputs[1::2]
