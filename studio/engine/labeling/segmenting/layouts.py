"""Inputs and outputs of encoders and decoders: which exports are understood, and what differs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from studio.engine.errors import BadDataError
from studio.engine.messages import message

Shape = Sequence[object]
"""Sides of a tensor as a file declares them: numbers, or names of unknown sides."""
USUAL_SIDE: Final = 1024
"""Side of the square that encoders see, in pixels."""
_MAX_SIDE: Final = 4096
_PROMPTS: Final = ("point_coords", "point_labels", "mask_input", "has_mask_input")
_COLORS: Final = 3


@dataclass(frozen=True, slots=True)
class DecoderLayout:
    """Inputs and outputs of a family of exports.

    Attributes:
        name: Name of the family.
        embeddings: Inputs that the encoder computes.
        others: Other inputs.
        masks: Outputs of masks; the first one that the file has is taken.
        is_padded: True if pictures keep their proportions in the upper left corner of the square;
            False if they are stretched to it.
        adds_padding_point: True if prompts without a box get a point of no meaning.
    """

    name: str
    embeddings: tuple[str, ...]
    others: tuple[str, ...]
    masks: tuple[str, ...]
    is_padded: bool
    adds_padding_point: bool


SAM: Final = DecoderLayout(
    "SAM",
    ("image_embeddings",),
    (*_PROMPTS, "orig_im_size"),
    ("low_res_masks",),
    is_padded=True,
    adds_padding_point=True,
)
SAM2: Final = DecoderLayout(
    "SAM 2",
    ("image_embed", "high_res_feats_0", "high_res_feats_1"),
    _PROMPTS,
    ("low_res_masks", "masks"),
    is_padded=False,
    adds_padding_point=False,
)
LAYOUTS: Final = (SAM, SAM2)
SCORES: Final = "iou_predictions"


@dataclass(frozen=True, slots=True)
class EncoderInput:
    """The picture that an encoder takes.

    Attributes:
        name: Name of the input.
        side: Side of the square in pixels.
        is_normalized: True for (1, 3, side, side) with the mean and deviation of ImageNet; False
            for raw pixels (height, width, 3).
    """

    name: str
    side: int
    is_normalized: bool


def decoder_layout(
    file: Path, inputs: Mapping[str, Shape], outputs: Mapping[str, Shape]
) -> DecoderLayout:
    """Return the layout of a decoder.

    Args:
        file: The file.
        inputs: Declared shapes of its inputs.
        outputs: Declared shapes of its outputs.

    Raises:
        BadDataError: It is no decoder that is understood.
    """
    for layout in LAYOUTS:
        is_known = set(inputs) == {*layout.embeddings, *layout.others}
        has_outputs = SCORES in outputs and any(name in outputs for name in layout.masks)
        if is_known and has_outputs and _has_ranks(inputs, layout):
            return layout
    raise BadDataError(
        "{file} is not a decoder of SAM, MobileSAM or SAM 2: its inputs are {inputs}, its outputs "
        "{outputs}.",
        message(
            "Expected inputs: {sam}; or {sam2}. Expected outputs: masks, iou_predictions, and "
            "low_res_masks of SAM.",
            sam=", ".join((*SAM.embeddings, *SAM.others)),
            sam2=", ".join((*SAM2.embeddings, *SAM2.others)),
        ),
        "model",
        file=file.name,
        inputs=_declared(inputs),
        outputs=_declared(outputs),
    )


def _has_ranks(inputs: Mapping[str, Shape], layout: DecoderLayout) -> bool:
    ranks = {"point_coords": 3, "point_labels": 2, "mask_input": 4, "has_mask_input": 1}
    ranks |= dict.fromkeys(layout.embeddings, 4)
    return all(len(inputs[name]) == rank for name, rank in ranks.items())


def encoder_input(
    file: Path, inputs: Mapping[str, Shape], outputs: Mapping[str, Shape], layout: DecoderLayout
) -> EncoderInput:
    """Return the input of an encoder.

    Args:
        file: The file.
        inputs: Declared shapes of its inputs.
        outputs: Declared shapes of its outputs.
        layout: Layout of the decoder that it belongs to.

    Raises:
        BadDataError: It is no encoder for this decoder.
    """
    names = set(outputs)
    fits = set(layout.embeddings) <= names or (len(layout.embeddings) == 1 and len(names) == 1)
    if fits and len(inputs) == 1:
        ((name, shape),) = inputs.items()
        found = _picture_input(name, tuple(shape))
        if found is not None:
            return found
    raise BadDataError(
        "{file} is not the encoder of a {layout} decoder: its inputs are {inputs}, its outputs "
        "{outputs}.",
        message(
            "Expected: one image of 1 × 3 × {side} × {side} or height × width × 3, and the "
            "outputs {expected}.",
            side=USUAL_SIDE,
            expected=", ".join(layout.embeddings),
        ),
        "model",
        file=file.name,
        layout=layout.name,
        inputs=_declared(inputs),
        outputs=_declared(outputs),
    )


def _picture_input(name: str, shape: tuple[object, ...]) -> EncoderInput | None:
    if len(shape) == 3 and shape[-1] == _COLORS:
        return EncoderInput(name, USUAL_SIDE, is_normalized=False)
    if len(shape) != 4 or shape[1] != _COLORS:
        return None
    height, width = (side if isinstance(side, int) else USUAL_SIDE for side in shape[2:])
    if height != width or not 32 <= height <= _MAX_SIDE:
        return None
    return EncoderInput(name, height, is_normalized=True)


def _declared(tensors: Mapping[str, Shape]) -> str:
    parts = [f"{name} ({' × '.join(map(str, shape))})" for name, shape in tensors.items()]
    return ", ".join(parts[:10])[:600]
