"""Texts of the findings of an audit."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial

from PySide6.QtCore import QCoreApplication

from studio.engine.datasets.audit.findings import SEVERITIES, Action, Finding, Range, Severity
from studio.ui.pages.datasets.messages import DOT, images
from studio.ui.widgets.bars import split_word
from studio.ui.widgets.figures import count
from studio.ui.widgets.labels import apart

_tr = partial(QCoreApplication.translate, "datasets")


def title(kind: str) -> str:
    """Return the title of a kind of findings: Exact duplicates."""
    words = {
        "leakage": _tr("Leakage"),
        "common_origins": _tr("Common origins"),
        "conflicting_labels": _tr("Conflicting labels"),
        "missing_classes": _tr("Missing from a split"),
        "split_classes": _tr("Classes like splits"),
        "similar_classes": _tr("Similar class names"),
        "exact_duplicates": _tr("Exact duplicates"),
        "near_duplicates": _tr("Near duplicates"),
        "unreadable": _tr("Files left out"),
        "blank": _tr("Blank images"),
        "dark": _tr("Very dark images"),
        "bright": _tr("Very bright images"),
        "blurred": _tr("Blurred images"),
        "tiny": _tr("Tiny files"),
        "class_imbalance": _tr("Imbalance"),
        "label_errors": _tr("Doubtful labels"),
        "missing_boxes": _tr("Missing boxes"),
        "wrong_box_classes": _tr("Wrong classes of boxes"),
        "unseen_boxes": _tr("Boxes that were not predicted"),
        "unusable_masks": _tr("Unusable masks"),
        "empty_masks": _tr("Empty masks"),
        "tiny_regions": _tr("Tiny regions"),
        "pixel_imbalance": _tr("Imbalance by pixels"),
        "unusable_boxes": _tr("Unusable annotations"),
        "lost_boxes": _tr("Boxes left out"),
        "duplicate_boxes": _tr("Duplicate boxes"),
        "image_sized_boxes": _tr("Image-sized boxes"),
        "tiny_boxes": _tr("Tiny boxes"),
        "images_without_objects": _tr("Images without objects"),
        "few_boxes": _tr("Classes with few boxes"),
        "boxes_per_split": _tr("Boxes per split"),
        "lost_objects": _tr("Objects left out"),
        "scattered_objects": _tr("Objects in far parts"),
        "huge_objects": _tr("Far larger objects"),
        "border_objects": _tr("Objects at borders"),
        "few_objects": _tr("Classes with few objects"),
    }
    return words.get(kind, kind.replace("_", " ").capitalize())


def severity(name: Severity) -> str:
    """Return the word for a severity."""
    return {"serious": _tr("Serious"), "warning": _tr("Warning"), "info": _tr("Info")}[name]


def summary(severities: Iterable[Severity]) -> str:
    """Count findings by severity: 2 serious · 1 warning."""
    given = list(severities)
    if not given:
        return _tr("The audit found no problems")
    one = {"serious": _tr("1 serious"), "warning": _tr("1 warning"), "info": _tr("1 suggestion")}
    many = {
        "serious": _tr("{n} serious"),
        "warning": _tr("{n} warnings"),
        "info": _tr("{n} suggestions"),
    }
    numbers = {name: given.count(name) for name in SEVERITIES}
    parts = [
        one[name] if number == 1 else many[name].format(n=count(number))
        for name, number in numbers.items()
        if number
    ]
    return DOT.join(parts)


def left(finding: Finding, number: int) -> str:
    """Describe the images left of a finding; empty while all are left."""
    if number >= finding.count:
        return ""
    if number == 0:
        return _tr("Done: no images left.")
    if finding.pairs:
        text = _tr("{n} of {total} pairs are left.")
    else:
        text = _tr("{n} of {total} images are left.")
    return text.format(n=count(number), total=count(finding.count))


def fix_button(action: Action, number: int) -> str:
    """Return the text of the button of a fix: Exclude 12 images."""
    words = {
        "exclude": _tr("Exclude {images}"),
        "move": _tr("Move {images}"),
        "relabel": _tr("Relabel {images}"),
        "deduplicate": _tr("Remove duplicates in {images}"),
    }
    return words[action].format(images=images(number))


def change(action: Action, before: str, after: str) -> str:
    """Describe what a fix changes of an image: daisy → rose.

    Args:
        action: The fix.
        before: Class, split or number of boxes before it.
        after: The same after it; empty for an excluded image.
    """
    if action == "exclude":
        return _tr("{label}: excluded").format(label=before) if before else _tr("excluded")
    if action == "move":
        return f"{split_word(before)} → {split_word(after)}"
    if action == "deduplicate":
        return _tr("{before} → {after} boxes").format(before=before, after=after)
    return f"{apart(before)} → {apart(after)}"


def fix_help(action: Action, *, asks: bool) -> str:
    """Describe a fix."""
    if action == "exclude":
        return _tr("Exclude them from every split. Your files never change.")
    if action == "move":
        return _tr("Move each to the split of the same image; training comes first.")
    if action == "deduplicate":
        return _tr("Remove one box of each pair. Your files never change.")
    if asks:
        return _tr("Assign one class to all of them")
    return _tr("Assign the predicted class to each")


def fix_effect(action: Action) -> str:
    """Describe the effect of a fix on all images together."""
    return {
        "exclude": _tr("These images would be excluded from every split."),
        "move": _tr("These images would move to another split."),
        "relabel": _tr("These images would get another class. Check the images first."),
        "deduplicate": _tr("One box of each pair would be removed; images and files stay."),
    }[action]


def fixed(kind: str, action: Action, number: int, name: str) -> str:
    """Describe a fix in the history: Exact duplicates: 12 images excluded."""
    words = {
        "exclude": _tr("{what}: {images} excluded"),
        "move": _tr("{what}: {images} moved"),
        "relabel": _tr("{what}: {images} relabeled"),
        "deduplicate": _tr("{what}: removed in {images}"),
    }
    pattern = _tr("{what}: {images} relabeled to “{name}”") if name else words[action]
    return pattern.format(what=title(kind), images=images(number), name=apart(name))


def old_audit(audited: int, newest: int) -> str:
    """Describe an audit of an older version."""
    text = _tr(
        "Audited: version {audited}; current version: {newest}. Counts are up to date. Audit "
        "again to check the edits."
    )
    return text.format(audited=count(audited), newest=count(newest))


def channels(values: list[float]) -> str:
    """Format a value of 0 to 255 for each channel: 124, or R 124, G 110, B 98."""
    numbers = [count(round(value)) for value in values]
    if len(numbers) != 3:
        return ", ".join(numbers)
    return _tr("R {r}, G {g}, B {b}").format(r=numbers[0], g=numbers[1], b=numbers[2])


def spread(values: Range, unit: str = "") -> str:
    """Format a range: 12 to 240, median 131."""
    low, middle, high = (count(round(value)) for value in (values.low, values.median, values.high))
    if low == high:
        return f"{low}{unit}"
    return _tr("{low} to {high}{unit}, median {middle}{unit}").format(
        low=low, high=high, middle=middle, unit=unit
    )
