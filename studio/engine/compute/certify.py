"""Holds an exported file against the model it came from, on real images."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import keras
import numpy as np
from numpy.typing import NDArray
from PIL import Image

from studio.engine.compute.latency import latency_ms
from studio.engine.compute.models import Scores, load_model, score
from studio.engine.datasets.store import Store
from studio.engine.errors import StudioError
from studio.engine.exporting.certificate import Certificate
from studio.engine.progress import Progress

IMAGES = 1000
BATCH = 64
EXAMPLE = "example.png"
SCRIPT_TOLERANCE = 1e-4
SCRIPT_SECONDS = 180


def certify(model: keras.Model, exported: Path, store: Store, progress: Progress) -> Certificate:
    """Measure an exported `.keras` file.

    Writes `example.png`, a picture of the dataset, beside it, and runs `predict.py` on that in a
    fresh process.

    Raises:
        StudioError: The script failed, or did not give the model's answer.
        Cancelled: Somebody asked for the work to end.
    """
    split = next(name for name in ("test", "val", "train") if len(store.rows(name)))
    rows = store.rows(split)
    if len(rows) > IMAGES:
        rows = rows[np.linspace(0, len(rows) - 1, IMAGES).astype(np.int64)]
    again = load_model(exported)
    ours = _scores(model, store, rows, progress)
    theirs = _scores(again, store, rows, progress)
    labels = store.labels[rows]
    accuracy = float((theirs.argmax(axis=1) == labels).mean())
    before = float((ours.argmax(axis=1) == labels).mean())
    _check_script(exported.parent, store, int(rows[0]), ours[0])
    return Certificate(
        split=split,
        count=len(rows),
        accuracy=accuracy,
        accuracy_change=accuracy - before,
        largest_difference=float(np.abs(ours - theirs).max()),
        disagreements=int((ours.argmax(axis=1) != theirs.argmax(axis=1)).sum()),
        size_bytes=exported.stat().st_size,
        latency_ms=latency_ms(again, store.images[rows[:1]]),
        script_checked=True,
    )


def _scores(
    model: keras.Model, store: Store, rows: NDArray[np.int64], progress: Progress
) -> Scores:
    parts = []
    for start in range(0, len(rows), BATCH):
        progress.check()
        parts.append(score(model, store.images[rows[start : start + BATCH]]))
    return np.concatenate(parts)


def _check_script(folder: Path, store: Store, row: int, expected: Scores) -> None:
    """Run the exported script as its user will, on a picture whose answer is known."""
    pixels = store.images[row]
    image = Image.fromarray(pixels[:, :, 0] if pixels.shape[2] == 1 else pixels)
    image.save(folder / EXAMPLE)
    words = [sys.executable, str(folder / "predict.py"), str(folder / EXAMPLE), "--json"]
    done = subprocess.run(
        [*words, "--top", str(len(store.classes))],
        capture_output=True,
        timeout=SCRIPT_SECONDS,
        check=False,
        cwd=folder,
    )
    if done.returncode != 0:
        raise StudioError(
            f"The exported script failed with exit code {done.returncode}: "
            f"{_last_word(done.stderr)}.",
            "Nothing was exported. Please report this.",
        )
    answer = json.loads(done.stdout.splitlines()[-1])[0]["predictions"]
    given = {guess["class"]: guess["score"] for guess in answer}
    worst = max(abs(given[name] - expected[i]) for i, name in enumerate(store.classes))
    if worst > SCRIPT_TOLERANCE:
        raise StudioError(
            f"The exported script gives other scores than the model (by up to {worst:.2g}).",
            "Nothing was exported. Please report this.",
        )


def _last_word(stderr: bytes) -> str:
    """The last line that is not one of TensorFlow's own log lines."""
    lines = stderr.decode(errors="replace").strip().splitlines()
    told = [line for line in lines if not re.match(r"[IWE]\d{4} |WARNING: All log", line)]
    return told[-1].strip().rstrip(".") if told else "it said nothing"
