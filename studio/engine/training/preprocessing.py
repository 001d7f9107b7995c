"""The network of a training plan, with what the plan wants done to every image inside it.

The first layer brings values of pixels other than 0 to 255 to that range. That, crop, mean
subtraction and whitening are layers, so that validation, evaluation, prediction and exported
files do them too.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from studio.engine.errors import StudioError
from studio.engine.messages import as_message, message
from studio.engine.networks.builder import GraphBuilder
from studio.engine.networks.enlarging import RESIZING_NODE, pretrained_network, size_seen
from studio.engine.networks.fitting import (
    TargetScale,
    answering,
    fitted,
    rewired,
    without,
)
from studio.engine.networks.heads import output_of
from studio.engine.networks.parts import with_freezing, with_rates
from studio.engine.networks.spec import (
    INPUT,
    INPUT_RANGE,
    LOWEST,
    NEGATIVE,
    RANGE_NODES,
    SHIFTED,
    InputShape,
    LayerNode,
    NetworkSpec,
)
from studio.engine.networks.zoo import ZOO
from studio.engine.pixel_format import PixelFormat
from studio.engine.tasks import DEFAULT_TASK
from studio.engine.tasks.task import Task
from studio.engine.training.plan import RUN_PREFIX, TrainingPlan
from studio.engine.training.trainers import planned_output, trainer_of

MEAN, CROP, WHITENING = "input_mean", "input_crop", "input_whitening"
_DIGITS = 5


@dataclass(frozen=True, slots=True)
class MeanImage:
    """The mean of the training images, or their mean color, from 0 to 255.

    Attributes:
        height: Height of the mean; 1 for a color.
        width: Width of the mean; 1 for a color.
        values: height x width x channels numbers in a row.
    """

    height: int
    width: int
    values: tuple[float, ...]


def network_for(
    plan: TrainingPlan,
    shape: tuple[int, int, int],
    classes: int,
    mean: MeanImage | None = None,
    task: Task = DEFAULT_TASK,
    scale: TargetScale | None = None,
    pixels: PixelFormat | None = None,
) -> NetworkSpec:
    """Write down the network of a run: sized for its images, partly frozen, with its rates.

    Args:
        plan: Names or holds the network; what its augmentation says about crop and whitening is
            done inside the network.
        shape: Height, width and channels of the images of the dataset.
        classes: Number of classes, labels or quantities.
        task: Task of the network.
        scale: Scale of the targets, see `answering`.
        mean: Subtracted mean, 0 to 255, see `mean.mean_of`; None for none.
        pixels: Number format of the images of the dataset; None for pixels from 0 to 255.

    Raises:
        StudioError: The network does not take such images or classes, does not check, or has no
            such layer to freeze.
    """
    if classes < task.min_outputs:
        raise StudioError(
            "{task} needs at least {number} {outputs}; received {received}.",
            "Import images of another class.",
            "network",
            task=as_message(task.label),
            number=task.min_outputs,
            outputs=as_message(task.output_names[1]),
            received=classes,
        )
    _refuse_other_outputs(plan, task)
    crop = _center_crop(plan)
    seen = (crop, crop, shape[2]) if crop else shape
    if enlarges(plan):
        spec = pretrained_network(plan.network, seen, classes)
    elif plan.design is None:
        spec = ZOO[plan.network].build(seen, classes)
    else:
        spec = fitted(_bare(plan.design), seen, classes)
    spec = answering(trainer_of(plan).head_of(spec), task, scale)
    spec = with_rates(with_freezing(spec, plan.freeze), plan.backbone_rate, plan.head_rate)
    spec = _preprocessed(spec, shape, plan, mean, crop)
    return spec if pixels is None else _with_range(spec, pixels)


def enlarges(plan: TrainingPlan) -> bool:
    """Return True if the network of a plan enlarges images that are small for its weights.

    Networks that start from a run are those of the run, see `network_of_run`.
    """
    is_named = plan.design is None and plan.network in ZOO
    return is_named and bool(plan.weights) and not plan.weights.startswith(RUN_PREFIX)


def enlarged_to(plan: TrainingPlan, size: tuple[int, int]) -> tuple[int, int] | None:
    """Return the height and width to which a plan enlarges images; None if it does not.

    Args:
        plan: The plan.
        size: Height and width of the images, in pixels.
    """
    design = plan.design
    if design is None:
        does = enlarges(plan)
    else:  # of a run that did
        does = plan.network in ZOO and any(node.id == RESIZING_NODE for node in design.nodes)
    seen = size_seen(plan.network, size) if does else size
    return None if seen == size else seen


def _refuse_other_outputs(plan: TrainingPlan, task: Task) -> None:
    """Refuse a network with another kind of output than the task needs."""
    output = output_of(plan.design) if plan.design is not None else ZOO[plan.network].output
    if output in task.outputs:
        return
    suited = ", ".join(each.name for each in ZOO if each.output in task.outputs)
    label = as_message(network_label(plan))
    reason = message(
        "{network} predicts {predictions}; {task:lower} needs {needed}.",
        network=label,
        predictions=output.predictions,
        task=as_message(task.label),
        needed=task.output.predictions,
    )
    raise StudioError(reason, message("Choose one of {networks}.", networks=suited), "network")


def network_label(plan: TrainingPlan) -> str:
    """Return the displayed name of the network of a plan."""
    if plan.design is not None:
        return plan.design.name
    return ZOO[plan.network].label if plan.network in ZOO else plan.network


def _bare(design: NetworkSpec) -> NetworkSpec:
    """Return a network of an earlier run without what that run did to its images."""
    for node in design.nodes:
        if node.id in (MEAN, CROP, WHITENING):
            design = without(design, node.id)
    nodes = [node for node in design.nodes if node.id not in RANGE_NODES]
    positions = {key: at for key, at in design.positions.items() if key not in RANGE_NODES}
    bare = {"nodes": rewired(nodes, INPUT_RANGE, INPUT), "positions": positions}
    return design.model_copy(update=bare)


def _with_range(spec: NetworkSpec, pixels: PixelFormat) -> NetworkSpec:
    """Put in what brings the pixels of a dataset to 0 to 255, before everything else."""
    net = GraphBuilder(spec.name, spec.input, spec.classes)
    scale, offset = pixels.scale_and_offset()
    if pixels.per_image:
        # Shifted to 0 first, so that a channel of one value becomes 0 and not what it is.
        net.add("rescaling", NEGATIVE, scale=-1.0)
        net.add("global_max_pool", LOWEST, keepdims=True)
        net.add("add", SHIFTED, after=(INPUT, LOWEST))
        net.add("auto_contrast", INPUT_RANGE)
    elif set(scale) != {1.0} or any(offset):
        texts = (_text(each) for each in (scale, offset))
        net.add(
            "channel_scaling", INPUT_RANGE, **dict(zip(("scale", "offset"), texts, strict=True))
        )
    else:
        return spec
    nodes = (*net.spec().nodes, *rewired(spec.nodes, INPUT, INPUT_RANGE))
    return spec.model_copy(update={"nodes": nodes})


def _text(values: Sequence[float]) -> str:
    """Write one number for each channel, or a single one for all."""
    return ", ".join(map(repr, values if len(set(values)) > 1 else values[:1]))


def _center_crop(plan: TrainingPlan) -> int:
    """Return the side of the center that the network sees; 0 for whole images."""
    return 0 if planned_output(plan).any_size else plan.augmentation.crop


def _preprocessed(
    spec: NetworkSpec,
    shape: tuple[int, int, int],
    plan: TrainingPlan,
    mean: MeanImage | None,
    crop: int,
) -> NetworkSpec:
    """Put the layers in that change images as the plan says."""
    first = _rescaling_of(spec)
    added = GraphBuilder(spec.name, spec.input, spec.classes)
    added.last = last = first.id if first else INPUT
    if mean is not None:
        scale, offset = _scale_and_offset(first)
        values = tuple(round(value * scale + offset, _DIGITS) for value in mean.values)
        added.add("subtract_mean", MEAN, mean=values, height=mean.height, width=mean.width)
    if crop:
        added.add("center_crop", CROP, height=crop, width=crop)
    if plan.augmentation.whitening:
        added.add("whitening", WHITENING)
    if added.last == last:
        return spec
    nodes = [
        node
        if node == first
        else node.model_copy(
            update={"inputs": tuple(added.last if i == last else i for i in node.inputs)}
        )
        for node in spec.nodes
    ]
    full = InputShape(height=shape[0], width=shape[1], channels=shape[2])
    return spec.model_copy(update={"input": full, "nodes": (*nodes, *added.spec().nodes)})


def _rescaling_of(spec: NetworkSpec) -> LayerNode | None:
    """Return the layer that maps pixels to the network's range, if there is one at the start."""
    readers = [node for node in spec.nodes if INPUT in node.inputs]
    return readers[0] if len(readers) == 1 and readers[0].layer == "rescaling" else None


def _scale_and_offset(first: LayerNode | None) -> tuple[float, float]:
    if first is None:
        return 1.0, 0.0
    scale, offset = first.parameters["scale"], first.parameters["offset"]
    if not isinstance(scale, int | float) or not isinstance(offset, int | float):
        raise TypeError(f"{first.id} is scaled by {scale!r} and {offset!r}.")
    return float(scale), float(offset)
