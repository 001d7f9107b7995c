"""What holds a training up has a name."""

from __future__ import annotations

import math

import pytest

from studio.engine.jobs.events import GpuSample, UsageSampled
from studio.engine.training.bottleneck import bottleneck, fractions


def _sample(
    waiting: float = 0.0,
    computing: float = 0.0,
    validating: float = 0.0,
    writing: float = 0.0,
    gpu: float | None = None,
) -> UsageSampled:
    gpus = () if gpu is None else (GpuSample(name="GPU", utilization=gpu),)
    return UsageSampled(
        seconds=2,
        waiting=waiting,
        computing=computing,
        validating=validating,
        writing=writing,
        gpus=gpus,
    )


def test_fractions_are_of_the_known_time() -> None:
    found = fractions([_sample(waiting=1, computing=1), _sample(computing=1, writing=1)])

    assert found == {"waiting": 0.25, "computing": 0.5, "validating": 0, "writing": 0.25}
    assert fractions([UsageSampled(seconds=2)]) == {}
    assert bottleneck([UsageSampled(seconds=2)]) is None
    assert bottleneck([]) is None


@pytest.mark.parametrize(
    ("sample", "name", "share", "word"),
    [
        (_sample(waiting=1.24, computing=0.76), "waiting", 0.62, "augmentation"),
        (_sample(validating=1, computing=1), "validating", 0.5, "Validate less often"),
        (_sample(writing=0.5, computing=1.5), "writing", 0.25, "Save less often"),
        (_sample(waiting=0.1, computing=1.9), "computing", 0.95, "as expected"),
        (_sample(computing=2, gpu=12), "computing", 1.0, "larger batches"),
        (_sample(computing=2, gpu=97), "computing", 1.0, "as expected"),
        (_sample(computing=2, gpu=math.nan), "computing", 1.0, "as expected"),
    ],
)
def test_each_has_its_name_and_its_advice(
    sample: UsageSampled, name: str, share: float, word: str
) -> None:
    verdict = bottleneck([sample])

    assert verdict is not None
    assert verdict.name == name
    assert verdict.share == pytest.approx(share)
    assert word in verdict.advice
    assert verdict.is_fine == ("as expected" in verdict.advice)


def test_what_lies_furthest_above_the_usual_is_named() -> None:
    verdict = bottleneck([_sample(waiting=0.6, writing=0.6, validating=0.3, computing=0.5)])

    assert verdict is not None
    assert verdict.name == "writing", "a tenth of the time is much for writing"
