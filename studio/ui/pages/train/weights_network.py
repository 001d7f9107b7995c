"""The network that chosen weights belong to, for the form of a new run."""

from __future__ import annotations

from pathlib import Path

from studio.engine.datasets.summary import DatasetSummary
from studio.engine.jobs.job import Job
from studio.engine.networks.enlarging import enlarging_network
from studio.engine.networks.library import NetworkChoice
from studio.engine.networks.pretrained import IMAGENET
from studio.engine.training.plan import RUN_PREFIX, TrainingPlan
from studio.engine.training.weight_matching import network_of_weights
from studio.engine.workspace import RecordKind, Workspace


def network_of_source(
    workspace: Workspace, source: str, dataset: DatasetSummary
) -> NetworkChoice | None:
    """The network of a run or of a weights file; any thread.

    Args:
        workspace: Where the runs are.
        source: As a plan names weights.
        dataset: What the dataset holds; small images are enlarged for published networks.

    Returns:
        None if the weights fit several networks, or one that Studio does not know.

    Raises:
        StudioError: The run or the file cannot be read.
    """
    if source == IMAGENET:
        return None
    if source.startswith(RUN_PREFIX):
        run = workspace.record(RecordKind.RUN, source.removeprefix(RUN_PREFIX).partition("@")[0])
        if run is None:
            return None
        plan = Job(run).plan(TrainingPlan)
        return NetworkChoice(plan.network, plan.design)
    network = network_of_weights(Path(source))
    if not network:
        return None
    shape = (dataset.height, dataset.width, dataset.channels)
    return NetworkChoice(network, enlarging_network(network, shape, len(dataset.classes)))
