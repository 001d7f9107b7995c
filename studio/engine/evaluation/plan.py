"""What was asked of an evaluation."""

from __future__ import annotations

from typing import Literal, Self

from pydantic import model_validator

from studio.engine.plans import Plan, expert_field, plan_field

SplitName = Literal["train", "val", "test"]


class EvaluationPlan(Plan):
    """Measure a model on one split of a dataset.

    The model is that of a run, one of its checkpoints, or a file. A run is measured on the dataset
    that it was trained on, in the version that it saw, unless another is named.
    """

    version: Literal[1] = 1
    run: str = plan_field(
        "",
        label="Run",
        help="Id of the run whose model is measured; empty for a model file.",
        level="hidden",
    )
    moment: str = plan_field(
        "",
        label="Checkpoint",
        help="Epochs after which weights were kept; empty for the model as it is kept.",
        level="hidden",
    )
    model_file: str = plan_field(
        "",
        label="Model file",
        help="Absolute path of a .keras or .h5 file; empty for the model of a run.",
        level="hidden",
    )
    dataset: str = plan_field(
        "",
        label="Dataset",
        help="Id of the dataset; empty for the one that the run was trained on.",
        level="hidden",
    )
    dataset_version: int | None = plan_field(
        None,
        label="Version",
        help="Version of the named dataset; none is the newest.",
        level="hidden",
        ge=0,
    )
    split: SplitName = plan_field(
        "test",
        label="Split",
        help="Which images to measure on; only the test images were never looked at before.",
        why="Test for the figure that you report; validation has been used for "
        "choosing, and looks a little too good.",
        labels={"train": "Training", "val": "Validation", "test": "Test"},
    )
    robustness: bool = plan_field(
        False,
        label="Robustness",
        help="Also measure on blurred, noisy, compressed, turned, darkened and covered images.",
        why="It takes 30 times a few hundred images more.",
    )
    resamples: int = expert_field(
        1000,
        label="Resamples",
        help="How often the images are drawn anew for the intervals; 0 for no intervals.",
        why="1,000 is enough for two digits; 0 saves seconds on large sets.",
        within=(0, 10_000),
    )
    batch_size: int = expert_field(
        128,
        label="Batch size",
        help="Images per step; changes speed and memory, not the result.",
        why="Lower it when memory runs out; higher is faster on a GPU.",
        within=(1, 65_536),
    )

    def is_of(self, run: str) -> bool:
        """Whether it measures the model that a run kept, on the dataset that it learned from."""
        return self.run == run and not self.moment and not self.dataset

    @model_validator(mode="after")
    def _names_one_model(self) -> Self:
        if bool(self.run) == bool(self.model_file):
            raise ValueError("it takes either a run or a model file")
        if self.model_file and not self.dataset:
            raise ValueError("a model file needs a dataset to be measured on")
        if self.model_file and self.moment:
            raise ValueError("only runs have checkpoints")
        return self
