"""Plan of a study: networks x backends x precisions x devices x batch sizes."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from functools import partial
from typing import Annotated, Literal, NamedTuple, TypeVar

from pydantic import AfterValidator, BeforeValidator, Field

from studio.engine.datasets.summary import DatasetSummary
from studio.engine.errors import Problem, StudioError
from studio.engine.jobs.devices import parse_device_request
from studio.engine.messages import as_message, message
from studio.engine.networks.zoo import ZOO
from studio.engine.plans import Plan, plan_field
from studio.engine.tasks import TASKS
from studio.engine.training.backends import default_backend
from studio.engine.training.plan import Backend
from studio.engine.training.precision import FULL, Precision

# Fields of plans that hold several values: typed as `1,2,4` on a command line or in a form.

Value = TypeVar("Value")


def _split(value: object) -> object:
    if isinstance(value, str):
        return [part.strip() for part in value.split(",") if part.strip()]
    return [value] if isinstance(value, int) else value


def _split_networks(value: object) -> object:
    """Split a list, options stay with their network: `pattern:stages=2,dense=0,lenet` are two."""
    parts = _split(value)
    if not isinstance(value, str) or not isinstance(parts, list):
        return parts
    names: list[str] = []
    for part in parts:
        if names and ":" in names[-1] and "=" in part and ":" not in part:
            names[-1] += f",{part}"
        else:
            names.append(part)
    return names


def _each_once(values: tuple[Value, ...]) -> tuple[Value, ...]:
    if not values:
        raise ValueError(message("at least one is required"))
    return tuple(dict.fromkeys(values))


Several = Annotated[tuple[Value, ...], BeforeValidator(_split), AfterValidator(_each_once)]
"""One or more values, each once, in their order; text is split at its commas."""

Networks = Annotated[tuple[str, ...], BeforeValidator(_split_networks), AfterValidator(_each_once)]
"""Names of networks, with options if they have any."""

Count = Annotated[int, Field(ge=1, le=1_000_000)]
"""A whole number from 1."""


_WHAT, _DATA, _TIME = "Comparison", "Training", "Time"
_comparison_field = partial(plan_field, group=_WHAT)
_expert_data_field = partial(plan_field, level="expert", group=_DATA)


class CellKey(NamedTuple):
    """Key of a cell in a study."""

    network: str
    backend: str
    precision: str
    device: str
    batch: int

    @property
    def mode(self) -> str:
        """All but the network and the batch in one word, as tables have it."""
        return f"{self.device}/{self.backend}/{self.precision}"


class StudyPlan(Plan):
    """Train networks for a while on every device with every batch size, and measure.

    The defaults are those of a study of 2017 that compared AlexNet and GoogLeNet: 1,024 images of
    one class, batches of 1 to 512. `dataset` is the id of a dataset record; empty for images of
    noise.
    """

    version: Literal[1] = 1
    networks: Networks = _comparison_field(
        ("alexnet", "googlenet"),
        label="Networks",
        help="Networks separated by commas; options as in pattern:stages=2,dense=0.",
        why="Choose networks that you plan to train: small ones gain less from a fast device than "
        "large ones.",
    )
    devices: Several[str] = _comparison_field(
        ("cpu",),
        label="Devices",
        help="Devices separated by commas: cpu, gpu:0; speed-up is relative to the first.",
        why="Put the slowest first, usually cpu: the speed-up of the others is relative to it.",
    )
    batch_sizes: Several[Count] = _comparison_field(
        (1, 2, 4, 8, 16, 32, 64, 128, 256, 512),
        label="Batch sizes",
        help="Images per step, separated by commas.",
        why="Devices reach full speed only with large sizes. Sizes that do not fit into memory "
        "are marked.",
    )
    precision: Several[Precision] = _comparison_field(
        (FULL,),
        label="Precisions",
        help="float32, mixed_bfloat16 or mixed_float16, separated by commas.",
        why="mixed_float16 or mixed_bfloat16 can double the speed of newer GPUs; "
        "a CPU seldom gains.",
    )
    backends: Several[Backend] = _comparison_field(
        (default_backend(),),
        label="Backends",
        help="Backends separated by commas: tensorflow, jax or torch.",
        why="Finds the fastest backend for your network; each must be installed.",
    )
    images: int = plan_field(
        1024,
        label="Images",
        help="Images per epoch; an incomplete last batch is skipped.",
        why="More give longer epochs and more stable results; the time per step needs only a few "
        "dozen steps.",
        group=_DATA,
        within=(1, 1_000_000),
        scale="log",
    )
    epochs: int = plan_field(
        10,
        label="Epochs",
        help="Epochs per cell.",
        why="The first epoch includes start-up time; three or more show the usual speed.",
        group=_DATA,
        within=(1, 10_000),
        scale="log",
    )
    size: int | None = _expert_data_field(
        None,
        label="Image size",
        help="Side of the images in pixels; empty for the default of each network.",
        why="Set it to the size of your own images to estimate your training.",
        unit="px",
        within=(1, 4096),
    )
    classes: int = _expert_data_field(
        1000,
        label="Classes",
        help="Classes of the network; noise images are all of the first class.",
        why="Rarely matters, except for networks with a large last layer.",
        within=(2, 100_000),
    )
    learning_rate: float = _expert_data_field(
        0.01,
        label="Learning rate",
        help="Learning rate of plain gradient descent.",
        why="Does not affect the time; it only has to keep the numbers finite.",
        left_open=(0, 10),
        scale="log",
    )
    seed: int = _expert_data_field(
        0,
        label="Seed",
        help="Seed of the images and the initial weights.",
        why="Any dataset works: the time does not depend on the images.",
        within=(0, 2**32 - 1),
    )
    minutes: float | None = plan_field(
        None,
        label="Time",
        help="Minutes after which the benchmark pauses; empty for no limit.",
        why="Set it if the computer is needed for something else; a paused benchmark can be "
        "resumed.",
        unit="min",
        group=_TIME,
        left_open=(0, 100_000),
    )
    cell_minutes: float = plan_field(
        10.0,
        label="Time of a cell",
        help="Time limit per cell; slower cells are measured on the steps until then.",
        why="Prevents a large network on a slow device from delaying all others.",
        unit="min",
        group=_TIME,
        left_open=(0, 10_000),
    )
    dataset: str = plan_field("", label="Dataset", help="Dataset to train on.", level="hidden")
    dataset_version: int | None = plan_field(
        None, label="Version", help="Number of edits to include.", level="hidden", ge=0
    )


def cell_keys(plan: StudyPlan) -> list[CellKey]:
    """Return all cells of a study in the order of measurement; the index is the cell's number.

    Small batches come before large ones, and all devices of a network and a batch size side by
    side, so that the first speed-ups are there early.
    """
    return [
        CellKey(network, backend, precision, device, batch)
        for network, backend, precision, batch, device in itertools.product(
            plan.networks, plan.backends, plan.precision, plan.batch_sizes, plan.devices
        )
    ]


# What is wrong with a study before it begins. It loads the zoo: import it when it is needed.


def input_shape(plan: StudyPlan, network: str) -> tuple[int, int, int]:
    """Return height, width and channels of a network's images if there is no dataset.

    Args:
        plan: Its `size` overrides the network's default side.
        network: Name in the zoo.

    Raises:
        StudioError: There is no such network.
    """
    height, width, channels = ZOO[network].default_input
    return (height, width, channels) if plan.size is None else (plan.size, plan.size, channels)


def study_problems(plan: StudyPlan, dataset: DatasetSummary | None = None) -> list[Problem]:
    """Return all problems of a study.

    Args:
        plan: The study.
        dataset: Its dataset; None if it has none.
    """
    problems = [*_network_problems(plan, dataset), *_device_problems(plan)]
    too_large = [size for size in plan.batch_sizes if size > plan.images]
    if too_large:
        problems.append(
            Problem(
                "batch_sizes",
                message(
                    "a batch of {batch_size} needs more than {images} images.",
                    batch_size=too_large[0],
                    images=plan.images,
                ),
                "Use more images, or smaller batches.",
            )
        )
    return problems


def _network_problems(plan: StudyPlan, dataset: DatasetSummary | None) -> Iterator[Problem]:
    for network in plan.networks:
        try:
            if dataset is None:
                ZOO[network].build(input_shape(plan, network), plan.classes)
            else:
                shape = dataset.height, dataset.width, dataset.channels
                ZOO[network].build(shape, len(dataset.classes))
        except StudioError as error:
            yield Problem("networks", error.message, error.hint)
            continue
        if dataset is not None and ZOO[network].output not in TASKS[dataset.task].outputs:
            reason = message(
                "{network} predicts {predictions}, but the dataset has {annotations}.",
                network=as_message(ZOO[network].label),
                predictions=ZOO[network].output.predictions,
                annotations=TASKS[dataset.task].output.predictions,
            )
            suited = [each.name for each in ZOO if each.output in TASKS[dataset.task].outputs]
            hint = message("Choose from {networks}.", networks=", ".join(suited))
            yield Problem("networks", reason, hint)


def _device_problems(plan: StudyPlan) -> Iterator[Problem]:
    for device in plan.devices:
        try:
            request = parse_device_request(device)
            is_one = request.count == 1 and (request.kind == "cpu" or bool(request.indices))
        except ValueError:
            is_one = False
        if not is_one:
            text = message('"{device}" is not a single device.', device=device)
            yield Problem("devices", text, "Use cpu, gpu:0, gpu:1 and so on.")
