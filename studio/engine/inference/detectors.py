"""Networks of the detectors in the library, written from their presets when first asked for."""

from __future__ import annotations

import importlib.util
from pathlib import Path

from studio.engine.errors import StudioError
from studio.engine.inference.requests import import_preset
from studio.engine.installation import install_command
from studio.engine.jobs.host import EngineHost
from studio.engine.messages import message
from studio.engine.pretrained.sources import SOURCES, PretrainedSource
from studio.engine.pretrained.store import PretrainedStore
from studio.engine.progress import Progress
from studio.engine.tasks.task import Task

OFFERED = "dfine_nano_coco"
"""The detector that is offered for boxes: the smallest, also for processors without a GPU."""


def is_keras_hub_installed() -> bool:
    """Return True if networks can be made of presets."""
    return importlib.util.find_spec("keras_hub") is not None


def offered_detector(task: Task) -> PretrainedSource | None:
    """Return the detector to get for a task; None if one is here, or the task cannot use it.

    Args:
        task: Task of a dataset.
    """
    if not task.capabilities.detector_features or PretrainedStore().detector_networks():
        return None
    return SOURCES[OFFERED]


def fetch_source(host: EngineHost, source: PretrainedSource, progress: Progress) -> Path:
    """Download the missing files of a source, and make the network of a detector.

    Without KerasHub a detector is downloaded alone.

    Args:
        host: The engine host.
        source: The source.
        progress: Receives the progress of the download and may cancel it.

    Returns:
        The folder of its files.

    Raises:
        StudioError: The preset of a detector cannot be used.
        WeightsDownloadError: A file cannot be downloaded.
        DiskFullError: No space is left.
        Cancelled: The job was asked to end.
    """
    folder = PretrainedStore().fetch(source, progress)
    if source.kind == "detector" and is_keras_hub_installed():
        detector_network(host, source, progress)
    return folder


def detector_network(host: EngineHost, source: PretrainedSource, progress: Progress) -> Path:
    """Return the archive of the network of a detector and its weights, beside the files of it.

    Missing files are downloaded. The archive is written once, and removed with the files.

    Args:
        host: The engine host.
        source: A source of the kind "detector".
        progress: Receives the progress of the download and may cancel it.

    Raises:
        StudioError: KerasHub is not installed, or the preset cannot be used.
        WeightsDownloadError: A file cannot be downloaded.
        DiskFullError: No space is left.
        Cancelled: The job was asked to end.
    """
    store = PretrainedStore()
    path = store.network_path(source)
    if path.is_file():
        return path
    # Before hundreds of megabytes are downloaded for nothing.
    if not is_keras_hub_installed():
        raise StudioError(
            "Detectors pretrained on COCO need the package keras-hub, which is not installed.",
            message("Install it: {command}", command=install_command("hub")),
            "source",
        )
    folder = store.fetch(source, progress)
    path.parent.mkdir(parents=True, exist_ok=True)
    import_preset(host, str(folder), path, source.name).result()
    progress.advance(1, 1, source.label)
    return path
