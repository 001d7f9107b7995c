"""`studio predict`: predict pictures with the model of a run, a file or an export.

With `--explain DIR` each picture is also written with a heat map of its prediction.
"""

from __future__ import annotations

import argparse
import contextlib
import heapq
import math
import tempfile
import threading
import time
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, get_args

from studio.cli.counts import counts, require_objects, write_counts
from studio.cli.options import FORCE, FOREIGN_MODEL, foreign_model, say_model, target_file
from studio.cli.verb import Bar, BarProgress, CommandOutput, Session, argument, percent, rate
from studio.cli.watching import FolderWatch, follow
from studio.engine.errors import StudioError, UnwritableError, did_you_mean
from studio.engine.files import user_path, write_atomically, writing
from studio.engine.inference.models import ModelSource, find_model
from studio.engine.inference.predicting import predict_all
from studio.engine.inference.requests import (
    ExplainRequest,
    ImagePrediction,
    Method,
    explain,
    overlay,
)
from studio.engine.inference.sources import (
    Picture,
    downloaded,
    find_pictures,
    one_per_image,
    with_frames,
)
from studio.engine.inference.table import CorrectTally, TableWriter, is_right, write_table
from studio.engine.inference.unlike.changes import CHANGES, changed
from studio.engine.inference.unlike.differences import document_of
from studio.engine.jobs.host import EngineHost
from studio.engine.progress import SilentProgress
from studio.engine.tasks import TASKS
from studio.engine.tasks.parts.part import PredictionPart
from studio.engine.tasks.parts.prediction import PARTS

if TYPE_CHECKING:
    from studio.engine.tasks.parts.files import PredictionWriter
    from studio.engine.tasks.task import Task


def write_explanations(
    session: Session,
    host: EngineHost,
    model: ModelSource,
    pictures: Sequence[Picture],
    folder: Path,
    method: Method,
    output: str,
) -> dict[str, Path]:
    """Write a PNG file for each picture; return their paths by the names of the pictures.

    Args:
        session: Shows the progress; its `--force` allows replacing files.
        host: Computes.
        model: The model.
        pictures: The pictures to explain.
        folder: Folder of the files; created if missing.
        method: Method of explanation.
        output: Name of the class, label or quantity; empty for the class or label with the
            highest score, or for the first quantity.

    Raises:
        StudioError: The model cannot be explained that way, or nothing can be written there.
    """
    written: dict[str, Path] = {}
    taken: set[Path] = set()
    if folder.is_dir() and not session.options.force:
        taken.update(folder.iterdir())
    with writing(folder, "explain"):
        folder.mkdir(parents=True, exist_ok=True)
        with session.output.bar("Explaining") as bar:
            for picture in pictures:
                request = ExplainRequest(
                    model=model, image=str(picture.path), method=method, label=output
                )
                path = _unused(folder, picture.path.stem, taken)
                write_atomically(path, overlay(explain(host, request)))
                written[picture.name] = path
                taken.add(path)
                bar.show(len(written) / len(pictures), f"{len(written):,} images")
    return written


def _unused(folder: Path, stem: str, taken: set[Path]) -> Path:
    """Return a file name for a picture, with a number if another file has it already."""
    path, number = folder / f"{stem}-heat.png", 1
    while path in taken:
        number += 1
        path = folder / f"{stem}-heat-{number}.png"
    return path


MAX_FRAMES = 300
ALL_CLASSES = 1_000_000
"""Number of classes per picture if all scores are needed; more than any model has."""


_FILE_OPTIONS = {part.file_option: part for part in PARTS.values() if part.file_option}
"""Options that name kinds of files, see `PredictionPart.file_option`."""

_NOT_WATCHED: Mapping[str, object] = {
    "count": False,
    "count_csv": None,
    "path_prefix": "",
    "internal_addresses": False,
    "top_images": 0,
    **dict.fromkeys(CHANGES, False),
    "frames": MAX_FRAMES,
    "explain": None,
    "explain_by": "grad_cam",
    "explain_output": "",
}
"""Options that have no effect on images that arrive one after another, with their defaults."""

