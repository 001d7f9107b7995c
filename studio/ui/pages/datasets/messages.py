"""The sentences of the datasets page."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication

from studio.engine.datasets.recipe import DatasetRecipe
from studio.engine.datasets.summary import DatasetSummary
from studio.engine.errors import StudioError
from studio.engine.jobs.events import ProgressMade
from studio.engine.tasks import TASKS
from studio.ui.engine_text import engine_text
from studio.ui.pages.datasets.browsing.query import LEFT_OUT, ImageQuery
from studio.ui.tasks import view_of
from studio.ui.widgets.bars import split_word
from studio.ui.widgets.figures import count, duration, size

if TYPE_CHECKING:
    from studio.engine.datasets.versions import SplitPreview

_tr = partial(QCoreApplication.translate, "datasets")

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


def version(number: int) -> str:
    """Version 3."""
    return _tr("Version {n}").format(n=count(number))


def split_words(split: str) -> str:
    """Training; or Left out."""
    return _tr("Left out") if split == LEFT_OUT else split_word(split)


def chosen_of(chosen: int, total: int) -> str:
    """12 of 1,797 selected."""
    return _tr("{n} of {total} selected").format(n=count(chosen), total=count(total))


def split_preview(preview: SplitPreview) -> str:
    """Describe what a new split changes: Training 504 → 403 · … 101 images change their split."""
    parts = []
    for split in ("train", "val", "test"):
        before, after = preview.before[split], preview.after[split]
        figures = count(before) if before == after else f"{count(before)} → {count(after)}"
        parts.append(f"{split_word(split)} {figures}")
    lines = [" · ".join(parts)]
    lines.append(
        _tr("Images that change their split: {count}.").format(count=count(preview.moved))
    )
    if preview.test_to_train:
        lines.append(
            _tr(
                "Test images that become training images: {count}. "
                "Compare new results only with runs on the same split."
            ).format(count=count(preview.test_to_train))
        )
    return "\n".join(lines)


def no_image(query: ImageQuery) -> str:
    """Why the browser is empty."""
    if query.text:
        return _tr("No image has “{text}” in its path here.").format(text=query.text)
    if query.finding is not None:
        return _tr("No image of this finding is here (any more).")
    if query.picked is not None:
        return _tr("None of the images picked is of this class and split.")
    if query.answers is not None:
        return _tr("“{run}” took no image of these filters for that.").format(
            run=query.answers.run
        )
    if query.is_left_out:
        return _tr("No image was left out by a change.")
    return _tr("No image is of this class and split.")
