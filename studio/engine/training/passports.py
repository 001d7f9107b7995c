"""Licenses of the weights that a run started from, as they are stored with it and its exports."""

from __future__ import annotations

from pathlib import Path

from studio.engine.jobs.job import Job
from studio.engine.networks.backbones import IMAGENET
from studio.engine.pretrained.licenses import LICENSES, Passport
from studio.engine.pretrained.sources import source_of_backbone
from studio.engine.pretrained.store import PretrainedStore
from studio.engine.training.history import PassportData, RunHistory
from studio.engine.training.plan import RUN_PREFIX
from studio.engine.workspace import Record, RecordKind, Workspace

_UNKNOWN = Passport(*[LICENSES["not-stated"]] * 3)


def passport_of_weights(
    source: str, path: Path, backbone: str, workspace: Workspace
) -> PassportData:
    """Return the licenses of starting weights; of a run, those of what it started from.

    The licenses of a file that is not a published one are not stated.

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
    published = PretrainedStore().source_of(path)
    return (_UNKNOWN if published is None else published.passport).to_json()


def passport_of_run(run: Record) -> PassportData:
    """Return the licenses of the weights that a run started from; none for random ones."""
    weights = Job.read(run).with_history(RunHistory).history.weights
    return {} if weights is None else weights.passport