run_options = (
    argument(
        "name", metavar="RUN|FILE", help="run, Keras file or export (folder, .zip, .onnx, .tflite)"
    ),
    argument(
        "images",
        metavar="IMAGE",
        nargs="*",
        help="images, videos, folders, web addresses, or lists with a path and a class per line",
    ),
    argument(
        "--watch",
        metavar="DIR",
        help="predict the images that arrive in this folder, until Ctrl+C; --csv grows with them",
    ),
    argument("--top", type=int, default=5, metavar="K", help="number of classes per image [5]"),
    argument("--csv", metavar="F", help="also write the predictions as CSV"),
    argument(
        "--count",
        action="store_true",
        help="count objects by image, video second, folder and origin; with intervals, if the "
        "run was evaluated",
    ),
    argument("--count-csv", metavar="F", help="also write the counts as CSV"),
    FORCE,
    argument(
        "--path-prefix",
        default="",
        metavar="DIR",
        help="base folder of relative paths in lists [the folder of the list]",
    ),
    argument(
        "--internal-addresses",
        action="store_true",
        help="allow addresses of the local network in lists and redirects",
    ),
    argument(
        "--top-images",
        type=int,
        default=0,
        metavar="N",
        help="also list the N images with the highest scores of each class",
    ),
    argument(
        "--to",
        metavar="DIR",
        help="also write masks, boxes or maps to this folder; for GeoTIFF with their position",
    ),
    argument(
        "--masks",
        nargs="+",
        metavar="KIND",
        help="files of masks: index (PNG with a palette), color (PNG), coco (one JSON file with "
        "run lengths) [index]",
    ),
    argument(
        "--boxes",
        "--objects",
        nargs="+",
        metavar="KIND",
        help="files of boxes or outlines: csv (one table), coco, yolo, geojson (for QuPath), "
        "imagej, labels [csv]",
    ),
    argument(
        "--pixel-size",
        type=float,
        metavar="UM",
        help="side of a pixel in micrometers, for measurements [that in the file]",
    ),
    argument(
        "--maps",
        nargs="+",
        metavar="KIND",
        help="files of maps of numbers: tiff (32-bit floats), color (PNG) [tiff]",
    ),
    *(argument(f"--{name}", action="store_true", help=text) for name, text in CHANGES.items()),
    argument(
        "--threshold",
        type=float,
        metavar="T",
        help="minimum score of labels, boxes and anomalies [that of each class, tuned "
        "on validation images]",
    ),
    argument(
        "--frames",
        type=int,
        default=MAX_FRAMES,
        metavar="N",
        help=f"number of frames of a video, evenly spaced [{MAX_FRAMES}]",
    ),
    argument("--explain", metavar="DIR", help="also write each image with a heat map"),
    argument(
        "--explain-by",
        choices=get_args(Method),
        default="grad_cam",
        help="method: gradients, or occlusion, which is slower [grad_cam]",
    ),
    argument(
        "--explain-output",
        default="",
        metavar="NAME",
        help="class, label or quantity to explain [highest score, or first quantity]",
    ),
    FOREIGN_MODEL,
)


def run(session: Session) -> object:
    """Predict pictures, print the predictions, and return their document."""
    options = session.options
    _check(options)
    table = target_file(session, options.csv, "csv") if options.csv else None
    count_table = (
        target_file(session, options.count_csv, "count_csv") if options.count_csv else None
    )
    model = find_model(session.workspace, options.name, foreign_model(options))
    if options.threshold is not None:
        _require_threshold(options.threshold, model)
    if options.count or count_table is not None:
        require_objects(model)
    files = _writer(options, model)
    if options.watch:
        return _watched(session, model, files, table)
    pictures = find_pictures(
        options.images,
        TASKS[model.task].predictor.folder_labels(model.classes),
        options.path_prefix,
        internal_addresses=options.internal_addresses,
    )
    pictures = one_per_image(pictures, model.channel_ends)
    best = TopImages(options.top_images)
    with contextlib.closing(EngineHost()) as host, tempfile.TemporaryDirectory() as folder:
        pictures = _downloaded(session, pictures, Path(folder))
        pictures = list(with_frames(pictures, Path(folder), options.frames, SilentProgress()))
        pictures = _changed(options, model, pictures, Path(folder))
        # Any label may be given, and a table has a column for each.
        most = TASKS[model.task].predictor.scores_to_return(options.top, ALL_CLASSES)
        predictions = predict(session, host, model, pictures, most, best, files)
        readable = [
            each for each, found in zip(pictures, predictions, strict=True) if not found.error
        ]
        written = _explained(session, host, model, readable)
    files.finish(session.output)
    labels = [picture.label for picture in pictures]
    if table is not None:
        write_table(table, predictions, TASKS[model.task].predictor, labels)
    counted = {}
    if options.count or count_table is not None:
        counted = counts(session, model, pictures, predictions)
    if count_table is not None:
        write_counts(count_table, counted)
    predictions = [each.shortened(options.top) for each in predictions]
    return _report_predictions(
        session, model, list(zip(predictions, labels, strict=True)), files, written, best, counted
    )


