"""The words of the prediction page."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from PySide6.QtCore import QCoreApplication, QLocale

from studio.engine.inference.answers import Prediction
from studio.ui.bridge.run_choices import RunChoice
from studio.ui.pages.predict.state import Batch, pictures_among
from studio.ui.widgets.figures import count, percent

_GAP = "\N{NO-BREAK SPACE}"


def headline(prediction: Prediction) -> str:
    """The answer in one line: 3 · 98.9 %."""
    if not prediction.scores:
        return ""
    best = prediction.scores[0]
    return f"{best.label} · {percent(best.score)}"


def caption(prediction: Prediction | None) -> str:
    """The line under a small picture."""
    if prediction is None:
        return "…"
    return _tr("unreadable") if prediction.error else headline(prediction)


def source_line(prediction: Prediction, model: RunChoice | None) -> str:
    """Who answered, and how fast."""
    milliseconds = prediction.milliseconds
    figure = QLocale().toString(milliseconds, "f", 1 if milliseconds < 10 else 0)
    if model is None:
        return f"{figure}{_GAP}ms"
    return _tr("{model} · {time} per picture").format(model=model.name, time=f"{figure}{_GAP}ms")


def picture_name(batch: Batch) -> str:
    """What the picture that is shown is called."""
    if batch.is_pasted:
        return _tr("Pasted picture")
    return batch.picture.name if batch.picture is not None else batch.first.name


def batch_name(batch: Batch) -> str:
    """What a batch is called in the history."""
    if len(batch.pictures) > 1:
        return _tr("{count} pictures").format(count=count(len(batch.pictures)))
    return picture_name(batch)


def batch_caption(batch: Batch) -> str:
    """What the history says under a batch: the answer, or how many there are."""
    if len(batch.pictures) > 1:
        return batch_name(batch)
    if batch.failure is not None and not batch.predictions:
        return _tr("no answer")
    return caption(batch.predictions[0] if batch.predictions else None)


def grid_line(batch: Batch) -> str:
    """What is said above several pictures."""
    total, done = len(batch.pictures), len(batch.predictions)
    if done < total:
        pattern = _tr("{done} of {total} pictures classified")
        return pattern.format(done=count(done), total=count(total))
    unreadable = sum(bool(prediction.error) for prediction in batch.predictions)
    if unreadable:
        pattern = _tr("{count} pictures, {bad} unreadable")
        return pattern.format(count=count(total), bad=count(unreadable))
    return batch_name(batch)


def waiting_line(batch: Batch, *, is_model_warm: bool) -> str:
    """What is being waited for."""
    if not batch.pictures:
        return _tr("Looking for pictures…")
    if not is_model_warm:
        return _tr("Loading the model…")
    if len(batch.pictures) == 1:
        return _tr("Classifying…")
    pattern = _tr("Classifying {count} pictures…")
    return pattern.format(count=count(len(batch.pictures)))


def offer(paths: Sequence[Path], model: RunChoice | None) -> str:
    """What dropping these would do; empty where nothing would come of it."""
    if model is None or not paths:
        return ""
    pictures, folders = pictures_among(paths)
    if folders and not pictures:
        if len(folders) == 1:
            pattern = _tr("Classify the pictures in {folder} with {model}")
            return pattern.format(folder=folders[0].name, model=model.name)
        return _tr("Classify the pictures in {count} folders with {model}").format(
            count=count(len(folders)), model=model.name
        )
    if pictures == 1 and not folders:
        return _tr("Classify this picture with {model}").format(model=model.name)
    if pictures and not folders:
        pattern = _tr("Classify {count} pictures with {model}")
        return pattern.format(count=count(pictures), model=model.name)
    return _tr("Classify these pictures with {model}").format(model=model.name) if folders else ""


def offer_image(model: RunChoice | None) -> str:
    """The same for a picture that comes without a file."""
    return _tr("Classify this picture with {model}").format(model=model.name) if model else ""


def _tr(text: str) -> str:
    return QCoreApplication.translate("predict", text)
