"""Holds exported files against the model they came from, on real images, in fresh processes."""

from __future__ import annotations

import contextlib
import os
import platform
import shutil
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import keras
import numpy as np
from numpy.typing import NDArray
from PIL import Image

from studio.engine.assets import asset
from studio.engine.compute.measuring_process import LatencyReference, MeasuringProcess
from studio.engine.compute.models import Scores, score
from studio.engine.datasets.store import Store
from studio.engine.errors import StudioError
from studio.engine.exporting.certificate import MOST_NAMED, Certificate, Disagreement
from studio.engine.exporting.formats import Variant
from studio.engine.networks.exported import KERAS_MODEL
from studio.engine.paired_timing import (
    Turns,
    cpu_ms,
    in_turns,
    least_disturbed_ms,
    relative_latency,
)
from studio.engine.processor_load import ProcessorLoad
from studio.engine.progress import Progress
from studio.engine.proportions import wilson
from studio.engine.tasks.answer import Calibration
from studio.engine.tasks.prediction import Meaning
from studio.engine.training.dataset_statistics import target_scale

IMAGES = 1000
BATCH = 64
BATCH_TIMED, BATCH_TURNS = 32, Turns(pairs=15, least=3, seconds=1.5)
EXAMPLE = "example.png"
SCRIPT_TOLERANCE, ROUNDING = 1e-3, 1e-6
"""Batches of another size may be computed in another order: scales, and parts of the value."""


@dataclass(frozen=True)
class Ruler:
    """What exported files are held against.

    Attributes:
        store: The dataset.
        split: The split whose images are used.
        rows: Their rows, at most `IMAGES`.
        scores: What the model makes of them, float32, n x classes.
        pixels: A file with them, uint8, n x height x width x channels.
        reference: The model itself, beside which exported files are timed.
        calibration: Of the model.
        scales: Standard deviation of each training target; empty for probabilities.
    """

    store: Store
    split: str
    rows: NDArray[np.int64]
    scores: Scores
    pixels: Path
    reference: LatencyReference
    calibration: Calibration
    scales: tuple[float, ...]

    @property
    def divisors(self) -> NDArray[np.float64]:
        """The scales; 1 for probabilities."""
        return np.array(self.scales or (1.0,))


@contextlib.contextmanager
def ruler(
    model: keras.Model, store: Store, calibration: Calibration, progress: Progress
) -> Iterator[Ruler]:
    """Choose the images and score them once, for all files.

    The test images where there are any; within the block they lie in a file of their own.

    Raises:
        Cancelled: Somebody asked for the work to end.
    """
    split = next(name for name in ("test", "val", "train") if len(store.rows(name)))
    rows = store.rows(split)
    if len(rows) > IMAGES:
        rows = rows[np.linspace(0, len(rows) - 1, IMAGES).astype(np.int64)]
    with tempfile.TemporaryDirectory(prefix="studio-export-") as folder:
        images, parts = np.asarray(store.images[rows]), []
        for start in range(0, len(rows), BATCH):
            progress.check()
            parts.append(score(model, images[start : start + BATCH]))
        pixels = Path(folder) / "images.npy"
        np.save(pixels, images)

        def start_reference() -> MeasuringProcess:
            return _keras_process(model, Path(folder) / "reference", pixels, progress)

        with LatencyReference(start_reference, progress) as reference:
            scores = np.concatenate(parts)
            scale = target_scale(store)
            scales = () if scale is None else scale.deviation
            yield Ruler(store, split, rows, scores, pixels, reference, calibration, scales)


def write_example(folder: Path, ruler: Ruler) -> None:
    """Put the first of the images beside an exported file, as a picture."""
    pixels = np.asarray(ruler.store.images[int(ruler.rows[0])])
    image = Image.fromarray(pixels[:, :, 0] if pixels.shape[2] == 1 else pixels)
    image.save(folder / EXAMPLE)


def certify(
    folder: Path, model_name: str, variant: Variant, ruler: Ruler, progress: Progress
) -> tuple[Certificate, Scores]:
    """Run an exported file, by the script that lies beside it, and measure.

    Args:
        folder: That of the export; all but the certificate and its text is there.
        model_name: Name of the file, or folder, that holds the model.
        variant: What it is.
        ruler: What it is held against.
        progress: Asked whether to go on.

    Returns:
        The certificate, not judged yet, and the scores of the example.

    Raises:
        StudioError: It is not valid, or cannot be run.
        Cancelled: Somebody asked for the work to end.
    """
    if variant.format.name == "onnx":
        # onnxruntime also runs files that other runtimes refuse.
        from studio.engine.compute.exporters import onnx_file  # noqa: PLC0415 - an extra

        onnx_file.check(folder / model_name)
    figures, theirs = _measure(folder / model_name, variant, ruler, progress)
    if theirs.shape != ruler.scores.shape or not np.isfinite(theirs).all():
        raise StudioError(
            f"The exported file ({variant.label}) gives no scores for the classes: "
            f"{theirs.shape} or not finite.",
            "Choose another format or precision.",
            "format",
        )
    script = {guess["class"]: guess["score"] for guess in figures.pop("script")}
    by_script = np.array([script[name] for name in ruler.store.classes])
    near = SCRIPT_TOLERANCE * ruler.divisors
    compared, differ = _compared(ruler, theirs)
    certificate = Certificate(
        split=ruler.split,
        count=len(ruler.rows),
        scale=float(np.mean(ruler.scales)) if ruler.scales else None,
        largest_difference=float((np.abs(ruler.scores - theirs) / ruler.divisors).max()),
        disagreements=len(differ),
        size_bytes=_size(folder / model_name),
        script_checked=bool(np.isclose(by_script, theirs[0], rtol=ROUNDING, atol=near).all()),
        format=variant.format.name,
        precision=variant.precision,
        machine=machine(),
        disagreeing=tuple(_disagreement(ruler, theirs, int(at)) for at in differ[:MOST_NAMED]),
        **compared,
        **figures,
    )
    return certificate, theirs[0]


