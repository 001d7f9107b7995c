"""Writes a `.pt2` file with `torch.export`, in a process whose Keras runs on PyTorch."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

from studio.engine.compute.exporters.source import ExportSource, not_expressible
from studio.engine.exporting.formats import Precision

SECONDS = 600

_SCRIPT = """
import sys
import keras
import torch

model = keras.saving.load_model(sys.argv[1], compile=False)
batch = torch.export.Dim("batch", min=1)
try:
    model.export(sys.argv[2], format="torch", dynamic_shapes={0: batch}, verbose=False)
except RuntimeError as error:
    sys.exit(next(iter(str(error.__cause__ or error).strip().splitlines()), "it said nothing"))
"""


def write(source: ExportSource, path: Path, precision: Precision) -> None:  # noqa: ARG001 - one
    """Convert the model; the file takes batches of any size.

    Args:
        source: The trained model.
        path: The file.
        precision: Always float32.

    Raises:
        StudioError: It holds an operation that PyTorch cannot export.
    """
    environment = {
        **os.environ,
        "KERAS_BACKEND": "torch",
        "KERAS_TORCH_DEVICE": "cpu",  # the file keeps the device that it was written on
        "CUDA_VISIBLE_DEVICES": "-1",
    }
    with tempfile.TemporaryDirectory(prefix="studio-torch-") as folder:
        saved = Path(folder) / "model.keras"
        source.model.save(saved)
        try:
            subprocess.run(
                [sys.executable, "-I", "-B", "-c", _SCRIPT, str(saved), str(path)],
                stdin=subprocess.DEVNULL,
                capture_output=True,
                env=environment,
                timeout=SECONDS,
                check=True,
            )
        except subprocess.CalledProcessError as error:
            lines = error.stderr.decode(errors="replace").strip().splitlines()
            reason = RuntimeError(lines[-1] if lines else f"exit code {error.returncode}")
            raise not_expressible("PyTorch", reason) from error
        except subprocess.TimeoutExpired as error:
            reason = RuntimeError(f"it took longer than {SECONDS} seconds")
            raise not_expressible("PyTorch", reason) from error
