"""Writes the files whose predictions are timed."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import TYPE_CHECKING

from studio.engine.assets import asset
from studio.engine.benchmarks.paces import ABOUT, FILES, WrittenFile
from studio.engine.benchmarks.prediction import PredictPlan
from studio.engine.compute.backend import prepare_backend
from studio.engine.compute.train import NETWORK_FILE
from studio.engine.datasets.store import Store
from studio.engine.documents import read_document, write_document
from studio.engine.errors import StudioError
from studio.engine.exporting.variants import Variant
from studio.engine.files import disk_full_is_clear, move, remove_folder, staging_folder
from studio.engine.inference.models import named_model
from studio.engine.jobs.context import JobContext
from studio.engine.jobs.job import Job
from studio.engine.networks.library import read_network
from studio.engine.training.backends import installed_backend
from studio.engine.training.plan import RUN_PREFIX, TrainingPlan
from studio.engine.training.reference_data import training_data
from studio.engine.training.trained_models import run_with_model

if TYPE_CHECKING:
    from studio.engine.compute.exporters.source import ExportSource


def written_file(folder: Path, variant: Variant) -> WrittenFile | None:
    """What a study wrote of a variant; None where it did not yet.

    Raises:
        BadDataError: It is damaged.
    """
    return read_document(
        file_folder(folder, variant) / ABOUT, WrittenFile, "file", "Measure again."
    )


def file_folder(folder: Path, variant: Variant) -> Path:
    """Where a study keeps the file of a variant, and what runs it."""
    return folder / FILES / variant.ending


def write_files(context: JobContext, variants: list[Variant]) -> dict[Variant, str]:
    """Write what a study of predictions needs; each folder appears whole or not at all.

    Args:
        context: The study.
        variants: What is not there yet.

    Returns:
        Why some could not be written.

    Raises:
        StudioError: The model cannot be read.
        Cancelled: Somebody asked for the work to end.
    """
    # A .keras file is the same from any backend, and all formats can be written by TensorFlow.
    prepare_backend(installed_backend(), deterministic=False, seed=0, threads=None)
    # Keras may be imported only now that its backend is chosen.
    from studio.engine.compute.exporters.source import ExportSource  # noqa: PLC0415
    from studio.engine.compute.model_files import load_classifier  # noqa: PLC0415
    from studio.engine.compute.precision import in_full_precision  # noqa: PLC0415

    name = context.job.plan(PredictPlan).model
    found = named_model(context.workspace, name)
    model = in_full_precision(load_classifier(Path(found.file))[0])
    source = ExportSource(model, None, None, None, found.name)
    if name.startswith(RUN_PREFIX):
        run = run_with_model(context.workspace, name.removeprefix(RUN_PREFIX).partition("@")[0])
        trained = Job(run)
        trained.refresh()
        data = training_data(context.workspace, run)
        network = run.folder / NETWORK_FILE
        source = ExportSource(
            model,
            Store.open(data.folder, data.version),
            read_network(network) if network.is_file() else None,
            trained.current_plan(TrainingPlan),
            found.name,
        )
    problems = {}
    for at, variant in enumerate(variants):
        context.check()
        context.advance(at, len(variants), f"Writing {variant.label}")
        try:
            _write(context.folder, variant, source)
        except StudioError as error:
            problems[variant] = str(error)
    return problems


def _write(folder: Path, variant: Variant, source: ExportSource) -> None:
    from studio.engine.compute.exporters import writer_of  # noqa: PLC0415 - imports Keras

    chosen, target = variant.format, file_folder(folder, variant)
    target.parent.mkdir(exist_ok=True)
    staging = staging_folder(target.parent)
    try:
        with disk_full_is_clear(staging):
            path = staging / chosen.file
            writer_of(chosen.name)(source, path, variant.precision)
            shutil.copyfile(asset(f"export/runtimes/{chosen.runtime}.py"), staging / "runtime.py")
            height, width, channels = source.model.input_shape[1:]
            about = WrittenFile(
                model=chosen.file, shape=(height, width, channels), size_bytes=_size(path)
            )
            write_document(staging / ABOUT, about)
            remove_folder(target, ignore_errors=True)  # damaged, or there would be nothing to do
            move(staging, target)
    finally:
        remove_folder(staging, ignore_errors=True)


def _size(path: Path) -> int:
    files = [each for each in path.rglob("*") if each.is_file()] if path.is_dir() else [path]
    return sum(each.stat().st_size for each in files)
