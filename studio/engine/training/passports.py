"""Licenses of the weights that a run started from, as they are stored with it and its exports."""

from __future__ import annotations

from pathlib import Path

from studio.engine.jobs.job import Job
from studio.engine.networks.backbones import IMAGENET
from studio.engine.pretrained.licenses import LICENSES, Passport
from studio.engine.pretrained.sources import SOURCES, source_of_backbone
from studio.engine.training.history import PassportData, RunHistory
from studio.engine.training.plan import RUN_PREFIX
from studio.engine.training.transformer_files import transformer_file
from studio.engine.workspace import Record, RecordKind, Workspace

_UNKNOWN = Passport(*[LICENSES["not-stated"]] * 3)


def passport_of_weights(
    source: str, path: Path, backbone: str, workspace: Workspace
) -> PassportData:
    """Return the licenses of starting weights; of a run, those of what it started from.

    Args:
        source: Starting weights of a plan.
        path: The file that they were read from.
        backbone: Name of the backbone of the network; empty for none.
        workspace: Holds the runs.
    """
    if source.startswith(RUN_PREFIX):
        run = source.removeprefix(RUN_PREFIX).partition("@")[0]
        return passport_of_run(workspace.find(RecordKind.RUN, run))
    if source == IMAGENET:
        found = source_of_backbone(backbone)
        return (_UNKNOWN if found is None else found.passport).to_json()
    return _of_file(path, Path(source).name).to_json()


def passport_of_run(run: Record) -> PassportData:
    """Return the licenses of the weights that a run started from; none for random ones."""
    weights = Job.read(run).with_history(RunHistory).history.weights
    return {} if weights is None else weights.passport


def _of_file(path: Path, name: str) -> Passport:
    """Return the passport of a published file, recognized by its layout or its name."""
    transformer = transformer_file(path)
    if transformer is not None:
        backbone = transformer.backbone
        found = None if backbone is None else source_of_backbone(backbone.name)
    else:
        alike = (
            each
            for each in SOURCES
            if not each.folder and any(file.name == name for file in each.files)
        )
        found = next(alike, None)
    return _UNKNOWN if found is None else found.passport
