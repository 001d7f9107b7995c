"""The sentences of the datasets page."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication

from studio.engine.datasets.recipe import DatasetRecipe
from studio.engine.datasets.summary import DatasetSummary
from studio.engine.jobs.events import ProgressMade
from studio.engine.tasks import TASKS
from studio.ui.tasks import view_of
from studio.ui.widgets.figures import count, duration, size

DOT = " · "


def images(number: int) -> str:
    """1 image, 1,797 images."""
    return _tr("1 image") if number == 1 else _tr("{n} images").format(n=count(number))


def shape(width: int, height: int, channels: int) -> str:
    """28×28 gray."""
    color = _tr("gray") if channels == 1 else _tr("color")
    return f"{width}×{height} {color}"


def summary_line(summary: DatasetSummary) -> str:
    """1,797 images · 28×28 gray · 10 classes."""
    parts = (
        images(summary.total),
        shape(summary.width, summary.height, summary.channels),
        outputs(summary.task, len(summary.classes)),
    )
    return DOT.join(parts)


def card_lines(summary: DatasetSummary) -> tuple[str, str]:
    """1,797 images, and below it 10 classes."""
    return images(summary.total), outputs(summary.task, len(summary.classes))


def outputs(task: str, number: int) -> str:
    """10 classes, 3 labels, 2 quantities."""
    return view_of(TASKS[task]).outputs(number)


def found_line(task: str, number: int, output_count: int) -> str:
    """3,670 images in 5 classes; 200 images with 3 labels."""
    view = view_of(TASKS[task])
    text = _tr("{images} in {classes}") if view.has_classes else _tr("{images} with {classes}")
    return text.format(images=images(number), classes=view.outputs(output_count))


def left_out(number: int) -> str:
    """3 files were left out."""
    if number == 1:
        return _tr("1 file was left out")
    return _tr("{n} files were left out").format(n=count(number))


def to_be_left_out(number: int) -> str:
    """3 files will be left out."""
    if number == 1:
        return _tr("1 file will be left out")
    return _tr("{n} files will be left out").format(n=count(number))


def import_words(number: int) -> str:
    """Import 3,670 images."""
    return _tr("Import {images}").format(images=images(number))


def outcome_line(recipe: DatasetRecipe, number_of_bytes: int) -> str:
    """28×28 gray, about 1.4 MB; at most that where the images are packed."""
    is_raw = recipe.encoding == "raw"
    text = _tr("{shape}, about {size}") if is_raw else _tr("{shape}, at most about {size}")
    return text.format(
        shape=shape(recipe.width, recipe.height, recipe.channels), size=size(number_of_bytes)
    )


def progress_line(
    progress: ProgressMade | None, rate: float | None, seconds_left: float | None
) -> str:
    """1,200 of 3,670 images · 540 images/s · 5 s left."""
    if progress is None:
        return _tr("Getting ready…")
    if not progress.total:
        return _tr("Looking for images… {n} so far").format(n=count(progress.done))
    done, total = count(progress.done), count(progress.total)
    parts = [_tr("{done} of {total} images").format(done=done, total=total)]
    if rate is not None:
        parts.append(_tr("{n} images/s").format(n=count(max(1, round(rate)))))
    if seconds_left is not None:
        parts.append(_tr("{time} left").format(time=duration(seconds_left)))
    return DOT.join(parts)


def _tr(text: str) -> str:
    return QCoreApplication.translate("datasets", text)
