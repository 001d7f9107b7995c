"""`studio predict`: classify pictures with the model of a run or of a file."""

from __future__ import annotations

import argparse
import contextlib
import time
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import get_args

from studio.cli.explaining import write_explanations
from studio.cli.output import Bar, Output, percent, rate
from studio.cli.verb import Session, Verb
from studio.engine.errors import StudioError
from studio.engine.inference.answers import Prediction
from studio.engine.inference.explaining import Method
from studio.engine.inference.model_source import ModelSource
from studio.engine.inference.sources import Picture, find_pictures
from studio.engine.inference.table import Tally, is_right, write_table
from studio.engine.jobs.host import EngineHost
from studio.engine.jobs.models import find_model
from studio.engine.jobs.predicting import predict_all


def _configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("name", metavar="RUN|FILE", help="a run, or a model file")
    parser.add_argument(
        "images",
        metavar="IMAGE",
        nargs="+",
        help="pictures, folders of them, or a list with a path and a class per line",
    )
    parser.add_argument("--top", type=int, default=5, metavar="K", help="classes per picture [5]")
    parser.add_argument("--csv", metavar="F", help="also write a table: image, class, score, …")
    parser.add_argument(
        "--explain", metavar="DIR", help="also write each picture with a heat map over it"
    )
    parser.add_argument(
        "--explain-by",
        choices=get_args(Method),
        default="grad_cam",
        help="by the gradient, or by covering parts, which takes longer [grad_cam]",
    )


def _predict(session: Session) -> object:
    options = session.options
    if options.top < 1:
        raise StudioError(f"--top takes at least 1; received {options.top}.")
    model = find_model(session.workspace, options.name)
    paths = [Path(image).expanduser() for image in options.images]
    pictures = find_pictures(paths, model.classes)
    with contextlib.closing(EngineHost()) as host:
        predictions = predict(session, host, model, pictures, options.top)
        written = _explained(session, host, model, predictions)
    labels = [picture.label for picture in pictures]
    if options.csv:
        write_table(Path(options.csv).expanduser(), predictions, labels)
    pairs = list(zip(predictions, labels, strict=True))
    good = [(prediction, label) for prediction, label in pairs if not prediction.error]
    document = [as_document(prediction, label) for prediction, label in good]
    for entry, (prediction, _) in zip(document, good, strict=True):
        if prediction.image in written:
            entry["explanation"] = str(written[prediction.image])
    _print(session.output, good)
    tally = Tally().plus(pairs)
    if tally.accuracy is not None:
        known = f"{tally.right:,} of {tally.known:,} pictures of known class are right"
        session.output.say(f"{known}: {percent(tally.accuracy)}")
    bad = [prediction for prediction in predictions if prediction.error]
    if bad:
        if good:
            session.output.document(document)
        raise _unreadable(bad)
    return document


def _explained(
    session: Session, host: EngineHost, model: ModelSource, predictions: Sequence[Prediction]
) -> dict[str, Path]:
    """The heat maps that were asked for, by the paths of their pictures."""
    options = session.options
    if not options.explain:
        return {}
    good = [prediction for prediction in predictions if not prediction.error]
    folder = Path(options.explain).expanduser().absolute()
    return write_explanations(session, host, model, good, folder, options.explain_by)


def predict(
    session: Session, host: EngineHost, model: ModelSource, pictures: Sequence[Picture], top: int
) -> list[Prediction]:
    """Classify pictures.

    Raises:
        StudioError: The model cannot be read.
    """
    with session.output.bar("Loading the model") as bar:
        collected = _Collected(session.output, bar, len(pictures))
        predict_all(host, model, pictures, collected, top)
    return collected.predictions


class _Collected:
    """The answers so far, with their number on a bar."""

    def __init__(self, output: Output, bar: Bar, total: int) -> None:
        self.predictions: list[Prediction] = []
        self._output = output
        self._bar = bar
        self._total = total
        self._began = 0.0
        self._first = 0

    def answered(self, predictions: Sequence[Prediction]) -> None:
        self.predictions += predictions
        done = len(self.predictions)
        if not self._began:  # the first ones waited for the model to be loaded
            self._began, self._first = time.monotonic(), done
        seconds = time.monotonic() - self._began
        speed = f", {rate((done - self._first) / seconds)} a second" if done > self._first else ""
        self._bar.show(done / self._total, f"{done:,} pictures{speed}")

    def restarted(self) -> None:
        self._output.note("The engine ended unexpectedly; a new one is asked.")

    def is_cancelled(self) -> bool:
        """Ctrl+C ends this by itself."""
        return False


def as_document(prediction: Prediction, label: str = "") -> dict[str, object]:
    """A prediction as `--json` gives it; with the known class, where there is one."""
    document: dict[str, object] = {
        "image": prediction.image,
        "predictions": [
            {"class": score.label, "score": score.score} for score in prediction.scores
        ],
    }
    return document | ({"label": label, "right": is_right(prediction, label)} if label else {})


def _unreadable(bad: Sequence[Prediction]) -> StudioError:
    names = "; ".join(f"{prediction.image}: {prediction.error}" for prediction in bad[:10])
    more = f" and {len(bad) - 10} more" if len(bad) > 10 else ""
    return StudioError(f"{len(bad)} of the pictures cannot be read: {names}{more}.")


def _print(output: Output, pairs: Iterable[tuple[Prediction, str]]) -> None:
    for prediction, label in pairs:
        wrong = is_right(prediction, label) is False
        output.say(f"{prediction.image}  (is {label})" if wrong else prediction.image)
        for score in prediction.scores:
            output.say(f"  {percent(score.score):>8}  {score.label}")


PREDICT = Verb("predict", "classify pictures with a trained model", _configure, _predict)
