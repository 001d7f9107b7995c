"""Compares exported files with their trained model, on real images and in fresh processes."""

from __future__ import annotations

import contextlib
import math
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

from studio.engine.arrays import ScoreRows
from studio.engine.compute.measuring_process import LatencyReference, MeasuringProcess
from studio.engine.compute.models import score
from studio.engine.datasets.origins.counts import measured_on
from studio.engine.datasets.store import Store
from studio.engine.errors import StudioError
from studio.engine.evaluation.measures import ImageGroups
from studio.engine.evaluation.report_builder import exact_intervals
from studio.engine.exporting.certificate import MAX_NAMED, Certificate, DifferentPrediction
from studio.engine.exporting.formats import FORMATS, Variant
from studio.engine.inference.models import ModelCard
from studio.engine.messages import message
from studio.engine.networks.library import KERAS_MODEL
from studio.engine.progress import Progress
from studio.engine.tasks.calibration import Calibration
from studio.engine.tasks.decoding import SCORE
from studio.engine.tasks.parts.prediction import Prediction
from studio.engine.tasks.prediction import Meaning
from studio.engine.timing import (
    ProcessorLoad,
    Turns,
    cpu_ms,
    in_turns,
    least_disturbed_ms,
    relative_latency,
)
from studio.engine.training.dataset_statistics import target_scale

IMAGES = 1000
_LEAST_IMAGES = 8
_MOST_OUTPUTS = 2**26
"""Largest number of outputs of the model for all images together."""
BATCH = 64
BATCH_TIMED, BATCH_TURNS = 32, Turns(pairs=15, least=3, seconds=1.5)
SCRIPT_TOLERANCE = 1e-3
"""Largest difference of script and file, in scales: the size of a batch changes the rounding."""


@dataclass(frozen=True)
class ReferenceOutputs:
    """The outputs of the trained model on real images, with which exported files are compared.

    Attributes:
        store: The dataset.
        split: The split whose images are used.
        rows: Their rows, at most `IMAGES`.
        outputs: Outputs of the trained model, float32, n x K.
        pixels: File with the images, n x height x width x channels.
        latency: The trained model in a process, beside which exported files are timed.
        calibration: Calibration of the trained model.
        scales: Scale of each output, K; empty for probabilities. See `target_scale`.
    """

    store: Store
    split: str
    rows: NDArray[np.int64]
    outputs: ScoreRows
    pixels: Path
    latency: LatencyReference
    calibration: Calibration
    scales: tuple[float, ...]

    @property
    def divisors(self) -> NDArray[np.float64]:
        """The scales, shape (K,); 1 for probabilities."""
        return np.array(self.scales or (1.0,))


