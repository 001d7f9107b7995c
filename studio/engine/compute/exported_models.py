"""Predictions with exported files, by Studio's runtime scripts, never by code in the export."""

from __future__ import annotations

import contextlib
import tempfile
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from studio.engine.compute.runtimes import runtime_script
from studio.engine.documents import DAMAGED
from studio.engine.errors import BadDataError, StudioError
from studio.engine.exporting.formats import FORMATS, ExportFormat
from studio.engine.files import is_packed_too_tightly
from studio.engine.inference.models import CARD, ModelSource
from studio.engine.messages import message
from studio.engine.tasks import TASKS

_LARGEST_GROWTH = 20
"""Largest ratio of the size of an unpacked model to that of its archive."""
_EXPORT_AGAIN = "Export the run again."
_Run = Callable[[NDArray[np.uint8]], NDArray[np.float32]]


class ExportedModel:
    """An exported file, with what Studio uses of a Keras model to predict.

    Args:
        run: Computes the outputs of uint8 images, shape (n, height, width, channels).
        input_shape: Shape of the images; the first side is None.
        output_shape: Shape of the outputs; the first side is None.
    """

    def __init__(
        self, run: _Run, input_shape: tuple[Any, ...], output_shape: tuple[Any, ...]
    ) -> None:
        self.predict_on_batch = run
        self.input_shape = input_shape
        self.output_shape = output_shape


def open_exported(source: ModelSource, path: Path) -> ExportedModel:
    """Open an exported file, and run it once.

    Args:
        source: Format, task and conversion of the model.
        path: The model; unpacked, if it was packed.

    Raises:
        BadDataError: It is damaged, or does not match its description.
        StudioError: Its format is not opened, or its runtime is not installed.
    """
    form = FORMATS[source.format]
    if not form.predicts or source.recipe is None:
        raise StudioError(
            "Studio cannot predict with the format {format}.",
            message(
                "Run it with its predict.py, or export the run in one of these formats: "
                "{formats}.",
                formats=", ".join(each.label for each in FORMATS if each.predicts),
            ),
            "model",
            format=form.label,
        )
    shape = source.recipe.height, source.recipe.width, source.recipe.channels
    with runtime_errors(form, path, _EXPORT_AGAIN):
        run: _Run = runtime_script(form.script).load(path)
        outputs = run(np.zeros((1, *shape), np.uint8))
    if not _is_valid(source, outputs.shape):
        raise BadDataError(
            "The exported model {file} gives outputs of shape {shape}, which its {card} does "
            "not describe.",
            _EXPORT_AGAIN,
            "model",
            file=path.name,
            shape=outputs.shape,
            card=CARD,
        )
    return ExportedModel(run, (None, *shape), (None, *outputs.shape[1:]))


@contextlib.contextmanager
def runtime_errors(form: ExportFormat, path: Path, hint: str) -> Iterator[None]:
    """Convert the errors of a runtime while it loads or runs a model.

    Args:
        form: Format of the model.
        path: The model.
        hint: What to do if the model cannot be run.

    Raises:
        BadDataError: The model cannot be run.
        StudioError: The runtime is not installed.
    """
    try:
        yield
    except StudioError:
        raise
    except ImportError as error:
        raise StudioError(
            "{file} needs {package}, which is not installed.",
            message("Install it: {command}", command=form.needs),
            "model",
            file=path.name,
            package=error.name or form.runtime,
        ) from error
    except Exception as error:  # each runtime has its own classes
        reason = next(iter(str(error).strip().splitlines()), type(error).__name__).rstrip(".")
        raise BadDataError(
            "The model {file} cannot be run: {reason}.",
            hint,
            "model",
            file=path.name,
            reason=reason[:300],
        ) from error


def _is_valid(source: ModelSource, shape: tuple[int, ...]) -> bool:
    """Return True if outputs of that shape can be understood."""
    task = TASKS[source.task]
    if source.decoded:
        decodings = map(task.predictor.decoding_of, task.outputs)
        return any(each is not None and shape == (1, *each.shape) for each in decodings)
    output = task.output_of(shape)
    has_sides = len(shape) == output.dimensions
    return has_sides and output.classes_in(shape[-1]) == len(source.classes)


@contextlib.contextmanager
def unpacked(source: ModelSource) -> Iterator[Path]:
    """Yield the path of a model, unpacked for the time of the block if it is packed.

    Raises:
        BadDataError: The archive is damaged, or contains no such model.
    """
    path = Path(source.file)
    if not source.member:
        yield path
        return
    # Windows does not remove what a runtime keeps open.
    with tempfile.TemporaryDirectory(prefix="studio-", ignore_cleanup_errors=True) as folder:
        try:
            _unpack(path, source.member, Path(folder))
        except DAMAGED as error:
            raise BadDataError(
                "The packed export {file} is damaged.", _EXPORT_AGAIN, "model", file=path
            ) from error
        yield Path(folder) / source.member


def _unpack(path: Path, member: str, folder: Path) -> None:
    """Unpack a model, a file or a folder, from an export.

    Raises:
        LookupError: It is not there.
        ValueError: It is much larger than the archive.
    """
    with zipfile.ZipFile(path) as archive:
        entries = [
            each
            for each in archive.infolist()
            if each.filename == member or each.filename.startswith(f"{member}/")
        ]
        if not entries:
            raise LookupError(member)
        size = sum(each.file_size for each in entries)
        if is_packed_too_tightly(size, path, _LARGEST_GROWTH):
            raise ValueError("it is compressed beyond reason")
        for each in entries:
            archive.extract(each, folder)  # removes what would lead out of the folder
