"""The network of a training plan, with what the plan wants done to every image inside it.

Crop, mean subtraction and whitening are layers, so that validation, evaluation, prediction and
exported files do them too.
"""

from __future__ import annotations

from dataclasses import dataclass

from studio.engine.datasets.augment.plan import AugmentationPlan
from studio.engine.networks.builder import GraphBuilder
from studio.engine.networks.spec import INPUT, InputShape, LayerNode, NetworkSpec
from studio.engine.networks.zoo import ZOO

_DIGITS = 5


@dataclass(frozen=True, slots=True)
class MeanImage:
    """The mean of the training images, or their mean color, from 0 to 255.

    Attributes:
        height: Of the mean; 1 for a color.
        width: Of the mean; 1 for a color.
        values: height x width x channels numbers in a row.
    """

    height: int
    width: int
    values: tuple[float, ...]


def network_for(
    network: str,
    shape: tuple[int, int, int],
    classes: int,
    plan: AugmentationPlan,
    mean: MeanImage | None = None,
) -> NetworkSpec:
    """Write down the network of a run.

    Args:
        network: Its name in the zoo.
        shape: Height, width and channels of the images of the dataset.
        classes: Number of classes.
        plan: What it says about crop and whitening is done.
        mean: What is subtracted, from 0 to 255, see `mean.mean_of`; None for nothing.

    Raises:
        StudioError: The network does not take such images.
    """
    seen = (plan.crop, plan.crop, shape[2]) if plan.crop else shape
    spec = ZOO[network].build(seen, classes)
    first = _rescaling_of(spec)
    added = GraphBuilder(spec.name, spec.input, classes)
    added.last = last = first.id if first else INPUT
    if mean is not None:
        scale, offset = _scale_and_offset(first)
        values = tuple(round(value * scale + offset, _DIGITS) for value in mean.values)
        height, width = mean.height, mean.width
        added.add("subtract_mean", "input_mean", mean=values, height=height, width=width)
    if plan.crop:
        added.add("center_crop", "input_crop", height=plan.crop, width=plan.crop)
    if plan.whitening:
        added.add("whitening", "input_whitening")
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
    """The layer that takes pixels to the network's range, if the network begins with one."""
    readers = [node for node in spec.nodes if INPUT in node.inputs]
    return readers[0] if len(readers) == 1 and readers[0].layer == "rescaling" else None


def _scale_and_offset(first: LayerNode | None) -> tuple[float, float]:
    if first is None:
        return 1.0, 0.0
    scale, offset = first.parameters["scale"], first.parameters["offset"]
    if not isinstance(scale, int | float) or not isinstance(offset, int | float):
        raise TypeError(f"{first.id} is scaled by {scale!r} and {offset!r}.")
    return float(scale), float(offset)
