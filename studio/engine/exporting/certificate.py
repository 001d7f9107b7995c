"""What was measured on an exported file, before anybody relies on it."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict


class Certificate(BaseModel):
    """The exported file, loaded again and held against the model it came from.

    Attributes:
        split: The split whose images were used.
        count: How many images.
        accuracy: Top-1 accuracy of the exported file, 0 to 1.
        accuracy_change: That minus the accuracy of the run's own model, on the same images.
        largest_difference: Largest difference of any single score.
        disagreements: On how many images the first answer differs.
        size_bytes: Size of the model file.
        latency_ms: Median time for one image, milliseconds, on this machine.
        script_checked: Whether the exported script, run in a process of its own, gave the same
            answer for the example picture.
    """

    model_config = ConfigDict(frozen=True)

    split: str
    count: int
    accuracy: float
    accuracy_change: float
    largest_difference: float
    disagreements: int
    size_bytes: int
    latency_ms: float
    script_checked: bool
