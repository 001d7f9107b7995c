"""The box that a chart shows around its points."""

from __future__ import annotations

import pytest

from studio.ui.charts.curves import Bounds


@pytest.mark.parametrize("x", [0.03, 0.9, 7.5])
def test_a_single_point_of_a_run_is_shown_within_a_whole_epoch(x: float) -> None:
    box = Bounds(x, x, 0.0, 0.0).over_whole_x().of_fractions().padded()

    assert -0.03 < box.left <= x <= box.right
    assert box.right - box.left == pytest.approx(1.04)
    assert box.high - box.low > 0.05, "no axis of 5e-05 %"


def test_a_single_epoch_is_in_the_middle_between_whole_numbers() -> None:
    box = Bounds(1.0, 1.0, 0.5, 0.5).over_whole_x()

    assert (box.left, box.right) == (0.0, 2.0)


def test_a_loss_of_zero_has_room_around_it() -> None:
    box = Bounds(0.0, 5.0, 0.0, 0.0).padded()
    assert (box.low, box.high) == (-1.0, 1.0)


def test_long_curves_are_shown_as_they_are() -> None:
    box = Bounds(0.1, 12.0, 0.999, 0.9995)
    assert box.over_whole_x().of_fractions() == box
