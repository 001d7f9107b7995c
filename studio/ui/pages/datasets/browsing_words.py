"""The sentences of looking through a dataset and of editing it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication

from studio.engine.datasets.split_plan import SplitPlan
from studio.ui.pages.datasets.image_query import LEFT_OUT, ImageQuery
from studio.ui.pages.datasets.messages import images
from studio.ui.widgets.figures import count, percent
from studio.ui.widgets.names import apart
from studio.ui.widgets.split_bar import split_word

if TYPE_CHECKING:
    from studio.engine.datasets.versions import SplitPreview
    from studio.ui.pages.datasets.edit_work import Change


def version(number: int) -> str:
    """Version 3."""
    return _tr("Version {n}").format(n=count(number))


def split_words(split: str) -> str:
    """Training; or Left out."""
    return _tr("Left out") if split == LEFT_OUT else split_word(split)


def chosen_of(chosen: int, total: int) -> str:
    """12 of 1,797 selected."""
    return _tr("{n} of {total} selected").format(n=count(chosen), total=count(total))


def changed(change: Change, number: int) -> str:
    """What was done: Moved 12 images to validation."""
    if change.target is not None:
        return change.target.words(images(number))
    words = {
        "exclude": _tr("Excluded {images}"),
        "include": _tr("Included {images} again"),
        "move": _tr("Moved {images} to {split}"),
    }
    return words[change.kind].format(images=images(number), split=split_words(change.split))


def renamed(old: str, new: str) -> str:
    """Renamed “tulip” to “rose”."""
    return _tr("Renamed “{old}” to “{new}”").format(old=apart(old), new=apart(new))


def split_anew(plan: SplitPlan) -> str:
    """What was done: Split again, stratified: 20 % validation, 10 % test."""
    if plan.method == "kfold":
        return _tr("Split again: fold {fold} of {folds}").format(fold=plan.fold, folds=plan.folds)
    words = {
        "stratified": _tr("Split again, stratified: {val} validation, {test} test"),
        "ratio": _tr("Split again, all images together: {val} validation, {test} test"),
        "group": _tr("Split again by group: {val} validation, {test} test"),
    }
    val, test = percent(plan.val_percent / 100, 0), percent(plan.test_percent / 100, 0)
    return words[plan.method].format(val=val, test=test)


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


def _tr(text: str) -> str:
    return QCoreApplication.translate("datasets", text)
