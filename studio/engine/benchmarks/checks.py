"""What is wrong with a study before it begins. It loads the zoo: import it when it is needed."""

from __future__ import annotations

from studio.engine.benchmarks.plan import StudyPlan
from studio.engine.errors import Problem, StudioError
from studio.engine.jobs.device_request import parse_device_request
from studio.engine.networks.zoo import ZOO


def input_shape(plan: StudyPlan, network: str) -> tuple[int, int, int]:
    """Height, width and channels of the images that a network gets where there is no dataset.

    Raises:
        StudioError: There is no such network.
    """
    height, width, channels = ZOO[network].default_input
    return (height, width, channels) if plan.size is None else (plan.size, plan.size, channels)


def study_problems(
    plan: StudyPlan, shape: tuple[int, int, int] | None = None, classes: int | None = None
) -> list[Problem]:
    """Everything that is wrong with a study.

    Args:
        plan: The study.
        shape: Height, width and channels of the images of its dataset; None where it has none.
        classes: Of the dataset.
    """
    problems = [*_network_problems(plan, shape, classes), *_device_problems(plan)]
    too_large = [size for size in plan.batch_sizes if size > plan.images]
    if too_large:
        problems.append(
            Problem(
                "batch_sizes",
                f"a batch of {too_large[0]} needs more than {plan.images} images.",
                "Take more images, or smaller batches.",
            )
        )
    return problems


def _network_problems(
    plan: StudyPlan, shape: tuple[int, int, int] | None, classes: int | None
) -> list[Problem]:
    problems = []
    for network in plan.networks:
        try:
            ZOO[network].build(shape or input_shape(plan, network), classes or plan.classes)
        except StudioError as error:
            problems.append(Problem("networks", error.message, error.hint))
    return problems


def _device_problems(plan: StudyPlan) -> list[Problem]:
    problems = []
    for device in plan.devices:
        try:
            wish = parse_device_request(device)
            is_one = wish.count == 1 and (wish.kind == "cpu" or bool(wish.indices))
        except ValueError:
            is_one = False
        if not is_one:
            message = f'"{device}" is not one device.'
            problems.append(Problem("devices", message, "Write cpu, gpu:0, gpu:1 …"))
    return problems
