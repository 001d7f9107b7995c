"""Fields of plans that hold several values: typed as `1,2,4` on a command line or in a form."""

from __future__ import annotations

from typing import Annotated, TypeVar

from pydantic import AfterValidator, BeforeValidator, Field

Value = TypeVar("Value")


def _split(value: object) -> object:
    if isinstance(value, str):
        return [part.strip() for part in value.split(",") if part.strip()]
    return [value] if isinstance(value, int) else value


def _each_once(values: tuple[Value, ...]) -> tuple[Value, ...]:
    if not values:
        raise ValueError("at least one is needed")
    return tuple(dict.fromkeys(values))


Several = Annotated[tuple[Value, ...], BeforeValidator(_split), AfterValidator(_each_once)]
"""One or more values, each once, in their order; text is split at its commas."""

Count = Annotated[int, Field(ge=1, le=1_000_000)]
"""A whole number from 1."""
