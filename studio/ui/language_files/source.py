"""One text to translate."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, order=True)
class Source:
    """A text of the program.

    Attributes:
        context: Under which name it is looked up.
        text: In English.
    """

    context: str
    text: str

    @property
    def plural(self) -> bool:
        """Whether a number decides about its form."""
        return "%n" in self.text


class OpenTextError(Exception):
    """A text is translated whose words are not in the source: nobody could collect it."""