def _require_threshold(threshold: float, model: ModelSource) -> None:
    """Require a score that the model can give."""
    highest = TASKS[model.task].predictor.highest_threshold
    if not 0 <= threshold <= highest or math.isinf(threshold):
        limits = "at least 0" if math.isinf(highest) else f"0 to {highest:g}"
        raise StudioError(f"--threshold must be {limits}; received {threshold}.")


def _check(options: argparse.Namespace) -> None:
    """Refuse values and options that have no meaning.

    Raises:
        StudioError: One of them was given.
    """
    for name, least in (("top", 1), ("top_images", 0), ("frames", 1)):
        value = getattr(options, name)
        if value < least:
            option = name.replace("_", "-")
            raise StudioError(f"--{option} must be at least {least}; received {value}.")
    side = options.pixel_size
    if side is not None and not 0 < side < math.inf:
        raise StudioError(f"--pixel-size must be above 0; received {side}.")
    if bool(options.images) == bool(options.watch):
        raise StudioError("Name at least one IMAGE, or a folder with --watch.", where="images")
    for name, default in _NOT_WATCHED.items() if options.watch else ():
        if getattr(options, name) != default:
            option = f"--{name.replace('_', '-')}"
            raise StudioError(
                f"{option} cannot be used with --watch.",
                f"Leave {option} out, or name the images instead of --watch.",
                name,
            )


def _watched(
    session: Session, model: ModelSource, files: _Files, table: Path | None
) -> dict[str, object]:
    """Predict the images that arrive in a folder, until Ctrl+C.

    Args:
        session: Names the folder, and prints the predictions.
        model: The model.
        files: Files written for predictions.
        table: Table to which predictions are appended; None for none.
    """
    options, predictor = session.options, TASKS[model.task].predictor
    watch = FolderWatch(user_path(options.watch).absolute())
    most = predictor.scores_to_return(options.top, ALL_CLASSES)
    writer = None if table is None else TableWriter(table, predictor)
    predicted = failed = 0

    def arrived(paths: Sequence[Path]) -> None:
        nonlocal predicted, failed
        every = predict(session, host, model, [Picture(each) for each in paths], most, None, files)
        files.paths.clear()
        pairs = zip(paths, every, strict=True)
        found = [each for path, each in pairs if not (each.error and watch.retry(path))]
        predicted += len(found)
        failed += sum(bool(each.error) for each in found)
        if writer is not None:
            writer.add(found)
        good = [each.shortened(options.top) for each in found if not each.error]
        _print(session.output, [(each, "") for each in good])
        for each in found:
            if each.error:
                session.output.note(f"{each.image}: {each.error}")
        for problem in files.problems:
            session.output.note(problem)
        files.problems.clear()
        session.output.flush()

    with contextlib.closing(EngineHost()) as host, contextlib.suppress(KeyboardInterrupt):
        session.output.note("Waiting for images. Press Ctrl+C to stop.")
        try:
            follow(watch, arrived, threading.Event())
        finally:
            files.finish(session.output)
    return {"folder": options.watch, "count": predicted, "failed": failed}


