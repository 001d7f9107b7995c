"""A class or label that is never recognized, while others are."""

from __future__ import annotations

import numpy as np

from studio.engine.training.doctor.signs import Finding, Illness, Signs

_VALIDATIONS = 3
_FEWEST_IMAGES = 5
_OTHERS = 0.5
"""Recall of the other classes, on average: the network has learned something."""
_NAMED = 3


def find(signs: Signs) -> Finding | None:
    """No image of a class, or with a label, is recognized in the last validations."""
    late = signs.late[-_VALIDATIONS:]
    if len(late) < _VALIDATIONS or len({each.images.shape for each in late}) > 1:
        return None
    images = np.stack([each.images for each in late])
    right = np.stack([each.right for each in late])
    dead = np.flatnonzero((right == 0).all(axis=0) & (images >= _FEWEST_IMAGES).all(axis=0))
    others = np.setdiff1d(np.flatnonzero(images[-1]), dead)
    # Where most classes are dead, the network has not learned yet, or cannot.
    if not len(dead) or len(others) < len(dead):
        return None
    if float(np.mean(right[-1][others] / images[-1][others])) < _OTHERS:
        return None
    worst = int(dead[np.argmax(images[-1][dead])])
    taken = ""
    if signs.confusions:
        predicted = int(np.argmax(signs.confusions[-1][worst]))
        taken = f' Most are taken for "{signs.name(predicted)}".'
    more = f" The same is true of {len(dead) - 1} more." if len(dead) > 1 else ""
    names = ", ".join(f'"{signs.name(int(at))}"' for at in dead[:_NAMED])
    few = len(dead) > _NAMED
    advice, changes = _remedy(signs)
    return Finding(
        "dead_class",
        f"Never recognized: {names}{', …' if few else ''}",
        f'None of the {images[-1][worst]} validation images of "{signs.name(worst)}" was '
        f"recognized in the last {_VALIDATIONS} validations.{taken}{more}",
        advice,
        changes,
        max(0.0, float(signs.epochs - _VALIDATIONS)),
        float(signs.epochs),
    )


def _remedy(signs: Signs) -> tuple[str, dict[str, object]]:
    """The next stronger way to have small classes heard."""
    balance = signs.plan.balance
    if balance == "none":
        return "Let classes with few images weigh more in the loss.", {"balance": "class_weights"}
    if balance == "class_weights":
        return "Show all classes equally often.", {"balance": "sampling"}
    return (
        "Let easy images count less, and look at whether its labels are right.",
        {} if signs.plan.focal_gamma else {"focal_gamma": 2.0},
    )


DEAD_CLASS = Illness("dead_class", find)
