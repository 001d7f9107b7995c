"""Plan of a new split of a dataset into training, validation and test.

Never imports NumPy: the command line makes its options from this.
"""

from __future__ import annotations

import re
from typing import Literal, Self

from pydantic import model_validator

from studio.engine.messages import message
from studio.engine.plans import Condition, Plan, expert_field, plan_field

SplitMethod = Literal["stratified", "ratio", "kfold"]


def require_training_images(*percentages: float) -> None:
    """Refuse percentages that leave nothing to train on.

    Args:
        percentages: Percentages of validation images, of test images and of further ones.

    Raises:
        ValueError: They add up to all images.
    """
    total = sum(percentages)
    if total >= 100:
        raise ValueError(
            message(
                "validation and test use {percent:g} % together, which leaves nothing to train on",
                percent=total,
            )
        )


_SHARED = Condition(
    ("method",),
    "Test images stay, and folds have equal size",
    ("stratified", "ratio"),
)
_FOLDED = Condition(("method",), "Only cross-validation has folds", ("kfold",))


class SplitPlan(Plan):
    """A new split of a dataset. The same plan on the same images gives the same split.

    Images of one origin stay together, see `origins`: those that the import recognized, or those
    whose paths give the same text for `pattern`. With `kfold`, test images stay where they are,
    the others are split into `folds` parts, and part `fold` measures while the others train.
    """

    version: Literal[1] = 1
    method: SplitMethod = plan_field(
        "stratified",
        label="Method",
        help="Method of assigning images to splits.",
        why="Stratified preserves the distribution of classes, labels and quantities in "
        "each split.",
        labels={
            "stratified": "Stratified",
            "ratio": "All images together",
            "kfold": "Folds for cross-validation",
        },
    )
    keep_source_splits: bool = plan_field(
        True,
        label="Keep the source's splits",
        help="Keeps validation and test images defined by the source, such as a folder named "
        "test.",
        why="Use it for results comparable with published ones. The percentages apply to "
        "the other images.",
    )
    val_percent: float = plan_field(
        20.0,
        label="Validation",
        help="Percentage of validation images.",
        why="10 to 20 % is usual. Too few images make the curve noisy; too many leave less "
        "training data.",
        unit="%",
        right_open=(0, 100),
        applicable_when=_SHARED,
    )
    test_percent: float = plan_field(
        10.0,
        label="Test",
        help="Percentage of test images.",
        why="10 to 20 % gives an unbiased final result.",
        unit="%",
        right_open=(0, 100),
        applicable_when=_SHARED,
    )
    by_origin: bool = plan_field(
        True,
        label="Keep origins together",
        help="Images of one origin, such as a film or a patient, get the same split.",
        why="Without it, images of one film may train and test the network, and results are too "
        "good for new films.",
    )
    pattern: str = plan_field(
        "",
        label="Origin",
        help="Regular expression on the image path that names the origin; empty for those that "
        "the import recognized.",
        why=r"For names such as patient7_scan3.png: (patient\d+)_",
        applicable_when=Condition(("by_origin",), "Images are assigned one by one", (True,)),
    )
    known_percent: float = plan_field(
        0.0,
        label="Test on known origins",
        help="Percentage of images that also test, though training images have their origin.",
        why="An evaluation then reports both: the score on known films and on new ones. 5 to 10 % "
        "is enough.",
        unit="%",
        right_open=(0, 100),
        applicable_when=_SHARED,
    )
    folds: int = plan_field(
        5,
        label="Folds",
        help="Number of folds for cross-validation.",
        why="5 or 10 is usual. Each image is validated once; each fold needs a separate run.",
        within=(2, 100),
        applicable_when=_FOLDED,
    )
    fold: int = plan_field(
        0,
        label="Fold",
        help="Index of the validation fold, from 0.",
        why="Train once with each fold and average the results.",
        within=(0, 99),
        applicable_when=_FOLDED,
    )
    seed: int = expert_field(
        0,
        label="Seed",
        help="The same seed gives the same split.",
        why="Keep it to compare runs; change it to see how much a result depends on the split.",
        within=(0, 2**32 - 1),
    )

    @model_validator(mode="after")
    def _check_percentages(self) -> Self:
        if self.method != "kfold":
            require_training_images(self.val_percent, self.test_percent, self.known_percent)
        return self

    @model_validator(mode="after")
    def _check_known(self) -> Self:
        if self.known_percent and not self.by_origin:
            raise ValueError(
                message("tests on known and on new origins need origins that stay together")
            )
        return self

    @model_validator(mode="after")
    def _check_pattern(self) -> Self:
        try:
            re.compile(self.pattern)
        except re.error as error:
            raise ValueError(
                message(
                    "the origin is not a regular expression ({reason}); received {pattern}",
                    reason=error,
                    pattern=repr(self.pattern),
                )
            ) from error
        return self

    @model_validator(mode="after")
    def _check_fold(self) -> Self:
        if self.method == "kfold" and self.fold >= self.folds:
            raise ValueError(
                message(
                    "with {folds} folds the fold must be 0 to {last}; received {fold}",
                    folds=self.folds,
                    last=self.folds - 1,
                    fold=self.fold,
                )
            )
        return self
