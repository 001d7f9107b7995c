"""The process that runs an ONNX, OpenVINO or LiteRT file once, before the caller opens it.

Such a file of a few bytes can ask for all memory of the machine, or crash its runtime. This
process has a limit for its memory, and takes nothing with it when it ends. Keras files need none:
only known layers are made of them, and their weights are as large as the file.
"""

from __future__ import annotations

from contextlib import closing
from pathlib import Path
from typing import Any, Final

from studio.engine.compute.exported_models import open_exported
from studio.engine.compute.foreign_networks import open_foreign
from studio.engine.errors import BadDataError
from studio.engine.inference.models import ModelSource
from studio.engine.jobs.launch import launch_model_trial
from studio.engine.jobs.memory_limit import half_of_memory, limit_memory
from studio.engine.jobs.one_request import Replies, answer_one, replies_of
from studio.engine.progress import SilentProgress

_FORMATS: Final = frozenset({"onnx", "openvino", "tflite"})


def main() -> int:
    """Answer one request."""
    limit_memory(half_of_memory())
    return answer_one(_try)


def _try(data: dict[str, Any], replies: Replies) -> None:
    source, path = ModelSource.model_validate(data["source"]), Path(data["path"])
    if source.is_foreign:
        open_foreign(source, path)
    else:
        open_exported(source, path)
    replies.send({"end": True})


def require_runnable(source: ModelSource, path: Path) -> None:
    """Refuse a model file that does not run within half of the memory.

    Args:
        source: Its format, and how it is used.
        path: The file; unpacked, if it was packed.

    Raises:
        BadDataError: It needs more memory, crashes its runtime, or is damaged.
        StudioError: Its runtime is not installed, or it is no model of images.
    """
    if source.format not in _FORMATS:
        return
    request = {"source": source.model_dump(mode="json"), "path": str(path)}
    with closing(replies_of(launch_model_trial, request, SilentProgress())) as replies:
        if any("end" in reply for reply in replies):
            return
    raise BadDataError(
        "The model {file} crashes its runtime, or needs more than {limit:,} MB of memory.",
        "Choose an intact file, or a smaller model.",
        "model",
        file=path.name,
        limit=half_of_memory() // 2**20,
    )
