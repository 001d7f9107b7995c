"""The sentences of the datasets page."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication

from studio.engine.datasets.recipe import DatasetRecipe
from studio.engine.datasets.summary import DatasetSummary
from studio.engine.jobs.events import ProgressMade
from studio.ui.widgets.figures import count, duration, size

DOT = " · "


def images(number: int) -> str:
    """1 image, 1,797 images."""
    return _tr("1 image") if number == 1 else _tr("{n} images").format(n=count(number))


def classes(number: int) -> str:
    """1 class, 10 classes."""
    return _tr("1 class") if number == 1 else _tr("{n} classes").format(n=count(number))


def shape(width: int, height: int, channels: int) -> str:
    """28×28 gray."""
    color = _tr("gray") if channels == 1 else _tr("color")
    return f"{width}×{height} {color}"


def summary_line(summary: DatasetSummary) -> str:
    """1,797 images · 28×28 gray · 10 classes."""
    parts = (
        images(summary.total),
        shape(summary.width, summary.height, summary.channels),
        classes(len(summary.classes)),
    )
    return DOT.join(parts)


def card_lines(summary: DatasetSummary) -> tuple[str, str]:
    """1,797 images, and below it 10 classes."""
    return images(summary.total), classes(len(summary.classes))


def found_line(number: int, class_count: int) -> str:
    """3,670 images in 5 classes."""
    return _tr("{images} in {classes}").format(images=images(number), classes=classes(class_count))


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
