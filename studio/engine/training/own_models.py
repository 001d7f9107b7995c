"""Completed runs as sources of weights, beside the published ones."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

from studio.engine.errors import StudioError
from studio.engine.jobs.states import State
from studio.engine.pretrained.licenses import LICENSES, Passport
from studio.engine.training.plan import RUN_PREFIX
from studio.engine.training.summaries import RunSummary, run_summaries
from studio.engine.workspace import RecordKind, Workspace


@dataclass(frozen=True, slots=True)
class OwnModel:
    """A completed run whose weights other runs may start from.

    Attributes:
        run: The run.
        dataset: Name of its dataset.
        passport: Licenses of the weights that it started from; "own" for random ones.
    """

    run: RunSummary
    dataset: str
    passport: Passport

    @property
    def source(self) -> str:
        """Its weights as plans name them."""
        return f"{RUN_PREFIX}{self.run.info.name}"

    @property
    def figure(self) -> str:
        """The best value of the first metric of its task; empty if it was not measured."""
        metric = self.run.measured_task.primary
        value = self.run.best_value(metric.name)
        return "" if math.isnan(value) else metric.text(value)


def own_models(workspace: Workspace) -> list[OwnModel]:
    """Return the completed runs of a workspace, the newest first; any thread.

    Runs that cannot be read are not among them: the list of runs reports these.
    """
    names = {record.id: info.name for record, info in workspace.infos(RecordKind.DATASET)}
    return [
        OwnModel(each, names.get(each.dataset, each.dataset), _passport(each.passport))
        for each in reversed(run_summaries(workspace, _ignored))
        if each.state == State.COMPLETED
    ]


def _ignored(_name: str, _error: StudioError) -> None:
    """Leave out a run."""


def _passport(stored: Mapping[str, Mapping[str, str]]) -> Passport:
    """Return a passport as it was stored with a run, see `Passport.to_json`."""
    if not stored:
        return Passport(*[LICENSES["own"]] * 3)
    licenses = {each.name: each for each in LICENSES}
    named = (stored.get(part, {}).get("license", "") for part in ("code", "weights", "data"))
    return Passport(*(licenses.get(name, LICENSES["not-stated"]) for name in named))
