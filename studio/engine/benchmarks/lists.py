"""Fields of plans that hold several values: typed as `1,2,4` on a command line or in a form."""

from __future__ import annotations

from typing import Annotated, TypeVar

from pydantic import AfterValidator, BeforeValidator, Field

Value = TypeVar("Value")


def _split(value: object) -> object:
    if isinstance(value, str):
        return [part.strip() for part in value.split(",") if part.strip()]
    return [value] if isinstance(value, int) else value


def _split_networks(value: object) -> object:
    """As above, but options stay with their network: `pattern:stages=2,dense=0,lenet` are two."""
    parts = _split(value)
    if not isinstance(value, str) or not isinstance(parts, list):
        return parts
    names: list[str] = []
    for part in parts:
        if names and ":" in names[-1] and "=" in part and ":" not in part:
            names[-1] += f",{part}"
        else:
            names.append(part)
    return names


def _each_once(values: tuple[Value, ...]) -> tuple[Value, ...]:
    if not values:
        raise ValueError("at least one is needed")
    return tuple(dict.fromkeys(values))


Several = Annotated[tuple[Value, ...], BeforeValidator(_split), AfterValidator(_each_once)]
"""One or more values, each once, in their order; text is split at its commas."""

Networks = Annotated[tuple[str, ...], BeforeValidator(_split_networks), AfterValidator(_each_once)]
"""Names of networks, with their options where they have some."""

Count = Annotated[int, Field(ge=1, le=1_000_000)]
"""A whole number from 1."""