def _report_predictions(
    session: Session,
    model: ModelSource,
    pairs: list[tuple[ImagePrediction, str]],
    files: _Files,
    heat_maps: Mapping[str, Path],
    best: TopImages,
    counted: Mapping[str, object],
) -> object:
    """Print predictions, and return their document.

    Args:
        session: Prints them.
        model: The model of the predictions.
        pairs: Predictions, each with the known class, empty where it is not known.
        files: Files written for them.
        heat_maps: Paths of those that were written, by the names of pictures.
        best: The images with the highest scores of each class.
        counted: Counts of objects as JSON data; empty if they were not requested.

    Raises:
        StudioError: Some pictures could not be read, or their files not be written.
    """
    options = session.options
    good = [(prediction, label) for prediction, label in pairs if not prediction.error]
    document = [as_document(prediction, label) for prediction, label in good]
    for entry, (prediction, _) in zip(document, good, strict=True):
        entry.update(files.paths.get(prediction.image, {}))
        if prediction.image in heat_maps:
            entry["explanation"] = str(heat_maps[prediction.image])
    warnings = dict.fromkeys(each for prediction, _ in good for each in prediction.warnings)
    say_model(session.output, model, list(warnings))
    _print(session.output, good)
    _say_differences(session.output, model, [prediction for prediction, _ in good])
    if options.to:
        session.output.say(f"The files are in {user_path(options.to).absolute()}.")
    if heat_maps:
        session.output.say(f"The heat maps are in {user_path(options.explain).absolute()}.")
    tally = CorrectTally().plus(pairs)
    if tally.accuracy is not None:
        known = f"{tally.right:,} of {tally.known:,} images of known class are correct"
        session.output.say(f"{known}: {percent(tally.accuracy)}")
    result: object = document
    if best.count or counted:
        lists = {"top_images": best.document()} if best.count else {}
        result = {"images": document, **lists, **counted}
    _print_top(session.output, best)
    bad = [prediction for prediction, _ in pairs if prediction.error]
    if bad or files.problems:
        if good:
            session.output.document(result)
        raise _unreadable(bad) if bad else _unwritten(files.problems)
    return result


class _Files:
    """The files of predictions, written while they arrive.

    Args:
        writer: Writes them; None if no files were requested.
        folder: Folder of the files.
    """

    def __init__(self, writer: PredictionWriter | None = None, folder: Path | None = None) -> None:
        self._writer = writer
        self.folder = folder
        self.paths: dict[str, dict[str, str]] = {}
        self.problems: list[str] = []

    def add(self, prediction: ImagePrediction) -> ImagePrediction:
        """Write the files of a prediction, and return it without what is in them."""
        if self._writer is not None and not prediction.error:
            try:
                self.paths[prediction.image] = self._writer.add(prediction.image, prediction)
            except UnwritableError as error:
                self.problems.append(str(error))
        return prediction.without_files()

    def finish(self, output: CommandOutput) -> None:
        """Write the files that are about all predictions, and print what is missing in them."""
        if self._writer is not None:
            self._writer.finish()
            for each in self._writer.warnings:
                output.note(each)


def _writer(options: argparse.Namespace, model: ModelSource) -> _Files:
    """Return the writer of the requested files.

    Raises:
        StudioError: No part of the predictions is written to files, an option does not apply to
            the model, or the folder cannot be made.
    """
    task = TASKS[model.task]
    kinds = _file_kinds(options, model, task)
    if not options.to:
        return _Files()
    if not kinds:
        raise StudioError(
            f"{model.name} predicts no masks, so there are no files to write ({task.label}).",
            "Use --csv for a table of its predictions.",
            "to",
        )
    folder = user_path(options.to).absolute()
    if folder.is_dir() and any(folder.iterdir()) and not options.force:
        raise StudioError(
            f"The folder {folder} is not empty.", "Name another one, or use --force.", "to"
        )
    from studio.engine.tasks.parts.files import PredictionWriter  # noqa: PLC0415 - NumPy

    with writing(folder, "to"):
        side = options.pixel_size
        pixel = None if side is None else (side, side)
        return _Files(PredictionWriter(folder, kinds, model.classes, model.colors, pixel), folder)


