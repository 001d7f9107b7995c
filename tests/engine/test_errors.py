"""The user's mistakes, and how they are said."""

from __future__ import annotations

import pytest

from studio.engine.errors import Problem, StudioError, did_you_mean, raise_if_serious
from studio.engine.registry import Registry
from studio.engine.training.schedules import SCHEDULES


def test_message_and_hint_make_one_line() -> None:
    assert str(StudioError("It broke.", "Mend it.")) == "It broke. Mend it."
    assert str(StudioError("It broke.")) == "It broke."


def test_every_serious_problem_is_named_and_each_hint_once() -> None:
    problems = [
        Problem("a", "is wrong.", "Mend it."),
        Problem("b", "is odd.", "Never shown.", serious=False),
        Problem("", "nothing fits.", "Mend it."),
    ]

    with pytest.raises(StudioError) as caught:
        raise_if_serious(problems)

    assert str(caught.value) == "a: is wrong; nothing fits. Mend it."
    assert caught.value.where == "a"


def test_advice_alone_raises_nothing() -> None:
    raise_if_serious([Problem("b", "is odd.", serious=False)])


def test_the_closest_word_is_offered() -> None:
    known = ["lenet", "mlp"]

    assert did_you_mean("lennet", known) == 'Did you mean "lenet"?'
    assert did_you_mean("zzz", known) == "Known are: lenet, mlp."
    assert did_you_mean("zzz", []) == ""
    assert did_you_mean("zzz", [f"n{n:02}" for n in range(20)]).endswith("n11, ….")


def test_a_registry_keeps_order_and_refuses_two_of_one_name() -> None:
    cosine, step = SCHEDULES["cosine"], SCHEDULES["step"]
    registry = Registry("policy", [step, cosine])

    assert registry.names() == ["step", "cosine"]
    assert list(registry) == [step, cosine]
    assert len(registry) == 2
    assert "step" in registry
    assert 3 not in registry
    with pytest.raises(StudioError, match=r'no policy called "cosin".*"cosine"'):
        registry["cosin"]
    with pytest.raises(ValueError, match="same name"):
        Registry("policy", [step, step])
