"""The threshold of certain proposals is measured on labels."""

from __future__ import annotations

from dataclasses import replace

import pytest

from studio.engine.labeling.certain import certain_limit, certain_page
from studio.engine.labeling.proposals import AssistStatus, CertainLimit, Proposal
from studio.engine.labeling.values import ClassValue

CAT, DOG = ClassValue(index=0), ClassValue(index=1)


def proposals(count: int) -> list[Proposal]:
    """Proposals of cats, ever less certain: from 1 down to 0.5."""
    return [Proposal(item, CAT, 1 - 0.5 * item / count) for item in range(count)]


def test_errors_below_a_certainty_set_the_threshold() -> None:
    found = proposals(100)
    values = [CAT if item < 60 or item % 2 else DOG for item in range(100)]
    limit = certain_limit(found, values)
    assert limit is not None
    # 2 errors of 64 are (2 + 1) / (64 + 2) = 4.5 %; 3 of 65 are 6 %.
    assert limit == CertainLimit(found[63].probability, 3 / 66, 100)
    page = certain_page(AssistStatus(proposals=dict(enumerate(found)), certain=limit), 100)
    assert [each.item for each in page] == list(range(64))


@pytest.mark.parametrize(("count", "wrong"), [(19, 0), (20, 20), (30, 2)])
def test_no_claim_without_proof(count: int, wrong: int) -> None:
    values = [DOG if item < wrong else CAT for item in range(count)]
    assert certain_limit(proposals(count), values) is None
    status = AssistStatus(proposals=dict(enumerate(proposals(count))))
    assert certain_page(status) == []


def test_equally_certain_proposals_stay_together() -> None:
    found = [replace(each, probability=0.9) for each in proposals(40)]
    values = [CAT] * 30 + [DOG] * 10
    assert certain_limit(found, values) is None
    assert certain_limit(found, [CAT] * 40) == CertainLimit(0.9, 1 / 42, 40)
