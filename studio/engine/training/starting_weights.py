"""Weights that plans start from: their names, the networks of runs, and copies of files.

A run or a sweep has a copy of its weights file, so that it does not need the original.
"""

from __future__ import annotations

import contextlib
import os
import shutil
from pathlib import Path

from studio.engine.datasets.requests import dataset_summary
from studio.engine.errors import StudioError
from studio.engine.files import read_failure, user_path
from studio.engine.jobs.job import Job
from studio.engine.messages import message
from studio.engine.networks.backbones import IMAGENET
from studio.engine.networks.enlarging import pretrained_network
from studio.engine.networks.library import NetworkChoice, weights_in
from studio.engine.training.plan import RUN_PREFIX, STARTING_WEIGHTS, TrainingPlan
from studio.engine.training.preprocessing import enlarged_to
from studio.engine.training.trained_models import training_data
from studio.engine.workspace import Record, RecordKind, Workspace


def is_weights_file(weights: str) -> bool:
    """Return True if the starting weights of a plan are a file."""
    return weights not in ("", IMAGENET) and not weights.startswith(RUN_PREFIX)


def weights_named(workspace: Workspace, weights: str) -> str:
    """Return weights as plans store them: runs by id, files by absolute path.

    Args:
        workspace: Holds the runs.
        weights: Text typed by the user.

    Raises:
        StudioError: There is no such run, or a file has the name of a run.
    """
    if weights.startswith(RUN_PREFIX):
        name, sign, checkpoint = weights.removeprefix(RUN_PREFIX).rpartition("@")
        if not sign:
            name, checkpoint = checkpoint, ""
        return f"{RUN_PREFIX}{workspace.find(RecordKind.RUN, name).id}{sign}{checkpoint}"
    if weights in ("", IMAGENET):
        return weights
    path = user_path(weights).absolute()
    if path.is_dir():  # of an export
        path = weights_in(path) or path
    runs = [info.name for _, info in workspace.infos(RecordKind.RUN)]
    if weights in runs and not path.exists():
        raise StudioError(
            'There is no weights file "{name}", but a run has that name.',
            message("For the run, use {prefix}{name}.", prefix=RUN_PREFIX, name=weights),
            "weights",
            name=weights,
        )
    return str(path)


def network_of_run(workspace: Workspace, run: Record) -> NetworkChoice:
    """Return the network of a run, for a run that starts from its weights.

    If it enlarges its images, because it started from pretrained weights itself, so does this one.

    Args:
        workspace: Holds the dataset of the run.
        run: The run.

    Raises:
        StudioError: The run or its dataset cannot be read.
    """
    plan = Job.read(run).current_plan(TrainingPlan)
    if plan.design is not None:
        return NetworkChoice(plan.network, plan.design)
    data = training_data(workspace, run)
    seen = dataset_summary(data.folder, data.version)
    design = None
    if enlarged_to(plan, seen.shape[:2]) is not None:
        design = pretrained_network(plan.network, seen.shape, len(seen.classes))
    return NetworkChoice(plan.network, design)


def store_weights(weights: str, folder: Path) -> None:
    """Copy the weights file that a plan names, if any, into the folder of a record.

    A file that is such a copy itself (the one of a sweep for its runs, the one of the first fold
    for the others) is linked instead, so that many runs take its space once.

    Args:
        weights: The starting weights of the plan.
        folder: The folder of the run or sweep.

    Raises:
        StudioError: The file cannot be read.
    """
    if not is_weights_file(weights):
        return
    path, target = user_path(weights), folder / STARTING_WEIGHTS
    if path.name == STARTING_WEIGHTS:
        with contextlib.suppress(OSError):  # a disk without hard links
            os.link(path, target)
            return
    try:
        source = path.open("rb")
    except OSError as error:
        raise StudioError(
            "The weights {file} cannot be read: {reason}.",
            "Choose a file that you can read.",
            "weights",
            file=weights,
            reason=read_failure(error),
        ) from error
    with source, target.open("wb") as file:
        shutil.copyfileobj(source, file, 2**20)


def stored_weights(folder: Path) -> Path | None:
    """Return the copy in the folder of a record; None if it has none."""
    path = folder / STARTING_WEIGHTS
    return path.absolute() if path.is_file() else None


def with_available_weights(plan: TrainingPlan, folder: Path) -> TrainingPlan:
    """Return the plan of a run for another run: with the run's copy if the weights file is gone.

    Args:
        plan: The plan.
        folder: The folder of its run.
    """
    if not is_weights_file(plan.weights) or user_path(plan.weights).is_file():
        return plan
    stored = stored_weights(folder)
    return plan if stored is None else plan.changed(weights=str(stored))
