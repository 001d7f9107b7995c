"""Diagnoses of the results: overfitting, no skill, a flat score, dead classes, origins."""

from __future__ import annotations

import numpy as np

from studio.engine.datasets.augment.plan import PRESETS, AugmentationPlan
from studio.engine.datasets.origins.kinds import UNNAMED_KINDS
from studio.engine.messages import joined, message
from studio.engine.training.doctor.optimization import GOOD, halves, no_score_rises
from studio.engine.training.doctor.training_history import (
    Diagnosis,
    RunFinding,
    TrainingHistory,
    number,
)
from studio.engine.training.plan import TrainingPlan

_OVER_FITTING_FEWEST = 6
"""Fewest validations for a diagnosis, and fewest of them after the best one:"""
_AFTER = 3
_RISE = 1.15
"""The last validation losses against the best; less is within what luck does."""
_WOBBLES = 2.0
"""And the rise is at least this many times the mean jump between validations."""
_LEARNS = 0.8
"""Training loss now against that of the best epoch: it keeps falling."""
_GAP = 0.75
"""Training loss against validation loss."""
_STILL_BETTER = 0.01
"""Gain of the validation score above which a rising loss only means overconfidence."""


_BY_HEART = 0.97
"""Training score from which on little is left to learn from the training images,"""
_BEHIND = 0.15
"""and by how much the validation score is behind it,"""
_SLOW = 0.03
"""while it gains less than this in the last third of the validations."""
_LONG = 12


def find_over_fitting(history: TrainingHistory) -> RunFinding | None:
    """Validation that gets worse, or stagnates at a much lower score, while training improves."""
    return _rising(history) or _far_behind(history)


def _rising(history: TrainingHistory) -> RunFinding | None:
    """Validation loss that rises from its best while training loss falls."""
    epochs, losses = history.measured()
    if len(losses) < _OVER_FITTING_FEWEST:
        return None
    best = int(np.argmin(losses))
    after = losses[best + 1 :]
    if len(after) < _AFTER or not np.isfinite(history.loss[epochs[[best, -1]]]).all():
        return None
    now = float(np.mean(after[-_AFTER:]))
    wobble = float(np.median(np.abs(np.diff(losses[best:], n=2)))) if len(after) > 2 else 0.0
    low, (then, train) = losses[best], history.loss[epochs[[best, -1]]]
    rises = now >= _RISE * low and now - low >= _WOBBLES * wobble
    learns = train <= _LEARNS * then and train <= _GAP * now
    if not rises or not learns or _still_better(history, epochs, best):
        return None
    first, last = int(epochs[best]) + 1, int(epochs[-1]) + 1
    return _finding(
        history,
        message(
            "Validation {loss:lower} rose from {lowest} in epoch {first} to {now} in epoch "
            "{last}, while training {loss:lower} fell from {training_before} to {training_now}.",
            loss=history.loss_name,
            lowest=number(float(low)),
            first=first,
            now=number(float(losses[-1])),
            last=last,
            training_before=number(float(then)),
            training_now=number(float(train)),
        ),
        first,
        last,
    )