def _file_kinds(
    options: argparse.Namespace, model: ModelSource, task: Task
) -> dict[type[PredictionPart], Sequence[str]]:
    """Return the kinds of files of each part: those that its option names, or the usual one.

    Raises:
        StudioError: An option does not apply to the model, or a kind does not exist.
    """
    known = task.predictor.file_kinds
    kinds: dict[type[PredictionPart], Sequence[str]] = {**task.predictor.usual_file_kinds}
    for name, part in _FILE_OPTIONS.items():
        # Other options have lists with commas; here both are accepted.
        words: Sequence[str] = getattr(options, name) or ()
        requested = [kind for word in words for kind in word.split(",") if kind]
        if not requested:
            continue
        if part not in kinds:
            raise StudioError(
                f"{model.name} gives no {name}; its task is {task.label}.",
                f"Leave --{name} out.",
                name,
            )
        for kind in requested:
            if kind not in known[part]:
                raise StudioError(
                    f'There is no kind of files "{kind}" for {name}.',
                    did_you_mean(kind, known[part]),
                    name,
                )
        kinds[part] = requested
    return kinds


def _print_top(output: CommandOutput, best: TopImages) -> None:
    for label, images in best.document().items():
        output.say(f"Highest scores of {label}:")
        for image in images:
            output.write(f"  {percent(float(str(image['score']))):>8}  {image['image']}")


def _downloaded(session: Session, pictures: list[Picture], folder: Path) -> list[Picture]:
    """Return the pictures with those that have a web address downloaded into `folder`."""
    if not any(picture.address for picture in pictures):
        return pictures
    with session.output.bar("Downloading") as bar:
        return list(downloaded(pictures, folder, BarProgress(session.output, bar)))


def _explained(
    session: Session, host: EngineHost, model: ModelSource, pictures: Sequence[Picture]
) -> dict[str, Path]:
    """Write the requested heat maps; return their paths by the names of the pictures."""
    options = session.options
    if not options.explain:
        return {}
    folder = user_path(options.explain).absolute()
    return write_explanations(
        session, host, model, pictures, folder, options.explain_by, options.explain_output
    )


class TopImages:
    """The images with the highest score of each class, collected while predictions arrive.

    Args:
        count: Images per class; 0 collects none.
    """

    def __init__(self, count: int = 0) -> None:
        self.count = count
        self._best: dict[str, list[tuple[float, str]]] = {}

    def add(self, prediction: ImagePrediction) -> None:
        """Add the scores of one image for all classes."""
        for score in prediction.class_scores if self.count else ():
            best = self._best.setdefault(score.label, [])
            add = heapq.heappush if len(best) < self.count else heapq.heappushpop
            add(best, (score.score, prediction.image))

    def document(self) -> dict[str, list[dict[str, object]]]:
        """Return the images of each class, the highest score first, as `--json` prints them."""
        return {
            label: [
                {"image": image, "score": score} for score, image in sorted(best, reverse=True)
            ]
            for label, best in sorted(self._best.items())
        }


def predict(
    session: Session,
    host: EngineHost,
    model: ModelSource,
    pictures: Sequence[Picture],
    top: int,
    best: TopImages | None = None,
    files: _Files | None = None,
) -> list[ImagePrediction]:
    """Classify pictures.

    Args:
        session: Shows the progress.
        host: Computes.
        model: The model.
        pictures: Result of `find_pictures`.
        top: Classes of each prediction.
        best: Collects the images with the highest scores of each class.
        files: Writes the files of predictions.

    Raises:
        StudioError: The model cannot be read.
    """
    best = best or TopImages()
    files = files or _Files()
    with session.output.bar("Predicting") as bar:
        collected = _Collected(session.output, bar, len(pictures), top, best, files)
        wanted = ALL_CLASSES if best.count else top
        # Other verbs that predict have no such option.
        threshold = getattr(session.options, "threshold", None)
        predict_all(host, model, pictures, collected, wanted, threshold, files.folder)
    return collected.predictions


