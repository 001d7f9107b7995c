"""The sentences about what is imported, and about samples."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from PySide6.QtCore import QCoreApplication

from studio.engine.errors import StudioError
from studio.ui.engine_text import engine_text
from studio.ui.pages.datasets.messages import images
from studio.ui.widgets.figures import count, duration, size

DOT = " · "


def kind_line(kinds: Sequence[str], splits: Mapping[str, int]) -> str:
    """MNIST (IDX files) · 60,000 for training, 10,000 for the test; or 2 places."""
    kind = kinds[0] if len(kinds) == 1 else _tr("{n} places").format(n=count(len(kinds)))
    words = {
        "train": _tr("{n} for training"),
        "val": _tr("{n} for validation"),
        "test": _tr("{n} for the test"),
    }
    parts = [text.format(n=count(splits[name])) for name, text in words.items() if name in splits]
    return DOT.join([kind, ", ".join(parts)]) if parts else kind


def drop_error(paths: Sequence[Path]) -> StudioError:
    """Why what was dropped cannot be imported."""
    text = _tr("One folder or one file of images is needed; {n} things were dropped.")
    if len(paths) == 1:
        text = _tr("“{name}” is not of a kind that can be imported.")
    hint = _tr(
        "Drop the folder that holds the class folders, an archive of it, a list of images, or a "
        "file of arrays."
    )
    return StudioError(text.format(n=len(paths), name=paths[0].name if paths else ""), hint)


def twice_error(place: str) -> StudioError:
    """Why a place cannot join the others."""
    text = _tr("{place} is among the places already.").format(place=place)
    return StudioError(text, _tr("Choose another one."))


def add_words(number: int) -> str:
    """Add 12 images."""
    return _tr("Add {images}").format(images=images(number))


def drop_words(name: str, dataset: str) -> str:
    """What dropping does; `dataset` is the one that is shown, if any."""
    text = _tr("Import the images in “{name}”")
    if dataset:
        text = _tr("Import the images in “{name}”, or add them to “{dataset}”")
    return text.format(name=name, dataset=dataset)


def sample_cost(download: int) -> str:
    """A download of 12 MB the first time."""
    if not download:
        return _tr("No network needed")
    return _tr("A download of {size} the first time").format(size=size(download))


def sample_line(
    what: str, done: int, total: int, seconds_left: float | None, *, is_bytes: bool
) -> str:
    """Downloading MNIST · 3.1 MB of 11.6 MB · 4 s left."""
    parts = [engine_text(what)]
    if total:
        number = size if is_bytes else count
        parts.append(_tr("{done} of {total}").format(done=number(done), total=number(total)))
    if seconds_left is not None and done < total:
        parts.append(_tr("{time} left").format(time=duration(seconds_left)))
    return DOT.join(parts)


def _tr(text: str) -> str:
    return QCoreApplication.translate("datasets", text)
