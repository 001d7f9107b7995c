"""Settings of a training that do not fit networks which cover an image: masks, boxes, maps."""

from __future__ import annotations

from typing import Final

_MIXING: Final = "averaging two images would show parts that are half transparent"


def region_refusals(head: str) -> dict[str, str]:
    """Return why fields of a training plan must keep their defaults, see `Task.refused`.

    Args:
        head: Why the head of the networks is no linear model that a solver fits.
    """
    return {
        "augmentation.mix_up": _MIXING,
        "augmentation.cut_mix": _MIXING,
        "augmentation.aug_mix": "it blends several transformed copies of an image",
        "augmentation.crop": "the network covers whole images",
        "augmentation.run_on=device": "masks and boxes are transformed together with their images "
        "on the CPU",
        "head_solver=best_linear": head,
        "head_solver=logistic_regression": head,
        "head_solver=linear_svm": head,
        "head_solver=ridge": head,
    }
