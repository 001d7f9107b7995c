"""`studio predict`: classify pictures with the model of a run or of a file."""

from __future__ import annotations

import argparse
import contextlib
import csv
import io
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import get_args

from studio.cli.explaining import write_explanations
from studio.cli.output import Output, percent
from studio.cli.verb import Session, Verb
from studio.engine.errors import StudioError
from studio.engine.files import write_atomically
from studio.engine.inference.answers import PredictAnswer, Prediction, PredictRequest
from studio.engine.inference.explaining import Method
from studio.engine.inference.model_source import ModelSource
from studio.engine.inference.sources import expand
from studio.engine.jobs.host import EngineHost
from studio.engine.jobs.models import find_model

BATCH = 256


def _configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("name", metavar="RUN|FILE", help="a run, or a model file")
    parser.add_argument("images", metavar="IMAGE", nargs="+", help="pictures, or folders of them")
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
    pictures = expand([Path(image).expanduser() for image in options.images])
    with contextlib.closing(EngineHost()) as host:
        predictions = predict(session, host, model, pictures, options.top)
        good = [prediction for prediction in predictions if not prediction.error]
        written = _explained(session, host, model, good)
    if options.csv:
        _write_csv(Path(options.csv).expanduser(), good)
    document = [as_document(prediction) for prediction in good]
    for entry, prediction in zip(document, good, strict=True):
        if prediction.image in written:
            entry["explanation"] = str(written[prediction.image])
    bad = [prediction for prediction in predictions if prediction.error]
    if bad:
        _report_bad(session.output, good, bad, document)
    _print(session.output, good)
    return document


def _explained(
    session: Session, host: EngineHost, model: ModelSource, predictions: Sequence[Prediction]
) -> dict[str, Path]:
    """The heat maps that were asked for, by the paths of their pictures."""
    options = session.options
    if not options.explain:
        return {}
    folder = Path(options.explain).expanduser().absolute()
    return write_explanations(session, host, model, predictions, folder, options.explain_by)


def predict(
    session: Session, host: EngineHost, model: ModelSource, pictures: Sequence[Path], top: int
) -> list[Prediction]:
    """Classify pictures.

    Raises:
        StudioError: The model cannot be read.
    """
    predictions: list[Prediction] = []
    with session.output.bar("Loading the model") as bar:
        for start in range(0, len(pictures), BATCH):
            request = PredictRequest(
                model=model,
                images=tuple(str(path) for path in pictures[start : start + BATCH]),
                top=top,
            )
            predictions += host.ask("predict", request, PredictAnswer).result().predictions
            bar.show(len(predictions) / len(pictures), f"{len(predictions):,} pictures")
    return predictions


def as_document(prediction: Prediction) -> dict[str, object]:
    """A prediction as `--json` gives it."""
    return {
        "image": prediction.image,
        "predictions": [
            {"class": score.label, "score": score.score} for score in prediction.scores
        ],
    }


def _report_bad(
    output: Output, good: list[Prediction], bad: list[Prediction], document: object
) -> None:
    """Give what could be read, then end with the mistake.

    Raises:
        StudioError: Always; names every picture that could not be read.
    """
    _print(output, good)
    if good:
        output.document(document)
    names = "; ".join(f"{prediction.image}: {prediction.error}" for prediction in bad[:10])
    more = f" and {len(bad) - 10} more" if len(bad) > 10 else ""
    raise StudioError(f"{len(bad)} of the pictures cannot be read: {names}{more}.")


def _print(output: Output, predictions: Iterable[Prediction]) -> None:
    for prediction in predictions:
        output.say(prediction.image)
        for score in prediction.scores:
            output.say(f"  {percent(score.score):>8}  {score.label}")


def _write_csv(path: Path, predictions: Sequence[Prediction]) -> None:
    try:
        write_atomically(path, _as_csv(predictions).encode("utf-8", "backslashreplace"))
    except OSError as error:
        raise StudioError(
            f"The table {path} cannot be written: {error.strerror or error}.",
            "Choose a file that you may write to.",
            "csv",
        ) from error


def _as_csv(predictions: Sequence[Prediction]) -> str:
    width = max((len(prediction.scores) for prediction in predictions), default=1)
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    extra = [f"{word}_{rank}" for rank in range(2, width + 1) for word in ("class", "score")]
    writer.writerow(["image", "class", "score", *extra])
    for prediction in predictions:
        cells = [cell for score in prediction.scores for cell in (score.label, score.score)]
        writer.writerow([prediction.image, *cells])
    return text.getvalue()


PREDICT = Verb("predict", "classify pictures with a trained model", _configure, _predict)