def _compared(ruler: Ruler, theirs: Scores) -> tuple[dict[str, Any], NDArray[np.intp]]:
    """Return the metrics of the file, and the places of images with another answer."""
    store, ours, count = ruler.store, ruler.scores, len(ruler.rows)
    reporter = store.task.reporter
    if reporter is None:
        labels = store.labels[ruler.rows]
        accuracy = float((theirs.argmax(axis=1) == labels).mean())
        before = float((ours.argmax(axis=1) == labels).mean())
        found = {
            "accuracy": accuracy,
            "accuracy_interval": wilson(accuracy * count, count),
            "accuracy_change": accuracy - before,
        }
        return found, np.flatnonzero(ours.argmax(axis=1) != theirs.argmax(axis=1))
    targets, calibration = store.required_targets[ruler.rows], ruler.calibration
    metrics, before_ = (
        {
            name: value
            for name, value in reporter.measure(each, targets, calibration).whole.items()
            if np.isfinite(value)
        }
        for each in (theirs, ours)
    )
    found = {"task": store.task.name, "metrics": metrics, "model_metrics": before_}
    return found, np.flatnonzero(reporter.differ(ours, theirs, calibration, ruler.divisors))


def machine() -> str:
    """What was measured on, without naming the machine."""
    return f"{platform.system()} {platform.machine()}, {os.cpu_count()} CPU cores"


def _disagreement(ruler: Ruler, theirs: Scores, at: int) -> Disagreement:
    store, row = ruler.store, int(ruler.rows[at])
    path = store.paths[row].encode("utf-8", "surrogateescape").decode("utf-8", "replace")
    if store.targets is None:
        truth = store.classes[int(store.labels[row])]
    else:
        truth = _brief(ruler, store.targets[row])
    model, file = _brief(ruler, ruler.scores[at]), _brief(ruler, theirs[at])
    return Disagreement(row=row, path=path, truth=truth, model=model, file=file)


def _brief(ruler: Ruler, outputs: NDArray[Any]) -> str:
    """Return what outputs, shape (K,), answer, in a few words."""
    store, predictor = ruler.store, ruler.store.task.predictor
    meaning = Meaning(store.classes, store.units, ruler.calibration)
    (answer,) = predictor.answers(outputs.astype(np.float32)[None], meaning, 1)
    return predictor.brief(answer)


def _size(path: Path) -> int:
    files = [each for each in path.rglob("*") if each.is_file()] if path.is_dir() else [path]
    return sum(each.stat().st_size for each in files)


def _measure(
    file: Path, variant: Variant, ruler: Ruler, progress: Progress
) -> tuple[dict[str, Any], Scores]:
    """Run a file in a process of its own, timed in turns with the model: figures and scores."""
    with (
        tempfile.TemporaryDirectory(prefix="studio-export-") as scratch,
        MeasuringProcess(variant.label, file, progress, _environment()) as process,
    ):
        path = Path(scratch) / "scores.npy"
        process.ask("images", file=str(ruler.pixels))
        process.ask("scores", to=str(path))
        theirs: Scores = np.load(path)
        figures = process.ask("libraries")
        figures |= _latency(process, ruler.reference, len(ruler.rows))
        figures |= process.ask("script")
    return figures, theirs


def _latency(process: MeasuringProcess, reference: LatencyReference, count: int) -> dict[str, Any]:
    """Time single images in turns with the model, and whole batches."""
    process.warm()
    model = reference.warmed()
    load = ProcessorLoad()
    blocks, others = in_turns(process.block, model.block if model is not None else None)
    times = [each for block in blocks for each in block.times_ms]
    process.warm(BATCH_TIMED)
    batches, _ = in_turns(lambda: process.block(BATCH_TIMED, 1), None, BATCH_TURNS)
    size = min(BATCH_TIMED, count)
    return {
        "batch_size": size,
        "images_per_second": size * 1000 / least_disturbed_ms(batches),
        "latency_ms": float(np.percentile(times, 50)),
        "latency_p95_ms": float(np.percentile(times, 95)),
        "cpu_ms": cpu_ms(blocks),
        "relative_latency": relative_latency(blocks, others) if others else None,
        "others_share": load.of_others(),
    }


def _keras_process(
    model: keras.Model, folder: Path, pixels: Path, progress: Progress
) -> MeasuringProcess:
    """Write the model to a new folder and start a process that has loaded images and model."""
    folder.mkdir()
    model.save(folder / KERAS_MODEL)
    shutil.copyfile(asset("export/runtimes/keras.py"), folder / "runtime.py")
    process = MeasuringProcess("Keras", folder / KERAS_MODEL, progress, _environment())
    try:
        process.ask("images", file=str(pixels))
    except BaseException:
        process.close()
        raise
    return process


def _environment() -> dict[str, str]:
    """All are measured on the CPU: of a graphics card, small runtimes would not use anything."""
    changes = {
        "KERAS_BACKEND": keras.backend.backend(),
        "TF_CPP_MIN_LOG_LEVEL": "3",
        "CUDA_VISIBLE_DEVICES": "-1",
    }
    return {**os.environ, **changes}
