"""What was asked of an evaluation."""

from __future__ import annotations

from typing import Literal

from studio.engine.plans import Plan, plan_field

SplitName = Literal["train", "val", "test"]


class EvaluationPlan(Plan):
    """Measure the model of a run on one split of the dataset it was trained on.

    `run` is the id of a run record.
    """

    version: Literal[1] = 1
    run: str = plan_field(label="Run", help="The run whose model is measured.", level="hidden")
    split: SplitName = plan_field(
        "test",
        label="Split",
        help="Which images to measure on; only the test images were never looked at before.",
        labels={"train": "Training", "val": "Validation", "test": "Test"},
    )
    batch_size: int = plan_field(
        128,
        label="Batch size",
        help="Images per step; changes speed and memory, not the result.",
        level="expert",
        ge=1,
        le=65_536,
    )
