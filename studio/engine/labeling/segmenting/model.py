"""Runs the two ONNX files of a model: a picture becomes an embedding, prompts become a mask."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import cv2
import numpy as np
from numpy.typing import NDArray
from PIL import Image

from studio.engine.arrays import BytePixels
from studio.engine.errors import BadDataError, StudioError
from studio.engine.labeling.segmenting.files import runtime_problem
from studio.engine.labeling.segmenting.layouts import (
    SCORES,
    DecoderLayout,
    EncoderInput,
    decoder_layout,
    encoder_input,
)
from studio.engine.labeling.segmenting.requests import ObjectPrompt, SegmentModel
from studio.engine.tasks.annotation_files.patches import Patch

LogitArray = NDArray[np.float32]
_MEAN: Final = np.array([123.675, 116.28, 103.53], np.float32)
_DEVIATION: Final = np.array([58.395, 57.12, 57.375], np.float32)
_LOW_PART: Final = 4
"""Sides of a square per side of the mask that a decoder takes and gives."""
_WHOLE_PIXELS: Final = 16_000_000
"""Pixels of pictures whose mask is resized as a whole, which is exact; of larger ones the part
around the object is, which may be half a pixel away."""
_PADDING_LABEL: Final = -1.0
_CORNER_LABELS: Final = (2.0, 3.0)
_MARGIN: Final = 2


@dataclass(frozen=True, slots=True, eq=False)
class PictureEmbedding:
    """A picture as a decoder takes it.

    Attributes:
        values: Inputs of the decoder.
        seen: Width and height of the picture within the square of the encoder, in pixels.
        side: Side of that square.
    """

    values: Mapping[str, LogitArray]
    seen: tuple[int, int]
    side: int

    @property
    def bytes(self) -> int:
        """Memory that it takes."""
        return sum(each.nbytes for each in self.values.values())


class PromptModel:
    """An image encoder and a prompt decoder. Thread safety: any thread may call it.

    Args:
        model: The files.

    Attributes:
        layout: The family of exports that it belongs to.

    Raises:
        BadDataError: A file is damaged, or is no such model.
        StudioError: The runtime is not installed.
    """

    def __init__(self, model: SegmentModel) -> None:
        encoder, decoder = Path(model.encoder), Path(model.decoder)
        self._encoder_file, self._decoder_file = encoder, decoder
        self._decoder = _opened(decoder)
        ends = _shapes(self._decoder.get_outputs())
        self.layout: DecoderLayout = decoder_layout(
            decoder, _shapes(self._decoder.get_inputs()), ends
        )
        self._outputs = [next(name for name in self.layout.masks if name in ends), SCORES]
        self._encoder = _opened(encoder)
        given = _shapes(self._encoder.get_outputs())
        self._input: EncoderInput = encoder_input(
            encoder, _shapes(self._encoder.get_inputs()), given, self.layout
        )
        is_named = set(self.layout.embeddings) <= set(given)
        self._embeddings = list(self.layout.embeddings if is_named else given)

    def encode(self, pixels: BytePixels) -> PictureEmbedding:
        """Compute the embedding of a picture.

        Args:
            pixels: Shape (height, width, 3).

        Raises:
            BadDataError: The encoder cannot be run.
        """
        side = self._input.side
        height, width = pixels.shape[:2]
        seen = (side, side)
        if self.layout.is_padded:
            scale = side / max(height, width)
            seen = (max(1, int(width * scale + 0.5)), max(1, int(height * scale + 0.5)))
        small = np.asarray(Image.fromarray(pixels).resize(seen, Image.Resampling.BILINEAR))
        values = small.astype(np.float32)
        if self._input.is_normalized:
            square = np.zeros((side, side, 3), np.float32)
            square[: seen[1], : seen[0]] = (values - _MEAN) / _DEVIATION
            values = np.ascontiguousarray(np.moveaxis(square, -1, 0)[np.newaxis])
        with _runtime_errors(self._encoder_file):
            found = self._encoder.run(self._embeddings, {self._input.name: values})
            arrays = [np.asarray(each, np.float32) for each in found]
        return PictureEmbedding(dict(zip(self.layout.embeddings, arrays, strict=True)), seen, side)

    def segment(
        self, embedding: PictureEmbedding, prompt: ObjectPrompt, size: tuple[int, int]
    ) -> tuple[Patch | None, float]:
        """Outline an object.

        Args:
            embedding: The picture.
            prompt: What is marked of the object, in pixels of the picture.
            size: Width and height of the picture in pixels.

        Returns:
            Its pixels, None for none, and the overlap (IoU) that the model expects.

        Raises:
            BadDataError: The decoder cannot be run.
        """
        logits, score = self.logits(embedding, prompt, size)
        return patch_of(logits, embedding, size, is_padded=self.layout.is_padded), score

    def logits(
        self, embedding: PictureEmbedding, prompt: ObjectPrompt, size: tuple[int, int]
    ) -> tuple[LogitArray, float]:
        """Return the mask of the decoder before it is resized; see `segment`.

        Returns:
            Logits of the square of the encoder, shape (rows, columns), and the expected overlap.
        """
        coordinates, labels = self._points(embedding, prompt, size)
        low = embedding.side // _LOW_PART
        inputs = {
            **embedding.values,
            "point_coords": coordinates,
            "point_labels": labels,
            "mask_input": np.zeros((1, 1, low, low), np.float32),
            "has_mask_input": np.zeros(1, np.float32),
        }
        if "orig_im_size" in self.layout.others:
            inputs["orig_im_size"] = np.array(embedding.seen[::-1], np.float32)
        with _runtime_errors(self._decoder_file):
            masks, scores = self._decoder.run(self._outputs, inputs)
            masks, scores = np.asarray(masks, np.float32), np.asarray(scores, np.float32)
        if masks.ndim != 4 or scores.shape != masks.shape[:2] or not masks.size:
            raise BadDataError(
                "The decoder {file} gives masks of shape {masks} and scores of shape {scores}.",
                "Expected: masks of 1 × N × height × width and scores of 1 × N.",
                "model",
                file=self._decoder_file.name,
                masks=masks.shape,
                scores=scores.shape,
            )
        best = _best(scores[0], is_single=len(prompt.points) == 1 and prompt.box is None)
        return masks[0, best], float(np.clip(np.nan_to_num(scores[0, best]), 0, 1))

    def _points(
        self, embedding: PictureEmbedding, prompt: ObjectPrompt, size: tuple[int, int]
    ) -> tuple[LogitArray, LogitArray]:
        places = [(each.x, each.y) for each in prompt.points]
        labels = [float(each.is_inside) for each in prompt.points]
        if prompt.box is not None:
            left, top, right, bottom = prompt.box
            places += [(left, top), (right, bottom)]
            labels += _CORNER_LABELS
        scale = np.array(embedding.seen, np.float64) / size
        scaled = np.array(places, np.float64) * scale
        if self.layout.adds_padding_point and prompt.box is None:
            scaled = np.concatenate([scaled, np.zeros((1, 2))])
            labels.append(_PADDING_LABEL)
        return scaled[np.newaxis].astype(np.float32), np.array([labels], np.float32)


def patch_of(
    logits: LogitArray, embedding: PictureEmbedding, size: tuple[int, int], *, is_padded: bool
) -> Patch | None:
    """Return the pixels of a picture with positive logits; None without any.

    Args:
        logits: Of the square of the encoder, shape (rows, columns).
        embedding: The picture.
        size: Width and height of the picture in pixels.
        is_padded: See `DecoderLayout`.
    """
    if is_padded:
        side = embedding.side
        square = cv2.resize(logits, (side, side), interpolation=cv2.INTER_LINEAR)
        logits = square[: embedding.seen[1], : embedding.seen[0]].astype(np.float32, copy=False)
    bounds = _bounds(logits > 0)
    if bounds is None:
        return None
    width, height = size
    corner = (0, 0)
    if width * height > _WHOLE_PIXELS:
        logits, corner, (width, height) = _part(logits, bounds, size)
    inside = cv2.resize(logits, (width, height), interpolation=cv2.INTER_LINEAR) > 0
    found = _bounds(inside)
    if found is None:
        return None
    left, top, right, bottom = found
    part = np.ascontiguousarray(inside[top:bottom, left:right])
    return Patch.of(corner[0] + left, corner[1] + top, part)


def _part(
    logits: LogitArray, bounds: tuple[int, int, int, int], size: tuple[int, int]
) -> tuple[LogitArray, tuple[int, int], tuple[int, int]]:
    """Return the logits around an object, and corner and size of that part of the picture."""
    rows, columns = logits.shape
    left, top = max(0, bounds[0] - _MARGIN), max(0, bounds[1] - _MARGIN)
    right, bottom = min(columns, bounds[2] + _MARGIN), min(rows, bounds[3] + _MARGIN)
    across, down = size[0] / columns, size[1] / rows
    x, y = round(left * across), round(top * down)
    part = np.ascontiguousarray(logits[top:bottom, left:right])
    return part, (x, y), (max(1, round(right * across) - x), max(1, round(bottom * down) - y))


def _bounds(inside: NDArray[np.bool_]) -> tuple[int, int, int, int] | None:
    rows, columns = np.flatnonzero(inside.any(axis=1)), np.flatnonzero(inside.any(axis=0))
    if not len(rows):
        return None
    return int(columns[0]), int(rows[0]), int(columns[-1]) + 1, int(rows[-1]) + 1


def _best(scores: LogitArray, *, is_single: bool) -> int:
    """Return the index of the mask to take.

    Of four masks the first one is for several prompts, and the others are a part, the object and
    the whole for one click, which is ambiguous (Kirillov et al., Segment Anything, 2023).
    """
    scores = np.nan_to_num(scores, nan=-np.inf)
    if len(scores) != 4:
        return int(scores.argmax())
    return 1 + int(scores[1:].argmax()) if is_single else 0


def _shapes(tensors: list[Any]) -> dict[str, list[object]]:
    return {each.name: list(each.shape) for each in tensors}


def _opened(path: Path) -> Any:  # noqa: ANN401 - of the runtime
    problem = runtime_problem()
    if problem:
        raise StudioError(problem, where="model")
    import onnxruntime  # noqa: PLC0415 - an extra

    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    options.intra_op_num_threads = os.cpu_count() or 1
    # Threads that wait for the next click must not keep the processor busy.
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    with _runtime_errors(path):
        return onnxruntime.InferenceSession(str(path), options, ["CPUExecutionProvider"])


@contextlib.contextmanager
def _runtime_errors(path: Path) -> Iterator[None]:
    """Convert the errors of the runtime.

    Raises:
        BadDataError: The file cannot be run.
    """
    try:
        yield
    except Exception as error:  # the runtime has its own classes
        reason = next(iter(str(error).strip().splitlines()), type(error).__name__).rstrip(".")
        raise BadDataError(
            "The model {file} cannot be run: {reason}.",
            "Choose intact files of one SAM, MobileSAM or SAM 2 model.",
            "model",
            file=path.name,
            reason=reason[:300],
        ) from error
