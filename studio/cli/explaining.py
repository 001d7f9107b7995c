"""`studio predict … --explain DIR`: each picture with a heat map of what the answer depends on."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from studio.cli.verb import Session
from studio.engine.errors import StudioError
from studio.engine.files import write_atomically
from studio.engine.inference.models import ModelSource
from studio.engine.inference.pictures import overlay
from studio.engine.inference.questions import ExplainRequest, Method, explain
from studio.engine.inference.sources import Picture
from studio.engine.jobs.host import EngineHost


def write_explanations(
    session: Session,
    host: EngineHost,
    model: ModelSource,
    pictures: Sequence[Picture],
    folder: Path,
    method: Method,
    output: str,
) -> dict[str, Path]:
    """Write a PNG file for each picture; return their paths by the names of the pictures.

    Args:
        session: Where progress is shown; its `--force` allows replacing files.
        host: Computes.
        model: What is explained.
        pictures: What to explain it for.
        folder: Where the files go; made when missing.
        method: How to find out.
        output: Name of the class, label or quantity; empty for the one with the highest score.

    Raises:
        StudioError: The model cannot be explained that way, or nothing can be written there.
    """
    written: dict[str, Path] = {}
    taken: set[Path] = set()
    if folder.is_dir() and not session.options.force:
        taken.update(folder.iterdir())
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with session.output.bar("Explaining") as bar:
            for picture in pictures:
                request = ExplainRequest(
                    model=model, image=str(picture.path), method=method, label=output
                )
                path = _unused(folder, picture.path.stem, taken)
                write_atomically(path, overlay(explain(host, request)))
                written[picture.name] = path
                taken.add(path)
                bar.show(len(written) / len(pictures), f"{len(written):,} pictures")
    except OSError as error:
        raise StudioError(
            f"Nothing can be written to {folder}: {error.strerror or error}.",
            "Choose a folder that you may write to.",
            "explain",
        ) from error
    return written


def _unused(folder: Path, stem: str, taken: set[Path]) -> Path:
    """Return a file name for a picture, with a number if another file has it already."""
    path, number = folder / f"{stem}-heat.png", 1
    while path in taken:
        number += 1
        path = folder / f"{stem}-heat-{number}.png"
    return path
