"""Writes a training script with its network, images, learning rates and trained weights."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import keras
import numpy as np

from studio.engine.compute.exporters.keras_formats import write_weights
from studio.engine.compute.exporters.source import ExportSource
from studio.engine.compute.measuring_process import last_line
from studio.engine.compute.optimizers import rates_of
from studio.engine.compute.tasks import learning_of
from studio.engine.datasets.export import all_splits, export_dataset
from studio.engine.errors import StudioError
from studio.engine.exporting.formats import Precision
from studio.engine.exporting.script import RATES_FILE, training_script
from studio.engine.progress import SilentProgress

SECONDS = 600


def write(source: ExportSource, path: Path, precision: Precision) -> None:
    """Write `train.py` with its files, and run one step of it in a separate process.

    Args:
        source: Model to export.
        path: File of the weights; the script is written next to it.
        precision: Not used; always float32.

    Raises:
        StudioError: No script can repeat such a run, or the script failed.
    """
    write_weights(source, path, precision)
    plan, store, spec = source.plan, source.store, source.spec
    if spec is None or plan is None or store is None:  # the writer of the weights refuses that
        raise AssertionError("a network without a description was written")
    steps = -(-len(store.rows("train")) // plan.batch_size) * plan.epochs
    table = rates_of(plan, steps).get_config()
    is_constant = len(set(table["rates"])) == 1
    if not is_constant:
        np.save(path.with_name(RATES_FILE), np.array(table["rates"]))
    weights = learning_of(store).weights(plan)
    text = training_script(
        plan,
        spec,
        store.task,
        run=source.name,
        splits=store.counts(),
        weights=None if weights is None else weights.tolist(),
        stride=None if is_constant else table["stride"],
    )
    path.with_name("train.py").write_text(text, encoding="utf-8")
    export_dataset(store, "npz", all_splits(store), path.parent, "data", SilentProgress())
    _try(path.parent)


def _try(folder: Path) -> None:
    environment = {
        **os.environ,
        "KERAS_BACKEND": keras.backend.backend(),
        "TF_CPP_MIN_LOG_LEVEL": "3",
        "PYTHONDONTWRITEBYTECODE": "1",
    }
    environment.pop("PYTHONPATH", None)
    done = subprocess.run(
        [sys.executable, "train.py", "--check"],
        cwd=folder,
        env=environment,
        capture_output=True,
        timeout=SECONDS,
        check=False,
    )
    if done.returncode:
        raise StudioError(
            "The training script failed, exit code {code}: {reason}.",
            "Please report this.",
            "format",
            code=done.returncode,
            reason=last_line(done.stderr),
        )
