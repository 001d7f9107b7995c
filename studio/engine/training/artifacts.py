"""Names of what a run keeps: its model, its checkpoints, and its latency."""

from __future__ import annotations

from studio.engine.jobs.history import JobHistory

MODEL_ARTIFACT = "model"
LATENCY = "latency_ms"
"""Key in the result of a run: median milliseconds for one image, if that was to be measured."""

_CHECKPOINT = "checkpoint-"


def checkpoint_artifact(epoch: float) -> str:
    """Name of the artifact that holds the weights after so many epochs, to a hundredth."""
    return f"{_CHECKPOINT}{round(epoch, 2):g}"


def checkpoints_of(history: JobHistory) -> list[float]:
    """The epochs after which weights of a run were kept, ascending."""
    names = [name for name in history.artifacts if name.startswith(_CHECKPOINT)]
    return sorted(float(name.removeprefix(_CHECKPOINT)) for name in names)
