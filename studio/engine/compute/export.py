"""Writes the model of a run as files that work without Studio, and certifies them."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

from studio import __version__
from studio.engine.assets import asset
from studio.engine.compute.backend import installed_backend, prepare_backend
from studio.engine.datasets.store import Store
from studio.engine.exporting.plan import ExportPlan
from studio.engine.files import (
    disk_full_is_clear,
    placed,
    slug,
    staging_folder,
    write_atomically,
)
from studio.engine.inference.model_card import CARD, ImageCard, ModelCard
from studio.engine.jobs.context import JobContext
from studio.engine.jobs.requests import dataset_of, model_file, run_with_model, trained_version
from studio.engine.jobs.states import State
from studio.engine.workspace import Record

CERTIFICATE_FILE = "certificate.json"


def export(context: JobContext) -> State:
    """Do an export job. The folder appears whole, with its certificate, or not at all.

    Raises:
        StudioError: The model cannot be read, the place cannot be written, or the exported file
            does not give what the model gives.
        Cancelled: Somebody asked for the work to end.
    """
    plan = context.job.plan(ExportPlan)
    run = run_with_model(context.workspace, plan.run)
    store = Store.open(dataset_of(context.workspace, run).folder, trained_version(run))
    # A .keras file is the same from any backend.
    prepare_backend(installed_backend(), deterministic=False, seed=0, threads=None)

    # Keras may be imported only now that its backend is chosen.
    from studio.engine.compute.certify import certify  # noqa: PLC0415
    from studio.engine.compute.exporters import WRITERS  # noqa: PLC0415
    from studio.engine.compute.models import load_model  # noqa: PLC0415

    context.advance(0, 3, "Reading the model")
    model = load_model(model_file(run))
    parent = Path(plan.to)
    staging = staging_folder(parent)
    try:
        with disk_full_is_clear(parent):
            context.advance(1, 3, "Writing")
            written = WRITERS[plan.format](model, staging)
            _write_companions(staging, store, run, written.name)
            context.check()
            context.advance(2, 3, "Checking the exported file")
            certificate = certify(model, written, store, context)
            text = certificate.model_dump_json(indent=2) + "\n"
            write_atomically(staging / CERTIFICATE_FILE, text)
            final = _move(staging, parent, f"{slug(run.name, 'model')}-{plan.format}")
    finally:
        shutil.rmtree(staging, ignore_errors=True)
    context.advance(3, 3, "Done")
    context.result({"path": str(final), "certificate": certificate.model_dump(mode="json")})
    return State.COMPLETED


def _write_companions(folder: Path, store: Store, run: Record, model_name: str) -> None:
    card = ModelCard(
        made_by=f"Studio {__version__}",
        run=run.name,
        model=model_name,
        classes=tuple(store.classes),
        image=ImageCard.of(store.recipe),
    )
    text = json.dumps(card.model_dump(mode="json"), indent=2, ensure_ascii=False)
    write_atomically(folder / CARD, text + "\n")
    shutil.copyfile(asset("export/predict_keras.py"), folder / "predict.py")


def _move(staging: Path, parent: Path, name: str) -> Path:
    """Open the finished folder to everybody, and give it its name or the next free one."""
    staging.chmod(0o755)
    return placed(staging, parent, name)