class _Collected:
    """Collects the predictions, with a progress bar."""

    def __init__(
        self,
        output: CommandOutput,
        bar: Bar,
        total: int,
        top: int,
        best: TopImages,
        files: _Files,
    ) -> None:
        self.predictions: list[ImagePrediction] = []
        self._output = output
        self._bar = bar
        self._total = total
        self._top = top
        self._best = best
        self._files = files
        self._began = 0.0
        self._first = 0

    def received(self, predictions: Sequence[ImagePrediction]) -> None:
        for prediction in predictions:
            self._best.add(prediction)
            self.predictions.append(self._files.add(prediction.shortened(self._top)))
        done = len(self.predictions)
        if not self._began:  # the first ones waited for the model to be loaded
            self._began, self._first = time.monotonic(), done
        seconds = time.monotonic() - self._began
        speed = f", {rate((done - self._first) / seconds)} a second" if done > self._first else ""
        self._bar.show(done / self._total, f"{done:,} images{speed}")

    def restarted(self) -> None:
        self._output.note("The engine ended unexpectedly and was restarted.")

    def is_cancelled(self) -> bool:
        """Do nothing: Ctrl+C interrupts by itself."""
        return False

    def advanced(self, fraction: float) -> None:
        done = len(self.predictions)
        self._bar.show((done + fraction) / self._total, f"image {done + 1:,}: {percent(fraction)}")


def as_document(prediction: ImagePrediction, label: str = "") -> dict[str, object]:
    """Return a prediction as JSON data.

    Args:
        prediction: The prediction.
        label: Known class; empty if there is none.
    """
    document = {
        "image": prediction.image,
        **prediction.document(),
        "warnings": list(prediction.warnings),
        "familiarity": document_of(prediction.familiarity),
    }
    return document | ({"label": label, "right": is_right(prediction, label)} if label else {})


def _changed(
    options: argparse.Namespace, model: ModelSource, pictures: list[Picture], folder: Path
) -> list[Picture]:
    """Return copies of the images with the changes of the options.

    Raises:
        StudioError: A change does not apply to the model.
    """
    for change in CHANGES:
        if getattr(options, change):
            pictures = [
                each
                if each.problem
                else changed(each, change, model, folder / f"{change}-{number}.png")
                for number, each in enumerate(pictures)
            ]
    return pictures


def _say_differences(
    output: CommandOutput, model: ModelSource, predictions: Sequence[ImagePrediction]
) -> None:
    """Print how many images differ from the training images, how sure that is, and what helps."""
    if model.reference is None:
        output.say(
            "The images were not compared with the training images: nothing about these is stored "
            "with the model. Train again for that."
        )
        return
    compared = [each.familiarity for each in predictions if each.familiarity is not None]
    unlike = [each for each in compared if each.differences]
    if not unlike:
        return
    output.say(
        f"{len(unlike):,} of {len(compared):,} images differ from the training images; their "
        "predictions may mean nothing."
    )
    rate = model.reference.false_alarm_rate
    if rate is not None:
        output.say(
            f"Of images like the training images, {percent(rate)} are reported by mistake "
            f"(measured on {model.reference.validation_images:,} validation images)."
        )
    remedies = dict.fromkeys(remedy for each in unlike for remedy in each.remedies)
    for remedy in remedies:
        output.say(f"Try --{remedy}: {CHANGES[remedy]}.")


def _unreadable(bad: Sequence[ImagePrediction]) -> StudioError:
    names = "; ".join(f"{prediction.image}: {prediction.error}" for prediction in bad[:10])
    more = f" and {len(bad) - 10} more" if len(bad) > 10 else ""
    return StudioError(f"{len(bad)} of the images cannot be read: {names}{more}.")


def _unwritten(problems: Sequence[str]) -> StudioError:
    more = f" and {len(problems) - 10} more" if len(problems) > 10 else ""
    return StudioError(
        f"The files of {len(problems)} images were not written: {'; '.join(problems[:10])}{more}"
    )


def _print(output: CommandOutput, pairs: Iterable[tuple[ImagePrediction, str]]) -> None:
    for prediction, label in pairs:
        known = f"  (is {label})" if is_right(prediction, label) is False else ""
        doubt = "  (see the warning)" if prediction.warnings else ""
        output.write(f"{prediction.image}{known}{doubt}")
        for line in prediction.lines():
            output.say(f"  {line}")
        familiarity = prediction.familiarity
        for difference in () if familiarity is None else familiarity.differences:
            output.say(f"  ! {difference.text}")
