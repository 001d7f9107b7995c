"""What in an augmentation plan cannot be, or does nothing, with the images at hand."""

from __future__ import annotations

from studio.engine.datasets.augment.plan import AugmentationPlan
from studio.engine.errors import Problem


def check_augmentation(
    plan: AugmentationPlan, shape: tuple[int, int, int], batch_size: int
) -> list[Problem]:
    """Hold a plan against the images and batches that it is for.

    Args:
        plan: The plan.
        shape: Height, width and channels of the images.
        batch_size: Images per batch.

    Returns:
        Problems, with `where` inside the plan; those that are not serious are advice.
    """
    height, width, channels = shape
    problems = []
    if plan.crop > min(height, width):
        problems.append(
            Problem(
                "crop",
                f"a square of {plan.crop} pixels does not fit into images of {width}x{height}.",
                f"Use at most {min(height, width)}, or 0 for no crop.",
            )
        )
    if channels == 1:
        problems += [
            Problem(name, f"{name} does nothing to gray images.", "Set it to 0.", serious=False)
            for name in ("hue", "saturation")
            if getattr(plan, name)
        ]
    if plan.place == "device" and plan.host_only:
        names = ", ".join(plan.host_only)
        problems.append(
            Problem(
                "place",
                f"augmentation runs on the processor: the training device can't do {names}.",
                f"Set {names} to 0, or set place to auto.",
                serious=False,
            )
        )
    if batch_size == 1:
        problems += [
            Problem(
                name, "with one image per batch nothing is mixed.", "Use larger batches.", False
            )
            for name in ("mix_up", "cut_mix")
            if getattr(plan, name)
        ]
    return problems
