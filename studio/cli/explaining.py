"""`studio predict … --explain DIR`: each picture with a heat map of what the answer depends on."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from studio.cli.verb import Session
from studio.engine.errors import StudioError
from studio.engine.files import write_atomically
from studio.engine.inference.answers import Prediction
from studio.engine.inference.explaining import ExplainRequest, Method
from studio.engine.inference.heat_colors import overlay
from studio.engine.inference.model_source import ModelSource
from studio.engine.jobs.host import EngineHost
from studio.engine.jobs.questions import explain


def write_explanations(
    session: Session,
    host: EngineHost,
    model: ModelSource,
    predictions: Sequence[Prediction],
    folder: Path,
    method: Method,
) -> dict[str, Path]:
    """Write a PNG file for each picture; gives their paths by those of the pictures.

    Raises:
        StudioError: The model cannot be explained that way, or nothing can be written there.
    """
    written: dict[str, Path] = {}
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with session.output.bar("Explaining") as bar:
            for prediction in predictions:
                request = ExplainRequest(model=model, image=prediction.image, method=method)
                path = _unused(folder, Path(prediction.image).stem, set(written.values()))
                write_atomically(path, overlay(explain(host, request)))
                written[prediction.image] = path
                bar.show(len(written) / len(predictions), f"{len(written):,} pictures")
    except OSError as error:
        raise StudioError(
            f"Nothing can be written to {folder}: {error.strerror or error}.",
            "Choose a folder that you may write to.",
            "explain",
        ) from error
    return written


def _unused(folder: Path, stem: str, taken: set[Path]) -> Path:
    """A name for a picture; pictures of the same name from other folders get a number."""
    path, number = folder / f"{stem}-heat.png", 1
    while path in taken:
        number += 1
        path = folder / f"{stem}-heat-{number}.png"
    return path
