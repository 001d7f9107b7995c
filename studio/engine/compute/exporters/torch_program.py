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

keras.config.disable_traceback_filtering()  # its errors would begin with no reason
model = keras.saving.load_model(sys.argv[1], compile=False)

class Program(torch.nn.Module):
    def forward(self, images):
        return model(images, training=False)

images = torch.zeros(2, *model.input_shape[1:])  # a batch of 1 would become a constant
batch = {0: torch.export.Dim("batch", min=1)}
try:
    with torch.no_grad():
        program = torch.export.export(Program(), (images,), dynamic_shapes=(batch,), strict=False)
except Exception as error:  # of any kind: whatever a layer or torch.export raises
    sys.exit(next(iter(str(error).strip().splitlines()), type(error).__name__))
for node in program.graph.nodes:
    node.meta.pop("stack_trace", None)  # with paths of this machine
torch.export.save(program, sys.argv[2])
"""
"""Keras' own `format="torch"` registers the model, too, and stores all weights twice."""


def write(source: ExportSource, path: Path, precision: Precision) -> None:  # noqa: ARG001 - one
    """Convert the model; the file takes batches of any size.

    Args:
        source: The trained model.
        path: The file.
        precision: Always float32.

    Raises:
        StudioError: It contains an operation that PyTorch cannot export.
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
