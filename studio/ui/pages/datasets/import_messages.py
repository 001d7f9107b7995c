"""The sentences about what is imported, and about samples."""

from __future__ import annotations

from collections.abc import Mapping

from PySide6.QtCore import QCoreApplication

from studio.ui.widgets.figures import count, duration, size

DOT = " · "


def kind_line(kind: str, splits: Mapping[str, int]) -> str:
    """MNIST (IDX files) · 60,000 for training, 10,000 for the test."""
    words = {
        "train": _tr("{n} for training"),
        "val": _tr("{n} for validation"),
        "test": _tr("{n} for the test"),
    }
    parts = [text.format(n=count(splits[name])) for name, text in words.items() if name in splits]
    return DOT.join([kind, ", ".join(parts)]) if parts else kind


def sample_cost(download: int) -> str:
    """A download of 12 MB the first time."""
    if not download:
        return _tr("No network needed")
    return _tr("A download of {size} the first time").format(size=size(download))


def sample_line(
    what: str, done: int, total: int, seconds_left: float | None, *, is_bytes: bool
) -> str:
    """Downloading MNIST · 3.1 MB of 11.6 MB · 4 s left."""
    parts = [_tr(what)]
    if total:
        number = size if is_bytes else count
        parts.append(_tr("{done} of {total}").format(done=number(done), total=number(total)))
    if seconds_left is not None and done < total:
        parts.append(_tr("{time} left").format(time=duration(seconds_left)))
    return DOT.join(parts)


def _tr(text: str) -> str:
    return QCoreApplication.translate("datasets", text)
