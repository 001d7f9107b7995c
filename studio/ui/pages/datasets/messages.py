"""Texts of the datasets page."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial

from PySide6.QtCore import QCoreApplication

from studio.engine.datasets.recipe import DatasetRecipe
from studio.engine.datasets.sources.base import Skipped
from studio.engine.datasets.summary import DatasetSummary
from studio.engine.datasets.versions import SplitPreview
from studio.engine.jobs.events import ProgressMade
from studio.engine.pixel_format import PixelFormat
from studio.engine.tasks import TASKS
from studio.ui.language import translated
from studio.ui.pages.datasets.browsing.images import LEFT_OUT, ImageQuery, Picked
from studio.ui.tasks import view_of
from studio.ui.widgets.bars import split_word
from studio.ui.widgets.figures import count, size, time_left

_tr = partial(QCoreApplication.translate, "datasets")

DOT = " · "


def images(number: int) -> str:
    """Format a number of images: 1,797 images."""
    return _tr("1 image") if number == 1 else _tr("{n} images").format(n=count(number))


def shape(width: int, height: int, pixels: PixelFormat) -> str:
    """Format the shape of images: 28×28 gray, or 96×96, 5 channels."""
    if not (pixels.is_gray or pixels.is_rgb):
        channels = _tr("{n} channels").format(n=pixels.channels)
        return f"{width}×{height}, {channels}"
    color = _tr("gray") if pixels.is_gray else _tr("color")
    return f"{width}×{height} {color}"


def summary_line(summary: DatasetSummary) -> str:
    """Summarize a dataset: 1,797 images · 28×28 gray · 10 classes."""
    parts = (
        images(summary.total),
        shape(summary.width, summary.height, summary.pixel_format),
        outputs(summary.task, len(summary.classes)),
    )
    return DOT.join(parts)


def outputs(task: str, number: int) -> str:
    """Format a number of classes, labels or quantities: 10 classes."""
    return view_of(TASKS[task]).outputs(number)


def found_line(task: str, number: int, output_count: int) -> str:
    """Summarize images that were found: 3,670 images in 5 classes."""
    return view_of(TASKS[task]).found_line(images(number), output_count)


def left_out(entries: Sequence[Skipped]) -> str:
    """Count skipped files: 3 files were left out."""
    number = sum(not entry.is_partial for entry in entries)
    if not number:
        return _in_part(len(entries))
    if number == 1:
        return _tr("1 file was left out")
    return _tr("{n} files were left out").format(n=count(number))


def to_be_left_out(entries: Sequence[Skipped]) -> str:
    """Count unusable files: 3 files will be left out."""
    number = sum(not entry.is_partial for entry in entries)
    if not number:
        return _in_part(len(entries))
    if number == 1:
        return _tr("1 file will be left out")
    return _tr("{n} files will be left out").format(n=count(number))


def lost_line(entries: Sequence[Skipped]) -> str:
    """Count what is left out besides files: 2 used in part · 5 objects lost."""
    partial = sum(entry.is_partial for entry in entries)
    objects = sum(entry.objects for entry in entries)
    parts = [_in_part(partial)] if 0 < partial < len(entries) else []
    if objects:
        text = _tr("1 object lost") if objects == 1 else _tr("{n} objects lost")
        parts.append(text.format(n=count(objects)))
    return DOT.join(parts)


def _in_part(number: int) -> str:
    return _tr("{n} used in part").format(n=count(number))


def outcome_line(recipe: DatasetRecipe, number_of_bytes: int) -> str:
    """Describe the result of an import: 28×28 gray, about 1.4 MB."""
    is_raw = recipe.encoding == "raw"
    text = _tr("{shape}, about {size}") if is_raw else _tr("{shape}, at most about {size}")
    return text.format(
        shape=shape(recipe.width, recipe.height, recipe.pixel_format), size=size(number_of_bytes)
    )


def progress_line(
    progress: ProgressMade | None, rate: float | None, seconds_left: float | None
) -> str:
    """Describe the progress of an import: 1,200 of 3,670 images · 540 images/s · 5 s left."""
    if progress is None:
        return _tr("Getting ready…")
    if not progress.total:
        return _tr("Searching for images… {n} so far").format(n=count(progress.done))
    done, total = count(progress.done), count(progress.total)
    parts = [_tr("{done} of {total} images").format(done=done, total=total)]
    if rate is not None:
        speed = max(1, round(rate))
        parts.append(
            _tr("1 image/s") if speed == 1 else _tr("{n} images/s").format(n=count(speed))
        )
    if seconds_left is not None:
        parts.append(time_left(seconds_left))
    return DOT.join(parts)


def kind_line(kinds: Sequence[str], splits: Mapping[str, int]) -> str:
    """Describe sources and their splits: MNIST (IDX files) · 60,000 for training."""
    kind = kinds[0] if len(kinds) == 1 else _tr("{n} locations").format(n=count(len(kinds)))
    words = {
        "train": _tr("{n} for training"),
        "val": _tr("{n} for validation"),
        "test": _tr("{n} for the test"),
    }
    parts = [text.format(n=count(splits[name])) for name, text in words.items() if name in splits]
    return DOT.join([kind, ", ".join(parts)]) if parts else kind


def drop_words(name: str, dataset: str) -> str:
    """Describe a drop.

    Args:
        name: Name of the file or folder.
        dataset: Name of the dataset that is shown; empty for none.
    """
    text = _tr("Import the images in “{name}”")
    if dataset:
        text = _tr("Import the images in “{name}”, or add them to “{dataset}”")
    return text.format(name=name, dataset=dataset)


def sample_line(
    what: str, done: int, total: int, seconds_left: float | None, *, is_bytes: bool
) -> str:
    """Describe the progress of a download: Downloading MNIST · 3.1 MB of 11.6 MB · 4 s left."""
    parts = [translated(what)]
    if total:
        number = size if is_bytes else count
        parts.append(_tr("{done} of {total}").format(done=number(done), total=number(total)))
    if seconds_left is not None and done < total:
        parts.append(time_left(seconds_left))
    return DOT.join(parts)


def version(number: int) -> str:
    """Format the number of a version: Version 3."""
    return _tr("Version {n}").format(n=count(number))


def split_words(split: str) -> str:
    """Return the name of a split, or of the excluded images."""
    return _tr("Left out") if split == LEFT_OUT else split_word(split)


def chosen_of(chosen: int, total: int) -> str:
    """Format a selection: 12 of 1,797 selected."""
    return _tr("{n} of {total} selected").format(n=count(chosen), total=count(total))


def split_preview(preview: SplitPreview) -> str:
    """Describe what a new split changes: Training 504 → 403 · … 101 images change their split."""
    parts = []
    for split in ("train", "val", "test"):
        before, after = preview.before[split], preview.after[split]
        figures = count(before) if before == after else f"{count(before)} → {count(after)}"
        parts.append(f"{split_word(split)} {figures}")
    moved = _tr("Images that change their split: {count}.").format(count=count(preview.moved))
    lines = [DOT.join(parts), moved]
    if preview.test_to_train:
        text = _tr(
            "Test images that become training images: {count}. "
            "Compare new results only with runs on the same split."
        )
        lines.append(text.format(count=count(preview.test_to_train)))
    return "\n".join(lines)


def no_image(query: ImageQuery) -> str:
    """Return the reason why no image is shown."""
    if query.text:
        return _tr("No image has “{text}” in its path.").format(text=query.text)
    if isinstance(query.only, Picked):
        return _tr("None of the selected images has this class and split.")
    if query.only is not None:
        return _tr("No images left for this finding.")
    if query.answers is not None:
        text = _tr("No images match: “{run}” predicted this class for none of them.")
        return text.format(run=query.answers.run)
    if query.split == LEFT_OUT:
        return _tr("No images were excluded.")
    return _tr("No images of this class and split.")
