"""What was asked of a baseline. Never imports NumPy: the window reads this when it starts."""

from __future__ import annotations

from typing import Literal

from studio.engine.plans import Plan, plan_field


class BaselinePlan(Plan):
    """Say in about a minute what a linear classifier on ready features makes of a dataset.

    `dataset` is the id of a dataset record, `dataset_version` one of its versions; None is the
    newest when the baseline is asked for.
    """

    version: Literal[1] = 1
    dataset: str = plan_field(label="Dataset", help="What to look at.", level="hidden")
    dataset_version: int | None = plan_field(
        None, label="Version", help="How many edits of the dataset count.", level="hidden", ge=0
    )
    network: str = plan_field(
        "",
        label="Network",
        help="Whose features are used; empty takes the best that is there without a download.",
        level="hidden",
    )
    weights: str = plan_field(
        "",
        label="Weights",
        help="From where they come: imagenet, a file, or run:ID; empty takes what is there.",
        level="hidden",
    )
    seconds: float = plan_field(
        40.0,
        label="Time",
        help="About how long features are computed; larger datasets are sampled.",
        why="More time looks at more images, which makes the figures more certain.",
        unit="s",
        gt=0,
        le=86_400,
        scale="log",
    )
    images: int | None = plan_field(
        None,
        label="Images",
        help="How many images are looked at; none takes as many as the time allows.",
        why="Fewer give an answer sooner, and a less certain one; a few hundred "
        "per class are plenty.",
        level="expert",
        within=(20, 10_000_000),
    )
    seed: int = plan_field(
        0,
        label="Seed",
        help="The same seed draws the same images.",
        why="Change it to see how much the answer hangs on which images were drawn.",
        level="expert",
        within=(0, 2**32 - 1),
    )
