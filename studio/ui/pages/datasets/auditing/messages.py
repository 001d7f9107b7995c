"""The sentences about the findings of an audit."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial

from PySide6.QtCore import QCoreApplication

from studio.engine.datasets.audit.findings import Action, Finding, Range, Severity
from studio.ui.pages.datasets.messages import DOT, images
from studio.ui.widgets.figures import count
from studio.ui.widgets.labels import apart

_tr = partial(QCoreApplication.translate, "datasets")

SEVERITIES: tuple[Severity, ...] = ("serious", "warning", "info")


def title(kind: str) -> str:
    """Exact duplicates; a kind of a newer Studio as it is called there."""
    words = {
        "leakage": _tr("Leakage"),
        "conflicting_labels": _tr("Conflicting labels"),
        "missing_classes": _tr("Missing from a split"),
        "exact_duplicates": _tr("Exact duplicates"),
        "near_duplicates": _tr("Near duplicates"),
        "unreadable": _tr("Files left out"),
        "blank": _tr("Blank images"),
        "dark": _tr("Very dark images"),
        "bright": _tr("Very bright images"),
        "blurred": _tr("Blurred images"),
        "tiny": _tr("Tiny files"),
        "class_imbalance": _tr("Imbalance"),
        "label_errors": _tr("Wrong labels"),
    }
    return words.get(kind, kind.replace("_", " ").capitalize())


def severity(name: Severity) -> str:
    """Serious, Warning, Info."""
    return {"serious": _tr("Serious"), "warning": _tr("Warning"), "info": _tr("Info")}[name]


def summary(severities: Iterable[Severity]) -> str:
    """2 serious · 1 warning; of the findings of which something is left."""
    given = list(severities)
    if not given:
        return _tr("The audit found nothing to be done")
    one = {"serious": _tr("1 serious"), "warning": _tr("1 warning"), "info": _tr("1 remark")}
    many = {
        "serious": _tr("{n} serious"),
        "warning": _tr("{n} warnings"),
        "info": _tr("{n} remarks"),
    }
    numbers = {name: given.count(name) for name in SEVERITIES}
    parts = [
        one[name] if number == 1 else many[name].format(n=count(number))
        for name, number in numbers.items()
        if number
    ]
    return DOT.join(parts)


def left(finding: Finding, number: int) -> str:
    """Nothing while all is left; done, or how much of it is left."""
    if number >= finding.count:
        return ""
    if number == 0:
        return _tr("Done: nothing of it is left.")
    if finding.pairs:
        text = _tr("{n} of {total} pairs are left.")
    else:
        text = _tr("{n} of {total} images are left.")
    return text.format(n=count(number), total=count(finding.count))


def fix_button(action: Action, number: int, *, asks: bool) -> str:
    """Leave out 12 images; an ellipsis where a class is asked for."""
    words = {
        "exclude": _tr("Leave out {images}"),
        "move": _tr("Move {images}"),
        "relabel": _tr("Relabel {images}"),
    }
    return words[action].format(images=images(number)) + ("…" if asks else "")


def fix_help(action: Action, *, asks: bool) -> str:
    """What a fix does."""
    if action == "exclude":
        return _tr("Leave them out of every split. Your files stay as they are.")
    if action == "move":
        return _tr("Move each to the split of the same image; training comes first.")
    if asks:
        return _tr("Give all of them one class that you choose")
    return _tr("Give each the class that it probably has")


def fixed(kind: str, action: Action, number: int, name: str) -> str:
    """What was done, for the history: Exact duplicates: 12 images left out."""
    words = {
        "exclude": _tr("{what}: {images} left out"),
        "move": _tr("{what}: {images} moved"),
        "relabel": _tr("{what}: {images} relabeled"),
    }
    pattern = _tr("{what}: {images} relabeled to “{name}”") if name else words[action]
    return pattern.format(what=title(kind), images=images(number), name=apart(name))


def old_audit(audited: int, newest: int) -> str:
    """Of which version the audit is, and what that means."""
    return _tr(
        "The audit is of version {audited}, this is version {newest}: what is left is counted "
        "as it is now. Audit again to find what the edits brought."
    ).format(audited=count(audited), newest=count(newest))


def channels(values: list[float]) -> str:
    """124, or R 124, G 110, B 98: values of 0 to 255 for each channel."""
    numbers = [count(round(value)) for value in values]
    if len(numbers) != 3:
        return ", ".join(numbers)
    return _tr("R {r}, G {g}, B {b}").format(r=numbers[0], g=numbers[1], b=numbers[2])


def spread(values: Range, unit: str = "") -> str:
    """12 to 240, median 131."""
    low, middle, high = (count(round(value)) for value in (values.low, values.median, values.high))
    if low == high:
        return f"{low}{unit}"
    return _tr("{low} to {high}{unit}, median {middle}{unit}").format(
        low=low, high=high, middle=middle, unit=unit
    )
