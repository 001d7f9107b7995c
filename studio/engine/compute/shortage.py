"""Whether memory ran out, in the words of any backend; imports none."""

from __future__ import annotations


def is_out_of_memory(error: Exception) -> bool:
    """Whether a backend says, in its own way, that memory ran out."""
    name, text = type(error).__name__, str(error).lower()
    return (
        name in {"ResourceExhaustedError", "OutOfMemoryError"}
        or "resource_exhausted" in text
        or "out of memory" in text
    )
