"""What is wrong, or unwise, about a training plan; all of it at once, before anything starts."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from studio.engine.datasets.augment.plan import AugmentationPlan, check_augmentation
from studio.engine.datasets.summary import DatasetSummary
from studio.engine.errors import Problem, StudioError
from studio.engine.networks.freezing import ALL, NONE
from studio.engine.networks.pretrained import IMAGENET
from studio.engine.networks.spec import NetworkSpec
from studio.engine.networks.zoo import ZOO
from studio.engine.networks.zoo.pretrained import IMAGENET_ENDING
from studio.engine.tasks import TASKS
from studio.engine.training.optimizers import OPTIMIZERS
from studio.engine.training.plan import GRADIENT, RUN_PREFIX, SOLVER_LABELS, TrainingPlan
from studio.engine.training.preprocessing import network_for
from studio.engine.training.schedules import SCHEDULES
from studio.engine.training.settings_checks import check_settings
from studio.engine.training.weight_matching import weights_problem

# What is wrong, or unwise, about the optimizer of a plan and its learning rate.


def check_optimizer(plan: TrainingPlan) -> list[Problem]:
    """Hold the optimizer of a plan against its parameters, its backend and its rates."""
    parameters, found = OPTIMIZERS[plan.optimizer].parameters.check(plan.optimizer_options)
    if parameters is not None:
        found = [replace(each, serious=True) for each in parameters.without_effect()]
    problems = [_about_options(problem, plan.optimizer) for problem in found]
    return [*problems, *_check_choice(plan), *_check_rate(plan)]


def _check_choice(plan: TrainingPlan) -> Iterator[Problem]:
    optimizer = OPTIMIZERS[plan.optimizer]
    reason = optimizer.fails_on.get(plan.backend)
    if reason is not None:
        yield Problem(
            "optimizer",
            f"{optimizer.label} does not work here: {reason}.",
            "Choose AdamW, or another backend.",
        )
    if not optimizer.takes_layer_rates and (plan.backbone_rate, plan.head_rate) != (1.0, 1.0):
        yield Problem(
            "optimizer",
            f"{optimizer.label} cannot give layers rates of their own.",
            "Set the rates of backbone and head to 1, or choose another optimizer.",
        )
    options = plan.optimizer_options
    if options.get("relative_step") is True and (
        plan.schedule != "constant" or plan.warmup_percent
    ):
        yield Problem(
            "optimizer_options.relative_step",
            "the rate falls by itself only where nothing else changes it.",
            "Take the constant schedule without warm-up, or switch it off.",
        )


def _check_rate(plan: TrainingPlan) -> Iterator[Problem]:
    optimizer = OPTIMIZERS[plan.optimizer]
    low, high = optimizer.usual_rates
    if low <= plan.learning_rate <= high:
        return
    side = "high" if plan.learning_rate > high else "low"
    yield Problem(
        "learning_rate",
        f"{plan.learning_rate:g} is very {side} for {optimizer.label}.",
        f"Usual are {low:g} to {high:g}; most networks learn with about {optimizer.usual_rate:g}.",
        serious=False,
    )


def _about_options(problem: Problem, optimizer: str) -> Problem:
    where = f"optimizer_options.{problem.where}".rstrip(".")
    if problem.where != "momentum" or "momentum" in OPTIMIZERS[optimizer].parameters.model_fields:
        return replace(problem, where=where)
    # It was a field of every plan once, and still is an option of the command line.
    return Problem(
        where,
        f"momentum is for SGD and RMSprop; {optimizer} has its own.",
        "Leave it out, or choose SGD.",
    )


_ANY_CLASSES = 2
"""Whichever number: only the layers of the network are looked at."""


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
    spec = None
    try:
        spec = network_for(plan, shape, len(dataset.classes), task=TASKS[dataset.task])
    except StudioError as error:
        where = error.where if error.where in ("freeze", "head_solver") else "network"
        problems.append(Problem(where, error.message, error.hint))
    problems += [*_check_weights(plan, spec), *_check_frozen(plan)]
    problems += [*_check_solver(plan), *check_optimizer(plan), *check_settings(plan, dataset)]
    policy = SCHEDULES[plan.schedule].parameters
    problems += [
        replace(problem, where=f"schedule_options.{problem.where}".rstrip("."))
        for problem in policy.check(plan.schedule_options)[1]
    ]
    problems += [
        replace(problem, where=f"augmentation.{problem.where}")
        for problem in check_augmentation(plan.augmentation, shape, plan.batch_size)
    ]
    return [*problems, *_check_images(plan, dataset)]


def _check_images(plan: TrainingPlan, dataset: DatasetSummary) -> Iterator[Problem]:
    count = dataset.count["train"]
    if not count:
        yield Problem(
            "dataset",
            "there are no training images.",
            "Bring images back that were left out, or split the dataset again.",
        )
    elif plan.batch_size > count:
        yield Problem(
            "batch_size",
            f"a batch of {plan.batch_size} is larger than the {count} training images, so "
            "an epoch is a single step.",
            "Smaller batches learn more from few images.",
            serious=False,
        )
    if not dataset.count["val"]:
        yield Problem(
            "dataset",
            "there are no validation images, so nothing shows over-fitting and the last "
            "epoch is kept.",
            "Import the images with a share for validation.",
            serious=False,
        )


def _check_frozen(plan: TrainingPlan) -> Iterator[Problem]:
    if plan.freeze != NONE and not plan.weights:
        yield Problem(
            "freeze",
            "layers with random weights are frozen, so they never learn anything.",
            "Start from weights that have seen images, such as imagenet.",
            serious=False,
        )


def _check_weights(plan: TrainingPlan, spec: NetworkSpec | None) -> Iterator[Problem]:
    """Problems of the weights; those of runs are found where the workspace is known."""
    source = plan.weights
    if not source or source.startswith(RUN_PREFIX):
        return
    if source == IMAGENET:
        yield from _check_imagenet(plan)
        return
    path = Path(source)  # absolute; the command line and the window expand it
    if not path.is_file():
        yield Problem("weights", f"there is no file {source}.", "Check the path.")
    elif spec is not None:
        problem = weights_problem(path, plan.network, plan.design, spec)
        if problem is not None:
            yield problem


def _check_imagenet(plan: TrainingPlan) -> Iterator[Problem]:
    """Problems of downloaded weights: only published backbones have some."""
    design = plan.design
    if design is None:
        if plan.network not in ZOO:
            return
        network = ZOO[plan.network]
        design = network.build(network.default_input, _ANY_CLASSES)
    if any(node.layer == "backbone" for node in design.nodes):
        return
    twin = f"{plan.network}{IMAGENET_ENDING}"
    known = twin if twin in ZOO else "mobilenet_v2"
    yield Problem(
        "weights",
        f"there are no ImageNet weights for {design.name}.",
        f'Choose the network "{known}", or name a file with weights.',
    )


def _check_solver(plan: TrainingPlan) -> Iterator[Problem]:
    """A head that is found at once needs features that never change."""
    if plan.head_solver == GRADIENT:
        return
    label = SOLVER_LABELS[plan.head_solver]
    if plan.freeze != ALL:
        yield Problem(
            "head_solver",
            f"{label} finds the head alone, and more than the head is to be trained.",
            f'Freeze "{ALL}", or let the gradient train the head.',
        )
    new = AugmentationPlan()
    unseen = {"subtract_mean": "none", "whitening": False, "fill": new.fill, "place": new.place}
    if plan.augmentation.model_copy(update=unseen) != new:
        yield Problem(
            "head_solver",
            f"{label} looks at every image once, and augmentation would vary them.",
            "Switch augmentation off, or let the gradient train the head.",
        )