def _far_behind(history: TrainingHistory) -> RunFinding | None:
    """Training images that are nearly all right, and validation that no longer follows."""
    epochs, _ = history.measured()
    if len(epochs) < _LONG:
        return None
    late = epochs[-(len(epochs) // 3) :]
    train, val = history.score[late], history.val_score[late]
    if not (np.isfinite(train).all() and np.isfinite(val).all()):
        return None
    reached, gained = float(np.median(val)), float(np.mean(val[-_AFTER:]) - np.mean(val[:_AFTER]))
    if train.min() < _BY_HEART or train[-1] - reached < _BEHIND or gained > _SLOW:
        return None
    first, last = int(late[0]) + 1, int(late[-1]) + 1
    return _finding(
        history,
        message(
            "From epoch {first} to {last} validation {score} did not rise ({loss:lower} "
            "{validation_loss}), while training reached {training_score} ({loss:lower} "
            "{training_loss}).",
            first=first,
            last=last,
            score=history.score_text(reached),
            loss=history.loss_name,
            validation_loss=number(float(history.val_loss[late[-1]])),
            training_score=history.score_text(float(train[-1])),
            training_loss=number(float(history.loss[late[-1]])),
        ),
        first,
        last,
    )


def _finding(history: TrainingHistory, evidence: str, first: int, last: int) -> RunFinding:
    return RunFinding(
        "over_fitting",
        "The network overfits its training images",
        evidence,
        _ADVICE,
        _changes(history.plan),
        float(first),
        float(last),
    )


_ADVICE = "Use augmentation, weight decay and early stopping. More images help most."


def _still_better(history: TrainingHistory, indices: np.ndarray, best: int) -> bool:
    score = history.val_score[indices]
    late = score[best + 1 :][-_AFTER:]
    return bool(np.mean(late) > np.max(score[: best + 1]) + _STILL_BETTER)


def _changes(plan: TrainingPlan) -> dict[str, object]:
    changes: dict[str, object] = {}
    # What is done to all images alike stays; only what varies them counts.
    varied = plan.augmentation.model_copy(
        update={name: getattr(AugmentationPlan(), name) for name in _SAME_FOR_ALL}
    )
    if varied == AugmentationPlan():
        light = PRESETS["light"].values
        changes |= {f"augmentation.{name}": value for name, value in light.items()}
    if plan.weight_decay < _DECAY:
        changes["weight_decay"] = _DECAY
    if not plan.early_stopping_patience:
        changes["early_stopping_patience"] = _PATIENCE
    return changes


_SAME_FOR_ALL = ("subtract_mean", "whitening", "crop", "run_on")
_DECAY = 1e-4
_PATIENCE = 5

OVER_FITTING = Diagnosis("over_fitting", find_over_fitting, ("plateau", "flat_score"))


_VALIDATIONS = 3
_FEWEST_EPOCHS = 5
_DONE = 0.5
"""Fraction of the planned epochs; before it, slow progress is not diagnosed."""
_MARGIN = 0.01
_NAMED = 3


def find_no_skill(history: TrainingHistory) -> RunFinding | None:
    """Scores of the whole, or of an output, that reach those of a constant answer nowhere late."""
    late = history.late[-_VALIDATIONS:]
    metric = history.task.score
    if metric is None or history.epochs < max(_FEWEST_EPOCHS, _DONE * history.plan.epochs):
        return None
    if len(late) < _VALIDATIONS or len({each.scores.shape for each in late}) > 1:
        return None
    useless = np.all([each.scores <= each.constant + _MARGIN for each in late], axis=0)
    outputs = np.flatnonzero(useless[1:])
    if not len(useless) or not (useless[0] or len(outputs)):
        return None
    scores, constant = late[-1].scores, late[-1].constant
    at = 0 if useless[0] else 1 + int(outputs[0])
    names = ", ".join(f'"{history.name(int(each))}"' for each in outputs[:_NAMED])
    return RunFinding(
        "no_skill",
        "No better than a constant prediction"
        if useless[0]
        else message(
            "Not learned: {outputs}", outputs=names + (", …" if len(outputs) > _NAMED else "")
        ),
        message(
            "In the last {validations} validations the score stayed at {score}; a constant "
            "prediction would reach {constant}.",
            validations=_VALIDATIONS,
            score=metric.text(scores[at]),
            constant=metric.text(constant[at]),
        ),
        "Check whether the images show the target, and whether training and validation images are "
        "similar; then train longer, or start from pretrained weights.",
        {},
        max(0.0, float(history.epochs - _VALIDATIONS)),
        float(history.epochs),
    )


NO_SKILL = Diagnosis("no_skill", find_no_skill, ("flat_score", "dead_class"))


_ALL = 0.995
"""Share of the pixels that are predicted as one class, so that the others hardly occur."""


def find_one_class(history: TrainingHistory) -> RunFinding | None:
    """Diagnose predictions of a single class, such as the background, late in training."""
    late = history.late[-_VALIDATIONS:]
    if len(late) < _VALIDATIONS or history.epochs < max(
        _FEWEST_EPOCHS, _DONE * history.plan.epochs
    ):
        return None
    if any(len(each.predicted) < 2 or each.predicted.max() < _ALL for each in late):
        return None
    most = int(late[-1].predicted.argmax())
    others = np.delete(late[-1].images, most)
    if others.max(initial=0) < _FEWEST_IMAGES:
        return None  # there is hardly anything else to predict
    plan = history.plan
    changes: dict[str, object] = {}
    if plan.class_balancing == "none":
        changes["class_balancing"] = "class_weights"
    if not plan.dice_weight:
        changes["dice_weight"] = _HALF_DICE
    return RunFinding(
        "one_class",
        message('Predicts only "{name}"', name=history.name(most)),
        message(
            "In the last {validations} validations, {share:.1%} of the pixels or more were "
            'predicted as "{name}", although another class occurs in {images} images.',
            validations=_VALIDATIONS,
            share=late[-1].predicted[most],
            name=history.name(most),
            images=others.max(),
        ),
        "Give pixels of rare classes a higher weight and add the Dice loss. If that does not "
        "help, train longer or with a higher learning rate.",
        history.accepted(changes),
        max(0.0, float(history.epochs - _VALIDATIONS)),
        float(history.epochs),
    )


_HALF_DICE = 0.5
ONE_CLASS = Diagnosis("one_class", find_one_class, ("no_skill", "flat_score", "dead_class"))


_FLAT_FEWEST = 10
_FALLS = 0.9
"""Training loss of the last quarter of the epochs against that of the quarter before."""


def find_flat_score(history: TrainingHistory) -> RunFinding | None:
    """Return a loss that fell over the last half of the epochs, in which no score rose."""
    late = slice(history.epochs // 2, None)
    has_score = bool(np.isfinite(history.val_score[late]).any())
    if history.epochs < _FLAT_FEWEST or not has_score or not np.isfinite(history.loss).all():
        return None
    before, now = halves(history.loss[late])
    best = np.nanmax(np.concatenate([history.score[late], history.val_score[late]]))
    if now > _FALLS * before or not no_score_rises(history, late) or best >= GOOD:
        return None
    reached = float(np.nanmedian(history.val_score[late]))
    first = history.epochs // 2 + 1
    changes = history.accepted(
        {"class_balancing": "class_weights"} if history.plan.class_balancing == "none" else {}
    )
    advice = "Use a larger network, or pretrained weights."
    if changes:
        advice = "Give rare classes more weight in the loss, which is dominated by frequent ones."
    return RunFinding(
        "flat_score",
        "The loss decreases, but the metric does not improve",
        message(
            "From epoch {first} to {last} training {loss:lower} fell from {before} to {now}, with "
            "validation {score} all the time.",
            first=first,
            last=history.epochs,
            loss=history.loss_name,
            before=number(before),
            now=number(now),
            score=history.score_text(reached),
        ),
        advice,
        changes,
        float(first - 1),
        float(history.epochs),
    )


FLAT_SCORE = Diagnosis("flat_score", find_flat_score)


_FEWEST_IMAGES = 5
_OTHERS = 0.5
"""Recall of the other classes, on average: the network has learned something."""


def find_dead_class(history: TrainingHistory) -> RunFinding | None:
    """No image of a class, or with a label, is recognized in the last validations."""
    late = history.late[-_VALIDATIONS:]
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
    if history.confusions:
        predicted = int(np.argmax(history.confusions[-1][worst]))
        taken = message(
            'Most are predicted as "{class_name}".', class_name=history.name(predicted)
        )
    more = ""
    if len(dead) > 1:
        more = message("{number} more have the same problem.", number=len(dead) - 1)
    evidence = message(
        'None of the {count} validation images of "{class_name}" was recognized in the last '
        "{validations} validations.",
        one='The validation image of "{class_name}" was not recognized in the last '
        "{validations} validations.",
        count=images[-1][worst],
        class_name=history.name(worst),
        validations=_VALIDATIONS,
    )
    names = ", ".join(f'"{history.name(int(at))}"' for at in dead[:_NAMED])
    names += ", …" if len(dead) > _NAMED else ""
    advice, changes = _remedy(history)
    return RunFinding(
        "dead_class",
        message("Never recognized: {classes}", classes=names),
        joined((evidence, taken, more)),
        advice,
        changes,
        max(0.0, float(history.epochs - _VALIDATIONS)),
        float(history.epochs),
    )


def _remedy(history: TrainingHistory) -> tuple[str, dict[str, object]]:
    """Return the next stronger class balancing."""
    balancing = history.plan.class_balancing
    if balancing == "none":
        return "Give classes with few images more weight in the loss.", {
            "class_balancing": "class_weights"
        }
    if balancing == "class_weights":
        return "Sample all classes equally often.", {"class_balancing": "sampling"}
    return (
        "Reduce the weight of easy images (focal loss), and check its labels.",
        {} if history.plan.focal_gamma else {"focal_gamma": 2.0},
    )


DEAD_CLASS = Diagnosis("dead_class", find_dead_class)


def find_common_origins(history: TrainingHistory) -> RunFinding | None:
    """Validation images with origins, such as films, that training images have, too."""
    origins = history.origins
    if origins is None or origins.kind in UNNAMED_KINDS:
        return None
    common = origins.common.get("val", 0)
    if not common or not history.epochs:
        return None
    return RunFinding(
        "common_origins",
        "Validation images have origins of training images",
        message(
            "{count:,} validation images have an origin that training images have, too "
            "({origins}). The validation metrics are too high for images of new origins.",
            one="{count:,} validation image has an origin that training images have, too "
            "({origins}). The validation metrics are too high for images of new origins.",
            count=common,
            origins=origins.text,
        ),
        "Split the dataset again and keep origins together.",
        {},
        0.0,
        float(history.epochs),
    )


COMMON_ORIGINS = Diagnosis("common_origins", find_common_origins)
