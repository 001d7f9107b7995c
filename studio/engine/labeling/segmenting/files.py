"""Finds the two files of a model in a folder. The only place that knows where they come from."""

from __future__ import annotations

import importlib.util
import itertools
from pathlib import Path
from typing import Final

from studio.engine.errors import StudioError
from studio.engine.installation import install_command
from studio.engine.labeling.segmenting.requests import SegmentModel
from studio.engine.messages import Text, message

_ENCODER: Final = "encoder"
_DECODER: Final = "decoder"
_MAX_FILES: Final = 1000
"""Most files of a folder that are listed."""


def segment_model(folder: Path) -> SegmentModel:
    """Return the model in a folder: one ONNX file named “…encoder…”, one named “…decoder…”.

    Args:
        folder: The folder.

    Raises:
        StudioError: It has other files, or the runtime is not installed.
    """
    problem = runtime_problem()
    if problem:
        raise StudioError(problem, where="model")
    try:
        names = sorted(path.name for path in itertools.islice(folder.iterdir(), _MAX_FILES))
    except OSError as error:
        raise StudioError(
            "The folder {folder} cannot be read: {reason}.",
            "Choose the folder with the encoder and the decoder.",
            "model",
            folder=folder,
            reason=error.strerror or str(error),
        ) from error
    found = [name for name in names if name.lower().endswith(".onnx")]
    encoders = [name for name in found if _ENCODER in name.lower()]
    decoders = [name for name in found if _DECODER in name.lower()]
    if len(encoders) != 1 or len(decoders) != 1 or encoders == decoders:
        raise StudioError(
            "The folder {folder} must hold two ONNX files, one with “encoder” and one with "
            "“decoder” in its name; it has: {files}.",
            "Choose the folder of one SAM, MobileSAM or SAM 2 model.",
            "model",
            folder=folder,
            files=", ".join(found[:6]) or "–",
        )
    return SegmentModel(encoder=str(folder / encoders[0]), decoder=str(folder / decoders[0]))


def runtime_problem() -> Text:
    """Return why no ONNX model runs here; empty if one does."""
    if importlib.util.find_spec("onnxruntime") is not None:
        return ""
    return message(
        "Click to segment needs ONNX Runtime, which is not installed. Install it: {command}",
        command=install_command("onnx"),
    )
