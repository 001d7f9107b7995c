"""Texts of the page Predict."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path

from PySide6.QtCore import QCoreApplication, QLocale

from studio.engine.datasets.edits import SplitName
from studio.engine.datasets.sources.base import IMAGE_SUFFIXES
from studio.engine.datasets.sources.list_file import SUFFIXES as LIST_SUFFIXES
from studio.engine.inference.requests import ImagePrediction
from studio.engine.inference.table import is_right
from studio.engine.messages import joined
from studio.engine.review.corrections import Correction
from studio.ui.bridge.run_choices import RunChoice, task_of
from studio.ui.language import translated
from studio.ui.pages.predict.pictures import Batch, Failure
from studio.ui.shared import part_views
from studio.ui.widgets.figures import count, counted, percent
from studio.ui.widgets.labels import apart

_tr = partial(QCoreApplication.translate, "predict")

_GAP = "\N{NO-BREAK SPACE}"


def caption(prediction: ImagePrediction | None) -> str:
    """Return the caption of a small picture."""
    if prediction is None:
        return "…"
    return _tr("unreadable") if prediction.error else part_views.caption(prediction)


def wrong(text: str, label: str) -> str:
    """Return the caption of a picture whose known class was not predicted."""
    return _tr("{prediction}: wrong, it is {label}").format(prediction=text, label=apart(label))


def source_line(prediction: ImagePrediction, model: RunChoice | None) -> str:
    """Return the name of the model and its time per picture."""
    milliseconds = prediction.milliseconds
    figure = QLocale().toString(milliseconds, "f", 1 if milliseconds < 10 else 0)
    if model is None:
        return f"{figure}{_GAP}ms"
    return _tr("{model} · {time} per image").format(
        model=apart(model.name), time=f"{figure}{_GAP}ms"
    )


def picture_name(batch: Batch) -> str:
    """Return the name of the picture that is shown."""
    if batch.title:
        return batch.title
    return batch.picture.name if batch.picture is not None else batch.first.name


def name_within(path: Path, dropped: Sequence[Path]) -> str:
    """Return the path of a picture relative to the dropped folder, otherwise its name."""
    for folder in dropped:
        if path.is_relative_to(folder) and path != folder:
            return path.relative_to(folder).as_posix()
    return path.name


def batch_name(batch: Batch) -> str:
    """Return the name of a batch in the history."""
    if len(batch.pictures) > 1 and not batch.times:
        return _tr("{count} images").format(count=count(len(batch.pictures)))
    return picture_name(batch)


def batch_caption(batch: Batch) -> str:
    """Return the caption of a batch in the history: the prediction, or their number."""
    if len(batch.pictures) > 1:
        return batch_name(batch)
    if batch.failure is not None and not batch.predictions:
        return _tr("no prediction")
    first = batch.given(batch.predictions[0]) if batch.predictions else None
    return caption(first)


def grid_line(batch: Batch) -> str:
    """Return the title above several pictures."""
    total, done = len(batch.pictures), len(batch.predictions)
    if done < total:
        pattern = _tr("{done} of {total} images")
        text = pattern.format(done=count(done), total=count(total))
    elif batch.tally.unreadable:
        one, many = _tr("1 image, {bad} unreadable"), _tr("{n} images, {bad} unreadable")
        text = counted(total, one, many).format(bad=count(batch.tally.unreadable))
    else:
        text = batch_name(batch)
    return " · ".join(filter(None, (text, accuracy_line(batch), unlike_line(batch))))


def unlike_line(batch: Batch) -> str:
    """Return how many images differ from the training images; empty for none."""
    familiar = [each.familiarity for each in batch.predictions if each.familiarity is not None]
    unlike = sum(bool(each.differences) for each in familiar)
    if not unlike:
        return ""
    return _tr("{count} of {total} unlike the training images").format(
        count=count(unlike), total=count(len(familiar))
    )


def accuracy_line(batch: Batch) -> str:
    """Return the share of right predictions; empty where no class is known."""
    accuracy = batch.tally.accuracy
    if accuracy is None:
        return ""
    if batch.tally.known == len(batch.predictions) - batch.tally.unreadable:
        return _tr("{share} right").format(share=percent(accuracy))
    pattern = _tr("{share} of {known} images with a known class are correct")
    return pattern.format(share=percent(accuracy), known=count(batch.tally.known))


def label_line(batch: Batch) -> str:
    """Return if the prediction that is shown is right; empty where the class is not known."""
    prediction = batch.prediction
    if prediction is None or prediction.error or batch.shown >= len(batch.pictures):
        return ""
    label = batch.label(batch.shown)
    verdict = is_right(prediction, label) if batch.can_correct else None
    if verdict is None:
        return ""
    return _tr("Right.") if verdict else _tr("Wrong: it is {label}.").format(label=apart(label))


def comparison_line(result: ImagePrediction | Failure | None) -> str:
    """Return the line under the bars of a further model."""
    if result is None:
        return _tr("Waiting for the prediction…")
    if isinstance(result, Failure):
        return failure_line(result)
    return translated(result.error) or source_line(result, None)


def details(batch: Batch, prediction: ImagePrediction) -> str:
    """Return the lines under a prediction: right or wrong, model, time, and what to know of it."""
    lines = [label_line(batch), source_line(prediction, batch.model)]
    lines += map(translated, prediction.warnings)
    if prediction.familiarity is None:
        lines.append(_tr("Not compared with the training images: they were not measured."))
    if batch.was_restarted:
        lines.append(_tr("The engine ended unexpectedly and was restarted."))
    return "\n".join(filter(None, lines))


def failure_line(failure: Failure) -> str:
    """Return why there is no prediction, and what to do."""
    return translated(joined((failure.message, failure.hint)))


def waiting_line(batch: Batch, *, is_model_warm: bool) -> str:
    """Return the text about what the page is waiting for."""
    if not batch.pictures:
        return _fetching_line(batch)
    if batch.was_restarted and not batch.predictions:
        return _tr("The engine ended unexpectedly and is restarting…")
    if not is_model_warm:
        return _tr("Loading the model…")
    if len(batch.pictures) == 1:
        return _tr("Predicting…")
    pattern = _tr("Predicting {count} images…")
    return pattern.format(count=count(len(batch.pictures)))


def _fetching_line(batch: Batch) -> str:
    if batch.is_read:
        return _tr("Reading the video…")
    if batch.address and not batch.dropped:
        return _tr("Fetching the image…")
    return _tr("Searching for images…")


def offer(paths: Sequence[Path], model: RunChoice | None) -> str:
    """Describe the effect of dropping these paths by their names; empty if there is none.

    A list of pictures counts as one. A name without a suffix may be a picture as well: browsers
    and cameras write such files.
    """
    if model is None or not paths:
        return ""
    pictures, folders = count_pictures(paths)
    if not (pictures or folders):
        return ""
    first = (folders or paths)[0].name
    return _for(model, _offered(pictures, folders, paths)).format(
        name=first, count=count(len(folders) or pictures), model=model.name
    )


def count_pictures(paths: Sequence[Path]) -> tuple[int, list[Path]]:
    """Return the number of paths that look like pictures or lists, and the folders."""
    folders = [path for path in paths if path.is_dir()]
    files = [path for path in paths if path not in folders]
    endings = IMAGE_SUFFIXES | LIST_SUFFIXES | {""}
    return sum(path.suffix.casefold() in endings for path in files), folders


def _offered(pictures: int, folders: Sequence[Path], paths: Sequence[Path]) -> tuple[str, str]:
    """Return the texts of an offer: for models that predict one class, and for all others."""
    if folders and pictures:
        return (
            _tr("Classify these images with {model}"),
            _tr("Run {model} on these images"),
        )
    if len(folders) == 1:
        return (
            _tr("Classify the images in {name} with {model}"),
            _tr("Run {model} on the images in {name}"),
        )
    if folders:
        return (
            _tr("Classify the images in {count} folders with {model}"),
            _tr("Run {model} on the images in {count} folders"),
        )
    if len(paths) == 1 and paths[0].suffix.casefold() in LIST_SUFFIXES:
        return (
            _tr("Classify the images that {name} lists with {model}"),
            _tr("Run {model} on the images that {name} lists"),
        )
    if pictures == 1:
        return _of_one()
    return (
        _tr("Classify {count} images with {model}"),
        _tr("Run {model} on {count} images"),
    )


def _of_one() -> tuple[str, str]:
    return _tr("Classify this image with {model}"), _tr("Run {model} on this image")


def _for(model: RunChoice, patterns: tuple[str, str]) -> str:
    """Return the text that fits the task of a model."""
    return patterns[0 if task_of(model).capabilities.retraining else 1]


def offer_image(model: RunChoice | None) -> str:
    """Describe the effect of dropping a picture without a file."""
    return _for(model, _of_one()).format(model=apart(model.name)) if model else ""


def review_button(waiting: int) -> str:
    """Return the text of the button that opens the review queue."""
    return _tr("Review ({count})").format(count=count(waiting)) if waiting else _tr("Review")


def queue_title(waiting: int) -> str:
    """Return the title above the review queue."""
    if waiting == 0:
        return _tr("The review queue is empty")
    if waiting == 1:
        return _tr("1 corrected image")
    return _tr("{count} corrected images").format(count=count(waiting))


def correction_caption(correction: Correction) -> str:
    """Return the caption of a corrected picture: its prediction and its class."""
    return f"{correction.answer} → {correction.label}"


def correction_tip(correction: Correction) -> str:
    """Return the same with the name of the picture and the score."""
    return _tr("{name}: predicted {answer} ({score}), correct class {label}").format(
        name=apart(correction.name),
        answer=correction.answer,
        score=percent(correction.score),
        label=apart(correction.label),
    )


def add_line(waiting: int, dataset: str, held_out: Sequence[SplitName] = ()) -> str:
    """Describe what adding the pictures does.

    Args:
        waiting: Number of pictures in the queue.
        dataset: Name of the dataset; empty if it was deleted.
        held_out: Split of each of them that is a validation or test image of the dataset.
    """
    if not waiting:
        return _tr("Correct a wrong prediction to add its image here.")
    if not dataset:
        return _tr("Choose a model whose dataset still exists.")
    lines = []
    if waiting > len(held_out):
        lines.append(
            _tr(
                "Adds the images to the training images as a new version of “{dataset}”. "
                "Validation and test images stay the same."
            ).format(dataset=apart(dataset))
        )
    for split, pattern in (
        ("test", _tr("Test images of “{dataset}” among them: {count}. They are not trained on.")),
        (
            "val",
            _tr("Validation images of “{dataset}” among them: {count}. They are not trained on."),
        ),
    ):
        number = sum(each == split for each in held_out)
        if number:
            lines.append(pattern.format(dataset=apart(dataset), count=count(number)))
    return "\n".join(lines)