@contextlib.contextmanager
def reference_outputs(
    model: keras.Model, store: Store, calibration: Calibration, progress: Progress
) -> Iterator[ReferenceOutputs]:
    """Choose the images and compute the outputs of the model once, for all files.

    Uses test images if there are any. The file of the images exists within the block.

    Args:
        model: The exported model.
        store: The dataset.
        calibration: Thresholds or margins of the outputs.
        progress: Receives the progress and may cancel.

    Raises:
        Cancelled: The user cancelled.
    """
    split = next(name for name in ("test", "val", "train") if len(store.rows(name)))
    rows = store.rows(split)
    # The maps of large images are many numbers.
    most = max(_LEAST_IMAGES, min(IMAGES, _MOST_OUTPUTS // math.prod(model.output_shape[1:])))
    if len(rows) > most:
        rows = rows[np.linspace(0, len(rows) - 1, most).astype(np.int64)]
    with tempfile.TemporaryDirectory(prefix="studio-export-") as folder:
        images, parts = np.asarray(store.images[rows]), []
        for start in range(0, len(rows), BATCH):
            progress.check()
            parts.append(score(model, images[start : start + BATCH]))
        pixels = Path(folder) / "images.npy"
        np.save(pixels, images)

        def start_reference() -> MeasuringProcess:
            return _keras_process(model, Path(folder) / "reference", pixels, progress)

        with LatencyReference(start_reference, progress) as latency:
            outputs, scale = np.concatenate(parts), target_scale(store)
            scales = () if scale is None else scale.deviation
            yield ReferenceOutputs(
                store, split, rows, outputs, pixels, latency, calibration, scales
            )


def _require_valid(outputs: ScoreRows, shape: tuple[int, ...], variant: Variant) -> None:
    """Refuse outputs of another shape than the model's, or that are not finite numbers.

    Args:
        outputs: Outputs of an exported file.
        shape: Shape of those of the model.
        variant: Format and precision of the file.

    Raises:
        StudioError: They are not valid.
    """
    if outputs.shape != shape:
        raise StudioError(
            "The exported file ({format}) gives outputs of shape {shape}; the "
            "model gives {expected}.",
            "Choose another format or precision.",
            "format",
            format=variant.label,
            shape=outputs.shape,
            expected=shape,
        )
    if not np.isfinite(outputs).all():
        raise StudioError(
            "The exported file ({format}) gives outputs that are not finite numbers.",
            "Choose another format or precision.",
            "format",
            format=variant.label,
        )


def certify(
    folder: Path,
    card: ModelCard,
    variant: Variant,
    reference: ReferenceOutputs,
    progress: Progress,
) -> tuple[Certificate, ScoreRows]:
    """Run an exported file with the script in its folder, and measure it.

    Args:
        folder: Folder of the export, complete except for the certificate and the README.
        card: Content of its `labels.json`: the file, and what it returns.
        variant: Format and precision of the file.
        reference: Outputs with which it is compared.
        progress: Can cancel the measurement.

    Returns:
        The certificate, not judged yet, and the outputs for the example, see `SelfTest`.

    Raises:
        StudioError: The file is not valid, or cannot be run.
        Cancelled: The user cancelled.
    """
    file = folder / card.model
    if variant.format.name == "onnx":
        # onnxruntime also runs files that other runtimes refuse.
        from studio.engine.compute.exporters import onnx_file  # noqa: PLC0415 - an extra

        onnx_file.check(file)
    figures, outputs = _measure(file, variant, reference, progress)
    expected = _decoded(reference, reference.outputs)
    model_outputs = expected if card.decoded else reference.outputs
    _require_valid(outputs, model_outputs.shape, variant)
    found = outputs if card.decoded else _decoded(reference, outputs)
    is_as_script = _is_as_script(reference, found[0], figures.pop("script"))
    compared, disagreeing = _compared(reference, found, expected)
    if card.decoded:
        # Rows of different objects cannot be compared; scores by rank can.
        outputs, model_outputs = outputs[..., SCORE], model_outputs[..., SCORE]
    differences = np.abs(model_outputs - outputs) / reference.divisors
    certificate = Certificate(
        split=reference.split,
        count=len(reference.rows),
        measured_on=measured_on(
            reference.store.origins, reference.store.rows("train"), reference.rows
        ),
        scale=float(np.mean(reference.scales)) if reference.scales else None,
        largest_difference=float(differences.max()),
        disagreements=len(disagreeing),
        size_bytes=_size(file),
        script_checked=is_as_script,
        format=variant.format.name,
        precision=variant.precision,
        machine=machine(),
        disagreeing=tuple(
            _disagreement(reference, found, expected, int(at)) for at in disagreeing[:MAX_NAMED]
        ),
        **compared,
        **figures,
    )
    return certificate, outputs[0].reshape(-1, outputs.shape[-1]).mean(axis=0)


def _decoded(reference: ReferenceOutputs, outputs: ScoreRows) -> NDArray[Any]:
    """Decode outputs, see `Reporter.decoded`."""
    store = reference.store
    return store.task.reporter.decoded(outputs, store.shape[:2])


def _is_as_script(
    reference: ReferenceOutputs, decoded: NDArray[Any], script: list[dict[str, Any]]
) -> bool:
    """Return True if the script predicts the same as the file.

    Args:
        reference: Names and scales of the outputs.
        decoded: Decoded outputs of the file for the example, see `Reporter.decoded`.
        script: Prediction of the script for it.
    """
    names = reference.store.classes
    tolerances = np.broadcast_to(SCRIPT_TOLERANCE * reference.divisors, len(names))
    by_name = dict(zip(names, tolerances.tolist(), strict=True))
    return _prediction(reference, decoded).is_as_script(script, by_name)


def _compared(
    reference: ReferenceOutputs, outputs: NDArray[Any], expected: NDArray[Any]
) -> tuple[dict[str, Any], NDArray[np.intp]]:
    """Return the metrics of the file, and the indices of images with another prediction.

    Args:
        reference: The images.
        outputs: Decoded outputs of the file.
        expected: Decoded outputs of the model.
    """
    store = reference.store
    reporter = store.task.reporter
    targets, calibration = store.targets[reference.rows], reference.calibration
    truth = store.examples(reference.rows)
    evidence, model_evidence = (
        reporter.evidence(each, truth, len(store.classes)) for each in (outputs, expected)
    )
    metrics, model_metrics = (
        reporter.measure(each, targets, calibration).known for each in (evidence, model_evidence)
    )
    groups = ImageGroups.of(store.origins.groups[reference.rows])
    proportions = reporter.proportions(evidence, targets, calibration)
    intervals = exact_intervals(proportions, groups).get(None, {})
    found = {
        "task": store.task.name,
        reporter.agreement_name: reporter.agreement(expected, outputs, calibration),
        **reporter.certified(metrics, model_metrics, intervals),
    }
    different = reporter.disagree(expected, outputs, calibration, reference.divisors)
    return found, np.flatnonzero(different)


def machine() -> str:
    """Return the kind of this machine, without its name."""
    return message(
        "{system} {machine}, {cores} CPU cores",
        system=platform.system(),
        machine=platform.machine(),
        cores=os.cpu_count(),
    )


def _disagreement(
    reference: ReferenceOutputs, outputs: NDArray[Any], expected: NDArray[Any], at: int
) -> DifferentPrediction:
    """Name an image with different predictions.

    Args:
        reference: The images.
        outputs: Decoded outputs of the file.
        expected: Decoded outputs of the model.
        at: Index of the image.
    """
    store, row = reference.store, int(reference.rows[at])
    path = store.paths[row].encode("utf-8", "surrogateescape").decode("utf-8", "replace")
    truth = store.annotation(row)
    model, file = _brief(reference, expected[at]), _brief(reference, outputs[at])
    return DifferentPrediction(row=row, path=path, truth=truth, model=model, file=file)


def _brief(reference: ReferenceOutputs, decoded: NDArray[Any]) -> str:
    """Describe the decoded outputs for an image in a few words."""
    return _prediction(reference, decoded).brief()


def _prediction(reference: ReferenceOutputs, decoded: NDArray[Any]) -> Prediction:
    """Return the prediction of the decoded outputs for an image of the dataset."""
    store, predictor = reference.store, reference.store.task.predictor
    meaning = Meaning(store.classes, store.units, reference.calibration, store.colors)
    height, width = store.shape[:2]
    return predictor.of_decoded(decoded, (width, height), meaning)


def _size(path: Path) -> int:
    files = [each for each in path.rglob("*") if each.is_file()] if path.is_dir() else [path]
    return sum(each.stat().st_size for each in files)


def _measure(
    file: Path, variant: Variant, reference: ReferenceOutputs, progress: Progress
) -> tuple[dict[str, Any], ScoreRows]:
    """Run a file in a new process, timed in turns with the model: its figures and outputs."""
    with (
        tempfile.TemporaryDirectory(prefix="studio-export-") as scratch,
        MeasuringProcess(variant.label, file, progress, _environment()) as process,
    ):
        path = Path(scratch) / "scores.npy"
        process.ask("images", file=str(reference.pixels))
        process.ask("scores", to=str(path))
        outputs: ScoreRows = np.load(path)
        figures = process.ask("libraries")
        figures |= _latency(process, reference.latency, len(reference.rows))
        figures |= process.ask("script")
    return figures, outputs


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
    shutil.copyfile(FORMATS["keras"].script, folder / "runtime.py")
    process = MeasuringProcess("Keras", folder / KERAS_MODEL, progress, _environment())
    try:
        process.ask("images", file=str(pixels))
    except BaseException:
        process.close()
        raise
    return process


def _environment() -> dict[str, str]:
    """Return environment variables for the CPU: most of the small runtimes do not use a GPU."""
    changes = {
        "KERAS_BACKEND": keras.backend.backend(),
        "TF_CPP_MIN_LOG_LEVEL": "3",
        "CUDA_VISIBLE_DEVICES": "-1",
    }
    return {**os.environ, **changes}
