"""Holds exported files against the model they came from, on real images, in fresh processes."""

from __future__ import annotations

import contextlib
import json
import os
import platform
import re
import subprocess
import sys
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
from studio.engine.compute.models import Scores, score
from studio.engine.datasets.store import Store
from studio.engine.errors import StudioError
from studio.engine.exporting.certificate import MOST_NAMED, Certificate, Disagreement
from studio.engine.exporting.variants import Variant
from studio.engine.progress import Progress
from studio.engine.proportions import wilson

IMAGES = 1000
BATCH = 64
EXAMPLE = "example.png"
SCRIPT_TOLERANCE = 1e-3
"""Batches of another size may be computed in another order."""
SECONDS = 600
LOOK_SECONDS = 0.2


@dataclass(frozen=True)
class Ruler:
    """What exported files are held against.

    Attributes:
        store: The dataset.
        split: The split whose images are used.
        rows: Their rows, at most `IMAGES`.
        scores: What the model makes of them, float32, n x classes.
        pixels: A file with them, uint8, n x height x width x channels.
    """

    store: Store
    split: str
    rows: NDArray[np.int64]
    scores: Scores
    pixels: Path


@contextlib.contextmanager
def ruler(model: keras.Model, store: Store, progress: Progress) -> Iterator[Ruler]:
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
        yield Ruler(store, split, rows, np.concatenate(parts), pixels)


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
    with tempfile.TemporaryDirectory(prefix="studio-export-") as scratch:
        path = Path(scratch) / "scores.npy"
        figures = _measure([str(folder), str(ruler.pixels), str(path)], variant, progress)
        theirs: Scores = np.load(path)
    if theirs.shape != ruler.scores.shape or not np.isfinite(theirs).all():
        raise StudioError(
            f"The exported file ({variant.label}) gives no scores for the classes: "
            f"{theirs.shape} or not finite.",
            "Choose another format or precision.",
            "format",
        )
    script = {guess["class"]: guess["score"] for guess in figures.pop("script")}
    pairs = zip(ruler.store.classes, theirs[0], strict=True)
    worst = max(abs(script[name] - value) for name, value in pairs)
    labels = ruler.store.labels[ruler.rows]
    accuracy = float((theirs.argmax(axis=1) == labels).mean())
    before = float((ruler.scores.argmax(axis=1) == labels).mean())
    differ = np.flatnonzero(ruler.scores.argmax(axis=1) != theirs.argmax(axis=1))
    certificate = Certificate(
        split=ruler.split,
        count=len(ruler.rows),
        accuracy=accuracy,
        accuracy_interval=wilson(accuracy * len(ruler.rows), len(ruler.rows)),
        accuracy_change=accuracy - before,
        largest_difference=float(np.abs(ruler.scores - theirs).max()),
        disagreements=len(differ),
        size_bytes=_size(folder / model_name),
        script_checked=bool(worst <= SCRIPT_TOLERANCE),
        format=variant.format.name,
        precision=variant.precision,
        machine=machine(),
        disagreeing=tuple(_disagreement(ruler, theirs, int(at)) for at in differ[:MOST_NAMED]),
        **figures,
    )
    return certificate, theirs[0]


def machine() -> str:
    """What was measured on, without naming the machine."""
    return f"{platform.system()} {platform.machine()}, {os.cpu_count()} CPU cores"


def _disagreement(ruler: Ruler, theirs: Scores, at: int) -> Disagreement:
    store, row = ruler.store, int(ruler.rows[at])
    path = store.paths[row].encode("utf-8", "surrogateescape").decode("utf-8", "replace")
    return Disagreement(
        row=row,
        path=path,
        truth=store.classes[int(store.labels[row])],
        model=store.classes[int(ruler.scores[at].argmax())],
        file=store.classes[int(theirs[at].argmax())],
    )


def _size(path: Path) -> int:
    files = [each for each in path.rglob("*") if each.is_file()] if path.is_dir() else [path]
    return sum(each.stat().st_size for each in files)


def _measure(words: list[str], variant: Variant, progress: Progress) -> dict[str, Any]:
    """Run `measure.py` in a fresh process that sees no Studio, on the CPU.

    All are measured there: of a graphics card, small runtimes would not use anything.
    """
    process = subprocess.Popen(
        [sys.executable, "-I", "-B", str(asset("export/measure.py")), *words],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=_environment(),
    )
    try:
        out, told = _outcome(process, progress)
    finally:
        process.kill()
        process.wait()
    if process.returncode != 0:
        raise StudioError(
            f"The exported file ({variant.label}) cannot be run, exit code "
            f"{process.returncode}: {_last_word(told)}.",
            "Choose another format or precision, and please report this.",
            "format",
        )
    figures: dict[str, Any] = json.loads(out.splitlines()[-1])
    return figures


def _outcome(process: subprocess.Popen[bytes], progress: Progress) -> tuple[bytes, bytes]:
    for _ in range(round(SECONDS / LOOK_SECONDS)):
        try:
            return process.communicate(timeout=LOOK_SECONDS)
        except subprocess.TimeoutExpired:
            progress.check()
    raise StudioError(
        f"The exported file gave no answer in {SECONDS} seconds.", "Choose another format."
    )


def _environment() -> dict[str, str]:
    changes = {
        "KERAS_BACKEND": keras.backend.backend(),
        "TF_CPP_MIN_LOG_LEVEL": "3",
        "CUDA_VISIBLE_DEVICES": "-1",
    }
    return {**os.environ, **changes}


def _last_word(stderr: bytes) -> str:
    """The last line that is not one of TensorFlow's own log lines."""
    lines = stderr.decode(errors="replace").strip().splitlines()
    told = [line for line in lines if not re.match(r"[IWE]\d{4} |WARNING: All log", line)]
    return told[-1].strip().rstrip(".") if told else "it said nothing"
