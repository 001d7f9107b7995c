"""Samples: parameters of a test of which only some run always, and numbers of examples."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Any

import pytest
from _pytest.mark import ParameterSet
from hypothesis import settings


def sample(values: Iterable[Any], keep: int | Collection[str] = 1) -> list[ParameterSet]:
    """Mark the values of a parametrized test as thorough, except a few.

    Args:
        values: As `pytest.mark.parametrize` takes them; tuples are the values of several names.
        keep: Number of values to keep from the beginning, or the names of those.
    """
    result = []
    for number, each in enumerate(values):
        given = each if isinstance(each, ParameterSet) else None
        parts = given.values if given else each if isinstance(each, tuple) else (each,)
        name = str(getattr(parts[0], "name", parts[0]))
        is_sampled = number < keep if isinstance(keep, int) else name in keep
        marks = [*(given.marks if given else ()), *([] if is_sampled else [pytest.mark.thorough])]
        result.append(pytest.param(*parts, id=given.id if given else None, marks=marks))
    return result


def few_examples() -> int:
    """Return the number of examples of a test with Hypothesis whose examples take long."""
    usual = settings.default or settings()
    return usual.max_examples // 3
