"""The user's mistakes, and how they are said."""

from __future__ import annotations

import pytest

from studio.engine.errors import (
    LONGEST_MESSAGE,
    Problem,
    StudioError,
    did_you_mean,
    raise_if_serious,
)
from studio.engine.registry import Registry
from studio.engine.training.schedules import SCHEDULES


def test_message_and_hint_make_one_line() -> None:
    assert str(StudioError("It broke.", "Repair it.")) == "It broke. Repair it."
    assert str(StudioError("It broke.")) == "It broke."
    error = StudioError("It broke {count:,} times.", "Repair it.", "part", count=1200)
    assert error.text == "It broke 1,200 times. Repair it."
    assert (error.message.template, error.where) == ("It broke {count:,} times.", "part")
    assert StudioError("{braces}").message == "{braces}"


def test_every_serious_problem_is_named_and_each_hint_once() -> None:
    problems = [
        Problem("a", "is wrong.", "Repair it."),
        Problem("b", "is odd.", "Never shown.", serious=False),
        Problem("", "nothing fits.", "Repair it."),
    ]

    with pytest.raises(StudioError) as caught:
        raise_if_serious(problems)

    assert str(caught.value) == "a: is wrong. nothing fits. Repair it."
    assert caught.value.where == "a"


def test_advice_alone_raises_nothing() -> None:
    raise_if_serious([Problem("b", "is odd.", serious=False)])


def test_the_closest_word_is_offered() -> None:
    known = ["lenet", "mlp"]

    assert did_you_mean("lennet", known) == 'Did you mean "lenet"?'
    assert did_you_mean("zzz", known) == "Known: lenet, mlp."
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


def test_an_error_is_one_line_whatever_others_wrote() -> None:
    error = StudioError("a\nb\r\n c\x1b[31m \udcff é قط", "x\u2028y")
    assert str(error) == "a b  c\\x1b[31m \\udcff é قط x y"
    assert len(StudioError("x" * 100_000).message) <= LONGEST_MESSAGE


def test_of_many_problems_as_many_are_shown_as_fit() -> None:
    problems = [Problem(f"field.{number}", "it is wrong.") for number in range(3000)]
    with pytest.raises(StudioError) as caught:
        raise_if_serious(problems)
    assert caught.value.message.startswith("field.0: it is wrong. field.1: ")
    assert caught.value.message.endswith(" more problems.")
    assert len(caught.value.message) < 1100
