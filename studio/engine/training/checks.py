"""What is wrong, or unwise, about a training plan; all of it at once, before anything starts."""

from __future__ import annotations

from dataclasses import replace

from studio.engine.datasets.augment.checks import check_augmentation
from studio.engine.datasets.summary import DatasetSummary
from studio.engine.errors import Problem, StudioError
from studio.engine.training.plan import TrainingPlan
from studio.engine.training.preprocessing import network_for
from studio.engine.training.schedules import SCHEDULES


def check_training(plan: TrainingPlan, dataset: DatasetSummary) -> list[Problem]:
    """Hold a plan against its dataset.

    Args:
        plan: The plan, whose fields are each valid.
        dataset: What the dataset holds.

    Returns:
        Problems; those that are not serious are advice.
    """
    problems = []
    shape = (dataset.height, dataset.width, dataset.channels)
    try:
        network_for(plan.network, shape, len(dataset.classes), plan.augmentation)
    except StudioError as error:
        problems.append(Problem("network", error.message, error.hint))
    policy = SCHEDULES[plan.schedule].parameters
    problems += [
        replace(problem, where=f"schedule_options.{problem.where}".rstrip("."))
        for problem in policy.check(plan.schedule_options)[1]
    ]
    problems += [
        replace(problem, where=f"augmentation.{problem.where}")
        for problem in check_augmentation(plan.augmentation, shape, plan.batch_size)
    ]
    count = dataset.count["train"]
    if not count:
        problems.append(
            Problem(
                "dataset",
                "there are no training images.",
                "Bring images back that were left out, or split the dataset again.",
            )
        )
    elif plan.batch_size > count:
        problems.append(
            Problem(
                "batch_size",
                f"a batch of {plan.batch_size} is larger than the {count} training images, so "
                "an epoch is a single step.",
                "Smaller batches learn more from few images.",
                serious=False,
            )
        )
    if not dataset.count["val"]:
        problems.append(
            Problem(
                "dataset",
                "there are no validation images, so nothing shows over-fitting and the last "
                "epoch is kept.",
                "Import the images with a share for validation.",
                serious=False,
            )
        )
    return problems
