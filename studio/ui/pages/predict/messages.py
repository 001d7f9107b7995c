"""The words of the prediction page."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from PySide6.QtCore import QCoreApplication, QLocale

from studio.engine.datasets.sources.list_file import SUFFIXES as LIST_SUFFIXES
from studio.engine.inference.questions import Prediction
from studio.engine.inference.table import is_right
from studio.ui.bridge.run_choices import RunChoice
from studio.ui.engine_text import engine_text
from studio.ui.pages.predict.state import Batch, Failure, pictures_among, task_of
from studio.ui.tasks import view_of
from studio.ui.tasks.answer_view import AnswerView
from studio.ui.widgets.figures import count, percent
from studio.ui.widgets.labels import apart

_GAP = "\N{NO-BREAK SPACE}"


def caption(prediction: Prediction | None, view: AnswerView) -> str:
    """The line under a small picture."""
    if prediction is None:
        return "…"
    return _tr("unreadable") if prediction.error else view.caption(prediction)


def wrong(words: str, label: str) -> str:
    """The line of a picture whose class is known and was not predicted."""
    return _tr("{prediction}: wrong, it is {label}").format(prediction=words, label=apart(label))


def source_line(prediction: Prediction, model: RunChoice | None) -> str:
    """Who answered, and how fast."""
    milliseconds = prediction.milliseconds
    figure = QLocale().toString(milliseconds, "f", 1 if milliseconds < 10 else 0)
    if model is None:
        return f"{figure}{_GAP}ms"
    return _tr("{model} · {time} per picture").format(
        model=apart(model.name), time=f"{figure}{_GAP}ms"
    )


def picture_name(batch: Batch) -> str:
    """What the picture that is shown is called."""
    if batch.title:
        return batch.title
    return batch.picture.name if batch.picture is not None else batch.first.name


def name_within(path: Path, dropped: Sequence[Path]) -> str:
    """A picture as its place in the folder that was dropped, otherwise its name."""
    for folder in dropped:
        if path.is_relative_to(folder) and path != folder:
            return path.relative_to(folder).as_posix()
    return path.name


def batch_name(batch: Batch) -> str:
    """What a batch is called in the history."""
    if len(batch.pictures) > 1 and not batch.times:
        return _tr("{count} pictures").format(count=count(len(batch.pictures)))
    return picture_name(batch)


def batch_caption(batch: Batch) -> str:
    """What the history says under a batch: the answer, or how many there are."""
    if len(batch.pictures) > 1:
        return batch_name(batch)
    if batch.failure is not None and not batch.predictions:
        return _tr("no answer")
    return caption(batch.predictions[0] if batch.predictions else None, batch.view)


def grid_line(batch: Batch) -> str:
    """What is said above several pictures."""
    total, done = len(batch.pictures), len(batch.predictions)
    if done < total:
        pattern = _tr("{done} of {total} pictures")
        words = pattern.format(done=count(done), total=count(total))
    elif batch.tally.unreadable:
        pattern = _tr("{count} pictures, {bad} unreadable")
        words = pattern.format(count=count(total), bad=count(batch.tally.unreadable))
    else:
        words = batch_name(batch)
    return " · ".join(filter(None, (words, accuracy_line(batch))))


def accuracy_line(batch: Batch) -> str:
    """How many answers are right; empty where no class is known."""
    accuracy = batch.tally.accuracy
    if accuracy is None:
        return ""
    if batch.tally.known == len(batch.predictions) - batch.tally.unreadable:
        return _tr("{share} right").format(share=percent(accuracy))
    pattern = _tr("{share} of {known} with known class right")
    return pattern.format(share=percent(accuracy), known=count(batch.tally.known))


def label_line(batch: Batch) -> str:
    """What the picture that is shown is known to be, and whether that was found."""
    prediction = batch.prediction
    if prediction is None or prediction.error or batch.shown >= len(batch.pictures):
        return ""
    label = batch.pictures[batch.shown].label
    verdict = is_right(prediction, label) if batch.view.has_classes else None
    if verdict is None:
        return ""
    return _tr("Right.") if verdict else _tr("Wrong: it is {label}.").format(label=apart(label))


def beside_line(answer: Prediction | Failure | None) -> str:
    """What stands under the bars of a further model."""
    if answer is None:
        return _tr("Waiting for its answer…")
    if isinstance(answer, Failure):
        return engine_text(f"{answer.message} {answer.hint}".strip())
    return engine_text(answer.error) or source_line(answer, None)


def restarted_line(batch: Batch) -> str:
    """What is said of an engine that died over the question."""
    if not batch.was_restarted:
        return ""
    return _tr("The engine ended unexpectedly. A new one was started and asked again.")


def waiting_line(batch: Batch, *, is_model_warm: bool) -> str:
    """What is being waited for."""
    if not batch.pictures:
        return _before_line(batch)
    if batch.was_restarted and not batch.predictions:
        return _tr("The engine ended unexpectedly. A new one is started and asked again…")
    if not is_model_warm:
        return _tr("Loading the model…")
    if len(batch.pictures) == 1:
        return _tr("Predicting…")
    pattern = _tr("Predicting {count} pictures…")
    return pattern.format(count=count(len(batch.pictures)))


def _before_line(batch: Batch) -> str:
    """What is being waited for while the pictures are not known."""
    if batch.is_read:
        return _tr("Reading the video…")
    if batch.address and not batch.dropped:
        return _tr("Fetching the picture…")
    return _tr("Looking for pictures…")


def offer(paths: Sequence[Path], model: RunChoice | None) -> str:
    """What dropping these would do; empty where nothing would come of it."""
    if model is None or not paths:
        return ""
    pictures, folders = pictures_among(paths)
    if not (pictures or folders):
        return ""
    first = (folders or paths)[0].name
    return _for(model, _offered(pictures, folders, paths)).format(
        name=first, count=count(len(folders) or pictures), model=model.name
    )


def _offered(pictures: int, folders: Sequence[Path], paths: Sequence[Path]) -> tuple[str, str]:
    """Return how an offer reads for models of one class, and for all others."""
    if folders and pictures:
        return (
            _tr("Classify these pictures with {model}"),
            _tr("Run {model} on these pictures"),
        )
    if len(folders) == 1:
        return (
            _tr("Classify the pictures in {name} with {model}"),
            _tr("Run {model} on the pictures in {name}"),
        )
    if folders:
        return (
            _tr("Classify the pictures in {count} folders with {model}"),
            _tr("Run {model} on the pictures in {count} folders"),
        )
    if len(paths) == 1 and paths[0].suffix.casefold() in LIST_SUFFIXES:
        return (
            _tr("Classify the pictures that {name} lists with {model}"),
            _tr("Run {model} on the pictures that {name} lists"),
        )
    if pictures == 1:
        return _of_one()
    return (
        _tr("Classify {count} pictures with {model}"),
        _tr("Run {model} on {count} pictures"),
    )


def _of_one() -> tuple[str, str]:
    return _tr("Classify this picture with {model}"), _tr("Run {model} on this picture")


def _for(model: RunChoice, patterns: tuple[str, str]) -> str:
    """Return the pattern that fits what a model answers."""
    return patterns[0 if view_of(task_of(model)).answer.has_classes else 1]


def offer_image(model: RunChoice | None) -> str:
    """The same for a picture that comes without a file."""
    return _for(model, _of_one()).format(model=apart(model.name)) if model else ""


def _tr(text: str) -> str:
    return QCoreApplication.translate("predict", text)
