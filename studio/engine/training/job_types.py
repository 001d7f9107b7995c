"""The jobs of training: runs, and their preflight checks."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from studio.engine.errors import BadDataError
from studio.engine.jobs.devices import AUTO, RAY, can_use_gpus
from studio.engine.jobs.placed_plan import placed_requirements
from studio.engine.jobs.types import JobType, Requirements, register
from studio.engine.training import history
from studio.engine.training.plan import RUN_PREFIX, TrainingPlan
from studio.engine.training.preflight import PreflightPlan
from studio.engine.training.trained_models import store_before_deletion
from studio.engine.workspace import Record, RecordKind, Workspace


def _requirements(plan: TrainingPlan, changes: Mapping[str, Any]) -> Requirements:
    if plan.ray:  # its worker here computes nothing, and Ray knows what is free there
        return Requirements(place=RAY, after=plan.dataset)
    placed = placed_requirements(plan, changes)
    if placed.place:
        return replace(placed, after=plan.dataset)
    # All that is chosen once per process.
    process_key = json.dumps([plan.backend, placed.device, plan.deterministic, plan.threads])
    return Requirements(
        placed.device, can_use_gpus(plan.backend), plan.runs_per_device, plan.dataset, process_key
    )


def _inputs(workspace: Workspace, plan: TrainingPlan) -> list[Record]:
    """Return the dataset of a run, and the run whose weights it starts from."""
    dataset = workspace.record(RecordKind.DATASET, plan.dataset)
    if dataset is None:
        raise BadDataError(
            'The dataset "{dataset}" was deleted.',
            "Restore it from the trash.",
            "dataset",
            dataset=plan.dataset,
        )
    run_id = plan.weights.removeprefix(RUN_PREFIX).partition("@")[0]
    is_run = plan.weights.startswith(RUN_PREFIX)
    run = workspace.record(RecordKind.RUN, run_id) if is_run else None
    return [dataset] if run is None else [dataset, run]


RUN = JobType(
    record=RecordKind.RUN,
    plan=TrainingPlan,
    handler="studio.engine.compute.train:train",
    verb="training",
    slots=None,
    events=(
        history.TrainingBegan,
        history.WeightsLoaded,
        history.StepsDone,
        history.EpochDone,
        history.ValidationDone,
        history.Saved,
        history.InsightStored,
        history.MethodsCompared,
    ),
    history=history.RunHistory,
    requirements=_requirements,
    reference="dataset",
    inputs=_inputs,
    before_deletion=store_before_deletion,
    can_pause=True,
    hint_if_completed="Extend a run that is completed.",
)


def _requirements_of_preflight(plan: PreflightPlan, _changes: Mapping[str, Any]) -> Requirements:
    training = plan.training
    is_here = not training.ray and not training.machine  # else it estimates by this computer
    device = training.device if is_here else AUTO
    return Requirements(device, can_use_gpus(training.backend))


PREFLIGHT = JobType(
    record=RecordKind.PREFLIGHT,
    plan=PreflightPlan,
    handler="studio.engine.compute.preflight:preflight",
    verb="preflight",
    requirements=_requirements_of_preflight,
    reference="dataset",
)

register(RUN, PREFLIGHT)
