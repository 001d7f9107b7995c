"""The search of the palette: what comes first, and that ten thousand runs are no burden."""

from __future__ import annotations

import pytest

from studio.ui.shell.palette import MAX_INSPECTED, MAX_SHOWN, Haystack, PaletteItem


def _nothing() -> None:
    """Stand in for what an item does."""


def items(*titles: str) -> list[PaletteItem]:
    return [PaletteItem(f"run:{title}", title, "", "Run", "train", _nothing) for title in titles]


def titles(found: list[PaletteItem]) -> list[str]:
    return [item.title for item in found]


def test_beginnings_come_first_then_words_then_parts_then_letters() -> None:
    haystack = Haystack(items("a-digital", "xdigits", "lenet-digits", "d-i-g", "digits-2", "cats"))

    assert titles(haystack.find("dig")) == [
        "digits-2",
        "a-digital",
        "lenet-digits",
        "xdigits",
        "d-i-g",
    ]
    assert titles(haystack.find("lnt")) == ["lenet-digits"]
    assert haystack.find("zebra") == []


def test_the_exact_name_comes_first_whatever_its_kind() -> None:
    page = PaletteItem("command:page.train", "New run from a page", "", "Page", "train", _nothing)
    longer = PaletteItem("command:page.new", "New run and more", "", "Page", "train", _nothing)
    command = PaletteItem("command:new", "New run…", "", "Command", "plus", _nothing)
    recent = PaletteItem("run:1", "New", "run", "Run", "train", _nothing)
    haystack = Haystack([page, longer, command, recent])

    assert haystack.find("new run", [longer.key])[:2] == [command, longer]
    assert haystack.find("NEW  run")[0] is command
    phrase = Haystack(items("new large run", "new run 2", "a new run"))
    assert titles(phrase.find("new run")) == ["new run 2", "new large run", "a new run"]


def test_all_words_must_be_there_in_any_order_and_without_accents() -> None:
    one = PaletteItem("run:1", "Flores do Açude", "jardim", "Execução", "train", _nothing)
    haystack = Haystack([*items("flores"), one])

    assert haystack.find("acude flores") == [one]
    assert haystack.find("EXECUCAO") == [one]
    assert haystack.find("jardim flores") == [one]


def test_the_last_choice_comes_first_among_equal_prefixes() -> None:
    haystack = Haystack(items("digits-1", "digits-2", "cats"))

    assert titles(haystack.find("", ["run:cats"]))[0] == "cats"
    assert titles(haystack.find("dig", ["run:cats", "run:digits-2"])) == ["digits-2", "digits-1"]


@pytest.mark.parametrize("typed", ["lenet", "digits 99", "lnt", "tenel", "zzz", "e", "run 4711"])
def test_ten_thousand_runs_are_read_only_in_part(typed: str) -> None:
    names = [f"{net}-digits-{n}" for n in range(5000) for net in ("lenet", "resnet50")]
    haystack = Haystack(items(*names))

    found = haystack.find(typed)

    assert len(found) <= MAX_SHOWN
    assert haystack.inspected <= MAX_INSPECTED
    if typed == "lenet":
        assert haystack.inspected == 0, "there are enough that begin so"
    if typed == "run 4711":
        assert titles(found)[:2] == ["lenet-digits-4711", "resnet50-digits-4711"]
