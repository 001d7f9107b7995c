"""What a plan means for its dataset: problems, the network it builds, its recipe, advice.

Free of Qt; done in the background, since a network is written down and reports are read.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from studio.engine.baselines.requests import newest_baseline
from studio.engine.datasets.summary import DatasetSummary
from studio.engine.errors import Problem, StudioError
from studio.engine.networks.catalog import backbone_of
from studio.engine.networks.spec import NetworkSpec
from studio.engine.tasks import DEFAULT_TASK, TASKS
from studio.engine.tasks.task import Task
from studio.engine.training.advisor import Advice, advise
from studio.engine.training.plan import TrainingPlan
from studio.engine.training.preprocessing import network_for
from studio.engine.training.recipes import RECIPES
from studio.engine.training.requests import training_problems
from studio.engine.training.settings_checks import accepted
from studio.engine.workspace import Workspace

PLAIN = {"freeze": "none", "backbone_rate": 1.0, "head_rate": 1.0, "head_solver": "gradient"}
"""The fields of a plan that change what its network does, as they are when nothing is wanted."""


@dataclass(frozen=True, slots=True)
class Outlook:
    """What is known of a plan.

    Attributes:
        plan: The plan.
        problems: Everything that is wrong, or unwise.
        network: Its network with nothing frozen; None where there is none.
        recipe: Name of the recipe that it is; empty for none.
        advice: What is recommended for the dataset.
    """

    plan: TrainingPlan
    problems: list[Problem] = field(default_factory=list)
    network: NetworkSpec | None = None
    recipe: str = ""
    advice: Advice | None = None


def look(workspace: Workspace, plan: TrainingPlan, dataset: DatasetSummary) -> Outlook:
    """Look at a plan; any thread."""
    problems = training_problems(workspace, plan)
    shape = (dataset.height, dataset.width, dataset.channels)
    task = TASKS[dataset.task]
    try:
        plain = plan.model_copy(update=PLAIN)
        network = network_for(plain, shape, len(dataset.classes), task=task)
    except StudioError:  # it is among the problems
        return Outlook(plan, problems)
    has_weights = bool(plan.weights) or bool(backbone_of(network))
    return Outlook(
        plan,
        problems,
        network,
        recipe_of(plan, network, task),
        advise(dataset, newest_baseline(workspace, plan.dataset), has_weights=has_weights),
    )


def recipe_of(plan: TrainingPlan, network: NetworkSpec, task: Task = DEFAULT_TASK) -> str:
    """Name of the recipe that a plan follows, as far as its task allows; empty for none."""
    ways = {each.name: accepted(each.apply(plan, network), task) for each in RECIPES}
    return next((name for name, way in ways.items() if way == plan), "")
