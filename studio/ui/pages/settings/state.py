"""Which settings a search shows, decided without Qt."""

from __future__ import annotations

from collections.abc import Iterable


def fits(typed: str, texts: Iterable[str]) -> bool:
    """Whether all words that were typed are somewhere in the texts."""
    whole = " ".join(texts).casefold()
    return all(word in whole for word in typed.casefold().split())


def changed_fields(values: dict[str, object], usual: dict[str, object]) -> dict[str, object]:
    """The fields that are not as usual."""
    return {name: value for name, value in values.items() if usual.get(name) != value}
